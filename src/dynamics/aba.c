// Forward dynamics: entry points, and the choice between articulated bodies and the mass matrix.

#include "dynamics/environment.h"
#include "model/kernels.h"
#include "model/state_check.h"

typedef enum method { BY_ABA, BY_MASS_MATRIX } method;

// work: packed factors, BY_MASS_MATRIX only.
static limb_status run(limb_data* d, const double* q, const double* v, const double* tau,
                       const limb_environment* env, method by, double* work, double* a)
{
  const limb_model* m = d->m;
  limb_environment e;
  limb_status s = limb_environment_read(m, env, &e);
  if (s == LIMB_OK) s = limb_check_q(m, q);
  if (s != LIMB_OK) return s;
  if (!limb_finite(m->nv, v) || !limb_finite(m->nv, tau)) return LIMB_E_NONFINITE;

  const limb_kernels* k = limb_kernels_of(d);
  const limb_terms terms = {false, e.friction != 0, true, e.coulomb_width};
  limb_set_base(d, &e);
  const double* wrench = limb_set_wrenches(d, q, &e);
  const double least =
    by == BY_ABA ? k->aba(m, m->k64, &d->ws, q, v, tau, &terms, wrench, a)
                 : k->by_mass_matrix(m, m->k64, &d->ws, q, v, tau, &terms, wrench, work, a);
  limb_clear_wrenches(d, &e);
  if (!(least > 0)) return LIMB_E_SINGULAR;
  return limb_finite(m->nv, a) ? LIMB_OK : LIMB_E_NONFINITE;
}

// Below this many coordinates the mass matrix of a chain is faster than articulated bodies.
enum { SHORT_CHAIN = 8 };

limb_status limb_forward_dynamics(limb_data* d, const double* q, const double* v, const double* tau,
                                  const limb_environment* env, double* a)
{
  if (!d || !q || !v || !tau || !a) return LIMB_E_ARG;
  const limb_model* m = d->m;
  const bool by_factors = m->has_mimic || (m->nv <= SHORT_CHAIN && m->naux == 0);
  return run(d, q, v, tau, env, by_factors ? BY_MASS_MATRIX : BY_ABA, d->ws.packed, a);
}

limb_status limb_forward_dynamics_aba(limb_data* d, const double* q, const double* v,
                                      const double* tau, const limb_environment* env, double* a)
{
  if (!d || !q || !v || !tau || !a) return LIMB_E_ARG;
  if (d->m->has_mimic) return LIMB_E_UNSUPPORTED;
  return run(d, q, v, tau, env, BY_ABA, NULL, a);
}

limb_status limb_forward_dynamics_by_mass_matrix(limb_data* d, const double* q, const double* v,
                                                 const double* tau, const limb_environment* env,
                                                 double* work, double* a)
{
  if (!d || !q || !v || !tau || !work || !a) return LIMB_E_ARG;
  return run(d, q, v, tau, env, BY_MASS_MATRIX, work, a);
}
