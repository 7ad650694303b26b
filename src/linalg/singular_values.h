// Singular values of a small dense matrix, by rotations of its rows.
//
// Reference: M. Hestenes, Inversion of matrices by biorthogonalization and related results, 1958 (one-sided
//            Jacobi); G. Golub, C. Van Loan, Matrix Computations, 4th edition, section 8.6.3.
// Cost:      some 6 to 10 sweeps of 6 rows^2 columns operations.
//
// Pairs of rows are turned until all are at right angles; their lengths are the singular values then, with
// errors of eps times the largest. Those of a symmetric matrix are the magnitudes of its eigenvalues.
#ifndef LIMB_SINGULAR_VALUES_H
#define LIMB_SINGULAR_VALUES_H

#include <stdbool.h>

// sigma: one per row, largest first; as many as there are rows in excess are zero up to rounding. A is
// row-major, rows x columns; its rows become sigma_i times the right singular vectors, in any order.
// False when the rotations do not come to an end, which no matrix of finite numbers has been seen to do.
bool limb_singular_values(int rows, int columns, double* A, double* sigma);

#endif
