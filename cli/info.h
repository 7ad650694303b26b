// What the files of `limb info` share.
#ifndef LIMB_CLI_INFO_H
#define LIMB_CLI_INFO_H

#include "json.h"
#include "robot.h"
#include "table.h"

// Figures of the robot as a whole, at the neutral configuration.
typedef struct info_facts {
  double mass;
  int has_com;      // there is mass, and com and inertia are known
  sp_inertia whole; // in world axes; com in the world
  double reach;     // no frame gets farther from the base than this [m] ...
  int travels;      // ... but for the travel of this joint, which has no limits; -1: there is none
} info_facts;

limb_status info_facts_of(const cli_robot* r, info_facts* out); // info_facts.c

// Text on standard output.
void info_print_joints(const limb_model* m);           // info_text.c
void info_print_bodies(const limb_model* m);           // info_text.c
void info_print_findings(const cli_robot* r, int all); // info_text.c
void info_print_notes(const limb_model* m, int all);   // info_text.c
void info_print_tree(const limb_model* m);             // info_tree.c
void info_print_mdh(const limb_model* m);              // info_mdh.c

// 1 when a kind of note is told: what the compiler doubts is not, the doctor says it with a line.
int info_tells(limb_note_kind kind); // info_text.c

json_t* info_json(const cli_robot* r, const info_facts* facts); // info_json.c
json_t* info_json_mdh(const limb_model* m);                     // info_mdh.c

#endif
