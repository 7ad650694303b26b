// Scalars of the kernels: double with the functions of libm, for plain C code that shares a kernel's text.
#ifndef LIMB_KERNEL_SCALAR_PLAIN_H
#define LIMB_KERNEL_SCALAR_PLAIN_H

#include "kernel/scalar_native.h"

#include <math.h>

KERNEL real root(real x) { return sqrt(x); }

KERNEL void sines_of_lanes(real x, real* s, real* c) { *s = sin(x), *c = cos(x); }

#endif
