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
#define STEP(shape)                                           \
  {                                                           \
    const place P = place_of(shape, &k[i], ws, i, link->aux); \
    X = moved_pose(W, &P);                                    \
  }
  FOR_ROOT_SHAPE(link->shape, STEP)
#undef STEP
  return X;
}

KERNEL force force_at(vec3 n, vec3 f, vec3 p) { return (force){add3(n, cross3(p, f)), f}; }

// Wrenches of the surroundings, the same in all states, and others that come as scalars.
KERNEL int loads_of(const motion_in* in) { return in->nwrench + in->nload; }

KERNEL force force_of_wrench(const sp_force* F)
{
  return (force){given3(F->m.x, F->m.y, F->m.z), given3(F->f.x, F->f.y, F->f.z)};
}

KERNEL load load_at(const limb_model* m, const link_const* k, const limb_ws* ws, int frame, limb_ref ref, force F)
{
  const limb_site site = limb_site_of(m, frame);
  load L = {.link = site.link, .ref = ref};
  if (site.link < 0) return L;
  const pose X = pose_at(&ws->sheet, &m->link[site.link]);
  const pose at = compose(X, given_pose(&site.in_link));
  L.p = at.p;
  if (ref == LIMB_BODY) {
    L.F = force_at(mulv(at.R, F.n), mulv(at.R, F.f), L.p);
    return L;
  }
  const pose W = root_pose(m, k, ws, site.link);
  if (ref == LIMB_WORLD) L.p = sub3(zero3(), tmulv(W.R, W.p));
  L.F = force_at(tmulv(W.R, F.n), tmulv(W.R, F.f), L.p);
  return L;
}

KERNEL load load_of(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in, int l)
{
  if (l < in->nwrench) {
    const limb_wrench* w = &in->wrench[l];
    return load_at(m, k, ws, w->frame, w->ref, force_of_wrench(&w->wrench));
  }
  const load_in* x = &in->load[l - in->nwrench];
  return load_at(m, k, ws, x->frame, x->ref, *(const force*)x->F);
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

// All of them: on joint forces in compiled order, and on d tau / d q in the user's.
KERNEL_ONCE void take_loads(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in, real* tau)
{
  for (int l = 0; l < loads_of(in); l++) take_load(m, ws, load_of(m, k, ws, in, l), tau);
}

KERNEL_ONCE void take_loads_slopes(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                                   real* dq)
{
  for (int l = 0; l < loads_of(in); l++) take_load_slopes(m, ws, load_of(m, k, ws, in, l), dq);
}
