// Compiled once per instruction set, as the kernels are, with -DLIMB_ISA=base, v3 or v4.
#include "support/sincos_isa.h"

#include "kernel/sincos.h"

#define NAME_OF(type, isa) test_sincos_##type##_##isa
#define NAME(type, isa)    NAME_OF(type, isa)

void NAME(f64, LIMB_ISA)(int n, const double* x, double* s, double* c) { limb_sincos_f64(n, x, s, c); }

void NAME(f32, LIMB_ISA)(int n, const float* x, float* s, float* c) { limb_sincos_f32(n, x, s, c); }
