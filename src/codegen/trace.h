// Tracing: the kernels of a robot, run over symbols, become functions of a program.
//
// Robots with loops are traced in reduced form (Khalil 2010, (55)-(58)): all velocities follow from the independent
// ones,
//
//   v = G y'        a = G y'' + g        y: independent coordinates
//
// kernel/constraint_kernel.h has the equations of the loops, loop_partition.c chooses the independent coordinates,
// solve_kernel.h solves for the dependent ones.
#ifndef LIMB_CODEGEN_TRACE_H
#define LIMB_CODEGEN_TRACE_H

#include "limb/codegen.h"

#include "codegen/program.h"
#include "codegen/real_symbol.h"
#include "kernel/tables.h"
#include "loops/loops_impl.h"
#include "model/model_impl.h"

// ---- kernels over symbols (trace_kernels.c) ------------------------------------------------------------------------

typedef LIMB_LINK_CONST(limb_scalar) limb_link_symbol;

LIMB_KERNEL_TYPES(limb_kernels_symbol, limb_scalar, limb_link_symbol);

typedef struct limb_kernels_symbol {
  LIMB_KERNEL(limb_kernels_symbol, link_motion);
  LIMB_KERNEL(limb_kernels_symbol, inverse_dynamics);
  LIMB_KERNEL(limb_kernels_symbol, mass_matrix);
  LIMB_KERNEL(limb_kernels_symbol, coriolis_matrix);
  LIMB_KERNEL(limb_kernels_symbol, id_derivatives);
  LIMB_KERNEL(limb_kernels_symbol, fd_derivatives);
  LIMB_KERNEL(limb_kernels_symbol, invert);
  LIMB_KERNEL(limb_kernels_symbol, aba);
  LIMB_KERNEL(limb_kernels_symbol, by_mass_matrix);
  LIMB_KERNEL(limb_kernels_symbol, hybrid);
  LIMB_KERNEL(limb_kernels_symbol, hybrid_by_mass_matrix);
  LIMB_KERNEL(limb_kernels_symbol, regressor);
  LIMB_KERNEL(limb_kernels_symbol, frame_pose);
  LIMB_KERNEL(limb_kernels_symbol, frame_jacobian);
  LIMB_KERNEL(limb_kernels_symbol, forward_chain);
} limb_kernels_symbol;

extern const limb_kernels_symbol limb_trace_kernels;

// X(alpha, a) Z(theta, d) has its origin at (a, -d sin alpha, d cos alpha).
static inline void limb_position_by_offsets(limb_link_symbol* k)
{
  k->px = k->a, k->py = neg(mul(k->sa, k->d)), k->pz = mul(k->ca, k->d);
}

// Regrouping: how much of an inertia moves to the parent.
//
// A round link (only xx = yy are not zero) may keep zz = -xx instead of 0: it then acts like a body that resists only
// turning about its axis, and accelerations across the axis do not matter. Khalil's choice, which moves YY from all
// links, has this effect.
typedef enum limb_regrouping { MOVE_ALL, KEEP_ROUND } limb_regrouping;

// Regroups inertias of links as model/regroup.c does: parameters whose effect at the joint cannot be distinguished
// from those of the parent move there. Nothing moves from ball joints. Uses q, c and s of the workspace.
void limb_trace_regroup(const limb_model* m, const limb_ws* ws, limb_regrouping how, limb_link_symbol* k);

// A workspace of the kernels over symbols: its size in bytes; clearing it, but for the states of the base frames.
size_t limb_trace_ws_size(const limb_model* m);
void limb_trace_ws_clear(const limb_model* m, void* memory, size_t ws_size, limb_scalar* base, limb_ws* ws);

// ---- tracing -------------------------------------------------------------------------------------------------------

// What the functions that trace a quantity share.
typedef struct limb_tracer {
  const limb_model* m;
  limb_codegen_options options;
  limb_program* program; // whose graph and inputs are ready
  limb_graph* graph;     // the program's
  limb_link_symbol* k;   // nlink
  void* memory;          // of the workspace
  size_t ws_size;
  limb_scalar* base; // states of the base frames, which ws.base points to
  limb_ws ws;        // zero before each quantity, but for base
  limb_terms terms;
  int frame;                        // of J and pose
  limb_scalar *q, *v, *a, *tau, *x; // the inputs as scalars: nq, and nv each
  limb_error* error;
} limb_tracer;

// Adds an output to f with entries x, row-major. nv rows are labelled as velocities.
limb_status limb_trace_output(limb_tracer* t, limb_function* f, limb_output shape, const limb_scalar* x);

// After the last output: f gets the margins of pivots that the kernels have met since the last call as what its status
// depends on. None where numbers of the robot stay symbols, with which rounding cannot be compared.
limb_status limb_trace_judge(limb_tracer* t, limb_function* f);

// Fails with the message that the quantity has too many operations for this robot.
limb_status limb_trace_too_large(const limb_tracer* t, const limb_function* f);

// Limits of nv: for cubic cost in full matrices, and for matrices that are written.
enum { LIMB_TRACE_CUBE_MAX = 200, LIMB_TRACE_SQUARE_MAX = 400 };

// Sets the inputs of f, 1 << kind each, with those that the options add.
static inline void limb_trace_set_inputs(const limb_tracer* t, limb_function* f, unsigned kinds)
{
  f->inputs = kinds;
  if (t->options.gravity_argument) f->inputs |= 1U << INPUT_GRAVITY;
  if (t->options.symbols != LIMB_SYMBOLS_NONE) f->inputs |= 1U << INPUT_PARAMETER;
}

// The same for quantities without forces.
static inline void limb_trace_set_inputs_no_gravity(const limb_tracer* t, limb_function* f, unsigned kinds)
{
  limb_trace_set_inputs(t, f, kinds);
  f->inputs &= ~(1U << INPUT_GRAVITY);
}

// Describes the inputs of the program, and lays out the workspace and the states of the base frames, which are zero.
limb_status limb_trace_open(limb_tracer* t);
void limb_trace_close(limb_tracer* t);

// Clears the workspace, before a kernel that relies on zeros runs again.
void limb_trace_clear(limb_tracer* t);

// Scratch for kernels: zeroed scalars that live as long as the program.
limb_scalar* limb_trace_scalars(limb_tracer* t, size_t count);

// The components of an input as scalars; NULL when out of memory.
limb_scalar* limb_trace_input(limb_tracer* t, limb_input_kind kind);

// The frame of J and pose: the one of that name, or for NULL the last body that carries no other; -1: none.
int limb_trace_frame(const limb_model* m, const char* name);

// Traces all functions that options.what names.
limb_status limb_trace(const limb_model* m, const limb_codegen_options* options, const limb_allocator* alloc,
                       limb_program** out, limb_error* error);

// ---- trees (trace_tree.c) ------------------------------------------------------------------------------------------

// Adds an output with nv rows and one column.
limb_status limb_trace_vector(limb_tracer* t, limb_function* f, const char* name, const char* meaning,
                              const limb_scalar* x);

// Quantities
limb_status limb_trace_inverse_dynamics(limb_tracer* t, limb_function* f);
limb_status limb_trace_forward_dynamics(limb_tracer* t, limb_function* f);
limb_status limb_trace_mass_matrix(limb_tracer* t, limb_function* f);
limb_status limb_trace_inverse_mass_matrix(limb_tracer* t, limb_function* f);
limb_status limb_trace_coriolis(limb_tracer* t, limb_function* f);
limb_status limb_trace_gravity(limb_tracer* t, limb_function* f);
limb_status limb_trace_bias(limb_tracer* t, limb_function* f);
limb_status limb_trace_jacobian(limb_tracer* t, limb_function* f);
limb_status limb_trace_pose(limb_tracer* t, limb_function* f);
limb_status limb_trace_id_derivatives(limb_tracer* t, limb_function* f);
limb_status limb_trace_fd_derivatives(limb_tracer* t, limb_function* f);
limb_status limb_trace_regressor(limb_tracer* t, limb_function* f);
limb_status limb_trace_hybrid(limb_tracer* t, limb_function* f);

// ---- loops: coordinate partitioning (loop_partition.c) -------------------------------------------------------------

// Dependent velocities d are as many as the rank of Psi, with Psi_d of that rank; the others, y, are independent:
//
//   Psi_d v_d = -Psi_y v_y
//
// Velocities with motors are preferred as independent ones. The choice is made once, at random configurations that
// close the loops, and holds at all of them.
typedef struct limb_partition {
  int ny, *y;               // independent velocities, ascending
  unsigned char* dependent; // nv marks
  int *rank, *undriven;     // of the clusters; motions that no motor determines
  double min_pivot;         // of Psi_d, relative to the greatest, over all configurations
  int *live, *nlive;        // as in limb_loops
} limb_partition;

// Finds configurations that close the loops, at most max_count, nq numbers each; returns their number. The same seed
// gives the same ones. Configurations where the constraints, or their part at passive joints, have less rank than
// elsewhere, or nearly so, are left out; singular counts them.
int limb_draw_closed_configurations(limb_loops* w, uint64_t seed, int max_count, double* q, int* singular);

// prefer: nv marks of velocities that should be dependent; NULL: those without motor. Memory is p's.
// LIMB_E_UNSUPPORTED with a message: prescribed motions, loops that do not close, rank that varies, no choice that
// holds everywhere; LIMB_E_NOMEM.
limb_status limb_partition_choose(const limb_model* m, const unsigned char* prefer, limb_program* p,
                                  limb_partition* out, limb_error* error);

// ---- loops: the reduced form (loop_reduction.c) --------------------------------------------------------------------

LIMB_LOOP_KERNEL_TYPES(limb_loop_kernels_symbol, limb_scalar, limb_link_symbol);

typedef struct limb_loop_kernels_symbol {
  LIMB_KERNEL(limb_loop_kernels_symbol, rows);
} limb_loop_kernels_symbol;

extern const limb_loop_kernels_symbol limb_loop_trace_kernels; // loop_trace_kernels.c

typedef struct limb_trace_block limb_trace_block; // loop_reduction.c

// A robot with loops in a symbolic state. Vectors and matrices of the tree are in the user's order, constraints in
// the order of the clusters.
typedef struct limb_loop_trace {
  limb_tracer* t;
  limb_model m;                       // the robot, with poses of frames cleaned of rounding
  limb_scalar *X, *vel, *acc, *acc_v; // of the links: 12, 6, 6 and 6 each
  limb_scalar *Psi, *gamma;           // blocks of the clusters; nrow
  limb_partition partition;
  int nblock;
  limb_trace_block* block;
  limb_scalar *G, *g; // nv x ny; nv
} limb_loop_trace;

// A component of a direction, and a pose, with rounding around 0, 1 and -1 removed.
double limb_clean_direction(double x);
sp_pose limb_clean_pose(sp_pose X);

// Psi, and gamma if the robot moves. LIMB_E_UNSUPPORTED: no loops, or prescribed motions.
limb_status limb_trace_constraints(limb_tracer* t, bool moving, limb_loop_trace* out);

// The same, then the partition, G, and g if the robot moves. prefer: as for limb_partition_choose.
limb_status limb_trace_reduce(limb_tracer* t, const unsigned char* prefer, bool moving, limb_loop_trace* out);

// G' f: ny numbers.
void limb_trace_to_independent(const limb_loop_trace* c, const limb_scalar* f, limb_scalar* out);

// G' M G: ny x ny, from the mass matrix of the tree. LIMB_E_NOMEM.
limb_status limb_trace_reduced_mass(limb_loop_trace* c, limb_scalar* out);

// Inverse dynamics of the tree.
void limb_trace_tree_forces(limb_loop_trace* c, const limb_scalar* v, const limb_scalar* a, limb_scalar* out);

// Multipliers of least norm with (Psi' lambda)_d = f_d. Overwrites f.
limb_status limb_trace_multipliers(limb_loop_trace* c, limb_scalar* f, limb_scalar* lambda);

// Forces of the motors that are equivalent to the forces `tree`; zero at passive joints. LIMB_E_UNSUPPORTED: some
// motion has no motor.
limb_status limb_trace_motor_forces(limb_loop_trace* c, const limb_scalar* tree, limb_scalar* tau);

// Forward dynamics: a = G y'' + g under tau. LIMB_E_NOMEM.
limb_status limb_trace_forward(limb_loop_trace* c, const limb_scalar* tau, limb_scalar* a);

// x = G y + more; more may be NULL.
void limb_trace_from_independent(const limb_loop_trace* c, const limb_scalar* y, const limb_scalar* more,
                                 limb_scalar* x);

// Quantities (trace_loops.c)
limb_status limb_trace_closed_inverse(limb_tracer* t, limb_function* f);
limb_status limb_trace_closed_forward(limb_tracer* t, limb_function* f);
limb_status limb_trace_closed_mass(limb_tracer* t, limb_function* f);
limb_status limb_trace_closed_bias(limb_tracer* t, limb_function* f);
limb_status limb_trace_psi(limb_tracer* t, limb_function* f);
limb_status limb_trace_gamma(limb_tracer* t, limb_function* f);
limb_status limb_trace_velocity_map(limb_tracer* t, limb_function* f);
limb_status limb_trace_passive(limb_tracer* t, limb_function* f);
limb_status limb_trace_lambda(limb_tracer* t, limb_function* f);

// Quantities of parallel robots (trace_platform.c).
limb_status limb_trace_platform_inverse(limb_tracer* t, limb_function* f);
limb_status limb_trace_platform_forward(limb_tracer* t, limb_function* f);
limb_status limb_trace_platform_jacobian(limb_tracer* t, limb_function* f);

#endif
