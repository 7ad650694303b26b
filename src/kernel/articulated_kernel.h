// Articulated bodies: the inertia of a link with all it carries, and how a joint whose force is given
// leaves it to the parent. Link axes.
//
// Reference: Featherstone 2008, section 7.2; Khalil 2010, (32)-(54) as corrected in docs/books.md.
//            Regrouped inertias.
// Cost:      O(1) per joint.
//
//   paper     code          meaning
//   I^A       A B; B' M     articulated inertia: n = A al + B a,  f = B' al + M a
//   p^A       p             its bias force
//   U, D      U, D          I^A S and S' U (plus the rotor's inertia)
//   U / D     G
//   c         c             velocity-product acceleration across the joint, link axes
//   -         wp            w x (w x o): the same of the offset o, parent axes
//
// A ROT link without rotor leaves nothing of A and B about its own axis: those entries are the
// constant zero after elimination, and the turns that follow skip them.
#ifndef LIMB_KERNEL_ARTICULATED_KERNEL_H
#define LIMB_KERNEL_ARTICULATED_KERNEL_H

#include "kernel/joint_transform.h"

typedef struct artic {
  sym3 A;
  mat3 B;
  sym3 M;
  force p;
} artic;

// What the passes hand on: of a one-dof link,
typedef struct aba_link {
  real cx, cy; // w_y q', -w_x q'
  vec3 wp;
  force f0; // velocity-dependent and external force
  force G;
  real u; // (tau - S' p) / D
} aba_link;

// and of a ball or free one.
typedef struct aba_aux {
  motion c;
  mat3 K;   // ball: A^-1 B
  motion y; // D^-1 (tau - S' p)
} aba_aux;

_Static_assert(sizeof(artic) == LIMB_WS_ARTIC * sizeof(real), "workspace layout");
_Static_assert(sizeof(aba_link) == LIMB_WS_ABA * sizeof(real), "workspace layout");
_Static_assert(sizeof(aba_aux) == LIMB_WS_ABA_AUX * sizeof(real), "workspace layout");

// nlink; naux; nlink, of links with more than one child
KERNEL aba_link* aba_links(context ctx) { return ctx.ws->aba; }
KERNEL aba_aux* aba_dense(context ctx) { return ctx.ws->aba_aux; }
KERNEL artic* kept_artics(context ctx) { return ctx.ws->artic; }

KERNEL mat3 zeroM(void) { return columns(zero3(), zero3(), zero3()); }
KERNEL sym3 zeros(void) { return (sym3){zero(), zero(), zero(), zero(), zero(), zero()}; }
KERNEL artic no_artic(void) { return (artic){zeros(), zeroM(), zeros(), zerof()}; }

KERNEL artic add_artic(artic a, artic b)
{
  return (artic){adds(a.A, b.A), addM(a.B, b.B), adds(a.M, b.M), addf(a.p, b.p)};
}

// I^A += inertia of the link: A += tr(J) 1 - J, B += [h], M += m 1.
KERNEL artic add_rigid(artic I, moments s)
{
  I.A = (sym3){plus(s.yy, plus(s.zz, I.A.xx)), minus(I.A.xy, s.xy), minus(I.A.xz, s.xz),
               plus(s.xx, plus(s.zz, I.A.yy)), minus(I.A.yz, s.yz), plus(s.xx, plus(s.yy, I.A.zz))};
  I.B = (mat3){I.B.xx, minus(I.B.xy, s.hz), plus(s.hy, I.B.xz),  plus(s.hz, I.B.yx),
               I.B.yy, minus(I.B.yz, s.hx), minus(I.B.zx, s.hy), plus(s.hx, I.B.zy),
               I.B.zz};
  I.M.xx = plus(s.m, I.M.xx), I.M.yy = plus(s.m, I.M.yy), I.M.zz = plus(s.m, I.M.zz);
  return I;
}

// ---- seen from elsewhere ---------------------------------------------------------------------------

// Origin moved by -p: C = B + [p] M,  A'_ij = A_ij + (p x row i of B)_j + (p x row j of C)_i,
// n' = n + p x f. Sums start with what is known first.
KERNEL artic shift_artic(artic I, vec3 p)
{
  const mat3 M = full(I.M), B = I.B;
  const mat3 C = columns(add_cross3(column_x(B), p, column_x(M)), add_cross3(column_y(B), p, column_y(M)),
                         add_cross3(column_z(B), p, column_z(M)));
  const vec3 x = add_cross3(v3(I.A.xx, I.A.xy, I.A.xz), p, row_x(B));
  const vec3 y = add_cross3(v3(zero(), I.A.yy, I.A.yz), p, row_y(B));
  const vec3 z = add_cross3(v3(zero(), zero(), I.A.zz), p, row_z(B));
  const vec3 first = add_cross3(v3(x.x, zero(), zero()), p, row_x(C));
  const vec3 second = add_cross3(v3(x.y, y.y, zero()), p, row_y(C));
  const vec3 third = add_cross3(v3(x.z, y.z, z.z), p, row_z(C));
  I.A = (sym3){first.x, second.x, third.x, second.y, third.y, third.z};
  I.B = C;
  I.p.n = add_cross3(I.p.n, p, I.p.f);
  return I;
}

// A constant or variable turn, then a shift: R A R', R B R', R M R', (R n, R f)
KERNEL artic dense_artic_to_parent(const pose* X, artic I)
{
  I.A = turned_sym(X->R, I.A);
  I.B = turned(X->R, I.B);
  I.M = turned_sym(X->R, I.M);
  I.p = (force){mulv(X->R, I.p.n), mulv(X->R, I.p.f)};
  return shift_artic(I, X->p);
}

// Articulated inertia of a link, expressed in its parent.
KERNEL artic artic_to_parent(const joint_transform* P, artic I)
{
  if (is_dense(P->joint_class)) return dense_artic_to_parent(&P->X, I);
  I.A = turn_sym_z(P->c, P->s, I.A);
  I.B = turn_mat_z(P->c, P->s, I.B);
  I.M = turn_sym_z(P->c, P->s, I.M);
  I.p = (force){turn_z(P->c, P->s, I.p.n), turn_z(P->c, P->s, I.p.f)};
  if (is_sliding(P->joint_class)) I = shift_artic(I, v3(zero(), zero(), P->r));
  I = shift_artic(I, v3(zero(), zero(), number(P->d)));
  I.A = kturn_sym_z(P->cg, P->sg, kturn_sym_x(P->ca, P->sa, I.A));
  I.B = kturn_mat_z(P->cg, P->sg, kturn_mat_x(P->ca, P->sa, I.B));
  I.M = kturn_sym_z(P->cg, P->sg, kturn_sym_x(P->ca, P->sa, I.M));
  I.p =
    (force){kturn_z(P->cg, P->sg, kturn_x(P->ca, P->sa, I.p.n)), kturn_z(P->cg, P->sg, kturn_x(P->ca, P->sa, I.p.f))};
  return shift_artic(I, number3(P->p));
}

// ---- a joint whose force is given ------------------------------------------------------------------

// I^A S
KERNEL force axis_column(int joint_class, const link_const* k, const artic* I)
{
  force U = zerof();
  if (is_turning(joint_class)) U = (force){v3(I->A.xz, I->A.yz, I->A.zz), row_z(I->B)};
  if (joint_class == CLASS_TRANS) U = (force){column_z(I->B), v3(I->M.xz, I->M.yz, I->M.zz)};
  if (joint_class == CLASS_SCREW) {
    U.n = add3(U.n, kscale3(k->pitch, column_z(I->B)));
    U.f = add3(U.f, kscale3(k->pitch, v3(I->M.xz, I->M.yz, I->M.zz)));
  }
  return U;
}

// I^A - G U': A - G_n U_n', B - G_n U_f', M - G_f U_f'
KERNEL artic less_axis(int joint_class, artic I, force G, force U)
{
  I.A = sub_outer_sym(I.A, G.n, U.n);
  I.B = sub_outer(I.B, G.n, U.f);
  I.M = sub_outer_sym(I.M, G.f, U.f);
  if (joint_class < CLASS_ROT_ANY) { // nothing about its own axis
    I.A.xz = I.A.yz = I.A.zz = zero();
    I.B.zx = I.B.zy = I.B.zz = zero();
  }
  return I;
}

// p + I c
KERNEL force with_bias(const artic* I, motion c)
{
  // n + A c_w + B c_v,   f + B' c_w + M c_v
  return (force){add3(I->p.n, add3(symv(I->A, c.w), mulv(I->B, c.v))),
                 add3(I->p.f, add3(tmulv(I->B, c.w), symv(I->M, c.v)))};
}

KERNEL real trace(sym3 A) { return add(add(A.xx, A.yy), A.zz); }

// Below which a pivot of that degree of freedom may be rounding of the inertia that is carried (model/regularity.c).
KERNEL real doubt_of(const limb_model* m, int c) { return number(parameter(DOUBTS * m->actuator[c].doubt)); }

// Velocity-product acceleration of a one-dof joint.
KERNEL motion axis_bias(int joint_class, const link_const* k, const aba_link* x)
{
  motion c = {zero3(), zero3()};
  if (is_turning(joint_class)) c.w = v3(x->cx, x->cy, zero());
  if (joint_class == CLASS_TRANS) c.v = v3(add(x->cx, x->cx), add(x->cy, x->cy), zero());
  if (joint_class == CLASS_SCREW) c.v = kscale3(k->pitch, v3(add(x->cx, x->cx), add(x->cy, x->cy), zero()));
  return c;
}

// Eliminates a one-dof joint: what is left for the parent, in link axes.
KERNEL artic eliminate_axis(int joint_class, const link_const* k, const limb_actuator* act, aba_link* x, artic I,
                            real tau, real* min_pivot)
{
  const force U = axis_column(joint_class, k, &I);
  real D = project_axis(joint_class, k, U);
  const real felt = project_axis(joint_class, k, I.p);
  if (joint_class >= CLASS_ROT_ANY) D = plus(parameter(act->rotor), D);
  *min_pivot = lesser(*min_pivot, sub(D, number(parameter(DOUBTS * act->doubt))));
  const real inverse = recip(D), u = sub(tau, felt);
  force G = {scale3(inverse, U.n), scale3(inverse, U.f)};
  if (joint_class < CLASS_ROT_ANY) G.n.z = one();
  x->G = G;
  x->u = mul(u, inverse);
  I = less_axis(joint_class, I, G, U);
  I.p = with_bias(&I, axis_bias(joint_class, k, x));
  I.p = addf(I.p, (force){scale3(u, G.n), scale3(u, G.f)});
  if (joint_class < CLASS_ROT_ANY) I.p.n.z = tau;
  return I;
}

// A^-1 by cofactors. It is in doubt where its pivots, in terms of trace, cofactors and determinant, are, and where
// the determinant is beyond the numbers: its inverse, zero, would be taken for A^-1.
KERNEL sym3 inverse_sym(sym3 A, real noise, real* min_pivot)
{
  const real xx = det2(A.yy, A.zz, A.yz, A.yz), xy = det2(A.xz, A.yz, A.xy, A.zz);
  const real xz = det2(A.xy, A.yz, A.xz, A.yy);
  const real yy = det2(A.xx, A.zz, A.xz, A.xz), zz = det2(A.xx, A.yy, A.xy, A.xy);
  const real det = madd(dot2(A.xx, xx, A.xy, xy), A.xz, xz);
  const real cofactors = add(add(xx, yy), zz);
  *min_pivot = lesser(*min_pivot, sub(trace(A), noise));
  *min_pivot = lesser(*min_pivot, msub(cofactors, noise, trace(A)));
  *min_pivot = lesser(*min_pivot, msub(det, noise, cofactors));
  const real r = recip(det);
  *min_pivot = lesser(*min_pivot, r);
  return (sym3){mul(r, xx), mul(r, xy), mul(r, xz), mul(r, yy), mul(r, det2(A.xy, A.xz, A.xx, A.yz)), mul(r, zz)};
}

// Ball: D = A, u = tau - n. Left for the parent: M - B' A^-1 B, and the bias (tau; f + B' A^-1 u).
KERNEL artic eliminate_ball(const limb_model* m, int c, aba_aux* x, artic I, const real* tau, real* min_pivot)
{
  const sym3 D = inverse_sym(I.A, doubt_of(m, c), min_pivot);
  const vec3 t = v3(tau[0], tau[1], tau[2]), y = symv(D, sub3(t, I.p.n));
  const mat3 K = mulM(full(D), I.B); // A^-1 B
  x->K = K;
  x->y.w = y;
  I.p = (force){t, add3(I.p.f, tmulv(I.B, y))};
  I.M = subs(I.M, upper(tmulM(I.B, K)));
  I.A = zeros();
  I.B = zeroM();
  return I;
}

// Free: the link's acceleration follows from its own articulated inertia; only tau reaches the parent.
//   al = (A - B M^-1 B')^-1 (n - B M^-1 f),   a = M^-1 (f - B' al)
KERNEL artic eliminate_free(const limb_model* m, int c, aba_aux* x, artic I, const real* tau, real* min_pivot)
{
  const vec3 tn = v3(tau[0], tau[1], tau[2]), tf = v3(tau[3], tau[4], tau[5]);
  const vec3 n = sub3(tn, I.p.n), f = sub3(tf, I.p.f);
  const sym3 W = inverse_sym(I.M, doubt_of(m, c + 3), min_pivot); // M^-1
  const mat3 K = mulMT(I.B, full(W));                             // B M^-1
  const sym3 D = inverse_sym(subs(I.A, upper(mulMT(K, I.B))), doubt_of(m, c), min_pivot);
  const vec3 al = symv(D, sub3(n, mulv(K, f)));
  x->y = (motion){al, symv(W, sub3(f, tmulv(I.B, al)))};
  I = no_artic();
  I.p = (force){tn, tf};
  return I;
}

// ---- joints whose acceleration is given, whole or in part ------------------------------------------------

// Articulated bodies: joints whose acceleration is given, whole or in part.
//
// Reference: Featherstone 2008, section 9.2; Khalil 2010, (72)-(82), as corrected in docs/books.md.
//
// A given acceleration is part of the joint's bias, and nothing is eliminated:
//
//   to the parent    I^A and p^A + I^A (c + S q'')
//   force            S' (I^A a + p^A) = U . a + u,   U = I^A S,   u = S' p^A
//
// Of a ball or free joint with given accelerations or rotors the force-given components are eliminated one after the
// other, each as an axis of its own, in the inertia that the ones before have left; accelerations follow in reverse.

// What is given, in compiled order: x[c] is an acceleration where given[c], else a force. given NULL: forces
// all. tau takes the forces that are felt where accelerations are given.
typedef struct given_inputs {
  const unsigned char* given;
  const real* x;
  real* tau;
} given_inputs;

KERNEL bool is_given(const given_inputs* s, int c) { return s->given && s->given[c]; }

// Whether the components of a ball or free joint leave one after the other: some acceleration is given, or there are
// rotors, which stay behind.
KERNEL bool leaves_in_parts(int joint_class, const given_inputs* s, const limb_link* link)
{
  bool any = link->geared;
  for (int k = 0; k < dofs_of(joint_class); k++) any |= is_given(s, link->dof + k);
  return any;
}

// What is kept of a ball or free joint with given accelerations: U and u of a given component, G and
// (tau - S' p) / D of another.
typedef struct partly_given {
  force G[6];
  real u[6];
} partly_given;

_Static_assert(sizeof(partly_given) == LIMB_WS_PARTLY * sizeof(real), "workspace layout");

// naux
KERNEL partly_given* partly_given_joints(context ctx) { return ctx.ws->partly; }

KERNEL real dot_motion(force F, motion a) { return add(dot3(F.n, a.w), dot3(F.f, a.v)); }

// S q'' of a one-dof joint, added to a motion.
KERNEL motion add_axis(int joint_class, const link_const* k, motion a, real qdd)
{
  if (is_turning(joint_class)) a.w.z = add(a.w.z, qdd);
  if (joint_class == CLASS_TRANS) a.v.z = add(a.v.z, qdd);
  if (joint_class == CLASS_SCREW) a.v.z = add(a.v.z, scale(k->pitch, qdd));
  return a;
}

KERNEL artic give_axis(int joint_class, const link_const* k, aba_link* x, artic I, real qdd)
{
  x->G = axis_column(joint_class, k, &I);
  x->u = project_axis(joint_class, k, I.p);
  I.p = with_bias(&I, add_axis(joint_class, k, axis_bias(joint_class, k, x), qdd));
  return I;
}

// ---- components of ball and free joints: wx wy wz vx vy vz -------------------------------------------

KERNEL real component(force F, int k)
{
  const real x[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
  return x[k];
}

KERNEL motion add_component(motion a, int k, real qdd)
{
  real* const x[6] = {&a.w.x, &a.w.y, &a.w.z, &a.v.x, &a.v.y, &a.v.z};
  *x[k] = add(*x[k], qdd);
  return a;
}

// I^A e_k
KERNEL force component_column(const artic* I, int k)
{
  const mat3 A = full(I->A), M = full(I->M);
  switch (k) {
  case 0: return (force){column_x(A), row_x(I->B)};
  case 1: return (force){column_y(A), row_y(I->B)};
  case 2: return (force){column_z(A), row_z(I->B)};
  case 3: return (force){column_x(I->B), column_x(M)};
  case 4: return (force){column_y(I->B), column_y(M)};
  default: return (force){column_z(I->B), column_z(M)};
  }
}

KERNEL artic eliminate_component(partly_given* y, artic I, int k, const limb_actuator* act, real tau, real* min_pivot)
{
  const force U = component_column(&I, k);
  const real D = plus(parameter(act->rotor), component(U, k)), u = sub(tau, component(I.p, k)), inverse = recip(D);
  const force G = {scale3(inverse, U.n), scale3(inverse, U.f)};
  *min_pivot = lesser(*min_pivot, sub(D, number(parameter(DOUBTS * act->doubt))));
  y->G[k] = G;
  y->u[k] = mul(u, inverse);
  I = less_axis(CLASS_ROT_ANY, I, G, U);
  I.p = addf(I.p, (force){scale3(u, G.n), scale3(u, G.f)});
  return I;
}

// Rare, so that one function serves ball and free joints. Marks come by value: a compiler that hands on their
// address no longer knows that there are none.
KERNEL_ONCE artic eliminate_partly(int joint_class, const limb_model* m, partly_given* y, artic I, given_inputs s,
                                   int c, real* min_pivot)
{
  const artic whole = I;
  motion given = {zero3(), zero3()};
  for (int k = 0; k < dofs_of(joint_class); k++) {
    if (is_given(&s, c + k)) {
      y->G[k] = component_column(&whole, k);
      y->u[k] = component(whole.p, k);
      given = add_component(given, k, s.x[c + k]);
    } else {
      I = eliminate_component(y, I, k, &m->actuator[c + k], s.x[c + k], min_pivot);
    }
  }
  I.p = with_bias(&I, given);
  return I;
}

// ---- accelerations ---------------------------------------------------------------------------------

// a: of the link, but for the joint's own.
KERNEL motion accelerate_given(int joint_class, const link_const* k, const aba_link* x, motion a, const given_inputs* s,
                               int c)
{
  a = add_axis(joint_class, k, a, s->x[c]);
  s->tau[c] = add(x->u, dot_motion(x->G, a));
  return a;
}

KERNEL_ONCE motion accelerate_partly(int joint_class, const partly_given* y, motion a, given_inputs s, int c, real* qdd)
{
  const int n = dofs_of(joint_class);
  for (int k = 0; k < n; k++) {
    if (!is_given(&s, c + k)) continue;
    qdd[k] = s.x[c + k];
    a = add_component(a, k, qdd[k]);
  }
  for (int k = n - 1; k >= 0; k--) {
    if (is_given(&s, c + k)) continue;
    qdd[k] = sub(y->u[k], dot_motion(y->G[k], a));
    a = add_component(a, k, qdd[k]);
  }
  for (int k = 0; k < n; k++) {
    if (is_given(&s, c + k)) s.tau[c + k] = add(y->u[k], dot_motion(y->G[k], a));
  }
  return a;
}

#endif
