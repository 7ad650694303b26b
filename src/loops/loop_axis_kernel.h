// Joint axes in world axes: kinematics/link_axis.h over the scalars of kernels.
//
// Included by kernel translation units after place.h.

KERNEL vec3 axis_of(mat3 R, int k)
{
  return k == 0 ? column_x(R) : k == 1 ? column_y(R) : column_z(R);
}

// Column of an axis between the frames: world axes, at a point (kinematics/link_axis.h, over real).
KERNEL motion loop_column(const limb_model* m, const link_const* k, const pose* X,
                          const limb_loop_axis* axis, vec3 at)
{
  const int i = axis->link, shape = m->link[i].shape;
  const vec3 e = axis_of(X[i].R, m->link[i].ndof == 1 ? 2 : axis->k % 3);
  if (shape == SHAPE_TRANS || axis->k >= 3) return (motion){zero3(), e};
  vec3 v = cross3(sub3(X[i].p, at), e);
  if (shape == SHAPE_SCREW) v = add3(v, kscale3(k[i].pitch, e));
  return (motion){e, v};
}
