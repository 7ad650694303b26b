// Joint coordinates: from the user's vectors to what the kernels work on, and back.
//
//   coordinate of link i     mult q + off; its sine and cosine; of a ball or free joint rotation and offset
//   compiled order           velocities, accelerations and forces by compiled degrees of freedom; a mimic joint has
//                            mult times the user's velocity, and adds mult times its force to the user's
//
// Cost O(nlink).
#ifndef LIMB_KERNEL_COORDINATES_H
#define LIMB_KERNEL_COORDINATES_H

#include "kernel/joint_transform.h"

// Rotation of a quaternion of any norm, and the joint's offset.
KERNEL pose ball_or_free_pose(int joint_class, const limb_model* m, int aux, const real* q)
{
  const sp_pose* X = &m->aux_pose[aux];
  const real* u = joint_class == CLASS_FREE ? q + 3 : q;
  const real x = u[0], y = u[1], z = u[2], w = u[3];
  const real norm = add(dot2(x, x, y, y), dot2(z, z, w, w));
  const real t = over(number(constant(2)), norm);
  const real tx = mul(t, x), ty = mul(t, y), tz = mul(t, z);
  const mat3 Q = {sub(one(), dot2(ty, y, tz, z)), det2(tx, y, tz, w), dot2(tx, z, ty, w), dot2(tx, y, tz, w),
                  sub(one(), dot2(tx, x, tz, z)), det2(ty, z, tx, w), det2(tx, z, ty, w), dot2(ty, z, tx, w),
                  sub(one(), dot2(tx, x, ty, y))};
  const mat3 R0 = given_matrix(X->R.m);
  vec3 p = given3(X->p.x, X->p.y, X->p.z);
  if (joint_class == CLASS_FREE) p = add3(p, mulv(R0, v3(q[0], q[1], q[2])));
  return (pose){mulM(R0, Q), p};
}

// Joint coordinate of link i: mult q + off.
KERNEL real coordinate(context ctx, const real* user, int i)
{
  return plus(ctx.k[i].off, scale(ctx.k[i].mult, user[ctx.m->link[i].q]));
}

#ifdef BLOCKS_OF_ANGLES
// Joint coordinates of a block of links whose coordinates are the user's, in order; zeros behind the last.
// Needs the numbers of the dof table.
KERNEL limb_vec_f64 angles_in_order(const limb_model* m, const real* user, int i)
{
  const double* given = m->given + limb_dof_table_at(i, GIVEN_COUNT);
  const int lanes = LIMB_SINCOS_LANES_F64, left = m->nlink - i;
  limb_vec_f64 x = {0}, mult, off;
  memcpy(&mult, given + (ptrdiff_t)GIVEN_MULT * LIMB_LANES_MAX, sizeof mult);
  memcpy(&off, given + (ptrdiff_t)GIVEN_OFF * LIMB_LANES_MAX, sizeof off);
  if (left >= lanes) {
    memcpy(&x, user + i, sizeof x);
  } else {
    for (int l = 0; l < lanes - 1; l++) x[l] = l < left ? user[i + l] : 0;
  }
  return off + mult * x;
}

// Angles go to the sincos in registers: written to memory one by one and read back as a vector they
// would wait for the stores. Lanes behind the last link repeat it, or are zero.
KERNEL limb_vec_f64 angles_one_by_one(context ctx, const real* user, int i)
{
  const int n = ctx.m->nlink;
  limb_vec_f64 x = {0};
  for (int l = 0; l < LIMB_SINCOS_LANES_F64; l++) {
    x[l] = coordinate(ctx, user, i + l < n ? i + l : n - 1);
  }
  return x;
}

KERNEL void load_angles(context ctx, const real* user, real* q, real* s, real* c)
{
  const limb_model* m = ctx.m;
  const bool in_order = m->identity && !m->mixed && m->given;
  unsigned beyond = 0;
  for (int i = 0; i < m->nlink; i += LIMB_SINCOS_LANES_F64) {
    limb_vec_f64 sx, cx;
    const limb_vec_f64 x = in_order ? angles_in_order(m, user, i) : angles_one_by_one(ctx, user, i);
    beyond |= limb_sincos_block_f64(x, &sx, &cx);
    memcpy(q + i, &x, sizeof x);
    memcpy(s + i, &sx, sizeof sx);
    memcpy(c + i, &cx, sizeof cx);
  }
  if (__builtin_expect(beyond != 0, 0)) limb_sincos_far_f64(m->nlink, q, s, c);
}
#else
KERNEL void load_angles(context ctx, const real* user, real* q, real* s, real* c)
{
  for (int i = 0; i < ctx.m->nlink; i++) q[i] = coordinate(ctx, user, i);
  sines(ctx.m->nlink, q, s, c);
}
#endif

// Of a joint that is no rotation: what stands in for the sine and cosine, and the pose of a dense one.
KERNEL void load_other(context ctx, const real* user, int i)
{
  const limb_link* link = link_of(ctx, i);
  real *c = ctx.ws->c, *s = ctx.ws->s;
  if (link->joint_class == CLASS_TRANS) c[i] = number(ctx.k[i].ct), s[i] = number(ctx.k[i].st);
  if (!is_dense(link->joint_class)) return;
  dense_poses(ctx)[link->aux] = ball_or_free_pose(link->joint_class, ctx.m, link->aux, user + link->q);
  if (!ctx.m->has_ball_springs) return;
  const real* from = user + ctx.m->quaternion[link->aux];
  real* to = (real*)ctx.ws->quaternions + 4 * (ptrdiff_t)link->aux;
  for (int x = 0; x < 4; x++) to[x] = from[x];
}

#ifdef BLOCKS_OF_ANGLES
enum { SOME_LINKS = LIMB_SINCOS_LANES_F64 };

// Sines and cosines of the coordinates of some links, which go to the sincos in registers as above.
KERNEL void sines_of_some(context ctx, const real* user, const int* link, int count, real* q, real* s, real* c)
{
  limb_vec_f64 x = {0}, sx, cx;
  for (int l = 0; l < SOME_LINKS; l++) x[l] = coordinate(ctx, user, link[l < count ? l : 0]);
  const unsigned beyond = limb_sincos_block_f64(x, &sx, &cx);
  memcpy(q, &x, sizeof x), memcpy(s, &sx, sizeof sx), memcpy(c, &cx, sizeof cx);
  if (__builtin_expect(beyond != 0, 0)) limb_sincos_far_f64(count, q, s, c);
}
#else
enum { SOME_LINKS = 8 };

KERNEL void sines_of_some(context ctx, const real* user, const int* link, int count, real* q, real* s, real* c)
{
  for (int l = 0; l < count; l++) q[l] = coordinate(ctx, user, link[l]);
  sines(count, q, s, c);
}
#endif

// The same as load_coordinates() for up to SOME_LINKS links.
KERNEL void load_some(context ctx, const real* user, const int* link, int count)
{
  real *q = ctx.ws->q, *c = ctx.ws->c, *s = ctx.ws->s;
  real x[SOME_LINKS], sine[SOME_LINKS], cosine[SOME_LINKS];
  sines_of_some(ctx, user, link, count, x, sine, cosine);
  for (int l = 0; l < count; l++) {
    const int i = link[l];
    q[i] = x[l], c[i] = cosine[l], s[i] = sine[l];
    if (ctx.m->mixed) load_other(ctx, user, i);
  }
}

// Fills q, c, s and the poses of dense joints in the workspace from the user's coordinates.
KERNEL_PASS void load_coordinates(const limb_model* m, const link_const* k, const limb_ws* ws, const real* user)
{
  const context ctx = {m, k, ws};
  real *q = ctx.ws->q, *c = ctx.ws->c, *s = ctx.ws->s;
  load_angles(ctx, user, q, s, c);
  for (int i = 0; i < m->nlink && m->mixed; i++) load_other(ctx, user, i);
}

// The user's velocities or accelerations in compiled order; the user's own array where that is it.
KERNEL const real* in_compiled_order(const limb_model* m, const real* user, real* buffer)
{
  if (m->identity) return user;
  for (int c = 0; c < m->ncdof; c++) {
    const limb_dof* dof = &m->dof[c];
    buffer[c] = settled(scale(parameter(dof->mult), user[dof->v]));
  }
  return buffer;
}

// Zeros in compiled order, in the buffer of accelerations.
KERNEL const real* no_acceleration(context ctx)
{
  real* a = ctx.ws->a;
  for (int c = 0; c < ctx.m->ncdof; c++) a[c] = zero();
  return a;
}

// Forces in compiled order, handed to the user's coordinates: tau = G' tau_compiled.
KERNEL void in_user_order(const limb_model* m, const real* compiled, real* user)
{
  for (int k = 0; k < m->nv; k++) user[k] = zero();
  for (int c = 0; c < m->ncdof; c++) {
    const limb_dof* dof = &m->dof[c];
    user[dof->v] = add(user[dof->v], settled(scale(parameter(dof->mult), compiled[c])));
  }
}

#endif
