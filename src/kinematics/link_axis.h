// Joint axes of compiled links as columns: the motion of a link per unit of one of its velocities.
#ifndef LIMB_LINK_AXIS_H
#define LIMB_LINK_AXIS_H

#include "limb/spatial.h"

#include "model/model_impl.h"

static inline sp_vec3 limb_column3(sp_mat3 A, int k) { return sp_v3(A.m[k], A.m[3 + k], A.m[6 + k]); }

// Column k of link i, whose pose is X: world axes, at the point `at`.
//   turning about e through the link origin   (e; (p - at) x e)     screw: + pitch e
//   sliding along e                           (0; e)
static inline sp_motion limb_link_axis(const limb_model* m, int i, int k, const sp_pose* X, sp_vec3 at)
{
  const int shape = m->link[i].joint_class;
  const sp_vec3 e = limb_column3(X->R, m->link[i].ndof == 1 ? 2 : k % 3);
  if (shape == CLASS_TRANS || k >= 3) return sp_motion_make(sp_v3(0, 0, 0), e);
  sp_vec3 v = sp_cross3(sp_sub3(X->p, at), e);
  if (shape == CLASS_SCREW) v = sp_add3(v, sp_scale3(m->k64[i].pitch, e));
  return sp_motion_make(e, v);
}

#endif
