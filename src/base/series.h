// Truncated power series in time: a value and its derivatives, divided by factorials.
//
//     x(t) = c_0 + c_1 t + ... + c_n t^n,   c_k = x^(k)(0) / k!
//
// A function of series carries derivatives along, exact to rounding.
#ifndef LIMB_SERIES_NUMBER_H
#define LIMB_SERIES_NUMBER_H

enum { LIMB_SERIES_DEGREE = 14 }; // at most

// What moves has the same degree n throughout a computation; what does not has degree 0. Coefficients above
// the degree are zero.
typedef struct limb_series_number {
  double c[LIMB_SERIES_DEGREE + 1];
  int n;
} limb_series_number;

#endif
