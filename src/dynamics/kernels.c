// Choice of the instruction set at run time. LIMB_HAVE_V3 and LIMB_HAVE_V4 say what was built.

#include "model/kernels.h"
#include "dynamics/kernels_dual.h"

int limb_isa_here(void)
{
#ifdef LIMB_HAVE_V4
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return 2;
  }
#endif
#ifdef LIMB_HAVE_V3
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return 1;
  }
#endif
  return 0;
}

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
