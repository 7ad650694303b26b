// SYMORO .par files: both dialects, expressions and symbols, what is assumed and what is reported, faulty
// files, texts made to hurt.
#include "io/built.h"
#include "io/faults.h"
#include "io/written.h"
#include "support/rng.h"

#include <math.h>

#define PI 3.14159265358979323846

#define TOL_SAME 1e-13

static const char ending[] = ".par";

// clang-format off
static const fault faults[] = {
  {"comment_open", LIMB_E_SYNTAX, "syntax", 29},
  {"list_open", LIMB_E_SYNTAX, "syntax", 9},
  {"list_open_at_end", LIMB_E_SYNTAX, "syntax", 28},
  {"entry_empty", LIMB_E_SYNTAX, "syntax", 21},
  {"comma_too_many", LIMB_E_SYNTAX, "syntax", 21},
  {"no_equals", LIMB_E_SYNTAX, "syntax", 3},
  {"nothing_behind", LIMB_E_SYNTAX, "syntax", 3},
  {"no_braces", LIMB_E_SYNTAX, "syntax", 9},
  {"stray_brace", LIMB_E_SYNTAX, "syntax", 6},
  {"list_twice", LIMB_E_SYNTAX, "duplicate-key", 19},
  {"value_twice", LIMB_E_SYNTAX, "duplicate-key", 6},
  {"no_links", LIMB_E_MODEL, "missing-key", 0},
  {"links_zero", LIMB_E_MODEL, "bad-value", 2},
  {"links_huge", LIMB_E_MODEL, "wrong-count", 6},
  {"links_broken", LIMB_E_MODEL, "bad-value", 2},
  {"type_unknown", LIMB_E_MODEL, "bad-value", 5},
  {"frames_more", LIMB_E_MODEL, "bad-value", 3},
  {"doubt_type_closed", LIMB_OK, "assumed", 5},
  {"cut_with_motor", LIMB_E_MODEL, "bad-loop", 16},
  {"cut_frame_moves", LIMB_E_MODEL, "bad-value", 10},
  {"cut_on_itself", LIMB_E_MODEL, "bad-loop", 9},
  {"cut_on_cut", LIMB_E_MODEL, "bad-value", 9},
  {"cut_frame_of_itself", LIMB_E_MODEL, "bad-value", 9},
  {"cut_link_unknown", LIMB_E_MODEL, "bad-value", 9},
  {"cut_nan", LIMB_E_MODEL, "bad-value", 12},
  {"cut_frame_missing", LIMB_E_MODEL, "bad-value", 5},
  {"joints_less", LIMB_E_MODEL, "bad-value", 5},
  {"doubt_type_tree", LIMB_OK, "assumed", 6},
  {"doubt_cut_spring", LIMB_OK, "dropped", 19},
  {"cut_frames_cycle", LIMB_E_MODEL, "cycle", 9},
  {"list_missing", LIMB_E_MODEL, "missing-key", 0},
  {"list_too_short", LIMB_E_MODEL, "wrong-count", 20},
  {"list_too_long", LIMB_E_MODEL, "wrong-count", 12},
  {"gravity_of_two", LIMB_E_MODEL, "wrong-count", 28},
  {"antecedent_unknown", LIMB_E_MODEL, "bad-value", 6},
  {"antecedent_itself", LIMB_E_MODEL, "bad-value", 6},
  {"antecedent_cycle", LIMB_E_MODEL, "cycle", 0},
  {"antecedent_broken", LIMB_E_MODEL, "bad-value", 6},
  {"sigma_unknown", LIMB_E_MODEL, "bad-value", 7},
  {"mu_unknown", LIMB_E_MODEL, "bad-value", 13},
  {"symbol_without_value", LIMB_E_MODEL, "missing-key", 9},
  {"symbol_by_itself", LIMB_E_MODEL, "bad-value", 11},
  {"symbol_twice", LIMB_E_SYNTAX, "duplicate-key", 11},
  {"symbol_of_symbol", LIMB_E_MODEL, "missing-key", 10},
  {"number_wrong", LIMB_E_MODEL, "wrong-count", 9},
  {"number_with_comma", LIMB_E_MODEL, "bad-number", 21},
  {"number_infinite", LIMB_E_MODEL, "bad-number", 21},
  {"number_nan", LIMB_E_MODEL, "missing-key", 21},
  {"function_unknown", LIMB_E_MODEL, "bad-number", 12},
  {"function_of_variable", LIMB_E_MODEL, "bad-value", 14},
  {"parenthesis_open", LIMB_E_MODEL, "bad-number", 12},
  {"division_by_zero", LIMB_E_MODEL, "bad-value", 12},
  {"variable_with_factor", LIMB_E_MODEL, "bad-joint", 14},
  {"variable_squared", LIMB_E_MODEL, "bad-value", 14},
  {"two_variables", LIMB_E_MODEL, "missing-key", 14},
  {"variable_of_another", LIMB_E_MODEL, "unsupported", 14},
  {"root_of_minus_one", LIMB_E_MODEL, "bad-number", 21},
  {"rotor_negative", LIMB_E_MODEL, "bad-value", 25},
  {"friction_negative", LIMB_E_MODEL, "bad-value", 26},
  {"grouped_parameters", LIMB_E_MODEL, "unsupported", 24},
  {"base_no_pose", LIMB_E_MODEL, "bad-value", 29},
  {"base_mirrored", LIMB_E_MODEL, "bad-value", 29},
  {"doubt_unknown_list", LIMB_OK, "unknown-tag", 13},
  {"doubt_unused_symbol", LIMB_OK, "unused", 13},
  {"doubt_gravity_symbol", LIMB_OK, "assumed", 28},
  {"doubt_no_gravity", LIMB_OK, "assumed", 0},
  {"doubt_no_end", LIMB_OK, "assumed", 0},
  {"doubt_friction_symbol", LIMB_OK, "dropped", 26},
  {"doubt_force", LIMB_OK, "dropped", 28},
  {"doubt_no_variable", LIMB_OK, "assumed", 14},
  {"doubt_variable_name", LIMB_OK, "assumed", 14},
  {"doubt_motor_of_fixed", LIMB_OK, "dropped", 7},
  {"latin_letters", LIMB_E_MODEL, "bad-number", 10},
  {"urdf_inside", LIMB_E_SYNTAX, "wrong-format", 1},
  {"blank", LIMB_E_SYNTAX, "empty-file", 0},
  {"binary", LIMB_E_SYNTAX, "syntax", 0},
};
// clang-format on

START_TEST(each_file_is_told_its_fault) { check_faults(faults, sizeof faults / sizeof faults[0], ending); }
END_TEST

// ---- whole robots -----------------------------------------------------------------------------------

static limb_reading* read_file(const char* name)
{
  char path[1024];
  limb_reading* r = NULL;
  limb_error err = {0};
  (void)snprintf(path, sizeof path, "%s/io/%s", LIMB_TEST_DIR, name);
  const limb_status status = limb_read(path, NULL, &r, &err);
  check_at("%s:%d: %s: %s", path, err.line, err.where, err.text);
  assert_ok(status);
  return r;
}

static void compare(const rig* got, const rig* want, int states)
{
  enum { MAX_NV = 16 };
  const int nv = limb_nv(want->m);
  ck_assert_int_eq(limb_nv(got->m), nv);
  uint64_t seed = 3;
  rng r = {7};
  for (int i = 0; i < states; i++) {
    double q[MAX_NV + 1], v[MAX_NV], a[MAX_NV], x[MAX_NV * MAX_NV], y[MAX_NV * MAX_NV];
    assert_ok(limb_random(want->m, &seed, q));
    rng_fill(&r, 2, nv, v);
    rng_fill(&r, 5, nv, a);
    assert_ok(limb_mass_matrix(got->d, q, x));
    assert_ok(limb_mass_matrix(want->d, q, y));
    assert_close_matrix(x, y, nv, nv, TOL_SAME, 0);
    assert_ok(limb_inverse_dynamics(got->d, q, v, a, NULL, x));
    assert_ok(limb_inverse_dynamics(want->d, q, v, a, NULL, y));
    assert_close_array(x, y, nv, TOL_SAME, 0);
  }
}

START_TEST(the_same_as_the_fixtures)
{
  static const char* const files[] = {"same/tree5.par", "same/panda.par", "same/ur5.par"};
  limb_model* (*const make[])(void) = {robot_tree5, robot_panda, robot_ur5};
  for (int i = 0; i < 3; i++) {
    limb_reading* r = read_file(files[i]);
    rig got = build(r), want = rig_of(make[i]());
    check_at("%s", files[i]);
    compare(&got, &want, 100);
    rig_free(&got);
    rig_free(&want);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(a_base_that_floats)
{
  limb_reading* r = read_file("par/floating.par");
  rig got = build(r), want = rig_of(robot_panda_on_base(LIMB_FREE, 11));
  compare(&got, &want, 100);
  assert_that(limb_find_joint(got.m, "base") == 0);
  assert_that(limb_find_body(got.m, "link0") == 1);
  assert_that(limb_find_body(got.m, "link7") == 8);
  ck_assert_str_eq(limb_model_name(got.m), "panda_on_base");
  rig_free(&got);
  rig_free(&want);
  limb_reading_destroy(r);
}
END_TEST

static limb_joint_def joint_of(limb_reading* r, const char* name)
{
  limb_joint_def def = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  const limb_builder* b = limb_reading_builder(r);
  check_at("%s", name);
  assert_ok(limb_builder_get_joint(b, limb_builder_find_joint(b, name), &def));
  return def;
}

// Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)
static sp_pose mdh(double gamma, double b, double alpha, double d, double theta, double r)
{
  const sp_vec3 x = {1, 0, 0}, z = {0, 0, 1};
  const sp_pose first = sp_pose_make(sp_rot_axis(z, gamma), sp_v3(0, 0, b));
  const sp_pose second = sp_pose_make(sp_rot_axis(x, alpha), sp_v3(d, 0, 0));
  return sp_compose(first, sp_compose(second, sp_pose_make(sp_rot_axis(z, theta), sp_v3(0, 0, r))));
}

START_TEST(the_old_dialect)
{
  limb_reading* r = read_file("par/old.par");
  const limb_builder* b = limb_reading_builder(r);
  ck_assert_int_eq(limb_builder_body_count(b), 5);
  ck_assert_int_eq(limb_builder_joint_count(b), 4);
  ck_assert_str_eq(limb_builder_name(b), "old style");

  const sp_pose Z = {{{0, -1, 0, 1, 0, 0, 0, 0, 1}}, {0.1, 0.2, 0.3}};
  const limb_joint_def one = joint_of(r, "joint1"), two = joint_of(r, "joint2");
  const limb_joint_def three = joint_of(r, "joint3"), four = joint_of(r, "joint4");
  assert_that(one.type == LIMB_REVOLUTE && two.type == LIMB_PRISMATIC);
  assert_that(three.type == LIMB_REVOLUTE && four.type == LIMB_FIXED);
  assert_that(one.parent == 0 && two.parent == 1 && three.parent == 1 && four.parent == 3);
  assert_close_pose(one.placement, sp_compose(Z, mdh(0, 0, 0, 0, 0, 0.6)), 1e-15, 1e-15);
  assert_close_pose(two.placement, mdh(0, 0, -PI / 2, 0.5, PI / 4, 0.2), 1e-15, 1e-15);
  assert_close_pose(three.placement, mdh(-PI / 6, 0.15, PI / 2, -0.5, PI / 4, 0), 1e-15, 1e-15);
  assert_close_pose(four.placement, mdh(0, 0, PI, sqrt(2) / 4, PI / 3, 0.25), 1e-15, 1e-15);
  assert_close_vec3(one.axis, sp_v3(0, 0, 1), 0, 0);
  assert_close_vec3(two.axis, sp_v3(0, 0, -1), 0, 0); // RL1/3-r2
  assert_close_vec3(three.axis, sp_v3(0, 0, -1), 0, 0);
  assert_that(one.rotor_inertia == 0.01 && one.gear_ratio == 1 && two.rotor_inertia == 0.2);
  assert_that(one.viscous == 0 && two.viscous == 0.3 && one.coulomb == 0.5 && two.coulomb == 0);

  // G is the acceleration of gravity in frame 0, which Z turns by a quarter about z
  assert_close_vec3(limb_builder_gravity(b), sp_v3(-1, 0, -9.81), 1e-15, 1e-15);
  limb_body_def body;
  assert_ok(limb_builder_get_body(b, 3, &body));
  double theta[10];
  limb_inertia_to_parameters(&body.inertia, theta);
  const double want[10] = {1.125, 0.1125, 0, 0, 0.03, -0.002, 0, 0.02, 0, 0.03};
  assert_close_array(theta, want, 10, 1e-15, 0);

  assert_that(has_finding(r, "dropped", 63, "symbol 'FV1'"));
  assert_that(has_finding(r, "dropped", 65, "symbol 'FS2'"));
  assert_that(has_finding(r, "assumed", 102, "list 'G'"));
  assert_that(has_finding(r, "ignored", 66, "list 'FX'"));
  ck_assert_int_eq(limb_reading_joint_line(r, 3), 15);
  limb_reading_destroy(r);
}
END_TEST

// ---- small texts ------------------------------------------------------------------------------------

// A robot of one rotating link; d and further lines are given.
static const char one_link[] = "NL = 1\nAnt = {0}\nSigma = {0}\nB = {0}\nR = {0}\ngamma = {0}\n"
                               "Alpha = {0}\nTheta = {t1}\nXX = {1}\nXY = {0}\nXZ = {0}\n"
                               "YY = {1}\nYZ = {0}\nZZ = {1}\nMX = {0}\nMY = {0}\nMZ = {0}\n"
                               "M = {1}\nG = {0,0,-9.81}\n";

static limb_reading* read_one_link(const char* d, const char* more)
{
  char text[2000];
  limb_reading* r = NULL;
  (void)snprintf(text, sizeof text, "%sd = {%s}\n%s\n(* End of definition *)\n", one_link, d, more);
  check_at("d = {%s} %s", d, more);
  const limb_status status = read_as(LIMB_FORMAT_PAR, text, strlen(text), &r);
  if (status) print_findings(r);
  assert_ok(status);
  return r;
}

START_TEST(expressions)
{
  static const struct {
    const char *text, *more;
    double value;
  } cases[] = {{"0.5", "", 0.5},
               {"-.5e-1", "", -0.05},
               {"1-2", "", -1},
               {"2 - -3", "", 5},
               {"1+2*3", "", 7},
               {"(1+2)*3", "", 9},
               {"2/4/5", "", 0.1},
               {"2^3^2", "", 512},
               {"-2^2", "", -4},
               {"2*-3", "", -6},
               {"+4", "", 4},
               {"Pi/2", "", PI / 2},
               {"-pi", "", -PI},
               {"1/2*Pi", "", PI / 2},
               {"sqrt(2)*cos(0)", "", 1.41421356237309515},
               {"sin(Pi/6)", "", 0.5},
               {"tan(Pi/4) + acos(1) + asin(0) + atan(0)", "", 1},
               {"atan2(1, -1)", "", 3 * PI / 4},
               {"RL4", "RL4 = 0.5", 0.5},
               {"2*RL4", "RL4 = D3 + 1\nD3 = 0.25", 2.5},
               {"a_1*e2", "a_1 = 3\ne2 = 1e2", 300},
               {"\n  1 +\n  2\n", "", 3}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    limb_reading* r = read_one_link(cases[i].text, cases[i].more);
    assert_close(joint_of(r, "joint1").placement.p.x, cases[i].value, 1e-15, 1e-15);
    limb_reading_destroy(r);
  }
}
END_TEST

// Two joints with one variable would move as one: limb would let them move apart.
START_TEST(no_variable_is_shared)
{
  static const char rest[] = "NL = 2\nAnt = {0,1}\nSigma = {0,0}\nd = {0,1}\nR = {0,0}\n"
                             "Alpha = {0,0}\nXX = {1,1}\nXY = {0,0}\nXZ = {0,0}\nYY = {1,1}\n"
                             "YZ = {0,0}\nZZ = {1,1}\nMX = {0,0}\nMY = {0,0}\nMZ = {0,0}\n"
                             "M = {1,1}\n(* End of definition *)\n";
  static const struct {
    const char* theta;
    limb_status status;
    int assumed; // entry 1, 2 or 3 for both has a note
  } cases[] = {{"t1,t2", LIMB_OK, 0},
               {"q1,-th2+Pi", LIMB_OK, 0},
               {"t1,t1", LIMB_E_MODEL, 0},
               {"t2,t1", LIMB_E_MODEL, 0},
               {"t1,Pi/2-th1", LIMB_E_MODEL, 0},
               {"phi,phi", LIMB_E_MODEL, 1},
               {"phi,-psi", LIMB_OK, 3},
               {"t1,t3", LIMB_OK, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[1000];
    limb_reading* r = NULL;
    (void)snprintf(text, sizeof text, "Theta = {%s}\n%s", cases[i].theta, rest);
    check_at("%s", cases[i].theta);
    assert_status(read_as(LIMB_FORMAT_PAR, text, strlen(text), &r), cases[i].status);
    ck_assert_int_eq(has_finding(r, "unsupported", 1, "list 'Theta'"), cases[i].status != LIMB_OK);
    int assumed = 0;
    limb_finding f;
    for (int k = 0; limb_findings_get(limb_reading_findings(r), k, &f) == LIMB_OK; k++) {
      if (strcmp(f.where, "list 'Theta'") == 0 && strcmp(f.rule, "assumed") == 0)
        assumed |= strncmp(f.text, "entry 1", 7) == 0 ? 1 : 2;
    }
    ck_assert_int_eq(assumed, cases[i].assumed);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(a_spring_in_the_joint)
{
  limb_reading* r = read_one_link("0", "eta = {1}\nk = {50}");
  assert_that(joint_of(r, "joint1").stiffness == 50);
  assert_that(joint_of(r, "joint1").drive == LIMB_DRIVE_PASSIVE);
  limb_reading_destroy(r);
  r = read_one_link("0", "eta = {0}\nk = {50}");
  assert_that(joint_of(r, "joint1").stiffness == 0);
  assert_that(joint_of(r, "joint1").drive == LIMB_DRIVE_AUTO);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(passive_joints)
{
  limb_reading* r = read_one_link("0", "mu = {0}");
  assert_that(joint_of(r, "joint1").drive == LIMB_DRIVE_PASSIVE);
  limb_reading_destroy(r);
  r = read_one_link("0", "mu = {1}");
  assert_that(joint_of(r, "joint1").drive == LIMB_DRIVE_AUTO);
  limb_reading_destroy(r);
  r = read_one_link("0", "mu = {1}\neta = {1}\nk = {50}"); // elastic joints have no motor
  assert_that(joint_of(r, "joint1").drive == LIMB_DRIVE_PASSIVE);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(a_base_without_inertia)
{
  limb_reading* r = read_one_link("0", "is_mobile = 1");
  assert_that(has_finding(r, "no-inertial", 18, "body 'link0'"));
  ck_assert_int_eq(limb_builder_find_joint(limb_reading_builder(r), "base"), 0);
  assert_that(joint_of(r, "base").type == LIMB_FREE);
  limb_reading_destroy(r);
}
END_TEST

// The usual file has a symbol for everything: each is named once, with its line, and gets its value by a
// line of its own.
START_TEST(every_symbol_without_value_is_listed)
{
  static const char text[] = "NL = 2\nAnt = {0,1}\nSigma = {0,0}\nd = {0,D2}\nR = {0,0}\n"
                             "Alpha = {0,Pi/2}\nTheta = {t1,t2}\nXX = {XX1,XX2}\nXY = {0,0}\n"
                             "XZ = {0,0}\nYY = {XX1,XX2}\nYZ = {0,0}\nZZ = {ZZ1,ZZ2}\n"
                             "MX = {0,0}\nMY = {0,0}\nMZ = {0,0}\nM = {M1,M2}\nIA = {IA1,0}\n";
  static const struct {
    const char* name;
    int line, column;
  } wanted[] = {{"D2", 4, 8},    {"XX1", 8, 7}, {"XX2", 8, 11}, {"ZZ1", 13, 7},
                {"ZZ2", 13, 11}, {"M1", 17, 6}, {"M2", 17, 9},  {"IA1", 18, 7}};
  enum { N = sizeof wanted / sizeof wanted[0] };
  limb_reading* r = NULL;
  assert_status(read_as(LIMB_FORMAT_PAR, text, sizeof text - 1, &r), LIMB_E_MODEL);
  for (int i = 0; i < N; i++) {
    char where[40];
    limb_finding f;
    (void)snprintf(where, sizeof where, "symbol '%s'", wanted[i].name);
    check_at("%s", where);
    assert_that(find_finding(r, "missing-key", wanted[i].line, where, &f) != NULL);
    ck_assert_int_eq(f.column, wanted[i].column);
    assert_that(strstr(f.hint, wanted[i].name) != NULL);
  }
  ck_assert_int_eq(limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR), N);
  limb_reading_destroy(r);
}
END_TEST

// ---- texts made to hurt -----------------------------------------------------------------------------

START_TEST(cut_off_anywhere)
{
  size_t size;
  char* text = file_text("same/tree5.par", &size);
  char* end = strstr(text, "(* End of definition *)");
  assert_that(end != NULL);
  for (size_t cut = 0; cut < (size_t)(end - text); cut += 1 + size / 500) { // so also every 1/50
    limb_reading* r = NULL;
    const limb_status status = read_as(LIMB_FORMAT_PAR, text, cut, &r);
    check_at("cut at byte %zu", cut);
    check_reading(r, status);
    // a cut between two statements leaves a robot, if nothing is missing but what may be left out
    if (status == LIMB_OK) assert_that(has_finding(r, "assumed", 0, ""));
    limb_reading_destroy(r);
  }
  free(text);
}
END_TEST

START_TEST(one_byte_wrong_anywhere)
{
  size_t size;
  char* text = file_text("par/old.par", &size);
  change_bytes(LIMB_FORMAT_PAR, text, size, "{}=,()*0t\n\xff\x01");
  free(text);
}
END_TEST

static void fill(char* text, size_t size, const char* piece)
{
  const size_t n = strlen(piece);
  for (size_t i = 0; i < size; i++) text[i] = piece[i % n];
}

START_TEST(deep_and_long)
{
  enum { SIZE = 4000000 };
  char* text = malloc(SIZE + 1);
  assert_that(text != NULL);
  text[SIZE] = 0;
  static const struct {
    const char* piece;
    limb_status status;
    const char* rule;
  } cases[] = {{"(", LIMB_E_SYNTAX, "syntax"},
               {"(*", LIMB_E_SYNTAX, "syntax"},
               {"{", LIMB_E_SYNTAX, "syntax"},
               {"a = {1}\n", LIMB_E_SYNTAX, "unknown-tag"},
               {"a=1\n", LIMB_E_SYNTAX, "duplicate-key"},
               {"Ant = {0,", LIMB_E_SYNTAX, "syntax"},
               {"ab ", LIMB_E_SYNTAX, "syntax"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fill(text, SIZE, cases[i].piece);
    expect_text(LIMB_FORMAT_PAR, text, SIZE, cases[i].status, cases[i].rule);
  }
  static const char* const inside[] = {"(", "-", "sin(", "1,"};
  for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
    memcpy(text, one_link, sizeof one_link - 1);
    memcpy(text + sizeof one_link - 1, "d = {", 5);
    fill(text + sizeof one_link + 4, SIZE - sizeof one_link - 4, inside[i]);
    memcpy(text + SIZE - 4, "1}\n\n", 4);
    expect_text(LIMB_FORMAT_PAR, text, SIZE, LIMB_E_MODEL, i < 3 ? "too-deep" : "wrong-count");
  }
  free(text);
}
END_TEST

START_TEST(symbols_in_a_row)
{
  enum { N = 100000, ROOM = 32 };
  const size_t room = sizeof one_link + (size_t)N * ROOM;
  char* text = malloc(room);
  assert_that(text != NULL);
  size_t at = sizeof one_link - 1;
  memcpy(text, one_link, at);
  at += (size_t)snprintf(text + at, room - at, "d = {s0}\n");
  for (int i = 0; i < N; i++) at += (size_t)snprintf(text + at, room - at, "s%d = s%d\n", i, i + 1);
  expect_text(LIMB_FORMAT_PAR, text, at, LIMB_E_MODEL, "too-deep");
  free(text);
}
END_TEST

START_TEST(memory_runs_out)
{
  size_t size;
  char* text = file_text("par/old.par", &size);
  starve(LIMB_FORMAT_PAR, text, size);
  free(text);
}
END_TEST

// ---- written ------------------------------------------------------------------------------------------------

static limb_model* read_back(const limb_builder* b, limb_findings* f)
{
  limb_reading* r = NULL;
  limb_model* m = NULL;
  page p = written(b, LIMB_FORMAT_PAR, f);
  assert_ok(limb_read_text(p.text, p.size, "x.par", NULL, &r, NULL));
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
  limb_reading_destroy(r);
  free(p.text);
  return m;
}

// The same mass matrix, torques and loops at random states, in the same order.
static void check_same(const limb_model* a, const limb_model* b)
{
  enum { MAX = 40 };
  double q[MAX], M[2][MAX * MAX], tau[2][MAX], zero[MAX] = {0};
  uint64_t seed = 7;
  const int nv = limb_nv(a);
  assert_that(nv == limb_nv(b) && nv < MAX && limb_loop_count(a) == limb_loop_count(b));
  for (int k = 0; k < 5; k++) {
    const limb_model* const m[2] = {limb_spanning_tree(a), limb_spanning_tree(b)};
    assert_ok(limb_random(m[0], &seed, q));
    for (int i = 0; i < 2; i++) {
      limb_data* d = NULL;
      assert_ok(limb_data_create(m[i], NULL, &d));
      assert_ok(limb_mass_matrix(d, q, M[i]));
      assert_ok(limb_inverse_dynamics(d, q, zero, zero, NULL, tau[i]));
      limb_data_destroy(d);
    }
    assert_close_array(M[1], M[0], nv * nv, 1e-12, 0);
    assert_close_array(tau[1], tau[0], nv, 1e-12, 1e-12);
  }
}

START_TEST(what_is_written_reads_back)
{
  static const char* const robots[] = {"panda",
                                       "ur5",
                                       "scara",
                                       "quadruped",
                                       LIMB_TEST_DIR "/io/same/tree5.urdf",
                                       LIMB_TEST_DIR "/io/same/fourbar.urdf",
                                       LIMB_TEST_DIR "/io/par/floating.par"};
  for (int i = 0; i < (int)(sizeof robots / sizeof *robots); i++) {
    limb_reading* r = NULL;
    limb_model *m = NULL, *back = NULL;
    limb_builder* rows = NULL;
    check_at("%s", robots[i]);
    assert_ok(limb_read(robots[i], NULL, &r, NULL));
    assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
    assert_ok(limb_builder_with_mdh(m, NULL, &rows));
    back = read_back(limb_reading_builder(r), NULL); // frames of the file, and on the common normals
    check_same(m, back);
    limb_model_destroy(back);
    back = read_back(rows, NULL);
    check_same(m, back);
    limb_model_destroy(back);
    limb_model_destroy(m);
    limb_builder_destroy(rows);
    limb_reading_destroy(r);
  }
}
END_TEST

// One joint between the world and a body.
static limb_status write_joint(limb_joint_type type, int on)
{
  limb_builder* b = NULL;
  limb_error err = {0};
  page p = {0};
  limb_body_def body = limb_default_body_def("a");
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  body.name = "b";
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  limb_joint_def one = limb_default_joint_def("one", LIMB_REVOLUTE, 0, 1),
                 two = limb_default_joint_def("two", type, on, 2);
  two.axis2 = type == LIMB_UNIVERSAL ? sp_v3(1, 0, 0) : two.axis2;
  assert_ok(limb_builder_add_joint(b, &one, NULL, NULL));
  assert_ok(limb_builder_add_joint(b, &two, NULL, NULL));
  const limb_status s = limb_write(b, LIMB_FORMAT_PAR, page_put, &p, NULL, &err);
  assert_that((s != LIMB_OK) == (*err.text != 0));
  free(p.text);
  limb_builder_destroy(b);
  return s;
}

START_TEST(what_cannot_be_written_is_refused)
{
  assert_ok(write_joint(LIMB_FIXED, 1));
  assert_ok(write_joint(LIMB_PRISMATIC, 1));
  assert_status(write_joint(LIMB_SPHERICAL, 1), LIMB_E_UNSUPPORTED);
  assert_status(write_joint(LIMB_UNIVERSAL, 1), LIMB_E_UNSUPPORTED);
  assert_status(write_joint(LIMB_FREE, 0), LIMB_E_UNSUPPORTED); // beside an arm
  assert_status(write_joint(LIMB_FREE, 1), LIMB_E_UNSUPPORTED);
}
END_TEST

CHECK_MAIN("par", 1, each_file_is_told_its_fault, the_same_as_the_fixtures, a_base_that_floats, the_old_dialect,
           expressions, no_variable_is_shared, a_spring_in_the_joint, passive_joints, a_base_without_inertia,
           every_symbol_without_value_is_listed, cut_off_anywhere, one_byte_wrong_anywhere, deep_and_long,
           symbols_in_a_row, memory_runs_out, what_is_written_reads_back, what_cannot_be_written_is_refused)
