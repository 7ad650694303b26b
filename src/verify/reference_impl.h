// Reference formulations, what they share: joints as products of exponentials.
//
// They read the robot as it was described (bodies, joints, frames) and nothing of what the compiler
// made of it, so that an agreement with the kernels means something. Arguments are checked and the
// environment is read as every other call does it.
#ifndef LIMB_REFERENCE_IMPL_H
#define LIMB_REFERENCE_IMPL_H

#include "limb/verify.h"

#include "base/memory.h"
#include "model/model_impl.h"

// What one joint contributes at a given q.
typedef struct limb_reference_joint {
  sp_pose T;         // T_{p,i}: pose of the body in its parent
  int n;             // number of columns
  sp_motion A[6];    // columns: body twist per unit of each velocity
  int v;             // place of the first velocity in the user's v
  double multiplier; // of a mimic joint; else 1
  bool constant;     // the columns do not depend on q
} limb_reference_joint;

// Checks a state and reads its environment. v and a may be NULL.
limb_status limb_reference_check(const limb_model* m, const double* q, const double* v, const double* a,
                                 const limb_environment* env, limb_environment* e);

// The same, and takes a block of that size, all zero.
limb_status limb_reference_open(const limb_model* m, const double* q, const double* v, const double* a,
                                const limb_environment* env, size_t size, limb_environment* e, limb_memory* memory);

// e^{[A] theta} for a twist with unit or zero angular part: Park, Bobrow, Ploen 1995, (15)-(17).
sp_pose limb_reference_exp(sp_motion A, double theta);

// The k-th unit motion, angular first.
sp_motion limb_reference_unit(int k);

// Pose and columns of a joint at the user's q.
limb_reference_joint limb_reference_joint_at(const limb_joint* joint, const double* q);

// The columns of a joint in the world, at home: S_k = Ad_M B_k for a body with the home pose M. Their number.
int limb_reference_screws(const limb_joint* joint, sp_pose M, sp_motion S[6]);

// A x: the joint's columns times its part of the user's velocities or accelerations.
sp_motion limb_reference_joint_times(const limb_reference_joint* J, const double* x);

// (dA/dt) v: how the columns of a compound joint turn under its own velocity.
sp_motion limb_reference_joint_drift(const limb_reference_joint* J, const double* v);

// Adds sign times the wrenches and force laws of the environment to F, each in the coordinates of its body; T, V: poses
// of the bodies in the world, and their twists against inertial space.
limb_status limb_reference_wrenches(const limb_model* m, const sp_pose* T, const sp_motion* V,
                                    const limb_environment* env, double sign, sp_force* F);

// The inertia that entry k of the velocity of a joint feels of its rotors, per unit of the independent velocity.
double limb_reference_rotor(const limb_joint* joint, int k);

// Adds what friction and springs, and with a also the rotors, ask of the actuators: nv, in the independent
// coordinates.
void limb_reference_actuators(const limb_model* m, const double* q, const double* v, const double* a,
                              const limb_environment* env, double* tau);

#endif
