// The robots that are measured.
#ifndef BENCH_ROBOT_LIST_H
#define BENCH_ROBOT_LIST_H

#include "limb/limb.h"

typedef struct bench_entry {
  const char* name;
  limb_model* (*make)(int n); ///< NULL when it cannot be made
  int n;                      ///< what make is given
} bench_entry;

/// The robots, closed by one without name.
const bench_entry* bench_list(void);

#endif
