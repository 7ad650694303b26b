// Checks of the Lagrangian form: derivatives of M, Christoffel symbols, energies, curvature.
#include "verify.h"

#include <string.h>

// Derivatives of M are of the size of inertia, or cancel to nothing.
static double differ_inertia(const verify* t, size_t n, const double* x, const double* y, double scale)
{
  return cli_differ(n, x, y, VERIFY_PART * t->size.inertia * scale);
}

// A_ij = sum_k T_ijk v_k
static void contract(const verify* t, const double* T, const double* v, double* A)
{
  const size_t n = (size_t)t->nv;
  for (size_t ij = 0; ij < n * n; ij++) {
    A[ij] = 0;
    for (size_t k = 0; k < n; k++) A[ij] += T[ij * n + k] * v[k];
  }
}

// ---- the mass matrix -------------------------------------------------------------------------------

// d(M a)/dq v = (dM/dt) a
static limb_status rate_times(verify* t, double* off)
{
  limb_status s = limb_mass_matrix_rate(t->d, t->q, t->v, t->A);
  verify_times(t, t->A, t->a, t->x);
  if (s == LIMB_OK) s = limb_mass_matrix_derivative_times(t->d, t->q, t->a, t->B);
  verify_times(t, t->B, t->v, t->y);
  *off = differ_inertia(t, (size_t)t->nv, t->x, t->y, t->size.speed * t->size.change);
  return s;
}

static limb_status rate_tensor(verify* t, double* off)
{
  const size_t n = (size_t)t->nv;
  limb_status s = limb_mass_matrix_derivative(t->d, t->q, t->big);
  contract(t, t->big, t->v, t->A);
  if (s == LIMB_OK) s = limb_mass_matrix_rate(t->d, t->q, t->v, t->B);
  *off = differ_inertia(t, n * n, t->A, t->B, t->size.speed);
  return s;
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
  verify_times(t, t->M, t->a, t->x);
  verify_times(t, t->A, t->v, t->y);
  memset(t->z, 0, (size_t)t->nv * sizeof *t->z);
  if (s == LIMB_OK && t->env.friction) s = limb_friction_forces(t->d, t->v, &t->env, t->z);
  for (int k = 0; k < t->nv; k++) t->vt[k] += t->x[k] + t->y[k] + t->z[k];
  *off = cli_differ((size_t)t->nv, t->tau, t->vt, t->size.force);
  return s;
}

static limb_status gravity_potential(verify* t, double* off)
{
  limb_status s = limb_gravity_forces(t->d, t->q, &t->env, t->x);
  if (s == LIMB_OK) s = limb_gravity_from_potential(t->d, t->q, &t->env, t->y);
  *off = cli_differ((size_t)t->nv, t->x, t->y, VERIFY_PART * t->size.moment * sp_norm3(t->env.gravity));
  return s;
}

// ---- Christoffel symbols ---------------------------------------------------------------------------

static limb_status symbols(verify* t, double* off)
{
  const size_t n = (size_t)t->nv, cube = n * n * n;
  double *G = t->big, *H = G + cube, *work = H + cube;
  limb_status s = limb_christoffel(t->d, t->q, G);
  if (s == LIMB_OK) s = limb_christoffel_by_polarisation(t->d, t->q, work, H);
  *off = differ_inertia(t, cube, G, H, 1);
  return s;
}

static limb_status coriolis_symbols(verify* t, double* off)
{
  const size_t n = (size_t)t->nv;
  limb_status s = limb_christoffel(t->d, t->q, t->big);
  contract(t, t->big, t->v, t->A);
  if (s == LIMB_OK) s = limb_coriolis_matrix_christoffel(t->d, t->q, t->v, t->B);
  *off = differ_inertia(t, n * n, t->A, t->B, t->size.speed);
  return s;
}

static limb_status coriolis_connection(verify* t, double* off)
{
  const size_t n = (size_t)t->nv;
  limb_status s = limb_connection(t->d, t->q, t->big);
  contract(t, t->big, t->v, t->A);
  if (s == LIMB_OK) s = limb_coriolis_matrix(t->d, t->q, t->v, t->B);
  *off = differ_inertia(t, n * n, t->A, t->B, t->size.speed);
  return s;
}

// ---- curvature -------------------------------------------------------------------------------------

// What the terms of the tensor are of: inertia, and M^-1 times the symbols squared.
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
  if (s == LIMB_OK) *off = cli_differ(four, R, sum, size);
  return s;
}

// x' M y
static double inner(verify* t, const double* x, const double* y)
{
  double sum = 0;
  verify_times(t, t->M, y, t->z);
  for (int k = 0; k < t->nv; k++) sum += x[k] * t->z[k];
  return sum;
}

// R(v, a, v, a) = K (|v|^2 |a|^2 - <v, a>^2), where K comes from the accelerations of the particles.
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
  if (s == LIMB_OK) *off = cli_differ(1, &R, &other, fmax(size, 1e-2 * parts));
  return s;
}

const verify_check verify_lagrange[] = {
  {"dM/dt", "(C + C') a", "d(M a)/dq v", VERIFY_ALGEBRA, 2, rate_times, 0, NULL},
  {"dM/dq", "times v", "dM/dt = C + C'", VERIFY_ALGEBRA, 3, rate_tensor, VERIFY_CUBE, NULL},
  {"tau", "RNEA", "Lagrange's equations", VERIFY_ALGEBRA, 2, tau_lagrange, 0, NULL},
  {"g", "RNEA at rest", "gradient of the potential", VERIFY_ALGEBRA, 1, gravity_potential, 0, NULL},
  {"symbols", "Lie brackets", "polarised velocity forces", VERIFY_ALGEBRA, 3, symbols, VERIFY_CUBE, NULL},
  {"C", "symbols times v", "dc/dv / 2", VERIFY_ALGEBRA, 3, coriolis_symbols, VERIFY_CUBE, NULL},
  {"C", "connection times v", "recursion", VERIFY_ALGEBRA, 3, coriolis_connection, VERIFY_CUBE, NULL},
  {"curvature", "R_ijkl", "-R_iklj - R_iljk", VERIFY_INVERSE, 4, bianchi, VERIFY_FOUR, NULL},
  {"curvature", "of a plane, from R_ijkl", "Gauss's equation", VERIFY_INVERSE, 4, sectional, VERIFY_FOUR, NULL},
  {0},
};
