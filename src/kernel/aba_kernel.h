// Forward and hybrid dynamics: the three passes of the articulated-body algorithm, in link axes.
//
// Reference: Featherstone 2008, tables 7.1 and 9.3; Khalil 2010, (32)-(54), (72)-(82) and (99)-(112)
//            as corrected in docs/books.md.
// Cost:      O(nlink).
//
//   paper     code      meaning
//   w         w         angular velocity of a link
//   a         a         its acceleration: angular, and classical of its origin
//   I^A, p^A  I         articulated inertia and bias force (kernel/articulated_kernel.h)
//   q''       qdd       acceleration of the joint
//   -         f0        velocity-dependent and external force on a link
//
// How a joint is eliminated, its force or its acceleration being given, is in kernel/articulated_kernel.h. Without
// given accelerations nothing of the second is left: forward dynamics is the same text. Parts of a robot that is
// cut (batch/split.c) are robots on a moving base: the passes whose names end in _part.
#ifndef LIMB_KERNEL_ABA_KERNEL_H
#define LIMB_KERNEL_ABA_KERNEL_H

#include "kernel/articulated_kernel.h"
#include "kernel/rnea_kernel.h"

// ---- parts with a tip ------------------------------------------------------------------------------

// A part of a chain whose last link, the tip, carries the next part, which is known up to a difference in force
// only. Link axes; joints with one degree of freedom.
//
// Reference: Featherstone, A divide-and-conquer articulated-body algorithm, 1999: a part seen from both its
//            ends; here its far end is six more right-hand sides of the articulated-body algorithm.
//
//   h         wrench at the tip, less what was assumed
//   Phi       columns: effect of h on a link, p^A(h) = p^A + Phi h
//   s         S' Phi, a row; its share of u is s h / D
//   Lambda    sum of s' s / D
//   beta      acceleration of the last link when the part's base does not accelerate and h = 0
//
// Across a joint, with G = U / D, and by the duality of accelerations and forces
//
//   Phi <- Phi - G s,    a_last = Phi' a + beta - Lambda h
//
// Columns come in TIP_COLUMNS, a width that vectors fill; those behind the sixth are zero.

enum { TIP_COLUMNS = 8 };

typedef struct tip {
  real nx[TIP_COLUMNS], ny[TIP_COLUMNS], nz[TIP_COLUMNS], fx[TIP_COLUMNS], fy[TIP_COLUMNS], fz[TIP_COLUMNS]; // Phi
  real beta[TIP_COLUMNS];
  real Lambda[6][TIP_COLUMNS];
  real h[TIP_COLUMNS];
  real (*share)[TIP_COLUMNS]; // nlink: s / D
} tip;

KERNEL force tip_column(const tip* t, int c)
{
  return (force){v3(t->nx[c], t->ny[c], t->nz[c]), v3(t->fx[c], t->fy[c], t->fz[c])};
}

KERNEL void set_tip_column(tip* t, int c, force F)
{
  t->nx[c] = F.n.x, t->ny[c] = F.n.y, t->nz[c] = F.n.z;
  t->fx[c] = F.f.x, t->fy[c] = F.f.y, t->fz[c] = F.f.z;
}

// The last link itself: Phi = 1.
KERNEL void start_tip(tip* t)
{
  for (int c = 0; c < TIP_COLUMNS; c++) {
    set_tip_column(t, c, zerof());
    t->beta[c] = zero();
    for (int r = 0; r < 6; r++) t->Lambda[r][c] = zero();
  }
  t->nx[0] = t->ny[1] = t->nz[2] = t->fx[3] = t->fy[4] = t->fz[5] = one();
}

// Across the joint of link i, whose articulated inertia was I before. x holds G and u / D.
KERNEL void tip_across_joint(int joint_class, const limb_model* m, const link_const* k, const aba_link* x, int i,
                             const artic* I, tip* t)
{
  if (is_dense(joint_class)) return; // not in a part that holds something
  real D = project_axis(joint_class, k, axis_column(joint_class, k, I)), s[TIP_COLUMNS];
  if (joint_class >= CLASS_ROT_ANY) D = plus(parameter(m->actuator[m->link[i].dof].rotor), D);
  const real inverse = recip(D);
  const force G = x->G;
  const motion bias = axis_bias(joint_class, k, x);
  for (int c = 0; c < TIP_COLUMNS; c++) {
    force F = tip_column(t, c);
    s[c] = project_axis(joint_class, k, F);
    F = (force){sub3(F.n, scale3(s[c], G.n)), sub3(F.f, scale3(s[c], G.f))};
    if (joint_class < CLASS_ROT_ANY) F.n.z = zero();
    t->beta[c] = add(madd(t->beta[c], s[c], x->u), dot_motion(F, bias));
    t->share[i][c] = mul(inverse, s[c]);
    set_tip_column(t, c, F);
  }
  for (int r = 0; r < 6; r++) {
    const real share = t->share[i][r];
    for (int c = 0; c < TIP_COLUMNS; c++) t->Lambda[r][c] = madd(t->Lambda[r][c], share, s[c]);
  }
}

// The same in the parent's axes at its origin, with the bias of the offset.
KERNEL void tip_to_parent(const joint_transform* P, const aba_link* x, tip* t)
{
  if (is_dense(P->joint_class)) return;
  const vec3 wp = x->wp;
  for (int c = 0; c < TIP_COLUMNS; c++) {
    const force F = force_to_parent(P, tip_column(t, c));
    t->beta[c] = add(t->beta[c], dot3(F.f, wp));
    set_tip_column(t, c, F);
  }
}

// What h takes from u / D of link i.
KERNEL real tip_share(const tip* t, int i)
{
  const real *s = t->share[i], *h = t->h;
  return add(add(dot2(s[0], h[0], s[1], h[1]), dot2(s[2], h[2], s[3], h[3])), dot2(s[4], h[4], s[5], h[5]));
}

// ---- first pass, out: velocities -------------------------------------------------------------------

// w: angular velocity of the parent; returns the link's. v: velocities of its joint.
KERNEL vec3 aba_velocity(const joint_transform* P, context ctx, int i, vec3 w, const real* v)
{
  aba_link* out = &aba_links(ctx)[i];
  out->wp = times_offset(P, spin(w, zero3()));
  w = to_link(P, w);
  if (is_dense(P->joint_class)) {
    const real no_acceleration[6] = {zero(), zero(), zero(), zero(), zero(), zero()};
    aba_aux* aux = &aba_dense(ctx)[link_of(ctx, i)->aux];
    aux->c = joint_acceleration(P->joint_class, &ctx.k[i], w, v, no_acceleration);
  } else {
    out->cx = mul(w.y, v[0]);
    out->cy = neg(mul(w.x, v[0]));
  }
  return joint_turning(P->joint_class, w, v);
}

KERNEL vec3 aba_outward_step(int joint_class, context ctx, int i, vec3 w, const real* v)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  w = aba_velocity(&P, ctx, i, w, v);
  aba_links(ctx)[i].f0 = newton_euler(moments_of(joint_class, &ctx.k[i]), zero3(), spin(w, zero3()));
  return w;
}

KERNEL void aba_outward(context ctx, const real* v)
{
  const limb_model* m = ctx.m;
  state* kept = kept_states(ctx);
  for (int b = 0; b < m->nbranch; b++) {
    const limb_branch* branch = &m->branch[b];
    vec3 w = start_state(ctx, branch).w;
    int i = branch->begin;
    if (branch->parent < 0 && ctx.ws->base_turns == 0) {
      FOR_ROOT_JOINT_CLASS(m->link[i].joint_class, w = aba_outward_step(CLASS, ctx, i, zero3(), v); v += dofs_of(CLASS))
      if (m->link[i].keep) kept[i].w = w;
      i++;
    }
    for (; i < branch->end; i++) {
      FOR_JOINT_CLASS(m->link[i].joint_class, w = aba_outward_step(CLASS, ctx, i, w, v); v += dofs_of(CLASS))
      if (m->link[i].keep) kept[i].w = w;
    }
  }
}

// External wrenches, link axes.
KERNEL void aba_wrenches(context ctx, const real* wrench)
{
  aba_link* x = aba_links(ctx);
  const force* on = (const force*)wrench;
  for (int i = 0; i < ctx.m->nlink; i++) x[i].f0 = subf(x[i].f0, on[i]);
}

// ---- second pass, back: articulated inertias -------------------------------------------------------

// What the joint of link i leaves for the parent, in link axes.
KERNEL artic pass_joint(int joint_class, context ctx, int i, artic I, const given_inputs* s, real* min_pivot)
{
  const int c = link_of(ctx, i)->dof, aux = link_of(ctx, i)->aux;
  const link_const* k = &ctx.k[i];
  aba_link* x = &aba_links(ctx)[i];
  if (is_dense(joint_class) && leaves_in_parts(joint_class, s, link_of(ctx, i)))
    return eliminate_partly(joint_class, ctx.m, &partly_given_joints(ctx)[aux], I, *s, c, min_pivot);
  if (joint_class == CLASS_BALL) return eliminate_ball(ctx.m, c, &aba_dense(ctx)[aux], I, s->x + c, min_pivot);
  if (joint_class == CLASS_FREE) return eliminate_free(ctx.m, c, &aba_dense(ctx)[aux], I, s->x + c, min_pivot);
  if (is_given(s, c)) return give_axis(joint_class, k, x, I, s->x[c]);
  return eliminate_axis(joint_class, k, &ctx.m->actuator[c], x, I, s->x[c], min_pivot);
}

// In the parent, with the bias of the offset and, for dense joints, of the joint itself.
KERNEL artic biased_artic_to_parent(const joint_transform* P, context ctx, int i, artic I)
{
  if (is_dense(P->joint_class)) I.p = with_bias(&I, aba_dense(ctx)[link_of(ctx, i)->aux].c);
  I = artic_to_parent(P, I);
  I.p = with_bias(&I, (motion){zero3(), aba_links(ctx)[i].wp});
  return I;
}

// I: of all that link i carries, and of its own forces; returns what is left for the parent, in the parent unless the
// link is on the world (has_parent is false). t, if given: the part has a tip.
KERNEL artic aba_inward_step(int joint_class, context ctx, int i, bool has_parent, artic I, const given_inputs* s,
                             tip* t, real* min_pivot)
{
  const aba_link* x = &aba_links(ctx)[i];
  I = add_rigid(I, moments_of(joint_class, &ctx.k[i]));
  const artic whole = I;
  I = pass_joint(joint_class, ctx, i, I, s, min_pivot);
  if (t) tip_across_joint(joint_class, ctx.m, &ctx.k[i], x, i, &whole, t);
  if (has_parent) {
    const joint_transform P = joint_transform_of(joint_class, ctx, i);
    I = biased_artic_to_parent(&P, ctx, i, I);
    if (t) tip_to_parent(&P, x, t);
  }
  return I;
}

// Returns the smallest margin of all D over what may be rounding: not positive when the mass matrix may be singular.
// is_part: the robot is a part of a larger one, and kept[-1] is what its roots leave for the link that carries it.
// t, if given: the part goes on behind its last link, its tip.
KERNEL real aba_inward_part(context ctx, const given_inputs* s, bool is_part, tip* t)
{
  const limb_model* m = ctx.m;
  const aba_link* x = aba_links(ctx);
  artic* kept = kept_artics(ctx);
  artic I = no_artic();
  real min_pivot = one();
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const int p = link->parent;
    const bool has_parent = p >= 0 || is_part;
    if (link->keep) I = add_artic(I, kept[i]);
    I.p = addf(I.p, x[i].f0);
    FOR_JOINT_CLASS(link->aba_class, I = aba_inward_step(CLASS, ctx, i, has_parent, I, s, t, &min_pivot))
    if (p != i - 1 || p < 0) {
      if (has_parent) kept[p] = link->last ? I : add_artic(kept[p], I);
      I = no_artic();
    }
  }
  return min_pivot;
}

KERNEL real aba_inward(context ctx, const given_inputs* s) { return aba_inward_part(ctx, s, false, NULL); }

// ---- third pass, out: accelerations ----------------------------------------------------------------

// a: acceleration of the parent; returns the link's. qdd: its joint's.
KERNEL motion aba_accelerate_link(const joint_transform* P, context ctx, int i, motion a, const given_inputs* s,
                                  real* qdd)
{
  const int joint_class = P->joint_class;
  const limb_link* link = link_of(ctx, i);
  const link_const* k = &ctx.k[i];
  const aba_link* x = &aba_links(ctx)[i];
  // parent's acceleration at the link's origin
  const vec3 at_origin = add_cross_offset(add3(a.v, x->wp), P, a.w);
  if (is_dense(joint_class)) {
    const aba_aux* aux = &aba_dense(ctx)[link->aux];
    a = (motion){add_to_link(aux->c.w, P, a.w), add_to_link(aux->c.v, P, at_origin)};
    if (leaves_in_parts(joint_class, s, link)) {
      return accelerate_partly(joint_class, &partly_given_joints(ctx)[link->aux], a, *s, link->dof, qdd);
    }
    const vec3 al = joint_class == CLASS_BALL ? sub3(aux->y.w, mulv(aux->K, a.v)) : aux->y.w;
    const vec3 r = sub3(al, a.w);
    qdd[0] = r.x, qdd[1] = r.y, qdd[2] = r.z;
    if (joint_class == CLASS_FREE) {
      const vec3 l = sub3(aux->y.v, a.v);
      qdd[3] = l.x, qdd[4] = l.y, qdd[5] = l.z;
      a.v = aux->y.v;
    }
    return (motion){al, a.v};
  }
  const motion c = axis_bias(joint_class, k, x);
  a = (motion){add_to_link(c.w, P, a.w), add_to_link(c.v, P, at_origin)};
  if (is_given(s, link->dof)) {
    qdd[0] = s->x[link->dof];
    return accelerate_given(joint_class, k, x, a, s, link->dof);
  }
  // q'' = u / D - G . a
  const force G = x->G;
  real r = msub(msub(x->u, G.n.x, a.w.x), G.n.y, a.w.y);
  r = sub(msub(r, G.f.z, a.v.z), dot2(G.f.x, a.v.x, G.f.y, a.v.y));
  if (joint_class < CLASS_ROT_ANY) { // G.n.z = 1: r is the new a.w.z already
    qdd[0] = sub(r, a.w.z);
    a.w.z = r;
    return a;
  }
  qdd[0] = msub(r, G.n.z, a.w.z);
  return add_axis(joint_class, k, a, qdd[0]);
}

KERNEL motion aba_accelerate_step(int joint_class, context ctx, int i, motion a, const given_inputs* s, real* qdd)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  return aba_accelerate_link(&P, ctx, i, a, s, qdd);
}

// t, if given: the wrench at the part's tip is known.
KERNEL void aba_accelerate_part(context ctx, const given_inputs* s, const tip* t, real* qdd)
{
  const limb_model* m = ctx.m;
  state* kept = kept_states(ctx);
  aba_link* x = aba_links(ctx);
  for (int b = 0; b < m->nbranch; b++) {
    const limb_branch* branch = &m->branch[b];
    const state start = start_state(ctx, branch);
    motion a = {start.al, start.a};
    for (int i = branch->begin; i < branch->end; i++) {
      const limb_link* link = &m->link[i];
      if (t) x[i].u = sub(x[i].u, tip_share(t, i));
      FOR_JOINT_CLASS(link->aba_class, a = aba_accelerate_step(CLASS, ctx, i, a, s, qdd); qdd += dofs_of(CLASS))
      if (link->keep) kept[i].al = a.w, kept[i].a = a.v;
    }
  }
}

KERNEL void aba_accelerate(context ctx, const given_inputs* s, real* qdd) { aba_accelerate_part(ctx, s, NULL, qdd); }

// ---- all three -----------------------------------------------------------------------------------------

// The three passes; accelerations in compiled order. Needs the coordinates loaded. With
// GIVEN_AT_RUN_TIME forward and hybrid dynamics share one function, which asks at every joint what is given.
#ifdef GIVEN_AT_RUN_TIME
KERNEL_ONCE
#else
KERNEL
#endif
real articulated_passes(const limb_model* m, const link_const* k, const limb_ws* ws, const real* cv, const real* wrench,
                        const given_inputs* s, real* ca)
{
  const context ctx = {m, k, ws};
  aba_outward(ctx, cv);
  if (wrench) aba_wrenches(ctx, wrench);
  const real min_pivot = aba_inward(ctx, s);
  aba_accelerate(ctx, s, ca);
  return min_pivot;
}

#endif
