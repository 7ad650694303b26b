// Linux only: see spin.h.
#define _GNU_SOURCE 1 // processors of threads
#include "spin.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct bench_spin {
  limb_pool pool;
  pthread_t thread;
  limb_pool_task* task;
  void* argument;
  int count;
  atomic_int job;   // its number; negative: the end
  atomic_int taken; // tasks
  atomic_int done;  // the number of the job that the other thread is done with
};

static void work(bench_spin* s)
{
  for (int i; (i = atomic_fetch_add(&s->taken, 1)) < s->count;) s->task(s->argument, i);
}

static void* live(void* context)
{
  bench_spin* s = context;
  for (int seen = 0;;) {
    const int job = atomic_load(&s->job);
    if (job < 0) return NULL;
    if (job == seen) continue;
    seen = job;
    work(s);
    atomic_store(&s->done, job);
  }
}

static void run(void* context, int count, limb_pool_task* task, void* argument)
{
  bench_spin* s = context;
  const int job = atomic_load(&s->job) % 1000000 + 1;
  s->task = task, s->argument = argument, s->count = count;
  atomic_store(&s->taken, 0);
  atomic_store(&s->job, job);
  work(s);
  while (atomic_load(&s->done) != job) {
  }
}

// Two threads that wait awake must not share a processor.
static void hold_on(pthread_t thread, unsigned processor)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  (void)pthread_setaffinity_np(thread, sizeof set, &set);
}

bench_spin* bench_spin_start(void)
{
  bench_spin* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->pool = (limb_pool){sizeof s->pool, 2, s, run};
  if (pthread_create(&s->thread, NULL, live, s) != 0) {
    free(s);
    return NULL;
  }
  hold_on(pthread_self(), 0);
  hold_on(s->thread, 1);
  return s;
}

void bench_spin_end(bench_spin* s)
{
  atomic_store(&s->job, -1);
  (void)pthread_join(s->thread, NULL);
  free(s);
}

const limb_pool* bench_spin_pool(const bench_spin* s) { return &s->pool; }
