// The kernels over lanes of states, double: compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#define LANE_BITS 64
#include "kernel/batch_set.h"

const limb_batch_kernels LIMB_JOIN(limb_batch_kernels_f64_, LIMB_ISA) = BATCH_KERNELS;
