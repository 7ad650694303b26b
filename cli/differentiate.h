// Velocities and accelerations of a trajectory that has positions only.
//
// Each coordinate is differentiated by a quintic spline (limb/control.h). Quaternions go through the spline
// with their four components, signs made continuous; the curve is that spline, normalised, so that angular
// velocity and acceleration are those of one smooth rotation through all samples. The whole trajectory is
// held in memory: per row some 16 bytes for each coordinate, and 120 more while the spline is made.
#ifndef LIMB_CLI_DIFFERENTIATE_H
#define LIMB_CLI_DIFFERENTIATE_H

#include "limb/control.h"

#include "states.h"

typedef struct cli_track {
  cli_states* states;
  size_t rows, room;
  size_t width;  // nq, and 6 per wrench
  double* time;  // rows
  double* value; // rows x width
  limb_signal* curve;
  double *d1, *d2; // nq: derivatives of the curve at a row
} cli_track;

// Reads all rows of the states, which must want q and time, and fits the spline. EXIT_FINE, or an exit code
// after a message. Free in any case.
int cli_track_read(cli_track* t, cli_states* states);
void cli_track_free(cli_track* t);

// Puts row i into the states: q, v, a, time, wrenches.
void cli_track_row(cli_track* t, size_t i);

#endif
