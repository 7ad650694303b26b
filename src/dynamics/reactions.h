// Joint reactions with more wrenches than those of the environment.
#ifndef LIMB_REACTIONS_H
#define LIMB_REACTIONS_H

#include "limb/dynamics.h"

typedef struct limb_wrench_list {
  int count;
  const limb_wrench* wrench; // frames and references valid
} limb_wrench_list;

// limb_joint_reactions with these acting, too.
limb_status limb_reactions_under(limb_data* d, const double* q, const double* v, const double* a,
                                 const limb_environment* env, const limb_wrench_list* more, limb_ref ref, sp_force* f);

#endif
