// One signature for hot calls, so that tests can give each of them every kind of bad input.
#ifndef LIMB_TEST_HOT_INPUTS_H
#define LIMB_TEST_HOT_INPUTS_H

#include "limb/limb.h"

#include "support/check.h"
#include "support/robots_impl.h"

#include <stdlib.h>

// The quadruped: a free joint (a quaternion), revolute and fixed joints.
enum { NQ = 19, NV = 18 };

typedef struct bed {
  limb_model* m;
  limb_data* d;
  limb_dual* w;
  limb_series* series;
  limb_base_parameters* base;
  double q[NQ], v[NV], a[NV], tau[NV], x[NV];
  double *X, *work; // hot_room
} bed;

// Numbers that hold any output, or any scratch memory, of a hot call.
static inline size_t hot_room(const limb_model* m)
{
  const size_t nv = (size_t)limb_nv(m), bodies = (size_t)limb_body_count(m);
  return 2 * nv * nv * nv * nv + 100 * bodies * (nv + 10);
}

static inline bed bed_make(void)
{
  bed b = {0};
  b.m = robot_quadruped();
  assert_that(limb_nq(b.m) == NQ && limb_nv(b.m) == NV);
  assert_ok(limb_data_create(b.m, NULL, &b.d));
  assert_ok(limb_dual_create(b.m, LIMB_DUAL_MATRICES, NULL, &b.w));
  assert_ok(limb_series_create(b.m, NULL, &b.series));
  assert_ok(limb_base_create(b.m, NULL, LIMB_BASE_STRUCTURE_ONLY, NULL, &b.base));
  b.X = calloc(hot_room(b.m), sizeof *b.X);
  b.work = calloc(hot_room(b.m), sizeof *b.work);
  assert_that(b.X && b.work);
  uint64_t seed = 5;
  assert_ok(limb_random(b.m, &seed, b.q));
  for (int k = 0; k < NV; k++) b.v[k] = 0.1 * k - 0.7, b.a[k] = 0.2 * k, b.tau[k] = 1 - 0.1 * k;
  return b;
}

static inline void bed_free(bed* b)
{
  free(b->X);
  free(b->work);
  limb_base_destroy(b->base);
  limb_series_destroy(b->series);
  limb_dual_destroy(b->w);
  limb_data_destroy(b->d);
  limb_model_destroy(b->m);
}

// ---- the signature ------------------------------------------------------------------------------

// A call with its inputs replaced: which of q, v, third (a or tau) it takes, and the call itself.
enum {
  TAKES_Q = 1,
  TAKES_V = 2,
  TAKES_THIRD = 4,
  TAKES_ENV = 8,
  TAKES_WRENCH = 16, // the environment's wrenches count
  TAKES_NULL = 32,   // v and third may be NULL
  WANTS_NOTHING = 64 // outputs may be NULL, or there are none
};

typedef struct inputs {
  const limb_base_parameters* base;
  limb_data* d;
  limb_dual* w;
  limb_series* series;
  const double *q, *v, *third;
  const limb_environment* env;
  double* work;
  void* out;       // of hot_room, as the scratch memory
  ptrdiff_t block; // from one of several outputs to the next: nv^3 + 12 nv
  int frame;
} inputs;

static inline inputs inputs_of(const bed* b)
{
  return (inputs){.base = b->base,
                  .d = b->d,
                  .w = b->w,
                  .series = b->series,
                  .q = b->q,
                  .v = b->v,
                  .third = b->a,
                  .work = b->work,
                  .out = b->X,
                  .block = NV * (NV * NV + 12),
                  .frame = 5};
}

typedef limb_status hot_fn(const inputs* i);

#endif
