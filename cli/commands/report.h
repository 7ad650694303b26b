// A report: what `limb report` gathers, and the page that it becomes.
#ifndef LIMB_CLI_REPORT_H
#define LIMB_CLI_REPORT_H

#include "limb/draw.h"

#include "commands/motion.h"
#include "commands/sizing.h"

enum { REPORT_JOINTS = LIMB_PLOT_MAX, REPORT_CURVES = 3 }; // degrees of freedom with curves: torque, speed, power

// A robot along a motion.
typedef struct report_case {
  cli_motion motion;
  limb_reading* motors; // the file of --motors; NULL: none
  limb_sizing* sizing;
  cli_sizing table;
  limb_plot* positions; // the first LIMB_PLOT_MAX coordinates
  limb_plot* joint[REPORT_JOINTS];
  limb_envelope* envelope[REPORT_JOINTS];
  limb_animation* animation;
  double* row; // of the positions
} report_case;

typedef struct cli_report {
  const cli_args* args;
  report_case a, b; // b: what a is compared with
  int moves, two;   // there is a motion; and another one
  double safety;
  // Without a motion, of trees: the worst gravity torques, and the reach.
  int has_rest;
  limb_extreme* torque; // nv
  limb_extreme reach;
  limb_facts facts;
} cli_report;

// Writes the page, in report_page.c. EXIT_FINE, or EXIT_USAGE after a message.
int report_write_page(cli_report* r, FILE* out);

// The worst gravity torques, each with its limit and whether it is over.
cli_table report_rest_table(const cli_report* r, int* over, int* limits);

// "arm.urdf" of a path; the name of a motion, or of a robot, to tell the two of a comparison apart.
const char* report_file_name(const char* path);
const char* report_case_name(const cli_report* r, const report_case* c);

#endif
