// The kernels over double, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "model/kernels.h"

#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#include "base/sincos.h"
#include "base/smooth_sign.h"

#define REAL double
#define PAR  double
#define REAL_PART(x) (x)
#include "base/real_native.h"

KERNEL void sines(int n, const real* x, real* s, real* c) { limb_sincos_f64(n, x, s, c); }

KERNEL real sign_of(real x, double width) { return limb_smooth_sign(x, width); }

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)
#define LINK_CONST   limb_link_f64
#define KERNEL_SET   limb_kernels
#define KERNEL_TABLE PASTE(limb_kernels_f64_, LIMB_ISA)
#include "dynamics/kernel_set.h"
