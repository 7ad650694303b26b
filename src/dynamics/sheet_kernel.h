// The sheet (model/sheet.h) from the scalar side: what the row kernels (dynamics/row_passes_kernel.h) are
// given, and single columns.
//
// Rows are read from the user's own vectors where those are in compiled order. Ball and free joints are
// turned here, link by link. Cost O(nlink).

KERNEL const real* sheet_column(const limb_sheet* s, int i)
{
  return (const real*)s->cell + limb_sheet_at(i, ROW_COUNT);
}

KERNEL vec3 at3(const real* at, int row)
{
  const real* x = at + (ptrdiff_t)row * LIMB_LANES_MOST;
  return v3(x[0], x[LIMB_LANES_MOST], x[2 * LIMB_LANES_MOST]);
}

KERNEL pose pose_at(const limb_sheet* s, const limb_link* link)
{
  const real* at = sheet_column(s, limb_slot(link));
  return (pose){columns(at3(at, ROW_R), at3(at, ROW_R + 3), at3(at, ROW_R + 6)), at3(at, ROW_P)};
}

// Coordinates by dofs; zero for ball and free joints, whose places are worked out.
KERNEL const real* sheet_coordinates(const limb_model* m, const limb_sheet* s, const real* user)
{
  if (m->identity && m->naux == 0) return user;
  real* q = s->q;
  turn* places = s->turn;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    if (is_dense(link->shape)) places[link->aux] = turn_of(link->shape, m, link->aux, user + link->q);
    for (int k = 0; k < link->ndof; k++) q[link->dof + k] = link->ndof == 1 ? user[link->q] : zero();
  }
  return q;
}
