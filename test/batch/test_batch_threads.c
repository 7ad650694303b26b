// Threads of a batch: the same bits and the same status for any number of them and any split; batches that
// share a pool and a model. The thread sanitizer watches this program.
#include "support/batch.h"
#include "support/closed.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { N = CHECK_SANITIZED ? 75 : 403, POOLS = 5 };

static const char* const names[] = {"panda", "quadruped", "tree_12_mimic"};
enum { ROBOTS = sizeof names / sizeof names[0] };

// A library without threads has pools of one.
static limb_threads* threads(int n)
{
  limb_threads* t = NULL;
  if (limb_threads_create(n, NULL, &t) == LIMB_E_UNSUPPORTED) assert_ok(limb_threads_create(1, NULL, &t));
  assert_that(t != NULL);
  return t;
}

// Pools to try: none, and four sizes.
typedef struct pools {
  limb_threads* own[POOLS];
  const limb_pool* pool[POOLS];
} pools;

static void pools_make(pools* p)
{
  static const int size[POOLS] = {0, 1, 2, 3, 8};
  *p = (pools){{NULL}, {NULL}};
  for (int i = 1; i < POOLS; i++) p->own[i] = threads(size[i]), p->pool[i] = limb_threads_pool(p->own[i]);
}

static void pools_end(pools* p)
{
  for (int i = 0; i < POOLS; i++) limb_threads_destroy(p->own[i]);
}

static limb_batch* batch_on(const limb_model* m, const limb_pool* pool)
{
  limb_batch_options o = limb_default_batch_options();
  o.pool = pool;
  return batch_make(m, &o);
}

static void take_room(const limb_model* m, batch_ask* ask)
{
  const size_t scalar = ask->f32 ? sizeof(float) : sizeof(double);
  for (int k = 0; k < BATCH_OUTS; k++) {
    const size_t width = batch_width(m, ask->what, ask->nframe, k);
    ask->out[k] = width ? calloc(N * width, scalar) : NULL;
  }
}

static void end_room(batch_ask* ask)
{
  for (int k = 0; k < BATCH_OUTS; k++) free(ask->out[k]);
}

static void check_answers(const limb_model* m, const batch_ask* got, const batch_ask* want)
{
  const size_t scalar = got->f32 ? sizeof(float) : sizeof(double);
  for (int k = 0; k < BATCH_OUTS && got->out[k]; k++)
    assert_same_bytes(got->out[k], want->out[k], N * batch_width(m, got->what, got->nframe, k) * scalar);
}

// ---- any number of threads -------------------------------------------------------------------------------

static void over_pools(const batch_states* s, const pools* p, batch_what what, bool f32)
{
  batch_ask want = batch_ask_for(s, what, f32);
  limb_status first = LIMB_OK, status[2][N];
  take_room(s->m, &want);
  for (int i = 0; i < POOLS; i++) {
    batch_ask got = batch_ask_for(s, what, f32);
    check_at("%s%s, pool %d", batch_name(what), f32 ? " over float" : "", i);
    take_room(s->m, &got);
    got.b = batch_on(s->m, p->pool[i]), got.status = status[1];
    if (i == 0) {
      want.b = got.b, want.status = status[0];
      first = batch_answer(&want);
    }
    assert_status(batch_answer(&got), first);
    check_answers(s->m, &got, &want);
    assert_same_bytes(status[1], status[0], sizeof status[0]);
    limb_batch_destroy(got.b);
    end_room(&got);
  }
  end_room(&want);
}

START_TEST(any_number_of_threads)
{
  pools p;
  pools_make(&p);
  batch_states s = batch_states_make(robot_find(names[_i])->make(), N, 3);
  for (batch_what what = 0; what < BATCH_WHATS; what++) {
    over_pools(&s, &p, what, false);
    over_pools(&s, &p, what, true);
  }
  batch_states_free(&s);
  pools_end(&p);
}
END_TEST

// States that fail here and there: the first one's status, whoever found it.
START_TEST(the_first_failure)
{
  pools p;
  pools_make(&p);
  for (size_t at = 0; at < N - 1; at += CHECK_SANITIZED ? 23 : 37) {
    batch_states s = batch_states_make(robot_quadruped(), N, 3);
    s.q[at * s.nq + 4] = 3; // a quaternion that is none
    for (size_t i = at + 1; i < N; i++) s.v[i * s.nv] = i % 3 ? s.v[i * s.nv] : nan("");
    s.v[(N - 1) * s.nv] = nan("");
    over_pools(&s, &p, BATCH_FORWARD, false);
    for (int i = 0; i < POOLS; i++) {
      limb_batch* b = batch_on(s.m, p.pool[i]);
      double* tau = calloc(N * s.nv, sizeof *tau);
      const limb_status got = limb_batch_inverse_dynamics(b, N, s.q, s.v, s.a, NULL, tau, NULL);
      assert_status(got, LIMB_E_ARG);
      free(tau);
      limb_batch_destroy(b);
    }
    batch_states_free(&s);
    if (_i > 0) break;
  }
  pools_end(&p);
}
END_TEST

// ---- any split -------------------------------------------------------------------------------------------

START_TEST(any_split)
{
  batch_states s = batch_states_make(robot_find(names[_i])->make(), N, 4);
  limb_threads* t = threads(3);
  limb_batch *b = batch_on(s.m, limb_threads_pool(t)), *alone = batch_on(s.m, NULL);
  double *got = calloc(N * s.nv, sizeof *got), *want = calloc(N * s.nv, sizeof *want);
  assert_ok(limb_batch_forward_dynamics(alone, N, s.q, s.v, s.tau, NULL, want, NULL));
  for (size_t part = 1; part <= N; part += part < 20 ? 1 : 61) {
    memset(got, 0, N * s.nv * sizeof *got);
    check_at("%s, parts of %zu", names[_i], part);
    for (size_t i = 0; i < N; i += part) {
      const size_t n = N - i < part ? N - i : part, x = i * s.nv;
      assert_ok(limb_batch_forward_dynamics(b, n, s.q + i * s.nq, s.v + x, s.tau + x, NULL, got + x, NULL));
    }
    assert_same_bytes(got, want, N * s.nv * sizeof *got);
  }
  free(got), free(want);
  limb_batch_destroy(b), limb_batch_destroy(alone);
  limb_threads_destroy(t);
  batch_states_free(&s);
}
END_TEST

// ---- several batches -------------------------------------------------------------------------------------

enum { CALLERS = 3, CALLS = CHECK_SANITIZED ? 5 : 40 };

// A thread with a batch of its own; model, states and pool are everybody's.
typedef struct caller {
  const batch_states* s;
  const limb_pool* pool;
  const double* want;
  int wrong;
} caller;

static void* call_often(void* argument)
{
  caller* c = argument;
  const batch_states* s = c->s;
  limb_batch_options o = limb_default_batch_options();
  o.pool = c->pool;
  const size_t size = limb_batch_size(s->m, &o);
  void* memory = batch_aligned(size);
  limb_batch* b = NULL;
  double* tau = calloc(N * s->nv, sizeof *tau);
  c->wrong = limb_batch_init(s->m, &o, memory, size, &b) != LIMB_OK;
  for (int i = 0; i < CALLS && !c->wrong; i++) {
    memset(tau, 0, N * s->nv * sizeof *tau);
    c->wrong = limb_batch_inverse_dynamics(b, N, s->q, s->v, s->a, NULL, tau, NULL) != LIMB_OK ||
               memcmp(tau, c->want, N * s->nv * sizeof *tau) != 0;
  }
  limb_batch_destroy(b);
  free(memory), free(tau);
  return NULL;
}

START_TEST(batches_share_pool_and_model)
{
  batch_states s = batch_states_make(robot_find(names[_i])->make(), N, 6);
  limb_batch* alone = batch_on(s.m, NULL);
  limb_threads* t = threads(3);
  double* want = calloc(N * s.nv, sizeof *want);
  assert_ok(limb_batch_inverse_dynamics(alone, N, s.q, s.v, s.a, NULL, want, NULL));
  caller c[CALLERS];
  pthread_t thread[CALLERS];
  for (int i = 0; i < CALLERS; i++) {
    c[i] = (caller){&s, limb_threads_pool(t), want, 0};
    assert_that(pthread_create(&thread[i], NULL, call_often, &c[i]) == 0);
  }
  for (int i = 0; i < CALLERS; i++) {
    assert_that(pthread_join(thread[i], NULL) == 0);
    assert_that(!c[i].wrong);
  }
  free(want);
  limb_threads_destroy(t);
  limb_batch_destroy(alone);
  batch_states_free(&s);
}
END_TEST

// ---- steps and loops -------------------------------------------------------------------------------------

START_TEST(steps)
{
  pools p;
  pools_make(&p);
  double *q[2], *v[2];
  const limb_batch_steps how = {1e-3, 3};
  for (int i = 0; i < POOLS; i++) {
    batch_states s = batch_states_make(robot_find(names[_i])->make(), N, 8);
    limb_batch* b = batch_on(s.m, p.pool[i]);
    const size_t nq = N * s.nq * sizeof(double), nv = N * s.nv * sizeof(double);
    for (int k = i ? 1 : 0; k < 2; k++) {
      q[k] = batch_aligned(nq), v[k] = batch_aligned(nv);
      memcpy(q[k], s.q, nq), memcpy(v[k], s.v, nv);
      assert_ok(limb_batch_step(b, N, q[k], v[k], s.tau, NULL, &how, NULL));
    }
    assert_same_bytes(q[1], q[0], nq);
    assert_same_bytes(v[1], v[0], nv);
    free(q[1]), free(v[1]);
    limb_batch_destroy(b);
    batch_states_free(&s);
  }
  free(q[0]), free(v[0]);
  pools_end(&p);
}
END_TEST

START_TEST(closed_loops)
{
  enum { COPIES = 30 };
  closed_case c = closed_find("five_bar", 1);
  const size_t nq = (size_t)limb_nq(c.m), nv = (size_t)limb_nv(c.m);
  double *q = calloc(COPIES * nq, sizeof *q), *v = calloc(COPIES * nv, sizeof *v);
  double *tau = calloc(COPIES * nv, sizeof *tau), *a[2];
  pools p;
  pools_make(&p);
  for (size_t i = 0; i < COPIES; i++) {
    memcpy(q + i * nq, c.q, nq * sizeof *q), memcpy(v + i * nv, c.v, nv * sizeof *v);
    for (size_t k = 0; k < nv; k++) tau[i * nv + k] = (double)i - 3 * (double)k;
  }
  a[0] = calloc(COPIES * nv, sizeof **a), a[1] = calloc(COPIES * nv, sizeof **a);
  for (int i = 0; i < POOLS; i++) {
    limb_batch* b = batch_on(c.m, p.pool[i]);
    assert_ok(limb_batch_forward_dynamics(b, COPIES, q, v, tau, NULL, a[i > 0], NULL));
    if (i > 0) assert_same_bytes(a[1], a[0], COPIES * nv * sizeof **a);
    limb_batch_destroy(b);
  }
  free(q), free(v), free(tau), free(a[0]), free(a[1]);
  pools_end(&p);
  closed_free(&c);
}
END_TEST

CHECK_MAIN("batch/threads", ROBOTS, any_number_of_threads, the_first_failure, any_split, batches_share_pool_and_model,
           steps, closed_loops)
