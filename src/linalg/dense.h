// Dense matrices of moderate size, and vectors: products, factorisations, solves, ranks, singular values, exponentials.
//
// Matrices are row-major unless a section states otherwise. Nothing is allocated. Numbers must be finite.
#ifndef LIMB_DENSE_H
#define LIMB_DENSE_H

#include "limb/base.h"
#include "limb/spatial.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

// ---- vectors ------------------------------------------------------------------------------------------------

// Inner product: four sums at a time, so that the processor need not wait for one.
static inline double limb_dot(size_t n, const double* x, const double* y)
{
  double a = 0, b = 0, c = 0, d = 0;
  size_t k = 0;
  for (; k + 3 < n; k += 4) {
    a += x[k] * y[k], b += x[k + 1] * y[k + 1];
    c += x[k + 2] * y[k + 2], d += x[k + 3] * y[k + 3];
  }
  for (; k < n; k++) a += x[k] * y[k];
  return (a + b) + (c + d);
}

// The largest |x|; NaN does not count.
static inline double limb_largest(size_t n, const double* x)
{
  double largest = 0;
  for (size_t k = 0; k < n; k++) largest = fabs(x[k]) > largest ? fabs(x[k]) : largest;
  return largest;
}

// Three numbers of a row as a vector, and back.
static inline sp_vec3 limb_read3(const double* x) { return sp_v3(x[0], x[1], x[2]); }
static inline void limb_write3(sp_vec3 a, double* x) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }

// Four doubles that are worked on together, wherever they lie in memory.
typedef double limb_quad __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

enum { LIMB_QUAD = sizeof(limb_quad) / sizeof(double) };

// The quad that begins at a number.
#define QUAD_AT(x)       (*(limb_quad*)(x))
#define CONST_QUAD_AT(x) (*(const limb_quad*)(x))

// The smallest multiple of LIMB_QUAD above n.
static inline int limb_quads_above(int n) { return n / LIMB_QUAD * LIMB_QUAD + LIMB_QUAD; }

// ---- products and transposes --------------------------------------------------------------------------------

// C = A B: A is rows x inner, B inner x columns. C overlaps neither.
void limb_matrix_product(int rows, int inner, int columns, const double* A, const double* B, double* C);

// C = A' B: A is inner x rows, B inner x columns. C overlaps neither.
void limb_transposed_product(int rows, int inner, int columns, const double* A, const double* B, double* C);

// A = A' in place: A is rows x columns before.
void limb_transpose(int rows, int columns, double* A);

// ---- square matrices ----------------------------------------------------------------------------------------

// Gauss elimination with row exchanges, and solves.
//
// Reference: G. Golub, C. Van Loan, Matrix Computations, 4th edition, algorithm 3.4.1.
// Cost:      2 n^3 / 3 for the factors, 2 n^2 per solve.
//
//     P A = L U      L: unit lower triangle

// Factors A in place; pivot[k] >= k is the row that was exchanged with the k-th. Rows are compared relative
// to their largest entries, so that units do not matter. scale: scratch, n numbers. False when A is singular
// to working precision: nothing but rounding is left of all rows. A is destroyed then.
bool limb_lu_factor(int n, double* A, int* pivot, double* scale);

// x = A^-1 x
void limb_lu_solve(int n, const double* A, const int* pivot, double* x);

// ---- symmetric positive definite matrices -------------------------------------------------------------------

// Cholesky factors, solves, the inverse.
//
// Reference: G. Golub, C. Van Loan, Matrix Computations, 4th edition, section 4.2; J. Demmel, On floating
//            point errors in Cholesky, LAPACK working note 14, 1989: the error does not depend on how rows
//            and columns are scaled.
// Cost:      n^3 / 3 for the factors, 2 n^2 per solve, 2 n^3 for the inverse.

// A = L L': L replaces A, of which only the lower triangle is read; what is above the diagonal stays. False when A is
// not positive definite to working precision: when no more than rounding, 4 n eps, is left of a diagonal entry. A is
// destroyed then.
bool limb_cholesky(int n, double* A);

// x = A^-1 x
void limb_cholesky_solve(int n, const double* L, double* x);

// X = A^-1, full and exactly symmetric.
void limb_cholesky_inverse(int n, const double* L, double* X);

// ---- symmetric indefinite matrices --------------------------------------------------------------------------

// Factors with complete pivoting, solves, the signs of the eigenvalues.
//
// Reference: J. Bunch, B. Parlett, Direct methods for solving symmetric indefinite systems of linear
//            equations, SIAM Journal on Numerical Analysis 8, 1971; Golub, Van Loan, Matrix Computations,
//            4th edition, section 4.4.
// Cost:      n^3 / 3 products and as many comparisons for the factors, 2 n^2 per solve.
//
//     P A P' = L D L'      L: unit lower triangle      D: blocks of 1 and 2 on the diagonal
//
// A block of 2 is taken where no diagonal entry is large enough to eliminate with: it has one positive and
// one negative eigenvalue, and by Sylvester's law the signs of D are those of A.

// Factors A in place, which is read as a whole and must be symmetric. Below the diagonal L, on and next
// above it D; pivot[k]: the row and column that was exchanged with the k-th.
// negative: how many eigenvalues are negative (output).
// False when nothing larger than `min_pivot` is left to eliminate with: A is singular. A is destroyed then.
bool limb_indefinite_factor(int n, double min_pivot, double* A, int* pivot, int* negative);

// x = A^-1 x
void limb_indefinite_solve(int n, const double* A, const int* pivot, double* x);

// ---- QR with column pivoting --------------------------------------------------------------------------------

// Householder QR of small matrices, and the rank it shows.
//
// Reference: P. Businger, G. Golub, Linear least squares solutions by Householder transformations,
//            Numerische Mathematik 7, 1965; Golub, Van Loan, Matrix computations, algorithm 5.4.1.
// Cost:      2 rows columns^2 operations for rows >= columns.
//
//   A P = Q R,   |R_00| >= |R_11| >= ...
//
// Matrices are column-major: column j of A begins at A + j rows. For cold code: rank decisions and what
// follows from them.

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

// ---- singular values ----------------------------------------------------------------------------------------

// By rotations of its rows.
//
// Reference: M. Hestenes, Inversion of matrices by biorthogonalization and related results, 1958 (one-sided
//            Jacobi); G. Golub, C. Van Loan, Matrix Computations, 4th edition, section 8.6.3.
// Cost:      some 6 to 10 sweeps of 6 rows^2 columns operations.
//
// Pairs of rows are turned until all are at right angles; their lengths are the singular values then, with
// errors of eps times the largest. Those of a symmetric matrix are the magnitudes of its eigenvalues.

// sigma: one per row, largest first; as many as there are rows in excess are zero up to rounding. A is
// rows x columns; its rows become sigma_i times the right singular vectors, in any order.
// False when the rotations do not converge, which no matrix of finite numbers has been seen to do.
bool limb_singular_values(int rows, int columns, double* A, double* sigma);

// ---- exchange steps -----------------------------------------------------------------------------------------

// Linear equations solved for some of their right-hand sides.
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
// not depend on x_k are skipped. A is n x n.

// A step of A. False, and nothing done, unless the pivot a_kk is above min_pivot.
bool limb_exchange(int n, int k, double min_pivot, double* A);

// The same step of B, n x columns, after that of A.
void limb_exchange_beside(int n, int k, const double* A, int columns, double* B);

// ---- exponential --------------------------------------------------------------------------------------------

// Numbers of scratch per entry of the matrix.
enum { LIMB_EXPM_WORK = 5 };

// Largest sum of the absolute values of a column of a rows x columns matrix; NaN when there is one in it.
double limb_norm1(int rows, int columns, const double* A);

// A = exp(A), n x n. work: LIMB_EXPM_WORK n^2 numbers.
// LIMB_E_UNSUPPORTED when the 1-norm is above 2^26, LIMB_E_NONFINITE for NaN or infinity in A or in the
// result; A is then unspecified.
limb_status limb_expm(int n, double* A, double* work);

// ---- balancing ----------------------------------------------------------------------------------------------

// Few unknowns between bounds that balance forces: least squares in two stages, by active sets.
//
//     first    |E x - b| is smallest among all x with lower <= x <= upper
//     then     sum of weight (x - preferred)^2 is smallest among those
//
// Reference: without bounds, G. Golub, C. Van Loan, Matrix Computations, 4th edition, sections 5.2 (Gram
//            and Schmidt, here twice) and 6.2. First stage: C. Lawson, R. Hanson, Solving least squares
//            problems, 1974, chapter 23, with two bounds as P. Stark, R. Parker, Bounded-variable least
//            squares, 1995. Second stage: J. Nocedal, S. Wright, Numerical optimization, 2nd edition,
//            algorithm 16.3, with R. Bland's choice of the lowest index, 1977.
// Cost:      O(rows^2 columns) without bounds in the way; with them as much for every bound that is met or
//            left.

typedef struct limb_balance {
  int rows, columns;
  const double *E, *b;              // rows x columns, row-major; rows
  const double *weight, *preferred; // columns; weight > 0
  const double *lower, *upper;      // columns, lower <= upper; infinite: none
  double tolerance;                 // of the rank of E, relative to its largest entry
  double* x;                        // columns (output)
  int rank;                         // of E (output)
  double left;                      // largest |b - E x|; 0 where it is rounding (output)
} limb_balance;

// Scratch of limb_balance_solve.
typedef struct limb_balance_scratch {
  double* work;         // limb_balance_work(rows, columns)
  int* index;           // rows + 2 columns
  unsigned char* marks; // 2 columns
} limb_balance_scratch;

size_t limb_balance_work(int rows, int columns);

// Numbers must be finite but for bounds. False when the active sets do not come to an end within a number
// of steps that is far beyond need; x is between the bounds then.
bool limb_balance_solve(limb_balance* p, const limb_balance_scratch* scratch);

// ---- row reduction ------------------------------------------------------------------------------------------

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
