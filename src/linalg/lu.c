#include "linalg/lu.h"

#include "linalg/dot.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

static void swap_rows(int n, double* a, double* b)
{
  for (int j = 0; j < n; j++) {
    const double x = a[j];
    a[j] = b[j], b[j] = x;
  }
}

// The row below k whose entry in column k is largest, relative to what the row was.
static int find_pivot(int n, int k, const double* A, const double* scale)
{
  int best = k;
  double most = -1;
  for (int i = k; i < n; i++) {
    const double share = fabs(A[(size_t)i * (size_t)n + (size_t)k]) * scale[i];
    if (share > most) best = i, most = share;
  }
  return best;
}

bool limb_lu_factor(int n, double* A, int* pivot, double* scale)
{
  const size_t width = (size_t)n;
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(A[(size_t)i * width + (size_t)j]));
    if (most == 0) return false;
    scale[i] = 1 / most;
  }
  for (int k = 0; k < n; k++) {
    const int p = find_pivot(n, k, A, scale);
    double* row = A + (size_t)k * width;
    pivot[k] = p;
    if (fabs(A[(size_t)p * width + (size_t)k]) * scale[p] <= n * DBL_EPSILON) return false;
    if (p != k) {
      swap_rows(n, row, A + (size_t)p * width);
      const double s = scale[k];
      scale[k] = scale[p], scale[p] = s;
    }
    for (int i = k + 1; i < n; i++) {
      double* below = A + (size_t)i * width;
      const double l = below[k] /= row[k];
      for (int j = k + 1; j < n; j++) below[j] -= l * row[j];
    }
  }
  return true;
}

void limb_lu_solve(int n, const double* A, const int* pivot, double* x)
{
  const size_t width = (size_t)n;
  for (int k = 0; k < n; k++) {
    const double y = x[pivot[k]];
    x[pivot[k]] = x[k], x[k] = y;
  }
  for (size_t i = 0; i < width; i++) x[i] -= limb_dot(i, A + i * width, x);
  for (size_t i = width; i-- > 0;) {
    const double* diagonal = A + i * width + i;
    x[i] = (x[i] - limb_dot(width - 1 - i, diagonal + 1, x + i + 1)) / *diagonal;
  }
}
