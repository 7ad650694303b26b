// The built-in robots: each reads without a doubt, is what it is said to be, and moves as it should.
#include "limb/read.h"

#include "numbers/numbers_data.h"
#include "numbers/rig.h"
#include "numbers/ur5_data.h"
#include "support/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 20, LONG_STATES = 2 };

#define TOL_PROTEIN 1e-6 // light residues on a chain of a thousand: M is nearly singular

typedef struct built_in {
  const char* name;
  int nq, nv;
  double mass;
  limb_model* (*fixture)(void); // the same robot, described in C; NULL: none
  int triangle;                 // bodies whose published inertia breaks the triangle inequality
} built_in;

// Masses: sums of the figures in the files.
static const built_in table[] = {
  {"acrobot", 2, 2, 2, NULL, 0},
  {"ankle_leg", 12, 12, 11.49, NULL, 0},
  {"bennett", 3, 3, 1.9, NULL, 0},
  {"car", 6, 6, 48, NULL, 0},
  {"cart_pole", 2, 2, 1.1, NULL, 0},
  {"delta", 22, 21, 2.42, NULL, 0},
  {"diff_drive", 5, 5, 15.8, NULL, 0},
  {"elastic2r", 2, 2, 24.912, NULL, 0},
  {"five_bar", 4, 4, 5, NULL, 0},
  {"four_bar", 3, 3, 4.9, NULL, 0},
  {"four_bar_spring", 3, 3, 36.65, NULL, 0},
  {"general_6r", 6, 6, 19.3, NULL, 0},
  {"gough_stewart", 25, 24, 37.2, NULL, 0},
  {"gripper", 7, 7, 0.21, NULL, 0},
  {"hand", 9, 9, 0.831, robot_hand, 0},
  {"humanoid", 36, 35, 59.9, robot_humanoid, 0},
  {"iiwa", 7, 7, 30.61, NULL, 0},
  {"panda", 7, 7, 16.062132, robot_panda, 0},
  {"planar_2r", 2, 2, 24.912, robot_planar_2r, 0},
  {"planar_3rrr", 9, 9, 5.7, NULL, 0},
  {"point_mass_2r", 2, 2, 3, robot_point_mass_2r, 0},
  {"puma560", 6, 6, 36.45, robot_puma560, 1},
  {"quadruped", 19, 18, 32.34, robot_quadruped, 0},
  {"rolling_disc", 7, 6, 2, NULL, 0},
  {"scara", 4, 4, 13.7, robot_scara, 0},
  {"series_elastic_arm", 4, 4, 4.85, NULL, 0},
  {"sled", 3, 3, 4, NULL, 0},
  {"slider_crank", 3, 3, 3.23, NULL, 0},
  {"space_arm", 10, 9, 10.3, NULL, 0},
  {"stacked_platforms", 26, 24, 14.15, NULL, 0},
  {"stanford", 6, 6, 20.77, NULL, 0},
  {"stephenson_six_bar", 5, 5, 5.7, NULL, 0},
  {"tree5", 5, 5, 11.25, robot_tree5, 0},
  {"ur5", 6, 6, 16.9939, robot_ur5, 0},
  {"watt_six_bar", 5, 5, 5.3, NULL, 0},
  {"protein", 1000, 1000, 35.5395, NULL, 0},
};

enum { COUNT = sizeof table / sizeof table[0] };

static limb_reading* read_robot(const char* name)
{
  limb_reading* r = NULL;
  limb_error err = {0};
  const limb_status status = limb_read(name, NULL, &r, &err);
  check_at("%s: line %d: %s: %s", name, err.line, err.where, err.text);
  assert_ok(status);
  return r;
}

static rig load(const char* name)
{
  limb_model* m = NULL;
  assert_ok(limb_load(name, NULL, &m, NULL));
  return rig_of(m);
}

static int states_of(const built_in* b) { return b->nv > 100 || CHECK_SANITIZED ? LONG_STATES : STATES; }

// ---- the list -----------------------------------------------------------------------------------

START_TEST(the_list)
{
  limb_robot_info info;
  ck_assert_int_eq(limb_robot_count(), COUNT);
  for (int i = 0; i < COUNT; i++) {
    assert_ok(limb_get_robot(i, &info));
    ck_assert_str_eq(info.name, table[i].name);
    assert_that(strlen(info.title) > 10 && !strchr(info.title, '\n'));
    assert_that(strlen(info.origin) > 40 && !strchr(info.origin, '\n') && info.origin[0] != '#');
    ck_assert_int_eq(!info.text, !strcmp(info.name, "protein"));
    if (info.text) {
      char line[64];
      snprintf(line, sizeof line, "\nlimb: 1\nname: %s\n", info.name);
      assert_that(strstr(info.text, line) != NULL);
      assert_that(strncmp(info.text, "# ", 2) == 0 && strncmp(info.text + 2, info.title, strlen(info.title)) == 0);
    }
  }
  assert_status(limb_get_robot(-1, &info), LIMB_E_ARG);
  assert_status(limb_get_robot(COUNT, &info), LIMB_E_ARG);
  assert_status(limb_get_robot(0, NULL), LIMB_E_ARG);
}
END_TEST

START_TEST(no_such_robot)
{
  limb_reading* r = NULL;
  assert_status(limb_read("ur55", NULL, &r, NULL), LIMB_E_IO);
  limb_reading_destroy(r);
}
END_TEST

// ---- all of them --------------------------------------------------------------------------------

START_TEST(reads_without_a_doubt)
{
  const built_in* b = &table[_i];
  limb_reading* r = read_robot(b->name);
  const limb_findings* found = limb_reading_findings(r);
  limb_finding f;
  for (int i = 0; limb_findings_get(found, i, &f) == LIMB_OK; i++) {
    check_at("%s:%d: %s %s: %s", b->name, f.line, f.rule, f.where, f.text);
    assert_that(f.severity < LIMB_WARNING);
  }
  limb_model* m = NULL;
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
  check_at("%s", b->name);
  ck_assert_str_eq(limb_model_name(m), b->name);
  ck_assert_int_eq(limb_nq(m), b->nq);
  ck_assert_int_eq(limb_nv(m), b->nv);
  assert_close(limb_total_mass(m), b->mass, 1e-13, 0);
  limb_model_destroy(m);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(the_doctor_finds_no_errors)
{
  const built_in* b = &table[_i];
  limb_reading* r = read_robot(b->name);
  assert_ok(limb_check(r, NULL));
  int triangles = 0;
  limb_finding f;
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++) {
    if (f.severity < LIMB_ERROR) continue;
    check_at("%s:%d: %s %s: %s", b->name, f.line, f.rule, f.where, f.text);
    ck_assert_str_eq(f.rule, "inertia-triangle");
    triangles++;
  }
  check_at("%s", b->name);
  ck_assert_int_eq(triangles, b->triangle);
  limb_reading_destroy(r);
}
END_TEST

typedef struct state {
  double *q, *v, *a, *x, *y;
} state;

// Room for a state, two results of nv and two of nv * nv, freed as one block: s.q.
static state state_of(const limb_model* m)
{
  const size_t nq = (size_t)limb_nq(m), nv = (size_t)limb_nv(m);
  double* block = calloc(nq + 2 * nv + 2 * nv * nv, sizeof *block);
  assert_that(block != NULL);
  const state s = {block, block + nq, block + nq + nv, block + nq + 2 * nv, block + nq + 2 * nv + nv * nv};
  return s;
}

static void draw(const limb_model* m, rng* r, state* s)
{
  assert_ok(limb_random(m, &r->state, s->q));
  rng_fill(r, 2, limb_nv(m), s->v);
  rng_fill(r, 5, limb_nv(m), s->a);
}

START_TEST(equals_its_fixture)
{
  const built_in* b = &table[_i];
  if (!b->fixture) return;
  rig file = load(b->name), code = rig_of(b->fixture());
  const int nv = b->nv;
  state s = state_of(code.m);
  rng r = {(uint64_t)_i};
  for (int i = 0; i < STATES; i++) {
    check_at("%s, state %d", b->name, i);
    draw(code.m, &r, &s);
    assert_ok(limb_mass_matrix(file.d, s.q, s.x));
    assert_ok(limb_mass_matrix(code.d, s.q, s.y));
    assert_close_matrix(s.x, s.y, nv, nv, TOL_ALGEBRA, 0);
    assert_ok(limb_inverse_dynamics(file.d, s.q, s.v, s.a, NULL, s.x));
    assert_ok(limb_inverse_dynamics(code.d, s.q, s.v, s.a, NULL, s.y));
    assert_close_array(s.x, s.y, nv, TOL_ALGEBRA, 0);
  }
  free(s.q);
  rig_free(&file);
  rig_free(&code);
}
END_TEST

START_TEST(forward_undoes_inverse)
{
  const built_in* b = &table[_i];
  rig f = load(b->name);
  state s = state_of(f.m);
  rng r = {(uint64_t)(100 + _i)};
  for (int i = 0; i < states_of(b); i++) {
    check_at("%s, state %d", b->name, i);
    draw(f.m, &r, &s);
    assert_ok(limb_inverse_dynamics(f.d, s.q, s.v, s.a, NULL, s.x));
    assert_ok(limb_forward_dynamics(f.d, s.q, s.v, s.x, NULL, s.y));
    assert_close_array(s.y, s.a, b->nv, b->nv > 100 ? TOL_PROTEIN : TOL_SOLVE, 0);
  }
  free(s.q);
  rig_free(&f);
}
END_TEST

// ---- figures from outside -----------------------------------------------------------------------

START_TEST(tree5_of_the_worked_example)
{
  rig r = load("tree5");
  double x[5], M[25];
  limb_wrench w[5];
  for (int i = 0; i < 5; i++) {
    w[i] = limb_wrench_by_tip(i + 1, LIMB_BODY, sp_force_from_linear_first(tree5_fe + 6 * i));
  }
  limb_environment env = limb_default_environment(r.m);
  env.nwrench = 5, env.wrench = w;
  assert_ok(limb_inverse_dynamics(r.d, tree5_q, tree5_v, tree5_a, &env, x));
  assert_close_array(x, tree5_tau, 5, TOL_NUMBERS, 0);
  assert_ok(limb_mass_matrix(r.d, tree5_q, M));
  assert_close_matrix(M, tree5_M, 5, 5, TOL_NUMBERS, 0);
  assert_ok(limb_forward_dynamics(r.d, tree5_q, tree5_v, tree5_tau_forward, &env, x));
  assert_close_array(x, tree5_a_forward, 5, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

START_TEST(ur5_of_the_book)
{
  rig r = load("ur5");
  double x[6], M[36];
  const sp_force F = {{ur5_F_tip[0], ur5_F_tip[1], ur5_F_tip[2]}, {ur5_F_tip[3], ur5_F_tip[4], ur5_F_tip[5]}};
  const limb_wrench w = limb_wrench_by_tip(limb_find_frame(r.m, "tip"), LIMB_BODY, F);
  limb_environment env = limb_default_environment(r.m);
  env.nwrench = 1, env.wrench = &w;
  assert_ok(limb_inverse_dynamics(r.d, ur5_q, ur5_v, ur5_a, &env, x));
  assert_close_array(x, ur5_tau, 6, TOL_NUMBERS, 0);
  assert_ok(limb_mass_matrix(r.d, ur5_q, M));
  assert_close_matrix(M, ur5_M, 6, 6, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

START_TEST(planar_2r_on_a_circle)
{
  rig r = load("planar_2r");
  for (size_t i = 0; i < sizeof circle / sizeof circle[0]; i++) {
    const double* row = circle[i]; // t, x y, q, v, a, tau
    double tau[2];
    check_at("2R on a circle, t = %g", row[0]);
    assert_ok(limb_inverse_dynamics(r.d, row + 3, row + 5, row + 7, NULL, tau));
    assert_close_array(tau, row + 9, 2, TOL_NUMBERS, 0);
  }
  rig_free(&r);
}
END_TEST

// Barto, Sutton and Anderson's equations, with their friction.
START_TEST(cart_pole_of_the_paper)
{
  const double m = 0.1, total = 1.1, l = 0.5, g = 9.8, mu_cart = 0.0005, mu_pole = 0.000002;
  rig r = load("cart_pole");
  rng draw_from = {3};
  for (int i = 0; i < STATES; i++) {
    double q[2], v[2], a[2];
    rng_fill(&draw_from, 1.5, 2, q);
    rng_fill(&draw_from, 3, 2, v);
    const double tau[2] = {rng_uniform(&draw_from, -10, 10), 0};
    const double s = sin(q[1]), c = cos(q[1]), drag = mu_cart * (v[0] > 0 ? 1 : -1);
    const double push = (-tau[0] - m * l * v[1] * v[1] * s + drag) / total;
    const double angular = (g * s + c * push - mu_pole * v[1] / (m * l)) / (l * (4.0 / 3 - m * c * c / total));
    const double linear = (tau[0] + m * l * (v[1] * v[1] * s - angular * c) - drag) / total;
    const double want[2] = {linear, angular};
    check_at("cart_pole, state %d", i);
    assert_ok(limb_forward_dynamics(r.d, q, v, tau, NULL, a));
    assert_close_array(a, want, 2, TOL_ALGEBRA, 0);
  }
  rig_free(&r);
}
END_TEST

// Spong's equations of motion.
START_TEST(acrobot_of_the_paper)
{
  const double l1 = 1, lc1 = 0.5, lc2 = 1, I1 = 0.083, I2 = 0.33, g = 9.8; // masses of 1
  rig r = load("acrobot");
  rng draw_from = {4};
  for (int i = 0; i < STATES; i++) {
    double q[2], v[2], a[2], tau[2];
    rng_fill(&draw_from, 3, 2, q);
    rng_fill(&draw_from, 2, 2, v);
    rng_fill(&draw_from, 5, 2, a);
    const double c2 = cos(q[1]), h = -l1 * lc2 * sin(q[1]);
    const double d22 = lc2 * lc2 + I2, d12 = d22 + l1 * lc2 * c2;
    const double d11 = lc1 * lc1 + l1 * l1 + lc2 * lc2 + 2 * l1 * lc2 * c2 + I1 + I2;
    const double phi2 = lc2 * g * cos(q[0] + q[1]);
    const double want[2] = {d11 * a[0] + d12 * a[1] + h * v[1] * (2 * v[0] + v[1]) + (lc1 + l1) * g * cos(q[0]) + phi2,
                            d12 * a[0] + d22 * a[1] - h * v[0] * v[0] + phi2};
    check_at("acrobot, state %d", i);
    assert_ok(limb_inverse_dynamics(r.d, q, v, a, NULL, tau));
    assert_close_array(tau, want, 2, TOL_ALGEBRA, 0);
  }
  rig_free(&r);
}
END_TEST

// Where a frame is when all joints are at zero, by data sheets and tables.
START_TEST(reach_at_zero)
{
  static const struct {
    const char *robot, *frame;
    sp_vec3 at;
  } list[] = {{"iiwa", "flange", {0, 0, 0.36 + 0.42 + 0.4 + 0.126}},
              {"panda", "flange", {0.088, 0, 0.333 + 0.316 + 0.384 - 0.107}},
              {"ur5", "tip", {0.81725, 0.19145, -0.005491}},
              {"puma560", "tip", {0.4521, -0.15005, 0.4318}},
              {"stanford", "tip", {0, 0.154, 0.675}},
              {"scara", "tip", {0.65, 0, 0.17}}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    rig r = load(list[i].robot);
    const double q[8] = {0};
    sp_pose X;
    assert_ok(limb_kinematics(r.d, q, NULL, NULL));
    assert_ok(limb_frame_pose(r.d, limb_find_frame(r.m, list[i].frame), &X));
    assert_close_vec3(X.p, list[i].at, 1e-14, 0);
    rig_free(&r);
  }
}
END_TEST

// ---- protein ------------------------------------------------------------------------------------

// Positions of the alpha carbons [angstrom]: origins of the peptide bodies.
static void alpha_carbons(rig* r, const double* q, int count, sp_vec3* at)
{
  assert_ok(limb_kinematics(r->d, q, NULL, NULL));
  for (int i = 0; i < count; i++) {
    char name[24];
    snprintf(name, sizeof name, "peptide%d", i + 1);
    sp_pose X;
    assert_ok(limb_frame_pose(r->d, limb_find_frame(r->m, name), &X));
    at[i] = sp_scale3(100, X.p);
  }
}

// Across a trans peptide the alpha carbons are 3.80 angstrom apart, whatever the angles.
START_TEST(alpha_carbons_are_apart)
{
  rig r = load("protein");
  state s = state_of(r.m);
  rng draw_from = {5};
  sp_vec3 at[500];
  draw(r.m, &draw_from, &s);
  alpha_carbons(&r, s.q, 500, at);
  for (int i = 1; i < 500; i++) assert_close(sp_norm3(sp_sub3(at[i], at[i - 1])), 3.80, 0.002, 0);
  free(s.q);
  rig_free(&r);
}
END_TEST

// phi = -57, psi = -47 degrees is a right-handed alpha helix: 3.6 residues per turn, 36 are ten turns and
// lie 36 times 1.56 angstrom above the first (the length was computed outside this project, atom by atom).
// The angles so have the usual zeros and signs.
START_TEST(alpha_helix)
{
  const double degree = 3.14159265358979323846 / 180;
  rig r = load("protein");
  state s = state_of(r.m);
  sp_vec3 at[37];
  for (int i = 0; i < 1000; i++) s.q[i] = (i % 2 ? -47 : -57) * degree;
  alpha_carbons(&r, s.q, 37, at);
  assert_close(sp_norm3(sp_sub3(at[36], at[0])), 56.08730813930558, 1e-12, 0);
  const sp_vec3 a = sp_sub3(at[1], at[0]), b = sp_sub3(at[2], at[1]), c = sp_sub3(at[3], at[2]);
  assert_that(sp_dot3(sp_cross3(a, b), c) > 0);
  free(s.q);
  rig_free(&r);
}
END_TEST

int CHECK_NAME(void)
{
  const int each = check_run("each model", COUNT,
                             (const TTest* const[]){reads_without_a_doubt, the_doctor_finds_no_errors,
                                                    equals_its_fixture, forward_undoes_inverse, NULL});
  const int once =
    check_run("models", 1,
              (const TTest* const[]){the_list, no_such_robot, tree5_of_the_worked_example, ur5_of_the_book,
                                     planar_2r_on_a_circle, cart_pole_of_the_paper, acrobot_of_the_paper, reach_at_zero,
                                     alpha_carbons_are_apart, alpha_helix, NULL});
  return each ? each : once;
}
