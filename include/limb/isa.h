// limb: robot dynamics in C. The instruction set that the kernels use.
//
// Kernels are compiled once per instruction set. A process uses one of them: the best that its processor has,
// chosen when the first model is built. The environment variable LIMB_ISA, read then and never again, asks
// for another one: base, v3 or v4 (levels of x86-64: SSE2, AVX2 with FMA, AVX-512). When the processor or the
// build does not have it, the best of those below is taken; a name that is none changes nothing;
// limb_isa_refused() tells. On other processors there is base only, with the vectors of the compiler's target
// (NEON, say). Answers of two sets differ in their last bits.
#ifndef LIMB_ISA_H
#define LIMB_ISA_H

#include "limb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// "base", "v3" or "v4": what this process uses.
LIMB_API const char* limb_isa_name(void);

/// The value that LIMB_ISA has now, when it is not empty and not what this process uses; else NULL. It is the
/// environment's own text: read it before the environment changes.
LIMB_API const char* limb_isa_refused(void);

#ifdef __cplusplus
}
#endif

#endif
