// Facts about robots of which the answer is known: reach, inertia, elastic joints, limits, auxiliary bodies.
#include "support/check.h"
#include "support/closed.h"
#include "support/robots.h"

#include "limb/limb.h"
#include "limb/study.h"

#include <math.h>

static int add_body(limb_builder* b, const char* name, double mass)
{
  limb_body_def body = limb_default_body_def(name);
  int index = -1;
  if (mass > 0) body.inertia = limb_inertia_box(mass, 0.1, 0.1, 0.1);
  assert_ok(limb_builder_add_body(b, &body, &index, NULL));
  return index;
}

static limb_joint_def joint(const char* name, limb_joint_type type, int parent, int child, double x)
{
  limb_joint_def def = limb_default_joint_def(name, type, parent, child);
  def.placement.p = sp_v3(x, 0, 0);
  def.axis = type == LIMB_PRISMATIC ? sp_v3(1, 0, 0) : sp_v3(0, 0, 1);
  return def;
}

// A hinge at 1 m, an arm of 2 m with a body placed away from the axis, as readers describe it, a slide of up to 0.5 m
// at its end, and a tool 0.25 m further on.
static limb_model* arm(double stroke)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  const sp_pose tool = sp_pose_make(sp_rot_rpy(0, 0, 0), sp_v3(0, 0.25, 0));
  assert_ok(limb_builder_create(NULL, &b));
  const int link = add_body(b, "arm", 2), hand = add_body(b, "hand", 1), axis = add_body(b, "arm.axis", 0);
  limb_joint_def hinge = joint("hinge", LIMB_REVOLUTE, 0, axis, 1),
                 weld = joint("arm.offset", LIMB_FIXED, axis, link, 0);
  limb_joint_def slide = joint("slide", LIMB_PRISMATIC, link, hand, 2);
  hinge.q_min = -1, hinge.q_max = 1;
  slide.q_min = 0, slide.q_max = stroke;
  assert_ok(limb_builder_add_joint(b, &hinge, NULL, NULL));
  assert_ok(limb_builder_add_joint(b, &weld, NULL, NULL));
  assert_ok(limb_builder_add_joint(b, &slide, NULL, NULL));
  assert_ok(limb_builder_add_frame(b, "tool", hand, &tool, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

START_TEST(whole)
{
  limb_model* m = arm(0.5);
  limb_facts x;
  assert_ok(limb_facts_of(m, &x));
  assert_that(x.bodies == 2 && x.joints == 2 && x.frames == 1 && x.passive == 0);
  assert_close(x.mass, 3, 1e-15, 0);
  assert_close(x.reach, 1 + 2 + 0.5 + 0.25, 1e-15, 0);
  assert_that(x.unlimited == 0 && x.unlimited_joint == -1 && x.has_inertia);
  assert_close_vec3(x.inertia.com, sp_v3((2 * 1 + 1 * 3) / 3.0, 0, 0), 0, 1e-15);
  assert_close(x.inertia.zz, 3 * 0.01 / 6 + 2.0 * 1 / 3 * 4, 1e-12, 0); // of the boxes, and m1 m2 / (m1 + m2) d^2
  limb_model_destroy(m);
  m = arm(HUGE_VAL);
  assert_ok(limb_facts_of(m, &x));
  assert_close(x.reach, 3.25, 1e-15, 0);
  assert_that(x.unlimited == 1 && x.unlimited_joint == limb_find_joint(m, "slide"));
  limb_model_destroy(m);
}
END_TEST

START_TEST(auxiliary)
{
  limb_model* m = arm(1);
  const int axis = limb_find_body(m, "arm.axis"), link = limb_find_body(m, "arm");
  assert_that(limb_stands_for(m, axis) == link && limb_stands_for(m, link) == -1 && limb_stands_for(m, 0) == -1);
  assert_that(limb_stands_for(m, 99) == -1 && limb_stands_for(NULL, 1) == -1);
  assert_that(limb_joint_is_auxiliary(m, limb_find_joint(m, "arm.offset")));
  assert_that(!limb_joint_is_auxiliary(m, limb_find_joint(m, "hinge")) && !limb_joint_is_auxiliary(m, -1));
  limb_model_destroy(m);
}
END_TEST

START_TEST(limits)
{
  limb_model* m = arm(0.5);
  limb_limit_violation x[2];
  int n = -1;
  const double inside[] = {0.5, 0.25}, outside[] = {-1.5, 0.75};
  assert_ok(limb_outside_limits(m, inside, 2, x, &n));
  assert_that(n == 0);
  assert_ok(limb_outside_limits(m, outside, 2, x, &n));
  assert_that(n == 2 && x[0].joint == limb_find_joint(m, "hinge") && x[0].position == -1.5 && x[0].lower == -1);
  assert_that(x[1].position == 0.75 && x[1].upper == 0.5);
  assert_ok(limb_outside_limits(m, outside, 0, NULL, &n));
  assert_that(n == 2);
  limb_model_destroy(m);
}
END_TEST

START_TEST(elastic)
{
  limb_model* m = robot_find("elastic_arm")->make();
  limb_elastic_joint x[40];
  int n = 0, series = 0;
  assert_ok(limb_elastic_joints(m, 40, x, &n));
  assert_that(n > 0 && n <= 40);
  for (int i = 0; i < n; i++) {
    assert_that(x[i].stiffness > 0 && x[i].frequency > 0 && (x[i].series == (x[i].motor >= 0)));
    series += x[i].series;
  }
  assert_that(series == limb_shaft_count(m));
  limb_model_destroy(m);
  m = arm(1);
  assert_ok(limb_elastic_joints(m, 0, NULL, &n));
  assert_that(n == 0);
  limb_model_destroy(m);
}
END_TEST

// 130 n - 68 and 92 n - 127 multiplications for n = 6; of another robot than the built-in one no third count.
START_TEST(published_counts)
{
  limb_model *m = robot_puma560(), *two = closed_four_bar(1, 0.35, 0.8, 0.7);
  limb_published_count x;
  assert_that(limb_get_published_count(m, "tau", 0, &x) == 1 && x.mul == 712 && x.add == 550);
  assert_that(limb_get_published_count(m, "tau", 1, &x) == 1 && x.mul == 425 && x.add == 369);
  assert_that(limb_get_published_count(m, "acc", 0, &x) == 0 && limb_get_published_count(m, "tau", 3, &x) == 0);
  assert_that(limb_get_published_count(two, "tau", 0, &x) == 0 && limb_get_published_count(NULL, "tau", 0, &x) == 0);
  limb_model_destroy(m);
  limb_model_destroy(two);
}
END_TEST

START_TEST(arguments)
{
  limb_model* m = arm(1);
  limb_facts x;
  int n;
  const double q[2] = {0, 0};
  assert_status(limb_facts_of(NULL, &x), LIMB_E_ARG);
  assert_status(limb_facts_of(m, NULL), LIMB_E_ARG);
  assert_status(limb_elastic_joints(m, 1, NULL, &n), LIMB_E_ARG);
  assert_status(limb_elastic_joints(m, 0, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_outside_limits(m, NULL, 0, NULL, &n), LIMB_E_ARG);
  assert_status(limb_outside_limits(m, q, -1, NULL, &n), LIMB_E_ARG);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("facts", 1, whole, auxiliary, limits, elastic, published_counts, arguments)
