// What the files that trace quantities of trees share.
#ifndef LIMB_TRACE_TREE_H
#define LIMB_TRACE_TREE_H

#include "codegen/trace.h"

// An output nv x nv.
limb_status limb_trace_matrix(limb_tracer* t, limb_function* f, const char* name, const char* meaning,
                              const limb_scalar* x);

// Takes the outputs of another way to the same, if f has none yet or they need more operations.
limb_status limb_trace_keep_cheaper(limb_tracer* t, limb_function* f, const limb_function* way);

limb_status limb_trace_hybrid(limb_tracer* t, limb_function* f); // trace_hybrid.c

// Quantities (trace_slopes.c)
limb_status limb_trace_coriolis(limb_tracer* t, limb_function* f);
limb_status limb_trace_inverse_slopes(limb_tracer* t, limb_function* f);
limb_status limb_trace_forward_slopes(limb_tracer* t, limb_function* f);

#endif
