// limb: robot dynamics in C. Simulation: motion from forces, with events, stops, friction and closed loops.
//
//     limb_sim_options o = limb_default_sim_options(robot);
//     limb_sim* sim = NULL;
//     limb_sim_event event;
//     if (limb_sim_create(robot, &o, NULL, &sim, NULL) != LIMB_OK) return 1;
//     if (limb_sim_start(sim, 0, q, v, NULL) != LIMB_OK) return 1;
//     while (limb_sim_advance(sim, 10, &event) == LIMB_OK && event.kind != LIMB_EVENT_NONE)
//       printf("%.9f s: %s\n", event.time, limb_event_kind_name(event.kind));
//     limb_sim_destroy(sim);
//
// A simulation integrates the equations of limb/dynamics.h and limb/loops.h,
//
//     M a + h + friction + springs = tau + sum J' wrench + Psi^T lambda,     Psi a = gamma
//
// on the configuration manifold (limb_integrate), and keeps loops closed. Forces, wrenches and prescribed motions come
// from callbacks. Callbacks must be pure functions, because integrators evaluate them at times and states that are
// never reached. Discontinuities are events: a joint hits a stop, friction begins or ceases to hold, a condition of the
// caller is met. Events are located to 1e-12 s, or to rounding if that is larger, on the computed trajectory. The error
// of the trajectory adds to this: 4e-7 s in a typical run at the default tolerances.
//
// A simulation belongs to one thread. The same calls give the same bits. Only SUNDIALS allocates after limb_sim_start.
// Statuses: those of the dynamics; LIMB_E_NOCONV if a step cannot be made small enough or an iteration in it does not
// converge. The state is then the last good one, and limb_sim_error() explains.
//
// This header belongs to the library limb_sim (CMake limb::sim, pkg-config limb-sim). See docs/simulation.md.
#ifndef LIMB_SIM_H
#define LIMB_SIM_H

#include "limb/assemble.h"
#include "limb/dynamics.h"
#include "limb/loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A simulation of one robot.
typedef struct limb_sim limb_sim;

/// X(name, value, text, order, meaning): integration methods. Values are pinned. Order 0: variable.
#define LIMB_SIM_METHOD_LIST(X)                                                                       \
  X(AUTO, 0, "auto", 0, "chosen by stiffness and constraints")                                        \
  X(EULER, 1, "euler", 1, "explicit Euler (Lynch and Park 2017)")                                     \
  X(SEMI_IMPLICIT, 2, "semi-implicit", 1, "velocities first, then positions with the new velocities") \
  X(RK4, 3, "rk4", 4, "Runge-Kutta-Munthe-Kaas of order 4")                                           \
  X(VARIATIONAL, 4, "variational", 2, "symplectic: from a discrete Lagrangian, for long runs")        \
  X(IMPLICIT, 5, "implicit", 4, "linearly implicit (Rosenbrock), for stiff springs and friction")     \
  X(ERK, 6, "erk", 0, "adaptive, explicit Runge-Kutta (SUNDIALS ARKODE)")                             \
  X(ADAMS, 7, "adams", 0, "adaptive, Adams' multistep method (SUNDIALS CVODE)")                       \
  X(BDF, 8, "bdf", 0, "adaptive, for stiff robots (SUNDIALS CVODE)")                                  \
  X(IDA, 9, "ida", 0, "adaptive, all equations at once with multipliers (SUNDIALS IDA)")

typedef enum limb_sim_method {
#define LIMB_X(name, value, text, order, meaning) LIMB_SIM_##name = (value),
  LIMB_SIM_METHOD_LIST(LIMB_X)
#undef LIMB_X
} limb_sim_method;

LIMB_API const char* limb_sim_method_name(limb_sim_method method);    ///< "rk4"; NULL: unknown method
LIMB_API const char* limb_sim_method_meaning(limb_sim_method method); ///< one line; NULL likewise
LIMB_API int limb_sim_method_order(limb_sim_method method);           ///< 0: variable
LIMB_API int limb_sim_has_method(limb_sim_method method);             ///< 1 if this build has it (SUNDIALS)

/// Behaviour of a joint that reaches q_min or q_max. Limits of joints that mimic it count as its own. Prescribed motion
/// passes through limits. Stops act by impulses, on all joints that reach theirs at the same instant. Friction is
/// bounded and has no impulse: an impact may make sticking joints slip. Values are pinned.
typedef enum limb_stop {
  LIMB_STOP_NONE = 0,   ///< nothing: limits are ignored
  LIMB_STOP_HOLD = 1,   ///< the joint stops there, without rebound, until a force pulls it away
  LIMB_STOP_SPRING = 2, ///< a spring and a damper act on the joint beyond the limit
  LIMB_STOP_IMPACT = 3, ///< the joint rebounds with -restitution times its velocity; it stays at the stop if it would
                        ///< rise by less than options.absolute, or more slowly than that
  LIMB_STOP_END = 4     ///< the event is reported and ends the simulation
} limb_stop;

/// Coulomb friction. Values are pinned.
typedef enum limb_stiction {
  LIMB_STICTION_EXACT = 0, ///< joints stick while less than the Coulomb force holds them; otherwise they slip against
                           ///< exactly that force; transitions are events
  LIMB_STICTION_SMOOTH = 1 ///< smoothed by env.coulomb_width (limb/dynamics.h), without events; the width must be
                           ///< positive if a joint has Coulomb friction
} limb_stiction;

/// Options. Start from limb_default_sim_options().
typedef struct limb_sim_options {
  size_t size; ///< sizeof(limb_sim_options), set by the default function
  limb_sim_method method;
  double step;     ///< largest fixed step [s]; default 1e-3. Adaptive methods ignore it
  double relative; ///< relative tolerance of adaptive methods; default 1e-8, of robots with loops 1e-10
  double absolute; ///< absolute tolerance [rad, m, rad/s, m/s]; default a hundredth of that
  double max_step; ///< largest adaptive step [s]; 0: unlimited
  int order;       ///< highest order of adaptive methods (erk 6, adams 12, bdf and ida 5); 0: the method's choice
  /// Gravity, base motion, and wrenches and force laws that do not change with time. limb_sim_start copies the
  /// wrenches; force laws are read at every evaluation.
  limb_environment env;
  limb_stiction stiction;
  limb_stop stop;         ///< at the limits of all joints
  double restitution;     ///< of LIMB_STOP_IMPACT, 0 to 1; default 0.5
  double stop_stiffness;  ///< of LIMB_STOP_SPRING [N m/rad, N/m]; default 1e4
  double stop_damping;    ///< of LIMB_STOP_SPRING while pressed; default 1e2
  limb_loop_solver loops; ///< for robots with loops; its time is ignored
  double project;         ///< loops: after a step with a residual above this, positions and velocities are projected
                          ///< onto the closed states; default 1e-13; HUGE_VAL: never. Baumgarte's terms act as well if
                          ///< alpha or beta are set in loops
  double condition;       ///< > 0: event LIMB_EVENT_SINGULAR where the condition number of the loop equations
                          ///< (limb_mobility.condition) rises above this; default 0
  int work;               ///< 1: integrate limb_sim_summary.work; default 0
  uint64_t max_steps;     ///< in total; default 0: unlimited
} limb_sim_options;

LIMB_API limb_sim_options limb_default_sim_options(const limb_model* m);

/// A state and its accelerations and forces. Pointers refer to memory of the simulation.
typedef struct limb_sim_state {
  double time;
  const double* q;      ///< nq
  const double* v;      ///< nv
  const double* a;      ///< nv
  const double* tau;    ///< nv: forces of callbacks and controllers; for prescribed motion the force that it
                        ///< requires
  const double* lambda; ///< nc: multipliers of the loops; NULL without loops
  int nwrench;
  const limb_wrench* wrench; ///< those of the environment, then those of callbacks
} limb_sim_state;

/// The model and the lists of wrenches and force laws in env must outlive the simulation.
/// @param err  names invalid options; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (invalid options); LIMB_E_NONFINITE (env); LIMB_E_UNSUPPORTED (this build does not have
///         the method); LIMB_E_NOMEM; those of limb_data_create.
LIMB_NODISCARD LIMB_API limb_status limb_sim_create(const limb_model* m, const limb_sim_options* options,
                                                    const limb_allocator* alloc, limb_sim** out, limb_error* err);
LIMB_API void limb_sim_destroy(limb_sim* sim); ///< NULL is accepted

LIMB_API const limb_model* limb_sim_model(const limb_sim* sim); ///< NULL if sim is NULL

// ---- inputs: before limb_sim_start ----------------------------------------------------------------------

/// Adds actuator forces to tau (nv). Any status except LIMB_OK ends the step with that status.
typedef limb_status limb_sim_force_fn(void* context, double t, const double* q, const double* v, double* tau);

/// Sets all members of wrenches that depend on time and state.
typedef limb_status limb_sim_wrench_fn(void* context, double t, const double* q, const double* v, limb_wrench* wrench);

/// Sets q, v and a of the joints with prescribed motion, and no other entries.
typedef limb_status limb_sim_motion_fn(void* context, double t, double* q, double* v, double* a);

/// Returns the first time after t at which the input may have a jump or a kink; HUGE_VAL: never. Steps end there, and a
/// step that ends there uses the input immediately before. If the result is NaN or not after t, limb_sim_start or
/// limb_sim_advance returns LIMB_E_ARG.
typedef double limb_sim_break_fn(void* context, double t);

/// A source of forces. Start from all zero.
typedef struct limb_sim_force {
  limb_sim_force_fn* force;
  void* context;
  limb_sim_break_fn* next_break; ///< NULL: the input is smooth
  /// period > 0: sampled. force is called at t0, t0 + period, ...; its result acts, held constant, from `delay` after
  /// one sample until `delay` after the next. Before that it is zero.
  double period, delay;
} limb_sim_force;

/// Adds a source of forces. Sources add up in the order of these calls.
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_NOMEM; LIMB_E_ORDER (after limb_sim_start).
LIMB_NODISCARD LIMB_API limb_status limb_sim_add_force(limb_sim* sim, const limb_sim_force* f);

/// Adds a source of wrenches.
/// @param count  number of wrenches that the callback sets
/// @return as limb_sim_add_force.
LIMB_NODISCARD LIMB_API limb_status limb_sim_add_wrenches(limb_sim* sim, int count, limb_sim_wrench_fn* wrench,
                                                          void* context, limb_sim_break_fn* next_break);

/// Prescribed motion: marked joints follow the callback, with the force that this requires (limb/dynamics.h); the
/// others move freely. At most once per simulation.
/// @param given  nv marks (limb_given); copied. All components of a ball or free joint or none
/// @return as limb_sim_add_force; LIMB_E_UNSUPPORTED also for part of a ball or free joint.
LIMB_NODISCARD LIMB_API limb_status limb_sim_set_motion(limb_sim* sim, const unsigned char* given,
                                                        limb_sim_motion_fn* motion, void* context,
                                                        limb_sim_break_fn* next_break);

// ---- events ---------------------------------------------------------------------------------------------

/// X(name, value, text): kinds of events. Values are pinned.
#define LIMB_EVENT_LIST(X)           \
  X(NONE, 0, "none")                 \
  X(CONDITION, 1, "condition")       \
  X(STOP_REACHED, 2, "stop reached") \
  X(STOP_LEFT, 3, "stop left")       \
  X(IMPACT, 4, "impact")             \
  X(STICK, 5, "stick")               \
  X(SLIP, 6, "slip")                 \
  X(SINGULAR, 7, "singularity near")

typedef enum limb_event_kind {
#define LIMB_X(name, value, text) LIMB_EVENT_##name = (value),
  LIMB_EVENT_LIST(LIMB_X)
#undef LIMB_X
} limb_event_kind;

LIMB_API const char* limb_event_kind_name(limb_event_kind kind); ///< NULL: unknown kind

/// An event. Simultaneous events are reported one after the other: conditions that are met, stops that are hit, effects
/// on other joints, and conditions that change sign through these changes or through a jump of an input. More than 1000
/// events (plus 20 for each joint with friction or stops) within 1e-5 s are LIMB_E_NOCONV.
typedef struct limb_sim_event {
  limb_event_kind kind; ///< NONE: the end time was reached
  double time;
  int condition; ///< index, for LIMB_EVENT_CONDITION; otherwise -1
  int joint;     ///< for stops, impacts and friction; otherwise -1
  int side;      ///< -1: q_min, 1: q_max; friction: direction of slip (for STICK, before the event); otherwise 0
  int ends;      ///< 1: the event ends the simulation
  double before; ///< velocity of the joint; conditions: the value before a jump, or where it is met; SINGULAR: the
                 ///< condition number
  double after;  ///< the same after the event
} limb_sim_event;

/// A function that changes sign at the event, continuously or by a jump. Two sign changes within one fixed step are not
/// detected; steps of adaptive methods are sampled at quarters, and where a parabola through the samples is near zero.
typedef double limb_sim_condition_fn(void* context, const limb_sim_state* at);

/// A condition. Start from all zero.
typedef struct limb_sim_condition {
  limb_sim_condition_fn* value;
  void* context;
  int direction; ///< 1: rising through zero only, -1: falling only, 0: both
  int dynamics;  ///< 1: it uses a, tau or lambda, which are NULL otherwise
  int ends;      ///< 1: the simulation ends there
  int polled;    ///< 1: evaluated after steps, which are not sampled for it: for progress and interrupts
} limb_sim_condition;

/// Adds a condition, before limb_sim_start. One that is zero at the start is met at its next sign change.
/// @param index  NULL: not needed (output)
/// @return as limb_sim_add_force.
LIMB_NODISCARD LIMB_API limb_status limb_sim_add_condition(limb_sim* sim, const limb_sim_condition* c, int* index);

// ---- start ----------------------------------------------------------------------------------------------

/// The fixed parts of a start while its loops are closed.
typedef struct limb_start_given {
  const unsigned char* q; ///< nv marks: 1 where the position must not change
  const unsigned char* v; ///< nv marks: 1 where the velocity is given
  double time;            ///< of prescribed motion in loops
  int restarts;           ///< of limb_assemble, for positions
  double tolerance;       ///< largest change of a given value to close the loops [rad, m; velocities: per second, or
                          ///< relative if they are above 1], for values with rounded digits; 0: none
} limb_start_given;

/// Closes the loops of a start: positions by limb_assemble, with the marked ones fixed; velocities by completing the
/// given ones; independent velocities that are not given keep their values. If that is impossible, the result is the
/// nearest closed state, provided that no given value changes by more than the tolerance. States of trees do not
/// change.
/// @param q    nq (in and out)
/// @param v    nv (in and out)
/// @param err  names the loop or the joint; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_NOCONV (the loops cannot be closed, or given velocities contradict each other); LIMB_E_ARG;
///         LIMB_E_NOMEM; those of limb_data_create.
LIMB_NODISCARD LIMB_API limb_status limb_sim_close_start(const limb_model* m, const limb_start_given* given, double* q,
                                                         double* v, limb_error* err);

// ---- running --------------------------------------------------------------------------------------------

/// Sets the state. Quaternions are normalised. Loops must be closed to 1e-6 and are then closed exactly
/// (limb_sim_close_start closes open ones). Joints with prescribed motion are moved to its beginning, at any distance;
/// the others then close the loops, within the range of limb_project. Another call restarts the simulation and resets
/// the summary.
/// @param v    nv; NULL: at rest
/// @param err  names the loop and the gap; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (also a quaternion far from unit norm, or a joint beyond its stop); LIMB_E_NOCONV (loops
///         are open, or prescribed motion opens them); those of the dynamics.
LIMB_NODISCARD LIMB_API limb_status limb_sim_start(limb_sim* sim, double t, const double* q, const double* v,
                                                   limb_error* err);

/// Advances to t_end, or to the next event if that is earlier. t_end is reached exactly; fixed steps are divided
/// equally and do not exceed options.step.
/// @param t_end  not before the current time
/// @param event  NULL: events are handled, but not reported; one that ends the simulation still ends it (limb_sim_over)
///               (output)
LIMB_NODISCARD LIMB_API limb_status limb_sim_advance(limb_sim* sim, double t_end, limb_sim_event* event);

/// The current state, valid until the next call with this simulation. a, tau and lambda are computed if necessary;
/// if that fails, its status is returned, and time, q and v are set nevertheless.
LIMB_NODISCARD LIMB_API limb_status limb_sim_now(limb_sim* sim, limb_sim_state* out);

/// Reason, one sentence, for which the last limb_sim_start or limb_sim_advance, or a later limb_sim_now or
/// limb_sim_summary_of, failed; "" if none did.
LIMB_API const char* limb_sim_error(const limb_sim* sim);

/// 1: a condition or a stop has ended the simulation, which advances no further. 0 if sim is NULL.
LIMB_API int limb_sim_over(const limb_sim* sim);

/// Statistics since the start.
typedef struct limb_sim_summary {
  limb_sim_method method; ///< the method in use, never AUTO
  const char* because;    ///< why AUTO chose it; "" otherwise
  uint64_t steps, rejected;
  uint64_t evaluations; ///< of accelerations (IDA: residuals)
  uint64_t derivatives; ///< evaluations of derivatives of accelerations
  uint64_t iterations;  ///< of Newton's method, in the variational method and SUNDIALS
  uint64_t projections; ///< of open loops
  uint64_t restarts;    ///< of adaptive methods, after jumps
  uint64_t events;
  double min_step, max_step;                   ///< steps made [s]
  double position_residual, velocity_residual; ///< largest residuals of loops after steps
  double energy_start, energy;                 ///< kinetic + gravity + springs [J], at the start and now
  /// Work of all forces except gravity and the robot's springs [J], springs of stops included. 0 unless options.work
  /// is set.
  double work;
  uint64_t singular;        ///< number of passages through singular configurations of loops
  double singular_time;     ///< time of the closest passage [s]
  double singular_distance; ///< smallest ratio of a pivot of the constraints to the largest, at an evaluation
  double singular_energy;   ///< largest change of energy minus work in a passage [J]
  double kinetic;           ///< largest kinetic energy at the start, before and after passages, and now [J]
} limb_sim_summary;

LIMB_NODISCARD LIMB_API limb_status limb_sim_summary_of(limb_sim* sim, limb_sim_summary* out);

#ifdef __cplusplus
}
#endif

#endif
