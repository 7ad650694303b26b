// Scalars of the kernels: double, one state at a time; the scalar that a kernel's text has by default.
//
// The vocabulary of kernel/scalar_native.h, and what whole kernels need besides: checks of numbers, sines, square
// roots, the sign in friction.
#ifndef LIMB_KERNEL_SCALAR_F64_H
#define LIMB_KERNEL_SCALAR_F64_H

#define LIMB_SINCOS_NARROW 1 // a few angles: wide vectors make the numbers that follow wait
#ifndef LIMB_FINITE_ANGLES
#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#endif
#define BLOCKS_OF_ANGLES 1 // joint coordinates go to the sincos in registers (kernel/coordinates.h)
#ifndef SETTLES
#define SETTLES 1
#endif
#include "base/numeric.h"
#include "kernel/scalar_native.h"
#include "kernel/sincos.h"

#include <stdbool.h>

// NaN and infinity by their exponent bits, which -ffinite-math-only has no say in: one more than all
// ones carries over into the place of the sign.
static const uint64_t exponent_bits = 0x7ff0000000000000, exponent_one = 0x0010000000000000;

KERNEL bool any_nonfinite(int n, const real* x)
{
  uint64_t carry = 0;
#pragma GCC unroll 1
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    carry |= (bits & exponent_bits) + exponent_one;
    __asm__("" : "+r"(carry)); // one by one: a vector load of numbers just stored would wait for them
  }
  return carry >> 63;
}

#if defined(__AVX512F__)
// The same for numbers that lie ready, eight at a time; the tail by a mask.
KERNEL bool any_nonfinite_input(int n, const real* x)
{
  __m512i carry = _mm512_setzero_si512();
  const __m512i bits = _mm512_set1_epi64((long long)exponent_bits);
  const __m512i one = _mm512_set1_epi64((long long)exponent_one);
  for (int i = 0; i < n; i += 8) {
    const __mmask8 used = (__mmask8)(n - i >= 8 ? 0xff : (1U << (n - i)) - 1U);
    const __m512i xi = _mm512_maskz_loadu_epi64(used, x + i);
    carry = _mm512_or_si512(carry, _mm512_add_epi64(_mm512_and_si512(xi, bits), one));
  }
  return _mm512_movepi64_mask(carry) != 0;
}
#else
KERNEL bool any_nonfinite_input(int n, const real* x) { return any_nonfinite(n, x); }
#endif

KERNEL void sines(int n, const real* x, real* s, real* c) { limb_sincos_f64(n, x, s, c); }

KERNEL real root(real x) { return sqrt(x); }

KERNEL real sign_of(real x, double width) { return limb_smooth_sign(x, width); }

#endif
