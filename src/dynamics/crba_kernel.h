// Mass matrix: composite rigid bodies in link axes.
//
// Reference: Featherstone 2008, table 6.2; seed 003 (58) for the role of M. Cost O(nlink depth).
// Composite inertias are mass, first and second moments (model/regroup.c has the transport law); with
// regrouped parameters the mass is zero below every joint that is not massive, and costs nothing.
//
//   C       composite inertia of a subtree, in its root link's axes
//   F       C S_k: the force that gives the subtree unit acceleration along dof k
//   M_jk    S_j' F, with F carried up to the link of dof j

KERNEL composite add_own(composite C, moments s, bool massive)
{
  if (massive) C.m = plus(s.m, C.m);
  C.h = v3(plus(s.hx, C.h.x), plus(s.hy, C.h.y), plus(s.hz, C.h.z));
  C.J = (sym3){plus(s.xx, C.J.xx), plus(s.xy, C.J.xy), plus(s.xz, C.J.xz),
               plus(s.yy, C.J.yy), plus(s.yz, C.J.yz), plus(s.zz, C.J.zz)};
  return C;
}

// For links whose composite has no mass: the constant zero instead of a sum of zeros.
KERNEL composite massless(composite C)
{
  C.m = zero();
  return C;
}

// Origin moved by -p: r -> r + p.  J += h p' + p h' + m p p',  h += m p
KERNEL composite shift(composite C, kvec3 p)
{
  const vec3 g = {kmadd(C.h.x, p.x, C.m), kmadd(C.h.y, p.y, C.m), kmadd(C.h.z, p.z, C.m)}, h = C.h;
  C.J = (sym3){kmadd(C.J.xx, p.x, add(h.x, g.x)),        kmadd(kmadd(C.J.xy, p.y, h.x), p.x, g.y),
               kmadd(kmadd(C.J.xz, p.z, h.x), p.x, g.z), kmadd(C.J.yy, p.y, add(h.y, g.y)),
               kmadd(kmadd(C.J.yz, p.z, h.y), p.y, g.z), kmadd(C.J.zz, p.z, add(h.z, g.z))};
  C.h = g;
  return C;
}

KERNEL composite slide(composite C, real r)
{
  const real g = madd(C.h.z, r, C.m);
  C.J.xz = madd(C.J.xz, r, C.h.x);
  C.J.yz = madd(C.J.yz, r, C.h.y);
  C.J.zz = madd(C.J.zz, r, add(C.h.z, g));
  C.h.z = g;
  return C;
}

// Composite of a link, expressed in its parent.
KERNEL composite composite_out(const place* P, composite C)
{
  if (is_dense(P->shape)) return composite_at(P->t.R, P->t.x, C);
  C.h = turn_z(P->c, P->s, C.h);
  C.J = turn_sym_z(P->c, P->s, C.J);
  if (is_sliding(P->shape)) C = slide(C, P->r);
  C = shift(C, (kvec3){constant(0), constant(0), P->d});
  C.h = kturn_z(P->cg, P->sg, kturn_x(P->ca, P->sa, C.h));
  C.J = kturn_sym_z(P->cg, P->sg, kturn_sym_x(P->ca, P->sa, C.J));
  return shift(C, P->p);
}

// C S_k for dof k of the link.
KERNEL force column(int shape, const link_const* k, composite C, int dof)
{
  const vec3 h = C.h;
  if (is_dense(shape)) { // about e: n = I e, f = e x h; along e: n = h x e, f = m e
    const sym3 J = C.J;
    const real mx = neg(J.xy), my = neg(J.xz), mz = neg(J.yz);
    switch (dof) {
    case 0: return (force){v3(add(J.yy, J.zz), mx, my), v3(zero(), neg(h.z), h.y)};
    case 1: return (force){v3(mx, add(J.xx, J.zz), mz), v3(h.z, zero(), neg(h.x))};
    case 2: return (force){v3(my, mz, add(J.xx, J.yy)), v3(neg(h.y), h.x, zero())};
    case 3: return (force){v3(zero(), h.z, neg(h.y)), v3(C.m, zero(), zero())};
    case 4: return (force){v3(neg(h.z), zero(), h.x), v3(zero(), C.m, zero())};
    default: return (force){v3(h.y, neg(h.x), zero()), v3(zero(), zero(), C.m)};
    }
  }
  force F = zerof();
  if (is_turning(shape)) { // rotation about z: n = I z, f = z x h
    F = (force){v3(neg(C.J.xz), neg(C.J.yz), add(C.J.xx, C.J.yy)), v3(neg(h.y), h.x, zero())};
  }
  if (is_sliding(shape)) { // translation along z: n = h x z, f = m z
    const par rate = shape == SHAPE_SCREW ? k->pitch : constant(1);
    F.n = v3(kmadd(F.n.x, rate, h.y), kmsub(F.n.y, rate, h.x), F.n.z);
    F.f.z = scale(rate, C.m);
  }
  return F;
}

// Where entries go: a full matrix in compiled order, in the user's order, or packed elimination rows.
enum { M_COMPILED, M_USER, M_PACKED };

typedef struct target {
  int mode; // a constant in every instance of the kernel
  real* M;
} target;

// Entry of dofs j (of an ancestor or the same link) and k.
KERNEL void put(const limb_model* m, const target* to, int j, int k, real x)
{
  if (to->mode == M_COMPILED) {
    to->M[(size_t)j * (size_t)m->nv + (size_t)k] = x;
    to->M[(size_t)k * (size_t)m->nv + (size_t)j] = x;
    return;
  }
  if (to->mode == M_PACKED && !m->has_mimic) {
    to->M[m->elim.row[k] + m->elim.depth[j]] = x;
    return;
  }
  const limb_dof *dj = &m->dof[j], *dk = &m->dof[k];
  if (to->mode == M_USER && !m->has_mimic) {
    to->M[(size_t)dj->v * (size_t)m->nv + (size_t)dk->v] = x;
    to->M[(size_t)dk->v * (size_t)m->nv + (size_t)dj->v] = x;
    return;
  }
  x = scale(parameter(dj->mult * dk->mult), x);
  if (to->mode == M_USER) {
    real* one_half = &to->M[(size_t)dj->v * (size_t)m->nv + (size_t)dk->v];
    *one_half = add(*one_half, x);
    if (j == k) return;
    real* other_half = &to->M[(size_t)dk->v * (size_t)m->nv + (size_t)dj->v];
    *other_half = add(*other_half, x);
    return;
  }
  const int rj = m->elim.dof[j], rk = m->elim.dof[k];
  const int low = rj < rk ? rj : rk, high = rj < rk ? rk : rj;
  real* entry = &to->M[m->elim.row[high] + m->elim.depth[low]];
  if (rj == rk && j != k) x = scale(constant(2), x); // both halves fall on the diagonal
  *entry = add(*entry, x);
}

// Last dof of the subtree of a link.
KERNEL int last_dof(const limb_model* m, const limb_link* link)
{
  const limb_link* last = &m->link[link->end - 1];
  return last->dof + last->ndof - 1;
}

// S' F for dof r of the link.
KERNEL real along(int shape, const link_const* k, force F, int r)
{
  real row[6];
  project(shape, k, F, row);
  return row[r];
}

// The link's own columns and their part of the matrix; up: they go on to its parent.
KERNEL void put_own(int shape, const limb_model* m, const link_const* k, const limb_link* link,
                    const target* to, composite C, const place* P, bool up, force* F)
{
  const int dof = link->dof;
  for (int c = 0; c < dofs_of(shape); c++) {
    const force own = column(shape, k, C, c);
    const par rotor = is_dense(shape) ? constant(0) : parameter(m->actuator[dof].rotor);
    put(m, to, dof + c, dof + c, plus(rotor, along(shape, k, own, c)));
    for (int r = 0; r < c; r++) put(m, to, dof + r, dof + c, along(shape, k, own, r));
    if (up) F[dof + c] = force_out(P, own);
  }
}

// The link's rows for the columns behind its own, which go on to its parent as well.
KERNEL void put_rows(int shape, const limb_model* m, const link_const* k, const limb_link* link,
                     const target* to, const place* P, bool up, force* F)
{
  const int dof = link->dof, last = last_dof(m, link);
  for (int c = dof + dofs_of(shape); c <= last; c++) {
    const force Fc = F[c];
    for (int r = 0; r < dofs_of(shape); r++) put(m, to, dof + r, c, along(shape, k, Fc, r));
    if (up) F[c] = force_out(P, Fc);
  }
}

KERNEL composite sum(composite a, composite b)
{
  return (composite){add(a.m, b.m), add3(a.h, b.h), adds(a.J, b.J)};
}

KERNEL void crba(const limb_model* m, const link_const* k, const limb_ws* ws, const target* to)
{
  composite* kept = ws->artic;
  force* F = ws->columns;
  const composite none = {zero(), zero3(), {zero(), zero(), zero(), zero(), zero(), zero()}};
  composite C = none;
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const int p = link->parent;
    if (link->keep) C = sum(C, kept[i]);
#define STEP(shape)                                                            \
  {                                                                            \
    const place P = place_of(shape, &k[i], ws, i, link->aux);                  \
    C = add_own(C, moments_of(shape, &k[i]), link->massive);                   \
    put_own(shape, m, &k[i], link, to, C, &P, true, F);                        \
    put_rows(shape, m, &k[i], link, to, &P, true, F);                          \
    C = link->massive ? composite_out(&P, C) : composite_out(&P, massless(C)); \
  }
#define ROOT_STEP(shape)                                     \
  {                                                          \
    C = add_own(C, moments_of(shape, &k[i]), link->massive); \
    put_own(shape, m, &k[i], link, to, C, NULL, false, F);   \
    put_rows(shape, m, &k[i], link, to, NULL, false, F);     \
  }
    if (p < 0) {
      FOR_ROOT_SHAPE(link->shape, ROOT_STEP)
    } else {
      FOR_SHAPE(link->shape, STEP)
    }
#undef ROOT_STEP
#undef STEP
    if (p != i - 1) {
      if (p >= 0) kept[p] = link->last ? C : sum(kept[p], C);
      C = none;
    }
  }
}
