// Vocabulary of the kernels: displacements of ball and free joints, and rates of local coordinates, lane by
// lane: model/manifold.c and sim/tangent.c over the scalars of kernels.
//
// A displacement u = (w; v) is in child axes, theta = |w|, h = theta / 2 (arc_ops.h):
//
//   exp(w) as a quaternion      (sin(h) / theta w, cos h)
//   position of exp(w; v)       v + b w x v + c w x (w x v),   b = (1 - cos theta) / theta^2
//   u' for q = q0 (+) u         v + [u, v] / 2 + second [u, [u, v]] + fourth [u, [u, [u, [u, v]]]]
#ifndef LIMB_MANIFOLD_OPS_H
#define LIMB_MANIFOLD_OPS_H

#include "linalg/arc_ops.h"
#include "linalg/composite_ops.h"

typedef struct quat {
  real x, y, z, w;
} quat;

// u' at u, of which a is the arc.
KERNEL motion tangent_rate(motion u, const arc* a, motion v)
{
  real second, fourth;
  rate_coefficients(a, &second, &fourth);
  const motion x = crossm(u, v), y = crossm(u, x), z = crossm(u, crossm(u, y));
  const motion low = {add3(v.w, kscale3(constant(0.5), x.w)), add3(v.v, kscale3(constant(0.5), x.v))};
  const motion high = {add3(scale3(second, y.w), scale3(fourth, z.w)), add3(scale3(second, y.v), scale3(fourth, z.v))};
  return addm(low, high);
}

KERNEL quat unit_quat(const real* q)
{
  const real norm2 = add(dot2(q[0], q[0], q[1], q[1]), dot2(q[2], q[2], q[3], q[3]));
  const real k = recip(root(norm2));
  return (quat){mul(k, q[0]), mul(k, q[1]), mul(k, q[2]), mul(k, q[3])};
}

// R(a) x = x + 2 v x (v x x + w x)
KERNEL vec3 quat_turned(quat a, vec3 x)
{
  const vec3 v = v3(a.x, a.y, a.z), y = cross3_onto(scale3(a.w, x), v, x);
  return add3(x, kscale3(constant(2), cross3(v, y)));
}

// q exp(w): out may be q.
KERNEL void turn_quat(quat a, vec3 w, const arc* s, real* out)
{
  const vec3 v = v3(a.x, a.y, a.z), e = scale3(half_sine(s), w);
  const vec3 r = cross3_onto(add3(scale3(a.w, e), scale3(s->c, v)), v, e);
  out[0] = r.x, out[1] = r.y, out[2] = r.z;
  out[3] = sub(mul(a.w, s->c), dot3(v, e));
}

// Position of exp(w; v)
KERNEL vec3 screw_position(motion u, const arc* s)
{
  const real k = half_sine(s), b = scale(constant(2), mul(k, k)); // b = 2 (sin(h) / theta)^2
  const vec3 x = cross3(u.w, u.v);
  return add3(u.v, add3(scale3(b, x), scale3(coefficient_c(s), cross3(u.w, x))));
}

#endif
