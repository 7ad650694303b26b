// Sizing of motions whose numbers are known: peaks, root mean squares, energies, margins, followers, loads.
#include "support/check.h"
#include "support/robots.h"

#include "limb/study.h"

#include <math.h>

// Two hinges, the second follows the first by -2 q + 0.5; limits of the first -1 ... 3, of the second -4 ... 1.
static limb_model* make(void)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_joint_def joint = limb_default_joint_def("lead", LIMB_REVOLUTE, 0, 1);
  assert_ok(limb_builder_create(NULL, &b));
  for (int k = 0; k < 2; k++) {
    limb_body_def body = limb_default_body_def(k ? "two" : "one");
    body.inertia = limb_inertia_box(1, 0.1, 0.1, 0.1);
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  }
  joint.q_min = -1, joint.q_max = 3, joint.v_max = 2, joint.effort_max = 4;
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  joint = limb_default_joint_def("follow", LIMB_REVOLUTE, 1, 2);
  joint.mimic = 0, joint.multiplier = -2, joint.offset = 0.5;
  joint.q_min = -4, joint.q_max = 1, joint.v_max = 1;
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

static void add(limb_sizing* s, double time, double q, double v, double tau)
{
  const sp_force load[2] = {{{0, 0, tau}, {3, 4, 0}}, {{0, 0, 0}, {0, 0, time}}};
  limb_sizing_add(s, &(limb_sizing_row){time, &q, &v, &tau, load, NULL, NULL});
}

// The power goes from 2 W to -2 W in 2 s, then stays at -4 W for 1 s.
START_TEST(numbers)
{
  limb_model* m = make();
  limb_sizing* s = NULL;
  limb_sizing_dof d;
  limb_sizing_load l;
  assert_ok(limb_sizing_create(m, &s));
  add(s, 1, 0, 1, 2), add(s, 3, 2.5, -1, 2), add(s, 3, 2.5, -1, 4), add(s, 4, -1.5, -1, 4);
  assert_ok(limb_sizing_get_dof(s, 0, &d));
  assert_that(d.joint == 0 && d.component == 0 && d.has_position);
  assert_that(d.torque.value == 4 && d.torque.time == 3 && d.torque.other == -1);
  assert_that(d.speed.value == 1 && d.speed.time == 1 && d.speed.other == 2);
  assert_that(d.power.value == -4 && d.power.time == 3);
  assert_close(d.torque_rms, sqrt((4 * 2 + 16) / 3.0), 1e-15, 0);
  assert_close(d.energy_delivered, 1, 1e-15, 0);
  assert_close(d.energy_absorbed, 1 + 4, 1e-15, 0);
  assert_close(d.mean_power, 6 / 3.0, 1e-15, 0);
  assert_that(d.q_min == -1.5 && d.q_min_time == 4 && d.q_max == 2.5 && d.q_max_time == 3);
  assert_that(d.q_lower == -1 && d.q_upper == 3 && d.margin == -0.5 && d.speed_limit == 2 && d.torque_limit == 4);
  const limb_sizing_summary sum = limb_sizing_get_summary(s);
  assert_that(sum.rows == 4 && sum.start == 1 && sum.duration == 3);
  assert_close(sum.energy_absorbed - sum.energy_delivered, 4, 1e-15, 0);
  assert_ok(limb_sizing_get_load(s, 0, &l));
  assert_that(l.force == 5 && l.force_time == 1 && l.moment == 4 && l.moment_time == 3 && l.at_moment.m.z == 4);
  assert_ok(limb_sizing_get_load(s, 1, &l));
  assert_that(l.force == 4 && l.force_time == 4 && l.moment == 0);
  limb_sizing_destroy(s);
  limb_model_destroy(m);
}
END_TEST

START_TEST(followers)
{
  limb_model* m = make();
  limb_sizing* s = NULL;
  limb_sizing_follower f;
  assert_ok(limb_sizing_create(m, &s));
  add(s, 0, 1, 1, 0), add(s, 1, 2, -0.5, 0);
  assert_ok(limb_sizing_get_follower(s, 0, &f));
  assert_that(f.leader == 0 && f.motion.joint == 1);
  assert_that(f.motion.q_min == -3.5 && f.motion.q_min_time == 1 && f.motion.q_max == -1.5 && f.motion.q_max_time == 0);
  assert_that(f.motion.speed.value == -2 && f.motion.speed_limit == 1 && f.motion.margin == 0.5);
  assert_that(isinf(f.motion.torque_limit));
  assert_status(limb_sizing_get_follower(s, 1, &f), LIMB_E_ARG);
  limb_sizing_destroy(s);
  limb_model_destroy(m);
}
END_TEST

// Cubes in the mean, by travel: not by time. The follower turns twice as far.
START_TEST(bearings)
{
  static const double axial[] = {1, 2, 7}, speed[] = {1, -1, 0};
  limb_model* m = make();
  limb_sizing* s = NULL;
  limb_sizing_bearing b;
  assert_ok(limb_sizing_create(m, &s));
  for (int k = 0; k < 3; k++) {
    const sp_force load[2] = {{{3, -4, 9}, {6, 8, -axial[k]}}, {{0, 0, 1}, {0, 0, 0}}};
    limb_sizing_add(s, &(limb_sizing_row){k, (const double[]){0}, &speed[k], (const double[]){0}, load, NULL, NULL});
  }
  assert_ok(limb_sizing_get_bearing(s, 0, &b));
  assert_that(b.travel == 1.5 && b.axial.peak == 7 && b.radial.peak == 10 && b.tilting.peak == 5);
  assert_close(b.axial.mean, cbrt(((1 + 8) / 2.0 + 8 / 2.0) / 1.5), 1e-15, 0);
  assert_close(b.radial.mean, 10, 1e-15, 0);
  assert_close(b.tilting.mean, 5, 1e-15, 0);
  assert_ok(limb_sizing_get_bearing(s, 1, &b));
  assert_that(b.travel == 3 && b.axial.peak == 0 && b.tilting.mean == 0);
  assert_status(limb_sizing_get_bearing(s, 2, &b), LIMB_E_ARG);
  assert_status(limb_sizing_get_bearing(s, 0, NULL), LIMB_E_ARG);
  limb_sizing_destroy(s);
  limb_model_destroy(m);
}
END_TEST

// Slides carry their driven force elsewhere; joints that stand still have peaks for means; rotations have no bearing.
START_TEST(bearings_of_other_joints)
{
  limb_model *scara = robot_find("scara")->make(), *dog = robot_find("quadruped")->make();
  limb_sizing* s = NULL;
  limb_sizing_bearing b;
  const double zero[40] = {0};
  sp_force load[40] = {{{0, 0, 0}, {0, 0, 0}}};
  limb_joint_info slide = {.nv = 0};
  int j = -1;
  while (slide.def.type != LIMB_PRISMATIC) assert_ok(limb_get_joint(scara, ++j, &slide));
  load[j] = (sp_force){{1, 2, 2}, sp_scale3(5, slide.def.axis)};
  assert_ok(limb_sizing_create(scara, &s));
  limb_sizing_add(s, &(limb_sizing_row){0, zero, zero, zero, load, NULL, NULL});
  limb_sizing_add(s, &(limb_sizing_row){1, zero, zero, zero, load, NULL, NULL});
  assert_ok(limb_sizing_get_bearing(s, j, &b));
  assert_that(b.travel == 0 && b.axial.peak == 0 && b.tilting.peak == 3 && b.tilting.mean == 3);
  limb_sizing_destroy(s);
  assert_ok(limb_sizing_create(dog, &s));
  assert_status(limb_sizing_get_bearing(s, 0, &b), LIMB_E_UNSUPPORTED);
  limb_sizing_destroy(s);
  limb_model_destroy(scara);
  limb_model_destroy(dog);
}
END_TEST

// A single row lasts no time: magnitudes instead of means.
START_TEST(single_row)
{
  limb_model* m = make();
  limb_sizing* s = NULL;
  limb_sizing_dof d;
  assert_ok(limb_sizing_create(m, &s));
  add(s, 7, 0, 2, -3);
  assert_ok(limb_sizing_get_dof(s, 0, &d));
  assert_that(d.torque_rms == 3 && d.mean_power == 6 && d.energy_delivered == 0 && d.energy_absorbed == 0);
  limb_sizing_destroy(s);
  limb_model_destroy(m);
}
END_TEST

// Components of a free base have no range; their positions are in other axes than their velocities.
START_TEST(free_base)
{
  limb_model* m = robot_find("quadruped")->make();
  limb_sizing* s = NULL;
  limb_sizing_dof d;
  double x[40] = {0};
  sp_force load[40] = {{{0, 0, 0}, {0, 0, 0}}};
  assert_ok(limb_sizing_create(m, &s));
  limb_sizing_add(s, &(limb_sizing_row){0, x, x, x, load, NULL, NULL});
  for (int k = 0; k < limb_nv(m); k++) {
    assert_ok(limb_sizing_get_dof(s, k, &d));
    assert_that(d.has_position == (k >= 6) && (k >= 6 || (d.component == k && isinf(d.margin))));
  }
  limb_sizing_destroy(s);
  limb_model_destroy(m);
}
END_TEST

START_TEST(arguments)
{
  limb_model* m = make();
  limb_sizing* s = NULL;
  limb_sizing_dof d;
  limb_sizing_load l;
  limb_sizing_follower f;
  assert_status(limb_sizing_create(NULL, &s), LIMB_E_ARG);
  assert_status(limb_sizing_create(m, NULL), LIMB_E_ARG);
  assert_ok(limb_sizing_create(m, &s));
  assert_status(limb_sizing_get_dof(s, 1, &d), LIMB_E_ARG);
  assert_status(limb_sizing_get_dof(s, -1, &d), LIMB_E_ARG);
  assert_status(limb_sizing_get_dof(NULL, 0, &d), LIMB_E_ARG);
  assert_status(limb_sizing_get_load(s, 2, &l), LIMB_E_ARG);
  assert_status(limb_sizing_get_loop_load(s, 0, &l), LIMB_E_ARG);
  assert_status(limb_sizing_get_follower(s, -1, &f), LIMB_E_ARG);
  assert_that(limb_sizing_get_summary(NULL).rows == 0);
  limb_sizing_destroy(s);
  limb_sizing_destroy(NULL);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("sizing", 1, numbers, followers, bearings, bearings_of_other_joints, single_row, free_base, arguments)
