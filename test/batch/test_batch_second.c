// Second derivatives of many states: what the calls for one state answer, to the bit, on any number of threads.
#include "support/batch.h"

#include "support/closed.h"
#include "support/robots_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5 };

// Which of the four calls.
typedef struct which {
  bool forward, weighted;
} which;

typedef struct scene {
  batch_states s;
  limb_batch* b;
  limb_dual* w;
  double *lambda, *got[4], *want[4];
} scene;

static size_t width(const scene* x, which k) { return x->s.nv * x->s.nv * (k.weighted ? 1 : x->s.nv); }

static void begin(scene* x, limb_model* m, const limb_pool* pool)
{
  limb_batch_options o = limb_default_batch_options();
  o.second = 1, o.pool = pool;
  *x = (scene){.s = batch_states_make(m, N, 3), .b = batch_make(m, &o)};
  assert_ok(limb_dual_create(m, LIMB_DUAL_MATRICES, NULL, &x->w));
  const size_t n = x->s.nv;
  x->lambda = batch_aligned(N * n * sizeof *x->lambda);
  rng_fill(&x->s.r, 1, (int)(N * n), x->lambda);
  for (int k = 0; k < 4; k++) {
    x->got[k] = batch_aligned(N * n * n * n * sizeof(double));
    x->want[k] = batch_aligned(n * n * n * sizeof(double));
  }
}

static void end(scene* x)
{
  for (int k = 0; k < 4; k++) free(x->got[k]), free(x->want[k]);
  free(x->lambda);
  limb_dual_destroy(x->w);
  limb_batch_destroy(x->b);
  batch_states_free(&x->s);
}

static limb_status ask(scene* x, which k, const limb_batch_environment* env, limb_status* status)
{
  const batch_states* s = &x->s;
  const limb_second_derivatives out = {x->got[0], x->got[1], x->got[2], x->got[3]};
  const limb_batch_hessian H = {x->lambda, out};
  if (k.forward && k.weighted) return limb_batch_forward_dynamics_hessian(x->b, N, s->q, s->v, s->tau, env, &H, status);
  if (k.forward) return limb_batch_forward_dynamics_second_derivatives(x->b, N, s->q, s->v, s->tau, env, &out, status);
  if (k.weighted) return limb_batch_inverse_dynamics_hessian(x->b, N, s->q, s->v, s->a, env, &H, status);
  return limb_batch_inverse_dynamics_second_derivatives(x->b, N, s->q, s->v, s->a, env, &out, status);
}

static limb_status ask_one(scene* x, which k, size_t i, const limb_environment* env)
{
  const batch_states* s = &x->s;
  const double *q = s->q + i * s->nq, *v = s->v + i * s->nv, *lambda = x->lambda + i * s->nv;
  const double* y = (k.forward ? s->tau : s->a) + i * s->nv;
  const limb_second_derivatives out = {x->want[0], x->want[1], x->want[2], x->want[3]};
  if (k.forward && k.weighted) return limb_forward_dynamics_hessian(x->w, q, v, y, env, lambda, &out);
  if (k.forward) return limb_forward_dynamics_second_derivatives(x->w, q, v, y, env, &out);
  if (k.weighted) return limb_inverse_dynamics_hessian(x->w, q, v, y, env, lambda, &out);
  return limb_inverse_dynamics_second_derivatives(x->w, q, v, y, env, &out);
}

static const which all[] = {{false, false}, {false, true}, {true, false}, {true, true}};

static void compare(scene* x, which k, const limb_batch_environment* env)
{
  limb_status status[N];
  assert_ok(ask(x, k, env, status));
  for (size_t i = 0; i < N; i++) {
    assert_ok(status[i]);
    assert_ok(ask_one(x, k, i, env ? env->all : NULL));
    for (int r = 0; r < 4; r++)
      assert_same_bytes(x->got[r] + i * width(x, k), x->want[r], width(x, k) * sizeof(double));
  }
}

START_TEST(as_single_calls)
{
  limb_threads* threads;
  assert_ok(limb_threads_create(3, NULL, &threads));
  for (int case_of = 0; case_of < 3; case_of++) {
    scene x;
    limb_model* m = case_of == 0 ? robot_panda() : case_of == 1 ? robot_quadruped() : robot_two_roots();
    begin(&x, m, case_of == 1 ? limb_threads_pool(threads) : NULL);
    limb_environment around = limb_default_environment(m);
    around.gravity = (sp_vec3){1, 2, 3};
    limb_batch_environment env = limb_default_batch_environment();
    env.all = &around;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
      compare(&x, all[k], NULL);
      compare(&x, all[k], &env);
    }
    end(&x);
  }
  limb_threads_destroy(threads);
}
END_TEST

START_TEST(a_state_that_fails)
{
  scene x;
  begin(&x, robot_panda(), NULL);
  x.s.v[2 * 7 + 3] = (double)NAN;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    limb_status status[N];
    assert_status(ask(&x, all[k], NULL, status), LIMB_E_NONFINITE);
    for (size_t i = 0; i < N; i++) {
      assert_status(status[i], i == 2 ? LIMB_E_NONFINITE : LIMB_OK);
      for (size_t j = 0; j < width(&x, all[k]); j++)
        for (int r = 0; r < 4; r++) assert_that(isnan(x.got[r][i * width(&x, all[k]) + j]) == (i == 2));
    }
  }
  end(&x);
}
END_TEST

// Calls that are refused: without scratch, in lanes, with wrenches per state, with loops, without arguments.
START_TEST(refused)
{
  limb_batch_options o = limb_default_batch_options();
  scene x;
  begin(&x, robot_panda(), NULL);
  const limb_second_derivatives out = {x.got[0], x.got[1], x.got[2], x.got[3]};
  limb_batch_environment env = limb_default_batch_environment();
  env.wrench = x.s.varied, env.nwrench = 1;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    assert_status(ask(&x, all[k], &env, NULL), LIMB_E_UNSUPPORTED);
  }
  limb_batch* given = x.b;
  x.b = batch_make(x.s.m, &o);
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) assert_status(ask(&x, all[k], NULL, NULL), LIMB_E_ARG);
  limb_batch_destroy(x.b);
  o.second = 1, o.layout = LIMB_BATCH_BY_LANE;
  x.b = batch_make(x.s.m, &o);
  const double* q = x.got[0]; // aligned
  const limb_batch_hessian H = {q, out}, unweighted = {NULL, out};
  assert_status(limb_batch_inverse_dynamics_second_derivatives(x.b, N, q, q, q, NULL, &out, NULL), LIMB_E_UNSUPPORTED);
  assert_status(limb_batch_forward_dynamics_hessian(x.b, N, q, q, q, NULL, &H, NULL), LIMB_E_UNSUPPORTED);
  limb_batch_destroy(x.b);
  x.b = given;
  const batch_states* s = &x.s;
  assert_status(limb_batch_inverse_dynamics_hessian(x.b, N, s->q, s->v, s->a, NULL, &unweighted, NULL), LIMB_E_ARG);
  assert_status(limb_batch_forward_dynamics_hessian(x.b, N, s->q, s->v, s->a, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_batch_inverse_dynamics_second_derivatives(NULL, N, s->q, s->v, s->a, NULL, &out, NULL),
                LIMB_E_ARG);
  assert_status(limb_batch_forward_dynamics_second_derivatives(x.b, N, s->q, s->v, NULL, NULL, &out, NULL), LIMB_E_ARG);
  o.second = 2, o.layout = LIMB_BATCH_BY_STATE;
  assert_that(limb_batch_size(x.s.m, &o) == 0);
  end(&x);
}
END_TEST

START_TEST(with_loops)
{
  closed_case c = closed_find("four_bar", 1);
  limb_batch_options o = limb_default_batch_options();
  o.second = 1;
  limb_batch* b = batch_make(c.m, &o);
  double x[64] = {0};
  const limb_second_derivatives out = {.dvdv = x};
  assert_status(limb_batch_inverse_dynamics_second_derivatives(b, 1, c.q, c.v, c.v, NULL, &out, NULL),
                LIMB_E_UNSUPPORTED);
  limb_batch_destroy(b);
  closed_free(&c);
}
END_TEST

CHECK_MAIN("batch/second", 1, as_single_calls, a_state_that_fails, refused, with_loops)
