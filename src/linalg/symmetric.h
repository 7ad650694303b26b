// Symmetric positive definite matrices: Cholesky factors, solves, the inverse.
//
// Reference: G. Golub, C. Van Loan, Matrix Computations, 4th edition, section 4.2; J. Demmel, On floating
//            point errors in Cholesky, LAPACK working note 14, 1989: the error does not depend on how rows
//            and columns are scaled.
// Cost:      n^3 / 3 for the factors, 2 n^2 per solve, 2 n^3 for the inverse.
//
// Matrices are row-major n x n. Nothing is allocated.
#ifndef LIMB_SYMMETRIC_H
#define LIMB_SYMMETRIC_H

#include <stdbool.h>

// A = L L': L takes the place of A, of which only the lower triangle is read; what is above the diagonal
// stays. False when A is not positive definite to working precision: when of a diagonal entry no more is
// left than rounding, 4 n eps of it. A is destroyed then.
bool limb_cholesky(int n, double* A);

// x = A^-1 x
void limb_cholesky_solve(int n, const double* L, double* x);

// X = A^-1, full and exactly symmetric.
void limb_cholesky_inverse(int n, const double* L, double* X);

#endif
