// Trajectories with positions only.
#ifndef LIMB_CLI_ID_H
#define LIMB_CLI_ID_H

#include "states/states.h"

#include "limb/study.h"

#include "robot/robot.h"

#include <stdio.h>

// ---- differentiate ---------------------------------------------------------------------------------
//
// A trajectory file with positions only: all its rows, with velocities and accelerations by limb_track (limb/study.h).

typedef struct cli_track {
  cli_states* states;
  limb_track* track;
  size_t rows, capacity;
  sp_force* wrench; // rows x number of wrenches
} cli_track;

// Reads all rows of the states, which must have q and time, and differentiates them. EXIT_FINE, or an exit code after
// a message. Free in any case.
int cli_track_read(cli_track* t, cli_states* states);
void cli_track_free(cli_track* t);

// Puts row i into the states: q, v, a, time, wrenches.
void cli_track_row(cli_track* t, size_t i);

#endif
