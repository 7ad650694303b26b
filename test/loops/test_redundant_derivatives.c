// Derivatives of dynamics with loops where rows depend on each other: along the surface of the
// constraints, against central differences of the dynamics itself at states that were put back onto it.
#include "limb/derivatives.h"
#include "limb/loops.h"

#include "limb/assemble.h"

#include "loops/closed.h"
#include "support/check.h"
#include "support/closed.h"
#include "support/rng.h"

#include <math.h>
#include <string.h>

enum { MOST = 64, SEEDS = 3 };
static const double STEP = 1e-5; // error of central differences 1e-10, of rounding 1e-11

static const char* const names[] = {"bennett", "diff_drive", "random_redundant"};

enum { ROBOTS = sizeof names / sizeof names[0] };

typedef struct bench {
  closed_case c;
  limb_data* w;
  limb_dual* dual;
  int n;
  rng r;
} bench;

static bench bench_make(int which, uint64_t seed)
{
  bench b = {.c = closed_find(names[which], seed), .r = {seed}};
  b.n = limb_nv(b.c.m);
  assert_that(b.n <= MOST);
  assert_ok(limb_data_create(b.c.m, NULL, &b.w));
  assert_ok(limb_dual_create(b.c.m, LIMB_DUAL_VECTORS, NULL, &b.dual));
  limb_mobility mobility;
  assert_ok(limb_mobility_at(b.w, b.c.q, NULL, &mobility));
  assert_that(mobility.redundant > mobility.idle || which == 2); // random ones may happen not to be
  check_at("%s, seed %d", names[which], (int)seed);
  return b;
}

static void bench_free(bench* b)
{
  limb_dual_destroy(b->dual);
  limb_data_destroy(b->w);
  closed_free(&b->c);
}

// Without jumps of Coulomb friction.
static limb_environment surroundings(const limb_model* m)
{
  limb_environment env = limb_default_environment(m);
  env.coulomb_width = 0.5;
  return env;
}

typedef struct state {
  double q[MOST], v[MOST];
} state;

// On the surface, a step along u from the state of the fixture, velocities changed by step times dv.
static state beside(const bench* b, const double* u, const double* dv, double step)
{
  state s;
  assert_ok(limb_integrate(b->c.m, b->c.q, u, step, s.q));
  for (int i = 0; i < b->n; i++) s.v[i] = b->c.v[i] + step * dv[i];
  assert_ok(limb_project(b->w, NULL, s.q, s.v, NULL));
  return s;
}

START_TEST(forward_along_the_surface)
{
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    bench b = bench_make(_i, seed);
    const int n = b.n;
    double tau[MOST], u[MOST], dv[MOST], dq[MOST], a[2][MOST], got[MOST], want[MOST];
    static double A[3][MOST * MOST];
    for (int i = 0; i < n; i++) tau[i] = rng_uniform(&b.r, -1, 1), dv[i] = rng_uniform(&b.r, -1, 1);
    closed_velocity(&b.c, seed + 50, u);
    const state at[2] = {beside(&b, u, dv, STEP), beside(&b, u, dv, -STEP)};
    const limb_environment env = surroundings(b.c.m);
    for (int k = 0; k < 2; k++) {
      const limb_closed_motion in = {at[k].q, at[k].v, NULL, &env};
      assert_ok(limb_closed_forward_dynamics(b.w, &in, tau, NULL, a[k], NULL, NULL));
    }
    const limb_closed_motion in = {b.c.q, b.c.v, NULL, &env};
    const limb_closed_derivatives out = {.da_dq = A[0], .da_dv = A[1], .da_dtau = A[2]};
    assert_ok(limb_closed_forward_dynamics_derivatives(b.w, b.dual, &in, tau, NULL, &out));
    assert_ok(limb_difference(b.c.m, at[1].q, at[0].q, dq));
    for (int i = 0; i < n; i++) {
      got[i] = 0, want[i] = (a[0][i] - a[1][i]) / (2 * STEP);
      for (int j = 0; j < n; j++)
        got[i] += (A[0][i * n + j] * dq[j] + A[1][i * n + j] * (at[0].v[j] - at[1].v[j])) / (2 * STEP);
    }
    assert_close_array(got, want, n, 1e-6, 1e-7);
    bench_free(&b);
  }
}
END_TEST

// By tau the accelerations are linear: exact.
START_TEST(forward_by_forces)
{
  bench b = bench_make(_i, 2);
  const int n = b.n;
  double tau[MOST], more[MOST], a[2][MOST], got[MOST], want[MOST];
  static double A[3][MOST * MOST];
  const limb_closed_motion in = {b.c.q, b.c.v, NULL, NULL};
  const limb_closed_derivatives out = {.da_dq = A[0], .da_dv = A[1], .da_dtau = A[2]};
  for (int i = 0; i < n; i++) tau[i] = rng_uniform(&b.r, -1, 1), more[i] = rng_uniform(&b.r, -1, 1);
  assert_ok(limb_closed_forward_dynamics_derivatives(b.w, b.dual, &in, tau, NULL, &out));
  assert_ok(limb_closed_forward_dynamics(b.w, &in, tau, NULL, a[0], NULL, NULL));
  for (int i = 0; i < n; i++) tau[i] += more[i];
  assert_ok(limb_closed_forward_dynamics(b.w, &in, tau, NULL, a[1], NULL, NULL));
  for (int i = 0; i < n; i++) {
    got[i] = 0, want[i] = a[1][i] - a[0][i];
    for (int j = 0; j < n; j++) got[i] += A[2][i * n + j] * more[j];
  }
  assert_close_array(got, want, n, 1e-9, 1e-11);
  bench_free(&b);
}
END_TEST

// tau of inverse dynamics at a place on the surface, with the same y' and y''.
static limb_status torques_at(const bench* b, const double* q, const unsigned char* independent, const double* a,
                              double* tau)
{
  double v[MOST], acc[MOST];
  limb_closed_forces forces = {.tau = tau};
  const limb_environment env = surroundings(b->c.m);
  memcpy(v, b->c.v, (size_t)b->n * sizeof *v);
  memcpy(acc, a, (size_t)b->n * sizeof *acc);
  assert_ok(limb_complete_velocities(b->w, q, independent, NULL, v));
  assert_ok(limb_complete_accelerations(b->w, q, v, independent, NULL, acc));
  const limb_closed_motion in = {q, v, acc, &env};
  return limb_closed_inverse_dynamics(b->w, &in, NULL, NULL, &forces);
}

START_TEST(inverse_along_the_surface)
{
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    bench b = bench_make(_i, seed);
    const int n = b.n;
    limb_mobility mobility;
    assert_ok(limb_mobility_at(b.w, b.c.q, NULL, &mobility));
    unsigned char independent[MOST];
    double a[MOST], u[MOST], dq[MOST], tau[2][MOST], got[MOST] = {0}, want[MOST];
    const double still[MOST] = {0};
    static double by_y[MOST * MOST];
    int count = 0, column = 0;
    closed_acceleration(&b.c, seed, a);
    closed_velocity(&b.c, seed + 50, u);
    const limb_environment env = surroundings(b.c.m);
    const limb_closed_motion in = {b.c.q, b.c.v, a, &env};
    const limb_closed_inverse_derivatives out = {.dtau_dy = by_y};
    assert_ok(limb_independent_velocities(b.w, b.c.q, NULL, independent));
    const limb_status s = limb_closed_inverse_dynamics_derivatives(b.w, b.dual, &in, independent, NULL, &count, &out);
    if (mobility.undriven) {
      ck_assert_int_eq(s, LIMB_E_SINGULAR);
      bench_free(&b);
      continue;
    }
    assert_ok(s);
    const state at[2] = {beside(&b, u, still, STEP), beside(&b, u, still, -STEP)};
    for (int k = 0; k < 2; k++) assert_ok(torques_at(&b, at[k].q, independent, a, tau[k]));
    assert_ok(limb_difference(b.c.m, at[1].q, at[0].q, dq));
    for (int j = 0; j < n; j++) {
      if (!independent[j]) continue;
      for (int i = 0; i < n; i++) got[i] += by_y[i * count + column] * dq[j] / (2 * STEP);
      column++;
    }
    for (int i = 0; i < n; i++) want[i] = (tau[0][i] - tau[1][i]) / (2 * STEP);
    assert_close_array(got, want, n, 1e-6, 1e-7);
    bench_free(&b);
  }
}
END_TEST

// Multipliers of least norm have no derivatives that would be of use.
START_TEST(multipliers_are_refused)
{
  bench b = bench_make(0, 1);
  double tau[MOST] = {0};
  static double A[MOST * MOST];
  const limb_closed_motion in = {b.c.q, b.c.v, NULL, NULL};
  const limb_closed_derivatives out = {.dlambda_dq = A};
  assert_status(limb_closed_forward_dynamics_derivatives(b.w, b.dual, &in, tau, NULL, &out), LIMB_E_SINGULAR);
  bench_free(&b);
}
END_TEST

CHECK_MAIN("loops/redundant derivatives", ROBOTS, forward_along_the_surface, forward_by_forces,
           inverse_along_the_surface, multipliers_are_refused)
