// A batch over float against the same over double, on the same numbers: states are rounded to float first, so
// that only the arithmetic differs. Every short fixture robot; a long chain has no digits left.
#include "support/batch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_DIRECT  1e-5 // nothing is inverted
#define TOL_FORWARD 1e-4
#define TOL_ZERO    1e-6 // for what is nothing but rounding

enum { STATES = CHECK_SANITIZED ? 19 : 53 };

// Largest sum of magnitudes along a row.
static double norm(const double* A, size_t n)
{
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += fabs(A[i * n + j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

// Condition numbers of M of all states.
static void conditions(const batch_states* s, limb_batch* b, double* out)
{
  const size_t nn = s->nv * s->nv;
  double *M = calloc(s->n * nn, sizeof *M), *Minv = calloc(s->n * nn, sizeof *M);
  assert_ok(limb_batch_mass_matrix(b, s->n, s->q, M, NULL));
  assert_ok(limb_batch_mass_matrix_inverse(b, s->n, s->q, Minv, NULL));
  for (size_t i = 0; i < s->n; i++) out[i] = norm(M + i * nn, s->nv) * norm(Minv + i * nn, s->nv);
  free(M), free(Minv);
}

// What float can do: its digits, less those that the condition of M takes.
static double tolerance(batch_what what, double condition)
{
  if (!batch_solves(what)) return TOL_DIRECT;
  return fmax(TOL_FORWARD, 4 * (double)FLT_EPSILON / 2 * condition);
}

static double* widened(const float* x, size_t n)
{
  double* y = calloc(n ? n : 1, sizeof *y);
  for (size_t i = 0; i < n; i++) y[i] = (double)x[i];
  return y;
}

// Random states, rounded, with the forces that random accelerations need.
static batch_states states_of(const robot* r, int index)
{
  batch_states s = batch_states_make(r->make(), STATES, (uint64_t)index);
  limb_batch* b = batch_make(s.m, NULL);
  assert_ok(limb_batch_inverse_dynamics(b, s.n, s.q, s.v, s.a, NULL, s.tau, NULL));
  for (size_t i = 0; i < s.n * s.nv; i++) s.tauf[i] = (float)s.tau[i];
  batch_states_round(&s);
  limb_batch_destroy(b);
  return s;
}

// A regressor this large is not made in lanes, and not over float.
static bool too_large(const batch_states* s, batch_what what)
{
  return (what == BATCH_REGRESSOR || what == BATCH_INERTIAL) && batch_width(s->m, what, 1, 0) > 1 << 15;
}

static void compare(const batch_states* s, limb_batch* b, batch_what what, const limb_batch_environment* env,
                    const double* condition)
{
  batch_ask wide = batch_ask_for(s, what, false), narrow = batch_ask_for(s, what, true);
  wide.b = narrow.b = b, wide.env = narrow.env = env;
  for (int k = 0; k < BATCH_OUTS; k++) {
    const size_t width = batch_width(s->m, what, wide.nframe, k);
    wide.out[k] = width ? calloc(s->n * width, sizeof(double)) : NULL;
    narrow.out[k] = width ? calloc(s->n * width, sizeof(float)) : NULL;
  }
  wide.ref = narrow.ref = LIMB_ALIGNED;
  wide.frame = narrow.frame = s->frame + 1, wide.nframe = narrow.nframe = 1;
  const bool refused = too_large(s, what);
  assert_ok(batch_answer(&wide));
  assert_status(batch_answer(&narrow), refused ? LIMB_E_UNSUPPORTED : LIMB_OK);
  for (int k = 0; k < BATCH_OUTS && wide.out[k]; k++) {
    const size_t width = batch_width(s->m, what, wide.nframe, k);
    double* got = widened(narrow.out[k], s->n * width);
    for (size_t i = 0; i < s->n && !refused; i++)
      assert_close_array(got + i * width, (double*)wide.out[k] + i * width, (int)width, tolerance(what, condition[i]),
                         TOL_ZERO);
    free(got), free(wide.out[k]), free(narrow.out[k]);
  }
}

START_TEST(all_quantities)
{
  int count;
  const robot* r = &robot_table(&count)[_i];
  if (r->flags & ROBOT_LONG) return;
  batch_states s = states_of(r, _i);
  limb_environment all = limb_default_environment(s.m);
  limb_batch_environment env = limb_default_batch_environment();
  limb_batch* b = batch_make(s.m, NULL);
  double* condition = calloc(s.n, sizeof *condition);
  conditions(&s, b, condition);
  for (int around = 0; around < 2; around++) {
    if (around == 1) {
      all.coulomb_width = 0.5, all.base_velocity.w = sp_v3(0.5, -0.25, 1);
      env.all = &all, env.nwrench = BATCH_VARIED, env.wrench = s.varied;
    }
    for (batch_what what = 0; what < BATCH_WHATS; what++) {
      check_at("robot %s, surroundings %d, %s", r->name, around, batch_name(what));
      compare(&s, b, what, &env, condition);
    }
  }
  free(condition);
  limb_batch_destroy(b);
  batch_states_free(&s);
}
END_TEST

// Accelerations over float need nearly the forces that were given, always.
START_TEST(forces_come_back)
{
  int count;
  const robot* r = &robot_table(&count)[_i];
  if (r->flags & ROBOT_LONG) return;
  batch_states s = states_of(r, _i);
  limb_batch* b = batch_make(s.m, NULL);
  const size_t nx = s.n * s.nv;
  float* af = calloc(nx, sizeof *af);
  double* felt = calloc(nx, sizeof *felt);
  assert_ok(limb_batch_forward_dynamics_f32(b, s.n, s.qf, s.vf, s.tauf, NULL, af, NULL));
  double* a = widened(af, nx);
  assert_ok(limb_batch_inverse_dynamics(b, s.n, s.q, s.v, a, NULL, felt, NULL));
  for (size_t i = 0; i < s.n; i++) {
    check_at("robot %s, state %zu", r->name, i);
    assert_close_array(felt + i * s.nv, s.tau + i * s.nv, (int)s.nv, TOL_DIRECT, 0);
  }
  free(af), free(a), free(felt);
  limb_batch_destroy(b);
  batch_states_free(&s);
}
END_TEST

// Steps over float stay by those over double.
START_TEST(steps)
{
  static const char* const names[] = {"panda", "quadruped", "hand"};
  const limb_batch_steps how = {1e-3, 20};
  if (_i >= 3) return;
  batch_states s = batch_states_make(robot_find(names[_i])->make(), STATES, 2);
  batch_states_round(&s);
  limb_batch* b = batch_make(s.m, NULL);
  check_at("robot %s", names[_i]);
  assert_ok(limb_batch_step(b, s.n, s.q, s.v, NULL, NULL, &how, NULL));
  assert_ok(limb_batch_step_f32(b, s.n, s.qf, s.vf, NULL, NULL, &how, NULL));
  double *q = widened(s.qf, s.n * s.nq), *v = widened(s.vf, s.n * s.nv);
  assert_close_array(q, s.q, (int)(s.n * s.nq), TOL_FORWARD, 0);
  assert_close_array(v, s.v, (int)(s.n * s.nv), 10 * TOL_FORWARD, 0);
  free(q), free(v);
  limb_batch_destroy(b);
  batch_states_free(&s);
}
END_TEST

int CHECK_NAME(void)
{
  int robots;
  (void)robot_table(&robots);
  return check_run("batch/float", robots, (const TTest* const[]){all_quantities, forces_come_back, steps, NULL});
}
