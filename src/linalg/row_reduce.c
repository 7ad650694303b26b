#include "linalg/row_reduce_kernel.h"

#include "linalg/dense.h"

void limb_row_reduce_weighted(limb_reduction* r, const unsigned char* prefer, const int* weight, double tolerance)
{
  reduce_rows(r, r->columns + r->extra, prefer, weight, tolerance);
}

void limb_row_reduce(limb_reduction* r, const unsigned char* prefer, double tolerance)
{
  limb_row_reduce_weighted(r, prefer, NULL, tolerance);
}

void limb_remove_dependent(const limb_reduction* r, double* work, double* x)
{
  const ptrdiff_t wide = r->columns + r->extra, n = r->rows - r->rank;
  const double* T = r->A + r->rank * wide + r->columns;
  double *A = work, *y = work + n * n;
  for (ptrdiff_t i = 0; i < n; i++) {
    y[i] = limb_dot((size_t)r->rows, T + i * wide, x);
    for (ptrdiff_t j = 0; j <= i; j++) A[i * n + j] = limb_dot((size_t)r->rows, T + i * wide, T + j * wide);
  }
  if (!limb_cholesky((int)n, A)) return; // T has full rank: it is made of steps of elimination
  limb_cholesky_solve((int)n, A, y);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (int k = 0; k < r->rows; k++) x[k] -= T[i * wide + k] * y[i];
  }
}
