// Derivatives of sampled positions by a quintic spline.
//
// The curve is a polynomial of degree 5 between samples, passes through all of them, and is continuous up to
// its fourth derivative, so that accelerations come out smooth. At the ends it is "not a knot": the first
// three intervals share one polynomial, and so do the last three. Polynomials of degree 5 are reproduced.
#ifndef LIMB_CLI_SPLINE_H
#define LIMB_CLI_SPLINE_H

#include <stddef.h>

typedef struct cli_spline cli_spline;

enum { SPLINE_LEAST = 6 }; // samples

// A spline over n >= SPLINE_LEAST times that rise; t is copied. NULL when memory runs out. O(n).
cli_spline* cli_spline_create(size_t n, const double* t);
void cli_spline_destroy(cli_spline* s); // NULL is fine

// Turns values at the samples into the spline's coefficients, in place; y[i * stride] is sample i. O(n).
void cli_spline_solve(const cli_spline* s, double* y, size_t stride);

// First and second derivative at sample i, from coefficients.
void cli_spline_derivatives(const cli_spline* s, const double* c, size_t stride, size_t i,
                            double* first, double* second);

#endif
