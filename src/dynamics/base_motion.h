// Motion against inertial space of what moves on a moving base.
//
// The world body may move: V_0 = (w_0; 0), V'_0 = (w_0'; a_0 - g) with a_0 the acceleration of its
// origin. To inertial forces its linear velocity cannot matter (Galileo); it is left out, which keeps the
// digits that a fast base would cost. To the surroundings it does matter: a ship moves through its water.
#ifndef LIMB_BASE_MOTION_H
#define LIMB_BASE_MOTION_H

#include "limb/dynamics.h"

// Velocity and acceleration (less gravity) of a body at X against inertial space, from those against the
// world body (body axes and origin) and those of the world body:
//   V_i = Ad_X^-1 V_0 + v,   V'_i = Ad_X^-1 V'_0 + a + (Ad_X^-1 V_0) x v
static inline void limb_add_base_motion(sp_pose X, const limb_environment* env, sp_motion* v, sp_motion* a)
{
  const sp_motion V0 = {env->base_velocity.w, {0, 0, 0}};
  const sp_motion dV0 = {env->base_acceleration.w, sp_sub3(env->base_acceleration.v, env->gravity)};
  const sp_motion V = sp_motion_in(X, V0);
  *a = sp_addm(sp_motion_in(X, dV0), sp_addm(*a, sp_crm(V, *v)));
  *v = sp_addm(V, *v);
}

// Velocity of the point and axes of ref that move with the world body, for a frame at X: all of the base's
// own velocity, as force laws see it.
static inline sp_motion limb_base_velocity_at(sp_pose X, limb_ref ref, const limb_environment* env)
{
  const sp_motion V0 = env->base_velocity;
  if (ref == LIMB_BODY) return sp_motion_in(X, V0);
  if (ref == LIMB_WORLD) return V0;
  // world axes at the frame's origin: v + w x p
  return sp_motion_make(V0.w, sp_add3(V0.v, sp_cross3(V0.w, X.p)));
}

#endif
