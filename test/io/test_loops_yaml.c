// Loops in limb YAML: what becomes of each key, in any unit of angles; poses of the cut frames in bodies, in
// frames and by rows; written and read again, the same loops; where joints start.
#include "limb/limb.h"
#include "limb/read.h"

#include "io/faults.h"
#include "io/looped.h"
#include "io/written.h"
#include "io/yaml_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

#define BODIES                                                                              \
  "bodies:\n  - {name: ground, mass: 1, solid: {sphere: 0.1}}\n"                            \
  "  - {name: crank, mass: 1, solid: {sphere: 0.1}}\n"                                      \
  "  - {name: coupler, mass: 1, solid: {sphere: 0.1}}\n"                                    \
  "  - {name: sled, mass: 1, solid: {sphere: 0.1}}\njoints:\n"                              \
  "  - {name: turn, type: revolute, parent: ground, child: crank, axis: [0, 0, 1]"          \
  ", start: " START "}\n"                                                                   \
  "  - {name: elbow, type: revolute, parent: crank, child: coupler, axis: [0, 0, 1]}\n"     \
  "  - {name: slide, type: prismatic, parent: ground, child: sled, axis: [1, 0, 0]"         \
  ", start: 0.25}\n"                                                                        \
  "frames:\n  - {name: tip, body: coupler, xyz: [1, 2, 3], matrix: [0, -1, 0, 1, 0, 0, 0, " \
  "0, 1]}\n"
#define START   "0.5"
#define TOP     "limb: 1\nbase: fixed\n"
#define DEGREES TOP "angles: degrees\n"
#define ENDS    "a: {body: coupler}, b: {body: sled}"

static limb_loop_def loop_of(limb_reading* r, const char* name)
{
  const limb_builder* b = limb_reading_builder(r);
  limb_loop_def def;
  check_at("loop %s", name);
  assert_ok(limb_builder_get_loop(b, limb_builder_find_loop(b, name), &def));
  return def;
}

// ---- keys -------------------------------------------------------------------------------------------

// Every kind by its name, between the bodies that were named, with nothing else set.
START_TEST(kinds)
{
  static const char* const extra[] = {[LIMB_LOOP_LOCK] = ", locked: [move_z, turn_x]",
                                      [LIMB_LOOP_DISTANCE] = ", length: 0.5",
                                      [LIMB_LOOP_WHEEL] = ", radius: 0.1",
                                      [LIMB_LOOP_ROLLING_DISC] = ", radius: 0.2"};
  for (int i = 0; limb_loop_kind_name((limb_loop_kind)i); i++) {
    const limb_loop_kind kind = (limb_loop_kind)i;
    if (kind == LIMB_LOOP_GEAR || kind == LIMB_LOOP_POLYNOMIAL) continue;
    char text[2048];
    const char* more = i < (int)(sizeof extra / sizeof *extra) && extra[i] ? extra[i] : "";
    (void)snprintf(text, sizeof text, TOP BODIES "loops:\n  - {name: c, type: %s, " ENDS "%s}\n",
                   limb_loop_kind_name(kind), more);
    limb_reading* r = read_text(text);
    const limb_loop_def got = loop_of(r, "c");
    limb_loop_def want = limb_default_loop_def("c", kind, 3, 4);
    want.name = got.name;
    if (kind == LIMB_LOOP_LOCK) want.locked = LIMB_TURN_X | LIMB_MOVE_Z;
    if (kind == LIMB_LOOP_DISTANCE) want.length = 0.5;
    if (kind == LIMB_LOOP_WHEEL) want.radius = 0.1;
    if (kind == LIMB_LOOP_ROLLING_DISC) want.radius = 0.2;
    assert_that(got.kind == want.kind && got.body_a == want.body_a && got.body_b == want.body_b);
    assert_that(got.locked == want.locked && got.length == want.length);
    assert_that(got.radius == want.radius && got.joint == -1 && got.other == -1);
    assert_that(got.motion.constraint == 0 && !got.motion.fn && got.motion.constant == 0 && got.motion.rate == 0);
    assert_that(got.motion.amplitude == 0 && got.motion.frequency == 0 && got.motion.phase == 0);
    assert_that(memcmp(&got.pose_a, &want.pose_a, sizeof got.pose_a) == 0);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(relations)
{
  limb_reading* r = read_text(TOP BODIES "loops:\n"
                                         "  - {name: same, type: gear, joint: turn, other: elbow}\n"
                                         "  - {name: gear, type: gear, joint: slide, other: turn, ratio: -2, "
                                         "offset: 0.1, law: {rate: 3}}\n"
                                         "  - {name: cam, type: polynomial, joint: slide, other: elbow, "
                                         "coefficients: [0, 0.1, 0.02]}\n");
  const limb_loop_def same = loop_of(r, "same"), gear = loop_of(r, "gear"), cam = loop_of(r, "cam");
  assert_that(same.joint == 1 && same.other == 2); // the joint of the base comes first
  assert_that(same.coefficient[0] == 0 && same.coefficient[1] == 1);
  assert_that(gear.joint == 3 && gear.other == 1 && gear.motion.rate == 3 && gear.motion.constraint == 0);
  assert_that(gear.coefficient[0] == 0.1 && gear.coefficient[1] == -2);
  assert_that(cam.coefficient[0] == 0 && cam.coefficient[1] == 0.1 && cam.coefficient[2] == 0.02);
  assert_that(cam.coefficient[3] == 0);
  limb_reading_destroy(r);
}
END_TEST

// ---- places -----------------------------------------------------------------------------------------

// In a body, in a frame (which may be a body), and before either is read.
START_TEST(ends)
{
  limb_reading* r =
    read_text(TOP "loops:\n  - {name: c, type: pin, a: {frame: tip, xyz: [0.5, 0, 0]}, b: {body: world, "
                  "rpy: [0, 0, pi/2]}}\n  - {name: d, type: ball, a: {frame: crank, xyz: [0, 1, 0]}, b: "
                  "{frame: world}}\n" BODIES);
  const limb_loop_def c = loop_of(r, "c"), d = loop_of(r, "d");
  limb_frame_info tip;
  assert_ok(limb_builder_get_frame(limb_reading_builder(r), 0, &tip));
  const sp_pose want = sp_compose(tip.pose, sp_pose_make(sp_identity3(), sp_v3(0.5, 0, 0)));
  assert_that(c.body_a == 3 && c.body_b == LIMB_WORLD_BODY);
  assert_close_pose(c.pose_a, want, 0, 0);
  assert_close_vec3(c.pose_a.p, sp_v3(1, 2.5, 3), 1e-15, 0); // the frame's x is y of its body
  assert_close_pose(c.pose_b, sp_pose_make(sp_rot_axis(sp_v3(0, 0, 1), PI / 2), sp_v3(0, 0, 0)), 1e-15, 1e-15);
  assert_that(d.body_a == 2 && d.body_b == LIMB_WORLD_BODY && d.pose_a.p.y == 1);
  limb_reading_destroy(r);
}
END_TEST

// Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r), and Rz(theta) Tz(d) Tx(a) Rx(alpha).
START_TEST(rows)
{
  const sp_vec3 x = {1, 0, 0}, z = {0, 0, 1}, o = {0, 0, 0};
  limb_reading* r =
    read_text(TOP "dh: modified\n" BODIES "loops:\n  - {name: c, type: pin, a: {body: coupler, dh: {gamma: "
                  "0.1, b: 0.2, alpha: 0.3, d: 0.4, theta: 0.5, r: 0.6}}, b: "
                  "{body: sled, dh: {alpha: pi/2, d: 1}}}\n");
  limb_loop_def c = loop_of(r, "c");
  sp_pose want = sp_pose_make(sp_rot_axis(z, 0.1), sp_v3(0, 0, 0.2));
  want = sp_compose(want, sp_pose_make(sp_rot_axis(x, 0.3), o));
  want = sp_compose(want, sp_pose_make(sp_identity3(), sp_v3(0.4, 0, 0)));
  want = sp_compose(want, sp_pose_make(sp_rot_axis(z, 0.5), o));
  want = sp_compose(want, sp_pose_make(sp_identity3(), sp_v3(0, 0, 0.6)));
  assert_close_pose(c.pose_a, want, 1e-15, 1e-15);
  assert_close_pose(c.pose_b, sp_pose_make(sp_rot_axis(x, PI / 2), x), 1e-15, 1e-15);
  limb_reading_destroy(r);

  r = read_text(DEGREES "dh: standard\n" BODIES "loops:\n  - {name: c, type: pin, a: {frame: tip, dh: {theta: 30, d: "
                        "0.2, a: 0.3, alpha: 60}}, b: {body: sled}}\n");
  c = loop_of(r, "c");
  limb_frame_info tip;
  assert_ok(limb_builder_get_frame(limb_reading_builder(r), 0, &tip));
  want = sp_compose(tip.pose, sp_pose_make(sp_rot_axis(z, PI / 6), sp_v3(0, 0, 0.2)));
  want = sp_compose(want, sp_pose_make(sp_identity3(), sp_v3(0.3, 0, 0)));
  want = sp_compose(want, sp_pose_make(sp_rot_axis(x, PI / 3), o));
  assert_close_pose(c.pose_a, want, 1e-15, 1e-15);
  limb_reading_destroy(r);
}
END_TEST

// ---- units ------------------------------------------------------------------------------------------

static void law_in_degrees(const char* loop, double unit)
{
  char text[2048];
  (void)snprintf(text, sizeof text,
                 DEGREES BODIES "loops:\n  - {name: c, %s, constant: 10, rate: 20, "
                                "amplitude: 30, frequency: 2, phase: 90}}\n",
                 loop);
  limb_reading* r = read_text(text);
  const limb_prescribed_motion law = loop_of(r, "c").motion;
  check_at("%s", loop);
  assert_close(law.constant, 10 * unit, 1e-15, 0);
  assert_close(law.rate, 20 * unit, 1e-15, 0);
  assert_close(law.amplitude, 30 * unit, 1e-15, 0);
  assert_that(law.frequency == 2);
  assert_close(law.phase, PI / 2, 1e-15, 0);
  limb_reading_destroy(r);
}

// The rows of rotations come first, in the order of the directions that are locked.
START_TEST(laws)
{
  law_in_degrees("type: pin, " ENDS ", law: {row: 1", PI / 180);
  law_in_degrees("type: pin, " ENDS ", law: {row: 2", 1);
  law_in_degrees("type: slider, " ENDS ", law: {row: 2", PI / 180);
  law_in_degrees("type: lock, locked: [move_z, turn_y], " ENDS ", law: {row: 0", PI / 180);
  law_in_degrees("type: lock, locked: [move_z, turn_y], " ENDS ", law: {row: 1", 1);
  law_in_degrees("type: distance, length: 1, " ENDS ", law: {row: 0", 1);
  law_in_degrees("type: rolling_disc, radius: 1, " ENDS ", law: {row: 2", 1);
  law_in_degrees("type: gear, joint: turn, other: slide, law: {row: 0", PI / 180);
  law_in_degrees("type: gear, joint: slide, other: turn, law: {row: 0", 1);
}
END_TEST

START_TEST(relations_in_degrees)
{
  limb_reading* r =
    read_text(DEGREES BODIES "loops:\n  - {name: a, type: gear, joint: turn, other: elbow, ratio: 2, offset: 90}\n"
                             "  - {name: b, type: gear, joint: slide, other: turn, ratio: 2, offset: 90}\n"
                             "  - {name: c, type: polynomial, joint: turn, other: elbow, coefficients: [1, 2]}\n");
  const limb_loop_def a = loop_of(r, "a"), b = loop_of(r, "b"), c = loop_of(r, "c");
  assert_close(a.coefficient[0], PI / 2, 1e-15, 0);
  assert_that(a.coefficient[1] == 2 && b.coefficient[0] == 90 && b.coefficient[1] == 2);
  assert_that(c.coefficient[0] == 1 && c.coefficient[1] == 2);
  assert_that(!has_finding(r, "assumed", 0, "loop 'a'")); // a ratio of angles has no unit
  assert_that(has_finding(r, "assumed", 0, "loop 'b'") && has_finding(r, "assumed", 0, "loop 'c'"));
  limb_reading_destroy(r);
}
END_TEST

#undef START
#define START "90"

START_TEST(starts)
{
  limb_reading* r = read_text(DEGREES BODIES);
  assert_close(joint_of(r, "turn").start, PI / 2, 1e-15, 0);
  assert_that(joint_of(r, "slide").start == 0.25 && joint_of(r, "elbow").start == 0);
  limb_reading_destroy(r);
}
END_TEST

#undef START
#define START "-pi/2"

START_TEST(starts_in_radians)
{
  limb_reading* r = read_text(TOP BODIES);
  assert_that(joint_of(r, "turn").start == -PI / 2);
  limb_reading_destroy(r);
}
END_TEST

// ---- messages ---------------------------------------------------------------------------------------

// One run tells everything.
START_TEST(all_is_told)
{
  static const char text[] = TOP BODIES "loops:\n  - {name: a, type: pin, a: {body: coupel}, b: {frame: tup}}\n"
                                        "  - {name: b, type: hinge, a: {body: coupler}, b: {body: sled}}\n"
                                        "  - {name: a, type: gear, joint: trun, other: slid}\n"
                                        "  - {name: e, type: distance, a: {body: crank}, b: {body: sled}, radius: 1}\n";
  limb_reading* r = NULL;
  limb_finding f;
  assert_status(limb_read_text(text, strlen(text), "a.limb.yaml", NULL, &r, NULL), LIMB_E_MODEL);
  ck_assert_int_eq(count_findings(r, "undefined-body"), 2);
  assert_that(find_finding(r, "undefined-body", 15, "loop 'a'", &f) && f.column == 29);
  assert_that(strstr(f.text, "did you mean 'coupler'") != NULL);
  assert_that(has_finding(r, "duplicate-name", 17, "loop 'a'"));
  ck_assert_int_eq(count_findings(r, "bad-loop"), 3);
  assert_that(find_finding(r, "bad-loop", 17, "loop 'a'", &f) && strstr(f.text, "'turn'"));
  assert_that(find_finding(r, "bad-value", 0, "loop 'b'", &f) && strstr(f.hint, "pin"));
  assert_that(has_finding(r, "missing-key", 0, "loop 'e'"));
  assert_that(find_finding(r, "bad-loop", 0, "loop 'e'", &f) && strstr(f.text, "radius"));
  limb_reading_destroy(r);
}
END_TEST

// ---- written and read again -------------------------------------------------------------------------

static page write_yaml(const limb_builder* b) { return written(b, LIMB_FORMAT_YAML, NULL); }

// The same loops and starts; and written once more, the same text.
static void round_trip(const limb_builder* b)
{
  page p = write_yaml(b);
  limb_reading* r = read_text(p.text);
  assert_same_loops(b, limb_reading_builder(r), 0);
  for (int i = 0; i < limb_builder_joint_count(b); i++) {
    limb_joint_def x, y;
    assert_ok(limb_builder_get_joint(b, i, &x));
    assert_ok(limb_builder_get_joint(limb_reading_builder(r), i, &y));
    assert_that(x.start == y.start);
  }
  page again = write_yaml(limb_reading_builder(r));
  ck_assert_str_eq(p.text, again.text);
  limb_reading_destroy(r);
  free(p.text);
  free(again.text);
}

START_TEST(round_trips)
{
  for (uint64_t seed = 1; seed <= 20; seed++) {
    limb_builder* b = looped_arm(seed);
    round_trip(b);
    limb_builder_destroy(b);
  }
}
END_TEST

// A model hands its loops on.
START_TEST(through_a_model)
{
  limb_builder *b = looped_arm(7), *c = NULL;
  limb_model* m = NULL;
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_ok(limb_builder_from_model(m, NULL, &c));
  page p = write_yaml(c);
  limb_reading* r = read_text(p.text);
  assert_same_loops(b, limb_reading_builder(r), 1e-15);
  limb_reading_destroy(r);
  free(p.text);
  limb_builder_destroy(c);
  limb_builder_destroy(b);
  limb_model_destroy(m);
}
END_TEST

START_TEST(odd_names_and_laws)
{
  static const char* const name[] = {"yes", "a: b", "#", "\"", "\xc3\xa4", "1"};
  limb_builder* b = looped_arm(3);
  rng r = {4};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    limb_loop_def def = random_loop(&r, b, LIMB_LOOP_PIN, name[i]);
    def.motion = (limb_prescribed_motion){.constraint = (int)i % 2 * 3}; // a row alone, or no law at all
    assert_ok(limb_builder_add_loop(b, &def, NULL, NULL));
  }
  round_trip(b);
  limb_builder_destroy(b);
}
END_TEST

static void law(void* context, double time, double s[3])
{
  (void)context;
  s[0] = time;
  s[1] = 1;
  s[2] = 0;
}

START_TEST(what_no_file_can_hold)
{
  static const limb_format formats[] = {LIMB_FORMAT_YAML, LIMB_FORMAT_URDF};
  for (int i = 0; i < 2; i++) {
    limb_builder* b = looped_arm(5);
    limb_loop_def def = limb_default_loop_def("driven", LIMB_LOOP_PIN, 1, 3);
    limb_error err;
    page p = {0};
    def.motion.fn = law;
    assert_ok(limb_builder_add_loop(b, &def, NULL, NULL));
    assert_status(limb_write(b, formats[i], page_put, &p, NULL, &err), LIMB_E_UNSUPPORTED);
    ck_assert_str_eq(err.where, "driven");
    assert_that(p.size == 0);
    limb_builder_destroy(b);

    b = looped_arm(5);
    def = limb_default_loop_def("a\nb", LIMB_LOOP_PIN, 1, 3);
    assert_ok(limb_builder_add_loop(b, &def, NULL, NULL));
    assert_status(limb_write(b, formats[i], page_put, &p, NULL, &err), LIMB_E_UNSUPPORTED);
    limb_builder_destroy(b);
  }
}
END_TEST

CHECK_MAIN("loops in yaml", 1, kinds, relations, ends, rows, laws, relations_in_degrees, starts, starts_in_radians,
           all_is_told, round_trips, through_a_model, odd_names_and_laws, what_no_file_can_hold)
