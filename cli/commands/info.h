// What the files of `limb info` share.
#ifndef LIMB_CLI_INFO_H
#define LIMB_CLI_INFO_H

#include "limb/study.h"

#include "base/command.h"
#include "base/print.h"
#include "robot/robot.h"

typedef struct info_run {
  cli_robot robot;
  const limb_model* m;
  limb_facts facts;
  limb_elastic_joint* elastic; // nelastic
  int nelastic;
  limb_loop_facts* closure; // NULL: there are no loops
  int compiled;             // 1: auxiliary bodies and joints are shown, too
  int all;                  // 1: every finding and note, not only the first of each kind
} info_run;

// A heading in bold, after an empty line.
void info_heading(const char* text);

// Tables: text on standard output, and JSON. info_tables.c
void info_print_joints(const info_run* r);
void info_print_bodies(const info_run* r);
void info_print_principal(const info_run* r); // of bodies with products of inertia
void info_print_elastic(const info_run* r);   // if there are any
json_t* info_json_joints(const info_run* r);
json_t* info_json_bodies(const limb_model* m);
json_t* info_json_frames(const limb_model* m);

// The tables of --mdh, --dh and --poe: whether one is wanted; as text; added to JSON. Exit codes, after a message.
// info_notations.c
int info_wants_notation(const cli_args* args);
int info_print_notations(const cli_args* args, const limb_model* m);
int info_add_notations(const cli_args* args, const limb_model* m, json_t* out);

// Loops, and how the robot moves with them closed. info_loops.c
void info_print_loops(const limb_model* m);  // if there are any
void info_print_mobility(const info_run* r); // if there are loops
json_t* info_json_loops(const limb_model* m);
json_t* info_json_mobility(const info_run* r);

#endif
