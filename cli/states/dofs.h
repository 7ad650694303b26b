// Names and units of the coordinates of a model (limb/model.h), as arrays.
#ifndef LIMB_CLI_DOFS_H
#define LIMB_CLI_DOFS_H

#include "limb/limb.h"

typedef limb_dof_info cli_dof;

typedef struct cli_dofs {
  int nq, nv;
  cli_dof *q, *v; // one entry per number of q, and per number of v, a and tau
  limb_dofs* own; // the names
} cli_dofs;

// 1, or 0 when memory runs out.
int cli_dofs_make(const limb_model* m, cli_dofs* out);
void cli_dofs_free(cli_dofs* d); // fine for an empty one, and twice

// How the robot is attached to the world, by the joints that move as its base: "fixed" without any, the type when
// they are alike, "other" when they differ or when other joints move right on the world as well. A free joint is
// called "floating" here, as in --base and in model files.
const char* cli_base_name(const limb_model* m, const cli_dofs* d);
const char* cli_base_type(limb_joint_type type); // of one joint

// "N" or "N m", "m/s" or "rad/s", "m" or "rad".
const char* cli_force_unit(const cli_dof* d);
const char* cli_speed_unit(const cli_dof* d);
const char* cli_position_unit(const cli_dof* d);

// The name of a frame of the model that a mistyped one is nearest to; NULL when none is near.
const char* cli_nearest_frame(const limb_model* m, const char* wrong);

// Number k of q (of_q) or v by its name; -1: none. *near: the name that is nearest then, NULL: none.
int cli_find_dof(const cli_dofs* d, const char* name, int of_q, const char** near);

#endif
