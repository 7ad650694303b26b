// limb: robot dynamics in C. The registry of quantities, and their evaluation by name.
//
// One table holds every quantity that limb computes of a state: its name, equation, meaning, axes, units, what it
// needs, for which robots it is defined, and the C functions behind it. An evaluator computes some of them:
//
//     limb_evaluator* e;
//     limb_evaluator_create(model, NULL, NULL, &e);
//     limb_evaluator_add(e, "M", NULL, NULL, &error);                  // nv x nv numbers
//     limb_evaluator_add(e, "velocity@body.tool.vx", NULL, NULL, &error); // one number
//     double x[...];                                                   // limb_evaluator_width(e) numbers
//     limb_evaluator_run(e, &(limb_state){.q = q, .v = v}, x);
//
// Names. One grammar for the tool, for channels and formulas of simulations, and for other languages:
//
//     <quantity> [@body | @world | @aligned] [.<frame>] [.<label> ...]
//
//     M    M.elbow    M.elbow.wrist    J.tool    velocity@body.tool.vx    energy.kinetic    reactions.elbow.fz
//
// The frame follows where the quantity is of one, unless the evaluator has a frame of its own. Labels select along
// the axes, first axis first; a label may be left open at a dot: v.base selects v.base.wx ... v.base.vz.
// "all" stands for everything that the robot has and that the known inputs allow.
//
// Robots with loops. There is one name for all robots: tau, acc, M, h, ... of a robot with loops are those with the
// loops closed, for states that close them (limb_complete_state of limb/model.h). Matrices have the size that they
// have for trees; rows and columns of dependent velocities are zero: M = G' M_tree G, padded. The quantity
// "independent" tells which velocities are independent. With the option tree an evaluator computes what the spanning
// tree does, the loops cut open.
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
  LIMB_AXIS_NONE = 0,        ///< no axis: closes the list
  LIMB_AXIS_V = 1,           ///< nv velocities
  LIMB_AXIS_Q = 2,           ///< nq coordinates
  LIMB_AXIS_STATE = 3,       ///< 2 nv: deviations of q, then of v
  LIMB_AXIS_MOTION = 4,      ///< 6: wx wy wz vx vy vz
  LIMB_AXIS_FORCE = 5,       ///< 6: mx my mz fx fy fz
  LIMB_AXIS_VECTOR = 6,      ///< 3: x y z
  LIMB_AXIS_POSE = 7,        ///< 16: position x y z, quaternion x y z w, rotation xx xy ... zz (row by row)
  LIMB_AXIS_TASK = 8,        ///< directions of the frame that the evaluator selects, at most 6
  LIMB_AXIS_PARAMETER = 9,   ///< np parameters (limb/regressor.h)
  LIMB_AXIS_BASE = 10,       ///< nb base parameters (limb/regressor.h)
  LIMB_AXIS_FLOATING = 11,   ///< velocities of the moving base
  LIMB_AXIS_ARM = 12,        ///< all other velocities
  LIMB_AXIS_JOINT = 13,      ///< joints, fixed ones included; JSON is keyed by joint
  LIMB_AXIS_LOOP = 14,       ///< loops; JSON is keyed by loop
  LIMB_AXIS_CONSTRAINT = 15, ///< nc equations of the loops
  LIMB_AXIS_FIELD = 16       ///< named fields of the quantity; JSON is keyed by field
} limb_quantity_axis;

/// What a quantity needs, as bits. Values are pinned.
enum {
  LIMB_NEEDS_Q = 1,
  LIMB_NEEDS_V = 2,
  LIMB_NEEDS_A = 4,
  LIMB_NEEDS_TAU = 8,
  LIMB_NEEDS_TIME = 16,
  LIMB_NEEDS_A_OR_TAU = 32,     ///< the accelerations of a motion, or else the forces that cause one
  LIMB_NEEDS_GIVEN = 64,        ///< of each velocity its acceleration or its force (limb/dynamics.h)
  LIMB_NEEDS_BASE = 128,        ///< the same, and of a moving base the force (limb/dynamics.h)
  LIMB_NEEDS_FRAME = 256,       ///< a frame, named behind the quantity
  LIMB_NEEDS_REFERENCE = 512,   ///< depends on @body, @world, @aligned
  LIMB_NEEDS_DIRECTIONS = 1024, ///< directions of the frame, and damping
  LIMB_NEEDS_DT = 2048,         ///< the time between samples
  LIMB_NEEDS_CLOSED = 4096      ///< of a robot with loops: a state that closes them
};

/// For which robots a quantity is defined. Values are pinned.
typedef enum limb_quantity_robots {
  LIMB_ROBOTS_ALL = 0,
  LIMB_ROBOTS_TREES = 1,       ///< without loops; of a robot with loops its spanning tree
  LIMB_ROBOTS_LOOPS = 2,       ///< with loops
  LIMB_ROBOTS_MOVING_BASE = 3, ///< trees with a moving base
  LIMB_ROBOTS_ELASTIC = 4      ///< trees with elastic joints; zero for others
} limb_quantity_robots;

enum {
  LIMB_QUANTITY_AXES_MAX = 4 ///< at most
};

/// One quantity. All texts are constants, never NULL unless said so. Members are appended only.
typedef struct limb_quantity_info {
  const char* name;
  const char* group;                                   ///< heading of the listing that it belongs to
  const char* equation;                                ///< one line of ASCII mathematics
  const char* meaning;                                 ///< one sentence
  limb_quantity_axis axis[LIMB_QUANTITY_AXES_MAX + 1]; ///< closed by LIMB_AXIS_NONE
  const char* const* fields;                           ///< of LIMB_AXIS_FIELD, closed by NULL; NULL: no such axis
  const char* unit;                                    ///< of one entry, or of the kinds of entries: "N m, N"
  unsigned needs;                                      ///< LIMB_NEEDS_...
  limb_quantity_robots robots;
  const char* functions; ///< C functions, of trees first, separated by commas; "": it is part of the state
  const char* note;      ///< where the letter means something else in a textbook, or what to watch; "": nothing
} limb_quantity_info;

LIMB_API int limb_quantity_count(void);

/// Quantity by its index; NULL when out of range.
LIMB_API const limb_quantity_info* limb_get_quantity(int index);

/// Quantity by its name; NULL when there is none. Former names find what they became.
LIMB_API const limb_quantity_info* limb_find_quantity(const char* name);

/// The name of a quantity that a wrong one was perhaps meant to be, words of other libraries included ("rnea" is
/// tau); NULL: no guess.
LIMB_API const char* limb_nearest_quantity(const char* wrong);

/// Length of an axis in short, "nv", "6", "named fields"; and what its indices are, "velocities".
LIMB_API const char* limb_axis_length_text(limb_quantity_axis axis);
LIMB_API const char* limb_axis_text(limb_quantity_axis axis);

/// For which robots, in words: "all", "with loops", "trees", ...
LIMB_API const char* limb_robots_text(limb_quantity_robots robots);

/// "body", "world", "aligned".
LIMB_API const char* limb_ref_text(limb_ref ref);

// ---- evaluators -----------------------------------------------------------------------------------------

/// Computes quantities by name. Belongs to one caller at a time; the model and the pool must outlive it.
typedef struct limb_evaluator limb_evaluator;

/// Start from limb_default_evaluator_options(); NULL stands for that.
typedef struct limb_evaluator_options {
  size_t size;                 ///< sizeof(limb_evaluator_options), set by the default function
  int tree;                    ///< 1: of a robot with loops its spanning tree; default 0: the loops are closed
  unsigned known;              ///< what states will have: LIMB_NEEDS_Q, V, A, TAU, TIME; default: all of them
  int frame;                   ///< of names that do not say one; default -1: they must
  limb_ref ref;                ///< of names that do not say one; default LIMB_ALIGNED
  unsigned directions;         ///< of task quantities; default LIMB_TWIST
  double damping;              ///< of task quantities: added to the diagonal of J M^-1 J'; default 0
  double dt;                   ///< time between samples [s]; default 0: quantities of samples are refused
  const unsigned char* given;  ///< nv marks of hybrid quantities; default NULL: limb_given_for_passive. Copied
  const unsigned char* base;   ///< nv marks, forces of the moving base given; default NULL: limb_given_for_base. Copied
  const limb_environment* env; ///< of states that have none, and of base parameters; default NULL: the default one.
                               ///< Copied, but for the wrenches and laws that it points to
  int tau_is_given;            ///< 1: "tau" is that of the state, as in simulations; default 0: inverse dynamics
  limb_loop_method method;     ///< of forward dynamics with loops; default LIMB_LOOP_METHOD_AUTO
  const limb_pool* pool;       ///< threads of limb_evaluator_run_many; default NULL: the caller's
} limb_evaluator_options;

LIMB_API limb_evaluator_options limb_default_evaluator_options(void);

/// @return LIMB_OK; LIMB_E_ARG (NULL, options that are none, no such frame, marks that are none); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_create(const limb_model* m, const limb_evaluator_options* options,
                                                          const limb_allocator* alloc, limb_evaluator** out);
LIMB_API void limb_evaluator_destroy(limb_evaluator* e); ///< NULL is accepted

/// Adds what a name stands for: one item, or with "all" several. Allocates; evaluation does not.
/// @param first,count  items that were added (output); NULL: not wanted
/// @return LIMB_OK; LIMB_E_ARG (no such name, frame or label); LIMB_E_ORDER (an input that states do not have);
///         LIMB_E_UNSUPPORTED (not defined for this robot, more numbers than fit); LIMB_E_NOMEM. error, if given,
///         tells which name (where: the quantity, or the word that is wrong), why, and what to do. Nothing is added
///         then.
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_add(limb_evaluator* e, const char* name, int* first, int* count,
                                                       limb_error* error);

/// Forgets all items from the count-th on.
LIMB_API void limb_evaluator_keep(limb_evaluator* e, int count);

/// One item: what a name stands for. Texts live as long as the evaluator.
typedef struct limb_item {
  const char* name;                   ///< as it was added, with its default frame and reference left out
  const limb_quantity_info* quantity; ///< what it is
  int frame;                          ///< -1: none
  limb_ref ref;
  int rank;                                        ///< axes that are left; 0: one number
  limb_quantity_axis axis[LIMB_QUANTITY_AXES_MAX]; ///< what each counts
  size_t length[LIMB_QUANTITY_AXES_MAX];
  size_t size;      ///< product of the lengths
  size_t offset;    ///< of its numbers among those of limb_evaluator_run
  int from_all;     ///< 1: it was added as part of "all"
  const char* note; ///< such as a former name; "": nothing
} limb_item;

LIMB_API int limb_evaluator_count(const limb_evaluator* e); ///< of items; 0 for NULL

/// @return LIMB_OK or LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_get(const limb_evaluator* e, int item, limb_item* out);

/// Label of index k along an axis of an item: "elbow", "wx", "kinetic". NULL when out of range.
LIMB_API const char* limb_evaluator_label(const limb_evaluator* e, int item, int axis, size_t k);

/// Name of one number of an item, as a column of a table: "M.elbow.wrist", "velocity@body.tool.vx". What does not
/// fit is cut.
/// @return its length without the cut; 0 when out of range
LIMB_API size_t limb_evaluator_column(const limb_evaluator* e, int item, size_t entry, char* text, size_t size);

/// Unit of one number of an item; "": none, or not known.
LIMB_API const char* limb_evaluator_unit(const limb_evaluator* e, int item, size_t entry);

/// All that the items need, as bits LIMB_NEEDS_...; and the length of the answer of limb_evaluator_run.
LIMB_API unsigned limb_evaluator_needs(const limb_evaluator* e);
LIMB_API size_t limb_evaluator_width(const limb_evaluator* e);

/// Which velocities are the base (1) and which are not (0): nv marks, and their number. NULL for NULL.
LIMB_API const unsigned char* limb_evaluator_base(const limb_evaluator* e, int* count);

/// One state. What no item needs may be NULL.
typedef struct limb_state {
  const double* q;             ///< nq
  const double* v;             ///< nv
  const double* a;             ///< nv
  const double* tau;           ///< nv
  double time;                 ///< of prescribed motions [s]
  const limb_environment* env; ///< NULL: that of the evaluator
  const double* lambda;        ///< nc: multipliers that are known, of a simulation; NULL: they are computed
} limb_state;

/// All items at one state. Never allocates.
/// @param x  limb_evaluator_width() numbers: items one behind the other, each row-major. Items that fail are NaN
/// @return LIMB_OK, or the status of the first item that failed; the others are computed all the same.
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_run(limb_evaluator* e, const limb_state* state, double* x);

/// What the last run that failed has to say: the item, and one sentence. -1: nothing
/// failed, or no item did.
LIMB_API int limb_evaluator_failure(const limb_evaluator* e, limb_error* out);

/// What was met in all states so far, of a robot with loops.
typedef struct limb_evaluator_facts {
  int undriven;      ///< motions that no motor drives, at the start configuration
  double unbalanced; ///< largest generalised force along them that no motor balances
  int overdriven;    ///< motors in excess of the motions: tau is of least norm
  int redundant;     ///< equations of the loops that follow from others: lambda is of least norm
} limb_evaluator_facts;

/// @return LIMB_OK or LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_get_facts(const limb_evaluator* e, limb_evaluator_facts* out);

/// n states; arrays hold state after state, [n][nq] and [n][nv]. What no item needs may be NULL.
typedef struct limb_states {
  size_t n;
  const double *q, *v, *a, *tau;
  const double* time;              ///< [n]; NULL: 0
  const limb_environment* env;     ///< in all states; NULL: that of the evaluator
  int nwrench;                     ///< besides those of env, another one in every state
  const limb_batch_wrench* wrench; ///< nwrench of them, f64
} limb_states;

/// All items at n states: by the kernels of limb/batch.h where a quantity has one, else state by state, on the threads
/// of the pool. The first call allocates.
/// @param out     one array per item, [n][size]; NULL: not wanted
/// @param status  [n]; NULL: not wanted. A state that fails does not harm the others
/// @return LIMB_OK; the status of the first state that failed; LIMB_E_ARG (NULL), LIMB_E_NOMEM: nothing is computed.
LIMB_NODISCARD LIMB_API limb_status limb_evaluator_run_many(limb_evaluator* e, const limb_states* states,
                                                            double* const* out, limb_status* status);

#ifdef __cplusplus
}
#endif

#endif
