// The yardsticks: how many operations the processor can do in a nanosecond.
#ifndef BENCH_FMA_RATE_H
#define BENCH_FMA_RATE_H

typedef enum bench_unit { BENCH_SCALAR, BENCH_VECTOR_F64, BENCH_VECTOR_F32, BENCH_UNITS } bench_unit;

/// A block of multiply-adds, independent in groups. Where the instruction set has no fused one, a
/// multiplication and an addition each.
typedef struct bench_yardstick {
  double (*block)(void); ///< @return a number that depends on all of them
  double operations;     ///< of a block; two for each multiply-add and lane
} bench_yardstick;

/// @param isa  instruction set of the vectors, as limb_isa_name() says
bench_yardstick bench_yardstick_of(bench_unit unit, const char* isa);

#endif
