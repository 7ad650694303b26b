// The curves of `limb id --plot`: torque, speed, power and load of every joint.
#ifndef LIMB_CLI_ID_CURVES_H
#define LIMB_CLI_ID_CURVES_H

#include "limb/draw.h"
#include "states/states.h"

enum { CURVES_TORQUE = 1, CURVES_SPEED = 2, CURVES_POWER = 4, CURVES_LOAD = 8 };

typedef struct id_curves {
  const cli_args* args;
  const cli_robot* robot;
  unsigned what;
  int count;
  limb_plot* plot;
  double* y;            // of a row
  double force, moment; // what rounding leaves of zero
} id_curves;

// Reads --curves: what is drawn.
int id_curves_read(id_curves* c, const cli_args* args);

// Opens the plot, when the robot is there.
int id_curves_open(id_curves* c, const cli_robot* robot);
void id_curves_close(id_curves* c);

// Adds a row; load: the wrenches of the joints, for CURVES_LOAD.
void id_curves_add(id_curves* c, double x, const double* v, const double* tau, const sp_force* load);

// Writes SVG; s: the table that the rows are from.
int id_curves_write(const id_curves* c, const cli_states* s, FILE* out);

#endif
