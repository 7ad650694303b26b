// Exponential of a dense matrix by scaling and squaring.
//
// Reference: N. Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J. Matrix
//            Analysis 26, 2005: (2.9) coefficients, theta_13 of table 2.3, algorithm 2.3 with degree 13 only.
// Cost:      O(n^3): 6 + s products and one factorisation with n right-hand sides, s = log2(norm / theta).
//
//   X = A / 2^s,  r(X) = (V - U)^-1 (V + U),  exp A = r^(2^s)
//   U = X (X6 (b13 X6 + b11 X4 + b9 X2) + b7 X6 + b5 X4 + b3 X2 + b1)
//   V =    X6 (b12 X6 + b10 X4 + b8 X2) + b6 X6 + b4 X4 + b2 X2 + b0
//
// Rounding grows with the norm of A as the condition of the problem does. Norms above 2^26 are refused: less
// than half of the digits would be left.

#include "linalg/dense.h"

#include "base/numeric.h"

#include <math.h>
#include <string.h>

#define THETA_13 5.371920351148152
#define LARGEST  0x1p26

static const double b[14] = {64764752532480000.,
                             32382376266240000.,
                             7771770303897600.,
                             1187353796428800.,
                             129060195264000.,
                             10559470521600.,
                             670442572800.,
                             33522128640.,
                             1323241920.,
                             40840800.,
                             960960.,
                             16380.,
                             182.,
                             1.};

double limb_norm1(int rows, int columns, const double* A)
{
  double norm = 0;
  for (ptrdiff_t j = 0; j < columns; j++) {
    double sum = 0;
    for (ptrdiff_t i = 0; i < rows; i++) sum += fabs(A[i * columns + j]);
    if (sum > norm || isnan(sum)) norm = sum; // nothing is larger than NaN: it stays
  }
  return norm;
}

// C = A B
static void product(ptrdiff_t n, const double* A, const double* B, double* C)
{
  limb_matrix_product((int)n, (int)n, (int)n, A, B, C);
}

// Y = c0 1 + c2 X2 + c4 X4 + c6 X6
static void polynomial(ptrdiff_t n, const double c[4], const double* const X[3], double* Y)
{
  for (ptrdiff_t k = 0; k < n * n; k++) Y[k] = c[1] * X[0][k] + c[2] * X[1][k] + c[3] * X[2][k];
  for (ptrdiff_t k = 0; k < n; k++) Y[k * n + k] += c[0];
}

static void swap_rows(ptrdiff_t n, double* A, ptrdiff_t i, ptrdiff_t j)
{
  for (ptrdiff_t k = 0; k < n; k++) {
    const double x = A[i * n + k];
    A[i * n + k] = A[j * n + k], A[j * n + k] = x;
  }
}

// row i of A -= f times row k, from column `from` on
static void subtract_row(ptrdiff_t n, double* A, ptrdiff_t i, ptrdiff_t k, double f, ptrdiff_t from)
{
  for (ptrdiff_t j = from; j < n; j++) A[i * n + j] -= f * A[k * n + j];
}

// B = A^-1 B by elimination with partial pivoting; A is lost. A zero pivot leaves infinities.
static void solve(ptrdiff_t n, double* A, double* B)
{
  for (ptrdiff_t k = 0; k < n; k++) {
    ptrdiff_t best = k;
    for (ptrdiff_t i = k + 1; i < n; i++) {
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    }
    if (best != k) swap_rows(n, A, k, best), swap_rows(n, B, k, best);
    for (ptrdiff_t i = k + 1; i < n; i++) {
      const double f = A[i * n + k] / A[k * n + k];
      if (f == 0) continue;
      subtract_row(n, A, i, k, f, k + 1);
      subtract_row(n, B, i, k, f, 0);
    }
  }
  for (ptrdiff_t k = n - 1; k >= 0; k--) {
    for (ptrdiff_t j = 0; j < n; j++) B[k * n + j] /= A[k * n + k];
    for (ptrdiff_t i = 0; i < k; i++) subtract_row(n, B, i, k, A[i * n + k], 0);
  }
}

// R = r(X): X is kept, W holds 4 n^2 numbers.
static void pade13(ptrdiff_t n, const double* X, double* W, double* R)
{
  const ptrdiff_t nn = n * n;
  double *X2 = W, *X4 = W + nn, *X6 = W + 2 * nn, *U = W + 3 * nn;
  const double* const even[3] = {X2, X4, X6};
  product(n, X, X, X2);
  product(n, X2, X2, X4);
  product(n, X4, X2, X6);
  // U
  polynomial(n, (const double[]){0, b[9], b[11], b[13]}, even, R);
  product(n, X6, R, U);
  polynomial(n, (const double[]){b[1], b[3], b[5], b[7]}, even, R);
  for (ptrdiff_t k = 0; k < nn; k++) R[k] += U[k];
  product(n, X, R, U);
  // V, in R
  polynomial(n, (const double[]){b[0], b[2], b[4], b[6]}, even, R);
  polynomial(n, (const double[]){0, b[8], b[10], b[12]}, even, X2);
  product(n, X6, X2, X4);
  for (ptrdiff_t k = 0; k < nn; k++) R[k] += X4[k];
  // V - U, in X2, and V + U, in R
  for (ptrdiff_t k = 0; k < nn; k++) {
    X2[k] = R[k] - U[k];
    R[k] += U[k];
  }
  solve(n, X2, R);
}

limb_status limb_expm(int n, double* A, double* work)
{
  const ptrdiff_t nn = (ptrdiff_t)n * n;
  const double norm = limb_norm1(n, n, A);
  if (!limb_finite(1, &norm)) return LIMB_E_NONFINITE;
  if (norm > LARGEST) return LIMB_E_UNSUPPORTED;
  int squarings = 0;
  double scale = 1;
  while (norm * scale > THETA_13) {
    scale /= 2;
    squarings++;
  }
  for (ptrdiff_t k = 0; k < nn; k++) A[k] *= scale;
  double* R = work + 4 * nn;
  pade13(n, A, work, R);
  for (int s = 0; s < squarings; s++) {
    product(n, R, R, A);
    memcpy(R, A, (size_t)nn * sizeof *A);
  }
  memcpy(A, R, (size_t)nn * sizeof *A);
  return limb_finite(nn, A) ? LIMB_OK : LIMB_E_NONFINITE;
}
