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
#ifndef LIMB_COMPOSITE_OPS_H
#define LIMB_COMPOSITE_OPS_H

#include "linalg/spatial_ops.h"

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
  return (drift){add3(scale3(C.m, v.v), cross3(v.w, C.h)), columns(cross3_onto(scale3(C.h.x, v.v), v.w, column_x(J)),
                                                                   cross3_onto(scale3(C.h.y, v.v), v.w, column_y(J)),
                                                                   cross3_onto(scale3(C.h.z, v.v), v.w, column_z(J)))};
}

// I x
KERNEL force inertia_times(composite C, motion x)
{
  const sym3 J = C.J;
  const sym3 moment = {add(J.yy, J.zz), neg(J.xy), neg(J.xz), add(J.xx, J.zz), neg(J.yz), add(J.xx, J.yy)};
  return (force){cross3_onto(symv(moment, x.w), C.h, x.v), cross3_onto(scale3(C.m, x.v), x.w, C.h)};
}

// tr(K) 1 - K
KERNEL mat3 trace_less(mat3 K)
{
  return (mat3){add(K.yy, K.zz), neg(K.xy), neg(K.xz), neg(K.yx),      add(K.xx, K.zz),
                neg(K.yz),       neg(K.zx), neg(K.zy), add(K.xx, K.yy)};
}

// B x, and the moment of B' x, which has no force
KERNEL force drift_times(drift D, motion x) { return (force){mulv(trace_less(D.K), x.w), cross3(x.w, D.P)}; }

KERNEL vec3 drift_transposed_times(drift D, motion x) { return cross3_onto(tmulv(trace_less(D.K), x.w), D.P, x.v); }

// a x b of motions, and a x* F of a force: (a x b)' F = -b' (a x* F)
KERNEL motion crossm(motion a, motion b) { return (motion){cross3(a.w, b.w), cross3_onto(cross3(a.w, b.v), a.v, b.w)}; }

KERNEL force crossf(motion a, force F) { return (force){cross3_onto(cross3(a.w, F.n), a.v, F.f), cross3(a.w, F.f)}; }

#endif
