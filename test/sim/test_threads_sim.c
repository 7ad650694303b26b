// The same calls give the same bits: twice in a row, and in threads beside each other that share a model.
#include "sim/runs.h"

#include <pthread.h>

enum { THREADS = 3 };

typedef struct job {
  const stage* from;
  limb_sim_method method;
  stage end;
  limb_sim_summary summary;
  double events;
} job;

static limb_status push(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q;
  tau[0] += 3 * sin(9 * t) - 0.1 * v[0];
  return LIMB_OK;
}

static double passes(void* context, const limb_sim_state* at)
{
  (void)context;
  return sin(20 * at->q[0]);
}

static void* run(void* context)
{
  job* j = context;
  const double end = CHECK_EFFORT(0.02, 0.05, 0.1);
  limb_sim_options o = limb_default_sim_options(j->from->m);
  const limb_sim_force f = {.force = push, .period = 0.007, .delay = 0.01};
  const limb_sim_condition c = {.value = passes};
  limb_sim_event e = {.kind = LIMB_EVENT_CONDITION};
  o.method = j->method, o.work = 1;
  limb_sim* sim = run_create(j->from, &o);
  assert_ok(limb_sim_add_force(sim, &f));
  assert_ok(limb_sim_add_condition(sim, &c, NULL));
  run_start(sim, j->from);
  while (e.kind != LIMB_EVENT_NONE) {
    assert_ok(limb_sim_advance(sim, end, &e));
    j->events += e.time;
  }
  j->end = *j->from;
  run_state(sim, &j->end);
  j->summary = run_summary(sim);
  limb_sim_destroy(sim);
  return NULL;
}

static void check_same(const job* a, const job* b)
{
  const limb_sim_summary *x = &a->summary, *y = &b->summary;
  assert_that(!memcmp(a->end.q, b->end.q, sizeof a->end.q));
  assert_that(!memcmp(a->end.v, b->end.v, sizeof a->end.v));
  assert_that(a->events == b->events && x->work == y->work && x->energy == y->energy);
  assert_that(x->steps == y->steps && x->evaluations == y->evaluations);
  assert_that(x->method == y->method);
}

START_TEST(threads_give_the_same_bits)
{
  static const char* const names[] = {"tree5", "quadruped", "hand", "four_bar", "gough_stewart", "rolling_disc"};
  if (!limb_sim_has_method(run_methods[_i])) return;
  for (int k = 0; k < 6; k++) {
    stage from = stage_make(names[k]);
    job jobs[THREADS + 2] = {{0}};
    pthread_t thread[THREADS];
    check_at("%s, %s", names[k], limb_sim_method_name(run_methods[_i]));
    for (int i = 0; i < THREADS + 2; i++) jobs[i].from = &from, jobs[i].method = run_methods[_i];
    (void)run(&jobs[THREADS]);
    (void)run(&jobs[THREADS + 1]);
    for (int i = 0; i < THREADS; i++) assert_that(pthread_create(&thread[i], NULL, run, &jobs[i]) == 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i <= THREADS; i++) check_same(&jobs[i], &jobs[THREADS + 1]);
    limb_model_destroy(from.m);
  }
}
END_TEST

CHECK_MAIN("sim/threads", RUN_ALL, threads_give_the_same_bits)
