// What the entry points of dynamics share: which forces and accelerations are given, and whether a mass matrix is
// positive definite.
#ifndef LIMB_DYNAMICS_IMPL_H
#define LIMB_DYNAMICS_IMPL_H

#include "limb/dynamics.h"

#include "kernel/tables.h"
#include "model/data_impl.h"

#include <float.h>

// ---- which forces and accelerations are given ---------------------------------------------------------------

// Whether each of these nv numbers is a limb_given.
bool limb_given_valid(const limb_model* m, const unsigned char* given);

// The dofs of hybrid dynamics whose force or acceleration is given: as the caller's array says, or those of inverse
// dynamics for NULL. NULL when the array is not valid.
const unsigned char* limb_read_given(const limb_data* d, const unsigned char* given);

// Whether articulated bodies suffice: no joint mimics one whose force is given.
bool limb_given_sweeps(const limb_model* m, const unsigned char* given);

// ---- is the mass matrix regular -----------------------------------------------------------------------------

// Whether the M of the force-given at q (NULL: all) is regular to working precision; q is checked. Scratch of the
// kernels is overwritten.
bool limb_is_regular(limb_data* d, const double* q, const unsigned char* given);

// The same after a kernel has returned a margin: only a state in doubt is judged.
static inline bool limb_regular(limb_data* d, double margin, const double* q, const unsigned char* given)
{
  return (margin > 0 && !d->m->singular) || limb_is_regular(d, q, given);
}

// What limb_forward_dynamics does once arguments are checked and the environment is read: of in, q, v, x (forces) and
// terms count. wrench: nlink forces on the links; NULL: none.
limb_status limb_accelerate_links(limb_data* d, const limb_kernels_motion* in, const double* wrench, double* a);

// ---- packed factors of the mass matrix ----------------------------------------------------------------------

typedef struct limb_range {
  double min, max;
  bool positive; // and finite
} limb_range;

static inline limb_range limb_range_with(limb_range r, double x)
{
  r.positive &= x > 0 && x <= DBL_MAX;
  if (x < r.min) r.min = x;
  if (x > r.max) r.max = x;
  return r;
}

static inline bool limb_range_positive(limb_range r) { return r.positive && r.max * LIMB_ZERO_PIVOT <= r.min; }

// Whether all pivots are positive, and none is zero up to rounding: an inertia that vanishes with the square of a
// cosine comes out as 1e-33 of the others. After a zero pivot there may be NaN, which hides it from the kernel's own
// margin, because kernels are compiled for finite numbers. L holds the inverses of the pivots on its diagonal.
static inline bool limb_factors_positive(const limb_model* m, const double* L)
{
  const limb_elimination* e = &m->elim;
  limb_range r = {DBL_MAX, 0, true};
  for (int k = 0; k < m->nv; k++) r = limb_range_with(r, L[e->row[k] + e->depth[k]]);
  return limb_range_positive(r);
}

// The same from the inverse, whose diagonal contains those of the pivots and more.
static inline bool limb_inverse_positive(const limb_model* m, const double* Minv)
{
  const size_t n = (size_t)m->nv;
  limb_range r = {DBL_MAX, 0, true};
  for (size_t k = 0; k < n; k++) r = limb_range_with(r, Minv[k * (n + 1)]);
  return limb_range_positive(r);
}

// ---- joint reactions with more wrenches than those of the environment ---------------------------------------

typedef struct limb_wrench_list {
  int count;
  const limb_wrench* wrench; // frames and references valid
} limb_wrench_list;

// limb_joint_reactions with these acting, too.
limb_status limb_reactions_under(limb_data* d, const double* q, const double* v, const double* a,
                                 const limb_environment* env, const limb_wrench_list* more, limb_ref ref, sp_force* f);

#endif
