// Axes of joints between the frames of a loop, over the scalars of kernels.
//
// Included by kernel translation units after place.h.

#include "kinematics/link_axis_kernel.h"

// Column of an axis between the frames: world axes, at a point.
KERNEL motion loop_column(const limb_model* m, const link_const* k, const pose* X, const limb_loop_axis* axis, vec3 at)
{
  const int i = axis->link;
  return link_axis(&m->link[i], &k[i], &X[i], axis->k, at);
}
