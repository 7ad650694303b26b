// What the builder asks of a definition before it takes it in.
#ifndef LIMB_BUILDER_CHECK_H
#define LIMB_BUILDER_CHECK_H

#include "model/builder_impl.h"

// Checks all of a joint but its name and brings it into the form that the compiler relies on: unit
// axes, orthonormal rotation; a planar joint's axis2 is the first direction (unit, in the plane, also
// where the user left it zero), so that the second is axis x axis2; types that ignore an axis get the
// default one. self is the index the joint is going to have.
limb_status limb_check_joint(const limb_builder* b, int self, limb_joint_def* def, const char* where, limb_error* err);

// Whether a joint that a shaft or a loop (user, as in "a shaft") names as its `end` is there and has one
// degree of freedom.
limb_status limb_check_one_dof(const limb_builder* b, int joint, const char* end, const char* user, const char* where,
                               limb_error* err);

// Whatever limb_shaft_def rules out.
limb_status limb_check_shaft(const limb_builder* b, const limb_shaft_def* def, const char* where, limb_error* err);

// Finite and a rotation, within 1e-6; made orthonormal if it is off by more than rounding.
limb_status limb_check_pose(sp_pose* pose, const char* where, limb_error* err);

#endif
