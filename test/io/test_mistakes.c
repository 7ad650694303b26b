// What people get wrong, in all languages: each mistake is told for what it is, with a way out, and brings no
// other findings with it that would lead astray.
#include "limb/limb.h"
#include "limb/read.h"

#include "io/faults.h"
#include "support/check.h"
#include "support/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static limb_reading* read_one(limb_format format, const char* text, limb_status status)
{
  limb_reading* r = NULL;
  check_at("%.100s", text);
  const limb_status got = read_as(format, text, strlen(text), &r);
  if (got != status) print_findings(r);
  assert_status(got, status);
  check_reading(r, status);
  return r;
}

// The finding of a rule: its text and its hint hold these words.
static void expect_words(limb_reading* r, const char* rule, const char* text, const char* hint)
{
  limb_finding f = {0};
  if (!find_finding(r, rule, 0, NULL, &f)) print_findings(r);
  assert_that(find_finding(r, rule, 0, NULL, &f) != NULL);
  check_at("%s: %s (%s)", f.rule, f.text, f.hint);
  assert_that(strstr(f.text, text) != NULL);
  assert_that(strstr(f.hint, hint) != NULL);
}

static void expect_text_and_hint(limb_format format, const char* text, limb_status status, const char* rule,
                                 const char* words, const char* hint)
{
  limb_reading* r = read_one(format, text, status);
  expect_words(r, rule, words, hint);
  limb_reading_destroy(r);
}

static void forbid(limb_reading* r, const char* rule)
{
  if (count_findings(r, rule)) print_findings(r);
  ck_assert_int_eq(count_findings(r, rule), 0);
}

// ---- URDF -----------------------------------------------------------------------------------------

#define LINK(name)                                                                    \
  "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0'" \
  " iyy='1' iyz='0' izz='1'/></inertial></link>\n"
#define ENDS  "<parent link='a'/><child link='b'/>"
#define LIMIT "<limit lower='-1' upper='1' effort='1' velocity='1'/>"
#define ARM(more)                                                                      \
  "<robot name='r'>" LINK("a") LINK("b") "<joint name='j' type='revolute'>" ENDS LIMIT \
                                         "<axis xyz='0 0 1'/></joint>\n" more "</robot>\n"

// Before xacro had a namespace; test_xacro.c has xacro as it is.
START_TEST(inclusions_without_a_prefix)
{
  limb_reading* r = read_one(LIMB_FORMAT_URDF, ARM("<include filename='x.urdf'/>"), LIMB_E_MODEL);
  ck_assert_int_eq(count_findings(r, "xacro"), 1);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(own_element_tells_its_attributes)
{
  static const char near[] = "<robot name='r'>" LINK("a")
    LINK("b") "<joint name='j' "
              "type='revolute'>" ENDS LIMIT "<axis xyz='0 0 1'/><limb rotor_inerta='1'/></joint></robot>";
  static const char far[] = "<robot name='r'>" LINK("a")
    LINK("b") "<joint name='j' "
              "type='revolute'>" ENDS LIMIT "<axis xyz='0 0 1'/><limb motor='1'/></joint></robot>";
  expect_text_and_hint(LIMB_FORMAT_URDF, near, LIMB_E_MODEL, "unknown-key", "did you mean 'rotor_inertia'?",
                       "gear_ratio stiffness rest pitch axis2");
  expect_text_and_hint(LIMB_FORMAT_URDF, far, LIMB_E_MODEL, "unknown-key", "'motor'", "rotor_inertia gear_ratio");
  expect_text_and_hint(LIMB_FORMAT_URDF, ARM("<limb gravty='0 0 0'/>"), LIMB_E_MODEL, "unknown-key",
                       "did you mean 'gravity'?", "its attributes are: gravity base");
}
END_TEST

START_TEST(mirrored_products)
{
  static const char instead[] =
    "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyx='0.1' ixz='0'"
    " iyy='1' iyz='0' izz='1'/></inertial></link></robot>";
  static const char also[] =
    "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0'"
    " iyy='1' iyz='0' izz='1' izx='0'/></inertial></link></robot>";
  expect_text_and_hint(LIMB_FORMAT_URDF, instead, LIMB_OK, "unknown-tag", "did you mean 'ixy'?", "");
  expect_text_and_hint(LIMB_FORMAT_URDF, also, LIMB_OK, "unknown-tag", "'ixz' is given", "");
}
END_TEST

// Only the type is wrong: nothing is said that depends on it, but numbers are looked at.
START_TEST(unknown_type_alone)
{
  static const char text[] = "<robot name='r'>" LINK("a") LINK("b")
    LINK("c") "<joint name='j' type='hinge'>" ENDS "<axis xyz='0 0 0'/>" LIMIT
              "<limb rotor_inertia='1'/></joint><joint name='k' type='revolute'><parent link='b'/>"
              "<child link='c'/><axis xyz='0 0 1'/>" LIMIT "<mimic joint='j'/></joint></robot>";
  limb_reading* r = read_one(LIMB_FORMAT_URDF, text, LIMB_E_MODEL);
  ck_assert_int_eq(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING), 1);
  forbid(r, "ignored");
  limb_reading_destroy(r);
  static const char number[] =
    "<robot name='r'>" LINK("a") LINK("b") "<joint name='j' "
                                           "type='hinge'>" ENDS "<limit effort='much'/></joint></robot>";
  expect_text_and_hint(LIMB_FORMAT_URDF, number, LIMB_E_MODEL, "bad-number", "much", "");
}
END_TEST

START_TEST(joint_without_child_alone)
{
  static const char text[] =
    "<robot name='r'>" LINK("a") LINK("b") "<joint name='j' type='fixed'><parent link='a'/></joint></robot>";
  limb_reading* r = read_one(LIMB_FORMAT_URDF, text, LIMB_E_MODEL);
  ck_assert_int_eq(limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR), 1);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(axes_of_any_length)
{
  static const char* const axes[][2] = {
    {"0 3e200 4e200", "5e+200"}, {"3e-200 0 4e-200", "5e-200"}, {"0 2 0", "length 2"}};
  for (int i = 0; i < 3; i++) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "<robot name='r'>" LINK("a") LINK("b") "<joint name='j' type='revolute'>" ENDS LIMIT
                                                          "<axis xyz='%s'/></joint></robot>",
                   axes[i][0]);
    expect_text_and_hint(LIMB_FORMAT_URDF, text, LIMB_OK, "normalised", axes[i][1], "");
  }
  expect_text_and_hint(LIMB_FORMAT_YAML,
                       "limb: 1\nbodies: [{name: a, mass: 1, solid: {rod: 1}}]\njoints:\n  - {name: "
                       "j, type: universal, parent: world, child: a, axis: [0, 3e200, 4e200], "
                       "axis2: [1e200, 0, 0]}\n",
                       LIMB_OK, "normalised", "5e+200", "");
}
END_TEST

// ---- limb YAML ------------------------------------------------------------------------------------

#define YAML_ARM(base, child, body)                                                            \
  "limb: 1\nbase: " base "\nbodies:\n  - {name: a, mass: 1, solid: {rod: 1}}\njoints:\n"       \
  "  - {name: j, type: revolute, parent: world, child: " child ", axis: [0, 0, 1]}\nframes:\n" \
  "  - {name: tip, body: " body "}\n"

START_TEST(base_without_root)
{
  limb_reading* r = read_one(LIMB_FORMAT_YAML, YAML_ARM("fixed", "a", "a"), LIMB_OK);
  assert_that(has_finding(r, "ignored", 2, NULL));
  limb_reading_destroy(r);
  static const char* const moving[] = {YAML_ARM("floating", "a", "b"), YAML_ARM("planar", "a", "b")};
  for (int i = 0; i < 2; i++) {
    r = read_one(LIMB_FORMAT_YAML, moving[i], LIMB_E_MODEL);
    assert_that(has_finding(r, "bad-value", 2, NULL));
    assert_that(has_finding(r, "undefined-body", 8, "frame 'tip'"));
    ck_assert_int_eq(limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR), 2);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(alias_alone)
{
  limb_reading* r = read_one(LIMB_FORMAT_YAML, YAML_ARM("fixed", "*a", "a"), LIMB_E_MODEL);
  ck_assert_int_eq(limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR), 1);
  limb_reading_destroy(r);
  static const char text[] = "limb: 1\nname: &n r\nbodies:\n  - {name: a, mass: 1, solid: {rod: 1}}\njoints:\n"
                             "  - {name: j, type: revolute, parent: *n, child: *n, axis: [0, 0, 1]}\n";
  r = read_one(LIMB_FORMAT_YAML, text, LIMB_E_MODEL);
  forbid(r, "undefined-body");
  ck_assert_int_eq(count_findings(r, "unsupported"), 3);
  ck_assert_int_eq(limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR), 3);
  limb_reading_destroy(r);
}
END_TEST

// ---- the identity ---------------------------------------------------------------------------------

static void expect_plain(const limb_builder* b)
{
  page p = {0};
  assert_ok(limb_write(b, LIMB_FORMAT_YAML, page_put, &p, NULL, NULL));
  check_at("%s", p.text);
  assert_that(strstr(p.text, "matrix") == NULL && strstr(p.text, "pose") == NULL);
  free(p.text);
}

START_TEST(no_rotation_is_written_as_none)
{
  limb_reading* r = read_one(LIMB_FORMAT_URDF,
                             "<robot name='r'>" LINK("a") LINK("b") "<joint name='j' type='fixed'>" ENDS
                                                                    "<origin xyz='0 0 0' rpy='0 0 0'/></joint></robot>",
                             LIMB_OK);
  expect_plain(limb_reading_builder(r));
  limb_reading_destroy(r);
  // also when the caller has made it so
  limb_builder* b = NULL;
  int body = 0;
  const limb_body_def def = limb_default_body_def("a");
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_add_body(b, &def, &body, NULL));
  limb_joint_def joint = limb_default_joint_def("j", LIMB_FIXED, LIMB_WORLD_BODY, body);
  joint.placement.R = sp_rot_rpy(0, 0, 0);
  assert_that(signbit(joint.placement.R.m[6]));
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  expect_plain(b);
  limb_builder_destroy(b);
}
END_TEST

// ---- MJCF and .par --------------------------------------------------------------------------------

#define BODY(inside) "<mujoco><worldbody><body name='a'>" inside "</body></worldbody></mujoco>"

START_TEST(geom_with_a_bad_size_alone)
{
  static const char* const texts[] = {BODY("<geom size='-1'/>"), BODY("<geom size='x'/>"),
                                      BODY("<geom type='box' size='1 2'/>")};
  for (int i = 0; i < 3; i++) {
    limb_reading* r = read_one(LIMB_FORMAT_MJCF, texts[i], LIMB_E_MODEL);
    forbid(r, "derived-inertia");
    forbid(r, "no-inertial");
    ck_assert_int_eq(limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR), 1);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(attributes_of_mjcf_are_suggested)
{
  expect_text_and_hint(LIMB_FORMAT_MJCF, BODY("<joint armture='1'/><geom size='1'/>"), LIMB_OK, "unknown-tag",
                       "did you mean 'armature'?", "");
  expect_text_and_hint(LIMB_FORMAT_MJCF, BODY("<geom size='1' pso='1 2 3'/>"), LIMB_OK, "unknown-tag",
                       "did you mean 'pos'?", "");
}
END_TEST

#define PAR(alpha)                                                                                \
  "NL = 2\nAnt = {0, 1}\nSigma = {0, 0}\nB = {0, 0}\nR = {0, 0}\ngamma = {0, 0}\nAlpha = {" alpha \
  "}\nd = {0, 1}\nMu = {1, 1}\nTheta = {t1, t2}\nXX = {1, 1}\nXY = {0, 0}\nXZ = {0, 0}\n"         \
  "YY = {1, 1}\nYZ = {0, 0}\nZZ = {1, 1}\nMX = {0, 0}\nMY = {0, 0}\nMZ = {0, 0}\nM = {1, 1}\n"    \
  "IA = {0, 0}\nFV = {0, 0}\nFS = {0, 0}\n"

START_TEST(degrees_of_par)
{
  limb_reading* r = read_one(LIMB_FORMAT_PAR, PAR("90, -90"), LIMB_OK);
  expect_words(r, "angle-degrees", "entry 1, '90', is more than one turn", "Pi/2");
  ck_assert_int_eq(count_findings(r, "angle-degrees"), 1);
  limb_reading_destroy(r);
  r = read_one(LIMB_FORMAT_PAR, PAR("Pi/2, -2*Pi"), LIMB_OK);
  forbid(r, "angle-degrees");
  limb_reading_destroy(r);
}
END_TEST

// ---- files that are no models ---------------------------------------------------------------------

static int finds(limb_format format, const char* text, size_t size, const char* rule, const char* says)
{
  limb_read_options opt = limb_default_read_options();
  limb_reading* r = NULL;
  limb_finding f;
  int found = 0;
  opt.format = format;
  (void)!limb_read_text(text, size, "model", &opt, &r, NULL);
  check_at("%.60s: %s", text, says);
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++)
    found += strcmp(f.rule, rule) == 0 && (strstr(f.text, says) || strstr(f.hint, says));
  limb_reading_destroy(r);
  return found;
}

// What a file is, if it is no model, or what is wrong with its form.
START_TEST(what_a_file_is)
{
  static const struct {
    limb_format format;
    const char *text, *rule, *says;
  } cases[] = {
    {LIMB_FORMAT_AUTO, "#usda 1.0\n", "wrong-format", "a scene in USD"},
    {LIMB_FORMAT_AUTO, "solid part\n facet normal 0 0 1\n", "wrong-format", "a mesh (STL)"},
    {LIMB_FORMAT_AUTO, "glTF\2", "wrong-format", "a mesh (glTF)"},
    {LIMB_FORMAT_URDF, "<robot name='r'><group name='arm'/></robot>", "wrong-format", "this is SRDF"},
    {LIMB_FORMAT_URDF, "\n<?xml version='1.0'?><robot name='r'><link name='a'/></robot>", "syntax", "a blank line"},
    {LIMB_FORMAT_MJCF, "<mujoco><default/></mujoco>", "no-body", "another file includes"},
    {LIMB_FORMAT_YAML, "limb: 1\nbodies:\n  - name: a\n   mass: 1\n", "syntax", "check the indentation"},
    {LIMB_FORMAT_YAML, "limb: 1\nbodies: [{name: a, mas: 1}]\n", "unknown-key", "the keys here are: name mass com"},
    {LIMB_FORMAT_YAML, "limb: 1\nbodies: [{name: a, mass: 1}]\njoints: [{name: j, type: fixed, child: a}]\n",
     "missing-key", "or 'antecedent'"},
    {LIMB_FORMAT_MJCF,
     "<mujoco><asset><mesh file='a.stl'/><mesh file='b.stl'/><mesh name='c' file='c.stl'/></asset><worldbody><body>"
     "<joint/><geom type='mesh' mesh='a'/><geom type='mesh' mesh='b'/><geom type='mesh' mesh='c'/></body>"
     "</worldbody></mujoco>",
     "bad-mesh", "3 meshes are missing"},
    {LIMB_FORMAT_MJCF,
     "<mujoco><asset><mesh name='m' file='m.stl'/></asset><worldbody><body><joint/><geom type='mesh' mesh='m'/></body>"
     "</worldbody></mujoco>",
     "bad-mesh", "saveinertial"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_int_eq(finds(cases[i].format, cases[i].text, strlen(cases[i].text), cases[i].rule, cases[i].says), 1);
  char stl[84 + 50] = "exported by a program";
  stl[80] = 1;
  ck_assert_int_eq(finds(LIMB_FORMAT_AUTO, stl, sizeof stl, "wrong-format", "a mesh (STL)"), 1);
}
END_TEST

// MuJoCo ignores limits of free joints, also those of a default class.
START_TEST(free_joints_have_no_limits)
{
  static const char text[] = "<mujoco><default><joint limited='true'/></default><worldbody><body name='a'><joint "
                             "type='free'/><geom size='1'/></body></worldbody></mujoco>";
  limb_read_options opt = limb_default_read_options();
  limb_reading* r = NULL;
  opt.format = LIMB_FORMAT_MJCF;
  assert_ok(limb_read_text(text, strlen(text), "free", &opt, &r, NULL));
  limb_reading_destroy(r);
}
END_TEST

// A mistyped robot, and a sentence for people.
START_TEST(errors_as_lines)
{
  limb_model* m = NULL;
  limb_error err = {0};
  char line[LIMB_ERROR_LINE];
  assert_status(limb_load("pnda", NULL, &m, &err), LIMB_E_IO);
  ck_assert_str_eq(limb_error_line("pnda", &err, line), "pnda: the file cannot be read: no such file, and no built-in "
                                                        "robot of this name; did you mean 'panda'?");
  assert_status(limb_load("no/such.urdf", NULL, &m, &err), LIMB_E_IO);
  ck_assert_str_eq(limb_error_line("no/such.urdf", &err, line), "no/such.urdf: the file cannot be read: no such file");
  err = (limb_error){LIMB_E_MODEL, 3, 7, "joint 'j'", "its axis is zero"};
  ck_assert_str_eq(limb_error_line("a.urdf", &err, line), "a.urdf:3:7: joint 'j': its axis is zero");
  ck_assert_str_eq(limb_error_line("a.urdf", NULL, line), "");
}
END_TEST

// Who loads in one call sees that a file was not read as it stands.
START_TEST(loading_passes_warnings)
{
  limb_model* m = NULL;
  limb_error err = {LIMB_E_MODEL, 3, 7, "joint 'j'", "from another call"};
  char line[LIMB_ERROR_LINE];
  assert_ok(limb_load("panda", NULL, &m, &err));
  ck_assert_str_eq(err.text, "");
  ck_assert_int_eq(err.line, 0);
  limb_model_destroy(m);
  const char* path = LIMB_TEST_DIR "/io/sick/limit-swapped.limb.yaml";
  assert_ok(limb_load(path, NULL, &m, &err));
  ck_assert_int_eq(err.status, LIMB_OK);
  assert_that(strstr(err.where, "joint '") && strstr(err.text, "read without") && err.line > 0);
  assert_that(strlen(limb_error_line(path, &err, line)) > strlen(path));
  limb_model_destroy(m);
  assert_ok(limb_load(path, NULL, &m, NULL));
  limb_model_destroy(m);
}
END_TEST

START_TEST(files_that_are_no_models)
{
  static const struct {
    const char *name, *text, *rule, *words, *hint;
  } cases[] = {
    {"a.urdf", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "wrong-format", "Git LFS", "git lfs pull"},
    {"a.yaml", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "wrong-format", "Git LFS", "git lfs pull"},
    {"a", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "wrong-format", "Git LFS", "git lfs pull"},
    {"a.urdf", "\n<!DOCTYPE html>\n<html><p>x<br></html>", "wrong-format", "web page", "raw"},
    {"a.urdf", "<HTML></HTML>", "wrong-format", "web page", "raw"},
    {"a.urdf", "404: Not Found\n", "wrong-format", "plain text", "error page"},
    {"a.mjcf", "{\"robot\": 1}\n", "wrong-format", "JSON", "made from"},
    {"a.urdf", "<urdf/>", "wrong-format", "<urdf>", "<robot name=...>"},
    {"a.urdf", "<sdf version='1.7'/>", "wrong-format", "SDF", "--from sdf"},
    {"a.xml", "<mujocoinclude><body/></mujocoinclude>", "wrong-format", "must be <mujoco>", "a part of a model"},
    {"a.mjcf", "<robot/>", "wrong-format", "<mujoco>", "--from urdf"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    limb_reading* r = NULL;
    check_at("%s: %s", cases[i].name, cases[i].text);
    assert_status(limb_read_text(cases[i].text, strlen(cases[i].text), cases[i].name, NULL, &r, NULL), LIMB_E_SYNTAX);
    ck_assert_int_eq(limb_findings_count(limb_reading_findings(r)), 1);
    expect_words(r, cases[i].rule, cases[i].words, cases[i].hint);
    limb_reading_destroy(r);
  }
}
END_TEST

// What limb cannot do has many forms: each says what to do about it.
START_TEST(unsupported_things_have_a_hint)
{
  DIR* folder = opendir(LIMB_TEST_DIR "/io/broken");
  int found = 0;
  assert_that(folder != NULL);
  for (const struct dirent* d = readdir(folder); d; d = readdir(folder)) {
    char path[1024];
    limb_reading* r = NULL;
    limb_finding f = {0};
    (void)snprintf(path, sizeof path, "%s/io/broken/%s", LIMB_TEST_DIR, d->d_name);
    const limb_status status = limb_read(path, NULL, &r, NULL);
    for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++) {
      if (strcmp(f.rule, "unsupported") != 0) continue;
      check_at("%s: %s", d->d_name, f.text);
      assert_that(*f.hint != 0);
      assert_that((f.severity < LIMB_ERROR) == (status == LIMB_OK));
      found++;
    }
    limb_reading_destroy(r);
  }
  (void)closedir(folder);
  ck_assert_int_ge(found, 14);
}
END_TEST

CHECK_MAIN("mistakes", 1, inclusions_without_a_prefix, own_element_tells_its_attributes, mirrored_products,
           unknown_type_alone, joint_without_child_alone, axes_of_any_length, base_without_root, alias_alone,
           no_rotation_is_written_as_none, geom_with_a_bad_size_alone, attributes_of_mjcf_are_suggested, degrees_of_par,
           what_a_file_is, free_joints_have_no_limits, errors_as_lines, loading_passes_warnings,
           files_that_are_no_models, unsupported_things_have_a_hint)
