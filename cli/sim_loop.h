// Running a simulation to its end, or to where it must end: an event, an error, Ctrl-C.
#ifndef LIMB_CLI_SIM_LOOP_H
#define LIMB_CLI_SIM_LOOP_H

#include "sim_job.h"

typedef enum sim_ending {
  SIM_REACHED,     // the end time
  SIM_STOPPED,     // by an event
  SIM_INTERRUPTED, // by a signal
  SIM_FAILED       // the last good state is what is left
} sim_ending;

// How it went.
typedef struct sim_outcome {
  sim_ending ending;
  int signal;           // that interrupted it
  limb_status status;   // of a failure
  char error[640];      // what it was
  double wall;          // s
  sp_force momentum[2]; // at the start and the end: linear, and angular about the centre of mass
  int conserved;        // 1: nothing should change it
} sim_outcome;

// Watches signals from here on: before limb_sim_start. An exit code.
int sim_watch_signals(sim_job* job);

// From the start to the end. An exit code: EXIT_FINE, 128 + the signal, or that of a failure, after a
// message.
int sim_run_to_end(sim_job* job, sim_outcome* out);

// sim_summary.c: on standard error, or as JSON on standard output. An exit code.
int sim_tell(sim_job* job, const sim_outcome* out, int json);

// The momentum at a state, and whether it is conserved: sim_momentum.c
limb_status sim_momentum(sim_job* job, const double* q, const double* v, sp_force* h);
int sim_conserves_momentum(const sim_job* job);

#endif
