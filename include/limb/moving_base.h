// limb: robot dynamics in C. Robots whose base floats: what joint motion does to it, and how not to.
//
// The base are the degrees of freedom whose force is given; the arm are those that move as they are told:
// marks of limb/hybrid.h. NULL stands here for those of limb_mark_base, which leaves elastic joints to the
// arm. A base may be free, planar, or any joint; there may be several. Nothing here needs it to be near the
// root: a passive joint anywhere answers to the same equations. With b for base and m for arm,
//
//     M_bb v_b + M_bm v_m = p_b         the base's share of the generalised momentum p = M v
//
// Base acceleration and joint torques of a given joint motion are limb_hybrid_dynamics; the motion under
// given torques is limb_forward_dynamics; a base whose own motion is given is either marked so, or is the
// world body with base_velocity and base_acceleration of limb_environment.
//
// nb and nm are the numbers of base and arm velocities, nb + nm = nv, in the order of v. Calls never
// allocate; statuses as in limb/dynamics.h, and LIMB_E_SINGULAR when M_bb, where it is inverted, is not
// positive definite to working precision.
#ifndef LIMB_MOVING_BASE_H
#define LIMB_MOVING_BASE_H

#include "limb/hybrid.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Marks of the base: force-given are the passive joints between the world and the first joints, seen from
/// there, that have a motor or a shaft, or that loops hold.
/// @param given  nv marks (output)
/// @return LIMB_OK or LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_mark_base(const limb_model* m, unsigned char* given);

/// Numbers of scratch that the calls below want. 0 for NULL.
LIMB_API size_t limb_moving_base_work(const limb_model* m);

/// Completes velocities so that the momentum of the base coordinates is p_b: v_b = M_bb^-1 (p_b - M_bm v_m).
/// Free floating without external forces, p_b in the axes of the world is conserved; p_b = 0 is a robot that
/// started at rest.
/// @param v    nv: the arm's are read, the base's are written (in and out); untouched on failure
/// @param p_b  nb; NULL: zero
/// @param work limb_moving_base_work() numbers
LIMB_NODISCARD LIMB_API limb_status limb_velocity_from_momentum(limb_data* d, const double* q,
                                                                const unsigned char* given, const double* p_b,
                                                                double* work, double* v);

/// Generalised Jacobian of a frame (Umetani, Yoshida 1989): J* = J_m - J_b M_bb^-1 M_bm. With no momentum the
/// frame's velocity is J* v_m; in general J* v_m + J_b M_bb^-1 p_b.
/// @param J  nm motion columns, in the order of the arm's velocities (output)
LIMB_NODISCARD LIMB_API limb_status limb_generalized_jacobian(limb_data* d, const double* q, const unsigned char* given,
                                                              int frame, limb_ref ref, double* work, sp_motion* J);

/// Reaction-null space (Nenchev, Umetani, Yoshida 1992): joint velocities that leave the base alone,
/// M_bm v_m = 0. P = 1 - M_bm^+ M_bm projects any joint velocity on them.
/// @param P     nm x nm (output)
/// @param rank  of M_bm: nm - rank motions do not disturb the base (output, may be NULL). Singular values
///              below 1e-10 of the largest count as zero, angles and lengths taken as they are.
/// @return also LIMB_E_NOCONV when the singular values are not found.
LIMB_NODISCARD LIMB_API limb_status limb_reaction_null_space(limb_data* d, const double* q, const unsigned char* given,
                                                             double* work, double* P, int* rank);

#ifdef __cplusplus
}
#endif

#endif
