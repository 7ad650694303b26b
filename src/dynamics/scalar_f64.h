// The scalar vocabulary of kernels over double, with what a kernel of one state needs besides: checks of
// numbers, sines, the sign. A translation unit includes it once, before the kernels' texts.

#define LIMB_SINCOS_NARROW 1 // a few angles: wide vectors make the numbers that follow wait
#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#include "base/sincos.h"
#include "base/smooth_sign.h"
#include "model/sheet.h"

#define SETTLES      1
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
    __asm__("" : "+r"(carry)); // one by one: a vector load of numbers just stored would wait for them
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

// Joint coordinates of a block of links whose coordinates are the user's, in order; zeros behind the last.
// Needs the numbers of the sheet.
KERNEL limb_vec_f64 angles_in_order(const limb_model* m, const real* user, int i)
{
  const double* given = m->given + limb_sheet_at(i, GIVEN_COUNT);
  const int lanes = LIMB_SINCOS_LANES_F64, left = m->nlink - i;
  limb_vec_f64 x = {0}, mult, off;
  memcpy(&mult, given + (ptrdiff_t)GIVEN_MULT * LIMB_LANES_MOST, sizeof mult);
  memcpy(&off, given + (ptrdiff_t)GIVEN_OFF * LIMB_LANES_MOST, sizeof off);
  if (left >= lanes) {
    memcpy(&x, user + i, sizeof x);
  } else {
    for (int l = 0; l < lanes - 1; l++) x[l] = l < left ? user[i + l] : 0;
  }
  return off + mult * x;
}

// Angles go to the sincos in registers: written to memory one by one and read back as a vector they
// would wait for the stores. Lanes behind the last link repeat it, or are zero.
#define SINES_IN_REGISTERS                                                                                       \
  KERNEL limb_vec_f64 angles_one_by_one(const limb_model* m, const link_const* k, const real* user, int i)       \
  {                                                                                                              \
    const int n = m->nlink;                                                                                      \
    limb_vec_f64 x = {0};                                                                                        \
    for (int l = 0; l < LIMB_SINCOS_LANES_F64; l++) {                                                            \
      x[l] = coordinate(m, k, user, i + l < n ? i + l : n - 1);                                                  \
    }                                                                                                            \
    return x;                                                                                                    \
  }                                                                                                              \
  KERNEL void load_angles(const limb_model* m, const link_const* k, const real* user, real* q, real* s, real* c) \
  {                                                                                                              \
    const bool in_order = m->identity && !m->mixed && m->given;                                                  \
    unsigned beyond = 0;                                                                                         \
    for (int i = 0; i < m->nlink; i += LIMB_SINCOS_LANES_F64) {                                                  \
      limb_vec_f64 sx, cx;                                                                                       \
      const limb_vec_f64 x = in_order ? angles_in_order(m, user, i) : angles_one_by_one(m, k, user, i);          \
      beyond |= limb_sincos_block_f64(x, &sx, &cx);                                                              \
      memcpy(q + i, &x, sizeof x);                                                                               \
      memcpy(s + i, &sx, sizeof sx);                                                                             \
      memcpy(c + i, &cx, sizeof cx);                                                                             \
    }                                                                                                            \
    if (__builtin_expect(beyond != 0, 0)) limb_sincos_far_f64(m->nlink, q, s, c);                                \
  }

KERNEL real sign_of(real x, double width) { return limb_smooth_sign(x, width); }
