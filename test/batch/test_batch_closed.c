// Forward dynamics of robots with loops, for many states: what the call for one state says, bit for bit.
#include "support/batch.h"
#include "support/closed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 7, CASES = 18 };

// States of a closed robot that differ in their forces, and room for answers.
typedef struct ring {
  closed_case c;
  size_t nq, nv;
  double *q, *v, *tau, *got, *want;
  limb_batch* b;
  limb_loops* w;
} ring;

static double* doubles(size_t n)
{
  double* x = calloc(n ? n : 1, sizeof *x);
  if (!x) abort();
  return x;
}

static void ring_make(ring* x, closed_case c)
{
  rng r = {5};
  *x = (ring){.c = c, .nq = (size_t)limb_nq(c.m), .nv = (size_t)limb_nv(c.m)};
  x->q = doubles(N * x->nq), x->v = doubles(N * x->nv), x->tau = doubles(N * x->nv);
  x->got = doubles(N * x->nv), x->want = doubles(x->nv);
  for (size_t i = 0; i < N; i++) {
    memcpy(x->q + i * x->nq, c.q, x->nq * sizeof *x->q);
    memcpy(x->v + i * x->nv, c.v, x->nv * sizeof *x->v);
  }
  rng_fill(&r, 10, (int)(N * x->nv), x->tau);
  x->b = batch_make(c.m, NULL);
  assert_ok(limb_loops_create(c.m, LIMB_LOOPS_DENSE, NULL, &x->w));
}

static void ring_end(ring* x)
{
  free(x->q), free(x->v), free(x->tau), free(x->got), free(x->want);
  limb_batch_destroy(x->b);
  limb_loops_destroy(x->w);
  closed_free(&x->c);
}

static void check_ring(ring* x, const limb_batch_closed* how)
{
  limb_status status[N];
  const limb_status first = limb_batch_closed_forward_dynamics(x->b, N, x->q, x->v, x->tau, how, x->got, status);
  limb_status wanted = LIMB_OK;
  for (size_t i = 0; i < N; i++) {
    const limb_closed_motion in = {.q = x->q + i * x->nq, .v = x->v + i * x->nv, .env = how->env};
    const double* a = x->got + i * x->nv;
    const limb_status s =
      limb_closed_forward_dynamics(x->w, &in, x->tau + i * x->nv, how->options, x->want, NULL, NULL);
    if (wanted == LIMB_OK) wanted = s;
    assert_status(status[i], s);
    if (s == LIMB_OK) assert_same_bytes(a, x->want, x->nv * sizeof *a);
    for (size_t k = 0; k < x->nv && s != LIMB_OK; k++) assert_that(isnan(a[k]));
  }
  assert_status(first, wanted);
}

START_TEST(as_for_one_state)
{
  ring x;
  limb_closed_options o = limb_default_closed_options();
  if (_i >= closed_count()) return;
  ring_make(&x, closed_make(_i, 3));
  limb_environment env = limb_default_environment(x.c.m);
  env.gravity = sp_v3(3, 2, 1), env.coulomb_width = 0.2;
  o.method = LIMB_CLOSED_KKT;
  const limb_batch_closed plain = {NULL, NULL}, other = {&env, &o};
  check_at("%s", x.c.name);
  check_ring(&x, &plain);
  check_ring(&x, &other);
  assert_ok(limb_batch_closed_forward_dynamics(x.b, N, x.q, x.v, x.tau, NULL, x.got, NULL));
  x.v[3 * x.nv] = nan(""), x.q[5 * x.nq] = HUGE_VAL;
  check_ring(&x, &plain);
  ring_end(&x);
}
END_TEST

START_TEST(what_is_refused)
{
  double x[64] = {0};
  limb_batch_options o = limb_default_batch_options();
  limb_model* arm = robot_panda();
  limb_batch* b = batch_make(arm, NULL);
  assert_status(limb_batch_closed_forward_dynamics(b, 1, x, x, x, NULL, x + 32, NULL), LIMB_E_ARG);
  limb_batch_destroy(b);
  limb_model_destroy(arm);
  ring r;
  ring_make(&r, closed_find("five_bar", 1));
  o.layout = LIMB_BATCH_LANES;
  limb_batch* lanes = batch_make(r.c.m, &o);
  double* y = batch_aligned(64 * sizeof *y);
  assert_status(limb_batch_closed_forward_dynamics(lanes, 1, y, y, y, NULL, y, NULL), LIMB_E_UNSUPPORTED);
  assert_status(limb_batch_closed_forward_dynamics(NULL, 1, r.q, r.v, r.tau, NULL, r.got, NULL), LIMB_E_ARG);
  assert_status(limb_batch_closed_forward_dynamics(r.b, 1, NULL, r.v, r.tau, NULL, r.got, NULL), LIMB_E_ARG);
  assert_status(limb_batch_closed_forward_dynamics(r.b, 1, r.q, NULL, r.tau, NULL, r.got, NULL), LIMB_E_ARG);
  assert_status(limb_batch_closed_forward_dynamics(r.b, 1, r.q, r.v, NULL, NULL, r.got, NULL), LIMB_E_ARG);
  assert_status(limb_batch_closed_forward_dynamics(r.b, 1, r.q, r.v, r.tau, NULL, NULL, NULL), LIMB_E_ARG);
  assert_ok(limb_batch_closed_forward_dynamics(r.b, 0, r.q, r.v, r.tau, NULL, r.got, NULL));
  free(y);
  limb_batch_destroy(lanes);
  ring_end(&r);
}
END_TEST

CHECK_MAIN("batch/closed", CASES, as_for_one_state, what_is_refused)
