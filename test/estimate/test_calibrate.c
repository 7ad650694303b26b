// Kinematic calibration: robots that differ from their models are found again from poses, positions and distances;
// what these do not determine is marked; standard deviations are honest; bad input is named.
#include "support/check.h"

#include "limb/derivatives.h"
#include "limb/edit.h"
#include "limb/limb.h"
#include "limb/read.h"

#include "base/numeric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOFS = 16 };

static const char* const robots[] = {"ur5", "panda", "stanford", "scara"};

enum { ROBOTS = sizeof robots / sizeof *robots };

typedef struct cell {
  limb_model *m, *real;
  limb_data *dm, *dreal;
  int frame, nv;
  double offset[DOFS]; // of the real robot
  sp_pose device, target;
  uint64_t seed;
  double noise; // [m, rad]
} cell;

static double normal(uint64_t* seed)
{
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += limb_random_sign(seed) / 2;
  return sum;
}

// A robot whose joints stand elsewhere by some tenths of mm and mrad, times size.
static cell cell_make(const char* robot, double size, double noise)
{
  cell c = {.seed = 11, .noise = noise, .device = sp_pose_identity(), .target = sp_pose_identity()};
  limb_geometry* g = NULL;
  limb_error err;
  assert_ok(limb_load(robot, NULL, &c.m, &err));
  assert_ok(limb_geometry_create(c.m, LIMB_FORM_POSES, NULL, &g, &err));
  const int np = limb_geometry_count(g);
  double* value = calloc((size_t)np + 1, sizeof *value);
  for (int p = 0; p < np; p++) {
    limb_geometry_info info;
    assert_ok(limb_geometry_get(g, p, &info));
    value[p] = info.value + size * 1e-3 * limb_random_sign(&c.seed);
  }
  assert_ok(limb_geometry_build(g, value, &c.real, &err));
  limb_geometry_destroy(g);
  free(value);
  c.nv = limb_nv(c.m), c.frame = limb_frame_count(c.m) - 1;
  for (int j = 0; j < c.nv; j++) c.offset[j] = size * 5e-3 * limb_random_sign(&c.seed);
  assert_ok(limb_data_create(c.m, NULL, &c.dm));
  assert_ok(limb_data_create(c.real, NULL, &c.dreal));
  return c;
}

static void cell_end(cell* c)
{
  limb_data_destroy(c->dm), limb_data_destroy(c->dreal);
  limb_model_destroy(c->m), limb_model_destroy(c->real);
}

static sp_pose pose_of(limb_data* d, int frame, const double* q)
{
  sp_pose X;
  assert_ok(limb_kinematics(d, q, NULL, NULL));
  assert_ok(limb_frame_pose(d, frame, &X));
  return X;
}

static sp_pose real_pose(cell* c, const double* q)
{
  double shifted[DOFS];
  assert_ok(limb_integrate(c->real, q, c->offset, 1, shifted));
  return sp_compose(sp_compose(c->device, pose_of(c->dreal, c->frame, shifted)), c->target);
}

static void measure(cell* c, limb_calibration* x, int poses, unsigned what)
{
  for (int i = 0; i < poses; i++) {
    double q[DOFS];
    limb_error err;
    assert_ok(limb_random(c->m, &c->seed, q));
    limb_measurement y = {.q = q, .what = what, .pose = real_pose(c, q)};
    y.distance = sp_norm3(y.pose.p) + c->noise * normal(&c->seed);
    y.pose.p = sp_add3(y.pose.p, sp_scale3(c->noise, sp_v3(normal(&c->seed), normal(&c->seed), normal(&c->seed))));
    const sp_vec3 turn = sp_v3(normal(&c->seed), normal(&c->seed), normal(&c->seed));
    y.pose.R = sp_mul3(sp_rot_rpy(c->noise * turn.x, c->noise * turn.y, c->noise * turn.z), y.pose.R);
    assert_ok(limb_calibration_add(x, &y, &err));
  }
}

static limb_calibration* create(const cell* c, limb_calibration_options o)
{
  limb_calibration* x = NULL;
  limb_error err = {0};
  const limb_status s = limb_calibration_create(c->m, &o, &x, &err);
  check_at("%s: %s", err.where, err.text);
  assert_status(s, LIMB_OK);
  return x;
}

static limb_calibration_facts fit(limb_calibration* x)
{
  limb_calibration_facts f;
  limb_error err = {0};
  const limb_status s = limb_calibration_fit(x, &err);
  check_at("%s: %s", err.where, err.text);
  assert_status(s, LIMB_OK);
  assert_ok(limb_calibration_get_facts(x, &f));
  return f;
}

// The robot that was written back has the poses of the real one, in configurations that were not measured.
static void check_applied(cell* c, const limb_calibration* x, double tolerance)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  limb_calibration_facts f;
  limb_error err = {0};
  assert_ok(limb_calibration_get_facts(x, &f));
  assert_ok(limb_builder_from_model(c->m, NULL, &b));
  assert_ok(limb_calibration_apply(x, b, &err));
  assert_ok(limb_builder_build(b, &m, &err));
  assert_ok(limb_data_create(m, NULL, &d));
  for (int i = 0; i < 20; i++) {
    double q[DOFS];
    assert_ok(limb_random(c->m, &c->seed, q));
    const sp_pose found = sp_compose(sp_compose(f.device, pose_of(d, c->frame, q)), f.target), X = real_pose(c, q);
    assert_close_vec3(found.p, X.p, 0, tolerance);
  }
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}

// ---- robots come back -------------------------------------------------------------------------------------

START_TEST(robots_come_back)
{
  if (_i >= CHECK_EFFORT(1, 3, ROBOTS)) return;
  const unsigned kinds[] = {LIMB_MEASURE_POSITION | LIMB_MEASURE_ROTATION, LIMB_MEASURE_POSITION,
                            LIMB_MEASURE_DISTANCE};
  for (int k = 0; k < 3; k++) {
    cell c = cell_make(robots[_i], 1, 0);
    c.device = sp_pose_make(sp_rot_rpy(0.1, 0.2, 2), sp_v3(1.5, -0.4, 0.3));
    limb_calibration_options o = limb_default_calibration_options(c.frame);
    o.device = sp_pose_make(sp_rot_rpy(0.11, 0.19, 2.02), sp_v3(1.49, -0.41, 0.31)), o.unknown = LIMB_UNKNOWN_DEVICE;
    limb_calibration* x = create(&c, o);
    measure(&c, x, k == 2 ? 250 : 120, kinds[k]);
    const limb_calibration_facts f = fit(x);
    check_at("%s, kind %d: %d of %d found, pivots %g and %g, %g -> %g, %g -> %g", robots[_i], k, f.found, f.parameters,
             f.kept, f.dropped, f.before[0].largest, f.after[0].largest, f.before[1].largest, f.after[1].largest);
    assert_that(f.before[0].largest > 1e-2 && f.after[0].largest < 1e-9 && f.after[1].largest < 1e-8);
    assert_that(f.found < f.parameters && f.kept > 1e-5 && f.dropped < 1e-8);
    check_applied(&c, x, k == 2 ? 1 : 1e-7); // distances do not fix where everything is turned to
    limb_calibration_destroy(x);
    cell_end(&c);
  }
}
END_TEST

// Four parameters per revolute joint, two per prismatic one, six of the target; a target that is known lacks the four
// by which it can stand elsewhere beside the last axis.
START_TEST(as_many_as_theory_has)
{
  if (_i > 3) return;
  cell c = cell_make(_i % 2 ? "stanford" : "ur5", 1, 0);
  limb_calibration_options o = limb_default_calibration_options(c.frame);
  o.unknown = _i < 2 ? LIMB_UNKNOWN_TARGET : 0;
  limb_calibration* x = create(&c, o);
  measure(&c, x, 60, LIMB_MEASURE_POSITION | LIMB_MEASURE_ROTATION);
  const int found = fit(x).found;
  check_at("found %d", found);
  assert_that(found == (_i % 2 ? 4 * 5 + 2 : 4 * 6) + (_i < 2 ? 6 : 2));
  limb_calibration_destroy(x);
  cell_end(&c);
}
END_TEST

// ---- noise ------------------------------------------------------------------------------------------------

START_TEST(standard_deviations_are_honest)
{
  if (_i) return;
  const int draws = CHECK_EFFORT(1, 4, 100);
  int inside = 0, all = 0;
  double before = 0, after = 0;
  for (int k = 0; k < draws; k++) {
    cell c = cell_make("ur5", 0, 2e-4); // the model is right: all changes are errors
    limb_calibration* x = create(&c, limb_default_calibration_options(c.frame));
    c.seed = 50 + (uint64_t)k;
    measure(&c, x, 60, LIMB_MEASURE_POSITION | LIMB_MEASURE_ROTATION);
    const limb_calibration_facts f = fit(x);
    before += f.before[1].position, after += f.after[1].position;
    limb_calibration_parameter p;
    for (int i = 0; limb_calibration_get_parameter(x, i, &p) == LIMB_OK; i++)
      if (p.found) inside += fabs(p.change) < 1.96 * p.std, all++;
    limb_calibration_destroy(x);
    cell_end(&c);
  }
  check_at("%.1f %% of %d intervals hold", 100.0 * inside / all, all);
  assert_that(inside > (draws < 100 ? 0.85 : 0.93) * all && (draws < 100 || inside < 0.97 * all));
  assert_that(after < 2 * before);
}
END_TEST

START_TEST(noise_averages_out)
{
  if (_i) return;
  cell c = cell_make("panda", 1, 1e-4);
  c.target = sp_pose_make(sp_identity3(), sp_v3(0.03, -0.02, 0.1));
  limb_calibration_options o = limb_default_calibration_options(c.frame);
  o.unknown = LIMB_UNKNOWN_TARGET;
  limb_calibration* x = create(&c, o);
  measure(&c, x, 150, LIMB_MEASURE_POSITION);
  const limb_calibration_facts f = fit(x);
  check_at("%g m before, %g and %g after", f.before[1].position, f.after[0].position, f.after[1].position);
  assert_that(f.before[1].position > 0.05 && f.after[1].position < 3e-4 && f.after[0].position > 1e-4);
  check_applied(&c, x, 5e-4);
  limb_calibration_destroy(x);
  cell_end(&c);
}
END_TEST

START_TEST(offsets_only)
{
  if (_i) return;
  cell c = cell_make("ur5", 0, 0);
  c.offset[1] = 0.01, c.offset[4] = -0.02;
  limb_calibration_options o = limb_default_calibration_options(c.frame);
  o.offsets_only = 1;
  limb_calibration* x = create(&c, o);
  measure(&c, x, 10, LIMB_MEASURE_POSITION | LIMB_MEASURE_ROTATION);
  limb_calibration_parameter p;
  assert_that(fit(x).found == 6);
  assert_ok(limb_calibration_get_parameter(x, 13, &p));
  assert_close(p.change, 0.01, 0, 1e-9);
  assert_that(strcmp(p.name, "shoulder_lift.offset") == 0 && p.angle);
  assert_ok(limb_calibration_get_parameter(x, 16, &p));
  assert_close(p.change, -0.02, 0, 1e-9);
  check_applied(&c, x, 1e-9);
  limb_calibration_destroy(x);
  cell_end(&c);
}
END_TEST

// ---- bad input --------------------------------------------------------------------------------------------

static bool noted(const limb_calibration* x, const char* word)
{
  const char* note;
  for (int k = 0; (note = limb_calibration_note(x, k)); k++)
    if (strstr(note, word)) return true;
  return false;
}

START_TEST(suspicions_are_named)
{
  if (_i) return;
  cell c = cell_make("ur5", 1, 1e-4);
  limb_calibration_options o = limb_default_calibration_options(c.frame);
  limb_calibration* x = create(&c, o);
  limb_error err = {0};
  double q[DOFS] = {0};
  measure(&c, x, 3, LIMB_MEASURE_POSITION);
  assert_status(limb_calibration_fit(x, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "too few"));
  limb_calibration_destroy(x);
  x = create(&c, o);
  measure(&c, x, 40, LIMB_MEASURE_POSITION | LIMB_MEASURE_ROTATION);
  limb_measurement wrong = {.q = q, .what = LIMB_MEASURE_POSITION, .pose = real_pose(&c, q)};
  wrong.pose.p.x += 0.05;
  assert_ok(limb_calibration_add(x, &wrong, &err));
  measure(&c, x, 20, LIMB_MEASURE_POSITION | LIMB_MEASURE_ROTATION);
  (void)fit(x);
  assert_that(noted(x, "measurement 41 is off"));
  limb_calibration_destroy(x);
  x = create(&c, o);
  for (int i = 0; i < 60; i++) {
    assert_ok(limb_random(c.m, &c.seed, q));
    q[3] = 0.5;
    limb_measurement y = {.q = q, .what = LIMB_MEASURE_POSITION, .pose = real_pose(&c, q)};
    y.pose.p = sp_scale3(1000, y.pose.p);
    assert_ok(limb_calibration_add(x, &y, &err));
  }
  (void)!limb_calibration_fit(x, &err);
  assert_that(noted(x, "in mm?") && noted(x, "'wrist_1' moves by"));
  limb_calibration_destroy(x);
  cell_end(&c);
}
END_TEST

START_TEST(bad_calls_are_refused)
{
  if (_i) return;
  cell c = cell_make("ur5", 0, 0);
  limb_calibration* x = NULL;
  limb_calibration_facts f;
  limb_calibration_parameter p;
  limb_error err = {0};
  double q[DOFS] = {0}, bad[DOFS] = {(double)NAN};
  limb_calibration_options o = limb_default_calibration_options(0);
  assert_status(limb_calibration_create(c.m, &o, &x, &err), LIMB_E_ARG);
  o.frame = 1000;
  assert_status(limb_calibration_create(c.m, &o, &x, &err), LIMB_E_ARG);
  o.frame = c.frame, o.train = 2;
  assert_status(limb_calibration_create(c.m, &o, &x, NULL), LIMB_E_ARG);
  assert_status(limb_calibration_create(c.m, NULL, &x, NULL), LIMB_E_ARG);
  o.train = 0.5;
  x = create(&c, o);
  assert_status(limb_calibration_fit(x, &err), LIMB_E_ARG);
  limb_measurement y = {.q = q, .what = LIMB_MEASURE_ROTATION};
  assert_status(limb_calibration_add(x, &y, &err), LIMB_E_ARG); // no rotation
  y.what = 0;
  assert_status(limb_calibration_add(x, &y, &err), LIMB_E_ARG);
  y.what = LIMB_MEASURE_DISTANCE, y.distance = -1;
  assert_status(limb_calibration_add(x, &y, &err), LIMB_E_ARG);
  y.distance = 1, y.q = bad;
  assert_status(limb_calibration_add(x, &y, &err), LIMB_E_NONFINITE);
  assert_status(limb_calibration_get_facts(x, &f), LIMB_E_ORDER);
  assert_status(limb_calibration_get_parameter(x, 0, &p), LIMB_E_ORDER);
  assert_that(limb_calibration_count(x) == 0 && limb_calibration_count(NULL) == 0);
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  assert_status(limb_calibration_apply(x, b, &err), LIMB_E_ORDER);
  measure(&c, x, 60, LIMB_MEASURE_POSITION | LIMB_MEASURE_ROTATION);
  (void)fit(x);
  assert_status(limb_calibration_apply(x, b, &err), LIMB_E_ARG);
  assert_status(limb_calibration_fit(x, &err), LIMB_E_ORDER);
  y.q = q;
  assert_status(limb_calibration_add(x, &y, &err), LIMB_E_ORDER);
  limb_builder_destroy(b);
  limb_calibration_destroy(NULL), limb_calibration_destroy(x);
  cell_end(&c);
}
END_TEST

CHECK_MAIN("calibrate", ROBOTS, robots_come_back, as_many_as_theory_has, standard_deviations_are_honest,
           noise_averages_out, offsets_only, suspicions_are_named, bad_calls_are_refused)
