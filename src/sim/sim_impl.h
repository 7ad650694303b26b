// Inside of a simulation: its state, what acts, what is watched, and how steps are made.
//
//   sim.c         create, start, now, summary
//   options.c     options, checked
//   equations.c   accelerations at a state: everything that acts
//   surface.c     rows that depend on others: where joints are held; the surface of the constraints
//   responses.c   accelerations of robots with loops some of whose joints are held; impulses
//   inputs.c      forces, wrenches and motions of the caller's; samples of controllers; breaks
//   advance.c     steps up to a time, events on the way
//   watch.c       functions whose roots are events, and their first root
//   edges.c       joints with Coulomb friction or stops: who they are, who is held, their forces
//   edges_watch.c what is watched about them
//   decide.c      who sticks, slips, rests at a stop: a complementarity problem
//   impact.c      impulses at stops
//   modes.c       what happens at an event
//   stepper_*.c   the methods
//   tangent.c     the manifold
#ifndef LIMB_SIM_IMPL_H
#define LIMB_SIM_IMPL_H

#include "limb/sim.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>

// ---- states ----------------------------------------------------------------------------------------------

typedef struct sim_point {
  double t;
  double* q;   // nq
  double* v;   // nv
  double work; // done so far by what is neither gravity nor a spring
} sim_point;

// ---- the manifold: tangent.c -----------------------------------------------------------------------------

// Velocities that do not commute: three of a ball joint, six of a free one.
typedef struct sim_block {
  int q, v; // first coordinate and velocity
  bool free;
} sim_block;

// ---- what acts -------------------------------------------------------------------------------------------

typedef struct sim_source {
  limb_sim_force f;
  uint64_t samples; // taken so far
  double* held;     // nv: what acts now
  double* waiting;  // queue x nv: samples that do not act yet, a ring
  int queue;        // room of it
  uint64_t begun;   // samples that have begun to act
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

// ---- edges: edges.c ---------------------------------------------------------------------------------------

typedef enum sim_slip { SIM_FREE, SIM_SLIPS_UP, SIM_SLIPS_DOWN, SIM_STICKS } sim_slip;
typedef enum sim_contact { SIM_AWAY, SIM_AT_UPPER, SIM_AT_LOWER } sim_contact;

// A degree of freedom with Coulomb friction, or with limits that stop it; those of joints that mimic it
// count.
typedef struct sim_edge {
  int v, q;            // its velocity and coordinate
  int joint;           // of the model
  double coulomb;      // force of Coulomb friction; 0: none
  double lower, upper; // -+HUGE_VAL: none
  bool given;          // its motion is given: nothing here decides about it
  sim_slip slip;
  sim_contact contact; // rests there (HOLD, IMPACT), or presses the spring of the stop (SPRING)
  bool locked;         // slips nowhere: loops and what they hold keep it there, its friction acts in full
  bool open;           // decide.c: at rest, and whether it is held is to be found
  sim_contact near;    // decide.c: the stop at which it is then
  int went;            // decide.c: the direction in which it was released
  double excess;       // decide.c: force by which friction is too weak to hold everything
  double extra;        // decide.c: share of it that friction is lent for the moment; else 0
  double room[2];      // decide.c: how far it is from moving down and up, or from being held (the first)
  double place;        // q, while it is held
  double force;        // the largest force that held it so far
  double before;       // velocity before an event
  int was;             // and what it did then (modes.c)
} sim_edge;

// ---- steppers --------------------------------------------------------------------------------------------

// Where steps end.
typedef enum sim_pace {
  SIM_FIXED,   // where they are told to
  SIM_TO_STOP, // adaptive, but no further than the time that is asked for
  SIM_AHEAD    // adaptive, and ahead of it; looked at inside
} sim_pace;

// A method. Steps begin at sim->front and leave the new state there; sim->begin is where the step began.
typedef struct sim_stepper {
  limb_sim_method method;
  sim_pace pace;

  // Memory, before the first step; NULL: none. The sim has everything else by then. Memory of the sim's
  // allocator, from limb_sim_take; destroy is for what is not from there.
  limb_status (*create)(limb_sim* sim);
  void (*destroy)(limb_sim* sim);

  // Begin anew from sim->front: at the start, after a jump, after a change of modes. NULL: nothing to do.
  limb_status (*restart)(limb_sim* sim);

  // One step from sim->begin (a copy of front) into sim->front. Fixed steps: exactly to t. Adaptive: no
  // further than t; that is HUGE_VAL when nothing stops it.
  limb_status (*step)(limb_sim* sim, double t);

  // The state at t inside the last step. NULL: the step is made again up to t.
  limb_status (*inside)(limb_sim* sim, double t, sim_point* out);

  // The same, about, and cheap: to see whether something happens there. NULL: steps are so short that nobody
  // looks inside.
  limb_status (*look)(limb_sim* sim, double t, sim_point* out);
} sim_stepper;

extern const sim_stepper limb_sim_euler, limb_sim_semi_implicit, limb_sim_rk4; // stepper_explicit.c
extern const sim_stepper limb_sim_variational;                                 // stepper_variational.c
extern const sim_stepper limb_sim_rosenbrock;                                  // stepper_implicit.c

extern const sim_stepper limb_sim_erk;                 // stepper_arkode.c
extern const sim_stepper limb_sim_adams, limb_sim_bdf; // stepper_cvode.c
extern const sim_stepper limb_sim_ida;                 // stepper_ida.c

// The stepper of a method; NULL: this build has none. steppers.c
const sim_stepper* limb_sim_stepper_of(limb_sim_method method);

// The method that AUTO stands for, at the state sim->now; why, in one clause: sim->because. steppers.c
limb_status limb_sim_choose(limb_sim* sim, limb_sim_method* method);

// Scratch of derivatives.c.
typedef struct sim_slopes {
  double *a_x, *x_q, *x_v; // nv x nv
  double *plus, *minus;    // nv
  double* e;               // 2 nv: one direction
  bool laws;               // some row of the loops has a law
  limb_dual* dual;         // of robots with loops
  bool ready;              // all of it is there
} sim_slopes;

// ---- the simulation --------------------------------------------------------------------------------------

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
  double alpha, beta; // of the caller's; methods may set those in o
  int nq, nv, nc, nblock;
  limb_data* d;
  limb_loops* loops; // NULL: the robot has none
  sim_block* block;
  int* place; // nv: the coordinate whose rate a velocity is; -1 in blocks

  // What acts.
  int nsource, source_room;
  int nwrenches, wrenches_room;
  int nwrench, wrench_room; // all: of the environment, then of callbacks
  sim_source* source;
  sim_wrenches* wrenches;
  limb_wrench* wrench;
  sim_motion motion;
  limb_environment env; // that of the options with all wrenches, and without Coulomb friction when modes have it
  const limb_environment* around; // that, or NULL where it is the default: calls are faster
  double bound;                   // the first break after now; until it is passed, inputs are asked for times before it

  // Who is held, and by what. Edges: joints with Coulomb friction or stops.
  int nedge, nlimit; // those with limits
  int nheld;         // velocities whose acceleration is given now
  int nwatch;        // conditions, edges, the condition number
  sim_edge* edge;
  unsigned char* held; // nv marks
  double* x;           // nv: forces, and accelerations of the held
  double* y;           // nv: scratch of equations.c
  double* tau;         // nv: forces of actuators at the last evaluation
  double* aside;       // nv: forces on the held, as limb_sim_load found them; x has their accelerations
  double* holding;     // nv: force that holds the held ones, beside the others, at the last evaluation; else 0
  double* lambda;      // nc, at the last evaluation
  double* rate;        // nc: scratch of limb_sim_power
  double *law_q, *law_v, *law_a; // of the given motion
  double *rest, *answer;         // nv: scratch of responses.c
  sim_slopes slopes;
  double* responses; // more of it
  double freely;     // loops: largest acceleration that holding had to take away
  void* impact;      // scratch of impact.c

  // Where it is.
  double t0;
  sim_point now;             // what the caller sees
  sim_point begin;           // of the last step
  sim_point front;           // end of the last step; later than now when an adaptive method is ahead
  sim_point probe;           // looked at while a root is located
  sim_point spare;           // front, while a step is made again
  sim_point projected;       // scratch of equations.c
  sim_point shifted;         // scratch of limb_sim_beside, and
  double* shift;             // nv
  double* a;                 // nv, of now
  double leg_begin, leg_end; // fixed steps: the way that is cut into equal steps
  uint64_t leg_steps, leg_done;

  const sim_stepper* stepper;
  void* state;             // of the stepper
  void* kept[SIM_METHODS]; // the states of all that were in use, by method
  struct sim_rates* rates; // scratch of steppers.c

  // What is watched.
  int ncondition, condition_room;
  int queued, told; // events of now
  limb_sim_condition* condition;
  double* watched; // nwatch: values at now
  double *watching,
    *between;           // nwatch: scratch of watch.c; watching: values next after the last root
  double* seen;         // 3 nwatch: more scratch of it
  unsigned char* fired; // nwatch: has a root at now
  double crowd_begin;
  limb_sim_event* queue; // events of now that are not told yet

  limb_sim_summary summary;
  int crowd;                   // events since crowd_begin
  bool redundant;              // some rows of the loops depend on others, beside idle ones
  struct sim_surface* surface; // of such robots, and of methods that ask for it
  bool inputs;                 // something acts besides the environment
  bool started, over;
  bool known;        // a, tau, lambda belong to now
  char because[128]; // AUTO chose the method
  char error[256];
};

// Memory that lives as long as the simulation: count items, zero. NULL: there is none.
void* limb_sim_take(limb_sim* sim, size_t count, size_t size);

// Room for one item more in a growing array, as limb_grow; false when out of memory.
bool limb_sim_grow(limb_sim* sim, void** items, int* room, int count, size_t size);

// One sentence for limb_sim_error(); returns status.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
limb_status
limb_sim_fail(limb_sim* sim, limb_status status, const char* format, ...);

// The same, in general words, when there is no sentence yet.
limb_status limb_sim_tell(limb_sim* sim, limb_status status);

// options.c: the caller's options (NULL: defaults) into sim->o, when they make sense; env, with the dynamics.
limb_status limb_sim_read_options(limb_sim* sim, const limb_sim_options* options, limb_error* err);
limb_status limb_sim_check_environment(limb_sim* sim, limb_error* err);

// Whether the base moves, as the environment says.
bool limb_sim_base_moves(const limb_environment* e);

void limb_sim_copy(const limb_sim* sim, const sim_point* from, sim_point* to);

// ---- equations.c -----------------------------------------------------------------------------------------

// Accelerations at a state. Counts an evaluation. sim->tau, holding and lambda belong to it afterwards. q
// and v of joints whose motion is given are replaced by what is given.
limb_status limb_sim_accelerate(limb_sim* sim, double t, double* q, double* v, double* a);

// Forces and surroundings at a state: sim->x holds forces (Coulomb friction of slipping joints and springs of
// stops included) and given accelerations; sim->env the wrenches; sim->held who is who. What
// limb_sim_accelerate begins with; for methods that solve the equations their own way.
limb_status limb_sim_load(limb_sim* sim, double t, double* q, double* v);

// Accelerations for what limb_sim_load has put down.
limb_status limb_sim_solve(limb_sim* sim, const double* q, const double* v, double* a);

// Who holds the held ones, given all forces: actuators where the motion is given (tau), else friction or a
// stop (holding).
void limb_sim_share_holding(limb_sim* sim, const double* v, const double* total);

// y of a function of the state, such as limb_sim_accelerate, at a state moved by e x: x is 2 nv, along
// the tangent and of v.
typedef limb_status sim_function(limb_sim* sim, double t, double* q, double* v, double* y);
limb_status limb_sim_beside(limb_sim* sim, const sim_point* at, const double* x, double e, sim_function* f, double* y);

// Power of what is neither gravity nor a spring, at the state of the last limb_sim_accelerate. 0 when work is
// not asked for.
limb_status limb_sim_power(limb_sim* sim, const double* q, const double* v, double* power);

// Derivatives of limb_sim_accelerate at a state where it gives a: along the tangent and by v, nv x nv; by
// t, nv (NULL: not wanted; a and h are then not looked at, and derivatives need not be exact). h is the
// length of the step to come. Counts. derivatives.c
limb_status limb_sim_begin_derivatives(limb_sim* sim); // memory: when a stepper is created
limb_status limb_sim_derivatives(limb_sim* sim, const sim_point* at, double h, const double* a, double* a_q,
                                 double* a_v, double* a_t);

// surface.c, of redundant robots: memory; at the beginning of a step the rows that count; puts a state
// onto the surface of the constraints, smoothly.
typedef struct sim_surface sim_surface;
limb_status limb_sim_mark_places(const limb_sim* sim,
                                 unsigned char* holonomic); // rows of any robot that hold places
limb_status limb_sim_take_surface(limb_sim* sim);
limb_status limb_sim_choose_rows(limb_sim* sim, const sim_point* at);
limb_status limb_sim_onto_surface(limb_sim* sim, double* q, double* v);

// surface.c, of any robot with loops, after limb_sim_take_surface: rows that depend on others where some
// velocities are held, nc marks; the projection P, nv x nv, onto velocities that move nothing held and keep
// the loops closed.
limb_status limb_sim_redundant_rows(limb_sim* sim, double t, const double* q, unsigned char* redundant);
limb_status limb_sim_movable(limb_sim* sim, double t, const double* q, double* P);

// responses.c: loops, and some velocities held. sim->x and held as limb_sim_load left them.
size_t limb_sim_responses_work(const limb_sim* sim);
limb_status limb_sim_closed_held(limb_sim* sim, const double* q, const double* v, double* a);

// How velocities answer to a unit impulse at velocity k, held ones being fixed: column k of the inverse of
// the mass matrix along what can move. responses.c
limb_status limb_sim_impulse_response(limb_sim* sim, const double* q, int k, double* dv);

// mu from R mu = b, R symmetric and not negative; of least norm when rows depend on each other.
// False when there is no answer. responses.c
typedef struct sim_system {
  int n;
  const double *R, *b;   // n x n, n
  double *factor, *left; // n x n, n: scratch
  double* mu;            // n (output)
} sim_system;
bool limb_sim_solve_shared(const sim_system* p);

// ---- inputs.c --------------------------------------------------------------------------------------------

// Adds forces of sources; sets wrenches of callbacks; replaces q and v of given motion and sets law_a.
limb_status limb_sim_add_inputs(limb_sim* sim, double t, const double* q, const double* v, double* tau);
limb_status limb_sim_set_wrenches(limb_sim* sim, double t, const double* q, const double* v);
limb_status limb_sim_impose(limb_sim* sim, double t, double* q, double* v);

// At the start, and at every break: samples controllers at sim->now; the next break is sim->bound then.
limb_status limb_sim_begin_inputs(limb_sim* sim);
limb_status limb_sim_pass_break(limb_sim* sim);

// ---- tangent.c -------------------------------------------------------------------------------------------

// u' for q = q0 (+) u that moves with v. du may be v. Reference: Hairer, Lubich, Wanner, Geometric numerical
// integration, IV.7: u' = dexp^-1(u) v, here for increments on the right.
void limb_sim_tangent_rate(const limb_sim* sim, const double* u, const double* v, double* du);

// q (+) h u, as limb_integrate. Where q is a plain vector nothing is checked: who looks at q next will.
limb_status limb_sim_displace(const limb_sim* sim, const double* q, const double* u, double h, double* out);

limb_status limb_sim_find_blocks(limb_sim* sim);

// The derivative of u' by u at u = 0 is -ad(v) / 2. x = (g + ad(v) / 2)^-1 x, and x' = x' (g + ad(v) / 2)^-1.
void limb_sim_tangent_solve(const limb_sim* sim, const double* v, double g, double* x);
void limb_sim_tangent_solve_row(const limb_sim* sim, const double* v, double g, double* x);

// q' for q whose quaternions are nearly unit ones, with what brings them back; that of one block without it.
void limb_sim_configuration_rate(const limb_sim* sim, const double* q, const double* v, double* rate);
void limb_sim_block_rate(const sim_block* b, const double* q, const double* v, double* rate);

// Of the variational method (stepper_variational.c): Q -= ad*(v) P, and the momenta at both ends of a step.
void limb_sim_add_bracket(const limb_sim* sim, const double* v, const double* P, double* Q);
void limb_sim_momentum_before(const limb_sim* sim, const double* xi, double h, const double* P, const double* Q,
                              double* mu);
void limb_sim_momentum_after(const limb_sim* sim, const double* xi, double h, const double* P, const double* Q,
                             double* mu);

// ---- advance.c -------------------------------------------------------------------------------------------

// Puts a state back where it belongs: given motion, loops, unit quaternions. Counts what it does.
limb_status limb_sim_settle(limb_sim* sim, sim_point* p);

// The state at t, between now and front.
limb_status limb_sim_inside(limb_sim* sim, double t, sim_point* out);

// ---- watch.c ---------------------------------------------------------------------------------------------

// Watched are the conditions, then what edges_watch.c watches. Values at a state; those of now, into
// sim->watched, with events of conditions that a jump has carried across zero since the values `before`
// (NULL:
// none); the first root in (now, until]: found, its time and sim->fired, or else sim->watched belongs to
// `until`.
int limb_sim_watch_count(const limb_sim* sim);
limb_status limb_sim_watch(limb_sim* sim, sim_point* at, double* values);
limb_status limb_sim_watch_now(limb_sim* sim, const double* before);
limb_status limb_sim_find_event(limb_sim* sim, double until, bool* found, double* time);

// ---- edges.c ---------------------------------------------------------------------------------------------

// At create: who has friction or stops, and sim->env. At the start: nobody is held.
limb_status limb_sim_begin_edges(limb_sim* sim);
void limb_sim_forget_modes(limb_sim* sim);

// Adds Coulomb friction of slipping joints and springs of stops.
void limb_sim_mode_forces(const limb_sim* sim, const double* q, const double* v, double* x);

// Puts held joints where they are held, at rest.
void limb_sim_keep(const limb_sim* sim, sim_point* p);

// Coulomb friction of joints whose motion is given: what their motors take more, tau, and lose, holding.
void limb_sim_given_friction(limb_sim* sim, const double* v);

// ---- edges_watch.c ---------------------------------------------------------------------------------------

// What is watched, beside conditions: how many functions; whether they look at accelerations and forces;
// their values at a state (sim->a, tau, holding and lambda belong to it when dynamics are needed). All of
// them rise through zero at an event.
int limb_sim_edge_watches(const limb_sim* sim);
int limb_sim_edge_functions(const limb_sim* sim); // of these, those of edges: the first ones
bool limb_sim_edges_need_dynamics(const limb_sim* sim);
limb_status limb_sim_watch_edges(limb_sim* sim, const sim_point* at, double* values);

// A joint that turns round beyond its stop, or slips back, between now and `high`: high becomes a time
// then, and sim->watching the values then. They belong to high, and sim->probe is the state there, when it
// is called.
limb_status limb_sim_look_for_turns(limb_sim* sim, double* high);

// ---- modes.c ---------------------------------------------------------------------------------------------

// At the start: who sticks, who rests.
limb_status limb_sim_begin_modes(limb_sim* sim);

// What happens at now, where the functions in sim->fired have their roots: modes, impacts; events are queued.
limb_status limb_sim_happen(limb_sim* sim);

// Forces have jumped: who still sticks and rests.
limb_status limb_sim_pass_jump(limb_sim* sim);

// Puts the event of a condition at now into the queue; takes the next one from it, false when there is none.
void limb_sim_queue_condition(limb_sim* sim, int index, double before, double after);
bool limb_sim_next_event(limb_sim* sim, limb_sim_event* event);

#endif
