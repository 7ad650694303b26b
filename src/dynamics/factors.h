// The packed factors of the mass matrix, as the kernels leave them.
#ifndef LIMB_FACTORS_H
#define LIMB_FACTORS_H

#include "model/model_impl.h"

#include <float.h>

// Whether all pivots are positive. Behind a zero one there may be NaN, which hides it from the kernel's own
// margin: kernels are compiled for finite numbers. L holds their inverses on its diagonal.
static inline bool limb_factors_positive(const limb_model* m, const double* L)
{
  const limb_elimination* e = &m->elim;
  for (int k = 0; k < m->nv; k++) {
    const double inverse = L[e->row[k] + e->depth[k]];
    if (!(inverse > 0 && inverse <= DBL_MAX)) return false;
  }
  return true;
}

#endif
