// What `limb eval` can compute, and the forms in which it prints it.
//
// A quantity is a row of numbers in a form: one per degree of freedom, a matrix, a motion, a record with
// named fields ... The table of quantities says what each needs; the printers know forms, not quantities.
#ifndef LIMB_CLI_EVAL_H
#define LIMB_CLI_EVAL_H

#include "dofs.h"
#include "robot.h"
#include "states.h"

#include <stdio.h>

typedef enum eval_form {
  EVAL_DOFS,      // nv
  EVAL_MATRIX,    // nv x nv
  EVAL_JACOBIAN,  // 6 x nv
  EVAL_MOTION,    // 6: wx wy wz vx vy vz
  EVAL_FORCE,     // 6: mx my mz fx fy fz
  EVAL_VECTOR,    // 3: x y z
  EVAL_POSE,      // 16: position 3, quaternion 4, rotation 9
  EVAL_RECORD,    // named fields
  EVAL_REACTIONS, // 6 per joint of the model
} eval_form;

typedef struct eval_run {
  cli_robot* robot;
  cli_states* states;
  const cli_dofs* dofs;
  int frame; // -1: none was named
  limb_ref ref;
  sp_motion* columns;  // nv of them
  sp_force* reactions; // one per joint
} eval_run;

typedef struct eval_quantity {
  const char* name;
  const char* meaning;
  eval_form form;
  unsigned needs;   // bits STATES_Q ...
  int level;        // of limb_kinematics: 0 not needed, 1 poses, 2 velocities, 3 accelerations
  int frame;        // 1: of the frame that --frame names
  const char* unit; // NULL: of the degree of freedom, or no single one
  const char* const* fields; // of a record, closed by NULL
  limb_status (*compute)(eval_run* run, double* x);
} eval_quantity;

enum { EVAL_MOST = 32 }; // quantities

// All quantities, closed by one without name.
extern const eval_quantity eval_quantities[];

// `limb eval --list`: prints them, as text or JSON. An exit code.
int eval_list(const cli_args* args); // eval_list.c

// The name of a quantity that a word was perhaps meant to be; NULL when there is no guess.
const char* eval_nearest(const char* wrong); // eval_list.c

// Numbers of a quantity.
size_t eval_size(const eval_quantity* e, const eval_run* run);

// Name of the k-th number behind the name of the quantity: "elbow", "elbow.wrist", "wx.elbow", "kinetic".
void eval_name(const eval_quantity* e, const eval_run* run, size_t k, char* text, size_t size);

// Names of components; 6 of motions, 6 of forces, 3 of vectors, 16 of poses.
const char* const* eval_components(eval_form form);

// ---- printers --------------------------------------------------------------------------------------

// What is printed: the quantities that were asked for, and their numbers for the row at hand.
typedef struct eval_sheet {
  const cli_args* args;
  eval_run* run;
  int count;
  const eval_quantity* quantity[EVAL_MOST];
  double* x[EVAL_MOST];
  FILE* out;
  limb_csv_writer* writer; // of the CSV form
} eval_sheet;

typedef struct eval_printer {
  const char* name;
  int (*begin)(eval_sheet* s); // each: EXIT_FINE, or an exit code after a message
  int (*row)(eval_sheet* s);
  int (*end)(eval_sheet* s);
  int (*fail)(eval_sheet* s,
              int code); // instead of end, after a row that failed with this exit code
} eval_printer;

extern const eval_printer eval_json, eval_csv, eval_text;

// How the robot hangs on the world: "fixed", "floating", "planar", or "other" when its roots differ.
const char* eval_base_name(const limb_model* m);

// "body", "world", "aligned"; name of the frame, NULL when there is none.
const char* eval_ref_name(limb_ref ref);
const char* eval_frame_name(const eval_run* run);

// 1 when the answer depends on --ref.
int eval_uses_ref(const eval_sheet* s);

#endif
