// Sums over all links: moments of mass, momentum, composite bodies.
//
// Inertias are limb_moments: mass m, first moments h = sum m x, second moments S = sum m x x'. They
// turn and shift without products of large numbers, and m, h, S of joined bodies simply add.
#ifndef LIMB_WHOLE_BODY_H
#define LIMB_WHOLE_BODY_H

#include "limb/spatial.h"

#include "model/data_impl.h"

static inline sp_vec3 limb_moments_first(const limb_moments* Y) { return sp_v3(Y->hx, Y->hy, Y->hz); }

// Inertia times motion, both at the point and in the axes the moments are taken in:
//   f = m v + w x h,   moment = (tr S - S) w + h x v
static inline sp_force limb_moments_times(const limb_moments* Y, sp_motion v)
{
  const sp_vec3 h = limb_moments_first(Y);
  const sp_vec3 f = sp_add3(sp_scale3(Y->m, v.v), sp_cross3(v.w, h));
  const sp_vec3 L = sp_v3((Y->yy + Y->zz) * v.w.x - Y->xy * v.w.y - Y->xz * v.w.z,
                          (Y->xx + Y->zz) * v.w.y - Y->xy * v.w.x - Y->yz * v.w.z,
                          (Y->xx + Y->yy) * v.w.z - Y->xz * v.w.x - Y->yz * v.w.y);
  return sp_force_make(sp_add3(L, sp_cross3(h, v.v)), f);
}

// Rate of a link's momentum I v, in its axes at its origin: I a + v x* I v
static inline sp_force limb_momentum_rate_of(const limb_moments* Y, sp_motion v, sp_motion a)
{
  return sp_addf(limb_moments_times(Y, a), sp_crf(v, limb_moments_times(Y, v)));
}

// A force taken at the point p, taken at the point `at` instead.
static inline sp_force limb_force_at(sp_force f, sp_vec3 p, sp_vec3 at)
{
  return sp_force_make(sp_add3(f.m, sp_cross3(sp_sub3(p, at), f.f)), f.f);
}

// First moment of mass of all bodies, fixed ones included, about the world's origin.
sp_vec3 limb_first_moment(const limb_model* m, const sp_pose* X);

// Its Jacobian, nv columns: what joint k carries, m_k v_k + w_k x h_k. composite: scratch, nlink.
void limb_first_moment_jacobian(const limb_model* m, const sp_pose* X, limb_moments* composite, sp_vec3* J);

// Momentum of all bodies and its rate: world axes, about a point (at rest for this purpose).
sp_force limb_momentum_about(const limb_model* m, const limb_link_motion* s, sp_vec3 at);
sp_force limb_momentum_rate_about(const limb_model* m, const limb_link_motion* s, sp_vec3 at);

// The point momentum is taken about: the world's origin, or the centre of mass.
limb_status limb_momentum_point(const limb_data* d, int centroidal, sp_vec3* at);

// Inertia of link i with everything it carries, world axes, about the link's origin.
void limb_composites(const limb_model* m, const sp_pose* X, limb_moments* composite);

#endif
