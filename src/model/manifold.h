// The configuration manifold: tangents, for derivatives with respect to q; checks.
#ifndef LIMB_MANIFOLD_H
#define LIMB_MANIFOLD_H

#include "base/numeric.h"
#include "model/model_impl.h"

// d q / d t for velocities v: a step along it is what a derivative with respect to q means. The norm of
// a quaternion, which need not be 1, does not change.
void limb_configuration_rate(const limb_model* m, const double* q, const double* v, double* dq);

// ---- checks of configurations; those of states are in kernel/tables.h ---------------------------------------

// Norms of the quaternions in q within 1e-3 of 1.
static inline bool limb_unit_quaternions(const limb_model* m, const double* q)
{
  for (int x = 0; x < m->naux; x++) {
    const double* u = q + m->quaternion[x];
    const double norm2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
    if (!(norm2 > 0.998001 && norm2 < 1.002001)) return false; // 0.999^2, 1.001^2
  }
  return true;
}

// A configuration, without a workspace: LIMB_OK, LIMB_E_NONFINITE or LIMB_E_ARG (a quaternion).
static inline limb_status limb_check_q(const limb_model* m, const double* q)
{
  if (!limb_finite(m->nq, q)) return LIMB_E_NONFINITE;
  return limb_unit_quaternions(m, q) ? LIMB_OK : LIMB_E_ARG;
}

#endif
