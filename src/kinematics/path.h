// Columns along the path from a frame to the world, for Jacobians and derivatives (frame_derivatives.c
// explains the letters).
#ifndef LIMB_PATH_H
#define LIMB_PATH_H

#include "base/finite.h"
#include "kinematics/link_axis.h"
#include "kinematics/site.h"

static inline sp_motion limb_subm(sp_motion a, sp_motion b)
{
  return sp_motion_make(sp_sub3(a.w, b.w), sp_sub3(a.v, b.v));
}

static inline void limb_columns_clear(const limb_model* m, sp_motion* x)
{
  for (int k = 0; k < m->nv; k++) x[k] = (sp_motion){{0, 0, 0}, {0, 0, 0}};
}

// A joint that others mimic collects their columns.
static inline void limb_columns_add(const limb_dof* dof, sp_motion S, sp_motion* x)
{
  x[dof->v] = sp_addm(x[dof->v], sp_scalem(dof->mult, S));
}

// How the reference moves when the frame moves by S, world axes, at its origin: as the frame, not at all,
// or with the frame's origin only.
static inline sp_motion limb_reference_step(const limb_reference* r, sp_motion S)
{
  if (r->ref == LIMB_BODY) return S;
  return sp_motion_make(sp_v3(0, 0, 0), r->ref == LIMB_WORLD ? sp_v3(0, 0, 0) : S.v);
}

// Change of the frame's velocity V in the reference, per unit of an axis S of which the reference makes U;
// beyond: V - V_p, what the joint of S and those after it add.
static inline sp_motion limb_velocity_step(sp_motion S, sp_motion U, sp_motion V, sp_motion beyond)
{
  return limb_subm(sp_crm(S, beyond), sp_crm(U, V));
}

#endif
