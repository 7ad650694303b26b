// The kernels of loops over complex numbers.

#include "support/scalars_loops.h"

#include "support/scalars.h"

#define REAL         double complex
#define PAR          double
#define REAL_PART(x) creal(x)
#include "kernel/scalar_native.h"

KERNEL real root(real x) { return csqrt(x); }

__attribute__((unused)) KERNEL void sines(int n, const real* x, real* s, real* c)
{
  for (int i = 0; i < n; i++) s[i] = csin(x[i]), c[i] = ccos(x[i]);
}

#define LINK_CONST      limb_link_f64
#define LOOP_KERNEL_SET limb_loop_kernel_set_c64
#include "kernel/constraint_kernel.h"

const limb_loop_kernel_set_c64 limb_loop_kernels_c64 = {SET(rows)};
