// A robot whose joints matter to loops, and loops that it may have.
#ifndef LIMB_TEST_LOOP_ROBOT_H
#define LIMB_TEST_LOOP_ROBOT_H

#include "model/builder_impl.h"
#include "support/check.h"
#include "support/robots_impl.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = LIMB_LOOP_ROLLING_DISC + 1 };

// Bodies and joints of the robot below.
enum { WORLD, CRANK, SLIDE, TIP, BALL, FOLLOWER, PLATE, SECOND, SCREW, FLOAT };
enum { CRANK_J, SLIDE_J, TIP_J, BALL_J, FOLLOWER_J, PLATE_J, SECOND_J, SCREW_J, FLOAT_J };

static inline int follower(limb_builder* b, const char* name, int leader, double multiplier, double offset)
{
  const int body = fixture_body(b, name, limb_inertia_box(1, 1, 2, 3));
  limb_joint_def def = limb_default_joint_def(name, LIMB_REVOLUTE, BALL, body);
  def.mimic = leader, def.multiplier = multiplier, def.offset = offset;
  return fixture_joint(b, &def);
}

// Every kind of joint that matters to a loop: crank - slide - tip (fixed), a ball with two followers of the
// crank, a plate fixed to the world, a screw, a free body.
static inline limb_builder* robot_of_joints(void)
{
  limb_builder* b = fixture_begin("loops");
  const sp_inertia Y = limb_inertia_box(1, 1, 2, 3);
  const sp_vec3 axis = {1, 2, 2};
  const sp_pose at = {sp_rot_rpy(0.4, -0.3, 1.1), {1, -2, 0.5}};
  (void)fixture_link(b, "crank", LIMB_REVOLUTE, WORLD, at, axis, Y);
  (void)fixture_link(b, "slide", LIMB_PRISMATIC, CRANK, at, axis, Y);
  (void)fixture_link(b, "tip", LIMB_FIXED, SLIDE, at, axis, Y);
  (void)fixture_link(b, "ball", LIMB_SPHERICAL, WORLD, at, axis, Y);
  (void)follower(b, "follower", CRANK_J, -2, 0.3);
  (void)fixture_link(b, "plate", LIMB_FIXED, WORLD, at, axis, Y);
  (void)follower(b, "second", FOLLOWER_J, 0.5, 0.1);
  (void)fixture_link(b, "screw", LIMB_HELICAL, CRANK, at, axis, Y);
  assert_that(fixture_link(b, "float", LIMB_FREE, WORLD, at, axis, Y) == FLOAT);
  assert_that(limb_builder_joint_count(b) == FLOAT_J + 1);
  return b;
}

static inline bool is_relation(limb_loop_kind kind) { return kind == LIMB_LOOP_GEAR || kind == LIMB_LOOP_POLYNOMIAL; }

// A loop "l" of this kind that the builder takes.
static inline limb_loop_def good(limb_loop_kind kind)
{
  limb_loop_def def = limb_default_loop_def("l", kind, TIP, BALL);
  if (kind == LIMB_LOOP_LOCK) def.locked = LIMB_TURN_X | LIMB_MOVE_Z;
  if (kind == LIMB_LOOP_DISTANCE) def.length = 0.5;
  if (kind == LIMB_LOOP_WHEEL || kind == LIMB_LOOP_ROLLING_DISC) def.radius = 0.1;
  if (is_relation(kind)) {
    def.joint = SLIDE_J, def.other = CRANK_J;
    def.coefficient[1] = -1;
    return def;
  }
  def.pose_a = (sp_pose){sp_rot_rpy(0.1, 0.2, 0.3), {0.1, 0.2, 0.3}};
  def.pose_b = (sp_pose){sp_rot_rpy(-2, 0.5, 1), {-1, 0.7, 0.2}};
  return def;
}

#endif
