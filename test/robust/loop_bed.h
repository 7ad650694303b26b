// A robot with loops, workspaces of every kind, and the one signature of the calls in hot_loops.h.
#ifndef LIMB_TEST_LOOP_BED_H
#define LIMB_TEST_LOOP_BED_H

#include "limb/limb.h"

#include "support/check.h"
#include "support/closed_impl.h"
#include "support/lean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOP_OUTPUTS = 4 };

// ---- the signature -------------------------------------------------------------------------------------

typedef struct loop_inputs {
  limb_data* w;
  limb_parallel* p;
  limb_data* d;
  limb_dual* dual;
  const limb_model* other; // the same robot, cut elsewhere
  const double *q, *v, *a, *tau, *lambda;
  const unsigned char* marks;
  const limb_platform_motion* motion;
  const limb_environment* env;
  const void *options, *more;
  void* out[LOOP_OUTPUTS]; // loop_room numbers each
  int nq, nv, nc;
} loop_inputs;

typedef limb_status loop_fn(const loop_inputs* i);

// One bit per pointer above, in this order.
enum {
  NEEDS_W = 1 << 0,
  NEEDS_P = 1 << 1,
  NEEDS_D = 1 << 2,
  NEEDS_DUAL = 1 << 3,
  NEEDS_OTHER = 1 << 4,
  NEEDS_Q = 1 << 5,
  NEEDS_V = 1 << 6,
  NEEDS_A = 1 << 7,
  NEEDS_TAU = 1 << 8,
  NEEDS_LAMBDA = 1 << 9,
  NEEDS_MOTION = 1 << 10,
  NEEDS_MORE = 1 << 11,
  NEEDS_OUT0 = 1 << 12,
  NEEDS_OUT1 = 1 << 13,
  NEEDS_OUT2 = 1 << 14,
  NEEDS_OUT3 = 1 << 15,
  LOOP_POINTERS = 16
};

enum {
  WANTS_DENSE = 1,
  TAKES_ENVIRONMENT = 2,
  READS_SOME_V = 4, // at independent velocities only
  READS_SOME_A = 8,
  READS_POSE = 16, // of the platform
  READS_MOTION = 32,
  TAKES_MARKS = 64, // of independent velocities
  NO_TREES = 128    // hidden calls that the public ones make for robots with loops only
};

typedef enum option_kind { NO_OPTIONS, LOOP_OPTIONS, ASSEMBLY, CLOSED_OPTIONS, ACTUATION, MAP } option_kind;

static inline void take_away(loop_inputs* i, int pointer)
{
  switch (pointer) {
  case 0: i->w = NULL; break;
  case 1: i->p = NULL; break;
  case 2: i->d = NULL; break;
  case 3: i->dual = NULL; break;
  case 4: i->other = NULL; break;
  case 5: i->q = NULL; break;
  case 6: i->v = NULL; break;
  case 7: i->a = NULL; break;
  case 8: i->tau = NULL; break;
  case 9: i->lambda = NULL; break;
  case 10: i->motion = NULL; break;
  case 11: i->more = NULL; break;
  default: i->out[pointer - 12] = NULL; break;
  }
}

// Numbers that are read and written: a copy of n at an output. NULL where either is.
static inline double* copied(const loop_inputs* i, int output, const double* x, int n)
{
  if (!x || !i->out[output]) return NULL;
  return memcpy(i->out[output], x, (size_t)n * sizeof *x);
}

static inline double bad_number(int k) { return k % 3 == 0 ? nan("") : k % 3 == 1 ? HUGE_VAL : -HUGE_VAL; }

// ---- the bed -------------------------------------------------------------------------------------------

typedef struct loop_bed {
  closed_case c;
  limb_model* other;
  limb_data *dense, *linear;
  limb_parallel* p;
  limb_data* d;
  limb_dual* dual;
  double *a, *tau, *lambda, *out[LOOP_OUTPUTS];
  unsigned char* independent;
  limb_platform_motion motion;
  limb_map map;
  int nq, nv, nc;
} loop_bed;

static inline size_t loop_room(const limb_model* m)
{
  const size_t n = (size_t)limb_nq(m) + (size_t)limb_constraint_count(m) + 20;
  return 5 * n * n + 6 * (size_t)limb_joint_count(m);
}

// The first cut elsewhere that there is; NULL: none.
static inline limb_model* loop_bed_recut(const limb_model* m)
{
  for (int l = 0; l < limb_loop_count(m); l++) {
    for (int j = 0; j < limb_joint_count(m); j++) {
      limb_model* out = NULL;
      if (limb_recut(m, l, j, NULL, &out, NULL) == LIMB_OK) return out;
    }
  }
  return NULL;
}

// A short line along the first coordinate that can be mapped.
static inline limb_map loop_bed_map(const limb_model* m, const double* q)
{
  limb_map map = limb_default_map();
  for (int j = 0; j < limb_joint_count(m) && map.velocity[0] < 0; j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(m, j, &info));
    if (info.nv != 1 || info.nq != 1) continue;
    map.velocity[0] = info.v;
    map.lower[0] = q[info.q], map.upper[0] = q[info.q] + 0.01, map.count[0] = 2;
  }
  map.frame = 1;
  return map;
}

static inline loop_bed loop_bed_make(closed_case c)
{
  loop_bed b = {.c = c, .nq = limb_nq(c.m), .nv = limb_nv(c.m), .nc = limb_constraint_count(c.m)};
  const size_t nv = (size_t)b.nv, room = loop_room(c.m);
  assert_ok(limb_data_create(c.m, NULL, &b.dense));
  b.linear = closed_lean(c.m);
  assert_ok(limb_data_create(c.m, NULL, &b.d));
  assert_ok(limb_dual_create(c.m, LIMB_DUAL_VECTORS, NULL, &b.dual));
  b.a = calloc(nv, sizeof *b.a), b.tau = calloc(nv, sizeof *b.tau), b.independent = calloc(nv, 1);
  b.lambda = calloc((size_t)b.nc + 1, sizeof *b.lambda);
  assert_that(b.a && b.tau && b.independent && b.lambda);
  for (int k = 0; k < LOOP_OUTPUTS; k++) {
    b.out[k] = calloc(room, sizeof(double));
    assert_that(b.out[k] != NULL);
  }
  closed_acceleration(&c, 3, b.a);
  for (int k = 0; k < b.nv; k++) b.tau[k] = 1 - 0.1 * k;
  for (int k = 0; k < b.nc; k++) b.lambda[k] = 0.3 * k - 1;
  assert_ok(limb_independent_velocities(b.dense, c.q, NULL, b.independent));
  assert_ok(limb_kinematics(b.d, c.q, c.v, b.a));
  b.map = loop_bed_map(c.m, c.q);
  b.other = loop_bed_recut(c.m);
  limb_parallel_info info;
  if (limb_parallel_create(c.m, -1, NULL, &b.p, NULL) != LIMB_OK) return b;
  assert_ok(limb_parallel_get(b.p, &info));
  assert_ok(limb_frame_pose(b.d, info.platform, &b.motion.pose));
  assert_ok(limb_frame_velocity(b.d, info.platform, LIMB_BODY, &b.motion.velocity));
  assert_ok(limb_frame_acceleration(b.d, info.platform, LIMB_BODY, &b.motion.acceleration));
  return b;
}

static inline void loop_bed_free(loop_bed* b)
{
  limb_parallel_destroy(b->p);
  limb_dual_destroy(b->dual);
  limb_data_destroy(b->d);
  limb_data_destroy(b->linear);
  limb_data_destroy(b->dense);
  limb_model_destroy(b->other);
  for (int k = 0; k < LOOP_OUTPUTS; k++) free(b->out[k]);
  free(b->a), free(b->tau), free(b->lambda), free(b->independent);
  closed_free(&b->c);
}

// more: the map where a call takes one; torques are shared in the usual way where it takes that.
static inline loop_inputs loop_inputs_of(const loop_bed* b, option_kind more)
{
  loop_inputs i = {.w = b->dense,
                   .p = b->p,
                   .d = b->d,
                   .dual = b->dual,
                   .other = b->other,
                   .q = b->c.q,
                   .v = b->c.v,
                   .a = b->a,
                   .tau = b->tau,
                   .lambda = b->lambda,
                   .motion = &b->motion,
                   .more = more == MAP ? &b->map : NULL,
                   .nq = b->nq,
                   .nv = b->nv,
                   .nc = b->nc};
  for (int k = 0; k < LOOP_OUTPUTS; k++) i.out[k] = b->out[k];
  return i;
}

// The robot on which every call succeeds: six legs, a platform on a free joint.
static inline loop_bed loop_bed_gough(void) { return loop_bed_make(closed_find("gough_stewart", 1)); }

#endif
