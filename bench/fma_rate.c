// Twelve independent chains a_i = a_i + x y, or a_i = a_i x + y, cover two units of four or five cycles. The
// instruction is spelled out: a compiler would pack scalar chains into vectors, and may split vectors.
#include "fma_rate.h"

#include <string.h>

enum { CHAINS = 12, REPEATS = 2500 };

#define TWELVE(OP) OP(0) OP(1) OP(2) OP(3) OP(4) OP(5) OP(6) OP(7) OP(8) OP(9) OP(10) OP(11)

#define START(i) type a##i = zero + (number)(i);
#define SUM(i)   +a##i
#define NOTHING(i)

// A block over `type`, a number or a vector of them. Every chain is stepped by FIRST, then by SECOND: a
// multiplication and an addition, or a multiply-add and nothing.
#define LOOP(FIRST, SECOND)               \
  volatile number half = (number)0.5;     \
  const type zero = {0}, x = zero + half; \
  const type y = zero + (number)1e-3;     \
  TWELVE(START)                           \
  for (int r = 0; r < REPEATS; r++) {     \
    TWELVE(FIRST) TWELVE(SECOND)          \
  }                                       \
  const type sum = zero TWELVE(SUM)

#define SCALAR_BLOCK(name, FIRST, SECOND) \
  static double name(void)                \
  {                                       \
    typedef double number;                \
    typedef double type;                  \
    LOOP(FIRST, SECOND);                  \
    return sum;                           \
  }

#define VECTOR_BLOCK(name, attribute, scalar, bytes, FIRST, SECOND) \
  attribute static double name(void)                                \
  {                                                                 \
    typedef scalar number;                                          \
    typedef scalar type __attribute__((vector_size(bytes)));        \
    LOOP(FIRST, SECOND);                                            \
    return (double)sum[0];                                          \
  }

#define HERE // compiled for what every processor of the family has

#if defined(__x86_64__)

#define FUSED(text, i)  __asm__ volatile(text " %2, %1, %0" : "+v"(a##i) : "v"(x), "v"(y));
#define BY_X(text, i)   __asm__ volatile(text " %1, %0" : "+x"(a##i) : "x"(x));
#define PLUS_Y(text, i) __asm__ volatile(text " %1, %0" : "+x"(a##i) : "x"(y));
#define FUSED_SD(i)     FUSED("vfmadd231sd", i)
#define FUSED_PD(i)     FUSED("vfmadd231pd", i)
#define FUSED_PS(i)     FUSED("vfmadd231ps", i)
#define MUL_SD(i)       BY_X("mulsd", i)
#define MUL_PD(i)       BY_X("mulpd", i)
#define MUL_PS(i)       BY_X("mulps", i)
#define ADD_SD(i)       PLUS_Y("addsd", i)
#define ADD_PD(i)       PLUS_Y("addpd", i)
#define ADD_PS(i)       PLUS_Y("addps", i)
#define V3              __attribute__((target("avx2,fma")))
#define V4              __attribute__((target("avx512f")))

SCALAR_BLOCK(fused_scalar, FUSED_SD, NOTHING)
SCALAR_BLOCK(plain_scalar, MUL_SD, ADD_SD)
VECTOR_BLOCK(base_f64, HERE, double, 16, MUL_PD, ADD_PD)
VECTOR_BLOCK(base_f32, HERE, float, 16, MUL_PS, ADD_PS)
VECTOR_BLOCK(v3_f64, V3, double, 32, FUSED_PD, NOTHING)
VECTOR_BLOCK(v3_f32, V3, float, 32, FUSED_PS, NOTHING)
VECTOR_BLOCK(v4_f64, V4, double, 64, FUSED_PD, NOTHING)
VECTOR_BLOCK(v4_f32, V4, float, 64, FUSED_PS, NOTHING)

static double scalar(void) { return __builtin_cpu_supports("fma") ? fused_scalar() : plain_scalar(); }

#else

#if defined(__aarch64__)
#define STEP_SD(i) __asm__ volatile("fmadd %d0, %d1, %d2, %d0" : "+w"(a##i) : "w"(x), "w"(y));
#define STEP_PD(i) __asm__ volatile("fmla %0.2d, %1.2d, %2.2d" : "+w"(a##i) : "w"(x), "w"(y));
#define STEP_PS(i) __asm__ volatile("fmla %0.4s, %1.4s, %2.4s" : "+w"(a##i) : "w"(x), "w"(y));
#else
#define STEP_SD(i) a##i = a##i * x + y;
#define STEP_PD(i) STEP_SD(i)
#define STEP_PS(i) STEP_SD(i)
#endif

SCALAR_BLOCK(scalar, STEP_SD, NOTHING)
VECTOR_BLOCK(base_f64, HERE, double, 16, STEP_PD, NOTHING)
VECTOR_BLOCK(base_f32, HERE, float, 16, STEP_PS, NOTHING)

#endif

bench_yardstick bench_yardstick_of(bench_unit unit, const char* isa)
{
  static const struct {
    const char* isa;
    int bytes;
    double (*f64)(void);
    double (*f32)(void);
  } sets[] = {
#if defined(__x86_64__)
    {"v4", 64, v4_f64, v4_f32},
    {"v3", 32, v3_f64, v3_f32},
#endif
    {"base", 16, base_f64, base_f32}
  };
  const double multiply_adds = (double)CHAINS * REPEATS;
  if (unit == BENCH_SCALAR) return (bench_yardstick){scalar, 2 * multiply_adds};
  size_t k = 0;
  while (k + 1 < sizeof sets / sizeof *sets && strcmp(sets[k].isa, isa) != 0) k++;
  const int wide = unit == BENCH_VECTOR_F32 ? sets[k].bytes / 4 : sets[k].bytes / 8;
  return (bench_yardstick){unit == BENCH_VECTOR_F32 ? sets[k].f32 : sets[k].f64, 2 * multiply_adds * wide};
}
