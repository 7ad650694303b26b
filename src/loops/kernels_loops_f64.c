// The kernels of loops over double, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "loops/loop_kernels.h"

#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#include "base/sincos.h"

#include <math.h>

#define REAL         double
#define PAR          double
#define REAL_PART(x) (x)
#include "base/real_native.h"

KERNEL real root(real x) { return sqrt(x); }

KERNEL void sines(int n, const real* x, real* s, real* c) { limb_sincos_f64(n, x, s, c); }

#define PASTE2(a, b)    a##b
#define PASTE(a, b)     PASTE2(a, b)
#define LINK_CONST      limb_link_f64
#define LOOP_KERNEL_SET limb_loop_kernels
#include "loops/loop_kernel_set.h"

const limb_loop_kernels PASTE(limb_loop_kernels_f64_, LIMB_ISA) = {SET(rows)};
