// One simulation of the tool: the plan, the robot, what acts, what is watched, what is written.
#ifndef LIMB_CLI_SIM_JOB_H
#define LIMB_CLI_SIM_JOB_H

#include "limb/control.h"
#include "limb/sim.h"

#include "dofs.h"
#include "robot.h"
#include "sim_plan.h"
#include "sim_probe.h"

#include <sys/stat.h>

// ---- formulas: sim_formula.c -----------------------------------------------------------------------------

typedef struct sim_formula {
  limb_formula* e;
  const limb_run_value* from;
} sim_formula;

// Formulas that are asked together, at one state.
typedef struct sim_formulas {
  sim_probe probe;
  int count, room;
  sim_formula* formula;
  double *x, *symbol; // numbers of the probe; those of one formula
  double* value;      // count: values at the last state
} sim_formulas;

typedef struct sim_job sim_job;

void sim_formulas_begin(sim_formulas* f, sim_job* job, unsigned known);
void sim_formulas_free(sim_formulas* f);

// A formula more: its index. direction not NULL: a condition. An exit code, after a message.
int sim_formulas_add(sim_formulas* f, sim_job* job, const limb_run_value* at, int* direction, int* index);

// After the last one: an exit code.
int sim_formulas_ready(sim_formulas* f);

// All values at a state. LIMB_E_NONFINITE when one has none: job->trouble says which.
limb_status sim_formulas_read(sim_formulas* f, sim_job* job, const limb_sim_state* at);

// ---- tables: sim_table.c ---------------------------------------------------------------------------------

// Columns of a CSV file over time. names(context, column) says where a column goes; -1: it is not for us.
typedef struct sim_table {
  limb_signal* signal;
  int columns;
  int* to;   // where each goes
  double* x; // values at the last time
  double *x1, *x2;
} sim_table;

// Where a column goes; SIM_COLUMN_NONE: nowhere, which is told; SIM_COLUMN_OTHER: it is somebody else's.
enum { SIM_COLUMN_NONE = -1, SIM_COLUMN_OTHER = -2 };
typedef int sim_column_fn(const void* context, const char* column);

// Reads a table. Nothing for us in it is an error. An exit code; free in any case.
int sim_table_open(sim_table* t, sim_job* job, const limb_run_value* file, limb_signal_kind kind, sim_column_fn* where,
                   const void* context);
void sim_table_free(sim_table* t);

// ---- parts -----------------------------------------------------------------------------------------------

typedef struct sim_inputs sim_inputs;   // sim_inputs.c
typedef struct sim_motion sim_motion;   // sim_motion.c
typedef struct sim_control sim_control; // sim_control.c
typedef struct sim_events sim_events;   // sim_events.c
typedef struct sim_outputs sim_outputs; // sim_outputs.c
typedef struct sim_pulse sim_pulse;     // sim_loop.c

enum { SIM_INPUTS = 64 }; // more are not looked after

struct sim_job {
  sim_plan plan;
  cli_robot robot;
  cli_dofs dofs;
  limb_sim_options options;
  limb_sim* sim;
  double start, end, now; // times; the last that was reached
  double *q, *v;          // at the start
  sim_inputs* inputs;
  sim_motion* motion;
  sim_control* control;
  sim_events* events;
  sim_outputs* outputs;
  sim_pulse* pulse;              // sim_loop.c
  struct stat input[SIM_INPUTS]; // files that were read: none of them is written over
  int ninput;
  char trouble[400]; // what a formula had to say that ended the simulation; "": nothing
  int quiet;
};

// Each: EXIT_FINE, or an exit code after a message; what was opened is closed in any case.
int sim_open_robot(sim_job* job);    // sim_settings.c: model, environment
int sim_read_settings(sim_job* job); // solver
int sim_read_times(sim_job* job);    // duration or end
int sim_read_start(sim_job* job);    // sim_start.c: q and v
int sim_open_inputs(sim_job* job);
void sim_close_inputs(sim_job* job);
int sim_open_motion(sim_job* job);   // sim_motion.c: what is said of it
int sim_attach_motion(sim_job* job); // to the simulation
void sim_close_motion(sim_job* job);
int sim_open_control(sim_job* job);
void sim_close_control(sim_job* job);
int sim_open_events(sim_job* job);
void sim_close_events(sim_job* job);

// An array of n zeros and one more; NULL: no memory.
double* sim_zeros(int n);

// Coordinate (of_q) or degree of freedom of a name; -1 after a message.
int sim_find_dof(const sim_job* job, const limb_run_value* at, int of_q);

// Frame of a name; -1 after a message.
int sim_find_frame(const sim_job* job, const limb_run_value* at);

// Puts the given motion at a time into q and v, and marks its degrees of freedom. Without any: nothing.
limb_status sim_motion_at(sim_job* job, double t, double* q, double* v, unsigned char* marks);

// A failure of the library: a message, and its exit code.
int sim_failed(const sim_job* job, limb_status status, const char* what);

#endif
