// Scalars of the kernels: truncated power series, for derivatives in time of any order.
//
// Reference: A. Griewank, A. Walther, Evaluating Derivatives, 2nd edition, SIAM 2008, chapter 13.
// Cost:      a product of degree n is n^2 / 2 multiplications.
//
// The vocabulary of kernel/scalar_native.h, and sines and the sign of friction besides. Of functions that are not
// polynomials the coefficients follow from a differential equation, one after the other:
//
//   y = a / b          b y = a                   b_0 y_k = a_k - sum b_i y_{k-i}
//   s, c of x          s' = c x', c' = -s x'     k s_k = sum i x_i c_{k-i},  k c_k = -sum i x_i s_{k-i}
//   y = tanh(x / w)    y' = (1 - y^2) x' / w     k y_k = sum i x_i (1 - y^2)_{k-i} / w
//
// with sums over i = 1 ... k. A choice between two numbers is made by their values.
#ifndef LIMB_KERNEL_SCALAR_SERIES_H
#define LIMB_KERNEL_SCALAR_SERIES_H
#define LIMB_SCALAR 1

#define KERNEL      static inline
#define KERNEL_ONCE static __attribute__((unused))
#define KERNEL_PASS KERNEL
// Loops are worth a call: inlined, they would make huge code.
#define CALLED static __attribute__((noinline, unused))

#include "kernel/numbers.h"
#include "kernel/target.h"

#include <math.h>
#include <stdbool.h>

typedef limb_series_number real;
typedef double par;

KERNEL int lesser_degree(int a, int b) { return a < b ? a : b; }
KERNEL int greater_degree(int a, int b) { return a > b ? a : b; }

KERNEL par constant(double x) { return x; }
KERNEL par parameter(double x) { return x; }
KERNEL real number(par k) { return (real){.c = {k}}; }

CALLED real scale(par k, real a)
{
  for (int i = 0; i <= a.n; i++) a.c[i] *= k;
  return a;
}

KERNEL real neg(real a) { return scale(-1, a); }

KERNEL real plus(par k, real a)
{
  a.c[0] += k;
  return a;
}

CALLED real add(real a, real b)
{
  real y = {.n = greater_degree(a.n, b.n)};
  for (int i = 0; i <= y.n; i++) y.c[i] = a.c[i] + b.c[i];
  return y;
}

CALLED real sub(real a, real b)
{
  real y = {.n = greater_degree(a.n, b.n)};
  for (int i = 0; i <= y.n; i++) y.c[i] = a.c[i] - b.c[i];
  return y;
}

// sum_i a_i b_{k-i} from i = first on
KERNEL double convolution(const real* a, const real* b, int first, int k)
{
  double sum = 0;
  const int from = greater_degree(first, k - b->n), to = lesser_degree(k, a->n);
  for (int i = from; i <= to; i++) sum += a->c[i] * b->c[k - i];
  return sum;
}

CALLED real mul(real a, real b)
{
  real y = {.n = greater_degree(a.n, b.n)};
  for (int k = 0; k <= y.n; k++) y.c[k] = convolution(&a, &b, 0, k);
  return y;
}

CALLED real over(real a, real b)
{
  const double r = 1 / b.c[0];
  real y = {.n = greater_degree(a.n, b.n)};
  for (int k = 0; k <= y.n; k++) y.c[k] = r * (a.c[k] - convolution(&b, &y, 1, k));
  return y;
}

KERNEL real recip(real a) { return over(number(1), a); }
KERNEL real lesser(real a, real b) { return a.c[0] < b.c[0] ? a : b; }

// ---- functions ------------------------------------------------------------------------------------

// k-th coefficient of the integral of x' y
KERNEL double integral(const real* x, const real* y, int k)
{
  double sum = 0;
  for (int i = 1; i <= lesser_degree(k, x->n); i++) sum += (double)i * x->c[i] * y->c[k - i];
  return sum / (double)k;
}

// y = sqrt(x): y y = x
KERNEL real root(real x)
{
  real y = {.c = {sqrt(x.c[0])}, .n = x.n};
  for (int k = 1; k <= y.n; k++) {
    double sum = x.c[k];
    for (int i = 1; i < k; i++) sum -= y.c[i] * y.c[k - i];
    y.c[k] = sum / (2 * y.c[0]);
  }
  return y;
}

KERNEL void sines(int n, const real* x, real* s, real* c)
{
  for (int i = 0; i < n; i++) {
    s[i] = (real){.c = {sin(x[i].c[0])}, .n = x[i].n};
    c[i] = (real){.c = {cos(x[i].c[0])}, .n = x[i].n};
    for (int k = 1; k <= x[i].n; k++) {
      s[i].c[k] = integral(&x[i], &c[i], k);
      c[i].c[k] = -integral(&x[i], &s[i], k);
    }
  }
}

// tanh(x / width), or the sign of the value: constant next to it.
KERNEL real sign_of(real x, double width)
{
  if (!(width > 0)) return number((double)((x.c[0] > 0) - (x.c[0] < 0)));
  real y = {.c = {tanh(x.c[0] / width)}, .n = x.n}, slope = {.n = x.n};
  for (int k = 0; k <= x.n; k++) {
    if (k > 0) y.c[k] = integral(&x, &slope, k);
    slope.c[k] = ((k == 0 ? 1 : 0) - convolution(&y, &y, 0, k)) / width;
  }
  return y;
}

#endif
