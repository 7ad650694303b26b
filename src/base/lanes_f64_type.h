// The widest vector of double that the instruction set has.
#ifndef LIMB_LANES_F64_TYPE_H
#define LIMB_LANES_F64_TYPE_H

#if defined(__AVX512F__)
#define LIMB_LANES 8
#elif defined(__AVX2__)
#define LIMB_LANES 4
#else
#define LIMB_LANES 2
#endif

typedef double lanes_f64 __attribute__((vector_size(LIMB_LANES * sizeof(double))));

#endif
