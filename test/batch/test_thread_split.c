// One call on several processors: any number of threads gives the same bits.
#include "limb/batch.h"

#include "support/check.h"
#include "support/rng.h"
#include "support/robots.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS = CHECK_SANITIZED ? 10 : 50, LENGTH = CHECK_SANITIZED ? 200 : 1000 };

typedef struct scene {
  limb_model* m;
  int nv;
  double *q, *v, *x, *tau, *a; // tau and a: the answers of one thread
} scene;

static double* numbers(int n)
{
  double* x = calloc((size_t)n + 1, sizeof *x);
  if (!x) abort();
  return x;
}

static limb_split* cut(const limb_model* m, limb_threads* t)
{
  limb_split_options o = limb_default_split_options();
  o.processors = 3;
  o.min_saving = 1;
  limb_split* s;
  assert_ok(limb_split_create(m, limb_threads_pool(t), &o, NULL, &s));
  assert_that(limb_split_inverse_parts(s) > 1 && limb_split_forward_parts(s) > 1);
  return s;
}

static void same_on(const scene* x, int threads)
{
  limb_threads* t;
  assert_ok(limb_threads_create(threads, NULL, &t));
  limb_split* s = cut(x->m, t);
  double* got = numbers(x->nv);
  for (int i = 0; i < CALLS; i++) {
    check_at("%d threads, call %d", threads, i);
    assert_ok(limb_split_inverse_dynamics(s, x->q, x->v, x->x, NULL, got));
    assert_that(memcmp(got, x->tau, (size_t)x->nv * sizeof *got) == 0);
    assert_ok(limb_split_forward_dynamics(s, x->q, x->v, x->x, NULL, got));
    assert_that(memcmp(got, x->a, (size_t)x->nv * sizeof *got) == 0);
  }
  free(got);
  limb_split_destroy(s);
  limb_threads_destroy(t);
}

static limb_model* make(int index)
{
  return index == 0 ? robot_humanoid() : index == 1 ? robot_random_tree(4, 120, 0) : robot_chain(LENGTH);
}

START_TEST(any_number_of_threads_gives_the_same_bits)
{
  scene x = {.m = make(_i)};
  x.nv = limb_nv(x.m);
  x.q = numbers(limb_nq(x.m)), x.v = numbers(x.nv), x.x = numbers(x.nv);
  x.tau = numbers(x.nv), x.a = numbers(x.nv);
  uint64_t seed = 5;
  rng r = {8};
  assert_ok(limb_random(x.m, &seed, x.q));
  rng_fill(&r, 1, x.nv, x.v);
  rng_fill(&r, 3, x.nv, x.x);
  limb_threads* one;
  assert_ok(limb_threads_create(1, NULL, &one));
  limb_split* s = cut(x.m, one);
  assert_ok(limb_split_inverse_dynamics(s, x.q, x.v, x.x, NULL, x.tau));
  assert_ok(limb_split_forward_dynamics(s, x.q, x.v, x.x, NULL, x.a));
  limb_split_destroy(s);
  limb_threads_destroy(one);
  static const int threads[] = {1, 2, 3, 7};
  for (int i = 0; i < 4; i++) same_on(&x, threads[i]);
  free(x.q), free(x.v), free(x.x), free(x.tau), free(x.a);
  limb_model_destroy(x.m);
}
END_TEST

CHECK_MAIN("batch/split with threads", 3, any_number_of_threads_gives_the_same_bits)
