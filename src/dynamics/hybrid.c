// Hybrid dynamics: entry points, and the choice between articulated bodies and the mass matrix.

#include "dynamics/environment.h"
#include "dynamics/factors.h"
#include "dynamics/marks.h"
#include "kernel/tables.h"

// work: packed factors; NULL: by articulated bodies.
static limb_status run(limb_data* d, const limb_hybrid* in, const unsigned char* given, double* work, double* a,
                       double* tau)
{
  const limb_model* m = d->m;
  limb_status s = limb_check_state(d, in->q, in->v, in->x);
  if (s != LIMB_OK) return s;
  limb_surroundings x;
  s = limb_enter(d, in->env, in->q, in->v, &x);
  if (s != LIMB_OK) return s;
  const limb_kernels* k = limb_kernels_of(d);
  const limb_kernels_hybrid kin = {in->q, in->v, given, in->x, &x.terms, x.wrench};
  const double least =
    work ? k->hybrid_by_mass_matrix(m, m->k64, &d->ws, &kin, work, a, tau) : k->hybrid(m, m->k64, &d->ws, &kin, a, tau);
  limb_leave(d, &x);
  if (!(least > 0) || (work && !limb_factors_positive(m, work))) return LIMB_E_SINGULAR;
  return limb_finite_v(d, a) && limb_finite_v(d, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

// The output that is not wanted goes to scratch.
static limb_status run_wanted(limb_data* d, const limb_hybrid* in, const unsigned char* given, double* work, double* a,
                              double* tau)
{
  if (!a && !tau) return LIMB_E_ARG;
  return run(d, in, given, work, a ? a : d->user_v, tau ? tau : d->user_v);
}

limb_status limb_hybrid_dynamics(limb_data* d, const double* q, const double* v, const unsigned char* given,
                                 const double* x, const limb_environment* env, double* a, double* tau)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !v || !x) return LIMB_E_ARG;
  const unsigned char* marks = limb_marks(d, given);
  if (!marks) return LIMB_E_ARG;
  const limb_hybrid in = {q, v, given, x, env};
  return run_wanted(d, &in, marks, limb_marks_sweep(d->m, marks) ? NULL : d->ws.packed, a, tau);
}

limb_status limb_hybrid_dynamics_by_mass_matrix(limb_data* d, const limb_hybrid* in, double* work, double* a,
                                                double* tau)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !in || !in->q || !in->v || !in->x || !work) return LIMB_E_ARG;
  const unsigned char* marks = limb_marks(d, in->given);
  return marks ? run_wanted(d, in, marks, work, a, tau) : LIMB_E_ARG;
}
