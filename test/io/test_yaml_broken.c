// Faulty limb YAML: a table of files with what is found in them and where, files cut off, and texts made to
// hurt. Whatever comes, there is an answer, and it is an error with a place or a robot.
#include "limb/read.h"

#include "support/check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- files ------------------------------------------------------------------------------------------

typedef struct fault {
  const char* file; // in broken/, without .yaml
  limb_status status;
  const char* rule;
  int line, column;
} fault;

// clang-format off
static const fault faults[] = {
  {"anchor", LIMB_E_MODEL, "unsupported", 7, 10},
  {"axes-alone", LIMB_E_MODEL, "missing-key", 12, 5},
  {"axis-of-fixed", LIMB_E_MODEL, "bad-joint", 19, 5},
  {"axis-zero", LIMB_E_MODEL, "bad-axis", 19, 11},
  {"axis2-missing", LIMB_E_MODEL, "missing-key", 14, 5},
  {"axis2-parallel", LIMB_E_MODEL, "bad-axis", 20, 12},
  {"base-unknown", LIMB_E_MODEL, "bad-value", 3, 7},
  {"base-without-root", LIMB_E_MODEL, "bad-value", 3, 1},
  {"bodies-mapping", LIMB_E_MODEL, "bad-value", 5, 5},
  {"bodies-missing", LIMB_E_MODEL, "missing-key", 1, 1},
  {"bodies-none", LIMB_E_MODEL, "no-body", 4, 9},
  {"body-nameless", LIMB_E_MODEL, "no-name", 9, 5},
  {"body-twice", LIMB_E_MODEL, "duplicate-name", 9, 5},
  {"body-word", LIMB_E_MODEL, "bad-value", 21, 5},
  {"body-world", LIMB_E_MODEL, "duplicate-name", 5, 5},
  {"bracket-open", LIMB_E_SYNTAX, "syntax", 12, 12},
  {"child-missing", LIMB_E_MODEL, "missing-key", 14, 5},
  {"child-world", LIMB_E_MODEL, "bad-joint", 14, 5},
  {"comments", LIMB_E_SYNTAX, "empty-file", 1, 1},
  {"cycle", LIMB_E_MODEL, "cycle", 13, 5},
  {"deep", LIMB_E_SYNTAX, "too-deep", 2, 72},
  {"density-alone", LIMB_E_MODEL, "bad-value", 10, 5},
  {"density-and-mass", LIMB_E_MODEL, "bad-value", 11, 5},
  {"density-of-point", LIMB_E_MODEL, "bad-value", 10, 5},
  {"density-of-rod", LIMB_E_MODEL, "bad-value", 10, 5},
  {"density-zero", LIMB_E_MODEL, "bad-value", 10, 14},
  {"dh-and-axis", LIMB_E_MODEL, "bad-value", 20, 5},
  {"dh-and-pose", LIMB_E_MODEL, "bad-value", 20, 5},
  {"dh-other-form", LIMB_E_MODEL, "unknown-key", 19, 20},
  {"dh-sigma-and-type", LIMB_E_MODEL, "bad-joint", 19, 27},
  {"dh-typeless", LIMB_E_MODEL, "missing-key", 18, 9},
  {"dh-unstated", LIMB_E_MODEL, "missing-key", 18, 5},
  {"documents", LIMB_E_MODEL, "unsupported", 23, 1},
  {"drive-of-fixed", LIMB_E_MODEL, "bad-joint", 19, 5},
  {"drive-of-mimic", LIMB_E_MODEL, "bad-value", 21, 80},
  {"drive-unknown", LIMB_E_MODEL, "bad-value", 20, 12},
  {"elastic-active", LIMB_E_MODEL, "bad-value", 21, 12},
  {"elastic-and-mimic", LIMB_E_MODEL, "bad-value", 21, 5},
  {"elastic-and-rotor", LIMB_E_MODEL, "bad-value", 21, 5},
  {"elastic-and-rotor-of-motor", LIMB_E_MODEL, "bad-value", 21, 5},
  {"elastic-and-spring", LIMB_E_MODEL, "bad-value", 21, 5},
  {"elastic-and-viscous", LIMB_E_MODEL, "bad-value", 21, 28},
  {"elastic-empty", LIMB_E_MODEL, "missing-key", 20, 14},
  {"elastic-inertia-and-motor", LIMB_E_MODEL, "bad-value", 20, 31},
  {"elastic-infinite", LIMB_E_MODEL, "bad-number", 20, 26},
  {"elastic-nan", LIMB_E_MODEL, "bad-number", 20, 37},
  {"elastic-negative", LIMB_E_MODEL, "bad-value", 20, 26},
  {"elastic-of-ball", LIMB_E_MODEL, "bad-joint", 19, 5},
  {"elastic-text", LIMB_E_MODEL, "bad-value", 20, 14},
  {"elastic-unknown", LIMB_E_MODEL, "unknown-key", 20, 31},
  {"frame-like-body", LIMB_E_MODEL, "duplicate-name", 22, 5},
  {"frame-unknown-body", LIMB_E_MODEL, "undefined-body", 22, 5},
  {"gear-zero", LIMB_E_MODEL, "bad-value", 20, 34},
  {"gravity-scalar", LIMB_E_MODEL, "bad-value", 4, 10},
  {"home-and-pose", LIMB_E_MODEL, "bad-value", 20, 5},
  {"home-of-root", LIMB_E_MODEL, "bad-value", 6, 11},
  {"indent", LIMB_E_SYNTAX, "syntax", 11, 4},
  {"inertia-five", LIMB_E_MODEL, "wrong-count", 8, 14},
  {"inertia-moment-missing", LIMB_E_MODEL, "missing-key", 12, 14},
  {"inertia-twice", LIMB_E_MODEL, "bad-value", 13, 5},
  {"key-list", LIMB_E_SYNTAX, "syntax", 10, 7},
  {"key-twice", LIMB_E_MODEL, "duplicate-key", 20, 5},
  {"key-unknown-body", LIMB_E_MODEL, "unknown-key", 10, 5},
  {"key-unknown-limits", LIMB_E_MODEL, "unknown-key", 20, 35},
  {"key-unknown-top", LIMB_E_MODEL, "unknown-key", 4, 1},
  {"limits-of-ball", LIMB_E_MODEL, "bad-joint", 19, 5},
  {"limits-of-continuous", LIMB_E_MODEL, "bad-joint", 20, 5},
  {"list", LIMB_E_SYNTAX, "wrong-format", 1, 1},
  {"loop-body-unknown", LIMB_E_MODEL, "undefined-body", 18, 8},
  {"loop-coefficients-constant", LIMB_E_MODEL, "bad-loop", 16, 5},
  {"loop-coefficients-many", LIMB_E_MODEL, "wrong-count", 16, 76},
  {"loop-dh-and-pose", LIMB_E_MODEL, "bad-value", 19, 24},
  {"loop-dh-sigma", LIMB_E_MODEL, "unknown-key", 19, 37},
  {"loop-dh-unstated", LIMB_E_MODEL, "missing-key", 18, 24},
  {"loop-end-bodiless", LIMB_E_MODEL, "missing-key", 19, 8},
  {"loop-end-both", LIMB_E_MODEL, "bad-value", 18, 24},
  {"loop-end-missing", LIMB_E_MODEL, "missing-key", 16, 5},
  {"loop-end-word", LIMB_E_MODEL, "bad-value", 18, 8},
  {"loop-frame-unknown", LIMB_E_MODEL, "undefined-body", 18, 8},
  {"loop-gear-of-bodies", LIMB_E_MODEL, "bad-loop", 16, 57},
  {"loop-joint-itself", LIMB_E_MODEL, "bad-loop", 16, 5},
  {"loop-joint-missing", LIMB_E_MODEL, "missing-key", 16, 5},
  {"loop-joint-unknown", LIMB_E_MODEL, "bad-loop", 16, 5},
  {"loop-key-unknown", LIMB_E_MODEL, "unknown-key", 20, 5},
  {"loop-law-infinite", LIMB_E_MODEL, "bad-number", 20, 25},
  {"loop-law-row", LIMB_E_MODEL, "bad-number", 20, 16},
  {"loop-law-rowless", LIMB_E_MODEL, "missing-key", 20, 10},
  {"loop-law-unknown", LIMB_E_MODEL, "unknown-key", 20, 19},
  {"loop-length-zero", LIMB_E_MODEL, "bad-value", 20, 13},
  {"loop-locked-empty", LIMB_E_MODEL, "bad-loop", 20, 13},
  {"loop-locked-missing", LIMB_E_MODEL, "missing-key", 16, 5},
  {"loop-locked-of-pin", LIMB_E_MODEL, "bad-loop", 20, 5},
  {"loop-locked-twice", LIMB_E_MODEL, "bad-value", 20, 22},
  {"loop-locked-unknown", LIMB_E_MODEL, "bad-value", 20, 22},
  {"loop-nameless", LIMB_E_MODEL, "no-name", 16, 5},
  {"loop-radius-missing", LIMB_E_MODEL, "missing-key", 16, 5},
  {"loop-radius-negative", LIMB_E_MODEL, "bad-value", 20, 13},
  {"loop-ratio-zero", LIMB_E_MODEL, "bad-value", 16, 64},
  {"loop-same-body", LIMB_E_MODEL, "bad-loop", 16, 5},
  {"loop-twice", LIMB_E_MODEL, "duplicate-name", 20, 5},
  {"loop-type-unknown", LIMB_E_MODEL, "bad-value", 17, 11},
  {"loop-typeless", LIMB_E_MODEL, "missing-key", 16, 5},
  {"loop-word", LIMB_E_MODEL, "bad-value", 16, 5},
  {"loops-mapping", LIMB_E_MODEL, "bad-value", 16, 3},
  {"matrix-mirror", LIMB_E_MODEL, "bad-value", 18, 38},
  {"merge-key", LIMB_E_MODEL, "unknown-key", 10, 5},
  {"mimic-unknown", LIMB_E_MODEL, "mimic-target", 20, 20},
  {"mimic-zero", LIMB_E_MODEL, "bad-value", 20, 39},
  {"motor-axis-zero", LIMB_E_MODEL, "bad-axis", 20, 60},
  {"motor-centre-two", LIMB_E_MODEL, "wrong-count", 20, 62},
  {"motor-effort-negative", LIMB_E_MODEL, "bad-value", 20, 62},
  {"motor-empty", LIMB_E_MODEL, "missing-key", 20, 38},
  {"motor-gear-zero", LIMB_E_MODEL, "bad-value", 20, 60},
  {"motor-inertia-zero", LIMB_E_MODEL, "bad-value", 20, 48},
  {"motor-mass", LIMB_E_MODEL, "bad-value", 20, 54},
  {"motor-massless", LIMB_E_MODEL, "missing-key", 20, 38},
  {"motor-model", LIMB_E_MODEL, "bad-value", 20, 61},
  {"motor-name-taken", LIMB_E_MODEL, "duplicate-name", 21, 38},
  {"motor-text", LIMB_E_MODEL, "bad-value", 20, 38},
  {"motor-unknown", LIMB_E_MODEL, "unknown-key", 20, 54},
  {"number-comma", LIMB_E_MODEL, "wrong-count", 11, 10},
  {"number-huge", LIMB_E_MODEL, "bad-number", 6, 11},
  {"number-list", LIMB_E_MODEL, "bad-number", 6, 11},
  {"number-nan", LIMB_E_MODEL, "bad-number", 20, 56},
  {"number-none", LIMB_E_MODEL, "bad-number", 6, 10},
  {"number-quoted", LIMB_E_MODEL, "bad-number", 6, 11},
  {"number-text", LIMB_E_MODEL, "bad-number", 6, 11},
  {"number-unit", LIMB_E_MODEL, "bad-number", 6, 11},
  {"parameters-and-mass", LIMB_E_MODEL, "bad-value", 10, 5},
  {"parent-missing", LIMB_E_MODEL, "missing-key", 14, 5},
  {"parent-twice", LIMB_E_MODEL, "bad-value", 17, 5},
  {"parent-unknown", LIMB_E_MODEL, "undefined-body", 14, 5},
  {"pi-in-degrees", LIMB_E_MODEL, "bad-number", 19, 39},
  {"pitch-missing", LIMB_E_MODEL, "missing-key", 14, 5},
  {"pitch-of-revolute", LIMB_E_MODEL, "bad-joint", 19, 5},
  {"points-density", LIMB_E_MODEL, "bad-value", 12, 34},
  {"points-empty", LIMB_E_MODEL, "bad-value", 12, 18},
  {"points-massless", LIMB_E_MODEL, "bad-value", 12, 18},
  {"points-negative", LIMB_E_MODEL, "bad-value", 12, 19},
  {"points-short", LIMB_E_MODEL, "wrong-count", 12, 19},
  {"pose-two-rotations", LIMB_E_MODEL, "bad-value", 18, 46},
  {"quaternion-norm", LIMB_E_MODEL, "bad-value", 18, 42},
  {"quote-open", LIMB_E_SYNTAX, "syntax", 23, 1},
  {"rotor-name-of-frame", LIMB_E_MODEL, "duplicate-name", 20, 38},
  {"rotor-name-taken", LIMB_E_MODEL, "duplicate-name", 21, 38},
  {"screw-homeless", LIMB_E_MODEL, "missing-key", 20, 5},
  {"screw-length", LIMB_E_MODEL, "bad-axis", 21, 12},
  {"screw-of-ball", LIMB_E_MODEL, "bad-joint", 21, 5},
  {"screw-pitch", LIMB_E_MODEL, "bad-joint", 21, 12},
  {"screw-unstated", LIMB_E_MODEL, "missing-key", 20, 5},
  {"tendon-joint-unknown", LIMB_E_MODEL, "tendon-target", 23, 5},
  {"tendon-of-ball", LIMB_E_MODEL, "tendon-target", 23, 5},
  {"tendon-coefficient-zero", LIMB_E_MODEL, "tendon-target", 23, 5},
  {"tendon-joints-list", LIMB_E_MODEL, "bad-value", 23, 26},
  {"tendon-jointless", LIMB_E_MODEL, "missing-key", 23, 5},
  {"tendon-stiffness-negative", LIMB_E_MODEL, "bad-value", 23, 52},
  {"tendon-point-body", LIMB_E_MODEL, "tendon-target", 23, 41},
  {"tendon-point-frame", LIMB_E_MODEL, "tendon-target", 23, 41},
  {"tendon-point-bare", LIMB_E_MODEL, "missing-key", 23, 41},
  {"tendon-point-both", LIMB_E_MODEL, "bad-value", 23, 41},
  {"tendon-point-pulley", LIMB_E_MODEL, "bad-number", 23, 48},
  {"tendon-point-alone", LIMB_E_MODEL, "tendon-target", 23, 5},
  {"tendon-points-none", LIMB_E_MODEL, "tendon-target", 23, 26},
  {"spring-of-ball-rest", LIMB_E_MODEL, "bad-joint", 21, 5},
  {"shaft-beside-motor", LIMB_E_MODEL, "shaft-target", 24, 5},
  {"shaft-itself", LIMB_E_MODEL, "shaft-target", 23, 5},
  {"shaft-joint-unknown", LIMB_E_MODEL, "shaft-target", 23, 5},
  {"shaft-jointless", LIMB_E_MODEL, "missing-key", 23, 5},
  {"shaft-motor-of-ball", LIMB_E_MODEL, "shaft-target", 23, 5},
  {"shaft-motorless", LIMB_E_MODEL, "missing-key", 23, 5},
  {"shaft-of-mimic", LIMB_E_MODEL, "shaft-target", 23, 5},
  {"shaft-of-stuck-mimic", LIMB_E_MODEL, "shaft-target", 25, 5},
  {"shaft-ratio-zero", LIMB_E_MODEL, "bad-value", 23, 44},
  {"shaft-stiffness-negative", LIMB_E_MODEL, "bad-value", 23, 48},
  {"shaft-twice", LIMB_E_MODEL, "shaft-target", 24, 5},
  {"shaft-unknown", LIMB_E_MODEL, "unknown-key", 23, 37},
  {"shaft-word", LIMB_E_MODEL, "bad-value", 23, 5},
  {"shafts-mapping", LIMB_E_MODEL, "bad-value", 23, 3},
  {"solid-inner", LIMB_E_MODEL, "bad-value", 12, 30},
  {"solid-massless", LIMB_E_MODEL, "missing-key", 9, 5},
  {"solid-negative", LIMB_E_MODEL, "bad-value", 12, 21},
  {"solid-unknown", LIMB_E_MODEL, "unknown-key", 12, 13},
  {"solids-empty", LIMB_E_MODEL, "bad-value", 10, 5},
  {"solids-mass", LIMB_E_MODEL, "bad-value", 10, 5},
  {"solids-negative", LIMB_E_MODEL, "bad-value", 12, 27},
  {"solids-no-shape", LIMB_E_MODEL, "missing-key", 12, 9},
  {"solids-two-shapes", LIMB_E_MODEL, "bad-value", 12, 21},
  {"solids-weightless", LIMB_E_MODEL, "missing-key", 12, 9},
  {"start-of-ball", LIMB_E_MODEL, "bad-joint", 10, 65},
  {"start-of-mimic", LIMB_E_MODEL, "bad-value", 10, 104},
  {"start-text", LIMB_E_MODEL, "bad-number", 10, 88},
  {"tab", LIMB_E_SYNTAX, "syntax", 11, 1},
  {"tag", LIMB_E_MODEL, "unsupported", 6, 11},
  {"tag-directive", LIMB_E_SYNTAX, "unsupported", 1, 1},
  {"tool-alone", LIMB_E_MODEL, "bad-value", 5, 1},
  {"tool-missing", LIMB_E_MODEL, "missing-key", 1, 1},
  {"two-roots", LIMB_E_MODEL, "several-roots", 5, 5},
  {"type-missing", LIMB_E_MODEL, "missing-key", 14, 5},
  {"type-unknown", LIMB_E_MODEL, "bad-value", 15, 11},
  {"velocity-negative", LIMB_E_MODEL, "bad-value", 20, 45},
  {"version-late", LIMB_E_MODEL, "missing-key", 1, 1},
  {"version-missing", LIMB_E_MODEL, "missing-key", 1, 1},
  {"version-new", LIMB_E_MODEL, "unsupported", 1, 7},
  {"version-text", LIMB_E_MODEL, "bad-number", 1, 7},
  {"xml", LIMB_E_SYNTAX, "wrong-format", 1, 1},
};
// clang-format on

enum { FAULTS = sizeof faults / sizeof faults[0] };

// The finding that the table names, an error.
static int has_fault(limb_findings* f, const fault* want)
{
  limb_finding found;
  for (int i = 0; limb_findings_get(f, i, &found) == LIMB_OK; i++) {
    if (found.severity == LIMB_ERROR && strcmp(found.rule, want->rule) == 0 && found.line == want->line &&
        found.column == want->column && *found.text)
      return 1;
  }
  return 0;
}

START_TEST(broken_files)
{
  for (int i = 0; i < FAULTS; i++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/io/broken/%s.yaml", LIMB_TEST_DIR, faults[i].file);
    limb_reading* r = NULL;
    limb_error err = {0};
    const limb_status status = limb_read(path, NULL, &r, &err);
    check_at("%s.yaml: %d:%d: %s: %s", faults[i].file, err.line, err.column, err.where, err.text);
    assert_status(status, faults[i].status);
    assert_that(has_fault(limb_reading_findings(r), &faults[i]));
    assert_that(err.line > 0 && err.column > 0 && *err.text);
    assert_that(limb_reading_builder(r) == NULL);
    limb_reading_destroy(r);
  }
}
END_TEST

// No file of the folder is left out of the table.
START_TEST(table_is_whole)
{
  DIR* folder = opendir(LIMB_TEST_DIR "/io/broken");
  ck_assert_ptr_nonnull(folder);
  int count = 0;
  for (const struct dirent* d = readdir(folder); d; d = readdir(folder)) {
    const char* end = strrchr(d->d_name, '.');
    count += end && strcmp(end, ".yaml") == 0;
  }
  closedir(folder);
  ck_assert_int_eq(count, FAULTS);
}
END_TEST

// ---- texts ------------------------------------------------------------------------------------------

typedef struct verdict {
  limb_status status;
  char rule[40]; // of the first error, "" when there is none
  int line, column;
} verdict;

static verdict judge(const char* text, size_t size)
{
  limb_read_options opt = limb_default_read_options();
  opt.format = LIMB_FORMAT_YAML;
  limb_reading* r = NULL;
  limb_error err = {0};
  verdict v = {.status = limb_read_text(text, size, "text", &opt, &r, &err)};
  limb_finding f;
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++) {
    if (f.severity < LIMB_ERROR || v.rule[0]) continue;
    snprintf(v.rule, sizeof v.rule, "%s", f.rule);
    v.line = f.line;
    v.column = f.column;
  }
  assert_that((v.status == LIMB_OK) == (limb_reading_builder(r) != NULL));
  assert_that((v.status == LIMB_OK) == (v.rule[0] == 0));
  limb_reading_destroy(r);
  return v;
}

static void expect(const char* text, size_t size, limb_status status, const char* rule, int line, int column)
{
  const verdict v = judge(text, size);
  check_at("%s at %d:%d, status %d", v.rule, v.line, v.column, v.status);
  assert_status(v.status, status);
  ck_assert_str_eq(v.rule, rule);
  ck_assert_int_eq(v.line, line);
  ck_assert_int_eq(v.column, column);
}

static char* load_text(const char* name, size_t* size)
{
  char path[1024];
  snprintf(path, sizeof path, "%s/io/%s", LIMB_TEST_DIR, name);
  FILE* f = fopen(path, "rb");
  ck_assert_ptr_nonnull(f);
  char* text = malloc(1 << 16);
  ck_assert_ptr_nonnull(text);
  *size = fread(text, 1, 1 << 16, f);
  fclose(f);
  return text;
}

// count times a piece of text, after a head.
static char* repeated(const char* head, const char* piece, size_t count, size_t* size)
{
  const size_t first = strlen(head), each = strlen(piece);
  *size = first + count * each;
  char* text = malloc(*size + 1);
  ck_assert_ptr_nonnull(text);
  memcpy(text, head, first);
  for (size_t i = 0; i < count; i++) memcpy(text + first + i * each, piece, each);
  return text;
}

START_TEST(cut_off)
{
  size_t size;
  char* whole = load_text("yaml_good.limb.yaml", &size);
  assert_status(judge(whole, size).status, LIMB_OK);
  int good = 0;
  const size_t step = CHECK_SANITIZED ? 3 : 1;
  for (size_t n = 0; n < size; n += step) { // in a copy of that length, for the sanitizer
    char* part = malloc(n ? n : 1);
    ck_assert_ptr_nonnull(part);
    memcpy(part, whole, n);
    const verdict v = judge(part, n);
    check_at("%zu bytes", n);
    if (v.status == LIMB_OK) good++;
    assert_that(v.status == LIMB_OK || v.status == LIMB_E_SYNTAX || v.status == LIMB_E_MODEL);
    free(part);
  }
  // A robot may end anywhere behind its root and joint, but not in the middle of most lines.
  assert_that(good < (int)(size / step) / 3);
  free(whole);
}
END_TEST

// What is cut in the middle of a line says so, even when the rest is a robot.
START_TEST(no_last_newline)
{
  static const char text[] = "limb: 1\nbase: fixed\nbodies:\n  - {name: a, mass: 0}\njoints: []";
  limb_read_options opt = limb_default_read_options();
  limb_reading* r = NULL;
  assert_ok(limb_read_text(text, sizeof text - 1, "a.yaml", &opt, &r, NULL));
  limb_finding f;
  assert_ok(limb_findings_get(limb_reading_findings(r), 0, &f));
  ck_assert_str_eq(f.rule, "assumed");
  ck_assert_int_eq(f.line, 5);
  limb_reading_destroy(r);
}
END_TEST

#define EXPECT(text, ...) expect(text, sizeof(text) - 1, __VA_ARGS__)

START_TEST(not_text)
{
  EXPECT("limb: 1\nname: \x80\n", LIMB_E_SYNTAX, "not-text", 2, 7);
  EXPECT("limb: 1\nname: \xc3\n", LIMB_E_SYNTAX, "not-text", 2, 7);
  EXPECT("limb: 1\nname: \xc0\xaf\n", LIMB_E_SYNTAX, "not-text", 2, 7);         // overlong
  EXPECT("limb: 1\nname: \xed\xa0\x80\n", LIMB_E_SYNTAX, "not-text", 2, 7);     // half a pair
  EXPECT("limb: 1\nname: \xf5\x80\x80\x80\n", LIMB_E_SYNTAX, "not-text", 2, 7); // too large
  EXPECT("limb: 1\nname: a\0b\n", LIMB_E_SYNTAX, "not-text", 2, 8);
  EXPECT("limb: 1\nname: \x1b[31m\n", LIMB_E_SYNTAX, "not-text", 2, 7);
  EXPECT("\xff\xfel\0i\0m\0b\0", LIMB_E_SYNTAX, "not-text", 1, 1);
  EXPECT("limb: 1\r\nname: \xc3\xa4 \x07\r\n", LIMB_E_SYNTAX, "not-text", 2, 9);
  EXPECT("limb: 1\nname: \"a\\0b\"\nbodies: []\n", LIMB_E_MODEL, "bad-value", 2, 7);
}
END_TEST

// The mark of UTF-8, the ends of lines of other systems, and comments do no harm.
START_TEST(harmless)
{
  static const char text[] = "\xef\xbb\xbf# \xc3\xa4\r\nlimb: 1\r\nbase: fixed\r\nbodies:\r\n"
                             "  - {name: \"\xe2\x9a\x99\", mass: 1, solid: point}\r\n";
  assert_status(judge(text, sizeof text - 1).status, LIMB_OK);
}
END_TEST

START_TEST(nesting)
{
  static const char* const piece[] = {"[", "{a: ", "- ", "? ", "[[[[]],", "{? "};
  const clock_t start = clock();
  for (size_t i = 0; i < sizeof piece / sizeof *piece; i++) {
    size_t size;
    char* text = repeated("limb: 1\nbodies: \n  ", piece[i], 1000000, &size);
    const verdict v = judge(text, size);
    check_at("%s: %s at %d:%d", piece[i], v.rule, v.line, v.column);
    assert_status(v.status, LIMB_E_SYNTAX);
    assert_that(strcmp(v.rule, "too-deep") == 0 || strcmp(v.rule, "syntax") == 0);
    free(text);
  }
  assert_that((double)(clock() - start) / CLOCKS_PER_SEC < 10);
}
END_TEST

// Each alias stands for ten of the one before: nothing is expanded.
START_TEST(alias_bomb)
{
  char text[4096] = "limb: 1\nname: a\na0: &a0 [lol]\n";
  for (int i = 1; i < 30; i++) {
    char line[128];
    int n = snprintf(line, sizeof line, "a%d: &a%d [", i, i);
    for (int k = 0; k < 10; k++) n += snprintf(line + n, sizeof line - (size_t)n, "*a%d, ", i - 1);
    strcat(strcat(text, line), "]\n");
  }
  expect(text, strlen(text), LIMB_E_MODEL, "unknown-key", 3,
         1); // findings are sorted: the key, the anchor
}
END_TEST

START_TEST(numbers)
{
  static const struct {
    const char *mass, *rule;
  } table[] = {{"1e308", ""},
               {"-1e-400", ""},
               {"1e309", "bad-number"},
               {"nan", "bad-number"},
               {".inf", "bad-number"},
               {"inf", "bad-number"},
               {"0x10", "bad-number"},
               {"1_000", "bad-number"},
               {"1.2.3", "bad-number"},
               {"1e", "bad-number"},
               {"--1", "bad-number"},
               {"+1.5", ""},
               {".5", ""},
               {"5.", ""},

               {"1 2", "bad-number"},
               {"1,5", "bad-number"},
               {"true", "bad-number"},
               {"pi", "bad-number"},
               {"~", "bad-number"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char text[256];
    snprintf(text, sizeof text, "limb: 1\nbase: fixed\nbodies:\n  - name: a\n    solid: point\n    mass: %s\n",
             table[i].mass);
    const verdict v = judge(text, strlen(text));
    check_at("%s: %s", table[i].mass, v.rule);
    ck_assert_str_eq(v.rule, table[i].rule);
  }
  // Many digits are a number; a million nines are too large for one.
  size_t size;
  char* long_one =
    repeated("limb: 1\nbase: fixed\nbodies:\n  - name: a\n    solid: point\n    mass: 0.", "3", 100000, &size);
  assert_status(judge(long_one, size).status, LIMB_OK);
  free(long_one);
  long_one = repeated("limb: 1\nbodies:\n  - name: a\n    mass: ", "9", 1000000, &size);
  ck_assert_str_eq(judge(long_one, size).rule, "bad-number");
  free(long_one);
}
END_TEST

START_TEST(garbage)
{
  static const char* const piece[] = {"x",
                                      "a: b\n",
                                      "- - ",
                                      "}",
                                      "\"",
                                      "'",
                                      "#",
                                      "\n",
                                      "|\n",
                                      "%TAG ! b\n",
                                      "{name: a}, ",
                                      "---\n",
                                      "- {name: a, mas: 1}\n",
                                      "- a\n",
                                      "\t",
                                      ": "};
  const size_t bytes = CHECK_SANITIZED ? 1 << 19 : 2 << 20;
  const clock_t start = clock();
  for (size_t i = 0; i < sizeof piece / sizeof *piece; i++) {
    for (int after = 0; after < 2; after++) {
      size_t size;
      char* text = repeated(after ? "limb: 1\nbodies:\n" : "", piece[i], bytes / strlen(piece[i]), &size);
      const verdict v = judge(text, size);
      check_at("'%s' after %d: %s", piece[i], after, v.rule);
      assert_that(v.status != LIMB_OK);
      free(text);
    }
  }
  assert_that((double)(clock() - start) / CLOCKS_PER_SEC < (CHECK_SANITIZED ? 200 : 60));
}
END_TEST

START_TEST(twenty_megabytes)
{
  size_t size;
  char* text = repeated("", "lorem ipsum: [0, 1, {a: b}]\n", 20000000 / 28, &size);
  const verdict v = judge(text, size);
  assert_that(v.status != LIMB_OK);
  free(text);
}
END_TEST

// Many bodies of one name: every one is reported, up to the limit of a list, in time.
START_TEST(many_bodies)
{
  size_t size;
  char* text = repeated("limb: 1\nbodies:\n", "- {name: a, mass: 1, solid: point}\n", 200000, &size);
  expect(text, size, LIMB_E_MODEL, "duplicate-name", 4, 3);
  free(text);
}
END_TEST

// ---- memory -----------------------------------------------------------------------------------------

typedef struct purse {
  int left, blocks;
} purse;

static void* purse_alloc(void* context, size_t size, size_t align)
{
  purse* p = context;
  if (p->left == 0) return NULL;
  p->left--;
  p->blocks++;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void purse_free(void* context, void* memory, size_t size)
{
  (void)size;
  ((purse*)context)->blocks--;
  free(memory);
}

// The allocator fails at the n-th call, for every n: no memory, and none lost.
START_TEST(out_of_memory)
{
  size_t size;
  char* text = load_text("yaml_good.limb.yaml", &size);
  limb_status status = LIMB_E_NOMEM;
  for (int n = 0; n < 1000 && status; n++) {
    purse p = {n, 0};
    const limb_allocator alloc = {purse_alloc, purse_free, &p};
    limb_read_options opt = limb_default_read_options();
    opt.alloc = &alloc;
    limb_reading* r = NULL;
    status = limb_read_text(text, size, "a.yaml", &opt, &r, NULL);
    check_at("%d allocations", n);
    assert_that(status == LIMB_OK || status == LIMB_E_NOMEM);
    assert_that(n > 0 || status == LIMB_E_NOMEM);
    limb_reading_destroy(r);
    ck_assert_int_eq(p.blocks, 0);
  }
  assert_ok(status);
  free(text);
}
END_TEST

CHECK_MAIN("broken yaml", 1, broken_files, table_is_whole, cut_off, no_last_newline, not_text, harmless, nesting,
           alias_bomb, numbers, garbage, twenty_megabytes, many_bodies, out_of_memory)
