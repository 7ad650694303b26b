// What the files of `limb ik` share.
#ifndef LIMB_CLI_IK_H
#define LIMB_CLI_IK_H

#include "limb/ik.h"
#include "limb/table.h"

#include "base/command.h"
#include "robot/robot.h"
#include "states/states.h"

#include <stdio.h>

enum { IK_FRAMES_MAX = 32, IK_POSE = 7 };

typedef struct ik_run {
  const cli_args* args;
  const char* format;
  cli_robot robot;
  limb_ik_options options;
  limb_ik* ik;
  limb_ik_goal goal[IK_FRAMES_MAX];
  sp_pose target[IK_FRAMES_MAX]; // of the row at hand
  const char* frame[IK_FRAMES_MAX];
  int frames;
  double *start, *reference; // nq; reference NULL: none
  unsigned char* held;
  double* q; // count x nq
  int count, branches;
  limb_ik_report report;
  int thread_count;
  limb_threads* threads; // NULL: rows follow each other

  FILE* out;  // of ik_follow
  FILE* file; // of targets; NULL: they are of the command line
  const char* path;
  limb_csv_reader* reader;
  double* row;
  int time_column; // -1: none
  int column[IK_FRAMES_MAX][IK_POSE];
  double time;
  int line;       // 0: unknown, as in NPY
  int rows;       // so far
  uint64_t bytes; // of the table; 0: not known
  int repeats;    // it is a file, which can be read again
  int written;    // rows
  cli_kept kept;  // by an earlier run
} ik_run;

enum { IK_POSITION = 300 };

// Where the row at hand is, for messages: file and line, else its number. ik_targets.c
const char* ik_position(const ik_run* r, char text[IK_POSITION]);

// Joint positions for the table of poses that the second operand names, by the options of `limb ik` that args have, as
// CSV. An exit code, after a message. ik.c
int ik_follow(const cli_args* args, const cli_robot* robot, FILE* out);

// Targets, from --pose or from the table that the second operand names: opens it, finds its columns, and without
// rotations reduces the goals to positions. EXIT_FINE or EXIT_USAGE after a message. ik_targets.c
int ik_targets_open(ik_run* r);
void ik_targets_close(ik_run* r);

// The next row; *got is 0 at the end. EXIT_FINE or EXIT_USAGE after a message.
int ik_targets_next(ik_run* r, int* got);

// Solves and writes all rows of the table, or writes the configurations that were found. file: what out belongs to, for
// --resume; NULL: rows are not kept. An exit code, after a message. ik_rows.c
int ik_print_csv(ik_run* r, FILE* out, cli_output* file);

// A failure of the library: a message and its exit code. ik.c
int ik_failed(const ik_run* r, limb_status s);

// Prints what was found for one target: as JSON or text. ik_print.c
int ik_print(const ik_run* r, FILE* out);

// Why the target of the row at hand was not reached, on standard error. EXIT_NUMERICAL. ik_print.c
int ik_explain(const ik_run* r);

#endif
