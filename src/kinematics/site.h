// Where a frame sits on the compiled robot, and its motion there.
//
// Bodies and added frames are constant offsets of compiled link frames; those that cannot move are
// offsets of the world. Only the joints between a site's link and the world move it.
#ifndef LIMB_SITE_H
#define LIMB_SITE_H

#include "limb/kinematics.h"

#include "model/data_impl.h"

#include <math.h>
#include <stdbool.h>

static inline bool limb_ref_valid(limb_ref ref) { return (unsigned)ref <= (unsigned)LIMB_ALIGNED; }

// Largest component of a vector: its size where the square may overflow.
static inline double limb_largest3(sp_vec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

// Checks what the calls on one frame have in common: d, the index, ref, and that limb_kinematics
// left the parts named by need.
limb_status limb_site_find(const limb_data* d, int frame, limb_ref ref, unsigned need, limb_site* out);

// Pose in the world; X are the poses of the links.
sp_pose limb_site_pose(const limb_site* s, const sp_pose* X);

// A motion of the site's link, one of the arrays of link motions, taken at the site in ref. Zero when
// the site cannot move.
sp_motion limb_site_motion(const limb_site* s, const sp_pose* X, const sp_motion* of_link, limb_ref ref);

// A reference of a site: its axes and its origin in the world. Vectors are formed in world axes at that
// origin, which loses nothing when the robot is far from the world's, and turned at the end.
typedef struct limb_reference {
  limb_ref ref;
  sp_pose T;
} limb_reference;

limb_reference limb_reference_of(const limb_site* s, const sp_pose* X, limb_ref ref);

// A motion in world axes, in those of the reference.
static inline sp_motion limb_in_reference(const limb_reference* r, sp_motion v)
{
  if (r->ref != LIMB_BODY) return v;
  return sp_motion_make(sp_tmulv(r->T.R, v.w), sp_tmulv(r->T.R, v.v));
}

// A motion of a link, one of the arrays of link motions: world axes, at the point `at`. Zero for link -1.
static inline sp_motion limb_link_motion_at(const sp_pose* X, const sp_motion* of_link, int link, sp_vec3 at)
{
  if (link < 0) return (sp_motion){{0, 0, 0}, {0, 0, 0}};
  const sp_vec3 w = sp_mulv(X[link].R, of_link[link].w), v = sp_mulv(X[link].R, of_link[link].v);
  return sp_motion_make(w, sp_add3(v, sp_cross3(sp_sub3(X[link].p, at), w)));
}

// Jacobian of a site: nv columns. X are the poses of the links, made by a kernel of the same workspace.
void limb_site_jacobian(const limb_data* d, const limb_site* s, const sp_pose* X, limb_ref ref, sp_motion* J);

#endif
