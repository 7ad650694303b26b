// Choice of the instruction set at run time. LIMB_HAVE_V3 and LIMB_HAVE_V4 say what was built.

#include "batch/batch_impl.h"
#include "batch/split_impl.h"

const limb_batch_kernels* limb_batch_kernels_f64_here(void)
{
  const limb_batch_kernels* const set[] = {&limb_batch_kernels_f64_base,
                                           LIMB_IF_V3(limb_batch_kernels_f64_v3),
                                           LIMB_IF_V4(limb_batch_kernels_f64_v4)};
  return set[limb_isa_here()];
}

const limb_batch_kernels* limb_batch_kernels_f32_here(void)
{
  const limb_batch_kernels* const set[] = {&limb_batch_kernels_f32_base,
                                           LIMB_IF_V3(limb_batch_kernels_f32_v3),
                                           LIMB_IF_V4(limb_batch_kernels_f32_v4)};
  return set[limb_isa_here()];
}

const limb_split_kernels* limb_split_kernels_here(void)
{
  const limb_split_kernels* const set[] = {&limb_split_kernels_f64_base,
                                           LIMB_IF_V3(limb_split_kernels_f64_v3),
                                           LIMB_IF_V4(limb_split_kernels_f64_v4)};
  return set[limb_isa_here()];
}
