// Finite numbers: no NaN and no infinity. 0 times a finite number is 0, times any other it is NaN.
#ifndef LIMB_FINITE_H
#define LIMB_FINITE_H

#include "limb/spatial.h"

#include <stdbool.h>

// n numbers. For cold calls and the odd few; the user's long vectors are checked by a kernel.
static inline bool limb_finite(ptrdiff_t n, const double* x)
{
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; i++) sum += 0 * x[i];
  return sum == 0;
}

static inline bool limb_finite3(sp_vec3 a) { return 0 * a.x + 0 * a.y + 0 * a.z == 0; }

#endif
