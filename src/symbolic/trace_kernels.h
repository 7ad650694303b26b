// The kernels over symbols (symbolic/real_symbol.h).
#ifndef LIMB_TRACE_KERNELS_H
#define LIMB_TRACE_KERNELS_H

#include "kernel/tables.h"
#include "symbolic/real_symbol.h"

typedef LIMB_LINK_CONST(limb_scalar) limb_link_symbol;

LIMB_KERNEL_TYPES(limb_kernels_symbol, limb_scalar, limb_link_symbol);

typedef struct limb_kernels_symbol {
  LIMB_KERNEL(limb_kernels_symbol, link_motion);
  LIMB_KERNEL(limb_kernels_symbol, inverse_dynamics);
  LIMB_KERNEL(limb_kernels_symbol, mass_matrix);
  LIMB_KERNEL(limb_kernels_symbol, coriolis_matrix);
  LIMB_KERNEL(limb_kernels_symbol, id_derivatives);
  LIMB_KERNEL(limb_kernels_symbol, fd_derivatives);
  LIMB_KERNEL(limb_kernels_symbol, invert);
  LIMB_KERNEL(limb_kernels_symbol, aba);
  LIMB_KERNEL(limb_kernels_symbol, by_mass_matrix);
  LIMB_KERNEL(limb_kernels_symbol, hybrid);
  LIMB_KERNEL(limb_kernels_symbol, hybrid_by_mass_matrix);
  LIMB_KERNEL(limb_kernels_symbol, regressor);
  LIMB_KERNEL(limb_kernels_symbol, frame_pose);
  LIMB_KERNEL(limb_kernels_symbol, frame_jacobian);
  LIMB_KERNEL(limb_kernels_symbol, forward_chain);
} limb_kernels_symbol;

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
void limb_trace_regroup(const limb_model* m, const limb_ws* ws, limb_regrouping how, limb_link_symbol* k);

// A workspace of the kernels over symbols: bytes that it takes; zeros but for the states of the base frames.
size_t limb_trace_ws_room(const limb_model* m);
void limb_trace_ws_clear(const limb_model* m, void* memory, size_t room, limb_scalar* base, limb_ws* ws);

#endif
