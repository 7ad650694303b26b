// The inside of evaluators: rows of the registry, blocks of numbers, workspaces of threads.
#ifndef LIMB_EVALUATOR_IMPL_H
#define LIMB_EVALUATOR_IMPL_H

#include "limb/derivatives.h"
#include "limb/dynamics.h"
#include "limb/model.h"
#include "limb/quantities.h"
#include "limb/regressor.h"

typedef struct limb_lane limb_lane;

typedef limb_status limb_compute_fn(limb_lane* w, double* x);
typedef double limb_count_fn(const limb_evaluator* e); // a count that may be more than a size_t holds

// What a quantity uses besides limb_data, as bits.
enum {
  USES_DUAL = 1,        // dual numbers with matrices
  USES_PARAMETERS = 2,  // names of parameters
  USES_BASE = 4,        // base parameters
  USES_INDEPENDENT = 8, // the independent velocities of loops
  USES_BATCH = 16,      // there is a kernel for many states
  USES_GEOMETRY = 32,   // parameters of the geometry
};

// How the unit of an entry follows from its labels.
typedef enum limb_unit_rule {
  UNIT_FIXED,    // the one of the table
  UNIT_NONE,     // mixed: "" for an entry
  UNIT_POSITION, // of the coordinate, as the next ones
  UNIT_VELOCITY,
  UNIT_ACCELERATION,
  UNIT_FORCE,
  UNIT_MASS,       // kg m^2, kg m, kg by the two velocities
  UNIT_TWIST,      // rad/s, m/s
  UNIT_TWIST_RATE, // rad/s^2, m/s^2
  UNIT_WRENCH,     // N m, N
  UNIT_MOMENTUM,   // N m s, N s
  UNIT_POSE,       // m, and none
  UNIT_PARAMETER,  // of the parameter
} limb_unit_rule;

// A row of the registry, and how it is computed.
typedef struct limb_quantity_row {
  limb_quantity_info about;
  limb_compute_fn* compute; // of trees, and of robots with loops unless there is:
  limb_compute_fn* closed;  // with the loops closed
  limb_count_fn* work;      // scratch numbers; NULL: none
  int level;                // of limb_kinematics: 0 not needed, 1 poses, 2 velocities, 3 accelerations
  unsigned uses;
  limb_unit_rule units;
} limb_quantity_row;

// Closed by a row without name. quantity_table.c, quantity_table_bodies.c
extern const limb_quantity_row limb_quantity_rows[], limb_quantity_rows_of_bodies[];

// Row k of both tables, one after the other; NULL: there are no more. quantity_names.c
const limb_quantity_row* limb_quantity_row_at(int k);

// A short name of simulations.
typedef struct limb_quantity_alias {
  const char *name, *stands_for; // "body": "velocity@body"
} limb_quantity_alias;

const limb_quantity_alias* limb_find_alias(const char* name, size_t length); // quantity_table.c

// ---- evaluators -----------------------------------------------------------------------------------------

// Labels along an axis.
typedef struct limb_labels {
  int count;
  const char** text;
  char* bytes; // of the texts; NULL: they are constants
  size_t size; // of bytes
} limb_labels;

enum { AXES = LIMB_AXIS_GEOMETRY + 1 };

// A quantity at a frame in a reference: computed once per state, whatever many items look at it.
typedef struct limb_block {
  const limb_quantity_row* row;
  int frame;
  limb_ref ref;
  size_t size, offset; // among the numbers of a lane
} limb_block;

typedef struct limb_evaluator_item {
  char* name;  // as it was written
  size_t head; // its length up to its labels: what columns begin with
  size_t name_size;
  int block;
  int fixed;     // axes that labels have fixed
  size_t from;   // where its numbers begin in the block
  size_t first;  // on the first axis that is left: index of its first entry in the block
  size_t length; // of that axis
  size_t size, offset;
  int from_all;
} limb_evaluator_item;

struct limb_evaluator {
  limb_allocator alloc;
  const limb_model* model;
  limb_evaluator_options options;
  limb_environment env;
  int nq, nv, nc;
  int closed; // 1: loops are closed
  limb_dofs* dofs;
  unsigned char *given, *base, *base_given; // nv marks; base: 1 for the base
  unsigned char* independent;               // nv marks of USES_INDEPENDENT
  int nbase, nindependent;                  // nindependent -1: not known yet
  int *body, nbody;                         // of LIMB_AXIS_BODY: limb_described_bodies
  limb_task_options task;
  int ntask;
  limb_parameter_info* parameter; // np
  int np;
  limb_base_parameters* base_parameters;
  limb_geometry* geometry; // for its names; lanes have their own
  limb_labels labels[AXES];
  int nblock, block_capacity;
  limb_block* block;
  int nitem, item_capacity;
  limb_evaluator_item* item;
  size_t width, block_width; // numbers of all items, of all blocks
  int level;                 // the highest of all blocks
  int undriven;              // -1: not known yet
  int nlane;
  limb_lane* lane;
  limb_batch* batch;
  limb_error failure;
  int failed; // item; -1
};

// Of a robot with loops: what inverse or forward dynamics has answered at this state.
typedef struct limb_lane_answer {
  int known;
  limb_status status;
  double *x, *lambda; // nv, nc
  char because[240];
} limb_lane_answer;

// Workspace of one thread, and the state at hand.
struct limb_lane {
  const limb_evaluator* e;
  limb_data* data;
  limb_dual* dual;
  limb_geometry* geometry;
  double *work, *value, *x, *zero; // scratch; numbers of all blocks; nv: what is given; nv zeros
  size_t work_size, value_size;
  limb_wrench* wrench; // of limb_evaluator_run_many
  int wrench_capacity;
  limb_environment env_many, env_now; // with wrenches that vary; with the time of the state
  limb_lane_answer inverse, forward;
  // the state
  const double *q, *v, *a, *tau, *lambda, *v_r, *a_r;
  double time;
  const limb_environment* env;
  // the block
  int frame;
  limb_ref ref;
  // what was met
  char because[240];
  limb_evaluator_facts facts;
};

enum { QUANTITY_NAME_SPACE = 5200 };

// ---- axes and labels: labels.c --------------------------------------------------------------------------

const char* limb_name_of_loop(const limb_model* m, int loop); // "?": there is none
int limb_quantity_rank(const limb_quantity_info* q);
size_t limb_axis_count(const limb_evaluator* e, const limb_quantity_info* q, int axis);
const char* limb_axis_label(const limb_evaluator* e, const limb_quantity_info* q, int axis, size_t k);

// Makes the labels of all axes of a quantity. LIMB_OK, or why not.
limb_status limb_labels_make(limb_evaluator* e, const limb_quantity_row* row, limb_error* err);
void limb_labels_free(limb_evaluator* e);

// ---- names: quantity_names.c -------------------------------------------------------------------------------------

// What a name stands for.
typedef struct limb_parsed_name {
  const limb_quantity_row* row;
  const limb_quantity_alias* alias; // NULL: the name itself
  int frame, ref_given;
  limb_ref ref;
  const char* labels; // what follows; "": the whole
} limb_parsed_name;

limb_status limb_parse_name(const limb_evaluator* e, const char* name, limb_parsed_name* out, limb_error* err);

// Whether this robot has the quantity, and states have what it needs.
limb_status limb_allows(const limb_evaluator* e, const limb_quantity_row* row, int frame, limb_error* err);

// Selects by labels: fills fixed, from, first, length and size of the item.
limb_status limb_select(const limb_evaluator* e, const limb_quantity_info* q, const char* labels,
                        limb_evaluator_item* item, limb_error* err);

// ---- lanes: lanes.c -------------------------------------------------------------------------------------

// Makes every lane ready for the blocks there are. LIMB_OK, or why not.
limb_status limb_lanes_ready(limb_evaluator* e, limb_error* err);
void limb_lanes_free(limb_evaluator* e);

// Takes a state; then computes blocks, those with skip set left out. *failed: the first block that failed, or -1.
void limb_lane_take(limb_lane* w, const limb_state* s);
limb_status limb_lane_compute(limb_lane* w, const unsigned char* skip, int* failed);

// The environment of a caller, who may know a shorter struct; NULL: the default.
limb_status limb_copy_environment(const limb_model* m, const limb_environment* from, limb_environment* to);

// Settings of loops: those of the evaluator, with independent 1 for its independent velocities.
limb_status limb_lane_set_loops(limb_lane* w, int independent);

// limb_kinematics for the state at hand.
limb_status limb_lane_move(limb_lane* w);

// Gives the reason of a failure.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
limb_status
limb_because(limb_lane* w, limb_status s, const char* format, ...);

// What the failure of a block is about, for people.
void limb_explain(limb_evaluator* e, const limb_lane* w, int block, limb_status s);

// ---- computations ---------------------------------------------------------------------------------------

// clang-format off
#define LIMB_COMPUTATIONS(X)                                                                                          \
  /* eval_dynamics.c */                                                                                                \
  X(time) X(q) X(v) X(a) X(tau) X(acc) X(M) X(Minv) X(h) X(g) X(C) X(friction) X(springs) X(energy) X(total_energy)   \
  X(power) X(reactions) X(hybrid) X(hybrid_reactions) X(dhybrid_dq) X(dhybrid_dv) X(dhybrid_dx) X(base_acc)           \
  X(base_acc_frame) X(generalized_jacobian) X(reaction_null_space) X(deflection)                                      \
  X(dtau_dq) X(dtau_dv) X(dtau_dgravity) X(dtau_dwrench) X(dacc_dq) X(dacc_dv) X(dacc_dtau) X(dacc_dgravity)          \
  X(dacc_dwrench) X(d2tau) X(d2acc) X(A) X(B) X(Ad) X(Bd) X(Mdot) X(dM_dq) X(christoffel) X(christoffel2)             \
  X(curvature) X(ricci) X(scalar_curvature) X(dchristoffel_dq) X(sectional_curvature) X(plane_curvature) X(Y)         \
  X(Y_r) X(theta) X(Y_base) X(theta_base)                                                                             \
  /* eval_kinematics.c */                                                                                              \
  X(pose) X(position) X(velocity) X(acceleration) X(J) X(Jdotv) X(dJ_dq) X(dvelocity_dq) X(dacceleration_dq)          \
  X(dacceleration_dv) X(com) X(vcom) X(acom) X(momentum) X(momentum_rate) X(Lambda) X(eta) X(mu) X(p) X(Jbar) X(N)    \
  X(condition) X(Jdot) X(geometry) X(dpose_dgeometry) X(dJ_dgeometry) X(dtau_dgeometry)                               \
  /* eval_bodies.c */                                                                                                  \
  X(T) X(U) X(L) X(dT_dv) X(dT_dq) X(dU_dq) X(body_energy) X(body_pose) X(body_velocity) X(body_acceleration)         \
  X(body_J) X(net_wrench) X(principal_moments) X(principal_axes) X(articulated_inertia) X(articulated_bias)           \
  X(factor_A) X(factor_S) X(factor_G) X(factor_Gamma) X(factor_L) X(factor_ad_Av) X(factor_ad_V)                      \
  /* eval_loops.c */                                                                                                   \
  X(Psi) X(gamma) X(loop_residual) X(loop_rate) X(mobility) X(independent) X(passive)                                 \
  X(G) X(reduced_M) X(reduced_h) X(impulse) X(v_after) X(closed_tau) X(closed_acc) X(closed_reactions)                \
  X(closed_dacc_dtau) X(lambda) X(loop_loads) X(loop_J)
// clang-format on

#define LIMB_X(name) limb_status limb_eval_##name(limb_lane* w, double* x);
LIMB_COMPUTATIONS(LIMB_X)
#undef LIMB_X

// Motions as columns of x, which is 6 x n; wrenches one behind the other, 6 numbers each. Return s.
limb_status limb_put_columns(limb_status s, const sp_motion* c, size_t n, double* x);
void limb_put_pose(sp_pose X, double* x); // 16 numbers of LIMB_AXIS_POSE
limb_status limb_put_forces(limb_status s, const sp_force* f, int n, double* x);

// The independent velocities at a configuration that closes the loops, into e->independent. eval_loops.c
limb_status limb_find_independent(limb_evaluator* e, limb_error* err);

// Motions without a motor at the start configuration, into e->undriven. q: nq numbers of scratch. eval_loops.c
limb_status limb_count_undriven(limb_evaluator* e, double* q);

#endif
