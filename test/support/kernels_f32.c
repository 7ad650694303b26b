// The kernels over float.

#include "support/scalars.h"

#define LIMB_FINITE_ANGLES 1 // tests draw finite ones
#include "base/numeric.h"
#include "kernel/sincos.h"

#define REAL         float
#define PAR          float
#define REAL_PART(x) (x)
#include "kernel/scalar_native.h"

// By the exponent bits, which stand apart from -ffinite-math-only.
KERNEL bool any_nonfinite(int n, const real* x)
{
  const uint32_t exponent = 0x7f800000;
  bool any = false;
  for (int i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    any |= (bits & exponent) == exponent;
  }
  return any;
}

KERNEL bool any_nonfinite_input(int n, const real* x) { return any_nonfinite(n, x); }

KERNEL void sines(int n, const real* x, real* s, real* c) { limb_sincos_f32(n, x, s, c); }

KERNEL real sign_of(real x, double width) { return (real)limb_smooth_sign((double)x, width); }

KERNEL real root(real x) { return sqrtf(x); }

#define LINK_CONST limb_link_f32
#define KERNEL_SET limb_kernel_set_f32
#include "kernel/kernel_set.h"

const limb_kernel_set_f32 limb_kernels_f32 = {
  SET(finite),          SET(link_motion),    SET(inverse_dynamics),     SET(mass_matrix),
  SET(coriolis_matrix), SET(id_derivatives), SET(fd_derivatives),       SET(aba),
  SET(by_mass_matrix),  SET(hybrid),         SET(hybrid_by_mass_matrix)};
