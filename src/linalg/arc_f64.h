// linalg/arc_ops.h over double, for plain C.
#ifndef LIMB_ARC_F64_H
#define LIMB_ARC_F64_H

#include <math.h>

#define REAL         double
#define PAR          double
#define REAL_PART(x) (x)
#include "base/real_native.h"

KERNEL real root(real x) { return sqrt(x); }

KERNEL void sines_of_lanes(real x, real* s, real* c) { *s = sin(x), *c = cos(x); }

#include "linalg/arc_ops.h"

#endif
