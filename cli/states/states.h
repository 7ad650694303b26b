// States of a robot: rows of a table, one by one, or one state of the command line.
//
// Columns: time; q.<joint>, v.<joint>, a.<joint>, tau.<joint>, v_r.<joint>, a_r.<joint>, q_r.<joint>, with the suffixes
// of components where a joint has several; wrench.<frame>.mx .my .mz .fx .fy .fz; base_velocity.wx ... .vz and
// base_acceleration. Tables are CSV, NPY or Parquet; memory does not grow with the number of rows. Rows of robots with
// loops are completed and checked on request (limb_complete_state).
#ifndef LIMB_CLI_STATES_H
#define LIMB_CLI_STATES_H

#include <stdint.h>
#include <stdio.h>

#include "limb/limb.h"
#include "limb/table.h"

#include "limb/batch.h"
#include "limb/study.h"

#include "base/command.h"
#include "base/output.h"

#include "robot/robot.h"

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
  STATES_V_R = 8192, // as LIMB_NEEDS_V_R
  STATES_A_R = 16384,
  STATES_Q_R = 32768 // commanded positions, in tables only
};

enum { STATES_GROUPS = 7 };

// The bit of a group of columns.
static inline unsigned states_bit(int group)
{
  static const unsigned bit[STATES_GROUPS] = {STATES_Q,   STATES_V,   STATES_A,  STATES_TAU,
                                              STATES_V_R, STATES_A_R, STATES_Q_R};
  return bit[group];
}

// What is given of the degrees of freedom, in the form of limb/dynamics.h.
typedef struct cli_given {
  unsigned char* mark; // nv; NULL: not needed
  int* column;         // nv: which column has it; -1: a force of zero
} cli_given;

typedef struct cli_kept cli_kept;

typedef struct cli_states {
  const cli_args* args;
  const limb_model* model;
  const cli_dofs* dofs;
  const char* path; // as in messages
  FILE* file;
  limb_csv_reader* reader; // NULL: there is no table
  const char** option;     // names of columns of the command line; NULL: they are of a table
  int options;
  unsigned wanted;       // bits of what states_next fills in
  uint64_t bytes;        // size of the file; 0: not known
  double* row;           // as read
  const limb_pool* pool; // for digits of tables; NULL: none
  int* column[STATES_GROUPS];
  double* value[STATES_GROUPS];
  int (*wrench_column)[6];
  int time_column;
  int nquat;
  int* quat; // where quaternions begin in q

  double *q, *v, *a, *tau, *v_r, *a_r, *q_r; // of the row at hand; those that are wanted
  cli_given given, base;                     // of STATES_GIVEN and STATES_BASE
  double time;
  int has_time;
  int nwrench;
  limb_wrench* wrench;
  int base_column[12];         // base_velocity.wx ..., base_acceleration.wx ...; -1: none
  limb_environment* env;       // of the robot: the motion of the base is that of the row
  uint64_t count;              // rows so far
  uint64_t written;            // of these, that cli_states_stream is through with
  limb_completion* completion; // completes and checks rows of robots with loops; NULL: nobody does
  double* branch;              // of --branch: those that were found, nq each, and their number
  limb_loop_facts* loops;      // of --branch
  int branches;
  unsigned completed;                            // of STATES_Q, V and A: what rows of robots with loops have for that
  int line;                                      // of the row at hand; 0: not known
  char error[400];                               // what the last message about a row said; "": there was none
  int only_active;                               // answers have no columns of joints without motor
  int repeats;                                   // rows come from a file: they can be read again
  cli_kept* kept;                                // rows that need not be computed; NULL: all must
  int (*take)(void* context, const double* row); // writes one of those; row NULL: flushes
  void* take_context;
} cli_states;

// Options: --wrench-ref; --q --v --a --tau.
extern const cli_option cli_wrench_options[], cli_state_options[];

// Opens a table ("-": standard input) and finds the columns of the model; unknown ones are warned about.
// EXIT_FINE, or an exit code after a message; nothing is left to close then. The robot's environment gets
// the wrenches of the rows. model, dofs and path must outlive the table.
int cli_states_open(cli_states* s, const cli_args* args, cli_robot* robot, const char* path);
void cli_states_close(cli_states* s);

// The same for an open file, which is closed with the table; path is for messages.
int cli_states_open_stream(cli_states* s, const cli_args* args, cli_robot* robot, const char* path, FILE* file);

// No table: one row without columns, for what needs none.
void cli_states_none(cli_states* s, const cli_args* args, const cli_robot* robot);

// One row by the options --q, --v, --a and --tau: joints that are not named are at the start, at rest. An exit code,
// after a message. line.c
int cli_states_line(cli_states* s, const cli_args* args, cli_robot* robot);
int cli_has_state_line(const cli_args* args); // 1 when one of these options is there

// A number with a unit of that dimension, of an option and a joint. EXIT_FINE, or EXIT_USAGE after a message.
int cli_unit_number(const cli_args* args, const char* option, const char* joint, const char* text, const char* unit,
                    double* out);

// Adds to the columns that are required. If some are missing: a message that names them and their purpose, and
// EXIT_USAGE; for STATES_GIVEN and STATES_BASE also if there are too many. A force that is assumed to be zero because
// there is neither a motor nor a column is reported in a note.
int cli_states_need(cli_states* s, unsigned what, const char* purpose);

// 1 when the table has a column of this kind (one of the bits).
int cli_states_has(const cli_states* s, unsigned what);

// 1 when the table has the column of degree of freedom k; what is one of V, A and TAU.
int cli_states_knows(const cli_states* s, unsigned what, int k);

// Of a robot with loops: from here on rows are completed and checked. groups: STATES_Q, V and A that rows have, which
// must have been asked for with STATES_PART. Columns that follow from others are reported. An exit code.
int cli_states_complete(cli_states* s, unsigned groups);

// v and a of the row at hand become consistent: the independent ones stay, the others follow.
int cli_states_follow_rates(cli_states* s);

// Of a robot with loops: 1 when the row at hand does not close them; then *loop and *apart tell where and how far.
// watch: made on the first call; the caller's to destroy.
int cli_states_open_loops(const cli_states* s, limb_data** watch, int* loop, double* apart);

// The next row. *got is 0 at the end, with a warning when there was no row at all. EXIT_FINE, or an exit code
// after a message.
int cli_states_next(cli_states* s, int* got);

// A failure of the library in the row at hand: says so, with the place, and returns the exit code.
int cli_states_failure(cli_states* s, limb_status status, const char* what);

// The same in these words, which are complete.
int cli_states_failed(cli_states* s, limb_status status, const char* what, const char* text);

// Bytes of the table that were read so far, for progress.
uint64_t cli_states_bytes(const cli_states* s);

// ---- resume.c --------------------------------------------------------------------------------------
//
// Rows that an earlier run has left in OUTPUT.part, for --resume. Functions that return int return an exit code, after
// a message, unless stated otherwise.
struct cli_kept {
  const cli_args* args;
  cli_output* out;
  char* part; // OUTPUT.part; NULL: rows are not kept
  int asked;  // --resume
  int stays;  // rows are kept
  FILE* file;
  limb_csv_reader* reader; // of the earlier run; NULL: there was none
  double *row, *ahead;     // the row at hand, and the next one
  int more;                // there is a next one
  int check;               // the row at hand must be computed again
  uint64_t rows;           // that were taken over
  double flushed;          // when
};

// For an output that is open, its header on disk. stays: rows may be kept, because the same command would compute them
// again; otherwise --resume is refused. From then on the command must ask cli_interrupted ten times a second.
int cli_kept_open(cli_kept* k, const cli_args* args, cli_output* out, int stays);
void cli_kept_close(cli_kept* k);

// The next row of the earlier run, to be written as it is; NULL: there is no more. If k->check, it must be computed
// first, and cli_kept_same compares. After the row, cli_kept_over with whether the input has the row.
int cli_kept_next(cli_kept* k, const double** row);
int cli_kept_same(const cli_kept* k, const double* row);
int cli_kept_over(cli_kept* k, int got);

int cli_kept_is_due(cli_kept* k); // 1: rows must be flushed, so that kill -9 loses little: once a second

// After a failure or a signal: 1 if the rows so far stay, so that they must be complete on disk; then keeps them, and
// says how to go on. rows: their number.
int cli_kept_stays(const cli_kept* k);
void cli_kept_stop(cli_kept* k, uint64_t rows);

// Threads for long tables, by --threads, which also scan and print the digits of CSV; NULL without any: a pool of
// limb_threads_pool(NULL) is the caller's alone. EXIT_FINE, or EXIT_USAGE after a message. blocks.c
extern const cli_option cli_thread_options[];
int cli_threads_open(cli_states* s, limb_threads** out);

// Reads all rows, and calls row for each, in order, with the numbers of the evaluator; NULL: who is called computes
// them for the row at hand, and reports what fails. Long tables are computed in blocks, on the evaluator's pool. An
// exit code. blocks.c
typedef int cli_row_fn(void* context, const double* x);
int cli_states_stream(cli_states* s, limb_evaluator* e, const limb_environment* env, cli_row_fn* row, void* context);

// A table of answers beside the states: time when there is one, and a column <prefix><name> for each degree of freedom
// (see only_active); CSV, or what the path says. alone: nothing else is written, so that --resume is possible. Close in
// any case. EXIT_FINE, or an exit code after a message.
typedef struct cli_answers {
  cli_states* s;
  cli_output out;
  limb_table_writer* w; // NULL: there is no column
  double* row;
  cli_kept kept;
} cli_answers;

int cli_answers_open(cli_answers* a, cli_states* s, const char* path, const char* prefix, int alone);
int cli_answers_row(cli_answers* a, const double* x);
int cli_answers_end(const cli_answers* a);
void cli_answers_stop(cli_answers* a); // instead of the end, after a failure: what is kept for --resume
void cli_answers_close(cli_answers* a);

// ---- columns ---------------------------------------------------------------------------------------
//
// Columns of a table of states: what they are called, which are there, which are missing or unknown.

// Groups of columns: 0 q, 1 v, and these. Those before q_r are options, too.
enum { GROUP_A = 2, GROUP_TAU = 3, GROUP_Q_R = 6 };

// Columns of the table, whatever it is: their number, the name of one, one by its name (-1: none).
int states_columns(const cli_states* s);
const char* states_column(const cli_states* s, int k);
int states_find_column(const cli_states* s, const char* name);

// Memory for a row of so many columns, and where quaternions are. states.c
int states_reserve(cli_states* s);
void states_find_quaternions(cli_states* s);

// After a state of the command line whose numbers do not close the loops: closes them if no given value changes by more
// than the rounding of digits. 1 if it did. line.c
int states_close_rounded(cli_states* s);

// --branch: finds the branches with the given joints held, and makes the one that was chosen the row. An exit code,
// after a message. branch.c
int states_find_branches(cli_states* s);

// Which of them the row at hand is, as a note. An exit code.
int states_name_branch(const cli_states* s);

// How many numbers a group has.
int states_width(const cli_dofs* dofs, int group);

// Finds all columns and warns of unknown ones. EXIT_FINE, or EXIT_USAGE after a message.
int states_find_columns(cli_states* s);

// EXIT_FINE when the table has all columns of these groups, else EXIT_USAGE after a message.
int states_check_columns(const cli_states* s, unsigned what, const char* purpose);

// "note: ... takes forces ... for zero: " on standard error; their names are still to come.
void states_note_zero(const cli_states* s, const char* purpose);

// ---- given.c ---------------------------------------------------------------------------------------

// Decides what is given, for the bits STATES_GIVEN and STATES_BASE. EXIT_FINE, or EXIT_USAGE after a message.
int states_find_given(cli_states* s, unsigned what, const char* purpose);
void states_free_given(cli_given* given);

#endif
