// How the functions of the kernels are compiled: into one piece, in which what is zero or one vanishes; or,
// where every byte of code counts (LIMB_SMALL) and in builds that are not for speed (LIMB_QUICK_KERNELS), as
// the compiler decides.
#ifndef LIMB_INLINING_H
#define LIMB_INLINING_H

#if defined(LIMB_SMALL) || defined(LIMB_QUICK_KERNELS)
#define KERNEL static inline
#else
#define KERNEL static inline __attribute__((always_inline))
#endif

// A long function that several kernels call: compiled once, not once for each of them.
#if defined(__clang__)
#define KERNEL_ONCE static __attribute__((noinline))
#else
#define KERNEL_ONCE static __attribute__((noinline, noclone))
#endif

// The same, but for kernels of one state over double, in which a call would be felt. Scalars whose
// operations are long define LONG_SCALAR.
#ifdef LONG_SCALAR
#define KERNEL_PASS KERNEL_ONCE
#else
#define KERNEL_PASS KERNEL
#endif

#endif
