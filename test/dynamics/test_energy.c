// Energies and power balance: arguments, a spring pendulum by hand, balance on trees.
#include "kinematics/moving.h"
#include "support/robots.h"
#include "support/robots_impl.h"

enum { MASS = 2, LENGTH = 3, ROTOR = 5, GEAR = 10, STIFFNESS = 7, POST = 11 };
static const double REST = 0.5;

// A point mass on an arm along x that turns about -y, with rotor, spring and friction, on a fixed post.
static limb_model* make_pendulum(void)
{
  limb_builder* b = fixture_begin("spring pendulum");
  const int post = fixture_link(b, "post", LIMB_FIXED, 0, fixture_at(0, 0, 4), sp_v3(0, 0, 1),
                                limb_inertia_point(POST, sp_v3(0, 0, -2)));
  const int arm = fixture_body(b, "arm", limb_inertia_point(MASS, sp_v3(LENGTH, 0, 0)));
  limb_joint_def hinge = limb_default_joint_def("hinge", LIMB_REVOLUTE, post, arm);
  hinge.axis = sp_v3(0, -1, 0);
  hinge.rotor_inertia = ROTOR;
  hinge.gear_ratio = GEAR;
  hinge.stiffness = STIFFNESS;
  hinge.rest = REST;
  hinge.coulomb = 0.25;
  hinge.viscous = 0.125;
  (void)fixture_joint(b, &hinge);
  fixture_frame(b, "tip", arm, fixture_at(LENGTH, 0, 0));
  fixture_gravity(b, sp_v3(0, 0, -10));
  return fixture_end(b);
}

START_TEST(arguments)
{
  moving r = moving_begin(make_pendulum(), 1);
  limb_energy e;
  limb_power p;
  assert_status(limb_energies(NULL, r.q, r.v, NULL, &e), LIMB_E_ARG);
  assert_status(limb_energies(r.d, NULL, r.v, NULL, &e), LIMB_E_ARG);
  assert_status(limb_energies(r.d, r.q, NULL, NULL, &e), LIMB_E_ARG);
  assert_status(limb_energies(r.d, r.q, r.v, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_power_balance(NULL, r.q, r.v, r.a, NULL, &p), LIMB_E_ARG);
  assert_status(limb_power_balance(r.d, NULL, r.v, r.a, NULL, &p), LIMB_E_ARG);
  assert_status(limb_power_balance(r.d, r.q, NULL, r.a, NULL, &p), LIMB_E_ARG);
  assert_status(limb_power_balance(r.d, r.q, r.v, NULL, NULL, &p), LIMB_E_ARG);
  assert_status(limb_power_balance(r.d, r.q, r.v, r.a, NULL, NULL), LIMB_E_ARG);
  moving_end(&r);
}
END_TEST

START_TEST(bad_numbers)
{
  moving r = moving_begin(make_pendulum(), 2);
  limb_energy e;
  limb_power p;
  double* const input[] = {r.q, r.v, r.a};
  for (int k = 0; k < 3; k++) {
    const double kept = input[k][0];
    input[k][0] = k == 1 ? HUGE_VAL : (double)NAN;
    assert_status(limb_power_balance(r.d, r.q, r.v, r.a, NULL, &p), LIMB_E_NONFINITE);
    if (k < 2) assert_status(limb_energies(r.d, r.q, r.v, NULL, &e), LIMB_E_NONFINITE);
    input[k][0] = kept;
  }
  // finite input, infinite energy
  r.v[0] = 1e200;
  assert_status(limb_energies(r.d, r.q, r.v, NULL, &e), LIMB_E_NONFINITE);
  assert_status(limb_power_balance(r.d, r.q, r.v, r.a, NULL, &p), LIMB_E_NONFINITE);
  moving_end(&r);
}
END_TEST

START_TEST(bad_environment)
{
  moving r = moving_begin(make_pendulum(), 3);
  limb_power p;
  limb_energy e;
  limb_wrench w = {limb_frame_count(r.m), LIMB_BODY, {{0, 0, 0}, {0, 0, 0}}};
  limb_environment env = limb_default_environment(r.m);
  env.wrench = &w;
  env.nwrench = 1;
  assert_status(limb_power_balance(r.d, r.q, r.v, r.a, &env, &p), LIMB_E_ARG);
  w.frame = 1;
  assert_ok(limb_power_balance(r.d, r.q, r.v, r.a, &env, &p));
  w.wrench.m.y = (double)NAN;
  assert_status(limb_power_balance(r.d, r.q, r.v, r.a, &env, &p), LIMB_E_NONFINITE);
  env = limb_default_environment(r.m);
  env.gravity.z = (double)NAN;
  assert_status(limb_energies(r.d, r.q, r.v, &env, &e), LIMB_E_NONFINITE);
  // a base that moves, however little
  double* const base[] = {&env.base_velocity.w.x, &env.base_velocity.v.z, &env.base_acceleration.w.y,
                          &env.base_acceleration.v.x};
  for (int k = 0; k < 4; k++) {
    env = limb_default_environment(r.m);
    *base[k] = 1e-300;
    assert_status(limb_power_balance(r.d, r.q, r.v, r.a, &env, &p), LIMB_E_ARG);
  }
  moving_end(&r);
}
END_TEST

START_TEST(by_hand)
{
  moving r = moving_begin(make_pendulum(), 4);
  const double q = 0.75, v = 1.5, a = -2, g = 10;
  const double J = MASS * LENGTH * LENGTH + ROTOR * GEAR * GEAR;
  limb_energy e;
  assert_ok(limb_energies(r.d, &q, &v, NULL, &e));
  assert_close(e.kinetic, J * v * v / 2, TOL_ALGEBRA, 0);
  assert_close(e.gravity, MASS * g * (4 + LENGTH * sin(q)) + POST * g * 2, TOL_ALGEBRA, 0);
  assert_close(e.springs, STIFFNESS * (q - REST) * (q - REST) / 2, TOL_ALGEBRA, 0);

  // 4 N against the motion of the tip: tangential, so along -z of the tip for positive v
  limb_wrench push = {limb_find_frame(r.m, "tip"), LIMB_BODY, {{0, 0, 0}, {0, 0, -4}}};
  limb_environment env = limb_default_environment(r.m);
  env.wrench = &push;
  env.nwrench = 1;
  limb_power p;
  assert_ok(limb_power_balance(r.d, &q, &v, &a, &env, &p));
  assert_close(p.kinetic, J * v * a, TOL_ALGEBRA, 0);
  assert_close(p.gravity, MASS * g * LENGTH * cos(q) * v, TOL_ALGEBRA, 0);
  assert_close(p.springs, STIFFNESS * (q - REST) * v, TOL_ALGEBRA, 0);
  assert_close(p.friction, (0.25 + 0.125 * v) * v, TOL_ALGEBRA, 0);
  assert_close(p.wrenches, -4 * LENGTH * v, TOL_ALGEBRA, 0);
  assert_close(p.actuators, p.kinetic + p.gravity + p.springs + p.friction - p.wrenches, TOL_ALGEBRA, 0);
  assert_close(p.residual, 0, 0, 1e-9);

  // gravity of the call, friction left out
  env.gravity = sp_v3(0, 0, 0);
  env.friction = 0;
  assert_ok(limb_energies(r.d, &q, &v, &env, &e));
  assert_close(e.gravity, 0, 0, 0);
  assert_ok(limb_power_balance(r.d, &q, &v, &a, &env, &p));
  assert_close(p.gravity, 0, 0, 0);
  assert_close(p.friction, 0, 0, 0);
  assert_close(p.residual, 0, 0, 1e-9);
  moving_end(&r);
}
END_TEST

START_TEST(robot_that_cannot_move)
{
  limb_builder* b = fixture_begin("table");
  (void)fixture_link(b, "table", LIMB_FIXED, 0, fixture_at(0, 0, 1), sp_v3(0, 0, 1), limb_inertia_box(10, 1, 1, 1));
  moving r = moving_begin(fixture_end(b), 5);
  limb_energy e;
  limb_power p;
  assert_ok(limb_energies(r.d, r.q, r.v, NULL, &e));
  assert_close(e.kinetic, 0, 0, 0);
  assert_close(e.gravity, 98.1, TOL_ALGEBRA, 0);
  assert_ok(limb_power_balance(r.d, r.q, r.v, r.a, NULL, &p));
  assert_close(p.actuators, 0, 0, 0);
  assert_close(p.residual, 0, 0, 0);
  moving_end(&r);
}
END_TEST

// Energies along a path, for the rates; wrenches in every reference, also on a frame that is fixed.
START_TEST(balance)
{
  moving r = moving_begin(robot_random_tree((uint64_t)_i + 40, 25, ROBOT_MIMIC), (uint64_t)_i + 6);
  rng g = {(uint64_t)_i};
  limb_wrench w[4];
  for (int k = 0; k < 4; k++) {
    w[k] =
      (limb_wrench){k == 3 ? 0 : limb_frame_count(r.m) - 1 - k, (limb_ref)(k % 3), {rng_vec3(&g, 1), rng_vec3(&g, 1)}};
  }
  limb_environment env = limb_default_environment(r.m);
  env.wrench = w;
  env.nwrench = 4;
  env.coulomb_width = 0.1;
  double q[2][MOVING_MAX], v[2][MOVING_MAX];
  limb_energy e[2], rate;
  for (int side = 0; side < 2; side++) {
    const double t = side ? MOVING_STEP : -MOVING_STEP;
    for (int k = 0; k < r.nv; k++) v[side][k] = r.v[k] + r.a[k] * t / 2;
    assert_ok(limb_integrate(r.m, r.q, v[side], t, q[side]));
    for (int k = 0; k < r.nv; k++) v[side][k] = r.v[k] + r.a[k] * t;
    assert_ok(limb_energies(r.d, q[side], v[side], &env, &e[side]));
  }
  moving_rate(&e[0].kinetic, &e[1].kinetic, 3, &rate.kinetic);
  limb_power p;
  check_at("tree %d", _i + 40);
  assert_ok(limb_power_balance(r.d, r.q, r.v, r.a, &env, &p));
  assert_close(p.kinetic, rate.kinetic, TOL_FD, TOL_FD * e[0].kinetic);
  assert_close(p.gravity, rate.gravity, TOL_FD, TOL_FD);
  assert_close(p.springs, rate.springs, TOL_FD, TOL_FD);
  assert_that(p.friction >= 0);
  const double size = fabs(p.actuators) + fabs(p.wrenches) + fabs(p.kinetic) + fabs(p.gravity);
  assert_close(p.residual, 0, 0, TOL_ALGEBRA * (1 + size));
  moving_end(&r);
}
END_TEST

CHECK_MAIN("energy", 4, arguments, bad_numbers, bad_environment, by_hand, robot_that_cannot_move, balance)
