// Checks of inverse and forward dynamics, of the mass matrix and of the Coriolis matrix.
#include "verify.h"

#include <string.h>

// Torques are sums of weight, inertia, friction and springs.
static double differ_force(const verify* t, const double* x, const double* y)
{
  return cli_differ((size_t)t->nv, x, y, t->size.force);
}

// All mass may lie on the axes.
static double differ_mass(const verify* t, const double* x, const double* y)
{
  return cli_differ((size_t)t->nv * (size_t)t->nv, x, y, VERIFY_PART * t->size.inertia);
}

// sum += friction + springs; z is overwritten.
static limb_status add_passive(verify* t, double* sum)
{
  limb_status s = LIMB_OK;
  if (t->env.friction) s = limb_friction_forces(t->d, t->v, &t->env, t->z);
  for (int k = 0; k < t->nv && t->env.friction; k++) sum[k] += t->z[k];
  if (s == LIMB_OK) s = limb_spring_forces(t->d, t->q, t->z);
  for (int k = 0; k < t->nv; k++) sum[k] += t->z[k];
  return s;
}

// ---- inverse dynamics ------------------------------------------------------------------------------

static limb_status tau_lie(verify* t, double* off)
{
  const limb_status s = limb_reference_inverse_dynamics(t->m, t->q, t->v, t->a, &t->env, t->x, NULL);
  *off = differ_force(t, t->tau, t->x);
  return s;
}

static limb_status tau_mass_matrix(verify* t, double* off)
{
  limb_status s = limb_mass_matrix(t->d, t->q, t->M);
  verify_times(t, t->M, t->a, t->x);
  if (s == LIMB_OK) s = limb_bias_forces(t->d, t->q, t->v, &t->env, t->y);
  for (int k = 0; k < t->nv; k++) t->x[k] += t->y[k];
  if (s == LIMB_OK) s = add_passive(t, t->x);
  *off = differ_force(t, t->tau, t->x);
  return s;
}

static limb_status tau_closed_form(verify* t, double* off)
{
  limb_status s = limb_reference_closed_form(t->m, t->q, t->v, &t->env, t->A, t->y, t->z);
  verify_times(t, t->A, t->a, t->x);
  for (int k = 0; k < t->nv; k++) t->x[k] += t->y[k] + t->z[k];
  if (s == LIMB_OK) s = add_passive(t, t->x);
  *off = differ_force(t, t->tau, t->x);
  return s;
}

// A wrench on a frame takes J' w off the torques.
static limb_status tau_wrench(verify* t, double* off)
{
  limb_environment env = t->env;
  const limb_wrench w = {t->frame, LIMB_ALIGNED, {{0.3, -0.5, 0.7}, {2, 3, -5}}};
  env.nwrench = 1, env.wrench = &w;
  limb_status s = limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, t->x);
  if (s == LIMB_OK) s = limb_kinematics(t->d, t->q, NULL, NULL);
  if (s == LIMB_OK) s = limb_frame_jacobian(t->d, t->frame, LIMB_ALIGNED, t->J);
  for (int k = 0; k < t->nv && s == LIMB_OK; k++) t->y[k] = t->tau[k] - sp_dot(t->J[k], w.wrench);
  *off = differ_force(t, t->x, t->y);
  return s;
}

// ---- mass matrix -----------------------------------------------------------------------------------

// Column k of M is what an acceleration of coordinate k alone costs, at rest and without weight. Springs are
// left out by a difference.
static limb_status mass_columns(verify* t, double* off)
{
  limb_environment env = t->env;
  env.gravity = sp_v3(0, 0, 0);
  memset(t->x, 0, (size_t)t->nv * sizeof *t->x);
  memset(t->y, 0, (size_t)t->nv * sizeof *t->y);
  limb_status s = limb_mass_matrix(t->d, t->q, t->M);
  if (s == LIMB_OK) s = limb_spring_forces(t->d, t->q, t->w);
  for (int k = 0; k < t->nv && s == LIMB_OK; k++) {
    t->y[k] = 1;
    s = limb_inverse_dynamics(t->d, t->q, t->x, t->y, &env, t->z);
    t->y[k] = 0;
    for (int i = 0; i < t->nv; i++) t->A[(size_t)i * (size_t)t->nv + (size_t)k] = t->z[i] - t->w[i];
  }
  *off = cli_differ((size_t)t->nv * (size_t)t->nv, t->M, t->A,
                    VERIFY_PART * fmax(t->size.inertia, verify_largest(t->nv, t->w)));
  return s;
}

static limb_status mass_closed_form(verify* t, double* off)
{
  limb_status s = limb_mass_matrix(t->d, t->q, t->M);
  if (s == LIMB_OK) s = limb_reference_closed_form(t->m, t->q, t->v, &t->env, t->A, NULL, NULL);
  *off = differ_mass(t, t->M, t->A);
  return s;
}

static limb_status mass_energy(verify* t, double* off)
{
  limb_energy e = {0};
  double kinetic = 0, size = VERIFY_PART * t->size.inertia * t->size.speed * t->size.speed;
  limb_status s = limb_mass_matrix(t->d, t->q, t->M);
  if (s == LIMB_OK) s = limb_energies(t->d, t->q, t->v, &t->env, &e);
  verify_times(t, t->M, t->v, t->x);
  for (int k = 0; k < t->nv; k++) {
    kinetic += t->v[k] * t->x[k] / 2;
    size = fmax(size, fabs(t->v[k] * t->x[k] / 2));
  }
  *off = cli_differ(1, &e.kinetic, &kinetic, size);
  return s;
}

// Largest sum of a row.
static double norm(const verify* t, const double* A)
{
  double most = 0;
  for (int i = 0; i < t->nv; i++) {
    double sum = 0;
    for (int k = 0; k < t->nv; k++) sum += fabs(A[(size_t)i * (size_t)t->nv + (size_t)k]);
    most = fmax(most, sum);
  }
  return most;
}

static limb_status mass_inverse(verify* t, double* off)
{
  limb_status s = limb_mass_matrix(t->d, t->q, t->M);
  if (s == LIMB_OK) s = limb_mass_matrix_inverse(t->d, t->q, t->A);
  if (s != LIMB_OK) return s;
  t->condition = fmax(t->condition, norm(t, t->M) * norm(t, t->A));
  verify_times(t, t->M, t->a, t->x);
  verify_times(t, t->A, t->x, t->y);
  *off = cli_differ((size_t)t->nv, t->a, t->y, 0);
  return s;
}

// ---- forward dynamics ------------------------------------------------------------------------------

// Accelerations are what the torques cause, less what weight and the rest would without them: w.
static limb_status differ_acceleration(verify* t, const double* x, const double* y, double* off)
{
  double* none = t->z;
  memset(none, 0, (size_t)t->nv * sizeof *none);
  const limb_status s = limb_forward_dynamics(t->d, t->q, t->v, none, &t->env, t->w);
  if (s == LIMB_OK) *off = cli_differ((size_t)t->nv, x, y, verify_largest(t->nv, t->w));
  return s;
}

static limb_status forward_back(verify* t, double* off)
{
  limb_status s = limb_forward_dynamics(t->d, t->q, t->v, t->tau, &t->env, t->x);
  if (s == LIMB_OK) s = differ_acceleration(t, t->a, t->x, off);
  return s;
}

static limb_status forward_aba(verify* t, double* off)
{
  limb_status s = limb_forward_dynamics_aba(t->d, t->q, t->v, t->tau, &t->env, t->x);
  if (s == LIMB_OK) s = limb_forward_dynamics_by_mass_matrix(t->d, t->q, t->v, t->tau, &t->env, t->A, t->y);
  if (s == LIMB_OK) s = differ_acceleration(t, t->x, t->y, off);
  return s;
}

// a = M^-1 (tau - h - friction - springs)
static limb_status forward_solve(verify* t, double* off)
{
  limb_status s = limb_bias_forces(t->d, t->q, t->v, &t->env, t->x);
  if (s == LIMB_OK) s = add_passive(t, t->x);
  for (int k = 0; k < t->nv; k++) t->x[k] = t->tau[k] - t->x[k];
  if (s == LIMB_OK) s = limb_mass_matrix_solve(t->d, t->q, 1, t->x, t->y);
  if (s == LIMB_OK) s = limb_forward_dynamics(t->d, t->q, t->v, t->tau, &t->env, t->x);
  if (s == LIMB_OK) s = differ_acceleration(t, t->y, t->x, off);
  return s;
}

// ---- Coriolis and gravity --------------------------------------------------------------------------

static limb_status coriolis_bias(verify* t, double* off)
{
  limb_status s = limb_coriolis_matrix(t->d, t->q, t->v, t->A);
  verify_times(t, t->A, t->v, t->x);
  if (s == LIMB_OK) s = limb_gravity_forces(t->d, t->q, &t->env, t->y);
  for (int k = 0; k < t->nv; k++) t->x[k] += t->y[k];
  if (s == LIMB_OK) s = limb_bias_forces(t->d, t->q, t->v, &t->env, t->z);
  *off = differ_force(t, t->z, t->x);
  return s;
}

static limb_status sample_mass(verify* t, double* M) { return limb_mass_matrix(t->d, t->qt, M); }

// dM/dt - 2 C is skew: dM/dt = C + C'. Both are zero where M is constant: M v is their size then.
static limb_status coriolis_skew(verify* t, double* off)
{
  const size_t n = (size_t)t->nv;
  limb_status s = verify_rate(t, 0, sample_mass, n * n, t->B, t->M);
  if (s == LIMB_OK) s = limb_mass_matrix(t->d, t->q, t->M);
  const double size = fmax(norm(t, t->M), VERIFY_PART * t->size.inertia) * t->size.speed;
  if (s == LIMB_OK) s = limb_coriolis_matrix(t->d, t->q, t->v, t->A);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) t->M[i * n + k] = t->A[i * n + k] + t->A[k * n + i];
  *off = cli_differ(n * n, t->B, t->M, size);
  return s;
}

static limb_status potential(verify* t, const double* q, double* out)
{
  limb_energy e;
  const limb_status s = limb_energies(t->d, q, t->v, &t->env, &e);
  *out = e.gravity;
  return s;
}

// g_k is the slope of the potential along coordinate k. Its rounding is that of the energies of the bodies.
static limb_status gravity_gradient(verify* t, double* off)
{
  static const int at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
  const double h = 1e-3;
  limb_status s = limb_gravity_forces(t->d, t->q, &t->env, t->x);
  memset(t->z, 0, (size_t)t->nv * sizeof *t->z);
  for (int k = 0; k < t->nv && s == LIMB_OK; k++) {
    t->y[k] = 0;
    t->z[k] = 1;
    for (int i = 0; i < 4 && s == LIMB_OK; i++) {
      double energy = 0;
      s = limb_integrate(t->m, t->q, t->z, at[i] * h, t->qt);
      if (s == LIMB_OK) s = potential(t, t->qt, &energy);
      t->y[k] += weight[i] * energy / (12 * h);
    }
    t->z[k] = 0;
  }
  const double size = t->size.moment * sp_norm3(t->env.gravity);
  *off = cli_differ((size_t)t->nv, t->x, t->y, VERIFY_PART_DIFFERENCES * size);
  return s;
}

const verify_check verify_dynamics[] = {
  {"tau", "RNEA", "Lie-group recursion", VERIFY_ALGEBRA, 1, tau_lie, 0, NULL},
  {"tau", "RNEA", "M a + h + friction + springs", VERIFY_ALGEBRA, 2, tau_mass_matrix, 0, NULL},
  {"tau", "RNEA", "closed form A'L'GLA", VERIFY_ALGEBRA, 3, tau_closed_form, 0, NULL},
  {"tau", "RNEA with a wrench", "RNEA - J' wrench", VERIFY_ALGEBRA, 1, tau_wrench, 0, NULL},
  {"M", "CRBA", "columns by RNEA", VERIFY_ALGEBRA, 2, mass_columns, 0, NULL},
  {"M", "CRBA", "closed form A'L'GLA", VERIFY_ALGEBRA, 3, mass_closed_form, 0, NULL},
  {"M", "v' M v / 2", "kinetic energy of the bodies", VERIFY_ALGEBRA, 2, mass_energy, 0, NULL},
  {"M^-1", "M^-1 M a", "a", VERIFY_INVERSE, 2, mass_inverse, 0, NULL},
  {"a", "forward(inverse(a))", "a", VERIFY_INVERSE, 1, forward_back, 0, NULL},
  {"a", "ABA", "L'DL factors of M", VERIFY_INVERSE, 2, forward_aba, 0, "not for mimic joints"},
  {"a", "forward dynamics", "M^-1 (tau - h - ...)", VERIFY_INVERSE, 2, forward_solve, 0, NULL},
  {"C", "C v + g", "h by RNEA", VERIFY_ALGEBRA, 2, coriolis_bias, 0, NULL},
  {"C", "C + C'", "dM/dt by differences", VERIFY_DIFFERENCES, 2, coriolis_skew, 0, NULL},
  {"g", "RNEA at rest", "slope of the potential", VERIFY_DIFFERENCES, 2, gravity_gradient, 0, NULL},
  {0},
};
