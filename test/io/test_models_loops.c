// The built-in robots with loops: each reads without a word, is what it is said to be, starts closed, and
// closes where a formula says so. Places are computed here from the poses of bodies, not from limb/loops.h.
#include "limb/assemble.h"
#include "limb/read.h"

#include "numbers/rig.h"
#include "support/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 32 }; // coordinates of any of these robots

#define TOL_CLOSED 1e-14 // [m], [rad]

typedef struct built_in {
  const char* name;
  int loops, nv, rows, active;
  int mobility,
    driven; // at the start: nv less the rank, and how many of these motions have a motor
} built_in;

static const built_in table[] = {
  {"ankle_leg", 2, 12, 6, 6, 6, 6},
  {"bennett", 1, 3, 5, 1, 1, 1},
  {"car", 2, 6, 4, 2, 2, 2},
  {"delta", 6, 21, 18, 3, 3, 3},
  {"diff_drive", 2, 5, 4, 2, 2, 2},
  {"five_bar", 1, 4, 2, 2, 2, 2},
  {"four_bar", 1, 3, 2, 1, 1, 1},
  {"four_bar_spring", 1, 3, 2, 1, 1, 1},
  {"gough_stewart", 6, 24, 18, 6, 6, 6},
  {"gripper", 4, 7, 6, 1, 1, 1},
  {"planar_3rrr", 3, 9, 6, 3, 3, 3},
  {"rolling_disc", 1, 6, 3, 0, 3, 0},
  {"sled", 1, 3, 1, 0, 2, 0},
  {"slider_crank", 1, 3, 2, 1, 1, 1},
  {"stacked_platforms", 6, 24, 18, 6, 6, 6},
  {"stephenson_six_bar", 2, 5, 4, 1, 1, 1},
  {"watt_six_bar", 2, 5, 4, 1, 1, 1},
};

enum { COUNT = sizeof table / sizeof table[0] };

static rig load(const char* name)
{
  limb_model* m = NULL;
  limb_error err = {0};
  const limb_status status = limb_load(name, NULL, &m, &err);
  check_at("%s: line %d: %s: %s", name, err.line, err.where, err.text);
  assert_ok(status);
  assert_that(limb_nq(m) <= MOST);
  return rig_of(m);
}

// ---- how far a configuration is from closing the loops --------------------------------------------

static double coordinate(const limb_model* m, int joint, const double* q)
{
  limb_joint_info j;
  assert_ok(limb_get_joint(m, joint, &j));
  return q[j.q];
}

// q_joint - sum of coefficient[k] q_other^k.
static double relation_gap(const limb_model* m, const limb_loop_def* l, const double* q)
{
  const double x = coordinate(m, l->other, q);
  double y = 0;
  for (int k = LIMB_LOOP_COEFFICIENTS - 1; k >= 0; k--) y = y * x + l->coefficient[k];
  return fabs(coordinate(m, l->joint, q) - y);
}

// Frame b seen from frame a, at the last limb_kinematics.
static sp_pose b_in_a(const limb_data* d, const limb_loop_def* l)
{
  sp_pose a, b;
  assert_ok(limb_frame_pose(d, l->body_a, &a));
  assert_ok(limb_frame_pose(d, l->body_b, &b));
  return sp_compose(sp_invert(sp_compose(a, l->pose_a)), sp_compose(b, l->pose_b));
}

static double closure_gap(const limb_data* d, const limb_loop_def* l)
{
  const sp_pose X = b_in_a(d, l);
  const double p[3] = {X.p.x, X.p.y, X.p.z}, nx = X.R.m[2], ny = X.R.m[5], nz = X.R.m[8];
  const unsigned turns = LIMB_TURN_X | LIMB_TURN_Y | LIMB_TURN_Z;
  switch (l->kind) {
  case LIMB_LOOP_KNIFE_EDGE: return 0;
  case LIMB_LOOP_WHEEL:
  case LIMB_LOOP_ROLLING_DISC: return fabs(p[2] - l->radius * sqrt(1 - nz * nz));
  default: break;
  }
  const unsigned locked = limb_loop_kind_locked(l->kind);
  double gap = 0;
  for (int k = 0; k < 3; k++) {
    if (locked & (unsigned)LIMB_MOVE_X << k) gap = fmax(gap, fabs(p[k]));
  }
  if (!(locked & turns)) return gap;
  assert_that((locked & turns) == (LIMB_TURN_X | LIMB_TURN_Y)); // z of b is z of a
  return fmax(fmax(gap, hypot(nx, ny)), nz > 0 ? 0 : 2);
}

static void assert_closed(rig* r, const double* q)
{
  assert_ok(limb_kinematics(r->d, q, NULL, NULL));
  for (int i = 0; i < limb_loop_count(r->m); i++) {
    limb_loop_info l;
    assert_ok(limb_get_loop(r->m, i, &l));
    check_at("%s, loop %s", limb_model_name(r->m), l.def.name);
    const double gap = l.def.joint >= 0 ? relation_gap(r->m, &l.def, q) : closure_gap(r->d, &l.def);
    assert_close(gap, 0, 0, TOL_CLOSED);
  }
}

// ---- all of them ----------------------------------------------------------------------------------

// The table is complete.
START_TEST(all_with_loops)
{
  int found = 0;
  limb_robot_info info;
  for (int i = 0; limb_get_robot(i, &info) == LIMB_OK; i++) {
    limb_model* m = NULL;
    assert_ok(limb_load(info.name, NULL, &m, NULL));
    if (limb_loop_count(m) > 0) {
      check_at("%s", info.name);
      assert_that(found < COUNT);
      ck_assert_str_eq(info.name, table[found++].name);
    }
    limb_model_destroy(m);
  }
  ck_assert_int_eq(found, COUNT);
}
END_TEST

START_TEST(reads_without_a_word)
{
  limb_reading* r = NULL;
  limb_finding f;
  assert_ok(limb_read(table[_i].name, NULL, &r, NULL));
  assert_ok(limb_check(r, NULL));
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++) {
    ck_abort_msg("%s:%d: %s %s: %s", table[_i].name, f.line, f.rule, f.where, f.text);
  }
  limb_reading_destroy(r);
}
END_TEST

START_TEST(counts)
{
  const built_in* b = &table[_i];
  rig r = load(b->name);
  int active = 0, rows = 0;
  for (int i = 0; i < limb_joint_count(r.m); i++) {
    limb_joint_info j;
    assert_ok(limb_get_joint(r.m, i, &j));
    active += j.passive ? 0 : j.nv;
  }
  for (int i = 0; i < limb_loop_count(r.m); i++) {
    limb_loop_info l;
    assert_ok(limb_get_loop(r.m, i, &l));
    rows += l.nconstraint;
  }
  ck_assert_int_eq(limb_nv(r.m), b->nv);
  ck_assert_int_eq(limb_loop_count(r.m), b->loops);
  ck_assert_int_eq(limb_constraint_count(r.m), b->rows);
  ck_assert_int_eq(rows, b->rows);
  ck_assert_int_eq(active, b->active);
  rig_free(&r);
}
END_TEST

START_TEST(starts_closed)
{
  rig r = load(table[_i].name);
  double q[MOST];
  assert_ok(limb_start(r.m, q));
  assert_closed(&r, q);
  for (int i = 0; i < limb_joint_count(r.m); i++) {
    limb_joint_info j;
    assert_ok(limb_get_joint(r.m, i, &j));
    check_at("%s, joint %s", table[_i].name, j.def.name);
    if (j.nq == 1) assert_that(j.def.q_min <= q[j.q] && q[j.q] <= j.def.q_max);
  }
  rig_free(&r);
}
END_TEST

START_TEST(moves_as_it_should)
{
  const built_in* b = &table[_i];
  rig r = load(b->name);
  limb_data* w = NULL;
  limb_mobility found;
  double q[MOST];
  assert_ok(limb_data_create(r.m, NULL, &w));
  assert_ok(limb_start(r.m, q));
  assert_ok(limb_mobility_at(w, q, NULL, &found));
  ck_assert_int_eq(found.mobility, b->mobility);
  ck_assert_int_eq(found.redundant, b->rows - (b->nv - b->mobility));
  ck_assert_int_eq(found.gruebler, b->nv - b->rows);
  ck_assert_int_eq(found.active, b->active);
  ck_assert_int_eq(found.passive, b->nv - b->active);
  ck_assert_int_eq(found.driven, b->driven);
  ck_assert_int_eq(found.undriven, b->mobility - b->driven);
  ck_assert_int_eq(found.overdriven, 0);
  ck_assert_int_eq(found.singularity, LIMB_REGULAR);
  limb_data_destroy(w);
  rig_free(&r);
}
END_TEST

// From a start that is a little off, assembly comes back to a place near it.
START_TEST(assembles_near_its_start)
{
  rig r = load(table[_i].name);
  limb_data* w = NULL;
  double q[MOST], start[MOST], off[MOST];
  const limb_assembly options = limb_default_assembly();
  limb_assembly_report report;
  rng draw = {(uint64_t)_i};
  assert_ok(limb_data_create(r.m, NULL, &w));
  assert_ok(limb_start(r.m, start));
  rng_fill(&draw, 0.003, limb_nv(r.m), off);
  assert_ok(limb_integrate(r.m, start, off, 1, q));
  assert_ok(limb_assemble(w, &options, q, &report));
  assert_that(report.residual <= options.tolerance);
  assert_ok(limb_difference(r.m, start, q, off));
  for (int i = 0; i < limb_nv(r.m); i++) assert_close(off[i], 0, 0, 0.05);
  limb_data_destroy(w);
  rig_free(&r);
}
END_TEST

// ---- configurations that a formula gives ------------------------------------------------------------

// Bars of one length in pairs: the coupler turns back as far as the rocker turns.
static void four_bar_spring(double t, double* q)
{
  q[0] = t;
  q[2] = t / 2 + asin(1.241 * sin(t / 2) / 1.2);
  q[1] = -q[2];
}

static void slider_crank(double t, double* q)
{
  const double lean = asin(0.045 * sin(t) / 0.14); // of the rod
  q[0] = t;
  q[1] = -lean - t;
  q[2] = 0.045 * cos(t) + 0.14 * cos(lean);
}

// Bennett: tan(theta1 / 2) tan(theta2 / 2) = sin((b + a) / 2) / sin((b - a) / 2), a and b the twists.
static void bennett(double t, double* q)
{
  q[0] = t;
  q[1] = 2 * atan(sqrt(3) / tan(t / 2));
  q[2] = -t;
}

// The fingers keep their direction.
static void gripper(double t, double* q)
{
  const double turns[] = {t, t, -t, -t, -t, t};
  memcpy(q, turns, sizeof turns);
  q[6] = 0.004 + 0.006 * t + 0.003 * t * t;
}

// All arms alike: the platform goes straight down.
static void delta(double t, double* q)
{
  const double lean = asin((0.15 + 0.3 * cos(t)) / 0.75);
  const double rod = lean - asin(0.6) - t; // at the elbow, from what it is at zero
  const double arm[] = {t, rod, 0, rod, 0};
  memset(q, 0, 7 * sizeof *q);
  q[2] = 0.6 - 0.3 * sin(t) - 0.75 * cos(lean);
  q[6] = 1;
  for (int i = 0; i < 3; i++) memcpy(q + 7 + 5 * i, arm, sizeof arm);
}

// Round a corner: wheels and steering turn as they like, the base is anywhere.
static void car(double t, double* q)
{
  const double at[] = {t, -2 * t, 3 * t, 0.7 - t, t / 4, 5 * t};
  memcpy(q, at, sizeof at);
}

// Ankle: the drives go together, and the ankle pitches.
static void ankle_leg(double t, double* q)
{
  const double x = -0.07 * cos(t) - 0.02 * sin(t) + 0.05; // of the heel, from the end at the shank
  const double z = 0.07 * sin(t) - 0.02 * cos(t) - 0.31;
  const double leg[] = {0.2, -0.1, 0.3, 0.5, t, 0};
  const double drive[] = {atan2(-x, -z), 0, hypot(x, z)};
  memcpy(q, leg, sizeof leg);
  for (int i = 0; i < 2; i++) memcpy(q + 6 + 3 * i, drive, sizeof drive);
}

static const struct {
  const char* name;
  void (*configuration)(double t, double* q);
  double from, to;
} formulas[] = {{"four_bar_spring", four_bar_spring, 0.01, 2.6},
                {"slider_crank", slider_crank, -3, 6},
                {"bennett", bennett, 0.1, 3},
                {"gripper", gripper, -0.3, 1.2},
                {"delta", delta, -0.9, 1.2},
                {"car", car, -1, 2},
                {"ankle_leg", ankle_leg, -0.6, 0.5}};

enum { FORMULAS = sizeof formulas / sizeof formulas[0] };

START_TEST(closes_by_formula)
{
  rig r = load(formulas[_i].name);
  const double from = formulas[_i].from, step = (formulas[_i].to - from) / 20;
  double q[MOST];
  for (int i = 0; i <= 20; i++) {
    formulas[_i].configuration(from + i * step, q);
    assert_closed(&r, q);
  }
  rig_free(&r);
}
END_TEST

// ---- figures from outside -----------------------------------------------------------------------------

// Lengths of the legs at t = 0 of the worked example: the platform turned by 0.15 about z, 0.12 sin 0.3
// about x.
START_TEST(gough_stewart_leg_lengths)
{
  static const double want[] = {0.8106961741269303, 0.7730704075937462, 0.804638614996116,
                                0.7602659184421012, 0.7927713308418731, 0.7545084451322116};
  rig r = load("gough_stewart");
  const double yaw = 0.15 / 2, roll = 0.12 * sin(0.3) / 2;
  double q[MOST], length[6];
  assert_ok(limb_start(r.m, q));
  q[3] = cos(yaw) * sin(roll), q[4] = sin(yaw) * sin(roll);
  q[5] = sin(yaw) * cos(roll), q[6] = cos(yaw) * cos(roll);
  assert_ok(limb_kinematics(r.d, q, NULL, NULL));
  for (int i = 0; i < 6; i++) {
    char cross[24];
    limb_loop_info l;
    sp_pose platform, foot;
    snprintf(cross, sizeof cross, "leg%d_cross", i + 1);
    assert_ok(limb_get_loop(r.m, i, &l));
    assert_ok(limb_frame_pose(r.d, l.def.body_a, &platform));
    assert_ok(limb_frame_pose(r.d, limb_find_frame(r.m, cross), &foot));
    length[i] = sp_norm3(sp_sub3(sp_point(platform, l.def.pose_a.p), foot.p));
  }
  assert_close_array(length, want, 6, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

// Torques of the trees, loops cut.
START_TEST(worked_examples_cut_open)
{
  static const struct {
    const char* name;
    int nv;
    double q[4], v[4], a[4], tau[4];
  } list[] = {{"five_bar",
               4,
               {1.4, -0.3669975550819706, 1.9, 0.3933809588313926},
               {0.8, -1.7514444468319623, -1.1, 2.077117927543181},
               {0.5, -2.029505051078203, 0.9, -1.0067353005129003},
               {3.205765440096726, 1.6805392336694909, -4.970667024301056, -2.180076678393617}},
              {"four_bar",
               3,
               {0.7, -0.145652786822976, 1.5237581508621456},
               {1.3, -1.7498541677143962, 0.11441346611865466},
               {-0.6, 1.475717900419038, 1.2677095240767216},
               {14.983367849223617, 7.923067301487641, 0.5531782363153047}}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    rig r = load(list[i].name);
    double tau[4];
    assert_ok(limb_inverse_dynamics(r.d, list[i].q, list[i].v, list[i].a, NULL, tau));
    assert_close_array(tau, list[i].tau, list[i].nv, TOL_NUMBERS, 0);
    assert_closed(&r, list[i].q);
    rig_free(&r);
  }
}
END_TEST

// Held where it starts, the four-bar with spring pushes with 1.96 N m less 0.1 N m/rad.
START_TEST(spring_of_the_four_bar)
{
  rig r = load("four_bar_spring");
  const double q[3] = {0.5, -0.6, 0.6}, rest[3] = {0}, want[3] = {0.1 * 0.5 - 1.96, 0, 0};
  double tau[3];
  assert_ok(limb_inverse_dynamics(r.d, q, rest, rest, NULL, tau));
  assert_close_array(tau, want, 3, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

int CHECK_NAME(void)
{
  const int each = check_run("each model with loops", COUNT,
                             (const TTest* const[]){reads_without_a_word, counts, starts_closed, moves_as_it_should,
                                                    assembles_near_its_start, NULL});
  const int formula =
    check_run("models with loops, by formula", FORMULAS, (const TTest* const[]){closes_by_formula, NULL});
  const int once = check_run("models with loops", 1,
                             (const TTest* const[]){all_with_loops, gough_stewart_leg_lengths, worked_examples_cut_open,
                                                    spring_of_the_four_bar, NULL});
  return each ? each : formula ? formula : once;
}
