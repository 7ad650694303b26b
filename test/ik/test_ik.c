// Inverse kinematics: errors and their derivatives, reachable targets on all robots, loops, redundancy, branches,
// threads.
#include "limb/ik.h"

#include "ik/ik_impl.h"
#include "support/check.h"
#include "support/closed.h"
#include "support/rng.h"
#include "support/robots.h"

#include <stdlib.h>
#include <string.h>

enum { NV_MAX = 64 };

static sp_pose pose_at(limb_data* d, const double* q, int frame)
{
  sp_pose X;
  assert_ok(limb_kinematics(d, q, NULL, NULL));
  assert_ok(limb_frame_pose(d, frame, &X));
  return X;
}

static limb_model* make(const char* name) { return robot_find(name)->make(); }

// ---- errors -------------------------------------------------------------------------------------------------

static void errors_at(const limb_ik_goal* g, limb_data* d, const double* q, const sp_pose* target, double* e, double* A)
{
  sp_motion J[NV_MAX];
  const sp_pose X = pose_at(d, q, g->task.frame);
  assert_ok(limb_frame_jacobian(d, g->task.frame, LIMB_ALIGNED, J));
  (void)limb_ik_goal_rows(g, target, &X, limb_nv(limb_data_model(d)), J, e, A);
}

static void check_derivatives(const limb_model* m, rng* r)
{
  const int nv = limb_nv(m);
  const double h = 1e-6;
  uint64_t seed = rng_next(r);
  limb_data* d;
  double q[NV_MAX + 16], p[NV_MAX + 16], e[6], more[6], less[6], A[6 * NV_MAX], unused[6 * NV_MAX], v[NV_MAX];
  assert_ok(limb_data_create(m, NULL, &d));
  limb_ik_goal g = limb_default_ik_goal(limb_frame_count(m) - 1);
  g.angular = 0.7, g.linear = 1.3;
  for (unsigned directions = 1; directions <= LIMB_TWIST; directions++) {
    for (int ref = LIMB_BODY; ref <= LIMB_ALIGNED; ref++) {
      g.task.directions = directions, g.task.ref = (limb_ref)ref;
      assert_ok(limb_random(m, &seed, q));
      const sp_pose target = pose_at(d, q, g.task.frame);
      assert_ok(limb_random(m, &seed, q));
      const sp_pose X = pose_at(d, q, g.task.frame);
      const sp_quat z = sp_quat_rot(sp_mul3(sp_transpose3(X.R), target.R));
      if (z.w < 0.1) continue; // the logarithm jumps at half a turn
      errors_at(&g, d, q, &target, e, A);
      const int rows = limb_task_rows(&(limb_task_stack){1, &g.task});
      for (int k = 0; k < nv; k++) {
        for (int j = 0; j < nv; j++) v[j] = j == k;
        assert_ok(limb_integrate(m, q, v, h, p));
        errors_at(&g, d, p, &target, more, unused);
        assert_ok(limb_integrate(m, q, v, -h, p));
        errors_at(&g, d, p, &target, less, unused);
        for (int i = 0; i < rows; i++) assert_close(A[i * nv + k], (more[i] - less[i]) / (2 * h), 0, 2e-7);
      }
    }
  }
  limb_data_destroy(d);
}

START_TEST(derivatives)
{
  rng r = {7};
  limb_model* arm = make("panda");
  limb_model* tree = robot_random_tree(3, 9, 0);
  check_derivatives(arm, &r);
  check_derivatives(tree, &r);
  limb_model_destroy(arm);
  limb_model_destroy(tree);
}
END_TEST

// ---- targets within reach -----------------------------------------------------------------------------------

static void check_within_limits(const limb_model* m, const double* q)
{
  limb_joint_info x;
  for (int j = 0; j < limb_joint_count(m); j++) {
    assert_ok(limb_get_joint(m, j, &x));
    const limb_joint_type type = x.def.type;
    if (type != LIMB_REVOLUTE && type != LIMB_PRISMATIC && type != LIMB_HELICAL) continue;
    const double at = x.multiplier * q[x.q] + x.offset;
    assert_that(at >= x.def.q_min - 1e-12 && at <= x.def.q_max + 1e-12);
  }
}

static void check_reached(limb_data* d, const double* q, int frame, const sp_pose* target)
{
  const sp_pose X = pose_at(d, q, frame);
  assert_close_pose(X, *target, 0, 1e-9);
}

// Poses of a frame, and of another one beside it, at random configurations that are within the limits.
static void check_robot(const robot* k, limb_model* m, int poses)
{
  limb_data* d;
  limb_ik* ik;
  rng r = {11};
  uint64_t seed = 5;
  double* q = calloc(2 * (size_t)limb_nq(m) + 1, sizeof *q);
  assert_ok(limb_data_create(m, NULL, &d));
  for (int i = 0; i < poses; i++) {
    check_at("%s, pose %d", k->name, i);
    const limb_ik_goal goals[2] = {limb_default_ik_goal(rng_below(&r, limb_frame_count(m))),
                                   limb_default_ik_goal(rng_below(&r, limb_frame_count(m)))};
    const int count = 1 + i % 2;
    sp_pose target[2];
    limb_ik_report report;
    assert_ok(limb_random(m, &seed, q));
    if (k->flags & ROBOT_MIMIC) { // limb_random knows nothing of the limits of mimic joints
      double* zero = calloc((size_t)limb_nv(m) + 1, sizeof *zero);
      assert_ok(limb_neutral(m, q + limb_nq(m)));
      assert_ok(limb_difference(m, q + limb_nq(m), q, zero));
      assert_ok(limb_integrate(m, q + limb_nq(m), zero, 0.05, q));
      free(zero);
    }
    for (int j = 0; j < count; j++) target[j] = pose_at(d, q, goals[j].task.frame);
    assert_ok(limb_ik_create(m, count, goals, NULL, NULL, &ik));
    assert_ok(limb_ik_solve(ik, target, NULL, q, &report));
    for (int j = 0; j < count; j++) check_reached(d, q, goals[j].task.frame, &target[j]);
    check_within_limits(m, q);
    assert_that(report.reason == LIMB_IK_SOLVED && report.angle <= 1e-10 && report.position <= 1e-10);
    limb_ik_destroy(ik);
  }
  limb_data_destroy(d);
  free(q);
}

START_TEST(reachable)
{
  int count = 0;
  const robot* all = robot_table(&count);
  for (int i = 0; i < count; i++) {
    if (all[i].flags & ROBOT_LONG || all[i].nv == 0) continue;
    limb_model* m = all[i].make();
    check_robot(&all[i], m, CHECK_EFFORT(2, 6, 40));
    limb_model_destroy(m);
  }
}
END_TEST

// The Panda, random starts.
START_TEST(panda)
{
  limb_model* m = make("panda");
  limb_data* d;
  limb_ik* ik;
  const int frame = limb_find_frame(m, "flange"), poses = CHECK_EFFORT(50, 500, 5000);
  const limb_ik_goal goal = limb_default_ik_goal(frame);
  uint64_t seed = 1;
  double q[7], start[7];
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_ik_create(m, 1, &goal, NULL, NULL, &ik));
  for (int i = 0; i < poses; i++) {
    assert_ok(limb_random(m, &seed, q));
    assert_ok(limb_random(m, &seed, start));
    const sp_pose target = pose_at(d, q, frame);
    assert_ok(limb_ik_solve(ik, &target, start, q, NULL));
    check_reached(d, q, frame, &target);
    check_within_limits(m, q);
  }
  limb_ik_destroy(ik);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// Only some directions: position, axis, and both; the rest is left as it comes.
START_TEST(directions)
{
  limb_model* m = make("panda");
  limb_data* d;
  limb_ik* ik;
  limb_ik_result x;
  limb_ik_goal goal = limb_default_ik_goal(limb_find_frame(m, "flange"));
  static const unsigned some[] = {LIMB_LINEAR, LIMB_ANGULAR, LIMB_WX | LIMB_WY, LIMB_WX | LIMB_WY | LIMB_LINEAR,
                                  LIMB_VZ,     LIMB_WZ};
  uint64_t seed = 3;
  double q[7], start[7];
  assert_ok(limb_data_create(m, NULL, &d));
  for (int i = 0; i < 120; i++) {
    goal.task.directions = some[i % 6];
    goal.task.ref = i / 6 % 2 ? LIMB_ALIGNED : LIMB_BODY;
    assert_ok(limb_random(m, &seed, q));
    assert_ok(limb_random(m, &seed, start));
    const sp_pose target = pose_at(d, q, goal.task.frame);
    assert_ok(limb_ik_create(m, 1, &goal, NULL, NULL, &ik));
    assert_status(limb_ik_get_result(ik, 0, &x), LIMB_E_ORDER);
    assert_ok(limb_ik_solve(ik, &target, start, q, NULL));
    const sp_pose X = pose_at(d, q, goal.task.frame);
    if (i % 6 == 0 || i % 6 == 3) assert_close_vec3(X.p, target.p, 0, 1e-9);
    if (goal.task.ref == LIMB_BODY && (i % 6 == 2 || i % 6 == 3))
      assert_close_vec3(sp_mulv(X.R, sp_v3(0, 0, 1)), sp_mulv(target.R, sp_v3(0, 0, 1)), 0, 1e-9);
    if (goal.task.ref == LIMB_ALIGNED && i % 6 == 4) assert_close(X.p.z, target.p.z, 0, 1e-9);
    assert_ok(limb_ik_get_result(ik, 0, &x));
    assert_that(x.angle <= 1e-10 && x.position <= 1e-10);
    limb_ik_destroy(ik);
  }
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// ---- loops --------------------------------------------------------------------------------------------------

// Back to the pose of a body in a closed configuration, from another one.
START_TEST(loops)
{
  for (int i = 0; i < closed_count(); i++) {
    closed_case c = closed_make(i, 4);
    check_at("%s", c.name);
    const int frame = limb_body_count(c.m) - 1;
    const limb_ik_goal goal = limb_default_ik_goal(frame);
    limb_data* d;
    limb_ik* ik;
    limb_loop_gap gap;
    limb_ik_report report;
    double* q = calloc((size_t)limb_nq(c.m) + 1, sizeof *q);
    assert_ok(limb_data_create(c.m, NULL, &d));
    const sp_pose target = pose_at(d, c.q, frame);
    assert_ok(limb_integrate(c.m, c.q, c.v, 0.02, q));
    assert_ok(limb_ik_create(c.m, 1, &goal, NULL, NULL, &ik));
    assert_ok(limb_ik_solve(ik, &target, q, q, &report));
    check_reached(d, q, frame, &target);
    assert_ok(limb_loop_gap_of(d, q, NULL, NULL, &gap));
    assert_that(gap.position <= 1e-10 && report.loops <= 1e-10);
    limb_ik_destroy(ik);
    limb_data_destroy(d);
    closed_free(&c);
    free(q);
  }
}
END_TEST

// The coupler of a four-bar cannot come to a far point: the report is of a closed configuration.
START_TEST(loops_out_of_reach)
{
  limb_model* m = closed_four_bar(4, 1, 3, 3);
  limb_ik_goal goal = limb_default_ik_goal(1); // the crank
  limb_ik* ik;
  limb_data* d;
  limb_ik_report report;
  limb_loop_gap gap;
  double q[3];
  goal.task.directions = LIMB_LINEAR;
  const sp_pose target = {sp_identity3(), {0, 0, 5}};
  assert_ok(limb_ik_create(m, 1, &goal, NULL, NULL, &ik));
  assert_status(limb_ik_solve(ik, &target, NULL, q, &report), LIMB_E_NOCONV);
  assert_that(report.reason == LIMB_IK_OUT_OF_REACH);
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_loop_gap_of(d, q, NULL, NULL, &gap));
  assert_that(gap.position < 1e-10);
  limb_data_destroy(d);
  limb_ik_destroy(ik);
  limb_model_destroy(m);
}
END_TEST

// ---- redundancy ---------------------------------------------------------------------------------------------

// What is left of x without the directions of the rows of A: Gram and Schmidt, twice.
static void remove_rows(int rows, int n, double* A, double* x)
{
  for (int i = 0; i <= rows; i++) {
    double* a = i < rows ? A + (ptrdiff_t)i * n : x;
    for (int twice = 0; twice < 2; twice++) {
      for (int k = 0; k < i; k++) {
        double s = 0;
        for (int j = 0; j < n; j++) s += A[k * n + j] * a[j];
        for (int j = 0; j < n; j++) a[j] -= s * A[k * n + j];
      }
    }
    double size = 0;
    for (int j = 0; j < n; j++) size += a[j] * a[j];
    for (int j = 0; j < n && i < rows; j++) a[j] /= sqrt(size);
  }
}

// At the solution nearest to the reference, the way there has no part along the self-motion.
START_TEST(reference)
{
  limb_model* m = make("panda");
  limb_data* d;
  const int frame = limb_find_frame(m, "flange");
  const limb_ik_goal goal = limb_default_ik_goal(frame);
  uint64_t seed = 9;
  double q[7], wish[7], plain[7], A[42], e[6];
  int inside = 0;
  assert_ok(limb_data_create(m, NULL, &d));
  for (int i = 0; i < 20; i++) {
    limb_ik_options o = limb_default_ik_options();
    limb_ik* ik;
    limb_ik_report report, first;
    assert_ok(limb_random(m, &seed, q));
    assert_ok(limb_random(m, &seed, wish));
    const sp_pose target = pose_at(d, q, frame);
    assert_ok(limb_ik_create(m, 1, &goal, &o, NULL, &ik));
    assert_ok(limb_ik_solve(ik, &target, wish, plain, &first));
    limb_ik_destroy(ik);
    o.reference = wish;
    assert_ok(limb_ik_create(m, 1, &goal, &o, NULL, &ik));
    assert_ok(limb_ik_solve(ik, &target, NULL, q, &report));
    check_reached(d, q, frame, &target);
    assert_that(report.distance <= first.distance + 1e-12);
    limb_ik_destroy(ik);
    double way[7], left = 0;
    int at_limit = 0;
    for (int k = 0; k < 7; k++) {
      limb_joint_info x;
      assert_ok(limb_get_joint(m, k, &x));
      at_limit |= q[k] <= x.def.q_min + 1e-9 || q[k] >= x.def.q_max - 1e-9;
      way[k] = wish[k] - q[k];
    }
    if (at_limit) continue;
    inside++;
    errors_at(&goal, d, q, &target, e, A);
    remove_rows(6, 7, A, way);
    for (int k = 0; k < 7; k++) left = fmax(left, fabs(way[k]));
    check_at("state %d", i);
    assert_that(left < 1e-6);
  }
  assert_that(inside >= 5);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// ---- branches -----------------------------------------------------------------------------------------------

// Elbow up and down of the 2R arm, in closed form.
START_TEST(two_branches)
{
  limb_model* m = make("planar_2r");
  limb_ik_goal goal = limb_default_ik_goal(limb_frame_count(m) - 1);
  limb_ik* ik;
  limb_data* d;
  double q[8], start[2] = {0.3, 0.9};
  int found = 0;
  goal.task.directions = LIMB_LINEAR;
  assert_ok(limb_data_create(m, NULL, &d));
  const sp_pose target = pose_at(d, start, goal.task.frame);
  assert_ok(limb_ik_create(m, 1, &goal, NULL, NULL, &ik));
  assert_ok(limb_ik_branches(ik, &target, start, 4, q, &found));
  assert_that(found == 2);
  assert_close_array(q, start, 2, 0, 1e-9);
  assert_close(remainder(q[3], 2 * acos(-1)), -0.9, 0, 1e-8);
  assert_ok(limb_ik_branches(ik, &target, start, 1, q, &found));
  assert_that(found == 1);
  assert_close_array(q, start, 2, 0, 1e-9);
  limb_data_destroy(d);
  limb_ik_destroy(ik);
  limb_model_destroy(m);
}
END_TEST

// A UR5 has eight in general.
START_TEST(eight_branches)
{
  limb_model* m = make("ur5");
  const limb_ik_goal goal = limb_default_ik_goal(limb_find_frame(m, "tip"));
  limb_ik* ik;
  limb_data* d;
  double q[12 * 6], start[6] = {0.4, -1.1, 1.3, -0.5, 0.9, 0.2};
  int found = 0;
  assert_ok(limb_data_create(m, NULL, &d));
  const sp_pose target = pose_at(d, start, goal.task.frame);
  assert_ok(limb_ik_create(m, 1, &goal, NULL, NULL, &ik));
  assert_ok(limb_ik_branches(ik, &target, start, 12, q, &found));
  assert_that(found == 8);
  for (int k = 0; k < found; k++) check_reached(d, q + 6 * k, goal.task.frame, &target);
  limb_data_destroy(d);
  limb_ik_destroy(ik);
  limb_model_destroy(m);
}
END_TEST

// ---- many ---------------------------------------------------------------------------------------------------

enum { MANY = 37 };

static void solve_many(limb_model* m, const limb_pool* pool, const sp_pose* targets, double* q)
{
  limb_ik_options o = limb_default_ik_options();
  const limb_ik_goal goal = limb_default_ik_goal(limb_find_frame(m, "flange"));
  limb_ik* ik;
  limb_status status[MANY];
  limb_ik_report reports[MANY];
  o.pool = pool;
  assert_ok(limb_ik_create(m, 1, &goal, &o, NULL, &ik));
  assert_status(limb_ik_solve_many(ik, MANY, targets, NULL, 0, q, reports, status), LIMB_E_NOCONV);
  for (int i = 0; i < MANY; i++) {
    assert_status(status[i], i == 20 ? LIMB_E_NOCONV : LIMB_OK);
    assert_that((reports[i].reason == LIMB_IK_SOLVED) == (i != 20));
  }
  assert_status(limb_ik_solve_many(ik, MANY, targets, q, 2, q, NULL, NULL), LIMB_E_ARG);
  limb_ik_destroy(ik);
}

// Targets from a number on, alone: the solutions of the whole.
static void solve_rest(limb_model* m, const sp_pose* targets, int from, double* q)
{
  limb_ik_options o = limb_default_ik_options();
  const limb_ik_goal goal = limb_default_ik_goal(limb_find_frame(m, "flange"));
  limb_ik* ik;
  o.first = (uint64_t)from;
  assert_ok(limb_ik_create(m, 1, &goal, &o, NULL, &ik));
  assert_status(limb_ik_solve_many(ik, (size_t)(MANY - from), targets + from, NULL, 0, q, NULL, NULL), LIMB_E_NOCONV);
  limb_ik_destroy(ik);
}

START_TEST(threads_and_parts)
{
  limb_model* m = make("panda");
  limb_data* d;
  limb_threads* three;
  sp_pose targets[MANY];
  double q[7], one[MANY * 7], more[MANY * 7];
  uint64_t seed = 2;
  assert_ok(limb_data_create(m, NULL, &d));
  for (int i = 0; i < MANY; i++) {
    assert_ok(limb_random(m, &seed, q));
    targets[i] = pose_at(d, q, limb_find_frame(m, "flange"));
  }
  targets[20].p.x += 3;
  solve_many(m, NULL, targets, one);
  assert_ok(limb_threads_create(3, NULL, &three));
  solve_many(m, limb_threads_pool(three), targets, more);
  assert_that(memcmp(one, more, sizeof one) == 0);
  solve_rest(m, targets, 5, more);
  assert_that(memcmp(one + (size_t)5 * 7, more, (MANY - 5) * 7 * sizeof *one) == 0);
  limb_threads_destroy(three);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("ik", 1, derivatives, reachable, panda, directions, loops, loops_out_of_reach, reference, two_branches,
           eight_branches, threads_and_parts)
