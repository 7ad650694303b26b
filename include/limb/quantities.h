// limb: robot dynamics in C. The registry of quantities, and their evaluation by name.
//
//     limb_evaluator* e = NULL;
//     if (limb_evaluator_create(model, NULL, NULL, &e) != LIMB_OK) return 1;
//     if (limb_evaluator_add(e, "M", NULL, NULL, &error) != LIMB_OK) return 1;                    // nv x nv numbers
//     if (limb_evaluator_add(e, "velocity@body.tool.vx", NULL, NULL, &error) != LIMB_OK) return 1; // one number
//     if (limb_evaluator_run(e, &(limb_state){.q = q, .v = v}, x) != LIMB_OK) return 1; // limb_evaluator_width(e)
//
// The registry is a table of all quantities that limb computes from a state: name, equation, meaning, axes, units,
// required inputs, the robots for which it is defined, and the C functions that compute it. An evaluator computes a
// selection of them.
//
// Names. The tool, channels and formulas of simulations, and other languages share one grammar:
//
//     <quantity> [@body | @world | @aligned] [.<frame>] [.<label> ...]
//
//     M    M.elbow    M.elbow.wrist    J.tool    velocity@body.tool.vx    energy.kinetic    reactions.elbow.fz
//
// The frame follows if the quantity belongs to a frame, unless the evaluator has a default frame. Labels select along
// the axes, first axis first. A label may be abbreviated at a dot: v.base selects v.base.wx ... v.base.vz. "all"
// selects all quantities that the robot has and the known inputs allow.
//
// Robots with loops. Names are the same for all robots: tau, acc, M, h, ... of a robot with loops are those with the
// loops closed, for states that close them (limb_complete_state of limb/assemble.h). Matrices have the same size as for
// trees; rows and columns of dependent velocities are zero: M = G' M_tree G, padded. The quantity "independent" reports
// which velocities are independent. With the option `tree` an evaluator computes the quantities of the spanning tree,
// with the loops cut open.
#ifndef LIMB_QUANTITIES_H
#define LIMB_QUANTITIES_H

#include "limb/batch.h"
#include "limb/task.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- the registry ---------------------------------------------------------------------------------------

/// What an index of a quantity counts. Values are pinned.
typedef enum limb_quantity_axis {
  LIMB_AXIS_NONE = 0,         ///< end of the list of axes
  LIMB_AXIS_V = 1,            ///< nv velocities
  LIMB_AXIS_Q = 2,            ///< nq coordinates
  LIMB_AXIS_STATE = 3,        ///< 2 nv: deviations of q, then of v
  LIMB_AXIS_MOTION = 4,       ///< 6: wx wy wz vx vy vz
  LIMB_AXIS_FORCE = 5,        ///< 6: mx my mz fx fy fz
  LIMB_AXIS_VECTOR = 6,       ///< 3: x y z
  LIMB_AXIS_POSE = 7,         ///< 16: position x y z, quaternion x y z w, rotation xx xy ... zz (row by row)
  LIMB_AXIS_TASK = 8,         ///< selected directions of the frame, at most 6
  LIMB_AXIS_PARAMETER = 9,    ///< np parameters (limb/regressor.h)
  LIMB_AXIS_BASE = 10,        ///< nb base parameters (limb/regressor.h)
  LIMB_AXIS_FLOATING = 11,    ///< velocities of the moving base
  LIMB_AXIS_ARM = 12,         ///< all other velocities
  LIMB_AXIS_JOINT = 13,       ///< joints, fixed ones included; JSON is keyed by joint
  LIMB_AXIS_LOOP = 14,        ///< loops; JSON is keyed by loop
  LIMB_AXIS_CONSTRAINT = 15,  ///< nc constraints of the loops
  LIMB_AXIS_FIELD = 16,       ///< named fields of the quantity; JSON is keyed by field
  LIMB_AXIS_BODY = 17,        ///< limb_described_bodies; JSON is keyed by body
  LIMB_AXIS_STACKED = 18,     ///< 6 for each of these bodies: <body>.wx ... <body>.vz
  LIMB_AXIS_INDEPENDENT = 19, ///< independent velocities of a robot with loops, the same in all states
  LIMB_AXIS_GEOMETRY = 20     ///< parameters of the geometry (limb/derivatives.h), not part of "all"
} limb_quantity_axis;

/// Required inputs of a quantity, as bits. Values are pinned.
enum {
  LIMB_NEEDS_Q = 1,
  LIMB_NEEDS_V = 2,
  LIMB_NEEDS_A = 4,
  LIMB_NEEDS_TAU = 8,
  LIMB_NEEDS_TIME = 16,
  LIMB_NEEDS_A_OR_TAU = 32,     ///< the accelerations of a motion, or else the forces that cause it
  LIMB_NEEDS_GIVEN = 64,        ///< for each velocity its acceleration or its force (limb/dynamics.h)
  LIMB_NEEDS_BASE = 128,        ///< the same, with the force of the moving base (limb/dynamics.h)
  LIMB_NEEDS_FRAME = 256,       ///< a frame, in the name
  LIMB_NEEDS_REFERENCE = 512,   ///< depends on @body, @world, @aligned
  LIMB_NEEDS_DIRECTIONS = 1024, ///< directions of the frame, and damping
  LIMB_NEEDS_DT = 2048,         ///< the time between samples
  LIMB_NEEDS_CLOSED = 4096,     ///< for a robot with loops: a state that closes them
  LIMB_NEEDS_V_R = 8192,        ///< reference velocities of a controller
  LIMB_NEEDS_A_R = 16384        ///< their rates
};

/// The robots for which a quantity is defined. Values are pinned.
typedef enum limb_quantity_robots {
  LIMB_ROBOTS_ALL = 0,
  LIMB_ROBOTS_TREES = 1,       ///< without loops; for a robot with loops the spanning tree
  LIMB_ROBOTS_LOOPS = 2,       ///< with loops
  LIMB_ROBOTS_MOVING_BASE = 3, ///< trees with a moving base
  LIMB_ROBOTS_ELASTIC = 4      ///< trees with elastic joints; zero for other trees
} limb_quantity_robots;

enum {
  LIMB_QUANTITY_AXES_MAX = 4 ///< largest number of axes
};

/// One quantity. Strings are constants and never NULL unless stated otherwise. Members are appended only.
typedef struct limb_quantity_info {
  const char* name;
  const char* group;                                   ///< heading in listings
  const char* equation;                                ///< one line of ASCII mathematics
  const char* meaning;                                 ///< one sentence
  limb_quantity_axis axis[LIMB_QUANTITY_AXES_MAX + 1]; ///< ends with LIMB_AXIS_NONE
  const char* const* fields;                           ///< of LIMB_AXIS_FIELD, ends with NULL; NULL: no such axis
  const char* unit;                                    ///< of one entry, or of the kinds of entries: "N m, N"
  unsigned needs;                                      ///< LIMB_NEEDS_...
  limb_quantity_robots robots;
  const char* functions; ///< C functions, that of trees first, separated by commas; "": part of the state
  const char* note;      ///< a different meaning of the letter in textbooks, or a warning; "": none
} limb_quantity_info;

LIMB_API int limb_quantity_count(void);

/// Quantity by index; NULL if the index is out of range.
LIMB_API const limb_quantity_info* limb_get_quantity(int index);

/// Quantity by name, or by a short form (t, pos, vel, body); NULL if there is none.
LIMB_API const limb_quantity_info* limb_find_quantity(const char* name);

/// The most similar name to a wrong one, terms of other libraries included ("rnea" is tau); NULL: none is similar.
LIMB_API const char* limb_nearest_quantity(const char* wrong);

/// Length of an axis as text, "nv", "6", "named fields"; and what its indices count, "velocities".
LIMB_API const char* limb_axis_length_text(limb_quantity_axis axis);
LIMB_API const char* limb_axis_text(limb_quantity_axis axis);

/// The robots for which a quantity is defined, as text: "all", "with loops", "trees", ...
LIMB_API const char* limb_robots_text(limb_quantity_robots robots);

/// "body", "world", "aligned".
LIMB_API const char* limb_ref_text(limb_ref ref);

// ---- evaluators -----------------------------------------------------------------------------------------

/// Computes quantities by name. Belongs to one caller at a time; model and pool must outlive it.
typedef struct limb_evaluator limb_evaluator;

/// Start from limb_default_evaluator_options(); NULL: these defaults.
typedef struct limb_evaluator_options {
  size_t size;         ///< sizeof(limb_evaluator_options), set by the default function
  int tree;            ///< 1: for a robot with loops its spanning tree; default 0: the loops are closed
  unsigned known;      ///< inputs that states will have: LIMB_NEEDS_Q, V, A, TAU, TIME, V_R, A_R; default: all but
                       ///< the last two
  int frame;           ///< of names without a frame; default -1: names must have one
  limb_ref ref;        ///< of names without a reference; default LIMB_ALIGNED
  unsigned directions; ///< of task quantities; default LIMB_TWIST
  double damping;      ///< of task quantities, added to the diagonal of J M^-1 J'; default 0
  double dt;           ///< time between samples [s]; default 0: quantities of sampled models are not available
  const unsigned char* given;  ///< nv marks of hybrid quantities; default NULL: limb_given_for_passive. Copied
  const unsigned char* base;   ///< nv marks, force given: moving base; default NULL: limb_given_for_base. Copied
  const limb_environment* env; ///< of states without one, and of base parameters; default NULL: the default
                               ///< environment. Copied, except for the wrenches and laws that it points to
  int tau_is_given;            ///< 1: "tau" is that of the state, as in simulations; default 0: inverse dynamics
  limb_loop_method method;     ///< of forward dynamics with loops; default LIMB_LOOP_METHOD_AUTO
  const limb_pool* pool;       ///< threads of limb_evaluator_run_many; default NULL: the caller's
  limb_form form;              ///< of the parameters of the geometry (limb/derivatives.h); default LIMB_FORM_POSES
} limb_evaluator_options;

LIMB_API limb_evaluator_options limb_default_evaluator_options(void);

/// @return LIMB_OK; LIMB_E_ARG (NULL, invalid options, no such frame, invalid marks); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_create(const limb_model* m, const limb_evaluator_options* options,
                                                          const limb_allocator* alloc, limb_evaluator** out);
LIMB_API void limb_evaluator_destroy(limb_evaluator* e); ///< NULL is accepted

/// Adds the items that a name selects: one, or with "all" several. Allocates; evaluation does not. On failure nothing
/// is added.
/// @param first,count  items that were added; NULL: not needed (output)
/// @param error        the wrong name or word (where), the reason, and what to do; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (no such name, frame or label); LIMB_E_ORDER (an input that states do not have);
///         LIMB_E_UNSUPPORTED (not defined for this robot, too many numbers); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_add(limb_evaluator* e, const char* name, int* first, int* count,
                                                       limb_error* error);

/// Removes all items except the first count.
LIMB_API void limb_evaluator_keep(limb_evaluator* e, int count);

/// One item, selected by a name. Strings are valid as long as the evaluator.
typedef struct limb_item {
  const char* name;                   ///< as added, without default frame and reference
  const limb_quantity_info* quantity; ///< its quantity
  int frame;                          ///< -1: none
  limb_ref ref;
  int rank;                                        ///< number of axes that remain; 0: one number
  limb_quantity_axis axis[LIMB_QUANTITY_AXES_MAX]; ///< meaning of each
  size_t length[LIMB_QUANTITY_AXES_MAX];
  size_t size;   ///< product of the lengths
  size_t offset; ///< of its numbers in the output of limb_evaluator_run
  int from_all;  ///< 1: added as part of "all"
} limb_item;

LIMB_API int limb_evaluator_count(const limb_evaluator* e); ///< number of items; 0 if e is NULL

/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_get(const limb_evaluator* e, int item, limb_item* out);

/// Label of index k along an axis of an item: "elbow", "wx", "kinetic". NULL if an index is out of range.
LIMB_API const char* limb_evaluator_label(const limb_evaluator* e, int item, int axis, size_t k);

/// Name of one number of an item, as in the header of a table: "M.elbow.wrist", "velocity@body.tool.vx". Truncated to
/// size - 1 bytes.
/// @return the length without truncation; 0 if an index is out of range
LIMB_API size_t limb_evaluator_column(const limb_evaluator* e, int item, size_t entry, char* text, size_t size);

/// Unit of one number of an item; "": none, or unknown.
LIMB_API const char* limb_evaluator_unit(const limb_evaluator* e, int item, size_t entry);

/// The inputs that all items need, as bits LIMB_NEEDS_...; and the number of numbers that limb_evaluator_run returns.
LIMB_API unsigned limb_evaluator_needs(const limb_evaluator* e);
LIMB_API size_t limb_evaluator_width(const limb_evaluator* e);

/// Which velocities belong to the moving base (1): nv marks, and the number of ones. NULL if e is NULL.
LIMB_API const unsigned char* limb_evaluator_base(const limb_evaluator* e, int* count);

/// One state. Inputs that no item needs may be NULL.
typedef struct limb_state {
  const double* q;             ///< nq
  const double* v;             ///< nv
  const double* a;             ///< nv
  const double* tau;           ///< nv
  double time;                 ///< of prescribed motions [s]
  const limb_environment* env; ///< NULL: that of the evaluator
  const double* lambda;        ///< nc: known multipliers, for example from a simulation; NULL: they are computed
  const double *v_r, *a_r;     ///< nv each: reference velocities of a controller, and their rates
} limb_state;

/// Computes all items at one state. Never allocates.
/// @param x  limb_evaluator_width() numbers: the items in order, each row-major; NaN for items that fail (output)
/// @return LIMB_OK; the status of the first item that failed (the others are computed nevertheless).
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_run(limb_evaluator* e, const limb_state* state, double* x);

/// Failure of the last run: the index of the item, and one sentence. -1: the run succeeded, or the failure does not
/// belong to an item.
LIMB_API int limb_evaluator_failure(const limb_evaluator* e, limb_error* out);

/// Observations in all states so far, for a robot with loops.
typedef struct limb_evaluator_facts {
  int undriven;      ///< motions without a motor, at the start configuration
  double unbalanced; ///< largest generalised force along them, which no motor balances
  int overdriven;    ///< motors in excess of the motions: tau has least norm
  int redundant;     ///< redundant constraints: lambda has least norm
} limb_evaluator_facts;

/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_get_facts(const limb_evaluator* e, limb_evaluator_facts* out);

/// n states; arrays hold state after state, [n][nq] and [n][nv]. Inputs that no item needs may be NULL.
typedef struct limb_states {
  size_t n;
  const double *q, *v, *a, *tau;
  const double* time;              ///< [n]; NULL: 0
  const limb_environment* env;     ///< of all states; NULL: that of the evaluator
  int nwrench;                     ///< in addition to those of env, with a value for each state
  const limb_batch_wrench* wrench; ///< nwrench wrenches, f64
  const double *v_r, *a_r;         ///< [n][nv]
  int singly;                      ///< 1: state by state, to the bits of limb_evaluator_run, without kernels of batches
} limb_states;

/// Computes all items at n states: by the kernels of limb/batch.h if a quantity has one, otherwise state by state, on
/// the threads of the pool. The first call allocates.
/// @param out     one array per item, [n][size]; NULL: not computed
/// @param status  [n]; NULL: not needed. A state that fails does not affect the others
/// @return LIMB_OK; the status of the first state that failed; LIMB_E_ARG (NULL) and LIMB_E_NOMEM: nothing is computed.
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_run_many(limb_evaluator* e, const limb_states* states,
                                                            double* const* out, limb_status* status);

#ifdef __cplusplus
}
#endif

#endif
