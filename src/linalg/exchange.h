// Exchange steps: linear equations solved for some of their right-hand sides.
//
// Reference: A. Tucker, A combinatorial equivalence of matrices, 1960; M. Tsatsomeros, Principal pivot
//            transforms, Linear Algebra and its Applications 307, 2000.
// Cost:      n^2 per step, and n times the columns of what else is on the right.
//
// With y = A x + B u, a step turns the equation of y_k round, so that x_k stands on the left and y_k among
// the arguments:
//
//   a_kk' = 1 / a_kk      a_kj' = -a_kj / a_kk      a_ik' = a_ik / a_kk      a_ij' = a_ij - a_ik' a_kj
//                         b_kj' = -b_kj / a_kk                               b_ij' = b_ij - a_ik' b_kj
//
// After a step for every k, A is A^-1, and B is -A^-1 B. Two steps for one k undo each other. Rows that do
// not feel x_k are skipped. Matrices are row-major; A is n x n.
#ifndef LIMB_EXCHANGE_H
#define LIMB_EXCHANGE_H

#include <stdbool.h>

// A step of A. False, and nothing done, unless the pivot a_kk is above least.
bool limb_exchange(int n, int k, double least, double* A);

// The same step of B, n x columns, after that of A.
void limb_exchange_beside(int n, int k, const double* A, int columns, double* B);

#endif
