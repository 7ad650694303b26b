// Inverse dynamics: recursive Newton-Euler algorithm in link axes.
//
// Reference: Khalil 2010, (18)-(31), as corrected in docs/books.md; inertial parameters regrouped
//            and twists specialised (model/link.h). Cost O(nlink), one pass out and one back.
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
#include "kernel/joint_transform.h"

typedef struct state {
  vec3 w, al, a;
} state;

// U = [al] + [w][w]
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

// Inertial force: f = m a + U h;  n = h x a + sum m r x U r.
KERNEL force newton_euler(moments s, vec3 a, mat3 U)
{
  const kvec3 h = {s.hx, s.hy, s.hz};
  const vec3 f = add3(kscale3(s.m, a), mulk(U, h));
  const vec3 ha = kcross3(h, a);
  const real nx = add(kdot2(s.xy, U.zx, s.yy, U.zy), kmsub(kdet2(s.yz, sub(U.zz, U.yy), s.xz, U.yx), s.zz, U.yz));
  const real ny = sub(kmadd(kdot2(s.xz, sub(U.xx, U.zz), s.yz, U.xy), s.zz, U.xz), kdot2(s.xx, U.zx, s.xy, U.zy));
  const real nz = add(kdot2(s.xx, U.yx, s.xy, sub(U.yy, U.xx)), kmsub(kdet2(s.xz, U.yz, s.yy, U.xy), s.yz, U.xz));
  return (force){v3(add(nx, ha.x), add(ny, ha.y), add(nz, ha.z)), f};
}

KERNEL state base_state(const limb_ws* ws, int root)
{
  const base_cell* b = (const base_cell*)ws->base + LIMB_WS_STATE * root;
  return (state){base3(b), base3(b + 3), base3(b + 6)};
}

// State of what a branch hangs on: a kept link or a base frame.
KERNEL state start_state(const limb_model* m, const limb_ws* ws, const limb_branch* branch)
{
  const state* kept = ws->state;
  return branch->parent < 0 ? base_state(ws, m->link[branch->begin].root) : kept[branch->parent];
}

// Out from the base: motions, and the inertial force of every link. Most bases neither turn nor start to:
// then the zeros reach the first link's formulas as constants.
KERNEL_PASS void rnea_outward(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v, const real* a)
{
  state* kept = ws->state;
  force* F = (force*)ws->force + 1;
  for (int b = 0; b < m->nbranch; b++) {
    const limb_branch* branch = &m->branch[b];
    state x = start_state(m, ws, branch);
    mat3 U = spin(x.w, x.al);
    int i = branch->begin;
#define STEP(joint_class)                                                                    \
  {                                                                                          \
    const joint_transform P = joint_transform_of(joint_class, &k[i], ws, i, m->link[i].aux); \
    x = move_on(&P, &k[i], &x, U, v, a);                                                     \
    U = spin(x.w, x.al);                                                                     \
    F[i] = newton_euler(moments_of(joint_class, &k[i]), x.a, U);                             \
    v += dofs_of(joint_class), a += dofs_of(joint_class);                                    \
  }
#define ROOT_STEP(joint_class)  \
  {                             \
    x.w = x.al = zero3();       \
    U = spin(zero3(), zero3()); \
    STEP(joint_class)           \
  }
    if (branch->parent < 0 && ws->base_turns == 0) {
      FOR_ROOT_JOINT_CLASS(m->link[i].joint_class, ROOT_STEP)
      if (m->link[i].keep) kept[i] = x;
      i++;
    }
    for (; i < branch->end; i++) {
      FOR_JOINT_CLASS(m->link[i].joint_class, STEP)
      if (m->link[i].keep) kept[i] = x;
    }
#undef ROOT_STEP
#undef STEP
  }
}

// External wrenches, link axes.
KERNEL void subtract_wrenches(const limb_model* m, const limb_ws* ws, const real* wrench)
{
  force* F = (force*)ws->force + 1;
  const force* on = (const force*)wrench;
  for (int i = 0; i < m->nlink; i++) F[i] = subf(F[i], on[i]);
}

// Back to the base: joint forces. F is all that link i's joint transmits; own[-1] collects what other
// roots than the first hand to the world. hand: the robot is a part of a larger one. Then own[-1] is the
// force of the link that carries it, and comes back with all that its roots transmit.
KERNEL void rnea_inward_part(const limb_model* m, const link_const* k, const limb_ws* ws, bool is_part, real* tau)
{
  force* own = (force*)ws->force + 1;
  if (!is_part) own[-1] = zerof();
  force F = own[m->nlink - 1];
  tau += m->ncdof;
  for (int i = m->nlink - 1; i >= (is_part ? 0 : 1); i--) {
    const limb_link* link = &m->link[i];
    const int p = link->parent;
#define STEP(joint_class)                                                               \
  {                                                                                     \
    tau -= dofs_of(joint_class);                                                        \
    project(joint_class, &k[i], F, tau);                                                \
    const joint_transform P = joint_transform_of(joint_class, &k[i], ws, i, link->aux); \
    F = add_force_to_parent(own[p], &P, F);                                             \
  }
    FOR_JOINT_CLASS(link->joint_class, STEP)
#undef STEP
    if (p != i - 1) {
      own[p] = F;
      F = own[i - 1];
    }
  }
  if (is_part) {
    own[-1] = F;
  } else if (m->nlink > 0) {
    project(m->link[0].joint_class, &k[0], F, tau - m->link[0].ndof);
  }
}

KERNEL void rnea_inward(const limb_model* m, const link_const* k, const limb_ws* ws, real* tau)
{
  rnea_inward_part(m, k, ws, false, tau);
}

// ---- actuators -----------------------------------------------------------------------------------------

// Rotors, friction and springs: forces between a joint's two sides; shafts: forces between two joints. In
// compiled coordinates.
//
//   tau += Ia q'' + Fs sign(q') + Fv q' + k (q - rest)        Khalil 2010, (31); springs as in section 6
//   T = K (qm / n - q - rest) + D (qm' / n - q'),   tau -= T at the joint,   tau += T / n at the motor
//                                      M. Spong, Modeling and control of elastic joint robots, 1987
//
// K counts as a spring, D as friction. T, the shaft's force on the joint, takes as much off what an
// actuator at the joint has to give, and the motor has to give T / n more.
//
// The scalar file supplies sign_of(x, width): sign(x), or tanh(x / width) when width > 0.

KERNEL void add_shafts(const limb_model* m, const limb_ws* ws, const real* v, const limb_terms* terms, real* tau)
{
  const real* q = ws->q;
  for (int s = 0; s < m->nshaft; s++) {
    const limb_shaft* x = &m->shaft[s];
    const par n = parameter(1 / x->def.ratio);
    real T = zero();
    if (terms->springs) {
      const real twist = sub(scale(n, q[x->motor_link]), q[x->joint_link]);
      T = scale(parameter(x->def.stiffness), plus(parameter(-x->rest), twist));
    }
    if (terms->friction) {
      T = kmadd(T, parameter(x->def.damping), sub(scale(n, v[x->motor]), v[x->joint]));
    }
    T = settled(T);
    tau[x->joint] = sub(tau[x->joint], T);
    tau[x->motor] = kmadd(tau[x->motor], n, T);
  }
}

// What joints have of their own.
KERNEL void add_joint_actuators(const limb_model* m, const limb_ws* ws, const real* v, const real* a,
                                const limb_terms* terms, real* tau)
{
  const real* q = ws->q;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    if (link->ndof != 1) continue;
    const int c = link->dof;
    const limb_actuator* k = &m->actuator[c];
    if (terms->rotors) tau[c] = kmadd(tau[c], parameter(k->rotor), a[c]);
    if (terms->friction) {
      const real sliding = kmadd(tau[c], parameter(k->viscous), v[c]);
      tau[c] = kmadd(sliding, parameter(k->coulomb), sign_of(v[c], terms->width));
    }
    if (terms->springs) {
      tau[c] = kmadd(tau[c], parameter(k->stiffness), plus(parameter(-k->rest), q[i]));
    }
  }
}

KERNEL void add_actuators(const limb_model* m, const limb_ws* ws, const real* v, const real* a, const limb_terms* terms,
                          real* tau)
{
  add_joint_actuators(m, ws, v, a, terms, tau);
  add_shafts(m, ws, v, terms, tau);
}

// What friction, springs and shafts take away, in compiled order; NULL: there is nothing of the kind. It is
// in ws->force, which articulated bodies do not use.
KERNEL const real* passive_forces(const limb_model* m, const limb_ws* ws, const real* cv, const limb_terms* terms)
{
  if (!m->has_actuators) return NULL;
  real* passive = ws->force;
  for (int c = 0; c < m->ncdof; c++) passive[c] = zero();
  const limb_terms no_rotors = {false, terms->friction, terms->springs, terms->width};
  add_actuators(m, ws, cv, cv, &no_rotors, passive);
  return passive;
}

// What is left of the user's forces for the bodies, in compiled order, in ws->tau. Not for mimic joints.
KERNEL const real* net_forces(const limb_model* m, const limb_ws* ws, const real* cv, const real* tau,
                              const limb_terms* terms)
{
  real* ct = ws->tau;
  for (int c = 0; c < m->ncdof; c++) ct[c] = tau[m->dof[c].v];
  const real* passive = passive_forces(m, ws, cv, terms);
  for (int c = 0; passive && c < m->ncdof; c++) ct[c] = sub(ct[c], passive[c]);
  return ct;
}

// ---- with all that acts: bodies, wrenches, actuators ----------------------------------------------------

// Vectors are the user's. Needs the coordinates loaded.
KERNEL_PASS void newton_euler_passes(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v,
                                     const real* a, const limb_terms* terms, const real* wrench, real* tau)
{
  const real *cv = in_compiled_order(m, v, ws->v), *ca = in_compiled_order(m, a, ws->a);
  real* ct = m->identity ? tau : ws->tau;
  rnea_outward(m, k, ws, cv, ca);
  if (wrench) subtract_wrenches(m, ws, wrench);
  rnea_inward(m, k, ws, ct);
  if (m->has_actuators) add_actuators(m, ws, cv, ca, terms, ct);
  if (!m->identity) in_user_order(m, ct, tau);
}

#endif
