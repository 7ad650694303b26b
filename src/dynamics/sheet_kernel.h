// First step of the kernels on the sheet (model/sheet.h): poses of all links in their root link.
//
// Scalar work, link by link; the rest is done on rows (row_kernel.h). The root link itself is the frame:
// robots far from the world's origin lose no digits. Cost O(nlink).
//
//   R_i = R_p T,   p_i = p_p + R_p o          (T, o) the link in its parent

KERNEL real* sheet_column(const limb_sheet* s, int i)
{
  return (real*)s->cell + limb_sheet_at(i, ROW_COUNT);
}

KERNEL real* sheet_entry(const limb_sheet* s, int row, int i)
{
  return sheet_column(s, i) + (ptrdiff_t)row * LIMB_LANES_MOST;
}

KERNEL void put3(real* at, int row, vec3 x)
{
  real* to = at + (ptrdiff_t)row * LIMB_LANES_MOST;
  to[0] = x.x, to[LIMB_LANES_MOST] = x.y, to[2 * LIMB_LANES_MOST] = x.z;
}

KERNEL vec3 at3(const real* at, int row)
{
  const real* x = at + (ptrdiff_t)row * LIMB_LANES_MOST;
  return v3(x[0], x[LIMB_LANES_MOST], x[2 * LIMB_LANES_MOST]);
}

// A link's pose, in its slot; direction and point of every axis where a link has several.
KERNEL void put_pose(const limb_sheet* s, const limb_link* link, pose X)
{
  const vec3 e[3] = {column_x(X.R), column_y(X.R), column_z(X.R)};
  for (int k = 0; k < link->ndof && link->ndof > 1; k++) {
    real* at = sheet_column(s, link->dof + k);
    put3(at, ROW_R + 6, e[k % 3]), put3(at, ROW_P, X.p);
  }
  real* at = sheet_column(s, limb_slot(link));
  put3(at, ROW_R, e[0]), put3(at, ROW_R + 3, e[1]), put3(at, ROW_R + 6, e[2]);
  put3(at, ROW_P, X.p);
}

KERNEL pose pose_at(const limb_sheet* s, const limb_link* link)
{
  const real* at = sheet_column(s, limb_slot(link));
  return (pose){columns(at3(at, ROW_R), at3(at, ROW_R + 3), at3(at, ROW_R + 6)), at3(at, ROW_P)};
}

// Velocity and acceleration of the base, seen from the root link. The dynamics does not depend on the
// velocity of its origin: that is zero here, and the acceleration classical and spatial at once.
KERNEL void put_base(const limb_ws* ws, int root, const place* P)
{
  const state b = base_state(ws, root);
  const motion v = motion_into(P, (motion){b.w, zero3()}), a = motion_into(P, (motion){b.al, b.a});
  const real x[12] = {v.w.x, v.w.y, v.w.z, v.v.x, v.v.y, v.v.z,
                      a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z};
  real* to = (real*)ws->sheet.base + 12 * (ptrdiff_t)root;
  for (int k = 0; k < 12; k++) to[k] = x[k];
}

KERNEL void sheet_poses(const limb_model* m, const link_const* k, const limb_ws* ws)
{
  const limb_sheet* s = &ws->sheet;
  const pose here = {
    columns(v3(one(), zero(), zero()), v3(zero(), one(), zero()), v3(zero(), zero(), one())),
    zero3()};
  pose X = here;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    const int p = link->parent;
    if (p >= 0 && p != i - 1) X = pose_at(s, &m->link[p]);
#define ROOT_STEP(shape)                                      \
  {                                                           \
    const place P = place_of(shape, &k[i], ws, i, link->aux); \
    put_base(ws, link->root, &P);                             \
    X = here;                                                 \
  }
#define STEP(shape)                                                           \
  {                                                                           \
    const place P = place_of(shape, &k[i], ws, i, link->aux);                 \
    X = (pose){mulM(X.R, turn_matrix(&P)), add3(X.p, mulv(X.R, offset(&P)))}; \
  }
    if (p < 0) {
      FOR_ROOT_SHAPE(link->shape, ROOT_STEP)
    } else {
      FOR_SHAPE(link->shape, STEP)
    }
#undef STEP
#undef ROOT_STEP
    put_pose(s, link, X);
  }
}
