// External wrenches on the sheet: what they do to the joint forces, and how that changes with q.
//
//   tau_r -= S_r' F         for every dof r on the way from the root to the link that F acts on
//
//   d tau_r / d q_c -= (S_c x S_r)' F + S_r' dF/dq_c       the first if r moves with q_c
//
// A wrench is fixed in the components it was given by: in the frame's own axes dF = S_c x* F; in world
// axes at the frame's origin only that point moves, by u = v_c + w_c x p: dF = (u x f; 0); at the world's
// origin dF = 0. Cost O(depth^2) per wrench.

typedef struct load {
  int link; // negative: on a body that cannot move
  limb_ref ref;
  force F; // root link's axes and origin
  vec3 p;  // where it acts
} load;

// Pose in the world of the root link below which link i hangs.
KERNEL pose root_pose(const limb_model* m, const link_const* k, const limb_ws* ws, int i)
{
  while (m->link[i].parent >= 0) i = m->link[i].parent;
  const limb_link* link = &m->link[i];
  const pose W = base_pose(m, link->root);
  pose X;
#define STEP(shape)                                                           \
  {                                                                           \
    const place P = place_of(shape, &k[i], ws, i, link->aux);                 \
    X = (pose){mulM(W.R, turn_matrix(&P)), add3(W.p, mulv(W.R, offset(&P)))}; \
  }
  FOR_ROOT_SHAPE(link->shape, STEP)
#undef STEP
  return X;
}

KERNEL force force_at(vec3 n, vec3 f, vec3 p) { return (force){add3(n, cross3(p, f)), f}; }

KERNEL load load_of(const limb_model* m, const link_const* k, const limb_ws* ws,
                    const limb_wrench* w)
{
  const limb_site site = limb_site_of(m, w->frame);
  load L = {.link = site.link, .ref = w->ref};
  if (site.link < 0) return L;
  const pose X = pose_at(&ws->sheet, &m->link[site.link]);
  const sp_vec3 at = site.in_link.p;
  L.p = add3(X.p, mulv(X.R, given3(at.x, at.y, at.z)));
  if (w->ref == LIMB_BODY) {
    const sp_vec3 n = sp_mulv(site.in_link.R, w->wrench.m),
                  f = sp_mulv(site.in_link.R, w->wrench.f);
    L.F = force_at(mulv(X.R, given3(n.x, n.y, n.z)), mulv(X.R, given3(f.x, f.y, f.z)), L.p);
    return L;
  }
  const pose W = root_pose(m, k, ws, site.link);
  const sp_vec3 n = w->wrench.m, f = w->wrench.f;
  if (w->ref == LIMB_WORLD) L.p = sub3(zero3(), tmulv(W.R, W.p));
  L.F = force_at(tmulv(W.R, given3(n.x, n.y, n.z)), tmulv(W.R, given3(f.x, f.y, f.z)), L.p);
  return L;
}

KERNEL motion axis_at(const limb_sheet* s, int c)
{
  const real* at = sheet_column(s, c);
  return (motion){at3(at, ROW_S), at3(at, ROW_S + 3)};
}

KERNEL real power_of(motion S, force F) { return add(dot3(S.w, F.n), dot3(S.v, F.f)); }

KERNEL void take_load(const limb_model* m, const limb_ws* ws, load L, real* tau)
{
  for (int i = L.link; i >= 0; i = m->link[i].parent) {
    for (int r = m->link[i].dof; r < m->link[i].dof + m->link[i].ndof; r++) {
      tau[r] = sub(tau[r], power_of(axis_at(&ws->sheet, r), L.F));
    }
  }
}

// dF / dq_c
KERNEL force load_rate(load L, motion S)
{
  if (L.ref == LIMB_BODY) return crossf(S, L.F);
  if (L.ref == LIMB_WORLD) return zerof();
  const vec3 u = add3(S.v, cross3(S.w, L.p));
  return (force){cross3(u, L.F.f), zero3()};
}

// Column c, a dof of link j on the way.
KERNEL void take_load_column(const limb_model* m, const limb_ws* ws, load L, int j, int c, real* dq)
{
  const motion S_c = axis_at(&ws->sheet, c);
  const force rate = load_rate(L, S_c);
  for (int i = L.link; i >= 0; i = m->link[i].parent) {
    for (int r = m->link[i].dof; r < m->link[i].dof + m->link[i].ndof; r++) {
      const motion S_r = axis_at(&ws->sheet, r);
      real x = power_of(S_r, rate);
      if (i >= j) x = add(x, power_of(crossm(S_c, S_r), L.F)); // behind or on link j
      const limb_dof *dr = &m->dof[r], *dc = &m->dof[c];
      real* entry = &dq[(size_t)dr->v * (size_t)m->nv + (size_t)dc->v];
      *entry = sub(*entry, scale(parameter(dr->mult * dc->mult), x));
    }
  }
}

KERNEL void take_load_slopes(const limb_model* m, const limb_ws* ws, load L, real* dq)
{
  for (int j = L.link; j >= 0; j = m->link[j].parent) {
    for (int c = m->link[j].dof; c < m->link[j].dof + m->link[j].ndof; c++) {
      take_load_column(m, ws, L, j, c, dq);
    }
  }
}
