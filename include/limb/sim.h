// limb: robot dynamics in C. Simulation: from accelerations to motion.
//
//     limb_sim_options o = limb_default_sim_options(robot);
//     limb_sim* sim = NULL;
//     limb_sim_create(robot, &o, NULL, &sim, NULL);
//     limb_sim_start(sim, 0, q, v, NULL);
//     limb_sim_event event;
//     while (limb_sim_advance(sim, 10, &event) == LIMB_OK && event.kind != LIMB_EVENT_NONE)
//       printf("%.9f s: %s\n", event.time, limb_event_kind_name(event.kind));
//     limb_sim_destroy(sim);
//
// What is simulated are the equations of limb/dynamics.h, limb/hybrid.h and limb/closed.h,
//
//     M a + h + friction + springs = tau + sum J' wrench + Psi^T lambda,     Psi a = gamma
//
// on the configuration manifold (limb_integrate), loops staying closed. Forces, wrenches and motions come
// from callbacks, which must be pure functions: steppers ask for times and states that are never reached.
// What changes at once is an event: a stop that is hit, friction that begins or ceases to hold, a
// condition of the caller's. Events are found to 1e-12 s, or to rounding when that is more.
//
// A simulation belongs to one thread. The same calls give the same bits. Nothing is allocated after
// limb_sim_start, but by SUNDIALS. Statuses: those of the dynamics; LIMB_E_NOCONV when a step cannot be made
// small enough, or an iteration in it does not end; the state is then the last good one, and limb_sim_error()
// has a sentence about it.
//
// This header belongs to the library limb_sim (CMake limb::sim, pkg-config limb-sim). docs/simulation.md.
#ifndef LIMB_SIM_H
#define LIMB_SIM_H

#include "limb/assemble.h"
#include "limb/closed.h"
#include "limb/hybrid.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One robot in motion.
typedef struct limb_sim limb_sim;

/// X(name, value, text, order, meaning): ways to make steps. Values are pinned. Order 0: as tolerances ask.
#define LIMB_SIM_METHOD_LIST(X)                                                                    \
  X(AUTO, 0, "auto", 0, "chosen by stiffness and constraints")                                     \
  X(EULER, 1, "euler", 1, "explicit Euler (Lynch and Park 2017)")                                  \
  X(SEMI_IMPLICIT, 2, "semi-implicit", 1, "velocities first, then places with the new velocities") \
  X(RK4, 3, "rk4", 4, "Runge-Kutta-Munthe-Kaas of order 4")                                        \
  X(VARIATIONAL, 4, "variational", 2, "symplectic: from a discrete Lagrangian, for long runs")     \
  X(IMPLICIT, 5, "implicit", 4, "linearly implicit (Rosenbrock), for stiff springs and friction")  \
  X(ERK, 6, "erk", 0, "adaptive, explicit Runge-Kutta (SUNDIALS ARKODE)")                          \
  X(ADAMS, 7, "adams", 0, "adaptive, Adams' multistep method (SUNDIALS CVODE)")                    \
  X(BDF, 8, "bdf", 0, "adaptive, for stiff robots (SUNDIALS CVODE)")                               \
  X(IDA, 9, "ida", 0, "adaptive, all equations at once with multipliers (SUNDIALS IDA)")

typedef enum limb_sim_method {
#define LIMB_X(name, value, text, order, meaning) LIMB_SIM_##name = (value),
  LIMB_SIM_METHOD_LIST(LIMB_X)
#undef LIMB_X
} limb_sim_method;

LIMB_API const char* limb_sim_method_name(limb_sim_method method);    ///< "rk4"; NULL: there is no such
LIMB_API const char* limb_sim_method_meaning(limb_sim_method method); ///< one line; NULL likewise
LIMB_API int limb_sim_method_order(limb_sim_method method);           ///< 0: as tolerances ask
LIMB_API int limb_sim_has_method(limb_sim_method method);             ///< 1 when this build has it (SUNDIALS)

/// What happens where a joint's coordinate meets q_min or q_max; limits of joints that mimic it count as
/// its own.
/// Stops act by impulses when they are hit, on all joints that are at theirs at the same instant; friction is
/// bounded and has none: joints that stick may be shaken loose. Motion that is given goes through limits.
/// Values are pinned.
typedef enum limb_stop {
  LIMB_STOP_NONE = 0,   ///< nothing: limits are not looked at
  LIMB_STOP_HOLD = 1,   ///< it stops there, without rebound, until a force pulls it away
  LIMB_STOP_SPRING = 2, ///< beyond the limit a spring and a damper push back
  LIMB_STOP_IMPACT = 3, ///< it rebounds with -restitution times its velocity; it rests when it would rise
                        ///< by less than options.absolute, or more slowly than that
  LIMB_STOP_END = 4     ///< the event is told, and the simulation cannot go on
} limb_stop;

/// What Coulomb friction does. Values are pinned.
typedef enum limb_stiction {
  LIMB_STICTION_EXACT = 0, ///< joints stick while less than the Coulomb force holds them, and slip with
                           ///< exactly that force against them otherwise; changes are events
  LIMB_STICTION_SMOOTH = 1 ///< as env.coulomb_width of limb/dynamics.h says, no events. It must
                           ///< be above zero when a joint has Coulomb friction
} limb_stiction;

/// Start from limb_default_sim_options().
typedef struct limb_sim_options {
  size_t size; ///< sizeof(limb_sim_options), set by the default function
  limb_sim_method method;
  double step;     ///< fixed steps: the longest [s]; default 1e-3. Adaptive methods find their own,
                   ///< see longest, and do not look at it
  double relative; ///< tolerance of adaptive methods, relative; default 1e-8
  double absolute; ///< absolute [rad, m, rad/s, m/s]; default 1e-10
  double longest;  ///< adaptive: no step longer than this [s]; 0: no bound
  int order;       ///< adaptive: highest order, no more than the method has (erk 6, adams 12, bdf and
                   ///< ida 5); 0: the method's own choice
  /// Gravity, base motion, wrenches and laws that do not change with time. Wrenches are copied by
  /// limb_sim_start; the list of laws is read whenever they are asked.
  limb_environment env;
  limb_stiction stiction;
  limb_stop stop;             ///< at the limits of all joints that have some
  double restitution;         ///< of LIMB_STOP_IMPACT, 0 to 1; default 0.5
  double stiffness;           ///< of LIMB_STOP_SPRING [N m/rad, N/m]; default 1e4
  double damping;             ///< of LIMB_STOP_SPRING, while it is pressed; default 1e2
  limb_closed_options closed; ///< of robots with loops; time is set by the simulation
  double project;             ///< loops: places and velocities are put back onto the surface of the constraints after
                              ///< every step that leaves them off by more than this; default 1e-13; infinite: never.
                              ///< With alpha or beta in closed, Baumgarte's terms act besides
  double condition;           ///< > 0: the event LIMB_EVENT_SINGULAR, where the condition number of the equations of
                              ///< the loops (limb_mobility.condition) rises above this; default 0
  int work;                   ///< 1: limb_sim_summary.work is integrated along; default 0
  uint64_t most_steps;        ///< in all; default 0: no bound
} limb_sim_options;

static inline limb_sim_options limb_default_sim_options(const limb_model* m)
{
  const limb_sim_options o = {sizeof(limb_sim_options),
                              LIMB_SIM_AUTO,
                              1e-3,
                              1e-8,
                              1e-10,
                              0,
                              0,
                              limb_default_environment(m),
                              LIMB_STICTION_EXACT,
                              LIMB_STOP_NONE,
                              0.5,
                              1e4,
                              1e2,
                              limb_default_closed_options(),
                              1e-13,
                              0,
                              0,
                              0};
  return o;
}

/// A state, and what follows from it. Pointers are into the simulation.
typedef struct limb_sim_state {
  double time;
  const double* q;      ///< nq
  const double* v;      ///< nv
  const double* a;      ///< nv
  const double* tau;    ///< nv: what callbacks and controllers deliver; of joints whose motion is given, what
                        ///< that takes
  const double* lambda; ///< nc: of the loops; NULL without loops
  int nwrench;
  const limb_wrench* wrench; ///< all that act: those of the environment, then those of callbacks
} limb_sim_state;

/// @param out  (output)
/// @param err  NULL: not wanted
/// @return LIMB_OK; LIMB_E_ARG (options that make no sense: err says which); LIMB_E_NONFINITE (env);
///         LIMB_E_UNSUPPORTED (a method that this build or robot does not have); LIMB_E_NOMEM, and those of
///         limb_loops_create.
/// The model must outlive the simulation; the lists of wrenches and laws in env, too.
LIMB_NODISCARD LIMB_API limb_status limb_sim_create(const limb_model* m, const limb_sim_options* options,
                                                    const limb_allocator* alloc, limb_sim** out, limb_error* err);
LIMB_API void limb_sim_destroy(limb_sim* sim); ///< NULL is accepted

LIMB_API const limb_model* limb_sim_model(const limb_sim* sim); ///< NULL for NULL

// ---- what acts: before limb_sim_start --------------------------------------------------------------------

/// Adds to the forces of the actuators.
/// @param tau  nv: add to it
/// @return what is not LIMB_OK ends the step.
typedef limb_status limb_sim_force_fn(void* context, double t, const double* q, const double* v, double* tau);

/// Sets wrenches that change with time and state: all fields of each.
typedef limb_status limb_sim_wrench_fn(void* context, double t, const double* q, const double* v, limb_wrench* wrench);

/// Sets q, v and a of the joints whose motion is given; other entries must be left as they are.
typedef limb_status limb_sim_motion_fn(void* context, double t, double* q, double* v, double* a);

/// The first time after t at which the input may jump or bend; HUGE_VAL: never. What is NaN or not after t
/// ends limb_sim_start or limb_sim_advance with LIMB_E_ARG. Steps that end there see what the input is before
/// that time: they ask for it right before.
typedef double limb_sim_break_fn(void* context, double t);

/// A source of forces. Start from all zero.
typedef struct limb_sim_force {
  limb_sim_force_fn* force;
  void* context;
  limb_sim_break_fn* next_break; ///< NULL: smooth. Steps end at breaks
  /// > 0: sampled. force is called at t0, t0 + period, ..., with the state at that time, and what it says is
  /// held from delay after one sample until delay after the next; nothing acts before.
  double period, delay;
} limb_sim_force;

/// Sources are added up in the order in which they came. LIMB_OK, LIMB_E_ARG, LIMB_E_NOMEM; LIMB_E_ORDER
/// after the start.
LIMB_NODISCARD LIMB_API limb_status limb_sim_add_force(limb_sim* sim, const limb_sim_force* f);

/// @param count  wrenches that it sets
LIMB_NODISCARD LIMB_API limb_status limb_sim_add_wrenches(limb_sim* sim, int count, limb_sim_wrench_fn* wrench,
                                                          void* context, limb_sim_break_fn* next_break);

/// Motion given on some joints: these follow the callback whatever that takes (limb/hybrid.h), the others
/// move freely. Once per simulation.
/// @param given  nv marks (limb_given); copied
/// Components of ball and free joints are given all or none (LIMB_E_UNSUPPORTED).
LIMB_NODISCARD LIMB_API limb_status limb_sim_set_motion(limb_sim* sim, const unsigned char* given,
                                                        limb_sim_motion_fn* motion, void* context,
                                                        limb_sim_break_fn* next_break);

// ---- events -----------------------------------------------------------------------------------------

/// X(name, value, text): what happens at an instant. Values are pinned.
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

LIMB_API const char* limb_event_kind_name(limb_event_kind kind); ///< NULL: there is no such

/// What happened. Several at the same time are told one after the other: conditions that are met, stops that
/// were hit, what that did to other joints, and conditions that all this, or the jump of an input, has
/// carried across zero. More than 1000 (and 20 for each joint with friction or stops) within 1e-5 s are
/// LIMB_E_NOCONV.
typedef struct limb_sim_event {
  limb_event_kind kind; ///< NONE: nothing, the end time was reached
  double time;
  int condition; ///< of LIMB_EVENT_CONDITION: which one; else -1
  int joint;     ///< of stops, impacts and friction; else -1
  int side;      ///< -1: q_min, 1: q_max; of friction the direction of slip (before it sticks); else 0
  int ends;      ///< 1: the simulation is over
  double before,
    after; ///< velocity of the joint; of conditions the value before and after a jump, or both the value
           ///< where it is met; of SINGULAR both the condition number
} limb_sim_event;

/// What a condition looks at crosses zero at the event, also by a jump. Two crossings within one
/// fixed step are not seen; steps of adaptive methods are looked at in quarters, and where a parabola through
/// these says that zero is near.
typedef double limb_sim_condition_fn(void* context, const limb_sim_state* at);

/// A condition. Start from all zero.
typedef struct limb_sim_condition {
  limb_sim_condition_fn* value;
  void* context;
  int direction; ///< 1: rising through zero only, -1: falling only, 0: both
  int dynamics;  ///< 1: it looks at a, tau or lambda, which are NULL otherwise
  int ends;      ///< 1: the simulation ends there
} limb_sim_condition;

/// @param index  of it (output; NULL: not wanted)
/// A condition that is zero at the start happens when it is next crossed. Before limb_sim_start.
LIMB_NODISCARD LIMB_API limb_status limb_sim_add_condition(limb_sim* sim, const limb_sim_condition* c, int* index);

// ---- running ---------------------------------------------------------------------------------------------

/// Puts the robot into a state: quaternions are normalised; loops must be closed there to 1e-6, and are then
/// closed exactly. Joints whose motion is given are put where it begins, with its velocity, however far that
/// is from q and v; the others then close the loops, moving by no more than limb_project lets them. May be
/// called again: summary and modes begin anew.
/// @param v  nv; NULL: at rest
/// @return LIMB_OK; LIMB_E_ARG (also a quaternion far from unit norm, and a q beyond limits that stop, as err
///         says); LIMB_E_NOCONV (loops are open, or the motion that is given opens them: err names the loop
///         and how far); those of the dynamics.
LIMB_NODISCARD LIMB_API limb_status limb_sim_start(limb_sim* sim, double t, const double* q, const double* v,
                                                   limb_error* err);

/// Goes on until t_end, or to the next event when that is earlier.
/// @param t_end  not before the time that was reached
/// @param event  NULL: events are handled, but not told, and only one that ends the simulation is waited at
///               (limb_sim_over)
/// Times t_end are reached exactly: with fixed steps by equal steps of no more than the step's length.
LIMB_NODISCARD LIMB_API limb_status limb_sim_advance(limb_sim* sim, double t_end, limb_sim_event* event);

/// The state that was reached. Valid until the next call with this simulation. a, tau and lambda are computed
/// when they are not known: LIMB_OK, or what that came to; time, q and v are there all the same then.
LIMB_NODISCARD LIMB_API limb_status limb_sim_now(limb_sim* sim, limb_sim_state* out);

/// One sentence about why limb_sim_start or limb_sim_advance, when they were last called, failed, or else
/// limb_sim_now or limb_sim_summary_of since then; "" when none of them did.
LIMB_API const char* limb_sim_error(const limb_sim* sim);

/// 1: a condition or a stop has ended the simulation, which stays where it is. 0 also for NULL.
LIMB_API int limb_sim_over(const limb_sim* sim);

/// How it went, since the start.
typedef struct limb_sim_summary {
  limb_sim_method method; ///< the one that is used: AUTO has been resolved
  const char* because;    ///< why AUTO chose it; "" otherwise
  uint64_t steps, rejected;
  uint64_t evaluations; ///< of accelerations (residuals of IDA)
  uint64_t derivatives; ///< evaluations of derivatives of accelerations
  uint64_t iterations;  ///< of the variational method's and SUNDIALS' equations
  uint64_t projections; ///< that moved something
  uint64_t restarts;    ///< of adaptive methods, after jumps
  uint64_t events;
  double shortest, longest;               ///< steps [s]
  double largest_place, largest_velocity; ///< residuals of loops after steps
  double energy_start, energy;            ///< kinetic + gravity + springs [J], at the start and now
  /// Of everything that is neither gravity nor a spring of the robot [J]. Springs of stops are not in
  /// the energies: they count here. See options.
  double work;
} limb_sim_summary;

LIMB_NODISCARD LIMB_API limb_status limb_sim_summary_of(limb_sim* sim, limb_sim_summary* out);

#ifdef __cplusplus
}
#endif

#endif
