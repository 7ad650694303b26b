// A robot with a loop of every kind, and the comparison of loops, for writers.
#ifndef LIMB_TEST_LOOPED_H
#define LIMB_TEST_LOOPED_H

#include "limb/builder.h"

#include "support/check.h"
#include "support/rng.h"

#include <stdio.h>
#include <string.h>

// A closure or relation of that kind between the last body and the world, with all that it can have.
static inline limb_loop_def random_loop(rng* r, const limb_builder* b, limb_loop_kind kind, const char* name)
{
  const int joints = kind == LIMB_LOOP_GEAR || kind == LIMB_LOOP_POLYNOMIAL;
  const int last = limb_builder_body_count(b) - 1;
  limb_loop_def def = limb_default_loop_def(name, kind, joints ? 0 : last, 0);
  if (joints) {
    def.joint = 1;
    def.other = 0;
    def.coefficient[0] = rng_uniform(r, -1, 1);
    def.coefficient[1] = rng_uniform(r, 1, 2);
    if (kind == LIMB_LOOP_POLYNOMIAL) def.coefficient[3] = rng_uniform(r, -1, 1);
  } else {
    def.pose_a = rng_pose(r, 1);
    def.pose_b = rng_pose(r, 1);
  }
  if (kind == LIMB_LOOP_LOCK) def.locked = LIMB_TURN_Y | LIMB_MOVE_X | LIMB_MOVE_Z;
  if (kind == LIMB_LOOP_DISTANCE) def.length = rng_uniform(r, 0.1, 1);
  if (kind == LIMB_LOOP_WHEEL || kind == LIMB_LOOP_ROLLING_DISC) def.radius = rng_uniform(r, 0.1, 1);
  const int rows = kind == LIMB_LOOP_LOCK ? 3 : limb_loop_kind_constraints(kind);
  def.motion.constraint = rows - 1;
  def.motion.rate = rng_uniform(r, -1, 1);
  def.motion.amplitude = rng_uniform(r, -1, 1);
  def.motion.frequency = rng_uniform(r, 0, 2);
  def.motion.phase = rng_uniform(r, -3, 3);
  return def;
}

// Three bodies on the world, one after the other, joints that start somewhere, and a loop of every kind.
static inline limb_builder* looped_arm(uint64_t seed)
{
  rng r = {seed};
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  static const limb_joint_type types[] = {LIMB_REVOLUTE, LIMB_PRISMATIC, LIMB_HELICAL};
  for (int i = 0; i < 3; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "part%d", i + 1);
    limb_body_def body = limb_default_body_def(name);
    body.inertia = limb_inertia_point(1, sp_v3(0, 0, 0.5));
    limb_joint_def joint = limb_default_joint_def(name, types[i], i, i + 1);
    joint.placement.p = sp_v3(0.1, 0, 0.2);
    joint.start = rng_uniform(&r, -1, 1);
    if (types[i] == LIMB_HELICAL) joint.pitch = 0.1;
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  }
  for (int kind = 0; limb_loop_kind_name((limb_loop_kind)kind); kind++) {
    const char* word = limb_loop_kind_name((limb_loop_kind)kind);
    const limb_loop_def def = random_loop(&r, b, (limb_loop_kind)kind, word);
    limb_error err = {0};
    check_at("%s: %s", word, err.text);
    assert_ok(limb_builder_add_loop(b, &def, NULL, &err));
  }
  return b;
}

// The same loops, in the same order: all numbers to the same bits, but for rotations.
static inline void assert_same_loops(const limb_builder* a, const limb_builder* b, double rotations)
{
  ck_assert_int_eq(limb_builder_loop_count(a), limb_builder_loop_count(b));
  for (int i = 0; i < limb_builder_loop_count(a); i++) {
    limb_loop_def x, y;
    assert_ok(limb_builder_get_loop(a, i, &x));
    assert_ok(limb_builder_get_loop(b, i, &y));
    check_at("loop %s", x.name);
    ck_assert_str_eq(x.name, y.name);
    assert_that(x.kind == y.kind && x.body_a == y.body_a && x.body_b == y.body_b);
    assert_close_pose(y.pose_a, x.pose_a, rotations, 0);
    assert_close_pose(y.pose_b, x.pose_b, rotations, 0);
    assert_that(x.locked == y.locked && x.length == y.length && x.radius == y.radius);
    assert_that(x.joint == y.joint && x.other == y.other);
    for (int k = 0; k < LIMB_LOOP_COEFFICIENTS; k++) assert_that(x.coefficient[k] == y.coefficient[k]);
    assert_that(x.motion.constraint == y.motion.constraint && x.motion.constant == y.motion.constant);
    assert_that(x.motion.rate == y.motion.rate && x.motion.amplitude == y.motion.amplitude);
    assert_that(x.motion.frequency == y.motion.frequency && x.motion.phase == y.motion.phase);
  }
}

#endif
