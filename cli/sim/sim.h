// One simulation of `limb sim`: the plan (run file and options), the robot, its runner (limb/runner.h), outputs.
//
//   sim.c                 the command; the run: rows, events, signals, progress
//   sim_plan.c            the run file, and messages about its values
//   sim_options.c         options of the command line, put over the run file
//   sim_outputs.c         tables, plots and animations
//   sim_summary.c         the summary
//   sim_resume.c          --resume
//
// Functions that return int return EXIT_FINE, or an exit code after a message, unless stated otherwise.
#ifndef LIMB_CLI_SIM_H
#define LIMB_CLI_SIM_H

#include "base/output.h"

#include "limb/runner.h"
#include "limb/table.h"

#include "robot/robot.h"

enum { SIM_NAME_SPACE = CLI_NAME_SPACE };

// ---- the plan: sim_plan.c --------------------------------------------------------------------------

// A run file (limb/run.h) with the options of the command line over it: texts with their positions.
typedef struct sim_plan {
  const cli_args* args;
  const char* path;        // of the run file; NULL: none
  limb_reading* reading;   // of it
  limb_run run;            // texts of the file and of the options
  limb_run_override* over; // of the options
  char** kept;             // paths of inputs
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

// Announces an output (base/output.h), with a message about what is wrong with it.
int sim_check_output(const sim_plan* p, const limb_run_value* at, const char* endings);

// A message about what limb_runner_create and its like refused, and its exit code.
int sim_refused(const sim_plan* p, limb_status status, const limb_error* err);

// The path of an input, relative to the run file. NULL: out of memory, after a message.
const char* sim_input_path(sim_plan* p, const limb_run_value* at);

// A growing array with capacity for one more item, perhaps moved; NULL: out of memory, and the array is unchanged.
void* sim_grow(void* items, int* capacity, int count, size_t size);

// ---- options: sim_options.c ------------------------------------------------------------------------

// The options of `limb sim`, besides those of models and the environment.
extern const cli_option sim_plan_options[], sim_input_options[], sim_output_options[], sim_report_options[];

// Puts the options over the run.
int sim_take_options(sim_plan* p);

// ---- the job ---------------------------------------------------------------------------------------

typedef struct sim_outputs sim_outputs; // sim_outputs.c

typedef struct sim_happened {
  limb_sim_event event;
  const char* name; // of the condition, or of the joint; else ""
} sim_happened;

typedef struct sim_events {
  int nhappened, capacity;
  sim_happened* happened;
  uint64_t more; // events that were counted only
} sim_events;

// Where an earlier run is gone on from.
typedef struct sim_resumed {
  char* path;    // the table; NULL: there is none
  uint64_t rows; // of it that are taken over; 0: none
  double time;   // of the last one
  int* column;   // of q and v in rows
  double* state; // q and v there
  double* next;  // the row after it, to be computed again; its time is HUGE_VAL if there is none
} sim_resumed;

typedef struct sim_job {
  sim_plan plan;
  cli_robot robot;
  limb_runner* runner;
  const limb_runner_setup* setup; // of the runner
  limb_sim* sim;                  // of the runner
  double now;                     // the last time that was reached
  sim_events events;
  sim_outputs* outputs;
  cli_progress progress;
  char stage[48]; // what the progress bar says
  int has_progress;
  char trouble[400]; // why the row of a channel could not be written; "": it could
  int quiet;
  int reported; // the error has been printed
  sim_resumed resumed;
} sim_job;

// A message about a failure of the library, and its exit code.
int sim_failed(const sim_job* job, limb_status status, const char* what);

// ---- the run: sim.c --------------------------------------------------------------------------------

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
  double kinetic;       // J: the largest energy at rows
} sim_outcome;

// ---- outputs: sim_outputs.c ------------------------------------------------------------------------

// Channels and rates, before the simulation; the files, after its start.
int sim_plan_outputs(sim_job* job);
int sim_find_resumed(sim_job* job); // for --resume: sim_resume
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

// ---- going on: sim_resume.c ------------------------------------------------------------------------

// Finds the row to go on from in the table of an earlier run; path NULL: there is no such table. Before the start.
int sim_resume(sim_job* job, const char* path, const limb_run_rows* rows);

// Copies the rows before it; compares a row with the one that the table has after it; starts the simulation there.
int sim_resume_copy(const sim_job* job, const limb_channels* c, limb_table_writer* to);
int sim_resume_check(const sim_job* job, int columns, const double* x);
limb_status sim_resume_start(sim_job* job, limb_error* err);
void sim_resume_close(sim_resumed* r);

// ---- the summary: sim_summary.c --------------------------------------------------------------------

// Text on standard error, or JSON on standard output.
int sim_print_summary(sim_job* job, const sim_outcome* out, int json);

// Warns of a drift of the energy; EXIT_NUMERICAL if it is above what the run allows.
int sim_judge_drift(sim_job* job, const sim_outcome* out);

// The momentum at a state.
limb_status sim_momentum(sim_job* job, const double* q, const double* v, sp_force* h);

#endif
