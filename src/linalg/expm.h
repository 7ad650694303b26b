// Exponential of a dense matrix.
#ifndef LIMB_EXPM_H
#define LIMB_EXPM_H

#include "limb/base.h"

// Numbers of scratch per entry of the matrix.
enum { LIMB_EXPM_WORK = 5 };

// Largest sum of the absolute values of a column of a rows x columns matrix; NaN when there is one in it.
double limb_norm1(int rows, int columns, const double* A);

// A = exp(A), n x n, row-major. work: LIMB_EXPM_WORK n^2 numbers.
// LIMB_E_UNSUPPORTED when the 1-norm is above 2^26, LIMB_E_NONFINITE for NaN or infinity in A or in the
// result; A is then unspecified.
limb_status limb_expm(int n, double* A, double* work);

#endif
