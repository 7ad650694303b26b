// Joint axes as columns: kinematics/link_axis.h over the scalars of kernels.
//
// Included by kernel translation units after model/place.h.
#ifndef LIMB_LINK_AXIS_KERNEL_H
#define LIMB_LINK_AXIS_KERNEL_H

// Column `axis` of a link with pose X: the motion of the link per unit of that velocity, in the axes that X
// is given in, at the point `at`.
KERNEL motion link_axis(const limb_link* link, const link_const* k, const pose* X, int axis, vec3 at)
{
  const vec3 e = column_of(X->R, link->ndof == 1 ? 2 : axis % 3);
  if (link->shape == SHAPE_TRANS || axis >= 3) return (motion){zero3(), e};
  vec3 v = cross3(sub3(X->p, at), e);
  if (link->shape == SHAPE_SCREW) v = add3(v, kscale3(k->pitch, e));
  return (motion){e, v};
}

#endif
