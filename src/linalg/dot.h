// Rows of numbers: inner products, four sums at a time, so that the processor need not wait for one;
// largest entries.
#ifndef LIMB_DOT_H
#define LIMB_DOT_H

#include <math.h>
#include <stddef.h>

static inline double limb_dot(size_t n, const double* x, const double* y)
{
  double a = 0, b = 0, c = 0, d = 0;
  size_t k = 0;
  for (; k + 3 < n; k += 4) {
    a += x[k] * y[k], b += x[k + 1] * y[k + 1];
    c += x[k + 2] * y[k + 2], d += x[k + 3] * y[k + 3];
  }
  for (; k < n; k++) a += x[k] * y[k];
  return (a + b) + (c + d);
}

// The largest |x|; NaN does not count.
static inline double limb_largest(size_t n, const double* x)
{
  double most = 0;
  for (size_t k = 0; k < n; k++) most = fabs(x[k]) > most ? fabs(x[k]) : most;
  return most;
}

#endif
