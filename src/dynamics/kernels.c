// Choice of the instruction set of the kernels at run time. LIMB_HAVE_V3 and LIMB_HAVE_V4 say what was built.

#include "model/kernels.h"
#include "dynamics/kernels_dual.h"

const limb_kernels* limb_kernels_here(void)
{
  const limb_kernels* const set[] = {&limb_kernels_f64_base, LIMB_IF_V3(limb_kernels_f64_v3),
                                     LIMB_IF_V4(limb_kernels_f64_v4)};
  return set[limb_isa_here()];
}

const limb_kernels_dual* limb_kernels_dual_here(void)
{
  const limb_kernels_dual* const set[] = {&limb_kernels_dual_base, LIMB_IF_V3(limb_kernels_dual_v3),
                                          LIMB_IF_V4(limb_kernels_dual_v4)};
  return set[limb_isa_here()];
}
