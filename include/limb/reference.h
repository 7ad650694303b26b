// limb: robot dynamics in C. The same dynamics in the papers' own form, to check the fast kernels by.
//
// These follow seeds 000 and 004 line by line (corrected where the errata say so), on the robot as it
// was described: nothing merged, lowered, re-framed or regrouped. Every joint type, mimic included.
// They allocate, and are meant to be read, not raced. Threads share the model.
#ifndef LIMB_REFERENCE_H
#define LIMB_REFERENCE_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Inverse dynamics in body twists (Ad, ad): seed 000 (9.53)-(9.61), seed 004 (22)-(27), for trees.
/// @param reactions  wrench on every body by its joint, body axes and origin: one per body (zero for the
///                   world), or NULL
LIMB_NODISCARD LIMB_API limb_status limb_reference_inverse_dynamics(
  const limb_model* m, const double* q, const double* v, const double* a,
  const limb_environment* env, double* tau, sp_force* reactions);

/// Closed form of seed 000 (9.82)-(9.84): M = A' L' G L A, c and g by stacked matrices. O(n^3) time,
/// O(n^2) memory. Any output may be NULL.
/// @param M  nv x nv with rotor inertias
/// @param c  C v, with what a moving base adds
/// @param g  gravity forces alone
LIMB_NODISCARD LIMB_API limb_status limb_reference_closed_form(const limb_model* m, const double* q,
                                                               const double* v,
                                                               const limb_environment* env,
                                                               double* M, double* c, double* g);

/// Pose of every body in the world by the product of exponentials; one per body.
LIMB_NODISCARD LIMB_API limb_status limb_reference_poses(const limb_model* m, const double* q,
                                                         sp_pose* poses);

#ifdef __cplusplus
}
#endif

#endif
