// The yardstick: how many scalar double operations the processor can do in a nanosecond.
#ifndef BENCH_FMA_RATE_H
#define BENCH_FMA_RATE_H

enum {
  BENCH_FMA_CHAINS = 12, ///< covers 2 pipes x 4-5 cycles of latency
  BENCH_FMA_REPEATS = 2500
};

/// Runs BENCH_FMA_CHAINS x BENCH_FMA_REPEATS multiply-adds, independent in groups of
/// BENCH_FMA_CHAINS. Where the processor has no fused one, a multiplication and an addition.
/// @return a number that depends on all of them
double bench_fma_block(void);

#endif
