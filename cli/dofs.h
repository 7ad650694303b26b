// Names and units of the coordinates of a model: one entry per number of q, and per number of v, a and tau.
#ifndef LIMB_CLI_DOFS_H
#define LIMB_CLI_DOFS_H

#include "limb/limb.h"

typedef struct cli_dof {
  const char* name; // "elbow", "base.wx"
  int joint;        // of the model
  int index;        // component of that joint
  int linear;       // 1: m, m/s, N; 0: rad, rad/s, N m
  int passive;      // 1: its joint has no motor
  int base;         // 1: nor has any joint between it and the world: it is part of a moving base
} cli_dof;

typedef struct cli_dofs {
  int nq, nv;
  cli_dof *q, *v;
  char* text; // all names
  int nbase;  // of v: how many are of a moving base
  int* split; // nv: those of the base, then the others
} cli_dofs;

// 1, or 0 when memory runs out.
int cli_dofs_make(const limb_model* m, cli_dofs* out);
void cli_dofs_free(cli_dofs* d); // fine for an empty one, and twice

// "N" or "N m", "m/s" or "rad/s", "m" or "rad".
const char* cli_force_unit(const cli_dof* d);
const char* cli_speed_unit(const cli_dof* d);
const char* cli_position_unit(const cli_dof* d);

// The name of a frame of the model that a mistyped one is nearest to; NULL when none is near.
const char* cli_nearest_frame(const limb_model* m, const char* wrong);

#endif
