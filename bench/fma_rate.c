// Twelve independent chains a_i = a_i + x y. The instruction is spelled out: a compiler would pack
// the chains into vectors, and the yardstick is the scalar unit that one call works with.
#include "fma_rate.h"

#define TWELVE(OP) OP(0) OP(1) OP(2) OP(3) OP(4) OP(5) OP(6) OP(7) OP(8) OP(9) OP(10) OP(11)

#define START(i) double a##i = (i);
#define SUM(i)   +a##i

#if defined(__x86_64__)

#define FUSED(i) __asm__ volatile("vfmadd231sd %2, %1, %0" : "+x"(a##i) : "x"(x), "x"(y));
#define PLAIN(i) __asm__ volatile("mulsd %1, %0\n\taddsd %2, %0" : "+x"(a##i) : "x"(x), "x"(y));

double bench_fma_block(void)
{
  const double x = 0.5, y = 1e-3;
  TWELVE(START)
  if (__builtin_cpu_supports("fma")) {
    for (int r = 0; r < BENCH_FMA_REPEATS; r++) {
      TWELVE(FUSED)
    }
  } else {
    for (int r = 0; r < BENCH_FMA_REPEATS; r++) {
      TWELVE(PLAIN)
    }
  }
  return 0 TWELVE(SUM);
}

#elif defined(__aarch64__)

#define FUSED(i) __asm__ volatile("fmadd %d0, %d1, %d2, %d0" : "+w"(a##i) : "w"(x), "w"(y));

double bench_fma_block(void)
{
  const double x = 0.5, y = 1e-3;
  TWELVE(START)
  for (int r = 0; r < BENCH_FMA_REPEATS; r++) {
    TWELVE(FUSED)
  }
  return 0 TWELVE(SUM);
}

#else

#define PLAIN(i) a##i = a##i * x + y;

double bench_fma_block(void)
{
  volatile double start = 0.5;
  const double x = start, y = 1e-3;
  TWELVE(START)
  for (int r = 0; r < BENCH_FMA_REPEATS; r++) {
    TWELVE(PLAIN)
  }
  return 0 TWELVE(SUM);
}

#endif
