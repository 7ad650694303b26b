// The kernels of loops over double, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#define SETTLES 0 // nothing here is compared with lanes of states
#include "kernel/scalar_f64.h"

#include "kernel/lanes_f64.h"

#include "kernel/cluster_kernel.h"
#include "kernel/constraint_kernel.h"
#include "kernel/held.h"
#ifndef LIMB_SMALL
#include "kernel/held_kernel.h"
#endif
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

const limb_loop_kernels LIMB_JOIN(limb_loop_kernels_f64_, LIMB_ISA) = {SET(rows)};

const limb_cluster_kernels LIMB_JOIN(limb_cluster_kernels_f64_, LIMB_ISA) = {set_reduce, set_forward,
                                                                             set_forward_single};

#ifdef LIMB_SMALL
const limb_held_kernels LIMB_JOIN(limb_held_kernels_f64_, LIMB_ISA) = {NULL};
#else
const limb_held_kernels LIMB_JOIN(limb_held_kernels_f64_, LIMB_ISA) = {set_held_forward};
#endif
