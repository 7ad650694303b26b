// The surroundings of one call, read, checked, and brought to the links.
#ifndef LIMB_ENVIRONMENT_H
#define LIMB_ENVIRONMENT_H

#include "model/data_impl.h"

// Copy of env with defaults for what it does not have (NULL: all defaults). LIMB_E_ARG for a bad size,
// frame index, reference or wrench list, LIMB_E_NONFINITE for numbers that are not.
limb_status limb_environment_read(const limb_model* m, const limb_environment* env,
                                  limb_environment* out);

// States of the base frames for the kernels: gravity as acceleration, and the base's own motion.
void limb_set_base(limb_data* d, const limb_environment* env);

// External wrenches in link axes, for the kernels; NULL when there are none. q has been checked.
// limb_clear_wrenches must follow.
const double* limb_set_wrenches(limb_data* d, const double* q, const limb_environment* env);
void limb_clear_wrenches(limb_data* d, const limb_environment* env);

#endif
