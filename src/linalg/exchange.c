#include "linalg/exchange.h"

#include <stddef.h>

bool limb_exchange(int n, int k, double least, double* A)
{
  const size_t N = (size_t)n, K = (size_t)k;
  double* pivots = A + K * N;
  if (!(pivots[K] > least)) return false;
  const double inverse = 1 / pivots[K];
  for (size_t i = 0; i < N; i++) {
    double* row = A + i * N;
    if (i == K || row[K] == 0) continue;
    const double f = row[K] * inverse;
    for (size_t j = 0; j < N; j++) row[j] -= f * pivots[j];
    row[K] = f;
  }
  for (size_t j = 0; j < N; j++) pivots[j] *= -inverse;
  pivots[K] = inverse;
  return true;
}

void limb_exchange_beside(int n, int k, const double* A, int columns, double* B)
{
  const size_t N = (size_t)n, K = (size_t)k, C = (size_t)columns;
  double* pivots = B + K * C;
  for (size_t i = 0; i < N; i++) {
    const double f = A[i * N + K];
    if (i == K || f == 0) continue;
    for (size_t j = 0; j < C; j++) B[i * C + j] -= f * pivots[j];
  }
  for (size_t j = 0; j < C; j++) pivots[j] *= -A[K * N + K];
}
