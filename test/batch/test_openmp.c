// The pool of OpenMP's threads: every task runs once, also from inside a task, and a batch is what it is
// without.
#include "limb/openmp.h"

#include "support/batch.h"

#include <stdatomic.h>
#include <string.h>

enum { MANY = 1000 };

typedef struct tally {
  const limb_pool* pool;
  atomic_int times[MANY];
} tally;

static void one(void* argument, int index) { atomic_fetch_add(&((tally*)argument)->times[index], 1); }

static void several(void* argument, int index)
{
  const limb_pool* pool = ((tally*)argument)->pool;
  (void)index;
  pool->run(pool->context, MANY, one, argument);
}

static void check_times(const tally* t, int count, int times)
{
  for (int i = 0; i < MANY; i++) {
    check_at("task %d of %d", i, count);
    assert_that(atomic_load(&t->times[i]) == (i < count ? times : 0));
  }
}

START_TEST(every_task_runs_once)
{
  for (int threads = 1; threads <= 4; threads++) {
    omp_set_num_threads(threads);
    const limb_pool pool = limb_openmp_pool();
    assert_that(pool.size == sizeof pool && pool.threads == threads);
    for (int count = 0; count <= MANY; count = 3 * count + 1) {
      tally t = {.pool = &pool};
      pool.run(pool.context, count, one, &t);
      check_times(&t, count, 1);
    }
  }
}
END_TEST

START_TEST(a_task_may_use_the_pool)
{
  omp_set_num_threads(3);
  const limb_pool pool = limb_openmp_pool();
  tally t = {.pool = &pool};
  pool.run(pool.context, 5, several, &t);
  check_times(&t, MANY, 5);
}
END_TEST

START_TEST(a_batch)
{
  enum { N = 203 };
  batch_states s = batch_states_make(robot_panda(), N, 1);
  double got[N * 7], want[N * 7];
  limb_batch* alone = batch_make(s.m, NULL);
  assert_ok(limb_batch_forward_dynamics(alone, N, s.q, s.v, s.tau, NULL, want, NULL));
  for (int threads = 1; threads <= 4; threads++) {
    omp_set_num_threads(threads);
    const limb_pool pool = limb_openmp_pool();
    limb_batch_options o = limb_default_batch_options();
    o.pool = &pool;
    limb_batch* b = batch_make(s.m, &o);
    memset(got, 0, sizeof got);
    assert_ok(limb_batch_forward_dynamics(b, N, s.q, s.v, s.tau, NULL, got, NULL));
    assert_same_bytes(got, want, sizeof got);
    limb_batch_destroy(b);
  }
  limb_batch_destroy(alone);
  batch_states_free(&s);
}
END_TEST

CHECK_MAIN("batch/openmp", 1, every_task_runs_once, a_task_may_use_the_pool, a_batch)
