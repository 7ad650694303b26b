// What the kernels ask of the compiler: inlining, the width of its vectors, and numbers that stay as they are.
#ifndef LIMB_KERNEL_TARGET_H
#define LIMB_KERNEL_TARGET_H

// Functions of the kernels are inlined into one piece, in which zeros and ones vanish; or, where every byte of
// code counts (LIMB_SMALL) and in builds that are not for speed (LIMB_QUICK_KERNELS), as the compiler decides.
// Scalars with long operations (series, symbols) define KERNEL, KERNEL_ONCE and KERNEL_PASS themselves.
#ifndef KERNEL
#if defined(LIMB_SMALL) || defined(LIMB_QUICK_KERNELS)
#define KERNEL static inline
#else
#define KERNEL static inline __attribute__((always_inline))
#endif

// A long function that several kernels call: compiled once, not once for each of them.
#if defined(__clang__)
#define KERNEL_ONCE static __attribute__((noinline, unused))
#else
#define KERNEL_ONCE static __attribute__((noinline, noclone, unused))
#endif

// The same, except for kernels of one state over double, where a call would cost time. Scalars with long
// operations define LONG_SCALAR.
#ifdef LONG_SCALAR
#define KERNEL_PASS KERNEL_ONCE
#else
#define KERNEL_PASS KERNEL
#endif
#endif

// An entry of a table of kernels; a translation unit need not use all of them.
#define KERNEL_ENTRY static __attribute__((unused))

// The widest vector of double that the instruction set has.
#if defined(__AVX512F__)
#define LIMB_LANES 8
#elif defined(__AVX2__)
#define LIMB_LANES 4
#else
#define LIMB_LANES 2
#endif

typedef double lanes_f64 __attribute__((vector_size(LIMB_LANES * sizeof(double))));

// Makes a number or a vector opaque: the compiler does not merge what made it, a change of sign or a product,
// with what follows.
#if defined(__AVX512F__)
#define SETTLE(x) __asm__("" : "+v"(x))
#elif defined(__x86_64__)
#define SETTLE(x) __asm__("" : "+x"(x))
#elif defined(__aarch64__)
#define SETTLE(x) __asm__("" : "+w"(x))
#else
#define SETTLE(x) (void)(x)
#endif

// Names made of macros, for tables and types of a scalar or an instruction set.
#define LIMB_JOIN2(a, b) a##b
#define LIMB_JOIN(a, b)  LIMB_JOIN2(a, b)

#endif
