// Finite numbers: no NaN and no infinity. 0 times a finite number is 0, times any other it is NaN.
#ifndef LIMB_FINITE_H
#define LIMB_FINITE_H

#include "limb/spatial.h"

#include <stdbool.h>

// n numbers. For cold calls and the odd few; the user's long vectors are checked by a kernel.
static inline bool limb_finite(ptrdiff_t n, const double* x)
{
  double sum[4] = {0, 0, 0, 0}; // four at a time: they need not wait for each other
  ptrdiff_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; k++) sum[k] += 0 * x[i + k];
  }
  for (; i < n; i++) sum[0] += 0 * x[i];
  return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

// The same for what may not be wanted.
static inline bool limb_finite_if(ptrdiff_t n, const double* x) { return !x || limb_finite(n, x); }

static inline bool limb_finite3(sp_vec3 a) { return 0 * a.x + 0 * a.y + 0 * a.z == 0; }

#endif
