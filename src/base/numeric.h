// Small numeric functions: tests for finite numbers, a smooth sign, random numbers.
#ifndef LIMB_NUMERIC_H
#define LIMB_NUMERIC_H

#include "limb/spatial.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// ---- finite numbers -----------------------------------------------------------------------------------------

// No NaN and no infinity: 0 times a finite number is 0, times any other it is NaN.

// n numbers. For cold calls and the odd few; the user's long vectors are checked by a kernel.
static inline bool limb_finite(ptrdiff_t n, const double* x)
{
  double sum[4] = {0, 0, 0, 0}; // four at a time: they need not wait for each other
  ptrdiff_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; k++) sum[k] += 0 * x[i + k];
  }
  for (; i < n; i++) sum[0] += 0 * x[i];
  return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

// The same for an optional array: NULL counts as finite.
static inline bool limb_finite_if(ptrdiff_t n, const double* x) { return !x || limb_finite(n, x); }

static inline bool limb_finite3(sp_vec3 a) { return 0 * a.x + 0 * a.y + 0 * a.z == 0; }

// ---- the same number ----------------------------------------------------------------------------------------

// Bit for bit: zeros of either sign differ, a NaN equals itself.
static inline bool limb_same_number(double a, double b)
{
  uint64_t x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  return x == y;
}

// ---- the sign in Coulomb friction ---------------------------------------------------------------------------

// sign(x) with sign(0) = 0, or tanh(x / width) when width > 0.
static inline double limb_smooth_sign(double x, double width)
{
  return width > 0 ? tanh(x / width) : (double)((x > 0) - (x < 0));
}

// ---- random numbers -----------------------------------------------------------------------------------------

// The same on every machine: splitmix64.
//
// Reference: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, 2014.

// Bits of a number, each dependent on all of it.
static inline uint64_t limb_mixed_bits(uint64_t z)
{
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

// Of bits, a number in [0, 1); all operations are exact.
static inline double limb_unit_number(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

static inline uint64_t limb_random_bits(uint64_t* seed)
{
  *seed += UINT64_C(0x9e3779b97f4a7c15);
  return limb_mixed_bits(*seed);
}

// The next number in [-1, 1).
static inline double limb_random_sign(uint64_t* seed) { return 2 * limb_unit_number(limb_random_bits(seed)) - 1; }

#endif
