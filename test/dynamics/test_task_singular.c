// Task space near and at singularities, numbers from a sketch, and bad input.
//
// Two point masses m1 at the elbow and m2 at the tip of an arm of lengths l1 and l2, tip in the axes of the
// forearm (x along it), s = sin q2:
//
//   Lambda = diag(m1 / s^2 + m2, m2)       singular when the arm is straight, along x only
#include "support/check.h"
#include "support/robots.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const double M1 = 2, M2 = 1, L1 = 1, L2 = 0.8;

typedef struct arm {
  limb_model* m;
  limb_data* d;
  int tip;
  double q[2], v[2];
  limb_task task;
  limb_task_stack tasks;
  limb_task_options options;
  limb_task_space s;
  double work[512], J[12], Jdot_v[6], sigma[6], mobility[36], Lambda[36], mu[6], Jbar[12], N[4];
} arm;

static limb_model* make_arm(int* tip)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  for (int i = 0; i < 2; i++) {
    limb_body_def body = limb_default_body_def(i ? "forearm" : "upper arm");
    body.inertia = limb_inertia_point(i ? M2 : M1, sp_v3(i ? L2 : L1, 0, 0));
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    limb_joint_def joint = limb_default_joint_def(i ? "elbow" : "shoulder", LIMB_REVOLUTE, i, i + 1);
    joint.axis = sp_v3(0, 0, 1), joint.placement.p = sp_v3(i ? L1 : 0, 0, 0);
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  }
  const sp_pose at_tip = sp_pose_make(sp_identity3(), sp_v3(L2, 0, 0));
  assert_ok(limb_builder_add_frame(b, "tip", 2, &at_tip, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  *tip = limb_find_frame(m, "tip");
  return m;
}

static void begin(arm* r, double q1, double q2)
{
  memset(r, 0, sizeof *r);
  r->m = make_arm(&r->tip);
  assert_ok(limb_data_create(r->m, NULL, &r->d));
  r->q[0] = q1, r->q[1] = q2, r->v[0] = 0.7, r->v[1] = -0.4;
  r->task = (limb_task){r->tip, LIMB_BODY, LIMB_VX + LIMB_VY};
  r->tasks = (limb_task_stack){1, &r->task};
  r->options = limb_default_task_options();
  r->s = (limb_task_space){.J = r->J,
                           .Jdot_v = r->Jdot_v,
                           .sigma = r->sigma,
                           .mobility = r->mobility,
                           .Lambda = r->Lambda,
                           .mu = r->mu,
                           .Jbar = r->Jbar,
                           .N = r->N};
  r->Lambda[0] = r->mu[0] = r->Jbar[0] = r->N[0] = 7; // still there where nothing is written
}

static void end(arm* r)
{
  limb_data_destroy(r->d);
  limb_model_destroy(r->m);
}

static limb_status run(arm* r)
{
  assert_that(limb_task_work(r->m, limb_task_rows(&r->tasks)) <= 512);
  return limb_task_dynamics(r->d, r->q, r->v, NULL, &r->tasks, &r->options, r->work, &r->s);
}

static double along(double q2) { return M1 / (sin(q2) * sin(q2)) + M2; }

START_TEST(masses_of_a_sketch)
{
  for (double q2 = 1.6; q2 > 1e-5; q2 /= 3) {
    arm r;
    begin(&r, 0.3, q2);
    check_at("elbow at %g", q2);
    assert_ok(run(&r));
    const double want[4] = {along(q2), 0, 0, M2}, condition = along(q2) / M2;
    assert_close_array(r.Lambda, want, 4, 1e-12 + 1e-15 * condition, 0);
    assert_close(r.Lambda[3], M2, 1e-10, 0); // the other direction knows nothing of it
    assert_close(r.s.condition, condition, 1e-12 + 1e-15 * condition, 0);
    assert_that(r.s.damping == 0);
    end(&r);
  }
}
END_TEST

START_TEST(straight_is_singular)
{
  const double q[][2] = {{0, 0}, {0.3, 0}, {-2.1, 3.141592653589793}, {1.7, 0}};
  for (int i = 0; i < 4; i++) {
    arm r;
    begin(&r, q[i][0], q[i][1]);
    check_at("pose %d", i);
    assert_status(run(&r), LIMB_E_SINGULAR);
    assert_that(r.s.condition > 1e20 && r.s.damping == 0 && r.s.rows == 2);
    // what needs no inverse is there, what does is untouched
    assert_close(r.mobility[3], 1 / M2, 1e-12, 0);
    assert_close(r.sigma[0], hypot(L1 * cos(q[i][1]) + L2, L2), 1e-12, 0);
    assert_close(r.sigma[1], 0, 0, 1e-15);
    assert_that(r.Lambda[0] == 7 && r.mu[0] == 7 && r.Jbar[0] == 7 && r.N[0] == 7);
    end(&r);
  }
}
END_TEST

// One row alone has nothing to be small against: what rounding makes of zero must not be inverted.
START_TEST(a_single_row_that_vanishes_is_singular)
{
  const double q[][2] = {{0, 0}, {0.3, 0}, {-2.1, 3.141592653589793}, {1.7, 0}, {0.3, 1e-12}};
  for (int i = 0; i < 5; i++) {
    arm r;
    begin(&r, q[i][0], q[i][1]);
    check_at("pose %d", i);
    r.task.directions = LIMB_VX;
    if (i < 4) {
      assert_status(run(&r), LIMB_E_SINGULAR);
      assert_that(r.s.condition == HUGE_VAL && r.J[0] == 0 && r.J[1] == 0);
      r.options.raise_damping = 1;
      assert_status(run(&r), LIMB_E_SINGULAR);
    } else {
      assert_ok(run(&r)); // small, but no rounding
      assert_close(r.Lambda[0], along(1e-12), 1e-3, 0);
      assert_that(r.s.condition == 1);
    }
    r.options.damping = 0.01;
    assert_ok(run(&r));
    assert_close(r.Lambda[0], 100, 1e-9, 0);
    assert_that(isfinite(r.mu[0]));
    end(&r);
  }
}
END_TEST

START_TEST(points_that_do_not_move)
{
  arm r;
  begin(&r, 0.3, 0.8);
  const unsigned off_plane[] = {LIMB_WX, LIMB_WY, LIMB_VZ, LIMB_TWIST};
  for (int i = 0; i < 4; i++) {
    r.task.directions = off_plane[i];
    assert_status(run(&r), LIMB_E_SINGULAR);
  }
  r.task = (limb_task){0, LIMB_WORLD, LIMB_LINEAR}; // the world
  assert_status(run(&r), LIMB_E_SINGULAR);
  assert_that(r.s.condition == HUGE_VAL);
  r.task = (limb_task){1, LIMB_ALIGNED, LIMB_VX}; // on the axis it turns about
  assert_status(run(&r), LIMB_E_SINGULAR);
  r.task.directions = LIMB_WZ;
  assert_ok(run(&r));
  end(&r);
}
END_TEST

// A hinge about a skew axis far from the origin: points on the axis are there up to rounding only.
START_TEST(points_on_a_skew_axis)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  limb_body_def body = limb_default_body_def("disc");
  body.inertia = limb_inertia_cylinder(2, 0.3, 0.1);
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  limb_joint_def joint = limb_default_joint_def("hinge", LIMB_REVOLUTE, 0, 1);
  joint.placement = sp_pose_make(sp_rot_rpy(0.3, 1.1, -0.7), sp_v3(11, -7, 5));
  joint.axis = sp_v3(1 / sqrt(3), -1 / sqrt(3), 1 / sqrt(3));
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  const sp_pose on_axis = sp_pose_make(sp_rot_rpy(1, 2, 3), sp_scale3(0.77, joint.axis));
  sp_pose beside = on_axis;
  beside.p = sp_add3(beside.p, sp_v3(1e-9, 1e-9, 0)); // square to the axis
  assert_ok(limb_builder_add_frame(b, "on axis", 1, &on_axis, NULL, NULL));
  assert_ok(limb_builder_add_frame(b, "beside", 1, &beside, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_ok(limb_data_create(m, NULL, &d));
  limb_task task = {limb_find_frame(m, "on axis"), LIMB_BODY, 0};
  const limb_task_stack tasks = {1, &task};
  double work[64];
  limb_task_space s = {0};
  for (int i = 0; i < 30; i++) {
    const double q = 0.2 * i, v = 1;
    check_at("angle %g", q);
    task.directions = (unsigned)LIMB_VX << i % 3;
    assert_status(limb_task_dynamics(d, &q, &v, NULL, &tasks, NULL, work, &s), LIMB_E_SINGULAR);
    assert_that(s.condition == HUGE_VAL);
    task.directions = LIMB_WX;
    assert_ok(limb_task_dynamics(d, &q, &v, NULL, &tasks, NULL, work, &s));
  }
  const double q = 0.4, v = 1;
  task = (limb_task){limb_find_frame(m, "beside"), LIMB_BODY, LIMB_VX};
  assert_ok(limb_task_dynamics(d, &q, &v, NULL, &tasks, NULL, work, &s));
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(dependent_rows)
{
  arm r;
  begin(&r, 0.3, 0.8);
  const limb_task twice[2] = {{r.tip, LIMB_BODY, LIMB_VX}, {r.tip, LIMB_BODY, LIMB_VX}};
  r.tasks = (limb_task_stack){2, twice};
  assert_status(run(&r), LIMB_E_SINGULAR);
  r.options.raise_damping = 1, r.options.condition_limit = 1e4;
  assert_ok(run(&r)); // the two share the load
  assert_close(r.Lambda[0] + r.Lambda[1], along(0.8) / 2, 1e-3, 0);
  const limb_task many[2] = {{r.tip, LIMB_BODY, LIMB_VX + LIMB_VY}, {r.tip, LIMB_ALIGNED, LIMB_WZ}};
  r.tasks = (limb_task_stack){2, many}; // three rows, two joints
  r.options = limb_default_task_options();
  assert_status(run(&r), LIMB_E_SINGULAR);
  assert_that(r.s.rows == 3 && r.sigma[2] < 1e-15 && r.sigma[1] > 0.1);
  assert_that(r.s.condition == HUGE_VAL); // exactly, whatever rounding says
  end(&r);
}
END_TEST

// delta = (l1 - c lk) / (c - 1), zero where the condition is c, and Lambda no larger than c / l1.
START_TEST(damping_is_raised_to_the_limit)
{
  const double limit = 1e4,
               edge = asin(sqrt(M1 / (M2 * (limit - 1)))); // condition there: the limit
  double before = -1;
  for (int i = -40; i <= 40; i++) {
    const double q2 = edge * i / 20;
    arm r;
    begin(&r, 0.3, q2);
    check_at("elbow at %g", q2);
    r.options.condition_limit = limit;
    const limb_status plain = run(&r);
    if (i % 20 != 0) assert_status(plain, i > -20 && i < 20 ? LIMB_E_SINGULAR : LIMB_OK);
    r.options.raise_damping = 1;
    assert_ok(run(&r));
    const double least = i == 0 ? 0 : 1 / along(q2), most = 1 / M2;
    const double delta = fmax(0, (most - limit * least) / (limit - 1));
    assert_close(r.s.damping, delta, 1e-9, 1e-15);
    assert_close(r.Lambda[0], 1 / (least + delta), 1e-9, 0);
    assert_close(r.Lambda[3], 1 / (most + delta), 1e-9, 0);
    assert_that(r.Lambda[0] <= (1 + 1e-9) * limit * M2 && fabs(r.mu[0]) < limit);
    if (before >= 0) assert_close(r.Lambda[0], before, 0, 0.1 * limit); // no jumps
    before = r.Lambda[0];
    end(&r);
  }
}
END_TEST

START_TEST(given_damping)
{
  arm r;
  begin(&r, 0.3, 0);
  for (double delta = 1e-2; delta > 1e-11; delta /= 10) {
    r.options.damping = delta;
    assert_ok(run(&r));
    assert_close(r.Lambda[0], 1 / delta, 1e-6, 0);
    assert_close(r.Lambda[3], 1 / (1 / M2 + delta), 1e-9, 0);
    assert_that(r.s.damping == delta && r.s.condition > 1e20);
  }
  r.options.damping = 1e-14; // too little to be believed
  assert_status(run(&r), LIMB_E_SINGULAR);
  end(&r);
}
END_TEST

// The acceleration of a task needs no inverse of it: tip of a straight arm, in world axes.
START_TEST(acceleration_of_a_singular_task)
{
  arm r;
  begin(&r, 0.3, 0);
  const double tau[2] = {3, -2};
  double a[2], xddot[6];
  sp_motion want;
  r.task = (limb_task){r.tip, LIMB_ALIGNED, LIMB_TWIST};
  assert_ok(limb_task_acceleration(r.d, r.q, r.v, tau, NULL, &r.tasks, r.work, xddot));
  assert_ok(limb_forward_dynamics(r.d, r.q, r.v, tau, NULL, a));
  assert_ok(limb_kinematics(r.d, r.q, r.v, a));
  assert_ok(limb_frame_classical_acceleration(r.d, r.tip, LIMB_ALIGNED, &want));
  const double rows[6] = {want.w.x, want.w.y, want.w.z, want.v.x, want.v.y, want.v.z};
  assert_close_array(xddot, rows, 6, 1e-13, 0);
  end(&r);
}
END_TEST

// A free body: Lambda of its twist is its spatial inertia, p holds its weight.
START_TEST(a_free_body_is_its_own_inertia)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  limb_body_def brick = limb_default_body_def("brick");
  brick.inertia = limb_inertia_box(3, 0.2, 0.3, 0.4);
  assert_ok(limb_builder_add_body(b, &brick, NULL, NULL));
  const limb_joint_def joint = limb_default_joint_def("free", LIMB_FREE, 0, 1);
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_ok(limb_data_create(m, NULL, &d));
  const double q[7] = {0.1, 0.2, 0.3, 0, 0, 0, 1}, v[6] = {1, -2, 3, 0.5, 0.6, 0.7};
  const limb_task twist = {1, LIMB_BODY, LIMB_TWIST};
  const limb_task_stack tasks = {1, &twist};
  double work[256], Lambda[36], p[6], mu[6], want[36] = {0};
  assert_that(limb_task_work(m, 6) <= 256);
  limb_task_space s = {.Lambda = Lambda, .mu = mu, .p = p};
  assert_ok(limb_task_dynamics(d, q, v, NULL, &tasks, NULL, work, &s));
  const double Y[6] = {0.25 * 0.25, 0.25 * 0.2, 0.25 * 0.13, 3, 3, 3}; // m (b^2 + c^2) / 12
  for (int i = 0; i < 6; i++) want[7 * i] = Y[i];
  assert_close_matrix(Lambda, want, 6, 6, 1e-13, 0);
  const double weight[6] = {0, 0, 0, 0, 0, 3 * 9.81};
  assert_close_array(p, weight, 6, 1e-13, 0);
  // w x I w; m w x v
  const sp_vec3 w = sp_v3(1, -2, 3), u = sp_v3(0.5, 0.6, 0.7);
  const sp_vec3 n = sp_cross3(w, sp_v3(Y[0] * w.x, Y[1] * w.y, Y[2] * w.z));
  const sp_vec3 f = sp_scale3(3, sp_cross3(w, u));
  const double turning[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
  assert_close_array(mu, turning, 6, 1e-13, 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

// Without mass M has no inverse; with next to none that of J M^-1 J' cannot be judged.
START_TEST(joints_without_mass)
{
  const double mass[] = {0, 1e-170}; // [kg]
  const limb_status want[] = {LIMB_E_SINGULAR, LIMB_E_NONFINITE};
  for (int i = 0; i < 2; i++) {
    limb_builder* b = NULL;
    limb_model* m = NULL;
    limb_data* d = NULL;
    assert_ok(limb_builder_create(NULL, &b));
    limb_body_def empty = limb_default_body_def("empty");
    if (i) empty.inertia = limb_inertia_sphere(mass[i], 1);
    assert_ok(limb_builder_add_body(b, &empty, NULL, NULL));
    const limb_joint_def joint = limb_default_joint_def("hinge", LIMB_REVOLUTE, 0, 1);
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
    assert_ok(limb_builder_build(b, &m, NULL));
    assert_ok(limb_data_create(m, NULL, &d));
    const double q = 0.1;
    const limb_task turn = {1, LIMB_BODY, LIMB_ANGULAR};
    const limb_task_stack tasks = {1, &turn};
    double work[64], J[3];
    limb_task_options damped = limb_default_task_options();
    damped.damping = 1, damped.raise_damping = 1;
    limb_task_space s = {.J = J};
    assert_status(limb_task_dynamics(d, &q, &q, NULL, &tasks, &damped, work, &s), want[i]);
    assert_that(s.condition == HUGE_VAL && fabs(J[0]) + fabs(J[1]) + fabs(J[2]) > 0.9);
    limb_data_destroy(d);
    limb_model_destroy(m);
    limb_builder_destroy(b);
  }
}
END_TEST

// ---- edges and bad input --------------------------------------------------------------------------------

START_TEST(no_rows)
{
  arm r;
  begin(&r, 0.3, 0.8);
  r.tasks = (limb_task_stack){0, NULL};
  assert_ok(run(&r));
  const double one[4] = {1, 0, 0, 1}, tau0[2] = {3, 4};
  double tau[2];
  assert_that(r.s.rows == 0 && r.s.condition == 1);
  assert_close_array(r.N, one, 4, 0, 0);
  assert_ok(limb_task_torque(r.m, &r.s, NULL, tau0, tau));
  assert_close_array(tau, tau0, 2, 0, 0);
  end(&r);
}
END_TEST

START_TEST(counting)
{
  const limb_task some[2] = {{1, LIMB_BODY, LIMB_WX + LIMB_VZ}, {2, LIMB_WORLD, LIMB_TWIST}};
  limb_task bad = {1, LIMB_BODY, 64};
  ck_assert_int_eq(limb_task_rows(&(limb_task_stack){2, some}), 8);
  ck_assert_int_eq(limb_task_rows(&(limb_task_stack){0, NULL}), 0);
  ck_assert_int_eq(limb_task_rows(&(limb_task_stack){-1, some}), -1);
  ck_assert_int_eq(limb_task_rows(&(limb_task_stack){1, NULL}), -1);
  ck_assert_int_eq(limb_task_rows(&(limb_task_stack){1, &bad}), -1);
  ck_assert_int_eq(limb_task_rows(NULL), -1);
  ck_assert_uint_eq(limb_task_work(NULL, 3), 0);
  limb_model* m = robot_panda();
  ck_assert_uint_eq(limb_task_work(m, -1), 0);
  ck_assert_uint_gt(limb_task_work(m, 0), 0);
  ck_assert_uint_eq(limb_task_work(m, INT_MAX), 0); // 2^66 bytes
  limb_model_destroy(m);
}
END_TEST

START_TEST(bad_tasks_and_options)
{
  arm r;
  begin(&r, 0.3, 0.8);
  const limb_task good = r.task;
  const limb_task bad[] = {{-1, LIMB_BODY, 1}, {99, LIMB_BODY, 1}, {1, (limb_ref)3, 1}, {1, LIMB_BODY, 64}};
  const double tau[2] = {0};
  double x[6];
  for (int i = 0; i < 4; i++) {
    r.task = bad[i];
    assert_status(run(&r), LIMB_E_ARG);
    assert_status(limb_task_acceleration(r.d, r.q, r.v, tau, NULL, &r.tasks, r.work, x), LIMB_E_ARG);
  }
  r.task = good;
  const double limits[] = {1, 0, -5, 1e14, nan(""), HUGE_VAL};
  for (int i = 0; i < 6; i++) {
    r.options.condition_limit = limits[i];
    assert_status(run(&r), i < 4 ? LIMB_E_ARG : LIMB_E_NONFINITE);
  }
  r.options = limb_default_task_options();
  const double dampings[] = {-1, nan(""), HUGE_VAL};
  for (int i = 0; i < 3; i++) {
    r.options.damping = dampings[i];
    assert_status(run(&r), i < 1 ? LIMB_E_ARG : LIMB_E_NONFINITE);
  }
  r.options = limb_default_task_options();
  r.options.size = 3;
  assert_status(run(&r), LIMB_E_ARG);
  end(&r);
}
END_TEST

START_TEST(bad_arguments)
{
  arm r;
  begin(&r, 0.3, 0.8);
  limb_environment env = limb_default_environment(r.m);
  limb_task_space* s = &r.s;
  const limb_task_stack* t = &r.tasks;
  double *q = r.q, *v = r.v, *w = r.work, tau[2] = {1, 2}, x[6];
  assert_status(limb_task_dynamics(NULL, q, v, NULL, t, NULL, w, s), LIMB_E_ARG);
  assert_status(limb_task_dynamics(r.d, NULL, v, NULL, t, NULL, w, s), LIMB_E_ARG);
  assert_status(limb_task_dynamics(r.d, q, NULL, NULL, t, NULL, w, s), LIMB_E_ARG);
  assert_status(limb_task_dynamics(r.d, q, v, NULL, NULL, NULL, w, s), LIMB_E_ARG);
  assert_status(limb_task_dynamics(r.d, q, v, NULL, t, NULL, NULL, s), LIMB_E_ARG);
  assert_status(limb_task_dynamics(r.d, q, v, NULL, t, NULL, w, NULL), LIMB_E_ARG);
  env.gravity.x = nan("");
  assert_status(limb_task_dynamics(r.d, q, v, &env, t, NULL, w, s), LIMB_E_NONFINITE);
  assert_status(limb_task_acceleration(r.d, q, v, tau, &env, t, w, x), LIMB_E_NONFINITE);
  assert_status(limb_task_acceleration(NULL, q, v, tau, NULL, t, w, x), LIMB_E_ARG);
  assert_status(limb_task_acceleration(r.d, q, v, NULL, NULL, t, w, x), LIMB_E_ARG);
  assert_status(limb_task_acceleration(r.d, q, v, tau, NULL, NULL, w, x), LIMB_E_ARG);
  assert_status(limb_task_acceleration(r.d, q, v, tau, NULL, t, NULL, x), LIMB_E_ARG);
  assert_status(limb_task_acceleration(r.d, q, v, tau, NULL, t, w, NULL), LIMB_E_ARG);
  assert_ok(run(&r));
  assert_status(limb_task_torque(NULL, s, tau, NULL, x), LIMB_E_ARG);
  assert_status(limb_task_torque(r.m, NULL, tau, NULL, x), LIMB_E_ARG);
  assert_status(limb_task_torque(r.m, s, NULL, NULL, x), LIMB_E_ARG);
  assert_status(limb_task_torque(r.m, s, tau, NULL, NULL), LIMB_E_ARG);
  s->Jbar = NULL;
  assert_status(limb_task_torque(r.m, s, tau, tau, x), LIMB_E_ARG);
  assert_ok(limb_task_torque(r.m, s, tau, NULL, x));
  s->J = NULL;
  assert_status(limb_task_torque(r.m, s, tau, NULL, x), LIMB_E_ARG);
  s->J = r.J, tau[1] = HUGE_VAL;
  assert_status(limb_task_torque(r.m, s, tau, NULL, x), LIMB_E_NONFINITE);
  assert_status(limb_task_acceleration(r.d, q, v, tau, NULL, t, w, x), LIMB_E_NONFINITE);
  v[0] = 1e200; // squares of it are not finite
  assert_status(run(&r), LIMB_E_NONFINITE);
  v[0] = nan("");
  assert_status(run(&r), LIMB_E_NONFINITE);
  assert_that(r.s.condition == HUGE_VAL);
  end(&r);
}
END_TEST

CHECK_MAIN("dynamics/task_singular", 1, masses_of_a_sketch, straight_is_singular,
           a_single_row_that_vanishes_is_singular, points_that_do_not_move, points_on_a_skew_axis, dependent_rows,
           damping_is_raised_to_the_limit, given_damping, acceleration_of_a_singular_task,
           a_free_body_is_its_own_inertia, joints_without_mass, no_rows, counting, bad_tasks_and_options, bad_arguments)
