// Lanes of the row kernels: vectors of double, as wide as the instruction set has them.
//
// Brings the scalar vocabulary (base/real_native.h) over vectors as well: a number of the robot or of the
// algorithm reaches all lanes.
#ifndef LIMB_LANES_F64_H
#define LIMB_LANES_F64_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define LIMB_LANES 8
#elif defined(__AVX__)
#define LIMB_LANES 4
#else
#define LIMB_LANES 2
#endif
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

KERNEL cell lesser_cell(cell a, cell b) { return a < b ? a : b; }
KERNEL cell lane(real x, int l) { return x[l]; }

KERNEL real with_lane(real x, int l, cell y)
{
  x[l] = y;
  return x;
}

// Sums over the lanes up to each one, and from each one on; lanes moved up by one, with a newcomer in
// the first. z: zeros; lane k of a pair (z, x) is k of z, LANES + k of x.
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

KERNEL real sum_up(real x)
{
  const real z = {0};
#if LIMB_LANES == 8
  x += PICK(z, x, 0, 8, 9, 10, 11, 12, 13, 14);
  x += PICK(z, x, 0, 1, 8, 9, 10, 11, 12, 13);
  x += PICK(z, x, 0, 1, 2, 3, 8, 9, 10, 11);
#elif LIMB_LANES == 4
  x += PICK(z, x, 0, 4, 5, 6);
  x += PICK(z, x, 0, 1, 4, 5);
#else
  x += PICK(z, x, 0, 2);
#endif
  return x;
}

KERNEL real sum_down(real x)
{
  const real z = {0};
#if LIMB_LANES == 8
  x += PICK(x, z, 1, 2, 3, 4, 5, 6, 7, 8);
  x += PICK(x, z, 2, 3, 4, 5, 6, 7, 8, 9);
  x += PICK(x, z, 4, 5, 6, 7, 8, 9, 10, 11);
#elif LIMB_LANES == 4
  x += PICK(x, z, 1, 2, 3, 4);
  x += PICK(x, z, 2, 3, 4, 5);
#else
  x += PICK(x, z, 1, 2);
#endif
  return x;
}

KERNEL real move_up(real x, cell first)
{
  const real in = (real){0} + first;
#if LIMB_LANES == 8
  return PICK(in, x, 0, 8, 9, 10, 11, 12, 13, 14);
#elif LIMB_LANES == 4
  return PICK(in, x, 0, 4, 5, 6);
#else
  return PICK(in, x, 0, 2);
#endif
}

KERNEL void put_lanes(cell* to, real x) { memcpy(to, &x, sizeof x); }

// Lanes first .. end - 1; those of a where a set of lanes says so, of b elsewhere.
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

KERNEL real choose(lane_set s, real a, real b)
{
  return (real)_mm512_mask_blend_pd(s, (__m512d)b, (__m512d)a);
}
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
KERNEL real choose(lane_set s, real a, real b)
{
  return (real)(((lane_set)a & s) | ((lane_set)b & ~s));
}
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
