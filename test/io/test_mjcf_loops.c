// MJCF: closures between bodies, and where MuJoCo closes them; couplings of joints that are more than mimics.
#include "io/loop_reading.h"

#include <math.h>

// A branched robot, drawn at ref: joints off the origin, frames, two joints of one body, a free body.
#define DRAWN                                                                                    \
  "<mujoco><compiler angle='radian'/><worldbody><site name='home' pos='0 1 0' euler='0 0.5 0'/>" \
  "<body name='a' pos='1 0 0' euler='0.1 0.2 0.3'><joint name='a' ref='0.3' pos='0.1 0 0.2'/>"   \
  "<geom size='0.1'/><frame pos='0 0 0.5' euler='0 0.4 0'><body name='b' pos='0 1 0'>"           \
  "<joint name='b' type='slide' axis='1 2 0' ref='0.7'/><joint name='b2' axis='1 0 0' "          \
  "ref='-0.2'/>"                                                                                 \
  "<geom size='0.1'/><site name='tip' pos='0.2 0 0' euler='0.3 0 0'/></body></frame></body>"     \
  "<body name='c' pos='0 0 1' euler='0 0 1'><joint name='c' axis='0 1 1' ref='0.4'/>"            \
  "<geom size='0.1'/></body>"                                                                    \
  "<body name='d' pos='3 0 1' euler='0 1 0'><freejoint name='d'/><geom size='0.1'/></body>"      \
  "</worldbody><equality>"
#define DONE "</equality></mujoco>"

// q at which the file is drawn: a, b, b2, c, and the pose of d, whose quaternion turns about y by 1.
static void drawn_at(double q[11])
{
  const double drawn[11] = {0.3, 0.7, -0.2, 0.4, 3, 0, 1, 0, sin(0.5), 0, cos(0.5)};
  memcpy(q, drawn, sizeof drawn);
}

static limb_reading* read_mjcf(const char* equality)
{
  char text[3000];
  (void)snprintf(text, sizeof text, DRAWN "%s" DONE, equality);
  return read_with(LIMB_FORMAT_MJCF, text, NULL);
}

START_TEST(bodies_are_closed_as_they_are_drawn)
{
  static const struct {
    const char* equality;
    limb_loop_kind kind;
  } cases[] = {
    {"<connect body1='b' body2='c' anchor='0.1 0.2 0.3'/>", LIMB_LOOP_BALL},
    {"<connect body1='c' anchor='1 0 0'/>", LIMB_LOOP_BALL},
    {"<connect body1='world' body2='b' anchor='1 0 0'/>", LIMB_LOOP_BALL},
    {"<connect body1='d' body2='b' anchor='0 0 1'/>", LIMB_LOOP_BALL},
    {"<weld body1='b' body2='c'/>", LIMB_LOOP_WELD},
    {"<weld body1='c' body2='b' anchor='0.5 0 0.1'/>", LIMB_LOOP_WELD},
    {"<weld body1='b' relpose='7 8 9 0 0 0 0'/>", LIMB_LOOP_WELD}, // no quaternion: as drawn
    {"<weld body1='d' body2='a'/>", LIMB_LOOP_WELD},
    {"<weld body1='b' body2='c' torquescale='0'/>", LIMB_LOOP_BALL},
    {"<weld body1='b' body2='c' torquescale='3'/>", LIMB_LOOP_WELD},
  };
  double q[11];
  drawn_at(q);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    limb_reading* r = read_mjcf(cases[i].equality);
    check_at("%s", cases[i].equality);
    ck_assert_int_eq(loop_count(r), 1);
    ck_assert_int_eq(loop_at(r, 0).kind, cases[i].kind);
    ck_assert_str_eq(loop_at(r, 0).name, "equality.1");
    const sp_pose X = closure(r, 0, q);
    assert_close_vec3(X.p, sp_v3(0, 0, 0), 0, 2e-15);
    if (cases[i].kind == LIMB_LOOP_WELD) assert_close_pose(X, sp_pose_identity(), 0, 2e-15);
    assert_that(joint_of(r, "b").start == 0.7 && joint_of(r, "d").start == 0);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(anchors_stay_where_they_are_put)
{
  limb_reading* r = read_mjcf("<connect name='ball' body1='b' body2='c' anchor='0.1 0.2 0.3'/>"
                              "<weld name='w' body1='a' body2='c' anchor='0.5 0 0' "
                              "relpose='1 2 3 0.5 0.5 0.5 0.5'/>"
                              "<connect site1='tip' site2='home'/><weld site1='home' site2='tip'/>");
  const limb_loop_def ball = loop_at(r, 0), weld = loop_at(r, 1), point = loop_at(r, 2), sites = loop_at(r, 3);
  ck_assert_str_eq(ball.name, "ball");
  ck_assert_str_eq(body_at(r, ball.body_a), "b");
  assert_close_pose(ball.pose_a, at(0.1, 0.2, 0.3), 0, 0);
  const sp_mat3 cyclic = {{0, 0, 1, 1, 0, 0, 0, 1, 0}}; // x to y to z
  assert_close_pose(weld.pose_a, sp_pose_make(cyclic, sp_v3(1, 2, 3)), 0, 1e-15);
  assert_close_pose(weld.pose_b, at(0.5, 0, 0), 0, 0);
  ck_assert_int_eq(point.kind, LIMB_LOOP_BALL);
  ck_assert_str_eq(body_at(r, point.body_a), "b");
  ck_assert_int_eq(point.body_b, 0);
  assert_close_vec3(point.pose_a.p, sp_v3(0.2, 0, 0), 0, 0);
  assert_close_vec3(point.pose_b.p, sp_v3(0, 1, 0), 0, 0);
  ck_assert_int_eq(sites.kind, LIMB_LOOP_WELD);
  ck_assert_str_eq(body_at(r, sites.body_b), "b");
  assert_close_vec3(column(sites.pose_a.R, 2), sp_v3(sin(0.5), 0, cos(0.5)), 0, 1e-15);
  limb_reading_destroy(r);
}
END_TEST

// q_a - 0.3 = 0.1 + 2 x - 3 x^2 + 0.5 x^3 + 0.25 x^4,  x = q_c - 0.4
START_TEST(polynomials_are_about_the_references)
{
  limb_reading* r = read_mjcf("<joint joint1='a' joint2='c' polycoef='0.1 2 -3 0.5 0.25'/>");
  const limb_loop_def def = loop_at(r, 0);
  ck_assert_int_eq(def.kind, LIMB_LOOP_POLYNOMIAL);
  for (double q = -2; q < 2; q += 0.37) {
    const double x = q - 0.4;
    const double want = 0.4 + x * (2 + x * (-3 + x * (0.5 + x * 0.25)));
    double got = 0;
    for (int k = LIMB_LOOP_COEFFICIENTS - 1; k >= 0; k--) got = got * q + def.coefficient[k];
    assert_close(got, want, 1e-14, 1e-14);
  }
  ck_assert_int_eq(joint_of(r, "a").mimic, -1);
  limb_reading_destroy(r);
}
END_TEST

// A joint follows one other; what is said beyond that is a gear.
START_TEST(what_cannot_follow_is_a_gear)
{
  limb_reading* r = read_mjcf("<joint joint1='a' joint2='c' polycoef='0 2'/>"
                              "<joint joint1='a' joint2='b' polycoef='0.5 3'/></equality><equality>"
                              "<joint joint1='c' joint2='a'/><joint joint1='b' joint2='b2'/>");
  assert_that(joint_of(r, "a").mimic >= 0 && joint_of(r, "b").mimic >= 0);
  assert_that(joint_of(r, "c").mimic == -1);
  ck_assert_int_eq(loop_count(r), 2);
  const limb_loop_def second = loop_at(r, 0), back = loop_at(r, 1);
  ck_assert_int_eq(second.kind, LIMB_LOOP_GEAR);
  assert_close(second.coefficient[1], 3, 0, 0);
  assert_close(second.coefficient[0], 0.5 + 0.3 - 3 * 0.7, 1e-15, 0);
  ck_assert_int_eq(back.kind, LIMB_LOOP_GEAR);
  assert_that(joint_of(r, "a").start == 0 && joint_of(r, "c").start == 0.4);
  limb_reading_destroy(r);

  limb_read_options opt = limb_default_read_options();
  opt.no_mimic = 1;
  r = read_with(LIMB_FORMAT_MJCF, DRAWN "<joint joint1='a' joint2='c' polycoef='0 2 3'/>" DONE, &opt);
  ck_assert_int_eq(loop_count(r), 0);
  ck_assert_int_eq(count_findings(r, "mimic-freed"), 1);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(a_joint_is_held)
{
  static const char* const held[] = {"<joint joint1='a' polycoef='0.25'/>",
                                     "<joint joint1='a' joint2='c' polycoef='0.25 0'/>",
                                     "<joint joint1='b' polycoef='0.25'/>"};
  for (int i = 0; i < 3; i++) {
    const int slide = i == 2;
    double q[11];
    limb_reading* r = read_mjcf(held[i]);
    const limb_loop_def def = loop_at(r, 0);
    ck_assert_int_eq(def.kind, LIMB_LOOP_LOCK);
    ck_assert_int_eq((int)def.locked, slide ? LIMB_MOVE_Z : LIMB_TURN_Z);
    drawn_at(q);
    q[slide] += 0.25; // from the reference on
    assert_close_pose(closure(r, 0, q), sp_pose_identity(), 0, 2e-15);
    q[slide] += 0.125;
    const sp_pose X = closure(r, 0, q);
    assert_close(slide ? X.p.z : -X.R.m[1], slide ? 0.125 : sin(0.125), 1e-14, 0);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(joints_of_loops_have_the_motors_of_the_file)
{
  limb_reading* r = read_mjcf("<weld body1='b' body2='c'/></equality><actuator><motor joint='a'/>"
                              "<position joint='b2' kp='1'/></actuator><equality>");
  assert_that(joint_of(r, "a").drive == LIMB_DRIVE_ACTIVE);
  assert_that(joint_of(r, "b2").drive == LIMB_DRIVE_ACTIVE);
  assert_that(joint_of(r, "b").drive == LIMB_DRIVE_PASSIVE);
  assert_that(joint_of(r, "c").drive == LIMB_DRIVE_PASSIVE);
  limb_reading_destroy(r);
  // a tree, or a loop without a word about motors: as ever
  r = read_mjcf("</equality><actuator><motor joint='a'/></actuator><equality>");
  assert_that(joint_of(r, "a").drive == LIMB_DRIVE_AUTO && joint_of(r, "b").start == 0);
  limb_reading_destroy(r);
  r = read_mjcf("<weld body1='b' body2='c'/>");
  assert_that(joint_of(r, "c").drive == LIMB_DRIVE_AUTO);
  limb_reading_destroy(r);
}
END_TEST

CHECK_MAIN("loops in mjcf", 1, bodies_are_closed_as_they_are_drawn, anchors_stay_where_they_are_put,
           polynomials_are_about_the_references, what_cannot_follow_is_a_gear, a_joint_is_held,
           joints_of_loops_have_the_motors_of_the_file)
