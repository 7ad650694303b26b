// What a step in time needs besides its state (batch/step_kernel.h).
#ifndef LIMB_STEP_H
#define LIMB_STEP_H

#include <stddef.h>

// Scalars: six vectors of velocities and one of coordinates.
static inline size_t limb_step_room(int nq, int nv) { return 6 * (size_t)nv + (size_t)nq; }

#endif
