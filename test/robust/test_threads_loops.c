// Threads share one model with loops, each with its own workspaces: every answer is bit for bit that of a
// single thread. Run under ThreadSanitizer this also shows that the model is only read.
#include "robust/hot_loops.h"

#include <pthread.h>

enum { THREADS = 4, STATES = CHECK_SANITIZED ? 1 : 2 };

// What all calls of one thread answered: statuses, then marks of what they wrote.
typedef struct job {
  const closed_case* shared;
  limb_status status[STATES][HOT_LOOPS];
  uint64_t mark[STATES][HOT_LOOPS];
} job;

// FNV-1a over the words of the outputs.
static uint64_t mark_of(const loop_bed* b, size_t room)
{
  uint64_t h = 14695981039346656037u;
  for (int k = 0; k < LOOP_OUTPUTS; k++) {
    for (size_t i = 0; i < room; i++) {
      uint64_t word;
      memcpy(&word, &b->out[k][i], sizeof word);
      h = (h ^ word) * 1099511628211u;
      h ^= h >> 29;
    }
  }
  return h;
}

// A state of its own, over the model that all share.
static closed_case state_of(const closed_case* shared, uint64_t seed)
{
  closed_case c = *shared;
  const size_t nq = (size_t)limb_nq(c.m), nv = (size_t)limb_nv(c.m);
  c.q = calloc(nq, sizeof *c.q), c.v = calloc(nv, sizeof *c.v);
  if (!c.q || !c.v) abort();
  memcpy(c.q, shared->q, nq * sizeof *c.q);
  closed_velocity(shared, seed, c.v);
  return c;
}

static void* run(void* context)
{
  job* j = context;
  const size_t room = loop_room(j->shared->m);
  for (int s = 0; s < STATES; s++) {
    loop_bed b = loop_bed_make(state_of(j->shared, (uint64_t)s + 1));
    for (int i = 0; i < HOT_LOOPS; i++) {
      const loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
      for (int k = 0; k < LOOP_OUTPUTS; k++) memset(b.out[k], 0, room * sizeof(double));
      j->status[s][i] = hot_loops[i].call(&in);
      j->mark[s][i] = mark_of(&b, room);
    }
    b.c.m = NULL; // shared
    loop_bed_free(&b);
  }
  return NULL;
}

static void same_answers(const char* name)
{
  closed_case c = closed_find(name, 1);
  job* jobs = calloc(THREADS + 1, sizeof *jobs);
  pthread_t thread[THREADS];
  assert_that(jobs != NULL);
  for (int i = 0; i <= THREADS; i++) jobs[i].shared = &c;
  run(&jobs[THREADS]);
  for (int i = 0; i < THREADS; i++) assert_that(pthread_create(&thread[i], NULL, run, &jobs[i]) == 0);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++) {
    for (int s = 0; s < STATES; s++) {
      for (int k = 0; k < HOT_LOOPS; k++) {
        check_at("%s, %s, thread %d, state %d", name, hot_loops[k].name, i, s);
        assert_that(jobs[i].status[s][k] == jobs[THREADS].status[s][k]);
        assert_that(jobs[i].mark[s][k] == jobs[THREADS].mark[s][k]);
      }
    }
  }
  free(jobs);
  closed_free(&c);
}

START_TEST(threads_share_a_model)
{
  same_answers("gough_stewart");
  same_answers("five_bar");
  same_answers("driven_arm");
  same_answers("random_mimic");
  same_answers("random_redundant");
}
END_TEST

CHECK_MAIN("robust/threads_loops", 1, threads_share_a_model)
