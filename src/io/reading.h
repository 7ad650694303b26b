// What a reading holds.
#ifndef LIMB_READING_H
#define LIMB_READING_H

#include "limb/read.h"
#include "limb/run.h"

#include "io/readers.h"
#include "io/sketch.h"
#include "io/store.h"

struct limb_reading {
  limb_allocator alloc;
  limb_store pool; // document, names, marks
  limb_format format;
  limb_source source; // with a text of its own
  limb_findings* findings;
  limb_builder* builder; // NULL when the file was faulty
  sketch_marks marks;    // by the builder's indices
  int for_run;           // a run file is to be read, and no robot
  const limb_run* run;   // it; NULL when the file was faulty
};

#endif
