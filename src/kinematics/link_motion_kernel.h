// Forward kinematics: pose, velocity and spatial acceleration of every link.
//
// Reference: Lynch and Park 2017, (9.53)-(9.55) and Featherstone 2008, table 5.1, in link axes. Cost O(nlink).
//
//   X_i = X_p P_i                 pose in the world
//   v_i = Ad v_p + S q'
//   a_i = Ad a_p + S q'' + v_i x S q'      a_v: the same with q'' = 0

typedef struct link_arrays { // nlink each; v and the a's may be NULL
  pose* X;
  motion *v, *a, *a_v;
} link_arrays;

KERNEL motion motion_into(const place* P, motion v)
{
  return (motion){into(P, v.w), into(P, add3(v.v, cross_offset(P, v.w)))};
}

// S x
KERNEL motion along_joint(int shape, const link_const* k, const real* x)
{
  motion s = {zero3(), zero3()};
  if (is_turning(shape)) s.w.z = x[0];
  if (shape == SHAPE_TRANS) s.v.z = x[0];
  if (shape == SHAPE_SCREW) s.v.z = scale(k->pitch, x[0]);
  if (is_dense(shape)) s.w = v3(x[0], x[1], x[2]);
  if (shape == SHAPE_FREE) s.v = v3(x[3], x[4], x[5]);
  return s;
}

KERNEL mat3 turn_matrix(const place* P)
{
  if (is_dense(P->shape)) return P->t.R;
  return columns(out_of(P, v3(one(), zero(), zero())), out_of(P, v3(zero(), one(), zero())),
                 out_of(P, v3(zero(), zero(), one())));
}

KERNEL pose given_pose(const sp_pose* X) { return (pose){given_matrix(X->R.m), given3(X->p.x, X->p.y, X->p.z)}; }

KERNEL pose base_pose(const limb_model* m, int root) { return given_pose(&m->base[root]); }

// Of a link whose parent has the pose X.
KERNEL pose moved_pose(pose X, const place* P)
{
  return (pose){mulM(X.R, turn_matrix(P)), add3(X.p, mulv(X.R, offset(P)))};
}

KERNEL void link_motion_step(const place* P, const link_const* k, const limb_link* link, int i, pose from,
                             const real* v, const real* a, const link_arrays* out)
{
  const int p = link->parent;
  const motion rest = {zero3(), zero3()};
  out->X[i] = moved_pose(from, P);
  if (!v) return;
  const motion joint = along_joint(P->shape, k, v + link->dof);
  out->v[i] = addm(p < 0 ? rest : motion_into(P, out->v[p]), joint);
  const motion coriolis = crossm(out->v[i], joint);
  out->a_v[i] = addm(p < 0 ? rest : motion_into(P, out->a_v[p]), coriolis);
  if (!a) return;
  out->a[i] = addm(p < 0 ? rest : motion_into(P, out->a[p]), addm(coriolis, along_joint(P->shape, k, a + link->dof)));
}

KERNEL void link_motion(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v, const real* a,
                        const link_arrays* out)
{
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    const pose from = link->parent < 0 ? base_pose(m, link->root) : out->X[link->parent];
#define STEP(shape)                                           \
  {                                                           \
    const place P = place_of(shape, &k[i], ws, i, link->aux); \
    link_motion_step(&P, &k[i], link, i, from, v, a, out);    \
  }
    FOR_SHAPE(link->shape, STEP)
#undef STEP
  }
}
