// Faulty URDF: a table of files with what is found in them and where, files cut off, texts made to hurt, and
// memory that runs out. Whatever comes, the answer is an error with a place and a remedy, or a robot.
#include "io/faults.h"
#include "support/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- files ----------------------------------------------------------------------------------------

// clang-format off
static const fault faults[] = {
  {"blank", LIMB_E_SYNTAX, "empty-file", 0},
  {"binary", LIMB_E_SYNTAX, "syntax", 2},
  {"bad_utf8", LIMB_E_SYNTAX, "syntax", 2},
  {"mjcf_inside", LIMB_E_SYNTAX, "wrong-format", 1},
  {"sdf_inside", LIMB_E_SYNTAX, "wrong-format", 2},
  {"html_inside", LIMB_E_SYNTAX, "wrong-format", 1},
  {"unclosed", LIMB_E_SYNTAX, "syntax", 4},
  {"cut_in_tag", LIMB_E_SYNTAX, "syntax", 2},
  {"no_quotes", LIMB_E_SYNTAX, "syntax", 2},
  {"two_trees", LIMB_E_SYNTAX, "syntax", 4},
  {"twice_the_attribute", LIMB_E_SYNTAX, "syntax", 2},
  {"unknown_entity", LIMB_E_SYNTAX, "syntax", 2},
  {"entity_bomb", LIMB_E_SYNTAX, "entity-declaration", 1},
  {"external_entity", LIMB_E_SYNTAX, "entity-declaration", 1},
  {"too_deep", LIMB_E_SYNTAX, "too-deep", 2},
  {"no_link", LIMB_E_MODEL, "no-body", 0},
  {"nameless_link", LIMB_E_MODEL, "no-name", 3},
  {"nameless_joint", LIMB_E_MODEL, "no-name", 4},
  {"same_link_twice", LIMB_E_MODEL, "duplicate-name", 8},
  {"same_joint_twice", LIMB_E_MODEL, "duplicate-name", 9},
  {"undefined_child", LIMB_E_MODEL, "undefined-body", 4},
  {"undefined_parent", LIMB_E_MODEL, "undefined-body", 4},
  {"no_parent", LIMB_E_MODEL, "missing-key", 4},
  {"no_child", LIMB_E_MODEL, "missing-key", 4},
  {"child_without_link", LIMB_E_MODEL, "missing-key", 6},
  {"two_roots", LIMB_E_MODEL, "several-roots", 2},
  {"two_parents", LIMB_E_MODEL, "two-parents", 13},
  {"cycle", LIMB_E_MODEL, "cycle", 3},
  {"own_child", LIMB_E_MODEL, "bad-joint", 9},
  {"loop_empty", LIMB_E_MODEL, "missing-key", 7},
  {"loop_without_type", LIMB_E_MODEL, "missing-key", 7},
  {"loop_nameless", LIMB_E_MODEL, "no-name", 7},
  {"loop_type_unknown", LIMB_E_MODEL, "bad-loop", 7},
  {"loop_type_helical", LIMB_E_MODEL, "bad-loop", 7},
  {"loop_twice", LIMB_E_MODEL, "duplicate-name", 8},
  {"loop_without_link2", LIMB_E_MODEL, "missing-key", 7},
  {"loop_link_unknown", LIMB_E_MODEL, "undefined-body", 8},
  {"loop_link_nameless", LIMB_E_MODEL, "missing-key", 8},
  {"loop_of_itself", LIMB_E_MODEL, "bad-loop", 7},
  {"loop_three_links", LIMB_E_MODEL, "duplicate-key", 7},
  {"loop_three_link1", LIMB_E_MODEL, "duplicate-key", 7},
  {"loop_origin_nan", LIMB_E_MODEL, "bad-number", 8},
  {"loop_pose_nan", LIMB_E_MODEL, "bad-number", 7},
  {"loop_pose_twice", LIMB_E_MODEL, "duplicate-key", 7},
  {"loop_axis_zero", LIMB_E_MODEL, "bad-axis", 7},
  {"loop_axis2_zero", LIMB_E_MODEL, "bad-axis", 7},
  {"loop_of_another_kind", LIMB_E_MODEL, "bad-loop", 7},
  {"loop_without_locked", LIMB_E_MODEL, "missing-key", 7},
  {"loop_locked_unknown", LIMB_E_MODEL, "bad-value", 7},
  {"loop_locked_twice", LIMB_E_MODEL, "bad-value", 7},
  {"loop_locked_empty", LIMB_E_MODEL, "bad-loop", 7},
  {"loop_without_length", LIMB_E_MODEL, "missing-key", 7},
  {"loop_length_negative", LIMB_E_MODEL, "bad-loop", 7},
  {"loop_radius_zero", LIMB_E_MODEL, "bad-loop", 7},
  {"loop_own_mistyped", LIMB_E_MODEL, "unknown-key", 7},
  {"gear_with_links", LIMB_E_MODEL, "bad-loop", 7},
  {"gear_joint_unknown", LIMB_E_MODEL, "bad-loop", 7},
  {"gear_without_other", LIMB_E_MODEL, "missing-key", 7},
  {"gear_of_itself", LIMB_E_MODEL, "bad-loop", 7},
  {"gear_loop_ratio_zero", LIMB_E_MODEL, "bad-loop", 7},
  {"polynomial_of_seven", LIMB_E_MODEL, "wrong-count", 7},
  {"polynomial_nan", LIMB_E_MODEL, "bad-number", 7},
  {"polynomial_constant", LIMB_E_MODEL, "bad-loop", 7},
  {"law_row_too_large", LIMB_E_MODEL, "bad-loop", 7},
  {"law_row_broken", LIMB_E_MODEL, "bad-value", 7},
  {"law_mistyped", LIMB_E_MODEL, "unknown-key", 7},
  {"law_nan", LIMB_E_MODEL, "bad-number", 7},
  {"constraint_without_child", LIMB_E_MODEL, "missing-key", 7},
  {"loop_plus_unknown", LIMB_E_MODEL, "undefined-body", 7},
  {"coupling", LIMB_E_MODEL, "unsupported", 7},
  {"start_of_mimic", LIMB_E_MODEL, "bad-joint", 6},
  {"start_nan", LIMB_E_MODEL, "bad-number", 6},
  {"doubt_loop_two_link1", LIMB_OK, "assumed", 8},
  {"doubt_loop_no_axis", LIMB_OK, "assumed", 7},
  {"doubt_loop_axis_of_ball", LIMB_OK, "ignored", 8},
  {"no_type", LIMB_E_MODEL, "missing-key", 4},
  {"unknown_type", LIMB_E_MODEL, "bad-joint", 4},
  {"zero_axis", LIMB_E_MODEL, "bad-axis", 6},
  {"two_axes", LIMB_E_MODEL, "duplicate-key", 6},
  {"negative_damping", LIMB_E_MODEL, "bad-value", 7},
  {"universal_without_axis2", LIMB_E_MODEL, "bad-axis", 4},
  {"universal_axes_parallel", LIMB_E_MODEL, "bad-joint", 4},
  {"pitch_of_revolute", LIMB_E_MODEL, "bad-joint", 6},
  {"gear_ratio_zero", LIMB_E_MODEL, "bad-value", 6},
  {"own_key_mistyped", LIMB_E_MODEL, "unknown-key", 6},
  {"own_base_unknown", LIMB_E_MODEL, "bad-value", 2},
  {"own_drive_unknown", LIMB_E_MODEL, "bad-value", 6},
  {"own_drive_of_fixed", LIMB_E_MODEL, "bad-joint", 6},
  {"own_drive_of_mimic", LIMB_E_MODEL, "bad-joint", 11},
  {"shaft_without_motor", LIMB_E_MODEL, "missing-key", 3},
  {"shaft_without_joint", LIMB_E_MODEL, "missing-key", 3},
  {"shaft_undefined", LIMB_E_MODEL, "shaft-target", 3},
  {"shaft_ratio_zero", LIMB_E_MODEL, "bad-value", 3},
  {"shaft_damping_negative", LIMB_E_MODEL, "bad-value", 3},
  {"shaft_not_a_number", LIMB_E_MODEL, "bad-number", 3},
  {"shaft_key_mistyped", LIMB_E_MODEL, "unknown-key", 3},
  {"shaft_of_itself", LIMB_E_MODEL, "shaft-target", 3},
  {"mimic_undefined", LIMB_E_MODEL, "mimic-target", 7},
  {"mimic_itself", LIMB_E_MODEL, "mimic-target", 7},
  {"mimic_of_nothing", LIMB_E_MODEL, "missing-key", 7},
  {"mimic_cycle", LIMB_E_MODEL, "mimic-cycle", 7},
  {"xyz_of_two", LIMB_E_MODEL, "wrong-count", 6},
  {"xyz_of_four", LIMB_E_MODEL, "wrong-count", 6},
  {"xyz_empty", LIMB_E_MODEL, "wrong-count", 6},
  {"decimal_comma", LIMB_E_MODEL, "bad-number", 6},
  {"commas_between", LIMB_E_MODEL, "bad-number", 6},
  {"not_a_number", LIMB_E_MODEL, "bad-number", 6},
  {"number_too_large", LIMB_E_MODEL, "bad-number", 6},
  {"number_with_unit", LIMB_E_MODEL, "bad-number", 4},
  {"hexadecimal", LIMB_E_MODEL, "bad-number", 6},
  {"number_on_a_later_line", LIMB_E_MODEL, "bad-number", 8},
  {"rpy_and_quaternion", LIMB_E_MODEL, "duplicate-key", 6},
  {"quaternion_zero", LIMB_E_MODEL, "bad-value", 6},
  {"quaternion_of_three", LIMB_E_MODEL, "wrong-count", 6},
  {"no_mass", LIMB_E_MODEL, "missing-key", 2},
  {"mass_without_value", LIMB_E_MODEL, "missing-key", 3},
  {"inertia_without_izz", LIMB_E_MODEL, "missing-key", 3},
  {"two_inertials", LIMB_E_MODEL, "duplicate-key", 4},
  {"xacro_expression", LIMB_E_MODEL, "xacro", 6},
  {"xacro_argument", LIMB_E_MODEL, "xacro", 2},
  {"xacro_only", LIMB_E_SYNTAX, "xacro", 2},
  {"doubt_mistyped_element", LIMB_OK, "unknown-tag", 7},
  {"doubt_mistyped_attribute", LIMB_OK, "unknown-tag", 7},
  {"doubt_no_limit", LIMB_OK, "limit-missing", 4},
  {"doubt_effort_missing", LIMB_OK, "limit-missing", 7},
  {"doubt_limit_of_floating", LIMB_OK, "dropped", 6},
  {"doubt_mimic_of_planar", LIMB_OK, "dropped", 12},
  {"doubt_multiplier_zero", LIMB_OK, "dropped", 12},
  {"doubt_degrees", LIMB_OK, "angle-degrees", 6},
  {"doubt_version", LIMB_OK, "unsupported", 1},
  {"doubt_long_axis", LIMB_OK, "normalised", 6},
  {"doubt_no_axis", LIMB_OK, "assumed", 4},
  {"doubt_gear_pair", LIMB_OK, "dropped", 8},
  {"doubt_gear_zero", LIMB_OK, "dropped", 8},
};
// clang-format on

START_TEST(each_file_is_told_its_fault) { check_faults(faults, sizeof faults / sizeof faults[0], ".urdf"); }
END_TEST

// ---- texts ----------------------------------------------------------------------------------------

#define MASS_OF_ONE                                                                          \
  "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" " \
  "izz=\"1\"/></inertial>"

static const char good[] =
  "<?xml version=\"1.0\"?>\n"
  "<robot name=\"arm\" version=\"1.2\">\n"
  "  <limb gravity=\"0 0 -9.8\"/>\n"
  "  <link name=\"a\"/>\n"
  "  <link name=\"b\">" MASS_OF_ONE "<visual/></link>\n"
  "  <link name=\"c\">" MASS_OF_ONE "</link>\n"
  "  <joint name=\"j\" type=\"revolute\">\n"
  "    <origin xyz=\"0 0 1\" rpy=\"0 0.5 0\"/><parent link=\"a\"/><child link=\"b\"/>\n"
  "    <axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>\n"
  "    <dynamics damping=\"0.5\" friction=\"0.25\"/><unknown/>\n"
  "  </joint>\n"
  "  <joint name=\"k\" type=\"prismatic\">\n"
  "    <origin quat_xyzw=\"0 0 0 1\"/><parent link=\"b\"/><child link=\"c\"/>\n"
  "    <axis xyz=\"0 2 0\"/><mimic joint=\"j\" multiplier=\"2\" offset=\"1\"/>\n"
  "    <limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/><limb rotor_inertia=\"1\"/>\n"
  "  </joint>\n"
  "  <transmission name=\"t\"><joint name=\"j\"/>\n"
  "    <actuator name=\"m\"><mechanicalReduction>50</mechanicalReduction></actuator>\n"
  "  </transmission>\n"
  "</robot>\n";

START_TEST(cut_off_anywhere)
{
  const size_t size = sizeof good - 1;
  for (size_t cut = 0; cut <= size; cut++) { // every byte, so also every 1/50
    limb_reading* r = NULL;
    const limb_status status = read_as(LIMB_FORMAT_URDF, good, cut, &r);
    check_at("cut at byte %zu", cut);
    assert_that((status == LIMB_OK) == (cut >= size - 1)); // the last byte ends the line
    if (status) assert_status(status, LIMB_E_SYNTAX);
    if (status) assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR) > 0);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(one_byte_wrong_anywhere) { change_bytes(LIMB_FORMAT_URDF, good, sizeof good - 1, "<>\"'/= &x9-.\n\xff"); }
END_TEST

// A text of one piece again and again, with a number in place of %d.
__attribute__((format(printf, 3, 0))) static void page_repeat(page* p, int count, const char* format)
{
  char piece[512];
  for (int i = 0; i < count; i++) {
    (void)snprintf(piece, sizeof piece, format, i, i, i);
    page_put(p, piece);
  }
}

// Reads the page, which it frees: expected status, and a finding of that rule.
static void expect(page* p, limb_status status, const char* rule)
{
  expect_text(LIMB_FORMAT_URDF, p->text, p->size, status, rule);
  free(p->text);
  *p = (page){0};
}

START_TEST(a_million_deep)
{
  page p = {0};
  page_put(&p, "<robot name=\"r\">");
  for (int i = 0; i < 1000000; i++) page_put(&p, "<a>");
  expect(&p, LIMB_E_SYNTAX, "too-deep");
}
END_TEST

// A hundred megabytes are refused at once; a limit of one's own is kept, too.
START_TEST(a_hundred_megabytes_of_links)
{
  static const char line[] = "<link name=\"abcdefgh\"/>\n";
  const size_t size = 100000000, n = sizeof line - 1;
  char* text = malloc(size);
  assert_that(text != NULL);
  for (size_t i = 0; i < size; i++) text[i] = line[i % n];
  memcpy(text, "<robot name=\"r\"> ", 17);
  limb_reading* r = NULL;
  assert_status(read_as(LIMB_FORMAT_URDF, text, size, &r), LIMB_E_IO);
  assert_that(has_finding(r, "too-large", 0, NULL));
  limb_reading_destroy(r);
  free(text);
  limb_read_options opt = limb_default_read_options();
  opt.max_bytes = sizeof good - 2;
  assert_status(limb_read_text(good, sizeof good - 1, "a.urdf", &opt, &r, NULL), LIMB_E_IO);
  limb_reading_destroy(r);
  opt.max_bytes = sizeof good - 1;
  assert_ok(limb_read_text(good, sizeof good - 1, "a.urdf", &opt, &r, NULL));
  limb_reading_destroy(r);
}
END_TEST

// Lists that would take a minute if anything about them were quadratic; errors behind more findings than
// are kept still count.
START_TEST(very_many_faults)
{
  page p = {0};
  const clock_t start = clock();
  page_put(&p, "<robot name=\"r\">\n");
  page_repeat(&p, 100000, "<link name=\"l%d\"/>\n");
  page_put(&p, "</robot>");
  expect(&p, LIMB_E_MODEL, "no-inertial");

  page_put(&p, "<robot name=\"r\"><link name=\"a\"/>\n");
  page_repeat(&p, 100000, "<tag%d attribute%d=\"\"/><same/>");
  page_put(&p, "</robot>");
  expect(&p, LIMB_OK, "unknown-tag");

  page_put(&p, "<robot name=\"r\"><link name=\"a\">\n");
  page_repeat(&p, 50000, "<visual/>\n");
  page_repeat(&p, 50000, "<inertial/>\n");
  page_put(&p, "</link></robot>");
  expect(&p, LIMB_E_MODEL, "duplicate-key");

  page_put(&p, "<robot name=\"r\"><link name=\"a\"/>\n");
  page_repeat(&p, 30000,
              "<link name=\"l%d\"/><joint name=\"j%d\" type=\"revolute\"><parent "
              "link=\"a\"/><child link=\"l%d\"/></joint>\n");
  page_repeat(&p, 30000,
              "<transmission name=\"t%d\"><joint name=\"none%d\"/>"
              "<mechanicalReduction>2</mechanicalReduction></transmission>\n");
  page_put(&p, "</robot>");
  expect(&p, LIMB_OK, "assumed");

  page_put(&p, "<robot name=\"r\"><link name=\"a\"/>\n");
  page_repeat(&p, 12000,
              "<link name=\"l%d\"/><joint name=\"j%d\" type=\"revolute\"><parent link=\"a\"/><child link=\"l%d\"/>"
              "<limit lower=\"1\" upper=\"-1\"/></joint>\n");
  page_put(&p, "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"none\"/></joint></robot>");
  expect(&p, LIMB_E_MODEL, "limit-swapped");

  page_put(&p, "<robot name=\"r\"><limb");
  page_repeat(&p, 50000, " attribute%d=\"\"");
  page_put(&p, "/><link name=\"a\"/></robot>");
  expect(&p, LIMB_E_MODEL, "unknown-key");

  page_put(&p, "<robot name=\"r\">");
  page_repeat(&p, 30000,
              "<link name=\"the_link_%d\"/><joint name=\"j%d\" type=\"fixed\"><parent "
              "link=\"a_link_%d\"/><child link=\"none\"/></joint>\n");
  page_put(&p, "</robot>");
  expect(&p, LIMB_E_MODEL, "undefined-body");

  page_put(&p, "<robot name=\"r\"><link name=\"a\"/>\n");
  page_repeat(&p, 30000,
              "<loop_joint name=\"l%d\" type=\"spherical\"><link1 link=\"a\" xyz=\"%d 0 0\"/>"
              "<link2 link=\"none%d\"/></loop_joint>\n");
  page_put(&p, "</robot>");
  expect(&p, LIMB_E_MODEL, "undefined-body");
  assert_that(clock() - start < 30 * CLOCKS_PER_SEC);
}
END_TEST

// Attributes are looked for in the text of their tag, but not for ever: behind a huge value the first faults
// have their own lines, the others that of the element.
START_TEST(places_in_a_huge_tag)
{
  enum { FAULTS = 100 };
  page p = {0};
  page_put(&p, "<robot name=\"r\">\n<link name=\"a\"/>\n<limb gravity=\"");
  page_repeat(&p, 10000, "%d ");
  page_put(&p, "\"");
  page_repeat(&p, FAULTS, "\nfault%d=\"\"");
  page_put(&p, "/></robot>");
  limb_reading* r = NULL;
  assert_status(read_as(LIMB_FORMAT_URDF, p.text, p.size, &r), LIMB_E_MODEL);
  ck_assert_int_eq(count_findings(r, "unknown-key"), FAULTS);
  assert_that(has_finding(r, "unknown-key", 4, NULL) && has_finding(r, "unknown-key", 5, NULL));
  assert_that(has_finding(r, "unknown-key", 3, NULL)); // where <limb> begins
  assert_that(!has_finding(r, "unknown-key", 3 + FAULTS, NULL));
  limb_reading_destroy(r);
  free(p.text);
}
END_TEST

START_TEST(long_words)
{
  static const char* const shells[] = {
    "<robot name=\"r\"><link name=\"%s\"/></robot>",
    "<robot name=\"r\"><link name=\"a\" %s=\"1\"/></robot>",
    "<robot name=\"r\"><%s/><link name=\"a\"/></robot>",
    "<robot name=\"r\"><limb gravity=\"%s\"/><link name=\"a\"/></robot>",
    "<robot name=\"r\"><limb base=\"%s\"/><link name=\"a\"/></robot>",
    "<robot name=\"r\" version=\"%s\"><link name=\"a\"/></robot>",
    "<robot name=\"r\"><joint type=\"%s\"><child link=\"world\"/></joint></robot>",
  };
  enum { LONG = 70000 };
  char* word = malloc(LONG + 1);
  char* text = malloc(LONG + 500);
  assert_that(word && text);
  memset(word, 'x', LONG);
  word[LONG] = 0;
  for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
    char shell[200]; // in two parts around the word
    (void)snprintf(shell, sizeof shell, "%s", shells[i]);
    char* at = strstr(shell, "%s");
    *at = 0;
    (void)snprintf(text, LONG + 500, "%s%s%s", shell, word, at + 2);
    limb_reading* r = NULL;
    const limb_status status = read_as(LIMB_FORMAT_URDF, text, strlen(text), &r);
    check_at("%s", shells[i]);
    assert_that((status == LIMB_OK) == (i == 1 || i == 2 || i == 5)); // names have a limit
    limb_reading_destroy(r);
  }
  free(word);
  free(text);
}
END_TEST

// ---- all of it ------------------------------------------------------------------------------------

START_TEST(all_offenders_are_listed)
{
  static const char text[] = "<robot name=\"r\">\n"
                             "  <link name=\"a\"/>\n"
                             "  <link name=\"b\"><inertial><mass value=\"heavy\"/></inertial></link>\n"
                             "  <link name=\"c\"/>\n"
                             "  <link name=\"c\"/>\n"
                             "  <joint name=\"j\" type=\"revolving\">\n"
                             "    <parent link=\"aa\"/><child link=\"b\"/>\n"
                             "    <origin xyz=\"1 2\" rpy=\"a b c\"/>\n"
                             "  </joint>\n"
                             "  <joint name=\"k\" type=\"prismatic\">\n"
                             "    <parent link=\"a\"/><child link=\"c\"/>\n"
                             "    <axis xyz=\"0 0 0\"/>\n"
                             "    <mimic joint=\"none\"/>\n"
                             "  </joint>\n"
                             "</robot>\n";
  limb_reading* r = NULL;
  assert_status(read_as(LIMB_FORMAT_URDF, text, sizeof text - 1, &r), LIMB_E_MODEL);
  assert_that(has_finding(r, "bad-number", 3, NULL));
  assert_that(has_finding(r, "duplicate-name", 5, NULL));
  assert_that(has_finding(r, "bad-joint", 6, NULL));
  assert_that(has_finding(r, "undefined-body", 6, NULL));
  assert_that(has_finding(r, "bad-number", 8, NULL));
  assert_that(has_finding(r, "bad-axis", 12, NULL));
  assert_that(has_finding(r, "mimic-target", 13, NULL));
  assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR) >= 8);
  limb_reading_destroy(r);
}
END_TEST

// ---- memory ---------------------------------------------------------------------------------------

START_TEST(memory_that_runs_out) { starve(LIMB_FORMAT_URDF, good, sizeof good - 1); }
END_TEST

CHECK_MAIN("io/urdf_broken", 1, each_file_is_told_its_fault, cut_off_anywhere, one_byte_wrong_anywhere, a_million_deep,
           a_hundred_megabytes_of_links, very_many_faults, places_in_a_huge_tag, long_words, all_offenders_are_listed,
           memory_that_runs_out)
