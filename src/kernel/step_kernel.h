// One step of the Runge-Kutta method of order 4 on the manifold, with forces held.
//
// Reference: H. Munthe-Kaas, High order Runge-Kutta methods on manifolds, Applied Numerical Mathematics 29,
//            1999; sim/stepper_explicit.c is the same with inputs, events and work.
// Cost:      4 evaluations of accelerations.
//
//   q = q0 (+) u,   u' = dexp^-1(u) v,   v' = a(q, v)        stages in local coordinates of the step
//
//   u, v      of a stage          du, dv    rates there          su, sv    sums of rates with their weights
//
// Displacements of ball and free joints, and rates of local coordinates, are those of model/manifold.c and
// sim/tangent.c. A displacement u = (w; v) is in child axes, theta = |w|, h = theta / 2 (kernel/arc.h):
//
//   exp(w) as a quaternion      (sin(h) / theta w, cos h)
//   position of exp(w; v)       v + b w x v + c w x (w x v),   b = (1 - cos theta) / theta^2
//   u' for q = q0 (+) u         v + [u, v] / 2 + second [u, [u, v]] + fourth [u, [u, [u, [u, v]]]]
#ifndef LIMB_KERNEL_STEP_KERNEL_H
#define LIMB_KERNEL_STEP_KERNEL_H

#include "kernel/arc.h"
#include "model/model_impl.h"

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
  const vec3 v = v3(a.x, a.y, a.z), y = add_cross3(scale3(a.w, x), v, x);
  return add3(x, kscale3(constant(2), cross3(v, y)));
}

// q exp(w): out may be q.
KERNEL void turn_quat(quat a, vec3 w, const arc* s, real* out)
{
  const vec3 v = v3(a.x, a.y, a.z), e = scale3(half_sine(s), w);
  const vec3 r = add_cross3(add3(scale3(a.w, e), scale3(s->c, v)), v, e);
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

// ---- the step --------------------------------------------------------------------------------------

// a at (q, v); caller as it was handed to rk4_step.
typedef void accelerations_fn(void* caller, const real* q, const real* v, real* a);

KERNEL motion displacement_of(bool is_free, const real* u)
{
  return (motion){v3(u[0], u[1], u[2]), is_free ? v3(u[3], u[4], u[5]) : zero3()};
}

// A ball or free joint: q (+) u into out, which may be q; and the rate of u with v, unless rate is NULL.
KERNEL void displace_joint(bool is_free, const real* q, const real* u, const real* v, real* out, real* rate)
{
  const int at = is_free ? 3 : 0;
  const motion x = displacement_of(is_free, u);
  const arc s = arc_of(dot3(x.w, x.w));
  const quat r = unit_quat(q + at);
  if (is_free) {
    const vec3 p = add3(v3(q[0], q[1], q[2]), quat_turned(r, screw_position(x, &s)));
    out[0] = p.x, out[1] = p.y, out[2] = p.z;
  }
  turn_quat(r, x.w, &s, out + at);
  if (!rate) return;
  const motion y = tangent_rate(x, &s, displacement_of(is_free, v));
  rate[0] = y.w.x, rate[1] = y.w.y, rate[2] = y.w.z;
  if (is_free) rate[3] = y.v.x, rate[4] = y.v.y, rate[5] = y.v.z;
}

// q (+) u into out, which may be q; and the rates of u with the velocities v, unless du is NULL.
KERNEL void displace(const limb_model* m, const real* q, const real* u, const real* v, real* out, real* du)
{
  for (int i = 0; i < m->njoint; i++) {
    const limb_joint* j = &m->joint[i];
    if (j->nq != j->nv) { // a quaternion; mimic joints have no part
      displace_joint(j->def.type == LIMB_FREE, q + j->q, u + j->v, v + j->v, out + j->q, du ? du + j->v : NULL);
      continue;
    }
    for (int k = 0; k < j->nv; k++) out[j->q + k] = add(q[j->q + k], u[j->v + k]);
    for (int k = 0; k < j->nv && du; k++) du[j->v + k] = v[j->v + k];
  }
}

// sum + k x
KERNEL void add_scaled(int n, par k, const real* x, const real* sum, real* out)
{
  for (int i = 0; i < n; i++) out[i] = kmadd(sum[i], k, x[i]);
}

// q and v are replaced by those after a step of h [s]; scratch: limb_step_scalars() scalars.
KERNEL void rk4_step(const limb_model* m, double h, accelerations_fn* accelerations, void* caller, real* q, real* v,
                     real* scratch)
{
  static const double share[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  const int nv = m->nv;
  real *u = scratch, *stage_v = u + nv, *du = stage_v + nv, *dv = du + nv, *su = dv + nv, *sv = su + nv;
  real* stage_q = sv + nv;
  accelerations(caller, q, v, dv);
  for (int i = 0; i < nv; i++) du[i] = su[i] = v[i], sv[i] = dv[i];
  for (int k = 1; k < 4; k++) {
    const par part = constant(share[k] * h);
    for (int i = 0; i < nv; i++) u[i] = scale(part, du[i]);
    add_scaled(nv, part, dv, v, stage_v);
    displace(m, q, u, stage_v, stage_q, du);
    accelerations(caller, stage_q, stage_v, dv);
    add_scaled(nv, constant(weight[k]), du, su, su);
    add_scaled(nv, constant(weight[k]), dv, sv, sv);
  }
  for (int i = 0; i < nv; i++) u[i] = scale(constant(h / 6), su[i]);
  add_scaled(nv, constant(h / 6), sv, v, v);
  displace(m, q, u, v, q, NULL);
}

#endif
