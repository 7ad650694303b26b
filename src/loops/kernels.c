// Choice of the instruction set of the kernels of loops at run time.

#include "loops/loop_kernels.h"
#include "loops/loop_kernels_dual.h"

LIMB_DEFINE_CHOICE(limb_loop_kernels, limb_loop_kernels_here, limb_loop_kernels_f64)
LIMB_DEFINE_CHOICE(limb_cluster_kernels, limb_cluster_kernels_here, limb_cluster_kernels_f64)
LIMB_DEFINE_CHOICE(limb_loop_kernels_dual, limb_loop_kernels_dual_here, limb_loop_kernels_dual)
