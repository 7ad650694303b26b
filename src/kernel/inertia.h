// Inertia of a body or of bodies taken together, its drift, and composites of links.
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
KERNEL composite composite_at(mat3 R, vec3 p, composite C)
{
  // R h, and h' = R h + m p
  const vec3 h = mulv(R, C.h), g = add3(h, scale3(C.m, p));
  // J' = R J R' + (R h) p' + p h''
  return (composite){C.m, g, add_outer_pair(turned_sym(R, C.J), h, p, g)};
}

KERNEL drift drift_of(composite C, motion v)
{
  const mat3 J = full(C.J);
  // P = m v + w x h;   K = v h' + [w] J, by columns
  const vec3 P = add3(scale3(C.m, v.v), cross3(v.w, C.h));
  return (drift){P, columns(add_cross3(scale3(C.h.x, v.v), v.w, column_x(J)),
                            add_cross3(scale3(C.h.y, v.v), v.w, column_y(J)),
                            add_cross3(scale3(C.h.z, v.v), v.w, column_z(J)))};
}

// I x:  n = (tr(J) 1 - J) w + h x v,   f = m v + w x h
KERNEL force inertia_times(composite C, motion x)
{
  return (force){add_cross3(mulv(trace_less(full(C.J)), x.w), C.h, x.v), add_cross3(scale3(C.m, x.v), x.w, C.h)};
}

// B x, and the moment of B' x, which has no force
KERNEL force drift_times(drift D, motion x) { return (force){mulv(trace_less(D.K), x.w), cross3(x.w, D.P)}; }

KERNEL vec3 drift_transposed_times(drift D, motion x) { return add_cross3(tmulv(trace_less(D.K), x.w), D.P, x.v); }

// ---- of links ----------------------------------------------------------------------------------------

// C and the link's own inertia
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

// Origin moved by -p: r -> r + p.
KERNEL composite shift(composite C, kvec3 p)
{
  // g = h + m p,   J + h p' + p h' + m p p' = J + h p' + p g'
  const vec3 h = C.h, g = {kmadd(h.x, p.x, C.m), kmadd(h.y, p.y, C.m), kmadd(h.z, p.z, C.m)};
  return (composite){C.m, g, kadd_outer_pair(C.J, h, p, g)};
}

// The same along z, by r
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
