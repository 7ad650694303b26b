// What tests by the complex step share: a number with an imaginary step, and the derivative it carries.
//
// Im f(x + i h) / h is the derivative of f, exact to rounding, because h^2 vanishes beside 1. The kernels
// over complex numbers are in support/scalars.h; a step of q is one along the tangent.
#ifndef LIMB_TEST_COMPLEX_H
#define LIMB_TEST_COMPLEX_H

#include "support/scalars.h"
#include "support/trial.h"

#include <math.h>
#include <string.h>

#define COMPLEX_STEP 1e-20

typedef double complex cplx;

// C's CMPLX, which some compilers lack: a complex number is an array of two.
static inline cplx cplx_make(double re, double im)
{
  const double part[2] = {re, im};
  cplx z;
  memcpy(&z, part, sizeof z);
  return z;
}

// Scratch of the trial, as trial_doubles.
static inline cplx* cplx_zeros(trial* t, size_t n) { return (cplx*)(void*)trial_doubles(t, 2 * n); }

static inline void cplx_derivative(const cplx* x, size_t n, double* out)
{
  for (size_t i = 0; i < n; i++) out[i] = cimag(x[i]) / COMPLEX_STEP;
}

// The configuration with a step along the velocity u; rate: scratch of nq.
static inline void cplx_configuration(const trial* t, const double* u, double* rate, cplx* q)
{
  configuration_rate(t->m, t->q, u, rate);
  for (int i = 0; i < t->nq; i++) q[i] = cplx_make(t->q[i], COMPLEX_STEP * rate[i]);
}

// Largest entry of a matrix or tensor: what its errors are measured by.
static inline double largest(const double* A, size_t n)
{
  double x = 0;
  for (size_t i = 0; i < n; i++) x = fmax(x, fabs(A[i]));
  return x;
}

#endif
