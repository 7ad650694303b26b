#include "linalg/qr.h"

#include "linalg/dot.h"

#include <math.h>
#include <stddef.h>

static void swap_columns(int rows, double* x, double* y)
{
  for (int i = 0; i < rows; i++) {
    const double kept = x[i];
    x[i] = y[i], y[i] = kept;
  }
}

// The reflector that takes x onto its first axis: x becomes (r, v) with H = 1 - beta (1, v)(1, v)'.
static double reflector(int n, double* x)
{
  const double norm = sqrt(limb_dot((size_t)n, x, x));
  if (norm == 0) return 0;
  const double r = x[0] > 0 ? -norm : norm, first = x[0] - r; // no cancellation
  const double beta = -first / r;
  for (int i = 1; i < n; i++) x[i] /= first;
  x[0] = r;
  return beta;
}

// y = H y
static void reflect(int n, double beta, const double* v, double* y)
{
  const double along = beta * (y[0] + limb_dot((size_t)(n - 1), v + 1, y + 1));
  y[0] -= along;
  for (int i = 1; i < n; i++) y[i] -= along * v[i];
}

static int longest(int from, int columns, const double* norm)
{
  int best = from;
  for (int j = from + 1; j < columns; j++)
    if (norm[j] > norm[best]) best = j;
  return best;
}

void limb_qr_factor(int rows, int columns, double* A, int* pivot, double* norm)
{
  double* whole = norm + columns; // norm when it was last summed up
  for (int j = 0; j < columns; j++) {
    const double* a = A + (ptrdiff_t)j * rows;
    pivot[j] = j;
    norm[j] = whole[j] = sqrt(limb_dot((size_t)rows, a, a));
  }
  for (int k = 0; k < columns && k < rows; k++) {
    const int best = longest(k, columns, norm), column = pivot[k];
    double* a = A + (ptrdiff_t)k * rows;
    if (best != k) {
      swap_columns(rows, a, A + (ptrdiff_t)best * rows);
      pivot[k] = pivot[best], pivot[best] = column;
      norm[best] = norm[k], whole[best] = whole[k];
    }
    const double beta = reflector(rows - k, a + k);
    for (int j = k + 1; j < columns; j++) {
      double* y = A + (ptrdiff_t)j * rows;
      reflect(rows - k, beta, a + k, y + k);
      if (norm[j] == 0) continue;
      // what is left of the norm; summed up anew when little is
      const double part = y[k] / norm[j], left = fmax(0, 1 - part * part);
      const double loss = norm[j] / whole[j];
      norm[j] *= sqrt(left);
      if (left * loss * loss < 1e-7) norm[j] = whole[j] = sqrt(limb_dot((size_t)(rows - k - 1), y + k + 1, y + k + 1));
    }
  }
}

limb_qr_decision limb_qr_rank(int rows, int columns, const double* A, double tolerance)
{
  limb_qr_decision r = {0, 1, 0};
  const int n = rows < columns ? rows : columns;
  const double first = n > 0 ? fabs(A[0]) : 0;
  for (int k = 0; k < n && first > 0; k++) {
    const double x = fabs(A[(ptrdiff_t)k * rows + k]) / first;
    if (x <= tolerance) {
      r.dropped = x;
      break;
    }
    r.rank = k + 1, r.kept = x;
  }
  return r;
}

void limb_qr_combinations(int rows, int columns, int rank, double* A)
{
  for (int j = rank; j < columns; j++) {
    double* x = A + (ptrdiff_t)j * rows;
    for (int i = rank - 1; i >= 0; i--) {
      double sum = x[i];
      for (int k = i + 1; k < rank; k++) sum -= A[(ptrdiff_t)k * rows + i] * x[k];
      x[i] = sum / A[(ptrdiff_t)i * rows + i];
    }
  }
}
