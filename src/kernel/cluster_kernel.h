// Forward dynamics with clusters of loops as joints: articulated bodies whose joints may be several at once.
//
// Reference: M. Chignoli, N. Adrian, S. Kim, P. Wensing, A propagation perspective on recursive forward
//            dynamics for systems with kinematic loops, 2023; A. Jain, Multibody graph transformations and
//            analysis, part II, 2012.
//            Cost O(nlink), and for a cluster of n velocities with y left free O(n^2 y).
//
// Links in no cluster are passed on as in kernel/aba_kernel.h. A cluster is attached to one link, its base, whose
// acceleration is a. With the inertias of its links, with all that they carry, composite bodies give
//
//   [ I   F  ] [ a   ]   [ p ]   [ f         ]        f: what the base has to give
//   [ F'  M  ] [ q'' ] + [ h ] = [ tau + ... ]        ...: multipliers
//
// and the rows, reduced, q'' = G y'' + g: pivot coordinates follow from the others. Multipliers vanish
// along G:
//
//   M_y = G' M G    F_y = F G    y'' = M_y^-1 (G' (tau - h - M g) - F_y' a)
//   to the base:  I - F_y M_y^-1 F_y'   and   p + F g + F_y M_y^-1 G' (tau - h - M g)
//
// Inertias in link axes, columns of M and F in world axes at the base's origin. On the world, the bases of
// roots differ; a is known there, and is part of the bias.
#ifndef LIMB_KERNEL_CLUSTER_KERNEL_H
#define LIMB_KERNEL_CLUSTER_KERNEL_H

#include "kernel/aba_kernel.h"
#include "kernel/kinematics_kernel.h"
#include "kernel/reduced_kernel.h"

// What the passes keep of a cluster's velocity: q'' = x - gain . a
typedef struct cluster_dof {
  real x;
  real gain[6]; // (angular; linear)
  real pad;
} cluster_dof;

_Static_assert(sizeof(cluster_dof) == LIMB_CLUSTER_DOF * sizeof(real), "workspace layout");

// Scratch of one cluster of n velocities, in the order of the block.
typedef struct cluster_work {
  real *M, *MG, *M_y; // n x n, n x y, y x y
  real* G;            // n x y, and g
  real *F, *F_y;      // 6 rows of n, of y
  motion* S;          // n: axes, world
  real *h, *f;        // n: bias; what is left for accelerations
  real* Z;            // y x WIDE: M_y^-1 [G' f, F_y']
  real* right;        // Y: forces, then accelerations, along G
} cluster_work;

KERNEL cluster_work work_over(real* scratch, int n)
{
  const ptrdiff_t N = n, Y = padded(n);
  cluster_work w;
  w.M = scratch, w.MG = w.M + N * N, w.M_y = w.MG + N * Y, w.G = w.M_y + N * Y;
  w.F = w.G + N * Y, w.F_y = w.F + 6 * N;
  w.S = (motion*)(w.F_y + 6 * Y);
  w.Z = w.F_y + 6 * Y + 6 * N;
  w.h = w.Z + WIDE * N, w.f = w.h + N, w.right = w.f + N;
  return w;
}

// ---- composite bodies -----------------------------------------------------------------------------------

// Column k of I^A S, link axes.
KERNEL force inertia_column(int joint_class, const link_const* c, const artic* I, int k)
{
  if (!is_dense(joint_class)) return axis_column(joint_class, c, I);
  const mat3 A = full(I->A), M = full(I->M);
  if (k < 3) return (force){column_of(A, k), k == 0 ? row_x(I->B) : k == 1 ? row_y(I->B) : row_z(I->B)};
  return (force){column_of(I->B, k - 3), column_of(M, k - 3)};
}

// A force on a link, in world axes at a point.
KERNEL force force_in_world(const pose* X, force F, vec3 at)
{
  const vec3 f = mulv(X->R, F.f);
  return (force){add_cross3(mulv(X->R, F.n), sub3(X->p, at), f), f};
}

// Acceleration of link i with no q'' of its cluster, its base at rest (link axes): what remains of
// velocities, and on the world of the base's acceleration. a: the parent's.
KERNEL motion bias_acceleration(const joint_transform* P, context ctx, int i, motion a)
{
  const aba_link* x = &aba_links(ctx)[i];
  const vec3 at_origin = add_cross_offset(add3(a.v, x->wp), P, a.w);
  motion c;
  if (is_dense(P->joint_class))
    c = aba_dense(ctx)[link_of(ctx, i)->aux].c;
  else
    c = axis_bias(P->joint_class, &ctx.k[i], x);
  return (motion){add_to_link(c.w, P, a.w), add_to_link(c.v, P, at_origin)};
}

KERNEL motion bias_step(int joint_class, context ctx, int i, motion a)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  return bias_acceleration(&P, ctx, i, a);
}

KERNEL motion start_of(context ctx, int i)
{
  const state s = base_state(ctx, link_of(ctx, i)->root);
  return (motion){s.al, s.a};
}

// Biases out; p of each link's inertia becomes the force that its bias takes.
KERNEL void cluster_biases(context ctx, const limb_cluster* c)
{
  state* bias = kept_states(ctx);
  artic* kept = kept_artics(ctx);
  for (int l = 0; l < c->nlink; l++) {
    const int i = c->link[l], p = link_of(ctx, i)->parent;
    motion a = {zero3(), zero3()};
    if (p < 0) a = start_of(ctx, i);
    if (p != c->base) a = (motion){bias[p].al, bias[p].a};
    FOR_JOINT_CLASS(link_of(ctx, i)->joint_class, a = bias_step(CLASS, ctx, i, a))
    bias[i].al = a.w, bias[i].a = a.v;
    kept[i].p = with_bias(&kept[i], a);
  }
}

// Columns of M and F that belong to link i, whose composite is I.
KERNEL void cluster_columns(int joint_class, const limb_model* m, const link_const* k, const limb_cluster* c,
                            const pose* X, vec3 at, int i, const artic* I, const int* column_of, const cluster_work* w)
{
  const int n = c->nv, dof = m->link[i].dof;
  real felt[6];
  project(joint_class, &k[i], I->p, felt);
  for (int x = 0; x < dofs_of(joint_class); x++) {
    const int col = column_of[dof + x];
    const force U = inertia_column(joint_class, &k[i], I, x), F = force_in_world(&X[i], U, at);
    real own[6];
    project(joint_class, &k[i], U, own);
    w->h[col] = felt[x];
    for (int y = 0; y <= x; y++) {
      const int row = column_of[dof + y];
      w->M[(ptrdiff_t)row * n + col] = w->M[(ptrdiff_t)col * n + row] = own[y];
    }
    w->M[(ptrdiff_t)col * n + col] = plus(parameter(m->actuator[dof + x].rotor), w->M[(ptrdiff_t)col * n + col]);
    for (int j = m->link[i].parent; j != c->base; j = m->link[j].parent) {
      for (int d = m->link[j].dof; d < m->link[j].dof + m->link[j].ndof; d++) {
        const int row = column_of[d];
        w->M[(ptrdiff_t)row * n + col] = w->M[(ptrdiff_t)col * n + row] = dot_motion(F, w->S[row]);
      }
    }
    if (c->base < 0) continue;
    const vec3 nb = tmulv(X[c->base].R, F.n), fb = tmulv(X[c->base].R, F.f);
    real* to = w->F + col;
    to[0] = nb.x, to[n] = nb.y, to[2 * n] = nb.z;
    to[3 * n] = fb.x, to[4 * n] = fb.y, to[5 * n] = fb.z;
  }
}

KERNEL void cluster_axes(const limb_model* m, const link_const* k, const limb_cluster* c, const pose* X, vec3 at,
                         const int* column_of, const cluster_work* w)
{
  for (int l = 0; l < c->nlink; l++) {
    const int i = c->link[l];
    for (int x = 0; x < m->link[i].ndof; x++) {
      const limb_loop_axis axis = {i, x, 0, 1};
      w->S[column_of[m->link[i].dof + x]] = loop_column(m, k, X, &axis, at);
    }
  }
}

// What the columns of a cluster are made from.
typedef struct cluster_view {
  const limb_cluster* c;
  const pose* X;        // of all links, world
  vec3 at;              // the base's origin
  const int* column_of; // ncdof
} cluster_view;

KERNEL void composite_step(int joint_class, context ctx, int i, const cluster_view* x, artic* whole,
                           const cluster_work* w)
{
  artic* kept = kept_artics(ctx);
  const int p = link_of(ctx, i)->parent;
  cluster_columns(joint_class, ctx.m, ctx.k, x->c, x->X, x->at, i, &kept[i], x->column_of, w);
  if (p < 0) return;
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  artic* to = p == x->c->base ? whole : &kept[p];
  *to = add_artic(*to, artic_to_parent(&P, kept[i]));
}

// M, F, h; the composite of the whole cluster, at its base.
KERNEL artic cluster_composites(context ctx, const limb_cluster* c, const pose* X, const int* column_of,
                                const cluster_work* w)
{
  artic whole = no_artic();
  const cluster_view x = {c, X, X[c->base < 0 ? c->link[0] : c->base].p, column_of};
  for (ptrdiff_t i = 0; i < (ptrdiff_t)c->nv * c->nv; i++) w->M[i] = zero();
  cluster_axes(ctx.m, ctx.k, c, X, x.at, column_of, w);
  for (int l = c->nlink - 1; l >= 0; l--) {
    const int i = c->link[l];
    FOR_JOINT_CLASS(link_of(ctx, i)->joint_class, composite_step(CLASS, ctx, i, &x, &whole, w))
  }
  return whole;
}

// ---- what is left of a cluster ----------------------------------------------------------------------

// M_y, F_y and Z from M, F and f = tau - h; the smallest margin of a pivot.
KERNEL real solve_padded(const limb_cluster* c, const limb_reduction* r, const cluster_work* w, int Y, real min_pivot)
{
  const int n = c->nv, y = n - r->rank;
  map_of(r, n, Y, w->G);
  times_map(n, n, Y, w->M, w->G, w->MG);
  along_map(n, y, Y, w->G, w->MG, w->f, w->right, w->M_y, w->Z);
  min_pivot = factor_independent(y, Y, w->M_y, min_pivot);
  if (c->base < 0) {
    solve_independent(y, Y, false, w->M_y, w->Z);
    return min_pivot;
  }
  times_map(6, n, Y, w->F, w->G, w->F_y);
  for (int i = 0; i < y; i++) {
    for (int k = 0; k < 6; k++) w->Z[i * WIDE + 1 + k] = w->F_y[k * Y + i];
    w->Z[i * WIDE + 7] = zero();
  }
  solve_independent(y, Y, true, w->M_y, w->Z);
  return min_pivot;
}

// The narrowest padding, which most mechanisms have, as a constant.
KERNEL real cluster_solve(const limb_cluster* c, const limb_reduction* r, const cluster_work* w, real min_pivot)
{
  const int Y = padded(c->nv - r->rank);
  return Y == QUAD ? solve_padded(c, r, w, QUAD, min_pivot) : solve_padded(c, r, w, Y, min_pivot);
}

// x and gain of all velocities: G Z, and g.
KERNEL void cluster_keep(const limb_cluster* c, const limb_reduction* r, const cluster_work* w, cluster_dof* out)
{
  const int y = c->nv - r->rank, Y = padded(y);
  for (int i = 0; i < c->nv; i++) {
    const real* row = w->G + (ptrdiff_t)i * Y;
    real acc[WIDE];
    for (int k = 0; k < WIDE; k++) acc[k] = k == 0 ? row[y] : zero();
    for (int j = 0; j < y; j++) {
      for (int k = 0; k < WIDE; k++) acc[k] = madd(acc[k], row[j], w->Z[j * WIDE + k]);
    }
    out[i].x = acc[0];
    for (int k = 0; k < 6; k++) out[i].gain[k] = acc[1 + k];
  }
}

// What is left for the base: whole - F_y [F_y' Z], p + F g + F_y z.
KERNEL artic cluster_left(const limb_cluster* c, const limb_reduction* r, const cluster_work* w, artic I)
{
  const int y = c->nv - r->rank, Y = padded(y);
  real K[6][6], f[6];
  for (int i = 0; i < 6; i++) {
    const real* row = w->F_y + (ptrdiff_t)i * Y;
    real acc[WIDE];
    for (int k = 0; k < WIDE; k++) acc[k] = k == 0 ? row[y] : zero();
    for (int j = 0; j < y; j++) {
      for (int k = 0; k < WIDE; k++) acc[k] = madd(acc[k], row[j], w->Z[j * WIDE + k]);
    }
    f[i] = acc[0];
    for (int k = 0; k < 6; k++) K[i][k] = acc[1 + k];
  }
  I.A = (sym3){sub(I.A.xx, K[0][0]), sub(I.A.xy, K[0][1]), sub(I.A.xz, K[0][2]),
               sub(I.A.yy, K[1][1]), sub(I.A.yz, K[1][2]), sub(I.A.zz, K[2][2])};
  I.B = rows(sub3(row_x(I.B), v3(K[0][3], K[0][4], K[0][5])), sub3(row_y(I.B), v3(K[1][3], K[1][4], K[1][5])),
             sub3(row_z(I.B), v3(K[2][3], K[2][4], K[2][5])));
  I.M = (sym3){sub(I.M.xx, K[3][3]), sub(I.M.xy, K[3][4]), sub(I.M.xz, K[3][5]),
               sub(I.M.yy, K[4][4]), sub(I.M.yz, K[4][5]), sub(I.M.zz, K[5][5])};
  I.p = addf(I.p, (force){v3(f[0], f[1], f[2]), v3(f[3], f[4], f[5])});
  return I;
}

// ---- the passes -------------------------------------------------------------------------------------

KERNEL real pass_cluster(context ctx, const limb_cluster_in* in, int index, const real* ct, real min_pivot)
{
  const limb_model* m = ctx.m;
  const limb_cluster* c = &m->clusters.cluster[index];
  const limb_reduction* r = &in->reduced[index];
  const cluster_work w = work_over(in->scratch, c->nv);
  cluster_biases(ctx, c);
  const artic whole = cluster_composites(ctx, c, (const pose*)in->X, in->column, &w);
  for (int l = 0; l < c->nlink; l++) {
    const limb_link* link = &m->link[c->link[l]];
    for (int d = link->dof; d < link->dof + link->ndof; d++) w.f[in->column[d]] = sub(ct[d], w.h[in->column[d]]);
  }
  min_pivot = cluster_solve(c, r, &w, min_pivot);
  cluster_keep(c, r, &w, (cluster_dof*)in->kept + in->first[index]);
  if (c->base >= 0) {
    artic* to = &kept_artics(ctx)[c->base];
    *to = add_artic(*to, cluster_left(c, r, &w, whole));
  }
  return min_pivot;
}

// A link in no cluster, and what it leaves for its parent (kernel/aba_kernel.h).
KERNEL void inward_step(int joint_class, context ctx, int i, artic I, const given_inputs* s, real* min_pivot)
{
  artic* kept = kept_artics(ctx);
  const int p = link_of(ctx, i)->parent;
  I = add_rigid(I, moments_of(joint_class, &ctx.k[i]));
  I = pass_joint(joint_class, ctx, i, I, s, min_pivot);
  if (p < 0) return;
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  kept[p] = add_artic(kept[p], biased_artic_to_parent(&P, ctx, i, I));
}

KERNEL real clusters_inward(context ctx, const limb_cluster_in* in, const given_inputs* s)
{
  const limb_model* m = ctx.m;
  artic* kept = kept_artics(ctx);
  const aba_link* x = aba_links(ctx);
  real min_pivot = one();
  for (int i = 0; i < m->nlink; i++) kept[i] = no_artic();
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const int c = m->clusters.of_link[i];
    artic I = kept[i];
    I.p = addf(I.p, x[i].f0);
    if (c >= 0) {
      FOR_JOINT_CLASS(link->joint_class, kept[i] = add_rigid(I, moments_of(CLASS, &ctx.k[i])))
      if (i == m->clusters.cluster[c].link[0]) min_pivot = pass_cluster(ctx, in, c, s->x, min_pivot);
      continue;
    }
    FOR_JOINT_CLASS(link->aba_class, inward_step(CLASS, ctx, i, I, s, &min_pivot))
  }
  return min_pivot;
}

// q'' of a cluster, from the acceleration of its base.
KERNEL void cluster_accelerations(const limb_model* m, const limb_cluster* c, const cluster_dof* kept,
                                  const int* column_of, motion a, real* ca)
{
  for (int l = 0; l < c->nlink; l++) {
    const limb_link* link = &m->link[c->link[l]];
    for (int d = link->dof; d < link->dof + link->ndof; d++) {
      const cluster_dof* x = &kept[column_of[d]];
      const force gain = {v3(x->gain[0], x->gain[1], x->gain[2]), v3(x->gain[3], x->gain[4], x->gain[5])};
      ca[d] = c->base < 0 ? x->x : sub(x->x, dot_motion(gain, a));
    }
  }
}

KERNEL motion add_joint(int joint_class, const link_const* k, motion a, const real* qdd)
{
  if (!is_dense(joint_class)) return add_axis(joint_class, k, a, qdd[0]);
  a.w = add3(a.w, v3(qdd[0], qdd[1], qdd[2]));
  if (joint_class == CLASS_FREE) a.v = add3(a.v, v3(qdd[3], qdd[4], qdd[5]));
  return a;
}

// a: acceleration of the parent; returns that of link i, whose joint's is known within a cluster, and found elsewhere.
KERNEL motion accelerate_step(int joint_class, context ctx, int i, bool in_cluster, motion a, const given_inputs* s,
                              real* qdd)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  if (in_cluster) return add_joint(joint_class, &ctx.k[i], bias_acceleration(&P, ctx, i, a), qdd);
  return aba_accelerate_link(&P, ctx, i, a, s, qdd);
}

KERNEL void clusters_accelerate(context ctx, const limb_cluster_in* in, const given_inputs* s, real* ca)
{
  const limb_model* m = ctx.m;
  state* kept = kept_states(ctx);
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    const int p = link->parent, index = m->clusters.of_link[i];
    motion a = p < 0 ? start_of(ctx, i) : (motion){kept[p].al, kept[p].a};
    const limb_cluster* c = index < 0 ? NULL : &m->clusters.cluster[index];
    if (c && i == c->link[0])
      cluster_accelerations(m, c, (const cluster_dof*)in->kept + in->first[index], in->column, a, ca);
    FOR_JOINT_CLASS(link->aba_class, a = accelerate_step(CLASS, ctx, i, c != NULL, a, s, ca + link->dof))
    kept[i].al = a.w, kept[i].a = a.v;
  }
}

// The first pass, once for all who share a translation unit.
KERNEL_ONCE void velocities_out(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v)
{
  aba_outward((context){m, k, ws}, v);
}

// Accelerations in the user's order; the smallest margin of a pivot. Needs the coordinates loaded.
KERNEL_ENTRY real set_forward(const limb_model* m, const link_const* k, const limb_ws* ws, const limb_cluster_in* in,
                              real* a)
{
  const context ctx = {m, k, ws};
  const real* cv = in_compiled_order(m, in->v, ws->v);
  const given_inputs s = {NULL, net_forces(ctx, cv, in->tau, in->terms), NULL};
  real* ca = m->identity ? a : ws->a;
  velocities_out(m, k, ws, cv);
  if (in->wrench) aba_wrenches(ctx, in->wrench);
  const real min_pivot = clusters_inward(ctx, in, &s);
  clusters_accelerate(ctx, in, &s, ca);
  if (!m->identity) in_user_order(m, ca, a);
  return min_pivot;
}

// The same for a robot that is one cluster on the world: through M and inverse dynamics without
// acceleration, which know that nothing is attached to the links.
KERNEL_ENTRY real set_forward_single(const limb_model* m, const link_const* k, const limb_ws* ws,
                                     const limb_cluster_in* in, real* a)
{
  const context ctx = {m, k, ws};
  const limb_cluster* c = &m->clusters.cluster[0];
  const limb_reduction* r = &in->reduced[0];
  const cluster_work w = work_over(in->scratch, c->nv);
  const int n = c->nv, y = n - r->rank, Y = padded(y);
  in->kernels->mass_matrix(m, k, ws, NULL, w.M);
  in->kernels->loaded_inverse_dynamics(m, k, ws, in->v, no_acceleration(ctx), in->terms, in->wrench, w.h);
  for (int i = 0; i < n; i++) w.f[i] = sub(in->tau[i], w.h[i]);
  const real min_pivot = cluster_solve(c, r, &w, one());
  independent_and_one(y, Y, w.Z, w.right);
  for (int i = 0; i < n; i++) a[i] = mapped(Y, w.G + (ptrdiff_t)i * Y, w.right);
  return min_pivot;
}

#endif
