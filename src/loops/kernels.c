// Choice of the instruction set of the kernels of loops at run time.

#include "loops/loop_kernels.h"
#include "loops/loop_kernels_dual.h"

const limb_loop_kernels* limb_loop_kernels_here(void)
{
  const limb_loop_kernels* const set[] = {&limb_loop_kernels_f64_base,
                                          LIMB_IF_V3(limb_loop_kernels_f64_v3),
                                          LIMB_IF_V4(limb_loop_kernels_f64_v4)};
  return set[limb_isa_here()];
}

const limb_cluster_kernels* limb_cluster_kernels_here(void)
{
  const limb_cluster_kernels* const set[] = {&limb_cluster_kernels_f64_base,
                                             LIMB_IF_V3(limb_cluster_kernels_f64_v3),
                                             LIMB_IF_V4(limb_cluster_kernels_f64_v4)};
  return set[limb_isa_here()];
}

const limb_loop_kernels_dual* limb_loop_kernels_dual_here(void)
{
  const limb_loop_kernels_dual* const set[] = {&limb_loop_kernels_dual_base,
                                               LIMB_IF_V3(limb_loop_kernels_dual_v3),
                                               LIMB_IF_V4(limb_loop_kernels_dual_v4)};
  return set[limb_isa_here()];
}
