// Sine and cosine of many angles at once, for the kernels.
//
// A kernel needs both functions of every joint angle before it can start; libm answers one at a
// time and spends more on that than the recursion itself. Here a block of angles goes through one
// straight line of code, in vectors as wide as the instruction set of the including file allows:
// include this header only in files that are compiled once per instruction set.
//
// Method: W. J. Cody and W. Waite, Software Manual for the Elementary Functions (1980), ch. 8.
//
//   |x| = k pi/2 + r,  k = round(|x| 2/pi),  |r| <= pi/4     reduction, pi/2 in three or four parts
//   sin r = r + r^3 S(r^2)                                   polynomials, evaluated by Estrin's
//   cos r = 1 - r^2/2 + r^4 C(r^2)                           scheme (short dependency chains)
//   k mod 4 determines which of +-sin r, +-cos r is the sine of |x| and which the cosine;
//   the sine takes the sign of x as well, which keeps the sign of -0.
//
// Accuracy: 2 units in the last place, next to multiples of pi/2 too. Each answer depends on its
// own angle only, not on its neighbours. Angles beyond the limits below are answered by libm, one
// by one; NaN and the infinities give NaN. errno is never set; the floating-point exception flags
// mean nothing afterwards. The rounding mode must be to nearest, as C programs start.
#ifndef LIMB_SINCOS_H
#define LIMB_SINCOS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Adding and subtracting a big number and reducing by parts is algebraically empty: a compiler that
// may reassociate removes it, and one that assumes finite numbers removes the check for others.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
#error "sincos.h body_terms IEEE arithmetic: compile without -ffast-math and -fassociative-math"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0 && !defined(LIMB_FINITE_ANGLES)
#error "sincos.h sees NaN and infinity: drop -ffinite-math-only, or check and define LIMB_FINITE_ANGLES"
#endif

// Arrays of angles, sines and cosines hold a multiple of this many entries.
#define LIMB_SINCOS_PAD 8

// Largest |x| that is reduced here. For double, k stays below 2^16 and k times a 33-bit part of
// pi/2 is exact; for float, k stays below 2^13 and k times an 11-bit part is exact.
#define LIMB_SINCOS_LIMIT_F64 1e5
#define LIMB_SINCOS_LIMIT_F32 1.2e4f

// LIMB_SINCOS_NARROW: four lanes even where eight are to be had. What reads single results back soon
// after waits longer for a wide store.
// LIMB_SINCOS_WIDE: sixteen lanes of float, for those who call the blocks themselves.
#if defined(__AVX512F__) && !defined(LIMB_SINCOS_NARROW)
#define LIMB_SINCOS_LANES_F64 8
#ifdef LIMB_SINCOS_WIDE
#define LIMB_SINCOS_LANES_F32 16
#else
#define LIMB_SINCOS_LANES_F32 8
#endif
#elif defined(__AVX2__)
#define LIMB_SINCOS_LANES_F64 4
#define LIMB_SINCOS_LANES_F32 8
#else
#define LIMB_SINCOS_LANES_F64 2
#define LIMB_SINCOS_LANES_F32 4
#endif

#if defined(__AVX2__) && defined(__FMA__)
#define LIMB_SINCOS_FUSED 1
#else
#define LIMB_SINCOS_FUSED 0
#endif

#define LIMB_SINCOS_INLINE static inline __attribute__((always_inline))

typedef double limb_vec_f64 __attribute__((vector_size(8 * LIMB_SINCOS_LANES_F64)));
typedef uint64_t limb_bits_f64 __attribute__((vector_size(8 * LIMB_SINCOS_LANES_F64)));
typedef float limb_vec_f32 __attribute__((vector_size(4 * LIMB_SINCOS_LANES_F32)));
typedef uint32_t limb_bits_f32 __attribute__((vector_size(4 * LIMB_SINCOS_LANES_F32)));

// ---- what the vector extension lacks -----------------------------------------------------------

// Bit i is set when not a[i] <= limit, thus for NaN too.
LIMB_SINCOS_INLINE unsigned limb_sincos_beyond_f64(limb_vec_f64 a, limb_vec_f64 limit)
{
#if LIMB_SINCOS_LANES_F64 == 8
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)limit, _CMP_NLE_UQ);
#elif defined(__AVX2__)
  return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)limit, _CMP_NLE_UQ));
#elif defined(__SSE2__)
  return (unsigned)_mm_movemask_pd(_mm_cmpnle_pd((__m128d)a, (__m128d)limit));
#else
  unsigned bits = 0;
  for (int i = 0; i < LIMB_SINCOS_LANES_F64; i++) bits |= (unsigned)!(a[i] <= limit[i]) << i;
  return bits;
#endif
}

LIMB_SINCOS_INLINE unsigned limb_sincos_beyond_f32(limb_vec_f32 a, limb_vec_f32 limit)
{
#if LIMB_SINCOS_LANES_F32 == 16
  return _mm512_cmp_ps_mask((__m512)a, (__m512)limit, _CMP_NLE_UQ);
#elif defined(__AVX2__)
  return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)limit, _CMP_NLE_UQ));
#elif defined(__SSE2__)
  return (unsigned)_mm_movemask_ps(_mm_cmpnle_ps((__m128)a, (__m128)limit));
#else
  unsigned bits = 0;
  for (int i = 0; i < LIMB_SINCOS_LANES_F32; i++) bits |= (unsigned)!(a[i] <= limit[i]) << i;
  return bits;
#endif
}

#if LIMB_SINCOS_FUSED
// c - a b rounded once, whatever -ffp-contract says.
LIMB_SINCOS_INLINE limb_vec_f64 limb_sincos_fnma_f64(limb_vec_f64 a, double b, limb_vec_f64 c)
{
  const limb_vec_f64 bb = b - (limb_vec_f64){0}; // b in every lane
#if LIMB_SINCOS_LANES_F64 == 8
  return (limb_vec_f64)_mm512_fnmadd_pd((__m512d)a, (__m512d)bb, (__m512d)c);
#else
  return (limb_vec_f64)_mm256_fnmadd_pd((__m256d)a, (__m256d)bb, (__m256d)c);
#endif
}

LIMB_SINCOS_INLINE limb_vec_f32 limb_sincos_fnma_f32(limb_vec_f32 a, float b, limb_vec_f32 c)
{
  const limb_vec_f32 bb = b - (limb_vec_f32){0};
#if LIMB_SINCOS_LANES_F32 == 16
  return (limb_vec_f32)_mm512_fnmadd_ps((__m512)a, (__m512)bb, (__m512)c);
#else
  return (limb_vec_f32)_mm256_fnmadd_ps((__m256)a, (__m256)bb, (__m256)c);
#endif
}
#endif

// ---- double ------------------------------------------------------------------------------------

// r = a - k pi/2, rounded once unless it is tiny. With fused operations pi/2 comes in three parts
// of 53 bits: the first difference is exact. Without, in parts of 33, 33 and 53 bits: k times the
// first two is exact, so that it does not matter whether the compiler fuses; the first difference
// is exact again, and what the second loses is put back with the third.
LIMB_SINCOS_INLINE limb_vec_f64 limb_sincos_reduce_f64(limb_vec_f64 a, limb_vec_f64 k)
{
#if LIMB_SINCOS_FUSED
  const double part1 = 0x1.921fb54442d18p+0;
  const double part2 = 0x1.1a62633145c06p-54;
  const double part3 = 0x1.c1cd129024e09p-107;
  const limb_vec_f64 r1 = limb_sincos_fnma_f64(k, part1, a);
  const limb_vec_f64 r2 = limb_sincos_fnma_f64(k, part2, r1);
  return limb_sincos_fnma_f64(k, part3, r2);
#else
  const double part1 = 0x1.921fb544p+0;
  const double part2 = 0x1.0b4611a6p-34;
  const double part3 = 0x1.3198a2e037073p-69;
  const limb_vec_f64 r1 = a - k * part1;
  const limb_vec_f64 r2 = r1 - k * part2;
  const limb_vec_f64 passive = (r1 - r2) - k * part2;
  return r2 + (passive - k * part3);
#endif
}

// sin r and cos r for |r| <= pi/4; coefficients: minimax, as in fdlibm (Sun Microsystems, 1993).
LIMB_SINCOS_INLINE void limb_sincos_poly_f64(limb_vec_f64 r, limb_vec_f64* sin_r, limb_vec_f64* cos_r)
{
  const double s0 = -1.66666666666666324348e-01, s1 = 8.33333333332248946124e-03;
  const double s2 = -1.98412698298579493134e-04, s3 = 2.75573137070700676789e-06;
  const double s4 = -2.50507602534068634195e-08, s5 = 1.58969099521155010221e-10;
  const double c0 = 4.16666666666666019037e-02, c1 = -1.38888888888741095749e-03;
  const double c2 = 2.48015872894767294178e-05, c3 = -2.75573143513906633035e-07;
  const double c4 = 2.08757232129817482790e-09, c5 = -1.13596475577881948265e-11;

  const limb_vec_f64 z = r * r, z2 = z * z, z4 = z2 * z2;
  const limb_vec_f64 S = ((s0 + s1 * z) + z2 * (s2 + s3 * z)) + z4 * (s4 + s5 * z);
  const limb_vec_f64 C = ((c0 + c1 * z) + z2 * (c2 + c3 * z)) + z4 * (c4 + c5 * z);
  *sin_r = r + (r * z) * S;
  *cos_r = 1.0 + z * (z * C - 0.5);
}

// One block of angles; returns which of them are beyond the limit (their answers are garbage).
LIMB_SINCOS_INLINE unsigned limb_sincos_block_f64(limb_vec_f64 x, limb_vec_f64* s, limb_vec_f64* c)
{
  const double two_over_pi = 0x1.45f306dc9c883p-1;
  const double big = 0x1.8p+52; // a sum with it is rounded to units and ends in their bits
  const uint64_t sign_bit = UINT64_C(1) << 63;
  const limb_vec_f64 limit = LIMB_SINCOS_LIMIT_F64 - (limb_vec_f64){0};

  const limb_bits_f64 sign_x = (limb_bits_f64)x & sign_bit;
  const limb_vec_f64 a = (limb_vec_f64)((limb_bits_f64)x ^ sign_x);
  const limb_vec_f64 shifted = a * two_over_pi + big;
  const limb_bits_f64 k = (limb_bits_f64)shifted;
  const limb_vec_f64 r = limb_sincos_reduce_f64(a, shifted - big);

  limb_vec_f64 sin_r, cos_r;
  limb_sincos_poly_f64(r, &sin_r, &cos_r);

  // k odd: exchange the two; sine negative for k = 2, 3, cosine for k = 1, 2 (mod 4)
  const limb_bits_f64 odd = -(k & 1);
  const limb_bits_f64 exchange = ((limb_bits_f64)sin_r ^ (limb_bits_f64)cos_r) & odd;
  const limb_bits_f64 sign_s = ((k << 62) & sign_bit) ^ sign_x;
  const limb_bits_f64 sign_c = ((k << 62) ^ (k << 63)) & sign_bit;
  *s = (limb_vec_f64)((limb_bits_f64)sin_r ^ exchange ^ sign_s);
  *c = (limb_vec_f64)((limb_bits_f64)cos_r ^ exchange ^ sign_c);
  return limb_sincos_beyond_f64(a, limit);
}

// Answers again, by libm, the angles that are beyond the limit.
static __attribute__((noinline, cold, unused)) void limb_sincos_far_f64(int n, const double* x, double* s, double* c)
{
  for (int i = 0; i < n; i++) {
    if (fabs(x[i]) <= LIMB_SINCOS_LIMIT_F64) continue;
    s[i] = isfinite(x[i]) ? sin(x[i]) : x[i] - x[i];
    c[i] = isfinite(x[i]) ? cos(x[i]) : x[i] - x[i];
  }
}

// ---- float -------------------------------------------------------------------------------------

// As for double, with parts of 24 bits, or of 11, 11, 11 and 24 bits.
LIMB_SINCOS_INLINE limb_vec_f32 limb_sincos_reduce_f32(limb_vec_f32 a, limb_vec_f32 k)
{
#if LIMB_SINCOS_FUSED
  const float part1 = 0x1.921fb4p+0f;
  const float part2 = 0x1.4442dp-24f;
  const float part3 = 0x1.84698ap-48f;
  const limb_vec_f32 r1 = limb_sincos_fnma_f32(k, part1, a);
  const limb_vec_f32 r2 = limb_sincos_fnma_f32(k, part2, r1);
  return limb_sincos_fnma_f32(k, part3, r2);
#else
  const float part1 = 0x1.92p+0f;
  const float part2 = 0x1.fb4p-12f;
  const float part3 = 0x1.444p-24f;
  const float part4 = 0x1.68c234p-39f;
  const limb_vec_f32 r2 = (a - k * part1) - k * part2;
  const limb_vec_f32 r3 = r2 - k * part3;
  const limb_vec_f32 passive = (r2 - r3) - k * part3;
  return r3 + (passive - k * part4);
#endif
}

// sin r and cos r for |r| <= pi/4; coefficients: Remez exchange for the relative error of the sine
// and the absolute error of the cosine, on 1.004 times that interval, each coefficient rounded to
// float before the next was fitted.
LIMB_SINCOS_INLINE void limb_sincos_poly_f32(limb_vec_f32 r, limb_vec_f32* sin_r, limb_vec_f32* cos_r)
{
  const float s0 = -0x1.555546p-3f, s1 = 0x1.110772p-7f, s2 = -0x1.995058p-13f;
  const float c0 = 0x1.55554ap-5f, c1 = -0x1.6c0c1ap-10f, c2 = 0x1.99e0eep-16f;

  const limb_vec_f32 z = r * r, z2 = z * z;
  const limb_vec_f32 S = (s0 + s1 * z) + s2 * z2;
  const limb_vec_f32 C = (c0 + c1 * z) + c2 * z2;
  *sin_r = r + (r * z) * S;
  *cos_r = 1.0f + z * (z * C - 0.5f);
}

LIMB_SINCOS_INLINE unsigned limb_sincos_block_f32(limb_vec_f32 x, limb_vec_f32* s, limb_vec_f32* c)
{
  const float two_over_pi = 0x1.45f306p-1f;
  const float big = 0x1.8p+23f;
  const uint32_t sign_bit = UINT32_C(1) << 31;
  const limb_vec_f32 limit = LIMB_SINCOS_LIMIT_F32 - (limb_vec_f32){0};

  const limb_bits_f32 sign_x = (limb_bits_f32)x & sign_bit;
  const limb_vec_f32 a = (limb_vec_f32)((limb_bits_f32)x ^ sign_x);
  const limb_vec_f32 shifted = a * two_over_pi + big;
  const limb_bits_f32 k = (limb_bits_f32)shifted;
  const limb_vec_f32 r = limb_sincos_reduce_f32(a, shifted - big);

  limb_vec_f32 sin_r, cos_r;
  limb_sincos_poly_f32(r, &sin_r, &cos_r);

  const limb_bits_f32 odd = -(k & 1);
  const limb_bits_f32 exchange = ((limb_bits_f32)sin_r ^ (limb_bits_f32)cos_r) & odd;
  const limb_bits_f32 sign_s = ((k << 30) & sign_bit) ^ sign_x;
  const limb_bits_f32 sign_c = ((k << 30) ^ (k << 31)) & sign_bit;
  *s = (limb_vec_f32)((limb_bits_f32)sin_r ^ exchange ^ sign_s);
  *c = (limb_vec_f32)((limb_bits_f32)cos_r ^ exchange ^ sign_c);
  return limb_sincos_beyond_f32(a, limit);
}

static __attribute__((noinline, cold, unused)) void limb_sincos_far_f32(int n, const float* x, float* s, float* c)
{
  for (int i = 0; i < n; i++) {
    if (fabsf(x[i]) <= LIMB_SINCOS_LIMIT_F32) continue;
    s[i] = isfinite(x[i]) ? sinf(x[i]) : x[i] - x[i];
    c[i] = isfinite(x[i]) ? cosf(x[i]) : x[i] - x[i];
  }
}

// ---- entry points ------------------------------------------------------------------------------

// The bits of a group that belong to the n remaining angles; the others are padding, and what they
// hold must not cost anything.
LIMB_SINCOS_INLINE unsigned limb_sincos_used(int n, unsigned bits)
{
  return n >= LIMB_SINCOS_PAD ? bits : bits & ((1u << n) - 1u);
}

// One group of LIMB_SINCOS_PAD angles, of which n count; returns which are beyond the limit.
LIMB_SINCOS_INLINE unsigned limb_sincos_group_f64(int n, const double* restrict x, double* restrict s,
                                                  double* restrict c)
{
  unsigned beyond = 0;
  for (int i = 0; i < LIMB_SINCOS_PAD; i += LIMB_SINCOS_LANES_F64) {
    limb_vec_f64 xi, si, ci;
    memcpy(&xi, x + i, sizeof xi);
    beyond |= limb_sincos_block_f64(xi, &si, &ci) << i;
    memcpy(s + i, &si, sizeof si);
    memcpy(c + i, &ci, sizeof ci);
  }
  return limb_sincos_used(n, beyond);
}

#if LIMB_SINCOS_LANES_F32 <= LIMB_SINCOS_PAD
LIMB_SINCOS_INLINE unsigned limb_sincos_group_f32(int n, const float* restrict x, float* restrict s, float* restrict c)
{
  unsigned beyond = 0;
  for (int i = 0; i < LIMB_SINCOS_PAD; i += LIMB_SINCOS_LANES_F32) {
    limb_vec_f32 xi, si, ci;
    memcpy(&xi, x + i, sizeof xi);
    beyond |= limb_sincos_block_f32(xi, &si, &ci) << i;
    memcpy(s + i, &si, sizeof si);
    memcpy(c + i, &ci, sizeof ci);
  }
  return limb_sincos_used(n, beyond);
}
#endif

// s[i] = sin x[i], c[i] = cos x[i] for i < n (rad). The three arrays do not overlap and hold
// n rounded up to a multiple of LIMB_SINCOS_PAD entries; that tail of x may hold anything, that
// of s and c is overwritten with garbage.
//
// The first group stands outside the loop: most robots end there, and a compiler fills all vector
// registers with constants, and some of the stack, before it enters a loop.
static inline void limb_sincos_f64(int n, const double* restrict x, double* restrict s, double* restrict c)
{
  if (n <= 0) return;
  unsigned beyond = limb_sincos_group_f64(n, x, s, c);
  for (int i = LIMB_SINCOS_PAD; i < n; i += LIMB_SINCOS_PAD)
    beyond |= limb_sincos_group_f64(n - i, x + i, s + i, c + i);
  if (__builtin_expect(beyond != 0, 0)) limb_sincos_far_f64(n, x, s, c);
}

#if LIMB_SINCOS_LANES_F32 <= LIMB_SINCOS_PAD
// The same for float.
static inline void limb_sincos_f32(int n, const float* restrict x, float* restrict s, float* restrict c)
{
  if (n <= 0) return;
  unsigned beyond = limb_sincos_group_f32(n, x, s, c);
  for (int i = LIMB_SINCOS_PAD; i < n; i += LIMB_SINCOS_PAD)
    beyond |= limb_sincos_group_f32(n - i, x + i, s + i, c + i);
  if (__builtin_expect(beyond != 0, 0)) limb_sincos_far_f32(n, x, s, c);
}
#endif

#endif
