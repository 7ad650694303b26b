// MJCF: figures of MuJoCo for files with the awkward features, names, default classes, couplings, frames,
// limits, the base.
#include "io/built.h"
#include "io/faults.h"
#include "io/mjcf_numbers.h"

#include <math.h>

#define DEGREE (3.14159265358979323846 / 180)

static limb_reading* read_with(const char* text, const limb_read_options* opt)
{
  limb_reading* r = NULL;
  limb_error err = {0};
  const limb_status status = limb_read_text(text, strlen(text), "test.xml", opt, &r, &err);
  check_at("%.200s", text);
  if (status) print_findings(r);
  assert_ok(status);
  return r;
}

static limb_reading* read(const char* text) { return read_with(text, NULL); }

static limb_joint_def joint_of(limb_reading* r, const char* name)
{
  limb_joint_def def = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  const limb_builder* b = limb_reading_builder(r);
  check_at("joint %s", name);
  assert_ok(limb_builder_get_joint(b, limb_builder_find_joint(b, name), &def));
  return def;
}

static sp_inertia inertia_of(limb_reading* r, const char* name)
{
  limb_body_def def = limb_default_body_def(NULL);
  const limb_builder* b = limb_reading_builder(r);
  check_at("body %s", name);
  assert_ok(limb_builder_get_body(b, limb_builder_find_body(b, name), &def));
  return def.inertia;
}

// ---- against MuJoCo ---------------------------------------------------------------------------------

static void compare(const rig* g, const limb_mjcf_numbers* want)
{
  double x[MJCF_MAX * MJCF_MAX], Ma[MJCF_MAX], diagonal[MJCF_MAX];
  const int nv = want->nv;
  ck_assert_int_eq(limb_nq(g->m), want->nq);
  ck_assert_int_eq(limb_nv(g->m), nv);
  assert_close(limb_total_mass(g->m), want->mass, 1e-14, 0);
  assert_ok(limb_inverse_dynamics(g->d, want->q, want->v, want->a, NULL, x));
  assert_close_array(x, want->tau, nv, want->rtol, 0);
  assert_ok(limb_mass_matrix(g->d, want->q, x));
  for (int i = 0; i < nv; i++) {
    Ma[i] = 0;
    diagonal[i] = x[i * nv + i];
    for (int j = 0; j < nv; j++) Ma[i] += x[i * nv + j] * want->a[j];
  }
  assert_close_array(Ma, want->Ma, nv, want->rtol, 0);
  assert_close_array(diagonal, want->diagonal, nv, want->rtol, 0);
  if (!want->site) return;
  const double* p = want->pose;
  sp_pose X, site = {{{0}}, {p[0], p[1], p[2]}};
  memcpy(site.R.m, p + 3, sizeof site.R.m);
  assert_ok(limb_kinematics(g->d, want->q, NULL, NULL));
  assert_ok(limb_frame_pose(g->d, limb_find_frame(g->m, want->site), &X));
  assert_close_pose(X, site, 1e-14, 1e-14);
}

START_TEST(figures_of_mujoco)
{
  for (size_t i = 0; i < sizeof mjcf_table / sizeof mjcf_table[0]; i++) {
    char name[100];
    size_t size;
    (void)snprintf(name, sizeof name, "mjcf/%s.xml", mjcf_table[i].file);
    char* text = file_text(name, &size);
    limb_reading* r = read(text);
    rig g = build(r);
    check_at("%s", name);
    compare(&g, &mjcf_table[i]);
    ck_assert_str_eq(limb_model_name(g.m), mjcf_table[i].file);
    rig_free(&g);
    limb_reading_destroy(r);
    free(text);
  }
}
END_TEST

// ---- names ------------------------------------------------------------------------------------------

START_TEST(several_joints_make_a_chain)
{
  limb_reading* r = read("<mujoco><worldbody><body name='cart'>"
                         "<joint name='x' type='slide' axis='1 0 0'/>"
                         "<joint name='y' pos='0 0 1'/><joint pos='1 0 0'/>"
                         "<geom size='1'/></body></worldbody></mujoco>");
  const limb_builder* b = limb_reading_builder(r);
  // the last joint is off the origin: one more body, "cart.axis"
  ck_assert_int_eq(limb_builder_body_count(b), 5);
  const int x = limb_builder_find_body(b, "cart.x"), y = limb_builder_find_body(b, "cart.y");
  const int axis = limb_builder_find_body(b, "cart.axis"), cart = limb_builder_find_body(b, "cart");
  assert_that(x > 0 && y > 0 && axis > 0 && cart > 0);
  assert_that(joint_of(r, "x").parent == 0 && joint_of(r, "x").child == x);
  assert_that(joint_of(r, "y").parent == x && joint_of(r, "y").child == y);
  assert_that(joint_of(r, "cart.joint3").parent == y && joint_of(r, "cart.joint3").child == axis);
  assert_that(joint_of(r, "cart.offset").parent == axis && joint_of(r, "cart.offset").child == cart);
  assert_close_vec3(joint_of(r, "y").placement.p, sp_v3(0, 0, 1), 0, 0);
  assert_close_vec3(joint_of(r, "cart.joint3").placement.p, sp_v3(1, 0, -1), 0, 0);
  assert_close_vec3(joint_of(r, "cart.offset").placement.p, sp_v3(-1, 0, 0), 0, 0);
  assert_that(inertia_of(r, "cart.x").mass == 0 && inertia_of(r, "cart").mass > 0);
  assert_that(has_finding(r, "assumed", 1, ""));
  limb_reading_destroy(r);
}
END_TEST

START_TEST(things_without_a_name)
{
  limb_reading* r = read("<mujoco><worldbody><body><geom size='1'/></body>\n"
                         "<body><joint/><geom size='1'/><body><joint/><geom size='1'/></body></body>"
                         "</worldbody></mujoco>");
  const limb_builder* b = limb_reading_builder(r);
  assert_that(limb_builder_find_body(b, "world.body1") > 0);
  assert_that(limb_builder_find_body(b, "world.body2") > 0);
  assert_that(limb_builder_find_body(b, "world.body2.body1") > 0);
  assert_that(joint_of(r, "world.body1.fixed").type == LIMB_FIXED);
  assert_that(joint_of(r, "world.body2.joint1").type == LIMB_REVOLUTE);
  ck_assert_int_eq(count_findings(r, "assumed"), 1); // all of them in one note
  limb_reading_destroy(r);
}
END_TEST

START_TEST(sites_are_frames)
{
  limb_reading* r = read("<mujoco><worldbody><site name='home' pos='1 2 3'/><body name='a'>\n"
                         "<geom size='1'/><site name='a' pos='0 0 1'/>\n"
                         "<frame pos='0 1 0'><site name='tip' pos='0 0 2'/></frame>\n"
                         "<site name='rod' type='capsule' fromto='0 0 0 1 2 2' size='1'/>"
                         "</body></worldbody></mujoco>");
  rig g = build(r);
  sp_pose X;
  const double none = 0;
  assert_ok(limb_kinematics(g.d, &none, NULL, NULL));
  assert_ok(limb_frame_pose(g.d, limb_find_frame(g.m, "home"), &X));
  assert_close_vec3(X.p, sp_v3(1, 2, 3), 0, 0);
  assert_ok(limb_frame_pose(g.d, limb_find_frame(g.m, "a_site"), &X));
  assert_close_vec3(X.p, sp_v3(0, 0, 1), 0, 0);
  assert_ok(limb_frame_pose(g.d, limb_find_frame(g.m, "tip"), &X));
  assert_close_vec3(X.p, sp_v3(0, 1, 2), 0, 0);
  assert_ok(limb_frame_pose(g.d, limb_find_frame(g.m, "rod"), &X));
  // z points from the second point to the first; the quaternion is MuJoCo's (2.2.2)
  const sp_quat rod = {0.81649658092772615, -0.40824829046386307, 0, 0.40824829046386302};
  assert_close_pose(X, sp_pose_make(sp_rot_quat(rod), sp_v3(0.5, 1, 1)), 0, 4e-15);
  assert_that(has_finding(r, "assumed", 2, "site 'a'"));
  rig_free(&g);
  limb_reading_destroy(r);
}
END_TEST

// Actuators that answer to the motion are more than inputs.
START_TEST(actuators_are_told_apart)
{
  static const struct {
    const char* element;
    int dropped;
  } cases[] = {{"motor", 0},
               {"adhesion", 0},
               {"cylinder", 0},
               {"general", 0},
               {"general biastype='none' gaintype='fixed'", 0},
               {"cylinder bias='0 1 2'", 1},
               {"general biastype='affine'", 1},
               {"general gaintype='muscle'", 1},
               {"general class='springy'", 1},
               {"position kp='2'", 1},
               {"velocity", 1},
               {"intvelocity", 1},
               {"damper", 1},
               {"muscle", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[600], where[40];
    (void)snprintf(text, sizeof text,
                   "<mujoco><default><default class='springy'><general biastype='affine'/>"
                   "</default></default><worldbody><body name='a'><joint name='j'/>"
                   "<geom size='1'/></body></worldbody>\n<actuator>\n<%s joint='j'/>\n"
                   "<%s name='again' joint='j'/></actuator></mujoco>",
                   cases[i].element, cases[i].element);
    limb_reading* r = read(text);
    check_at("%s", cases[i].element);
    (void)snprintf(where, sizeof where, "actuator '%.*s'", (int)strcspn(cases[i].element, " "), cases[i].element);
    ck_assert_int_eq(has_finding(r, "dropped", 3, where), cases[i].dropped);
    ck_assert_int_eq(count_findings(r, "dropped"), cases[i].dropped);
    ck_assert_int_eq(has_finding(r, "ignored", 2, "section 'actuator'"), !cases[i].dropped);
    limb_reading_destroy(r);
  }
}
END_TEST

// ---- classes and settings ---------------------------------------------------------------------------

START_TEST(classes_complete_what_is_not_said)
{
  limb_reading* r = read("<mujoco><worldbody><body name='a' childclass='arm'>"
                         "<joint name='own' damping='5'/><joint name='arm' class='arm'/>"
                         "<joint name='main' class='main'/><joint name='below' class='wrist'/>"
                         "<geom size='1'/><frame childclass='wrist'><body name='b'><joint name='framed'/>"
                         "<geom size='1'/></body></frame></body>"
                         "<body name='c'><joint name='plain'/><geom size='1'/></body>"
                         "<body name='d'><freejoint name='free'/><geom size='1'/></body></worldbody>"
                         "<default><joint damping='1' armature='2'/><default class='arm'><joint damping='3'/>"
                         "<default class='wrist'><joint armature='4'/></default></default></default>"
                         "<default><joint frictionloss='6'/></default></mujoco>");
  assert_that(joint_of(r, "own").viscous == 5 && joint_of(r, "own").rotor_inertia == 2);
  assert_that(joint_of(r, "arm").viscous == 3 && joint_of(r, "arm").rotor_inertia == 2);
  assert_that(joint_of(r, "main").viscous == 1 && joint_of(r, "main").coulomb == 6);
  assert_that(joint_of(r, "below").viscous == 3 && joint_of(r, "below").rotor_inertia == 4);
  assert_that(joint_of(r, "framed").rotor_inertia == 4);
  // a later section changes main, not the classes above it
  assert_that(joint_of(r, "plain").coulomb == 6 && joint_of(r, "arm").coulomb == 0);
  ck_assert_int_eq(count_findings(r, "dropped"), 0); // freejoint inherits nothing
  limb_reading_destroy(r);
}
END_TEST

START_TEST(the_main_class_may_have_another_name)
{
  limb_reading* r = read("<mujoco><default class='robot'><joint damping='1'/></default><worldbody>"
                         "<body name='a'><joint name='a' class='robot'/><geom size='1'/></body>"
                         "<body name='b'><joint name='b' class='main'/><geom size='1'/></body>"
                         "<body name='c'><joint name='c'/><geom size='1'/></body>"
                         "</worldbody></mujoco>");
  assert_that(joint_of(r, "a").viscous == 1 && joint_of(r, "b").viscous == 1);
  assert_that(joint_of(r, "c").viscous == 1);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(limits)
{
  limb_reading* r = read("<mujoco><worldbody><body name='a'><joint name='on' range='-90 45'/>"
                         "<joint name='off' limited='false' range='-90 45'/><joint name='none'/>"
                         "<joint name='slide' type='slide' range='-1 2' actuatorfrcrange='-7 7'/>"
                         "<joint name='uneven' actuatorfrcrange='-3 9'/><geom size='1'/></body></worldbody></mujoco>");
  assert_close(joint_of(r, "on").q_min, -90 * DEGREE, 1e-15, 0);
  assert_close(joint_of(r, "on").q_max, 45 * DEGREE, 1e-15, 0);
  assert_that(joint_of(r, "off").q_max == HUGE_VAL && joint_of(r, "none").q_min == -HUGE_VAL);
  assert_that(joint_of(r, "slide").q_min == -1 && joint_of(r, "slide").q_max == 2);
  assert_that(joint_of(r, "slide").effort_max == 7 && joint_of(r, "uneven").effort_max == 9);
  assert_that(has_finding(r, "assumed", 1, "joint 'uneven'"));
  limb_reading_destroy(r);
  r = read("<mujoco><compiler autolimits='false'/><worldbody><body name='a'>"
           "<joint name='a' range='-90 45'/><joint name='b' limited='true' range='-90 45'/>"
           "<geom size='1'/></body></worldbody></mujoco>");
  assert_that(joint_of(r, "a").q_max == HUGE_VAL);
  assert_close(joint_of(r, "b").q_max, 45 * DEGREE, 1e-15, 0);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(which_inertia_counts)
{
#define TWO                                                                        \
  "<worldbody><body name='a'><inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/>" \
  "<geom size='1' mass='5'/></body></worldbody></mujoco>"
  static const struct {
    const char* text;
    double mass;
  } cases[] = {{"<mujoco>" TWO, 3},
               {"<mujoco><compiler inertiafromgeom='auto'/>" TWO, 3},
               {"<mujoco><compiler inertiafromgeom='true'/>" TWO, 5},
               {"<mujoco><compiler inertiafromgeom='false'/>" TWO, 3},
               {"<mujoco><compiler inertiafromgeom='true' inertiagrouprange='1 2'/>" TWO, 3},
               {"<mujoco><compiler settotalmass='8'/>" TWO, 8}};
#undef TWO
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    limb_reading* r = read(cases[i].text);
    assert_close(inertia_of(r, "a").mass, cases[i].mass, 1e-15, 0);
    limb_reading_destroy(r);
  }
}
END_TEST

// A frame is a change of coordinates and nothing else.
START_TEST(frames_move_what_is_in_them)
{
  limb_reading* with = read("<mujoco><worldbody><frame pos='1 2 3' euler='0 0 90'><body name='a' pos='1 0 0'>"
                            "<frame pos='0 0 1' euler='90 0 0'><joint name='a' axis='0 1 0' pos='0.5 0 0'/>"
                            "<geom type='box' size='1 2 3' pos='0 1 0'/></frame></body></frame></worldbody></mujoco>");
  limb_reading* without =
    read("<mujoco><worldbody><body name='a' pos='1 3 3' euler='0 0 90'>"
         "<joint name='a' axis='0 0 1' pos='0.5 0 1'/>"
         "<geom type='box' size='1 2 3' pos='0 0 2' euler='90 0 0'/></body></worldbody></mujoco>");
  const limb_joint_def x = joint_of(with, "a"), y = joint_of(without, "a");
  assert_close_pose(x.placement, y.placement, 1e-15, 1e-15);
  assert_close_vec3(x.axis, y.axis, 0, 1e-15);
  assert_close_pose(joint_of(with, "a.offset").placement, joint_of(without, "a.offset").placement, 1e-15, 1e-15);
  const sp_inertia X = inertia_of(with, "a"), Y = inertia_of(without, "a");
  assert_close_vec3(X.com, Y.com, 1e-15, 1e-15);
  assert_close(X.xx, Y.xx, 1e-14, 0);
  assert_close(X.yy, Y.yy, 1e-14, 0);
  assert_close(X.zz, Y.zz, 1e-14, 0);
  limb_reading_destroy(with);
  limb_reading_destroy(without);
}
END_TEST

// ---- couplings --------------------------------------------------------------------------------------

static const char coupled[] =
  "<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='a' ref='0.3'/>"
  "<geom size='0.1'/><body name='b'><joint name='b' ref='0.7'/><geom size='0.1'/></body></body>"
  "</worldbody><equality><joint joint1='b' joint2='a' polycoef='0.1 2'/></equality></mujoco>";

// MuJoCo: q_b - 0.7 = 0.1 + 2 (q_a - 0.3)
START_TEST(a_joint_follows_another)
{
  limb_reading* r = read(coupled);
  const limb_joint_def b = joint_of(r, "b");
  ck_assert_int_eq(b.mimic, 0);
  assert_close(b.multiplier, 2, 0, 0);
  assert_close(b.offset, 0.2, 1e-15, 0);
  limb_reading_destroy(r);
  limb_read_options opt = limb_default_read_options();
  opt.no_mimic = 1;
  r = read_with(coupled, &opt);
  assert_that(joint_of(r, "b").mimic == -1);
  ck_assert_int_eq(count_findings(r, "mimic-freed"), 1);
  limb_reading_destroy(r);
}
END_TEST

// ---- the base ---------------------------------------------------------------------------------------

static const char standing[] = "<mujoco><worldbody><body name='a' pos='0 0 2'><geom size='1'/>"
                               "</body></worldbody></mujoco>";

START_TEST(a_base_on_demand)
{
  limb_read_options opt = limb_default_read_options();
  limb_reading* r = read_with(standing, &opt);
  assert_close_vec3(joint_of(r, "a.fixed").placement.p, sp_v3(0, 0, 2), 0, 0);
  limb_reading_destroy(r);

  opt.base = LIMB_BASE_FIXED;
  r = read_with(standing, &opt);
  assert_that(joint_of(r, "a.fixed").type == LIMB_FIXED);
  limb_reading_destroy(r);

  opt.base = LIMB_BASE_FLOATING;
  r = read_with(standing, &opt);
  assert_that(joint_of(r, "base").type == LIMB_FREE && joint_of(r, "base").child == 1);
  assert_that(has_finding(r, "ignored", 1, "body 'a'"));
  limb_reading_destroy(r);

  opt.base = LIMB_BASE_PLANAR;
  r = read_with(standing, &opt);
  assert_that(joint_of(r, "base").type == LIMB_PLANAR);
  assert_close_vec3(joint_of(r, "a.fixed").placement.p, sp_v3(0, 0, 2), 0, 0);
  limb_reading_destroy(r);
}
END_TEST

CHECK_MAIN("mjcf", 1, figures_of_mujoco, several_joints_make_a_chain, things_without_a_name, sites_are_frames,
           actuators_are_told_apart, classes_complete_what_is_not_said, the_main_class_may_have_another_name, limits,
           which_inertia_counts, frames_move_what_is_in_them, a_joint_follows_another, a_base_on_demand)
