// How time is taken: short slices of calls, every row once per round, the best slice counts.
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "fma_rate.h"
#include "peer.h"
#include "support/count.h"

/// One measurement: a kernel of a library on a robot.
typedef struct bench_row {
  const bench_library* library;
  const bench_robot* robot;
  const bench_states* states;
  bench_kernel kernel;
  void* self;
  int each;              ///< states that a call answers for
  double difference;     ///< largest relative difference to limb; -1: not compared
  double best;           ///< [ns] per state, of the best slice
  double median;         ///< [ns] per state
  double watts;          ///< of all processors while threads computed it; NaN: not known
  int counted;           ///< 1: the operations of one state are known,
  limb_count operations; ///< and these
  // of the measuring loop:
  int count; ///< calls per slice
  int next;  ///< state to go on with
  double spent, *sample;
  int nsample;
} bench_row;

/// Holds this thread on the processor it runs on, where that can be asked for.
void bench_pin(void);

/// How long to measure, and whom to tell.
typedef struct bench_measuring {
  double seconds; ///< about
  const char* isa;
  void (*progress)(void* context, double share); ///< from 0 to 1; may be NULL
  void* context;
} bench_measuring;

/// Measures all rows, interleaved.
/// @param rate  best rates of the yardsticks in the same rounds [operations/ns] (output)
/// @return 0, or -1 (out of memory)
int bench_measure(bench_row* rows, int n, const bench_measuring* how, double rate[BENCH_UNITS]);

#endif
