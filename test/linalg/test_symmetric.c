// Cholesky factors and singular values of small matrices.
#include "linalg/dense.h"
#include "support/check.h"
#include "support/rng.h"

#include <math.h>
#include <string.h>

enum { N = 6 };

// Hilbert's matrix: 1 / (i + j + 1), of condition 1.5e7 for six rows.
static void hilbert(double* A)
{
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) A[i * N + j] = 1.0 / (i + j + 1);
  }
}

// A = G G' + 0.01, scaled unevenly: entry (i, j) by s_i s_j with s from 1 to 1e-10.
static void random_definite(rng* r, double* A)
{
  double G[N * N], s[N];
  rng_fill(r, 1, N * N, G);
  for (int i = 0; i < N; i++) s[i] = pow(10, -2 * i);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      double sum = i == j ? 0.01 : 0;
      for (int k = 0; k < N; k++) sum += G[i * N + k] * G[j * N + k];
      A[i * N + j] = s[i] * s[j] * sum;
    }
  }
}

// A X = 1 row by row, each against the size of its own terms: uneven scales cost nothing.
START_TEST(inverse)
{
  rng r = {(uint64_t)_i};
  double A[N * N], L[N * N], X[N * N], x[N], b[N];
  random_definite(&r, A);
  memcpy(L, A, sizeof L);
  assert_that(limb_cholesky(N, L));
  limb_cholesky_inverse(N, L, X);
  rng_fill(&r, 1, N, x);
  memcpy(b, x, sizeof b);
  limb_cholesky_solve(N, L, x);
  for (int i = 0; i < N; i++) {
    double Ax = 0, size = fabs(b[i]);
    for (int j = 0; j < N; j++) {
      double sum = 0, terms = i == j;
      for (int k = 0; k < N; k++) {
        sum += A[i * N + k] * X[k * N + j];
        terms += fabs(A[i * N + k] * X[k * N + j]);
      }
      assert_close(sum, i == j, 0, TOL_ALGEBRA * terms);
      assert_that(X[i * N + j] == X[j * N + i]);
      Ax += A[i * N + j] * x[j];
      size += fabs(A[i * N + j] * x[j]);
    }
    assert_close(Ax, b[i], 0, TOL_ALGEBRA * size);
  }
}
END_TEST

START_TEST(what_is_not_definite_is_refused)
{
  double zero[1] = {0}, negative[4] = {1, 0, 0, -1};
  // u u' for u = (3/7, 13/11): what rounding leaves of the last pivot is positive
  const double u = 3.0 / 7, w = 13.0 / 11;
  double dependent[4] = {u * u, u * w, u * w, w * w};
  double broken[4] = {1, nan(""), nan(""), 1}, fine[4] = {1, 0.5, 0.5, 1};
  assert_that(!limb_cholesky(1, zero));
  assert_that(!limb_cholesky(2, negative));
  assert_that(!limb_cholesky(2, dependent));
  assert_that(!limb_cholesky(2, broken));
  assert_that(limb_cholesky(2, fine));
  assert_that(limb_cholesky(0, zero));
}
END_TEST

// Eigenvalues of Hilbert's matrix, known to sixteen digits.
START_TEST(hilbert_eigenvalues)
{
  static const double want[N] = {1.618899858924339,     0.2423608705752095,    0.01632152131987582,
                                 0.0006157483541826577, 1.257075712262519e-05, 1.082799484565550e-07};
  double A[N * N], sigma[N];
  hilbert(A);
  assert_that(limb_singular_values(N, N, A, sigma));
  for (int i = 0; i < N; i++) assert_close(sigma[i], want[i], 0, 1e-15);
}
END_TEST

// A = U S V' with U and V products of random rotations: the values come back, zeros too.
START_TEST(known_values)
{
  enum { COLUMNS = 9 };
  const double want[N] = {1e3, 10, 10, 1e-6, 0, 0};
  rng r = {(uint64_t)_i};
  double A[N * COLUMNS] = {0}, sigma[N];
  for (int i = 0; i < N; i++) A[i * COLUMNS + (i + _i) % COLUMNS] = want[(i + _i) % N];
  for (int turn = 0; turn < 60; turn++) {
    const double phi = rng_uniform(&r, -3, 3), c = cos(phi), s = sin(phi);
    const int i = rng_below(&r, N - 1), j = rng_below(&r, COLUMNS - 1);
    for (int k = 0; k < COLUMNS; k++) { // rows i and i + 1
      double *x = &A[i * COLUMNS + k], *y = x + COLUMNS;
      const double u = c * *x - s * *y;
      *y = s * *x + c * *y, *x = u;
    }
    for (int k = 0; k < N; k++) { // columns j and j + 1
      double *x = &A[k * COLUMNS + j], *y = x + 1;
      const double u = c * *x - s * *y;
      *y = s * *x + c * *y, *x = u;
    }
  }
  assert_that(limb_singular_values(N, COLUMNS, A, sigma));
  assert_close_array(sigma, want, N, 3e-15, 0);
}
END_TEST

START_TEST(more_rows_than_columns)
{
  double A[6] = {3, 0, 0, 4, 0, 0}, B[3] = {2, -1, 2}, none[4] = {0}, sigma[3];
  const double want_A[3] = {4, 3, 0}, want_B[3] = {3, 0, 0}, zeros[2] = {0, 0};
  assert_that(limb_singular_values(3, 2, A, sigma));
  assert_close_array(sigma, want_A, 3, 1e-15, 0);
  assert_that(limb_singular_values(3, 1, B, sigma));
  assert_close_array(sigma, want_B, 3, 1e-15, 0);
  assert_that(limb_singular_values(2, 2, none, sigma));
  assert_close_array(sigma, zeros, 2, 0, 0);
  assert_that(limb_singular_values(2, 0, none, sigma));
  assert_close_array(sigma, zeros, 2, 0, 0);
}
END_TEST

CHECK_MAIN("linalg/symmetric", 50, inverse, what_is_not_definite_is_refused, hilbert_eigenvalues, known_values,
           more_rows_than_columns)
