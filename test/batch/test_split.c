// One call on several processors: the same as the plain call, on every fixture robot, on random trees and on
// chains, cut as small as they can be. Pools here run on the caller's thread, in different orders.
#include "limb/batch.h"

#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void in_order(void* context, int count, limb_pool_task* task, void* argument)
{
  (void)context;
  for (int i = 0; i < count; i++) task(argument, i);
}

static void backwards(void* context, int count, limb_pool_task* task, void* argument)
{
  (void)context;
  for (int i = count - 1; i >= 0; i--) task(argument, i);
}

static const limb_pool pools[] = {{sizeof(limb_pool), 1, NULL, in_order}, {sizeof(limb_pool), 3, NULL, backwards}};

static limb_split* cut(const limb_model* m, const limb_pool* pool, int processors, int least)
{
  limb_split_options o = limb_default_split_options();
  o.processors = processors;
  o.min_saving = least;
  limb_split* s;
  assert_ok(limb_split_create(m, pool, &o, NULL, &s));
  return s;
}

typedef struct answers {
  double *tau, *a;
} answers;

static answers plain(trial* t, const limb_environment* env)
{
  const size_t n = (size_t)t->nv;
  const answers x = {trial_doubles(t, n), trial_doubles(t, n)};
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, env, x.tau));
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, x.tau, env, x.a));
  return x;
}

static void compare(trial* t, limb_split* s, const limb_environment* env, const answers* want)
{
  double *tau = trial_doubles(t, (size_t)t->nv), *a = trial_doubles(t, (size_t)t->nv);
  assert_ok(limb_split_inverse_dynamics(s, t->q, t->v, t->a, env, tau));
  assert_ok(limb_split_forward_dynamics(s, t->q, t->v, want->tau, env, a));
  assert_close_array(tau, want->tau, t->nv, TOL_ALGEBRA, 0);
  assert_close_array(a, want->a, t->nv, t->solve, 0);
}

static void as_plain(trial* t)
{
  const limb_environment moving = trial_moving_base(t);
  limb_environment rough = t->env;
  rough.friction = 0;
  const limb_environment* const envs[] = {NULL, &t->env, &moving, &rough};
  if (strcmp(t->robot->name, "weightless") == 0 || trial_enough(t)) return;
  for (int processors = 2; processors <= 5; processors += 3) {
    limb_split* s = cut(t->m, &pools[t->state % 2], processors, 1);
    for (int e = 0; e < 4; e++) {
      const answers want = plain(t, envs[e]);
      compare(t, s, envs[e], &want);
    }
    limb_split_destroy(s);
  }
}

START_TEST(is_the_plain_call) { trial_over(_i, CHECK_SANITIZED ? 2 : 20, as_plain); }
END_TEST

// ---- robots of its own -----------------------------------------------------------------------------------

typedef struct scene {
  limb_model* m;
  limb_data* d;
  int nv;
  double *q, *v, *a, *tau, *got, *again;
} scene;

static double* numbers(int n)
{
  double* x = calloc((size_t)n + 1, sizeof *x);
  if (!x) abort();
  return x;
}

static scene open_scene(limb_model* m, uint64_t seed)
{
  scene x = {.m = m, .nv = limb_nv(m)};
  rng r = {seed};
  assert_ok(limb_data_create(m, NULL, &x.d));
  x.q = numbers(limb_nq(m)), x.v = numbers(x.nv), x.a = numbers(x.nv);
  x.tau = numbers(x.nv), x.got = numbers(x.nv), x.again = numbers(x.nv);
  assert_ok(limb_random(m, &seed, x.q));
  rng_fill(&r, 2, x.nv, x.v);
  rng_fill(&r, 5, x.nv, x.a);
  return x;
}

static void close_scene(scene* x)
{
  free(x->q), free(x->v), free(x->a), free(x->tau), free(x->got), free(x->again);
  limb_data_destroy(x->d);
  limb_model_destroy(x->m);
}

START_TEST(random_trees)
{
  for (int i = 0; i < (CHECK_SANITIZED ? 3 : 20); i++) {
    scene x = open_scene(robot_random_tree((uint64_t)(100 * _i + i), 20 + 10 * i, 0), 9);
    limb_split* s = cut(x.m, &pools[i % 2], 2 + i % 3, 1);
    assert_ok(limb_inverse_dynamics(x.d, x.q, x.v, x.a, NULL, x.tau));
    assert_ok(limb_split_inverse_dynamics(s, x.q, x.v, x.a, NULL, x.got));
    assert_close_array(x.got, x.tau, x.nv, TOL_ALGEBRA, 0);
    const limb_status plain = limb_forward_dynamics(x.d, x.q, x.v, x.tau, NULL, x.again);
    assert_status(limb_split_forward_dynamics(s, x.q, x.v, x.tau, NULL, x.got), plain);
    if (plain == LIMB_OK) assert_close_array(x.got, x.again, x.nv, TOL_SOLVE, 0);
    limb_split_destroy(s);
    close_scene(&x);
  }
}
END_TEST

START_TEST(chains_of_many_lengths)
{
  static const int lengths[] = {1, 2, 3, 5, 6, 7, 12, 31, 100, 333, 1000, 3000};
  for (int i = 0; i < (CHECK_SANITIZED ? 10 : 12); i++) {
    const int n = lengths[i];
    scene x = open_scene(robot_chain(n), 77);
    for (int processors = 2; processors <= 200; processors = 3 * processors - 1) {
      check_at("chain of %d for %d processors", n, processors);
      limb_split* s = cut(x.m, &pools[processors % 2], processors, 1);
      const int cuts = n > 2 * processors;
      assert_that(limb_split_forward_parts(s) == (cuts ? processors : 1) || n < 9);
      assert_ok(limb_inverse_dynamics(x.d, x.q, x.v, x.a, NULL, x.tau));
      assert_ok(limb_split_inverse_dynamics(s, x.q, x.v, x.a, NULL, x.got));
      assert_close_array(x.got, x.tau, x.nv, TOL_ALGEBRA, 0);
      assert_ok(limb_forward_dynamics(x.d, x.q, x.v, x.tau, NULL, x.again));
      assert_ok(limb_split_forward_dynamics(s, x.q, x.v, x.tau, NULL, x.got));
      assert_close_array(x.got, x.again, x.nv, 1e-6, 0); // as exact as the plain call itself
      assert_ok(limb_inverse_dynamics(x.d, x.q, x.v, x.got, NULL, x.again));
      assert_close_array(x.again, x.tau, x.nv, 1e-10, 0);
      limb_split_destroy(s);
    }
    close_scene(&x);
  }
}
END_TEST

// ---- edges -----------------------------------------------------------------------------------------------

START_TEST(small_robots_are_left_whole)
{
  limb_model* m = robot_panda();
  limb_split* s;
  assert_ok(limb_split_create(m, &pools[0], NULL, NULL, &s));
  assert_that(limb_split_inverse_parts(s) == 1 && limb_split_forward_parts(s) == 1);
  assert_that(limb_split_model(s) == m);
  limb_split_destroy(s);
  limb_model_destroy(m);
  m = robot_hand(); // mimic joints
  s = cut(m, &pools[0], 2, 1);
  assert_that(limb_split_inverse_parts(s) == 1 && limb_split_forward_parts(s) == 1);
  limb_split_destroy(s);
  limb_model_destroy(m);
  m = robot_chain1000();
  assert_ok(limb_split_create(m, &pools[0], NULL, NULL, &s));
  assert_that(limb_split_inverse_parts(s) == 3 && limb_split_forward_parts(s) == 2);
  limb_split_destroy(s);
  limb_model_destroy(m);
}
END_TEST

START_TEST(bad_numbers_are_seen)
{
  limb_model* (*const make[])(void) = {robot_humanoid, robot_chain30};
  for (int i = 0; i < 2; i++) {
    scene x = open_scene(make[i](), 3);
    limb_split* s = cut(x.m, &pools[0], 2, 1);
    assert_that(limb_split_forward_parts(s) > 1);
    double* const vectors[] = {x.q, x.v, x.a};
    for (int k = 0; k < 3; k++) {
      double* at = &vectors[k][x.nv - 1];
      const double was = *at;
      *at = k == 1 ? HUGE_VAL : (double)NAN;
      assert_status(limb_split_inverse_dynamics(s, x.q, x.v, x.a, NULL, x.got), LIMB_E_NONFINITE);
      assert_status(limb_split_forward_dynamics(s, x.q, x.v, x.a, NULL, x.got), LIMB_E_NONFINITE);
      *at = was;
    }
    x.a[x.nv - 1] = 1e308; // finite, but what follows is not
    x.v[x.nv - 1] = 1e200;
    assert_status(limb_split_inverse_dynamics(s, x.q, x.v, x.a, NULL, x.got),
                  limb_inverse_dynamics(x.d, x.q, x.v, x.a, NULL, x.tau));
    limb_environment env = limb_default_environment(x.m);
    env.nwrench = 1;
    assert_status(limb_split_inverse_dynamics(s, x.q, x.v, x.v, &env, x.got), LIMB_E_ARG);
    limb_split_destroy(s);
    close_scene(&x);
  }
}
END_TEST

// Links at the cuts that move nothing of their own: what a part holds cannot be told from the part.
static limb_model* chain_with_weightless_links(int n)
{
  limb_model* m = robot_chain(n);
  limb_builder* b;
  limb_error err;
  assert_ok(limb_builder_from_model(m, NULL, &b));
  limb_model_destroy(m);
  const sp_inertia none = {0};
  for (int i = 1; i + 1 < n; i += 2) assert_ok(limb_builder_set_inertia(b, i, &none));
  assert_ok(limb_builder_build(b, &m, &err));
  limb_builder_destroy(b);
  return m;
}

START_TEST(parts_that_cannot_be_told_apart)
{
  scene x = open_scene(chain_with_weightless_links(40), 5);
  for (int processors = 2; processors < 8; processors++) {
    limb_split* s = cut(x.m, &pools[0], processors, 1);
    rng r = {12};
    rng_fill(&r, 3, x.nv, x.tau);
    const limb_status plain = limb_forward_dynamics(x.d, x.q, x.v, x.tau, NULL, x.again);
    assert_status(limb_split_forward_dynamics(s, x.q, x.v, x.tau, NULL, x.got), plain);
    if (plain == LIMB_OK) assert_close_array(x.got, x.again, x.nv, 1e-7, 0);
    limb_split_destroy(s);
  }
  close_scene(&x);
}
END_TEST

START_TEST(bad_arguments)
{
  limb_model* m = robot_chain30();
  scene x = open_scene(m, 1);
  limb_split* s = NULL;
  limb_split_options o = limb_default_split_options();
  limb_pool none = pools[0];
  none.run = NULL;
  assert_status(limb_split_create(NULL, &pools[0], NULL, NULL, &s), LIMB_E_ARG);
  assert_status(limb_split_create(m, NULL, NULL, NULL, &s), LIMB_E_ARG);
  assert_status(limb_split_create(m, &none, NULL, NULL, &s), LIMB_E_ARG);
  assert_status(limb_split_create(m, &pools[0], NULL, NULL, NULL), LIMB_E_ARG);
  static const int wrong[][2] = {{0, 0}, {-1, 0}, {LIMB_SPLIT_PROCESSORS_MAX + 1, 0}, {2, -1}};
  for (int i = 0; i < 4; i++) {
    o.processors = wrong[i][0], o.min_saving = wrong[i][1];
    assert_that(limb_split_size(m, &o) == 0);
    assert_status(limb_split_create(m, &pools[0], &o, NULL, &s), LIMB_E_ARG);
  }
  o = limb_default_split_options();
  o.size = 1;
  assert_that(limb_split_size(m, &o) == 0 && limb_split_size(NULL, NULL) == 0);
  assert_that(!limb_split_model(NULL) && limb_split_inverse_parts(NULL) == 0);
  assert_that(limb_split_forward_parts(NULL) == 0);
  limb_split_destroy(NULL);
  const size_t size = limb_split_size(m, NULL);
  char* block = aligned_alloc(LIMB_DATA_ALIGN, (size + 127) / 64 * 64);
  assert_status(limb_split_init(m, &pools[0], NULL, block + 8, size, &s), LIMB_E_ARG);
  assert_status(limb_split_init(m, &pools[0], NULL, block, size - 1, &s), LIMB_E_NOMEM);
  assert_status(limb_split_init(m, &pools[0], NULL, NULL, size, &s), LIMB_E_ARG);
  assert_ok(limb_split_init(m, &pools[0], NULL, block, size, &s));
  assert_status(limb_split_inverse_dynamics(NULL, x.q, x.v, x.a, NULL, x.tau), LIMB_E_ARG);
  assert_status(limb_split_inverse_dynamics(s, x.q, NULL, x.a, NULL, x.tau), LIMB_E_ARG);
  assert_status(limb_split_forward_dynamics(s, x.q, x.v, x.a, NULL, NULL), LIMB_E_ARG);
  limb_split_destroy(s);
  free(block);
  close_scene(&x);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const all[] = {is_the_plain_call, NULL};
  const TTest* const once[] = {random_trees,
                               chains_of_many_lengths,
                               small_robots_are_left_whole,
                               bad_numbers_are_seen,
                               parts_that_cannot_be_told_apart,
                               bad_arguments,
                               NULL};
  const int failed = check_run("batch/split", trial_robots(), all);
  return failed ? failed : check_run("batch/split, its own robots", 1, once);
}
