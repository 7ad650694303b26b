// limb: robot dynamics in C. Poses, velocities, accelerations, Jacobians, centre of mass, momentum.
//
// limb_kinematics() computes, the other calls read what it left in the workspace and return
// LIMB_E_ORDER when it has not been called (or not with the velocity or acceleration they need), or has
// refused its last input.
// Dynamics calls do not disturb it. No call allocates; threads share the model, not the workspace.
#ifndef LIMB_KINEMATICS_H
#define LIMB_KINEMATICS_H

#include "limb/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// In which axes and at which point a spatial vector of a frame is taken.
typedef enum limb_ref {
  LIMB_BODY = 0,   ///< axes and origin of the frame
  LIMB_WORLD = 1,  ///< axes and origin of the world
  LIMB_ALIGNED = 2 ///< axes of the world, origin of the frame
} limb_ref;

/// Forward kinematics of every body.
/// @param q  nq values [rad, m]; a quaternion is normalised on use and must have a norm within 1e-3
///           of 1
/// @param v  nv values, or NULL: positions only
/// @param a  nv values, or NULL: no accelerations (needs v)
/// @return LIMB_OK; LIMB_E_ARG (NULL d or q, a without v, quaternion norm); LIMB_E_NONFINITE.
/// O(n). Reference: Khalil 2010, section 3; docs/theory.md.
LIMB_NODISCARD LIMB_API limb_status limb_kinematics(limb_data* d, const double* q, const double* v, const double* a);

/// Pose of a frame in the world. LIMB_E_ARG (NULL, index), LIMB_E_ORDER.
LIMB_NODISCARD LIMB_API limb_status limb_frame_pose(const limb_data* d, int frame, sp_pose* out);

/// Velocity of a frame.
LIMB_NODISCARD LIMB_API limb_status limb_frame_velocity(const limb_data* d, int frame, limb_ref ref, sp_motion* out);

/// Spatial acceleration of a frame: the derivative of its BODY or WORLD twist as a spatial vector.
/// ALIGNED is the same vector, moved to the frame's origin.
LIMB_NODISCARD LIMB_API limb_status limb_frame_acceleration(const limb_data* d, int frame, limb_ref ref,
                                                            sp_motion* out);

/// Classical acceleration of a frame: angular acceleration, and the acceleration of its origin (for
/// WORLD: of the body-fixed point that is at the world's origin).
LIMB_NODISCARD LIMB_API limb_status limb_frame_classical_acceleration(const limb_data* d, int frame, limb_ref ref,
                                                                      sp_motion* out);

/// Frame Jacobian: velocity = sum over k of J[k] v_k.
/// @param J  nv motion columns (output)
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian(const limb_data* d, int frame, limb_ref ref, sp_motion* J);

/// Time derivative of the components of that Jacobian. Needs velocities.
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian_rate(const limb_data* d, int frame, limb_ref ref,
                                                             sp_motion* Jdot);

/// Jdot v, without forming Jdot: what the acceleration has besides J a. For BODY and WORLD J a + Jdot v
/// is the spatial acceleration, for ALIGNED the classical one. Needs velocities. O(1): limb_kinematics
/// has left what it takes.
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian_rate_times_v(const limb_data* d, int frame, limb_ref ref,
                                                                     sp_motion* out);

/// Centre of mass of all bodies that can move and those that cannot: position, and velocity and
/// acceleration when limb_kinematics had them (LIMB_E_ORDER when asked for otherwise). Outputs may be NULL.
/// @return LIMB_E_SINGULAR when the total mass is zero.
LIMB_NODISCARD LIMB_API limb_status limb_center_of_mass(const limb_data* d, sp_vec3* position, sp_vec3* velocity,
                                                        sp_vec3* acceleration);

/// Jacobian of the centre of mass: its velocity = sum over k of J[k] v_k.
LIMB_NODISCARD LIMB_API limb_status limb_center_of_mass_jacobian(limb_data* d, sp_vec3* J);

/// Momentum of the whole robot: about the world's origin, or (centroidal) about the centre of mass, in
/// world axes [kg m^2/s, kg m/s]. Needs velocities. Rotor inertias are not part of it.
/// @return also LIMB_E_SINGULAR for a centroidal momentum when the total mass is zero.
LIMB_NODISCARD LIMB_API limb_status limb_momentum(const limb_data* d, int centroidal, sp_force* out);

/// Its time derivative. Needs accelerations.
LIMB_NODISCARD LIMB_API limb_status limb_momentum_rate(const limb_data* d, int centroidal, sp_force* out);

/// Centroidal momentum matrix: momentum = sum over k of A[k] v_k.
/// @param A  nv force columns (output)
LIMB_NODISCARD LIMB_API limb_status limb_momentum_matrix(limb_data* d, int centroidal, sp_force* A);

#ifdef __cplusplus
}
#endif

#endif
