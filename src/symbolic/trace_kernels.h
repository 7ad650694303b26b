// The kernels over symbols (symbolic/real_symbol.h).
#ifndef LIMB_TRACE_KERNELS_H
#define LIMB_TRACE_KERNELS_H

#include "model/kernels.h"
#include "symbolic/real_symbol.h"

typedef LIMB_LINK_CONST(limb_scalar) limb_link_symbol;

LIMB_KERNEL_SET(limb_kernels_symbol, limb_scalar, limb_link_symbol);

extern const limb_kernels_symbol limb_trace_kernels;

// X(alpha, a) Z(theta, d) has its origin at (a, -d sin alpha, d cos alpha).
static inline void limb_place_by_offsets(limb_link_symbol* k)
{
  k->px = k->a, k->py = neg(mul(k->sa, k->d)), k->pz = mul(k->ca, k->d);
}

// How much of an inertia moves to the parent.
//
// A round link (xx = yy alone) may keep zz = -xx instead of 0: it is felt like a body that resists only
// turning about its axis, and accelerations across the axis do not count. Khalil moves YY from all links,
// which does that.
typedef enum limb_regrouping { MOVE_ALL, KEEP_ROUND } limb_regrouping;

// Regroups inertias of links as model/regroup.c does: what a joint cannot tell from the parent moves there.
// Nothing moves from ball joints. Uses q, c and s of the workspace.
void limb_trace_regroup(const limb_model* m, const limb_ws* ws, limb_regrouping how,
                        limb_link_symbol* k);

// A workspace of the kernels over symbols: bytes that it takes; zeros but for the states of the base frames.
size_t limb_trace_ws_room(const limb_model* m);
void limb_trace_ws_clear(const limb_model* m, void* memory, size_t room, limb_scalar* base,
                         limb_ws* ws);

#endif
