// Forward dynamics: entry points, and the choice between articulated bodies and the mass matrix.

#include "dynamics/environment.h"
#include "dynamics/factors.h"
#include "kernel/tables.h"
#include "model/loop_calls.h"

typedef enum method { BY_ABA, BY_MASS_MATRIX, BY_CHAIN } method;

// What limb_forward_dynamics uses: the mass matrix for mimic joints, and for chains so short that it is
// faster.
static method best_of(const limb_model* m)
{
  if (m->has_mimic) return BY_MASS_MATRIX;
  return limb_is_short_chain(m) ? BY_CHAIN : BY_ABA;
}

static double least_margin(limb_data* d, const double* q, const double* v, const double* tau,
                           const limb_surroundings* x, method by, double* work, double* a)
{
  const limb_kernels* k = limb_kernels_of(d);
  const limb_model* m = d->m;
  switch (by) {
  case BY_CHAIN: return k->forward_chain(m, m->k64, &d->ws, q, v, tau, &x->terms, x->wrench, a);
  case BY_MASS_MATRIX: return k->by_mass_matrix(m, m->k64, &d->ws, q, v, tau, &x->terms, x->wrench, work, a);
  default: return k->aba(m, m->k64, &d->ws, q, v, tau, &x->terms, x->wrench, a);
  }
}

// work: packed factors, BY_MASS_MATRIX only.
static limb_status run(limb_data* d, const double* q, const double* v, const double* tau, const limb_environment* env,
                       method by, double* work, double* a)
{
  const limb_model* m = d->m;
  limb_status s = limb_check_state(d, q, v, tau);
  if (s != LIMB_OK) return s;
  limb_surroundings x;
  s = limb_enter(d, env, q, v, &x);
  if (s != LIMB_OK) return s;
  double least = least_margin(d, q, v, tau, &x, by, work, a);
  // what looks singular, or is not finite, may be beyond the range of determinants only
  if (by == BY_CHAIN && (!(least > 0) || !limb_finite_v(d, a))) least = least_margin(d, q, v, tau, &x, BY_ABA, NULL, a);
  limb_leave(d, &x);
  const bool positive = by != BY_MASS_MATRIX || limb_factors_positive(m, work);
  if (!(least > 0) || !positive) return LIMB_E_SINGULAR;
  return limb_finite_v(d, a) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_forward_dynamics(limb_data* d, const double* q, const double* v, const double* tau,
                                  const limb_environment* env, double* a)
{
  if (!d || !q || !v || !tau || !a) return LIMB_E_ARG;
  if (d->loops) return d->m->loop_calls->forward_dynamics(d->loops, q, v, tau, env, a);
  return run(d, q, v, tau, env, best_of(d->m), d->ws.packed, a);
}

limb_status limb_forward_dynamics_aba(limb_data* d, const double* q, const double* v, const double* tau,
                                      const limb_environment* env, double* a)
{
  if (!d || !q || !v || !tau || !a) return LIMB_E_ARG;
  if (d->m->has_mimic || d->loops) return LIMB_E_UNSUPPORTED;
  return run(d, q, v, tau, env, BY_ABA, NULL, a);
}

limb_status limb_forward_dynamics_by_mass_matrix(limb_data* d, const double* q, const double* v, const double* tau,
                                                 const limb_environment* env, double* work, double* a)
{
  if (!d || !q || !v || !tau || !work || !a) return LIMB_E_ARG;
  if (d->loops) return LIMB_E_UNSUPPORTED;
  return run(d, q, v, tau, env, BY_MASS_MATRIX, work, a);
}
