// What the files of `limb info` share.
#ifndef LIMB_CLI_INFO_H
#define LIMB_CLI_INFO_H

#include "closure.h"
#include "json.h"
#include "robot.h"
#include "table.h"

// Figures of the robot as a whole, at the neutral configuration.
typedef struct info_facts {
  double mass;
  int has_com;         // there is mass, and com and inertia are known
  sp_inertia whole;    // in world axes; com in the world
  double reach;        // no frame gets farther from the base than this [m] ...
  int travels;         // ... but for the travel of this joint, which has no limits; -1: there is none
  int travelling;      // how many joints are like that
  double* diagonal;    // of M, nv numbers; NULL: too large, or not known
  cli_closure closure; // of robots with loops; else empty
} info_facts;

limb_status info_facts_of(const cli_robot* r, info_facts* out); // info_facts.c
void info_facts_free(info_facts* facts);                        // info_facts.c

// Degrees of freedom that no motor drives.
int info_passive(const limb_model* m); // info_drives.c

// The diagonal of M at the neutral configuration: nv numbers to be freed, or NULL.
double* info_inertia_diagonal(const cli_robot* r); // info_drives.c

// Text on standard output.
void info_print_joints(const limb_model* m);                          // info_text.c
void info_print_bodies(const limb_model* m);                          // info_text.c
void info_print_findings(const cli_robot* r, int all);                // info_text.c
void info_print_notes(const limb_model* m, int all);                  // info_text.c
void info_print_base(const limb_model* m);                            // info_drives.c, lines of the summary
void info_print_elastic(const limb_model* m, const double* diagonal); // info_drives.c, if any
void info_print_tree(const limb_model* m);                            // info_tree.c
void info_print_mdh(const limb_model* m);                             // info_mdh.c
void info_print_loops(const limb_model* m);                           // info_loops.c, if any
void info_print_mobility(const cli_closure* c);                       // info_loops.c, if there are loops

// 1 when a kind of note is told: what the compiler doubts is not, the doctor says it with a line.
int info_tells(limb_note_kind kind); // info_text.c

json_t* info_json(const cli_robot* r, const info_facts* facts); // info_json.c
json_t* info_json_mdh(const limb_model* m);                     // info_mdh.c
json_t* info_json_base(const limb_model* m);                    // info_drives.c
json_t* info_json_loops(const limb_model* m);                   // info_loops.c
json_t* info_json_mobility(const cli_closure* c);               // info_loops.c
json_t* info_json_elastic(const limb_model* m, const limb_joint_info* x,
                          const double* diagonal); // info_drives.c; NULL: it is not elastic

#endif
