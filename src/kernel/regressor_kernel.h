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
//   J_k       s         axis k: a body's velocity per unit of v_k, in the axes of the root link, at its origin
//
// What moves a body is f = m a + U h, n = h x a + I al + w x I w in its own axes; by parameters:
//
//   m     f = a,            n = 0
//   h_k   f = U e_k,        n = e_k x a
//   I_k   f = 0,            n = N_k: the moment that entry k of I needs
//
// Turned into the axes of the root link and moved to its origin, a row is s_v . f + s_w . n.
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

// Component k of the six rows of terms (kernel/lane_matrix_kernel.h). What is always zero stays so.
KERNEL void put_term(real* terms, int k, int row, real x) { terms[row * BODY_ROW + k] = x; }

KERNEL void put_term3(real* terms, int k, int row, vec3 x)
{
  put_term(terms, k, row, x.x), put_term(terms, k, row + 1, x.y), put_term(terms, k, row + 2, x.z);
}

// From motions in the body's axes.
KERNEL void body_terms_of(vec3 w, vec3 al, vec3 a, real* terms)
{
  enum { NX, NY, NZ, F };
  const mat3 U = spin(w, al);
  const real xy = mul(w.x, w.y), xz = mul(w.x, w.z), yz = mul(w.y, w.z);
  const vec3 N[6] = {
    v3(al.x, xz, neg(xy)), v3(neg(U.zx), U.zy, det2(w.x, w.x, w.y, w.y)), v3(U.yx, det2(w.z, w.z, w.x, w.x), neg(U.yz)),
    v3(neg(yz), al.y, xy), v3(det2(w.y, w.y, w.z, w.z), neg(U.xy), U.xz), v3(yz, neg(xz), al.z)};
  put_term3(terms, 0, F, a);
  put_term3(terms, 1, F, column_x(U)), put_term(terms, 1, NY, neg(a.z)), put_term(terms, 1, NZ, a.y); // e x a
  put_term3(terms, 2, F, column_y(U)), put_term(terms, 2, NX, a.z), put_term(terms, 2, NZ, neg(a.x));
  put_term3(terms, 3, F, column_z(U)), put_term(terms, 3, NX, neg(a.y)), put_term(terms, 3, NY, a.x);
  for (int k = 0; k < 6; k++) put_term3(terms, 4 + k, NX, N[k]);
}

// What the columns of a body are made of.
typedef struct body_term {
  real terms[6 * BODY_ROW]; // its axes and origin
  pose X;                   // in the root link
} body_term;

KERNEL void body_terms(context ctx, const limb_body* body, body_term* out)
{
  const link_state* own = &state_of_links(ctx)[body->link];
  const pose in = given_pose(&body->in_link);
  const vec3 a = add3(own->x.a, mulv(spin(own->x.w, own->x.al), in.p));
  out->X = compose(own->X, in);
  body_terms_of(tmulv(in.R, own->x.w), tmulv(in.R, own->x.al), tmulv(in.R, a), out->terms);
}

// Axes of all dofs, in ws->columns.
KERNEL motion* put_dof_axes(context ctx)
{
  const limb_model* m = ctx.m;
  const link_state* links = state_of_links(ctx);
  motion* axes = ctx.ws->columns;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    for (int r = 0; r < link->ndof; r++) {
      const par mult = parameter(m->dof[link->dof + r].mult);
      const motion S = link_axis(link, &ctx.k[i], &links[i].X, r, zero3());
      axes[link->dof + r] = (motion){kscale3(mult, S.w), kscale3(mult, S.v)};
    }
  }
  return axes;
}

enum { SOME_AXES = 32 };

// The ten columns of one body, row by row, from its link to the world. False: something is not finite.
KERNEL bool body_columns(const limb_model* m, const limb_body* body, const body_term* x, const motion* axes, int np,
                         real* Y)
{
  int dof[SOME_AXES], count = 0;
  ptrdiff_t at[SOME_AXES];
  bool fine = true;
  for (int i = body->link; i >= 0; i = m->link[i].parent) {
    for (int r = 0; r < m->link[i].ndof; r++) {
      dof[count] = m->link[i].dof + r;
      at[count] = (ptrdiff_t)m->dof[dof[count]].v * np;
      if (++count < SOME_AXES) continue;
      fine &= LANE_KERNELS.body_rows(x->terms, &x->X.R.xx, &axes[0].w.x, dof, at, count, m->has_mimic, Y);
      count = 0;
    }
  }
  return LANE_KERNELS.body_rows(x->terms, &x->X.R.xx, &axes[0].w.x, dof, at, count, m->has_mimic, Y) && fine;
}

// Of all bodies, from *Y on, which moves on. The terms of a body are made before the columns of the one before: they
// are written number by number and read as vectors, which would wait.
KERNEL bool columns_of_bodies(context ctx, int np, real** Y)
{
  const limb_model* m = ctx.m;
  const motion* axes = put_dof_axes(ctx);
  const limb_body* last = NULL;
  body_term x[2];
  int now = 0;
  bool fine = true;
  for (int k = 0; k < 6 * BODY_ROW; k++) x[0].terms[k] = x[1].terms[k] = zero();
  for (int b = 0; b <= m->nbody; b++) {
    if (b < m->nbody && !limb_has_parameters(m, b)) continue;
    if (b < m->nbody) body_terms(ctx, &m->body[b], &x[now]);
    now = !now;
    if (last) {
      fine &= body_columns(m, last, &x[now], axes, np, *Y);
      *Y += LIMB_BODY_PARAMETERS;
    }
    last = &m->body[b];
  }
  return fine;
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
  const bool fine = columns_of_bodies(ctx, np, &at);
  return (at == Y + np || actuator_columns(m, in, np, at)) && fine; // of a batch the other states are to be complete
}

#endif
