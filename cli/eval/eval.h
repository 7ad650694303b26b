// `limb eval`: quantities of limb/quantities.h for each row of a table of states.
#ifndef LIMB_CLI_EVAL_H
#define LIMB_CLI_EVAL_H

#include "limb/table.h"

#include "robot/robot.h"
#include "states/states.h"

#include <stdio.h>

typedef struct eval_run eval_run;

// A form of output.
typedef struct eval_printer {
  const char* name;
  // Each: EXIT_FINE, or an exit code after a message.
  int (*begin)(eval_run* r);
  int (*row)(eval_run* r);
  int (*end)(eval_run* r);            // NULL: nothing to do
  int (*fail)(eval_run* r, int code); // instead of end, after a row that failed with this exit code; NULL: end
  limb_table_format table;            // NONE: not a table
} eval_printer;

enum { EVAL_TABLES = 4 };
extern const eval_printer eval_json, eval_text, eval_tables[EVAL_TABLES]; // json.c, print.c

// Writes a row of the table as it is; NULL: what was written so far is on disk afterwards.
int eval_take_row(void* context, const double* row);

struct eval_run {
  const cli_args* args;
  cli_robot robot;
  cli_states states;
  limb_evaluator_options options;
  limb_evaluator* e;
  limb_threads* threads; // of e; NULL: the caller's
  int count;             // items
  double* x;             // their numbers at the row at hand
  int time_first;        // rows begin with their time, unless it is one of the items
  int frame;             // of --frame; -1: none
  const eval_printer* printer;
  cli_output output;
  FILE* out;
  limb_table_writer* table; // NULL: not a table
  cli_kept kept;            // rows of it, for --resume
  const char* path;         // where that is written; "-": standard output
  limb_data* watch;         // of rows that need not close the loops
  uint64_t open;            // rows that do not
  int nan_reported;         // a part of "all" that has no value was reported
};

// `limb eval --list`: the registry, as text, JSON or Markdown. An exit code. list.c
int eval_list(const cli_args* args);

// "nv x nv", "dqdq, dqdv: nv x nv": the shape of a quantity.
void eval_shape(const limb_quantity_info* q, char* text, size_t size); // list.c

// Name of the frame of --frame; NULL: there is none.
const char* eval_frame_name(const eval_run* r); // print.c

// ---- columns: columns.c ----------------------------------------------------------------------------

// The quantity at the head of a name; NULL: none.
const limb_quantity_info* eval_quantity(const char* name);

// What is given of each velocity, of hybrid and of base_acc: NULL when nothing asks for it.
const cli_given* eval_given(const eval_run* r, int of_base);

// For a quantity of a moving base, of a robot whose base has motors: columns decide which joints are the base.
int eval_find_base(eval_run* r, const char* name);

// Asks the states for what a hybrid quantity takes; for what all items need. EXIT_FINE, or an exit code.
int eval_need_given(eval_run* r, const char* name);
int eval_check_columns(eval_run* r);

// What every row has, for "all", as bits LIMB_NEEDS_...
unsigned eval_known_columns(const eval_run* r);

// Rows of robots with loops are completed where quantities need closed loops, or where columns are missing.
int eval_complete_rows(eval_run* r);

#endif
