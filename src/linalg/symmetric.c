#include "linalg/symmetric.h"

#include "linalg/dot.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Row by row:
//   l_ij = (a_ij - sum_k<j l_ik l_jk) / l_jj,   l_ii^2 = a_ii - sum_k<i l_ik^2
bool limb_cholesky(int n, double* A)
{
  const size_t N = (size_t)n;
  for (size_t i = 0; i < N; i++) {
    double* l = A + i * N;
    for (size_t j = 0; j < i; j++) l[j] = (l[j] - limb_dot(j, l, A + j * N)) / A[j * N + j];
    const double rest = l[i] - limb_dot(i, l, l);
    if (!(rest > 4 * n * DBL_EPSILON * l[i])) return false;
    l[i] = sqrt(rest);
  }
  return true;
}

// L y = x, then L' x = y.
void limb_cholesky_solve(int n, const double* L, double* x)
{
  const size_t N = (size_t)n;
  for (size_t i = 0; i < N; i++) x[i] = (x[i] - limb_dot(i, L + i * N, x)) / L[i * N + i];
  for (size_t i = N; i-- > 0;) {
    const double* l = L + i * N;
    x[i] /= l[i];
    for (size_t k = 0; k < i; k++) x[k] -= l[k] * x[i];
  }
}

// Column j of the inverse is A^-1 e_j; as a row it is the same.
void limb_cholesky_inverse(int n, const double* L, double* X)
{
  const size_t N = (size_t)n;
  memset(X, 0, N * N * sizeof *X);
  for (size_t j = 0; j < N; j++) {
    X[j * N + j] = 1;
    limb_cholesky_solve(n, L, X + j * N);
  }
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < i; j++) X[i * N + j] = X[j * N + i] = (X[i * N + j] + X[j * N + i]) / 2;
  }
}
