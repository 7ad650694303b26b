// Square matrices: Gauss elimination with row exchanges, and solves.
//
// Reference: G. Golub, C. Van Loan, Matrix Computations, 4th edition, algorithm 3.4.1.
// Cost:      2 n^3 / 3 for the factors, 2 n^2 per solve.
//
//     P A = L U      L: unit lower triangle
//
// Matrices are row-major n x n. Nothing is allocated. Numbers must be finite.
#ifndef LIMB_LU_H
#define LIMB_LU_H

#include <stdbool.h>

// Factors A in place; pivot[k] >= k is the row that was exchanged with the k-th. Rows are compared relative
// to their largest entries, so that units do not matter. scale: scratch, n numbers. False when A is singular
// to working precision: nothing but rounding is left of all rows. A is destroyed then.
bool limb_lu_factor(int n, double* A, int* pivot, double* scale);

// x = A^-1 x
void limb_lu_solve(int n, const double* A, const int* pivot, double* x);

#endif
