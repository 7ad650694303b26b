// The kernels of loops over dual numbers, for derivatives.
#ifndef LIMB_LOOP_KERNELS_DUAL_H
#define LIMB_LOOP_KERNELS_DUAL_H

#include "base/dual.h"
#include "loops/loop_kernels.h"

LIMB_LOOP_KERNEL_TYPES(limb_loop_kernels_dual, limb_dual_number, limb_link_f64);

typedef struct limb_loop_kernels_dual {
  LIMB_KERNEL(limb_loop_kernels_dual, rows);
  LIMB_KERNEL(limb_loop_kernels_dual, forces);
} limb_loop_kernels_dual;

LIMB_DECLARE_TABLES(limb_loop_kernels_dual, limb_loop_kernels_dual);

// The fastest set that this processor runs.
const limb_loop_kernels_dual* limb_loop_kernels_dual_here(void);

#endif
