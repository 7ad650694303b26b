// Threads that wait for work: every task runs once, whoever calls, from wherever; what was written is seen.
// LIMB_HAVE_THREADS says whether the library was built with threads; without, one is all there is.
#include "limb/batch.h"

#include "robust/purse.h"
#include "support/check.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 5000, ROUNDS = CHECK_SANITIZED ? 200 : 2000 };

static limb_threads* threads(int n)
{
  limb_threads* t = NULL;
  if (n > 1 && !LIMB_HAVE_THREADS) {
    assert_status(limb_threads_create(n, NULL, &t), LIMB_E_UNSUPPORTED);
    n = 1;
  }
  assert_ok(limb_threads_create(n, NULL, &t));
  assert_that(t != NULL);
  const limb_pool* pool = limb_threads_pool(t);
  assert_that(pool->size == sizeof *pool && pool->threads >= 1);
  assert_that(n == 0 || pool->threads == n);
  return t;
}

static void run(const limb_pool* pool, int count, limb_pool_task* task, void* argument)
{
  pool->run(pool->context, count, task, argument);
}

// ---- every task once -------------------------------------------------------------------------------------

// Plain memory: the pool itself must order what tasks write and what the caller reads.
typedef struct tally {
  int given;       // written before the call
  int times[MANY]; // how often each task ran
  int seen[MANY];  // what it saw of `given`
} tally;

static void count_task(void* argument, int index)
{
  tally* t = argument;
  t->times[index]++;
  t->seen[index] = t->given;
}

static void check_tally(const limb_pool* pool, int count, tally* t)
{
  memset(t->times, 0, sizeof t->times);
  t->given++;
  run(pool, count, count_task, t);
  for (int i = 0; i < MANY; i++) {
    const bool once = t->times[i] == (i < count), saw = i >= count || t->seen[i] == t->given;
    if (once && saw) continue;
    check_at("task %d of %d: ran %d times, saw %d", i, count, t->times[i], t->seen[i]);
    assert_that(once && saw);
  }
}

static const int sizes[] = {1, 2, 3, 8, 64, 0};
static const int counts[] = {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 500, MANY};

START_TEST(every_task_runs_once)
{
  static tally t;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    limb_threads* own = threads(sizes[k]);
    const limb_pool* pool = limb_threads_pool(own);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) check_tally(pool, counts[i], &t);
    run(pool, -1, count_task, NULL); // nothing to do
    limb_threads_destroy(own);
  }
}
END_TEST

// One job right behind the other, with sleep now and then: no wake-up is lost, no task strays into the next.
START_TEST(job_after_job)
{
  static tally t;
  limb_threads* own = threads(3);
  for (int i = 0; i < ROUNDS; i++) {
    if (i % 100 == 0) nanosleep(&(struct timespec){0, 300000}, NULL);
    check_tally(limb_threads_pool(own), 1 + i % 9, &t);
  }
  limb_threads_destroy(own);
}
END_TEST

// ---- together --------------------------------------------------------------------------------------------

typedef struct meeting {
  atomic_int here;
  int wanted;
} meeting;

// Ends only when as many tasks as wanted run at the same time.
static void meet(void* argument, int index)
{
  meeting* m = argument;
  (void)index;
  atomic_fetch_add(&m->here, 1);
  while (atomic_load(&m->here) < m->wanted) nanosleep(&(struct timespec){0, 20000}, NULL);
}

START_TEST(as_many_run_at_once_as_there_are_threads)
{
  for (int n = 1; n <= 64; n *= 4) {
    limb_threads* own = threads(n);
    const limb_pool* pool = limb_threads_pool(own);
    for (int i = 0; i < 5; i++) {
      meeting m = {.wanted = pool->threads};
      run(pool, pool->threads, meet, &m);
      assert_that(atomic_load(&m.here) == pool->threads);
    }
    limb_threads_destroy(own);
  }
}
END_TEST

typedef struct tail {
  meeting start;
  pthread_t caller;
  int late; // tasks that ended after the caller had nothing to do any more
} tail;

static void take_long(void* argument, int index)
{
  tail* t = argument;
  meet(&t->start, index);
  if (pthread_equal(pthread_self(), t->caller)) return;
  nanosleep(&(struct timespec){0, 3000000}, NULL);
  t->late++;
}

// The caller falls asleep, and is woken by the last task.
START_TEST(the_caller_waits_for_the_last_task)
{
  limb_threads* own = threads(2);
  const limb_pool* pool = limb_threads_pool(own);
  for (int i = 0; i < 5; i++) {
    tail t = {.start = {.wanted = pool->threads}, .caller = pthread_self()};
    run(pool, pool->threads, take_long, &t);
    assert_that(t.late == pool->threads - 1);
  }
  limb_threads_destroy(own);
}
END_TEST

// ---- from inside, and from several sides -----------------------------------------------------------------

typedef struct nest {
  const limb_pool* pool;
  int times[40][40];
} nest;

typedef struct inner {
  nest* all;
  int outer;
} inner;

static void inner_task(void* argument, int index)
{
  inner* in = argument;
  in->all->times[in->outer][index]++;
}

static void outer_task(void* argument, int index)
{
  inner in = {argument, index};
  run(in.all->pool, 40, inner_task, &in);
}

START_TEST(a_task_may_use_the_pool)
{
  static nest all;
  limb_threads* own = threads(4);
  all.pool = limb_threads_pool(own);
  for (int round = 1; round <= 20; round++) {
    run(all.pool, 40, outer_task, &all);
    for (int i = 0; i < 1600; i++) assert_that(all.times[i / 40][i % 40] == round);
  }
  limb_threads_destroy(own);
}
END_TEST

typedef struct caller {
  const limb_pool* pool;
  tally own;
  int wrong;
} caller;

static void* call_often(void* context)
{
  caller* c = context;
  for (int i = 0; i < ROUNDS / 4; i++) {
    const int count = 1 + i % 50;
    memset(c->own.times, 0, 51 * sizeof(int));
    c->own.given = i;
    run(c->pool, count, count_task, &c->own);
    for (int k = 0; k <= 50; k++) {
      c->wrong += c->own.times[k] != (k < count) || (k < count && c->own.seen[k] != i);
    }
  }
  return NULL;
}

START_TEST(several_callers_at_once)
{
  enum { CALLERS = 4 };
  static caller c[CALLERS];
  pthread_t thread[CALLERS];
  limb_threads* own = threads(3);
  for (int i = 0; i < CALLERS; i++) {
    c[i].pool = limb_threads_pool(own), c[i].wrong = 0;
    assert_that(pthread_create(&thread[i], NULL, call_often, &c[i]) == 0);
  }
  for (int i = 0; i < CALLERS; i++) {
    pthread_join(thread[i], NULL);
    assert_that(c[i].wrong == 0);
  }
  limb_threads_destroy(own);
}
END_TEST

// ---- beginning and end -----------------------------------------------------------------------------------

START_TEST(pools_come_and_go)
{
  static tally t;
  for (int i = 0; i < ROUNDS / 10; i++) {
    limb_threads* own = threads(1 + i % 5);
    if (i % 2) check_tally(limb_threads_pool(own), i % 20, &t);
    limb_threads_destroy(own);
  }
  limb_threads* several[20];
  for (int i = 0; i < 20; i++) several[i] = threads(3);
  for (int i = 0; i < 20; i++) check_tally(limb_threads_pool(several[i]), 20, &t);
  for (int i = 0; i < 20; i++) limb_threads_destroy(several[i]);
}
END_TEST

static atomic_int signals_elsewhere;
static pthread_t program;

static void on_signal(int number)
{
  (void)number;
  if (!pthread_equal(pthread_self(), program)) atomic_fetch_add(&signals_elsewhere, 1);
}

START_TEST(signals_stay_with_the_program)
{
  struct sigaction action = {.sa_handler = on_signal}, before;
  sigset_t one, old;
  program = pthread_self();
  limb_threads* own = threads(4);
  assert_that(sigaction(SIGUSR1, &action, &before) == 0);
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &one, &old); // another thread that takes signals would get it now
  kill(getpid(), SIGUSR1);
  nanosleep(&(struct timespec){0, 2000000}, NULL);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  sigaction(SIGUSR1, &before, NULL);
  assert_that(atomic_load(&signals_elsewhere) == 0);
  limb_threads_destroy(own);
}
END_TEST

// Threads of this process.
static int alive(void)
{
  int n = 0;
  DIR* folder = opendir("/proc/self/task");
  while (folder && readdir(folder)) n++;
  if (folder) closedir(folder);
  return n;
}

// Stacks need address space. Those that were started are ended again, the memory is given back.
START_TEST(the_system_refuses)
{
  if (CHECK_SANITIZED || !LIMB_HAVE_THREADS) return; // shadow memory is address space, too
  static tally count;
  purse p = {.budget = -1};
  const limb_allocator alloc = {purse_alloc, purse_free, &p};
  limb_threads* t = NULL;
  const int own = alive();
  struct rlimit before;
  assert_that(getrlimit(RLIMIT_AS, &before) == 0);
  const struct rlimit little = {(rlim_t)400 << 20, before.rlim_max};
  assert_that(setrlimit(RLIMIT_AS, &little) == 0);
  const limb_status s = limb_threads_create(4096, &alloc, &t);
  assert_that(setrlimit(RLIMIT_AS, &before) == 0);
  assert_status(s, LIMB_E_UNSUPPORTED);
  assert_that(t == NULL && p.granted == 1 && p.alive == 0 && !p.misused);
  for (int i = 0; i < 1000 && alive() > own; i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
  assert_that(alive() == own);
  assert_ok(limb_threads_create(4, &alloc, &t));
  check_tally(limb_threads_pool(t), 100, &count);
  limb_threads_destroy(t);
  assert_that(p.alive == 0 && !p.misused);
}
END_TEST

START_TEST(bad_arguments)
{
  purse p = {.budget = 0};
  const limb_allocator empty = {purse_alloc, purse_free, &p}, half = {.alloc = purse_alloc};
  limb_threads* t = NULL;
  assert_status(limb_threads_create(2, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_threads_create(-1, NULL, &t), LIMB_E_ARG);
  assert_status(limb_threads_create(4097, NULL, &t), LIMB_E_ARG);
  assert_status(limb_threads_create(1, &half, &t), LIMB_E_ARG);
  assert_status(limb_threads_create(1, &empty, &t), LIMB_E_NOMEM);
  assert_that(t == NULL && limb_threads_pool(NULL) == NULL);
  limb_threads_destroy(NULL);
}
END_TEST

CHECK_MAIN("batch/thread_pool", 1, every_task_runs_once, job_after_job, as_many_run_at_once_as_there_are_threads,
           the_caller_waits_for_the_last_task, a_task_may_use_the_pool, several_callers_at_once, pools_come_and_go,
           signals_stay_with_the_program, the_system_refuses, bad_arguments)
