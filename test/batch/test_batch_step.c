// Steps in time of a batch, and robots with loops. That a step is the one of the simulator is tried in
// test/sim; here it is what it is made of: order, energy, forces held, edges.
#include "support/batch.h"
#include "support/closed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 11, MOST = 64 };

static const char* const names[] = {"panda", "hand", "two_roots", "quadruped", "tree_9"};
enum { ROBOTS = sizeof names / sizeof names[0] };

static double* copied(const double* x, size_t n)
{
  double* y = batch_aligned(n * sizeof *y);
  return memcpy(y, x, n * sizeof *y);
}

// States on their way, and where they began.
typedef struct journey {
  batch_states s;
  limb_batch* b;
  double *q, *v;
} journey;

static void journey_make(journey* j, const char* name, double speed)
{
  j->s = batch_states_make(robot_find(name)->make(), N, 12);
  j->b = batch_make(j->s.m, NULL);
  for (size_t i = 0; i < N * j->s.nv; i++) j->s.v[i] *= speed, j->s.tau[i] *= 0.01; // of a finger
  j->q = copied(j->s.q, N * j->s.nq), j->v = copied(j->s.v, N * j->s.nv);
}

static void journey_again(journey* j)
{
  memcpy(j->q, j->s.q, N * j->s.nq * sizeof *j->q);
  memcpy(j->v, j->s.v, N * j->s.nv * sizeof *j->v);
}

static void journey_end(journey* j)
{
  free(j->q), free(j->v);
  limb_batch_destroy(j->b);
  batch_states_free(&j->s);
}

// ---- many steps ------------------------------------------------------------------------------------------

START_TEST(many_steps_are_single_ones)
{
  const limb_batch_steps none = {0.01, 0}, one = {0.01, 1}, many = {0.01, 5};
  journey j;
  limb_status status[N];
  journey_make(&j, names[_i], 1);
  const size_t nq = N * j.s.nq * sizeof(double), nv = N * j.s.nv * sizeof(double);
  check_at("robot %s", names[_i]);
  assert_ok(limb_batch_step(j.b, N, j.q, j.v, j.s.tau, NULL, &none, status));
  assert_same_bytes(j.q, j.s.q, nq);
  assert_same_bytes(j.v, j.s.v, nv);
  for (int i = 0; i < N; i++) assert_ok(status[i]);
  assert_ok(limb_batch_step(j.b, N, j.q, j.v, j.s.tau, NULL, &many, NULL));
  double *q = copied(j.q, N * j.s.nq), *v = copied(j.v, N * j.s.nv);
  journey_again(&j);
  for (int k = 0; k < 5; k++) assert_ok(limb_batch_step(j.b, N, j.q, j.v, j.s.tau, NULL, &one, NULL));
  assert_same_bytes(j.q, q, nq);
  assert_same_bytes(j.v, v, nv);
  journey_again(&j); // no forces are zeros
  memset(j.s.tau, 0, nv);
  assert_ok(limb_batch_step(j.b, N, j.q, j.v, j.s.tau, NULL, &many, NULL));
  memcpy(q, j.q, nq), memcpy(v, j.v, nv);
  journey_again(&j);
  assert_ok(limb_batch_step(j.b, N, j.q, j.v, NULL, NULL, &many, NULL));
  assert_same_bytes(j.q, q, nq);
  assert_same_bytes(j.v, v, nv);
  free(q), free(v);
  journey_end(&j);
}
END_TEST

// The same in lanes.
START_TEST(in_lanes)
{
  const limb_batch_steps how = {0.01, 2};
  journey j;
  journey_make(&j, names[_i], 1);
  limb_batch_options o = limb_default_batch_options();
  o.layout = LIMB_BATCH_BY_LANE;
  limb_batch* b = batch_make(j.s.m, &o);
  double *q = batch_aligned(limb_batch_array_length(b, N, j.s.nq) * sizeof *q),
         *v = batch_aligned(limb_batch_array_length(b, N, j.s.nv) * sizeof *v),
         *tau = batch_aligned(limb_batch_array_length(b, N, j.s.nv) * sizeof *tau);
  assert_ok(limb_batch_to_lanes(b, N, j.s.nq, j.q, q));
  assert_ok(limb_batch_to_lanes(b, N, j.s.nv, j.v, v));
  assert_ok(limb_batch_to_lanes(b, N, j.s.nv, j.s.tau, tau));
  assert_ok(limb_batch_step(j.b, N, j.q, j.v, j.s.tau, NULL, &how, NULL));
  assert_ok(limb_batch_step(b, N, q, v, tau, NULL, &how, NULL));
  assert_ok(limb_batch_to_states(b, N, j.s.nq, q, j.s.q));
  assert_ok(limb_batch_to_states(b, N, j.s.nv, v, j.s.v));
  check_at("robot %s", names[_i]);
  assert_same_bytes(j.s.q, j.q, N * j.s.nq * sizeof *q);
  assert_same_bytes(j.s.v, j.v, N * j.s.nv * sizeof *v);
  assert_status(limb_batch_step(b, N, q + 1, v, tau, NULL, &how, NULL), LIMB_E_ARG);
  assert_status(limb_batch_step(b, N, q, v, tau + 2, NULL, &how, NULL), LIMB_E_ARG);
  free(q), free(v), free(tau);
  limb_batch_destroy(b);
  journey_end(&j);
}
END_TEST

// ---- order and energy ------------------------------------------------------------------------------------

// How far both lie from where a fine solution ends.
static double error_with(journey* j, const limb_batch_environment* env, int count, const double* q, const double* v)
{
  const limb_batch_steps how = {0.1 / count, count};
  double off = 0;
  journey_again(j);
  assert_ok(limb_batch_step(j->b, N, j->q, j->v, NULL, env, &how, NULL));
  for (size_t i = 0; i < N * j->s.nq; i++) off = fmax(off, fabs(j->q[i] - q[i]));
  for (size_t i = 0; i < N * j->s.nv; i++) off = fmax(off, fabs(j->v[i] - v[i]));
  return off;
}

START_TEST(of_order_four)
{
  const limb_batch_steps fine = {0.1 / 512, 512};
  limb_batch_environment env = limb_default_batch_environment();
  journey j;
  journey_make(&j, names[_i], 0.2);
  limb_environment all = limb_default_environment(j.s.m);
  all.friction = 0, env.all = &all; // nothing that jumps
  assert_ok(limb_batch_step(j.b, N, j.q, j.v, NULL, &env, &fine, NULL));
  double *q = copied(j.q, N * j.s.nq), *v = copied(j.v, N * j.s.nv);
  const double coarse = error_with(&j, &env, 32, q, v), half = error_with(&j, &env, 64, q, v);
  check_at("robot %s: %g after 32 steps, %g after 64", names[_i], coarse, half);
  assert_that(coarse / half > 12 && coarse / half < 21);
  free(q), free(v);
  journey_end(&j);
}
END_TEST

// A robot that floats and is left alone keeps its energy and its momentum.
START_TEST(energy_of_a_floating_robot)
{
  const limb_batch_steps how = {1e-3, CHECK_SANITIZED ? 20 : 100};
  limb_batch_environment env = limb_default_batch_environment();
  limb_data* d = NULL;
  journey j;
  journey_make(&j, "quadruped", 1);
  limb_environment all = limb_default_environment(j.s.m);
  all.gravity = sp_v3(0, 0, 0), all.friction = 0, env.all = &all;
  assert_ok(limb_data_create(j.s.m, NULL, &d));
  if (_i == 0) assert_ok(limb_batch_step(j.b, N, j.q, j.v, NULL, &env, &how, NULL));
  for (size_t i = 0; i < N && _i == 0; i++) {
    const double *q0 = j.s.q + i * j.s.nq, *v0 = j.s.v + i * j.s.nv;
    const double *q = j.q + i * j.s.nq, *v = j.v + i * j.s.nv;
    limb_energy before, after;
    assert_ok(limb_energies(d, q0, v0, &all, &before));
    assert_ok(limb_energies(d, q, v, &all, &after));
    check_at("state %zu", i);
    assert_close(after.kinetic, before.kinetic, 1e-9, 0);
    assert_that(fabs(v[0] - v0[0]) > 1e-3); // it has moved
  }
  limb_data_destroy(d);
  journey_end(&j);
}
END_TEST

// ---- forces held -----------------------------------------------------------------------------------------

// One step of the classical method, for coordinates that are numbers.
static void step_by_hand(limb_data* d, int nv, double h, const limb_environment* env, const double* tau, double* q,
                         double* v)
{
  static const double share[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double k[2][MOST] = {{0}}, sum[2][MOST] = {{0}}, x[2][MOST];
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < nv; i++) {
      x[0][i] = q[i] + share[s] * h * k[0][i], x[1][i] = v[i] + share[s] * h * k[1][i];
    }
    memcpy(k[0], x[1], sizeof k[0]);
    assert_ok(limb_forward_dynamics(d, x[0], x[1], tau, env, k[1]));
    for (int i = 0; i < nv; i++) sum[0][i] += weight[s] * k[0][i], sum[1][i] += weight[s] * k[1][i];
  }
  for (int i = 0; i < nv; i++) q[i] += h / 6 * sum[0][i], v[i] += h / 6 * sum[1][i];
}

// Forces, friction, wrenches of both kinds, a base that moves; also with mimic joints.
START_TEST(forces_and_wrenches_are_held)
{
  const limb_batch_steps how = {1e-3, 3};
  limb_batch_environment env = limb_default_batch_environment();
  limb_wrench room[2 * BATCH_VARIED];
  limb_data* d = NULL;
  journey j;
  if (_i > 1) return; // panda and hand: no quaternions
  journey_make(&j, names[_i], 0.2);
  limb_environment all = limb_default_environment(j.s.m);
  all.coulomb_width = 0.5, all.base_acceleration.v = sp_v3(1, 2, 3);
  all.nwrench = BATCH_VARIED, all.wrench = j.s.fixed;
  env.all = &all, env.nwrench = BATCH_VARIED, env.wrench = j.s.varied;
  assert_ok(limb_data_create(j.s.m, NULL, &d));
  assert_ok(limb_batch_step(j.b, N, j.q, j.v, j.s.tau, &env, &how, NULL));
  for (size_t i = 0; i < N; i++) {
    const limb_environment e = batch_env_of(j.s.m, &env, i, room);
    double *q = j.s.q + i * j.s.nq, *v = j.s.v + i * j.s.nv;
    const int nv = (int)j.s.nv;
    for (int k = 0; k < how.count; k++) step_by_hand(d, nv, how.step, &e, j.s.tau + i * j.s.nv, q, v);
    check_at("robot %s, state %zu", names[_i], i);
    assert_close_array(j.q + i * j.s.nq, q, nv, 1e-12, 0);
    assert_close_array(j.v + i * j.s.nv, v, nv, 1e-10, 0);
  }
  limb_data_destroy(d);
  journey_end(&j);
}
END_TEST

// ---- edges -----------------------------------------------------------------------------------------------

// State `bad` has failed so, and is NaN; the others are as they were before.
static void check_lost(const journey* j, size_t bad, limb_status want, const limb_status* status, const double* q,
                       const double* v)
{
  for (size_t i = 0; i < N; i++) {
    assert_status(status[i], i == bad ? want : LIMB_OK);
    for (size_t k = i * j->s.nq; k < (i + 1) * j->s.nq; k++) assert_that(i == bad ? isnan(j->q[k]) : j->q[k] == q[k]);
    for (size_t k = i * j->s.nv; k < (i + 1) * j->s.nv; k++) assert_that(i == bad ? isnan(j->v[k]) : j->v[k] == v[k]);
  }
}

START_TEST(a_state_that_fails)
{
  const limb_batch_steps how = {0.01, 3};
  limb_status status[N];
  journey j;
  journey_make(&j, names[_i], 1);
  assert_ok(limb_batch_step(j.b, N, j.q, j.v, j.s.tau, NULL, &how, NULL));
  double *q = copied(j.q, N * j.s.nq), *v = copied(j.v, N * j.s.nv);
  for (size_t i = 0; i < N; i++) {
    check_at("robot %s, state %zu", names[_i], i);
    journey_again(&j);
    j.q[i * j.s.nq + 1] = nan("");
    assert_status(limb_batch_step(j.b, N, j.q, j.v, j.s.tau, NULL, &how, status), LIMB_E_NONFINITE);
    check_lost(&j, i, LIMB_E_NONFINITE, status, q, v);
    journey_again(&j);
    j.v[i * j.s.nv + j.s.nv - 1] = 1e300; // runs away
    const limb_status got = limb_batch_step(j.b, N, j.q, j.v, j.s.tau, NULL, &how, status);
    if (got == LIMB_OK) continue; // the last joint may slide, and press on nothing
    check_lost(&j, i, got, status, q, v);
  }
  free(q), free(v);
  journey_end(&j);
}
END_TEST

START_TEST(bad_steps)
{
  const limb_batch_steps bad[] = {{0, 1}, {-1e-3, 1}, {1e-3, -1}, {nan(""), 1}};
  const limb_batch_steps good = {1e-3, 1}, endless = {HUGE_VAL, 1};
  journey j;
  journey_make(&j, names[_i], 1);
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
    assert_status(limb_batch_step(j.b, N, j.q, j.v, NULL, NULL, &bad[k], NULL), LIMB_E_ARG);
  assert_status(limb_batch_step(j.b, N, j.q, j.v, NULL, NULL, &endless, NULL), LIMB_E_ARG);
  assert_status(limb_batch_step(j.b, N, j.q, j.v, NULL, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_batch_step(NULL, N, j.q, j.v, NULL, NULL, &good, NULL), LIMB_E_ARG);
  assert_status(limb_batch_step(j.b, N, NULL, j.v, NULL, NULL, &good, NULL), LIMB_E_ARG);
  assert_status(limb_batch_step(j.b, N, j.q, NULL, NULL, NULL, &good, NULL), LIMB_E_ARG);
  assert_status(limb_batch_step_f32(j.b, N, j.s.qf, NULL, NULL, NULL, &good, NULL), LIMB_E_ARG);
  assert_status(limb_batch_step_f32(j.b, N, j.s.qf, j.s.vf, NULL, NULL, bad, NULL), LIMB_E_ARG);
  assert_same_bytes(j.q, j.s.q, N * j.s.nq * sizeof *j.q);
  assert_same_bytes(j.v, j.s.v, N * j.s.nv * sizeof *j.v);
  assert_ok(limb_batch_step(j.b, 0, j.q, j.v, NULL, NULL, &good, NULL));
  assert_same_bytes(j.q, j.s.q, N * j.s.nq * sizeof *j.q);
  journey_end(&j);
}
END_TEST

CHECK_MAIN("batch/step", ROBOTS, many_steps_are_single_ones, in_lanes, of_order_four, energy_of_a_floating_robot,
           forces_and_wrenches_are_held, a_state_that_fails, bad_steps)
