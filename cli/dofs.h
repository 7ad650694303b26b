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
  int root;         // 1: between its joint and the world nothing moves
  int base;         // 1: its force is given when the base is what moves (limb/moving_base.h)
  int moves;        // 1: of the model's moving base: limb_mark_base, or a free or planar root with a motor
} cli_dof;

typedef struct cli_dofs {
  int nq, nv;
  cli_dof *q, *v;
  char* text; // all names
  int nbase;  // of v: how many have the mark base; at first those of limb_mark_base
  int* split; // nv: those of the base, then the others
} cli_dofs;

// 1, or 0 when memory runs out.
int cli_dofs_make(const limb_model* m, cli_dofs* out);
void cli_dofs_free(cli_dofs* d); // fine for an empty one, and twice

// Another base: nv marks of limb/hybrid.h, forces of the base given.
void cli_dofs_set_base(cli_dofs* d, const unsigned char* given);

// How the robot hangs on the world, by the joints that move as its base: "fixed" without any, the type when
// they are alike, "other" when they differ or when other joints move right on the world as well. A free
// joint is called "floating" here, as in --base and in model files.
const char* cli_base_name(const limb_model* m, const cli_dofs* d);
const char* cli_base_type(limb_joint_type type); // of one joint

// "N" or "N m", "m/s" or "rad/s", "m" or "rad".
const char* cli_force_unit(const cli_dof* d);
const char* cli_speed_unit(const cli_dof* d);
const char* cli_position_unit(const cli_dof* d);

// The name of a frame of the model that a mistyped one is nearest to; NULL when none is near.
const char* cli_nearest_frame(const limb_model* m, const char* wrong);

#endif
