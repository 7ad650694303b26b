// Inverse dynamics and its parts: entry points of the recursive Newton-Euler kernel.

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "model/loop_calls.h"

// tau by the kernel, inputs checked.
static limb_status run(limb_data* d, const double* q, const double* v, const double* a, const limb_call_environment* x,
                       const limb_terms* terms, double* tau)
{
  const limb_model* m = d->m;
  limb_kernels_of(d)->inverse_dynamics(m, m->k64, &d->ws, q, v, a, terms, x->wrench, tau);
  return limb_finite_v(d, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_inverse_dynamics(limb_data* d, const double* q, const double* v, const double* a,
                                  const limb_environment* env, double* tau)
{
  if (!d || !q || !v || !a || !tau) return LIMB_E_ARG;
  if (d->loops) return d->m->loop_calls->inverse_dynamics(d->loops, q, v, a, env, tau);
  limb_status s = limb_check_state(d, q, v, a);
  if (s != LIMB_OK) return s;
  limb_call_environment x;
  s = limb_enter(d, env, q, v, &x);
  if (s != LIMB_OK) return s;
  s = run(d, q, v, a, &x, &x.terms, tau);
  limb_leave(d, &x);
  return s;
}

limb_status limb_bias_forces(limb_data* d, const double* q, const double* v, const limb_environment* env, double* tau)
{
  if (!d || !q || !v || !tau) return LIMB_E_ARG;
  limb_status s = limb_check_state(d, q, v, NULL);
  if (s == LIMB_OK && d->loops) return d->m->loop_calls->bias_forces(d->loops, q, v, env, tau);
  if (s != LIMB_OK) return s;
  limb_call_environment x;
  s = limb_enter(d, env, NULL, NULL, &x);
  const limb_terms none = {0};
  return s == LIMB_OK ? run(d, q, v, d->zeros, &x, &none, tau) : s;
}

limb_status limb_gravity_forces(limb_data* d, const double* q, const limb_environment* env, double* tau)
{
  if (!d || !q || !tau) return LIMB_E_ARG;
  limb_environment e, only = limb_default_environment(d->m);
  limb_status s = limb_environment_read(d->m, env, &e);
  if (s == LIMB_OK) s = limb_check_state(d, q, NULL, NULL);
  if (s != LIMB_OK) return s;
  only.gravity = e.gravity;
  limb_call_environment x;
  s = limb_enter(d, env ? &only : NULL, NULL, NULL, &x);
  const limb_terms none = {0};
  if (s == LIMB_OK) s = run(d, q, d->zeros, d->zeros, &x, &none, tau);
  return s == LIMB_OK && d->loops ? d->m->loop_calls->reduce(d->loops, q, 1, tau) : s;
}

// What friction and springs take, as far as terms have them; q NULL: neither springs nor cords.
static limb_status passive(limb_data* d, const double* q, const double* v, const limb_terms* terms, double* tau)
{
  const limb_model* m = d->m;
  limb_kernels_of(d)->passive(m, m->k64, &d->ws, q, v, terms, tau);
  return limb_finite_v(d, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_friction_forces_at(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                    double* tau)
{
  if (!d || !v || !tau) return LIMB_E_ARG;
  limb_environment e;
  limb_status s = limb_environment_read(d->m, env, &e);
  if (s == LIMB_OK && q) s = limb_check_state(d, q, v, NULL);
  if (s != LIMB_OK) return s;
  if (!limb_finite_v(d, v)) return LIMB_E_NONFINITE;
  if (!q && d->m->has_cords && e.friction) return LIMB_E_UNSUPPORTED;
  const limb_terms terms = {.friction = e.friction, .width = e.coulomb_width};
  return passive(d, q, v, &terms, tau);
}

limb_status limb_friction_forces(limb_data* d, const double* v, const limb_environment* env, double* tau)
{
  return limb_friction_forces_at(d, NULL, v, env, tau);
}

limb_status limb_spring_forces(limb_data* d, const double* q, double* tau)
{
  if (!d || !q || !tau) return LIMB_E_ARG;
  const limb_status s = limb_check_state(d, q, NULL, NULL);
  const limb_terms terms = {.springs = true};
  return s == LIMB_OK ? passive(d, q, d->zeros, &terms, tau) : s;
}
