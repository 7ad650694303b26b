// The Lagrangian form: derivatives of M against the complex step, and the Euler-Lagrange equations with
// Hamel's term against Newton-Euler, over every fixture robot.
#include "dynamics/complex_step.h"

#include "limb/lagrange.h"

#define TOL_DERIVATIVE 1e-12

enum { STATES = CHECK_SANITIZED ? 2 : 5, MOST = 60 }; // velocities of robots whose nv^3 is looked at

// ---- dM/dq ------------------------------------------------------------------------------------------

static void tensor_of_mass_matrix(trial* t)
{
  if (t->nv > MOST) return;
  const size_t n = (size_t)t->nv, n2 = n * n;
  double *dM = trial_doubles(t, n2 * n), *want = trial_doubles(t, n2 * n);
  double* slope = trial_doubles(t, n2);
  cplx* M = cplx_zeros(t, n2);
  complex_step c = step_begin(t);
  for (size_t k = 0; k < n; k++) {
    step_along_axis(&c, (int)k);
    limb_kernels_c64.mass_matrix(t->m, t->m->k64, &c.s.ws, c.q, M);
    cplx_derivative(M, n2, slope);
    for (size_t ij = 0; ij < n2; ij++) want[ij * n + k] = slope[ij];
  }
  step_end(&c);
  assert_ok(limb_mass_matrix_derivative(t->d, t->q, dM));
  assert_tensor(dM, want, n2 * n, TOL_DERIVATIVE, 1e-3);
}

START_TEST(mass_matrix_derivative) { trial_over(_i, STATES, tensor_of_mass_matrix); }
END_TEST

// Columns of d(M u)/dq and entries of d(u' M w)/dq: all of a small robot, four of a long one.
static void contracted(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv;
  double *by_u = trial_doubles(t, n * n), *g = trial_doubles(t, n);
  double *want = trial_doubles(t, n), *column = trial_doubles(t, n);
  assert_ok(limb_mass_matrix_derivative_times(t->d, t->q, t->v, by_u));
  assert_ok(limb_mass_matrix_gradient(t->d, t->q, t->v, t->a, g));
  const double size = largest(by_u, n * n), size_g = largest(g, n);
  const double tolerance = trial_small(t) ? TOL_DERIVATIVE : TOL_SOLVE;
  complex_step c = step_begin(t);
  const int few = !trial_small(t) || t->nv > 30;
  for (int k = 0; k < t->nv; k += few ? t->nv / 4 : 1) {
    step_along_axis(&c, k);
    step_mass_times(&c, t->v, want);
    double sum = 0;
    for (size_t i = 0; i < n; i++) column[i] = by_u[i * n + (size_t)k], sum += t->a[i] * want[i];
    assert_close_array(column, want, t->nv, 0, tolerance * size);
    assert_close(g[k], sum, 0, tolerance * size_g);
  }
  step_end(&c);
}

START_TEST(mass_matrix_derivative_contracted) { trial_over(_i, STATES, contracted); }
END_TEST

static void rate(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv;
  double *Mdot = trial_doubles(t, n * n), *want = trial_doubles(t, n * n);
  cplx* M = cplx_zeros(t, n * n);
  complex_step c = step_begin(t);
  step_along(&c, t->v);
  limb_kernels_c64.mass_matrix(t->m, t->m->k64, &c.s.ws, c.q, M);
  step_end(&c);
  cplx_derivative(M, n * n, want);
  assert_ok(limb_mass_matrix_rate(t->d, t->q, t->v, Mdot));
  assert_tensor(Mdot, want, n * n, TOL_DERIVATIVE, 0);
}

START_TEST(mass_matrix_rate) { trial_over(_i, STATES, rate); }
END_TEST

// ---- energies ---------------------------------------------------------------------------------------

static void potential(trial* t)
{
  double *got = trial_doubles(t, (size_t)t->nv), *want = trial_doubles(t, (size_t)t->nv);
  limb_environment env = t->env;
  env.gravity = rng_vec3(&t->r, 10);
  assert_ok(limb_gravity_from_potential(t->d, t->q, &env, got));
  assert_ok(limb_gravity_forces(t->d, t->q, &env, want));
  assert_close_array(got, want, t->nv, TOL_ALGEBRA, TOL_ALGEBRA);
}

START_TEST(gravity_is_the_gradient_of_the_potential) { trial_over(_i, TRIAL_STATES / 4, potential); }
END_TEST

// dT/dv = M v, T = p . v / 2, L = T - U, and dU/dq . v the rates that the power balance knows.
static void energy_terms(trial* t)
{
  const size_t n = (size_t)t->nv;
  double *p = trial_doubles(t, n), *Mv = trial_doubles(t, n), *zeros = trial_doubles(t, n);
  limb_lagrangian l = {.p = p, .dU_dq = trial_doubles(t, n)};
  limb_power power;
  limb_environment env = t->env;
  env.friction = 0, env.nwrench = 0, env.gravity = sp_v3(0, 0, 0);
  assert_ok(limb_inverse_dynamics(t->d, t->q, zeros, t->v, &env, Mv));
  double* springs = trial_doubles(t, n);
  assert_ok(limb_spring_forces(t->d, t->q, springs));
  for (size_t i = 0; i < n; i++) Mv[i] -= springs[i];
  assert_ok(limb_lagrangian_terms(t->d, t->q, t->v, NULL, &l));
  assert_close_array(p, Mv, t->nv, TOL_ALGEBRA, TOL_ALGEBRA * largest(springs, n));
  double twice = 0, dU = 0;
  for (size_t i = 0; i < n; i++) twice += p[i] * t->v[i], dU += l.dU_dq[i] * t->v[i];
  const limb_energy* e = &l.energy;
  assert_close(twice / 2, e->kinetic, TOL_ALGEBRA, 0);
  assert_close(l.L, e->kinetic - e->gravity - e->springs, TOL_ALGEBRA, 0);
  assert_ok(limb_power_balance(t->d, t->q, t->v, t->a, NULL, &power));
  assert_close(dU, power.gravity + power.springs, TOL_ALGEBRA, TOL_ALGEBRA * largest(l.dU_dq, n) * (double)n);
}

START_TEST(energies_momentum_and_rates) { trial_over(_i, TRIAL_STATES / 4, energy_terms); }
END_TEST

// dT/dq = d(v' M v / 2)/dq by the complex step along a random tangent.
static void kinetic_gradient(trial* t)
{
  const size_t n = (size_t)t->nv;
  double *dT = trial_doubles(t, n), *dMv = trial_doubles(t, n);
  assert_ok(limb_energy_derivatives(t->d, t->q, t->v, NULL, dT, NULL, NULL));
  complex_step c = step_begin(t);
  step_along(&c, t->a);
  step_mass_times(&c, t->v, dMv);
  step_end(&c);
  double got = 0, want = 0, size = 0;
  for (size_t i = 0; i < n; i++) {
    got += dT[i] * t->a[i], want += t->v[i] * dMv[i] / 2;
    size += fabs(dT[i] * t->a[i]);
  }
  assert_close(got, want, 0, TOL_DERIVATIVE * size);
}

START_TEST(kinetic_energy_by_position) { trial_over(_i, STATES, kinetic_gradient); }
END_TEST

// ---- the equations of motion ------------------------------------------------------------------------

// out += J' wrench for the wrenches of the environment
static void add_wrenches(trial* t, double* out)
{
  sp_motion* J = trial_motions(t, (size_t)t->nv);
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  for (int w = 0; w < t->env.nwrench; w++) {
    const limb_wrench* x = &t->wrench[w];
    assert_ok(limb_frame_jacobian(t->d, x->frame, x->ref, J));
    for (int k = 0; k < t->nv; k++) out[k] += sp_dot(J[k], x->wrench);
  }
}

// tau = M a + Mdot v + hamel - dT/dq + dU/dq + friction - J' wrench
static void hamel(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv;
  limb_lagrangian l = {.p = trial_doubles(t, n), .dT_dq = trial_doubles(t, n)};
  l.dU_dq = trial_doubles(t, n), l.hamel = trial_doubles(t, n);
  double *A = trial_doubles(t, n * n), *Ma = trial_doubles(t, n), *Mdot_v = trial_doubles(t, n);
  double *friction = trial_doubles(t, n), *push = trial_doubles(t, n);
  double *got = trial_doubles(t, n), *want = trial_doubles(t, n);
  assert_ok(limb_lagrangian_terms(t->d, t->q, t->v, &t->env, &l));
  assert_ok(limb_mass_matrix(t->d, t->q, A));
  trial_times(A, t->a, t->nv, t->nv, Ma);
  assert_ok(limb_mass_matrix_rate(t->d, t->q, t->v, A));
  trial_times(A, t->v, t->nv, t->nv, Mdot_v);
  assert_ok(limb_friction_forces(t->d, t->v, &t->env, friction));
  add_wrenches(t, push);
  for (size_t i = 0; i < n; i++)
    got[i] = Ma[i] + Mdot_v[i] + l.hamel[i] - l.dT_dq[i] + l.dU_dq[i] + friction[i] - push[i];
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &t->env, want));
  const double size = fmax(largest(want, n), fmax(largest(Mdot_v, n), largest(push, n)));
  assert_close_array(got, want, t->nv, 0, TOL_ALGEBRA * size * (trial_small(t) ? 1 : 10));
  if (!has_quaternions(t)) assert_that(largest(l.hamel, n) == 0);
}

START_TEST(euler_lagrange_and_hamel_are_newton_euler) { trial_over(_i, TRIAL_STATES / 4, hamel); }
END_TEST

// ---- edges ------------------------------------------------------------------------------------------

// A robot a million kilometres away: only what is measured from its root enters.
START_TEST(far_from_the_origin)
{
  if (_i > 0) return;
  limb_model* m = robot_panda_on_base(LIMB_FREE, 20);
  limb_data* d;
  assert_ok(limb_data_create(m, NULL, &d));
  enum { N = 13, Q = 14 };
  static double close[N * N * N], distant[N * N * N];
  double q[Q] = {0, 0, 0, 0.1, -0.2, 0.3, 0.927361849549570, 0.3, -0.5, 0.2, -1.9, 0.4, 1.1, 0.7};
  ck_assert_int_eq(limb_nv(m), N);
  assert_ok(limb_mass_matrix_derivative(d, q, close));
  q[0] = 1e9, q[1] = -8e8, q[2] = 6e8;
  assert_ok(limb_mass_matrix_derivative(d, q, distant));
  assert_close_array(distant, close, N * N * N, TOL_ALGEBRA, 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// No call disturbs what limb_kinematics left, or the external wrenches of the next one.
static void undisturbed(trial* t)
{
  if (t->nv > MOST) return;
  const size_t n = (size_t)t->nv;
  double *x = trial_doubles(t, n * n * n + 2 * n), *before = trial_doubles(t, n), *after = trial_doubles(t, n);
  sp_motion v, w;
  const int frame = rng_below(&t->r, t->nframe);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &t->env, before));
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  assert_ok(limb_frame_acceleration(t->d, frame, LIMB_WORLD, &v));
  double* other = trial_doubles(t, (size_t)t->nq);
  assert_ok(limb_neutral(t->m, other));
  assert_ok(limb_mass_matrix_derivative(t->d, other, x));
  assert_ok(limb_mass_matrix_derivative_times(t->d, other, t->v, x));
  assert_ok(limb_mass_matrix_gradient(t->d, other, t->v, t->a, x));
  assert_ok(limb_energy_derivatives(t->d, other, t->v, NULL, x, x + n, NULL));
  assert_ok(limb_frame_acceleration(t->d, frame, LIMB_WORLD, &w));
  assert_close_motion(w, v, 0, 0);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &t->env, after));
  assert_close_array(after, before, t->nv, 0, 0);
}

START_TEST(the_workspace_is_left_in_order) { trial_over(_i, 2, undisturbed); }
END_TEST

static void bad_arguments(trial* t)
{
  if (t->nv > MOST) return;
  const size_t n = (size_t)t->nv;
  double* x = trial_doubles(t, n * n * n);
  limb_lagrangian l = {.hamel = x};
  const double *q = t->q, *v = t->v;
  assert_status(limb_mass_matrix_derivative(NULL, q, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_derivative(t->d, NULL, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_derivative(t->d, q, NULL), LIMB_E_ARG);
  assert_status(limb_mass_matrix_derivative_times(NULL, q, v, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_derivative_times(t->d, NULL, v, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_derivative_times(t->d, q, NULL, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_derivative_times(t->d, q, v, NULL), LIMB_E_ARG);
  assert_status(limb_mass_matrix_gradient(NULL, q, v, v, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_gradient(t->d, NULL, v, v, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_gradient(t->d, q, NULL, v, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_gradient(t->d, q, v, NULL, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_gradient(t->d, q, v, v, NULL), LIMB_E_ARG);
  assert_status(limb_mass_matrix_rate(NULL, q, v, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_rate(t->d, NULL, v, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_rate(t->d, q, NULL, x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_rate(t->d, q, v, NULL), LIMB_E_ARG);
  assert_status(limb_gravity_from_potential(NULL, q, NULL, x), LIMB_E_ARG);
  assert_status(limb_gravity_from_potential(t->d, NULL, NULL, x), LIMB_E_ARG);
  assert_status(limb_gravity_from_potential(t->d, q, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_energy_derivatives(NULL, q, v, NULL, x, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_energy_derivatives(t->d, NULL, v, NULL, x, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_energy_derivatives(t->d, q, NULL, NULL, x, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_lagrangian_terms(t->d, q, v, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_lagrangian_terms(t->d, q, v, NULL, &l), LIMB_E_ARG); // hamel without p
  l.hamel = NULL;
  assert_status(limb_lagrangian_terms(NULL, q, v, NULL, &l), LIMB_E_ARG);
}

static void bad_numbers(trial* t)
{
  if (t->nv > MOST) return;
  const size_t n = (size_t)t->nv;
  double *x = trial_doubles(t, n * n * n), *bad = trial_doubles(t, n);
  const double values[3] = {nan(""), HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < 3; k++) {
    bad[n - 1] = values[k];
    assert_status(limb_mass_matrix_derivative_times(t->d, t->q, bad, x), LIMB_E_NONFINITE);
    assert_status(limb_mass_matrix_gradient(t->d, t->q, bad, t->v, x), LIMB_E_NONFINITE);
    assert_status(limb_mass_matrix_gradient(t->d, t->q, t->v, bad, x), LIMB_E_NONFINITE);
    assert_status(limb_mass_matrix_rate(t->d, t->q, bad, x), LIMB_E_NONFINITE);
    assert_status(limb_energy_derivatives(t->d, t->q, bad, NULL, x, NULL, NULL), LIMB_E_NONFINITE);
  }
  for (size_t i = 0; i < n; i++) bad[i] = 1e200; // momentum overflows against velocity
  assert_status(limb_energy_derivatives(t->d, t->q, bad, NULL, NULL, x, NULL), LIMB_OK);
  limb_lagrangian l = {.p = x};
  assert_status(limb_lagrangian_terms(t->d, t->q, bad, NULL, &l), LIMB_E_NONFINITE);
  t->q[t->nq - 1] = nan("");
  assert_status(limb_mass_matrix_derivative(t->d, t->q, x), LIMB_E_NONFINITE);
  assert_status(limb_gravity_from_potential(t->d, t->q, NULL, x), LIMB_E_NONFINITE);
  if (!(t->robot->flags & ROBOT_FREE_BASE)) return;
  t->q[t->nq - 1] = 0;
  t->q[6] = 3; // a quaternion that is not one
  assert_status(limb_mass_matrix_derivative(t->d, t->q, x), LIMB_E_ARG);
  assert_status(limb_gravity_from_potential(t->d, t->q, NULL, x), LIMB_E_ARG);
}

START_TEST(what_cannot_be_computed_is_refused)
{
  trial_over(_i, 1, bad_arguments);
  trial_over(_i, 1, bad_numbers);
}
END_TEST

// A tensor of 27 GB: refused before anything is touched.
START_TEST(too_large)
{
  if (_i > 0) return;
  limb_model* m = robot_chain(LIMB_TENSOR3_MAX + 1);
  limb_data* d;
  double q[LIMB_TENSOR3_MAX + 1] = {0}, x = 0;
  assert_ok(limb_data_create(m, NULL, &d));
  assert_status(limb_mass_matrix_derivative(d, q, &x), LIMB_E_UNSUPPORTED);
  assert_status(limb_christoffel(d, q, &x), LIMB_E_UNSUPPORTED);
  assert_status(limb_connection(d, q, &x), LIMB_E_UNSUPPORTED);
  assert_status(limb_christoffel_by_polarisation(d, q, &x, &x), LIMB_E_UNSUPPORTED);
  ck_assert_uint_eq(limb_christoffel_by_polarisation_work(m), 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("dynamics/lagrange", trial_robots(), mass_matrix_derivative, mass_matrix_derivative_contracted,
           mass_matrix_rate, gravity_is_the_gradient_of_the_potential, energies_momentum_and_rates,
           kinetic_energy_by_position, euler_lagrange_and_hamel_are_newton_euler, far_from_the_origin,
           the_workspace_is_left_in_order, what_cannot_be_computed_is_refused, too_large)
