// Inverse kinematics: targets that cannot be reached, and arguments that are refused.
#include "limb/ik.h"

#include "support/budget.h"
#include "support/check.h"
#include "support/robots.h"
#include "support/robots_impl.h"

#include <string.h>

static limb_ik* position_of_tip(limb_model* m, const limb_ik_options* o)
{
  limb_ik_goal goal = limb_default_ik_goal(limb_frame_count(m) - 1);
  limb_ik* ik;
  goal.task.directions = LIMB_LINEAR;
  assert_ok(limb_ik_create(m, 1, &goal, o, NULL, &ik));
  return ik;
}

static sp_pose at(double x, double y) { return sp_pose_make(sp_identity3(), sp_v3(x, y, 0)); }

// Two hinges about z, lengths 1 and `length`; limits of the second one.
static limb_model* make_arm(double length, double q_min, double q_max)
{
  limb_builder* b = fixture_begin("arm");
  const sp_inertia mass = limb_inertia_point(1, sp_v3(0, 0, 0));
  const int upper = fixture_link(b, "upper", LIMB_REVOLUTE, 0, fixture_at(0, 0, 0), sp_v3(0, 0, 1), mass);
  int lower;
  limb_body_def body = limb_default_body_def("lower");
  body.inertia = mass;
  assert_ok(limb_builder_add_body(b, &body, &lower, NULL));
  limb_joint_def elbow = limb_default_joint_def("elbow", LIMB_REVOLUTE, upper, lower);
  elbow.placement = fixture_at(1, 0, 0);
  elbow.q_min = q_min, elbow.q_max = q_max;
  (void)fixture_joint(b, &elbow);
  fixture_frame(b, "tip", lower, fixture_at(length, 0, 0));
  return fixture_end(b);
}

// Of an arm with lengths 1 and 0.8: beyond 1.8, and within 0.2, in closed form.
START_TEST(out_of_reach)
{
  limb_model* m = make_arm(0.8, -(double)INFINITY, (double)INFINITY);
  limb_ik* ik = position_of_tip(m, NULL);
  static const double distance[] = {1.8 + 1e-3, 2, 5, 0.15, 0.01}, apart[] = {1e-3, 0.2, 3.2, 0.05, 0.19};
  for (int k = 0; k < 5; k++) {
    limb_ik_report report;
    limb_ik_result x;
    double q[2];
    const double c = cos(0.7 + k), s = sin(0.7 + k), reach = distance[k] > 1 ? 1.8 : 0.2;
    const sp_pose target = at(distance[k] * c, distance[k] * s);
    check_at("distance %g", distance[k]);
    assert_status(limb_ik_solve(ik, &target, NULL, q, &report), LIMB_E_NOCONV);
    assert_that(report.reason == LIMB_IK_OUT_OF_REACH);
    assert_close(report.position, apart[k], 0, 1e-8);
    assert_ok(limb_ik_get_result(ik, 0, &x));
    assert_close_vec3(x.pose.p, sp_v3(reach * c, reach * s, 0), 0, 1e-5);
    assert_close(x.position, report.position, 0, 1e-12);
    assert_that(limb_ik_limits(ik)[0] == 0 && limb_ik_limits(ik)[1] == 0);
  }
  // At the very end of the reach there is one solution, a singular one.
  double q[2];
  limb_ik_report report;
  const sp_pose edge = at(1.8, 0);
  (void)!limb_ik_solve(ik, &edge, NULL, q, &report);
  assert_that(report.position < 1e-8);
  limb_ik_destroy(ik);
  limb_model_destroy(m);
}
END_TEST

// The elbow bends no further than 1: the tip stays 2 cos(1/2) from the shoulder.
START_TEST(limits)
{
  limb_model* m = make_arm(1, -0.5, 1);
  limb_ik* ik = position_of_tip(m, NULL);
  limb_ik_report report;
  double q[2];
  const sp_pose close_by = at(0.6, 0.8), far_off = at(3, 4);
  assert_status(limb_ik_solve(ik, &close_by, NULL, q, &report), LIMB_E_NOCONV);
  assert_that(report.reason == LIMB_IK_LIMITS);
  assert_close(report.position, 2 * cos(0.5) - 1, 0, 1e-9);
  assert_close(q[1], 1, 0, 0);
  assert_that(limb_ik_limits(ik)[0] == 0 && limb_ik_limits(ik)[1] == 1);
  assert_status(limb_ik_solve(ik, &far_off, NULL, q, &report), LIMB_E_NOCONV);
  assert_that(report.reason == LIMB_IK_OUT_OF_REACH);
  assert_close(report.position, 3, 0, 1e-8);
  limb_ik_destroy(ik);
  limb_ik_options o = limb_default_ik_options();
  o.ignore_limits = 1;
  ik = position_of_tip(m, &o);
  assert_ok(limb_ik_solve(ik, &close_by, NULL, q, &report));
  assert_that(fabs(q[1]) > 1);
  limb_ik_destroy(ik);
  limb_model_destroy(m);
}
END_TEST

// A straight arm cannot move towards its shoulder.
START_TEST(singular)
{
  limb_model* m = make_arm(0.8, -(double)INFINITY, (double)INFINITY);
  limb_ik_options o = limb_default_ik_options();
  o.restarts = 0;
  limb_ik* ik = position_of_tip(m, &o);
  limb_ik_report report;
  limb_ik_result x;
  double q[2] = {0, 0};
  const sp_pose target = at(1.2, 0);
  assert_status(limb_ik_solve(ik, &target, q, q, &report), LIMB_E_NOCONV);
  assert_that(report.reason == LIMB_IK_SINGULAR);
  assert_ok(limb_ik_get_result(ik, 0, &x));
  assert_close_vec3(x.error.v, sp_v3(-0.6, 0, 0), 0, 1e-12);
  limb_ik_destroy(ik);
  o.restarts = 5;
  ik = position_of_tip(m, &o);
  assert_ok(limb_ik_solve(ik, &target, q, q, &report));
  assert_that(report.starts > 1);
  limb_ik_destroy(ik);
  limb_model_destroy(m);
}
END_TEST

// Held joints do not move.
START_TEST(held_joints)
{
  limb_model* m = robot_find("panda")->make();
  const unsigned char held[7] = {0, 0, 1, 0, 0, 0, 0};
  const limb_ik_goal goal = limb_default_ik_goal(limb_find_frame(m, "flange"));
  limb_ik_options o = limb_default_ik_options();
  limb_data* d;
  limb_ik* ik;
  sp_pose target;
  double q[7] = {0.1, 0.5, 0.4, -1.5, 0.3, 1.4, 0.2}, start[7] = {0, 0, 0.4, -1, 0, 1, 0};
  o.held = held;
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_kinematics(d, q, NULL, NULL));
  assert_ok(limb_frame_pose(d, goal.task.frame, &target));
  assert_ok(limb_ik_create(m, 1, &goal, &o, NULL, &ik));
  assert_ok(limb_ik_solve(ik, &target, start, q, NULL));
  assert_close(q[2], 0.4, 0, 0);
  limb_ik_destroy(ik);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

START_TEST(refused)
{
  limb_model* m = robot_find("quadruped")->make();
  const limb_ik_goal good = limb_default_ik_goal(1);
  limb_ik_goal bad[7] = {good, good, good, good, good, good, good};
  limb_ik_options o = limb_default_ik_options();
  limb_ik* ik;
  bad[0].task.frame = -1, bad[1].task.frame = limb_frame_count(m), bad[2].task.directions = 0;
  bad[3].task.directions = 64, bad[4].task.ref = (limb_ref)3, bad[5].angular = 0, bad[6].linear = -1;
  for (int k = 0; k < 7; k++) assert_status(limb_ik_create(m, 1, &bad[k], NULL, NULL, &ik), LIMB_E_ARG);
  bad[0] = good, bad[0].linear = (double)NAN;
  assert_status(limb_ik_create(m, 1, &bad[0], NULL, NULL, &ik), LIMB_E_NONFINITE);
  assert_status(limb_ik_create(NULL, 1, &good, NULL, NULL, &ik), LIMB_E_ARG);
  assert_status(limb_ik_create(m, 0, &good, NULL, NULL, &ik), LIMB_E_ARG);
  assert_status(limb_ik_create(m, 1, NULL, NULL, NULL, &ik), LIMB_E_ARG);
  assert_status(limb_ik_create(m, 1, &good, NULL, NULL, NULL), LIMB_E_ARG);
  o.tolerance = 0;
  assert_status(limb_ik_create(m, 1, &good, &o, NULL, &ik), LIMB_E_ARG);
  o = limb_default_ik_options(), o.restarts = -1;
  assert_status(limb_ik_create(m, 1, &good, &o, NULL, &ik), LIMB_E_ARG);
  unsigned char held[64] = {1}; // a part of the free base
  o = limb_default_ik_options(), o.held = held;
  assert_status(limb_ik_create(m, 1, &good, &o, NULL, &ik), LIMB_E_ARG);
  budget none = {.left = 0};
  const limb_allocator alloc = {budget_alloc, budget_free, &none};
  assert_status(limb_ik_create(m, 1, &good, NULL, &alloc, &ik), LIMB_E_NOMEM);
  limb_ik_destroy(NULL);
  limb_model_destroy(m);
}
END_TEST

START_TEST(refused_targets)
{
  limb_model* m = robot_find("quadruped")->make();
  const limb_ik_goal good = limb_default_ik_goal(1);
  limb_ik* ik;
  limb_ik_result x;
  double q[64] = {0}, start[64];
  sp_pose target = sp_pose_identity();
  assert_ok(limb_ik_create(m, 1, &good, NULL, NULL, &ik));
  assert_status(limb_ik_solve(NULL, &target, NULL, q, NULL), LIMB_E_ARG);
  assert_status(limb_ik_solve(ik, NULL, NULL, q, NULL), LIMB_E_ARG);
  assert_status(limb_ik_solve(ik, &target, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_ik_get_result(ik, 0, &x), LIMB_E_ORDER);
  target.R.m[0] = 1.1;
  assert_status(limb_ik_solve(ik, &target, NULL, q, NULL), LIMB_E_ARG);
  target.R = sp_identity3(), target.R.m[8] = -1; // a mirror
  assert_status(limb_ik_solve(ik, &target, NULL, q, NULL), LIMB_E_ARG);
  target = sp_pose_identity(), target.p.y = (double)NAN;
  assert_status(limb_ik_solve(ik, &target, NULL, q, NULL), LIMB_E_NONFINITE);
  target = sp_pose_identity();
  assert_ok(limb_neutral(m, start));
  start[6] = 1.2; // the quaternion of the base
  assert_status(limb_ik_solve(ik, &target, start, q, NULL), LIMB_E_ARG);
  start[6] = (double)INFINITY;
  assert_status(limb_ik_solve(ik, &target, start, q, NULL), LIMB_E_NONFINITE);
  assert_close(q[0], 0, 0, 0);
  assert_ok(limb_ik_solve(ik, &target, NULL, q, NULL));
  assert_status(limb_ik_get_result(ik, 1, &x), LIMB_E_ARG);
  assert_ok(limb_ik_get_result(ik, 0, &x));
  limb_ik_destroy(ik);
  limb_model_destroy(m);
}
END_TEST

START_TEST(reasons)
{
  for (int k = LIMB_IK_SOLVED; k <= LIMB_IK_LOOPS; k++) assert_that(limb_ik_reason_text((limb_ik_reason)k) != NULL);
  assert_that(limb_ik_reason_text((limb_ik_reason)6) == NULL);
  assert_that(limb_ik_limits(NULL) == NULL);
}
END_TEST

CHECK_MAIN("ik_failures", 1, out_of_reach, limits, singular, held_joints, refused, refused_targets, reasons)
