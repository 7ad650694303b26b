// A robot on a smooth path: its state now, and a moment earlier or later.
#ifndef LIMB_TEST_MOVING_H
#define LIMB_TEST_MOVING_H

#include "limb/limb.h"

#include "support/check.h"
#include "support/rng.h"

#include <stdlib.h>

enum { MOVING_MAX = 256 }; // coordinates

#define MOVING_STEP 1e-5 // [s]: differences of robots that turn at 10 rad/s then err by some 1e-8

typedef struct moving {
  limb_model* m;
  limb_data* d;
  int nv;
  double q[MOVING_MAX], v[MOVING_MAX], a[MOVING_MAX];
} moving;

// A random state of a model; the model is freed by moving_end.
static inline moving moving_begin(limb_model* m, uint64_t seed)
{
  moving r = {.m = m, .nv = limb_nv(m)};
  rng g = {seed};
  assert_that(limb_nq(m) <= MOVING_MAX);
  assert_ok(limb_data_create(m, NULL, &r.d));
  assert_ok(limb_random(m, &seed, r.q));
  rng_fill(&g, 1, r.nv, r.v);
  rng_fill(&g, 1, r.nv, r.a);
  return r;
}

static inline void moving_end(moving* r)
{
  limb_data_destroy(r->d);
  limb_model_destroy(r->m);
}

// Kinematics at time t on the path with constant a: q (+) (v t + a t^2 / 2), v + a t.
static inline void moving_to(moving* r, double t)
{
  double q[MOVING_MAX], v[MOVING_MAX], mean[MOVING_MAX];
  for (int k = 0; k < r->nv; k++) {
    v[k] = r->v[k] + r->a[k] * t;
    mean[k] = r->v[k] + r->a[k] * t / 2;
  }
  assert_ok(limb_integrate(r->m, r->q, mean, t, q));
  assert_ok(limb_kinematics(r->d, q, v, r->a));
}

// (later - earlier) / 2 step, for n numbers.
static inline void moving_rate(const double* earlier, const double* later, int n, double* rate)
{
  for (int k = 0; k < n; k++) rate[k] = (later[k] - earlier[k]) / (2 * MOVING_STEP);
}

// sum over k of J[k] x[k]
static inline sp_motion moving_sum(const sp_motion* J, const double* x, int n)
{
  sp_motion r = {{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < n; k++) r = sp_addm(r, sp_scalem(x[k], J[k]));
  return r;
}

#endif
