// Errors of goals, and their derivatives.
//
// Under R exp(w_b) = exp(w) R and p + v, with r the rotation vector of the error (J. Sola et al., A micro Lie theory,
// 2018, for the Jacobians of SO(3)):
//
//     axes of the target    r = log(R' R*)    dr = -Jl^-1(r) R' w    Jl^-1 = 1 - [r]/2 + c [r]^2
//     axes of the world     r = log(R* R')    dr = -Jr^-1(r) w       Jr^-1 = 1 + [r]/2 + c [r]^2
//
//     c = (1 - h cot h) / theta^2,  h = theta / 2
//
// Two angular directions, axis a of both: t = X a with X = R' R* or R* R', and r is along a x t,
//
//     r = g (a x t),  g = theta / sin theta       dr = (g' n n' + g (t a' - (a't) 1)) u,  n = a x t
//
// with u = R' w in axes of the target, u = X w in those of the world, and g' = dg/d(a't).
#include "ik/ik_impl.h"

#include <math.h>

// Rotation error r, and K in dr = -K w.
typedef struct turning {
  sp_vec3 r;
  sp_mat3 K;
} turning;

static sp_mat3 outer(double k, sp_vec3 a, sp_vec3 b)
{
  return (sp_mat3){{k * a.x * b.x, k * a.x * b.y, k * a.x * b.z, k * a.y * b.x, k * a.y * b.y, k * a.y * b.z,
                    k * a.z * b.x, k * a.z * b.y, k * a.z * b.z}};
}

// r = log X, and Jl^-1 (sign -1) or Jr^-1 (sign 1).
static turning whole_rotation(sp_mat3 X, double sign)
{
  const sp_quat z = sp_quat_rot(X);
  const sp_vec3 n = sp_v3(z.x, z.y, z.z);
  const double s = sp_norm3(n), theta = 2 * atan2(s, z.w);
  const sp_vec3 r = sp_scale3(s > 1e-9 ? theta / s : 2, n);
  const double t2 = theta * theta;
  const double c = theta > 1e-2 ? (1 - theta / 2 * z.w / s) / t2 : 1.0 / 12 + t2 / 720;
  const double d = 1 - c * t2, h = sign / 2; // [r]^2 = r r' - theta^2
  sp_mat3 K = outer(c, r, r);
  K.m[0] += d, K.m[4] += d, K.m[8] += d;
  K.m[1] -= h * r.z, K.m[2] += h * r.y, K.m[3] += h * r.z;
  K.m[5] -= h * r.x, K.m[6] -= h * r.y, K.m[7] += h * r.x;
  return (turning){r, K};
}

// The angle from axis k to where X turns it; K acts on u.
static turning axis_rotation(sp_mat3 X, int k)
{
  const sp_vec3 a = sp_v3(k == 0, k == 1, k == 2), t = sp_v3(X.m[k], X.m[3 + k], X.m[6 + k]);
  const sp_vec3 n = sp_cross3(a, t);
  const double s = sp_norm3(n), c = sp_dot3(a, t), theta = atan2(s, c);
  if (s < 1e-12 && c < 0) // opposite: any axis will do
    return (turning){sp_v3(k == 1 ? theta : 0, k == 2 ? theta : 0, k == 0 ? theta : 0), sp_identity3()};
  const double g = s > 1e-6 ? theta / s : 1;
  const double rate = s > 1e-3 || c < 0 ? (theta * c - s) / (s * s * s) : -1.0 / 3 - s * s * (2.0 / 15);
  sp_mat3 K = outer(-rate, n, n);
  const sp_mat3 turn = outer(-g, t, a);
  for (int i = 0; i < 9; i++) K.m[i] += turn.m[i];
  K.m[0] += g * c, K.m[4] += g * c, K.m[8] += g * c;
  return (turning){sp_scale3(g, n), K};
}

// The axis that two angular directions leave free; -1: none or one, or all three, are selected.
static int free_axis(unsigned directions)
{
  switch (directions & LIMB_ANGULAR) {
  case LIMB_WY | LIMB_WZ: return 0;
  case LIMB_WX | LIMB_WZ: return 1;
  case LIMB_WX | LIMB_WY: return 2;
  default: return -1;
  }
}

static turning rotation_error(const limb_ik_goal* g, const sp_pose* target, const sp_pose* at)
{
  const bool body = g->task.ref == LIMB_BODY;
  const int axis = free_axis(g->task.directions);
  const sp_mat3 back = sp_transpose3(at->R);
  const sp_mat3 X = body ? sp_mul3(back, target->R) : sp_mul3(target->R, back);
  turning x = axis < 0 ? whole_rotation(X, body ? -1 : 1) : axis_rotation(X, axis);
  if (body) x.K = sp_mul3(x.K, back);
  if (!body && axis >= 0) x.K = sp_mul3(x.K, X);
  return x;
}

static sp_vec3 selected(unsigned directions, sp_vec3 a)
{
  return sp_v3(directions & 1 ? a.x : 0, directions & 2 ? a.y : 0, directions & 4 ? a.z : 0);
}

static sp_vec3 linear_error(const limb_ik_goal* g, const sp_pose* target, const sp_pose* at)
{
  const sp_vec3 x = sp_sub3(target->p, at->p);
  return g->task.ref == LIMB_BODY ? sp_tmulv(target->R, x) : x;
}

limb_ik_error limb_ik_goal_error(const limb_ik_goal* g, const sp_pose* target, const sp_pose* at)
{
  limb_ik_error out = {.angle = 0};
  const unsigned directions = g->task.directions;
  if (directions & LIMB_ANGULAR) out.error.w = selected(directions, rotation_error(g, target, at).r);
  out.error.v = selected(directions >> 3, linear_error(g, target, at));
  out.angle = sp_norm3(out.error.w);
  out.position = sp_norm3(out.error.v);
  return out;
}

// Rows of one half, angular or linear: weight times the error, and minus weight times K J.
static int rows_of(const limb_ik_goal* g, bool linear, sp_vec3 error, sp_mat3 K, int nv, const sp_motion* J, double* e,
                   double* A)
{
  const unsigned directions = linear ? g->task.directions >> 3 : g->task.directions & LIMB_ANGULAR;
  const double weight = linear ? g->linear : g->angular, x[3] = {error.x, error.y, error.z};
  int count = 0;
  for (int k = 0; k < 3; k++) {
    if (!(directions >> k & 1)) continue;
    const sp_vec3 row = sp_scale3(-weight, sp_v3(K.m[3 * k], K.m[3 * k + 1], K.m[3 * k + 2]));
    double* out = A + (ptrdiff_t)count * nv;
    for (int j = 0; j < nv; j++) out[j] = sp_dot3(row, linear ? J[j].v : J[j].w);
    e[count++] = weight * x[k];
  }
  return count;
}

int limb_ik_goal_rows(const limb_ik_goal* g, const sp_pose* target, const sp_pose* at, int nv, const sp_motion* J,
                      double* e, double* A)
{
  int count = 0;
  if (g->task.directions & LIMB_ANGULAR) {
    const turning x = rotation_error(g, target, at);
    count = rows_of(g, false, x.r, x.K, nv, J, e, A);
  }
  const sp_mat3 K = g->task.ref == LIMB_BODY ? sp_transpose3(target->R) : sp_identity3();
  return count + rows_of(g, true, linear_error(g, target, at), K, nv, J, e + count, A + (ptrdiff_t)count * nv);
}
