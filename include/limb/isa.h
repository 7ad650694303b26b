// limb: robot dynamics in C. The instruction set that the kernels use.
//
// A build from source has kernels for the processor it was built on. The build for packages (preset dist)
// has them for base, v3 and v4: the levels of x86-64 with SSE2, AVX2 and FMA, AVX-512. A process uses one
// set, the best that was built and that its processor runs, chosen when the first model is built. If the
// processor runs none of them, no model can be built (LIMB_E_UNSUPPORTED).
//
// The environment variable LIMB_ISA asks for another set. It is read once, with that choice. If that set was
// not built or does not run, the best one below it is used, or else the best there is; an unknown name
// changes nothing. limb_isa_refused() reports both. Processors other than x86-64 have base only, with the
// vectors of the compiler's target (NEON, for example). Answers of two sets differ in their last bits.
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
