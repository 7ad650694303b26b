// Regressor of inverse dynamics: the matrix Y with Y theta = tau.
//
// Reference: C. Atkeson, C. An, J. Hollerbach, Estimation of inertial parameters of manipulator loads and
//            links, Int. J. Robotics Research 5(3), 1986; W. Khalil, E. Dombre, Modeling, identification
//            and control of robots, 2002, chapter 9 (rotors, friction).
// Cost:      O(n depth): every body on every axis between it and the world.
//
//   paper     code      meaning
//   w, w'     w, al     angular velocity and acceleration of a body, its axes
//   p'' - g   a         acceleration of its origin less gravity
//   U         U         [al] + [w][w] (rnea_kernel.h)
//   J_k       s         axis k: the body's velocity per unit of v_k, root link's axes, body's origin
//
// What moves the body is f = m a + U h, n = h x a + I al + w x I w; a row is s_v . f + s_w . n by parameters:
//
//   m     s_v . a
//   h     U' s_v + a x s_w
//   I     s_w . N_k,      N_k the moment that entry k of I needs
//
// A joint coordinate is mult times the user's (mimic joints), and so is what its axis adds to the user's row.
// Poses are those in the root link of the tree, so that a robot far from the world's origin keeps its digits.
#ifndef LIMB_KERNEL_REGRESSOR_KERNEL_H
#define LIMB_KERNEL_REGRESSOR_KERNEL_H

#include "limb/regressor.h"

#include "kernel/derivative_kernel.h"

typedef struct link_state {
  pose X;  // in the root link
  state x; // link axes and origin
} link_state;

_Static_assert(sizeof(link_state) <= LIMB_WS_LINK * sizeof(real), "ws->aba holds them");

// Needs the coordinates loaded; v and a in compiled order.
KERNEL link_state link_state_step(int joint_class, context ctx, int i, const state* from, const pose* X, const real* v,
                                  const real* a)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  const mat3 U = spin(from->w, from->al);
  const state x = move_on(&P, &ctx.k[i], from, U, v, a);
  return (link_state){X ? moved_pose(*X, &P) : no_pose(), x};
}

KERNEL link_state* state_of_links(context ctx) { return ctx.ws->aba; }

KERNEL void link_states(context ctx, const real* v, const real* a)
{
  link_state* out = state_of_links(ctx);
  for (int i = 0; i < ctx.m->nlink; i++) {
    const limb_link* link = link_of(ctx, i);
    const int p = link->parent, dof = link->dof;
    const state from = p < 0 ? base_state(ctx, link->root) : out[p].x;
    const pose* X = p < 0 ? NULL : &out[p].X;
    FOR_FEW_JOINT_CLASSES(link->joint_class, out[i] = link_state_step(CLASS, ctx, i, &from, X, v + dof, a + dof))
  }
}

// Component k of the six rows of terms (kernel/lane_matrix_kernel.h).
KERNEL void put_terms(real* terms, int k, vec3 n, vec3 f)
{
  const real x[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
  for (int r = 0; r < 6; r++) terms[r * BODY_ROW + k] = x[r];
}

// From motions in axes that R turns into those of the root link.
KERNEL void body_terms_of(mat3 R, vec3 w, vec3 al, vec3 a, real* terms)
{
  const mat3 U = spin(w, al), V = mulM(R, U);
  const real xy = mul(w.x, w.y), xz = mul(w.x, w.z), yz = mul(w.y, w.z);
  const vec3 N[6] = {
    v3(al.x, xz, neg(xy)), v3(neg(U.zx), U.zy, det2(w.x, w.x, w.y, w.y)), v3(U.yx, det2(w.z, w.z, w.x, w.x), neg(U.yz)),
    v3(neg(yz), al.y, xy), v3(det2(w.y, w.y, w.z, w.z), neg(U.xy), U.xz), v3(yz, neg(xz), al.z)};
  put_terms(terms, 0, zero3(), mulv(R, a));
  put_terms(terms, 1, mulv(R, v3(zero(), neg(a.z), a.y)), column_x(V)); // e x a
  put_terms(terms, 2, mulv(R, v3(a.z, zero(), neg(a.x))), column_y(V));
  put_terms(terms, 3, mulv(R, v3(neg(a.y), a.x, zero())), column_z(V));
  for (int k = 0; k < 6; k++) put_terms(terms, 4 + k, mulv(R, N[k]), zero3());
}

enum { SOME_AXES = 32 };

// The ten columns of one body, row by row, from its link to the world. False: something is not finite.
KERNEL bool body_columns(context ctx, const limb_body* body, int np, real* Y)
{
  const limb_model* m = ctx.m;
  const link_state* links = state_of_links(ctx);
  const link_state* own = &links[body->link];
  const pose in = given_pose(&body->in_link), X = compose(own->X, in);
  const vec3 a = add3(own->x.a, mulv(spin(own->x.w, own->x.al), in.p));
  real terms[6 * BODY_ROW];
  motion axes[SOME_AXES];
  ptrdiff_t at[SOME_AXES];
  int count = 0;
  bool fine = true;
  for (int k = 0; k < 6 * BODY_ROW; k++) terms[k] = zero();
  body_terms_of(X.R, tmulv(in.R, own->x.w), tmulv(in.R, own->x.al), tmulv(in.R, a), terms);
  for (int i = body->link; i >= 0; i = m->link[i].parent) {
    for (int r = 0; r < m->link[i].ndof; r++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + r];
      const motion S = link_axis(&m->link[i], &ctx.k[i], &links[i].X, r, X.p);
      const par mult = parameter(dof->mult);
      axes[count] = (motion){kscale3(mult, S.w), kscale3(mult, S.v)};
      at[count++] = (ptrdiff_t)dof->v * np;
      if (count < SOME_AXES) continue;
      fine &= LANE_KERNELS.body_rows(terms, &axes[0].w.x, at, count, m->has_mimic, Y);
      count = 0;
    }
  }
  return LANE_KERNELS.body_rows(terms, &axes[0].w.x, at, count, m->has_mimic, Y) && fine;
}

// tau += mult (Ia q'' + Fv q' + Fs sign(q') + k q + offset), q = mult q_user + offset of the mimic joint
KERNEL void joint_columns(const limb_joint* joint, const motion_in* in, real* row)
{
  const par mult = parameter(joint->multiplier);
  const real rate = scale(mult, in->v[joint->v]);
  row[0] = scale(mult, scale(mult, in->x[joint->v]));
  if (in->terms->friction) {
    row[1] = scale(mult, rate);
    row[2] = scale(mult, sign_of(rate, in->terms->width));
  }
  row[3] = scale(mult, plus(parameter(joint->offset), scale(mult, in->q[joint->q])));
  row[4] = number(mult);
}

// tau -= T at the joint, tau += T / ratio at the motor; T = K x + D x' + offset, x = qm / ratio - q
KERNEL void shaft_columns(const limb_model* m, const limb_shaft_def* def, const motion_in* in, int np, real* Y)
{
  const limb_joint *joint = &m->joint[def->joint], *motor = &m->joint[def->motor];
  const par n = parameter(1 / def->ratio);
  const real twist = sub(scale(n, in->q[motor->q]), in->q[joint->q]);
  const real rate = sub(scale(n, in->v[motor->v]), in->v[joint->v]);
  const real column[LIMB_SHAFT_PARAMETERS] = {twist, in->terms->friction ? rate : zero(), one()};
  for (int i = 0; i < LIMB_SHAFT_PARAMETERS; i++) {
    Y[(ptrdiff_t)joint->v * np + i] = neg(column[i]);
    Y[(ptrdiff_t)motor->v * np + i] = scale(n, column[i]);
  }
}

// Of joints and shafts, behind the bodies'; false: something is not finite.
KERNEL bool actuator_columns(const limb_model* m, const motion_in* in, int np, real* Y)
{
  real *at = Y, *first = Y;
  for (int j = 0; j < m->njoint; j++) {
    if (!limb_has_actuator(m, j)) continue;
    joint_columns(&m->joint[j], in, at + (ptrdiff_t)m->joint[j].v * np);
    at += LIMB_JOINT_PARAMETERS;
  }
  for (int s = 0; s < m->nshaft; s++, at += LIMB_SHAFT_PARAMETERS) {
    shaft_columns(m, &m->shaft[s].def, in, np, at);
  }
  for (int i = 0; i < m->nv; i++) {
    if (any_nonfinite_input((int)(at - first), Y + (ptrdiff_t)i * np)) return false;
  }
  return true;
}

KERNEL_ENTRY bool set_regressor(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                                int np, real* Y)
{
  const context ctx = {m, k, ws};
  load_coordinates(m, k, ws, in->q);
  link_states(ctx, in_compiled_order(m, in->v, ws->v), in_compiled_order(m, in->x, ws->a));
  for (size_t i = 0; i < (size_t)m->nv * (size_t)np; i++) Y[i] = zero();
  real* at = Y;
  bool fine = true;
  for (int b = 0; b < m->nbody; b++) {
    if (!limb_has_parameters(m, b)) continue;
    fine &= body_columns(ctx, &m->body[b], np, at);
    at += LIMB_BODY_PARAMETERS;
  }
  return (at == Y + np || actuator_columns(m, in, np, at)) && fine; // of a batch the other states are to be complete
}

#endif
