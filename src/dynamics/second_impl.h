// What the files of second derivatives share.
//
// Second derivatives of both kinds come from inverse dynamics, M a + ... = tau: along a direction of
// (q, v, tau) the accelerations change, too, and with that change the direction is one of inverse
// dynamics.
#ifndef LIMB_SECOND_IMPL_H
#define LIMB_SECOND_IMPL_H

#include "limb/second_derivatives.h"

#include "dynamics/dual_impl.h"

// A point of inverse or forward dynamics.
typedef struct limb_second_at {
  limb_dual_kind kind;
  limb_dual_at given;   // as the user said it
  limb_dual_at inverse; // the same point of inverse dynamics: x are accelerations
} limb_second_at;

// The directions of x, and those that must not be there.
const double* limb_second_dx(limb_dual_kind kind, const limb_directions* along);
const double* limb_second_no_dx(limb_dual_kind kind, const limb_directions* along);

// Checks a call and finds the accelerations; along may be NULL.
limb_status limb_second_enter(limb_dual* w, limb_second_at* p, const limb_directions* along);

// The group of directions from first on.
limb_directions limb_second_group(const limb_dual* w, const limb_directions* along, int first);

// Unit directions first, first + 1, ... by q or by v, in rows of scratch.
limb_directions limb_second_units(limb_dual* w, int first, bool by_q);

// Derivatives of inverse dynamics (w->dq, w->dv, w->dx) with tangents along the group.
limb_status limb_second_slopes(limb_dual* w, const limb_second_at* p, const limb_directions* group);

#endif
