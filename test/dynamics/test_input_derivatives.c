// Derivatives with respect to wrenches and gravity: both are linear, so differences are exact; statuses.
#include "limb/derivatives.h"

#include "support/trial.h"

#include <math.h>
#include <string.h>

enum { STATES = CHECK_SANITIZED ? 3 : 20 };

static const limb_ref REFS[] = {LIMB_BODY, LIMB_WORLD, LIMB_ALIGNED};

typedef limb_status dynamics_fn(limb_data* d, const double* q, const double* v, const double* x,
                                const limb_environment* env, double* y);

// y(env) - y(without), against A u with nv x count entries.
static void compare(trial* t, dynamics_fn* f, const limb_environment* env, const limb_environment* without,
                    const double* A, const double* u, int count)
{
  const size_t n = (size_t)t->nv;
  double *with = trial_doubles(t, n), *y = trial_doubles(t, n), *got = trial_doubles(t, n);
  assert_ok(f(t->d, t->q, t->v, t->a, env, with));
  assert_ok(f(t->d, t->q, t->v, t->a, without, y));
  double size = 1;
  for (int i = 0; i < t->nv; i++) {
    size = fmax(size, fmax(fabs(y[i]), fabs(with[i])));
    with[i] -= y[i];
  }
  trial_times(A, u, t->nv, count, got);
  const double tolerance = f == limb_inverse_dynamics ? TOL_ALGEBRA : t->solve;
  assert_close_array(got, with, t->nv, 0, tolerance * size);
}

static void wrenches(trial* t)
{
  double* A = trial_doubles(t, 6 * (size_t)t->nv);
  for (int k = 0; k < 3; k++) {
    limb_wrench w = {rng_below(&t->r, t->nframe), REFS[k], {rng_vec3(&t->r, 5), rng_vec3(&t->r, 5)}};
    const sp_force f = w.wrench;
    const double u[6] = {f.m.x, f.m.y, f.m.z, f.f.x, f.f.y, f.f.z};
    limb_environment env = limb_default_environment(t->m);
    const limb_environment without = env;
    env.nwrench = 1, env.wrench = &w;
    assert_ok(limb_inverse_dynamics_by_wrench(t->d, t->q, w.frame, w.ref, A));
    compare(t, limb_inverse_dynamics, &env, &without, A, u, 6);
    assert_ok(limb_forward_dynamics_by_wrench(t->d, t->q, w.frame, w.ref, A));
    compare(t, limb_forward_dynamics, &env, &without, A, u, 6);
  }
}

START_TEST(by_wrench) { trial_over(_i, STATES, wrenches); }
END_TEST

static void gravity(trial* t)
{
  double* A = trial_doubles(t, 3 * (size_t)t->nv);
  limb_environment env = trial_moving_base(t);
  const limb_environment without = env;
  const sp_vec3 g = rng_vec3(&t->r, 10);
  const double u[3] = {g.x, g.y, g.z};
  env.gravity = sp_add3(env.gravity, g);
  assert_ok(limb_inverse_dynamics_by_gravity(t->d, t->q, A));
  compare(t, limb_inverse_dynamics, &env, &without, A, u, 3);
  assert_ok(limb_forward_dynamics_by_gravity(t->d, t->q, A));
  compare(t, limb_forward_dynamics, &env, &without, A, u, 3);
}

START_TEST(by_gravity) { trial_over(_i, STATES, gravity); }
END_TEST

static void undisturbed(trial* t)
{
  double *A = trial_doubles(t, 6 * (size_t)t->nv), *other = trial_doubles(t, (size_t)t->nq);
  uint64_t seed = rng_next(&t->r);
  sp_pose X, Y;
  assert_ok(limb_random(t->m, &seed, other));
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  assert_ok(limb_frame_pose(t->d, t->nframe - 1, &X));
  assert_ok(limb_inverse_dynamics_by_wrench(t->d, other, t->nframe - 1, LIMB_BODY, A));
  assert_ok(limb_forward_dynamics_by_gravity(t->d, other, A));
  assert_ok(limb_frame_pose(t->d, t->nframe - 1, &Y));
  assert_that(memcmp(&X, &Y, sizeof X) == 0);
}

START_TEST(kinematics_is_left_alone) { trial_over(_i, 2, undisturbed); }
END_TEST

// ---- statuses -----------------------------------------------------------------------------------------

START_TEST(arguments)
{
  limb_model* m = robot_planar_2r();
  limb_data* d = NULL;
  double q[2] = {0.1, 0.2}, out[12];
  limb_status (*const by_wrench_of[])(limb_data*, const double*, int, limb_ref,
                                      double*) = {limb_inverse_dynamics_by_wrench, limb_forward_dynamics_by_wrench};
  limb_status (*const by_gravity_of[])(limb_data*, const double*, double*) = {limb_inverse_dynamics_by_gravity,
                                                                              limb_forward_dynamics_by_gravity};
  assert_ok(limb_data_create(m, NULL, &d));
  for (int k = 0; k < 2; k++) {
    assert_ok(by_wrench_of[k](d, q, 0, LIMB_BODY, out)); // a wrench on the world does nothing
    for (int i = 0; i < 12; i++) assert_that(out[i] == 0);
    assert_status(by_wrench_of[k](NULL, q, 1, LIMB_BODY, out), LIMB_E_ARG);
    assert_status(by_wrench_of[k](d, NULL, 1, LIMB_BODY, out), LIMB_E_ARG);
    assert_status(by_wrench_of[k](d, q, 1, LIMB_BODY, NULL), LIMB_E_ARG);
    assert_status(by_wrench_of[k](d, q, -1, LIMB_BODY, out), LIMB_E_ARG);
    assert_status(by_wrench_of[k](d, q, limb_frame_count(m), LIMB_BODY, out), LIMB_E_ARG);
    assert_status(by_wrench_of[k](d, q, 1, (limb_ref)3, out), LIMB_E_ARG);
    assert_status(by_gravity_of[k](NULL, q, out), LIMB_E_ARG);
    assert_status(by_gravity_of[k](d, NULL, out), LIMB_E_ARG);
    assert_status(by_gravity_of[k](d, q, NULL), LIMB_E_ARG);
    q[1] = nan("");
    assert_status(by_wrench_of[k](d, q, 1, LIMB_BODY, out), LIMB_E_NONFINITE);
    assert_status(by_gravity_of[k](d, q, out), LIMB_E_NONFINITE);
    q[1] = 0.2;
  }
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// A million kilometres away gravity has the same levers.
START_TEST(far_away)
{
  limb_model* m = robot_panda_on_base(LIMB_FREE, 20);
  limb_data* d = NULL;
  enum { N = 13 };
  double q[N + 1] = {0, 0, 0, 0, 0, 0, 1, 0.3, -0.5, 0.2, -1.9, 0.4, 1.1, 0.7}, here[3 * N], there[3 * N];
  ck_assert_int_eq(limb_nv(m), N);
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_inverse_dynamics_by_gravity(d, q, here));
  q[0] = 1e9, q[1] = -8e8, q[2] = 6e8;
  assert_ok(limb_inverse_dynamics_by_gravity(d, q, there));
  assert_close_array(there, here, 3 * N, 1e-14, 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// A joint that moves no mass: inverse dynamics is fine, forward dynamics is not.
START_TEST(singular)
{
  limb_model* m = robot_weightless();
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  const double q[1] = {0.3};
  double out[6];
  assert_ok(limb_inverse_dynamics_by_wrench(d, q, 1, LIMB_BODY, out));
  assert_status(limb_forward_dynamics_by_wrench(d, q, 1, LIMB_BODY, out), LIMB_E_SINGULAR);
  assert_status(limb_forward_dynamics_by_gravity(d, q, out), LIMB_E_SINGULAR);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const over_robots[] = {by_wrench, by_gravity, kinematics_is_left_alone, NULL};
  const TTest* const once[] = {arguments, far_away, singular, NULL};
  const int failed = check_run("dynamics/input_derivatives", trial_robots(), over_robots);
  return failed | check_run("dynamics/input_derivatives: statuses", 1, once);
}
