// Computations of quantities: derivatives of inverse and forward dynamics, linear models, derivatives of the mass
// matrix, curvature, the linear parameter form.
#include "limb/derivatives.h"
#include "limb/lagrange.h"

#include "quantities/evaluator_impl.h"

static size_t squared(const limb_lane* w) { return (size_t)w->e->nv * (size_t)w->e->nv; }

// ---- inverse dynamics -----------------------------------------------------------------------------------

static limb_status inverse(limb_lane* w, const limb_id_derivatives* out)
{
  return limb_inverse_dynamics_derivatives(w->data, w->q, w->v, w->a, w->env, out);
}

limb_status limb_eval_dtau_dq(limb_lane* w, double* x) { return inverse(w, &(limb_id_derivatives){.dtau_dq = x}); }

limb_status limb_eval_dtau_dv(limb_lane* w, double* x) { return inverse(w, &(limb_id_derivatives){.dtau_dv = x}); }

limb_status limb_eval_dtau_dgravity(limb_lane* w, double* x)
{
  return limb_inverse_dynamics_by_gravity(w->data, w->q, x);
}

limb_status limb_eval_dtau_dwrench(limb_lane* w, double* x)
{
  return limb_inverse_dynamics_by_wrench(w->data, w->q, w->frame, w->ref, x);
}

// ---- forward dynamics -----------------------------------------------------------------------------------

static limb_status forward(limb_lane* w, double* dq, double* dv, double* dtau)
{
  limb_fd_derivatives out = {0};
  out.dacc_dq = dq, out.dacc_dv = dv, out.dacc_dtau = dtau;
  return limb_forward_dynamics_derivatives(w->data, w->q, w->v, w->tau, w->env, &out);
}

limb_status limb_eval_dacc_dq(limb_lane* w, double* x) { return forward(w, x, w->work, w->work + squared(w)); }

limb_status limb_eval_dacc_dv(limb_lane* w, double* x) { return forward(w, w->work, x, w->work + squared(w)); }

limb_status limb_eval_dacc_dtau(limb_lane* w, double* x) { return limb_mass_matrix_inverse(w->data, w->q, x); }

limb_status limb_eval_dacc_dgravity(limb_lane* w, double* x)
{
  return limb_forward_dynamics_by_gravity(w->data, w->q, x);
}

limb_status limb_eval_dacc_dwrench(limb_lane* w, double* x)
{
  return limb_forward_dynamics_by_wrench(w->data, w->q, w->frame, w->ref, x);
}

// ---- second derivatives ---------------------------------------------------------------------------------

// The blocks of the record, one behind the other.
static limb_second_derivatives blocks(const limb_lane* w, double* x)
{
  const size_t size = squared(w) * (size_t)w->e->nv;
  return (limb_second_derivatives){x, x + size, x + 2 * size, x + 3 * size};
}

limb_status limb_eval_d2tau(limb_lane* w, double* x)
{
  const limb_second_derivatives out = blocks(w, x);
  return limb_inverse_dynamics_second_derivatives(w->dual, w->q, w->v, w->a, w->env, &out);
}

limb_status limb_eval_d2acc(limb_lane* w, double* x)
{
  const limb_second_derivatives out = blocks(w, x);
  return limb_forward_dynamics_second_derivatives(w->dual, w->q, w->v, w->tau, w->env, &out);
}

// ---- linear models --------------------------------------------------------------------------------------

static limb_status linear(limb_lane* w, double* A, double* B)
{
  return limb_linearise(w->data, w->q, w->v, w->tau, w->env, A, B);
}

limb_status limb_eval_A(limb_lane* w, double* x) { return linear(w, x, w->work); }

limb_status limb_eval_B(limb_lane* w, double* x) { return linear(w, w->work, x); }

// NULL: not wanted.
static limb_status sampled(limb_lane* w, double* Ad, double* Bd)
{
  const size_t nn = squared(w);
  const int nv = w->e->nv;
  double *A = w->work, *B = A + 4 * nn, *other = B + 2 * nn, *work = other + 4 * nn;
  limb_status s = linear(w, A, B);
  if (s != LIMB_OK) return s;
  s = limb_discretise(2 * nv, nv, A, B, w->e->options.dt, Ad ? Ad : other, Bd ? Bd : other, work);
  return s == LIMB_OK ? s : limb_because(w, s, "the time between samples is too long for this A: choose a shorter one");
}

limb_status limb_eval_Ad(limb_lane* w, double* x) { return sampled(w, x, NULL); }

limb_status limb_eval_Bd(limb_lane* w, double* x) { return sampled(w, NULL, x); }

// ---- the mass matrix as a metric ------------------------------------------------------------------------

limb_status limb_eval_Mdot(limb_lane* w, double* x) { return limb_mass_matrix_rate(w->data, w->q, w->v, x); }
limb_status limb_eval_dM_dq(limb_lane* w, double* x) { return limb_mass_matrix_derivative(w->data, w->q, x); }
limb_status limb_eval_christoffel(limb_lane* w, double* x) { return limb_christoffel(w->data, w->q, x); }

limb_status limb_eval_christoffel2(limb_lane* w, double* x)
{
  return limb_christoffel_second(w->data, w->q, w->work, x);
}

limb_status limb_eval_curvature(limb_lane* w, double* x) { return limb_curvature(w->data, w->q, w->work, x); }
limb_status limb_eval_ricci(limb_lane* w, double* x) { return limb_ricci_curvature(w->data, w->q, w->work, x); }

limb_status limb_eval_scalar_curvature(limb_lane* w, double* x)
{
  return limb_scalar_curvature(w->data, w->q, w->work, x);
}

// ---- parameters -----------------------------------------------------------------------------------------

limb_status limb_eval_theta(limb_lane* w, double* x) { return limb_parameters(w->e->model, x); }

limb_status limb_eval_Y(limb_lane* w, double* x) { return limb_regressor(w->data, w->q, w->v, w->a, w->env, x); }

limb_status limb_eval_theta_base(limb_lane* w, double* x) { return limb_base_values(w->e->base_parameters, NULL, x); }

limb_status limb_eval_Y_base(limb_lane* w, double* x)
{
  return limb_base_regressor(w->e->base_parameters, w->data, w->q, w->v, w->a, w->work, x);
}
