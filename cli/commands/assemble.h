// What the files of `limb assemble` share.
#ifndef LIMB_CLI_ASSEMBLE_H
#define LIMB_CLI_ASSEMBLE_H

#include "limb/study.h"

#include "base/command.h"
#include "robot/robot.h"

#include <jansson.h>
#include <stdio.h>

typedef struct assemble_run {
  const cli_args* args;
  const char* format;
  cli_robot robot;
  limb_loop_facts* at; // the assembly; at->q is the first configuration
  limb_assembly how;   // held points to marks below
  unsigned char* held; // nv
  int nheld;
  int count; // configurations found, 1 or those of --branches
  double* q; // count x nq
} assemble_run;

// One coordinate of a map.
typedef struct assemble_axis {
  int velocity; // -1: none
  double lower, upper;
  int count;
  const char* name;
} assemble_axis;

typedef struct assemble_map {
  const assemble_run* run;
  assemble_axis axis[2];
  limb_map grid;
  int frame; // -1: none
  const char* frame_name;
  size_t points; // of the grid
  limb_map_point* point;
  double* q; // points x nq
} assemble_map;

// A name that no coordinate has: a message with those there are. EXIT_USAGE.
int assemble_unknown(const assemble_run* r, const char* option, const char* name);

// Reports the joints of all configurations that are outside their limits.
void assemble_report_limits(const assemble_run* r); // assemble_print.c

// Prints the configurations, or the best if none closes the loops. EXIT_FINE, or EXIT_USAGE after a message.
int assemble_print(const assemble_run* r, FILE* out); // assemble_print.c

// `--map`: computes it, prints and draws it. EXIT_FINE, or an exit code after a message.
int assemble_run_map(assemble_run* r, FILE* out); // assemble_print.c

#endif
