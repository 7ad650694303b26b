// Pivoted Householder QR: A P = Q R by its Gram matrix, ranks, combinations.
#include "linalg/dense.h"

#include "support/check.h"
#include "support/rng.h"

#include <math.h>
#include <string.h>

enum { ROWS = 40, COLUMNS = 17, MOST = ROWS * COLUMNS };

// Random columns, of which those from rank on are combinations of the others.
static void draw(rng* r, int rows, int columns, int rank, double* A)
{
  rng_fill(r, 1, rows * rank, A);
  for (int j = rank; j < columns; j++) {
    double* x = A + j * rows;
    memset(x, 0, (size_t)rows * sizeof *x);
    for (int k = 0; k < rank; k++) {
      const double c = rng_uniform(r, -1, 1);
      for (int i = 0; i < rows; i++) x[i] += c * A[k * rows + i];
    }
  }
}

// (A P)'(A P) = R'R, and the pivots fall.
static void check_factor(int rows, int columns, const double* A, const double* R, const int* pivot)
{
  const int n = rows < columns ? rows : columns;
  int seen[COLUMNS] = {0};
  for (int i = 0; i < columns; i++) {
    seen[pivot[i]]++;
    for (int j = 0; j <= i; j++) {
      double gram = 0, square = 0;
      for (int k = 0; k < rows; k++) gram += A[pivot[i] * rows + k] * A[pivot[j] * rows + k];
      for (int k = 0; k <= j && k < n; k++) square += R[i * rows + k] * R[j * rows + k];
      assert_close(square, gram, 0, 1e-12 * rows);
    }
  }
  for (int j = 0; j < columns; j++) assert_that(seen[j] == 1);
  for (int k = 1; k < n; k++)
    assert_that(fabs(R[k * rows + k]) <= fabs(R[(k - 1) * rows + k - 1]) * (1 + 1e-9) + 1e-14);
}

START_TEST(ranks)
{
  rng r = {(uint64_t)_i};
  double A[MOST], R[MOST], norm[2 * COLUMNS];
  int pivot[COLUMNS];
  const int rank = 1 + _i % COLUMNS;
  draw(&r, ROWS, COLUMNS, rank, A);
  memcpy(R, A, sizeof A);
  limb_qr_factor(ROWS, COLUMNS, R, pivot, norm);
  check_factor(ROWS, COLUMNS, A, R, pivot);
  const limb_qr_decision d = limb_qr_rank(ROWS, COLUMNS, R, 1e-10);
  assert_that(d.rank == rank);
  assert_that(d.kept > 1e-4 && d.dropped < 1e-13);
  assert_that((d.dropped > 0) == (rank < COLUMNS) || d.dropped == 0);
  limb_qr_combinations(ROWS, COLUMNS, rank, R);
  for (int j = rank; j < COLUMNS; j++) {
    double x[ROWS] = {0};
    for (int k = 0; k < rank; k++)
      for (int i = 0; i < ROWS; i++) x[i] += R[j * ROWS + k] * A[pivot[k] * ROWS + i];
    assert_close_array(x, A + pivot[j] * ROWS, ROWS, 0, 1e-11);
  }
}
END_TEST

// More columns than rows.
START_TEST(wide)
{
  rng r = {7};
  double A[MOST], R[MOST], norm[2 * COLUMNS];
  int pivot[COLUMNS];
  draw(&r, 5, COLUMNS, COLUMNS, A);
  memcpy(R, A, sizeof A);
  limb_qr_factor(5, COLUMNS, R, pivot, norm);
  check_factor(5, COLUMNS, A, R, pivot);
  assert_that(limb_qr_rank(5, COLUMNS, R, 1e-10).rank == 5);
}
END_TEST

// Kahan's matrix: the pivots fall slowly although it is nearly singular; what is left of a norm must be
// summed up anew or the order is lost.
START_TEST(nearly_dependent)
{
  enum { N = 12 };
  double A[N * N] = {0}, R[N * N], norm[2 * N];
  int pivot[N];
  const double s = sin(0.3), c = cos(0.3);
  for (int i = 0; i < N; i++) {
    for (int j = i; j < N; j++) A[j * N + i] = pow(s, i) * (i == j ? 1 : -c) * (1 - 1e-9 * j);
  }
  memcpy(R, A, sizeof A);
  limb_qr_factor(N, N, R, pivot, norm);
  check_factor(N, N, A, R, pivot);
  assert_that(limb_qr_rank(N, N, R, 1e-14).rank == N);
}
END_TEST

START_TEST(nothing)
{
  double A[6] = {0}, norm[4];
  int pivot[2];
  limb_qr_factor(3, 2, A, pivot, norm);
  const limb_qr_decision d = limb_qr_rank(3, 2, A, 1e-10);
  assert_that(d.rank == 0 && d.kept == 1 && d.dropped == 0);
  limb_qr_factor(3, 0, A, pivot, norm);
  assert_that(limb_qr_rank(3, 0, A, 1e-10).rank == 0);
}
END_TEST

CHECK_MAIN("linalg/qr", 40, ranks, wide, nearly_dependent, nothing)
