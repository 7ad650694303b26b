// The lane kernels over vectors of double, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "kernel/target.h"

// The scalar vocabulary over vectors: a number of the robot or of the algorithm reaches all lanes.
#define SETTLES      1
#define REAL         lanes_f64
#define PAR          double
#define REAL_PART(x) (x)[0]
#include "kernel/scalar_native.h"

#include "kernel/lanes_f64.h"

#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#include "kernel/sincos.h"

// Sine and cosine of every lane.
KERNEL void sines_of_lanes(real x, real* s, real* c)
{
  if (__builtin_expect(limb_sincos_block_f64(x, s, c) != 0, 0)) {
    double at[LANES], to[2][LANES];
    memcpy(at, &x, sizeof x), memcpy(to[0], s, sizeof x), memcpy(to[1], c, sizeof x);
    limb_sincos_far_f64(LANES, at, to[0], to[1]);
    memcpy(s, to[0], sizeof x), memcpy(c, to[1], sizeof x);
  }
}

#include "kernel/lane_tree_kernel.h"
#include "kernel/second_forward_kernel.h"

#define LANE_TREE lane_tree_factor, lane_tree_solve, lane_tree_inverse, lane_forward_second
#include "kernel/lane_passes_kernel.h"

const limb_kernels_lanes LIMB_JOIN(limb_lanes_f64_, LIMB_ISA) = LANE_KERNEL_TABLE;
