// The kernels over dual numbers: the texts of dynamics/kernel_set.h for derivatives along directions.
#ifndef LIMB_KERNELS_DUAL_H
#define LIMB_KERNELS_DUAL_H

#include "base/dual.h"
#include "model/kernels.h"

LIMB_KERNEL_TYPES(limb_kernels_dual, limb_dual_number, limb_link_f64);

typedef struct limb_kernels_dual {
  LIMB_KERNEL(limb_kernels_dual, finite_result);
  LIMB_KERNEL(limb_kernels_dual, link_motion);
  LIMB_KERNEL(limb_kernels_dual, inverse_dynamics);
  LIMB_KERNEL(limb_kernels_dual, id_derivatives);
  LIMB_KERNEL(limb_kernels_dual, fd_derivatives);
  LIMB_KERNEL(limb_kernels_dual, aba);
  LIMB_KERNEL(limb_kernels_dual, by_mass_matrix);
  LIMB_KERNEL(limb_kernels_dual, hybrid);
  LIMB_KERNEL(limb_kernels_dual, hybrid_by_mass_matrix);
} limb_kernels_dual;

LIMB_DECLARE_TABLES(limb_kernels_dual, limb_kernels_dual);

// The fastest set that this processor runs.
const limb_kernels_dual* limb_kernels_dual_here(void);

#endif
