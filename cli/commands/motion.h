// A robot along a trajectory: its torques and, if needed, the loads on its joints, row by row.
#ifndef LIMB_CLI_MOTION_H
#define LIMB_CLI_MOTION_H

#include "limb/study.h"

#include "base/command.h"
#include "robot/robot.h"
#include "states/states.h"

typedef struct cli_motion {
  const cli_args* args;
  cli_robot robot;
  cli_states states;
  limb_evaluator* e;
  limb_threads* threads; // of e; NULL: the caller's
  int loads;             // loads on joints are computed, and those on closures
  int differentiate;     // velocities and accelerations from the positions
  int loops;             // the robot has some
  double* tau;           // numbers of the evaluator: torques, then loads
  sp_force *load, *loop_load;
  double largest; // of all tau
  double unmet;   // of those of joints without motor
  int unmet_at;   // where that was, of v
} cli_motion;

// Checks the columns of a table that is open, and prepares the dynamics. needs_time: who needs it, "--size"; NULL:
// nobody. EXIT_FINE, or an exit code after a message.
int cli_motion_open(cli_motion* m, const char* needs_time);
void cli_motion_close(cli_motion* m); // and states and robot

// Every row: states, tau, and loads are those of the row when the function is called.
typedef int cli_motion_fn(void* context, const cli_motion* m);
int cli_motion_run(cli_motion* m, cli_motion_fn* row, void* context);

// The row for the sizing.
limb_sizing_row cli_motion_row(const cli_motion* m);

// Notes about what no motor can deliver.
void cli_motion_report(const cli_motion* m);

// ---- motors ----------------------------------------------------------------------------------------

extern const cli_option cli_motor_options[]; // --motors --safety

// Reads the file of --motors, if it is given, and checks --safety: before anything is opened. *file is the caller's to
// destroy. EXIT_FINE, or an exit code after a message.
int cli_read_motors(const cli_args* args, limb_reading** file);

// Puts them, and the factor of --safety, into a sizing; file, which has their names, must outlive it. The same.
int cli_take_motors(const cli_args* args, const cli_robot* robot, const limb_reading* file, limb_sizing* s);

#endif
