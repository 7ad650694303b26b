// Control laws of joints: what they make of the robot, over every fixture robot and random states.
#include "limb/control.h"

#include "support/trial.h"
#include "support/watch.h"

#include <math.h>
#include <string.h>

// A law with random gains and a random goal.
typedef struct law_case {
  limb_control c;
  limb_goal goal;
  double *e, *e1, *a; // errors, and the goal's acceleration
  double *work, *tau, *got;
  unsigned char* active;
  int passive;
} law_case;

static law_case draw(trial* t)
{
  law_case c = {.c = limb_default_control()};
  const size_t nv = (size_t)t->nv;
  double* x = trial_doubles(t, (size_t)t->nq + 10 * nv + 8);
  double *kp = x, *kd = kp + nv, *q = kd + nv, *v = q + t->nq, *a = v + nv;
  c.e = a + nv, c.e1 = c.e + nv, c.a = c.e1 + nv, c.tau = c.a + nv, c.got = c.tau + nv;
  c.active = (unsigned char*)(c.got + nv);
  c.work = trial_doubles(t, limb_control_work(t->m));
  for (int k = 0; k < t->nv; k++) {
    kp[k] = rng_uniform(&t->r, 0, 50), kd[k] = rng_uniform(&t->r, 0, 10);
    c.e[k] = rng_uniform(&t->r, -0.5, 0.5);
  }
  assert_ok(limb_integrate(t->m, t->q, c.e, 1, q));
  rng_fill(&t->r, 2, t->nv, v);
  rng_fill(&t->r, 5, t->nv, a);
  c.c.kp = kp, c.c.kd = kd, c.c.env = &t->env;
  c.goal = (limb_goal){q, v, a};
  assert_ok(limb_goal_error(t->m, t->q, t->v, &c.goal, c.e, c.e1, c.a));
  assert_ok(limb_given_for_passive(t->m, c.active));
  c.passive = limb_count_given(t->m, c.active, LIMB_FORCE_GIVEN);
  return c;
}

// The acceleration that the law asks for.
static void wanted(const trial* t, const law_case* c, double* a)
{
  for (int k = 0; k < t->nv; k++) a[k] = c->a[k] + c->c.kd[k] * c->e1[k] + c->c.kp[k] * c->e[k];
}

// e'' + Kd e' + Kp e = 0 at active joints, nothing at passive ones.
static void computed_torque(trial* t)
{
  law_case c = draw(t);
  assert_ok(limb_computed_torque_control(t->d, t->q, t->v, &c.goal, &c.c, c.work, c.tau));
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, c.tau, &t->env, c.got));
  double* a = trial_doubles(t, (size_t)t->nv);
  wanted(t, &c, a);
  for (int k = 0; k < t->nv; k++) {
    if (c.active[k]) continue;
    a[k] = c.got[k]; // whatever it does
    assert_close(c.tau[k], 0, 0, 1e-9);
  }
  assert_close_array(c.got, a, t->nv, t->solve, t->solve);
}

START_TEST(computed_torque_linearises) { trial_over(_i, TRIAL_STATES, computed_torque); }
END_TEST

// At the goal, at rest: it stays there. Everywhere: the formula.
static void pd_gravity(trial* t)
{
  law_case c = draw(t);
  double* none = trial_doubles(t, (size_t)t->nv);
  assert_ok(limb_pd_gravity_control(t->d, t->q, t->v, &c.goal, &c.c, c.work, c.tau));
  assert_ok(limb_inverse_dynamics(t->d, t->q, none, none, &t->env, c.got));
  for (int k = 0; k < t->nv; k++) c.got[k] = c.active[k] ? c.got[k] + c.c.kd[k] * c.e1[k] + c.c.kp[k] * c.e[k] : 0;
  assert_close_array(c.tau, c.got, t->nv, TOL_ALGEBRA, 0);
  if (c.passive) return;
  const limb_goal here = {t->q, NULL, NULL};
  assert_ok(limb_pd_gravity_control(t->d, t->q, none, &here, &c.c, c.work, c.tau));
  assert_ok(limb_forward_dynamics(t->d, t->q, none, c.tau, &t->env, c.got));
  assert_close_array(c.got, none, t->nv, 0, 100 * t->solve);
}

START_TEST(pd_with_gravity_holds) { trial_over(_i, TRIAL_STATES, pd_gravity); }
END_TEST

// On the way of the goal it takes no feedback; off it, Kp e + Kd e' is added.
static void feedforward(trial* t)
{
  law_case c = draw(t);
  assert_ok(limb_pd_feedforward_control(t->d, c.goal.q, c.goal.v, &c.goal, &c.c, c.work, c.tau));
  assert_ok(limb_forward_dynamics(t->d, c.goal.q, c.goal.v, c.tau, &t->env, c.got));
  for (int k = 0; k < t->nv; k++) {
    if (!c.active[k]) c.got[k] = c.goal.a[k];
  }
  assert_close_array(c.got, c.goal.a, t->nv, t->solve, t->solve);
  assert_ok(limb_pd_feedforward_control(t->d, t->q, t->v, &c.goal, &c.c, c.work, c.got));
  for (int k = 0; k < t->nv; k++) c.tau[k] += c.active[k] ? c.c.kd[k] * c.e1[k] + c.c.kp[k] * c.e[k] : 0;
  assert_close_array(c.got, c.tau, t->nv, t->solve, t->solve);
}

START_TEST(feedforward_follows) { trial_over(_i, TRIAL_STATES, feedforward); }
END_TEST

// e' against differences of e for joints with one degree of freedom, and on groups to the first order of e;
// e'' = 0 for the acceleration that limb_goal_error says, there exactly.
static void rates(trial* t)
{
  if (!trial_small(t)) return;
  law_case c = draw(t);
  const double h = 3e-5;
  double *ahead = trial_doubles(t, 2 * (size_t)t->nq + 6 * (size_t)t->nv), *goal = ahead + t->nq;
  double *v = goal + t->nq, *vg = v + t->nv, *rate[2] = {vg + t->nv, vg + 2 * t->nv};
  double *e = vg + 3 * t->nv, *none = vg + 4 * t->nv;
  for (int side = 0; side < 2; side++) {
    const double dt = side ? h : -h;
    // a little later, the robot accelerated by what keeps e' as it is
    for (int k = 0; k < t->nv; k++) v[k] = t->v[k] + dt / 2 * c.a[k], vg[k] = c.goal.v[k] + dt / 2 * c.goal.a[k];
    assert_ok(limb_integrate(t->m, t->q, v, dt, ahead));
    assert_ok(limb_integrate(t->m, c.goal.q, vg, dt, goal));
    for (int k = 0; k < t->nv; k++) v[k] = t->v[k] + dt * c.a[k], vg[k] = c.goal.v[k] + dt * c.goal.a[k];
    const limb_goal g = {goal, vg, NULL};
    assert_ok(limb_goal_error(t->m, ahead, v, &g, e, rate[side], none));
  }
  for (int k = 0; k < t->nv; k++) e[k] = (rate[1][k] - rate[0][k]) / (2 * h), none[k] = 0;
  assert_close_array(e, none, t->nv, 0, TOL_FD);
}

START_TEST(rates_of_errors) { trial_over(_i, 10, rates); }
END_TEST

// A free body that follows a goal: e' in the axes of the body.
START_TEST(errors_of_a_free_body)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_body_def body = limb_default_body_def("box");
  body.inertia = limb_inertia_sphere(2, 0.3);
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  limb_joint_def joint = limb_default_joint_def("float", LIMB_FREE, LIMB_WORLD_BODY, 1);
  joint.drive = LIMB_DRIVE_ACTIVE; // a drone
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  // turned by 90 degrees about z; the goal is not turned, and moves along the world's x at 1 m/s
  const double r = sqrt(0.5), q[7] = {1, 2, 3, 0, 0, r, r}, v[6] = {0};
  const double q_goal[7] = {1, 2, 3, 0, 0, 0, 1}, v_goal[6] = {0, 0, 0, 1, 0, 0};
  const limb_goal goal = {q_goal, v_goal, NULL};
  double e[6], e1[6], a[6];
  assert_ok(limb_goal_error(m, q, v, &goal, e, e1, a));
  const double e_want[6] = {0, 0, -acos(0), 0, 0, 0}, e1_want[6] = {0, 0, 0, 0, -1, 0}, zero[6] = {0};
  assert_close_array(e, e_want, 6, 1e-14, 1e-14);
  assert_close_array(e1, e1_want, 6, 1e-14, 1e-14);
  assert_close_array(a, zero, 6, 0, 0);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

// ---- limits, arguments ------------------------------------------------------------------------------

static limb_model* limited_arm(void)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  for (int i = 0; i < 3; i++) {
    const char* const name[3] = {"a", "b", "c"};
    limb_body_def body = limb_default_body_def(name[i]);
    body.inertia = limb_inertia_sphere(1, 0.1);
    body.inertia.com = sp_v3(0.5, 0, 0);
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    limb_joint_def joint = limb_default_joint_def(name[i], LIMB_REVOLUTE, i, i + 1);
    joint.axis = sp_v3(0, 1, 0), joint.placement.p = sp_v3(1, 0, 0);
    if (i < 2) joint.effort_max = i ? 4 : 10;
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  }
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

START_TEST(efforts_are_limited)
{
  limb_model* m = limited_arm();
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  double tau[3] = {-11, 3, 1000}, work[512];
  int limited = -1;
  assert_ok(limb_limit_efforts(m, tau, &limited));
  ck_assert_int_eq(limited, 1);
  assert_that(tau[0] == -10 && tau[1] == 3 && tau[2] == 1000);
  assert_that(limb_control_work(m) <= 512);
  const double q[3] = {0}, v[3] = {0}, far[3] = {1, -1, 1}, kp[3] = {1000, 1000, 1000};
  const limb_goal goal = {far, NULL, NULL};
  limb_control c = limb_default_control();
  c.kp = kp, c.saturate = 1;
  assert_ok(limb_pd_gravity_control(d, q, v, &goal, &c, work, tau));
  assert_that(tau[0] == 10 && tau[1] == -4 && tau[2] > 900);
  assert_ok(limb_pd_feedforward_control(d, q, v, &goal, &c, work, tau));
  assert_that(tau[0] == 10 && tau[1] == -4 && tau[2] > 900);
  assert_ok(limb_computed_torque_control(d, q, v, &goal, &c, work, tau));
  assert_that(fabs(tau[0]) == 10 && fabs(tau[1]) == 4);
  assert_status(limb_limit_efforts(NULL, tau, NULL), LIMB_E_ARG);
  assert_status(limb_limit_efforts(m, NULL, NULL), LIMB_E_ARG);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

typedef limb_status law_fn(limb_data* d, const double* q, const double* v, const limb_goal* goal,
                           const limb_control* control, double* work, double* tau);

static law_fn* const laws[] = {limb_pd_gravity_control, limb_pd_feedforward_control, limb_computed_torque_control};

START_TEST(bad_arguments)
{
  limb_model* m = limited_arm();
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  double tau[3], work[512];
  const double x[3] = {0.1, 0.2, 0.3}, bad[3] = {0, nan(""), 0}, below[3] = {1, 1, -1}, inf[3] = {1, 1, HUGE_VAL};
  const limb_goal goal = {x, x, x};
  limb_control c = limb_default_control();
  for (int i = 0; i < 3; i++) {
    law_fn* f = laws[i];
    c.kp = c.kd = x;
    assert_ok(f(d, x, x, &goal, &c, work, tau));
    assert_status(f(NULL, x, x, &goal, &c, work, tau), LIMB_E_ARG);
    assert_status(f(d, NULL, x, &goal, &c, work, tau), LIMB_E_ARG);
    assert_status(f(d, x, NULL, &goal, &c, work, tau), LIMB_E_ARG);
    assert_status(f(d, x, x, NULL, &c, work, tau), LIMB_E_ARG);
    assert_status(f(d, x, x, &goal, NULL, work, tau), LIMB_E_ARG);
    assert_status(f(d, x, x, &goal, &c, NULL, tau), LIMB_E_ARG);
    assert_status(f(d, x, x, &goal, &c, work, NULL), LIMB_E_ARG);
    assert_status(f(d, x, x, &(limb_goal){NULL, x, x}, &c, work, tau), LIMB_E_ARG);
    assert_status(f(d, bad, x, &goal, &c, work, tau), LIMB_E_NONFINITE);
    assert_status(f(d, x, bad, &goal, &c, work, tau), LIMB_E_NONFINITE);
    assert_status(f(d, x, x, &(limb_goal){bad, x, x}, &c, work, tau), LIMB_E_NONFINITE);
    assert_status(f(d, x, x, &(limb_goal){x, bad, x}, &c, work, tau), LIMB_E_NONFINITE);
    assert_status(f(d, x, x, &(limb_goal){x, x, inf}, &c, work, tau), LIMB_E_NONFINITE);
    c.kp = below;
    assert_status(f(d, x, x, &goal, &c, work, tau), LIMB_E_ARG);
    c.kp = x, c.kd = inf;
    assert_status(f(d, x, x, &goal, &c, work, tau), LIMB_E_NONFINITE);
    c.kd = x, c.size = 3;
    assert_status(f(d, x, x, &goal, &c, work, tau), LIMB_E_ARG);
    c = limb_default_control();
    assert_ok(f(d, x, x, &(limb_goal){x, NULL, NULL}, &c, work, tau));
  }
  double e[3];
  assert_status(limb_goal_error(NULL, x, x, &goal, e, e, e), LIMB_E_ARG);
  assert_status(limb_goal_error(m, x, x, &goal, NULL, e, e), LIMB_E_ARG);
  ck_assert_uint_eq(limb_control_work(NULL), 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// Laws allocate nothing, and what limb_kinematics left stays.
START_TEST(laws_disturb_nothing)
{
  limb_model* m = limited_arm();
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  double tau[3], work[512];
  const double x[3] = {0.1, 0.2, 0.3}, other[3] = {1, 2, 3};
  const limb_goal goal = {x, x, x};
  limb_control c = limb_default_control();
  c.kp = c.kd = x, c.saturate = 1;
  sp_pose before, after;
  assert_ok(limb_kinematics(d, other, other, other));
  assert_ok(limb_frame_pose(d, 3, &before));
  calls = 0, watching = 1;
  for (int i = 0; i < 3; i++) {
    const limb_status s = laws[i](d, x, x, &goal, &c, work, tau);
    watching = s == LIMB_OK;
  }
  assert_that(watching);
  watching = 0;
  ck_assert_int_eq((int)calls, 0);
  assert_ok(limb_frame_pose(d, 3, &after));
  assert_that(memcmp(&before, &after, sizeof before) == 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

int CHECK_NAME(void)
{
  const int wrong = check_run("control", trial_robots(),
                              (const TTest* const[]){computed_torque_linearises, pd_with_gravity_holds,
                                                     feedforward_follows, rates_of_errors, NULL});
  return wrong | check_run("control, edges", 1,
                           (const TTest* const[]){errors_of_a_free_body, efforts_are_limited, bad_arguments,
                                                  laws_disturb_nothing, NULL});
}
