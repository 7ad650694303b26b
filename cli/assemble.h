// What the files of `limb assemble` share.
#ifndef LIMB_CLI_ASSEMBLE_H
#define LIMB_CLI_ASSEMBLE_H

#include "closure.h"
#include "command.h"
#include "dofs.h"
#include "robot.h"

#include <jansson.h>
#include <stdio.h>

typedef struct assemble_run {
  const cli_args* args;
  cli_robot robot;
  cli_dofs dofs;
  cli_closure at;      // the assembly; at.q is the first configuration
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

// Joints outside their limits: a message each, of all that was found, or a list of one configuration.
void assemble_tell_limits(const assemble_run* r); // assemble_limits.c
json_t* assemble_limits_json(const assemble_run* r, const double* q);

// Value i of a coordinate on the grid.
double assemble_grid(const assemble_axis* axis, int i);

// Prints what was found, or the best when nothing was. EXIT_FINE, or EXIT_USAGE after a message.
int assemble_print(const assemble_run* r, FILE* out); // assemble_print.c

// `--map`: makes it and prints it. EXIT_FINE, or an exit code after a message.
int assemble_run_map(assemble_run* r, FILE* out); // assemble_map.c

#endif
