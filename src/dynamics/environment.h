// The surroundings of one call, read, checked, and brought to the links.
#ifndef LIMB_ENVIRONMENT_H
#define LIMB_ENVIRONMENT_H

#include "model/data_impl.h"
#include "model/kernels.h"

// Copy of env with defaults for what it does not have (NULL: all defaults). LIMB_E_ARG for a bad size,
// frame index, reference or wrench list, LIMB_E_UNSUPPORTED for a newer one that says more than is known
// here, LIMB_E_NONFINITE for numbers that are not.
limb_status limb_environment_read(const limb_model* m, const limb_environment* env,
                                  limb_environment* out);

// What the kernels need to know of the surroundings.
typedef struct limb_surroundings {
  limb_terms terms;     // rotors and springs on, friction as the environment says
  const double* wrench; // external wrenches in link axes; NULL when there are none
  int nwrench;          // what limb_leave must clear
  const limb_wrench* list;
  int ngiven; // all wrenches of the environment, as given
  const limb_wrench* given;
} limb_surroundings;

// Reads and checks env, and sets the base frames' states: gravity as an acceleration, and the base's own
// motion. q, if given, has been checked, and brings the wrenches to the links; limb_leave must follow.
limb_status limb_enter(limb_data* d, const limb_environment* env, const double* q,
                       limb_surroundings* out);
void limb_leave(limb_data* d, const limb_surroundings* s);

// Base frames at rest without gravity.
void limb_enter_void(limb_data* d);

#endif
