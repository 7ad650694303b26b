// Checks of derivatives of the dynamics, and of the linear model. The second formulation is dual numbers, or
// an identity that holds without a limit: tau is quadratic in v.
#include "verify.h"

#include <string.h>

// Sums of derivatives cancel as the forces do that they belong to.
static double differ_slopes(const verify* t, size_t n, const double* x, const double* y)
{
  return cli_differ(n, x, y, VERIFY_PART * t->size.force);
}

static limb_status tau_slopes(verify* t, const limb_id_derivatives* out)
{
  return limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, &t->env, out);
}

// Those at hand are directions, too: v for q, a for v, v for a and tau.
static limb_status id_dual(verify* t, double* off)
{
  const limb_directions along = {.count = 1, .dq = t->v, .dv = t->a, .da = t->v};
  limb_status s = tau_slopes(t, &(limb_id_derivatives){.dtau_dq = t->A, .dtau_dv = t->B, .M = t->M});
  const double* const matrix[] = {t->A, t->B, t->M};
  const double* const direction[] = {t->v, t->a, t->v};
  memset(t->x, 0, (size_t)t->nv * sizeof *t->x);
  for (int k = 0; k < 3; k++) {
    verify_times(t, matrix[k], direction[k], t->z);
    for (int i = 0; i < t->nv; i++) t->x[i] += t->z[i];
  }
  if (s == LIMB_OK) s = verify_dual(t);
  if (s == LIMB_OK) s = limb_inverse_dynamics_along(t->dual, t->q, t->v, t->a, &t->env, &along, t->y);
  *off = differ_slopes(t, (size_t)t->nv, t->x, t->y);
  return s;
}

static limb_status sample_tau(verify* t, double* out)
{
  return limb_inverse_dynamics(t->d, t->qt, t->v, t->a, &t->env, out);
}

// With v and a held, tau changes by dtau/dq v in a unit of time.
static limb_status id_differences(verify* t, double* off)
{
  limb_status s = verify_rate(t, 0, sample_tau, (size_t)t->nv, t->x, t->y);
  if (s == LIMB_OK) s = tau_slopes(t, &(limb_id_derivatives){.dtau_dq = t->A});
  verify_times(t, t->A, t->v, t->y);
  *off = cli_differ((size_t)t->nv, t->x, t->y, VERIFY_PART_DIFFERENCES * t->size.force);
  return s;
}

// dtau/dv w = (tau(v + w) - tau(v - w)) / 2, but for Coulomb friction. w is a.
static limb_status id_polarised(verify* t, double* off)
{
  limb_environment env = t->env;
  env.friction = 0;
  limb_status s =
    limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, &env, &(limb_id_derivatives){.dtau_dv = t->A});
  verify_times(t, t->A, t->a, t->x);
  env.gravity = sp_v3(0, 0, 0);
  memset(t->w, 0, (size_t)t->nv * sizeof *t->w);
  for (int k = 0; k < t->nv; k++) t->vt[k] = t->v[k] + t->a[k];
  if (s == LIMB_OK) s = limb_inverse_dynamics(t->d, t->q, t->vt, t->w, &env, t->y);
  for (int k = 0; k < t->nv; k++) t->vt[k] = t->v[k] - t->a[k];
  if (s == LIMB_OK) s = limb_inverse_dynamics(t->d, t->q, t->vt, t->w, &env, t->z);
  for (int k = 0; k < t->nv; k++) t->y[k] = (t->y[k] - t->z[k]) / 2;
  *off = differ_slopes(t, (size_t)t->nv, t->x, t->y);
  return s;
}

// ---- forward dynamics ------------------------------------------------------------------------------

// By q into A, by v into B, by tau into M.
static limb_status acc_slopes(verify* t)
{
  const limb_fd_derivatives out = {.dacc_dq = t->A, .dacc_dv = t->B, .dacc_dtau = t->M};
  return limb_forward_dynamics_derivatives(t->d, t->q, t->v, t->tau, &t->env, &out);
}

// M (da/dq v + da/dv a + da/dtau tau) = tau - dtau/dq v - dtau/dv a
static limb_status fd_by_id(verify* t, double* off)
{
  limb_status s = acc_slopes(t);
  if (s != LIMB_OK) return s;
  verify_times(t, t->A, t->v, t->x);
  verify_times(t, t->B, t->a, t->y);
  verify_times(t, t->M, t->tau, t->z);
  for (int k = 0; k < t->nv; k++) t->x[k] += t->y[k] + t->z[k];
  s = tau_slopes(t, &(limb_id_derivatives){.dtau_dq = t->A, .dtau_dv = t->B, .M = t->M});
  verify_times(t, t->M, t->x, t->w);
  verify_times(t, t->A, t->v, t->x);
  verify_times(t, t->B, t->a, t->y);
  for (int k = 0; k < t->nv; k++) t->y[k] = t->tau[k] - t->x[k] - t->y[k];
  *off = cli_differ((size_t)t->nv, t->w, t->y, t->size.force);
  return s;
}

static limb_status fd_dual(verify* t, double* off)
{
  const limb_directions along = {.count = 1, .dq = t->v, .dv = t->a, .dtau = t->tau};
  limb_status s = acc_slopes(t);
  if (s != LIMB_OK) return s;
  verify_times(t, t->A, t->v, t->x);
  verify_times(t, t->B, t->a, t->y);
  verify_times(t, t->M, t->tau, t->z);
  const double size = fmax(verify_largest(t->nv, t->x), verify_largest(t->nv, t->z));
  for (int k = 0; k < t->nv; k++) t->x[k] += t->y[k] + t->z[k];
  s = verify_dual(t);
  if (s == LIMB_OK) s = limb_forward_dynamics_along(t->dual, t->q, t->v, t->tau, &t->env, &along, t->y);
  *off = cli_differ((size_t)t->nv, t->x, t->y, size);
  return s;
}

// ---- second derivatives ----------------------------------------------------------------------------

// The first derivative along a, of q, v and a at once, by dual numbers.
static limb_status sample_along(verify* t, double* out)
{
  const limb_directions along = {.count = 1, .dq = t->a, .dv = t->a, .da = t->a};
  return limb_inverse_dynamics_along(t->dual, t->qt, t->v, t->a, &t->env, &along, out);
}

// It changes along v by what the tensors say.
static limb_status id_twice(verify* t, double* off)
{
  const size_t n = (size_t)t->nv, cube = n * n * n;
  double *qq = t->big, *qv = qq + cube, *qa = qv + cube;
  const limb_second_derivatives out = {.dqdq = qq, .dqdv = qv, .dqdx = qa};
  limb_status s = verify_dual(t);
  if (s == LIMB_OK) s = verify_rate(t, 0, sample_along, n, t->x, t->y);
  const double size = fmax(verify_largest(t->nv, t->y), t->size.force);
  if (s == LIMB_OK) s = limb_inverse_dynamics_second_derivatives(t->dual, t->q, t->v, t->a, &t->env, &out);
  for (size_t i = 0; i < n && s == LIMB_OK; i++) {
    t->y[i] = 0;
    for (size_t j = 0; j < n; j++) {
      for (size_t k = 0; k < n; k++) {
        const size_t at = (i * n + j) * n + k, mirrored = (i * n + k) * n + j;
        t->y[i] += (qq[at] + qv[mirrored] + qa[mirrored]) * t->a[j] * t->v[k];
      }
    }
  }
  *off = cli_differ(n, t->x, t->y, VERIFY_PART_DIFFERENCES * size);
  return s;
}

// The velocity forces of a, in place of v, are d2tau/dvdv a a / 2.
static limb_status id_twice_velocity(verify* t, double* off)
{
  const size_t n = (size_t)t->nv;
  double* vv = t->big;
  limb_environment env = t->env;
  env.friction = 0;
  limb_status s = verify_dual(t);
  if (s == LIMB_OK)
    s =
      limb_inverse_dynamics_second_derivatives(t->dual, t->q, t->v, t->a, &env, &(limb_second_derivatives){.dvdv = vv});
  for (size_t i = 0; i < n && s == LIMB_OK; i++) {
    t->x[i] = 0;
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n; k++) t->x[i] += vv[(i * n + j) * n + k] * t->a[j] * t->a[k] / 2;
  }
  env.gravity = sp_v3(0, 0, 0);
  if (s == LIMB_OK) s = limb_bias_forces(t->d, t->q, t->a, &env, t->y);
  *off = differ_slopes(t, n, t->x, t->y);
  return s;
}

// ---- the linear model ------------------------------------------------------------------------------

// A (v; a) + B tau is how accelerations change along these directions. Near a pole they are huge, and change
// too fast for differences.
static limb_status linear_dual(verify* t, double* off)
{
  const size_t n = (size_t)t->nv;
  double *A = t->big, *B = A + 4 * n * n;
  const limb_directions along = {.count = 1, .dq = t->v, .dv = t->a, .dtau = t->tau};
  double size = 0;
  limb_status s = limb_linearise(t->d, t->q, t->v, t->tau, &t->env, A, B);
  for (size_t i = 0; i < n && s == LIMB_OK; i++) {
    const double *x = A + (n + i) * 2 * n, *u = B + (n + i) * n;
    double by_q = 0, by_v = 0, by_tau = 0;
    for (size_t k = 0; k < n; k++) by_q += x[k] * t->v[k], by_v += x[n + k] * t->a[k], by_tau += u[k] * t->tau[k];
    t->x[i] = by_q + by_v + by_tau;
    size = fmax(size, fmax(fabs(by_q), fmax(fabs(by_v), fabs(by_tau))));
  }
  if (s == LIMB_OK) s = verify_dual(t);
  if (s == LIMB_OK) s = limb_forward_dynamics_along(t->dual, t->q, t->v, t->tau, &t->env, &along, t->y);
  *off = cli_differ(n, t->x, t->y, size);
  return s;
}

const verify_check verify_derivatives[] = {
  {"dtau", "along a direction", "dual numbers", VERIFY_ALGEBRA, 2, id_dual, 0, NULL},
  {"dtau/dq", "analytic", "differences of tau", VERIFY_DIFFERENCES, 2, id_differences, 0, NULL},
  {"dtau/dv", "analytic", "tau(v + w) - tau(v - w)", VERIFY_ALGEBRA, 2, id_polarised, 0, NULL},
  {"da", "along a direction", "dual numbers", VERIFY_INVERSE, 3, fd_dual, 0, NULL},
  {"da", "M da", "tau - dtau/dq v - dtau/dv a", VERIFY_INVERSE, 3, fd_by_id, 0, NULL},
  {"d2tau", "tensors by q", "differences of dual numbers", VERIFY_DIFFERENCES, 3, id_twice, VERIFY_CUBE, NULL},
  {"d2tau", "tensor by v", "velocity forces", VERIFY_ALGEBRA, 3, id_twice_velocity, VERIFY_CUBE, NULL},
  {"A, B", "A (v; a) + B tau", "dual numbers", VERIFY_INVERSE, 3, linear_dual, VERIFY_WIDE, NULL},
  {0},
};
