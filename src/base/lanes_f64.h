// Lanes of the row kernels: vectors of double, as wide as the instruction set has them.
//
// Brings the scalar vocabulary (base/real_native.h) over vectors as well: a number of the robot or of the
// algorithm reaches all lanes.
#ifndef LIMB_LANES_F64_H
#define LIMB_LANES_F64_H

#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#include "base/sincos.h"

#include <stdbool.h>

#define LIMB_LANES LIMB_SINCOS_LANES_F64
enum { LANES = LIMB_LANES };

typedef double cell;
typedef double lanes_f64 __attribute__((vector_size(LANES * sizeof(double))));

#define REAL         lanes_f64
#define PAR          double
#define REAL_PART(x) (x)[0]
#include "base/real_native.h"

KERNEL real lanes_at(const cell* x)
{
  real v;
  memcpy(&v, x, sizeof v);
  return v;
}

KERNEL real given_lanes(const double* x) { return lanes_at(x); }
KERNEL real every_lane(cell x) { return (real){0} + x; }
KERNEL cell add_cell(cell a, cell b) { return a + b; }
KERNEL cell scale_cell(par k, cell a) { return k * a; }

KERNEL cell lane(real x, int l) { return x[l]; }

KERNEL real with_lane(real x, int l, cell y)
{
  x[l] = y;
  return x;
}

// Lanes moved up or down by d (1, 2 or 4); lanes that are left empty are `in`, which is the same in all. Lane
// k of a pair (a, b) is k of a, LANES + k of b.
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

KERNEL real lanes_up(real x, int d, real in)
{
#if LIMB_LANES == 8
  const __m512i a = (__m512i)in, b = (__m512i)x;
  return (real)(d == 1   ? _mm512_alignr_epi64(b, a, 7)
                : d == 2 ? _mm512_alignr_epi64(b, a, 6)
                         : _mm512_alignr_epi64(b, a, 4));
#elif LIMB_LANES == 4
  if (d == 1) return PICK(in, x, 0, 4, 5, 6);
  return PICK(in, x, 0, 1, 4, 5);
#else
  return (void)d, PICK(in, x, 0, 2);
#endif
}

KERNEL real lanes_down(real x, int d, real in)
{
#if LIMB_LANES == 8
  const __m512i a = (__m512i)x, b = (__m512i)in;
  return (real)(d == 1   ? _mm512_alignr_epi64(b, a, 1)
                : d == 2 ? _mm512_alignr_epi64(b, a, 2)
                         : _mm512_alignr_epi64(b, a, 4));
#elif LIMB_LANES == 4
  if (d == 1) return PICK(x, in, 1, 2, 3, 7);
  return PICK(x, in, 2, 3, 6, 7);
#else
  return (void)d, PICK(x, in, 1, 3);
#endif
}

// Sine and cosine of every lane.
KERNEL void sines_of_lanes(real x, real* s, real* c)
{
  if (__builtin_expect(limb_sincos_block_f64(x, s, c) != 0, 0)) {
    double at[LANES], to[2][LANES];
    memcpy(at, &x, sizeof x), memcpy(to[0], s, sizeof x), memcpy(to[1], c, sizeof x);
    limb_sincos_far_f64(LANES, at, to[0], to[1]);
    memcpy(s, to[0], sizeof x), memcpy(c, to[1], sizeof x);
  }
}

// No NaN and no infinity: by the exponent bits, which -ffinite-math-only has no say in.
KERNEL bool finite_lanes(real x)
{
  uint64_t bits[LANES], carry = 0;
  memcpy(bits, &x, sizeof x);
  for (int l = 0; l < LANES; l++) {
    carry |= (bits[l] & UINT64_C(0x7ff0000000000000)) + UINT64_C(0x0010000000000000);
  }
  return !(carry >> 63);
}

KERNEL void put_lanes(cell* to, real x) { memcpy(to, &x, sizeof x); }

// Sets of lanes: first .. end - 1; where a number of the robot is not zero; where begin <= x < end. Choice:
// those of a where a set of lanes says so, of b elsewhere.
#if LIMB_LANES == 8
typedef __mmask8 lane_set;

KERNEL lane_set lanes_below(int end)
{
  return (lane_set)(end <= 0 ? 0 : end >= 8 ? 0xff : (1U << end) - 1U);
}

KERNEL lane_set lanes_within(int first, int end)
{
  return (lane_set)(lanes_below(end) & ~lanes_below(first));
}

KERNEL lane_set lanes_in_either(lane_set a, lane_set b) { return (lane_set)(a | b); }

KERNEL lane_set given_set(const double* x)
{
  return _mm512_cmp_pd_mask(_mm512_loadu_pd(x), _mm512_setzero_pd(), _CMP_NEQ_OQ);
}

KERNEL lane_set given_around(double x, const double* begin, const double* end)
{
  const __m512d at = _mm512_set1_pd(x);
  return (lane_set)(_mm512_cmp_pd_mask(_mm512_loadu_pd(begin), at, _CMP_LE_OQ) &
                    _mm512_cmp_pd_mask(at, _mm512_loadu_pd(end), _CMP_LT_OQ));
}

KERNEL bool any_lane(lane_set s) { return s != 0; }

KERNEL real choose(lane_set s, real a, real b)
{
  return (real)_mm512_mask_blend_pd(s, (__m512d)b, (__m512d)a);
}

KERNEL real lesser_lanes(real a, real b) { return (real)_mm512_min_pd((__m512d)a, (__m512d)b); }
#else
typedef int64_t lane_set __attribute__((vector_size(LANES * sizeof(int64_t))));

KERNEL lane_set lanes_within(int first, int end)
{
#if LIMB_LANES == 4
  const lane_set number = {0, 1, 2, 3};
#else
  const lane_set number = {0, 1};
#endif
  return (lane_set)((number >= (int64_t)first) & (number < (int64_t)end));
}

KERNEL lane_set lanes_in_either(lane_set a, lane_set b) { return a | b; }
KERNEL lane_set given_set(const double* x) { return (lane_set)(lanes_at(x) != 0); }

KERNEL lane_set given_around(double x, const double* begin, const double* end)
{
  return (lane_set)((lanes_at(begin) <= x) & (lanes_at(end) > x));
}

KERNEL bool any_lane(lane_set s)
{
  int64_t any = 0;
  for (int l = 0; l < LANES; l++) any |= s[l];
  return any != 0;
}

KERNEL real choose(lane_set s, real a, real b)
{
  return (real)(((lane_set)a & s) | ((lane_set)b & ~s));
}

KERNEL real lesser_lanes(real a, real b) { return choose((lane_set)(a < b), a, b); }
#endif

// The first lanes only, end of them; the others zero. Whole vectors are stored in pieces, because stores
// under a mask are slow on some processors.
KERNEL real some_at(const cell* x, int end)
{
#if LIMB_LANES == 8
  return (real)_mm512_maskz_loadu_pd(lanes_below(end), x);
#else
  if (end >= LANES) return lanes_at(x);
  real v = {0};
  for (int l = 0; l < end; l++) v[l] = x[l];
  return v;
#endif
}

KERNEL void put_some(cell* to, real x, int end)
{
  if (end >= LANES) {
    put_lanes(to, x);
    return;
  }
#if LIMB_LANES == 8
  if (end & 4) {
    _mm256_storeu_pd(to, _mm512_castpd512_pd256((__m512d)x));
    x = (real)_mm512_castpd256_pd512(_mm512_extractf64x4_pd((__m512d)x, 1));
    to += 4;
  }
  if (end & 2) {
    _mm_storeu_pd(to, _mm512_castpd512_pd128((__m512d)x));
    x = (real)_mm512_castpd128_pd512(_mm256_extractf128_pd(_mm512_castpd512_pd256((__m512d)x), 1));
    to += 2;
  }
  if (end & 1) *to = x[0];
#else
  for (int l = 0; l < end; l++) to[l] = x[l];
#endif
}

#endif
