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

#endif
