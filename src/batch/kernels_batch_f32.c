// The kernels over lanes of states, float: compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "batch/batch_impl.h"

#define LANE_BITS  32
#define LINK_CONST limb_link_f32
#include "batch/batch_set.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)
const limb_batch_kernels PASTE(limb_batch_kernels_f32_, LIMB_ISA) = BATCH_KERNELS;
