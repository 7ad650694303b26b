// Forward dynamics with clusters of loops over double, compiled once per instruction set (LIMB_ISA: base,
// v3 or v4).

#include "linalg/quad.h"
#include "loops/loop_kernels.h"

#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#include "base/sincos.h"
#include "base/smooth_sign.h"

#include <math.h>

#define REAL         double
#define PAR          double
#define REAL_PART(x) (x)
#include "base/real_native.h"

KERNEL real root(real x) { return sqrt(x); }

KERNEL void sines(int n, const real* x, real* s, real* c) { limb_sincos_f64(n, x, s, c); }

KERNEL real sign_of(real x, double width) { return limb_smooth_sign(x, width); }

#define LINK_CONST limb_link_f64
#include "linalg/composite_ops.h"
#include "linalg/spatial_ops.h"
#include "model/place.h"

#include "dynamics/rnea_kernel.h"

#include "dynamics/articulated_kernel.h"

#include "dynamics/marked_kernel.h"

#include "dynamics/aba_kernel.h"
#include "dynamics/actuator_kernel.h"

typedef limb_cluster_in cluster_in;
#include "loops/loop_axis_kernel.h"

#include "loops/reduced_kernel.h"

#include "loops/cluster_kernel.h"

#include "linalg/row_reduce_kernel.h"

// The shortest rows, which most mechanisms of one loop have, with a constant length.
static void set_reduce(limb_reduction* r, const int* weight, double tolerance)
{
  const ptrdiff_t wide = r->columns + r->extra;
  if (wide == LIMB_QUAD)
    reduce_rows(r, LIMB_QUAD, NULL, weight, tolerance);
  else if (wide == 2 * LIMB_QUAD)
    reduce_rows(r, 2 * LIMB_QUAD, NULL, weight, tolerance);
  else
    reduce_rows(r, wide, NULL, weight, tolerance);
}

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)
const limb_cluster_kernels PASTE(limb_cluster_kernels_f64_, LIMB_ISA) = {set_reduce, set_forward, set_forward_single};
