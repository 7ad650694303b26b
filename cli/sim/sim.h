// One simulation of `limb sim`: the plan (run file and options), the robot, inputs, events, outputs.
//
//   sim.c                 the command; the run: rows, events, signals, progress
//   sim_plan.c            the run file; values of its texts, and messages about them
//   sim_options.c         options of the command line, put over the run file
//   sim_options_lists.c   those that are lists: inputs, controllers, events, outputs
//   sim_settings.c        model, environment, solver, times, start
//   sim_formula.c         formulas of the state, and tables as signals
//   sim_inputs.c          forces, wrenches and prescribed motion
//   sim_control.c         controllers: gains and references
//   sim_outputs.c         tables, plots and animations
//   sim_summary.c         the summary
//
// Functions that return int return EXIT_FINE, or an exit code after a message, unless stated otherwise.
#ifndef LIMB_CLI_SIM_JOB_H
#define LIMB_CLI_SIM_JOB_H

#include "limb/quantities.h"
#include "base/output.h"

#include "limb/control.h"
#include "limb/run.h"
#include "limb/sim.h"

#include "robot/robot.h"

// ---- sim probe -------------------------------------------------------------------------------------
//
// Numbers of a simulated state by their names: channels of outputs, and names in formulas. The names are those of
// limb/quantities.h; in formulas, t is time and energy is total_energy.

enum { SIM_NAME_SPACE = CLI_NAME_SPACE };

typedef struct sim_probe {
  const cli_args* args;
  const cli_robot* robot; // somebody else's
  const cli_dofs* dofs;
  limb_evaluator_options options; // may be changed until the first name: dt and directions are of outputs
  limb_evaluator* e;              // NULL: no name yet
  limb_environment env;
  int count;         // numbers
  int missing;       // the last name was that of a quantity, with an entry that it does not have
  cli_text words;    // names to be suggested, each closed by a zero
  int word;          // the last that was asked for ...
  size_t word_at;    // ... and where it is
  char because[256]; // why the last name was refused; "": it was not
  char reason[256];  // why the last reading failed
} sim_probe;

// What is known while forces are computed, and of a state that was reached.
enum {
  SIM_KNOWN_INPUT = LIMB_NEEDS_Q | LIMB_NEEDS_V | LIMB_NEEDS_TIME,
  SIM_KNOWN_ALL = LIMB_NEEDS_Q | LIMB_NEEDS_V | LIMB_NEEDS_TIME | LIMB_NEEDS_A | LIMB_NEEDS_TAU
};

// An empty one; nothing can fail, and it must not be moved. Free in any case, also what is all zero.
void sim_probe_begin(sim_probe* p, const cli_args* args, const cli_robot* robot, const cli_dofs* dofs, unsigned known);
void sim_probe_free(sim_probe* p);

// All numbers that a name stands for. How many were added; 0 after p->because was written; -1: out of memory.
int sim_probe_add(sim_probe* p, const char* name);

// The same for formulas: one number, its place among all; -1 when there is none.
int sim_probe_find(void* probe, const char* name);

// For limb_formula_parse: the names that are suggested.
limb_formula_names sim_probe_names(sim_probe* p);

// The numbers at a state, p->count of them. What is not known there is not read.
limb_status sim_probe_read(sim_probe* p, const limb_sim_state* at, double* x);

// What the last sim_probe_read that failed was about: name of the quantity.
const char* sim_probe_culprit(const sim_probe* p);

// Name of number k, as a column; its unit, "" when it is not known.
void sim_probe_name(const sim_probe* p, int k, char* text, size_t size);
const char* sim_probe_unit(const sim_probe* p, int k);

// The first quantity that is not time; NULL: all are.
const char* sim_probe_beyond_time(const sim_probe* p);

// 1 when a number depends on accelerations, forces or multipliers.
int sim_probe_needs_dynamics(const sim_probe* p);

// ---- the plan: sim_plan.c --------------------------------------------------------------------------

// A run file (limb/run.h) with the options of the command line over it: texts with their positions.
typedef struct sim_plan {
  const cli_args* args;
  const char* path;      // of the run file; NULL: none
  limb_reading* reading; // of it
  limb_run run;          // texts of the file and of the options
  void** kept;           // memory of the plan
  int nkept, kept_capacity;
} sim_plan;

// Reads the operand, a run file or a model, and the options. Close in any case.
int sim_plan_open(sim_plan* p, const cli_args* args);
void sim_plan_close(sim_plan* p);

// A message about a value, with its position: file and line, or the option. EXIT_USAGE.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int sim_wrong(const sim_plan* p, const limb_run_value* at, const char* format, ...);
int sim_out_of_memory(const sim_plan* p);

// Announces an output (base/files.h), with a message about what is wrong with it.
int sim_check_output(const sim_plan* p, const limb_run_value* at, const char* endings);

// A number with units, positive, not negative, or whole and at most max. *out is unchanged if the value is absent.
int sim_number(const sim_plan* p, const limb_run_value* at, double* out);
int sim_positive(const sim_plan* p, const limb_run_value* at, double* out);
int sim_not_negative(const sim_plan* p, const limb_run_value* at, double* out);
int sim_whole(const sim_plan* p, const limb_run_value* at, double max, double* out);

// The index of a word in a NULL-terminated list; -1: not found. The same for a value; true and false: 1 and 0.
int sim_index_of(const char* word, const char* const* words);
int sim_word_of(const sim_plan* p, const limb_run_value* at, const char* const* words, int* out);
int sim_truth(const sim_plan* p, const limb_run_value* at, int* out);

// Directions of a task at a frame (limb/task.h): wx ... vz, angular, linear; all six for an empty list.
int sim_directions(const sim_plan* p, const limb_run_values* list, unsigned* out);

// The path of an input, relative to the run file. NULL: out of memory, after a message.
const char* sim_input_path(sim_plan* p, const limb_run_value* at);

// A growing array with capacity for one more item, perhaps moved; NULL: out of memory, and the array is unchanged.
void* sim_grow(void* items, int* capacity, int count, size_t size);

// Zeroed memory that lives as long as the plan; NULL: out of memory.
void* sim_keep(sim_plan* p, size_t count, size_t size);

// ---- options: sim_options.c, sim_options_lists.c ---------------------------------------------------

// The options of `limb sim`, besides those of models and the environment.
extern const cli_option sim_plan_options[], sim_input_options[], sim_output_options[];

// Puts the options over the run; the parts that are lists.
int sim_take_options(sim_plan* p);
int sim_take_inputs(sim_plan* p);
int sim_take_controller(sim_plan* p);
int sim_take_events(sim_plan* p);
int sim_take_outputs(sim_plan* p);

// The text of an option as a value: its key is "--option".
limb_run_value sim_option_value(sim_plan* p, const char* option, const char* text);

// A copy of an array with one more entry, zeroed (for a text: terminated). NULL: out of memory.
void* sim_longer(sim_plan* p, const void* items, int count, size_t size);

// Appends a value to a list; replaces the value of the same name, or appends.
int sim_append(sim_plan* p, limb_run_values* list, limb_run_value v);
int sim_put(sim_plan* p, limb_run_values* list, limb_run_value v);

// The next part of a list, up to a separator outside brackets and quotes, without surrounding blanks. NULL at the
// end, or out of memory.
char* sim_next_part(sim_plan* p, const char** at, char separator);

// "elbow=2*t" as a value of that name; a list of such pairs, put into another; a list of words, replacing another.
int sim_take_pair(sim_plan* p, const char* option, char* part, limb_run_value* out);
int sim_take_pairs(sim_plan* p, const char* option, limb_run_values* list);
int sim_take_words(sim_plan* p, const char* option, limb_run_values* list);

// ---- the job ---------------------------------------------------------------------------------------

typedef struct sim_inputs sim_inputs;   // sim_inputs.c
typedef struct sim_motion sim_motion;   // sim_inputs.c
typedef struct sim_control sim_control; // sim_control.c
typedef struct sim_events sim_events;   // below
typedef struct sim_outputs sim_outputs; // sim_outputs.c
typedef struct sim_pulse sim_pulse;     // sim.c

typedef struct sim_job {
  sim_plan plan;
  cli_robot robot;
  cli_dofs dofs;
  limb_sim_options options;
  double max_drift; // of the energy, as a share of what moves; negative: warn only
  limb_sim* sim;
  double start, end, now; // times; now: the last that was reached
  double *q, *v;          // at the start
  sim_inputs* inputs;
  sim_motion* motion;
  sim_control* control;
  sim_events* events;
  sim_outputs* outputs;
  sim_pulse* pulse;
  char trouble[400]; // the failure of a formula that ended the simulation; "": none
  int quiet;
} sim_job;

// In this order. Whatever was opened is closed in any case.
int sim_open_robot(sim_job* job);    // model and environment
int sim_read_settings(sim_job* job); // solver
int sim_open_motion(sim_job* job);   // prescribed motion
int sim_read_start(sim_job* job);    // q and v
int sim_read_times(sim_job* job);    // duration or end
int sim_attach_motion(sim_job* job);
int sim_open_inputs(sim_job* job);
int sim_open_control(sim_job* job);
void sim_close_inputs(sim_job* job); // and motion
void sim_close_control(sim_job* job);

// n + 1 zeros; NULL: out of memory.
double* sim_zeros(int n);

// The coordinate (of_q) or degree of freedom, or the frame, of a name; -1 after a message.
int sim_find_dof(const sim_job* job, const limb_run_value* at, int of_q);
int sim_find_frame(const sim_job* job, const limb_run_value* at);

// Puts prescribed motion at a time into q and v, and marks its degrees of freedom.
limb_status sim_motion_at(sim_job* job, double t, double* q, double* v, unsigned char* marks);

// A message about a failure of the library, and its exit code.
int sim_failed(const sim_job* job, limb_status status, const char* what);

// ---- formulas and tables: sim_formula.c ------------------------------------------------------------

typedef struct sim_formula {
  limb_formula* f;
  const limb_run_value* from;
} sim_formula;

// Formulas that are evaluated together, at one state.
typedef struct sim_formulas {
  sim_probe probe;
  int count, capacity;
  sim_formula* formula;
  double *x, *symbol; // numbers of the probe; those of one formula
  double* value;      // count: values at the last state
} sim_formulas;

void sim_formulas_begin(sim_formulas* f, sim_job* job, unsigned known);
void sim_formulas_free(sim_formulas* f);

// Adds a formula, or a condition if direction is not NULL; its index. After the last one: ready.
int sim_formulas_add(sim_formulas* f, sim_job* job, const limb_run_value* at, int* direction, int* index);
int sim_formulas_ready(sim_formulas* f);

// All values at a state. LIMB_E_NONFINITE: job->trouble names the formula without a value.
limb_status sim_formulas_read(sim_formulas* f, sim_job* job, const limb_sim_state* at);

// Columns of a CSV file over time.
typedef struct sim_table {
  limb_signal* signal;
  int columns;
  int* to; // destination of each
  double *x, *x1, *x2;
} sim_table;

// The destination of a column, or: none, which is reported; not for this table, which is not.
enum { SIM_COLUMN_NONE = -1, SIM_COLUMN_OTHER = -2 };
typedef int sim_column_fn(const void* context, const char* column);

// Reads a table. A table without columns for us is an error. Free in any case.
int sim_table_open(sim_table* t, sim_job* job, const limb_run_value* file, limb_signal_kind kind, sim_column_fn* where,
                   const void* context);
void sim_table_free(sim_table* t);

// ---- events and the run: sim.c ---------------------------------------------------------------------

typedef struct sim_happened {
  limb_sim_event event;
  const char* name; // of the condition, or of the joint; else ""
} sim_happened;

// Conditions of the run are 0 ... count - 1 of the simulation.
struct sim_events {
  int count;
  struct sim_condition* condition;
  int nhappened, capacity;
  sim_happened* happened;
  uint64_t more; // events that were counted only
};

typedef enum sim_ending {
  SIM_REACHED,     // the end time
  SIM_STOPPED,     // by an event
  SIM_INTERRUPTED, // by a signal
  SIM_FAILED       // at the last good state
} sim_ending;

typedef struct sim_outcome {
  sim_ending ending;
  int signal;           // that interrupted it
  limb_status status;   // of a failure
  char error[640];      // its message
  double wall;          // s
  sp_force momentum[2]; // at the start and the end: linear, and angular about the centre of mass
  int conserved;        // 1: nothing should change it
  double kinetic;       // J: the largest energy at rows
} sim_outcome;

// ---- outputs: sim_outputs.c ------------------------------------------------------------------------

// Channels and rates, before the simulation; the files, after its start.
int sim_plan_outputs(sim_job* job);
int sim_open_outputs(sim_job* job);
void sim_close_outputs(sim_job* job);

// When the next row is due; HUGE_VAL: never.
double sim_next_row(const sim_job* job);

// Writes the rows that are due; last: a row into every file, unless it has one of this time.
int sim_write_rows(sim_job* job, const limb_sim_state* at, int last);

// After a failure: the last good state, into the files whose channels have values there. No messages.
void sim_write_last_good(sim_job* job);

// Writes everything to disk; completes all files, also after failures.
int sim_flush_outputs(sim_job* job);
int sim_end_outputs(sim_job* job);

// ---- the summary: sim_summary.c --------------------------------------------------------------------

// Text on standard error, or JSON on standard output.
int sim_print_summary(sim_job* job, const sim_outcome* out, int json);

// Warns of a drift of the energy; EXIT_NUMERICAL if it is above what the run allows.
int sim_judge_drift(sim_job* job, const sim_outcome* out);

// The momentum at a state, and whether nothing can change it.
limb_status sim_momentum(sim_job* job, const double* q, const double* v, sp_force* h);
int sim_conserves_momentum(const sim_job* job);

#endif
