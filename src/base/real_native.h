// Scalars of the kernels: C's own number types.
//
// A kernel translation unit defines REAL (double, float or double complex), PAR (the matching parameter
// type) and REAL_PART (what to compare by), and includes this file; other scalars (counting, symbols)
// bring a file with the same vocabulary. Kernels use nothing else on numbers, so their text fits all of
// them. Vectors of lanes use all of this but lesser() and where_less(), which choose one side for all
// lanes: without REAL_PART they bring their own (base/real_states.h).
//
// The files are compiled with -ffinite-math-only -fno-signed-zeros: a parameter that is the constant 0
// or 1 after inlining then vanishes from the formulas. Entry points check for NaN and infinity.
#ifndef LIMB_REAL_NATIVE_H
#define LIMB_REAL_NATIVE_H

#include "base/inlining.h"

typedef REAL real;
typedef PAR par;

KERNEL par constant(double x) { return (PAR)x; }    // a number of the algorithm
KERNEL par parameter(double x) { return (PAR)x; }   // a number of the robot
KERNEL real number(par k) { return (real){0} + k; } // either as a scalar
KERNEL real add(real a, real b) { return a + b; }
KERNEL real sub(real a, real b) { return a - b; }
KERNEL real neg(real a) { return -a; }
KERNEL real mul(real a, real b) { return a * b; }
KERNEL real scale(par k, real a) { return k * a; } // parameter times scalar
KERNEL real plus(par k, real a) { return k + a; }  // parameter plus scalar
KERNEL real over(real a, real b) { return a / b; }
KERNEL real recip(real a) { return (par)1 / a; }
#ifdef REAL_PART
KERNEL real lesser(real a, real b) { return REAL_PART(b) < REAL_PART(a) ? b : a; } // NaN b: a

// x where a < b, y elsewhere
KERNEL real where_less(real a, real b, real x, real y) { return REAL_PART(a) < REAL_PART(b) ? x : y; }
#endif

// The number itself, made for good: the compiler does not merge what made it, a change of sign or a product,
// with what follows. One text for numbers and for vectors of them then has the same operations fused. Scalars
// that ask for it define SETTLES; for the others it is no more than its argument (linalg/spatial_ops.h).
#if defined(__AVX512F__)
#define SETTLE(x) __asm__("" : "+v"(x))
#elif defined(__x86_64__)
#define SETTLE(x) __asm__("" : "+x"(x))
#elif defined(__aarch64__)
#define SETTLE(x) __asm__("" : "+w"(x))
#else
#define SETTLE(x) (void)(x)
#endif

#ifdef SETTLES
KERNEL real settled(real x)
{
  SETTLE(x);
  return x;
}
#endif

#endif
