// Force laws for tests: constants, and a springy drag that asks all it is told.
#ifndef LIMB_TEST_FORCE_LAWS_H
#define LIMB_TEST_FORCE_LAWS_H

#include "limb/limb.h"

// The wrench that the context is.
static inline sp_force law_constant(void* context, const limb_frame_state* at)
{
  (void)at;
  return *(const sp_force*)context;
}

// How hard the surroundings resist, and where they pull to.
typedef struct drag {
  double turn, slide; // [N m s, N s/m]
  sp_vec3 stiffness;  // [N/m] towards the world's origin, components of the law's reference
} drag;

// The same for every reference: what is told comes back, scaled.
static inline sp_force drag_force(const drag* c, const sp_pose* X, sp_motion v)
{
  const sp_vec3 pull =
    sp_v3(c->stiffness.x * X->p.x, c->stiffness.y * X->p.y, c->stiffness.z * X->p.z + 0.25 * X->R.m[1]);
  return sp_force_make(sp_scale3(-c->turn, v.w), sp_sub3(sp_scale3(-c->slide, v.v), pull));
}

static inline sp_force law_drag(void* context, const limb_frame_state* at)
{
  return drag_force((const drag*)context, &at->pose, at->velocity);
}

// The same without anything that depends on the pose.
static inline sp_force law_viscous(void* context, const limb_frame_state* at)
{
  const drag* c = context;
  return sp_force_make(sp_scale3(-c->turn, at->velocity.w), sp_scale3(-c->slide, at->velocity.v));
}

#endif
