// The kernels over double, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "model/kernels.h"

#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#include "base/sincos.h"
#include "base/smooth_sign.h"

#define REAL         double
#define PAR          double
#define REAL_PART(x) (x)
#include "base/real_native.h"

// By the exponent bits, which stand apart from -ffinite-math-only: one more than all ones carries over
// into the sign's place.
KERNEL bool any_nonfinite(int n, const real* x)
{
  const uint64_t exponent = 0x7ff0000000000000, one = 0x0010000000000000;
  uint64_t carry = 0;
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    carry |= (bits & exponent) + one;
  }
  return carry >> 63;
}

// Angles go to the sincos in registers: written to memory one by one and read back as a vector they
// would wait for the stores. Lanes behind the last link repeat it.
#define SINES_IN_REGISTERS                                                                      \
  KERNEL void load_angles(const limb_model* m, const link_const* k, const real* user, real* q,  \
                          real* s, real* c)                                                     \
  {                                                                                             \
    const int n = m->nlink, lanes = LIMB_SINCOS_LANES_F64;                                      \
    unsigned beyond = 0;                                                                        \
    for (int i = 0; i < n; i += lanes) {                                                        \
      limb_vec_f64 x, sx, cx;                                                                   \
      for (int l = 0; l < lanes; l++) x[l] = coordinate(m, k, user, i + l < n ? i + l : n - 1); \
      beyond |= limb_sincos_block_f64(x, &sx, &cx);                                             \
      memcpy(q + i, &x, sizeof x);                                                              \
      memcpy(s + i, &sx, sizeof sx);                                                            \
      memcpy(c + i, &cx, sizeof cx);                                                            \
    }                                                                                           \
    if (__builtin_expect(beyond != 0, 0)) limb_sincos_far_f64(n, q, s, c);                      \
  }

KERNEL real sign_of(real x, double width) { return limb_smooth_sign(x, width); }

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)
#define LINK_CONST   limb_link_f64
#define KERNEL_SET   limb_kernels
#define KERNEL_TABLE PASTE(limb_kernels_f64_, LIMB_ISA)
#include "dynamics/kernel_set.h"
