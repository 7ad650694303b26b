// limb: robot dynamics in C. Inverse, forward and hybrid dynamics, mass matrix, bias forces, gravity, energies.
//
//     if (limb_inverse_dynamics(d, q, v, a, NULL, tau) != LIMB_OK) return 1;   // forces for a motion
//     if (limb_forward_dynamics(d, q, v, tau, NULL, a) != LIMB_OK) return 1;   // motion from forces
//     if (limb_mass_matrix(d, q, M) != LIMB_OK) return 1;
//
// All calls are about one equation:
//
//     tau = M(q) a + h(q, v) + friction(v) + springs(q) - sum J' wrench,     h = C v + g
//
// tau are the forces of the actuators [N m, N]. M includes the reflected rotor inertias. Sizes: q nq; v, a, tau nv;
// matrices nv x nv, row-major, full. Inputs must not overlap outputs. Calls depend on their arguments only; they never
// allocate, lock, print or read the locale. Threads share the model, not the workspace. env NULL: the default
// environment.
//
// Every call returns LIMB_OK; LIMB_E_ARG (NULL, no such frame, a quaternion whose norm differs from 1 by more than
// 1e-3); LIMB_E_NONFINITE (NaN or infinity in an input or result). On failure outputs are unspecified.
//
// Robots with loops: states must close the loops (limb/loops.h has the equations and statuses). M, C, h and g refer to
// the independent velocities; rows and columns of dependent velocities are zero. Friction and springs are those of each
// joint. Calls that exist for trees only return LIMB_E_UNSUPPORTED: the variants of forward dynamics by a named
// algorithm, hybrid dynamics and floating bases. limb_spanning_tree is the robot with its loops cut open.
//
// Singular cases.
// - A joint that moves neither mass nor rotor: M is singular, and calls that invert it return LIMB_E_SINGULAR.
// - Coulomb friction at v = 0 is zero (sign(0) = 0). There is no stiction here: a joint at rest starts to move under
//   the smallest torque. limb/sim.h has stiction.
#ifndef LIMB_DYNAMICS_H
#define LIMB_DYNAMICS_H

#include "limb/kinematics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A wrench that acts ON the robot, at the origin of a frame (LIMB_WORLD: at the origin of the world).
typedef struct limb_wrench {
  int frame; ///< body or added frame
  limb_ref ref;
  sp_force wrench; ///< [N m, N]
} limb_wrench;

/// The wrench on the robot if the tip exerts F_tip on its surroundings: Lynch and Park 2017, Zhang, Khalil 2010.
LIMB_API limb_wrench limb_wrench_by_tip(int frame, limb_ref ref, sp_force F_tip);

/// State of a frame, as passed to a force law: pose in the world; velocity relative to inertial space (the motion of
/// the base included), in the reference of the law.
typedef struct limb_frame_state {
  int frame;
  sp_pose pose;
  limb_ref ref;
  sp_motion velocity;
} limb_frame_state;

/// Returns the wrench ON the robot, at the origin of the frame (LIMB_WORLD: of the world), in the reference of `at`.
/// Hot calls call it: it must not use the same limb_data. If the result is not finite, they return LIMB_E_NONFINITE.
typedef sp_force limb_force_fn(void* context, const limb_frame_state* at);

/// A force of the surroundings that depends on pose and velocity of a frame: water, ground, a tether.
typedef struct limb_force_law {
  int frame; ///< body or added frame
  limb_ref ref;
  limb_force_fn* force;
  void* context; ///< passed to force
} limb_force_law;

/// The surroundings of the robot in one call. Start from limb_default_environment().
typedef struct limb_environment {
  size_t size;                 ///< sizeof(limb_environment), set by the default function
  sp_vec3 gravity;             ///< acceleration of gravity, world axes [m/s^2]
  sp_motion base_velocity;     ///< of the world body, in its own axes; default 0
  sp_motion base_acceleration; ///< angular, and classical linear of its origin, in its own axes; default 0
  int nwrench;
  const limb_wrench* wrench; ///< nwrench wrenches; NULL if there are none
  int friction;              ///< 0: no Coulomb friction, viscous friction and damping; default 1
  double coulomb_width;      ///< > 0: Fs tanh(v / width) instead of Fs sign(v); default 0
  /// Force laws act in every call in which wrenches act. Derivatives are not available with force laws
  /// (LIMB_E_UNSUPPORTED; see limb_force_law_wrenches).
  int nlaw;
  const limb_force_law* law; ///< nlaw laws; NULL if there are none
  double time;               ///< of prescribed motions of loops (limb/loops.h) [s]; default 0
} limb_environment;

LIMB_API limb_environment limb_default_environment(const limb_model* m);

/// Evaluates the force laws of env as wrenches at q, v: for output, or to keep them constant in calls that do not
/// support laws. O(n).
/// @param out  env->nlaw wrenches (output)
LIMB_NODISCARD LIMB_API limb_status limb_force_law_wrenches(limb_data* d, const double* q, const double* v,
                                                            const limb_environment* env, limb_wrench* out);

/// Inverse dynamics: recursive Newton-Euler algorithm. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics(limb_data* d, const double* q, const double* v,
                                                          const double* a, const limb_environment* env, double* tau);

/// h(q, v) = C v + g, without friction, springs, wrenches and force laws. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_bias_forces(limb_data* d, const double* q, const double* v,
                                                     const limb_environment* env, double* tau);

/// g(q). Base motion, wrenches and force laws of env are checked, but have no effect. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_gravity_forces(limb_data* d, const double* q, const limb_environment* env,
                                                        double* tau);

/// Fs sign(v) + Fv v and the damping of shafts and tendons: the forces that the actuators need to overcome friction. At
/// a configuration, which matters to tendons through points of bodies only; without it such robots are not supported.
/// O(n).
/// @param q  NULL: as limb_friction_forces
/// @return without q also LIMB_E_UNSUPPORTED (a tendon runs through points, and there is friction).
LIMB_NODISCARD LIMB_API limb_status limb_friction_forces(limb_data* d, const double* v, const limb_environment* env,
                                                         double* tau);
LIMB_NODISCARD LIMB_API limb_status limb_friction_forces_at(limb_data* d, const double* q, const double* v,
                                                            const limb_environment* env, double* tau);

/// k (q - rest) and the springs of ball joints, shafts and tendons: the forces that the actuators need to hold the
/// springs. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_spring_forces(limb_data* d, const double* q, double* tau);

/// Mass matrix with rotor inertias: composite-rigid-body algorithm. O(n depth).
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix(limb_data* d, const double* q, double* M);

/// Coriolis matrix C(q, v) for a base at rest: C v are the Coriolis and centrifugal forces, and dM/dt - 2 C is
/// skew-symmetric. For joints with one degree of freedom C consists of Christoffel symbols. Rotors have no effect.
/// limb_coriolis_matrix_christoffel (limb/lagrange.h) is the alternative for ball and free joints. O(n depth).
/// @return also LIMB_E_UNSUPPORTED (more than LIMB_DERIVATIVES_MAX velocities, limb/derivatives.h).
LIMB_NODISCARD LIMB_API limb_status limb_coriolis_matrix(limb_data* d, const double* q, const double* v, double* C);

/// Forward dynamics: articulated-body algorithm (ABA), O(n). For robots with mimic joints by the tree-sparse factors
/// of M.
/// @return also LIMB_E_SINGULAR (M is not positive definite to working precision).
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics(limb_data* d, const double* q, const double* v,
                                                          const double* tau, const limb_environment* env, double* a);

/// The same by the articulated-body algorithm for every robot.
/// @return also LIMB_E_UNSUPPORTED (mimic joints, loops); LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_aba(limb_data* d, const double* q, const double* v,
                                                              const double* tau, const limb_environment* env,
                                                              double* a);

/// The same by M and L'DL (GetJointAccel of Lynch and Park 2017, brute force of Ghosal 2010).
/// @param work  nv x nv numbers of scratch
/// @return also LIMB_E_UNSUPPORTED (loops); LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_by_mass_matrix(limb_data* d, const double* q, const double* v,
                                                                         const double* tau, const limb_environment* env,
                                                                         double* work, double* a);

/// M^-1, full. O(n depth^2), or O(n^2) for long chains.
/// @return also LIMB_E_SINGULAR (M is not positive definite to working precision).
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_inverse(limb_data* d, const double* q, double* Minv);

/// X = M^-1 B for count vectors: row k of B and X (length nv) is vector k; X may be B. By the factors of M: O(sum of
/// depth^2) once, and O(sum of depths) per vector; for long chains by articulated bodies, O(n) per vector.
/// @return also LIMB_E_SINGULAR (M is not positive definite to working precision).
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_solve(limb_data* d, const double* q, int count, const double* B,
                                                           double* X);

/// Energies [J]. The potential energy of gravity is zero for a body at the origin of the world.
typedef struct limb_energy {
  double kinetic; ///< v' M v / 2, rotors included
  double gravity; ///< -sum m g . c, of all bodies, those fixed to the world included
  double springs; ///< k (q - rest)^2 / 2; shafts: k (q_motor / ratio - q_joint - rest)^2 / 2
} limb_energy;

/// Energies of a state. Base motion, wrenches and force laws of env are checked, but have no effect. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_energies(limb_data* d, const double* q, const double* v,
                                                  const limb_environment* env, limb_energy* out);

/// Energies of each body alone: K_i = V_i' I_i V_i / 2 and P_i = -m_i g . c_i, which limb_energies adds up. The kinetic
/// energy of rotors and the energy of springs belong to joints and are not included. env as in limb_energies. O(n).
/// @param kinetic,gravity  one per body, the world first; NULL: not computed (output)
LIMB_NODISCARD LIMB_API limb_status limb_body_energies(limb_data* d, const double* q, const double* v,
                                                       const limb_environment* env, double* kinetic, double* gravity);

/// Power balance [W] for a base at rest: actuators + wrenches + closures = kinetic + gravity + springs + friction.
/// residual is the difference of both sides, zero up to rounding.
typedef struct limb_power {
  double actuators, wrenches;       ///< supplied; force laws count as wrenches
  double kinetic, gravity, springs; ///< rates of the energies
  double friction;                  ///< dissipated, >= 0
  double residual;
  double closures; ///< supplied by closures with prescribed motion; otherwise zero up to rounding
} limb_power;

/// Power balance of a motion, with tau from inverse dynamics. The base must be at rest (LIMB_E_ARG otherwise).
LIMB_NODISCARD LIMB_API limb_status limb_power_balance(limb_data* d, const double* q, const double* v, const double* a,
                                                       const limb_environment* env, limb_power* out);

/// The wrench that each joint transmits from parent to child, fixed joints included [N m, N]. O(n). Uses the inertias
/// of the bodies as described (not regrouped).
/// @param ref  LIMB_BODY: in the axes and at the origin of the joint frame on the side of the child; LIMB_ALIGNED: in
///             world axes at the same point; LIMB_WORLD: in world axes at the origin of the world
/// @param f    one per joint, in the order of the model (output)
LIMB_NODISCARD LIMB_API limb_status limb_joint_reactions(limb_data* d, const double* q, const double* v,
                                                         const double* a, const limb_environment* env, limb_ref ref,
                                                         sp_force* f);

// ---- hybrid dynamics: known and unknown joints -------------------------------------------------------
//
// For each degree of freedom, either the acceleration is given and the force is computed, or the force is given and
// the acceleration is computed. With all accelerations given this is inverse dynamics, with all forces given forward
// dynamics. Mixed cases are robots with passive or elastic joints, with a moving base, or with motors that impose a
// motion. Each call takes nv marks:
//
//     given[k] = LIMB_ACCELERATION_GIVEN    x[k] is an acceleration; tau[k] is computed
//     given[k] = LIMB_FORCE_GIVEN           x[k] is a force; a[k] is computed
//
// Here NULL means the marks of limb_given_for_passive; other headers have defaults of their own. Any other mark is
// LIMB_E_ARG.

/// What is given for a degree of freedom. Values are pinned.
typedef enum limb_given { LIMB_FORCE_GIVEN = 0, LIMB_ACCELERATION_GIVEN = 1 } limb_given;

/// Marks for inverse dynamics: force given for passive joints (limb_joint_info), acceleration given for all others.
/// @param given  nv marks (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_given_for_passive(const limb_model* m, unsigned char* given);

/// Marks all degrees of freedom of one joint. The other marks do not change.
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such joint, a mimic joint, no such mark).
LIMB_NODISCARD LIMB_API limb_status limb_set_given(const limb_model* m, int joint, limb_given mark,
                                                   unsigned char* given);

/// Number of marks equal to `mark`, for example nb or nm below. -1 if m or given is NULL. O(n).
LIMB_API int limb_count_given(const limb_model* m, const unsigned char* given, limb_given mark);

/// Hybrid dynamics: computes complete a and tau from x, with tau = M a + h + friction + springs - sum J' wrench. One
/// sweep over articulated bodies, O(n); if the force of a joint with mimic joints is given, by M and its factors
/// instead. limb_joint_reactions computes the wrenches in the joints from a.
/// @param given  nv marks; NULL: limb_given_for_passive
/// @param x      nv: accelerations and forces, as marked
/// @param a,tau  nv each, complete; NULL: not computed, at most one of them (output)
/// @return also LIMB_E_SINGULAR (the mass matrix of the force-given degrees of freedom is not positive definite to
///         working precision); LIMB_E_UNSUPPORTED (loops).
/// Reference: Featherstone 2008, section 9.2; Khalil 2010, (72)-(82) and (99)-(112), corrected.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics(limb_data* d, const double* q, const double* v,
                                                         const unsigned char* given, const double* x,
                                                         const limb_environment* env, double* a, double* tau);

/// The inputs of limb_hybrid_dynamics as a struct, for calls with more arguments.
typedef struct limb_hybrid {
  const double* q;            ///< nq
  const double* v;            ///< nv
  const unsigned char* given; ///< nv marks; NULL: limb_given_for_passive
  const double* x;            ///< nv
  const limb_environment* env;
} limb_hybrid;

/// The same by the rows of M of the force-given degrees of freedom, a dense partition: O(n depth^2).
/// @param work   nv x nv numbers of scratch
/// @param a,tau  as in limb_hybrid_dynamics
/// @return as limb_hybrid_dynamics.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_by_mass_matrix(limb_data* d, const limb_hybrid* in,
                                                                        double* work, double* a, double* tau);

// ---- robots with a floating base ---------------------------------------------------------------------
//
// The effect of joint motion on a floating base, and joint motion without such an effect.
//
// The base consists of the degrees of freedom whose force is given, the arm of all others: marks as above, but NULL
// means those of limb_given_for_base, in which elastic joints belong to the arm. A base may be free, planar, or any
// joint, and there may be several. It need not be near the root: the same equations hold for a passive joint anywhere.
// With b for base and m for arm,
//
//     M_bb v_b + M_bm v_m = p_b         the part of the generalised momentum p = M v that belongs to the base
//
// limb_hybrid_dynamics computes base acceleration and joint torques of a given joint motion, limb_forward_dynamics the
// motion under given torques. A base whose motion is given is marked LIMB_ACCELERATION_GIVEN, or is the world body
// with base_velocity and base_acceleration of limb_environment.
//
// nb and nm are the numbers of base and arm velocities, nb + nm = nv, in the order of v. Further statuses:
// LIMB_E_SINGULAR (M_bb must be inverted, but is not positive definite to working precision); LIMB_E_UNSUPPORTED
// (loops).

/// Marks of the base: force given for the passive joints between the world and the first joints, counted from the
/// world, that have a motor or a shaft or belong to a loop.
/// @param given  nv marks (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_given_for_base(const limb_model* m, unsigned char* given);

/// Numbers of scratch that the calls below need. 0 if m is NULL.
LIMB_API size_t limb_moving_base_work(const limb_model* m);

/// Completes velocities so that the momentum of the base is p_b: v_b = M_bb^-1 (p_b - M_bm v_m). For free floating
/// without external forces, p_b in world axes is conserved; p_b = 0 is a robot that started at rest.
/// @param v     nv: those of the arm are read, those of the base are written (in and out); unchanged on failure
/// @param p_b   nb; NULL: zero
/// @param work  limb_moving_base_work() numbers
LIMB_NODISCARD LIMB_API limb_status limb_velocity_from_momentum(limb_data* d, const double* q,
                                                                const unsigned char* given, const double* p_b,
                                                                double* work, double* v);

/// Generalised Jacobian of a frame (Umetani, Yoshida 1989): J* = J_m - J_b M_bb^-1 M_bm. Without momentum the velocity
/// of the frame is J* v_m, in general J* v_m + J_b M_bb^-1 p_b.
/// @param work  limb_moving_base_work() numbers
/// @param J     nm motion columns, in the order of the arm's velocities (output)
LIMB_NODISCARD LIMB_API limb_status limb_generalized_jacobian(limb_data* d, const double* q, const unsigned char* given,
                                                              int frame, limb_ref ref, double* work, sp_motion* J);

/// Reaction-null space (Nenchev, Umetani, Yoshida 1992): joint velocities that do not move the base, M_bm v_m = 0.
/// P = 1 - M_bm^+ M_bm projects any joint velocity onto them.
/// @param work  limb_moving_base_work() numbers
/// @param P     nm x nm (output)
/// @param rank  of M_bm; nm - rank motions do not move the base. Singular values below 1e-10 of the largest count as
///              zero; angles and lengths are not scaled against each other. NULL: not needed (output)
/// @return also LIMB_E_NOCONV (the iteration for singular values does not converge).
LIMB_NODISCARD LIMB_API limb_status limb_reaction_null_space(limb_data* d, const double* q, const unsigned char* given,
                                                             double* work, double* P, int* rank);

// ---- elastic joints: motor trajectories and static deflection -------------------------------------------
//
//     const limb_trajectory path = {q_links, limb_elastic_order(model), derivatives};
//     if (limb_series_create(model, NULL, &w) != LIMB_OK) return 1;
//     if (limb_elastic_inverse(w, &path, NULL, q, v, a, tau) != LIMB_OK) return 1;
//
// A joint is elastic in one of two ways. Lumped (Khalil 2010, section 6): it has a spring (stiffness, rest), a damper
// (viscous) and no motor; it is passive, and limb_hybrid_dynamics computes its acceleration and the torques of the
// other joints. Series elastic: a motor drives it through a shaft (limb_shaft_def in limb/builder.h); motor and link
// have a coordinate each, and all calls handle both. With gear ratio N, the torque of the shaft on the joint is
//
//     T = k (q_motor / N - q - rest) + c (v_motor / N - v)
//
// and -T / N acts on the motor. See docs/elastic.md.
//
// Both calls are for trees only (LIMB_E_UNSUPPORTED).

enum {
  LIMB_ELASTIC_ORDER_MAX = 16 ///< highest derivative of a link trajectory that is used
};

/// Number of derivatives of the link trajectory that limb_elastic_inverse needs in the default environment: 2 for rigid
/// robots, 4 with shafts without damping and uncoupled rotors (Spong's model), 3 with damping. If the equation of an
/// elastic joint contains the acceleration of another joint's motor (the full model), each such motor along the chain
/// adds two, or one if its shaft is damped; a chain of n such joints needs 2 (n + 1). Without friction dampers have no
/// effect, and the number is that without damping. The tree determines which equation contains which motor: a joint and
/// a motor of which one carries the other, if the outer one moves some inertia. Allocates temporarily, with the
/// allocator of the model.
/// @return the number; -1: m is NULL, the number exceeds LIMB_ELASTIC_ORDER_MAX, the shafts cannot be solved one after
///         the other (a motor that drives two joints, that carries its own joint or is carried by it), or out of
///         memory.
LIMB_API int limb_elastic_order(const limb_model* m);

/// Workspace of limb_elastic_inverse, for one thread.
typedef struct limb_series limb_series;

/// Allocates (alloc NULL: malloc) and initialises a workspace. Free with limb_series_destroy.
/// @return LIMB_OK; LIMB_E_ARG (NULL, incomplete allocator); LIMB_E_UNSUPPORTED (loops, tendons, or limb_elastic_order
///         is -1); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_series_create(const limb_model* m, const limb_allocator* alloc,
                                                       limb_series** out);
LIMB_API void limb_series_destroy(limb_series* w);

/// A trajectory at one instant. Entries of the motors of shafts are ignored, except for q of motors with damped shafts,
/// which is an input.
typedef struct limb_trajectory {
  const double* q; ///< nq
  int order;       ///< number of derivatives, at least limb_elastic_order()
  const double* d; ///< order x nv: v, a, and the further derivatives of the components of v
} limb_trajectory;

/// The motion and the torques of the motors for which the links follow the trajectory. Analytic: Taylor series in time
/// through the recursive Newton-Euler kernel. O(n) for each level of coupled motors.
/// Without damping q_motor = N (q + rest + T / k), where T is the torque that the joint requires. With damping that is
/// a differential equation for the angle of the motor; the angle is therefore an input, and its velocity is computed.
/// Coulomb friction without a width is constant near v: T jumps where v changes its sign.
/// @param q    nq: complete, motors included (output)
/// @param v,a  nv each, complete (output)
/// @param tau  nv: forces at motors and at joints without shafts, passive ones included, that this motion requires; 0
///             for joints with shafts (output)
/// @param env  wrenches are constant in the components as given, and must not act on bodies that the motor of a shaft
///             turns; the base must be at rest, and there must be no force laws (LIMB_E_UNSUPPORTED)
/// @return also LIMB_E_ARG (too few derivatives); LIMB_E_UNSUPPORTED (without friction more than
///         LIMB_ELASTIC_ORDER_MAX would be needed); LIMB_E_SINGULAR (a shaft without stiffness and damping). On failure
///         outputs are unspecified.
/// Reference: De Luca, Book, Robots with flexible elements, Springer Handbook of Robotics, ch. 11; Spong 1987;
/// docs/elastic.md.
LIMB_NODISCARD LIMB_API limb_status limb_elastic_inverse(limb_series* w, const limb_trajectory* path,
                                                         const limb_environment* env, double* q, double* v, double* a,
                                                         double* tau);

/// Marks of the coordinates that deflect under load: force given for passive joints with a spring and for joints with
/// a shaft, acceleration given for all others (motors, rigid joints, passive joints without a spring).
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_given_for_elastic(const limb_model* m, unsigned char* given);

/// Options and results of limb_static_deflection. Start from limb_default_deflection().
typedef struct limb_deflection {
  size_t size;           ///< sizeof(limb_deflection), set by the default function
  double tolerance;      ///< of the imbalance, relative to the largest spring or given force, and of the last step
                         ///< [rad or m], relative to the largest coordinate or 1; default 1e-12
  int max_iterations;    ///< default 50
  int iterations;        ///< number of iterations (output)
  double out_of_balance; ///< largest remaining force [N m or N] (output)
} limb_deflection;

LIMB_API limb_deflection limb_default_deflection(void);

/// Static equilibrium under gravity and wrenches: acceleration-given coordinates do not move, force-given ones deflect
/// until springs(q) + g(q) - sum J' wrench = tau for the latter.
/// Newton's method with the analytic stiffness d tau / d q, damped so that the imbalance decreases; a step is at most 1
/// (rad or m). Where a load exceeds the springs it descends in energy. It ends if the imbalance is within the tolerance
/// or within the rounding errors of stiff springs. O(n depth + f^3) per iteration, for f force-given coordinates.
/// @param given  nv marks; NULL: limb_given_for_elastic
/// @param tau    nv: forces of the force-given coordinates; NULL: zero
/// @param o      NULL: defaults
/// @param work   nv (nv + 4) + nq numbers of scratch
/// @param q      nq: start (in), equilibrium (out); unchanged on failure
/// @return also LIMB_E_NOCONV; LIMB_E_SINGULAR (nothing holds a deflecting coordinate: it has no spring, or the load
///         makes the equilibrium unstable: buckling); LIMB_E_UNSUPPORTED (force laws, loops, more than
///         LIMB_DERIVATIVES_MAX velocities).
LIMB_NODISCARD LIMB_API limb_status limb_static_deflection(limb_data* d, const unsigned char* given, const double* tau,
                                                           const limb_environment* env, limb_deflection* o,
                                                           double* work, double* q);

#ifdef __cplusplus
}
#endif

#endif
