// Seeded random numbers for fixtures and tests: the same on every machine.
//
// splitmix64 (Steele, Lea, Flood 2014): one 64-bit counter, well mixed; any seed will do.
#ifndef LIMB_TEST_RNG_H
#define LIMB_TEST_RNG_H

#include "limb/spatial.h"

#include <stdint.h>

typedef struct rng {
  uint64_t state;
} rng;

static inline uint64_t rng_next(rng* r)
{
  uint64_t z = r->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// Uniform in [lo, hi).
static inline double rng_uniform(rng* r, double lo, double hi)
{
  return lo + (hi - lo) * ((double)(rng_next(r) >> 11) * 0x1p-53);
}

// Uniform among 0 ... n-1.
static inline int rng_below(rng* r, int n) { return (int)(rng_next(r) % (uint64_t)n); }

static inline int rng_chance(rng* r, double p) { return rng_uniform(r, 0, 1) < p; }

static inline sp_vec3 rng_vec3(rng* r, double size)
{
  const double x = rng_uniform(r, -size, size), y = rng_uniform(r, -size, size);
  return sp_v3(x, y, rng_uniform(r, -size, size));
}

// Unit vector: a point of the cube that is also in the ball, scaled.
static inline sp_vec3 rng_direction(rng* r)
{
  for (;;) {
    const sp_vec3 x = rng_vec3(r, 1);
    const double n = sp_norm3(x);
    if (n > 0.1 && n < 1) return sp_scale3(1 / n, x);
  }
}

static inline sp_mat3 rng_rotation(rng* r)
{
  const sp_vec3 axis = rng_direction(r);
  return sp_rot_axis(axis, rng_uniform(r, -3.14, 3.14));
}

static inline sp_pose rng_pose(rng* r, double size)
{
  const sp_mat3 R = rng_rotation(r);
  return sp_pose_make(R, rng_vec3(r, size));
}

// The linear part is drawn first. (The order in which arguments of a call are drawn is the compiler's choice.)
static inline sp_motion rng_motion(rng* r, double angular, double linear)
{
  const sp_vec3 v = rng_vec3(r, linear);
  return sp_motion_make(rng_vec3(r, angular), v);
}

static inline void rng_fill(rng* r, double size, int n, double* x)
{
  for (int i = 0; i < n; i++) x[i] = rng_uniform(r, -size, size);
}

#endif
