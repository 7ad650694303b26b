// Checks of the user's vectors: finite numbers, quaternions near unit norm.
#ifndef LIMB_STATE_CHECK_H
#define LIMB_STATE_CHECK_H

#include "model/model_impl.h"

// No NaN and no infinity among n numbers: 0 times each of them is 0. Four sums, so that long vectors
// are not bound by the latency of addition.
static inline bool limb_finite(int n, const double* x)
{
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) s0 += 0 * x[i], s1 += 0 * x[i + 1], s2 += 0 * x[i + 2], s3 += 0 * x[i + 3];
  for (; i < n; i++) s0 += 0 * x[i];
  return (s0 + s1) + (s2 + s3) == 0;
}

// q of the right shape: finite, quaternions with a norm within 1e-3 of 1.
static inline limb_status limb_check_q(const limb_model* m, const double* q)
{
  if (!limb_finite(m->nq, q)) return LIMB_E_NONFINITE;
  if (m->naux == 0) return LIMB_OK;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    if (link->aux < 0) continue;
    const double* u = q + link->q + (link->shape == SHAPE_FREE ? 3 : 0);
    const double norm2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
    if (!(norm2 > 0.998001 && norm2 < 1.002001)) return LIMB_E_ARG; // 0.999^2, 1.001^2
  }
  return LIMB_OK;
}

#endif
