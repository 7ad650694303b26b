// Least squares of any number of equations in constant memory: a triangle that takes in blocks, and its solution.
//
// Reference: J. Demmel, L. Grigori, M. Hoemmen, J. Langou, Communication-optimal parallel and sequential QR and LU
//            factorizations, SIAM J. Scientific Computing 34(1), 2012 (sequential TSQR); G. Golub, C. Van Loan, Matrix
//            computations, 4th edition, section 5.5.6 (basic solutions by QR with column pivoting). LAPACK does the
//            work: dtpqrt, dgeqp3, dgesvd, dtrtri.
// Cost:      2 n^2 per equation, 4 n^3 for the solution.
#include "estimate/ident_impl.h"
#include "estimate/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A column that keeps less than this of its length beside the others is a combination of them.
static const double RANK_TOLERANCE = 1e-8;

bool limb_triangle_make(int n, limb_triangle* out)
{
  const size_t size = (size_t)n + 1;
  *out = (limb_triangle){.n = n, .R = calloc(size * size, sizeof(double))};
  out->T = malloc(2 * TRIANGLE_BLOCK * size * sizeof(double)); // reflectors, and scratch
  return out->R && out->T;
}

void limb_triangle_free(limb_triangle* t)
{
  free(t->R), free(t->T);
  *t = (limb_triangle){0};
}

// [R; block] = Q [R'; 0]
limb_status limb_triangle_add(limb_triangle* t, int rows, int stride, double* block)
{
  const int size = t->n + 1, together = size < TRIANGLE_BLOCK ? size : TRIANGLE_BLOCK;
  double* scratch = t->T + (size_t)TRIANGLE_BLOCK * (size_t)size;
  if (rows == 0) return LIMB_OK;
  const int failed = limb_lapack_load()->dtpqrt_work(BY_COLUMNS, rows, size, 0, together, t->R, size, block, stride,
                                                     t->T, together, scratch);
  t->equations += (size_t)rows;
  return failed ? LIMB_E_NONFINITE : LIMB_OK;
}

limb_status limb_triangle_merge(limb_triangle* t, const limb_triangle* other)
{
  const size_t size = (size_t)t->n + 1;
  double* block = malloc(size * size * sizeof *block);
  if (!block) return LIMB_E_NOMEM;
  memcpy(block, other->R, size * size * sizeof *block);
  const size_t before = t->equations;
  const limb_status s = limb_triangle_add(t, (int)size, (int)size, block);
  t->equations = before + other->equations;
  free(block);
  return s;
}

bool limb_solution_make(int n, limb_solution* out)
{
  const size_t size = (size_t)n + 1;
  *out = (limb_solution){.n = n, .x = calloc(size, sizeof(double)), .hidden = calloc(size, 1)};
  out->covariance = calloc(size * size, sizeof(double));
  return out->x && out->hidden && out->covariance;
}

void limb_solution_free(limb_solution* s)
{
  free(s->x), free(s->hidden), free(s->covariance);
  *s = (limb_solution){0};
}

// Entry of a column-major matrix.
static inline size_t at(int row, int column, int rows) { return (size_t)row + (size_t)column * (size_t)rows; }

// ---- solving ----------------------------------------------------------------------------------------------

// Scratch of a solution: R with columns of length 1, in the order of the pivots after factoring.
typedef struct scaled {
  int n;
  double *R, *length, *right, *tau, *sigma, *copy; // n x n, n, n, n, n, n x n
  int* pivot;                                      // from 1 on
} scaled;

static bool scaled_make(int n, scaled* out)
{
  const size_t size = (size_t)n + 1;
  *out = (scaled){.n = n, .R = malloc((2 * size * size + 4 * size) * sizeof(double))};
  out->pivot = calloc(size, sizeof *out->pivot);
  if (!out->R || !out->pivot) return false;
  out->copy = out->R + size * size, out->length = out->copy + size * size;
  out->right = out->length + size, out->tau = out->right + size, out->sigma = out->tau + size;
  return true;
}

static void scaled_free(scaled* a) { free(a->R), free(a->pivot); }

// Columns of length 1; those of length 0 stay. Right-hand side: what x leaves, z - R x.
static void scale(const limb_triangle* t, const double* x, scaled* a)
{
  const int n = t->n, size = n + 1;
  memcpy(a->right, t->R + (size_t)n * (size_t)size, (size_t)n * sizeof *a->right);
  for (int j = 0; j < n; j++) {
    const double* column = t->R + (size_t)j * (size_t)size;
    double square = 0;
    for (int i = 0; i <= j; i++) square += column[i] * column[i], a->right[i] -= column[i] * x[j];
    a->length[j] = square > 0 ? sqrt(square) : 1;
    for (int i = 0; i < n; i++) a->R[at(i, j, n)] = i <= j ? column[i] / a->length[j] : 0;
  }
}

// Ratio of the largest singular value to the smallest of the columns that count.
static double condition_of(scaled* a, int rank)
{
  const int n = a->n;
  double none;
  for (int j = 0; j < rank; j++)
    for (int i = 0; i < rank; i++) a->copy[i + j * rank] = i <= j ? a->R[at(i, j, n)] : 0;
  double* superdiagonal = a->copy + (size_t)rank * (size_t)rank;
  if (rank == 0 || limb_lapack_load()->dgesvd(BY_COLUMNS, 'N', 'N', rank, rank, a->copy, rank, a->sigma, &none, 1,
                                              &none, 1, superdiagonal))
    return HUGE_VAL;
  return a->sigma[0] / a->sigma[rank - 1];
}

// covariance = S P (R11' R11)^-1 P' S, with S the inverse lengths and P the pivots.
static limb_status covariance_of(const scaled* a, int rank, limb_solution* s)
{
  const int n = a->n;
  memset(s->covariance, 0, (size_t)n * (size_t)n * sizeof *s->covariance);
  double* inverse = a->R; // R11^-1
  if (rank && limb_lapack_load()->dtrtri(BY_COLUMNS, 'U', 'N', rank, inverse, n)) return LIMB_E_SINGULAR;
  for (int i = 0; i < rank; i++) {
    for (int j = i; j < rank; j++) {
      double sum = 0;
      for (int k = j; k < rank; k++) sum += inverse[at(i, k, n)] * inverse[at(j, k, n)];
      const int p = a->pivot[i] - 1, q = a->pivot[j] - 1;
      sum /= a->length[p] * a->length[q];
      s->covariance[p * n + q] = s->covariance[q * n + p] = sum;
    }
  }
  return LIMB_OK;
}

static limb_status solve(const limb_triangle* t, scaled* a, limb_solution* s)
{
  const int n = t->n;
  scale(t, s->x, a);
  if (limb_lapack_load()->dgeqp3(BY_COLUMNS, n, n, a->R, n, a->pivot, a->tau)) return LIMB_E_NONFINITE;
  if (limb_lapack_load()->dormqr(BY_COLUMNS, 'L', 'T', n, 1, n, a->R, n, a->tau, a->right, n)) return LIMB_E_NONFINITE;
  int rank = 0;
  while (rank < n && fabs(a->R[at(rank, rank, n)]) > RANK_TOLERANCE * fabs(a->R[0])) rank++;
  s->rank = rank;
  if (rank && limb_lapack_load()->dtrtrs(BY_COLUMNS, 'U', 'N', 'N', rank, 1, a->R, n, a->right, n))
    return LIMB_E_SINGULAR;
  for (int k = 0; k < n; k++) {
    const int p = a->pivot[k] - 1;
    s->hidden[p] = k >= rank;
    if (k < rank) s->x[p] += a->right[k] / a->length[p];
  }
  s->condition = condition_of(a, rank);
  return covariance_of(a, rank, s);
}

limb_status limb_solve(const limb_triangle* t, limb_solution* s)
{
  scaled a;
  limb_status status = LIMB_E_NOMEM;
  if (scaled_make(t->n, &a)) status = solve(t, &a, s);
  scaled_free(&a);
  return status;
}
