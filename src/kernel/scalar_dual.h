// Scalars of the kernels: dual numbers, for derivatives along directions.
//
// The vocabulary of kernel/scalar_native.h. Parameters stay plain numbers, so that what they multiply has no
// product rule; a constant has no tangents, and the compiler removes what they would have added.
//
//   (a b)' = a b' + a' b      (1 / a)' = -a' / a^2      (a / b)' = (a' - (a / b) b') / b
//
// A choice between two numbers is made by their values.
#ifndef LIMB_KERNEL_SCALAR_DUAL_H
#define LIMB_KERNEL_SCALAR_DUAL_H
#define LIMB_SCALAR 1

#ifndef LONG_SCALAR
#define LONG_SCALAR 1
#endif
#ifndef LIMB_FINITE_ANGLES
#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#endif
#include "base/numeric.h"
#include "kernel/numbers.h"
#include "kernel/sincos.h"
#include "kernel/target.h"

#include <stdbool.h>

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

// ---- functions ------------------------------------------------------------------------------------

// By the exponent bits, which stand apart from -ffinite-math-only.
KERNEL bool any_nonfinite(int n, const real* x)
{
  enum { PARTS = sizeof(real) / sizeof(uint64_t) };
  const uint64_t exponent = 0x7ff0000000000000;
  bool any = false;
  for (int i = 0; i < n; i++) {
    uint64_t bits[PARTS];
    memcpy(bits, &x[i], sizeof bits);
    for (int k = 0; k < PARTS; k++) any |= (bits[k] & exponent) == exponent;
  }
  return any;
}

KERNEL bool any_nonfinite_input(int n, const real* x) { return any_nonfinite(n, x); }

// sin' = cos, cos' = -sin
KERNEL void sines(int n, const real* x, real* s, real* c)
{
  for (int i = 0; i < n; i += LIMB_SINCOS_PAD) {
    const int some = n - i < LIMB_SINCOS_PAD ? n - i : LIMB_SINCOS_PAD;
    double angle[LIMB_SINCOS_PAD] = {0}, sine[LIMB_SINCOS_PAD], cosine[LIMB_SINCOS_PAD];
    for (int l = 0; l < some; l++) angle[l] = x[i + l].x;
    limb_sincos_f64(some, angle, sine, cosine);
    for (int l = 0; l < some; l++) {
      s[i + l] = chain(sine[l], cosine[l], x[i + l]);
      c[i + l] = chain(cosine[l], -sine[l], x[i + l]);
    }
  }
}

// tanh' = 1 - tanh^2; the exact sign is constant next to x.
KERNEL real sign_of(real x, double width)
{
  const double s = limb_smooth_sign(x.x, width), slope = width > 0 ? (1 - s * s) / width : 0;
  return chain(s, slope, x);
}

// sqrt' = 1 / (2 sqrt)
KERNEL real root(real x)
{
  const double s = sqrt(x.x);
  return chain(s, 0.5 / s, x);
}

#endif
