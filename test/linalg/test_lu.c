// Gauss elimination with row exchanges: residuals, units of rows, permutations, singular matrices.
#include "linalg/dense.h"

#include "support/check.h"
#include "support/rng.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 24, TRIES = 48 };

static void multiply(int n, const double* A, const double* x, double* y)
{
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
  }
}

// Solves A x = b; false when A is singular.
static bool solve(int n, const double* A, const double* b, double* x)
{
  double LU[MOST * MOST], scale[MOST];
  int pivot[MOST];
  memcpy(LU, A, (size_t)(n * n) * sizeof *A);
  memcpy(x, b, (size_t)n * sizeof *b);
  if (!limb_lu_factor(n, LU, pivot, scale)) return false;
  for (int k = 0; k < n; k++) assert_that(pivot[k] >= k && pivot[k] < n);
  limb_lu_solve(n, LU, pivot, x);
  return true;
}

// A x = b to rounding, relative to what is added up; rows in units that are 1e12 apart.
START_TEST(residuals)
{
  rng r = {(uint64_t)_i + 1};
  const int n = 1 + _i % MOST;
  double A[MOST * MOST], b[MOST] = {0}, x[MOST], y[MOST];
  rng_fill(&r, 1, n * n, A);
  rng_fill(&r, 1, n, b);
  for (int i = 0; i < n && _i >= MOST; i++) {
    const double unit = pow(10, rng_uniform(&r, -6, 6));
    for (int j = 0; j < n; j++) A[i * n + j] *= unit;
    b[i] *= unit;
  }
  assert_that(solve(n, A, b, x));
  multiply(n, A, x, y);
  for (int i = 0; i < n; i++) {
    double size = fabs(b[i]);
    for (int j = 0; j < n; j++) size += fabs(A[i * n + j] * x[j]);
    assert_close(y[i], b[i], 0, 8 * n * DBL_EPSILON * size);
  }
}
END_TEST

// Rows of a permutation: every pivot but the last is an exchange.
START_TEST(permutations)
{
  double A[MOST * MOST] = {0}, b[MOST], x[MOST];
  const int n = MOST;
  for (int i = 0; i < n; i++) A[i * n + (i + 5) % n] = i + 1, b[i] = 3 * i - 7;
  assert_that(solve(n, A, b, x));
  for (int i = 0; i < n; i++) assert_close(x[(i + 5) % n], b[i] / (i + 1), 0, 1e-15 * n);
}
END_TEST

// The largest pivot is not the best one where a row is in large units (Golub and Van Loan, section 3.5.2).
START_TEST(units_of_rows)
{
  const double A[4] = {10, 1e17, 1, 1}, b[2] = {1e17, 2};
  double x[2];
  assert_that(solve(2, A, b, x));
  assert_close_array(x, ((const double[]){1, 1}), 2, 0, 1e-14);
}
END_TEST

// A row that is a combination of others, a row of zeros, a column of zeros; what is small but regular is not.
START_TEST(singular)
{
  double x[3];
  const double b[3] = {1, 2, 3};
  const double combination[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const double row[9] = {1, 2, 3, 0, 0, 0, 7, 8, 10}, column[9] = {1, 0, 3, 4, 0, 6, 7, 0, 10};
  const double small[9] = {1e-200, 0, 0, 0, 1e200, 0, 1, 1, 1e-9};
  assert_that(!solve(3, combination, b, x));
  assert_that(!solve(3, row, b, x));
  assert_that(!solve(3, column, b, x));
  assert_that(solve(3, small, b, x));
  const double nothing[1] = {0};
  assert_that(!solve(1, nothing, b, x));
}
END_TEST

CHECK_MAIN("linalg/lu", TRIES, residuals, permutations, units_of_rows, singular)
