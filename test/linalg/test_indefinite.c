// Factors of symmetric indefinite matrices: solutions, signs of eigenvalues, singular ones.
#include "linalg/dense.h"
#include "support/check.h"
#include "support/rng.h"

#include <math.h>
#include <string.h>

enum { MOST = 24, TRIES = 200 };

// A = Q D Q' with a given number of negative entries in D, Q a product of reflections; zeros: how many
// entries are 0.
static void make(rng* r, int n, int negative, int zeros, double* A)
{
  memset(A, 0, (size_t)(n * n) * sizeof *A);
  for (int i = 0; i < n; i++) {
    const double size = i < zeros ? 0 : rng_uniform(r, 0.5, 3);
    A[i * n + i] = i < zeros + negative ? -size : size;
  }
  for (int pass = 0; pass < 3; pass++) {
    double u[MOST], norm = 0, p[MOST], k = 0;
    for (int i = 0; i < n; i++) u[i] = rng_uniform(r, -1, 1), norm += u[i] * u[i];
    for (int i = 0; i < n; i++) {
      p[i] = 0;
      for (int j = 0; j < n; j++) p[i] += 2 * A[i * n + j] * u[j] / norm;
      k += p[i] * u[i] / norm;
    }
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++)
        A[i * n + j] = A[j * n + i] = A[i * n + j] - u[i] * p[j] - p[i] * u[j] + 2 * k * u[i] * u[j];
    }
  }
}

static void check_solution(rng* r, int n, int negative, const double* A)
{
  double LD[MOST * MOST], x[MOST], b[MOST];
  int pivot[MOST], found;
  memcpy(LD, A, (size_t)(n * n) * sizeof *A);
  assert_that(limb_indefinite_factor(n, 1e-12, LD, pivot, &found));
  assert_that(found == negative);
  for (int i = 0; i < n; i++) x[i] = rng_uniform(r, -1, 1);
  for (int i = 0; i < n; i++) {
    b[i] = 0;
    for (int j = 0; j < n; j++) b[i] += A[i * n + j] * x[j];
  }
  limb_indefinite_solve(n, LD, pivot, b);
  assert_close_array(b, x, n, 1e-11, 0);
}

START_TEST(random_matrices)
{
  rng r = {7};
  double A[MOST * MOST];
  for (int t = 0; t < TRIES; t++) {
    const int n = 1 + rng_below(&r, MOST), negative = rng_below(&r, n + 1);
    check_at("try %d, n = %d", t, n);
    make(&r, n, negative, 0, A);
    check_solution(&r, n, negative, A);
  }
}
END_TEST

// Nothing on the diagonal: blocks of 2 throughout. [0 B; B' 0] has as many negative eigenvalues as positive
// ones.
START_TEST(empty_diagonal)
{
  rng r = {3};
  double A[MOST * MOST];
  for (int half = 1; half <= MOST / 2; half++) {
    const int n = 2 * half;
    memset(A, 0, sizeof A);
    for (int i = 0; i < half; i++) {
      for (int j = 0; j < half; j++)
        A[i * n + half + j] = A[(half + j) * n + i] = rng_uniform(&r, -1, 1) + 4 * (i == j);
    }
    check_at("n = %d", n);
    check_solution(&r, n, half, A);
  }
}
END_TEST

START_TEST(singular)
{
  rng r = {5};
  double A[MOST * MOST] = {0};
  int pivot[MOST], negative;
  for (int n = 2; n <= MOST; n++) {
    make(&r, n, n / 3, 1 + n / 4, A);
    check_at("n = %d", n);
    assert_that(!limb_indefinite_factor(n, 1e-12, A, pivot, &negative));
  }
  memset(A, 0, sizeof A);
  assert_that(!limb_indefinite_factor(3, 0, A, pivot, &negative));
  assert_that(limb_indefinite_factor(0, 0, A, pivot, &negative) && negative == 0);
}
END_TEST

CHECK_MAIN("indefinite", 1, random_matrices, empty_diagonal, singular)
