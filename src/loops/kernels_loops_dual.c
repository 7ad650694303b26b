// The kernels of loops over dual numbers, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "loops/loop_kernels_dual.h"

#include "base/real_dual.h"

#include <math.h>

// sqrt' = 1 / (2 sqrt)
KERNEL real root(real x)
{
  const double s = sqrt(x.x);
  return chain(s, 0.5 / s, x);
}

// Not called: coordinates are loaded by the kernels of dynamics.
KERNEL void sines(int n, const real* x, real* s, real* c)
{
  for (int i = 0; i < n; i++) {
    const double sine = sin(x[i].x), cosine = cos(x[i].x);
    s[i] = chain(sine, cosine, x[i]), c[i] = chain(cosine, -sine, x[i]);
  }
}

#define PASTE2(a, b)    a##b
#define PASTE(a, b)     PASTE2(a, b)
#define LINK_CONST      limb_link_f64
#define LOOP_KERNEL_SET limb_loop_kernels_dual
#include "loops/loop_kernel_set.h"

const limb_loop_kernels_dual PASTE(limb_loop_kernels_dual_, LIMB_ISA) = {SET(rows), SET(forces)};
