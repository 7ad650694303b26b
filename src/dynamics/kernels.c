// Choice of the instruction set at run time. LIMB_HAVE_V3 and LIMB_HAVE_V4 say what was built.

#include "model/kernels.h"

const limb_kernels* limb_kernels_here(void)
{
#ifdef LIMB_HAVE_V4
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return &limb_kernels_f64_v4;
  }
#endif
#ifdef LIMB_HAVE_V3
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return &limb_kernels_f64_v3;
  }
#endif
  return &limb_kernels_f64_base;
}
