// Motion of all links, for the kinematics calls and for dynamics calls that need poses.
#ifndef LIMB_LINK_MOTION_H
#define LIMB_LINK_MOTION_H

#include "model/data_impl.h"

// Fills out (poses; with v also velocities and a_v; with a also accelerations), after checking q, v
// and a for NaN, infinity and quaternion norms. v and a may be NULL, a only with v.
limb_status limb_link_kinematics(limb_data* d, const double* q, const double* v, const double* a,
                                 const limb_link_motion* out);

// Takes the positions of the links relative to the root of their tree, in world axes, so that a robot far
// from the world's origin keeps its digits; X are the poses at q.
void limb_measure_from_root(const limb_model* m, const double* q, sp_pose* X);

#endif
