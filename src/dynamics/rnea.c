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

limb_status limb_friction_forces(limb_data* d, const double* v, const limb_environment* env, double* tau)
{
  if (!d || !v || !tau) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_environment e;
  const limb_status s = limb_environment_read(m, env, &e);
  if (s != LIMB_OK) return s;
  if (!limb_finite_v(d, v)) return LIMB_E_NONFINITE;
  for (int k = 0; k < m->nv; k++) tau[k] = 0;
  if (!e.friction) return LIMB_OK;
  for (int c = 0; c < m->ncdof; c++) {
    const limb_dof* dof = &m->dof[c];
    const limb_actuator* k = &m->actuator[c];
    const double rate = dof->mult * v[dof->v];
    const double felt = k->viscous * rate + k->coulomb * limb_smooth_sign(rate, e.coulomb_width);
    tau[dof->v] += dof->mult * felt;
  }
  for (int k = 0; k < m->ncoupling; k++) {
    const limb_coupling* x = &m->coupling[k];
    limb_add_tension(m, x, x->damping * limb_coupling_rate(m, x, v), tau);
  }
  return limb_finite_v(d, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_spring_forces(limb_data* d, const double* q, double* tau)
{
  if (!d || !q || !tau) return LIMB_E_ARG;
  const limb_model* m = d->m;
  const limb_status s = limb_check_state(d, q, NULL, NULL);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < m->nv; k++) tau[k] = 0;
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (joint->def.stiffness == 0) continue;
    const double stretch = joint->multiplier * q[joint->q] + joint->offset - joint->def.rest;
    tau[joint->v] += joint->multiplier * joint->def.stiffness * stretch;
  }
  for (int k = 0; k < m->ncoupling; k++) {
    const limb_coupling* x = &m->coupling[k];
    limb_add_tension(m, x, x->stiffness * limb_coupling_stretch(m, x, q), tau);
  }
  return limb_finite_v(d, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}
