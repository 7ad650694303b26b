// Vocabulary of the kernels: inertia of a body or of bodies taken together, and its drift.
//
// A body is mass m, first moments h = sum m r and second moments J = sum m r r'; the drift is what its
// velocity makes of them: a particle at r moves with u = v + w x r, and
//
//   P = sum m u    = m v + w x h
//   K = sum m u r' = v h' + [w] J                               the rate of J is K + K'
//
// Moments and drifts of bodies add when they are taken in the same axes about the same point. With the
// Jacobian [-[r], 1] of a particle and its rate [-[u], 0] the body has the matrices
//
//   I = sum m [-[r], 1]' [-[r], 1]                              inertia
//   B = sum m [-[r], 1]' [-[u], 0] = [tr(K) 1 - K, 0; -[P], 0]  Coriolis matrix: v x* I v = B v
//
// and 2 B x = v x* I x + x x* I v - I (v x x): the derivative of the Coriolis force along x.
#ifndef LIMB_KERNEL_INERTIA_H
#define LIMB_KERNEL_INERTIA_H

#include "kernel/joint_transform.h"

typedef struct composite {
  real m;
  vec3 h;
  sym3 J;
} composite;

typedef struct drift {
  vec3 P;
  mat3 K;
} drift;

// Seen from a frame in which the body's own has rotation R and origin p: r -> R r + p.
//   h = R h + m p,   J = R J R' + (R h) p' + p h'
KERNEL composite composite_at(mat3 R, vec3 p, composite C)
{
  const vec3 h = mulv(R, C.h), g = add3(h, scale3(C.m, p));
  const mat3 K = mulMT(mulM(R, full(C.J)), R);
  C.J =
    (sym3){madd(K.xx, p.x, add(h.x, g.x)), madd(madd(K.xy, h.x, p.y), p.x, g.y), madd(madd(K.xz, h.x, p.z), p.x, g.z),
           madd(K.yy, p.y, add(h.y, g.y)), madd(madd(K.yz, h.y, p.z), p.y, g.z), madd(K.zz, p.z, add(h.z, g.z))};
  C.h = g;
  return C;
}

KERNEL drift drift_of(composite C, motion v)
{
  const mat3 J = full(C.J);
  return (drift){add3(scale3(C.m, v.v), cross3(v.w, C.h)), columns(add_cross3(scale3(C.h.x, v.v), v.w, column_x(J)),
                                                                   add_cross3(scale3(C.h.y, v.v), v.w, column_y(J)),
                                                                   add_cross3(scale3(C.h.z, v.v), v.w, column_z(J)))};
}

// I x
KERNEL force inertia_times(composite C, motion x)
{
  const sym3 J = C.J;
  const sym3 moment = {add(J.yy, J.zz), neg(J.xy), neg(J.xz), add(J.xx, J.zz), neg(J.yz), add(J.xx, J.yy)};
  return (force){add_cross3(symv(moment, x.w), C.h, x.v), add_cross3(scale3(C.m, x.v), x.w, C.h)};
}

// tr(K) 1 - K
KERNEL mat3 trace_less(mat3 K)
{
  return (mat3){add(K.yy, K.zz), neg(K.xy), neg(K.xz), neg(K.yx),      add(K.xx, K.zz),
                neg(K.yz),       neg(K.zx), neg(K.zy), add(K.xx, K.yy)};
}

// B x, and the moment of B' x, which has no force
KERNEL force drift_times(drift D, motion x) { return (force){mulv(trace_less(D.K), x.w), cross3(x.w, D.P)}; }

KERNEL vec3 drift_transposed_times(drift D, motion x) { return add_cross3(tmulv(trace_less(D.K), x.w), D.P, x.v); }

// ---- of links ----------------------------------------------------------------------------------------

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
KERNEL composite composite_to_parent(const joint_transform* P, composite C)
{
  if (is_dense(P->joint_class)) return composite_at(P->X.R, P->X.p, C);
  C.h = turn_z(P->c, P->s, C.h);
  C.J = turn_sym_z(P->c, P->s, C.J);
  if (is_sliding(P->joint_class)) C = slide(C, P->r);
  C = shift(C, (kvec3){constant(0), constant(0), P->d});
  C.h = kturn_z(P->cg, P->sg, kturn_x(P->ca, P->sa, C.h));
  C.J = kturn_sym_z(P->cg, P->sg, kturn_sym_x(P->ca, P->sa, C.J));
  return shift(C, P->p);
}

// C S_k for dof k of the link.
KERNEL force column(int joint_class, const link_const* k, composite C, int dof)
{
  const vec3 h = C.h;
  if (is_dense(joint_class)) { // about e: n = I e, f = e x h; along e: n = h x e, f = m e
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
  if (is_turning(joint_class)) { // rotation about z: n = I z, f = z x h
    F = (force){v3(neg(C.J.xz), neg(C.J.yz), add(C.J.xx, C.J.yy)), v3(neg(h.y), h.x, zero())};
  }
  if (is_sliding(joint_class)) { // translation along z: n = h x z, f = m z
    const par rate = joint_class == CLASS_SCREW ? k->pitch : constant(1);
    F.n = v3(kmadd(F.n.x, rate, h.y), kmsub(F.n.y, rate, h.x), F.n.z);
    F.f.z = scale(rate, C.m);
  }
  return F;
}

#endif
