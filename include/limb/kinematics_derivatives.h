// limb: robot dynamics in C. First derivatives of poses, velocities, accelerations, Jacobians, the centre
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
#ifndef LIMB_KINEMATICS_DERIVATIVES_H
#define LIMB_KINEMATICS_DERIVATIVES_H

#include "limb/kinematics.h"

#ifdef __cplusplus
extern "C" {
#endif

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
