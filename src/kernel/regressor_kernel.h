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

#include "kernel/kinematics_kernel.h"
#include "kernel/rnea_kernel.h"

typedef struct link_state {
  pose X;  // in the root link
  state x; // link axes and origin
} link_state;

_Static_assert(sizeof(link_state) <= LIMB_WS_ARTIC * sizeof(real), "ws->artic holds them");

// The force and the moment that a unit of each parameter of a body needs: axes of the root link, origin of the body.
// Only mass and first moments need forces, and the mass no moment.
enum { BY_FORCE = 4 };

typedef struct body_terms {
  real f[3][BY_FORCE], n[3][LIMB_BODY_PARAMETERS];
} body_terms;

// Needs the coordinates loaded; v and a in compiled order.
KERNEL link_state link_state_step(int joint_class, context ctx, int i, const state* from, const pose* X, const real* v,
                                  const real* a)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  const mat3 U = spin(from->w, from->al);
  const state x = move_on(&P, &ctx.k[i], from, U, v, a);
  return (link_state){X ? moved_pose(*X, &P) : no_pose(), x};
}

KERNEL link_state* state_of_links(context ctx) { return ctx.ws->artic; }

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

KERNEL void put_term(real (*to)[BY_FORCE], int k, vec3 x) { to[0][k] = x.x, to[1][k] = x.y, to[2][k] = x.z; }
KERNEL void put_moment(body_terms* b, int k, vec3 x) { b->n[0][k] = x.x, b->n[1][k] = x.y, b->n[2][k] = x.z; }

// From motions in axes that R turns into those of the root link.
KERNEL body_terms body_terms_of(mat3 R, vec3 w, vec3 al, vec3 a)
{
  const mat3 U = spin(w, al), V = mulM(R, U);
  const real xy = mul(w.x, w.y), xz = mul(w.x, w.z), yz = mul(w.y, w.z);
  const vec3 N[9] = {v3(zero(), neg(a.z), a.y), // e x a
                     v3(a.z, zero(), neg(a.x)),
                     v3(neg(a.y), a.x, zero()),
                     v3(al.x, xz, neg(xy)), // xx xy xz yy yz zz
                     v3(neg(U.zx), U.zy, det2(w.x, w.x, w.y, w.y)),
                     v3(U.yx, det2(w.z, w.z, w.x, w.x), neg(U.yz)),
                     v3(neg(yz), al.y, xy),
                     v3(det2(w.y, w.y, w.z, w.z), neg(U.xy), U.xz),
                     v3(yz, neg(xz), al.z)};
  body_terms b;
  put_term(b.f, 0, mulv(R, a));
  put_term(b.f, 1, column_x(V)), put_term(b.f, 2, column_y(V)), put_term(b.f, 3, column_z(V));
  put_moment(&b, 0, zero3());
  for (int k = 0; k < 9; k++) put_moment(&b, 1 + k, mulv(R, N[k]));
  return b;
}

// s_v . f + s_w . n, put or, with mimic joints, added. sums: of all that was put in a column, not finite when something
// of it is not.
KERNEL void put_force_row(const limb_model* m, motion s, const body_terms* b, real* sums, real* row)
{
  real y[LIMB_BODY_PARAMETERS];
  for (int k = 0; k < LIMB_BODY_PARAMETERS; k++)
    y[k] = madd(madd(mul(s.w.x, b->n[0][k]), s.w.y, b->n[1][k]), s.w.z, b->n[2][k]);
  for (int k = 0; k < BY_FORCE; k++)
    y[k] = madd(madd(madd(y[k], s.v.x, b->f[0][k]), s.v.y, b->f[1][k]), s.v.z, b->f[2][k]);
  for (int k = 0; k < LIMB_BODY_PARAMETERS; k++) sums[k] = add(sums[k], y[k]);
  for (int k = 0; k < LIMB_BODY_PARAMETERS; k++) row[k] = m->has_mimic ? add(row[k], y[k]) : y[k];
}

// The ten columns of one body, row by row, from its link to the world.
KERNEL void body_columns(context ctx, const limb_body* body, int np, real* sums, real* Y)
{
  const limb_model* m = ctx.m;
  const link_state* links = state_of_links(ctx);
  const link_state* own = &links[body->link];
  const pose in = given_pose(&body->in_link), X = compose(own->X, in);
  const vec3 a = add3(own->x.a, mulv(spin(own->x.w, own->x.al), in.p));
  const body_terms b = body_terms_of(X.R, tmulv(in.R, own->x.w), tmulv(in.R, own->x.al), tmulv(in.R, a));
  for (int i = body->link; i >= 0; i = m->link[i].parent) {
    for (int r = 0; r < m->link[i].ndof; r++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + r];
      const motion S = link_axis(&m->link[i], &ctx.k[i], &links[i].X, r, X.p);
      const par mult = parameter(dof->mult);
      const motion s = {kscale3(mult, S.w), kscale3(mult, S.v)};
      put_force_row(m, s, &b, sums, Y + (ptrdiff_t)dof->v * np);
    }
  }
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
  real *at = Y, sums[LIMB_BODY_PARAMETERS];
  for (int i = 0; i < LIMB_BODY_PARAMETERS; i++) sums[i] = zero();
  for (int b = 0; b < m->nbody; b++) {
    if (!limb_has_parameters(m, b)) continue;
    body_columns(ctx, &m->body[b], np, sums, at);
    at += LIMB_BODY_PARAMETERS;
  }
  const bool fine = !any_nonfinite_input(LIMB_BODY_PARAMETERS, sums);
  return (at == Y + np || actuator_columns(m, in, np, at)) && fine; // of a batch the other states are to be complete
}

#endif
