// The kernels over symbols (symbolic/real_symbol.h).
#ifndef LIMB_TRACE_KERNELS_H
#define LIMB_TRACE_KERNELS_H

#include "model/kernels.h"
#include "symbolic/real_symbol.h"

typedef LIMB_LINK_CONST(limb_scalar) limb_link_symbol;

LIMB_KERNEL_SET(limb_kernels_symbol, limb_scalar, limb_link_symbol);

extern const limb_kernels_symbol limb_trace_kernels;

// Regroups inertias of links that are given as they are (limb_moments): what a joint cannot tell from the
// parent moves there. Not for ball joints. Uses q, c and s of the workspace.
void limb_trace_regroup(const limb_model* m, const limb_ws* ws, limb_link_symbol* k);

#endif
