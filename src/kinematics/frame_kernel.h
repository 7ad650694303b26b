// Frames: poses and Jacobians from the poses of the links.
//
// Reference: K. Lynch, F. Park, Modern Robotics, chapter 5 (body and space Jacobians).
// Cost:      pose O(1), Jacobian O(nv + depth).
//
// A frame has the constant pose Y in its link, or in the world (link -1), and T = X Y in the world. Column k
// of its Jacobian is axis k of the links between the frame and the world, mult times for mimic joints:
//
//   J_k = R' S_k         S_k in world axes at the origin of the reference, R its axes
//
// the reference being the frame itself (BODY), the world (WORLD), or world axes at the frame's origin
// (ALIGNED). Columns are formed at that origin from the start, which loses nothing when the robot is far from
// the world's origin.

KERNEL pose frame_pose(const pose* X, int link, const sp_pose* in_link)
{
  const pose Y = given_pose(in_link);
  return link < 0 ? Y : compose(X[link], Y);
}

// ref is a constant where this is inlined.
KERNEL void frame_columns(const limb_model* m, const link_const* k, const pose* X, int link, const pose* T,
                          limb_ref ref, motion* J)
{
  const vec3 at = ref == LIMB_WORLD ? zero3() : T->p;
  for (int i = link; i >= 0; i = m->link[i].parent) {
    for (int r = 0; r < m->link[i].ndof; r++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + r];
      const par mult = parameter(dof->mult);
      motion S = link_axis(&m->link[i], &k[i], &X[i], r, at);
      if (ref == LIMB_BODY) S = (motion){tmulv(T->R, S.w), tmulv(T->R, S.v)};
      J[dof->v] = addm(J[dof->v], (motion){kscale3(mult, S.w), kscale3(mult, S.v)});
    }
  }
}

static void set_frame_pose(const real* X, int link, const sp_pose* in_link, real* out)
{
  *(pose*)out = frame_pose((const pose*)X, link, in_link);
}

static void set_frame_jacobian(const limb_model* m, const link_const* k, const real* X, int link,
                               const sp_pose* in_link, limb_ref ref, real* J)
{
  const pose T = frame_pose((const pose*)X, link, in_link);
  motion* to = (motion*)J;
  for (int i = 0; i < m->nv; i++) to[i] = (motion){zero3(), zero3()};
  switch (ref) {
  case LIMB_BODY: frame_columns(m, k, (const pose*)X, link, &T, LIMB_BODY, to); break;
  case LIMB_WORLD: frame_columns(m, k, (const pose*)X, link, &T, LIMB_WORLD, to); break;
  default: frame_columns(m, k, (const pose*)X, link, &T, LIMB_ALIGNED, to); break;
  }
}
