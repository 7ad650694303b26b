// Mass matrix: composite rigid bodies in link axes.
//
// Reference: Featherstone 2008, table 6.2; Khalil 2010, (58) for the role of M. Cost O(nlink depth).
// Composite inertias are mass, first and second moments (model/regroup.c has the transport law); with
// regrouped parameters the mass is zero below every joint that is not massive, and costs nothing.
//
//   C       composite inertia of a subtree, in its root link's axes
//   F       C S_k: the force that gives the subtree unit acceleration along dof k
//   M_jk    S_j' F, with F carried up to the link of dof j
//
// Columns are kept in blocks of as many dofs as there are lanes (dynamics/column_kernel.h). Most scalars
// have one: any tree, entries go where `target` says. Vectors of columns are for chains of rotations, which
// bring a target of their own and define COLUMN_TARGET (dynamics/chain_kernel.h). With COLUMN_WALK a column
// goes to the root as soon as it is made: that asks for the shape of every link on its way, and saves the
// room of the columns on theirs, which pays for scalars that are long. All columns make the same steps in
// any case.

#include "dynamics/column_kernel.h"

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

#ifndef COLUMN_TARGET
// Where entries go: the rows of a square from the diagonal on (linalg/square_kernel.h), a full matrix in
// compiled order or in the user's, or packed elimination rows.
enum { M_SQUARE, M_COMPILED, M_PACKED, M_USER };

typedef struct target {
  int mode; // a constant in every instance of the kernel
  real* M;
} target;

KERNEL target square_target(real* rows) { return (target){M_SQUARE, rows}; }
KERNEL bool rotations_only(const target* to) { return to->mode == M_SQUARE; }

// Entry of dofs j (of an ancestor or the same link) and k.
KERNEL void put(const limb_model* m, const target* to, int j, int k, real x)
{
  if (to->mode == M_SQUARE) {
    to->M[j * SIDE + k] = x;
    return;
  }
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
  x = settled(scale(parameter(dj->mult * dk->mult), x));
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

// Entries of dof j with the block of dof c: one entry.
KERNEL void put_block(const limb_model* m, const target* to, int j, int c, lane_vec x)
{
  if (c >= j) put(m, to, j, c, x);
}

// What turns with the joints alone.
KERNEL void put_rotors(const limb_model* m, const target* to)
{
  for (int c = 0; c < m->ncdof; c++) {
    const limb_dof* dof = &m->dof[c];
    const int row = m->elim.dof[c];
    real* at = to->mode == M_PACKED ? &to->M[m->elim.row[row] + m->elim.depth[row]]
                                    : &to->M[dof->v * ((to->mode == M_SQUARE ? SIDE : m->nv) + 1)];
    *at = plus(parameter(m->actuator[c].rotor * dof->mult * dof->mult), *at);
  }
}
#endif

// The link's own column. Signs are changed before it sets out, so that it fares like one of several in a
// vector. A component along the axis that is zero stays a constant.
KERNEL force own_column(int shape, const link_const* k, composite C, int dof)
{
  force F = column(shape, k, C, dof);
  F.n.x = settled(F.n.x), F.n.y = settled(F.n.y);
  F.f.x = settled(F.f.x), F.f.y = settled(F.f.y);
  if (is_dense(shape)) F.n.z = settled(F.n.z), F.f.z = settled(F.f.z);
  return F;
}

// A link, what it carries, and where its rows go.
typedef struct carrier {
  const limb_model* m;
  const link_const* k;
  const limb_link* link;
  const target* to;
  const place* P; // NULL: on the world
  cell* columns;
  int end; // one past the last dof that it carries
} carrier;

KERNEL int block_of_dof(int dof) { return (int)((unsigned)dof / LANES * LANES); }

// The link's rows for a block of columns, and the columns as its parent sees them.
KERNEL bundle pass_columns(int shape, const carrier* s, int c, bundle F)
{
  for (int r = 0; r < dofs_of(shape); r++) {
    put_block(s->m, s->to, s->link->dof + r, c, along(shape, s->k, F, r));
  }
  return s->P ? bundle_out(s->P, F) : F;
}

// All columns of the subtree, by way of the workspace. The link's own come to those of their block behind
// them.
KERNEL void pass_blocks(int shape, const carrier* s, composite C)
{
  int c = 0;
  for (int k = 0; k < dofs_of(shape); k++) {
    const int dof = s->link->dof + k;
    c = block_of_dof(dof);
    cell* at = s->columns + 6 * (ptrdiff_t)c;
    const bool alone = LANES == 1 || dof + 1 == s->end || dof + 1 == c + LANES;
    const bundle F = with_force(alone ? no_bundle() : bundle_at(at), dof - c, own_column(shape, s->k, C, k));
    const bundle G = pass_columns(shape, s, c, F);
    if (s->P) put_bundle(at, G);
  }
  for (c += LANES; c < s->end; c += LANES) {
    cell* at = s->columns + 6 * (ptrdiff_t)c;
    const bundle G = pass_columns(shape, s, c, bundle_at(at));
    if (s->P) put_bundle(at, G);
  }
}

// The columns of a chain that fit into one block, by way of registers.
KERNEL bundle pass_block(int shape, const carrier* s, composite C, bundle F)
{
  return pass_columns(shape, s, 0, with_force(F, s->link->dof, own_column(shape, s->k, C, 0)));
}

#ifdef COLUMN_WALK
enum { WALK = COLUMN_WALK };
#else
enum { WALK = 0 };
#endif

// The link's own columns for its parent.
KERNEL void start_walk(int shape, const carrier* s, composite C, bundle* F)
{
  for (int c = 0; c < dofs_of(shape); c++) {
    const force own = own_column(shape, s->k, C, c);
    F[c] = pass_columns(shape, s, s->link->dof + c, bundle_of(own));
  }
}

// The column of a dof from link i to the root.
KERNEL void walk(const limb_model* m, const link_const* k, const limb_ws* ws, const target* to, int i, int dof,
                 bundle F)
{
  for (; i >= 0; i = m->link[i].parent) {
    const limb_link* link = &m->link[i];
#define STEP(shape)                                           \
  {                                                           \
    const place P = place_of(shape, &k[i], ws, i, link->aux); \
    const carrier s = {m, &k[i], link, to, &P, NULL, 0};      \
    F = pass_columns(shape, &s, dof, F);                      \
  }
#define ROOT_STEP(shape)                                   \
  {                                                        \
    const carrier s = {m, &k[i], link, to, NULL, NULL, 0}; \
    F = pass_columns(shape, &s, dof, F);                   \
  }
    if (link->parent < 0) {
      FOR_ROOT_SHAPE(link->shape, ROOT_STEP)
    } else {
      FOR_SHAPE(link->shape, STEP)
    }
#undef ROOT_STEP
#undef STEP
  }
}

// One past the last dof of the subtree of a link.
KERNEL int end_of_subtree(const limb_model* m, const limb_link* link)
{
  const limb_link* last = &m->link[link->end - 1];
  return last->dof + last->ndof;
}

KERNEL composite sum(composite a, composite b) { return (composite){add(a.m, b.m), add3(a.h, b.h), adds(a.J, b.J)}; }

// one_block: see pass_block(). own: forces of the links themselves, which the last column of a square
// collects; NULL:
// none. Both are known in every instance.
KERNEL void crba_columns(const limb_model* m, const link_const* k, const limb_ws* ws, const target* to, bool one_block,
                         const force* own)
{
  composite* kept = ws->artic;
  const composite none = {zero(), zero3(), {zero(), zero(), zero(), zero(), zero(), zero()}};
  composite C = none;
  bundle F = no_bundle(), made[6];
  const bool rotations = rotations_only(to);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const int p = link->parent, end = end_of_subtree(m, link);
    if (link->keep) C = sum(C, kept[i]);
#define CARRY(shape, place)                                        \
  const carrier s = {m, &k[i], link, to, place, ws->columns, end}; \
  C = add_own(C, moments_of(shape, &k[i]), link->massive);         \
  if (own) F = with_more(F, LANES - 1, own[i]);                    \
  if (one_block) {                                                 \
    F = pass_block(shape, &s, C, F);                               \
  } else if (WALK) {                                               \
    start_walk(shape, &s, C, made);                                \
  } else {                                                         \
    pass_blocks(shape, &s, C);                                     \
  }                                                                \
  if (own && !one_block) F = pass_columns(shape, &s, SIDE - 1, F);
#define STEP(shape)                                                            \
  if (!rotations || shape <= SHAPE_ROT_ANY) {                                  \
    const place P = place_of(shape, &k[i], ws, i, link->aux);                  \
    CARRY(shape, &P)                                                           \
    C = link->massive ? composite_out(&P, C) : composite_out(&P, massless(C)); \
  }
#define ROOT_STEP(shape)                      \
  if (!rotations || shape <= SHAPE_ROT_ANY) { \
    CARRY(shape, NULL)                        \
  }
    if (p < 0) {
      FOR_ROOT_SHAPE(link->shape, ROOT_STEP)
    } else {
      FOR_SHAPE(link->shape, STEP)
    }
#undef ROOT_STEP
#undef STEP
#undef CARRY
    for (int c = 0; WALK && c < link->ndof && p >= 0; c++) walk(m, k, ws, to, p, link->dof + c, made[c]);
    if (p != i - 1) {
      if (p >= 0) kept[p] = link->last ? C : sum(kept[p], C);
      C = none;
    }
  }
  if (m->has_actuators) put_rotors(m, to);
}

KERNEL void crba(const limb_model* m, const link_const* k, const limb_ws* ws, const target* to)
{
  crba_columns(m, k, ws, to, false, NULL);
}
