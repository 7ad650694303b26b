// Identification of robots that are more than arms: free bases with force plates, balls, closed loops, shafts, springs,
// mimic joints; known loads, motors whose gain is unknown, torques that are not measured.
#include "support/check.h"

#include "limb/assemble.h"
#include "limb/edit.h"
#include "limb/ident.h"
#include "limb/limb.h"
#include "limb/read.h"

#include "base/numeric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOFS = 40, SINES = 4 };

typedef struct plant {
  limb_model* m;
  limb_data* d;
  limb_completion* c; // of a robot with loops
  int nq, nv;
  double size[DOFS][SINES], phase[DOFS][SINES];
  unsigned char given_q[DOFS], given[DOFS];
  limb_environment env;
  double start[DOFS], q[DOFS], v[DOFS], a[DOFS], tau[DOFS];
  limb_wrench plate;
} plant;

static plant plant_make(const char* name, double amplitude)
{
  plant p = {0};
  limb_error err = {0};
  uint64_t seed = 11;
  assert_status(limb_load(name, NULL, &p.m, &err), LIMB_OK);
  assert_ok(limb_data_create(p.m, NULL, &p.d));
  p.nq = limb_nq(p.m), p.nv = limb_nv(p.m);
  p.env = limb_default_environment(p.m);
  p.env.friction = 0; // which has kinks, that a filter rounds
  assert_that(p.nq < DOFS);
  for (int j = 0; j < p.nv; j++) {
    for (int h = 0; h < SINES; h++) {
      p.size[j][h] = amplitude * limb_random_sign(&seed) / (1 + h);
      p.phase[j][h] = 3 * limb_random_sign(&seed);
    }
  }
  assert_ok(limb_neutral(p.m, p.start));
  for (int j = 0; j < limb_joint_count(p.m); j++) {
    limb_joint_info joint;
    assert_ok(limb_get_joint(p.m, j, &joint));
    for (int k = 0; k < joint.nv; k++) p.given[joint.v + k] = !joint.passive;
    for (int k = 0; k < joint.nq; k++) p.given_q[joint.q + k] = !joint.passive;
    if (joint.nv == 1) p.start[joint.q] = joint.def.start;
  }
  if (limb_loop_count(p.m) == 0) return p;
  limb_completion_options o = limb_default_completion_options();
  o.given_q = p.given_q, o.given_v = o.given_a = p.given;
  assert_status(limb_completion_create(p.m, &o, NULL, &p.c, &err), LIMB_OK);
  return p;
}

static void plant_end(plant* p)
{
  limb_completion_destroy(p->c);
  limb_data_destroy(p->d);
  limb_model_destroy(p->m);
}

// q = start (+) s(t), with sines s.
static void place(const plant* p, double t, double* q)
{
  double s[DOFS];
  for (int j = 0; j < p->nv; j++) {
    s[j] = 0;
    for (int h = 0; h < SINES; h++) s[j] += p->size[j][h] * sin((0.7 + 0.6 * h) * t + p->phase[j][h]);
  }
  assert_ok(limb_integrate(p->m, p->start, s, 1, q));
}

// State and torques at a time. A free base stands on a force plate, which takes what its six torques would be.
static void plant_at(plant* p, double t)
{
  const double h = 1e-3;
  double other[DOFS], before[DOFS], after[DOFS];
  limb_error err = {0};
  place(p, t, p->q);
  place(p, t - h, other), assert_ok(limb_difference(p->m, other, p->q, before));
  place(p, t + h, other), assert_ok(limb_difference(p->m, p->q, other, after));
  for (int j = 0; j < p->nv; j++) p->v[j] = (after[j] + before[j]) / (2 * h), p->a[j] = (after[j] - before[j]) / h / h;
  if (p->c) assert_status(limb_complete_state(p->c, 0, p->q, p->v, p->a, &err), LIMB_OK);
  assert_ok(limb_inverse_dynamics(p->d, p->q, p->v, p->a, &p->env, p->tau));
}

static void log_plant(plant* p, limb_ident* x, double seconds, bool measured)
{
  limb_error err = {0};
  limb_joint_info base;
  assert_ok(limb_get_joint(p->m, 0, &base));
  const bool stands = base.nv == 6;
  for (int i = 0; i < seconds * 100; i++) {
    plant_at(p, i / 100.0);
    limb_ident_sample sample = {
      .time = i / 100.0, .q = p->q, .v = measured ? p->v : NULL, .tau = p->tau, .nwrench = stands, .wrench = &p->plate};
    const double* f = p->tau + base.v;
    p->plate = (limb_wrench){.frame = base.def.child, .ref = LIMB_BODY};
    if (stands) p->plate.wrench = (sp_force){{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
    for (int k = 0; k < 6 && stands; k++) p->tau[base.v + k] = 0;
    if (i % 3 == 1) // the same rotation
      for (int k = 0; k < 4 && stands; k++) p->q[base.q + 3 + k] *= -1;
    assert_status(limb_ident_add(x, &sample, &err), LIMB_OK);
  }
  assert_ok(limb_ident_end_log(x, NULL));
}

static double relative_error(const limb_ident* x, limb_ident_part part)
{
  limb_ident_residual r;
  assert_ok(limb_ident_get_residual(x, -1, part, &r));
  return r.rms / r.torque;
}

static void check_parameters(const limb_ident* x, double tolerance)
{
  limb_ident_parameter p;
  for (int k = 0; limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++) {
    check_at("%s is %g +- %g, not %g", p.name, p.value, p.std, p.model);
    assert_that(fabs(p.value - p.model) < tolerance * (1 + fabs(p.model)) + 6 * p.std);
    assert_that((p.verdict == LIMB_IDENT_HIDDEN) == (*p.why != '\0'));
  }
}

// The elastic2r has a spring in its joint, the series_elastic_arm motors behind shafts, the hand mimic joints, the
// delta and the five-bar loops; the others stand on a force plate.
static const struct {
  const char* name;
  double amplitude, tolerance;
  bool springs;
} robots[] = {
  {"five_bar", 0.25, 0.02, false},          {"delta", 0.2, 0.03, false},
  {"gripper", 0.005, 0.05, false},          {"elastic2r", 1.2, 0.02, true},
  {"series_elastic_arm", 0.5, 0.02, false}, {"hand", 0.2, 0.02, false},
  {"space_arm", 0.5, 0.02, false},          {"quadruped", 0.3, 0.03, false},
};

enum { ROBOTS = sizeof robots / sizeof *robots };

START_TEST(parameters_come_back)
{
  if (_i >= ROBOTS) return;
  plant p = plant_make(robots[_i].name, robots[_i].amplitude);
  limb_ident_options o = limb_default_ident_options();
  o.env = &p.env;
  o.exclude = robots[_i].springs ? 0 : LIMB_BASE_NO_SPRINGS;
  for (int measured = 0; measured < 2; measured++) {
    if (measured != _i % 2 && CHECK_EFFORT(1, 0, 0)) continue;
    limb_ident* x = NULL;
    limb_error err = {0};
    check_at("%s, velocities %s", robots[_i].name, measured ? "measured" : "derived");
    assert_ok(limb_ident_create(p.m, &o, &x));
    log_plant(&p, x, p.nv > 9 ? 12 : 25, measured);
    assert_status(limb_ident_fit(x, &err), LIMB_OK);
    check_at("%s, velocities %s: error %g", robots[_i].name, measured ? "measured" : "derived",
             relative_error(x, LIMB_IDENT_VALIDATION));
    assert_that(relative_error(x, LIMB_IDENT_VALIDATION) < 5e-3);
    check_parameters(x, robots[_i].tolerance);
    limb_ident_destroy(x);
  }
  plant_end(&p);
}
END_TEST

// ---- loads, currents, torques that are missing -----------------------------------------------------------------

static double value_of(const limb_ident* x, const char* name)
{
  limb_ident_parameter p;
  for (int k = 0; limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++)
    if (strcmp(p.name, name) == 0) return p.value;
  return (double)NAN;
}

// The same motion with and without 3 kg in the hand; torques as currents.
START_TEST(gains_follow_from_a_load)
{
  if (_i > 1) return;
  static const double gain[6] = {12, 11, 8, 5, 4, 3};
  static const unsigned char source[6] = {1, 1, 1, 1, 1, 1};
  const sp_pose pose = sp_pose_make(sp_identity3(), sp_v3(0, 0.02, 0.1));
  const sp_inertia load = limb_inertia_point(3, sp_v3(0, 0, 0));
  plant p = plant_make("ur5", 0.8);
  limb_ident_options o = limb_default_ident_options();
  limb_builder* b = NULL;
  limb_data* loaded = NULL;
  limb_model* m = NULL;
  limb_ident* x = NULL;
  limb_error err = {0};
  o.env = &p.env, o.source = source, o.method = _i ? LIMB_IDENT_TOTAL : LIMB_IDENT_WEIGHTED;
  assert_ok(limb_builder_from_model(p.m, NULL, &b));
  assert_ok(limb_builder_add_payload(b, "load", "link6", &pose, &load, &err));
  assert_ok(limb_builder_build(b, &m, &err));
  assert_ok(limb_data_create(m, NULL, &loaded));
  assert_status(limb_ident_create(p.m, &o, &x), LIMB_OK);
  for (int log = 0; log < 2; log++) {
    assert_status(limb_ident_set_load(x, log ? "link6" : NULL, &pose, &load, &err), LIMB_OK);
    for (int i = 0; i < 2500; i++) {
      plant_at(&p, i / 100.0 + 30 * log);
      if (log) assert_ok(limb_inverse_dynamics(loaded, p.q, p.v, p.a, &p.env, p.tau));
      for (int j = 0; j < 6; j++) p.tau[j] /= gain[j];
      const limb_ident_sample sample = {
        .time = i / 100.0, .q = p.q, .v = p.v, .tau = p.tau, .reference = NULL, .nwrench = 0, .wrench = NULL};
      assert_status(limb_ident_add(x, &sample, &err), LIMB_OK);
    }
    assert_status(limb_ident_set_load(x, NULL, NULL, NULL, NULL), LIMB_E_ORDER); // in the middle of a log
    assert_ok(limb_ident_end_log(x, NULL));
  }
  assert_status(limb_ident_fit(x, &err), LIMB_OK);
  for (int j = 0; j < 6; j++) {
    static const char* const joint[] = {"shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"};
    char name[64];
    (void)snprintf(name, sizeof name, "%s.gain", joint[j]);
    check_at("%s", name);
    assert_close(value_of(x, name), gain[j], 1e-2, 0);
  }
  assert_that(relative_error(x, LIMB_IDENT_VALIDATION) < 5e-3);
  limb_ident_destroy(x);
  limb_data_destroy(loaded);
  limb_model_destroy(m);
  limb_builder_destroy(b);
  plant_end(&p);
}
END_TEST

START_TEST(unmeasured_torques_do_not_count)
{
  if (_i) return;
  static const unsigned char source[6] = {0, 0, LIMB_IDENT_UNMEASURED, 0, 0, 0};
  plant p = plant_make("ur5", 0.8);
  limb_ident_options o = limb_default_ident_options();
  limb_ident* x = NULL;
  limb_ident_residual r;
  o.env = &p.env, o.source = source;
  assert_ok(limb_ident_create(p.m, &o, &x));
  for (int i = 0; i < 2500; i++) {
    plant_at(&p, i / 100.0);
    p.tau[2] = 1e6;
    const limb_ident_sample sample = {
      .time = i / 100.0, .q = p.q, .v = p.v, .tau = p.tau, .reference = NULL, .nwrench = 0, .wrench = NULL};
    assert_ok(limb_ident_add(x, &sample, NULL));
  }
  assert_ok(limb_ident_fit(x, NULL));
  assert_ok(limb_ident_get_residual(x, 2, LIMB_IDENT_FITTED, &r));
  assert_that(r.rows == 0);
  check_parameters(x, 0.03);
  limb_ident_destroy(x);
  plant_end(&p);
}
END_TEST

// ---- noise in the motion --------------------------------------------------------------------------------------

static double noise(uint64_t* seed)
{
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += limb_random_sign(seed) / 2;
  return sum;
}

// The largest error of a parameter, in its own standard deviations where these are larger than the tolerance.
static double worst(plant* p, limb_ident_method method, bool reference)
{
  limb_ident_options o = limb_default_ident_options();
  limb_ident* x = NULL;
  limb_ident_parameter k;
  uint64_t seed = 5;
  double q[DOFS], worst = 0;
  o.env = &p->env, o.method = method, o.cutoff = 10;
  assert_ok(limb_ident_create(p->m, &o, &x));
  for (int i = 0; i < 4000; i++) {
    plant_at(p, i / 100.0);
    memcpy(q, p->q, sizeof q);
    for (int j = 0; j < p->nv; j++) p->q[j] += 5e-4 * noise(&seed), p->tau[j] += 0.1 * noise(&seed);
    const limb_ident_sample sample = {.time = i / 100.0,
                                      .q = p->q,
                                      .v = NULL,
                                      .tau = p->tau,
                                      .reference = reference ? q : NULL,
                                      .nwrench = 0,
                                      .wrench = NULL};
    assert_ok(limb_ident_add(x, &sample, NULL));
  }
  assert_ok(limb_ident_fit(x, NULL));
  for (int i = 0; limb_ident_get_parameter(x, i, &k) == LIMB_OK; i++)
    worst = fmax(worst, fabs(k.value - k.model) / (0.05 + fabs(k.model)));
  limb_ident_destroy(x);
  return worst;
}

START_TEST(instruments_remove_the_bias)
{
  if (_i) return;
  plant p = plant_make("planar_2r", 1.2);
  const double least_squares = worst(&p, LIMB_IDENT_WEIGHTED, false);
  const double instruments = worst(&p, LIMB_IDENT_INSTRUMENTAL, true), own = worst(&p, LIMB_IDENT_INSTRUMENTAL, false);
  check_at("least squares %g, instruments %g, from the log itself %g", least_squares, instruments, own);
  assert_that(instruments < 0.01 * least_squares && own < 0.01 * least_squares);
  plant_end(&p);
}
END_TEST

// ---- standard deviations --------------------------------------------------------------------------------------

// Samples of the five-bar without noise: q, v, tau.
static double* record(plant* p, int samples)
{
  const int width = p->nq + 2 * p->nv;
  double* x = malloc((size_t)(samples * width) * sizeof *x);
  for (int i = 0; i < samples; i++) {
    double* row = x + (size_t)(i * width);
    plant_at(p, i / 100.0);
    memcpy(row, p->q, (size_t)p->nq * sizeof *row), memcpy(row + p->nq, p->v, (size_t)p->nv * sizeof *row);
    memcpy(row + p->nq + p->nv, p->tau, (size_t)p->nv * sizeof *row);
  }
  return x;
}

// Shares of 95 % intervals that hold, and physical fits that are physical, of a robot with loops; all robots are in
// bench/identify.c.
START_TEST(intervals_of_loops_hold)
{
  if (_i) return;
  const int draws = CHECK_EFFORT(4, 8, 100), samples = 2500;
  plant p = plant_make("five_bar", 0.25);
  double* x = record(&p, samples);
  int inside = 0, all = 0;
  for (int draw = 0; draw < draws; draw++) {
    limb_ident_options o = limb_default_ident_options();
    limb_ident* found = NULL;
    limb_ident_parameter k;
    uint64_t seed = limb_mixed_bits(7 + (uint64_t)draw);
    o.env = &p.env;
    assert_ok(limb_ident_create(p.m, &o, &found));
    for (int i = 0; i < samples; i++) {
      const double* q = x + (size_t)(i * (p.nq + 2 * p.nv));
      for (int j = 0; j < p.nv; j++) p.tau[j] = q[p.nq + p.nv + j] + 0.05 * noise(&seed);
      const limb_ident_sample sample = {
        .time = i / 100.0, .q = q, .v = q + p.nq, .tau = p.tau, .reference = NULL, .nwrench = 0, .wrench = NULL};
      assert_ok(limb_ident_add(found, &sample, NULL));
    }
    assert_ok(limb_ident_fit(found, NULL));
    for (int i = 0; limb_ident_get_parameter(found, i, &k) == LIMB_OK; i++)
      if (k.verdict != LIMB_IDENT_HIDDEN) inside += fabs(k.value - k.model) < 1.96 * k.std, all++;
    assert_ok(limb_ident_fit_physical(found, 1, NULL));
    for (int i = 0; i < limb_inertial_parameter_count(p.m); i += LIMB_BODY_PARAMETERS) {
      const sp_inertia Y = limb_inertia_from_parameters(limb_ident_theta(found) + i);
      assert_that(Y.mass == 0 || !limb_inertia_defect(&Y));
    }
    limb_ident_destroy(found);
  }
  check_at("%d of %d intervals hold", inside, all);
  assert_that(inside > (draws < 100 ? 0.85 : 0.93) * all && (draws < 100 || inside < 0.97 * all));
  free(x);
  plant_end(&p);
}
END_TEST

CHECK_MAIN("ident_robots", ROBOTS, parameters_come_back, gains_follow_from_a_load, unmeasured_torques_do_not_count,
           instruments_remove_the_bias, intervals_of_loops_hold)
