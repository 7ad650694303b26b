// A table of states: which of its columns are which numbers of a model, and its rows one by one.
//
// Columns: time; q.<joint>, v.<joint>, a.<joint>, tau.<joint>, with the suffixes of components where a
// joint has several; wrench.<frame>.mx .my .mz .fx .fy .fz. Memory does not grow with the number of rows.
#ifndef LIMB_CLI_STATES_H
#define LIMB_CLI_STATES_H

#include "limb/limb.h"
#include "limb/table.h"

#include "command.h"
#include "dofs.h"
#include "robot.h"

// What a row may hold, as bits.
enum {
  STATES_Q = 1,
  STATES_V = 2,
  STATES_A = 4,
  STATES_TAU = 8,
  STATES_TIME = 16,  // and it must rise from row to row
  STATES_GIVEN = 32, // of each degree of freedom its acceleration or its force: the columns decide
  STATES_BASE = 64,  // the same, but of a moving base the forces
  STATES_IDLE = 128, // with TAU: of joints without motor it may be missing; it is zero then
  STATES_PART = 256, // with Q, V, A: some columns may be missing; they are zero until loops complete them
};

enum { STATES_GROUPS = 4 };

// What is given of the degrees of freedom, in the form of limb/hybrid.h.
typedef struct cli_given {
  unsigned char* mark; // nv; NULL: not wanted
  int* column;         // nv: where x is from; -1: a force of zero
  double* x;           // nv, of the row at hand
} cli_given;

typedef struct cli_closing cli_closing; // closing.h

typedef struct cli_states {
  const cli_args* args;
  const limb_model* model;
  const cli_dofs* dofs;
  const char* path; // as in messages
  FILE* file;
  limb_csv_reader* reader;
  uint64_t bytes;  // size of the file; 0: not known
  unsigned wanted; // bits of what states_next fills in
  double* row;     // as read
  int* column[STATES_GROUPS];
  double* value[STATES_GROUPS];
  int time_column;
  int (*wrench_column)[6];
  int nquat;
  int* quat; // where quaternions begin in q

  double *q, *v, *a, *tau; // of the row at hand; those that are wanted
  cli_given given, base;   // of STATES_GIVEN and STATES_BASE
  double time;
  int has_time;
  int nwrench;
  limb_wrench* wrench;
  uint64_t count;       // rows so far
  int line;             // of the row at hand; 0: not known
  char error[400];      // what the last message about a row said; "": there was none
  cli_closing* closing; // completes and checks rows of robots with loops; NULL: nobody does
  int only_active;      // answers have no columns of joints without motor
} cli_states;

// The option that states_open understands: --wrench-ref.
extern const cli_option cli_wrench_options[];

// Opens a table ("-": standard input) and finds the columns of the model; unknown ones are warned about.
// EXIT_FINE, or an exit code after a message; nothing is left to close then. The robot's environment gets
// the wrenches of the rows. model, dofs and path must outlive the table.
int cli_states_open(cli_states* s, const cli_args* args, cli_robot* robot, const cli_dofs* dofs, const char* path);
void cli_states_close(cli_states* s);

// No table: one row without columns, for what needs none.
void cli_states_none(cli_states* s, const cli_args* args, const cli_robot* robot, const cli_dofs* dofs);

// Adds to what is wanted. When columns are missing: a message that says what needs them, and which ones
// they are, and EXIT_USAGE. Of STATES_GIVEN and STATES_BASE also when there are too many; a force that is
// taken for zero because there is neither a motor nor a column is told in a note.
int cli_states_need(cli_states* s, unsigned what, const char* purpose);

// 1 when the table has a column of this kind (one of the bits).
int cli_states_has(const cli_states* s, unsigned what);

// 1 when the table has the column of degree of freedom k; what is one of V, A and TAU.
int cli_states_knows(const cli_states* s, unsigned what, int k);

// The next row. *got is 0 at the end, with a warning when there was no row at all. EXIT_FINE, or an exit code
// after a message.
int cli_states_next(cli_states* s, int* got);

// A failure of the library in the row at hand: says so, with the place, and returns the exit code.
int cli_states_failure(cli_states* s, limb_status status, const char* what);

// The same with a reason behind it; "": none is known.
int cli_states_failure_because(cli_states* s, limb_status status, const char* what, const char* because);

// A table of answers beside the states: time when there is one, and a column <prefix><name> for each degree
// of freedom (see only_active). EXIT_FINE, or an exit code after a message.
int cli_states_write_head(const cli_states* s, limb_csv_writer* w, const char* prefix);
int cli_states_write_row(const cli_states* s, limb_csv_writer* w, const double* x);
int cli_states_write_end(const cli_states* s, limb_csv_writer* w);

#endif
