// limb: robot dynamics in C. Dynamics in task space: inertia, forces and accelerations at the hand.
//
//     const limb_task hand = {tool, LIMB_ALIGNED, LIMB_TWIST};
//     limb_task_space s = {.Lambda = Lambda, .eta = eta};
//     if (limb_task_dynamics(d, q, v, NULL, &(limb_task_stack){1, &hand}, NULL, work, &s) != LIMB_OK) return 1;
//
// A task is a selection of components of the velocities of frames, stacked: xdot = J v, k rows. With
// M a + h + friction + springs - sum J' wrench = tau of limb/dynamics.h and F = Jbar' tau,
//
//     F = Lambda xddot + mu + p + other         xddot = J a + Jdot v
//
//     Lambda = (J M^-1 J')^-1                   inertia at the task
//     Jbar   = M^-1 J' Lambda                   dynamically consistent inverse: J Jbar = 1
//     mu     = Jbar' (h - g) - Lambda Jdot v    velocity forces, and those of the motion of the base
//     p      = Jbar' g                          gravity
//     other  = Jbar' (friction + springs - sum J' wrench)
//     eta    = mu + p                           Lynch and Park 2017: F = Lambda Vdot + eta
//
// For square J these are Lynch and Park 2017, (9.97)-(9.99) and Ghosal 2010, (22), (23): Jbar = J^-1 and
// F = J^-T tau. For fewer rows than velocities they are Khatib's (A unified approach for motion and force control of
// robot manipulators: the operational space formulation, 1987), and torques N' tau0 with N = 1 - Jbar J do not
// accelerate the task. See docs/task-space.md.
//
// The motion of a task is relative to the world body, even if env moves that body. Calls never allocate. Statuses are
// those of limb/dynamics.h.
//
// Singular case: a task is singular if J has dependent rows, for example more rows than velocities. J M^-1 J' then has
// no inverse. Its condition number is about the square of that of J; at 1e8, half of the digits are lost. Damping delta
// gives Lambda = (J M^-1 J' + delta)^-1, which is bounded by 1 / delta. Then J Jbar = 1 and N N = N do not hold, and F
// above is that of the damped Lambda. With raise_damping, delta is raised to the smallest value at which the condition
// does not exceed condition_limit, so that it grows continuously from zero. A task without any row that can move is
// singular nevertheless.
#ifndef LIMB_TASK_H
#define LIMB_TASK_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Components of the velocity of a frame, combined by |. Values are pinned.
enum {
  LIMB_WX = 1,
  LIMB_WY = 2,
  LIMB_WZ = 4,
  LIMB_VX = 8,
  LIMB_VY = 16,
  LIMB_VZ = 32,
  LIMB_ANGULAR = 7,
  LIMB_LINEAR = 56,
  LIMB_TWIST = 63
};

/// Some components of the velocity of one frame, in the order wx wy wz vx vy vz.
typedef struct limb_task {
  int frame; ///< body or added frame
  limb_ref ref;
  unsigned directions; ///< LIMB_WX ... LIMB_VZ, combined by |
} limb_task;

/// Tasks, stacked in this order.
typedef struct limb_task_stack {
  int count;
  const limb_task* task; ///< count tasks; NULL if there are none
} limb_task_stack;

/// Number of rows k. -1: NULL, a negative count, or an unknown direction. O(count).
LIMB_API int limb_task_rows(const limb_task_stack* tasks);

/// Numbers of `work` that the calls below need for that many rows, never 0 for valid arguments. 0 if m is NULL, rows
/// is negative, or the size exceeds the address space.
LIMB_API size_t limb_task_work(const limb_model* m, int rows);

/// Treatment of singularities. Start from limb_default_task_options().
typedef struct limb_task_options {
  size_t size;            ///< sizeof(limb_task_options), set by the default function
  double condition_limit; ///< largest condition number accepted, above 1 and up to 1e13; default 1e12
  double damping;         ///< >= 0, added to the diagonal of J M^-1 J' (lambda^2); default 0
  int raise_damping;      ///< 1: as much damping as the limit requires, instead of LIMB_E_SINGULAR; default 0
} limb_task_options;

LIMB_API limb_task_options limb_default_task_options(void);

/// Outputs of limb_task_dynamics. Set the pointers before the call; NULL: not computed. The last three members are
/// always set, unless an argument is NULL or limb_task_rows() is -1.
typedef struct limb_task_space {
  double* J;        ///< k x nv; rows that are only rounding errors are set to zero
  double* Jdot_v;   ///< k
  double* xdot;     ///< k: J v
  double* sigma;    ///< k: singular values of J, in descending order; zero from the nv-th on
  double* mobility; ///< k x k: J M^-1 J', without damping
  double* Lambda;   ///< k x k: inverse of mobility + damping
  double* mu;       ///< k
  double* p;        ///< k
  double* eta;      ///< k: mu + p
  double* other;    ///< k: friction and springs; minus wrenches and force laws
  double* Jbar;     ///< nv x k
  double* N;        ///< nv x nv: 1 - Jbar J; its transpose is the projector of torques
  int rows;         ///< k
  double condition; ///< largest over smallest eigenvalue of J M^-1 J', in SI units, without damping;
                    ///< HUGE_VAL if the smallest is not positive; 1 if there are no rows
  double damping;   ///< damping added to the diagonal
} limb_task_space;

/// All results for the tasks in one state. O(n depth k + nv k^2 + k^3); N is O(nv^2 k).
/// @param env      NULL: the default environment
/// @param options  NULL: the defaults
/// @param work     limb_task_work(model, k) numbers of scratch
/// @return LIMB_OK; LIMB_E_SINGULAR (the condition number, with damping, exceeds the limit: J, Jdot_v, xdot, sigma,
///         mobility and condition are then valid, the other outputs unchanged; or M is not positive definite: then
///         mobility is not valid either, and condition is HUGE_VAL); LIMB_E_ARG also for invalid tasks or options;
///         LIMB_E_NOCONV (the iteration for eigenvalues does not converge).
LIMB_NODISCARD LIMB_API limb_status limb_task_dynamics(limb_data* d, const double* q, const double* v,
                                                       const limb_environment* env, const limb_task_stack* tasks,
                                                       const limb_task_options* options, double* work,
                                                       limb_task_space* out);

/// Acceleration of the task under torques: xddot = J a + Jdot v with a of limb_forward_dynamics. Only M is inverted:
/// singular tasks need no special treatment.
/// @param work   as in limb_task_dynamics
/// @param xddot  k (output)
LIMB_NODISCARD LIMB_API limb_status limb_task_acceleration(limb_data* d, const double* q, const double* v,
                                                           const double* tau, const limb_environment* env,
                                                           const limb_task_stack* tasks, double* work, double* xddot);

/// Torques for a force at the task and for secondary torques that do not disturb it: tau = J' F + N' tau0, where
/// N' tau0 = tau0 - J' (Jbar' tau0) is computed without forming N. O(nv k).
/// @param s     result of limb_task_dynamics for the same robot, with J, and with Jbar unless tau0 is NULL
/// @param F     k
/// @param tau0  nv; NULL: none
/// @param tau   nv (output)
LIMB_NODISCARD LIMB_API limb_status limb_task_torque(const limb_model* m, const limb_task_space* s, const double* F,
                                                     const double* tau0, double* tau);

#ifdef __cplusplus
}
#endif

#endif
