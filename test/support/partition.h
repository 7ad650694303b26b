// Hybrid dynamics by its definition: the dense partition of tau = M a + b, over complex numbers, so that it
// also carries a complex step.
//
//   M_ff a_f = tau_f - b_f - M_fg a_g,   tau = M a + b      f: force given, g: acceleration given
#ifndef LIMB_TEST_PARTITION_H
#define LIMB_TEST_PARTITION_H

#include "support/complex.h"

// What is given, and what follows; n numbers each, matrices n x n.
typedef struct partition {
  int n;
  const unsigned char* given;
  const cplx *M, *b, *x;
  cplx* work; // n x n
  cplx *a, *tau;
} partition;

// Gauss elimination of M_ff without exchanges: its real part is positive definite.
static inline void partition_eliminate(const partition* p)
{
  const int n = p->n;
  cplx *W = p->work, *r = p->a;
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n && !p->given[k]; i++) {
      if (p->given[i]) continue;
      const cplx f = W[i * n + k] / W[k * n + k];
      for (int j = k; j < n; j++) W[i * n + j] -= f * W[k * n + j];
      r[i] -= f * r[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    if (p->given[k]) continue;
    for (int j = k + 1; j < n; j++) {
      if (!p->given[j]) r[k] -= W[k * n + j] * r[j];
    }
    r[k] /= W[k * n + k];
  }
}

static inline void partition_solve(const partition* p)
{
  const int n = p->n;
  for (int i = 0; i < n; i++) {
    p->a[i] = p->given[i] ? p->x[i] : p->x[i] - p->b[i];
    for (int j = 0; j < n; j++) {
      p->work[i * n + j] = p->M[i * n + j];
      if (!p->given[i] && p->given[j]) p->a[i] -= p->M[i * n + j] * p->x[j];
    }
  }
  partition_eliminate(p);
  for (int i = 0; i < n; i++) {
    p->tau[i] = p->x[i];
    if (!p->given[i]) continue;
    p->tau[i] = p->b[i];
    for (int j = 0; j < n; j++) p->tau[i] += p->M[i * n + j] * p->a[j];
  }
}

// Random marks, about half of each.
static inline void random_marks(rng* r, int n, unsigned char* given)
{
  for (int k = 0; k < n; k++) given[k] = (unsigned char)rng_chance(r, 0.5);
}

#endif
