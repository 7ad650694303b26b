// Where a frame sits on the compiled robot, and its motion there.
//
// Bodies and added frames are constant offsets of compiled link frames; those that cannot move are
// offsets of the world.
#ifndef LIMB_SITE_H
#define LIMB_SITE_H

#include "limb/kinematics.h"

#include "model/data_impl.h"

#include <stdbool.h>

typedef struct limb_site {
  int link;        // -1: fixed to the world
  sp_pose in_link; // pose in that link's frame, or in the world
} limb_site;

static inline bool limb_ref_valid(limb_ref ref) { return (unsigned)ref <= (unsigned)LIMB_ALIGNED; }

// Site of a body or added frame; the index must be in range.
limb_site limb_site_of(const limb_model* m, int frame);

// Checks what the calls on one frame have in common: d, the index, ref, and that limb_kinematics
// left the parts named by need.
limb_status limb_site_find(const limb_data* d, int frame, limb_ref ref, unsigned need,
                           limb_site* out);

// Pose in the world; X are the poses of the links.
sp_pose limb_site_pose(const limb_site* s, const sp_pose* X);

// A motion of the site's link, one of the arrays of link motions, taken at the site in ref. Zero when
// the site cannot move.
sp_motion limb_site_motion(const limb_site* s, const sp_pose* X, const sp_motion* of_link,
                           limb_ref ref);

#endif
