// Choice of the instruction set of the kernels at run time.

#include "kernel/batch_tables.h"
#include "kernel/held.h"

LIMB_DEFINE_CHOICE(limb_kernels, limb_kernels_here, limb_kernels_f64)
LIMB_DEFINE_CHOICE(limb_kernels_dual, limb_kernels_dual_here, limb_kernels_dual)

LIMB_DEFINE_CHOICE(limb_loop_kernels, limb_loop_kernels_here, limb_loop_kernels_f64)
LIMB_DEFINE_CHOICE(limb_cluster_kernels, limb_cluster_kernels_here, limb_cluster_kernels_f64)
LIMB_DEFINE_CHOICE(limb_held_kernels, limb_held_kernels_here, limb_held_kernels_f64)
LIMB_DEFINE_CHOICE(limb_loop_kernels_dual, limb_loop_kernels_dual_here, limb_loop_kernels_dual)

#ifndef LIMB_SMALL
LIMB_DEFINE_CHOICE(limb_batch_kernels, limb_batch_kernels_f64_here, limb_batch_kernels_f64)
LIMB_DEFINE_CHOICE(limb_batch_kernels, limb_batch_kernels_f32_here, limb_batch_kernels_f32)
LIMB_DEFINE_CHOICE(limb_split_kernels, limb_split_kernels_here, limb_split_kernels_f64)
#endif
