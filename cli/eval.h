// What `limb eval` can compute, and how it prints it.
//
// A quantity is a block of numbers with named axes: one number per degree of freedom, a matrix of degrees
// of freedom by parameters, a tensor, a record with named fields. The tables of quantities say what each
// needs; the printers know axes, not quantities.
#ifndef LIMB_CLI_EVAL_H
#define LIMB_CLI_EVAL_H

#include "limb/second_derivatives.h"

#include "closing.h"
#include "dofs.h"
#include "robot.h"
#include "states.h"

#include <stdio.h>

// What an index of a quantity counts.
typedef enum eval_axis {
  AXIS_NONE,      // closes the axes
  AXIS_DOF,       // nv degrees of freedom
  AXIS_STATE,     // 2 nv: deviations of q, then of v
  AXIS_MOTION,    // 6: wx wy wz vx vy vz
  AXIS_FORCE,     // 6: mx my mz fx fy fz
  AXIS_VECTOR,    // 3: x y z
  AXIS_POSE,      // 16: position 3, quaternion 4, rotation 9
  AXIS_TASK,      // the directions of the frame that --directions selects
  AXIS_PARAMETER, // np: inertial parameters of bodies, then those of joints
  AXIS_BASE,      // nb base parameters
  AXIS_FLOATING,  // degrees of freedom of the moving base (cli_dof)
  AXIS_ARM,       // all others
  AXIS_JOINT,     // joints of the model
  AXIS_Q,         // nq coordinates
  AXIS_ACTIVE,    // degrees of freedom of joints with a motor
  AXIS_ROW,       // nc rows of the equations of the loops
  AXIS_LOOP,      // loops of the model
  AXIS_FIELD,     // fields of the quantity's own
} eval_axis;

enum { EVAL_AXES = 4, EVAL_MOST = 128 }; // axes of a quantity, quantities

typedef struct eval_run {
  cli_robot* robot;
  cli_states* states;
  cli_dofs* dofs;
  int frame; // -1: none was named
  limb_ref ref;
  limb_task task; // the directions of that frame
  limb_task_options task_options;
  double dt;                      // of --dt; 0: none was given
  int np;                         // parameters
  limb_parameter_info* parameter; // NULL: not needed, like base
  limb_base_parameters* base;
  limb_dual* dual;         // of second derivatives
  double* work;            // scratch, as much as the quantities ask for
  double* zero;            // nv
  int level;               // what limb_kinematics is called with, as in eval_quantity; all that is needed
  unsigned char* floating; // nv marks: forces of the moving base are given; NULL: not needed
  char because[240];       // what a computation that failed has to say about it; "": nothing
  // Of quantities of loops: eval_closed.c.
  limb_loops* loops;      // NULL: not needed
  cli_closing closing;    // rows are closed by it; all zero: they are taken as they are
  unsigned closed_groups; // of STATES_Q, V and A: what these quantities need
  int by_motion;          // forces of closures are those of a; 0: those that come with tau
  const double* lambda;   // nc: multipliers that are known, of a simulation; NULL: computed
} eval_run;

// What quantities need of a state.
enum {
  EVAL_Q = STATES_Q,
  EVAL_QV = STATES_Q | STATES_V,
  EVAL_QVA = STATES_Q | STATES_V | STATES_A,
  EVAL_QVT = STATES_Q | STATES_V | STATES_TAU,
  EVAL_QVG = STATES_Q | STATES_V | STATES_GIVEN,
  EVAL_QVB = STATES_Q | STATES_V | STATES_BASE,
};

// Bits of what a quantity is of, beside the state.
enum {
  OF_FRAME = 1,      // --frame
  OF_REF = 2,        // --ref
  OF_TASK = 4,       // --directions, --damping
  OF_PARAMETER = 8,  // names of parameters
  OF_BASE = 16,      // base parameters
  OF_STEP = 32,      // --dt
  OF_DUAL = 64,      // a workspace of dual numbers
  OF_FLOATING = 128, // a moving base
  OF_ELASTIC = 256,  // elastic joints
  OF_LOOPS = 512,    // a workspace of loops; columns that follow from others may be missing
  OF_CLOSED = 1024,  // rows that close the loops
};

typedef struct eval_quantity {
  const char* name;
  const char* meaning;
  eval_axis axes[EVAL_AXES + 1];
  unsigned needs;            // EVAL_Q ..., bits of states.h
  int level;                 // of limb_kinematics: 0 not needed, 1 poses, 2 velocities, 3 accelerations
  unsigned of;               // bits OF_FRAME ...
  const char* unit;          // NULL: of the degree of freedom, or no single one
  const char* const* fields; // of AXIS_FIELD, closed by NULL
  limb_status (*compute)(eval_run* run, double* x);
  double (*room)(const eval_run* run); // numbers of scratch; NULL: none
} eval_quantity;

// The tables, each closed by a quantity without name.
extern const eval_quantity eval_dynamics[];    // eval_dynamics.c
extern const eval_quantity eval_hybrid[];      // eval_hybrid.c
extern const eval_quantity eval_kinematics[];  // eval_kinematics.c
extern const eval_quantity eval_derivatives[]; // eval_derivatives.c
extern const eval_quantity eval_geometry[];    // eval_geometry.c
extern const eval_quantity eval_task[];        // eval_task.c
extern const eval_quantity eval_parameters[];  // eval_parameters.c
extern const eval_quantity eval_loops[];       // eval_loops.c

// Quantity k of all; NULL behind the last one.
const eval_quantity* eval_get(int k); // eval_axes.c

// `limb eval --list`: prints them, as text or JSON. An exit code.
int eval_list(const cli_args* args); // eval_list.c

// The name of a quantity that a word was perhaps meant to be; NULL when there is no guess.
const char* eval_nearest(const char* wrong); // eval_list.c

// Calls limb_kinematics for the row at hand. cmd_eval.c
limb_status eval_move(eval_run* run);

// Reactions of all joints, 6 numbers each, when they accelerate by a. work: as many numbers as x.
limb_status eval_reactions(eval_run* r, const double* a, double* work,
                           double* x); // eval_dynamics.c

// n wrenches, 6 numbers each, unless s says that there are none.
void eval_put_forces(limb_status s, const sp_force* f, int n, double* x); // eval_dynamics.c

// n motions as columns of x, which is 6 x n. Returns s. eval_kinematics.c
limb_status eval_put_columns(limb_status s, const sp_motion* c, size_t n, double* x);

// ---- axes: eval_axes.c -----------------------------------------------------------------------------

// Number of axes; length of one; numbers of a quantity, which may be too many for memory.
int eval_rank(const eval_quantity* e);
size_t eval_length(const eval_quantity* e, const eval_run* run, int axis);
double eval_size(const eval_quantity* e, const eval_run* run);

// The axis as --list shows it: "nv", "6", "2nv".
const char* eval_axis_text(eval_axis axis);

// Name of index k along an axis: "elbow", "wx", "kinetic".
void eval_index_name(const eval_quantity* e, const eval_run* run, int axis, size_t k, char* text, size_t size);

// Name of a number: the quantity and its indices along the first axes, "M.elbow.wrist". index: axes of them.
void eval_name(const eval_quantity* e, const eval_run* run, int axes, const size_t* index, char* text, size_t size);

// The next index of the first axes, the last one fastest. 0 at the end.
int eval_advance(const eval_quantity* e, const eval_run* run, int axes, size_t* index);

// ---- options and memory: eval_room.c ---------------------------------------------------------------

// What is printed: the quantities that were asked for, and their numbers for the row at hand.
typedef struct eval_sheet {
  const cli_args* args;
  eval_run* run;
  int count;
  const eval_quantity* quantity[EVAL_MOST];
  double* x[EVAL_MOST];
  FILE* out;
  limb_csv_writer* writer; // of the CSV form
  struct {                 // of robots with loops: eval_tree.c
    limb_loops* loops;     // NULL: nothing to watch
    uint64_t open;         // rows that do not close the loops
  } watch;
} eval_sheet;

// ---- robots with loops: eval_tree.c ----------------------------------------------------------------

// The quantity that takes the place of one of the tree when the loops are closed; NULL: there is none.
const char* eval_closed_name(const eval_quantity* e);

// 1 when quantity i of the sheet sees the tree of joints only, of a robot that has loops as well.
int eval_tree_only(const eval_sheet* s, int i);

// Tells which quantities these are, and begins to watch rows. EXIT_FINE, or an exit code after a message.
int eval_watch_open(eval_sheet* s);

// Looks whether the row at hand closes the loops; the first that does not is told, the others are counted.
limb_status eval_watch_row(eval_sheet* s);
void eval_watch_close(eval_sheet* s);

// ---- quantities of loops: eval_closed.c ------------------------------------------------------------

// EXIT_USAGE after a message when a quantity is of loops, and the robot has none.
int eval_refuse_tree(const eval_sheet* s);

// Asks the states for what a quantity needs. EXIT_FINE, or an exit code after a message.
int eval_need(eval_sheet* s, const eval_quantity* e);

// The workspace of loops, and rows that are completed and checked where quantities ask for it. At the end:
// what was met on the way is told. EXIT_FINE, or an exit code after a message; close in any case.
int eval_loops_open(eval_sheet* s);
void eval_loops_close(eval_sheet* s, int code);

// "<loop>.move_x", "<loop>.gear": row of the equations of all loops.
void eval_row_name(const limb_model* m, int row, char* text, size_t size);

// All bits OF_... of the quantities that were asked for.
unsigned eval_of(const eval_sheet* s);

// --directions, --damping, --dt. EXIT_FINE, or EXIT_USAGE after a message.
int eval_read_task(eval_sheet* s);

// Marks the moving base when something asked for is of it: the model's, and else the joints on the world
// of which the table has the forces and not the accelerations. EXIT_FINE, or EXIT_USAGE when there is none.
int eval_find_floating(eval_sheet* s);

// Names along the axes of parameters and base parameters, when bits OF_... ask for them. An exit code.
int eval_name_axes(eval_sheet* s, unsigned of);

// Memory for the answers and for scratch, names of parameters, base parameters. EXIT_FINE, or an exit code
// after a message. eval_free takes a sheet in any state.
int eval_make_room(eval_sheet* s);
void eval_free(eval_sheet* s);

// ---- printers --------------------------------------------------------------------------------------

typedef struct eval_printer {
  const char* name;
  int (*begin)(eval_sheet* s); // each: EXIT_FINE, or an exit code after a message
  int (*row)(eval_sheet* s);
  int (*end)(eval_sheet* s);
  int (*fail)(eval_sheet* s,
              int code); // instead of end, after a row that failed with this exit code
} eval_printer;

extern const eval_printer eval_json, eval_csv, eval_text; // eval_json.c, eval_print.c

// "body", "world", "aligned"; name of the frame, NULL when there is none.
const char* eval_ref_name(limb_ref ref);
const char* eval_frame_name(const eval_run* run);

#endif
