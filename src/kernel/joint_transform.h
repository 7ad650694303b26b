// The transform across a joint, and what crosses it: vectors, forces, offsets; the joint's own freedom.
//
// The class of a joint (model/link.h) is a compile-time constant in each case of FOR_JOINT_CLASS, so that a twist of 90
// degrees or a zero offset costs nothing: the parameters that the class fixes are the constants 0 and 1 here, and the
// compiler removes what they multiply.
//
//   P     pose of the link in its parent:   p . Z(gamma) . X(alpha) . z-slide . Z(theta),  or (R, p) if dense
//   o     origin of the link in its parent
//   R     rotation of the link in its parent: to_link is R' v, to_parent is R v
//
// A dense joint is a ball or a free one: its transform is a whole matrix.
#ifndef LIMB_KERNEL_JOINT_TRANSFORM_H
#define LIMB_KERNEL_JOINT_TRANSFORM_H

#include "kernel/context.h"

#include <stdbool.h>

// ---- one case per joint class ----------------------------------------------------------------------

// Runs a statement, the step of a link, in which CLASS is the joint class:
//
//   FOR_JOINT_CLASS(link->joint_class, x = step_of(CLASS, ctx, i, x));
#define FOR_JOINT_CLASS(joint_class, ...)                          \
  switch (joint_class) {                                           \
    JOINT_CASE(case 0, 0, __VA_ARGS__)                             \
    JOINT_CASE(case 1, 1, __VA_ARGS__)                             \
    JOINT_CASE(case 2, 2, __VA_ARGS__)                             \
    JOINT_CASE(case 3, 3, __VA_ARGS__)                             \
    JOINT_CASE(case 4, 4, __VA_ARGS__)                             \
    JOINT_CASE(case 5, 5, __VA_ARGS__)                             \
    JOINT_CASE(case 6, 6, __VA_ARGS__)                             \
    JOINT_CASE(case 7, 7, __VA_ARGS__)                             \
    JOINT_CASE(case CLASS_ROT_TWIST, CLASS_ROT_TWIST, __VA_ARGS__) \
    JOINT_CASE(case CLASS_ROT_ANY, CLASS_ROT_ANY, __VA_ARGS__)     \
    OTHER_JOINT_CASES(__VA_ARGS__)                                 \
    JOINT_CASE(default, CLASS_FREE, __VA_ARGS__)                   \
  }

// The same with one case for all rotations, for scalars with long operations: a case of its own for every twist and
// offset makes five times the code and saves little there.
#define FOR_FEW_JOINT_CLASSES(joint_class, ...)          \
  switch (joint_class) {                                 \
    OTHER_JOINT_CASES(__VA_ARGS__)                       \
    JOINT_CASE(case CLASS_FREE, CLASS_FREE, __VA_ARGS__) \
    JOINT_CASE(default, CLASS_ROT_ANY, __VA_ARGS__)      \
  }

// The same for a link on the world, whose base frame leaves nothing but the joint.
#define FOR_ROOT_JOINT_CLASS(joint_class, ...)           \
  switch (joint_class) {                                 \
    OTHER_JOINT_CASES(__VA_ARGS__)                       \
    JOINT_CASE(case CLASS_FREE, CLASS_FREE, __VA_ARGS__) \
    JOINT_CASE(default, CLASS_ROT, __VA_ARGS__)          \
  }

#define OTHER_JOINT_CASES(...)                           \
  JOINT_CASE(case CLASS_TRANS, CLASS_TRANS, __VA_ARGS__) \
  JOINT_CASE(case CLASS_SCREW, CLASS_SCREW, __VA_ARGS__) \
  JOINT_CASE(case CLASS_BALL, CLASS_BALL, __VA_ARGS__)

#define JOINT_CASE(label, joint_class, ...) \
  label : {                                 \
    enum { CLASS = joint_class };           \
    __VA_ARGS__;                            \
  } break;

// Scalars that remove by themselves what the class fixes ask for one case at run time. WITHIN_CASE marks where it
// begins and ends.
#ifdef JOINT_CLASS_AT_RUN_TIME
#ifndef WITHIN_CASE
#define WITHIN_CASE(...) __VA_ARGS__
#endif
#undef FOR_JOINT_CLASS
#undef FOR_FEW_JOINT_CLASSES
#undef FOR_ROOT_JOINT_CLASS
#define FOR_JOINT_CLASS(joint_class, ...) \
  {                                       \
    const int CLASS = (joint_class);      \
    WITHIN_CASE(__VA_ARGS__;)             \
  }
#define FOR_FEW_JOINT_CLASSES FOR_JOINT_CLASS
#define FOR_ROOT_JOINT_CLASS  FOR_JOINT_CLASS
#elif defined(LIMB_QUICK_KERNELS) || defined(FEW_JOINT_CLASSES)
#undef FOR_JOINT_CLASS
#define FOR_JOINT_CLASS FOR_FEW_JOINT_CLASSES
#endif

KERNEL bool is_turning(int joint_class) { return joint_class <= CLASS_ROT_ANY || joint_class == CLASS_SCREW; }
KERNEL bool is_sliding(int joint_class) { return joint_class == CLASS_TRANS || joint_class == CLASS_SCREW; }
KERNEL bool is_dense(int joint_class) { return joint_class >= CLASS_BALL; }
KERNEL int dofs_of(int joint_class) { return joint_class == CLASS_FREE ? 6 : joint_class == CLASS_BALL ? 3 : 1; }

typedef struct joint_transform {
  int joint_class;
  par ca, sa, cg, sg;
  par d;     // constant slide along the own z
  kvec3 p;   // shift after all turns, parent axes
  kvec3 o;   // whole constant offset of the origin, parent axes
  real c, s; // cosine and sine of theta
  real r;    // variable slide along the own z
  pose X;    // dense only
} joint_transform;

// Across the joint of link i. Needs the coordinates loaded (kernel/coordinates.h).
KERNEL joint_transform joint_transform_of(int joint_class, context ctx, int i)
{
  joint_transform P = {.joint_class = joint_class};
  if (is_dense(joint_class)) {
    P.X = dense_poses(ctx)[link_of(ctx, i)->aux];
    return P;
  }
  const link_const* k = &ctx.k[i];
  const real *q = ctx.ws->q, *c = ctx.ws->c, *s = ctx.ws->s;
  const par zero = constant(0), one = constant(1);
  P.c = c[i], P.s = s[i];
  P.ca = k->ca, P.sa = k->sa;
  P.o = (kvec3){k->px, k->py, k->pz};
  if (joint_class < CLASS_ROT_ANY) {
    const bool square = joint_class < CLASS_ROT_TWIST, crossed = joint_class & 4;
    const bool has_a = !square || joint_class & 2, has_d = !square || joint_class & 1;
    if (square) P.ca = crossed ? zero : one, P.sa = crossed ? one : zero;
    P.cg = one, P.sg = zero;
    P.d = has_d ? k->d : zero;
    P.p = (kvec3){has_a ? k->a : zero, zero, zero};
    if (!has_a) P.o.x = zero;
    if (!has_d || (square && !crossed)) P.o.y = zero;
    if (!has_d || (square && crossed)) P.o.z = zero;
    return P;
  }
  P.cg = k->cg, P.sg = k->sg;
  P.d = zero;
  P.p = P.o;
  if (joint_class == CLASS_TRANS) P.r = q[i];
  if (joint_class == CLASS_SCREW) P.r = scale(k->pitch, q[i]);
  return P;
}

// Components in the parent -> components in the link, and back.
KERNEL vec3 to_link(const joint_transform* P, vec3 v)
{
  if (is_dense(P->joint_class)) return tmulv(P->X.R, v);
  return back_z(P->c, P->s, kback_x(P->ca, P->sa, kback_z(P->cg, P->sg, v)));
}

KERNEL vec3 to_parent(const joint_transform* P, vec3 v)
{
  if (is_dense(P->joint_class)) return mulv(P->X.R, v);
  return kturn_z(P->cg, P->sg, kturn_x(P->ca, P->sa, turn_z(P->c, P->s, v)));
}

// The same added to a sum.
KERNEL vec3 add_to_link(vec3 sum, const joint_transform* P, vec3 v)
{
  if (is_dense(P->joint_class)) return add3(sum, tmulv(P->X.R, v));
  return add_back_z(sum, P->c, P->s, kback_x(P->ca, P->sa, kback_z(P->cg, P->sg, v)));
}

KERNEL vec3 add_to_parent(vec3 sum, const joint_transform* P, vec3 v)
{
  if (is_dense(P->joint_class)) return add3(sum, mulv(P->X.R, v));
  if (P->joint_class < CLASS_ROT_ANY) return add_kturn_x(sum, P->ca, P->sa, turn_z(P->c, P->s, v));
  return add_kturn_z(sum, P->cg, P->sg, kturn_x(P->ca, P->sa, turn_z(P->c, P->s, v)));
}

// Origin of the link in the parent.
KERNEL vec3 offset(const joint_transform* P)
{
  if (is_dense(P->joint_class)) return P->X.p;
  vec3 o = number3(P->o);
  if (is_sliding(P->joint_class)) { // p + r z, z = (sg sa, -cg sa, ca)
    const real y = scale(P->sa, P->r);
    o = add3(o, v3(scale(P->sg, y), neg(scale(P->cg, y)), scale(P->ca, P->r)));
  }
  return o;
}

// A o, and a x o, for the offset o.
KERNEL vec3 times_offset(const joint_transform* P, mat3 A)
{
  if (is_dense(P->joint_class) || is_sliding(P->joint_class)) return mulv(A, offset(P));
  return mulk(A, P->o);
}

KERNEL vec3 cross_offset(const joint_transform* P, vec3 a)
{
  if (is_dense(P->joint_class) || is_sliding(P->joint_class)) return cross3(a, offset(P));
  return crossk3(a, P->o);
}

// A force given in the link, at its origin, expressed in the parent, at the parent's origin.
KERNEL force force_to_parent(const joint_transform* P, force F)
{
  if (is_dense(P->joint_class)) {
    const vec3 f = mulv(P->X.R, F.f);
    return (force){add3(mulv(P->X.R, F.n), cross3(P->X.p, f)), f};
  }
  vec3 f = turn_z(P->c, P->s, F.f), n = turn_z(P->c, P->s, F.n);
  if (is_sliding(P->joint_class)) n = add_z_cross(n, P->r, f);
  n = kadd_z_cross(n, P->d, f);
  f = kturn_z(P->cg, P->sg, kturn_x(P->ca, P->sa, f));
  n = kturn_z(P->cg, P->sg, kturn_x(P->ca, P->sa, n));
  return (force){add3(n, kcross3(P->p, f)), f};
}

// sum + a x o; the turning about z, which a recursion may learn last, comes last.
KERNEL vec3 add_cross_offset(vec3 sum, const joint_transform* P, vec3 a)
{
  const vec3 o = is_dense(P->joint_class) || is_sliding(P->joint_class) ? offset(P) : number3(P->o);
  return v3(msub(madd(sum.x, a.y, o.z), a.z, o.y), madd(msub(sum.y, a.x, o.z), a.z, o.x),
            msub(madd(sum.z, a.x, o.y), a.y, o.x));
}

KERNEL vec3 offset_cross(const joint_transform* P, vec3 a)
{
  if (is_dense(P->joint_class) || is_sliding(P->joint_class)) return cross3(offset(P), a);
  return kcross3(P->o, a);
}

// The same added to a force on the parent. Of the sum's moment, what its own force would add through the
// offset is taken off first, so that the recursion passes few operations:
//   f = f_sum + R f',   n = (n_sum - o x f_sum) + o x f + R n'
KERNEL force add_force_to_parent(force sum, const joint_transform* P, force F)
{
  const vec3 f = add_to_parent(sum.f, P, F.f);
  const vec3 before = sub3(sum.n, offset_cross(P, sum.f));
  return (force){add_to_parent(add3(before, offset_cross(P, f)), P, F.n), f};
}

// ---- the joint's own freedom ----------------------------------------------------------------------

// S' F: what the joint's actuators feel of a force on the link.
KERNEL void project(int joint_class, const link_const* k, force F, real* tau)
{
  if (joint_class == CLASS_FREE) {
    tau[0] = F.n.x, tau[1] = F.n.y, tau[2] = F.n.z;
    tau[3] = F.f.x, tau[4] = F.f.y, tau[5] = F.f.z;
  } else if (joint_class == CLASS_BALL) {
    tau[0] = F.n.x, tau[1] = F.n.y, tau[2] = F.n.z;
  } else if (joint_class == CLASS_TRANS) {
    tau[0] = F.f.z;
  } else if (joint_class == CLASS_SCREW) {
    tau[0] = kmadd(F.n.z, k->pitch, F.f.z);
  } else {
    tau[0] = F.n.z;
  }
}

// The same of a joint with one degree of freedom.
KERNEL real project_axis(int joint_class, const link_const* k, force F)
{
  real tau[6];
  project(joint_class, k, F, tau);
  return tau[0];
}

// Regrouped inertia of a link; what the class has moved to the parent is the constant zero.
typedef struct moments {
  par m, hx, hy, hz, xx, xy, xz, yy, yz, zz;
} moments;

KERNEL moments moments_of(int joint_class, const link_const* k)
{
  const par zero = constant(0);
  moments s = {k->m, k->hx, k->hy, k->hz, k->xx, k->xy, k->xz, k->yy, k->yz, k->zz};
  if (joint_class <= CLASS_ROT_ANY) s.m = s.hz = s.zz = zero;
  if (joint_class == CLASS_TRANS) s.xx = s.xy = s.xz = s.yy = s.yz = s.zz = zero;
  if (joint_class == CLASS_BALL) s.m = zero;
  return s;
}

#endif
