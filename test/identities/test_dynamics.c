// Identities of inverse and forward dynamics and of the mass matrix, over every fixture robot.
#include "support/trial.h"

#include "limb/verify.h"

#include <math.h>
#include <string.h>

// ---- inverse dynamics and its parts -------------------------------------------------------------

// tau -= sum J' wrench
static void subtract_wrenches(trial* t, const limb_environment* env, double* tau)
{
  sp_motion* J = trial_motions(t, (size_t)t->nv);
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  for (int i = 0; i < env->nwrench; i++) {
    const limb_wrench* w = &env->wrench[i];
    assert_ok(limb_frame_jacobian(t->d, w->frame, w->ref, J));
    for (int k = 0; k < t->nv; k++) tau[k] -= sp_dot(J[k], w->wrench);
  }
}

// tau = M a + h + friction + springs - sum J' wrench
static void sum_of_parts(trial* t, const limb_environment* env)
{
  const size_t n = (size_t)t->nv;
  double *M = trial_doubles(t, n * n), *want = trial_doubles(t, n), *tau = trial_doubles(t, n);
  double *h = trial_doubles(t, n), *friction = trial_doubles(t, n), *springs = trial_doubles(t, n);
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  assert_ok(limb_bias_forces(t->d, t->q, t->v, env, h));
  assert_ok(limb_friction_forces(t->d, t->v, env, friction));
  assert_ok(limb_spring_forces(t->d, t->q, springs));
  trial_times(M, t->a, t->nv, t->nv, want);
  for (int k = 0; k < t->nv; k++) want[k] += h[k] + friction[k] + springs[k];
  subtract_wrenches(t, env, want);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, env, tau));
  assert_close_array(tau, want, t->nv, TOL_ALGEBRA, 0);
}

static void inverse_dynamics(trial* t)
{
  sum_of_parts(t, &t->env);
  const limb_environment moving = trial_moving_base(t);
  sum_of_parts(t, &moving);
  limb_environment smooth = t->env;
  smooth.coulomb_width = 0.3;
  sum_of_parts(t, &smooth);
  limb_environment frictionless = t->env;
  frictionless.friction = 0, frictionless.gravity = rng_vec3(&t->r, 10);
  sum_of_parts(t, &frictionless);
}

START_TEST(inverse_dynamics_is_the_sum_of_its_parts) { trial_over(_i, TRIAL_STATES, inverse_dynamics); }
END_TEST

static void default_environment(trial* t)
{
  double *tau = trial_doubles(t, (size_t)t->nv), *want = trial_doubles(t, (size_t)t->nv);
  const limb_environment env = limb_default_environment(t->m);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, want));
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, NULL, tau));
  assert_that(memcmp(tau, want, (size_t)t->nv * sizeof *tau) == 0);
}

START_TEST(no_environment_is_the_default_one) { trial_over(_i, 10, default_environment); }
END_TEST

static void bias_at_rest(trial* t)
{
  const size_t n = (size_t)t->nv;
  double *h = trial_doubles(t, n), *g = trial_doubles(t, n), *rest = trial_doubles(t, n);
  assert_ok(limb_bias_forces(t->d, t->q, rest, &t->env, h));
  const limb_environment moving = trial_moving_base(t);
  assert_ok(limb_gravity_forces(t->d, t->q, &moving, g));
  assert_close_array(h, g, t->nv, TOL_ALGEBRA, 0);
}

START_TEST(bias_at_rest_is_gravity) { trial_over(_i, TRIAL_STATES, bias_at_rest); }
END_TEST

// The torque T of a shaft on its joint, which loads the motor with T / ratio.
static void add_shaft(const trial* t, int shaft, double* friction, double* springs)
{
  limb_shaft_def s;
  limb_joint_info joint, motor;
  assert_ok(limb_get_shaft(t->m, shaft, &s));
  assert_ok(limb_get_joint(t->m, s.joint, &joint));
  assert_ok(limb_get_joint(t->m, s.motor, &motor));
  const double elastic = s.stiffness * (t->q[motor.q] / s.ratio - t->q[joint.q] - s.rest);
  const double damping = s.damping * (t->v[motor.v] / s.ratio - t->v[joint.v]);
  springs[joint.v] -= elastic, springs[motor.v] += elastic / s.ratio;
  friction[joint.v] -= damping, friction[motor.v] += damping / s.ratio;
}

// What friction and springs do, from the joints' and shafts' own numbers: mimic joints act through
// their source.
static void actuators(trial* t)
{
  const size_t n = (size_t)t->nv;
  double *friction = trial_doubles(t, n), *springs = trial_doubles(t, n);
  double* got = trial_doubles(t, n);
  limb_environment env = t->env;
  env.coulomb_width = rng_chance(&t->r, 0.5) ? 0.2 : 0;
  for (int j = 0; j < limb_joint_count(t->m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    const limb_joint_type type = info.def.type;
    if (type != LIMB_REVOLUTE && type != LIMB_PRISMATIC && type != LIMB_HELICAL) continue;
    const double x = info.multiplier * t->q[info.q] + info.offset;
    const double v = info.multiplier * t->v[info.v];
    const double sign = env.coulomb_width > 0 ? tanh(v / env.coulomb_width) : (v > 0) - (v < 0);
    friction[info.v] += info.multiplier * (info.def.coulomb * sign + info.def.viscous * v);
    springs[info.v] += info.multiplier * info.def.stiffness * (x - info.def.rest);
  }
  for (int s = 0; s < limb_shaft_count(t->m); s++) add_shaft(t, s, friction, springs);
  assert_ok(limb_friction_forces(t->d, t->v, &env, got));
  assert_close_array(got, friction, t->nv, TOL_ALGEBRA, 0);
  assert_ok(limb_spring_forces(t->d, t->q, got));
  assert_close_array(got, springs, t->nv, TOL_ALGEBRA, 0);
}

START_TEST(friction_and_springs_as_described) { trial_over(_i, TRIAL_STATES, actuators); }
END_TEST

// ---- the mass matrix ----------------------------------------------------------------------------

// Cholesky factorisation in place; false when a pivot is not positive.
static int positive_definite(double* M, int n)
{
  for (int j = 0; j < n; j++) {
    double pivot = M[j * n + j];
    for (int k = 0; k < j; k++) pivot -= M[j * n + k] * M[j * n + k];
    if (!(pivot > 0)) return 0;
    M[j * n + j] = sqrt(pivot);
    for (int i = j + 1; i < n; i++) {
      double sum = M[i * n + j];
      for (int k = 0; k < j; k++) sum -= M[i * n + k] * M[j * n + k];
      M[i * n + j] = sum / M[j * n + j];
    }
  }
  return 1;
}

// Column j of M is what inverse dynamics gives for a = e_j, nothing else acting. Springs always
// act.
static void columns_by_inverse_dynamics(trial* t, const double* M)
{
  const int n = t->nv, step = trial_small(t) ? 1 : n / 4;
  double *column = trial_doubles(t, (size_t)n), *e = trial_doubles(t, (size_t)n);
  double *springs = trial_doubles(t, (size_t)n), *rest = trial_doubles(t, (size_t)n);
  double* want = trial_doubles(t, (size_t)n);
  limb_environment env = limb_default_environment(t->m);
  env.gravity = sp_v3(0, 0, 0);
  assert_ok(limb_spring_forces(t->d, t->q, springs));
  double scale = 0;
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(springs[i]));
  for (int j = 0; j < n; j += step) {
    e[j] = 1;
    assert_ok(limb_inverse_dynamics(t->d, t->q, rest, e, &env, column));
    e[j] = 0;
    for (int i = 0; i < n; i++) column[i] -= springs[i], want[i] = M[i * n + j];
    assert_close_array(column, want, n, TOL_ALGEBRA, TOL_ALGEBRA * scale);
  }
}

static void mass_matrix(trial* t)
{
  const int n = t->nv;
  const size_t nn = (size_t)n * (size_t)n;
  double *M = trial_doubles(t, nn), *transposed = trial_doubles(t, nn);
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) transposed[i * n + j] = M[j * n + i];
  }
  assert_close_matrix(M, transposed, n, n, TOL_ALGEBRA, 0);
  columns_by_inverse_dynamics(t, M);
  if (trial_small(t)) assert_that(positive_definite(transposed, n));
}

START_TEST(mass_matrix_is_symmetric_positive_and_of_columns) { trial_over(_i, TRIAL_STATES, mass_matrix); }
END_TEST

// C = A B for square matrices.
static void product(const double* A, const double* B, int n, double* C)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      for (int j = 0; j < n; j++) C[i * n + j] += A[i * n + k] * B[k * n + j];
    }
  }
}

static void inverse_matrix(trial* t)
{
  const int n = t->nv;
  const size_t nn = (size_t)n * (size_t)n;
  double *M = trial_doubles(t, nn), *Minv = trial_doubles(t, nn);
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  assert_ok(limb_mass_matrix_inverse(t->d, t->q, Minv));
  if (trial_small(t)) {
    double *one = trial_doubles(t, nn), *identity = trial_doubles(t, nn);
    for (int i = 0; i < n; i++) identity[i * n + i] = 1;
    product(Minv, M, n, one);
    assert_close_matrix(one, identity, n, n, t->solve, 0);
  }
  // Minv (M a) = a, and the same by limb_mass_matrix_solve, several vectors at once and in place.
  double* b = trial_doubles(t, 3 * (size_t)n);
  double *x = trial_doubles(t, 3 * (size_t)n), *want = trial_doubles(t, 3 * (size_t)n);
  rng_fill(&t->r, 3, 3 * n, want);
  for (int k = 0; k < 3; k++) trial_times(M, want + k * n, n, n, b + k * n);
  for (int k = 0; k < 3; k++) trial_times(Minv, b + k * n, n, n, x + k * n);
  // the rounding of M a comes back times the condition number, 1e8 for the long chain
  assert_close_array(x, want, 3 * n, trial_small(t) ? t->solve : 4 * t->solve, 0);
  assert_ok(limb_mass_matrix_solve(t->d, t->q, 3, b, x));
  assert_close_array(x, want, 3 * n, trial_small(t) ? t->solve : 4 * t->solve, 0);
  assert_ok(limb_mass_matrix_solve(t->d, t->q, 3, b, b));
  assert_that(memcmp(b, x, 3 * (size_t)n * sizeof *b) == 0);
}

START_TEST(inverse_of_the_mass_matrix) { trial_over(_i, TRIAL_STATES, inverse_matrix); }
END_TEST

// ---- forward dynamics ---------------------------------------------------------------------------

static void round_trip(trial* t, const limb_environment* env)
{
  const size_t n = (size_t)t->nv;
  double *tau = trial_doubles(t, n), *a = trial_doubles(t, n), *work = trial_doubles(t, n * n);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, env, tau));
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, tau, env, a));
  assert_close_array(a, t->a, t->nv, t->solve, 0);
  if (!trial_enough(t)) {
    assert_ok(limb_forward_dynamics_by_mass_matrix(t->d, t->q, t->v, tau, env, work, a));
    assert_close_array(a, t->a, t->nv, t->solve, 0);
  }
  if (t->robot->flags & ROBOT_MIMIC) {
    assert_status(limb_forward_dynamics_aba(t->d, t->q, t->v, tau, env, a), LIMB_E_UNSUPPORTED);
  } else {
    assert_ok(limb_forward_dynamics_aba(t->d, t->q, t->v, tau, env, a));
    assert_close_array(a, t->a, t->nv, t->solve, 0);
  }
}

static void forward_of_inverse(trial* t)
{
  round_trip(t, NULL);
  round_trip(t, &t->env);
  const limb_environment moving = trial_moving_base(t);
  round_trip(t, &moving);
}

START_TEST(forward_undoes_inverse) { trial_over(_i, TRIAL_STATES, forward_of_inverse); }
END_TEST

// Without gravity, springs and velocity a robot at rest under no force stays there; and the
// response to a force is M^-1 times it.
static void response(trial* t)
{
  const size_t n = (size_t)t->nv;
  double *rest = trial_doubles(t, n), *tau = trial_doubles(t, n), *springs = trial_doubles(t, n);
  double *a = trial_doubles(t, n), *want = trial_doubles(t, n);
  limb_environment env = limb_default_environment(t->m);
  env.gravity = sp_v3(0, 0, 0);
  assert_ok(limb_spring_forces(t->d, t->q, springs));
  rng_fill(&t->r, 10, t->nv, tau);
  assert_ok(limb_mass_matrix_solve(t->d, t->q, 1, tau, want));
  for (int k = 0; k < t->nv; k++) tau[k] += springs[k];
  assert_ok(limb_forward_dynamics(t->d, t->q, rest, tau, &env, a));
  assert_close_array(a, want, t->nv, t->solve, 0);
}

START_TEST(response_to_a_force) { trial_over(_i, TRIAL_STATES, response); }
END_TEST

// ---- the papers' own form -----------------------------------------------------------------------

static void by_the_papers(trial* t, const limb_environment* env)
{
  const size_t n = (size_t)t->nv;
  double *tau = trial_doubles(t, n), *want = trial_doubles(t, n);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, env, tau));
  assert_ok(limb_reference_inverse_dynamics(t->m, t->q, t->v, t->a, env, want, NULL));
  assert_close_array(tau, want, t->nv, TOL_ALGEBRA, 0);
  assert_ok(limb_reference_kane(t->m, t->q, t->v, t->a, env, want));
  assert_close_array(tau, want, t->nv, TOL_ALGEBRA, 0);
}

static void reference(trial* t)
{
  const limb_environment moving = trial_moving_base(t);
  by_the_papers(t, NULL);
  by_the_papers(t, &t->env);
  by_the_papers(t, &moving);
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv;
  double *M = trial_doubles(t, n * n), *want = trial_doubles(t, n * n);
  double *c = trial_doubles(t, n), *g = trial_doubles(t, n);
  double *bias = trial_doubles(t, n), *gravity = trial_doubles(t, n);
  limb_environment env = limb_default_environment(t->m);
  env.gravity = rng_vec3(&t->r, 10);
  assert_ok(limb_reference_closed_form(t->m, t->q, t->v, &env, want, c, g));
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  assert_close_matrix(M, want, t->nv, t->nv, TOL_ALGEBRA, 0);
  assert_ok(limb_gravity_forces(t->d, t->q, &env, gravity));
  assert_close_array(gravity, g, t->nv, TOL_ALGEBRA, 0);
  assert_ok(limb_bias_forces(t->d, t->q, t->v, &env, bias));
  for (int k = 0; k < t->nv; k++) c[k] += g[k];
  assert_close_array(bias, c, t->nv, TOL_ALGEBRA, 0);
}

START_TEST(agrees_with_the_reference_formulations)
{
  // The closed form costs n^3; a sanitizer makes that a minute.
  trial_over(_i, TRIAL_STATES, reference);
}
END_TEST

CHECK_MAIN("identities/dynamics", trial_robots(), inverse_dynamics_is_the_sum_of_its_parts,
           no_environment_is_the_default_one, bias_at_rest_is_gravity, friction_and_springs_as_described,
           mass_matrix_is_symmetric_positive_and_of_columns, inverse_of_the_mass_matrix, forward_undoes_inverse,
           response_to_a_force, agrees_with_the_reference_formulations)
