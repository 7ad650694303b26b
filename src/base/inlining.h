// How the functions of the kernels are compiled: into one piece, in which what is zero or one vanishes; or,
// where every byte of code counts (LIMB_SMALL), as the compiler decides.
#ifndef LIMB_INLINING_H
#define LIMB_INLINING_H

#ifdef LIMB_SMALL
#define KERNEL static inline
#else
#define KERNEL static inline __attribute__((always_inline))
#endif

#endif
