// The kernels over dual numbers, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "dynamics/kernels_dual.h"

#define LONG_SCALAR        1
#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#include "base/real_dual.h"
#include "base/sincos.h"
#include "base/smooth_sign.h"

// By the exponent bits, which stand apart from -ffinite-math-only.
KERNEL bool any_nonfinite(int n, const real* x)
{
  enum { PARTS = sizeof(real) / sizeof(uint64_t) };
  const uint64_t exponent = 0x7ff0000000000000;
  bool any = false;
  for (int i = 0; i < n; i++) {
    uint64_t bits[PARTS];
    memcpy(bits, &x[i], sizeof bits);
    for (int k = 0; k < PARTS; k++) any |= (bits[k] & exponent) == exponent;
  }
  return any;
}

KERNEL bool any_nonfinite_input(int n, const real* x) { return any_nonfinite(n, x); }

// sin' = cos, cos' = -sin
KERNEL void sines(int n, const real* x, real* s, real* c)
{
  for (int i = 0; i < n; i += LIMB_SINCOS_PAD) {
    const int some = n - i < LIMB_SINCOS_PAD ? n - i : LIMB_SINCOS_PAD;
    double angle[LIMB_SINCOS_PAD] = {0}, sine[LIMB_SINCOS_PAD], cosine[LIMB_SINCOS_PAD];
    for (int l = 0; l < some; l++) angle[l] = x[i + l].x;
    limb_sincos_f64(some, angle, sine, cosine);
    for (int l = 0; l < some; l++) {
      s[i + l] = chain(sine[l], cosine[l], x[i + l]);
      c[i + l] = chain(cosine[l], -sine[l], x[i + l]);
    }
  }
}

// tanh' = 1 - tanh^2; the exact sign is constant next to x.
KERNEL real sign_of(real x, double width)
{
  const double s = limb_smooth_sign(x.x, width), slope = width > 0 ? (1 - s * s) / width : 0;
  return chain(s, slope, x);
}

#define LINK_CONST limb_link_f64
#include "linalg/spatial_ops.h"

#include "model/place.h"

#undef FOR_SHAPE
#define FOR_SHAPE FOR_FEW_SHAPES

#define PASTE2(a, b)      a##b
#define PASTE(a, b)       PASTE2(a, b)
#define KERNEL_SET        limb_kernels_dual
#define ROW_ALL           1
#define MARKS_AT_RUN_TIME 1
#include "dynamics/kernel_set.h"

const limb_kernels_dual PASTE(limb_kernels_dual_, LIMB_ISA) = {
  SET(finite_result), SET(link_motion),    SET(inverse_dynamics), SET(id_derivatives),       SET(fd_derivatives),
  SET(aba),           SET(by_mass_matrix), SET(hybrid),           SET(hybrid_by_mass_matrix)};
