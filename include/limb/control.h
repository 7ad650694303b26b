// limb: robot dynamics in C. What acts on a robot: formulas, signals, prescribed motion, controllers.
//
//     limb_control c = limb_default_control();
//     c.kp = kp, c.kd = kd;
//     if (limb_computed_torque_control(d, q, v, &goal, &c, work, tau) != LIMB_OK) return 1;
//
// Formulas are evaluated from text; signals interpolate samples over time; a prescribed motion is either of these for
// one joint; controllers compute torques from the state of a robot and its goal. All of them are pure: they print
// nothing, store nothing, and read no locale, file, clock or environment variable. Formulas and signals are immutable,
// and threads may share them. docs/simulation.md has examples.
//
// This header belongs to the library limb_sim (CMake limb::sim, pkg-config limb-sim).
#ifndef LIMB_CONTROL_H
#define LIMB_CONTROL_H

#include "limb/dynamics.h"
#include "limb/loops.h"
#include "limb/task.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- formulas -------------------------------------------------------------------------------------------
//
//     2 Nm * sin(2*pi * 0.5 Hz * t) - 30 * (q.elbow - 90deg)
//     if(t < 1 s, 0, clamp(5*t, 0, 20 N))
//     q.theta1 = 150deg                      a condition
//
// Operators, weakest first; ^ groups from the right, the others from the left, so -2^2 is -4:
//     c ? a : b      or      and      not      < <= > >= = == !=      + -      * /      - +      ^
// Comparisons yield 1 or 0 and cannot be chained (write a < b and b < c); any value but 0 is true.
//
// Constants: pi, e. Functions:
//     sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt cbrt abs floor ceil round (of one x)
//     atan2(y, x)   hypot(x, y)   mod(x, y): x - y floor(x / y)   sign(x): -1, 0, 1
//     min(...) max(...): two or more   clamp(x, low, high)   if(c, a, b): the same as c ? a : b
//     step(x): 1 if x >= 0, else 0   pulse(x, from, to): 1 if from <= x < to, else 0
//     smoothstep(x, from, to): 0, then 3 s^2 - 2 s^3 with s = (x - from) / (to - from), then 1
//
// Numbers are decimal and may carry a unit, with or without a space: a factor to SI. Dimensions are checked
// by limb_formula_number alone.
// Units combine by *, / and whole powers, without spaces: 30 deg/s, 9.81m/s^2, 4 N*s/m.
//     rad deg rev   rpm   um mm cm m km   us ms s min h   g kg   mN N kN   mNm Nm kNm   Hz kHz
//     mJ J kJ   mW W kW   %               1 Hz is 1/s; rpm is 2 pi/60 rad/s
// Names consist of letters, digits, _ and inner dots (q.theta1, v.elbow.wx); others are put in single quotes:
// 'q.my-joint'. A quoted name is never a word of the language.
//
// Singular cases: an exponent after a unit belongs to the unit (5 m^2 is 5). A word that is both a unit and a name is
// an error where both are possible. A result without value (log(-1), 0/0) is NaN, and so is every result that depends
// on it, except for the branch of a choice that is not selected.

/// A compiled formula.
typedef struct limb_formula limb_formula;

enum {
  LIMB_FORMULA_MAX_LENGTH = 4096, ///< characters
  LIMB_FORMULA_MAX_DEPTH = 64     ///< nested brackets, and values on the stack
};

/// The names that a formula may use.
typedef struct limb_formula_names {
  int (*find)(void* context, const char* name); ///< returns a number of the caller's choice; -1: unknown name
  const char* (*name)(void* context, int i);    ///< returns name i, NULL after the last; for suggestions only.
                                                ///< NULL: no suggestions
  void* context;
} limb_formula_names;

/// Compiles a formula. O(length), times the number of different names.
/// @param names  NULL: none
/// @param err    LIMB_E_SYNTAX: one sentence, with line and column in the text; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_SYNTAX; LIMB_E_ARG (text or out is NULL, incomplete allocator, names without find);
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_formula_parse(const char* text, const limb_formula_names* names,
                                                       const limb_allocator* alloc, limb_formula** out,
                                                       limb_error* err);

/// Compiles a condition: exactly one comparison of two formulas. Its value is left - right, which is zero where the
/// condition is met. Otherwise as limb_formula_parse.
/// @param direction  1 for > and >= (rising), -1 for < and <= (falling), 0 for = and == (both) (output)
LIMB_NODISCARD LIMB_API limb_status limb_formula_parse_condition(const char* text, const limb_formula_names* names,
                                                                 const limb_allocator* alloc, limb_formula** out,
                                                                 int* direction, limb_error* err);

/// The value of a formula without names, such as 90deg or -pi/2; it may be infinite or NaN.
/// @param unit  of the expected dimension, such as "rad" or "m/s^2"; "": none; NULL: any. A single literal, or a sum of
///              them, must be of that dimension where it has a unit. Products, powers and functions are not checked.
/// @param err   LIMB_E_SYNTAX: also the unit that does not fit, with its column; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_SYNTAX; LIMB_E_ARG (text or out is NULL, unknown unit); LIMB_E_NOMEM. Except for LIMB_OK,
///         out keeps its value.
LIMB_NODISCARD LIMB_API limb_status limb_formula_number(const char* text, const char* unit, double* out,
                                                        limb_error* err);

LIMB_API void limb_formula_destroy(limb_formula* f); ///< NULL is accepted

/// Number of different names in the formula; 0 if f is NULL.
LIMB_API int limb_formula_symbol_count(const limb_formula* f);

/// The number that `find` returned for name i, in order of appearance; -1: index out of range.
LIMB_API int limb_formula_symbol(const limb_formula* f, int i);

/// Value of a formula, which may be infinite or NaN; NaN also if f is NULL, or if x is NULL and f uses names. Allocates
/// nothing and preserves errno. O(length).
/// @param x  values of its names: limb_formula_symbol_count() numbers
LIMB_API double limb_formula_value(const limb_formula* f, const double* x);

// ---- signals --------------------------------------------------------------------------------------------
//
// m columns of samples at n increasing times. Between samples:
//     hold     the value of the previous sample (zero-order hold)
//     linear   straight lines
//     spline   a quintic spline through all samples, four times continuously differentiable. "Not a knot" ends: the
//              first three intervals share one polynomial, and so do the last three. 4 or 5 samples give a cubic
//              spline, fewer the polynomial through them
// Before the first and after the last sample the signal is constant. At a sample it belongs to the interval after it,
// at the last one to the interval before it (hold: its own value).
//
// Columns are interpolated one by one. This suits forces and coordinates with one degree of freedom, but not
// the quaternions of ball and free joints.

typedef struct limb_signal limb_signal;

/// X(name, value, text): interpolation between samples. Values are pinned.
#define LIMB_SIGNAL_LIST(X) \
  X(HOLD, 0, "hold")        \
  X(LINEAR, 1, "linear")    \
  X(SPLINE, 2, "spline")

typedef enum limb_signal_kind {
#define LIMB_X(name, value, text) LIMB_SIGNAL_##name = (value),
  LIMB_SIGNAL_LIST(LIMB_X)
#undef LIMB_X
} limb_signal_kind;

LIMB_API const char* limb_signal_kind_name(limb_signal_kind kind); ///< NULL: unknown kind

/// Samples, row by row. They are copied.
typedef struct limb_samples {
  size_t count;        ///< n >= 1
  const double* time;  ///< n, strictly increasing
  int columns;         ///< m >= 0
  const double* value; ///< n rows of m
  size_t stride;       ///< numbers from the start of one row to that of the next; 0: m
} limb_samples;

/// Copies the samples. O(n m). Memory: 8 n (m + 1) bytes; for a spline 8 n (m + 2), and another 88 n during the call.
/// @param err  the invalid sample; its line is the number of the sample, from 1. NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, no samples, times that do not increase, a stride below m, unknown kind,
///         incomplete allocator); LIMB_E_NONFINITE (samples, or a spline that overflows); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_signal_create(limb_signal_kind kind, const limb_samples* samples,
                                                       const limb_allocator* alloc, limb_signal** out, limb_error* err);
LIMB_API void limb_signal_destroy(limb_signal* s); ///< NULL is accepted

LIMB_API int limb_signal_columns(const limb_signal* s); ///< m; 0 if s is NULL

/// Values, first and second derivatives at any time. Allocates nothing. O(log n + m).
/// @param x,x1,x2  m each; NULL: not computed (output)
/// @return LIMB_OK; LIMB_E_ARG (s is NULL); LIMB_E_NONFINITE (t, or a result).
LIMB_NODISCARD LIMB_API limb_status limb_signal_at(const limb_signal* s, double t, double* x, double* x1, double* x2);

/// The first time after t at which the signal may have a jump or a kink: the next sample; for a spline the first or the
/// last one. HUGE_VAL: none, also if s is NULL or t is NaN.
LIMB_API double limb_signal_next_break(const limb_signal* s, double t);

// ---- prescribed motion ----------------------------------------------------------------------------------

/// The motion of one degree of freedom: formulas, or a signal, or, if both are NULL,
///     constant + rate t + amplitude sin(2 pi frequency t + phase)
typedef struct limb_joint_motion {
  const limb_formula* formula[3]; ///< position, velocity and acceleration; time is their only name; or all NULL
  const limb_signal* signal;      ///< its first column is the position; a spline gives smooth accelerations
  double constant, rate, amplitude, frequency, phase;
} limb_joint_motion;

/// Position, velocity and acceleration at a time.
/// @param x  3 numbers, which may not be finite on LIMB_E_NONFINITE (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, only some of the formulas, a signal without columns); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_joint_motion_at(const limb_joint_motion* m, double t, double x[3]);

/// As limb_signal_next_break; HUGE_VAL without signal.
LIMB_API double limb_joint_motion_next_break(const limb_joint_motion* m, double t);

/// Checks by differences, at seven times between `from` and `to`, whether formulas are derivatives of each other. One
/// deviating time is tolerated, because there may be a jump.
/// @return 1: velocity is not the derivative of position; 2: acceleration is not the derivative of velocity; 0: no
///         contradiction was found.
LIMB_API int limb_joint_motion_contradiction(const limb_joint_motion* m, double from, double to);

// ---- controllers ----------------------------------------------------------------------------------------
//
//     e  = limb_difference(q, goal.q)     e' = goal.v - v
//
//     PD with gravity compensation   tau = Kp e + Kd e' + the torques that hold the robot at rest at q
//     PD with feed-forward           tau = Kp e + Kd e' + the torques of the goal's motion
//     computed torque                tau = M(q) (goal.a + Kd e' + Kp e) + h(q, v) + ...
//     impedance                      a frame that behaves like a mass on a spring
//
// Controllers compensate the effects in env (gravity, base motion, friction, wrenches, force laws) and nothing else.
// tau is zero at passive joints (limb_joint_info). Calls never allocate and do not change what limb_kinematics stored.
// Sizes: q nq; v, a, tau nv. Statuses are those of limb/dynamics.h; also LIMB_E_ARG (negative gains) and
// LIMB_E_UNSUPPORTED (a robot that the controller does not support).
//
// Robots with loops: q and v must close the loops, and so should the active joints of the goal. The errors of the
// independent velocities are controlled, the others follow. LIMB_E_SINGULAR if a motion without motors would have to be
// balanced.
//
// Ball and free joints: velocity and acceleration of the goal are in the axes of the goal and are converted to those of
// the joint. With X the pose of the goal in the child's frame,
//     e' = Ad_X goal.v - v,     e'' = 0 for the acceleration Ad_X goal.a - v x Ad_X goal.v
// References: Ghosal 2010, which names model-based control as a use of inverse dynamics; B. Siciliano et al.,
// Robotics: modelling, planning and control, 2009, chapters 8 and 9; N. Hogan, Impedance control: an approach
// to manipulation, 1985; T. Lee, M. Leok, N. McClamroch, Geometric tracking control of a quadrotor UAV on
// SE(3), 2010 (errors on groups).

/// Goal of the joints at one instant.
typedef struct limb_goal {
  const double* q; ///< nq
  const double* v; ///< nv; NULL: at rest
  const double* a; ///< nv; NULL: zero
} limb_goal;

/// Errors: e, e', and the acceleration at which e' stays constant. O(n).
/// @param e,e1,a  nv each (output)
/// @return as limb_difference.
LIMB_NODISCARD LIMB_API limb_status limb_goal_error(const limb_model* m, const double* q, const double* v,
                                                    const limb_goal* goal, double* e, double* e1, double* a);

/// Settings of joint controllers. Start from limb_default_control().
typedef struct limb_control {
  size_t size;                 ///< sizeof(limb_control), set by the default function
  const double* kp;            ///< nv, >= 0; NULL: 0. PD: [N m/rad, N/m]; computed torque: [1/s^2]
  const double* kd;            ///< nv, >= 0; NULL: 0. PD: [N m s/rad, N s/m]; computed torque: [1/s]
  const limb_environment* env; ///< effects that are compensated; NULL: the default
  int saturate;                ///< 1: limb_limit_efforts; default 0
} limb_control;

LIMB_API limb_control limb_default_control(void);

/// Numbers of `work` that each controller needs; 0 if m is NULL.
LIMB_API size_t limb_control_work(const limb_model* m);

/// Limits each torque to effort_max of its joint. Limits of mimic joints are ignored.
/// @param tau      nv (in and out)
/// @param limited  how many were reduced; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_limit_efforts(const limb_model* m, double* tau, int* limited);

/// tau = Kp e + Kd e' + tau_hold, where tau_hold is inverse dynamics at rest at q: gravity, springs, wrenches of env.
/// goal->a is ignored. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_pd_gravity_control(limb_data* d, const double* q, const double* v,
                                                            const limb_goal* goal, const limb_control* control,
                                                            double* work, double* tau);

/// tau = Kp e + Kd e' + tau_goal, where tau_goal is inverse dynamics of the goal. Passive joints of the goal move as
/// the others make them; their goal accelerations are ignored. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_pd_feedforward_control(limb_data* d, const double* q, const double* v,
                                                                const limb_goal* goal, const limb_control* control,
                                                                double* work, double* tau);

/// Computed torque, the model-based control of Ghosal 2010: inverse dynamics at q, v with the acceleration
/// goal.a + Kd e' + Kp e, so that the errors of active joints satisfy e'' + Kd e' + Kp e = 0. With passive joints by
/// hybrid dynamics (partial feedback linearisation). O(n).
/// @return also LIMB_E_SINGULAR (passive joints that move no mass).
LIMB_NODISCARD LIMB_API limb_status limb_computed_torque_control(limb_data* d, const double* q, const double* v,
                                                                 const limb_goal* goal, const limb_control* control,
                                                                 double* work, double* tau);

/// Goal of a frame. Velocity and acceleration in world axes, of the frame's origin (classical) [rad/s, m/s; ...^2].
typedef struct limb_frame_goal {
  sp_pose pose;
  sp_motion velocity, acceleration;
} limb_frame_goal;

/// The mass, spring and damper that a frame imitates. Start from limb_default_impedance(). Of the six components
/// wx wy wz vx vy vz, those among the task's directions are controlled.
typedef struct limb_impedance {
  size_t size;                           ///< sizeof(limb_impedance), set by the default function
  limb_task task;                        ///< ref: LIMB_ALIGNED (world axes) or LIMB_BODY (axes of the frame)
  int full;                              ///< 0: stiffness, damping and inertia are 6 numbers; 1: 6 x 6 matrices
  const double* stiffness;               ///< K [N m/rad, N/m]; NULL: 0
  const double* damping;                 ///< D [N m s/rad, N s/m]; NULL: 0
  const double* inertia;                 ///< L, positive definite: the apparent inertia; NULL: the robot's own
  sp_force measured;                     ///< wrench of the environment ON the frame, at its origin, in the axes of
                                         ///< ref; used with inertia only; default 0
  const double* posture;                 ///< nq: preferred joint positions in the null space of the task; NULL: none
  const double *posture_kp, *posture_kd; ///< nv, >= 0: gains of the posture, and damping of all joints; NULL: 0
  const limb_environment* env;           ///< effects that are compensated; NULL: the default
  limb_task_options singular;            ///< treatment of singularities
  int saturate;                          ///< 1: limb_limit_efforts; default 0
} limb_impedance;

LIMB_API limb_impedance limb_default_impedance(int frame);

/// Task-space impedance. With x the rows of the frame (limb/task.h) and e its error (rotations as rotation vectors: the
/// shortest rotation to the goal),
///     Lambda e'' + D e' + K e = -F                     the response to a force F
///     L e'' + D e' + K e = -F_measured                 with inertia: Lambda is shaped to L
/// The torques are
///      tau = h + friction + springs - sum J' wrench + J' F_x + N' tau0,
///      F_x = Lambda (x''_goal - Jdot v) + D e' + K e,
///      tau0 = posture_kp (posture - q) - posture_kd v,
/// with inertia F_x = Lambda (x''_goal - Jdot v + L^-1 (D e' + K e + F_measured)) - F_measured.
/// @return also LIMB_E_SINGULAR (a singular task, see limb_task_dynamics, or L is not positive definite);
///         LIMB_E_UNSUPPORTED (loops, passive joints).
LIMB_NODISCARD LIMB_API limb_status limb_impedance_control(limb_data* d, const double* q, const double* v,
                                                           const limb_frame_goal* goal, const limb_impedance* given,
                                                           double* work, double* tau);

#ifdef __cplusplus
}
#endif

#endif
