// The sizing (limb/study.h) as tables, and on paper: text for people, JSON and CSV for programs.
#ifndef LIMB_CLI_SIZING_H
#define LIMB_CLI_SIZING_H

#include "limb/study.h"

#include "base/command.h"
#include "base/print.h"
#include "robot/robot.h"

#include <stdio.h>

typedef struct cli_sizing {
  const limb_sizing* sizing;
  const cli_robot* robot;
  const char* trajectory; // its path
  // set by cli_sizing_open
  int checks, over; // limits; how many are exceeded
  limb_sizing_check* check;
  int motors; // degrees of freedom with one
  struct {
    double torque, speed, power, energy, force, moment;
  } size; // of each kind: beside these, rounding is judged
} cli_sizing;

// After the last row. EXIT_FINE, or EXIT_USAGE after a message; close in any case.
int cli_sizing_open(cli_sizing* s, const cli_args* args);
void cli_sizing_close(cli_sizing* s);

// ---- tables: sizing_tables.c -----------------------------------------------------------------------

// Table index, from 0 on, which may be empty, and a sentence about it (NULL: none). 0 beyond the last.
int cli_sizing_table(const cli_sizing* s, int index, cli_table* out, const char** note);

// What is over a limit; if nothing is, what comes nearest to one.
cli_table cli_sizing_limits(const cli_sizing* s);

// What is not larger than this beside numbers of a size is rounding, and shown as zero.
double cli_sizing_noise(double size);

// The load of a joint that a user described. 1, or 0: there is none.
int cli_sizing_load(const cli_sizing* s, int joint, limb_sizing_load* out);

// Name and units of a follower; unit and joint of a limit.
cli_dof cli_follower_dof(const cli_sizing* s, const limb_sizing_follower* f);
const char* cli_check_unit(const cli_sizing* s, const limb_sizing_check* c);
const char* cli_check_name(const cli_sizing* s, const limb_sizing_check* c);

// ---- files: sizing.c -------------------------------------------------------------------------------

// Prints the sizing. format: "text", "json" or "csv". EXIT_FINE, or EXIT_USAGE after a message.
int cli_sizing_print(const cli_sizing* s, const char* format, FILE* out, const char* command);

// As an answer, which the caller may extend.
json_t* cli_sizing_json(const cli_sizing* s);

#endif
