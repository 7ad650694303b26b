// The kernels over double, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "model/kernels.h"

#define LIMB_SINCOS_NARROW 1 // a few angles: wide vectors make the numbers that follow wait
#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#include "base/sincos.h"
#include "base/smooth_sign.h"

#define REAL         double
#define PAR          double
#define REAL_PART(x) (x)
#include "base/real_native.h"

// NaN and infinity by their exponent bits, which -ffinite-math-only has no say in: one more than all
// ones carries over into the place of the sign.
static const uint64_t exponent_bits = 0x7ff0000000000000, exponent_one = 0x0010000000000000;

KERNEL bool any_nonfinite(int n, const real* x)
{
  uint64_t carry = 0;
#pragma GCC unroll 1
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    carry |= (bits & exponent_bits) + exponent_one;
    __asm__(""
            : "+r"(carry)); // one by one: a vector load of numbers just stored would wait for them
  }
  return carry >> 63;
}

#if defined(__AVX512F__)
// The same for numbers that lie ready, eight at a time; the tail by a mask.
KERNEL bool any_nonfinite_input(int n, const real* x)
{
  __m512i carry = _mm512_setzero_si512();
  const __m512i bits = _mm512_set1_epi64((long long)exponent_bits);
  const __m512i one = _mm512_set1_epi64((long long)exponent_one);
  for (int i = 0; i < n; i += 8) {
    const __mmask8 used = (__mmask8)(n - i >= 8 ? 0xff : (1U << (n - i)) - 1U);
    const __m512i xi = _mm512_maskz_loadu_epi64(used, x + i);
    carry = _mm512_or_si512(carry, _mm512_add_epi64(_mm512_and_si512(xi, bits), one));
  }
  return _mm512_movepi64_mask(carry) != 0;
}
#else
KERNEL bool any_nonfinite_input(int n, const real* x) { return any_nonfinite(n, x); }
#endif

// Angles go to the sincos in registers: written to memory one by one and read back as a vector they
// would wait for the stores. Lanes behind the last link repeat it.
#define SINES_IN_REGISTERS                                                                      \
  KERNEL void load_angles(const limb_model* m, const link_const* k, const real* user, real* q,  \
                          real* s, real* c)                                                     \
  {                                                                                             \
    const int n = m->nlink, lanes = LIMB_SINCOS_LANES_F64;                                      \
    unsigned beyond = 0;                                                                        \
    for (int i = 0; i < n; i += lanes) {                                                        \
      limb_vec_f64 x, sx, cx;                                                                   \
      for (int l = 0; l < lanes; l++) x[l] = coordinate(m, k, user, i + l < n ? i + l : n - 1); \
      beyond |= limb_sincos_block_f64(x, &sx, &cx);                                             \
      memcpy(q + i, &x, sizeof x);                                                              \
      memcpy(s + i, &sx, sizeof sx);                                                            \
      memcpy(c + i, &cx, sizeof cx);                                                            \
    }                                                                                           \
    if (__builtin_expect(beyond != 0, 0)) limb_sincos_far_f64(n, q, s, c);                      \
  }

KERNEL real sign_of(real x, double width) { return limb_smooth_sign(x, width); }

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)
#define LINK_CONST   limb_link_f64
#define KERNEL_SET   limb_kernels
#define KERNEL_TABLE PASTE(limb_kernels_f64_, LIMB_ISA)
#define ROWS         PASTE(limb_rows_f64_, LIMB_ISA) // over lanes: kernels_rows_f64.c
#include "dynamics/kernel_set.h"
