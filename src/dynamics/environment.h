// The environment of one call, read, checked, and brought to the links; motion of a moving base.
#ifndef LIMB_ENVIRONMENT_H
#define LIMB_ENVIRONMENT_H

#include "limb/dynamics.h"

#include "kernel/tables.h"
#include "model/data_impl.h"

// Copy of env with defaults for what it does not have (NULL: all defaults). LIMB_E_ARG for a bad size,
// frame index, reference, list of wrenches or force laws, LIMB_E_UNSUPPORTED for a newer one that requests more
// than is known here, LIMB_E_NONFINITE for numbers that are not.
limb_status limb_environment_read(const limb_model* m, const limb_environment* env, limb_environment* out);

// The part of the environment that the kernels need.
typedef struct limb_call_environment {
  limb_terms terms;     // rotors and springs on, friction as in the environment
  const double* wrench; // external wrenches and those of laws, link axes; NULL when there are none
  int nwrench, nlaw;    // what limb_leave must clear
  const limb_wrench* list;
  const limb_force_law* law;
  double law_power; // of the laws' wrenches, against inertial space
  int ngiven;       // all wrenches of the environment, as given
  const limb_wrench* given;
} limb_call_environment;

// Reads and checks env, and sets the base frames' states: gravity as an acceleration, and the base's own
// motion. q and v, if given, have been checked, and bring the wrenches to the links, with those of the force
// laws, each called once; limb_leave must follow unless this fails. Leaves poses in d->own, with laws also
// velocities. q NULL, and then v: the links are left alone.
limb_status limb_enter(limb_data* d, const limb_environment* env, const double* q, const double* v,
                       limb_call_environment* out);

// The same for derivatives: LIMB_E_UNSUPPORTED with force laws, whose slopes are not known.
limb_status limb_enter_lawless(limb_data* d, const limb_environment* env, const double* q, limb_call_environment* out);

void limb_leave(limb_data* d, const limb_call_environment* s);

// Base frames at rest without gravity.
void limb_enter_void(limb_data* d);

// The state that a force law receives, from the poses and velocities of the links against the world body, which env
// moves.
limb_frame_state limb_law_state(const limb_model* m, const limb_environment* env, const limb_force_law* law,
                                const limb_link_motion* s);

// Calls a force law. LIMB_E_NONFINITE when position, velocity or result are not finite.
limb_status limb_ask_law(const limb_force_law* law, const limb_frame_state* at, limb_wrench* out);

// ---- a moving base ------------------------------------------------------------------------------------------

// The world body may move: V_0 = (w_0; 0), V'_0 = (w_0'; a_0 - g) with a_0 the acceleration of its
// origin. To inertial forces its linear velocity cannot matter (Galileo); it is left out, which keeps the
// digits that a fast base would cost. To force laws it does matter: a ship moves through its water.

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
