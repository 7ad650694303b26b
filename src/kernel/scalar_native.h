// Scalars of the kernels: C's own number types, and vectors of them.
//
// A translation unit defines REAL (double, float, double complex or a vector), PAR (the matching type of
// parameters) and REAL_PART (what to compare by) before it includes this file; the default is double. Other
// scalars (dual numbers, series, counting, symbols) bring a file with the same vocabulary, which defines
// LIMB_SCALAR as this one does. Kernels use nothing else on numbers, so their text fits all scalars. Vectors
// without REAL_PART bring lesser() and where_less() of their own, because these choose lane by lane
// (kernel/scalar_states.h).
//
// Kernels are compiled with -ffinite-math-only -fno-signed-zeros: a parameter that is the constant 0 or 1 after
// inlining then vanishes from the formulas. Entry points check for NaN and infinity.
#ifndef LIMB_KERNEL_SCALAR_NATIVE_H
#define LIMB_KERNEL_SCALAR_NATIVE_H
#define LIMB_SCALAR 1

#include "kernel/target.h"

#ifndef REAL
#define REAL         double
#define PAR          double
#define REAL_PART(x) (x)
#endif

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

// The same number, opaque to the compiler (SETTLE): one text for numbers and for vectors of them then has the
// same operations fused. Scalars that need it define SETTLES as 1; for the others settled() returns its argument
// (kernel/vectors.h).
#if defined(SETTLES) && SETTLES
KERNEL real settled(real x)
{
  SETTLE(x);
  return x;
}
#endif

#endif
