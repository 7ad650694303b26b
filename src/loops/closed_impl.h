// What the files of inverse dynamics share.
#ifndef LIMB_CLOSED_IMPL_H
#define LIMB_CLOSED_IMPL_H

#include "limb/closed.h"

#include "loops/loops_impl.h"

// Numbers of scratch for sharing torques in a cluster of n velocities.
size_t limb_sharing_room(size_t n);

// Checks what is said about active joints, and copies it (NULL: defaults). Bounds may be infinite.
limb_status limb_actuation_read(const limb_loops* w, const limb_actuation* given, limb_actuation* out);

// tau at active joints that balances tree, what the tree needs, with the loops closed; Psi must be there.
// Counts and `unbalanced` of out are set, and w->doubtful. LIMB_E_NONFINITE; LIMB_E_NOCONV: bounds that
// were not sorted out (linalg/balance.h).
limb_status limb_share_torques(limb_loops* w, const limb_actuation* how, double tolerance, const double* tree,
                               double* tau, limb_closed_forces* out);

#endif
