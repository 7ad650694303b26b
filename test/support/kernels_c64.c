// The kernels over complex numbers: the oracle of exact derivatives. Parameters stay real.

#include "support/scalars.h"

#include "base/numeric.h"

#include <string.h>

#define REAL         double complex
#define PAR          double
#define REAL_PART(x) creal(x)
#include "kernel/scalar_native.h"

// By the exponent bits, which stand apart from -ffinite-math-only.
KERNEL bool any_nonfinite(int n, const real* x)
{
  const uint64_t exponent = 0x7ff0000000000000;
  bool any = false;
  for (int i = 0; i < n; i++) {
    uint64_t bits[2];
    memcpy(bits, &x[i], sizeof bits);
    any |= (bits[0] & exponent) == exponent || (bits[1] & exponent) == exponent;
  }
  return any;
}

KERNEL bool any_nonfinite_input(int n, const real* x) { return any_nonfinite(n, x); }

KERNEL void sines(int n, const real* x, real* s, real* c)
{
  for (int i = 0; i < n; i++) s[i] = csin(x[i]), c[i] = ccos(x[i]);
}

// The exact sign is constant next to x; the smoothed one is analytic.
KERNEL real sign_of(real x, double width) { return width > 0 ? ctanh(x / width) : (real)limb_smooth_sign(creal(x), 0); }

KERNEL real root(real x) { return csqrt(x); }

#define LINK_CONST limb_link_f64
#define KERNEL_SET limb_kernel_set_c64
#include "kernel/kernel_set.h"

const limb_kernel_set_c64 limb_kernels_c64 = {
  SET(link_motion),    SET(inverse_dynamics),     SET(mass_matrix), SET(coriolis_matrix),
  SET(id_derivatives), SET(fd_derivatives),       SET(aba),         SET(by_mass_matrix),
  SET(hybrid),         SET(hybrid_by_mass_matrix)};
