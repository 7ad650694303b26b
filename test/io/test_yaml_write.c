// limb YAML written and read again: the same builder, bit for bit, for every fixture robot, for names of all
// kinds and rotations of all kinds.
#include "limb/read.h"

#include "io/elastic_arm.h"
#include "io/looped.h"
#include "io/written.h"
#include "support/rng.h"
#include "support/robots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static page write_yaml(const limb_builder* b) { return written(b, LIMB_FORMAT_YAML, NULL); }

static int same(const void* a, const void* b, size_t size) { return memcmp(a, b, size) == 0; }

// The same numbers; zeros may differ in their sign, which says nothing in a rotation.
static int same_pose(const sp_pose* a, const sp_pose* b)
{
  int equal = same(&a->p, &b->p, sizeof a->p);
  for (int i = 0; i < 9; i++) equal &= a->R.m[i] == b->R.m[i];
  return equal;
}

static void compare_joints(const limb_joint_def* a, const limb_joint_def* b)
{
  check_at("joint %s", a->name);
  ck_assert_str_eq(a->name, b->name);
  assert_that(a->type == b->type && a->parent == b->parent && a->child == b->child);
  assert_that(same_pose(&a->placement, &b->placement));
  const size_t first = offsetof(limb_joint_def, axis), mimic = offsetof(limb_joint_def, mimic);
  assert_that(same((const char*)a + first, (const char*)b + first, mimic - first));
  assert_that(a->mimic == b->mimic && same(&a->multiplier, &b->multiplier, 2 * sizeof(double)));
  assert_that(a->drive == b->drive && a->start == b->start);
}

static void compare(const limb_builder* a, const limb_builder* b)
{
  ck_assert_str_eq(limb_builder_name(a), limb_builder_name(b));
  const sp_vec3 ga = limb_builder_gravity(a), gb = limb_builder_gravity(b);
  assert_that(same(&ga, &gb, sizeof ga));
  ck_assert_int_eq(limb_builder_body_count(a), limb_builder_body_count(b));
  ck_assert_int_eq(limb_builder_joint_count(a), limb_builder_joint_count(b));
  ck_assert_int_eq(limb_builder_frame_count(a), limb_builder_frame_count(b));
  for (int i = 0; i < limb_builder_body_count(a); i++) {
    limb_body_def x, y;
    assert_ok(limb_builder_get_body(a, i, &x));
    assert_ok(limb_builder_get_body(b, i, &y));
    check_at("body %s", x.name);
    ck_assert_str_eq(x.name, y.name);
    assert_that(same(&x.inertia, &y.inertia, sizeof x.inertia));
  }
  for (int i = 0; i < limb_builder_joint_count(a); i++) {
    limb_joint_def x, y;
    assert_ok(limb_builder_get_joint(a, i, &x));
    assert_ok(limb_builder_get_joint(b, i, &y));
    compare_joints(&x, &y);
  }
  ck_assert_int_eq(limb_builder_shaft_count(a), limb_builder_shaft_count(b));
  for (int i = 0; i < limb_builder_shaft_count(a); i++) {
    limb_shaft_def x, y;
    assert_ok(limb_builder_get_shaft(a, i, &x));
    assert_ok(limb_builder_get_shaft(b, i, &y));
    check_at("shaft %d", i);
    assert_that(x.joint == y.joint && x.motor == y.motor);
    assert_that(same(&x.ratio, &y.ratio, sizeof x - offsetof(limb_shaft_def, ratio)));
  }
  assert_same_loops(a, b, 0);
  for (int i = 0; i < limb_builder_frame_count(a); i++) {
    limb_frame_info x, y;
    assert_ok(limb_builder_get_frame(a, i, &x));
    assert_ok(limb_builder_get_frame(b, i, &y));
    check_at("frame %s", x.name);
    ck_assert_str_eq(x.name, y.name);
    assert_that(x.body == y.body && same_pose(&x.pose, &y.pose));
  }
}

// Writes, reads, compares; the text, to be freed.
static char* round_trip(const limb_builder* b)
{
  page p = write_yaml(b);
  limb_reading* r = NULL;
  limb_error err = {0};
  const limb_status status = limb_read_text(p.text, p.size, "written.limb.yaml", NULL, &r, &err);
  check_at("%d:%d: %s: %s\n%.2000s", err.line, err.column, err.where, err.text, p.text);
  assert_ok(status);
  ck_assert_int_eq(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING), 0);
  compare(b, limb_reading_builder(r));
  limb_reading_destroy(r);
  return p.text;
}

START_TEST(fixtures)
{
  int count;
  const robot* table = robot_table(&count);
  for (int i = 0; i < count; i++) {
    limb_model* m = table[i].make();
    limb_builder* b = NULL;
    assert_ok(limb_builder_from_model(m, NULL, &b));
    check_at("%s", table[i].name);
    free(round_trip(b));
    limb_builder_destroy(b);
    limb_model_destroy(m);
  }
}
END_TEST

static limb_builder* one_joint(const char* body, const char* joint, const sp_pose* placement)
{
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  limb_body_def def = limb_default_body_def(body);
  def.inertia = limb_inertia_point(1, sp_v3(0, 0, 0.5));
  assert_ok(limb_builder_add_body(b, &def, NULL, NULL));
  limb_joint_def hinge = limb_default_joint_def(joint, LIMB_REVOLUTE, LIMB_WORLD_BODY, 1);
  if (placement) hinge.placement = *placement;
  assert_ok(limb_builder_add_joint(b, &hinge, NULL, NULL));
  return b;
}

START_TEST(names)
{
  static const char* const name[] = {"arm",
                                     "left_arm/link.1-b",
                                     "1",
                                     "-1.5e3",
                                     "yes",
                                     "No",
                                     "NULL",
                                     "true",
                                     "~",
                                     "a: b",
                                     "#x",
                                     "x #y",
                                     "'",
                                     "\"",
                                     "\\",
                                     "a\\nb",
                                     "- a",
                                     "?",
                                     "[a]",
                                     "{a: b}",
                                     "a,b",
                                     " a ",
                                     "&a",
                                     "*a",
                                     "!a",
                                     "|",
                                     ">",
                                     "%a",
                                     "@a",
                                     "`a",
                                     "...",
                                     "---",
                                     ".inf",
                                     "\xc3\xa4",
                                     "\xe2\x9a\x99",
                                     "\xe2\x80\xa8",
                                     "\xef\xbb\xbf",
                                     "\xf0\x9f\xa4\x96",
                                     "0x10",
                                     "=",
                                     "<<",
                                     "world2",
                                     "nan"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    limb_builder* b = one_joint(name[i], name[i], NULL);
    assert_ok(limb_builder_set_name(b, name[i]));
    const sp_pose at = sp_pose_identity();
    char frame[64] = "f";
    assert_ok(limb_builder_add_frame(b, strcat(frame, name[i]), 1, &at, NULL, NULL));
    free(round_trip(b));
    limb_builder_destroy(b);
  }
}
END_TEST

// What our readers would refuse as a name.
START_TEST(names_refused)
{
  static const char* const name[] = {"\x80", "a\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf8",
                                     "a\nb", "\t",    "\x7f",         "\xc2\x85"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    limb_builder* b = one_joint("a", name[i], NULL);
    page p = {0};
    limb_error err = {0};
    assert_status(limb_write(b, LIMB_FORMAT_YAML, page_put, &p, NULL, &err), LIMB_E_UNSUPPORTED);
    ck_assert_str_eq(err.where, "joint");
    assert_that(p.size == 0);
    limb_builder_destroy(b);
  }
  limb_builder* b = one_joint("a", "j", NULL);
  page p = {0};
  assert_ok(limb_builder_set_name(b, "a\tb"));
  assert_status(limb_write(b, LIMB_FORMAT_YAML, page_put, &p, NULL, NULL), LIMB_E_UNSUPPORTED);
  assert_ok(limb_builder_set_name(b, "\xff"));
  assert_status(limb_write(b, LIMB_FORMAT_YAML, page_put, &p, NULL, NULL), LIMB_E_UNSUPPORTED);
  limb_builder_destroy(b);
}
END_TEST

// Angles that people write stay angles; any other matrix comes back, too.
// Drives, shafts and motors: written out as bodies, joints and shafts, in the order of the builder.
START_TEST(elastic)
{
  limb_builder* b = elastic_arm();
  char* text = round_trip(b);
  static const char* const lines[] = {
    "    drive: passive\n",
    "    drive: active\n",
    "  - name: second_rotor\n",
    "  - name: second_motor\n",
    "\nshafts:\n  - {joint: second, motor: second_motor, ratio: -100.1, stiffness: 5000, damping: ",
    "damping: 0.30000000000000004, rest: 0.1}\n",
    "  - {joint: first, motor: third}\n",
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    check_at("%s in\n%s", lines[i], text);
    assert_that(strstr(text, lines[i]) != NULL);
  }
  free(text);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(rotations)
{
  rng g = {7};
  static const double angle[] = {0, 0.5, -1.25, 0.1, 3.14159265358979323846, 1.57079632679489661923, 2.5, -0.3};
  for (int i = 0; i < 512; i++) {
    const sp_mat3 R = sp_rot_rpy(angle[i & 7], angle[i >> 3 & 7], angle[i >> 6]);
    const sp_pose X = sp_pose_make(R, sp_v3(0.1, -0.0, 1e-300));
    limb_builder* b = one_joint("a", "j", &X);
    free(round_trip(b));
    limb_builder_destroy(b);
  }
  for (int i = 0; i < 200; i++) {
    const sp_pose X = rng_pose(&g, 1);
    limb_builder* b = one_joint("a", "j", &X);
    free(round_trip(b));
    limb_builder_destroy(b);
  }
}
END_TEST

// What is written is what a person would write.
START_TEST(readable)
{
  limb_reading* r = NULL;
  static const char text[] = "limb: 1\nname: arm\nbodies:\n  - {name: upper, mass: 2, solid: "
                             "point}\n  - {name: \"2\", mass: 0}\n"
                             "joints:\n  - {name: j, type: revolute, parent: world, child: upper,"
                             " pose: {xyz: [0, 0, 0.1], rpy: [0.5, 0, pi/2]}, axis: [0, 1, 0],"
                             " limits: {upper: 2}, rotor: {inertia: 1e-4, gear: 50}}\n"
                             "  - {name: k, type: helical, parent: upper, child: 2, pitch: 0.01,"
                             " mimic: {joint: j, offset: 1}}\n"
                             "frames:\n  - {name: tip, body: upper, rpy: [0, 0.25, 0]}\n";
  static const char want[] =
    "# Units: m, kg, s, rad, N, N m. Inertia about the centre of mass: ixx, ixy, ixz, iyy, iyz, "
    "izz.\n"
    "limb: 1\nname: arm\ngravity: [0, 0, -9.81]\n\nbodies:\n"
    "  - name: upper\n    mass: 2\n    solid: point\n"
    "  - name: \"2\"\n    mass: 0\n\njoints:\n"
    "  - name: j\n    type: revolute\n    parent: world\n    child: upper\n"
    "    pose: {xyz: [0, 0, 0.1], rpy: [0.5, 0, pi/2]}\n    axis: [0, 1, 0]\n"
    "    limits: {upper: 2}\n    rotor: {inertia: 0.0001, gear: 50}\n"
    "  - name: k\n    type: helical\n    parent: upper\n    child: \"2\"\n"
    "    axis: [0, 0, 1]\n    pitch: 0.01\n    mimic: {joint: j, offset: 1}\n\nframes:\n"
    "  - {name: tip, body: upper, rpy: [0, 0.25, 0]}\n";
  assert_ok(limb_read_text(text, sizeof text - 1, "a.yaml", NULL, &r, NULL));
  page p = write_yaml(limb_reading_builder(r));
  ck_assert_str_eq(p.text, want);
  free(p.text);
  limb_reading_destroy(r);
}
END_TEST

// An inertia that no body can have is written as it is: the doctor judges, not the writer.
START_TEST(odd_numbers)
{
  limb_builder* b = one_joint("a", "j", NULL);
  const sp_inertia Y = {-0.0, {5e-324, -1.7976931348623157e308, 0.1}, -1, -0.0, 3, 1e22, 123456789012345678.0, 1.0 / 3};
  assert_ok(limb_builder_set_inertia(b, 1, &Y));
  assert_ok(limb_builder_set_gravity(b, sp_v3(-0.0, 1e-5, 9.80665)));
  free(round_trip(b));
  limb_builder_destroy(b);
}
END_TEST

CHECK_MAIN("yaml writer", 1, fixtures, names, names_refused, rotations, readable, odd_numbers, elastic)
