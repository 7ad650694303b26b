// Internals of a simulation: its state, inputs, watched functions and steppers.
//
//   sim.c                  memory, creation, state and summary
//   options.c              options, checked; methods, and the choice of AUTO
//   start.c                the start: loops closed, state checked
//   inputs.c               forces, wrenches and motions of the caller; sampled controllers; breaks
//   accelerations.c        accelerations at a state, and the calls for robots with loops
//   constraint_projection.c redundant constraints, and the constraint manifold
//   step_derivatives.c     derivatives of the accelerations
//   tangent.c              local coordinates of the configuration manifold
//   advance.c              steps up to a time, and events on the way
//   singular.c             steps past singular configurations of loops
//   events.c               watched functions, and the search for their first root
//   stops_and_friction.c   joints with Coulomb friction or stops; what happens at an event
//   modes.c                which of them stick, slip or rest at a stop: a complementarity problem
//   impact.c               impulses at stops
//   stepper_*.c            the methods; sundials.c is common to those of SUNDIALS
#ifndef LIMB_SIM_IMPL_H
#define LIMB_SIM_IMPL_H

#include "limb/sim.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>

// ---- states ---------------------------------------------------------------------------------------------

typedef struct sim_point {
  double t;
  double* q;   // nq
  double* v;   // nv
  double work; // of everything except gravity and springs, so far
} sim_point;

// ---- the manifold: tangent.c ----------------------------------------------------------------------------

// Velocities that do not commute: three of a ball joint, six of a free one.
typedef struct sim_block {
  int q, v; // first coordinate and velocity
  bool free;
} sim_block;

// ---- inputs ---------------------------------------------------------------------------------------------

typedef struct sim_source {
  limb_sim_force f;
  uint64_t samples; // taken so far
  double* held;     // nv: the sample that acts now
  double* waiting;  // queue x nv: ring of samples that do not act yet
  int queue;        // capacity of the ring
  uint64_t begun;   // samples that have started to act
} sim_source;

typedef struct sim_wrenches {
  int first, count; // in sim->wrench
  limb_sim_wrench_fn* wrench;
  void* context;
  limb_sim_break_fn* next_break;
} sim_wrenches;

typedef struct sim_motion {
  unsigned char* given; // nv marks; NULL: none
  limb_sim_motion_fn* motion;
  void* context;
  limb_sim_break_fn* next_break;
} sim_motion;

// ---- stops and friction ---------------------------------------------------------------------------------

typedef enum sim_slip { SIM_FREE, SIM_SLIPS_UP, SIM_SLIPS_DOWN, SIM_STICKS } sim_slip;
typedef enum sim_contact { SIM_AWAY, SIM_AT_UPPER, SIM_AT_LOWER } sim_contact;

// A degree of freedom with Coulomb friction or stops (also those of joints that mimic it), and its mode.
typedef struct sim_mode {
  int v, q;            // velocity and coordinate
  int joint;           // index in the model
  double coulomb;      // force of Coulomb friction; 0: none
  double lower, upper; // -+HUGE_VAL: none
  bool given;          // prescribed motion: no mode
  sim_slip slip;
  sim_contact contact; // rests at that stop (HOLD, IMPACT), or presses its spring (SPRING)
  bool locked;         // at rest because of others that are held through loops; its friction acts in full
  bool open;           // modes.c: at rest, and its mode is to be decided
  sim_contact near;    // modes.c: the stop where it is then
  int went;            // modes.c: direction in which it was released
  double excess;       // modes.c: force that friction lacks to hold everything
  double extra;        // modes.c: share of it that is added for the moment; else 0
  double margin[2];    // modes.c: margins to moving down and up, or to being held (the first)
  double held_q;       // q while it is held
  double force;        // largest holding force so far
  double before;       // velocity before an event
  int was;             // and mode before it (stops_and_friction.c)
} sim_mode;

// ---- steppers -------------------------------------------------------------------------------------------

// Where steps end.
typedef enum sim_pace {
  SIM_FIXED,   // at the given time
  SIM_TO_STOP, // adaptive, but not beyond the requested time
  SIM_AHEAD    // adaptive, and possibly beyond it; interpolated
} sim_pace;

// A method. A step starts at sim->front and leaves the new state there; sim->begin is a copy of its start.
typedef struct sim_stepper {
  limb_sim_method method;
  sim_pace pace;

  // Allocates memory before the first step, from limb_sim_alloc; NULL: none needed. destroy frees anything else.
  limb_status (*create)(limb_sim* sim);
  void (*destroy)(limb_sim* sim);

  // Restarts from sim->front: at the start, after a jump or a change of modes. NULL: nothing to do.
  limb_status (*restart)(limb_sim* sim);

  // One step from sim->begin (a copy of front) into sim->front: fixed steps exactly to t, adaptive ones no further
  // than t, which may be HUGE_VAL.
  limb_status (*step)(limb_sim* sim, double t);

  // The state at t within the last step. NULL: the step is repeated up to t.
  limb_status (*inside)(limb_sim* sim, double t, sim_point* out);

  // The same, approximate and cheap, to detect events. NULL: steps are too short to need it.
  limb_status (*look)(limb_sim* sim, double t, sim_point* out);
} sim_stepper;

extern const sim_stepper limb_sim_euler, limb_sim_semi_implicit, limb_sim_rk4; // stepper_runge_kutta.c
extern const sim_stepper limb_sim_variational;                                 // stepper_variational.c
extern const sim_stepper limb_sim_rosenbrock;                                  // stepper_runge_kutta.c

extern const sim_stepper limb_sim_erk;                 // stepper_arkode.c
extern const sim_stepper limb_sim_adams, limb_sim_bdf; // stepper_multistep.c
extern const sim_stepper limb_sim_ida;                 // stepper_multistep.c

// The stepper of a method; NULL: not in this build. options.c
const sim_stepper* limb_sim_stepper_of(limb_sim_method method);

// The fastest rate near sim->now, about [1/s]; 0 where there are no accelerations. options.c
limb_status limb_sim_fastest_rate(limb_sim* sim, double* rate);

// The method that AUTO stands for at sim->now; sim->because gives the reason. options.c
limb_status limb_sim_choose(limb_sim* sim, limb_sim_method* method);

// Scratch of step_derivatives.c.
typedef struct sim_derivatives {
  double *a_x, *x_q, *x_v; // nv x nv
  double *plus, *minus;    // nv
  double* e;               // 2 nv: one direction
  bool laws;               // loops have prescribed motion
  bool ready;              // everything is allocated
} sim_derivatives;

// Distances from singular configurations, and what is remembered while one is near. singular.c
typedef struct sim_passage {
  double now, top, low;       // ratio of pivots: at the last evaluation, the largest so far, the smallest of a step
  double t[2], ratio[2];      // the last two evaluations that went ahead in time, the later one first
  double length;              // of the step before
  bool near, crossed;         // the last step was one past it; it was passed
  double closest, when;       // smallest ratio over the largest; time
  double energy, power;       // before, less work; at the beginning of the step
  double *a0, *a1, *u, *rate; // nv: accelerations at both ends of the step; scratch
  double fastest;             // rate of the robot, about, for methods that are used for stiff ones; else 0
  void *explicit_state, *implicit_state; // of RK4 and RODAS
} sim_passage;

// ---- the simulation -------------------------------------------------------------------------------------

// A block of memory, freed with the simulation.
typedef struct sim_memory {
  struct sim_memory* next;
  size_t size;
} sim_memory;

enum { SIM_METHODS = LIMB_SIM_IDA + 1 };

struct limb_sim {
  const limb_model* m;
  limb_allocator alloc;
  sim_memory* memory;
  limb_sim_options o;
  double alpha, beta; // of the caller; methods may change those in o
  int nq, nv, nc, nblock;
  limb_data* d;
  limb_data* loops; // robots with loops: answers with them closed, and d is of the spanning tree; NULL: no loops
  sim_block* block;
  int* coordinate; // nv: coordinate whose rate a velocity is; -1 in blocks

  // Inputs.
  int nsource, source_capacity;
  int nwrenches, wrenches_capacity;
  int nwrench, wrench_capacity; // of the environment, then of callbacks
  sim_source* source;
  sim_wrenches* wrenches;
  limb_wrench* wrench;
  sim_motion motion;
  limb_environment env;            // of the options with all wrenches; without Coulomb friction if modes handle it
  const limb_environment* env_arg; // the same, or NULL if it is the default: faster
  double bound;                    // the first break after now; inputs are evaluated before it until it has passed

  // Held joints; joints with Coulomb friction or stops.
  int nmode, nlimit; // nlimit: those with stops
  int nheld;         // velocities whose acceleration is given now
  int nwatch;        // conditions, functions of modes, the condition number
  sim_mode* mode;
  unsigned char* held;                 // nv marks
  double* x;                           // nv: forces, and accelerations where held
  double* y;                           // nv: scratch of accelerations.c
  double* tau;                         // nv: forces of actuators at the last evaluation
  double* applied;                     // nv: forces where held, from limb_sim_load; x has the accelerations
  double* holding;                     // nv: holding force in addition to the others, at the last evaluation; else 0
  double* lambda;                      // nc, at the last evaluation
  double* rate;                        // nc: scratch of limb_sim_power
  double *given_q, *given_v, *given_a; // of prescribed motion
  double *rest, *answer;               // nv: scratch of accelerations.c
  sim_derivatives derivatives;
  double* responses; // scratch of accelerations.c
  double unheld;     // loops: largest acceleration that holding removed
  void* impact;      // scratch of impact.c
  sim_passage passage;

  // Current state.
  double t0;
  sim_point now;             // visible to the caller
  sim_point begin;           // of the last step
  sim_point front;           // end of the last step; later than now if an adaptive method is ahead
  sim_point probe;           // trial state of the root search
  sim_point spare;           // front, while a step is repeated
  sim_point projected;       // scratch of accelerations.c
  sim_point shifted;         // scratch of limb_sim_perturbed, and
  double* shift;             // nv
  double* a;                 // nv, of now
  double leg_begin, leg_end; // fixed steps: the interval that is divided equally
  uint64_t leg_steps, leg_done;

  const sim_stepper* stepper;
  void* state;             // of the stepper
  void* kept[SIM_METHODS]; // states of all steppers used so far, by method
  struct sim_rates* rates; // scratch of options.c

  // Watched functions.
  int ncondition, condition_capacity;
  int queued, reported; // events at now
  limb_sim_condition* condition;
  double* watched; // nwatch: values at now
  double *watching,
    *between;           // nwatch: scratch of events.c; watching: values just after the last root
  double* seen;         // 3 nwatch: scratch of events.c
  unsigned char* fired; // nwatch: has a root at now
  double burst_begin;
  limb_sim_event* queue; // events at now that are not reported yet

  limb_sim_summary summary;
  int burst;                           // events since burst_begin
  bool redundant;                      // some constraints depend on others, idle ones excepted
  struct sim_constraints* constraints; // of such robots, and of methods that need it
  bool inputs;                         // there are inputs besides the environment
  bool started, over;
  bool known;        // a, tau, lambda belong to now
  char because[128]; // reason for the choice of AUTO
  char error[256];
};

// Zeroed memory that lives as long as the simulation; NULL: out of memory.
void* limb_sim_alloc(limb_sim* sim, size_t count, size_t size);

// Ensures capacity for one more item in a growing array, as limb_grow; false: out of memory.
bool limb_sim_grow(limb_sim* sim, void** items, int* capacity, int count, size_t size);

// Sets the sentence of limb_sim_error(); returns status.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
limb_status
limb_sim_fail(limb_sim* sim, limb_status status, const char* format, ...);

// The same, with a general sentence, unless there is one already.
limb_status limb_sim_report(limb_sim* sim, limb_status status);

// options.c: checks the caller's options (NULL: defaults) and copies them to sim->o; checks env.
limb_status limb_sim_read_options(limb_sim* sim, const limb_sim_options* options, limb_error* err);
limb_status limb_sim_check_environment(limb_sim* sim, limb_error* err);

// Whether the environment moves the base.
bool limb_sim_base_moves(const limb_environment* e);

void limb_sim_copy(const limb_sim* sim, const sim_point* from, sim_point* to);

// Kinetic energy and potential energy of gravity and springs.
limb_status limb_sim_energy_at(limb_sim* sim, const sim_point* at, double* energy);

// ---- accelerations.c ------------------------------------------------------------------------------------

// Accelerations at a state, and sim->tau, holding and lambda. Counts an evaluation. Overwrites q and v of prescribed
// motion.
limb_status limb_sim_accelerate(limb_sim* sim, double t, double* q, double* v, double* a);

// Hands method, tolerance and stabilisation of sim->o to the workspace of loops; nothing for trees.
limb_status limb_sim_set_loops(limb_sim* sim, double alpha, double beta);

// Forces and environment at a state: sim->x has forces (including friction of slipping joints and springs of stops)
// and given accelerations, sim->env the wrenches, sim->held the marks. The first part of limb_sim_accelerate, for
// methods that solve the equations themselves.
limb_status limb_sim_load(limb_sim* sim, double t, double* q, double* v);

// Accelerations after limb_sim_load.
limb_status limb_sim_solve(limb_sim* sim, const double* q, const double* v, double* a);

// Splits the total force on held joints: actuators (tau) for prescribed motion, else friction or a stop (holding).
void limb_sim_split_holding(limb_sim* sim, const double* v, const double* total);

// A function of the state, such as limb_sim_accelerate, at a state displaced by e x: x is 2 nv, tangent and v.
typedef limb_status sim_function(limb_sim* sim, double t, double* q, double* v, double* y);
limb_status limb_sim_perturbed(limb_sim* sim, const sim_point* at, const double* x, double e, sim_function* f,
                               double* y);

// Power of all forces except gravity and springs, at the state of the last limb_sim_accelerate. 0 unless o.work.
limb_status limb_sim_power(limb_sim* sim, const double* q, const double* v, double* power);

// Derivatives of limb_sim_accelerate at a state where it gives a: by the tangent and by v, nv x nv; by t, nv (NULL:
// not needed; a and h are then ignored and derivatives may be approximate). h is the length of the next step. Counts.
limb_status limb_sim_begin_derivatives(limb_sim* sim); // memory, once
limb_status limb_sim_derivatives(limb_sim* sim, const sim_point* at, double h, const double* a, double* a_q,
                                 double* a_v, double* a_t);

// constraint_projection.c:
// marks the holonomic constraints, nc; memory; for redundant robots, the independent constraints at the
// beginning of a step, and a smooth projection onto the constraint manifold.
typedef struct sim_constraints sim_constraints;
limb_status limb_sim_mark_holonomic(const limb_sim* sim, unsigned char* holonomic);
limb_status limb_sim_create_constraints(limb_sim* sim);
limb_status limb_sim_choose_constraints(limb_sim* sim, const sim_point* at);
limb_status limb_sim_project_state(limb_sim* sim, double* q, double* v);

// constraint_projection.c:
// any robot with loops, after limb_sim_create_constraints: constraints that depend on others where some
// velocities are held, nc marks; the projection P, nv x nv, onto velocities that move nothing held and keep the loops
// closed.
limb_status limb_sim_redundant_constraints(limb_sim* sim, double t, const double* q, unsigned char* redundant);
limb_status limb_sim_movable(limb_sim* sim, double t, const double* q, double* P);

// Robots with loops, some velocities held; after limb_sim_load. Its scratch, in doubles.
size_t limb_sim_responses_work(const limb_sim* sim);
limb_status limb_sim_closed_held(limb_sim* sim, const double* q, const double* v, double* a);

// Velocities after a unit impulse at velocity k, with held ones fixed: a column of the inverse of the mass matrix along
// the possible motion.
limb_status limb_sim_impulse_response(limb_sim* sim, const double* q, int k, double* dv);

// Solves R mu = b, R symmetric and positive semidefinite; the solution of least norm if rows depend on each other.
// False if there is none.
typedef struct sim_system {
  int n;
  const double *R, *b;   // n x n, n
  double *factor, *left; // n x n, n: scratch
  double* mu;            // n (output)
} sim_system;
bool limb_sim_solve_shared(const sim_system* p);

// ---- inputs.c -------------------------------------------------------------------------------------------

// Adds forces of sources; sets wrenches of callbacks; overwrites q and v of prescribed motion and sets given_a.
limb_status limb_sim_add_inputs(limb_sim* sim, double t, const double* q, const double* v, double* tau);
limb_status limb_sim_set_wrenches(limb_sim* sim, double t, const double* q, const double* v);
limb_status limb_sim_impose(limb_sim* sim, double t, double* q, double* v);

// At the start and at every break: samples controllers at sim->now; sets sim->bound to the next break.
limb_status limb_sim_begin_inputs(limb_sim* sim);
limb_status limb_sim_pass_break(limb_sim* sim);

// ---- tangent.c ------------------------------------------------------------------------------------------

// u' for q = q0 (+) u that moves with v; du may be v. Reference: Hairer, Lubich, Wanner, Geometric numerical
// integration, IV.7: u' = dexp^-1(u) v, here for increments on the right.
void limb_sim_tangent_rate(const limb_sim* sim, const double* u, const double* v, double* du);

// q (+) h u, as limb_integrate. Plain vectors are not checked here.
limb_status limb_sim_displace(const limb_sim* sim, const double* q, const double* u, double h, double* out);

limb_status limb_sim_find_blocks(limb_sim* sim);

// The derivative of u' by u at u = 0 is -ad(v) / 2. x = (g + ad(v) / 2)^-1 x, and x' = x' (g + ad(v) / 2)^-1.
void limb_sim_tangent_solve(const limb_sim* sim, const double* v, double g, double* x);
void limb_sim_tangent_solve_row(const limb_sim* sim, const double* v, double g, double* x);

// q' for nearly unit quaternions, with a term that restores the norm; for one block without it.
void limb_sim_configuration_rate(const limb_sim* sim, const double* q, const double* v, double* rate);
void limb_sim_block_rate(const sim_block* b, const double* q, const double* v, double* rate);

// For the variational method: Q -= ad*(v) P; the momentum at the beginning of a step (side -1), B' P - h/2 (1 - T)' Q,
// or at its end (side 1), A' P + h/2 (1 + T)' Q.
void limb_sim_add_bracket(const limb_sim* sim, const double* v, const double* P, double* Q);
void limb_sim_momentum(const limb_sim* sim, double side, const double* xi, double h, const double* P, const double* Q,
                       double* mu);

// ---- advance.c ------------------------------------------------------------------------------------------

// Corrects a state: prescribed motion, held joints, loops. Counts projections.
limb_status limb_sim_correct(limb_sim* sim, sim_point* p);

// The state at t, between now and front.
limb_status limb_sim_state_at(limb_sim* sim, double t, sim_point* out);

// Projects a state, with held joints fixed.
limb_status limb_sim_close_loops(limb_sim* sim, sim_point* p);

// Refuses times at which floating point cannot resolve a step. start.c
limb_status limb_sim_check_clock(limb_sim* sim, double t);

// ---- singular.c -----------------------------------------------------------------------------------------

limb_status limb_sim_create_passage(limb_sim* sim); // memory, once
void limb_sim_begin_passage(limb_sim* sim);

// After an evaluation of accelerations at t.
void limb_sim_note_pivots(limb_sim* sim, double t, double ratio);

// A step of the method to t at most, or one of several past a singular configuration, to `end` at most.
limb_status limb_sim_step_past(limb_sim* sim, double t, double end);

// The state at t within the last step, if that was such a one (sim->passage.near).
limb_status limb_sim_inside_passage(limb_sim* sim, double t, sim_point* out);

// ---- events.c -------------------------------------------------------------------------------------------

// Watched are the conditions, then the functions of modes. Values at a state; those of now, into sim->watched, with
// events for conditions that a jump has carried across zero since `before` (NULL: none); the first root in (now,
// until]: its time and sim->fired; if none is found, sim->watched belongs to `until`.
int limb_sim_watch_count(const limb_sim* sim);
limb_status limb_sim_watch(limb_sim* sim, sim_point* at, double* values);
limb_status limb_sim_watch_now(limb_sim* sim, const double* before);
limb_status limb_sim_find_event(limb_sim* sim, double until, bool* found, double* time);

// ---- stops_and_friction.c -------------------------------------------------------------------------------

// At creation: finds joints with friction or stops, sets sim->env. At the start: releases all.
limb_status limb_sim_find_modes(limb_sim* sim);
void limb_sim_reset_modes(limb_sim* sim);

// Adds Coulomb friction of slipping joints and springs of stops.
void limb_sim_mode_forces(const limb_sim* sim, const double* q, const double* v, double* x);

// Puts held joints at rest where they are held.
void limb_sim_keep_held(const limb_sim* sim, sim_point* p);

// Coulomb friction of joints with prescribed motion: added to their tau, and lost (holding).
void limb_sim_given_friction(limb_sim* sim, const double* v);

// Functions watched besides conditions: their number; whether they need accelerations and forces; their values at a
// state (whose sim->a, tau, holding and lambda are known if needed). All rise through zero at an event.
int limb_sim_mode_watches(const limb_sim* sim);
int limb_sim_mode_functions(const limb_sim* sim); // of these, those of joints: the first ones
bool limb_sim_modes_need_dynamics(const limb_sim* sim);
limb_status limb_sim_watch_modes(limb_sim* sim, const sim_point* at, double* values);

// Finds a joint that reverses beyond its stop, or slips back, between now and `high`: high becomes a time when it does,
// and sim->watching the values then. On entry they belong to high, and sim->probe is the state there.
limb_status limb_sim_find_turns(limb_sim* sim, double* high);

// At the start: decides which joints stick or rest.
limb_status limb_sim_begin_modes(limb_sim* sim);

// Handles the roots in sim->fired at now: modes, impacts; queues events.
limb_status limb_sim_handle_event(limb_sim* sim);

// Decides modes anew after forces have jumped.
limb_status limb_sim_pass_jump(limb_sim* sim);

// Queues the event of a condition; takes the next event from the queue, false if it is empty.
void limb_sim_queue_condition(limb_sim* sim, int index, double before, double after);
bool limb_sim_next_event(limb_sim* sim, limb_sim_event* event);

#endif
