// Choice of the instruction set of the batch kernels at run time.

#include "batch/batch_impl.h"
#include "batch/split_impl.h"

LIMB_DEFINE_CHOICE(limb_batch_kernels, limb_batch_kernels_f64_here, limb_batch_kernels_f64)
LIMB_DEFINE_CHOICE(limb_batch_kernels, limb_batch_kernels_f32_here, limb_batch_kernels_f32)
LIMB_DEFINE_CHOICE(limb_split_kernels, limb_split_kernels_here, limb_split_kernels_f64)
