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

// ---- first derivatives, analytic --------------------------------------------------------------------
//
// First derivatives of poses, velocities, accelerations, Jacobians, the centre
// of mass and the momentum, analytic.
//
// The calls read what limb_kinematics() left in the workspace, as those of limb/kinematics.h do, and
// return LIMB_E_ORDER when it has not been called with the velocity or acceleration they need.
//
// A derivative with respect to q is one along the tangent: entry k is what changes per unit of v_k, so
// ball and free joints have as many entries as velocities (q (+) dq of limb/model.h). Held fixed are the
// components of v and a. What is differentiated are the components in the reference named: those of BODY
// turn with the frame, those of ALIGNED move with its origin. Joints that do not move the frame have zero
// entries; a joint that others mimic collects theirs.
//
// Outputs hold nv entries each unless said otherwise; what is NULL is not wanted. Nothing allocates.
// LIMB_E_ARG for a NULL workspace, a bad frame index or reference, LIMB_E_NONFINITE for a result that is
// not finite.

/// Pose of a frame in the world: out[k].R = dR/dq_k, no rotation but the change of one, and out[k].p =
/// dp/dq_k. O(nv + depth).
LIMB_NODISCARD LIMB_API limb_status limb_frame_pose_derivative(const limb_data* d, int frame, sp_pose* out);

/// limb_frame_velocity: d/dq, and d/dv, which is the Jacobian. Needs velocities. O(nv + depth).
LIMB_NODISCARD LIMB_API limb_status limb_frame_velocity_derivatives(const limb_data* d, int frame, limb_ref ref,
                                                                    sp_motion* dq, sp_motion* dv);

/// limb_frame_acceleration, the spatial one: d/dq, d/dv, and d/da, which is the Jacobian. Needs
/// accelerations. O(nv + depth).
LIMB_NODISCARD LIMB_API limb_status limb_frame_acceleration_derivatives(const limb_data* d, int frame, limb_ref ref,
                                                                        sp_motion* dq, sp_motion* dv, sp_motion* da);

/// limb_frame_classical_acceleration, the same. J a + Jdot v is the spatial acceleration for BODY and
/// WORLD and this one for ALIGNED.
LIMB_NODISCARD LIMB_API limb_status limb_frame_classical_acceleration_derivatives(const limb_data* d, int frame,
                                                                                  limb_ref ref, sp_motion* dq,
                                                                                  sp_motion* dv, sp_motion* da);

/// Kinematic Hessian: out[k nv + j] = dJ_j/dq_k of limb_frame_jacobian.
/// @param out  nv x nv motions
/// O(nv^2 + depth^2). Contracted over k with v it is limb_frame_jacobian_rate.
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian_derivative(const limb_data* d, int frame, limb_ref ref,
                                                                   sp_motion* out);

/// The Hessian times a vector, without forming it: out[k] = d(J x)/dq_k with x held fixed.
/// @param x  nv numbers
/// O(nv + depth).
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian_derivative_times(const limb_data* d, int frame, limb_ref ref,
                                                                         const double* x, sp_motion* out);

/// The Hessian times a force: row j, column k of out is d(J' f)_j/dq_k with the components of f held
/// fixed, the stiffness that a load brings into the joints.
/// @param out  nv x nv
/// O(nv^2 + depth^2).
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian_derivative_transposed(const limb_data* d, int frame,
                                                                              limb_ref ref, sp_force f, double* out);

/// Velocity and acceleration of the centre of mass: dv_dq needs velocities, da_dq and da_dv
/// accelerations. Its position by q, velocity by v and acceleration by a are
/// limb_center_of_mass_jacobian. O(n).
/// @return LIMB_E_SINGULAR when the total mass is zero.
LIMB_NODISCARD LIMB_API limb_status limb_center_of_mass_derivatives(limb_data* d, sp_vec3* dv_dq, sp_vec3* da_dq,
                                                                    sp_vec3* da_dv);

/// limb_momentum: d/dq. By v it is limb_momentum_matrix. Needs velocities. O(n).
/// @return also LIMB_E_SINGULAR for a centroidal momentum when the total mass is zero.
LIMB_NODISCARD LIMB_API limb_status limb_momentum_derivative(limb_data* d, int centroidal, sp_force* dq);

/// limb_momentum_rate: d/dq and d/dv. By a it is limb_momentum_matrix. Needs accelerations. O(n).
/// @return also LIMB_E_SINGULAR for a centroidal momentum when the total mass is zero.
LIMB_NODISCARD LIMB_API limb_status limb_momentum_rate_derivatives(limb_data* d, int centroidal, sp_force* dq,
                                                                   sp_force* dv);

#ifdef __cplusplus
}
#endif

#endif
