// The kernels over lanes of states, float: compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#define LANE_BITS 32
#define DOUBTS    30 // pivots are in doubt earlier
#include "kernel/batch_set.h"

const limb_batch_kernels LIMB_JOIN(limb_batch_kernels_f32_, LIMB_ISA) = BATCH_KERNELS;
