// Checks of derivatives of the dynamics, of the linear model, and of the Lagrangian form: derivatives of M, Christoffel
// symbols, energies, curvature. The second formulation is dual numbers, or an identity that holds without a limit: tau
// is quadratic in v.
#include "verify/verify_impl.h"

#include <string.h>

// Sums of derivatives cancel as their forces do.
static limb_status same_slopes(const verify* t, limb_status s, double* off, const double* x, const double* y)
{
  return verify_compare(s, off, t->nv, x, y, VERIFY_PART * t->size.force);
}

static limb_status tau_slopes(verify* t, const limb_id_derivatives* out)
{
  return limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, &t->env, out);
}

// Directions: v for q, a for v, v for a and tau.
static limb_status id_dual(verify* t, double* off)
{
  const limb_directions along = {.count = 1, .dq = t->v, .dv = t->a, .da = t->v};
  limb_status s = tau_slopes(t, &(limb_id_derivatives){.dtau_dq = t->A, .dtau_dv = t->B, .M = t->M});
  (void)verify_sum(t, t->v, t->a, t->v, t->x);
  if (s == LIMB_OK) s = verify_dual(t);
  if (s == LIMB_OK) s = limb_inverse_dynamics_along(t->dual, t->q, t->v, t->a, &t->env, &along, t->y);
  return same_slopes(t, s, off, t->x, t->y);
}

static limb_status sample_tau(verify* t, double h, double* out)
{
  const limb_status s = verify_move(t, 0, h);
  return s == LIMB_OK ? limb_inverse_dynamics(t->d, t->qt, t->v, t->a, &t->env, out) : s;
}

// With v and a held, tau changes by dtau/dq v in a unit of time.
static limb_status id_differences(verify* t, double* off)
{
  const double size = VERIFY_PART_DIFFERENCES * t->size.force;
  limb_status s = verify_rate(t, size, sample_tau, t->nv, t->x);
  if (s == LIMB_OK) s = tau_slopes(t, &(limb_id_derivatives){.dtau_dq = t->A});
  verify_times(t->nv, t->nv, t->A, t->v, t->y);
  return verify_compare(s, off, t->nv, t->x, t->y, size);
}

// dtau/dv w = (tau(v + w) - tau(v - w)) / 2, but for Coulomb friction. w is a.
static limb_status id_polarised(verify* t, double* off)
{
  limb_environment env = t->env;
  env.friction = 0;
  limb_status s =
    limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, &env, &(limb_id_derivatives){.dtau_dv = t->A});
  verify_times(t->nv, t->nv, t->A, t->a, t->x);
  env.gravity = sp_v3(0, 0, 0);
  memset(t->w, 0, (size_t)t->nv * sizeof *t->w);
  for (int k = 0; k < t->nv; k++) t->vt[k] = t->v[k] + t->a[k];
  if (s == LIMB_OK) s = limb_inverse_dynamics(t->d, t->q, t->vt, t->w, &env, t->y);
  for (int k = 0; k < t->nv; k++) t->vt[k] = t->v[k] - t->a[k];
  if (s == LIMB_OK) s = limb_inverse_dynamics(t->d, t->q, t->vt, t->w, &env, t->z);
  for (int k = 0; k < t->nv; k++) t->y[k] = (t->y[k] - t->z[k]) / 2;
  return same_slopes(t, s, off, t->x, t->y);
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
  (void)verify_sum(t, t->v, t->a, t->tau, t->x);
  s = tau_slopes(t, &(limb_id_derivatives){.dtau_dq = t->A, .dtau_dv = t->B, .M = t->M});
  verify_times(t->nv, t->nv, t->M, t->x, t->w);
  verify_times(t->nv, t->nv, t->A, t->v, t->x);
  verify_times(t->nv, t->nv, t->B, t->a, t->y);
  for (int k = 0; k < t->nv; k++) t->y[k] = t->tau[k] - t->x[k] - t->y[k];
  return verify_compare(s, off, t->nv, t->w, t->y, t->size.force);
}

static limb_status fd_dual(verify* t, double* off)
{
  const limb_directions along = {.count = 1, .dq = t->v, .dv = t->a, .dtau = t->tau};
  limb_status s = acc_slopes(t);
  if (s != LIMB_OK) return s;
  const double size = verify_sum(t, t->v, t->a, t->tau, t->x);
  s = verify_dual(t);
  if (s == LIMB_OK) s = limb_forward_dynamics_along(t->dual, t->q, t->v, t->tau, &t->env, &along, t->y);
  return verify_compare(s, off, t->nv, t->x, t->y, size);
}

// ---- second derivatives ----------------------------------------------------------------------------

// The first derivative along a, of q, v and a at once, by dual numbers.
static limb_status sample_along(verify* t, double h, double* out)
{
  const limb_directions along = {.count = 1, .dq = t->a, .dv = t->a, .da = t->a};
  const limb_status s = verify_move(t, 0, h);
  return s == LIMB_OK ? limb_inverse_dynamics_along(t->dual, t->qt, t->v, t->a, &t->env, &along, out) : s;
}

// Its change along v, by the tensors.
static limb_status id_twice(verify* t, double* off)
{
  const size_t n = (size_t)t->nv, cube = n * n * n;
  double *qq = t->big, *qv = qq + cube, *qa = qv + cube;
  const limb_second_derivatives out = {.dqdq = qq, .dqdv = qv, .dqdx = qa};
  limb_status s = verify_dual(t);
  if (s == LIMB_OK) s = sample_along(t, 0, t->y);
  const double size = VERIFY_PART_DIFFERENCES * fmax(verify_largest(t->nv, t->y), t->size.force);
  if (s == LIMB_OK) s = verify_rate(t, size, sample_along, t->nv, t->x);
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
  return verify_compare(s, off, (int)n, t->x, t->y, size);
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
  return same_slopes(t, s, off, t->x, t->y);
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
  return verify_compare(s, off, (int)n, t->x, t->y, size);
}

const verify_check verify_derivatives[] = {
  {"dtau_dq", "dq, dv along a direction", "dual numbers", VERIFY_ALGEBRA, 2, id_dual, 0, NULL},
  {"dtau_dq", "analytic", "differences of tau", VERIFY_DIFFERENCES, 2, id_differences, 0, NULL},
  {"dtau_dv", "analytic", "tau(v + w) - tau(v - w)", VERIFY_ALGEBRA, 2, id_polarised, 0, NULL},
  {"dacc_dq", "dq, dv, dtau along a direction", "dual numbers", VERIFY_INVERSE, 3, fd_dual, 0, NULL},
  {"dacc_dq", "M dacc", "tau - dtau_dq v - dtau_dv a", VERIFY_INVERSE, 3, fd_by_id, 0, NULL},
  {"d2tau", "tensors by q", "differences of dual numbers", VERIFY_DIFFERENCES, 3, id_twice, VERIFY_CUBE, NULL},
  {"d2tau", "tensor by v", "velocity forces", VERIFY_ALGEBRA, 3, id_twice_velocity, VERIFY_CUBE, NULL},
  {"A, B", "A (v; a) + B tau", "dual numbers", VERIFY_INVERSE, 3, linear_dual, VERIFY_WIDE, NULL},
  {0},
};

// ==== the Lagrangian form =========================================================================

// Derivatives of M are of the size of inertia, or cancel to nothing.
static limb_status same_inertia(const verify* t, limb_status s, double* off, int n, const double* x, const double* y,
                                double scale)
{
  return verify_compare(s, off, n, x, y, VERIFY_PART * t->size.inertia * scale);
}

// ---- the mass matrix -------------------------------------------------------------------------------

// d(M a)/dq v = (dM/dt) a
static limb_status rate_times(verify* t, double* off)
{
  limb_status s = limb_mass_matrix_rate(t->d, t->q, t->v, t->A);
  verify_times(t->nv, t->nv, t->A, t->a, t->x);
  if (s == LIMB_OK) s = limb_mass_matrix_derivative_times(t->d, t->q, t->a, t->B);
  verify_times(t->nv, t->nv, t->B, t->v, t->y);
  return same_inertia(t, s, off, t->nv, t->x, t->y, t->size.speed * t->size.change);
}

static limb_status rate_tensor(verify* t, double* off)
{
  limb_status s = limb_mass_matrix_derivative(t->d, t->q, t->big);
  verify_times(t->nv * t->nv, t->nv, t->big, t->v, t->A); // sum_k T_ijk v_k
  if (s == LIMB_OK) s = limb_mass_matrix_rate(t->d, t->q, t->v, t->B);
  return same_inertia(t, s, off, t->nv * t->nv, t->A, t->B, t->size.speed);
}

// ---- Lagrange's equations --------------------------------------------------------------------------

// tau = M a + (dM/dt) v + hamel - dT/dq + dU/dq + friction
static limb_status tau_lagrange(verify* t, double* off)
{
  limb_lagrangian L = {.p = t->w, .dT_dq = t->x, .dU_dq = t->y, .hamel = t->z};
  limb_status s = limb_lagrangian_terms(t->d, t->q, t->v, &t->env, &L);
  for (int k = 0; k < t->nv; k++) t->vt[k] = t->z[k] - t->x[k] + t->y[k];
  if (s == LIMB_OK) s = limb_mass_matrix(t->d, t->q, t->M);
  if (s == LIMB_OK) s = limb_mass_matrix_rate(t->d, t->q, t->v, t->A);
  verify_times(t->nv, t->nv, t->M, t->a, t->x);
  verify_times(t->nv, t->nv, t->A, t->v, t->y);
  memset(t->z, 0, (size_t)t->nv * sizeof *t->z);
  if (s == LIMB_OK && t->env.friction) s = limb_friction_forces_at(t->d, t->q, t->v, &t->env, t->z);
  for (int k = 0; k < t->nv; k++) t->vt[k] += t->x[k] + t->y[k] + t->z[k];
  return verify_compare(s, off, t->nv, t->tau, t->vt, t->size.force);
}

static limb_status gravity_potential(verify* t, double* off)
{
  limb_status s = limb_gravity_forces(t->d, t->q, &t->env, t->x);
  if (s == LIMB_OK) s = limb_gravity_from_potential(t->d, t->q, &t->env, t->y);
  return verify_compare(s, off, t->nv, t->x, t->y, VERIFY_PART * t->size.moment * sp_norm3(t->env.gravity));
}

// ---- Christoffel symbols ---------------------------------------------------------------------------

static limb_status symbols(verify* t, double* off)
{
  const size_t n = (size_t)t->nv, cube = n * n * n;
  double *G = t->big, *H = G + cube, *work = H + cube;
  limb_status s = limb_christoffel(t->d, t->q, G);
  if (s == LIMB_OK) s = limb_christoffel_by_polarisation(t->d, t->q, work, H);
  return same_inertia(t, s, off, (int)cube, G, H, 1);
}

static limb_status coriolis_symbols(verify* t, double* off)
{
  limb_status s = limb_christoffel(t->d, t->q, t->big);
  verify_times(t->nv * t->nv, t->nv, t->big, t->v, t->A); // sum_k T_ijk v_k
  if (s == LIMB_OK) s = limb_coriolis_matrix_christoffel(t->d, t->q, t->v, t->B);
  return same_inertia(t, s, off, t->nv * t->nv, t->A, t->B, t->size.speed);
}

static limb_status coriolis_connection(verify* t, double* off)
{
  limb_status s = limb_connection(t->d, t->q, t->big);
  verify_times(t->nv * t->nv, t->nv, t->big, t->v, t->A); // sum_k T_ijk v_k
  if (s == LIMB_OK) s = limb_coriolis_matrix(t->d, t->q, t->v, t->B);
  return same_inertia(t, s, off, t->nv * t->nv, t->A, t->B, t->size.speed);
}

// ---- curvature -------------------------------------------------------------------------------------

// Sizes of the terms of the tensor: inertia, and M^-1 times the symbols squared.
static limb_status curvature_size(verify* t, double* size)
{
  const int n2 = t->nv * t->nv;
  limb_status s = limb_christoffel(t->d, t->q, t->big);
  if (s == LIMB_OK) s = limb_mass_matrix_inverse(t->d, t->q, t->A);
  const double G = verify_largest(n2 * t->nv, t->big), Minv = verify_largest(n2, t->A);
  *size = VERIFY_PART * (t->size.inertia + t->nv * G * G * Minv);
  return s;
}

static limb_status curvature_tensor(verify* t, double* R)
{
  const size_t n = (size_t)t->nv;
  return limb_curvature(t->d, t->q, R + n * n * n * n, R);
}

// R_ijkl + R_iklj + R_iljk = 0
static limb_status bianchi(verify* t, double* off)
{
  const size_t n = (size_t)t->nv, four = n * n * n * n;
  double *R = t->big, *sum = R + four, size = 0;
  limb_status s = curvature_size(t, &size);
  if (s == LIMB_OK) s = curvature_tensor(t, R);
  for (size_t at = 0; at < four && s == LIMB_OK; at++) {
    const size_t i = at / (n * n * n), j = at / (n * n) % n, k = at / n % n, l = at % n;
    sum[at] = -R[((i * n + k) * n + l) * n + j] - R[((i * n + l) * n + j) * n + k];
  }
  return verify_compare(s, off, (int)four, R, sum, size);
}

// x' M y
static double inner(verify* t, const double* x, const double* y)
{
  double sum = 0;
  verify_times(t->nv, t->nv, t->M, y, t->z);
  for (int k = 0; k < t->nv; k++) sum += x[k] * t->z[k];
  return sum;
}

// R(v, a, v, a) = K (|v|^2 |a|^2 - <v, a>^2), where K follows from the accelerations of the particles.
static limb_status sectional(verify* t, double* off)
{
  const size_t n = (size_t)t->nv, four = n * n * n * n;
  double K = 0, R = 0, parts = 0, size = 0;
  if (t->nv < 2) return LIMB_OK; // there is no plane
  limb_status s = curvature_size(t, &size);
  if (s == LIMB_OK) s = limb_mass_matrix(t->d, t->q, t->M);
  if (s == LIMB_OK) s = limb_sectional_curvature(t->d, t->q, t->v, t->a, t->big, &K);
  if (s == LIMB_OK) s = curvature_tensor(t, t->big);
  for (size_t at = 0; at < four && s == LIMB_OK; at++) {
    const size_t i = at / (n * n * n), j = at / (n * n) % n, k = at / n % n, l = at % n;
    const double part = t->big[at] * t->v[i] * t->a[j] * t->v[k] * t->a[l];
    R += part;
    parts += fabs(part);
  }
  const double va = inner(t, t->v, t->a);
  const double other = K * (inner(t, t->v, t->v) * inner(t, t->a, t->a) - va * va);
  return verify_compare(s, off, 1, &R, &other, fmax(size, 1e-2 * parts));
}

const verify_check verify_lagrange[] = {
  {"Mdot", "(C + C') a", "d(M a)/dq v", VERIFY_ALGEBRA, 2, rate_times, 0, NULL},
  {"dM_dq", "times v", "Mdot = C + C'", VERIFY_ALGEBRA, 3, rate_tensor, VERIFY_CUBE, NULL},
  {"tau", "RNEA", "Lagrange's equations", VERIFY_ALGEBRA, 2, tau_lagrange, 0, NULL},
  {"g", "RNEA at rest", "gradient of the potential", VERIFY_ALGEBRA, 1, gravity_potential, 0, NULL},
  {"christoffel", "Lie brackets", "polarised velocity forces", VERIFY_ALGEBRA, 3, symbols, VERIFY_CUBE, NULL},
  {"C", "christoffel times v", "dc/dv / 2", VERIFY_ALGEBRA, 3, coriolis_symbols, VERIFY_CUBE, NULL},
  {"C", "connection times v", "recursion", VERIFY_ALGEBRA, 3, coriolis_connection, VERIFY_CUBE, NULL},
  {"curvature", "R_ijkl", "-R_iklj - R_iljk", VERIFY_INVERSE, 4, bianchi, VERIFY_FOUR,
   "not with rotors of ball or free joints"},
  {"curvature", "of a plane, from R_ijkl", "Gauss's equation", VERIFY_INVERSE, 4, sectional, VERIFY_FOUR,
   "not with rotors of ball or free joints"},
  {0},
};
