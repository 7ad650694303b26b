// limb: robot dynamics in C. The same dynamics in the papers' own form, to check the fast kernels by.
//
// These follow Lynch and Park 2017, Khalil 2010 and Park, Bobrow, Ploen 1995 line by line, as corrected in
// docs/books.md, on the robot as it was described: nothing merged, lowered, re-framed or regrouped. Every joint type,
// mimic included. They allocate, and are meant to be read, not raced. Threads share the model.
#ifndef LIMB_REFERENCE_H
#define LIMB_REFERENCE_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Inverse dynamics in body twists (Ad, ad): Lynch and Park 2017, (9.53)-(9.61);
/// Park, Bobrow, Ploen 1995, (22)-(27), for trees.
/// @param reactions  wrench on every body by its joint, body axes and origin: one per body (zero for the
///                   world), or NULL
LIMB_NODISCARD LIMB_API limb_status limb_reference_inverse_dynamics(const limb_model* m, const double* q,
                                                                    const double* v, const double* a,
                                                                    const limb_environment* env, double* tau,
                                                                    sp_force* reactions);

/// Closed form of Lynch and Park 2017, (9.82)-(9.84): M = A' L' G L A, c and g by stacked matrices. O(n^3) time,
/// O(n^2) memory. Any output may be NULL.
/// @param M  nv x nv with rotor inertias
/// @param c  C v, with what a moving base adds
/// @param g  gravity forces alone
LIMB_NODISCARD LIMB_API limb_status limb_reference_closed_form(const limb_model* m, const double* q, const double* v,
                                                               const limb_environment* env, double* M, double* c,
                                                               double* g);

/// Known and unknown joints, Khalil 2010, (72)-(82) and, for robots without known ones, (36)-(43), corrected:
/// what limb_hybrid_dynamics (limb/hybrid.h) computes, in Khalil's classical accelerations. Joints with
/// more columns than one have a matrix H_j instead of a number.
/// @param given  nv marks; NULL: limb_mark_passive
/// @param x      nv: accelerations and forces, as the marks say
/// @param a,tau  nv each, complete (output)
/// @return also LIMB_E_UNSUPPORTED when the force of a joint with mimic joints is given, LIMB_E_SINGULAR
///         when the mass matrix of the force-given ones is not positive definite to working precision.
LIMB_NODISCARD LIMB_API limb_status limb_reference_hybrid(const limb_model* m, const double* q, const double* v,
                                                          const unsigned char* given, const double* x,
                                                          const limb_environment* env, double* a, double* tau);

/// What Khalil 2010, section 7, says of a moving base, in the axes and at the origin of its body.
typedef struct limb_reference_base {
  sp_motion acceleration; ///< angular, and classical linear of the origin; true: gravity included
  sp_force J[6];          ///< columns of J_0^c (95) or J_0^* (105), by unit motions, angular first
  sp_force beta;          ///< beta_0^c (96) or beta_0^* (108)
} limb_reference_base;

/// Moving base, inverse, Khalil 2010, (89)-(100): base acceleration and joint forces of a joint motion. The one
/// joint on the world must be free, and nothing drives it.
/// @param a     nv: the joints' are read, the base's are written (in and out)
/// @param tau   nv; zero for the base (output)
/// @param base  NULL: not wanted
/// @return also LIMB_E_UNSUPPORTED for another base, LIMB_E_SINGULAR for one that has no inertia.
LIMB_NODISCARD LIMB_API limb_status limb_reference_moving_base_inverse(const limb_model* m, const double* q,
                                                                       const double* v, double* a,
                                                                       const limb_environment* env, double* tau,
                                                                       limb_reference_base* base);

/// Moving base, direct, Khalil 2010, (101)-(112): accelerations under joint forces.
/// @param tau   nv; those of the base are not looked at
/// @param a     nv (output)
/// @return as limb_reference_hybrid and limb_reference_moving_base_inverse.
LIMB_NODISCARD LIMB_API limb_status limb_reference_moving_base_direct(const limb_model* m, const double* q,
                                                                      const double* v, const double* tau,
                                                                      const limb_environment* env, double* a,
                                                                      limb_reference_base* base);

/// Pose of every body in the world by the product of exponentials; one per body.
LIMB_NODISCARD LIMB_API limb_status limb_reference_poses(const limb_model* m, const double* q, sp_pose* poses);

#ifdef __cplusplus
}
#endif

#endif
