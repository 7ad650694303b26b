// Vocabulary of the kernels: what displacements of ball and free joints need to know of the angle they turn
// by, lane by lane without a branch.
//
// The scalar supplies root(), where_less() and sines_of_lanes() besides; the default is that of plain C
// (kernel/scalar_plain.h). With theta the angle and h = theta / 2:
//
//   half_sine            sin(h) / theta
//   coefficient_c        (theta - sin theta) / theta^3
//   rate_coefficients    of ad(u)^2 and ad(u)^4 in dexp^-1 (sim/tangent.c):
//                        (2 (1 - alpha) + (alpha - beta) / 2) / theta^2,    alpha = h cot h
//                        ((1 - alpha) + (alpha - beta) / 2) / theta^4,      beta = (h / sin h)^2
//
// Where a quotient loses its digits a series stands in for it; what a lane does not choose is finite, too.
// Reference: F. Bullo, R. Murray, Proportional derivative (PD) control on the Euclidean group, 1995, (2.16).
#ifndef LIMB_KERNEL_ARC_H
#define LIMB_KERNEL_ARC_H

#ifndef LIMB_SCALAR
#include "kernel/scalar_plain.h"
#endif
#include "kernel/vectors.h"

// Of a rotation by theta: the sine and cosine of its half.
typedef struct arc {
  real t2, theta; // t2: theta squared
  real s, c;
} arc;

KERNEL arc arc_of(real square)
{
  arc a = {.t2 = square, .theta = root(square)};
  sines_of_lanes(scale(constant(0.5), a.theta), &a.s, &a.c);
  return a;
}

// x / y, or `small` where theta squared is below a limit.
KERNEL real quotient(const arc* a, double limit, real small, real x, real y)
{
  const real end = number(constant(limit));
  return where_less(a->t2, end, small, over(x, where_less(a->t2, end, one(), y)));
}

// sin(h) / theta
KERNEL real half_sine(const arc* a) { return quotient(a, 1e-30, number(constant(0.5)), a->s, a->theta); }

// c = sum (-1)^k theta^2k / (2k + 3)!
KERNEL real coefficient_c(const arc* a)
{
  static const double ratio[] = {1.0 / 20, 1.0 / 42, 1.0 / 72, 1.0 / 110, 1.0 / 156, 1.0 / 210, 1.0 / 272, 1.0 / 342};
  real sum = one();
  for (int k = 7; k >= 0; k--) sum = msub(one(), scale(constant(ratio[k]), a->t2), sum);
  const real sine = scale(constant(2), mul(a->s, a->c));
  return quotient(a, 1, scale(constant(1.0 / 6), sum), sub(a->theta, sine), mul(a->t2, a->theta));
}

// Coefficients in the rate: Bernoulli's numbers for small angles; theta < 2 pi.
KERNEL void rate_coefficients(const arc* a, real* second, real* fourth)
{
  const double limit = 0.04; // the terms left out are below rounding
  const real t2 = a->t2, t4 = mul(t2, t2);
  const real small2 =
    kmsub(kmsub(number(constant(1.0 / 12)), constant(1.0 / 30240), t4), constant(1.0 / 604800), mul(t4, t2));
  const real small4 = kmsub(kmsub(number(constant(-1.0 / 720)), constant(1.0 / 15120), t2), constant(1.0 / 403200), t4);
  const real h = scale(constant(0.5), a->theta);
  const real p = quotient(a, limit, one(), h, a->s);
  const real alpha = mul(p, a->c), beta = mul(p, p); // h cot h, (h / sin h)^2
  const real first = sub(one(), alpha), half = scale(constant(0.5), sub(alpha, beta));
  *second = quotient(a, limit, small2, kmadd(half, constant(2), first), t2);
  *fourth = quotient(a, limit, small4, add(first, half), t4);
}

#endif
