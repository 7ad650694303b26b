// URDF: every feature that is read, and what is said about it.
#include "limb/limb.h"
#include "limb/read.h"

#include "io/reading.h"
#include "io/written.h"
#include "support/check.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MASS(m)                                                                                  \
  "<inertial><mass value=\"" #m "\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\"" \
  " izz=\"1\"/></inertial>"
#define LINKS \
  "<link name=\"a\">" MASS(1) "</link><link name=\"b\">" MASS(2) "</link><link name=\"c\">" MASS(3) "</link>"
#define ENDS(p, c) "<parent link=\"" p "\"/><child link=\"" c "\"/>"
#define LIMIT      "<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/>"
#define WELD_C     "<joint name=\"weld\" type=\"fixed\">" ENDS("a", "c") "</joint>"

// ---- reading --------------------------------------------------------------------------------------

static limb_reading* read_with(const char* text, const limb_read_options* given)
{
  limb_read_options opt = given ? *given : limb_default_read_options();
  limb_reading* r = NULL;
  limb_error err = {0};
  opt.format = LIMB_FORMAT_URDF;
  const limb_status status = limb_read_text(text, strlen(text), "test.urdf", &opt, &r, &err);
  if (status) printf("%d: %s: %s\n", err.line, err.where, err.text);
  assert_ok(status);
  return r;
}

static limb_reading* read_urdf(const char* text) { return read_with(text, NULL); }

// A robot of three links: b hangs on a by a joint 'j', whose inside and type are given.
static limb_reading* read_joint(const char* type, const char* inside)
{
  char text[4000];
  (void)snprintf(text, sizeof text,
                 "<robot name=\"r\">" LINKS WELD_C "<joint name=\"j\" type=\"%s\">" ENDS("a", "b") "%s</joint></robot>",
                 type, inside);
  return read_urdf(text);
}

static limb_joint_def joint_of(limb_reading* r, const char* name)
{
  limb_joint_def def;
  const limb_builder* b = limb_reading_builder(r);
  assert_ok(limb_builder_get_joint(b, limb_builder_find_joint(b, name), &def));
  return def;
}

static limb_body_def body_of(limb_reading* r, const char* name)
{
  limb_body_def def;
  const limb_builder* b = limb_reading_builder(r);
  assert_ok(limb_builder_get_body(b, limb_builder_find_body(b, name), &def));
  return def;
}

// How many findings of a rule there are about a thing ("" for any) at that severity.
static int count(const limb_findings* f, const char* rule, const char* where, limb_severity severity)
{
  limb_finding x;
  int n = 0;
  for (int i = 0; limb_findings_get(f, i, &x) == LIMB_OK; i++)
    n += strcmp(x.rule, rule) == 0 && strstr(x.where, where) && x.severity == severity;
  return n;
}

static int notes(limb_reading* r, const char* rule, const char* where)
{
  return count(limb_reading_findings(r), rule, where, LIMB_NOTE);
}

static int warnings(limb_reading* r, const char* rule, const char* where)
{
  return count(limb_reading_findings(r), rule, where, LIMB_WARNING);
}

START_TEST(types_of_joints)
{
  static const struct {
    const char* word;
    limb_joint_type type;
    int own;
  } types[] = {
    {"revolute", LIMB_REVOLUTE, 0},   {"continuous", LIMB_REVOLUTE, 0},
    {"prismatic", LIMB_PRISMATIC, 0}, {"fixed", LIMB_FIXED, 0},
    {"floating", LIMB_FREE, 0},       {"planar", LIMB_PLANAR, 0},
    {"spherical", LIMB_SPHERICAL, 1}, {"ball", LIMB_SPHERICAL, 1},
    {"helical", LIMB_HELICAL, 1},     {"cylindrical", LIMB_CYLINDRICAL, 1},
    {"universal", LIMB_UNIVERSAL, 1},
  };
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    const int universal = types[i].type == LIMB_UNIVERSAL;
    limb_reading* r =
      read_joint(types[i].word, universal ? "<axis xyz=\"0 1 0\"/><limb axis2=\"1 0 0\"/>" : "<axis xyz=\"0 1 0\"/>");
    const limb_joint_def j = joint_of(r, "j");
    check_at("%s", types[i].word);
    assert_that(j.type == types[i].type);
    assert_that(notes(r, "extension", "'j'") == types[i].own);
    if (j.type != LIMB_FIXED && j.type != LIMB_FREE && j.type != LIMB_SPHERICAL)
      assert_close_vec3(j.axis, sp_v3(0, 1, 0), 0, 0);
    if (universal) assert_close_vec3(j.axis2, sp_v3(1, 0, 0), 0, 0);
    limb_reading_destroy(r);
  }
}
END_TEST

// The axis of a planar joint is the normal of its plane.
START_TEST(planar_axis_is_the_normal)
{
  limb_reading* r = read_joint("planar", "<axis xyz=\"1 0 0\"/>");
  limb_model* m = NULL;
  limb_data* d = NULL;
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
  assert_ok(limb_data_create(m, NULL, &d));
  const double q[3] = {0.3, 0.4, 0.5};
  sp_pose X;
  assert_ok(limb_kinematics(d, q, NULL, NULL));
  assert_ok(limb_frame_pose(d, limb_find_frame(m, "b"), &X));
  assert_close(X.p.x, 0, 0, 1e-15);
  assert_close(hypot(X.p.y, X.p.z), 0.5, 1e-15, 0);
  assert_close_vec3(sp_mulv(X.R, sp_v3(1, 0, 0)), sp_v3(1, 0, 0), 1e-15, 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(axes)
{
  limb_reading* r = read_joint("continuous", "");
  assert_close_vec3(joint_of(r, "j").axis, sp_v3(1, 0, 0), 0, 0);
  assert_that(notes(r, "assumed", "'j'") == 1);
  limb_reading_destroy(r);

  r = read_joint("continuous", "<axis xyz=\"0 3 -4\"/>");
  assert_close_vec3(joint_of(r, "j").axis, sp_v3(0, 0.6, -0.8), 1e-15, 0);
  assert_that(notes(r, "normalised", "'j'") == 1);
  limb_reading_destroy(r);

  r = read_joint("continuous", "<axis xyz=\"0 0.70710678 0.70710678\"/>");
  assert_that(notes(r, "normalised", "") == 0);
  limb_reading_destroy(r);

  r = read_joint("fixed", "<axis xyz=\"0 0 0\"/>");
  assert_that(notes(r, "assumed", "'j'") == 0);
  limb_reading_destroy(r);

  r = read_joint("floating", "");
  assert_that(notes(r, "assumed", "'j'") == 0);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(origins)
{
  limb_reading* r = read_joint("fixed", "<origin xyz=\"1 -2e-1 .5\" rpy=\"0.1 0.2 0.3\"/>");
  sp_pose want = sp_pose_make(sp_rot_rpy(0.1, 0.2, 0.3), sp_v3(1, -0.2, 0.5));
  assert_close_pose(joint_of(r, "j").placement, want, 0, 0);
  limb_reading_destroy(r);

  r = read_joint("fixed", "<origin quat_xyzw=\"0 0 0.6 0.8\"/>");
  want = sp_pose_make(sp_rot_axis(sp_v3(0, 0, 1), 2 * asin(0.6)), sp_v3(0, 0, 0));
  assert_close_pose(joint_of(r, "j").placement, want, 1e-15, 0);
  assert_that(notes(r, "normalised", "") == 0);
  limb_reading_destroy(r);

  r = read_joint("fixed", "<origin quat_xyzw=\"0 0 0 1.0005\"/>");
  assert_that(notes(r, "normalised", "'j'") == 1);
  limb_reading_destroy(r);

  r = read_joint("fixed", "<origin rpy=\"0 -45 0\"/>");
  assert_that(warnings(r, "angle-degrees", "'j'") == 1);
  limb_reading_destroy(r);
}
END_TEST

// R I R', about the centre of mass.
START_TEST(inertial_frames)
{
  static const char text[] = "<robot name=\"r\"><link name=\"a\"><inertial>"
                             "<origin xyz=\"1 2 3\" rpy=\"0.4 -0.5 0.6\"/><mass value=\"7\"/>"
                             "<inertia ixx=\"1\" ixy=\"0.1\" ixz=\"0.2\" iyy=\"2\" iyz=\"0.3\" izz=\"2.5\"/>"
                             "</inertial></link></robot>";
  limb_reading* r = read_urdf(text);
  const sp_inertia Y = body_of(r, "a").inertia;
  const sp_mat3 R = sp_rot_rpy(0.4, -0.5, 0.6), in = {{1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5}};
  const sp_mat3 want = sp_mul3(sp_mul3(R, in), sp_transpose3(R));
  const double got[9] = {Y.xx, Y.xy, Y.xz, Y.xy, Y.yy, Y.yz, Y.xz, Y.yz, Y.zz};
  assert_close(Y.mass, 7, 0, 0);
  assert_close_vec3(Y.com, sp_v3(1, 2, 3), 0, 0);
  assert_close_matrix(got, want.m, 3, 3, 1e-15, 0);

  // Where the tag stands, for repairs in place.
  assert_that(r->source.ntag == 1);
  const inertia_tag* t = &r->source.tag[0];
  assert_that(t->body == 0 && strncmp(text + t->byte, "<inertia ixx", 12) == 0);
  assert_that(strncmp(text + t->byte + t->bytes - 2, "/>", 2) == 0);
  assert_close_matrix(t->R, R.m, 3, 3, 0, 0);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(inertias_that_lack_something)
{
  limb_reading* r = read_urdf("<robot name=\"r\"><link name=\"a\"/></robot>");
  assert_close(body_of(r, "a").inertia.mass, 0, 0, 0);
  assert_that(notes(r, "no-inertial", "'a'") == 1 && r->source.ntag == 0);
  limb_reading_destroy(r);

  r = read_urdf("<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"2\"/><inertia ixx=\"1\" "
                "iyy=\"1\" izz=\"1\"/></inertial></link></robot>");
  assert_that(notes(r, "assumed", "'a'") >= 3);
  limb_reading_destroy(r);

  r = read_urdf("<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"2\"/></inertial></link>"
                "</robot>");
  assert_that(warnings(r, "assumed", "'a'") == 1);
  assert_close(body_of(r, "a").inertia.mass, 2, 0, 0);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(limits)
{
  limb_reading* r = read_joint("revolute", LIMIT);
  limb_joint_def j = joint_of(r, "j");
  assert_that(j.q_min == -1 && j.q_max == 2 && j.effort_max == 3 && j.v_max == 4);
  limb_reading_destroy(r);

  r = read_joint("continuous", LIMIT);
  j = joint_of(r, "j");
  assert_that(isinf(j.q_min) && isinf(j.q_max) && j.effort_max == 3 && j.v_max == 4);
  assert_that(notes(r, "ignored", "'j'") == 1);
  limb_reading_destroy(r);

  r = read_joint("prismatic", "");
  j = joint_of(r, "j");
  assert_that(isinf(j.q_min) && isinf(j.effort_max));
  assert_that(warnings(r, "limit-missing", "'j'") == 1);
  limb_reading_destroy(r);

  r = read_joint("prismatic", "<limit effort=\"1\" velocity=\"1\" jerk=\"5\"/>");
  j = joint_of(r, "j");
  assert_that(j.q_min == 0 && j.q_max == 0);
  assert_that(notes(r, "assumed", "'j'") == 2); // the limits and the axis
  assert_that(j.jerk_max == 5 && isinf(j.a_max) && isinf(j.deceleration_max));
  limb_reading_destroy(r);

  r = read_joint("revolute", "<limit lower=\"-1e308\" upper=\"2\" effort=\"inf\" velocity=\"-1\"/>");
  j = joint_of(r, "j");
  assert_that(j.q_min == -HUGE_VAL && j.q_max == 2 && isinf(j.effort_max) && isinf(j.v_max));
  assert_that(warnings(r, "dropped", "'j'") == 1);
  limb_reading_destroy(r);
}
END_TEST

// Limits of URDF 1.2 come back from URDF and limb YAML; a file with them states its version.
START_TEST(limits_of_acceleration)
{
  static const limb_format formats[] = {LIMB_FORMAT_URDF, LIMB_FORMAT_YAML};
  limb_reading* r = read_joint("continuous", "<limit effort=\"9\" velocity=\"3\" acceleration=\"20\" "
                                             "deceleration=\"inf\" jerk=\"500\"/>");
  for (int k = 0; k < 2; k++) {
    page text = written(limb_reading_builder(r), formats[k], NULL);
    limb_reading* again = NULL;
    assert_ok(limb_read_text(text.text, text.size, k ? "a.yaml" : "a.urdf", NULL, &again, NULL));
    const limb_joint_def j = joint_of(again, "j");
    assert_that(j.a_max == 20 && isinf(j.deceleration_max) && j.jerk_max == 500);
    assert_that(k || strstr(text.text, "version=\"1.2\"") != NULL);
    limb_reading_destroy(again);
    free(text.text);
  }
  limb_reading_destroy(r);
}
END_TEST

START_TEST(friction)
{
  limb_reading* r = read_joint("continuous", "<dynamics damping=\"0.5\" friction=\"0.25\"/>");
  const limb_joint_def j = joint_of(r, "j");
  assert_that(j.viscous == 0.5 && j.coulomb == 0.25);
  limb_reading_destroy(r);
  r = read_joint("spherical", "<dynamics damping=\"0.5\"/>" LIMIT);
  assert_that(warnings(r, "dropped", "'j'") == 2);
  limb_reading_destroy(r);
  r = read_joint("fixed", "<dynamics damping=\"0.5\"/>" LIMIT);
  assert_that(notes(r, "ignored", "'j'") == 2 && warnings(r, "dropped", "") == 0);
  limb_reading_destroy(r);
}
END_TEST

#define CHAIN(last)                                                                      \
  "<robot name=\"r\">" LINKS "<joint name=\"j\" type=\"revolute\">" ENDS("a", "b") LIMIT \
    "<mimic joint=\"k\" multiplier=\"-2\" offset=\"0.5\"/></joint>"                      \
    "<joint name=\"k\" type=\"prismatic\">" ENDS("b", "c") LIMIT                         \
    "<mimic joint=\"l\"/></joint>"                                                       \
    "<link name=\"d\"/><joint name=\"l\" type=\"continuous\">" ENDS("c", "d") last "</joint></robot>"

START_TEST(followers)
{
  limb_reading* r = read_urdf(CHAIN(""));
  const limb_joint_def j = joint_of(r, "j"), k = joint_of(r, "k");
  const limb_builder* b = limb_reading_builder(r);
  assert_that(j.mimic == limb_builder_find_joint(b, "k") && j.multiplier == -2 && j.offset == 0.5);
  assert_that(k.mimic == limb_builder_find_joint(b, "l") && k.multiplier == 1 && k.offset == 0);
  limb_model* m = NULL;
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_that(limb_nv(m) == 1);
  limb_model_destroy(m);
  limb_reading_destroy(r);

  limb_read_options opt = limb_default_read_options();
  opt.no_mimic = 1;
  r = read_with(CHAIN(""), &opt);
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
  assert_that(limb_nv(m) == 3 && notes(r, "mimic-freed", "") == 2);
  limb_model_destroy(m);
  limb_reading_destroy(r);
}
END_TEST

// A multiplier of zero: the joint stays at its offset, and is a fixed joint there.
START_TEST(follower_that_never_moves)
{
  static const char text[] = "<robot name=\"r\">" LINKS "<joint name=\"k\" type=\"continuous\">" ENDS(
    "a", "c") "</joint>"
              "<joint name=\"j\" type=\"revolute\"><origin xyz=\"1 0 0\"/>" ENDS("a", "b") LIMIT
    "<axis xyz=\"0 0 2\"/><mimic joint=\"k\" multiplier=\"0\" offset=\"0.7\"/></joint></robot>";
  limb_reading* r = read_urdf(text);
  limb_joint_def j = joint_of(r, "j");
  assert_that(j.type == LIMB_FIXED && warnings(r, "dropped", "'j'") == 1);
  assert_close_pose(j.placement, sp_pose_make(sp_rot_axis(sp_v3(0, 0, 1), 0.7), sp_v3(1, 0, 0)), 1e-15, 0);
  limb_reading_destroy(r);
  limb_read_options opt = limb_default_read_options();
  opt.no_mimic = 1;
  r = read_with(text, &opt);
  j = joint_of(r, "j");
  assert_that(j.type == LIMB_REVOLUTE && j.mimic == -1);
  limb_reading_destroy(r);
}
END_TEST

// ---- actuators, own elements, leftovers -------------------------------------------------------------

// Rotor inertia and gear ratio as Drake has them: n^2 J is added to M.
START_TEST(drake_actuators)
{
#define ACTUATOR(joint, inside) \
  "<transmission name=\"t\"><joint name=\"" joint "\"/><actuator name=\"m\">" inside "</actuator></transmission>"
  static const char text[] = "<robot name=\"r\">" LINKS "<joint name=\"j\" type=\"continuous\">" ENDS(
    "a", "b") "</joint>"
              "<joint name=\"k\" type=\"continuous\">" ENDS("b", "c") "</joint>" ACTUATOR(
                "j", "<drake:rotor_inertia value=\"2.06e-5\"/><drake:gear_ratio value=\"100\"/>")
                ACTUATOR("none", "<drake:rotor_inertia value=\"1\"/>") "</robot>";
  limb_reading* r = read_urdf(text);
  assert_close(joint_of(r, "j").gear_ratio, 100, 0, 0);
  assert_close(joint_of(r, "j").rotor_inertia, 2.06e-5, 0, 0);
  assert_close(joint_of(r, "k").rotor_inertia, 0, 0, 0);
  assert_that(notes(r, "transmission", "joint") == 2 && warnings(r, "dropped", "transmission 't'") == 1);
  limb_reading_destroy(r);
#undef ACTUATOR
}
END_TEST

START_TEST(transmissions)
{
#define GEAR(joint, inside) "<transmission name=\"t\"><joint name=\"" joint "\">" inside
  static const char text[] = "<robot name=\"r\">" LINKS "<joint name=\"j\" type=\"continuous\">" ENDS(
    "a", "b") "<limb rotor_inertia=\"1e-4\"/></joint><joint name=\"k\" "
              "type=\"continuous\">" ENDS("b", "c") "</joint>" GEAR("j", "</joint><actuator "
                                                                         "name=\"m\"><"
                                                                         "mechanicalReduction>-100</"
                                                                         "mechanicalReduction>"
                                                                         "</actuator></transmission>")
                GEAR("k", "</joint><actuator name=\"n\"/><mechanicalReduction>\n  "
                          "1e1\n</mechanicalReduction>"
                          "</transmission>")
                  GEAR("k", "</joint><actuator "
                            "name=\"n\"><mechanicalReduction>3</mechanicalReduction></actuator>"
                            "</transmission>")
                    GEAR("none", "<mechanicalReduction>7</mechanicalReduction></joint></transmission>")
                      GEAR("j", "</joint><actuator "
                                "name=\"m\"><mechanicalReduction>x</mechanicalReduction></actuator>"
                                "</transmission>") "</robot>";
  limb_reading* r = read_urdf(text);
  assert_close(joint_of(r, "j").gear_ratio, -100, 0, 0);
  assert_close(joint_of(r, "k").gear_ratio, 10, 0, 0);
  assert_that(notes(r, "transmission", "joint") == 2);
  assert_that(warnings(r, "dropped", "transmission 't'") == 3); // 3, 7 and x
  assert_that(notes(r, "ignored", "'transmission'") == 1);
  limb_reading_destroy(r);
}
END_TEST

// The parser sees the file in pieces of a megabyte: a value at the seam is still one value.
START_TEST(value_at_a_seam)
{
  static const char head[] = "<robot name=\"r\">" LINKS WELD_C "<joint name=\"j\" "
                             "type=\"continuous\">" ENDS("a", "b") "</joint><!--";
  static const char tail[] = "--><transmission name=\"t\"><joint name=\"j\"/><mechanicalReduction>"
                             "12345</mechanicalReduction></transmission></robot>";
  const size_t seam = 1 << 20, before = strcspn(tail, "1");
  char* text = malloc(seam + sizeof tail);
  assert_that(text != NULL);
  for (size_t i = 0; i <= 5; i++) { // digits in front of the seam
    memset(text, 'x', seam);
    memcpy(text, head, sizeof head - 1);
    memcpy(text + seam - before - i, tail, sizeof tail);
    limb_reading* r = read_urdf(text);
    assert_close(joint_of(r, "j").gear_ratio, 12345, 0, 0);
    limb_reading_destroy(r);
  }
  free(text);
}
END_TEST

START_TEST(own_elements)
{
  static const char text[] = "<robot name=\"r\"><limb gravity=\"1 2 3\" base=\"planar\"/>" LINKS
                             "<joint name=\"j\" type=\"revolute\">" ENDS("a", "b") LIMIT
    "<limb rotor_inertia=\"0.5\" gear_ratio=\"-20\" stiffness=\"3\" rest=\"-0.1\"/></joint>"
    "<joint name=\"k\" type=\"helical\">" ENDS("b", "c") "<limb pitch=\"0.01\"/></joint></robot>";
  limb_reading* r = read_urdf(text);
  const limb_joint_def j = joint_of(r, "j"), k = joint_of(r, "k"), base = joint_of(r, "base");
  assert_that(j.rotor_inertia == 0.5 && j.gear_ratio == -20 && j.stiffness == 3 && j.rest == -0.1);
  assert_that(k.type == LIMB_HELICAL && k.pitch == 0.01 && isinf(k.q_max));
  assert_that(base.type == LIMB_PLANAR);
  assert_close_vec3(limb_builder_gravity(limb_reading_builder(r)), sp_v3(1, 2, 3), 0, 0);
  limb_reading_destroy(r);

  limb_read_options opt = limb_default_read_options();
  opt.base = LIMB_BASE_FLOATING; // what is asked for goes before what the file says
  r = read_with(text, &opt);
  assert_that(joint_of(r, "base").type == LIMB_FREE);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(leftovers_are_told_once)
{
  limb_reading* r = read_urdf("<robot name=\"r\" xmlns:xacro=\"x\"><material name=\"m\"/><gazebo/><gazebo/><links "
                              "name=\"x\"/>"
                              "<links/><link name=\"a\" "
                              "colour=\"red\"><visual/><visual><geometry/></visual><collision/></link>"
                              "<link name=\"b\" colour=\"blue\"><visual/></link><joint name=\"j\" type=\"fixed\">" ENDS(
                                "a", "b") "<safety_controller/><calibration/></joint></robot>");
  assert_that(notes(r, "ignored", "'gazebo'") == 1 && notes(r, "ignored", "'visual'") == 1);
  assert_that(notes(r, "ignored", "'material'") == 1 && notes(r, "ignored", "'collision'") == 1);
  assert_that(notes(r, "ignored", "'calibration'") == 1);
  assert_that(notes(r, "ignored", "'safety_controller'") == 1);
  assert_that(warnings(r, "unknown-tag", "'links'") == 1);
  assert_that(warnings(r, "unknown-tag", "link 'a'") == 1); // its colour
  assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING) == 2);
  limb_finding f = {0};
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++) {
    if (strstr(f.where, "links")) assert_that(strstr(f.text, "did you mean 'link'") != NULL);
  }
  limb_reading_destroy(r);
}
END_TEST

START_TEST(names)
{
  limb_reading* r = read_urdf(
    "<robot><link name=\"a link &amp; more\"/><link name=\"\xc3\xa9 \"/>"
    "<joint name=\"a link &amp; more\" type=\"fixed\">" ENDS("a link &amp; more", "\xc3\xa9 ") "</joint></robot>");
  assert_that(body_of(r, "a link & more").name && body_of(r, "\xc3\xa9 ").name);
  assert_that(joint_of(r, "a link & more").type == LIMB_FIXED);
  assert_that(notes(r, "assumed", "robot") == 1); // it has no name
  limb_reading_destroy(r);
}
END_TEST

START_TEST(versions)
{
  static const char* const known[] = {"1", "1.0", "1.1", "1.2"};
  char text[200];
  for (int i = 0; i < 4; i++) {
    (void)snprintf(text, sizeof text, "<robot name=\"r\" version=\"%s\"><link name=\"a\"/></robot>", known[i]);
    limb_reading* r = read_urdf(text);
    assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING) == 0);
    limb_reading_destroy(r);
  }
}
END_TEST

// A locale with a decimal comma, where the machine has one, changes nothing.
START_TEST(locales)
{
  static const char* const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  int found = 0;
  for (int i = 0; i < 4 && !found; i++) found = setlocale(LC_ALL, commas[i]) != NULL;
  if (!found) printf("skipped: no locale with a decimal comma\n");
  limb_reading* r = read_joint("continuous", "<dynamics damping=\"0.5\"/>");
  assert_close(joint_of(r, "j").viscous, 0.5, 0, 0);
  limb_reading_destroy(r);
  (void)setlocale(LC_ALL, "C");
}
END_TEST

CHECK_MAIN("io/urdf", 1, types_of_joints, planar_axis_is_the_normal, axes, origins, inertial_frames,
           inertias_that_lack_something, limits, limits_of_acceleration, friction, followers, follower_that_never_moves,
           drake_actuators, transmissions, value_at_a_seam, own_elements, leftovers_are_told_once, names, versions,
           locales)
