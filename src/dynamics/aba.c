// Forward and hybrid dynamics: entry points, and the choice between articulated bodies and the mass matrix.

#include "dynamics/dynamics_impl.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "model/loop_calls.h"

#include <math.h>

// ---- which forces and accelerations are given ---------------------------------------------------------------

bool limb_given_valid(const limb_model* m, const unsigned char* given)
{
  for (int k = 0; k < m->nv; k++) {
    if (given[k] != LIMB_FORCE_GIVEN && given[k] != LIMB_ACCELERATION_GIVEN) return false;
  }
  return true;
}

const unsigned char* limb_read_given(const limb_data* d, const unsigned char* given)
{
  if (!given) return d->inverse;
  return limb_given_valid(d->m, given) ? given : NULL;
}

bool limb_given_sweeps(const limb_model* m, const unsigned char* given)
{
  for (int j = 0; m->has_mimic && j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (joint->def.mimic >= 0 && !given[joint->v]) return false;
  }
  return true;
}

// ---- forward dynamics ---------------------------------------------------------------------------------------

typedef enum method { BY_ABA, BY_MASS_MATRIX, BY_CHAIN } method;

// What limb_forward_dynamics uses: the mass matrix for mimic joints, and for chains so short that it is
// faster.
static method best_of(const limb_model* m)
{
  if (m->has_mimic) return BY_MASS_MATRIX;
  return limb_is_short_chain(m) ? BY_CHAIN : BY_ABA;
}

static double run_kernel(limb_data* d, const double* q, const double* v, const double* tau,
                         const limb_call_environment* x, method by, double* work, double* a)
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
static limb_status solve_on_links(limb_data* d, const double* q, const double* v, const double* tau,
                                  const limb_call_environment* x, method by, double* work, double* a)
{
  const limb_model* m = d->m;
  double margin = run_kernel(d, q, v, tau, x, by, work, a);
  // Where pivots are in doubt, articulated bodies lose digits, and determinants of chains may leave the range of
  // numbers: the factors of M have a residual that is rounding.
  if (by != BY_MASS_MATRIX && (!(margin > 0) || (by == BY_CHAIN && !limb_finite_v(d, a))) && limb_ws_packed(m) > 0) {
    by = BY_MASS_MATRIX, work = d->ws.packed;
    margin = fmin(margin, run_kernel(d, q, v, tau, x, by, work, a));
  }
  const bool positive = by != BY_MASS_MATRIX || limb_factors_positive(m, work);
  if (!positive || !limb_regular(d, margin, q, NULL)) return LIMB_E_SINGULAR;
  return limb_finite_v(d, a) ? LIMB_OK : LIMB_E_NONFINITE;
}

static limb_status solve_forward(limb_data* d, const double* q, const double* v, const double* tau,
                                 const limb_environment* env, method by, double* work, double* a)
{
  limb_status s = limb_check_state(d, q, v, tau);
  if (s != LIMB_OK) return s;
  limb_call_environment x;
  s = limb_enter(d, env, q, v, &x);
  if (s != LIMB_OK) return s;
  s = solve_on_links(d, q, v, tau, &x, by, work, a);
  limb_leave(d, &x);
  return s;
}

limb_status limb_accelerate_links(limb_data* d, const limb_kernels_motion* in, const double* wrench, double* a)
{
  const limb_call_environment x = {.terms = *in->terms, .wrench = wrench};
  return solve_on_links(d, in->q, in->v, in->x, &x, best_of(d->m), d->ws.packed, a);
}

limb_status limb_forward_dynamics(limb_data* d, const double* q, const double* v, const double* tau,
                                  const limb_environment* env, double* a)
{
  if (!d || !q || !v || !tau || !a) return LIMB_E_ARG;
  if (d->loops) return d->m->loop_calls->forward_dynamics(d->loops, q, v, tau, env, a);
  return solve_forward(d, q, v, tau, env, best_of(d->m), d->ws.packed, a);
}

limb_status limb_forward_dynamics_aba(limb_data* d, const double* q, const double* v, const double* tau,
                                      const limb_environment* env, double* a)
{
  if (!d || !q || !v || !tau || !a) return LIMB_E_ARG;
  if (d->m->has_mimic || d->loops) return LIMB_E_UNSUPPORTED;
  return solve_forward(d, q, v, tau, env, BY_ABA, NULL, a);
}

limb_status limb_forward_dynamics_by_mass_matrix(limb_data* d, const double* q, const double* v, const double* tau,
                                                 const limb_environment* env, double* work, double* a)
{
  if (!d || !q || !v || !tau || !work || !a) return LIMB_E_ARG;
  if (d->loops) return LIMB_E_UNSUPPORTED;
  return solve_forward(d, q, v, tau, env, BY_MASS_MATRIX, work, a);
}

// ---- hybrid dynamics ----------------------------------------------------------------------------------------

// work: packed factors; NULL: by articulated bodies.
static limb_status solve_hybrid(limb_data* d, const limb_hybrid* in, const unsigned char* given, double* work,
                                double* a, double* tau)
{
  const limb_model* m = d->m;
  limb_status s = limb_check_state(d, in->q, in->v, in->x);
  if (s != LIMB_OK) return s;
  limb_call_environment x;
  s = limb_enter(d, in->env, in->q, in->v, &x);
  if (s != LIMB_OK) return s;
  const limb_kernels* k = limb_kernels_of(d);
  const limb_kernels_hybrid kin = {in->q, in->v, given, in->x, &x.terms, x.wrench};
  double margin =
    work ? k->hybrid_by_mass_matrix(m, m->k64, &d->ws, &kin, work, a, tau) : k->hybrid(m, m->k64, &d->ws, &kin, a, tau);
  if (!work && !(margin > 0) && limb_ws_packed(m) > 0) { // as above
    work = d->ws.packed;
    margin = fmin(margin, k->hybrid_by_mass_matrix(m, m->k64, &d->ws, &kin, work, a, tau));
  }
  limb_leave(d, &x);
  if ((work && !limb_factors_positive(m, work)) || !limb_regular(d, margin, in->q, given)) return LIMB_E_SINGULAR;
  return limb_finite_v(d, a) && limb_finite_v(d, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

// An output that is NULL goes to scratch.
static limb_status solve_wanted(limb_data* d, const limb_hybrid* in, const unsigned char* given, double* work,
                                double* a, double* tau)
{
  if (!a && !tau) return LIMB_E_ARG;
  return solve_hybrid(d, in, given, work, a ? a : d->user_v, tau ? tau : d->user_v);
}

limb_status limb_hybrid_dynamics(limb_data* d, const double* q, const double* v, const unsigned char* given,
                                 const double* x, const limb_environment* env, double* a, double* tau)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !v || !x) return LIMB_E_ARG;
  const unsigned char* given_dofs = limb_read_given(d, given);
  if (!given_dofs) return LIMB_E_ARG;
  const limb_hybrid in = {q, v, given, x, env};
  return solve_wanted(d, &in, given_dofs, limb_given_sweeps(d->m, given_dofs) ? NULL : d->ws.packed, a, tau);
}

limb_status limb_hybrid_dynamics_by_mass_matrix(limb_data* d, const limb_hybrid* in, double* work, double* a,
                                                double* tau)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !in || !in->q || !in->v || !in->x || !work) return LIMB_E_ARG;
  const unsigned char* given_dofs = limb_read_given(d, in->given);
  return given_dofs ? solve_wanted(d, in, given_dofs, work, a, tau) : LIMB_E_ARG;
}
