// Scalars of the kernels: dual numbers, for derivatives along directions.
//
// The vocabulary of base/real_native.h. Parameters stay plain numbers, so that what they multiply has no
// product rule; a constant has no tangents, and the compiler removes what they would have added.
//
//   (a b)' = a b' + a' b      (1 / a)' = -a' / a^2      (a / b)' = (a' - (a / b) b') / b
//
// A choice between two numbers is made by their values.
#ifndef LIMB_REAL_DUAL_H
#define LIMB_REAL_DUAL_H

#include "base/dual.h"
#include "base/inlining.h"

typedef limb_dual_number real;
typedef double par;

// A dual number from its value and an expression for each vector of tangents, d and e.
#if defined(__AVX__)
#define DUAL(value, OF) ((real){value, OF(d)})
#else
#define DUAL(value, OF) ((real){value, OF(d), OF(e)})
#endif

// A function of a with value k and slope r.
KERNEL real chain(double k, double r, real a)
{
#define OF(t) r* a.t
  return DUAL(k, OF);
#undef OF
}

KERNEL par constant(double x) { return x; }
KERNEL par parameter(double x) { return x; }
KERNEL real number(par k) { return (real){.x = k}; }
KERNEL real scale(par k, real a) { return chain(k * a.x, k, a); }
KERNEL real neg(real a) { return chain(-a.x, -1, a); }

KERNEL real plus(par k, real a)
{
  a.x = k + a.x;
  return a;
}

KERNEL real add(real a, real b)
{
#define OF(t) a.t + b.t
  return DUAL(a.x + b.x, OF);
#undef OF
}

KERNEL real sub(real a, real b)
{
#define OF(t) a.t - b.t
  return DUAL(a.x - b.x, OF);
#undef OF
}

KERNEL real mul(real a, real b)
{
#define OF(t) a.x* b.t + b.x* a.t
  return DUAL(a.x * b.x, OF);
#undef OF
}

KERNEL real recip(real a)
{
  const double r = 1 / a.x;
  return chain(r, -(r * r), a);
}

KERNEL real over(real a, real b)
{
  const double r = 1 / b.x, x = a.x * r;
#define OF(t) r*(a.t - x * b.t)
  return DUAL(x, OF);
#undef OF
}

// Keeps a beside a NaN: a margin that was lost stays lost.
KERNEL real lesser(real a, real b) { return b.x < a.x ? b : a; }

#endif
