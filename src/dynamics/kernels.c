// Choice of the instruction set of the kernels at run time.

#include "model/kernels.h"
#include "dynamics/kernels_dual.h"

LIMB_DEFINE_CHOICE(limb_kernels, limb_kernels_here, limb_kernels_f64)
LIMB_DEFINE_CHOICE(limb_kernels_dual, limb_kernels_dual_here, limb_kernels_dual)
