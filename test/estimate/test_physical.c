// The physical fit: every inertia is one that a rigid body can have, the torques are explained nearly as well as
// without that condition, and the robot that is written has exactly these parameters.
#include "estimate/motion.h"

#include "limb/edit.h"

#include <string.h>

static const char* const robots[] = {"planar_2r", "ur5", "scara", "puma560"};

enum { ROBOTS = sizeof robots / sizeof *robots };

static limb_builder* describe(const char* name, double load)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  assert_ok(limb_load(name, NULL, &m, NULL));
  assert_ok(limb_builder_from_model(m, NULL, &b));
  if (load > 0) {
    sp_inertia Y = limb_inertia_box(load, 0.1, 0.12, 0.08);
    assert_ok(limb_builder_add_payload(b, "load", "link6", NULL, &Y, NULL));
  }
  limb_model_destroy(m);
  return b;
}

static limb_model* build(const limb_builder* b)
{
  limb_model* m = NULL;
  assert_ok(limb_builder_build(b, &m, NULL));
  return m;
}

// A log of one robot, identified by the model of another.
static limb_ident* identify(const limb_model* real, const limb_model* model, double noise, double weight)
{
  limb_ident* x = NULL;
  motion log = motion_make(real, 11);
  limb_ident_options o = limb_default_ident_options();
  limb_environment env = limb_default_environment(model);
  log.noise = noise, log.friction = env.friction = 0;
  o.env = &env;
  assert_ok(limb_ident_create(model, &o, &x));
  for (int i = 0; i < 3000; i++) {
    motion_at(&log, i / 100.0);
    assert_ok(limb_ident_add(x, &(limb_ident_sample){.time = i / 100.0, .q = log.q, .v = log.v, .tau = log.tau}, NULL));
  }
  assert_ok(limb_ident_fit(x, NULL));
  assert_ok(limb_ident_fit_physical(x, weight, NULL));
  motion_end(&log);
  return x;
}

static double relative(const limb_ident* x, limb_ident_part part)
{
  limb_ident_residual r;
  assert_ok(limb_ident_get_residual(x, -1, part, &r));
  return r.rms / r.torque;
}

static void check_bodies(const limb_model* m, const double* theta)
{
  for (int k = 0; k < limb_inertial_parameter_count(m); k += LIMB_BODY_PARAMETERS) {
    const sp_inertia Y = limb_inertia_from_parameters(theta + k);
    assert_that(limb_inertia_defect(&Y) == NULL);
  }
}

// The robot with these parameters has these parameters; bodies of the file, too, are physical.
static void check_written(const limb_ident* x, limb_builder* b)
{
  double theta[512];
  assert_ok(limb_ident_apply(x, b, NULL));
  limb_model* m = build(b);
  const int np = limb_parameter_count(m);
  assert_that(np <= 512);
  assert_ok(limb_parameters(m, theta));
  assert_close_array(theta, limb_ident_theta(x), np, 1e-12, 0);
  for (int i = 1; i < limb_builder_body_count(b); i++) {
    limb_body_def def;
    assert_ok(limb_builder_get_body(b, i, &def));
    assert_that(def.inertia.mass == 0 || limb_inertia_defect(&def.inertia) == NULL);
  }
  limb_model_destroy(m);
}

START_TEST(inertias_are_physical)
{
  limb_builder* b = describe(robots[_i], 0);
  limb_model* m = build(b);
  limb_ident* x = identify(m, m, 0.5, 0);
  check_at("%s", robots[_i]);
  check_bodies(m, limb_ident_theta(x));
  assert_that(relative(x, LIMB_IDENT_PHYSICAL_VALIDATION) < 1.2 * relative(x, LIMB_IDENT_VALIDATION) + 1e-3);
  check_written(x, b);
  limb_ident_destroy(x);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

// A load that the model has and the robot has not, and the other way round: both are found. What is fixed to the last
// link loses its mass where that link cannot be lighter.
START_TEST(loads_are_found)
{
  const double load[2] = {_i % 2 ? 3 : 0, _i % 2 ? 0 : 3};
  if (_i >= 2) return;
  limb_builder *real = describe("ur5", load[0]), *known = describe("ur5", load[1]);
  limb_model *m = build(real), *model = build(known);
  limb_ident* x = identify(m, model, 0.01, 0);
  double theta[512];
  assert_ok(limb_parameters(model, theta));
  check_bodies(model, limb_ident_theta(x));
  assert_that(relative(x, LIMB_IDENT_PHYSICAL_VALIDATION) < 2e-3);
  const int last = limb_inertial_parameter_count(model) - LIMB_BODY_PARAMETERS;
  const double change = limb_ident_theta(x)[last] - theta[last];
  check_at("the last link changes by %g kg", change);
  assert_that(_i % 2 ? change > 0.5 : change < -0.5);
  check_written(x, known);
  limb_ident_destroy(x);
  limb_model_destroy(m), limb_model_destroy(model);
  limb_builder_destroy(real), limb_builder_destroy(known);
}
END_TEST

// The heavier the weight, the nearer to the model.
START_TEST(weight_holds_the_model)
{
  if (_i) return;
  limb_builder *real = describe("ur5", 3), *known = describe("ur5", 0);
  limb_model *m = build(real), *model = build(known);
  double theta[512], off[2];
  assert_ok(limb_parameters(model, theta));
  for (int k = 0; k < 2; k++) {
    limb_ident* x = identify(m, model, 0.1, k ? 1e7 : 1);
    off[k] = 0;
    for (int i = 0; i < limb_inertial_parameter_count(model); i++)
      off[k] = fmax(off[k], fabs(limb_ident_theta(x)[i] - theta[i]));
    limb_ident_destroy(x);
  }
  check_at("off by %g and %g", off[0], off[1]);
  assert_that(off[0] > 0.3 && off[1] < off[0] / 2);
  limb_model_destroy(m), limb_model_destroy(model);
  limb_builder_destroy(real), limb_builder_destroy(known);
}
END_TEST

// The corner of the L-curve explains a load nearly as well as cross-validation does.
START_TEST(l_curve_has_a_corner)
{
  if (_i) return;
  limb_builder *real = describe("ur5", 3), *known = describe("ur5", 0);
  limb_model *m = build(real), *model = build(known);
  double error[2];
  for (int k = 0; k < 2; k++) {
    limb_ident* x = identify(m, model, 0.1, k ? LIMB_IDENT_L_CURVE : 0);
    error[k] = relative(x, LIMB_IDENT_PHYSICAL_VALIDATION);
    limb_ident_destroy(x);
  }
  check_at("%g by cross-validation, %g by the L-curve", error[0], error[1]);
  assert_that(error[1] < 1.5 * error[0]);
  limb_model_destroy(m), limb_model_destroy(model);
  limb_builder_destroy(real), limb_builder_destroy(known);
}
END_TEST

// Mass and centre of mass stay between bounds, whatever the log and the model say.
START_TEST(bounds_hold)
{
  if (_i) return;
  limb_builder* b = describe("planar_2r", 0);
  limb_model* m = build(b);
  limb_ident* x = NULL;
  limb_parameter_info info;
  limb_error err = {0};
  motion log = motion_make(m, 11);
  assert_ok(limb_ident_create(m, NULL, &x));
  for (int i = 0; i < 3000; i++) {
    motion_at(&log, i / 100.0);
    const limb_ident_sample sample = {
      .time = i / 100.0, .q = log.q, .v = log.v, .tau = log.tau, .reference = NULL, .nwrench = 0, .wrench = NULL};
    assert_ok(limb_ident_add(x, &sample, NULL));
  }
  assert_ok(limb_ident_fit(x, NULL));
  assert_ok(limb_get_parameter(m, LIMB_BODY_PARAMETERS, &info));
  limb_ident_bounds bounds = limb_default_ident_bounds();
  bounds.min_mass = 13, bounds.max_mass = 14, bounds.max_com[0] = 0.5, bounds.min_com[1] = 0.01;
  bounds.max_com[1] = 0;
  assert_status(limb_ident_set_bounds(x, info.body, &bounds, &err), LIMB_E_ARG); // they cross
  bounds.max_com[1] = HUGE_VAL;
  assert_status(limb_ident_set_bounds(x, 99, &bounds, &err), LIMB_E_ARG);
  assert_ok(limb_ident_set_bounds(x, info.body, &bounds, &err));
  assert_ok(limb_ident_fit_physical(x, 0, &err));
  assert_status(limb_ident_set_bounds(x, info.body, &bounds, &err), LIMB_E_ORDER);
  const double* t = limb_ident_theta(x) + LIMB_BODY_PARAMETERS;
  check_at("mass %g, centre %g %g", t[0], t[1] / t[0], t[2] / t[0]);
  assert_that(t[0] > 13 && t[0] < 14 && t[1] < 0.5 * t[0] && t[2] > 0.01 * t[0]);
  check_bodies(m, limb_ident_theta(x));
  limb_ident_destroy(x);
  motion_end(&log);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(bad_calls_are_refused)
{
  if (_i) return;
  limb_builder *b = describe("planar_2r", 0), *other = describe("ur5", 0);
  limb_model* m = build(b);
  limb_ident* x = NULL;
  assert_ok(limb_ident_create(m, NULL, &x));
  assert_status(limb_ident_fit_physical(x, 0, NULL), LIMB_E_ORDER);
  assert_status(limb_ident_apply(x, b, NULL), LIMB_E_ORDER);
  assert_that(limb_ident_theta(x) == NULL);
  limb_ident_destroy(x);
  x = identify(m, m, 0.1, 1);
  assert_status(limb_ident_fit_physical(x, -2, NULL), LIMB_E_ARG);
  assert_status(limb_ident_fit_physical(x, 1, NULL), LIMB_E_ORDER);
  assert_status(limb_ident_apply(x, other, NULL), LIMB_E_ARG);
  limb_ident_destroy(x);
  limb_model_destroy(m);
  limb_builder_destroy(b), limb_builder_destroy(other);
}
END_TEST

CHECK_MAIN("physical", ROBOTS, inertias_are_physical, loads_are_found, weight_holds_the_model, l_curve_has_a_corner,
           bounds_hold, bad_calls_are_refused)
