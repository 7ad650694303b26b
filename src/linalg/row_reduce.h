// Rows that depend on each other, and columns that follow from others: elimination with complete pivoting.
//
// Reference: G. Golub, C. Van Loan, Matrix Computations, 4th edition, section 3.4.8 (complete pivoting),
//            carried on to the reduced form (Gauss and Jordan).
// Cost:      2 rank rows (columns + extra) operations.
//
// A x = b, A rows x columns, row-major, with `extra` more columns to the right that are carried along: b, or
// a unit matrix. After the steps, with p for pivot columns and y for the others,
//
//     first rank rows     x_p + A_y x_y = b       A_p is a unit matrix
//     the others          0 = b                   but for rounding in A
//
// Carried along, a unit matrix becomes T, the steps as one matrix: T A_given = A. Row k of T, k >= rank, says
// how given row row[k] depends on the others: T[k][row[k]] = 1, and -T[k][row[j]] are the coefficients of the
// pivot rows j < rank. Pivots are taken from preferred columns as long as one of them is above the tolerance,
// then from the others.
//
// Most pivots need no search: row after row, an entry that is large in the row and beside the whole matrix
// will do, and among those the one whose column has the smallest weight, so that sparse rows stay sparse. What is
// left by that, rows of small entries and those that depend on others, is searched as a whole.
#ifndef LIMB_ROW_REDUCE_H
#define LIMB_ROW_REDUCE_H

typedef struct limb_reduction {
  int rows, columns, extra;
  double* A;  // rows x (columns + extra)
  int* pivot; // columns: rank pivot columns, in the order of the rows of A, then the others, ascending
  int* row;   // rows: the given row of each row of A
  int rank;
  int preferred;               // pivots in preferred columns
  double min_pivot, max_pivot; // their sizes; 0 when there are none
} limb_reduction;

// rows, columns, extra, A, pivot and row are set by the caller; A is reduced in place. prefer: a mark per
// column, or NULL. tolerance: of pivots, relative to the largest entry of A. Numbers must be finite.
void limb_row_reduce(limb_reduction* r, const unsigned char* prefer, double tolerance);

// The same with weights of the columns: how many rows each is in, say.
void limb_row_reduce_weighted(limb_reduction* r, const unsigned char* prefer, const int* weight, double tolerance);

// After steps that were carried along: x, one number per given row, loses its part in the span of the rows of
// T that made zeros, from rank on: x -= T_r' (T_r T_r')^-1 T_r x. work: (rows - rank) (rows - rank + 1).
void limb_remove_dependent(const limb_reduction* r, double* work, double* x);

#endif
