// How time is taken: short slices of calls, every row once per round, the best slice counts.
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "peer.h"

/// One measurement: a kernel of a library on a robot.
typedef struct bench_row {
  const bench_library* library;
  const bench_robot* robot;
  const bench_states* states;
  bench_kernel kernel;
  void* self;
  double difference; ///< largest relative difference to limb; -1: not compared
  double best;       ///< [ns] per call, of the best slice
  double median;     ///< [ns] per call
  // of the measuring loop:
  int count; ///< calls per slice
  int next;  ///< state to go on with
  double spent, *sample;
  int nsample;
} bench_row;

/// Holds this thread on the processor it runs on, where that can be asked for.
void bench_pin(void);

/// Measures all rows, interleaved, for about the given time [s].
/// @param fma_rate  best rate of independent scalar double multiply-adds in the same rounds, two
///                  operations each [1/ns] (output)
/// @return 0, or -1 (out of memory)
int bench_measure(bench_row* rows, int n, double seconds, double* fma_rate);

#endif
