// Derivatives by the complex step: the kernels over complex numbers against what they must give.
//
//   d tau / d a = M,   d a / d tau = M^-1,   d tau / d v and d tau / d q by central differences
//
// A step of q is one along the tangent: ball and free joints are perturbed by their velocities. The
// kernels take quaternions of any norm, so a first-order step is enough.
#include "dynamics/dynamics_impl.h"
#include "support/complex.h"

#define TOL_EXACT 1e-14
#define STEP_REAL 1e-5 // of central differences

enum { STATES = CHECK_SANITIZED ? 2 : 10 };

static const limb_terms smooth_terms = {true, true, true, 0.3};

static cplx* from_real(trial* t, const double* x, int n)
{
  cplx* y = cplx_zeros(t, (size_t)n);
  for (int i = 0; i < n; i++) y[i] = x[i];
  return y;
}

// Every column of a small robot, four of a long one.
static int column_step(const trial* t) { return trial_small(t) ? 1 : t->nv / 4; }

// ---- d tau / d a ----------------------------------------------------------------------------------

static void tau_by_a(trial* t)
{
  const int n = t->nv;
  const size_t nn = (size_t)n * (size_t)n;
  scalar_space s = scalar_space_make(t->m, sizeof(cplx));
  cplx *q = from_real(t, t->q, t->nq), *v = from_real(t, t->v, n);
  cplx *a = from_real(t, t->a, n), *tau = cplx_zeros(t, (size_t)n);
  double *M = trial_doubles(t, nn), *column = trial_doubles(t, (size_t)n);
  double* want = trial_doubles(t, (size_t)n);
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  const double size = largest(M, nn);
  for (int j = 0; j < n; j += column_step(t)) {
    a[j] = cplx_make(t->a[j], COMPLEX_STEP);
    limb_kernels_c64.inverse_dynamics(t->m, t->m->k64, &s.ws, q, v, a, &smooth_terms, NULL, tau);
    a[j] = t->a[j];
    cplx_derivative(tau, (size_t)n, column);
    for (int i = 0; i < n; i++) want[i] = M[(size_t)i * (size_t)n + (size_t)j];
    assert_close_array(column, want, n, 0, TOL_EXACT * size);
  }
  scalar_space_free(&s);
}

START_TEST(forces_by_accelerations_are_the_mass_matrix) { trial_over(_i, STATES, tau_by_a); }
END_TEST

// ---- d a / d tau ----------------------------------------------------------------------------------

static void a_by_tau(trial* t)
{
  const limb_model* m = t->m;
  const int n = t->nv;
  const size_t nn = (size_t)n * (size_t)n;
  scalar_space s = scalar_space_make(m, sizeof(cplx));
  cplx *q = from_real(t, t->q, t->nq), *v = from_real(t, t->v, n);
  cplx *tau = cplx_zeros(t, (size_t)n), *a = cplx_zeros(t, (size_t)n);
  cplx* work = cplx_zeros(t, (size_t)m->elim.packed);
  double *Minv = trial_doubles(t, nn), *column = trial_doubles(t, (size_t)n);
  double* want = trial_doubles(t, (size_t)n);
  assert_ok(limb_mass_matrix_inverse(t->d, t->q, Minv));
  const double tolerance = t->solve * largest(Minv, nn);
  for (int j = 0; j < n; j += column_step(t)) {
    for (int i = 0; i < n; i++) want[i] = Minv[(size_t)i * (size_t)n + (size_t)j];
    tau[j] = cplx_make(0, COMPLEX_STEP);
    limb_kernels_c64.by_mass_matrix(m, m->k64, &s.ws, q, v, tau, &smooth_terms, NULL, work, a);
    cplx_derivative(a, (size_t)n, column);
    assert_close_array(column, want, n, 0, tolerance);
    if (!m->has_mimic) {
      limb_kernels_c64.aba(m, m->k64, &s.ws, q, v, tau, &smooth_terms, NULL, a);
      cplx_derivative(a, (size_t)n, column);
      assert_close_array(column, want, n, 0, tolerance);
    }
    tau[j] = 0;
  }
  scalar_space_free(&s);
}

START_TEST(accelerations_by_forces_are_the_inverse) { trial_over(_i, STATES, a_by_tau); }
END_TEST

// ---- hybrid dynamics --------------------------------------------------------------------------------

// Along (dq, dv, dx) by the complex step, both ways, against the kernels over dual numbers.
static void hybrid_slopes(trial* t)
{
  if (!trial_small(t)) return;
  const limb_model* m = t->m;
  const size_t n = (size_t)t->nv;
  scalar_space s = scalar_space_make(m, sizeof(cplx));
  double *dq = trial_doubles(t, n), *dv = trial_doubles(t, n), *dx = trial_doubles(t, n);
  double *want = trial_doubles(t, n), *got = trial_doubles(t, n);
  double* rate = trial_doubles(t, (size_t)t->nq);
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  rng_fill(&t->r, 1, t->nv, dq), rng_fill(&t->r, 1, t->nv, dv), rng_fill(&t->r, 1, t->nv, dx);
  for (size_t k = 0; k < n; k++) given[k] = (unsigned char)rng_chance(&t->r, 0.5);
  cplx *q = cplx_zeros(t, (size_t)t->nq), *v = cplx_zeros(t, n), *x = cplx_zeros(t, n);
  cplx *a = cplx_zeros(t, n), *tau = cplx_zeros(t, n), *work = cplx_zeros(t, m->elim.packed);
  cplx_configuration(t, dq, rate, q);
  for (size_t k = 0; k < n; k++) {
    v[k] = cplx_make(t->v[k], COMPLEX_STEP * dv[k]);
    x[k] = cplx_make(t->a[k], COMPLEX_STEP * dx[k]);
  }
  limb_environment env = limb_default_environment(m);
  env.coulomb_width = smooth_terms.width;
  const limb_hybrid in = {t->q, t->v, given, t->a, &env};
  const limb_directions along = {1, dq, dv, dx, dx};
  limb_dual* w = NULL;
  assert_ok(limb_dual_create(m, LIMB_DUAL_VECTORS, NULL, &w));
  assert_ok(limb_hybrid_dynamics_along(w, &in, &along, want));
  limb_dual_destroy(w);
  const limb_kernel_set_c64_hybrid cin = {q, v, given, x, &smooth_terms, NULL};
  for (int sweep = 0; sweep <= limb_given_sweeps(m, given); sweep++) {
    if (sweep) {
      limb_kernels_c64.hybrid(m, m->k64, &s.ws, &cin, a, tau);
    } else {
      limb_kernels_c64.hybrid_by_mass_matrix(m, m->k64, &s.ws, &cin, work, a, tau);
    }
    for (size_t k = 0; k < n; k++) got[k] = cimag(given[k] ? tau[k] : a[k]) / COMPLEX_STEP;
    assert_close_array(got, want, t->nv, t->solve, 0);
  }
  scalar_space_free(&s);
}

START_TEST(hybrid_dynamics_along_a_direction) { trial_over(_i, STATES, hybrid_slopes); }
END_TEST

// ---- d tau / d v and d tau / d q ------------------------------------------------------------------

// (tau(q1, v1) - tau(q0, v0)) / 2 STEP_REAL over double
static void central_difference(trial* t, const limb_ws* ws, const double* const q[2], const double* const v[2],
                               double* out)
{
  const limb_model* m = t->m;
  double* tau = trial_doubles(t, (size_t)t->nv);
  for (int side = 0; side < 2; side++) {
    limb_kernels_here()->inverse_dynamics(m, m->k64, ws, q[side], v[side], t->a, &smooth_terms, NULL, side ? tau : out);
  }
  for (int i = 0; i < t->nv; i++) out[i] = (tau[i] - out[i]) / (2 * STEP_REAL);
}

static void tau_by_state(trial* t, const scalar_space* c64, const scalar_space* f64, int k)
{
  const limb_model* m = t->m;
  const int n = t->nv;
  const double tolerance = n > 100 ? 1e-4 : TOL_FD; // of the differences: torques of a long chain are large
  cplx *q = from_real(t, t->q, t->nq), *v = from_real(t, t->v, n);
  cplx *a = from_real(t, t->a, n), *tau = cplx_zeros(t, (size_t)n);
  double *column = trial_doubles(t, (size_t)n), *want = trial_doubles(t, (size_t)n);
  double *unit = trial_doubles(t, (size_t)n), *dq = trial_doubles(t, (size_t)t->nq);
  double *q0 = trial_doubles(t, (size_t)t->nq), *q1 = trial_doubles(t, (size_t)t->nq);
  double *v0 = trial_doubles(t, (size_t)n), *v1 = trial_doubles(t, (size_t)n);

  for (int i = 0; i < n; i++) v0[i] = v1[i] = t->v[i];
  v0[k] -= STEP_REAL, v1[k] += STEP_REAL;
  v[k] = cplx_make(t->v[k], COMPLEX_STEP);
  limb_kernels_c64.inverse_dynamics(m, m->k64, &c64->ws, q, v, a, &smooth_terms, NULL, tau);
  v[k] = t->v[k];
  cplx_derivative(tau, (size_t)n, column);
  central_difference(t, &f64->ws, (const double* const[]){t->q, t->q}, (const double* const[]){v0, v1}, want);
  assert_close_array(column, want, n, tolerance, TOL_FD);

  unit[k] = 1;
  assert_ok(limb_integrate(m, t->q, unit, -STEP_REAL, q0));
  assert_ok(limb_integrate(m, t->q, unit, STEP_REAL, q1));
  cplx_configuration(t, unit, dq, q);
  limb_kernels_c64.inverse_dynamics(m, m->k64, &c64->ws, q, v, a, &smooth_terms, NULL, tau);
  cplx_derivative(tau, (size_t)n, column);
  central_difference(t, &f64->ws, (const double* const[]){q0, q1}, (const double* const[]){t->v, t->v}, want);
  assert_close_array(column, want, n, tolerance, TOL_FD);
}

// One velocity and the coordinate behind it, another one for each state.
static void state_columns(trial* t)
{
  scalar_space c64 = scalar_space_make(t->m, sizeof(cplx));
  scalar_space f64 = scalar_space_make(t->m, sizeof(double));
  tau_by_state(t, &c64, &f64, rng_below(&t->r, t->nv));
  scalar_space_free(&c64);
  scalar_space_free(&f64);
}

START_TEST(forces_by_velocities_and_positions)
{
  trial_over(_i, CHECK_SANITIZED ? 20 : 2 * TRIAL_STATES, state_columns);
}
END_TEST

CHECK_MAIN("scalars/complex", trial_robots(), forces_by_accelerations_are_the_mass_matrix,
           accelerations_by_forces_are_the_inverse, hybrid_dynamics_along_a_direction,
           forces_by_velocities_and_positions)
