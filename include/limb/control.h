// limb: robot dynamics in C. Control laws: torques from where a robot is and where it should be.
//
//     e  = from q to where it should be, limb_difference(q, goal.q)     e' = goal.v - v
//
//     PD with gravity compensation   tau = Kp e + Kd e' + what holds the robot still at q
//     PD with feed-forward           tau = Kp e + Kd e' + what the motion of the goal takes
//     computed torque                tau = M(q) (goal.a + Kd e' + Kp e) + h(q, v) + ...
//     impedance                      a frame that behaves like a mass on a spring
//
// Laws are pure functions of their arguments: they allocate nothing, print nothing, keep nothing, and leave
// limb_kinematics as it was. What they know of the world is env: its gravity, motion of the base, friction,
// wrenches and laws are compensated, and nothing else. tau is zero at passive joints (limb_joint_info).
// Sizes: q nq, v a tau nv. Statuses as in limb/dynamics.h; LIMB_E_ARG also for gains that are negative;
// LIMB_E_UNSUPPORTED where a law is not for such a robot.
//
// Ball and free joints: the goal's velocity and acceleration are in the axes of where the goal is. They are
// seen from where the joint is: with X the pose of the goal in the child's frame,
//     e' = Ad_X goal.v - v,     e'' = 0 for the acceleration Ad_X goal.a - v x Ad_X goal.v
// References: Ghosal 2010, which names model-based control as a use of inverse dynamics; B. Siciliano et al.,
// Robotics: modelling, planning and control, 2009, chapters 8 and 9; N. Hogan, Impedance control: an approach
// to manipulation, 1985; T. Lee, M. Leok, N. McClamroch, Geometric tracking control of a quadrotor UAV on
// SE(3), 2010 (errors on groups). docs/simulation.md. Link limb_sim.
//
// This header belongs to the library limb_sim.
#ifndef LIMB_CONTROL_H
#define LIMB_CONTROL_H

#include "limb/closed.h"
#include "limb/hybrid.h"
#include "limb/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where the joints should be, at this instant.
typedef struct limb_goal {
  const double* q; ///< nq
  const double* v; ///< nv; NULL: at rest
  const double* a; ///< nv; NULL: zero
} limb_goal;

/// e, e', and the acceleration at which e' stays as it is. O(n).
/// @param e  nv (output)
/// @param e1 nv (output)
/// @param a  nv (output)
LIMB_NODISCARD LIMB_API limb_status limb_goal_error(const limb_model* m, const double* q, const double* v,
                                                    const limb_goal* goal, double* e, double* e1, double* a);

/// How the laws of joints go about it. Start from limb_default_control().
typedef struct limb_control {
  size_t size;                 ///< sizeof(limb_control), set by the default function
  const double* kp;            ///< nv, >= 0; NULL: 0. PD: [N m/rad, N/m]; computed torque: [1/s^2]
  const double* kd;            ///< nv, >= 0; NULL: 0. PD: [N m s/rad, N s/m]; computed torque: [1/s]
  const limb_environment* env; ///< what the law knows of the world; NULL: the default
  int saturate;                ///< 1: limb_limit_efforts; default 0
} limb_control;

static inline limb_control limb_default_control(void)
{
  const limb_control c = {sizeof(limb_control), NULL, NULL, NULL, 0};
  return c;
}

/// Doubles that any law of this header needs as `work`; 0 for NULL.
LIMB_API size_t limb_control_work(const limb_model* m);

/// Brings torques to within effort_max of their joints, each by itself.
/// @param tau     nv (in and out)
/// @param limited how many were beyond (output; NULL: not wanted)
/// @return LIMB_OK or LIMB_E_ARG (NULL). Limits of mimic joints are not looked at.
LIMB_NODISCARD LIMB_API limb_status limb_limit_efforts(const limb_model* m, double* tau, int* limited);

// ---- trees (LIMB_E_UNSUPPORTED with loops) -------------------------------------------------------------

/// tau = Kp e + Kd e' + tau_hold, where tau_hold is inverse dynamics at q without motion: gravity, springs,
/// wrenches of env. goal->a is not read. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_pd_gravity_control(limb_data* d, const double* q, const double* v,
                                                            const limb_goal* goal, const limb_control* control,
                                                            double* work, double* tau);

/// tau = Kp e + Kd e' + tau_goal, where tau_goal is inverse dynamics of the goal. Passive joints of the goal
/// move as they do when the others follow it: their acceleration is not read. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_pd_feedforward_control(limb_data* d, const double* q, const double* v,
                                                                const limb_goal* goal, const limb_control* control,
                                                                double* work, double* tau);

/// Computed torque, the model-based control of Ghosal 2010: inverse dynamics at q, v of the acceleration
/// goal.a + Kd e' + Kp e, so that errors of active joints follow e'' + Kd e' + Kp e = 0. With passive joints
/// by hybrid dynamics (limb/hybrid.h; partial feedback linearisation), whatever these then do. O(n).
/// @return also LIMB_E_SINGULAR: passive joints that move no mass.
LIMB_NODISCARD LIMB_API limb_status limb_computed_torque_control(limb_data* d, const double* q, const double* v,
                                                                 const limb_goal* goal, const limb_control* control,
                                                                 double* work, double* tau);

// ---- robots with loops (trees are welcome) ---------------------------------------------------------------
// q and v close the loops, and so should the goal, of which the active joints count. With motors in excess
// torques are shared as limb_closed_inverse_dynamics does. LIMB_E_SINGULAR also where motions that no motor
// reaches would have to be balanced.

/// As limb_pd_gravity_control, on the active joints.
LIMB_NODISCARD LIMB_API limb_status limb_closed_pd_gravity_control(limb_loops* w, const double* q, const double* v,
                                                                   const limb_goal* goal, const limb_control* control,
                                                                   const limb_loop_options* options, double* work,
                                                                   double* tau);

/// As limb_computed_torque_control: e'' + Kd e' + Kp e = 0 for the independent velocities
/// (limb_independent_velocities); the others follow.
LIMB_NODISCARD LIMB_API limb_status limb_closed_computed_torque_control(limb_loops* w, const double* q, const double* v,
                                                                        const limb_goal* goal,
                                                                        const limb_control* control,
                                                                        const limb_loop_options* options, double* work,
                                                                        double* tau);

// ---- impedance -----------------------------------------------------------------------------------------

/// Where a frame should be. Velocity and acceleration in world axes, of the frame's origin (classical).
typedef struct limb_frame_goal {
  sp_pose pose;
  sp_motion velocity, acceleration;
} limb_frame_goal;

/// The mass, spring and damper that a frame is to be. Start from limb_default_impedance(). Of six components
/// wx wy wz vx vy vz, those count that are among the task's directions.
typedef struct limb_impedance {
  size_t size;                           ///< sizeof(limb_impedance), set by the default function
  limb_task task;                        ///< ref: LIMB_ALIGNED (world axes) or LIMB_BODY (the frame's)
  int full;                              ///< 0: stiffness, damping and inertia are 6 numbers; 1: 6 x 6 matrices
  const double* stiffness;               ///< K [N m/rad, N/m]; NULL: 0
  const double* damping;                 ///< D [N m s/rad, N s/m]; NULL: 0
  const double* inertia;                 ///< L, positive definite: what it should feel like; NULL: as it does
  sp_force measured;                     ///< wrench of the surroundings ON the frame, at its origin, in the axes of
                                         ///< ref: what answers to it like L. Only with inertia; default 0
  const double* posture;                 ///< nq: where the joints should be as far as the task does not mind; NULL:
                                         ///< nowhere
  const double *posture_kp, *posture_kd; ///< nv, >= 0: of that, and damping of all joints; NULL: 0
  const limb_environment* env;           ///< what the law knows of the world; NULL: the default
  limb_task_options singular;            ///< what to do near singularities
  int saturate;                          ///< 1: limb_limit_efforts; default 0
} limb_impedance;

static inline limb_impedance limb_default_impedance(int frame)
{
  const limb_impedance c = {sizeof(limb_impedance),
                            {frame, LIMB_ALIGNED, LIMB_TWIST},
                            0,
                            NULL,
                            NULL,
                            NULL,
                            {{0, 0, 0}, {0, 0, 0}},
                            NULL,
                            NULL,
                            NULL,
                            NULL,
                            {sizeof(limb_task_options), 1e12, 0, 0},
                            0};
  return c;
}

/// Task-space impedance. With x the frame's rows of limb/task.h and e its error (rotations as rotation
/// vectors: the shortest turn that takes the frame to where it should be),
///     Lambda e'' + D e' + K e = -F                     the frame gives way to a force F
///     L e'' + D e' + K e = -F_measured                 with inertia: Lambda is shaped to L
/// by   tau = h + friction + springs - sum J' wrench + J' F_x + N' tau0,
///      F_x = Lambda (x''_goal - Jdot v) + D e' + K e,
///      tau0 = posture_kp (posture - q) - posture_kd v,
/// with inertia F_x = Lambda (x''_goal - Jdot v + L^-1 (D e' + K e + F_measured)) - F_measured.
/// For trees whose joints are all active (LIMB_E_UNSUPPORTED otherwise).
/// @return also LIMB_E_SINGULAR: the task is (limb_task_dynamics), or L is not positive definite.
LIMB_NODISCARD LIMB_API limb_status limb_impedance_control(limb_data* d, const double* q, const double* v,
                                                           const limb_frame_goal* goal, const limb_impedance* given,
                                                           double* work, double* tau);

#ifdef __cplusplus
}
#endif

#endif
