// Splines through samples: B-splines of degree 5, or less when there are few samples.
#ifndef LIMB_SPLINE_H
#define LIMB_SPLINE_H

#include <stddef.h>

enum { SPLINE_MOST = 5, SPLINE_BAND = 2 * SPLINE_MOST + 1 };

typedef struct limb_spline {
  size_t n;           // samples, and B-splines
  size_t degree;      // limb_spline_degree(n)
  const double* time; // n, rising
  double* knot;       // n + degree + 1
} limb_spline;

size_t limb_spline_degree(size_t n);

// Sets the knots, from the times.
void limb_spline_place_knots(limb_spline* s);

// Values of the B-splines at the samples, factored: n rows of SPLINE_BAND. O(n).
void limb_spline_factor(const limb_spline* s, double* band);

// Turns values at the samples into coefficients, in place; y[i * stride] is sample i. O(n).
void limb_spline_solve(const limb_spline* s, const double* band, double* y, size_t stride);

// The interval of knots that holds t, which must not be outside of the samples. O(log n).
size_t limb_spline_interval(const limb_spline* s, double t);

// Value, first and second derivative at t, on its interval, from coefficients.
void limb_spline_at(const limb_spline* s, const double* c, size_t stride, size_t interval, double t, double x[3]);

#endif
