// Faulty MJCF: a table of files with what is found in them and where, files cut off, texts made to hurt, and
// memory that runs out.
#include "io/faults.h"

static const char ending[] = ".mjcf.xml";

// clang-format off
static const fault faults[] = {
  {"unclosed", LIMB_E_SYNTAX, "syntax", 19},
  {"entity", LIMB_E_SYNTAX, "entity-declaration", 1},
  {"include_root", LIMB_E_SYNTAX, "wrong-format", 1},
  {"no_bodies", LIMB_OK, "no-body", 0},
  {"coordinate_global", LIMB_E_MODEL, "unsupported", 2},
  {"angle_unknown", LIMB_E_MODEL, "bad-value", 2},
  {"eulerseq_unknown", LIMB_E_MODEL, "bad-value", 2},
  {"gravity_of_two", LIMB_E_MODEL, "wrong-count", 3},
  {"class_unknown", LIMB_E_MODEL, "bad-value", 11},
  {"class_twice", LIMB_E_MODEL, "duplicate-name", 9},
  {"class_nameless", LIMB_E_MODEL, "no-name", 6},
  {"default_twice", LIMB_E_MODEL, "duplicate-key", 7},
  {"body_twice", LIMB_E_MODEL, "duplicate-name", 14},
  {"joint_twice", LIMB_E_MODEL, "duplicate-name", 15},
  {"body_world", LIMB_E_MODEL, "duplicate-name", 14},
  {"joint_of_world", LIMB_E_MODEL, "bad-joint", 10},
  {"type_unknown", LIMB_E_MODEL, "bad-value", 15},
  {"axis_zero", LIMB_E_MODEL, "bad-axis", 12},
  {"axis_of_two", LIMB_E_MODEL, "wrong-count", 12},
  {"free_inside", LIMB_E_MODEL, "bad-joint", 15},
  {"free_and_hinge", LIMB_E_MODEL, "bad-joint", 12},
  {"range_missing", LIMB_E_MODEL, "missing-key", 12},
  {"damping_negative", LIMB_E_MODEL, "bad-value", 12},
  {"not_a_number", LIMB_E_MODEL, "bad-number", 14},
  {"number_too_large", LIMB_E_MODEL, "bad-number", 14},
  {"decimal_comma", LIMB_E_MODEL, "bad-number", 14},
  {"orientation_twice", LIMB_E_MODEL, "duplicate-key", 14},
  {"quat_zero", LIMB_E_MODEL, "bad-value", 14},
  {"axes_parallel", LIMB_E_MODEL, "bad-value", 14},
  {"inertial_twice", LIMB_E_MODEL, "duplicate-key", 13},
  {"inertial_without_mass", LIMB_E_MODEL, "missing-key", 13},
  {"inertial_without_pos", LIMB_E_MODEL, "missing-key", 13},
  {"inertial_without_inertia", LIMB_E_MODEL, "missing-key", 13},
  {"inertial_full_and_diagonal", LIMB_E_MODEL, "duplicate-key", 13},
  {"inertial_full_and_turned", LIMB_E_MODEL, "bad-value", 13},
  {"geom_without_size", LIMB_E_MODEL, "bad-value", 16},
  {"geom_size_negative", LIMB_E_MODEL, "bad-value", 16},
  {"geom_mass_negative", LIMB_E_MODEL, "bad-value", 16},
  {"geom_size_of_two", LIMB_E_MODEL, "bad-value", 16},
  {"geom_fromto_point", LIMB_E_MODEL, "bad-value", 16},
  {"geom_fromto_sphere", LIMB_E_MODEL, "bad-value", 16},
  {"mesh_needed", LIMB_E_MODEL, "bad-mesh", 16},
  {"mesh_fitted", LIMB_E_MODEL, "bad-mesh", 16},
  {"include", LIMB_E_MODEL, "unreadable", 10},
  {"include_inside", LIMB_E_MODEL, "unreadable", 17},
  {"replicate", LIMB_E_MODEL, "bad-value", 17},
  {"deformable", LIMB_E_MODEL, "unsupported", 10},
  {"connect_empty", LIMB_E_MODEL, "missing-key", 22},
  {"connect_without_anchor", LIMB_E_MODEL, "missing-key", 22},
  {"connect_anchor_nan", LIMB_E_MODEL, "bad-number", 22},
  {"connect_anchor_of_two", LIMB_E_MODEL, "wrong-count", 22},
  {"connect_unknown", LIMB_E_MODEL, "undefined-body", 22},
  {"connect_itself", LIMB_E_MODEL, "bad-loop", 22},
  {"connect_one_site", LIMB_E_MODEL, "missing-key", 22},
  {"connect_site_unknown", LIMB_E_MODEL, "undefined-body", 22},
  {"connect_site_and_body", LIMB_E_MODEL, "duplicate-key", 22},
  {"connect_twice", LIMB_E_MODEL, "duplicate-name", 23},
  {"weld_relpose_of_six", LIMB_E_MODEL, "wrong-count", 22},
  {"weld_relpose_nan", LIMB_E_MODEL, "bad-number", 22},
  {"equality_joint_itself", LIMB_E_MODEL, "bad-loop", 22},
  {"equality_tendon", LIMB_OK, "dropped", 22},
  {"equality_flex", LIMB_E_MODEL, "unsupported", 22},
  {"doubt_equality_inactive", LIMB_OK, "ignored", 22},
  {"doubt_equality_soft", LIMB_OK, "dropped", 22},
  {"doubt_equality_site_actuator", LIMB_OK, "assumed", 22},
  {"equality_unknown", LIMB_E_MODEL, "mimic-target", 22},
  {"equality_no_joint", LIMB_E_MODEL, "missing-key", 22},
  {"inertial_in_frame", LIMB_E_MODEL, "unsupported", 17},
  {"doubt_section", LIMB_OK, "unknown-tag", 10},
  {"doubt_element", LIMB_OK, "unknown-tag", 17},
  {"doubt_attribute", LIMB_OK, "unknown-tag", 12},
  {"doubt_default", LIMB_OK, "unknown-tag", 7},
  {"doubt_gravcomp", LIMB_OK, "dropped", 14},
  {"doubt_mocap", LIMB_OK, "dropped", 14},
  {"doubt_ball_friction", LIMB_OK, "dropped", 15},
  {"doubt_damping_curved", LIMB_OK, "dropped", 12},
  {"doubt_medium", LIMB_OK, "dropped", 3},
  {"doubt_no_damper", LIMB_OK, "dropped", 3},
  {"doubt_no_gravity", LIMB_OK, "assumed", 3},
  {"doubt_tendon", LIMB_OK, "dropped", 22},
  {"doubt_tendon_spatial", LIMB_OK, "dropped", 22},
  {"tendon_unknown", LIMB_E_MODEL, "tendon-target", 22},
  {"tendon_site_unknown", LIMB_E_MODEL, "tendon-target", 22},
  {"tendon_site_alone", LIMB_E_MODEL, "tendon-target", 22},
  {"doubt_actuator", LIMB_OK, "ignored", 21},
  {"doubt_position", LIMB_OK, "dropped", 21},
  {"doubt_inactive", LIMB_OK, "ignored", 21},
  {"doubt_massless", LIMB_OK, "no-inertial", 14},
  {"doubt_site_like_body", LIMB_OK, "assumed", 17},
  {"doubt_site_nameless", LIMB_OK, "ignored", 17},
  {"blank", LIMB_E_SYNTAX, "empty-file", 0},
};
// clang-format on

START_TEST(each_file_is_told_its_fault) { check_faults(faults, sizeof faults / sizeof faults[0], ending); }
END_TEST

static const char* const files[] = {"mjcf/classes.xml", "mjcf/floating.xml", "mjcf/corrected.xml"};

START_TEST(cut_off_anywhere)
{
  for (int i = 0; i < 3; i++) {
    size_t size;
    char* text = file_text(files[i], &size);
    const size_t end = (size_t)(strstr(text, "</mujoco>") - text) + strlen("</mujoco>");
    for (size_t cut = 0; cut < size; cut += 1 + size / 500) { // so also every 1/50
      limb_reading* r = NULL;
      const limb_status status = read_as(LIMB_FORMAT_MJCF, text, cut, &r);
      check_at("%s cut at byte %zu", files[i], cut);
      check_reading(r, status);
      assert_status(status, cut < end ? LIMB_E_SYNTAX : LIMB_OK);
      limb_reading_destroy(r);
    }
    free(text);
  }
}
END_TEST

START_TEST(one_byte_wrong_anywhere)
{
  size_t size;
  char* text = file_text(files[0], &size);
  change_bytes(LIMB_FORMAT_MJCF, text, size, "<>\"'/= x9-.\n\xff");
  free(text);
}
END_TEST

START_TEST(all_offenders_are_listed)
{
  static const char text[] = "<mujoco><compiler angle='grad'/>\n"
                             "<worldbody><body name='a' pos='0 0'>\n"
                             "<joint name='j' axis='0 0 0' damping='much'/>\n"
                             "<inertial mass='1'/>\n"
                             "<body name='a' quat='0 0 0 0'>\n"
                             "<geom size='x'/>\n"
                             "</body></body></worldbody>\n"
                             "<equality><weld/>\n<joint joint1='k'/></equality></mujoco>\n";
  limb_reading* r = NULL;
  assert_status(read_as(LIMB_FORMAT_MJCF, text, sizeof text - 1, &r), LIMB_E_MODEL);
  assert_that(has_finding(r, "bad-value", 1, "element 'compiler'"));
  assert_that(has_finding(r, "wrong-count", 2, "body 'a'"));
  assert_that(has_finding(r, "bad-number", 3, "joint 'j'"));
  assert_that(has_finding(r, "missing-key", 4, "element 'inertial'"));
  assert_that(has_finding(r, "bad-value", 5, "body 'a'"));
  assert_that(has_finding(r, "duplicate-name", 5, "body 'a'"));
  assert_that(has_finding(r, "bad-number", 6, "element 'geom'"));
  assert_that(has_finding(r, "missing-key", 8, "element 'weld'"));
  assert_that(has_finding(r, "mimic-target", 9, "element 'joint'"));
  limb_reading_destroy(r);
}
END_TEST

// ---- texts made to hurt -----------------------------------------------------------------------------

// begin, count times the piece with its number in it, end.
__attribute__((format(printf, 3, 0))) static void repeat(const char* begin, int count, const char* piece,
                                                         const char* end, limb_status status, const char* rule)
{
  const size_t room = strlen(begin) + (size_t)count * (strlen(piece) + 32) + strlen(end) + 1;
  char* text = malloc(room);
  assert_that(text != NULL);
  size_t at = (size_t)snprintf(text, room, "%s", begin);
  for (int i = 0; i < count; i++) at += (size_t)snprintf(text + at, room - at, piece, i, i);
  at += (size_t)snprintf(text + at, room - at, "%s", end);
  expect_text(LIMB_FORMAT_MJCF, text, at, status, rule);
  free(text);
}

#define WORLD "<mujoco><worldbody>"
#define END   "</worldbody></mujoco>"

START_TEST(deep_and_many)
{
  repeat(WORLD, 1000000, "<body>", "", LIMB_E_SYNTAX, "too-deep");
  repeat(WORLD, 50000, "<body name='b%d'><joint name='j%d'/><geom size='1'/></body>\n", END, LIMB_OK,
         "derived-inertia");
  repeat(WORLD, 50000, "<body/>\n", END, LIMB_OK, "no-inertial");
  repeat(WORLD "<body name='a'>", 50000, "<joint name='j%d'/>", "</body>" END, LIMB_OK, "no-inertial");
  repeat(WORLD "<body name='a'>", 50000, "<joint a%d='1' b%d=''/>", "</body>" END, LIMB_OK, "unknown-tag");
  repeat(WORLD, 50000, "<site name='s%d'/>", "<body name='a'/>" END, LIMB_OK, "no-inertial");
  repeat("<mujoco>", 1000, "<default><joint damping='%d'/></default>",
         "<worldbody><body name='a'/></worldbody></mujoco>", LIMB_E_MODEL, "too-deep");
  repeat("<mujoco><default>", 50000, "<default class='c%d'><joint/></default>",
         "</default><worldbody><body name='a'><joint class='c77'/></body></worldbody></mujoco>", LIMB_OK,
         "no-inertial");
  repeat(WORLD "<body name='a'/></worldbody><equality>", 50000, "<joint joint1='a%d'/>", "</equality></mujoco>",
         LIMB_E_MODEL, "mimic-target");
  repeat(WORLD "<body name='a'><joint/></body></worldbody><equality>", 50000, "<connect body1='a' anchor='%d 0 %d'/>",
         "</equality></mujoco>", LIMB_OK, "no-inertial");
}
END_TEST

START_TEST(long_words)
{
  static const char* const shells[] = {WORLD "<body name='",
                                       "'/>" END,
                                       WORLD "<body name='a' ",
                                       "='1'/>" END,
                                       WORLD "<body name='a'><joint axis='",
                                       "'/></body>" END,
                                       WORLD "<body name='a'><",
                                       "/></body>" END,
                                       WORLD "<body name='a' childclass='",
                                       "'/>" END};
  enum { LONG = 70000, SHELLS = sizeof shells / sizeof shells[0] / 2 };
  char* text = malloc(LONG + 1000);
  assert_that(text != NULL);
  for (int i = 0; i < SHELLS; i++) {
    const size_t head = strlen(shells[2 * i]);
    memcpy(text, shells[2 * i], head);
    memset(text + head, 'x', LONG);
    memcpy(text + head + LONG, shells[2 * i + 1], strlen(shells[2 * i + 1]) + 1);
    limb_reading* r = NULL;
    const limb_status status = read_as(LIMB_FORMAT_MJCF, text, strlen(text), &r);
    check_at("%s", shells[2 * i]);
    check_reading(r, status);
    assert_that((status == LIMB_OK) == (i == 1 || i == 3)); // names have a limit
    limb_reading_destroy(r);
  }
  free(text);
}
END_TEST

START_TEST(memory_runs_out)
{
  for (int i = 0; i < 3; i++) {
    size_t size;
    char* text = file_text(files[i], &size);
    starve(LIMB_FORMAT_MJCF, text, size);
    free(text);
  }
}
END_TEST

CHECK_MAIN("mjcf broken", 1, each_file_is_told_its_fault, cut_off_anywhere, one_byte_wrong_anywhere,
           all_offenders_are_listed, deep_and_many, long_words, memory_runs_out)
