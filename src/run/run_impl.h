// The simulation of a run file, set up in steps: values, formulas and tables, inputs, controller, start.
//
// Functions that return a status report what is wrong through the error of the runner.
#ifndef LIMB_RUN_IMPL_H
#define LIMB_RUN_IMPL_H

#include "limb/control.h"
#include "limb/runner.h"

#include <stdbool.h>

typedef struct run_inputs run_inputs;   // run_inputs.c
typedef struct run_motion run_motion;   // run_inputs.c
typedef struct run_control run_control; // run_control.c

typedef struct run_condition run_condition; // runner.c

struct limb_runner {
  limb_run run;
  limb_runner_options o;
  limb_error* err; // of the call; NULL: not needed
  const limb_model* model;
  limb_data* data; // of the spanning tree
  int nq, nv;
  limb_dofs* dofs;
  limb_dof_info *dq, *dv; // nq, nv
  limb_runner_setup setup;
  double *q, *v; // at the start
  limb_sim* sim;
  run_inputs* inputs;
  run_motion* motion;
  run_control* control;
  run_condition* condition;
  char trouble[400]; // the failure of a formula that ended the simulation; "": none
};

// ---- values: run_values.c ---------------------------------------------------------------------------------

// LIMB_E_ARG, with a sentence about a value.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
limb_status
limb_run_wrong(limb_error* err, const limb_run_value* at, const char* format, ...);

// The status of a call, with what it was about.
limb_status limb_run_failed(const limb_runner* r, limb_status s, const char* what);
limb_status limb_run_no_memory(const limb_runner* r);

// n + 1 zeros; NULL: out of memory.
double* limb_run_zeros(int n);

// limb_run_number, with a unit of this dimension (limb_formula_number).
limb_status limb_run_quantity(const limb_run_value* at, limb_run_range range, const char* unit, double* out,
                              limb_error* err);

limb_status limb_run_whole(const limb_run_value* at, double max, double* out, limb_error* err);

// The index of a word in a NULL-terminated list; -1: not found. The same for a value; true and false: 1 and 0.
int limb_run_index_of(const char* word, const char* const* words);
limb_status limb_run_word(const limb_run_value* at, const char* const* words, int* out, limb_error* err);
limb_status limb_run_truth(const limb_run_value* at, int* out, limb_error* err);

// The coordinate (of_q) or degree of freedom, or the frame, of a name; -1 after an error.
int limb_run_find_dof(const limb_runner* r, const limb_run_value* at, int of_q);
int limb_run_find_frame(const limb_runner* r, const limb_run_value* at);

// run_parameters.c: a number of a body or joint, whose name is that of the value.
limb_status limb_run_replace_number(const limb_run_value* at, limb_builder* b, limb_error* err);

// ---- channels in formulas: channels.c ---------------------------------------------------------------------

// What is known while forces are computed, and of a state that was reached.
enum {
  RUN_KNOWN_INPUT = LIMB_NEEDS_Q | LIMB_NEEDS_V | LIMB_NEEDS_TIME,
  RUN_KNOWN_ALL = RUN_KNOWN_INPUT | LIMB_NEEDS_A | LIMB_NEEDS_TAU
};

limb_formula_names limb_channels_names(limb_channels* c);
const char* limb_channels_refusal(limb_channels* c); // why the last name was refused; "": it was not
bool limb_channels_no_memory(const limb_channels* c);
bool limb_channels_need_dynamics(const limb_channels* c);

// ---- formulas and tables: run_values.c --------------------------------------------------------------------

// Formulas that are evaluated together, at one state. Their names: t, energy, and quantities that are one number.
typedef struct run_formulas {
  limb_channels* channels; // NULL: none yet
  int count, capacity;
  struct run_formula* formula;
  double *x, *symbol; // numbers of the channels; those of one formula
  double* value;      // count: values at the last state
} run_formulas;

void limb_run_formulas_free(run_formulas* f);

// Adds a formula, or a condition if direction is not NULL; its index. known: RUN_KNOWN_... After the last one: ready.
limb_status limb_run_formulas_add(run_formulas* f, limb_runner* r, unsigned known, const limb_run_value* at,
                                  int* direction, int* index);
limb_status limb_run_formulas_ready(run_formulas* f, const limb_runner* r);

// All values at a state. LIMB_E_NONFINITE: r->trouble names the formula without a value.
limb_status limb_run_formulas_read(run_formulas* f, limb_runner* r, const limb_sim_state* at);

// Columns of a table over time.
typedef struct run_table {
  limb_signal* signal;
  int columns;
  int* to; // destination of each
  double *x, *x1, *x2;
} run_table;

// The destination of a column, or: none, which is noted; not for this table, which is not.
enum { RUN_COLUMN_NONE = -1, RUN_COLUMN_OTHER = -2 };
typedef int run_column_fn(const void* context, const char* column);

// Reads a table. A table without columns for us is an error. Free in any case.
limb_status limb_run_table_open(run_table* t, const limb_runner* r, const limb_run_value* file, limb_signal_kind kind,
                                run_column_fn* where, const void* context);
void limb_run_table_free(run_table* t);

// Row `row`, from 1, of a table of states: q and v where it has columns, whose numbers are marked in has_q and has_v;
// time: unchanged without that column.
limb_status limb_run_state_row(const limb_runner* r, const limb_run_value* file, const limb_run_value* at_row,
                               uint64_t row, unsigned char* has_q, unsigned char* has_v, double* time);

// ---- steps ------------------------------------------------------------------------------------------------

// run_inputs.c: forces, wrenches and prescribed motion
limb_status limb_run_open_motion(limb_runner* r);
limb_status limb_run_attach_motion(limb_runner* r);
limb_status limb_run_open_inputs(limb_runner* r);
void limb_run_close_inputs(limb_runner* r); // and motion

// Puts prescribed motion at a time into q and v, and marks its degrees of freedom.
limb_status limb_run_motion_at(limb_runner* r, double t, double* q, double* v, unsigned char* marks);

// run_control.c
limb_status limb_run_open_control(limb_runner* r);
void limb_run_close_control(limb_runner* r);

// run_start.c: solver, times, start
limb_status limb_run_read_settings(limb_runner* r);
limb_status limb_run_read_start(limb_runner* r);
limb_status limb_run_read_times(limb_runner* r);

// ---- settings put over a run: memory, lists of texts (run_override.c); what they mean (run_override_parts.c) -----

struct limb_run_override {
  limb_run run;
  const limb_run_setting* settings;
  limb_error* err;
  void** kept; // all memory
  int nkept;
  bool no_memory;
};

typedef limb_run_override override;

// An array of a run, with its number of entries.
typedef struct array {
  void* items; // address of the pointer
  int* count;
  size_t size; // of an entry
} array;

// A copy of an array, with one more entry, zeroed: of a text, a copy. NULL: out of memory, which o remembers.
void* limb_override_extended(override* o, const void* items, int count, size_t size);

// The new entry at the end, in a copy of the array.
void* limb_override_append(override* o, array a);

// The text of a setting; NULL: it is not given.
const char* limb_override_given(const override* o, const char* name);

// A text as a value with the key "--option".
limb_run_value limb_override_value(override* o, const char* option, const char* text);

// Puts a value into a list: replaces the value of the same name, or appends.
limb_status limb_override_put_named(override* o, limb_run_values* list, limb_run_value v);

// The next entry of a list, up to a separator outside brackets and quotes, without blanks around it. NULL at the
// end, or out of memory.
char* limb_override_next(override* o, const char** at, char separator);

// "elbow=2*t" as a value of that name; a list of such pairs, put into another; a list of words, replacing another.
limb_status limb_override_read_pair(override* o, const char* option, char* entry, limb_run_value* out);
limb_status limb_override_put_pairs(override* o, const char* option, limb_run_values* list);
limb_status limb_override_put_words(override* o, const char* option, const char* at, char separator,
                                    limb_run_values* list);

// run_override_parts.c
limb_status limb_override_put_start(override* o);
limb_status limb_override_put_table(override* o);
limb_status limb_override_put_wrenches(override* o);
limb_status limb_override_put_motion(override* o);
limb_status limb_override_put_controller(override* o);
limb_status limb_override_put_events(override* o, const char* option, const char* action);
limb_status limb_override_put_outputs(override* o);

#endif
