// Regressors: Y theta = tau, energies, momenta, over all fixtures; columns against models with changed
// parameters; a robot far away; arguments.
#include "kinematics/moving.h"
#include "support/robots_impl.h"
#include "support/trial.h"

#include <stdlib.h>
#include <string.h>

// A long chain has a large regressor: few states tell enough.
enum { LONG_STATES = 2, STATES = CHECK_SANITIZED ? 10 : 60 };

static int too_much(const trial* t) { return !trial_small(t) && t->state >= LONG_STATES; }

typedef struct form {
  int np;
  double *theta, *Y, *got, *want;
} form;

static form form_of(trial* t, int rows)
{
  form f = {.np = limb_parameter_count(t->m)};
  const size_t np = (size_t)f.np;
  f.theta = trial_doubles(t, np);
  f.Y = trial_doubles(t, (size_t)rows * np);
  f.got = trial_doubles(t, (size_t)rows);
  f.want = trial_doubles(t, (size_t)rows);
  assert_ok(limb_parameters(t->m, f.theta));
  return f;
}

// ---- identities -----------------------------------------------------------------------------------

static void times_theta_is_tau(trial* t)
{
  if (too_much(t)) return;
  form f = form_of(t, t->nv);
  limb_environment env = t->state % 2 ? trial_moving_base(t) : t->env;
  env.gravity = t->state % 3 ? env.gravity : rng_vec3(&t->r, 10);
  env.coulomb_width = t->state % 4 ? 0 : 0.3;
  env.friction = t->state % 5 != 0;
  assert_ok(limb_regressor(t->d, t->q, t->v, t->a, &env, f.Y)); // its wrenches do not enter
  env.nwrench = 0;
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, f.want));
  trial_times(f.Y, f.theta, t->nv, f.np, f.got);
  assert_close_array(f.got, f.want, t->nv, TOL_ALGEBRA, 0);
}

// The columns of the bodies alone are the first ones, bit by bit.
static void inertial_columns(trial* t)
{
  if (too_much(t)) return;
  form f = form_of(t, t->nv);
  const int np = limb_inertial_parameter_count(t->m);
  double* alone = trial_doubles(t, (size_t)t->nv * (size_t)np);
  assert_ok(limb_regressor(t->d, t->q, t->v, t->a, &t->env, f.Y));
  assert_ok(limb_inertial_regressor(t->d, t->q, t->v, t->a, &t->env, alone));
  for (int i = 0; i < t->nv; i++) {
    const size_t at = (size_t)i;
    assert_that(!memcmp(alone + at * (size_t)np, f.Y + at * (size_t)f.np, (size_t)np * sizeof *alone));
  }
}

// Y_r theta = M a_r + C v_r + g + springs, with the C that makes dM/dt - 2 C skew; with v_r = v and a_r = a it is Y.
static void slotine_li(trial* t)
{
  if (too_much(t)) return;
  const size_t n = (size_t)t->nv;
  form f = form_of(t, t->nv);
  double *v_r = trial_doubles(t, n), *a_r = trial_doubles(t, n), *part = trial_doubles(t, n);
  limb_environment env = t->env;
  env.gravity = t->state % 3 ? env.gravity : rng_vec3(&t->r, 10);
  env.coulomb_width = t->state % 4 ? 0 : 0.3;
  assert_ok(limb_slotine_li_regressor(t->d, t->q, t->v, t->v, t->a, &env, f.Y));
  env.nwrench = 0;
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, f.want));
  trial_times(f.Y, f.theta, t->nv, f.np, f.got);
  assert_close_array(f.got, f.want, t->nv, TOL_ALGEBRA, 0);

  rng_fill(&t->r, 2, t->nv, v_r), rng_fill(&t->r, 5, t->nv, a_r);
  env.friction = 0;
  assert_ok(limb_slotine_li_regressor(t->d, t->q, t->v, v_r, a_r, &env, f.Y));
  trial_times(f.Y, f.theta, t->nv, f.np, f.got);
  if (!trial_small(t)) return;
  double* A = trial_doubles(t, n * n);
  assert_ok(limb_mass_matrix(t->d, t->q, A));
  trial_times(A, a_r, t->nv, t->nv, f.want);
  assert_ok(limb_coriolis_matrix(t->d, t->q, t->v, A));
  trial_times(A, v_r, t->nv, t->nv, part);
  for (size_t k = 0; k < n; k++) f.want[k] += part[k];
  assert_ok(limb_gravity_forces(t->d, t->q, &env, part));
  for (size_t k = 0; k < n; k++) f.want[k] += part[k];
  assert_ok(limb_spring_forces(t->d, t->q, part));
  for (size_t k = 0; k < n; k++) f.want[k] += part[k];
  assert_close_array(f.got, f.want, t->nv, TOL_ALGEBRA, 0);
}

static void momentum_is_mass_times_velocity(trial* t)
{
  if (too_much(t)) return;
  form f = form_of(t, t->nv);
  double* M = trial_doubles(t, (size_t)t->nv * (size_t)t->nv);
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  trial_times(M, t->v, t->nv, t->nv, f.want);
  assert_ok(limb_generalized_momentum_regressor(t->d, t->q, t->v, f.Y));
  trial_times(f.Y, f.theta, t->nv, f.np, f.got);
  assert_close_array(f.got, f.want, t->nv, TOL_ALGEBRA, 0);
}

static void spatial_momentum(trial* t)
{
  form f = form_of(t, 6);
  sp_force h;
  assert_ok(limb_momentum_regressor(t->d, t->q, t->v, f.Y));
  trial_times(f.Y, f.theta, 6, f.np, f.got);
  assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
  assert_ok(limb_momentum(t->d, 0, &h));
  const double want[6] = {h.m.x, h.m.y, h.m.z, h.f.x, h.f.y, h.f.z};
  assert_close_array(f.got, want, 6, TOL_ALGEBRA, 0);
}

// What no motion changes: bodies fixed to the world, and k rest^2 / 2 of springs and shafts.
static double constant_energy(const trial* t, sp_vec3 g)
{
  double sum = 0;
  for (int b = 1; b < t->nbody; b++) {
    limb_body_info body;
    sp_pose X;
    assert_ok(limb_get_body(t->m, b, &body));
    if (body.moved_by != LIMB_WORLD_BODY) continue;
    assert_ok(limb_frame_pose(t->d, b, &X));
    sum -= body.inertia.mass * sp_dot3(g, sp_point(X, body.inertia.com));
  }
  for (int j = 0; j < limb_joint_count(t->m); j++) {
    limb_joint_info joint;
    assert_ok(limb_get_joint(t->m, j, &joint));
    sum += joint.def.stiffness * joint.def.rest * joint.def.rest / 2;
  }
  for (int k = 0; k < limb_shaft_count(t->m); k++) {
    limb_shaft_def s;
    assert_ok(limb_get_shaft(t->m, k, &s));
    sum += s.stiffness * s.rest * s.rest / 2;
  }
  return sum;
}

static void energies(trial* t)
{
  form f = form_of(t, 2);
  limb_energy e;
  limb_environment env = t->env;
  env.gravity = rng_vec3(&t->r, 10);
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  assert_ok(limb_energy_regressor(t->d, t->q, t->v, &env, f.Y, f.Y + f.np));
  trial_times(f.Y, f.theta, 2, f.np, f.got);
  assert_ok(limb_energies(t->d, t->q, t->v, &env, &e));
  const double size = fabs(e.gravity) + fabs(e.springs);
  assert_close(f.got[0], e.kinetic, TOL_ALGEBRA, 0);
  assert_close(f.got[1] + constant_energy(t, env.gravity), e.gravity + e.springs, 0,
               TOL_ALGEBRA * (size + 10 * limb_total_mass(t->m)));
}

START_TEST(inverse_dynamics) { trial_over(_i, STATES, times_theta_is_tau); }
END_TEST

START_TEST(of_bodies) { trial_over(_i, STATES, inertial_columns); }
END_TEST

START_TEST(adaptive_control) { trial_over(_i, STATES, slotine_li); }
END_TEST

START_TEST(generalized_momentum) { trial_over(_i, STATES, momentum_is_mass_times_velocity); }
END_TEST

START_TEST(momentum) { trial_over(_i, STATES, spatial_momentum); }
END_TEST

START_TEST(energy) { trial_over(_i, STATES, energies); }
END_TEST

// The user's kinematics must survive the dynamics calls.
static void leaves_kinematics_alone(trial* t)
{
  if (too_much(t)) return;
  form f = form_of(t, t->nv > 6 ? t->nv : 6);
  sp_pose before, after;
  const int frame = t->nframe - 1;
  double* other = trial_doubles(t, (size_t)t->nq);
  uint64_t seed = 99;
  assert_ok(limb_random(t->m, &seed, other));
  assert_ok(limb_kinematics(t->d, other, NULL, NULL));
  assert_ok(limb_frame_pose(t->d, frame, &before));
  assert_ok(limb_regressor(t->d, t->q, t->v, t->a, NULL, f.Y));
  assert_ok(limb_momentum_regressor(t->d, t->q, t->v, f.Y));
  assert_ok(limb_generalized_momentum_regressor(t->d, t->q, t->v, f.Y));
  assert_ok(limb_energy_regressor(t->d, t->q, t->v, NULL, f.Y, NULL));
  assert_ok(limb_frame_pose(t->d, frame, &after));
  assert_close_pose(after, before, 0, 0);
}

START_TEST(kinematics_survive) { trial_over(_i, 2, leaves_kinematics_alone); }
END_TEST

// ---- every column -----------------------------------------------------------------------------------

// The same robot with the parameters of one body changed: the columns are those of these parameters, not
// of some others that happen to give the same sum.
static void changed_body(trial* t)
{
  if (!trial_small(t)) return;
  form f = form_of(t, t->nv);
  int bodies = 0;
  for (int i = 0; i < f.np; i++) {
    limb_parameter_info p;
    assert_ok(limb_get_parameter(t->m, i, &p));
    if (p.kind == LIMB_PARAMETER_M) bodies++;
  }
  const int first = LIMB_BODY_PARAMETERS * rng_below(&t->r, bodies);
  limb_parameter_info p;
  limb_body_info body;
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  double change[LIMB_BODY_PARAMETERS], own[LIMB_BODY_PARAMETERS];
  assert_ok(limb_get_parameter(t->m, first, &p));
  assert_ok(limb_get_body(t->m, p.body, &body));
  rng_fill(&t->r, 1, LIMB_BODY_PARAMETERS, change);
  limb_inertia_to_parameters(&body.inertia, own);
  own[0] += change[0] = fabs(change[0]) + 0.5; // a mass, so that the moments are its own
  f.theta[first] += change[0];
  for (int k = 1; k < LIMB_BODY_PARAMETERS; k++) own[k] += change[k], f.theta[first + k] += change[k];
  const sp_inertia Y = limb_inertia_from_parameters(own);
  assert_ok(limb_builder_from_model(t->m, NULL, &b));
  assert_ok(limb_builder_set_inertia(b, p.body, &Y));
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_inverse_dynamics(d, t->q, t->v, t->a, NULL, f.want));
  assert_ok(limb_regressor(t->d, t->q, t->v, t->a, NULL, f.Y));
  trial_times(f.Y, f.theta, t->nv, f.np, f.got);
  assert_close_array(f.got, f.want, t->nv, 10 * TOL_ALGEBRA, 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}

START_TEST(columns_of_a_body) { trial_over(_i, 5, changed_body); }
END_TEST

// A slider on a turntable, with everything a joint can have, by hand.
START_TEST(columns_of_joints)
{
  limb_builder* b = fixture_begin("turntable");
  const int table = fixture_body(b, "table", limb_inertia_point(2, sp_v3(1, 0, 0)));
  const int slider = fixture_body(b, "slider", limb_inertia_point(3, sp_v3(0, 0, 0)));
  limb_joint_def turn = limb_default_joint_def("turn", LIMB_REVOLUTE, 0, table);
  turn.rotor_inertia = 2, turn.gear_ratio = 3;
  turn.stiffness = 5, turn.rest = 0.5;
  turn.viscous = 0.25, turn.coulomb = 0.125;
  (void)fixture_joint(b, &turn);
  limb_joint_def slide = limb_default_joint_def("slide", LIMB_PRISMATIC, table, slider);
  slide.axis = sp_v3(1, 0, 0);
  slide.mimic = 0, slide.multiplier = -2, slide.offset = 0.75;
  (void)fixture_joint(b, &slide);
  limb_model* m = fixture_end(b);
  moving r = moving_begin(m, 1);
  double Y[30], theta[30];
  r.q[0] = 0.5, r.v[0] = 3, r.a[0] = 7;
  assert_that(limb_parameter_count(m) == 30);
  assert_ok(limb_parameters(m, theta));
  assert_ok(limb_regressor(r.d, r.q, r.v, r.a, NULL, Y));
  const double want_turn[5] = {7, 3, 1, 0.5, 1};
  const double want_slide[5] = {4 * 7, 4 * 3, 2, -2 * (-2 * 0.5 + 0.75), -2};
  assert_close_array(Y + 20, want_turn, 5, 0, 1e-15);
  assert_close_array(Y + 25, want_slide, 5, 0, 1e-15);
  const double want_theta[5] = {18, 0.25, 0.125, 5, -2.5};
  assert_close_array(theta + 20, want_theta, 5, 0, 1e-15);
  assert_close(Y[9], 7, 0, 1e-15); // Izz of the table
  // the slider is at x = -2 q + 0.75 with x' = -2 q': its mass feels (x^2 + 4) q'' - 2 x q'^2
  const double x = -0.25;
  assert_close(Y[10], (x * x + 4) * 7 - 2 * x * 9, 0, 1e-14);
  limb_environment env = limb_default_environment(m);
  env.friction = 0;
  assert_ok(limb_regressor(r.d, r.q, r.v, r.a, &env, Y));
  assert_that(Y[21] == 0 && Y[22] == 0 && Y[26] == 0 && Y[27] == 0);
  moving_end(&r);
}
END_TEST

START_TEST(names)
{
  limb_builder* b = fixture_begin("named");
  const int arm = fixture_body(b, "arm", limb_inertia_point(2, sp_v3(1, 0, 0)));
  const int tool = fixture_body(b, "tool", limb_inertia_point(1, sp_v3(0, 0, 0)));
  const int ball = fixture_body(b, "ball", limb_inertia_sphere(1, 0.1));
  limb_joint_def grip = limb_default_joint_def("grip", LIMB_FIXED, arm, tool);
  grip.placement.p = sp_v3(0, 3, 0);
  (void)fixture_joint(b, &grip);
  const limb_joint_def slide = limb_default_joint_def("slide", LIMB_PRISMATIC, 0, arm);
  (void)fixture_joint(b, &slide);
  const limb_joint_def socket = limb_default_joint_def("socket", LIMB_SPHERICAL, tool, ball);
  (void)fixture_joint(b, &socket);
  limb_model* m = fixture_end(b);
  limb_parameter_info p;
  double theta[25];
  assert_that(limb_parameter_count(m) == 25); // two bodies move, one joint has one degree of freedom
  assert_ok(limb_get_parameter(m, 2, &p));
  assert_that(p.kind == LIMB_PARAMETER_MY && p.body == arm && p.joint == -1);
  assert_that(!strcmp(p.of, "arm") && !strcmp(p.symbol, "my") && !strcmp(p.unit, "kg m"));
  assert_ok(limb_get_parameter(m, 19, &p));
  assert_that(p.kind == LIMB_PARAMETER_IZZ && p.body == ball && !strcmp(p.unit, "kg m^2"));
  assert_ok(limb_get_parameter(m, 21, &p));
  assert_that(p.kind == LIMB_PARAMETER_VISCOUS && p.body == -1 && p.joint == 1);
  assert_that(!strcmp(p.of, "slide") && !strcmp(p.symbol, "viscous") && !strcmp(p.unit, "N s/m"));
  assert_ok(limb_parameters(m, theta));
  const double arm_with_tool[10] = {3, 2, 3, 0, 9, 0, 0, 2, 0, 11};
  assert_close_array(theta, arm_with_tool, 10, 1e-15, 0);
  assert_status(limb_get_parameter(m, 25, &p), LIMB_E_ARG);
  assert_status(limb_get_parameter(m, -1, &p), LIMB_E_ARG);
  assert_status(limb_get_parameter(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_parameter(NULL, 0, &p), LIMB_E_ARG);
  assert_that(limb_parameter_count(NULL) == 0);
  assert_status(limb_parameters(NULL, theta), LIMB_E_ARG);
  assert_status(limb_parameters(m, NULL), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

// ---- edges ------------------------------------------------------------------------------------------

// A free-flying robot a million metres away has the same regressor as here.
START_TEST(far_away)
{
  limb_model* m = robot_quadruped();
  moving r = moving_begin(m, 3);
  const int np = limb_parameter_count(m), nv = limb_nv(m);
  const size_t size = (size_t)np * (size_t)nv;
  double *here = calloc(size, sizeof *here), *there = calloc(size, sizeof *there);
  limb_joint_info base;
  assert_that(here && there);
  assert_ok(limb_get_joint(m, 0, &base));
  assert_that(base.def.type == LIMB_FREE);
  assert_ok(limb_regressor(r.d, r.q, r.v, r.a, NULL, here));
  for (int k = 0; k < 3; k++) r.q[base.q + k] += 1e6;
  assert_ok(limb_regressor(r.d, r.q, r.v, r.a, NULL, there));
  assert_close_matrix(there, here, nv, np, 1e-14, 0);
  assert_ok(limb_generalized_momentum_regressor(r.d, r.q, r.v, there));
  for (int k = 0; k < 3; k++) r.q[base.q + k] -= 1e6;
  assert_ok(limb_generalized_momentum_regressor(r.d, r.q, r.v, here));
  assert_close_matrix(there, here, nv, np, 1e-14, 0);
  free(here);
  free(there);
  moving_end(&r);
}
END_TEST

START_TEST(arguments)
{
  moving r = moving_begin(robot_planar_2r(), 2);
  double Y[6 * 30], *none = NULL;
  limb_environment env = limb_default_environment(r.m);
  assert_status(limb_regressor(NULL, r.q, r.v, r.a, NULL, Y), LIMB_E_ARG);
  assert_status(limb_regressor(r.d, none, r.v, r.a, NULL, Y), LIMB_E_ARG);
  assert_status(limb_regressor(r.d, r.q, none, r.a, NULL, Y), LIMB_E_ARG);
  assert_status(limb_regressor(r.d, r.q, r.v, none, NULL, Y), LIMB_E_ARG);
  assert_status(limb_regressor(r.d, r.q, r.v, r.a, NULL, none), LIMB_E_ARG);
  assert_status(limb_inertial_regressor(NULL, r.q, r.v, r.a, NULL, Y), LIMB_E_ARG);
  assert_status(limb_inertial_regressor(r.d, r.q, r.v, r.a, NULL, none), LIMB_E_ARG);
  assert_that(limb_inertial_parameter_count(NULL) == 0);
  assert_that(limb_inertial_parameter_count(r.m) == 20);
  assert_status(limb_generalized_momentum_regressor(NULL, r.q, r.v, Y), LIMB_E_ARG);
  assert_status(limb_generalized_momentum_regressor(r.d, none, r.v, Y), LIMB_E_ARG);
  assert_status(limb_generalized_momentum_regressor(r.d, r.q, none, Y), LIMB_E_ARG);
  assert_status(limb_generalized_momentum_regressor(r.d, r.q, r.v, none), LIMB_E_ARG);
  assert_status(limb_momentum_regressor(NULL, r.q, r.v, Y), LIMB_E_ARG);
  assert_status(limb_momentum_regressor(r.d, none, r.v, Y), LIMB_E_ARG);
  assert_status(limb_momentum_regressor(r.d, r.q, none, Y), LIMB_E_ARG);
  assert_status(limb_momentum_regressor(r.d, r.q, r.v, none), LIMB_E_ARG);
  assert_status(limb_energy_regressor(NULL, r.q, r.v, NULL, Y, Y + 30), LIMB_E_ARG);
  assert_status(limb_energy_regressor(r.d, none, r.v, NULL, Y, Y + 30), LIMB_E_ARG);
  assert_status(limb_energy_regressor(r.d, r.q, none, NULL, Y, Y + 30), LIMB_E_ARG);
  assert_status(limb_energy_regressor(r.d, r.q, r.v, NULL, NULL, NULL), LIMB_E_ARG);
  env.coulomb_width = -1;
  assert_status(limb_regressor(r.d, r.q, r.v, r.a, &env, Y), LIMB_E_ARG);
  assert_status(limb_energy_regressor(r.d, r.q, r.v, &env, Y, NULL), LIMB_E_ARG);
  double* const input[3] = {r.q, r.v, r.a};
  for (int k = 0; k < 3; k++) {
    const double kept = input[k][1];
    input[k][1] = k == 1 ? HUGE_VAL : nan("");
    assert_status(limb_regressor(r.d, r.q, r.v, r.a, NULL, Y), LIMB_E_NONFINITE);
    if (k < 2) {
      assert_status(limb_generalized_momentum_regressor(r.d, r.q, r.v, Y), LIMB_E_NONFINITE);
      assert_status(limb_momentum_regressor(r.d, r.q, r.v, Y), LIMB_E_NONFINITE);
      assert_status(limb_energy_regressor(r.d, r.q, r.v, NULL, Y, Y + 30), LIMB_E_NONFINITE);
    }
    input[k][1] = kept;
  }
  const double* const Z[4] = {r.q, r.v, r.v, r.a};
  for (int k = 0; k < 4; k++) {
    const double* z[4] = {Z[0], Z[1], Z[2], Z[3]};
    z[k] = NULL;
    assert_status(limb_slotine_li_regressor(r.d, z[0], z[1], z[2], z[3], NULL, Y), LIMB_E_ARG);
    double bad[16];
    for (int i = 0; i < 16; i++) bad[i] = nan("");
    z[k] = bad;
    assert_status(limb_slotine_li_regressor(r.d, z[0], z[1], z[2], z[3], NULL, Y), LIMB_E_NONFINITE);
  }
  assert_status(limb_slotine_li_regressor(NULL, r.q, r.v, r.v, r.a, NULL, Y), LIMB_E_ARG);
  assert_status(limb_slotine_li_regressor(r.d, r.q, r.v, r.v, r.a, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_slotine_li_regressor(r.d, r.q, r.v, r.v, r.a, &env, Y), LIMB_E_ARG);
  limb_environment ship = limb_default_environment(r.m);
  ship.base_velocity.v.x = 1;
  assert_status(limb_slotine_li_regressor(r.d, r.q, r.v, r.v, r.a, &ship, Y), LIMB_E_ARG);
  r.v[0] = 1e200; // its square is not finite
  assert_status(limb_regressor(r.d, r.q, r.v, r.a, NULL, Y), LIMB_E_NONFINITE);
  assert_status(limb_energy_regressor(r.d, r.q, r.v, NULL, Y, NULL), LIMB_E_NONFINITE);
  moving_end(&r);
}
END_TEST

// A gear whose square is no number.
START_TEST(too_large)
{
  limb_builder* b = fixture_begin("gear");
  const int body = fixture_body(b, "wheel", limb_inertia_box(1, 1, 1, 1));
  limb_joint_def joint = limb_default_joint_def("motor", LIMB_REVOLUTE, LIMB_WORLD_BODY, body);
  joint.rotor_inertia = 1, joint.gear_ratio = 1e200;
  (void)fixture_joint(b, &joint);
  limb_model* m = fixture_end(b);
  double theta[LIMB_BODY_PARAMETERS + LIMB_JOINT_PARAMETERS];
  assert_status(limb_parameters(m, theta), LIMB_E_NONFINITE);
  limb_model_destroy(m);
}
END_TEST

static int run_robots(void)
{
  return check_run("dynamics/regressor, robots", trial_robots(),
                   (const TTest* const[]){inverse_dynamics, of_bodies, adaptive_control, generalized_momentum, momentum,
                                          energy, kinematics_survive, columns_of_a_body, NULL});
}

int CHECK_NAME(void)
{
  const int one = check_run("dynamics/regressor", 1,
                            (const TTest* const[]){columns_of_joints, names, far_away, arguments, too_large, NULL});
  const int all = run_robots();
  return one ? one : all;
}
