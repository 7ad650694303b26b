// Robots with loops, for many states: what the calls for one state answer, bit for bit.
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
  limb_data* d;
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
  assert_ok(limb_data_create(c.m, NULL, &x->d));
}

static void ring_end(ring* x)
{
  free(x->q), free(x->v), free(x->tau), free(x->got), free(x->want);
  limb_batch_destroy(x->b);
  limb_data_destroy(x->d);
  closed_free(&x->c);
}

// A question for all states, and for state i of them.
typedef limb_status ask_all(ring* x, const limb_batch_environment* env, limb_status* status);
typedef limb_status ask_one(ring* x, size_t i, const limb_environment* env);

static limb_status all_forward(ring* x, const limb_batch_environment* env, limb_status* status)
{
  return limb_batch_forward_dynamics(x->b, N, x->q, x->v, x->tau, env, x->got, status);
}

static limb_status one_forward(ring* x, size_t i, const limb_environment* env)
{
  return limb_forward_dynamics(x->d, x->q + i * x->nq, x->v + i * x->nv, x->tau + i * x->nv, env, x->want);
}

static limb_status all_bias(ring* x, const limb_batch_environment* env, limb_status* status)
{
  return limb_batch_bias_forces(x->b, N, x->q, x->v, env, x->got, status);
}

static limb_status one_bias(ring* x, size_t i, const limb_environment* env)
{
  return limb_bias_forces(x->d, x->q + i * x->nq, x->v + i * x->nv, env, x->want);
}

static limb_status all_gravity(ring* x, const limb_batch_environment* env, limb_status* status)
{
  return limb_batch_gravity_forces(x->b, N, x->q, env, x->got, status);
}

static limb_status one_gravity(ring* x, size_t i, const limb_environment* env)
{
  return limb_gravity_forces(x->d, x->q + i * x->nq, env, x->want);
}

static limb_status all_inverse(ring* x, const limb_batch_environment* env, limb_status* status)
{
  return limb_batch_inverse_dynamics(x->b, N, x->q, x->v, x->tau, env, x->got, status);
}

static limb_status one_inverse(ring* x, size_t i, const limb_environment* env)
{
  return limb_inverse_dynamics(x->d, x->q + i * x->nq, x->v + i * x->nv, x->tau + i * x->nv, env, x->want);
}

static void check_ring(ring* x, const limb_environment* env, ask_all* all, ask_one* one)
{
  limb_status status[N];
  limb_batch_environment around = limb_default_batch_environment();
  around.all = env;
  const limb_status first = all(x, &around, status);
  limb_status wanted = LIMB_OK;
  for (size_t i = 0; i < N; i++) {
    const double* got = x->got + i * x->nv;
    const limb_status s = one(x, i, env);
    if (wanted == LIMB_OK) wanted = s;
    assert_status(status[i], s);
    if (s == LIMB_OK) assert_same_bytes(got, x->want, x->nv * sizeof *got);
    for (size_t k = 0; k < x->nv && s != LIMB_OK; k++) assert_that(isnan(got[k]));
  }
  assert_status(first, wanted);
}

static void check_questions(ring* x, const limb_environment* env)
{
  check_ring(x, env, all_forward, one_forward);
  check_ring(x, env, all_inverse, one_inverse);
  check_ring(x, env, all_bias, one_bias);
  check_ring(x, env, all_gravity, one_gravity);
}

START_TEST(as_for_one_state)
{
  ring x;
  if (_i >= closed_count()) return;
  ring_make(&x, closed_make(_i, 3));
  limb_environment env = limb_default_environment(x.c.m);
  env.gravity = sp_v3(3, 2, 1), env.coulomb_width = 0.2;
  check_at("%s", x.c.name);
  check_questions(&x, NULL);
  check_questions(&x, &env);
  x.v[3 * x.nv] = nan(""), x.q[5 * x.nq] = HUGE_VAL;
  check_questions(&x, NULL);
  ring_end(&x);
}
END_TEST

// Settings reach every workspace of the batch: another method, the same accelerations.
START_TEST(settings)
{
  ring x;
  ring_make(&x, closed_find("five_bar", 1));
  limb_loop_settings by_kkt = limb_default_loop_settings();
  by_kkt.solver.method = LIMB_LOOP_METHOD_KKT;
  limb_batch_options o = limb_default_batch_options();
  o.loops = &by_kkt;
  limb_batch* b = batch_make(x.c.m, &o);
  assert_ok(limb_set_loops(x.d, &by_kkt));
  assert_ok(limb_batch_forward_dynamics(b, N, x.q, x.v, x.tau, NULL, x.got, NULL));
  assert_ok(one_forward(&x, 0, NULL));
  assert_same_bytes(x.got, x.want, x.nv * sizeof *x.got);
  limb_batch_destroy(b);
  ring_end(&x);
}
END_TEST

START_TEST(what_is_refused)
{
  limb_batch_options o = limb_default_batch_options();
  ring r;
  float f[64] = {0};
  ring_make(&r, closed_find("five_bar", 1));
  o.layout = LIMB_BATCH_BY_LANE;
  limb_batch* lanes = batch_make(r.c.m, &o);
  double* y = batch_aligned(64 * sizeof *y);
  assert_status(limb_batch_forward_dynamics(lanes, 1, y, y, y, NULL, y, NULL), LIMB_E_UNSUPPORTED);
  assert_status(limb_batch_forward_dynamics_f32(r.b, 1, f, f, f, NULL, f + 32, NULL), LIMB_E_UNSUPPORTED);
  const limb_batch_steps steps = {.step = 1e-3, .count = 1};
  assert_status(limb_batch_step(r.b, 1, r.q, r.v, r.tau, NULL, &steps, NULL), LIMB_E_UNSUPPORTED);
  assert_ok(limb_batch_forward_dynamics(r.b, 0, r.q, r.v, r.tau, NULL, r.got, NULL));
  free(y);
  limb_batch_destroy(lanes);
  ring_end(&r);
}
END_TEST

CHECK_MAIN("batch/closed", CASES, as_for_one_state, settings, what_is_refused)
