// Whether two models are the same robot: by name, by what drives them, by the forces they need, and by the
// equations of their loops.
#ifndef LIMB_CLI_SAME_H
#define LIMB_CLI_SAME_H

#include "limb/limb.h"

typedef struct same_result {
  double M, tau; // largest relative differences; M is -1 when the robot is too large for it
  int states;
  char why[128]; // what cannot be compared, such as a joint that is missing; "" when all could be
} same_result;

// Compares at random states. Joints are matched by name. LIMB_OK, or what went wrong in computing.
limb_status cli_compare(const limb_model* a, const limb_model* b, int states, same_result* out);

#endif
