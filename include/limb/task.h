// limb: robot dynamics in C. Dynamics in task space: what the robot is like at its hand.
//
// A task is any selection of components of the velocities of frames, stacked: xdot = J v, k rows. With
// M a + h + friction + springs - sum J' wrench = tau of limb/dynamics.h and F = Jbar' tau,
//
//     F = Lambda xddot + mu + p + other         xddot = J a + Jdot v
//
//     Lambda = (J M^-1 J')^-1                   inertia felt at the task
//     Jbar   = M^-1 J' Lambda                   dynamically consistent inverse: J Jbar = 1
//     mu     = Jbar' (h - g) - Lambda Jdot v    velocities, and the motion of the base if it has one
//     p      = Jbar' g                          gravity
//     other  = Jbar' (friction + springs - sum J' wrench)
//     eta    = mu + p                           Lynch and Park 2017: F = Lambda Vdot + eta
//
// For square J these are Lynch and Park 2017, (9.97)-(9.99) and Ghosal 2010, (22), (23): Jbar = J^-1 and
// F = J^-T tau. For fewer rows than velocities they are Khatib's (A unified approach for motion and force
// control of robot manipulators: the operational space formulation, 1987), and torques N' tau0 with
// N = 1 - Jbar J do not accelerate the task. docs/task-space.md says more.
//
// The motion of a task is relative to the world body, also where env moves that. Calls never allocate;
// statuses as in limb/dynamics.h.
#ifndef LIMB_TASK_H
#define LIMB_TASK_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Components of a frame's velocity; values are pinned and may be added up.
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

/// Some components of one frame's velocity; their order is wx wy wz vx vy vz.
typedef struct limb_task {
  int frame; ///< body or added frame
  limb_ref ref;
  unsigned directions; ///< sum of LIMB_WX ... LIMB_VZ
} limb_task;

/// Tasks one below the other.
typedef struct limb_task_stack {
  int count;
  const limb_task* task; ///< count of them; NULL when there are none
} limb_task_stack;

/// Number of rows k. -1: NULL, a bad count, or a direction that does not exist. O(count).
LIMB_API int limb_task_rows(const limb_task_stack* tasks);

/// Number of doubles the calls below need as `work` for so many rows, never 0; 0 for NULL, rows < 0, and for
/// more than a computer can address.
LIMB_API size_t limb_task_work(const limb_model* m, int rows);

/// What to do near singularities. Start from limb_default_task_options().
typedef struct limb_task_options {
  size_t size;            ///< sizeof(limb_task_options), set by the default function
  double condition_limit; ///< largest condition that is accepted, above 1 and up to 1e13; default 1e12
  double damping;         ///< >= 0, added to the diagonal of J M^-1 J' (lambda^2); default 0
  int raise_damping;      ///< 1: instead of LIMB_E_SINGULAR, as much damping as keeps the limit; default 0
} limb_task_options;

LIMB_API limb_task_options limb_default_task_options(void);

/// Where the results go; what is NULL is not wanted. The last three members are set unless an argument is
/// NULL or limb_task_rows() is -1.
typedef struct limb_task_space {
  double* J;        ///< k x nv; rows that are mere rounding are set to zero
  double* Jdot_v;   ///< k
  double* xdot;     ///< k: J v
  double* sigma;    ///< k: singular values of J, largest first; zeros from the nv-th on
  double* mobility; ///< k x k: J M^-1 J', not damped
  double* Lambda;   ///< k x k: inverse of mobility + damping
  double* mu;       ///< k
  double* p;        ///< k
  double* eta;      ///< k: mu + p
  double* other;    ///< k: friction, springs; wrenches and force laws with a minus
  double* Jbar;     ///< nv x k
  double* N;        ///< nv x nv: 1 - Jbar J; its transpose is the projector of torques
  int rows;         ///< k
  double condition; ///< largest over smallest eigenvalue of J M^-1 J', in SI units, not damped;
                    ///< HUGE_VAL when the smallest is not positive; 1 when there are no rows
  double damping;   ///< what was added to the diagonal
} limb_task_space;

/// Everything about the task in one state.
///
/// A task is singular when J has dependent rows (more rows than velocities included): then J M^-1 J' has
/// no inverse. Its condition number goes with the square of that of J, and half of its digits are lost at
/// 1e8. Damping delta gives Lambda = (J M^-1 J' + delta)^-1, which is bounded by 1 / delta; J Jbar = 1 and
/// N N = N hold no more, and F of the equation above is that of the damped Lambda. With raise_damping
/// delta is raised to the smallest value at which the condition keeps condition_limit: it grows from zero
/// continuously. A task of which no row can move is singular all the same.
/// @param env      NULL: the default environment
/// @param options  NULL: the default ones
/// @param work     scratch, limb_task_work(model, k) doubles
/// @return LIMB_OK; LIMB_E_SINGULAR when the condition, with the damping, exceeds the limit (J, Jdot_v, xdot,
///         sigma, mobility and condition are valid then, and the others untouched), or when M is not positive
///         definite (without mobility then, and condition is HUGE_VAL); LIMB_E_ARG also for bad tasks,
///         options, and work NULL; LIMB_E_NOCONV should eigenvalues not be found.
/// O(n depth k + nv k^2 + k^3); N is O(nv^2 k).
LIMB_NODISCARD LIMB_API limb_status limb_task_dynamics(limb_data* d, const double* q, const double* v,
                                                       const limb_environment* env, const limb_task_stack* tasks,
                                                       const limb_task_options* options, double* work,
                                                       limb_task_space* out);

/// Acceleration of the task under a torque: xddot = J a + Jdot v with a of limb_forward_dynamics. Nothing
/// is inverted but M: singular tasks are as good as any.
/// @param work  as above
LIMB_NODISCARD LIMB_API limb_status limb_task_acceleration(limb_data* d, const double* q, const double* v,
                                                           const double* tau, const limb_environment* env,
                                                           const limb_task_stack* tasks, double* work, double* xddot);

/// Torques for a force at the task, and others that do not disturb it: tau = J' F + N' tau0, where
/// N' tau0 = tau0 - J' (Jbar' tau0) is not formed through N. O(nv k).
/// @param s     of limb_task_dynamics for the same robot, with J, and with Jbar unless tau0 is NULL
/// @param F     k
/// @param tau0  nv, or NULL: none
/// @param tau   nv (output)
LIMB_NODISCARD LIMB_API limb_status limb_task_torque(const limb_model* m, const limb_task_space* s, const double* F,
                                                     const double* tau0, double* tau);

#ifdef __cplusplus
}
#endif

#endif
