// Prints what was measured: tables for people, CSV or JSON for programs.
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "measure.h"
#include "options.h"

/// A library that may be compared with; library is NULL when it was not there at build time.
typedef struct bench_peer {
  const char* name;
  const bench_library* library;
} bench_peer;

typedef struct bench_report {
  const bench_robot* robots;
  int nrobot;
  const bench_row* rows;
  int nrow;
  const bench_peer* peers;
  int npeer;
  double fma_rate; ///< slots per ns
} bench_report;

/// The row of a library; NULL: not measured.
const bench_row* bench_report_find(const bench_report* r, const char* library,
                                   const bench_robot* robot, bench_kernel kernel);

/// Whether a robot is a ladder of four-bar cells.
int bench_is_ladder(const bench_robot* robot);

/// Tables of robots with loops: beside the tree without them, ladders, platforms. Nothing when none was
/// measured.
void bench_report_closed(const bench_report* r);

/// Tables of simulation: steps per second, other methods. Nothing when none was measured.
void bench_report_sim(const bench_report* r);

void bench_report_print(const bench_report* r, bench_format format);

#endif
