// Impedance control: the frame is the mass, spring and damper that it is told to be.
#include "limb/control.h"

#include "support/trial.h"

#include <math.h>
#include <string.h>

enum { ROWS = 6 };

// A frame, a goal near it, and its errors as they were drawn.
typedef struct frame_case {
  limb_impedance c;
  limb_frame_goal goal;
  double K[36], D[36], L[36];
  double e[ROWS], e1[ROWS];
  double x2[ROWS]; // acceleration of the goal, in the axes of the reference
  int k, row[ROWS];
  double *work, *task_work, *tau;
} frame_case;

static void write6(sp_vec3 w, sp_vec3 v, double* x)
{
  x[0] = w.x, x[1] = w.y, x[2] = w.z, x[3] = v.x, x[4] = v.y, x[5] = v.z;
}

// A A' + 1, or its diagonal.
static void random_matrix(rng* r, int full, double* A)
{
  double B[36];
  rng_fill(r, 3, 36, B);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      A[6 * i + j] = i == j;
      for (int l = 0; l < 6; l++) A[6 * i + j] += B[6 * i + l] * B[6 * j + l];
    }
  }
  for (int i = 0; !full && i < 6; i++) A[i] = A[7 * i];
}

static void draw_goal(trial* t, frame_case* c)
{
  sp_pose X;
  sp_motion V;
  assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
  assert_ok(limb_frame_pose(t->d, c->c.task.frame, &X));
  assert_ok(limb_frame_velocity(t->d, c->c.task.frame, LIMB_ALIGNED, &V));
  const sp_vec3 axis = rng_direction(&t->r), way = rng_vec3(&t->r, 0.3);
  const double angle = rng_uniform(&t->r, 0.01, 3);
  const sp_vec3 turn = sp_scale3(angle, axis);
  limb_frame_goal* g = &c->goal;
  g->pose = sp_pose_make(sp_mul3(X.R, sp_rot_axis(axis, angle)), sp_add3(X.p, way));
  g->velocity = rng_motion(&t->r, 1, 1);
  g->acceleration = rng_motion(&t->r, 3, 3);
  const sp_vec3 w1 = sp_sub3(g->velocity.w, V.w), u1 = sp_sub3(g->velocity.v, V.v);
  const sp_vec3 w2 = g->acceleration.w, u2 = g->acceleration.v;
  if (c->c.task.ref == LIMB_ALIGNED) {
    write6(sp_mulv(X.R, turn), way, c->e), write6(w1, u1, c->e1), write6(w2, u2, c->x2);
  } else {
    const sp_vec3 w = sp_cross3(V.w, g->velocity.w), u = sp_cross3(V.w, g->velocity.v);
    write6(turn, sp_tmulv(X.R, way), c->e), write6(sp_tmulv(X.R, w1), sp_tmulv(X.R, u1), c->e1);
    write6(sp_tmulv(X.R, sp_sub3(w2, w)), sp_tmulv(X.R, sp_sub3(u2, u)), c->x2);
  }
}

static void draw(trial* t, frame_case* c)
{
  const int frame = t->nframe - 1 - rng_below(&t->r, 1 + t->nframe / 3); // far from the base
  c->c = limb_default_impedance(frame);
  c->c.task.ref = rng_chance(&t->r, 0.5) ? LIMB_ALIGNED : LIMB_BODY;
  c->c.task.directions = 1 + (unsigned)rng_below(&t->r, LIMB_TWIST);
  if (t->nv < 6) c->c.task.directions = 1u << rng_below(&t->r, 6);
  c->c.full = rng_chance(&t->r, 0.5);
  random_matrix(&t->r, c->c.full, c->K), random_matrix(&t->r, c->c.full, c->D);
  random_matrix(&t->r, c->c.full, c->L);
  c->c.stiffness = c->K, c->c.damping = c->D, c->c.env = &t->env;
  c->k = 0;
  for (int i = 0; i < ROWS; i++) {
    if (c->c.task.directions >> i & 1) c->row[c->k++] = i;
  }
  draw_goal(t, c);
  c->work = trial_doubles(t, limb_control_work(t->m));
  c->task_work = trial_doubles(t, limb_task_work(t->m, ROWS));
  c->tau = trial_doubles(t, (size_t)t->nv);
}

static double entry(const frame_case* c, const double* A, int i, int j)
{
  return c->c.full ? A[6 * c->row[i] + c->row[j]] : i == j ? A[c->row[i]] : 0;
}

// K e + D e'
static void spring(const frame_case* c, double* F)
{
  for (int i = 0; i < c->k; i++) {
    F[i] = 0;
    for (int j = 0; j < c->k; j++)
      F[i] += entry(c, c->K, i, j) * c->e[c->row[j]] + entry(c, c->D, i, j) * c->e1[c->row[j]];
  }
}

// Condition of the task, or a negative number where it is singular.
static double law(trial* t, frame_case* c, double* mobility)
{
  const limb_task_stack tasks = {1, &c->c.task};
  limb_task_space s = {.mobility = mobility};
  const limb_status status = limb_impedance_control(t->d, t->q, t->v, &c->goal, &c->c, c->work, c->tau);
  assert_that(status == LIMB_OK || status == LIMB_E_SINGULAR);
  assert_status(limb_task_dynamics(t->d, t->q, t->v, &t->env, &tasks, NULL, c->task_work, &s), status);
  return status == LIMB_OK ? s.condition : -1;
}

static void acceleration(trial* t, const frame_case* c, const limb_environment* env, double* x2)
{
  const limb_task_stack tasks = {1, &c->c.task};
  assert_ok(limb_task_acceleration(t->d, t->q, t->v, c->tau, env, &tasks, c->task_work, x2));
}

static int no_passive(const trial* t)
{
  for (int j = 0; j < limb_joint_count(t->m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    if (info.passive) return 0;
  }
  return 1;
}

static int tried, regular; // over all states of a robot

// Lambda e'' + D e' + K e = 0:  x'' = x''_goal + (J M^-1 J') (D e' + K e)
static void natural(trial* t)
{
  frame_case c;
  double A[36], F[ROWS], want[ROWS], got[ROWS];
  draw(t, &c);
  if (!no_passive(t)) {
    assert_status(limb_impedance_control(t->d, t->q, t->v, &c.goal, &c.c, c.work, c.tau), LIMB_E_UNSUPPORTED);
    return;
  }
  if (trial_enough(t)) return;
  tried++;
  // a posture that the task does not notice
  double* x = trial_doubles(t, 2 * (size_t)t->nv + (size_t)t->nq);
  for (int i = 0; i < 2 * t->nv; i++) x[i] = rng_uniform(&t->r, 0, 5);
  assert_ok(limb_neutral(t->m, x + 2 * t->nv));
  if (rng_chance(&t->r, 0.7)) c.c.posture = x + 2 * t->nv, c.c.posture_kp = x, c.c.posture_kd = x + t->nv;
  const double condition = law(t, &c, A);
  if (condition < 0 || condition > 1e8) return;
  regular++;
  acceleration(t, &c, &t->env, got);
  spring(&c, F);
  trial_times(A, F, c.k, c.k, want);
  for (int i = 0; i < c.k; i++) want[i] += c.x2[c.row[i]];
  const double tolerance = t->solve * 10 + 1e-14 * condition;
  assert_close_array(got, want, c.k, tolerance, tolerance);
}

START_TEST(natural_inertia)
{
  tried = regular = 0;
  trial_over(_i, TRIAL_STATES, natural);
  assert_that(10 * regular >= tried);
}
END_TEST

// L e'' + D e' + K e = -F under a force F that is measured.
static void shaped(trial* t)
{
  frame_case c;
  double A[36], F[ROWS], push[ROWS], want[ROWS], got[ROWS], x[ROWS];
  draw(t, &c);
  if (!no_passive(t) || trial_enough(t)) return;
  const sp_motion random = rng_motion(&t->r, 5, 20);
  const sp_force f = sp_force_make(random.w, random.v);
  c.c.inertia = c.L, c.c.measured = f;
  // only the rows that count are pushed: the robot does not know of the others
  write6(f.m, f.f, push);
  for (int i = 0; i < ROWS; i++) push[i] = c.c.task.directions >> i & 1 ? push[i] : 0;
  const double condition = law(t, &c, A);
  if (condition < 0 || condition > 1e8) return;
  limb_environment env = t->env;
  limb_wrench wrench[TRIAL_WRENCHES + 1];
  memcpy(wrench, t->wrench, sizeof t->wrench);
  wrench[env.nwrench++] =
    (limb_wrench){c.c.task.frame, c.c.task.ref, {{push[0], push[1], push[2]}, {push[3], push[4], push[5]}}};
  env.wrench = wrench;
  acceleration(t, &c, &env, got);
  spring(&c, F);
  // L (x'' - x''_goal) = D e' + K e + F
  for (int i = 0; i < c.k; i++) want[i] = F[i] + push[c.row[i]], x[i] = got[i] - c.x2[c.row[i]];
  for (int i = 0; i < c.k; i++) {
    got[i] = 0;
    for (int j = 0; j < c.k; j++) got[i] += entry(&c, c.L, i, j) * x[j];
  }
  const double tolerance = 1e3 * t->solve + 1e-13 * condition;
  assert_close_array(got, want, c.k, tolerance, tolerance);
}

START_TEST(shaped_inertia) { trial_over(_i, TRIAL_STATES, shaped); }
END_TEST

// ---- one robot -------------------------------------------------------------------------------------------

typedef struct arm {
  limb_model* m;
  limb_data* d;
  double q[7], v[7], tau[7], work[1024];
  limb_impedance c;
  limb_frame_goal goal;
} arm;

static const double K6[6] = {30, 30, 30, 400, 400, 400}, D6[6] = {5, 5, 5, 80, 80, 80};

static arm panda(void)
{
  arm x = {.m = robot_panda(), .q = {0, -0.4, 0, -2, 0, 1.6, 0.8}};
  assert_ok(limb_data_create(x.m, NULL, &x.d));
  assert_that(limb_control_work(x.m) <= 1024);
  x.c = limb_default_impedance(limb_find_frame(x.m, "flange"));
  x.c.stiffness = K6, x.c.damping = D6;
  assert_ok(limb_kinematics(x.d, x.q, NULL, NULL));
  assert_ok(limb_frame_pose(x.d, x.c.task.frame, &x.goal.pose));
  return x;
}

static limb_status run(arm* x) { return limb_impedance_control(x->d, x->q, x->v, &x->goal, &x->c, x->work, x->tau); }

static void end(arm* x)
{
  limb_data_destroy(x->d);
  limb_model_destroy(x->m);
}

// e' in the frame's axes against what it becomes a little later.
START_TEST(body_axes_turn)
{
  arm x = panda();
  const double h = 1e-5;
  double a[7], q[2][7], v[2][7];
  rng r = {4};
  rng_fill(&r, 0.5, 7, x.v);
  x.c.task.ref = LIMB_BODY;
  x.c.stiffness = NULL, x.c.damping = NULL;
  x.goal.velocity = sp_motion_make(sp_v3(0.3, -0.2, 0.5), sp_v3(1, 2, -1));
  x.goal.acceleration = sp_motion_make(sp_v3(1, 0.5, -2), sp_v3(0.4, -3, 1));
  assert_ok(run(&x));
  assert_ok(limb_forward_dynamics(x.d, x.q, x.v, x.tau, NULL, a));
  double e1[2][6];
  for (int side = 0; side < 2; side++) {
    const double dt = side ? h : -h;
    sp_pose X;
    sp_motion V;
    for (int i = 0; i < 7; i++) {
      v[side][i] = x.v[i] + dt * a[i];
      q[side][i] = x.q[i] + dt * x.v[i] + dt * dt / 2 * a[i];
    }
    assert_ok(limb_kinematics(x.d, q[side], v[side], NULL));
    assert_ok(limb_frame_pose(x.d, x.c.task.frame, &X));
    assert_ok(limb_frame_velocity(x.d, x.c.task.frame, LIMB_BODY, &V));
    const sp_vec3 w = sp_add3(x.goal.velocity.w, sp_scale3(dt, x.goal.acceleration.w));
    const sp_vec3 u = sp_add3(x.goal.velocity.v, sp_scale3(dt, x.goal.acceleration.v));
    write6(sp_sub3(sp_tmulv(X.R, w), V.w), sp_sub3(sp_tmulv(X.R, u), V.v), e1[side]);
  }
  for (int i = 0; i < 6; i++) assert_close((e1[1][i] - e1[0][i]) / (2 * h), 0, 0, TOL_FD);
  end(&x);
}
END_TEST

// At rest at the goal nothing but gravity is held; what limb_kinematics left stays.
START_TEST(at_rest)
{
  arm x = panda();
  double g[7], other[7] = {1, 1, 1, -1, 1, 1, 1};
  sp_pose before, after;
  assert_ok(limb_kinematics(x.d, other, NULL, NULL));
  assert_ok(limb_frame_pose(x.d, x.c.task.frame, &before));
  assert_ok(run(&x));
  assert_ok(limb_frame_pose(x.d, x.c.task.frame, &after));
  assert_that(memcmp(&before, &after, sizeof before) == 0);
  assert_ok(limb_gravity_forces(x.d, x.q, NULL, g));
  assert_close_array(x.tau, g, 7, 1e-11, 0);
  // half a turn away: a finite torque
  x.goal.pose.R = sp_mul3(x.goal.pose.R, sp_rot_axis(sp_v3(0, 0, 1), 3.14159265358979323846));
  assert_ok(run(&x));
  end(&x);
}
END_TEST

START_TEST(bad_arguments)
{
  arm x = panda();
  const arm good = x;
  const double bad[36] = {1, 2, nan(""), 1}, below[36] = {1, 1, -1, 1, 1, 1}, zero[36] = {0};
  assert_ok(run(&x));
  assert_status(limb_impedance_control(NULL, x.q, x.v, &x.goal, &x.c, x.work, x.tau), LIMB_E_ARG);
  assert_status(limb_impedance_control(x.d, NULL, x.v, &x.goal, &x.c, x.work, x.tau), LIMB_E_ARG);
  assert_status(limb_impedance_control(x.d, x.q, NULL, &x.goal, &x.c, x.work, x.tau), LIMB_E_ARG);
  assert_status(limb_impedance_control(x.d, x.q, x.v, NULL, &x.c, x.work, x.tau), LIMB_E_ARG);
  assert_status(limb_impedance_control(x.d, x.q, x.v, &x.goal, NULL, x.work, x.tau), LIMB_E_ARG);
  assert_status(limb_impedance_control(x.d, x.q, x.v, &x.goal, &x.c, NULL, x.tau), LIMB_E_ARG);
  assert_status(limb_impedance_control(x.d, x.q, x.v, &x.goal, &x.c, x.work, NULL), LIMB_E_ARG);
#define REFUSED(change, status) \
  x = good, change;             \
  assert_status(run(&x), status)
  REFUSED(x.c.task.ref = LIMB_WORLD, LIMB_E_ARG);
  REFUSED(x.c.task.directions = 0, LIMB_E_ARG);
  REFUSED(x.c.task.directions = 64, LIMB_E_ARG);
  REFUSED(x.c.task.frame = 99, LIMB_E_ARG);
  REFUSED(x.c.size = 8, LIMB_E_ARG);
  REFUSED(x.c.stiffness = bad, LIMB_E_NONFINITE);
  REFUSED(x.c.damping = below, LIMB_E_ARG);
  REFUSED(x.c.inertia = bad, LIMB_E_NONFINITE);
  REFUSED(x.c.inertia = zero, LIMB_E_SINGULAR);
  REFUSED(x.c.posture_kd = below, LIMB_E_ARG);
  REFUSED(x.c.posture_kp = bad, LIMB_E_NONFINITE);
  REFUSED((x.c.posture = bad, x.c.posture_kp = zero), LIMB_E_NONFINITE);
  REFUSED(x.c.measured.f.x = HUGE_VAL, LIMB_E_NONFINITE);
  REFUSED(x.goal.pose.p.x = HUGE_VAL, LIMB_E_NONFINITE);
  REFUSED(x.goal.velocity.w.x = nan(""), LIMB_E_NONFINITE);
  REFUSED(x.goal.pose.R.m[0] += 0.01, LIMB_E_ARG);
  REFUSED(x.q[0] = nan(""), LIMB_E_NONFINITE);
  REFUSED(x.v[3] = HUGE_VAL, LIMB_E_NONFINITE);
  REFUSED(memset(x.q, 0, sizeof x.q), LIMB_E_SINGULAR); // stretched out
  REFUSED((memset(x.q, 0, sizeof x.q), x.c.singular.raise_damping = 1), LIMB_OK);
#undef REFUSED
  x = good;
  end(&x);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const each[] = {natural_inertia, shaped_inertia, NULL};
  const int failed = check_run("impedance", trial_robots(), each);
  return failed |
         check_run("impedance, one arm", 1, (const TTest* const[]){body_axes_turn, at_rest, bad_arguments, NULL});
}
