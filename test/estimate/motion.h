// Logs for tests of identification: a motion of sines, torques of a robot that is known, noise.
#ifndef LIMB_TEST_MOTION_H
#define LIMB_TEST_MOTION_H

#include "support/check.h"

#include "limb/ident.h"
#include "limb/limb.h"
#include "limb/read.h"

#include "base/numeric.h"

#include <math.h>
#include <stdlib.h>

enum { MOTION_JOINTS = 32, MOTION_HARMONICS = 5 };

typedef struct motion {
  const limb_model* m;
  limb_data* d;
  int nv;
  double amplitude[MOTION_JOINTS][MOTION_HARMONICS], phase[MOTION_JOINTS][MOTION_HARMONICS], middle[MOTION_JOINTS];
  uint64_t seed;
  double noise; // standard deviation of the torques, relative to 1 + number of the joint
  int friction;
  double q[MOTION_JOINTS], v[MOTION_JOINTS], a[MOTION_JOINTS], tau[MOTION_JOINTS];
} motion;

static inline motion motion_make(const limb_model* m, uint64_t seed)
{
  motion x = {.m = m, .nv = limb_nv(m), .seed = seed};
  assert_that(x.nv <= MOTION_JOINTS);
  assert_ok(limb_data_create(m, NULL, &x.d));
  for (int j = 0; j < x.nv; j++) {
    x.middle[j] = limb_random_sign(&x.seed);
    for (int h = 0; h < MOTION_HARMONICS; h++) {
      x.amplitude[j][h] = 0.5 * limb_random_sign(&x.seed);
      x.phase[j][h] = 3.2 * limb_random_sign(&x.seed);
    }
  }
  return x;
}

// Normal, by twelve uniform numbers.
static inline double motion_normal(motion* x)
{
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += limb_random_sign(&x->seed) / 2;
  return sum;
}

// State at a time, and torques with noise; the period is 10 s.
static inline void motion_at(motion* x, double t)
{
  const double w = 2 * 3.14159265358979323846 / 10;
  for (int j = 0; j < x->nv; j++) {
    x->q[j] = x->middle[j], x->v[j] = x->a[j] = 0;
    for (int h = 0; h < MOTION_HARMONICS; h++) {
      const double k = w * (h + 1), angle = k * t + x->phase[j][h], size = x->amplitude[j][h];
      x->q[j] += size * sin(angle), x->v[j] += size * k * cos(angle), x->a[j] -= size * k * k * sin(angle);
    }
  }
  limb_environment env = limb_default_environment(x->m);
  env.friction = x->friction;
  assert_ok(limb_inverse_dynamics(x->d, x->q, x->v, x->a, &env, x->tau));
  for (int j = 0; j < x->nv; j++) x->tau[j] += x->noise * (1 + j) * motion_normal(x);
}

static inline void motion_end(motion* x) { limb_data_destroy(x->d); }

#endif
