// Computations of quantities: the Lagrangian, all bodies at once, the factors of closed forms. Calls are about
// all bodies, quantities about those that the robot was described by.
#include "limb/dynamics.h"
#include "limb/lagrange.h"
#include "limb/verify.h"

#include "quantities/evaluator_impl.h"

#include <string.h>

static int bodies(const limb_lane* w) { return limb_body_count(w->e->model); }

// ---- the Lagrangian -------------------------------------------------------------------------------------

// kinetic and potential: 0 leaves it out, else its sign.
static limb_status energies(limb_lane* w, const double* v, double kinetic, double potential, double* x)
{
  limb_energy e = {0, 0, 0};
  const limb_status s = limb_energies(w->data, w->q, v, w->env, &e);
  *x = kinetic * e.kinetic + potential * (e.gravity + e.springs);
  return s;
}

limb_status limb_eval_T(limb_lane* w, double* x) { return energies(w, w->v, 1, 0, x); }
limb_status limb_eval_U(limb_lane* w, double* x) { return energies(w, w->zero, 0, 1, x); }
limb_status limb_eval_L(limb_lane* w, double* x) { return energies(w, w->v, 1, -1, x); }

limb_status limb_eval_dT_dv(limb_lane* w, double* x)
{
  return limb_energy_derivatives(w->data, w->q, w->v, w->env, NULL, x, NULL);
}

limb_status limb_eval_dT_dq(limb_lane* w, double* x)
{
  return limb_energy_derivatives(w->data, w->q, w->v, w->env, x, NULL, NULL);
}

limb_status limb_eval_dU_dq(limb_lane* w, double* x)
{
  return limb_energy_derivatives(w->data, w->q, w->zero, w->env, NULL, NULL, x);
}

limb_status limb_eval_body_energy(limb_lane* w, double* x)
{
  const int n = bodies(w);
  double *kinetic = w->work, *gravity = kinetic + n;
  const limb_status s = limb_body_energies(w->data, w->q, w->v, w->env, kinetic, gravity);
  for (int k = 0; k < w->e->nbody && s == LIMB_OK; k++) *x++ = kinetic[w->e->body[k]], *x++ = gravity[w->e->body[k]];
  return s;
}

// ---- all bodies -----------------------------------------------------------------------------------------

limb_status limb_eval_body_pose(limb_lane* w, double* x)
{
  sp_pose* X = (sp_pose*)(void*)w->work;
  const limb_status s = limb_get_body_motions(w->data, w->ref, &(limb_body_motions){.pose = X});
  for (int k = 0; k < w->e->nbody && s == LIMB_OK; k++, x += 16) limb_put_pose(X[w->e->body[k]], x);
  return s;
}

// One motion of each body, row by row.
static limb_status rows_of(const limb_lane* w, limb_status s, double* x)
{
  const sp_motion* V = (const sp_motion*)(const void*)w->work;
  for (int k = 0; k < w->e->nbody && s == LIMB_OK; k++, x += 6) s = limb_put_columns(s, &V[w->e->body[k]], 1, x);
  return s;
}

static limb_status forces_of(const limb_lane* w, limb_status s, const sp_force* F, double* x)
{
  for (int k = 0; k < w->e->nbody && s == LIMB_OK; k++, x += 6) s = limb_put_forces(s, &F[w->e->body[k]], 1, x);
  return s;
}

limb_status limb_eval_body_velocity(limb_lane* w, double* x)
{
  const limb_body_motions out = {.velocity = (sp_motion*)(void*)w->work};
  return rows_of(w, limb_get_body_motions(w->data, w->ref, &out), x);
}

limb_status limb_eval_body_acceleration(limb_lane* w, double* x)
{
  const limb_body_motions out = {.acceleration = (sp_motion*)(void*)w->work};
  return rows_of(w, limb_get_body_motions(w->data, w->ref, &out), x);
}

limb_status limb_eval_body_J(limb_lane* w, double* x)
{
  const size_t nv = (size_t)w->e->nv;
  sp_motion* J = (sp_motion*)(void*)w->work;
  limb_status s = limb_get_body_motions(w->data, w->ref, &(limb_body_motions){.J = J});
  for (int k = 0; k < w->e->nbody && s == LIMB_OK; k++, x += 6 * nv)
    s = limb_put_columns(s, J + (size_t)w->e->body[k] * nv, nv, x);
  return s;
}

limb_status limb_eval_net_wrench(limb_lane* w, double* x)
{
  sp_force* F = (sp_force*)(void*)w->work;
  const limb_status s = limb_get_body_motions(w->data, w->ref, &(limb_body_motions){.net_wrench = F});
  return forces_of(w, s, F, x);
}

// moments: 3 numbers each; axes: 9 each; one of them is NULL.
static limb_status principal(const limb_lane* w, double* moments, double* axes)
{
  for (int k = 0; k < w->e->nbody; k++) {
    limb_body_info body;
    double moment[3];
    sp_mat3 R;
    const limb_status s = limb_get_body(w->e->model, w->e->body[k], &body);
    if (s != LIMB_OK) return s;
    limb_inertia_principal(&body.inertia, moment, &R);
    if (moments) memcpy(moments + (ptrdiff_t)3 * k, moment, sizeof moment);
    if (axes) memcpy(axes + (ptrdiff_t)9 * k, R.m, sizeof R.m);
  }
  return LIMB_OK;
}

limb_status limb_eval_principal_moments(limb_lane* w, double* x) { return principal(w, x, NULL); }
limb_status limb_eval_principal_axes(limb_lane* w, double* x) { return principal(w, NULL, x); }

// The inertias depend on q alone.
limb_status limb_eval_articulated_inertia(limb_lane* w, double* x)
{
  const int n = bodies(w);
  double *I = w->work, *work = I + (ptrdiff_t)42 * n;
  const limb_status s = limb_reference_articulated(w->e->model, w->q, w->zero, w->zero, w->env, work, I, NULL);
  for (int k = 0; k < w->e->nbody && s == LIMB_OK; k++, x += 36)
    memcpy(x, I + (ptrdiff_t)36 * w->e->body[k], 36 * sizeof *x);
  return s;
}

limb_status limb_eval_articulated_bias(limb_lane* w, double* x)
{
  const int n = bodies(w);
  sp_force* p = (sp_force*)(void*)w->work;
  const limb_status s =
    limb_reference_articulated(w->e->model, w->q, w->v, w->tau, w->env, w->work + (ptrdiff_t)42 * n, NULL, p);
  return forces_of(w, s, p, x);
}

// ---- factors --------------------------------------------------------------------------------------------

// S and G are the same in all states: they need no q.
static limb_status factors(limb_lane* w, const double* v, limb_factors out)
{
  double* start = w->work + limb_reference_factors_work(w->e->model);
  limb_status s = w->q ? LIMB_OK : limb_start(w->e->model, start);
  if (s == LIMB_OK) s = limb_reference_factors(w->e->model, w->q ? w->q : start, v, w->env, w->work, &out);
  return s;
}

limb_status limb_eval_factor_A(limb_lane* w, double* x) { return factors(w, NULL, (limb_factors){.A = x}); }
limb_status limb_eval_factor_S(limb_lane* w, double* x) { return factors(w, NULL, (limb_factors){.S = x}); }
limb_status limb_eval_factor_G(limb_lane* w, double* x) { return factors(w, NULL, (limb_factors){.G = x}); }
limb_status limb_eval_factor_Gamma(limb_lane* w, double* x) { return factors(w, NULL, (limb_factors){.Gamma = x}); }
limb_status limb_eval_factor_L(limb_lane* w, double* x) { return factors(w, NULL, (limb_factors){.L = x}); }
limb_status limb_eval_factor_ad_Av(limb_lane* w, double* x) { return factors(w, w->v, (limb_factors){.ad_Av = x}); }
limb_status limb_eval_factor_ad_V(limb_lane* w, double* x) { return factors(w, w->v, (limb_factors){.ad_V = x}); }
