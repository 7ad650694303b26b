// The packed factors of the mass matrix, as the kernels leave them.
#ifndef LIMB_FACTORS_H
#define LIMB_FACTORS_H

#include "kernel/tables.h"

#include <float.h>

typedef struct limb_range {
  double least, most;
  bool positive; // and finite
} limb_range;

static inline limb_range limb_range_with(limb_range r, double x)
{
  r.positive &= x > 0 && x <= DBL_MAX;
  if (x < r.least) r.least = x;
  if (x > r.most) r.most = x;
  return r;
}

static inline bool limb_range_positive(limb_range r) { return r.positive && r.most * LIMB_ZERO_PIVOT <= r.least; }

// Whether all pivots are positive, and none is zero but for rounding: an inertia that vanishes with the
// square of a cosine comes out as 1e-33 of the others. Behind a zero one there may be NaN, which hides it
// from the kernel's own margin: kernels are compiled for finite numbers. L holds their inverses on its
// diagonal.
static inline bool limb_factors_positive(const limb_model* m, const double* L)
{
  const limb_elimination* e = &m->elim;
  limb_range r = {DBL_MAX, 0, true};
  for (int k = 0; k < m->nv; k++) r = limb_range_with(r, L[e->row[k] + e->depth[k]]);
  return limb_range_positive(r);
}

// The same told by the inverse, whose diagonal has those of the pivots and more.
static inline bool limb_inverse_positive(const limb_model* m, const double* Minv)
{
  const size_t n = (size_t)m->nv;
  limb_range r = {DBL_MAX, 0, true};
  for (size_t k = 0; k < n; k++) r = limb_range_with(r, Minv[k * (n + 1)]);
  return limb_range_positive(r);
}

#endif
