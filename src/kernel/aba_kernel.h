// Forward and hybrid dynamics: the three passes of the articulated-body algorithm, in link axes.
//
// Reference: Featherstone 2008, tables 7.1 and 9.3; Khalil 2010, (32)-(54), (72)-(82) and (99)-(112)
//            as corrected in docs/books.md. Classical accelerations of the links' origins. Cost O(nlink).
//
// The joints' part is in articulated_kernel.h (force given) and marked_kernel.h (acceleration given).
// Without marks nothing is left of the latter: forward dynamics is the same text. Parts of a robot that is
// cut (batch/split.c) are robots on a moving base: the passes that end in _to.
#ifndef LIMB_KERNEL_ABA_KERNEL_H
#define LIMB_KERNEL_ABA_KERNEL_H

#include "kernel/articulated_kernel.h"
#include "kernel/rnea_kernel.h"

// ---- parts that hold something ---------------------------------------------------------------------

// Articulated bodies that hold something: a part of a chain whose last link carries what is known up to a
// difference only. Link axes; joints with one degree of freedom.
//
// Reference: Featherstone, A divide-and-conquer articulated-body algorithm, 1999: a part seen from both its
//            ends; here its far end is six more right-hand sides of the articulated-body algorithm.
//
//   h         what it takes to move what is held, less what was assumed
//   Phi       columns: what a link feels of h, p^A(h) = p^A + Phi h
//   s         S' Phi, a row; its share of u is s h / D
//   Lambda    sum of s' s / D
//   beta      acceleration of the last link when the part's base does not accelerate and h = 0
//
// Across a joint, with G = U / D, and by the duality of accelerations and forces
//
//   Phi <- Phi - G s,    a_last = Phi' a + beta - Lambda h
//
// Columns come in HELD, a width that vectors fill; those behind the sixth are zero.

enum { HELD = 8 };

typedef struct held {
  real nx[HELD], ny[HELD], nz[HELD], fx[HELD], fy[HELD], fz[HELD]; // Phi
  real beta[HELD];
  real Lambda[6][HELD];
  real h[HELD];
  real (*share)[HELD]; // nlink: s / D
} held;

KERNEL force held_column(const held* t, int c)
{
  return (force){v3(t->nx[c], t->ny[c], t->nz[c]), v3(t->fx[c], t->fy[c], t->fz[c])};
}

KERNEL void set_held_column(held* t, int c, force F)
{
  t->nx[c] = F.n.x, t->ny[c] = F.n.y, t->nz[c] = F.n.z;
  t->fx[c] = F.f.x, t->fy[c] = F.f.y, t->fz[c] = F.f.z;
}

// The last link itself: Phi = 1.
KERNEL void hold_nothing(held* t)
{
  for (int c = 0; c < HELD; c++) {
    set_held_column(t, c, zerof());
    t->beta[c] = zero();
    for (int r = 0; r < 6; r++) t->Lambda[r][c] = zero();
  }
  t->nx[0] = t->ny[1] = t->nz[2] = t->fx[3] = t->fy[4] = t->fz[5] = one();
}

// Across the joint of link i, whose articulated inertia was I before. x holds G and u / D.
KERNEL void hold_joint(int shape, const limb_model* m, const link_const* k, const aba_link* x, int i, const artic* I,
                       held* t)
{
  if (is_dense(shape)) return; // not in a part that holds something
  real D = project_axis(shape, k, axis_column(shape, k, I)), s[HELD];
  if (shape >= SHAPE_ROT_ANY) D = plus(parameter(m->actuator[m->link[i].dof].rotor), D);
  const real inverse = recip(D);
  const force G = x->G;
  const motion bias = axis_bias(shape, k, x);
  for (int c = 0; c < HELD; c++) {
    force F = held_column(t, c);
    s[c] = project_axis(shape, k, F);
    F = (force){sub3(F.n, scale3(s[c], G.n)), sub3(F.f, scale3(s[c], G.f))};
    if (shape < SHAPE_ROT_ANY) F.n.z = zero();
    t->beta[c] = add(madd(t->beta[c], s[c], x->u), dot_motion(F, bias));
    t->share[i][c] = mul(inverse, s[c]);
    set_held_column(t, c, F);
  }
  for (int r = 0; r < 6; r++) {
    const real share = t->share[i][r];
    for (int c = 0; c < HELD; c++) t->Lambda[r][c] = madd(t->Lambda[r][c], share, s[c]);
  }
}

// The same in the parent's axes at its origin, with the bias of the offset.
KERNEL void hold_parent(const place* P, const aba_link* x, held* t)
{
  if (is_dense(P->shape)) return;
  const vec3 wp = x->wp;
  for (int c = 0; c < HELD; c++) {
    const force F = force_out(P, held_column(t, c));
    t->beta[c] = add(t->beta[c], dot3(F.f, wp));
    set_held_column(t, c, F);
  }
}

// What h takes from u / D of link i.
KERNEL real held_share(const held* t, int i)
{
  const real *s = t->share[i], *h = t->h;
  return add(add(dot2(s[0], h[0], s[1], h[1]), dot2(s[2], h[2], s[3], h[3])), dot2(s[4], h[4], s[5], h[5]));
}

// ---- first pass, out: velocities -------------------------------------------------------------------

KERNEL vec3 aba_velocity(const place* P, const link_const* k, const limb_link* link, const limb_ws* ws, int i, vec3 w,
                         const real* v)
{
  aba_link* out = (aba_link*)ws->aba + i;
  out->wp = times_offset(P, spin(w, zero3()));
  w = into(P, w);
  if (is_dense(P->shape)) {
    const real no_acceleration[6] = {zero(), zero(), zero(), zero(), zero(), zero()};
    aba_aux* aux = (aba_aux*)ws->aba_aux + link->aux;
    aux->c = joint_acceleration(P->shape, k, w, v, no_acceleration);
  } else {
    out->cx = mul(w.y, v[0]);
    out->cy = neg(mul(w.x, v[0]));
  }
  return joint_turning(P->shape, w, v);
}

KERNEL void aba_out(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v)
{
  state* kept = ws->state;
  aba_link* x = ws->aba;
  for (int b = 0; b < m->nbranch; b++) {
    const limb_branch* branch = &m->branch[b];
    vec3 w = start_state(m, ws, branch).w;
    int i = branch->begin;
#define STEP(shape)                                                              \
  {                                                                              \
    const limb_link* link = &m->link[i];                                         \
    const place P = place_of(shape, &k[i], ws, i, link->aux);                    \
    w = aba_velocity(&P, &k[i], link, ws, i, w, v);                              \
    x[i].f0 = newton_euler(moments_of(shape, &k[i]), zero3(), spin(w, zero3())); \
    v += dofs_of(shape);                                                         \
  }
#define ROOT_STEP(shape) \
  {                      \
    w = zero3();         \
    STEP(shape)          \
  }
    if (branch->parent < 0 && ws->base_turns == 0) {
      FOR_ROOT_SHAPE(m->link[i].shape, ROOT_STEP)
      if (m->link[i].keep) kept[i].w = w;
      i++;
    }
    for (; i < branch->end; i++) {
      FOR_SHAPE(m->link[i].shape, STEP)
      if (m->link[i].keep) kept[i].w = w;
    }
#undef ROOT_STEP
#undef STEP
  }
}

// External wrenches, link axes.
KERNEL void aba_wrenches(const limb_model* m, const limb_ws* ws, const real* wrench)
{
  aba_link* x = ws->aba;
  const force* on = (const force*)wrench;
  for (int i = 0; i < m->nlink; i++) x[i].f0 = subf(x[i].f0, on[i]);
}

// ---- second pass, back: articulated inertias -------------------------------------------------------

// What the joint of link i leaves for the parent, in link axes.
KERNEL artic pass_joint(int shape, const limb_model* m, const link_const* k, const limb_ws* ws, int i, artic I,
                        const marks* s, real* least)
{
  const limb_link* link = &m->link[i];
  const int c = link->dof, aux = link->aux;
  aba_link* x = (aba_link*)ws->aba + i;
  if (is_dense(shape) && any_given(shape, s, c))
    return eliminate_marked(shape, (marked*)ws->marked + aux, I, *s, c, least);
  if (shape == SHAPE_BALL) return eliminate_ball((aba_aux*)ws->aba_aux + aux, I, s->x + c, least);
  if (shape == SHAPE_FREE) return eliminate_free((aba_aux*)ws->aba_aux + aux, I, s->x + c, least);
  if (is_given(s, c)) return give_axis(shape, &k[i], x, I, s->x[c]);
  const par rotor = shape < SHAPE_ROT_ANY ? constant(0) : parameter(m->actuator[c].rotor);
  return eliminate_axis(shape, &k[i], rotor, x, I, s->x[c], least);
}

// Bias of the parent's offset and, for dense joints, of the joint itself.
KERNEL artic artic_to_parent(const place* P, const limb_link* link, const limb_ws* ws, int i, artic I)
{
  const aba_link* x = (const aba_link*)ws->aba + i;
  if (is_dense(P->shape)) {
    const aba_aux* aux = (const aba_aux*)ws->aba_aux + link->aux;
    I.p = with_bias(&I, aux->c);
  }
  I = artic_out(P, I);
  I.p = with_bias(&I, (motion){zero3(), x->wp});
  return I;
}

// Returns the least margin of all D: not positive when the mass matrix is singular. hand: the robot is a part
// of a larger one, and kept[-1] is what its roots leave for the link that carries it. t, if given: the part
// goes on behind its last link (held_kernel.h).
KERNEL real aba_back_to(const limb_model* m, const link_const* k, const limb_ws* ws, const marks* s, bool hand, held* t)
{
  const aba_link* x = ws->aba;
  artic* kept = ws->artic;
  artic I = no_artic();
  real least = one();
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const int p = link->parent;
    if (link->keep) I = add_artic(I, kept[i]);
    I.p = addf(I.p, x[i].f0);
#define STEP(shape)                                             \
  {                                                             \
    I = add_rigid(I, moments_of(shape, &k[i]));                 \
    const artic whole = I;                                      \
    I = pass_joint(shape, m, k, ws, i, I, s, &least);           \
    if (t) hold_joint(shape, m, &k[i], &x[i], i, &whole, t);    \
    if (p >= 0 || hand) {                                       \
      const place P = place_of(shape, &k[i], ws, i, link->aux); \
      I = artic_to_parent(&P, link, ws, i, I);                  \
      if (t) hold_parent(&P, &x[i], t);                         \
    }                                                           \
  }
    FOR_SHAPE(link->aba, STEP)
#undef STEP
    if (p != i - 1 || p < 0) {
      if (p >= 0 || hand) kept[p] = link->last ? I : add_artic(kept[p], I);
      I = no_artic();
    }
  }
  return least;
}

KERNEL real aba_back(const limb_model* m, const link_const* k, const limb_ws* ws, const marks* s)
{
  return aba_back_to(m, k, ws, s, false, NULL);
}

// ---- third pass, out: accelerations ----------------------------------------------------------------

KERNEL motion aba_accelerate_link(const place* P, const link_const* k, const limb_link* link, const limb_ws* ws, int i,
                                  motion a, const marks* s, real* qdd)
{
  const int shape = P->shape;
  const aba_link* x = (const aba_link*)ws->aba + i;
  // parent's acceleration at the link's origin
  const vec3 at_origin = cross_offset_onto(add3(a.v, x->wp), P, a.w);
  if (is_dense(shape)) {
    const aba_aux* aux = (const aba_aux*)ws->aba_aux + link->aux;
    a = (motion){into_onto(aux->c.w, P, a.w), into_onto(aux->c.v, P, at_origin)};
    if (any_given(shape, s, link->dof)) {
      const marked* y = (const marked*)ws->marked + link->aux;
      return accelerate_marked(shape, y, a, *s, link->dof, qdd);
    }
    const vec3 al = shape == SHAPE_BALL ? sub3(aux->y.w, mulv(aux->K, a.v)) : aux->y.w;
    const vec3 r = sub3(al, a.w);
    qdd[0] = r.x, qdd[1] = r.y, qdd[2] = r.z;
    if (shape == SHAPE_FREE) {
      const vec3 l = sub3(aux->y.v, a.v);
      qdd[3] = l.x, qdd[4] = l.y, qdd[5] = l.z;
      a.v = aux->y.v;
    }
    return (motion){al, a.v};
  }
  const motion c = axis_bias(shape, k, x);
  a = (motion){into_onto(c.w, P, a.w), into_onto(c.v, P, at_origin)};
  if (is_given(s, link->dof)) {
    qdd[0] = s->x[link->dof];
    return accelerate_given(shape, k, x, a, s, link->dof);
  }
  // q'' = u / D - G . a
  const force G = x->G;
  real r = msub(msub(x->u, G.n.x, a.w.x), G.n.y, a.w.y);
  r = sub(msub(r, G.f.z, a.v.z), dot2(G.f.x, a.v.x, G.f.y, a.v.y));
  if (shape < SHAPE_ROT_ANY) { // G.n.z = 1: r is the new a.w.z already
    qdd[0] = sub(r, a.w.z);
    a.w.z = r;
    return a;
  }
  qdd[0] = msub(r, G.n.z, a.w.z);
  return add_axis(shape, k, a, qdd[0]);
}

// t, if given: what the part's last link holds is known (held_kernel.h).
KERNEL void aba_accelerate_to(const limb_model* m, const link_const* k, const limb_ws* ws, const marks* s,
                              const held* t, real* qdd)
{
  state* kept = ws->state;
  aba_link* x = ws->aba;
  for (int b = 0; b < m->nbranch; b++) {
    const limb_branch* branch = &m->branch[b];
    const state start = start_state(m, ws, branch);
    motion a = {start.al, start.a};
    for (int i = branch->begin; i < branch->end; i++) {
      const limb_link* link = &m->link[i];
      if (t) x[i].u = sub(x[i].u, held_share(t, i));
#define STEP(shape)                                             \
  {                                                             \
    const place P = place_of(shape, &k[i], ws, i, link->aux);   \
    a = aba_accelerate_link(&P, &k[i], link, ws, i, a, s, qdd); \
    qdd += dofs_of(shape);                                      \
  }
      FOR_SHAPE(link->aba, STEP)
#undef STEP
      if (link->keep) kept[i].al = a.w, kept[i].a = a.v;
    }
  }
}

KERNEL void aba_accelerate(const limb_model* m, const link_const* k, const limb_ws* ws, const marks* s, real* qdd)
{
  aba_accelerate_to(m, k, ws, s, NULL, qdd);
}

// ---- all three -----------------------------------------------------------------------------------------

// The three passes; accelerations in compiled order. Needs the coordinates loaded. With
// GIVEN_AT_RUN_TIME forward and hybrid dynamics share one function, which asks at every joint what is given.
#ifdef GIVEN_AT_RUN_TIME
KERNEL_ONCE
#else
KERNEL
#endif
real articulated_passes(const limb_model* m, const link_const* k, const limb_ws* ws, const real* cv, const real* wrench,
                        const marks* s, real* ca)
{
  aba_out(m, k, ws, cv);
  if (wrench) aba_wrenches(m, ws, wrench);
  const real least = aba_back(m, k, ws, s);
  aba_accelerate(m, k, ws, s, ca);
  return least;
}

#endif
