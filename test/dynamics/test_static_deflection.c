// Static deflection: closed forms, a simulation that comes to rest, loads of all kinds, buckling; marks;
// statuses.
#include "dynamics/elastic_robots.h"
#include "support/trial.h"

enum { ROBOTS = CHECK_SANITIZED ? 20 : 200, MOST_WORK = MOST_V * (MOST_V + 4) + MOST_V };

#define HALF_PI 1.57079632679489661923

// ---- a pendulum with a spring ---------------------------------------------------------------------------

// A mass on a rod that lies along x at q = 0; gravity along -y: k (q - rest) + m g l cos q = 0.
static limb_model* pendulum(double k, double rest, double mass)
{
  limb_builder* b = fixture_begin("pendulum");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const sp_inertia tip = {.mass = mass, .com = {0.5, 0, 0}, .xx = 0.01, .yy = 0.01, .zz = 0.01};
  const int body = fixture_body(b, "rod", tip);
  limb_joint_def def = limb_default_joint_def("hinge", LIMB_REVOLUTE, LIMB_WORLD_BODY, body);
  def.stiffness = k, def.rest = rest, def.drive = LIMB_DRIVE_PASSIVE, def.viscous = 1;
  fixture_joint(b, &def);
  fixture_frame(b, "tip", body, fixture_at(1, 0, 0));
  return fixture_end(b);
}

// The root of f between lo and hi, of different signs.
static double bisect(double (*f)(double q, const double* with), const double* with, double lo, double hi)
{
  const bool rising = f(hi, with) > 0;
  for (int i = 0; i < 200; i++) {
    const double mid = (lo + hi) / 2;
    if ((f(mid, with) > 0) == rising)
      hi = mid;
    else
      lo = mid;
  }
  return lo;
}

static double hanging(double q, const double* with) { return with[0] * (q - with[1]) + with[2] * cos(q); }

typedef struct rig {
  limb_model* m;
  limb_data* d;
  double work[MOST_WORK], q[MOST_V];
} rig;

static rig* rig_make(limb_model* m)
{
  rig* r = calloc(1, sizeof *r);
  ck_assert_ptr_nonnull(r);
  r->m = m;
  assert_ok(limb_data_create(m, NULL, &r->d));
  return r;
}

static void rig_free(rig* r)
{
  limb_data_destroy(r->d);
  limb_model_destroy(r->m);
  free(r);
}

static limb_status rest(rig* r, const unsigned char* given, const limb_environment* env)
{
  return limb_static_deflection(r->d, given, NULL, env, NULL, r->work, r->q);
}

START_TEST(pendulum_by_bisection)
{
  static const double stiffness[] = {1e7, 1e3, 50, 10, 5, 2, 0.1}, at[] = {-0.4, 0.4, 1.2};
  for (int i = 0; i < 7; i++) {
    for (int n = 0; n < 3; n++) {
      const double relaxed = at[n];
      const double with[3] = {stiffness[i], relaxed, 2 * 9.81 * 0.5};
      rig* r = rig_make(pendulum(stiffness[i], relaxed, 2));
      check_at("k = %g, rest = %g", stiffness[i], relaxed);
      assert_ok(rest(r, NULL, NULL));
      // hanging down beyond the horizontal, where the weight also pulls back
      const double want = bisect(hanging, with, -HALF_PI, fmax(HALF_PI, relaxed));
      assert_close(r->q[0], want, 0, 1e-12);
      rig_free(r);
    }
  }
}
END_TEST

// A hard spring that is balanced from the start must not hide what a soft one still has to do.
START_TEST(hard_and_soft)
{
  for (double hard = 1e3; hard < 1e12; hard *= 10) {
    limb_builder* b = fixture_begin("hard_and_soft");
    const sp_inertia block = {.mass = 10, .xx = 1, .yy = 1, .zz = 1};
    const sp_inertia vane = {.mass = 1e-5, .com = {0.01, 0, 0}, .xx = 1e-6, .yy = 1e-6, .zz = 1e-6};
    const int first = fixture_body(b, "block", block), second = fixture_body(b, "vane", vane);
    limb_joint_def slide = limb_default_joint_def("slide", LIMB_PRISMATIC, LIMB_WORLD_BODY, first);
    limb_joint_def hinge = limb_default_joint_def("hinge", LIMB_REVOLUTE, first, second);
    slide.stiffness = hard, slide.drive = LIMB_DRIVE_PASSIVE;
    hinge.stiffness = 1e-3, hinge.drive = LIMB_DRIVE_PASSIVE, hinge.axis = sp_v3(0, 1, 0);
    fixture_joint(b, &slide);
    fixture_joint(b, &hinge);
    rig* r = rig_make(fixture_end(b));
    check_at("k = %g", hard);
    r->q[0] = -(10 + 1e-5) * 9.81 / hard;
    assert_ok(rest(r, NULL, NULL));
    const double with[3] = {1e-3, 0, -1e-5 * 9.81 * 0.01};
    assert_close(r->q[1], bisect(hanging, with, 0, 1), 1e-9, 1e-12);
    rig_free(r);
  }
}
END_TEST

START_TEST(no_load)
{
  rig* r = rig_make(pendulum(3, 0.7, 2));
  limb_environment env = limb_default_environment(r->m);
  env.gravity = sp_v3(0, 0, 0);
  limb_deflection o = limb_default_deflection();
  r->q[0] = -0.2;
  assert_ok(limb_static_deflection(r->d, NULL, NULL, &env, &o, r->work, r->q));
  assert_close(r->q[0], 0.7, 0, 1e-14);
  ck_assert_int_le(o.iterations, 2);
  ck_assert(o.out_of_balance < 1e-13);
  assert_ok(limb_static_deflection(r->d, NULL, NULL, &env, &o, r->work, r->q));
  ck_assert_int_eq(o.iterations, 0);
  rig_free(r);
}
END_TEST

// A force along y at the tip, and a torque given at the joint.
START_TEST(loads_on_the_pendulum)
{
  rig* r = rig_make(pendulum(12, 0.2, 2));
  limb_environment env = limb_default_environment(r->m);
  const limb_wrench w = {limb_find_frame(r->m, "tip"), LIMB_ALIGNED, {{0, 0, 0}, {0, 30, 0}}};
  env.nwrench = 1, env.wrench = &w;
  const double with[3] = {12, 0.2 + 0.5 / 12, 2 * 9.81 * 0.5 - 30}, tau[1] = {0.5};
  limb_deflection o = limb_default_deflection();
  assert_ok(limb_static_deflection(r->d, NULL, tau, &env, &o, r->work, r->q));
  assert_close(r->q[0], bisect(hanging, with, 0, HALF_PI), 0, 1e-12);
  rig_free(r);
}
END_TEST

// ---- buckling and nothing that holds
// ------------------------------------------------------------------------

START_TEST(upright)
{
  const double moment = 2 * 9.81 * 0.5;
  rig* r = rig_make(pendulum(moment * 1.01, HALF_PI, 2)); // stiff enough
  r->q[0] = HALF_PI + 0.3;
  assert_ok(rest(r, NULL, NULL));
  assert_close(r->q[0], HALF_PI, 0, 1e-8);
  rig_free(r);
  r = rig_make(pendulum(moment * 0.9, HALF_PI, 2)); // too weak
  r->q[0] = HALF_PI;
  assert_status(rest(r, NULL, NULL), LIMB_E_SINGULAR);
  ck_assert(r->q[0] == HALF_PI);
  for (int side = -1; side <= 1; side += 2) { // it falls to either side
    const double with[3] = {moment * 0.9, HALF_PI, moment};
    r->q[0] = HALF_PI + side * 1e-2;
    assert_ok(rest(r, NULL, NULL));
    const double to = HALF_PI + side * 3;
    assert_close(r->q[0], bisect(hanging, with, HALF_PI + side * 0.1, to), 0, 1e-12);
  }
  rig_free(r);
}
END_TEST

START_TEST(without_a_spring)
{
  rig* r = rig_make(pendulum(0, 0, 2));
  const unsigned char loose = LIMB_FORCE_GIVEN;
  r->q[0] = 0.3;
  assert_ok(rest(r, NULL, NULL)); // nothing is marked: nothing gives way
  ck_assert(r->q[0] == 0.3);
  assert_ok(rest(r, &loose, NULL)); // the weight holds it
  assert_close(cos(r->q[0]), 0, 0, 1e-12);
  assert_close(sin(r->q[0]), -1, 0, 1e-12);
  limb_environment env = limb_default_environment(r->m);
  env.gravity = sp_v3(0, 0, 0);
  assert_status(rest(r, &loose, &env), LIMB_E_SINGULAR); // it stays anywhere
  const limb_wrench w = {1, LIMB_WORLD, {{0, 0, 1}, {0, 0, 0}}};
  env.nwrench = 1, env.wrench = &w;
  assert_status(rest(r, &loose, &env), LIMB_E_SINGULAR); // it turns for ever
  rig_free(r);
}
END_TEST

// ---- series-elastic robots
// ------------------------------------------------------------------------------------

// Forces of what gives way are zero, and the rest has not moved.
static void balanced(rig* r, const limb_environment* env, const double* before)
{
  double tau[MOST_V], springs[MOST_V], zero[MOST_V] = {0}, moved[MOST_V];
  unsigned char given[MOST_V];
  assert_ok(limb_given_for_elastic(r->m, given));
  assert_ok(limb_inverse_dynamics(r->d, r->q, zero, zero, env, tau));
  assert_ok(limb_spring_forces(r->d, r->q, springs));
  assert_ok(limb_difference(r->m, before, r->q, moved));
  double size = 1;
  for (int k = 0; k < limb_nv(r->m); k++) size = fmax(size, fabs(springs[k]));
  for (int k = 0; k < limb_nv(r->m); k++) {
    if (given[k] == LIMB_FORCE_GIVEN)
      assert_close(tau[k], 0, 0, 1e-11 * size);
    else
      assert_close(moved[k], 0, 0, 1e-14);
  }
}

START_TEST(random_robots_under_wrenches)
{
  int held = 0;
  for (uint64_t seed = 1; seed <= ROBOTS; seed++) {
    rng g = {seed};
    rig* r = rig_make(elastic_random(seed, 2 + rng_below(&g, 5)));
    limb_environment env = limb_default_environment(r->m);
    limb_wrench w[3];
    for (int i = 0; i < 3; i++) {
      const sp_force F = {rng_vec3(&g, 0.5), rng_vec3(&g, 2)};
      w[i] = (limb_wrench){rng_below(&g, limb_body_count(r->m)), (limb_ref)i, F};
    }
    env.nwrench = 3, env.wrench = w;
    double before[MOST_V];
    uint64_t draws = seed;
    assert_ok(limb_random(r->m, &draws, r->q));
    memcpy(before, r->q, sizeof before);
    check_at("random robot of seed %d", (int)seed);
    const limb_status s = rest(r, NULL, &env);
    // what pulls hard on a soft shaft may turn it over more than once
    assert_that(s == LIMB_OK || s == LIMB_E_SINGULAR || s == LIMB_E_NOCONV);
    held += s == LIMB_OK;
    if (s == LIMB_OK)
      balanced(r, &env, before);
    else
      assert_that(memcmp(before, r->q, (size_t)limb_nq(r->m) * sizeof *before) == 0);
    rig_free(r);
  }
  ck_assert_int_ge(held, ROBOTS * 9 / 10);
}
END_TEST

// Hybrid dynamics with motors that hold still, and friction: at last the robot is at rest.
static void simulate(rig* r, const limb_environment* env, double time, double* q)
{
  enum { NV = 4 };
  const int steps = (int)(time / 4e-3);
  const double h = time / steps, at[4] = {0, h / 2, h / 2, h}, weight[4] = {h / 6, h / 3, h / 3, h / 6};
  unsigned char given[NV];
  double x[2 * NV] = {0}, y[2 * NV], k[2 * NV], sum[2 * NV], still[NV] = {0};
  assert_ok(limb_given_for_elastic(r->m, given));
  memcpy(x, q, NV * sizeof *x);
  for (int i = 0; i < steps; i++) {
    memset(k, 0, sizeof k), memset(sum, 0, sizeof sum);
    for (int n = 0; n < 4; n++) {
      for (int l = 0; l < 2 * NV; l++) y[l] = x[l] + at[n] * k[l];
      memcpy(k, y + NV, NV * sizeof *k);
      assert_ok(limb_hybrid_dynamics(r->d, y, y + NV, given, still, env, k + NV, NULL));
      for (int l = 0; l < 2 * NV; l++) sum[l] += weight[n] * k[l];
    }
    for (int l = 0; l < 2 * NV; l++) x[l] += sum[l];
  }
  memcpy(q, x, NV * sizeof *x);
}

START_TEST(a_simulation_comes_to_rest_there)
{
  const arm_options o = {60, 5, 8, 0.1, true, 3, 0, 10};
  rig* r = rig_make(elastic_arm(&o));
  limb_environment env = limb_default_environment(r->m);
  for (int load = 0; load < 4; load++) { // none, then one that turns with the arm, and two that do not
    const limb_wrench w = {
      limb_find_frame(r->m, "lower"), (limb_ref)(load > 0 ? load - 1 : 0), {{0, 0, 2}, {3, -8, 1}}};
    env.nwrench = load > 0, env.wrench = &w;
    double q[4] = {0.5, -0.4, 4, -3};
    memcpy(r->q, q, sizeof q);
    check_at("load %d", load);
    assert_ok(rest(r, NULL, &env));
    simulate(r, &env, 30, q);
    assert_close_array(r->q, q, 4, 0, 1e-9);
    assert_that(fabs(q[0] - 0.5) > 0.05); // far from where the motors are
  }
  rig_free(r);
}
END_TEST

// A ball under gravity and a steady side wind at another point comes to rest in one orientation; under
// gravity alone in many.
START_TEST(ball_joint)
{
  limb_builder* b = fixture_begin("ball");
  const double I[6] = {0.1, 0, 0, 0.1, 0, 0.05};
  (void)fixture_link(b, "ball", LIMB_SPHERICAL, LIMB_WORLD_BODY, fixture_at(0, 0, 0), sp_v3(0, 0, 1),
                     fixture_inertia(3, sp_v3(0, 0, -0.4), I));
  fixture_frame(b, "vane", 1, fixture_at(0.3, 0.1, 0));
  rig* r = rig_make(fixture_end(b));
  limb_environment env = limb_default_environment(r->m);
  const limb_wrench w = {limb_find_frame(r->m, "vane"), LIMB_ALIGNED, {{0, 0, 0}, {5, 0, 0}}};
  const unsigned char given[3] = {0};
  const double start[4] = {0.3, -0.2, 0.4, sqrt(1 - 0.29)};
  memcpy(r->q, start, sizeof start);
  assert_status(rest(r, given, &env), LIMB_E_SINGULAR);
  env.nwrench = 1, env.wrench = &w;
  assert_ok(rest(r, given, &env));
  double zero[3] = {0}, tau[3];
  assert_ok(limb_inverse_dynamics(r->d, r->q, zero, zero, &env, tau));
  assert_close_array(tau, zero, 3, 0, 1e-11);
  rig_free(r);
}
END_TEST

// ---- marks --------------------------------------------------------------------------------------------

START_TEST(marks)
{
  limb_builder* b = fixture_begin("marks");
  limb_joint_def def[6];
  static const char* const name[6] = {"lumped", "beside", "loose", "driven", "base", "follower"};
  for (int i = 0; i < 6; i++) {
    const int body = fixture_body(b, name[i], (sp_inertia){.mass = 1});
    const limb_joint_type type = i == 4 ? LIMB_FREE : LIMB_REVOLUTE;
    def[i] = limb_default_joint_def(name[i], type, LIMB_WORLD_BODY, body);
  }
  def[0].drive = LIMB_DRIVE_PASSIVE, def[0].stiffness = 2;
  def[1].stiffness = 2; // beside a motor that holds
  def[2].drive = LIMB_DRIVE_PASSIVE;
  def[5].mimic = 2, def[5].stiffness = 3; // a spring for the loose one
  for (int i = 0; i < 5; i++) fixture_joint(b, &def[i]);
  limb_motor_def motor = limb_default_motor_def(3);
  motor.rotor_inertia = 1e-3, motor.stiffness = 10;
  limb_error err = {0};
  fixture_ok(limb_builder_add_motor(b, &motor, NULL, &err), &err);
  fixture_body(b, "unused", (sp_inertia){.mass = 1});
  limb_joint_def fixed = limb_default_joint_def("unused", LIMB_FIXED, 1, 8);
  (void)fixture_joint(b, &fixed);
  (void)fixture_joint(b, &def[5]);
  limb_model* m = fixture_end(b);
  ck_assert_int_eq(limb_nv(m), 11);
  unsigned char given[11];
  static const unsigned char want[11] = {0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1}; // the motor is the last
  assert_ok(limb_given_for_elastic(m, given));
  assert_that(memcmp(given, want, sizeof want) == 0);
  assert_status(limb_given_for_elastic(NULL, given), LIMB_E_ARG);
  assert_status(limb_given_for_elastic(m, NULL), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

// ---- statuses -----------------------------------------------------------------------------------------

START_TEST(bad_input)
{
  rig* r = rig_make(pendulum(3, 0, 2));
  limb_deflection o = limb_default_deflection();
  unsigned char mark = 2;
  double nothing = nan("");
  assert_status(limb_static_deflection(NULL, NULL, NULL, NULL, &o, r->work, r->q), LIMB_E_ARG);
  assert_status(limb_static_deflection(r->d, NULL, NULL, NULL, &o, NULL, r->q), LIMB_E_ARG);
  assert_status(limb_static_deflection(r->d, NULL, NULL, NULL, &o, r->work, NULL), LIMB_E_ARG);
  assert_status(limb_static_deflection(r->d, &mark, NULL, NULL, &o, r->work, r->q), LIMB_E_ARG);
  assert_status(limb_static_deflection(r->d, NULL, &nothing, NULL, &o, r->work, r->q), LIMB_E_NONFINITE);
  o.size = 3;
  assert_status(limb_static_deflection(r->d, NULL, NULL, NULL, &o, r->work, r->q), LIMB_E_ARG);
  o = limb_default_deflection(), o.max_iterations = -1;
  assert_status(limb_static_deflection(r->d, NULL, NULL, NULL, &o, r->work, r->q), LIMB_E_ARG);
  o = limb_default_deflection(), o.tolerance = -1;
  assert_status(limb_static_deflection(r->d, NULL, NULL, NULL, &o, r->work, r->q), LIMB_E_ARG);
  o.tolerance = nothing;
  assert_status(limb_static_deflection(r->d, NULL, NULL, NULL, &o, r->work, r->q), LIMB_E_NONFINITE);
  ck_assert(r->q[0] == 0);
  r->q[0] = HUGE_VAL;
  assert_status(rest(r, NULL, NULL), LIMB_E_NONFINITE);
  limb_environment env = limb_default_environment(r->m);
  env.gravity.x = nothing, r->q[0] = 0;
  assert_status(rest(r, NULL, &env), LIMB_E_NONFINITE);
  rig_free(r);
}
END_TEST

// Too few iterations: what was reached is told, q stays.
START_TEST(not_enough_iterations)
{
  rig* r = rig_make(pendulum(3, 0, 2));
  limb_deflection o = limb_default_deflection();
  for (o.max_iterations = 0; o.max_iterations < 3; o.max_iterations++) {
    r->q[0] = 0.1;
    assert_status(limb_static_deflection(r->d, NULL, NULL, NULL, &o, r->work, r->q), LIMB_E_NOCONV);
    ck_assert(r->q[0] == 0.1);
    ck_assert_int_eq(o.iterations, o.max_iterations);
    ck_assert(o.out_of_balance > 1e-9);
  }
  o.max_iterations = 50, o.tolerance = 1e-2; // rough, and soon done
  assert_ok(limb_static_deflection(r->d, NULL, NULL, NULL, &o, r->work, r->q));
  ck_assert_int_lt(o.iterations, 5);
  ck_assert(o.out_of_balance < 0.1 && o.out_of_balance > 0);
  rig_free(r);
}
END_TEST

CHECK_MAIN("static_deflection", 1, pendulum_by_bisection, hard_and_soft, no_load, loads_on_the_pendulum, upright,
           without_a_spring, random_robots_under_wrenches, a_simulation_comes_to_rest_there, ball_joint, marks,
           bad_input, not_enough_iterations)
