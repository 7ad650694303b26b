// Mass matrix: composite rigid bodies in link axes. Forward dynamics of short chains through it.
//
// Reference: Featherstone 2008, table 6.2; Khalil 2010, (58) for the role of M.
// Cost:      O(nlink depth).
//
//   C       composite inertia of a subtree, in its root link's axes (kernel/inertia.h)
//   F       C S_k: the force that gives the subtree unit acceleration along dof k
//   M_jk    S_j' F, with F carried up to the link of dof j
//
// With regrouped parameters the mass of a composite is zero below every joint that is not massive, and costs nothing.
//
// Columns are kept in blocks of as many dofs as there are lanes. Most scalars have one lane: any tree, and entries go
// to a `target`. Vectors of columns serve chains of rotations, which have a target of their own and define
// COLUMN_TARGET (kernel/kernels_chain_f64.c). With COLUMN_WALK a column goes to the root as soon as it is made: that
// asks for the class of every joint on its way, and saves the memory of the columns, which pays for long scalars. All
// columns go through the same operations in any case.
#ifndef LIMB_KERNEL_CRBA_KERNEL_H
#define LIMB_KERNEL_CRBA_KERNEL_H

#include "kernel/factor_kernel.h"
#include "kernel/inertia.h"
#include "kernel/lanes_one.h"
#include "kernel/rnea_kernel.h"

// ---- columns, as many at a time as there are lanes ------------------------------------------------------

// A column is the force F that a unit of acceleration takes. A link hands the columns of all that it
// carries to its parent in the same way, so that one instruction works on several of them. `lane_vec` is a
// vector of columns (kernel/lanes_f64.h), or one column (kernel/lanes_one.h): then lane_force is force, and
// lane_force_to_parent() is force_to_parent().

typedef struct lane_vec3 {
  lane_vec x, y, z;
} lane_vec3;

typedef struct lane_force { // of forces
  lane_vec3 n, f;
} lane_force;

KERNEL lane_vec det2w(real a, lane_vec b, real c, lane_vec d) { return subw(mulw(a, b), mulw(c, d)); }
KERNEL lane_vec dot2w(real a, lane_vec b, real c, lane_vec d) { return addw(mulw(a, b), mulw(c, d)); }
KERNEL lane_vec kdet2w(par a, lane_vec b, par c, lane_vec d) { return subw(scalew(a, b), scalew(c, d)); }
KERNEL lane_vec kdot2w(par a, lane_vec b, par c, lane_vec d) { return addw(scalew(a, b), scalew(c, d)); }
KERNEL lane_vec maddw(lane_vec sum, real a, lane_vec b) { return addw(sum, mulw(a, b)); }
KERNEL lane_vec msubw(lane_vec sum, real a, lane_vec b) { return subw(sum, mulw(a, b)); }
KERNEL lane_vec kmaddw(lane_vec sum, par a, lane_vec b) { return addw(sum, scalew(a, b)); }
KERNEL lane_vec kmsubw(lane_vec sum, par a, lane_vec b) { return subw(sum, scalew(a, b)); }

KERNEL lane_vec3 turn_zw(real c, real s, lane_vec3 v)
{
  return (lane_vec3){det2w(c, v.x, s, v.y), dot2w(s, v.x, c, v.y), v.z};
}

KERNEL lane_vec3 kturn_zw(par c, par s, lane_vec3 v)
{
  return (lane_vec3){kdet2w(c, v.x, s, v.y), kdot2w(s, v.x, c, v.y), v.z};
}

KERNEL lane_vec3 kturn_xw(par c, par s, lane_vec3 v)
{
  return (lane_vec3){v.x, kdet2w(c, v.y, s, v.z), kdot2w(s, v.y, c, v.z)};
}

KERNEL lane_vec3 mulvw(mat3 A, lane_vec3 b)
{
  return (lane_vec3){maddw(dot2w(A.xx, b.x, A.xy, b.y), A.xz, b.z), maddw(dot2w(A.yx, b.x, A.yy, b.y), A.yz, b.z),
                     maddw(dot2w(A.zx, b.x, A.zy, b.y), A.zz, b.z)};
}

// sum + a x b
KERNEL lane_vec3 add_cross3w(lane_vec3 sum, vec3 a, lane_vec3 b)
{
  return (lane_vec3){msubw(maddw(sum.x, a.y, b.z), a.z, b.y), msubw(maddw(sum.y, a.z, b.x), a.x, b.z),
                     msubw(maddw(sum.z, a.x, b.y), a.y, b.x)};
}

// Forces given in the link, at its origin, expressed in the parent, at the parent's origin (force_to_parent).
KERNEL lane_force lane_force_to_parent(const joint_transform* P, lane_force F)
{
  if (is_dense(P->joint_class)) {
    const lane_vec3 f = mulvw(P->X.R, F.f);
    return (lane_force){add_cross3w(mulvw(P->X.R, F.n), P->X.p, f), f};
  }
  lane_vec3 f = turn_zw(P->c, P->s, F.f), n = turn_zw(P->c, P->s, F.n);
  // n + (r + d) z x f,   z x f = (-f_y, f_x, 0)
  if (is_sliding(P->joint_class)) n = (lane_vec3){msubw(n.x, P->r, f.y), maddw(n.y, P->r, f.x), n.z};
  n = (lane_vec3){kmsubw(n.x, P->d, f.y), kmaddw(n.y, P->d, f.x), n.z};
  f = kturn_zw(P->cg, P->sg, kturn_xw(P->ca, P->sa, f));
  n = kturn_zw(P->cg, P->sg, kturn_xw(P->ca, P->sa, n));
  const kvec3 p = P->p; // n + p x f
  n = (lane_vec3){kmaddw(n.x, p.y, f.z), kmaddw(n.y, p.z, f.x), kmaddw(n.z, p.x, f.y)};
  n = (lane_vec3){kmsubw(n.x, p.z, f.y), kmsubw(n.y, p.x, f.z), kmsubw(n.z, p.y, f.x)};
  return (lane_force){n, f};
}

// S' F for dof r of the link.
KERNEL lane_vec along(int joint_class, const link_const* k, lane_force F, int r)
{
  if (joint_class == CLASS_TRANS) return F.f.z;
  if (joint_class == CLASS_SCREW) return addw(F.n.z, scalew(k->pitch, F.f.z));
  if (!is_dense(joint_class)) return F.n.z;
  const lane_vec row[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
  return row[r];
}

// Six rows of lanes.
KERNEL lane_force lane_force_at(const cell* x)
{
  return (lane_force){{lanes_at(x), lanes_at(x + LANES), lanes_at(x + 2 * LANES)},
                      {lanes_at(x + 3 * LANES), lanes_at(x + 4 * LANES), lanes_at(x + 5 * LANES)}};
}

KERNEL void put_lane_force(cell* to, lane_force F)
{
  put_lanes(to, F.n.x), put_lanes(to + LANES, F.n.y), put_lanes(to + 2 * LANES, F.n.z);
  to += 3 * LANES;
  put_lanes(to, F.f.x), put_lanes(to + LANES, F.f.y), put_lanes(to + 2 * LANES, F.f.z);
}

KERNEL lane_force lane_force_of(force F)
{
  return (lane_force){{every_lane(F.n.x), every_lane(F.n.y), every_lane(F.n.z)},
                      {every_lane(F.f.x), every_lane(F.f.y), every_lane(F.f.z)}};
}

KERNEL lane_force no_lane_force(void) { return lane_force_of(zerof()); }

KERNEL lane_vec3 choose3w(lane_set s, lane_vec3 a, lane_vec3 b)
{
  return (lane_vec3){choose(s, a.x, b.x), choose(s, a.y, b.y), choose(s, a.z, b.z)};
}

// F with another force in one lane.
KERNEL lane_force with_force(lane_force F, int l, force own)
{
  const lane_force G = lane_force_of(own);
  return (lane_force){choose3w(one_lane(l), G.n, F.n), choose3w(one_lane(l), G.f, F.f)};
}

// F with more force in one lane.
KERNEL lane_force with_more(lane_force F, int l, force own)
{
  const lane_force G = lane_force_of(own);
  const lane_vec3 n = {addw(F.n.x, G.n.x), addw(F.n.y, G.n.y), addw(F.n.z, G.n.z)};
  const lane_vec3 f = {addw(F.f.x, G.f.x), addw(F.f.y, G.f.y), addw(F.f.z, G.f.z)};
  return (lane_force){choose3w(one_lane(l), n, F.n), choose3w(one_lane(l), f, F.f)};
}

// ---- where entries go ------------------------------------------------------------------------------------

#ifndef COLUMN_TARGET
// Where entries go: the rows of a square from the diagonal on (kernel/factor_kernel.h), a full matrix in
// compiled order or in the user's, or packed elimination rows.
enum { M_SQUARE, M_COMPILED, M_PACKED, M_USER };

typedef struct target {
  int mode; // M_SQUARE and M_COMPILED: a constant in every instance of the kernel
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
KERNEL force own_column(int joint_class, const link_const* k, composite C, int dof)
{
  force F = column(joint_class, k, C, dof);
  F.n.x = settled(F.n.x), F.n.y = settled(F.n.y);
  F.f.x = settled(F.f.x), F.f.y = settled(F.f.y);
  if (is_dense(joint_class)) F.n.z = settled(F.n.z), F.f.z = settled(F.f.z);
  return F;
}

// A link, what it carries, and where its rows go.
typedef struct crba_link {
  const limb_model* m;
  const link_const* k;
  const limb_link* link;
  const target* to;
  const joint_transform* P; // NULL: on the world
  cell* columns;
  int end; // one past the last dof that it carries
} crba_link;

KERNEL int block_of_dof(int dof) { return (int)((unsigned)dof / LANES * LANES); }

// The link's rows for a block of columns, and the columns as its parent sees them.
KERNEL lane_force pass_columns(int joint_class, const crba_link* s, int c, lane_force F)
{
  for (int r = 0; r < dofs_of(joint_class); r++) {
    put_block(s->m, s->to, s->link->dof + r, c, along(joint_class, s->k, F, r));
  }
  return s->P ? lane_force_to_parent(s->P, F) : F;
}

// All columns of the subtree, by way of the workspace. The link's own come to those of their block behind
// them.
KERNEL void pass_blocks(int joint_class, const crba_link* s, composite C)
{
  int c = 0;
  for (int k = 0; k < dofs_of(joint_class); k++) {
    const int dof = s->link->dof + k;
    c = block_of_dof(dof);
    cell* at = s->columns + 6 * (ptrdiff_t)c;
    const bool alone = LANES == 1 || dof + 1 == s->end || dof + 1 == c + LANES;
    const lane_force F =
      with_force(alone ? no_lane_force() : lane_force_at(at), dof - c, own_column(joint_class, s->k, C, k));
    const lane_force G = pass_columns(joint_class, s, c, F);
    if (s->P) put_lane_force(at, G);
  }
  for (c += LANES; c < s->end; c += LANES) {
    cell* at = s->columns + 6 * (ptrdiff_t)c;
    const lane_force G = pass_columns(joint_class, s, c, lane_force_at(at));
    if (s->P) put_lane_force(at, G);
  }
}

// The columns of a chain that fit into one block, by way of registers.
KERNEL lane_force pass_block(int joint_class, const crba_link* s, composite C, lane_force F)
{
  return pass_columns(joint_class, s, 0, with_force(F, s->link->dof, own_column(joint_class, s->k, C, 0)));
}

#ifdef COLUMN_WALK
enum { WALK = COLUMN_WALK };
#else
enum { WALK = 0 };
#endif

// The link's own columns for its parent.
KERNEL void start_walk(int joint_class, const crba_link* s, composite C, lane_force* F)
{
  for (int c = 0; c < dofs_of(joint_class); c++) {
    const force own = own_column(joint_class, s->k, C, c);
    F[c] = pass_columns(joint_class, s, s->link->dof + c, lane_force_of(own));
  }
}

KERNEL lane_force walk_step(int joint_class, context ctx, const target* to, int i, int dof, lane_force F)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  const crba_link s = {ctx.m, &ctx.k[i], link_of(ctx, i), to, &P, NULL, 0};
  return pass_columns(joint_class, &s, dof, F);
}

KERNEL void walk_root_step(int joint_class, context ctx, const target* to, int i, int dof, lane_force F)
{
  const crba_link s = {ctx.m, &ctx.k[i], link_of(ctx, i), to, NULL, NULL, 0};
  pass_columns(joint_class, &s, dof, F);
}

// The column of a dof from link i to the root.
KERNEL void walk(context ctx, const target* to, int i, int dof, lane_force F)
{
  for (; i >= 0; i = link_of(ctx, i)->parent) {
    const limb_link* link = link_of(ctx, i);
    if (link->parent < 0) {
      FOR_ROOT_JOINT_CLASS(link->joint_class, walk_root_step(CLASS, ctx, to, i, dof, F))
    } else {
      FOR_JOINT_CLASS(link->joint_class, F = walk_step(CLASS, ctx, to, i, dof, F))
    }
  }
}

// One past the last dof of the subtree of a link.
KERNEL int end_of_subtree(const limb_model* m, const limb_link* link)
{
  const limb_link* last = &m->link[link->end - 1];
  return last->dof + last->ndof;
}

KERNEL composite sum(composite a, composite b) { return (composite){add(a.m, b.m), add3(a.h, b.h), adds(a.J, b.J)}; }

// What a pass is asked for; known in every instance.
typedef struct crba_pass {
  context ctx;
  const target* to;
  bool one_block;   // all columns fit into one: see pass_block()
  const force* own; // forces of the links themselves, which the last column of a square collects; NULL: none
} crba_pass;

// The rows of link i, its composite being C, and the columns for its parent: F of one block, `made` for a walk, or in
// the workspace. P is NULL on the world.
KERNEL void carry_columns(int joint_class, const crba_pass* x, int i, const joint_transform* P, composite C,
                          lane_force* F, lane_force* made)
{
  const limb_model* m = x->ctx.m;
  const limb_link* link = &m->link[i];
  const crba_link s = {m, &x->ctx.k[i], link, x->to, P, x->ctx.ws->columns, end_of_subtree(m, link)};
  if (x->own) *F = with_more(*F, LANES - 1, x->own[i]);
  if (x->one_block) {
    *F = pass_block(joint_class, &s, C, *F);
  } else if (WALK) {
    start_walk(joint_class, &s, C, made);
  } else {
    pass_blocks(joint_class, &s, C);
  }
  if (x->own && !x->one_block) *F = pass_columns(joint_class, &s, SIDE - 1, *F);
}

// C: composite of what link i carries; returns that of the link with it, in the parent.
KERNEL composite crba_step(int joint_class, const crba_pass* x, int i, composite C, lane_force* F, lane_force* made)
{
  if (rotations_only(x->to) && joint_class > CLASS_ROT_ANY) return C;
  const bool massive = link_of(x->ctx, i)->massive;
  const joint_transform P = joint_transform_of(joint_class, x->ctx, i);
  C = add_own(C, moments_of(joint_class, &x->ctx.k[i]), massive);
  carry_columns(joint_class, x, i, &P, C, F, made);
  return massive ? composite_to_parent(&P, C) : composite_to_parent(&P, massless(C));
}

KERNEL void crba_root_step(int joint_class, const crba_pass* x, int i, composite C, lane_force* F)
{
  if (rotations_only(x->to) && joint_class > CLASS_ROT_ANY) return;
  lane_force made[6];
  C = add_own(C, moments_of(joint_class, &x->ctx.k[i]), link_of(x->ctx, i)->massive);
  carry_columns(joint_class, x, i, NULL, C, F, made);
}

KERNEL composite* kept_composites(context ctx) { return ctx.ws->artic; }

KERNEL void crba_columns(context ctx, const target* to, bool one_block, const force* own)
{
  const limb_model* m = ctx.m;
  const crba_pass x = {ctx, to, one_block, own};
  const composite none = {zero(), zero3(), {zero(), zero(), zero(), zero(), zero(), zero()}};
  composite* kept = kept_composites(ctx);
  composite C = none;
  lane_force F = no_lane_force(), made[6];
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const int p = link->parent;
    if (link->keep) C = sum(C, kept[i]);
    if (p < 0) {
      FOR_ROOT_JOINT_CLASS(link->joint_class, crba_root_step(CLASS, &x, i, C, &F))
    } else {
      FOR_JOINT_CLASS(link->joint_class, C = crba_step(CLASS, &x, i, C, &F, made))
    }
    for (int c = 0; WALK && c < link->ndof && p >= 0; c++) walk(ctx, to, p, link->dof + c, made[c]);
    if (p != i - 1) {
      if (p >= 0) kept[p] = link->last ? C : sum(kept[p], C);
      C = none;
    }
  }
  if (m->has_actuators) put_rotors(m, to);
}

KERNEL void crba(context ctx, const target* to) { crba_columns(ctx, to, false, NULL); }

// ---- forward dynamics of a short chain -------------------------------------------------------------------

// Forward dynamics of a short chain through its mass matrix.
//
// For robots that are one chain of 4 to SIDE - 1 rotations, which are the user's (limb_is_short_chain). The
// forces h that the joints feel without acceleration are one more column on its way to the root, so that
// the rows of [M h] come ready for elimination. Fewer operations than articulated bodies, and, with lanes
// for all columns, all in registers.

// Entries one by one: with the number of unknowns known, nothing is left of those that are not there.
KERNEL real solve_chain(int n, const cell* rows, const real* left, real* a)
{
  if (LANES > 1) return solve_square(n, rows, left, a);
  switch (n) {
  case 4: return solve_square(4, rows, left, a);
  case 5: return solve_square(5, rows, left, a);
  case 6: return solve_square(6, rows, left, a);
  default: return solve_square(SIDE - 1, rows, left, a);
  }
}

// Returns the smallest margin of a pivot.
KERNEL_ENTRY real forward_chain(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,
                                const real* v, const real* tau, const limb_terms* terms, const real* wrench, real* a)
{
  const context ctx = {m, k, ws};
  cell rows[SIDE * SIDE];
  const target to = square_target(rows);
  load_coordinates(m, k, ws, q);
  const real* left = m->has_actuators ? net_forces(ctx, v, tau, terms) : tau;
  rnea_outward(m, k, ws, v, no_acceleration(ctx));
  if (wrench) subtract_wrenches(ctx, wrench);
  crba_columns(ctx, &to, (int)LANES == (int)SIDE, link_forces(ctx));
  return solve_chain(m->nv, rows, left, a);
}

#endif
