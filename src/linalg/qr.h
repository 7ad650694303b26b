// Householder QR with column pivoting of small dense matrices, and the rank it shows.
//
// Reference: P. Businger, G. Golub, Linear least squares solutions by Householder transformations,
//            Numerische Mathematik 7, 1965; Golub, Van Loan, Matrix computations, algorithm 5.4.1.
// Cost:      2 rows columns^2 operations for rows >= columns.
//
//   A P = Q R,   |R_00| >= |R_11| >= ...
//
// Matrices are column-major: column j of A begins at A + j rows. For cold code: rank decisions and what
// follows from them; numbers must be finite.
#ifndef LIMB_QR_H
#define LIMB_QR_H

// Factors A in place: R in the upper triangle, the vectors of the reflectors below it.
// pivot: columns numbers, pivot[k] is the column of A that became the k-th. norm: scratch, 2 columns.
void limb_qr_factor(int rows, int columns, double* A, int* pivot, double* norm);

// A decision about a rank: how many pivots are above tolerance times the first, the last of them and the
// first that is not, both relative to the first. A zero matrix has rank 0 and kept 1.
typedef struct limb_qr_decision {
  int rank;
  double kept, dropped; // dropped is 0 when nothing is dropped
} limb_qr_decision;

limb_qr_decision limb_qr_rank(int rows, int columns, const double* A, double tolerance);

// After limb_qr_factor: columns rank ... columns-1 become R11^-1 R12, the coefficients by which the dropped
// columns are combinations of the kept ones (in the first rank rows).
void limb_qr_combinations(int rows, int columns, int rank, double* A);

#endif
