// MJCF and SDF: what is written reads back to the same robot, or is refused or reported. MuJoCo itself reads what is
// written in python/tests/test_mujoco.py.
#include "limb/read.h"
#include "limb/study.h"

#include "support/check.h"
#include "support/robots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
  char* bytes;
  size_t size;
} text;

static void add(void* to, const char* more)
{
  text* t = to;
  const size_t n = strlen(more);
  t->bytes = realloc(t->bytes, t->size + n + 1);
  if (!t->bytes) abort();
  memcpy(t->bytes + t->size, more, n + 1);
  t->size += n;
}

static limb_status write(const limb_builder* b, limb_format format, text* out, limb_findings* f, limb_error* err)
{
  *out = (text){calloc(1, 1), 0};
  return limb_write(b, format, add, out, f, err);
}

// A shaft is a tendon in MJCF.
static void add_as_tendon(limb_builder* to, const limb_shaft_def* shaft, int number)
{
  char name[32];
  (void)snprintf(name, sizeof name, "shaft %d", number);
  limb_tendon_def t = limb_default_tendon_def(name);
  t.count = 2, t.joint = (const int[2]){shaft->motor, shaft->joint};
  t.coefficient = (const double[2]){1 / shaft->ratio, -1};
  t.stiffness = shaft->stiffness, t.damping = shaft->damping, t.rest = shaft->rest;
  assert_ok(limb_builder_add_tendon(to, &t, NULL, NULL));
}

// The robot without what these languages do not have: starts, and whether a motor drives a joint.
static limb_model* plain(const limb_model* m)
{
  limb_builder *b = NULL, *to = NULL;
  limb_model* out = NULL;
  assert_ok(limb_builder_from_model(m, NULL, &b));
  assert_ok(limb_builder_create(NULL, &to));
  assert_ok(limb_builder_set_gravity(to, limb_builder_gravity(b)));
  for (int i = 1; i < limb_builder_body_count(b); i++) {
    limb_body_def body;
    assert_ok(limb_builder_get_body(b, i, &body));
    assert_ok(limb_builder_add_body(to, &body, NULL, NULL));
  }
  for (int j = 0; j < limb_builder_joint_count(b); j++) {
    limb_joint_def joint;
    assert_ok(limb_builder_get_joint(b, j, &joint));
    joint.start = 0, joint.drive = LIMB_DRIVE_AUTO;
    if (limb_builder_find_joint(b, "base") < 0 && joint.type == LIMB_FREE && joint.parent == LIMB_WORLD_BODY)
      joint.name = "base"; // of a floating model
    const limb_status s = limb_builder_add_joint(to, &joint, NULL, NULL);
    if (s != LIMB_OK) { // a second one
      assert_ok(limb_builder_get_joint(b, j, &joint));
      assert_ok(limb_builder_add_joint(to, &joint, NULL, NULL));
    }
  }
  for (int i = 0; i < limb_builder_shaft_count(b); i++) {
    limb_shaft_def shaft;
    assert_ok(limb_builder_get_shaft(b, i, &shaft));
    add_as_tendon(to, &shaft, i);
  }
  for (int i = 0; i < limb_builder_tendon_count(b); i++) {
    limb_tendon_def tendon;
    assert_ok(limb_builder_get_tendon(b, i, &tendon));
    assert_ok(limb_builder_add_tendon(to, &tendon, NULL, NULL));
  }
  for (int i = 0; i < limb_builder_loop_count(b); i++) {
    limb_loop_def loop;
    assert_ok(limb_builder_get_loop(b, i, &loop));
    assert_ok(limb_builder_add_loop(to, &loop, NULL, NULL));
  }
  assert_ok(limb_builder_build(to, &out, NULL));
  limb_builder_destroy(b), limb_builder_destroy(to);
  return out;
}

// 1 when it was written as the same robot; 0 when that was refused, or what is missing was reported.
static int there_and_back(const limb_model* m, limb_format format, double tolerance)
{
  limb_builder* b = NULL;
  limb_findings* f = NULL;
  limb_reading* r = NULL;
  limb_error err = {0};
  limb_comparison same = {0};
  text t;
  assert_ok(limb_builder_from_model(m, NULL, &b));
  assert_ok(limb_findings_create(NULL, &f));
  limb_status s = write(b, format, &t, f, &err);
  assert_that(s == LIMB_OK || s == LIMB_E_UNSUPPORTED);
  assert_that(s == LIMB_OK || *err.text);
  const int lost = s != LIMB_OK || limb_findings_count_from(f, LIMB_WARNING) > 0;
  if (s == LIMB_OK) {
    limb_read_options o = limb_default_read_options();
    o.format = format;
    s = limb_read_text(t.bytes, t.size, "robot", &o, &r, &err);
    if (s != LIMB_OK) ck_abort_msg("%s: %s: %s", limb_model_name(m), err.where, err.text);
    limb_model *was = plain(m), *read = NULL;
    assert_ok(limb_builder_build(limb_reading_builder(r), &read, &err));
    limb_model* is = plain(read);
    assert_ok(limb_compare(was, is, 3, &same));
    const int equal = !*same.why && same.tau <= tolerance && same.M <= tolerance;
    if (!equal && !lost)
      ck_abort_msg("%s as %s: %s, M %g, tau %g", limb_model_name(m), limb_format_name(format), same.why, same.M,
                   same.tau);
    limb_model_destroy(was), limb_model_destroy(is), limb_model_destroy(read);
    s = equal ? LIMB_OK : LIMB_E_UNSUPPORTED;
  }
  limb_reading_destroy(r);
  limb_findings_destroy(f);
  limb_builder_destroy(b);
  free(t.bytes);
  return s == LIMB_OK;
}

static const limb_format formats[] = {LIMB_FORMAT_MJCF, LIMB_FORMAT_SDF, LIMB_FORMAT_URDF};

START_TEST(fixtures)
{
  int count = 0, equal = 0;
  const robot* all = robot_table(&count);
  for (int i = 0; i < count; i++) {
    if (all[i].flags & ROBOT_LONG) continue;
    limb_model* m = all[i].make();
    equal += there_and_back(m, formats[_i], 1e-12);
    limb_model_destroy(m);
  }
  assert_that(equal >= 12);
}
END_TEST

START_TEST(built_in)
{
  int equal = 0;
  for (int i = 0; i < limb_robot_count(); i++) {
    limb_robot_info info;
    limb_model* m = NULL;
    assert_ok(limb_get_robot(i, &info));
    if (!info.text) continue; // generated, very long
    assert_ok(limb_load(info.name, NULL, &m, NULL));
    equal += there_and_back(m, formats[_i], 1e-12);
    limb_model_destroy(m);
  }
  assert_that(equal >= 15);
}
END_TEST

// ---- what cannot be said ------------------------------------------------------------------------------

static limb_builder* one_joint(const char* name, limb_joint_type type)
{
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  limb_body_def body = limb_default_body_def(name);
  body.inertia = limb_inertia_box(1, 0.1, 0.2, 0.3);
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  limb_joint_def joint = limb_default_joint_def(name, type, LIMB_WORLD_BODY, 1);
  if (type == LIMB_UNIVERSAL) joint.axis2 = sp_v3(1, 0, 0);
  if (type == LIMB_HELICAL) joint.pitch = 0.1;
  if (type == LIMB_FREE) joint.placement.p = sp_v3(0, 0, 1);
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  return b;
}

START_TEST(types)
{
  static const struct {
    limb_joint_type type;
    int mjcf, sdf;
  } all[] = {{LIMB_REVOLUTE, 1, 1},  {LIMB_PRISMATIC, 1, 1}, {LIMB_HELICAL, 0, 1},   {LIMB_CYLINDRICAL, 1, 0},
             {LIMB_UNIVERSAL, 1, 1}, {LIMB_PLANAR, 1, 0},    {LIMB_SPHERICAL, 1, 1}, {LIMB_FREE, 0, 0}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    limb_builder* b = one_joint("a", all[i].type);
    limb_model* m = NULL;
    assert_ok(limb_builder_build(b, &m, NULL));
    assert_that(there_and_back(m, LIMB_FORMAT_MJCF, 1e-12) == all[i].mjcf);
    assert_that(there_and_back(m, LIMB_FORMAT_SDF, 1e-12) == all[i].sdf);
    limb_model_destroy(m);
    limb_builder_destroy(b);
  }
}
END_TEST

// Armature and damping of joints with several degrees of freedom, and a tendon.
START_TEST(by_directions)
{
  limb_builder* b = one_joint("a", LIMB_SPHERICAL);
  limb_joint_def joint;
  limb_model* m = NULL;
  assert_ok(limb_builder_get_joint(b, 0, &joint));
  for (int k = 0; k < 3; k++) joint.armature[k] = 0.1, joint.damping[k] = 0.3;
  limb_builder* same = NULL;
  assert_ok(limb_builder_create(NULL, &same));
  limb_body_def body;
  assert_ok(limb_builder_get_body(b, 1, &body));
  assert_ok(limb_builder_add_body(same, &body, NULL, NULL));
  assert_ok(limb_builder_add_joint(same, &joint, NULL, NULL));
  body.name = "b";
  limb_joint_def hinge = limb_default_joint_def("b", LIMB_REVOLUTE, 1, 2), slide = hinge;
  assert_ok(limb_builder_add_body(same, &body, NULL, NULL));
  assert_ok(limb_builder_add_joint(same, &hinge, NULL, NULL));
  body.name = slide.name = "c", slide.type = LIMB_PRISMATIC, slide.parent = 2, slide.child = 3;
  assert_ok(limb_builder_add_body(same, &body, NULL, NULL));
  assert_ok(limb_builder_add_joint(same, &slide, NULL, NULL));
  assert_ok(limb_builder_build(same, &m, NULL));
  assert_that(there_and_back(m, LIMB_FORMAT_URDF, 1e-12));
  limb_model_destroy(m);
  joint.stiffness = 5;
  assert_ok(limb_builder_set_joint(same, 0, &joint, NULL));
  assert_ok(limb_builder_build(same, &m, NULL));
  assert_that(there_and_back(m, LIMB_FORMAT_URDF, 1e-12));
  assert_that(there_and_back(m, LIMB_FORMAT_YAML, 1e-12));
  assert_that(there_and_back(m, LIMB_FORMAT_MJCF, 1e-12));
  assert_that(!there_and_back(m, LIMB_FORMAT_SDF, 1e-12)); // reported
  limb_model_destroy(m);
  const limb_tendon_point course[] = {
    {0, {0, 0, 2}, 0.5}, {2, {0.1, 0, 0}, 0}, {3, {0, 0.2, 0}, 0}, {1, {0, 0, 0}, 2}, {3, {1, 0, 0}, 0}};
  limb_tendon_def line = limb_default_tendon_def("line");
  line.points = sizeof course / sizeof *course, line.point = course, line.stiffness = 20, line.damping = 2;
  line.rest = 1.5;
  assert_ok(limb_builder_add_tendon(same, &line, NULL, NULL));
  assert_ok(limb_builder_build(same, &m, NULL));
  assert_that(there_and_back(m, LIMB_FORMAT_MJCF, 1e-12));
  assert_that(there_and_back(m, LIMB_FORMAT_YAML, 1e-12));
  assert_that(!there_and_back(m, LIMB_FORMAT_URDF, 1e-12)); // reported
  limb_model_destroy(m);
  limb_tendon_def rope = limb_default_tendon_def("rope");
  rope.count = 2, rope.joint = (const int[2]){1, 2}, rope.coefficient = (const double[2]){0.2, -1};
  rope.stiffness = 100, rope.damping = 3, rope.rest = 0.4;
  assert_ok(limb_builder_add_tendon(same, &rope, NULL, NULL));
  assert_ok(limb_builder_build(same, &m, NULL));
  assert_that(there_and_back(m, LIMB_FORMAT_MJCF, 1e-12));
  assert_that(!there_and_back(m, LIMB_FORMAT_SDF, 1e-12)); // reported
  limb_model_destroy(m);
  limb_builder_destroy(b), limb_builder_destroy(same);
}
END_TEST

START_TEST(names)
{
  static const char* const odd[] = {"a b", "<a>", "a&b", "a\"b", "\xc3\xa4", "a/b::c", "0"};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    limb_builder* b = one_joint(odd[i], LIMB_REVOLUTE);
    limb_model* m = NULL;
    assert_ok(limb_builder_build(b, &m, NULL));
    assert_that(there_and_back(m, LIMB_FORMAT_MJCF, 1e-12));
    limb_model_destroy(m);
    limb_builder_destroy(b);
  }
  limb_builder* b = one_joint("bell\a", LIMB_REVOLUTE);
  limb_error err = {0};
  text t;
  assert_status(write(b, LIMB_FORMAT_MJCF, &t, NULL, &err), LIMB_E_UNSUPPORTED);
  free(t.bytes);
  assert_status(write(b, LIMB_FORMAT_PAR, &t, NULL, &err), LIMB_E_UNSUPPORTED);
  free(t.bytes);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(deep)
{
  limb_model* m = robot_chain(300);
  assert_that(!there_and_back(m, LIMB_FORMAT_MJCF, 1e-12)); // refused
  limb_model_destroy(m);
  m = robot_chain(CHECK_EFFORT(50, 300, 300));
  assert_that(there_and_back(m, LIMB_FORMAT_SDF, 1e-10));
  limb_model_destroy(m);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const each[] = {fixtures, built_in, NULL};
  const TTest* const once[] = {types, by_directions, names, deep, NULL};
  const int failed = check_run("write_models_each", sizeof formats / sizeof *formats, each);
  return check_run("write_models", 1, once) | failed;
}
