// limb: robot dynamics in C. Inverse and forward dynamics of trees, and their parts.
//
//     tau = M(q) a + h(q, v) + friction(v) + springs(q) - sum J' wrench,     h = C v + g
//
// tau is what the actuators deliver. M contains the reflected rotor inertias. All calls are pure in
// their arguments, never allocate, lock, print or read the locale; threads share the model, not the
// workspace. Sizes: q nq, v a tau nv, matrices nv x nv row-major and full. Inputs must not overlap
// outputs. Every call returns LIMB_E_ARG for NULL, a bad frame index, or a quaternion whose norm is
// more than 1e-3 off 1, and LIMB_E_NONFINITE for NaN or infinity in an input or result; outputs are
// then unspecified.
#ifndef LIMB_DYNAMICS_H
#define LIMB_DYNAMICS_H

#include "limb/kinematics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A wrench that acts ON the robot, at the origin of a frame (LIMB_WORLD: at the world's origin).
typedef struct limb_wrench {
  int frame; ///< body or added frame
  limb_ref ref;
  sp_force wrench;
} limb_wrench;

/// The wrench on the robot when the tip exerts F_tip on its surroundings: Lynch and Park 2017, Zhang, Khalil 2010.
LIMB_API limb_wrench limb_wrench_by_tip(int frame, limb_ref ref, sp_force F_tip);

/// What a frame does when a force law is asked: pose in the world; velocity of the frame against inertial
/// space (the base's own motion included), in the law's reference.
typedef struct limb_frame_state {
  int frame;
  sp_pose pose;
  limb_ref ref;
  sp_motion velocity;
} limb_frame_state;

/// The wrench ON the robot, at the origin of the frame (LIMB_WORLD: of the world), in the reference of
/// `at`. Called from inside hot calls: it must not call back with the same limb_data. A result that is not
/// finite ends the call with LIMB_E_NONFINITE.
typedef sp_force limb_force_fn(void* context, const limb_frame_state* at);

/// A force from the surroundings that depends on where a frame is and how it moves: water, ground, a tether.
typedef struct limb_force_law {
  int frame; ///< body or added frame
  limb_ref ref;
  limb_force_fn* force;
  void* context; ///< handed on
} limb_force_law;

/// What surrounds the robot in one call. Start from limb_default_environment().
typedef struct limb_environment {
  size_t size;                 ///< sizeof(limb_environment), set by the default function
  sp_vec3 gravity;             ///< acceleration of gravity, world axes [m/s^2]
  sp_motion base_velocity;     ///< of the world body, in its own axes; default 0
  sp_motion base_acceleration; ///< angular, and classical linear of its origin, own axes; default 0
  int nwrench;
  const limb_wrench* wrench; ///< nwrench of them; NULL when there are none
  int friction;              ///< 0: leave Coulomb and viscous friction and damping out; default 1
  double coulomb_width;      ///< > 0: Fs tanh(v / width) instead of Fs sign(v); default 0. sign(0) = 0
  /// Force laws act wherever wrenches do; derivatives are LIMB_E_UNSUPPORTED with them (see
  /// limb_force_law_wrenches).
  int nlaw;
  const limb_force_law* law; ///< nlaw of them; NULL when there are none
  double time;               ///< of the prescribed motions of loops (limb/loops.h) [s]; default 0
} limb_environment;

LIMB_API limb_environment limb_default_environment(const limb_model* m);

/// The force laws of env as plain wrenches, for the state q, v: to look at, or to hold fixed in calls that
/// do not take laws. O(n).
/// @param out  env->nlaw wrenches (output)
LIMB_NODISCARD LIMB_API limb_status limb_force_law_wrenches(limb_data* d, const double* q, const double* v,
                                                            const limb_environment* env, limb_wrench* out);

/// Inverse dynamics (recursive Newton-Euler), O(n). env NULL: the default environment.
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics(limb_data* d, const double* q, const double* v,
                                                          const double* a, const limb_environment* env, double* tau);

/// h(q, v) = C v + g: no friction, springs, wrenches or force laws. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_bias_forces(limb_data* d, const double* q, const double* v,
                                                     const limb_environment* env, double* tau);

/// g(q). Base motion, wrenches and force laws of env must be valid, but do not enter. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_gravity_forces(limb_data* d, const double* q, const limb_environment* env,
                                                        double* tau);

/// Fs sign(v) + Fv v and the damping of shafts, as felt by the actuators. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_friction_forces(limb_data* d, const double* v, const limb_environment* env,
                                                         double* tau);

/// k (q - rest) and the springs of shafts, as felt by the actuators. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_spring_forces(limb_data* d, const double* q, double* tau);

/// Mass matrix with rotor inertias (composite rigid bodies), O(n depth).
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix(limb_data* d, const double* q, double* M);

/// Coriolis matrix C(q, v) for a base at rest: C v are the Coriolis and centrifugal forces, dM/dt - 2 C is
/// skew, and for joints with one degree of freedom C consists of Christoffel symbols. Rotors do not enter.
/// limb_coriolis_matrix_christoffel (limb/lagrange.h) is the other choice for ball and free joints.
/// LIMB_E_UNSUPPORTED beyond LIMB_DERIVATIVES_MAX velocities (limb/derivatives.h). O(n depth).
LIMB_NODISCARD LIMB_API limb_status limb_coriolis_matrix(limb_data* d, const double* q, const double* v, double* C);

/// Forward dynamics, O(n): articulated bodies (ABA); robots with mimic joints go through M and its
/// tree-sparse factors instead. At v = 0 Coulomb friction is zero (sign(0) = 0):
/// there is no stiction here; a joint at rest starts to move under the smallest torque.
/// @return also LIMB_E_SINGULAR when M is not positive definite to working precision.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics(limb_data* d, const double* q, const double* v,
                                                          const double* tau, const limb_environment* env, double* a);

/// The same by the articulated-body algorithm, whatever the robot; LIMB_E_UNSUPPORTED with mimic
/// joints.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_aba(limb_data* d, const double* q, const double* v,
                                                              const double* tau, const limb_environment* env,
                                                              double* a);

/// The same through M and L'DL (GetJointAccel of Lynch and Park 2017, brute force of Ghosal 2010).
/// @param work  nv x nv scratch
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_by_mass_matrix(limb_data* d, const double* q, const double* v,
                                                                         const double* tau, const limb_environment* env,
                                                                         double* work, double* a);

/// M^-1, full. O(n depth^2), or O(n^2) for long chains.
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_inverse(limb_data* d, const double* q, double* Minv);

/// X = M^-1 B for count vectors: row k of B and X (length nv) is the k-th; X may be B. Through the factors
/// of M, O(sum of depth^2) once and O(sum of depths) each; for long chains by articulated bodies, O(n)
/// each.
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_solve(limb_data* d, const double* q, int count, const double* B,
                                                           double* X);

/// Energies [J]. That of gravity is zero for bodies at the world's origin.
typedef struct limb_energy {
  double kinetic; ///< rotors included: v' M v / 2
  double gravity; ///< -sum m g . c, of moving bodies and those fixed to the world
  double springs; ///< k (q - rest)^2 / 2, and of shafts k (q_motor / ratio - q_joint - rest)^2 / 2
} limb_energy;

/// Base motion, wrenches and force laws of env must be valid, but do not enter. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_energies(limb_data* d, const double* q, const double* v,
                                                  const limb_environment* env, limb_energy* out);

/// Where power goes [W]: actuators + wrenches + closures = kinetic + gravity + springs + friction for a base at
/// rest; residual is the difference, zero up to rounding.
typedef struct limb_power {
  double actuators, wrenches;       ///< supplied; force laws count as wrenches
  double kinetic, gravity, springs; ///< rates of the energies
  double friction;                  ///< dissipated, >= 0
  double residual;
  double closures; ///< supplied by loops whose motion is prescribed; else zero up to rounding
} limb_power;

/// Power balance of a motion: tau is computed by inverse dynamics. Base motion must be zero
/// (LIMB_E_ARG otherwise).
LIMB_NODISCARD LIMB_API limb_status limb_power_balance(limb_data* d, const double* q, const double* v, const double* a,
                                                       const limb_environment* env, limb_power* out);

/// The six-axis wrench that each joint transmits from parent to child, fixed joints included.
/// @param ref  LIMB_BODY: axes of the joint frame on the child's side, at its origin; LIMB_ALIGNED:
///             world axes, same point; LIMB_WORLD: world axes, at the world's origin
/// @param f    one per joint in the order of the model (output)
/// O(n), with the bodies' own (ungrouped) inertias.
LIMB_NODISCARD LIMB_API limb_status limb_joint_reactions(limb_data* d, const double* q, const double* v,
                                                         const double* a, const limb_environment* env, limb_ref ref,
                                                         sp_force* f);

// ---- known and unknown joints: hybrid dynamics ------------------------------------------------------
//
// Known and unknown joints: hybrid dynamics.
//
// Of every degree of freedom either the acceleration is given, and its force is the answer, or the force
// is given, and its acceleration is the answer. All accelerations given: inverse dynamics. All forces:
// forward dynamics. In between are robots with passive or elastic joints, with a moving base, with motors
// that impose a motion. Who is who is said per call by marks, one per velocity:
//
//     given[k] = LIMB_ACCELERATION_GIVEN    x[k] is an acceleration; tau[k] is computed
//     given[k] = LIMB_FORCE_GIVEN           x[k] is a force; a[k] is computed
//
// Where marks are taken, NULL stands for those of limb_given_for_passive: the inverse problem of the model (other
// headers have defaults of their own). Any other value than the two is LIMB_E_ARG. Equations, conventions and
// statuses are those of limb/dynamics.h.

/// What is given of a degree of freedom. Values are pinned.
typedef enum limb_given { LIMB_FORCE_GIVEN = 0, LIMB_ACCELERATION_GIVEN = 1 } limb_given;

/// Marks for the inverse problem: forces of passive joints (limb_joint_info) are given, of all others the
/// accelerations.
/// @param given  nv marks (output)
/// @return LIMB_OK or LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_given_for_passive(const limb_model* m, unsigned char* given);

/// Marks all degrees of freedom of one joint, and leaves the others as they are.
/// @return LIMB_OK or LIMB_E_ARG (NULL, no such joint, a mimic joint, no such mark).
LIMB_NODISCARD LIMB_API limb_status limb_set_given(const limb_model* m, int joint, limb_given mark,
                                                   unsigned char* given);

/// How many of nv marks are like that: nb and nm of limb/dynamics.h, say. -1 for NULL. O(n).
LIMB_API int limb_count_given(const limb_model* m, const unsigned char* given, limb_given mark);

/// Hybrid dynamics: completes x to a and tau with tau = M a + h + friction + springs - sum J' wrench.
/// One sweep over articulated bodies, O(n); when the force of a joint with mimic joints is given, through M
/// and its factors instead. limb_joint_reactions gives the wrenches in the joints, from a.
/// @param given  nv marks; NULL: limb_given_for_passive
/// @param x      nv: accelerations and forces, as the marks say
/// @param a,tau  nv each, complete (output); one of them may be NULL
/// @return also LIMB_E_SINGULAR when the mass matrix of the force-given ones is not positive definite to
///         working precision.
/// Reference: Featherstone 2008, section 9.2; Khalil 2010, (72)-(82) and (99)-(112) corrected.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics(limb_data* d, const double* q, const double* v,
                                                         const unsigned char* given, const double* x,
                                                         const limb_environment* env, double* a, double* tau);

/// The inputs of limb_hybrid_dynamics, for calls that take more besides.
typedef struct limb_hybrid {
  const double* q;            ///< nq
  const double* v;            ///< nv
  const unsigned char* given; ///< nv marks; NULL: limb_given_for_passive
  const double* x;            ///< nv
  const limb_environment* env;
} limb_hybrid;

/// The same by the rows of M of the force-given ones: the dense partition, O(n depth^2).
/// @param work  nv x nv scratch
/// @param a,tau  as in limb_hybrid_dynamics
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_by_mass_matrix(limb_data* d, const limb_hybrid* in,
                                                                        double* work, double* a, double* tau);

// ---- robots whose base floats -----------------------------------------------------------------------
//
// Robots whose base floats: what joint motion does to it, and how not to.
//
// The base are the degrees of freedom whose force is given; the arm are those that move as they are told:
// marks of limb/dynamics.h. NULL stands here for those of limb_given_for_base, which leaves elastic joints to the
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

/// Marks of the base: force-given are the passive joints between the world and the first joints, seen from
/// there, that have a motor or a shaft, or that loops hold.
/// @param given  nv marks (output)
/// @return LIMB_OK or LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_given_for_base(const limb_model* m, unsigned char* given);

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
