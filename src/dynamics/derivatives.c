// First derivatives of inverse and forward dynamics: entry points.

#include "limb/derivatives.h"

#include "dynamics/environment.h"
#include "dynamics/factors.h"
#include "kernel/tables.h"
#include "model/loop_calls.h"

// Checks what both calls are given, and reads the surroundings. x: accelerations or forces.
static limb_status enter(limb_data* d, const double* q, const double* v, const double* x, const limb_environment* env,
                         limb_surroundings* around)
{
  if (!d || !q || !v || !x) return LIMB_E_ARG;
  if (!d->ws.table.cell) return LIMB_E_UNSUPPORTED;
  const limb_status s = limb_check_state(d, q, v, x);
  return s == LIMB_OK ? limb_enter_lawless(d, env, NULL, around) : s;
}

limb_status limb_inverse_dynamics_derivatives(limb_data* d, const double* q, const double* v, const double* a,
                                              const limb_environment* env, const limb_id_derivatives* out)
{
  if (!out) return LIMB_E_ARG;
  if (d && d->loops && q && v && a) return d->m->loop_calls->inverse_dynamics_derivatives(d->loops, q, v, a, env, out);
  limb_surroundings around;
  const limb_status s = enter(d, q, v, a, env, &around);
  if (s != LIMB_OK) return s;
  const limb_kernels_motion in = {q, v, a, &around.terms, around.given, around.ngiven, NULL, 0};
  const limb_kernels_slopes slopes = {out->tau, out->dtau_dq, out->dtau_dv, out->M};
  const bool fine = limb_kernels_of(d)->id_derivatives(d->m, d->m->k64, &d->ws, &in, &slopes) &&
                    (!out->tau || limb_finite_v(d, out->tau));
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_forward_dynamics_derivatives(limb_data* d, const double* q, const double* v, const double* tau,
                                              const limb_environment* env, const limb_fd_derivatives* out)
{
  if (!out || !out->dacc_dq || !out->dacc_dv || !out->dacc_dtau) return LIMB_E_ARG;
  if (d && d->loops && q && v && tau)
    return d->m->loop_calls->forward_dynamics_derivatives(d->loops, q, v, tau, env, out);
  limb_surroundings around;
  const limb_status s = enter(d, q, v, tau, env, &around);
  if (s != LIMB_OK) return s;
  const limb_kernels_motion in = {q, v, tau, &around.terms, around.given, around.ngiven, NULL, 0};
  const limb_kernels_slopes slopes = {out->acc, out->dacc_dq, out->dacc_dv, out->dacc_dtau};
  const double least = limb_kernels_of(d)->fd_derivatives(d->m, d->m->k64, &d->ws, &in, &slopes);
  if (!(least > 0) || !limb_inverse_positive(d->m, out->dacc_dtau)) return LIMB_E_SINGULAR;
  const bool fine = *d->ws.table.finite && (!out->acc || limb_finite_v(d, out->acc));
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}
