// The kernels over dual numbers: the texts of dynamics/kernel_set.h for derivatives along directions.
#ifndef LIMB_KERNELS_DUAL_H
#define LIMB_KERNELS_DUAL_H

#include "base/dual.h"
#include "model/kernels.h"

LIMB_KERNEL_SET(limb_kernels_dual, limb_dual_number, limb_link_f64);

LIMB_DECLARE_TABLES(limb_kernels_dual, limb_kernels_dual);

// The fastest set that this processor runs.
const limb_kernels_dual* limb_kernels_dual_here(void);

#endif
