// Identification of robots that are more than arms: free bases with force plates, balls, closed loops, shafts, springs,
// mimic joints; known loads, motors whose gain is unknown, torques that are not measured.
#include "support/check.h"

#include "limb/assemble.h"
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
    limb_ident* x = NULL;
    limb_error err = {0};
    check_at("%s, velocities %s", robots[_i].name, measured ? "measured" : "derived");
    assert_ok(limb_ident_create(p.m, &o, &x));
    log_plant(&p, x, 25, measured);
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

CHECK_MAIN("ident_robots", ROBOTS, parameters_come_back)
