// Inverse dynamics: recursive Newton-Euler algorithm in link axes.
//
// Reference: Khalil 2010, (18)-(31), as corrected in docs/books.md; inertial parameters regrouped
//            and twists specialised (model/link.h).
// Cost:      O(nlink), one pass out and one back.
//
//   paper        code      meaning
//   w_j          w         angular velocity of the link
//   dw_j         al        angular acceleration
//   dV_j         a         acceleration of the link's origin (classical); of the base: minus gravity
//   U_j          U         [al] + [w][w]: acceleration of a point r of the link is a + U r
//   F_j, M_j     N.f, N.n  inertial force and moment about the link's origin
//   f_j, m_j     F         what the joint must transmit
#ifndef LIMB_KERNEL_RNEA_KERNEL_H
#define LIMB_KERNEL_RNEA_KERNEL_H

#include "kernel/coordinates.h"
#include "kernel/cord_kernel.h"
#include "kernel/joint_transform.h"

typedef struct state {
  vec3 w, al, a;
} state;

// U = [al] + [w][w],   [w][w] = w w' - (w . w) 1
KERNEL mat3 spin(vec3 w, vec3 al)
{
  const real x2 = mul(w.x, w.x), y2 = mul(w.y, w.y), z2 = mul(w.z, w.z);
  const real xy = mul(w.x, w.y), xz = mul(w.x, w.z), yz = mul(w.y, w.z);
  return (mat3){neg(add(y2, z2)), sub(xy, al.z), add(xz, al.y), add(xy, al.z),   neg(add(x2, z2)),
                sub(yz, al.x),    sub(xz, al.y), add(yz, al.x), neg(add(x2, y2))};
}

// What a joint adds to the accelerations of its link, whose parent turns with w (in link axes).
KERNEL motion joint_acceleration(int joint_class, const link_const* k, vec3 w, const real* v, const real* qdd)
{
  motion j = {zero3(), zero3()};
  if (is_turning(joint_class)) { // w x z q' + z q''
    j.w = v3(mul(w.y, v[0]), neg(mul(w.x, v[0])), qdd[0]);
  }
  if (is_sliding(joint_class)) { // 2 w x z r' + z r''
    const real rate = joint_class == CLASS_SCREW ? scale(k->pitch, v[0]) : v[0];
    const real twice = scale(constant(2), rate);
    j.v = v3(mul(w.y, twice), neg(mul(w.x, twice)), joint_class == CLASS_SCREW ? scale(k->pitch, qdd[0]) : qdd[0]);
  }
  if (is_dense(joint_class)) { // w x w_r + w_r'
    const vec3 wr = v3(v[0], v[1], v[2]);
    j.w = add3(cross3(w, wr), v3(qdd[0], qdd[1], qdd[2]));
    if (joint_class == CLASS_FREE) { // 2 w x v_r + w_r x v_r + v_r'
      const vec3 turning = add3(kscale3(constant(2), w), wr);
      j.v = add3(cross3(turning, v3(v[3], v[4], v[5])), v3(qdd[3], qdd[4], qdd[5]));
    }
  }
  return j;
}

// Angular velocity that a joint adds.
KERNEL vec3 joint_turning(int joint_class, vec3 w, const real* v)
{
  if (is_turning(joint_class)) w.z = add(w.z, v[0]);
  if (is_dense(joint_class)) w = add3(w, v3(v[0], v[1], v[2]));
  return w;
}

// Motion of a link from its parent's: (18)-(22). U is the parent's.
KERNEL state move_on(const joint_transform* P, const link_const* k, const state* p, mat3 U, const real* v,
                     const real* qdd)
{
  const vec3 w = to_link(P, p->w);
  const motion joint = joint_acceleration(P->joint_class, k, w, v, qdd);
  const vec3 at_origin = add3(p->a, times_offset(P, U)); // of the parent's point there
  return (state){joint_turning(P->joint_class, w, v), add_to_link(joint.w, P, p->al),
                 add_to_link(joint.v, P, at_origin)};
}

// Inertial force and moment about the link's origin, J being the second moments sum m r r':
//
//   f = m a + U h
//   n = h x a + sum m r x U r,     (sum m r x U r)_x = (U J)_zy - (U J)_yz, and so on in cyclic order
KERNEL force newton_euler(moments s, vec3 a, mat3 U)
{
  const kvec3 h = {s.hx, s.hy, s.hz};
  const vec3 f = add3(kscale3(s.m, a), mulk(U, h));
  // n_x = J_xy U_zx + J_yy U_zy          +  J_yz (U_zz - U_yy) - J_xz U_yx - J_zz U_yz
  // n_y = J_xz (U_xx - U_zz) + J_yz U_xy + J_zz U_xz           - (J_xx U_zx + J_xy U_zy)
  // n_z = J_xx U_yx + J_xy (U_yy - U_xx) +  J_xz U_yz - J_yy U_xy - J_yz U_xz
  const vec3 n = {add(kdot2(s.xy, U.zx, s.yy, U.zy), kdet3(s.yz, sub(U.zz, U.yy), s.xz, U.yx, s.zz, U.yz)),
                  sub(kdot3(s.xz, sub(U.xx, U.zz), s.yz, U.xy, s.zz, U.xz), kdot2(s.xx, U.zx, s.xy, U.zy)),
                  add(kdot2(s.xx, U.yx, s.xy, sub(U.yy, U.xx)), kdet3(s.xz, U.yz, s.yy, U.xy, s.yz, U.xz))};
  return (force){add3(n, kcross3(h, a)), f};
}

// nlink: states of links that other links than the next one start from
KERNEL state* kept_states(context ctx) { return ctx.ws->state; }

KERNEL state base_state(context ctx, int root)
{
  const base_cell* b = (const base_cell*)ctx.ws->base + LIMB_WS_STATE * root;
  return (state){base3(b), base3(b + 3), base3(b + 6)};
}

// State that a branch starts from: of a kept link or a base frame.
KERNEL state start_state(context ctx, const limb_branch* branch)
{
  return branch->parent < 0 ? base_state(ctx, ctx.m->link[branch->begin].root) : kept_states(ctx)[branch->parent];
}

// ---- out from the base -----------------------------------------------------------------------------

// Along a branch: the motion of the link before, and where the joint's velocities and accelerations are.
typedef struct rnea_walk {
  state x;
  mat3 U;
  const real *v, *a;
} rnea_walk;

KERNEL rnea_walk rnea_step(int joint_class, context ctx, int i, rnea_walk s)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  s.x = move_on(&P, &ctx.k[i], &s.x, s.U, s.v, s.a);
  s.U = spin(s.x.w, s.x.al);
  link_forces(ctx)[i] = newton_euler(moments_of(joint_class, &ctx.k[i]), s.x.a, s.U);
  s.v += dofs_of(joint_class), s.a += dofs_of(joint_class);
  return s;
}

// The first link on a base that neither turns nor starts to: the zeros reach its formulas as constants.
KERNEL rnea_walk rnea_root_step(int joint_class, context ctx, int i, rnea_walk s)
{
  s.x.w = s.x.al = zero3();
  s.U = spin(zero3(), zero3());
  return rnea_step(joint_class, ctx, i, s);
}

// Motions, and the inertial force of every link.
KERNEL_PASS void rnea_outward(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v, const real* a)
{
  const context ctx = {m, k, ws};
  state* kept = kept_states(ctx);
  rnea_walk s = {.v = v, .a = a};
  for (int b = 0; b < m->nbranch; b++) {
    const limb_branch* branch = &m->branch[b];
    s.x = start_state(ctx, branch);
    s.U = spin(s.x.w, s.x.al);
    int i = branch->begin;
    if (branch->parent < 0 && ctx.ws->base_turns == 0) {
      FOR_ROOT_JOINT_CLASS(m->link[i].joint_class, s = rnea_root_step(CLASS, ctx, i, s))
      if (m->link[i].keep) kept[i] = s.x;
      i++;
    }
    for (; i < branch->end; i++) {
      FOR_JOINT_CLASS(m->link[i].joint_class, s = rnea_step(CLASS, ctx, i, s))
      if (m->link[i].keep) kept[i] = s.x;
    }
  }
}

// External wrenches, link axes.
KERNEL void subtract_wrenches(context ctx, const real* wrench)
{
  force* F = link_forces(ctx);
  const force* on = (const force*)wrench;
  for (int i = 0; i < ctx.m->nlink; i++) F[i] = subf(F[i], on[i]);
}

// ---- back to the base ------------------------------------------------------------------------------

// Joint force of link i, whose joint transmits F, to tau; returns F with the parent's own force, in the parent.
KERNEL force rnea_inward_step(int joint_class, context ctx, int i, force F, force own, real* tau)
{
  project(joint_class, &ctx.k[i], F, tau);
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  return add_force_to_parent(own, &P, F);
}

// Joint forces. F is all that link i's joint transmits; own[-1] collects what other roots than the first hand
// to the world. is_part: the robot is a part of a larger one. Then own[-1] is the force of the link that carries
// it, and comes back with all that its roots transmit.
KERNEL void rnea_inward_part(context ctx, bool is_part, real* tau)
{
  const limb_model* m = ctx.m;
  force* own = link_forces(ctx);
  if (!is_part) own[-1] = zerof();
  force F = own[m->nlink - 1];
  tau += m->ncdof;
  for (int i = m->nlink - 1; i >= (is_part ? 0 : 1); i--) {
    const limb_link* link = &m->link[i];
    const int p = link->parent;
    FOR_JOINT_CLASS(link->joint_class, tau -= dofs_of(CLASS); F = rnea_inward_step(CLASS, ctx, i, F, own[p], tau))
    if (p != i - 1) {
      own[p] = F;
      F = own[i - 1];
    }
  }
  if (is_part) {
    own[-1] = F;
  } else if (m->nlink > 0) {
    project(m->link[0].joint_class, &ctx.k[0], F, tau - m->link[0].ndof);
  }
}

KERNEL void rnea_inward(context ctx, real* tau) { rnea_inward_part(ctx, false, tau); }

// ---- actuators -----------------------------------------------------------------------------------------

// Rotors, friction and springs: forces between a joint's two sides; shafts and tendons: forces between joints. In
// compiled coordinates.
//
//   tau += Ia q'' + Fs sign(q') + Fv q' + k (q - rest)        Khalil 2010, (31); springs as in section 6
//   T = K (sum c q - rest) + D sum c q',   tau += c T
//                                      M. Spong, Modeling and control of elastic joint robots, 1987
//
// K counts as a spring, D as friction. A shaft has c = 1 / n at its motor and -1 at its joint: its force T there takes
// as much off what an actuator has to give.
//
// The scalar file supplies sign_of(x, width): sign(x), or tanh(x / width) when width > 0.

KERNEL void add_couplings(context ctx, const real* v, const limb_terms* terms, real* tau)
{
  const limb_model* m = ctx.m;
  const real* q = ctx.ws->q;
  for (int s = 0; s < m->ncoupling; s++) {
    const limb_coupling* x = &m->coupling[s];
    real stretch = number(parameter(-x->rest)), rate = zero();
    for (int k = 0; k < x->count; k++) {
      const par c = parameter(x->pull[k].coefficient);
      stretch = kmadd(stretch, c, q[x->pull[k].link]);
      rate = kmadd(rate, c, v[x->pull[k].dof]);
    }
    real T = zero();
    if (terms->springs) T = scale(parameter(x->stiffness), settled(stretch));
    if (terms->friction) T = kmadd(T, parameter(x->damping), settled(rate));
    T = settled(T);
    for (int k = 0; k < x->count; k++) {
      real* to = &tau[x->pull[k].dof];
      *to = kmadd(*to, parameter(x->pull[k].coefficient), T);
    }
  }
}

// Of a ball or free joint: rotors and viscous friction; springs are in kernel/cord_kernel.h.
KERNEL void add_dofs(const limb_model* m, const limb_link* link, const real* v, const real* a, const limb_terms* terms,
                     real* tau)
{
  for (int c = link->dof; c < link->dof + link->ndof; c++) {
    if (terms->rotors) tau[c] = kmadd(tau[c], parameter(m->actuator[c].rotor), a[c]);
    if (terms->friction) tau[c] = kmadd(tau[c], parameter(m->actuator[c].viscous), v[c]);
  }
}

// What joints have of their own.
KERNEL void add_joint_actuators(context ctx, const real* v, const real* a, const limb_terms* terms, real* tau)
{
  const limb_model* m = ctx.m;
  const real* q = ctx.ws->q;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    const int c = link->dof;
    const limb_actuator* k = &m->actuator[c];
    if (link->ndof != 1) {
      add_dofs(m, link, v, a, terms, tau);
      continue;
    }
    if (terms->rotors) tau[c] = kmadd(tau[c], parameter(k->rotor), a[c]);
    if (terms->friction) {
      const real sliding = kmadd(tau[c], parameter(k->viscous), v[c]);
      tau[c] = kmadd(sliding, parameter(k->coulomb), sign_of(v[c], terms->width));
    }
    if (terms->springs) {
      tau[c] = kmadd(tau[c], parameter(k->stiffness), plus(parameter(-k->rest), q[i]));
    }
  }
  if (m->has_ball_springs && terms->springs) add_ball_springs(m, ctx.ws, tau);
}

KERNEL void add_actuators(context ctx, const real* v, const real* a, const limb_terms* terms, real* tau)
{
  add_joint_actuators(ctx, v, a, terms, tau);
  add_couplings(ctx, v, terms, tau);
  if (ctx.m->has_cords) add_cords(ctx.m, ctx.k, ctx.ws, v, terms, tau);
}

// What friction, springs and couplings take away, in compiled order; NULL: there is nothing of the kind. It is
// in ws->force, which articulated bodies do not use.
KERNEL const real* passive_forces(context ctx, const real* cv, const limb_terms* terms)
{
  const limb_model* m = ctx.m;
  const limb_ws* ws = ctx.ws;
  if (!m->has_actuators) return NULL;
  real* passive = ws->force;
  for (int c = 0; c < m->ncdof; c++) passive[c] = zero();
  const limb_terms no_rotors = {false, terms->friction, terms->springs, terms->width};
  add_actuators(ctx, cv, cv, &no_rotors, passive);
  return passive;
}

// The same in the user's order, at q (NULL: no springs). Needs no coordinates.
KERNEL_ENTRY void set_passive(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, const real* v,
                              const limb_terms* terms, real* tau)
{
  const context ctx = {m, k, ws};
  if (q) load_coordinates(m, k, ws, q);
  const real* passive = passive_forces(ctx, in_compiled_order(m, v, ws->v), terms);
  for (int i = 0; i < m->nv && !passive; i++) tau[i] = zero();
  if (passive) in_user_order(m, passive, tau);
}

// What is left of the user's forces for the bodies, in compiled order, in ws->tau. Not for mimic joints.
KERNEL const real* net_forces(context ctx, const real* cv, const real* tau, const limb_terms* terms)
{
  const limb_model* m = ctx.m;
  const limb_ws* ws = ctx.ws;
  real* ct = ws->tau;
  for (int c = 0; c < m->ncdof; c++) ct[c] = tau[m->dof[c].v];
  const real* passive = passive_forces(ctx, cv, terms);
  for (int c = 0; passive && c < m->ncdof; c++) ct[c] = sub(ct[c], passive[c]);
  return ct;
}

// ---- with all that acts: bodies, wrenches, actuators ----------------------------------------------------

// Vectors are the user's. Needs the coordinates loaded.
KERNEL_PASS void newton_euler_passes(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v,
                                     const real* a, const limb_terms* terms, const real* wrench, real* tau)
{
  const context ctx = {m, k, ws};
  const real *cv = in_compiled_order(m, v, ws->v), *ca = in_compiled_order(m, a, ws->a);
  real* ct = m->identity ? tau : ws->tau;
  rnea_outward(m, k, ws, cv, ca);
  if (wrench) subtract_wrenches(ctx, wrench);
  rnea_inward(ctx, ct);
  if (m->has_actuators) add_actuators(ctx, cv, ca, terms, ct);
  if (!m->identity) in_user_order(m, ct, tau);
}

#endif
