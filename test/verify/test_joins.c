// Divide and conquer (limb_reference_joins): against articulated bodies over all fixture robots, on a chain of a
// thousand joints in digits and operations, with threads, bad arguments.
#include "limb/verify.h"

#include "support/robots_impl.h"
#include "support/trial.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static bool has_mimic(const limb_model* m)
{
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(m, j, &info));
    if (info.def.mimic >= 0) return true;
  }
  return false;
}

// ---- over all robots ----------------------------------------------------------------------------------------

static void same_as_articulated_bodies(trial* t)
{
  limb_environment env = t->state % 2 ? trial_moving_base(t) : t->env;
  double *tau = trial_doubles(t, (size_t)t->nv), *want = trial_doubles(t, (size_t)t->nv);
  double* a = trial_doubles(t, (size_t)t->nv);
  limb_reference_joins_report r;
  env.coulomb_width = t->state % 3 ? 0 : 0.2;
  if (has_mimic(t->m)) {
    assert_status(limb_reference_joins(t->m, NULL, t->q, t->v, tau, &env, a, NULL), LIMB_E_UNSUPPORTED);
    return;
  }
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, tau));
  assert_ok(limb_forward_dynamics_aba(t->d, t->q, t->v, tau, &env, want));
  assert_ok(limb_reference_joins(t->m, NULL, t->q, t->v, tau, &env, a, &r));
  // the residual is rounding; what that means for accelerations is up to the condition of M
  assert_close_array(a, want, t->nv, 2 * t->solve, 0);
  assert_close_array(a, t->a, t->nv, 2 * t->solve, 0);
  assert_that(r.residual <= 1e-12 && r.solves >= 1 && r.links == t->nbody - 1);
}

START_TEST(all_robots) { trial_over(_i, CHECK_SANITIZED ? 3 : 20, same_as_articulated_bodies); }
END_TEST

// ---- a long chain -------------------------------------------------------------------------------------------

enum { LONG = 1024 };

// Random state and torques of a chain; report of its solution, and how far that is from the plain recursion.
static double solve_chain(int n, const limb_pool* pool, limb_reference_joins_report* r, double* a)
{
  static double q[LONG], v[LONG], tau[LONG], want[LONG];
  limb_model* m = robot_chain(n);
  limb_data* d = NULL;
  rng x = {7};
  double apart = 0, size = 0;
  rng_fill(&x, 3, n, q), rng_fill(&x, 1, n, v), rng_fill(&x, 1, n, tau);
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_forward_dynamics_aba(d, q, v, tau, NULL, want));
  assert_ok(limb_reference_joins(m, pool, q, v, tau, NULL, a, r));
  for (int k = 0; k < n; k++) size = fmax(size, fabs(want[k])), apart = fmax(apart, fabs(a[k] - want[k]));
  limb_data_destroy(d), limb_model_destroy(m);
  return apart / size;
}

// Digits of articulated bodies; each doubling of the chain adds one level, and the same number of operations to the
// longest path.
START_TEST(path_grows_with_the_logarithm)
{
  static double a[LONG];
  limb_reference_joins_report r[4];
  const int n[4] = {128, 256, 512, 1024};
  for (int i = 0; i < 4; i++) {
    assert_that(solve_chain(n[i], NULL, &r[i], a) <= 1e-8);
    ck_assert_int_eq(r[i].levels, 8 + i);
    assert_that(r[i].residual <= 1e-13);
    assert_that(r[i].time[0] >= r[i].work && r[i].time[10] <= 1.0001 * r[i].path);
    for (int k = 0; k + 1 < LIMB_REFERENCE_JOINS_TIMES; k++) assert_that(r[i].time[k + 1] <= r[i].time[k]);
  }
  const double step = r[1].path - r[0].path;
  for (int i = 1; i < 3 && r[i + 1].solves == r[i].solves; i++) assert_close(r[i + 1].path - r[i].path, step, 0.02, 0);
  assert_that(r[3].path < 2 * r[0].path && r[3].work > 7 * r[0].work);
}
END_TEST

// Runs tasks backwards, and says that there are three threads.
static void run_backwards(void* context, int count, limb_pool_task* task, void* argument)
{
  ++*(int*)context;
  for (int i = count - 1; i >= 0; i--) task(argument, i);
}

START_TEST(threads_do_not_matter)
{
  static double one[300], three[300];
  limb_reference_joins_report r;
  int calls = 0;
  const limb_pool pool = {sizeof pool, 3, &calls, run_backwards};
  (void)solve_chain(300, NULL, &r, one);
  (void)solve_chain(300, &pool, &r, three);
  assert_that(memcmp(one, three, sizeof one) == 0 && calls > 0);
}
END_TEST

// ---- what is refused ----------------------------------------------------------------------------------------

START_TEST(refusals)
{
  limb_model* m = robot_chain(4);
  double q[4] = {0.1, 0.2, 0.3, 0.4}, v[4] = {0}, tau[4] = {0}, a[4];
  limb_pool pool = {sizeof pool, 0, NULL, run_backwards};
  assert_ok(limb_reference_joins(m, NULL, q, v, tau, NULL, a, NULL));
  assert_status(limb_reference_joins(NULL, NULL, q, v, tau, NULL, a, NULL), LIMB_E_ARG);
  assert_status(limb_reference_joins(m, NULL, NULL, v, tau, NULL, a, NULL), LIMB_E_ARG);
  assert_status(limb_reference_joins(m, NULL, q, NULL, tau, NULL, a, NULL), LIMB_E_ARG);
  assert_status(limb_reference_joins(m, NULL, q, v, NULL, NULL, a, NULL), LIMB_E_ARG);
  assert_status(limb_reference_joins(m, NULL, q, v, tau, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_reference_joins(m, &pool, q, v, tau, NULL, a, NULL), LIMB_E_ARG);
  tau[2] = nan("");
  assert_status(limb_reference_joins(m, NULL, q, v, tau, NULL, a, NULL), LIMB_E_NONFINITE);
  limb_model_destroy(m);
}
END_TEST

// A last link without mass; no link at all.
START_TEST(without_mass)
{
  limb_builder* b = fixture_begin("light");
  const double q[2] = {0, 0}, zero[2] = {0, 0};
  double a[2];
  const int rod = fixture_body(b, "rod", limb_inertia_rod(1, 1)), point = fixture_body(b, "point", (sp_inertia){0});
  limb_joint_def joint = limb_default_joint_def("first", LIMB_REVOLUTE, LIMB_WORLD_BODY, rod);
  (void)fixture_joint(b, &joint);
  joint = limb_default_joint_def("last", LIMB_REVOLUTE, rod, point);
  (void)fixture_joint(b, &joint);
  limb_model* m = fixture_end(b);
  assert_status(limb_reference_joins(m, NULL, q, zero, zero, NULL, a, NULL), LIMB_E_SINGULAR);
  limb_model_destroy(m);
  m = fixture_end(fixture_begin("empty"));
  assert_ok(limb_reference_joins(m, NULL, q, zero, zero, NULL, a, NULL));
  limb_model_destroy(m);
}
END_TEST

int CHECK_NAME(void)
{
  const int one = check_run(
    "verify/joins", 1,
    (const TTest* const[]){path_grows_with_the_logarithm, threads_do_not_matter, refusals, without_mass, NULL});
  const int all = check_run("verify/joins, robots", trial_robots(), (const TTest* const[]){all_robots, NULL});
  return one ? one : all;
}
