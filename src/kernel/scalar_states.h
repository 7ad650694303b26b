// Scalars of the kernels: vectors with one state in every lane.
//
// A kernel translation unit defines LANE_BITS (64: double, 32: float) and includes this file; `real` is then
// as wide as the instruction set has vectors, and STATES is the number of states. Nothing here or in
// the kernels mixes lanes, so the answer for a state does not depend on its neighbours.
#ifndef LIMB_KERNEL_SCALAR_STATES_H
#define LIMB_KERNEL_SCALAR_STATES_H

#ifndef LANE_BITS
#define LANE_BITS 64
#endif
#ifndef LONG_SCALAR
#define LONG_SCALAR 1
#endif
#ifndef LIMB_FINITE_ANGLES
#define LIMB_FINITE_ANGLES 1 // states with NaN and infinity fail, whatever becomes of them here
#endif
#define LIMB_SINCOS_WIDE 1
#include "base/numeric.h"
#include "kernel/sincos.h"

#include <stdbool.h>

#if LANE_BITS == 64
#define STATES LIMB_SINCOS_LANES_F64
typedef double lane_value;
typedef uint64_t lane_bits;
#else
#define STATES LIMB_SINCOS_LANES_F32
typedef float lane_value;
typedef uint32_t lane_bits;
#endif

typedef lane_value lanes_of_states __attribute__((vector_size(STATES * sizeof(lane_value))));
typedef lane_bits state_bits __attribute__((vector_size(STATES * sizeof(lane_bits))));

#define SETTLES 1
#define REAL    lanes_of_states
#define PAR     lane_value
#include "kernel/scalar_native.h"

// a where a lane of s is all ones, b where it is zero
KERNEL real chosen(state_bits s, real a, real b) { return (real)(((state_bits)a & s) | ((state_bits)b & ~s)); }

KERNEL real lesser(real a, real b) { return chosen((state_bits)(b < a), b, a); }

KERNEL real where_less(real a, real b, real x, real y) { return chosen((state_bits)(a < b), x, y); }

// Square roots
KERNEL real root(real x)
{
#if defined(__AVX512F__) && LANE_BITS == 64
  return (real)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX512F__)
  return (real)_mm512_sqrt_ps((__m512)x);
#elif defined(__AVX2__) && LANE_BITS == 64
  return (real)_mm256_sqrt_pd((__m256d)x);
#elif defined(__AVX2__)
  return (real)_mm256_sqrt_ps((__m256)x);
#elif defined(__SSE2__) && LANE_BITS == 64
  return (real)_mm_sqrt_pd((__m128d)x);
#elif defined(__SSE2__)
  return (real)_mm_sqrt_ps((__m128)x);
#else
  real y = x;
  for (int l = 0; l < STATES; l++) y[l] = (lane_value)sqrt((double)x[l]);
  return y;
#endif
}

KERNEL bool any_bits(state_bits s)
{
  lane_bits any = 0;
  for (int l = 0; l < STATES; l++) any |= s[l];
  return any != 0;
}

// Which lanes are NaN or infinite: by the exponent, which -ffinite-math-only has no say in. One more than
// all ones carries over into the place of the sign.
KERNEL state_bits nonfinite_carry(real x)
{
#if LANE_BITS == 64
  const lane_bits exponent = UINT64_C(0x7ff0000000000000), one = UINT64_C(0x0010000000000000);
#else
  const lane_bits exponent = UINT32_C(0x7f800000), one = UINT32_C(0x00800000);
#endif
  return ((state_bits)x & exponent) + one;
}

KERNEL state_bits nonfinite_lanes(state_bits carry) { return -(carry >> (LANE_BITS - 1)); }

KERNEL bool any_nonfinite(int n, const real* x)
{
  state_bits carry = {0};
  for (int i = 0; i < n; i++) carry |= nonfinite_carry(x[i]);
  return any_bits(nonfinite_lanes(carry));
}

KERNEL bool any_nonfinite_input(int n, const real* x) { return any_nonfinite(n, x); }

// Sine and cosine of n scalars.
KERNEL void sines(int n, const real* x, real* s, real* c)
{
  for (int i = 0; i < n; i++) {
#if LANE_BITS == 64
    if (__builtin_expect(limb_sincos_block_f64(x[i], &s[i], &c[i]) != 0, 0)) {
      limb_sincos_far_f64(STATES, (const lane_value*)&x[i], (lane_value*)&s[i], (lane_value*)&c[i]);
    }
#else
    if (__builtin_expect(limb_sincos_block_f32(x[i], &s[i], &c[i]) != 0, 0)) {
      limb_sincos_far_f32(STATES, (const lane_value*)&x[i], (lane_value*)&s[i], (lane_value*)&c[i]);
    }
#endif
  }
}

// sign(x), or tanh(x / width) when width > 0
KERNEL real sign_of(real x, double width)
{
  real y = x; // every lane is replaced
  if (width > 0) {
    for (int l = 0; l < STATES; l++) y[l] = (lane_value)limb_smooth_sign((double)x[l], width);
    return y;
  }
  const real up = chosen((state_bits)(x > 0), (real){0} + 1, (real){0});
  return chosen((state_bits)(x < 0), (real){0} - 1, up);
}

#endif
