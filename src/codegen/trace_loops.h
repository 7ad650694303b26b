// Quantities that limb_loop_quantities gathers from several files.
#ifndef LIMB_TRACE_LOOPS_H
#define LIMB_TRACE_LOOPS_H

#include "codegen/trace.h"

// Parallel robots in the space of the platform (trace_platform.c).
limb_status limb_trace_platform_inverse(limb_tracer* t, limb_function* f);
limb_status limb_trace_platform_forward(limb_tracer* t, limb_function* f);
limb_status limb_trace_platform_jacobian(limb_tracer* t, limb_function* f);

#endif
