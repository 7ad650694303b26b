// Symmetric indefinite matrices: factors with complete pivoting, solves, the signs of the eigenvalues.
//
// Reference: J. Bunch, B. Parlett, Direct methods for solving symmetric indefinite systems of linear
//            equations, SIAM Journal on Numerical Analysis 8, 1971; Golub, Van Loan, Matrix Computations,
//            4th edition, section 4.4.
// Cost:      n^3 / 3 products and as many comparisons for the factors, 2 n^2 per solve.
//
//     P A P' = L D L'      L: unit lower triangle      D: blocks of 1 and 2 on the diagonal
//
// A block of 2 is taken where no diagonal entry is large enough to eliminate with: it has one positive and
// one negative eigenvalue, and by Sylvester's law the signs of D are those of A. Matrices are row-major n x
// n. Nothing is allocated. Numbers must be finite.
#ifndef LIMB_INDEFINITE_H
#define LIMB_INDEFINITE_H

#include <stdbool.h>

// Factors A in place, which is read as a whole and must be symmetric. Below the diagonal L, on and next
// above it D; pivot[k]: the row and column that was exchanged with the k-th.
// negative: how many eigenvalues are negative (output).
// False when nothing larger than `least` is left to eliminate with: A is singular. A is destroyed then.
bool limb_indefinite_factor(int n, double least, double* A, int* pivot, int* negative);

// x = A^-1 x
void limb_indefinite_solve(int n, const double* A, const int* pivot, double* x);

#endif
