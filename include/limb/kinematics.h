// limb: robot dynamics in C. Kinematics: poses, velocities, accelerations, Jacobians, centre of mass, momentum.
//
//     if (limb_kinematics(d, q, v, NULL) != LIMB_OK) return 1;
//     if (limb_frame_pose(d, tool, &pose) != LIMB_OK) return 1;
//     if (limb_frame_jacobian(d, tool, LIMB_ALIGNED, J) != LIMB_OK) return 1;
//
// limb_kinematics() computes the motion of all bodies and stores it in the workspace; the other calls read it. They
// return LIMB_E_ORDER if it was not called, was not given the velocities or accelerations that they need, or failed.
// Dynamics calls do not change the stored motion. No call allocates. Threads share the model, not the workspace.
//
// Unless stated otherwise, calls return LIMB_OK; LIMB_E_ARG (NULL, no such frame or reference); LIMB_E_ORDER;
// LIMB_E_NONFINITE (a result that is not finite).
//
// Robots with loops: states must close the loops (not checked). Columns of Jacobians are those of the independent
// velocities with the loops closed; columns of dependent velocities are zero. The analytic derivatives in the second
// part return LIMB_E_UNSUPPORTED; use limb_spanning_tree.
#ifndef LIMB_KINEMATICS_H
#define LIMB_KINEMATICS_H

#include "limb/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Axes and reference point of the spatial vectors of a frame.
typedef enum limb_ref {
  LIMB_BODY = 0,   ///< axes and origin of the frame
  LIMB_WORLD = 1,  ///< axes and origin of the world
  LIMB_ALIGNED = 2 ///< axes of the world, origin of the frame
} limb_ref;

/// Forward kinematics of all bodies. O(n). Reference: Khalil 2010, section 3; docs/theory.md.
/// @param q  nq [rad, m]; quaternions are normalised and must have a norm within 1e-3 of 1
/// @param v  nv [rad/s, m/s]; NULL: positions only
/// @param a  nv [rad/s^2, m/s^2], requires v; NULL: no accelerations
/// @return LIMB_OK; LIMB_E_ARG (d or q is NULL, a without v, norm of a quaternion); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_kinematics(limb_data* d, const double* q, const double* v, const double* a);

/// Pose of a frame in the world.
LIMB_NODISCARD LIMB_API limb_status limb_frame_pose(const limb_data* d, int frame, sp_pose* out);

/// Velocity of a frame. Needs velocities.
LIMB_NODISCARD LIMB_API limb_status limb_frame_velocity(const limb_data* d, int frame, limb_ref ref, sp_motion* out);

/// Spatial acceleration of a frame: the derivative of its BODY or WORLD twist as a spatial vector; ALIGNED is the same
/// vector, moved to the origin of the frame. Needs accelerations.
LIMB_NODISCARD LIMB_API limb_status limb_frame_acceleration(const limb_data* d, int frame, limb_ref ref,
                                                            sp_motion* out);

/// Classical acceleration of a frame: angular acceleration, and the acceleration of its origin (for WORLD: of the
/// body-fixed point that is at the origin of the world). Needs accelerations.
LIMB_NODISCARD LIMB_API limb_status limb_frame_classical_acceleration(const limb_data* d, int frame, limb_ref ref,
                                                                      sp_motion* out);

/// Frame Jacobian: velocity = sum over k of J[k] v_k.
/// @param J  nv motion columns (output)
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian(const limb_data* d, int frame, limb_ref ref, sp_motion* J);

/// The same at q, without limb_kinematics: only the joints between the frame and the world are computed. What
/// limb_kinematics has found stays. O(nv + depth).
/// @param q  nq [rad, m], as for limb_kinematics
/// @return also LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian_at(limb_data* d, const double* q, int frame, limb_ref ref,
                                                           sp_motion* J);

/// Time derivative of the components of limb_frame_jacobian. Needs velocities.
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian_rate(const limb_data* d, int frame, limb_ref ref,
                                                             sp_motion* Jdot);

/// Jdot v, without forming Jdot: the part of the acceleration that does not depend on a. J a + Jdot v is the spatial
/// acceleration for BODY and WORLD, and the classical one for ALIGNED. Needs velocities. O(1) for trees, because
/// limb_kinematics computes it.
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian_rate_times_v(const limb_data* d, int frame, limb_ref ref,
                                                                     sp_motion* out);

/// Centre of mass of all bodies, those fixed to the world included: position, velocity (needs velocities) and
/// acceleration (needs accelerations). NULL: not computed.
/// @return also LIMB_E_SINGULAR (the total mass is zero).
LIMB_NODISCARD LIMB_API limb_status limb_center_of_mass(const limb_data* d, sp_vec3* position, sp_vec3* velocity,
                                                        sp_vec3* acceleration);

/// Jacobian of the centre of mass: its velocity = sum over k of J[k] v_k.
/// @return also LIMB_E_SINGULAR (the total mass is zero).
LIMB_NODISCARD LIMB_API limb_status limb_center_of_mass_jacobian(limb_data* d, sp_vec3* J);

/// Momentum of the robot in world axes [kg m^2/s, kg m/s]: about the world's origin or, if centroidal is not 0, about
/// the centre of mass. Needs velocities. Rotor inertias are not included.
/// @return also LIMB_E_SINGULAR (centroidal, and the total mass is zero).
LIMB_NODISCARD LIMB_API limb_status limb_momentum(const limb_data* d, int centroidal, sp_force* out);

/// Time derivative of limb_momentum. Needs accelerations.
/// @return as limb_momentum.
LIMB_NODISCARD LIMB_API limb_status limb_momentum_rate(const limb_data* d, int centroidal, sp_force* out);

/// Momentum matrix: momentum = sum over k of A[k] v_k.
/// @param A  nv force columns (output)
/// @return as limb_momentum.
LIMB_NODISCARD LIMB_API limb_status limb_momentum_matrix(limb_data* d, int centroidal, sp_force* A);

/// The same at q, without limb_kinematics, in less time than both; what limb_kinematics has found stays. O(n).
/// @param q  nq [rad, m], as for limb_kinematics
/// @return also LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_momentum_matrix_at(limb_data* d, const double* q, int centroidal, sp_force* A);

/// The motion of all bodies at once. Set the pointers before the call; NULL: not computed. Arrays have one entry per
/// body, the world first.
typedef struct limb_body_motions {
  sp_pose* pose;           ///< limb_frame_pose
  sp_motion* velocity;     ///< limb_frame_velocity. Needs velocities
  sp_motion* acceleration; ///< J a + Jdot v: limb_frame_acceleration, for LIMB_ALIGNED the classical one. Needs
                           ///< accelerations
  sp_force* net_wrench;    ///< I a + v x* I v, the rate of the body's momentum: the sum of all wrenches on it, weight
                           ///< and reactions included. Needs accelerations
  sp_motion* J;            ///< nv columns per body: limb_frame_jacobian
} limb_body_motions;

/// O(n), with J O(n nv).
LIMB_NODISCARD LIMB_API limb_status limb_get_body_motions(const limb_data* d, limb_ref ref,
                                                          const limb_body_motions* out);

// ---- first derivatives, analytic --------------------------------------------------------------------
//
// A derivative with respect to q is taken along the tangent: entry k is the change per unit of v_k, so ball and free
// joints have as many entries as velocities (q (+) dq of limb/model.h). The components of v and a are held constant.
// The derivatives are those of the components in the given reference: BODY axes turn with the frame, and the reference
// point of ALIGNED moves with its origin. Entries of joints that do not move the frame are zero; the entry of a joint
// includes those of its mimic joints.
//
// Outputs have nv entries unless stated otherwise; NULL: not computed.

/// limb_frame_pose: out[k].R = dR/dq_k (not a rotation, but the derivative of one) and out[k].p = dp/dq_k.
/// O(nv + depth).
LIMB_NODISCARD LIMB_API limb_status limb_frame_pose_derivative(const limb_data* d, int frame, sp_pose* out);

/// limb_frame_velocity: d/dq, and d/dv, which is the Jacobian. Needs velocities. O(nv + depth).
LIMB_NODISCARD LIMB_API limb_status limb_frame_velocity_derivatives(const limb_data* d, int frame, limb_ref ref,
                                                                    sp_motion* dq, sp_motion* dv);

/// limb_frame_acceleration (spatial): d/dq, d/dv, and d/da, which is the Jacobian. Needs accelerations. O(nv + depth).
LIMB_NODISCARD LIMB_API limb_status limb_frame_acceleration_derivatives(const limb_data* d, int frame, limb_ref ref,
                                                                        sp_motion* dq, sp_motion* dv, sp_motion* da);

/// limb_frame_classical_acceleration: the same. O(nv + depth).
LIMB_NODISCARD LIMB_API limb_status limb_frame_classical_acceleration_derivatives(const limb_data* d, int frame,
                                                                                  limb_ref ref, sp_motion* dq,
                                                                                  sp_motion* dv, sp_motion* da);

/// Kinematic Hessian: out[k nv + j] = dJ_j/dq_k of limb_frame_jacobian. Its contraction over k with v is
/// limb_frame_jacobian_rate. O(nv^2 + depth^2).
/// @param out  nv x nv motions (output)
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian_derivative(const limb_data* d, int frame, limb_ref ref,
                                                                   sp_motion* out);

/// The Hessian times a vector, without forming it: out[k] = d(J x)/dq_k at constant x. O(nv + depth).
/// @param x  nv
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian_derivative_times(const limb_data* d, int frame, limb_ref ref,
                                                                         const double* x, sp_motion* out);

/// The Hessian times a force: out(j, k) = d(J' f)_j/dq_k at constant components of f. This is the stiffness that a load
/// adds to the joints. O(nv^2 + depth^2).
/// @param out  nv x nv (output)
LIMB_NODISCARD LIMB_API limb_status limb_frame_jacobian_derivative_transposed(const limb_data* d, int frame,
                                                                              limb_ref ref, sp_force f, double* out);

/// Velocity and acceleration of the centre of mass: dv_dq needs velocities, da_dq and da_dv need accelerations. The
/// derivatives of position by q, velocity by v and acceleration by a are limb_center_of_mass_jacobian. O(n).
/// @return also LIMB_E_SINGULAR (the total mass is zero).
LIMB_NODISCARD LIMB_API limb_status limb_center_of_mass_derivatives(limb_data* d, sp_vec3* dv_dq, sp_vec3* da_dq,
                                                                    sp_vec3* da_dv);

/// limb_momentum: d/dq. Its derivative by v is limb_momentum_matrix. Needs velocities. O(n).
/// @return also LIMB_E_SINGULAR (centroidal, and the total mass is zero).
LIMB_NODISCARD LIMB_API limb_status limb_momentum_derivative(limb_data* d, int centroidal, sp_force* dq);

/// limb_momentum_rate: d/dq and d/dv. Its derivative by a is limb_momentum_matrix. Needs accelerations. O(n).
/// @return also LIMB_E_SINGULAR (centroidal, and the total mass is zero).
LIMB_NODISCARD LIMB_API limb_status limb_momentum_rate_derivatives(limb_data* d, int centroidal, sp_force* dq,
                                                                   sp_force* dv);

#ifdef __cplusplus
}
#endif

#endif
