// Vectors of double, as wide as the instruction set has them: lanes of the lane kernels
// (kernel/lane_passes_kernel.h), and columns of the mass matrix of a chain (kernel/kernels_chain_f64.c). After the
// scalar vocabulary, which may be over these vectors (kernels_lanes_f64.c) or over double.
#ifndef LIMB_KERNEL_LANES_F64_H
#define LIMB_KERNEL_LANES_F64_H

#include "kernel/vectors.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { LANES = LIMB_LANES };

typedef double cell;
typedef lanes_f64 lane_vec;

KERNEL lane_vec lanes_at(const cell* x)
{
  lane_vec v;
  memcpy(&v, x, sizeof v);
  return v;
}

KERNEL lane_vec given_lanes(const double* x) { return lanes_at(x); }
KERNEL lane_vec every_lane(cell x) { return (lane_vec){0} + x; }

// Lane by lane, and a scalar or a parameter times all lanes.
KERNEL lane_vec addw(lane_vec a, lane_vec b) { return a + b; }
KERNEL lane_vec subw(lane_vec a, lane_vec b) { return a - b; }
KERNEL lane_vec timesw(lane_vec a, lane_vec b) { return a * b; }
KERNEL lane_vec recipw(lane_vec a) { return 1 / a; }
KERNEL lane_vec mulw(real k, lane_vec a) { return k * a; }
KERNEL lane_vec scalew(par k, lane_vec a) { return k * a; }
KERNEL lane_vec settledw(lane_vec a) // kernel/scalar_native.h
{
  SETTLE(a);
  return a;
}

KERNEL cell add_cell(cell a, cell b) { return a + b; }
KERNEL cell scale_cell(par k, cell a) { return k * a; }

KERNEL cell lane(lane_vec x, int l) { return x[l]; }

KERNEL lane_vec with_lane(lane_vec x, int l, cell y)
{
  x[l] = y;
  return x;
}

// Lanes moved up or down by d (1, 2 or 4); lanes that are left empty are `in`, which is the same in all. Lane
// k of a pair (a, b) is k of a, LANES + k of b.
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

KERNEL lane_vec lanes_up(lane_vec x, int d, lane_vec in)
{
#if LIMB_LANES == 8
  const __m512i a = (__m512i)in, b = (__m512i)x;
  return (lane_vec)(d == 1   ? _mm512_alignr_epi64(b, a, 7)
                    : d == 2 ? _mm512_alignr_epi64(b, a, 6)
                             : _mm512_alignr_epi64(b, a, 4));
#elif LIMB_LANES == 4
  if (d == 1) return PICK(in, x, 0, 4, 5, 6);
  return PICK(in, x, 0, 1, 4, 5);
#else
  return (void)d, PICK(in, x, 0, 2);
#endif
}

KERNEL lane_vec lanes_down(lane_vec x, int d, lane_vec in)
{
#if LIMB_LANES == 8
  const __m512i a = (__m512i)x, b = (__m512i)in;
  return (lane_vec)(d == 1   ? _mm512_alignr_epi64(b, a, 1)
                    : d == 2 ? _mm512_alignr_epi64(b, a, 2)
                             : _mm512_alignr_epi64(b, a, 4));
#elif LIMB_LANES == 4
  if (d == 1) return PICK(x, in, 1, 2, 3, 7);
  return PICK(x, in, 2, 3, 6, 7);
#else
  return (void)d, PICK(x, in, 1, 3);
#endif
}

// No NaN and no infinity: by the exponent bits, which -ffinite-math-only has no say in.
KERNEL bool finite_lanes(lane_vec x)
{
  uint64_t bits[LANES], carry = 0;
  memcpy(bits, &x, sizeof x);
  for (int l = 0; l < LANES; l++) {
    carry |= (bits[l] & UINT64_C(0x7ff0000000000000)) + UINT64_C(0x0010000000000000);
  }
  return !(carry >> 63);
}

KERNEL void put_lanes(cell* to, lane_vec x) { memcpy(to, &x, sizeof x); }

// Square roots
KERNEL lane_vec root_lanes(lane_vec x)
{
#if LIMB_LANES == 8
  return (lane_vec)_mm512_sqrt_pd((__m512d)x);
#elif LIMB_LANES == 4
  return (lane_vec)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__)
  return (lane_vec)_mm_sqrt_pd((__m128d)x);
#else
  for (int l = 0; l < LANES; l++) x[l] = sqrt(x[l]);
  return x;
#endif
}

// Sets of lanes: first .. end - 1; one; where a number of the robot is not zero; where begin <= x < end.
// Choice:
// those of a where a set of lanes says so, of b elsewhere.
#if LIMB_LANES == 8
typedef __mmask8 lane_set;

KERNEL lane_set lanes_below(int end) { return (lane_set)(end <= 0 ? 0 : end >= 8 ? 0xff : (1U << end) - 1U); }

KERNEL lane_set lanes_within(int first, int end) { return (lane_set)(lanes_below(end) & ~lanes_below(first)); }

KERNEL lane_set one_lane(int l) { return (lane_set)(1U << l); }
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

KERNEL lane_vec choose(lane_set s, lane_vec a, lane_vec b)
{
  return (lane_vec)_mm512_mask_blend_pd(s, (__m512d)b, (__m512d)a);
}

KERNEL lane_vec lesser_lanes(lane_vec a, lane_vec b) { return (lane_vec)_mm512_min_pd((__m512d)a, (__m512d)b); }
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

KERNEL lane_set one_lane(int l) { return lanes_within(l, l + 1); }
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

KERNEL lane_vec choose(lane_set s, lane_vec a, lane_vec b)
{
  return (lane_vec)(((lane_set)a & s) | ((lane_set)b & ~s));
}

KERNEL lane_vec lesser_lanes(lane_vec a, lane_vec b) { return choose((lane_set)(a < b), a, b); }
#endif

// A square of lanes, turned over: corners that face each other change dense, at distances 1, 2 and 4.
KERNEL void exchange(lane_vec* a, lane_vec* b, int d)
{
  const lane_vec x = *a, y = *b;
#if LIMB_LANES == 8
  if (d == 1) *a = PICK(x, y, 0, 8, 2, 10, 4, 12, 6, 14), *b = PICK(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
  if (d == 2) *a = PICK(x, y, 0, 1, 8, 9, 4, 5, 12, 13), *b = PICK(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
  if (d == 4) *a = PICK(x, y, 0, 1, 2, 3, 8, 9, 10, 11), *b = PICK(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
#elif LIMB_LANES == 4
  if (d == 1) *a = PICK(x, y, 0, 4, 2, 6), *b = PICK(x, y, 1, 5, 3, 7);
  if (d == 2) *a = PICK(x, y, 0, 1, 4, 5), *b = PICK(x, y, 2, 3, 6, 7);
#else
  (void)d;
  *a = PICK(x, y, 0, 2), *b = PICK(x, y, 1, 3);
#endif
}

KERNEL void turn_square(lane_vec x[LANES])
{
#pragma GCC unroll 8
  for (int d = 1; d < LANES; d *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < LANES; i++) {
      if (!(i & d)) exchange(&x[i], &x[i + d], d);
    }
  }
}

// The first lanes only, end of them; the others zero. Whole vectors are stored in pieces, because stores
// under a mask are slow on some processors.
KERNEL lane_vec some_at(const cell* x, int end)
{
#if LIMB_LANES == 8
  return (lane_vec)_mm512_maskz_loadu_pd(lanes_below(end), x);
#else
  if (end >= LANES) return lanes_at(x);
  lane_vec v = {0};
  for (int l = 0; l < end; l++) v[l] = x[l];
  return v;
#endif
}

KERNEL void put_some(cell* to, lane_vec x, int end)
{
  if (end >= LANES) {
    put_lanes(to, x);
    return;
  }
#if LIMB_LANES == 8
  if (end & 4) {
    _mm256_storeu_pd(to, _mm512_castpd512_pd256((__m512d)x));
    x = (lane_vec)_mm512_castpd256_pd512(_mm512_extractf64x4_pd((__m512d)x, 1));
    to += 4;
  }
  if (end & 2) {
    _mm_storeu_pd(to, _mm512_castpd512_pd128((__m512d)x));
    x = (lane_vec)_mm512_castpd128_pd512(_mm256_extractf128_pd(_mm512_castpd512_pd256((__m512d)x), 1));
    to += 2;
  }
  if (end & 1) *to = x[0];
#else
  for (int l = 0; l < end; l++) to[l] = x[l];
#endif
}

#endif
