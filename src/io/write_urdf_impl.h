// What the parts of the URDF writer share.
#ifndef LIMB_WRITE_URDF_IMPL_H
#define LIMB_WRITE_URDF_IMPL_H

#include "limb/builder.h"

// LIMB_OK; LIMB_E_UNSUPPORTED: the robot is no tree, or a name is no text that XML can hold.
limb_status limb_urdf_can_say(const limb_builder* b, limb_error* err);

#endif
