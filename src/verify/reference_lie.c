// Reference inverse dynamics: Newton-Euler recursion in body twists, for trees.
//
// Reference: Lynch and Park 2017, (9.53)-(9.57); Park, Bobrow, Ploen 1995, (22)-(27), with these corrections
//            of the print: dV_0 = (0; -g); Ad of T_{i,i-1} (1995: Ad^-1 of f_{i-1,i}) in both propagations;
//            a wrench ON a body enters F_i with a minus sign. One child becomes a sum over all,
//            one column A_i becomes the joint's columns, which may turn: (dA_i/dt) v appears.
// Cost:      O(nbody); one forward and one backward pass, body coordinates.
//
//   paper       code       meaning
//   i - 1       p          parent of body i
//   T_{i-1,i}   J[i].T     pose of body i in its parent
//   A_i         J[i].A     columns of the joint in body coordinates
//   V_i dV_i    V[i] dV[i] body twist and its derivative
//   G_i         Y          inertia
//   F_i         F[i]       wrench on body i through its joint, in body coordinates
//
// The world body has no joint; its reaction is zero.

#include "base/memory.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "verify/reference_impl.h"

#include <math.h>

typedef struct recursion {
  limb_reference_joint* J;
  sp_pose* T; // in the world, for wrenches given there
  sp_motion *V, *dV;
  sp_force* F;
} recursion;

static recursion lay_out(limb_arena* a, const limb_model* m)
{
  const size_t n = (size_t)m->nbody;
  recursion r;
  r.J = limb_arena_take(a, n, sizeof *r.J);
  r.T = limb_arena_take(a, n, sizeof *r.T);
  r.V = limb_arena_take(a, n, sizeof *r.V);
  r.dV = limb_arena_take(a, n, sizeof *r.dV);
  r.F = limb_arena_take(a, n, sizeof *r.F);
  return r;
}

// V_0 and dV_0. The environment has the classical acceleration of the base's origin; the
// derivative of the twist's components is v' = that - w x v.
static void start(const recursion* r, const limb_environment* env)
{
  const sp_motion V0 = env->base_velocity, a = env->base_acceleration;
  r->T[0] = sp_pose_identity();
  r->V[0] = V0;
  r->dV[0] = sp_motion_make(a.w, sp_sub3(sp_sub3(a.v, sp_cross3(V0.w, V0.v)), env->gravity));
}

static void outward(const limb_model* m, const recursion* r, const double* q, const double* v, const double* a)
{
  for (int s = 1; s < m->nbody; s++) {
    const int i = m->body_order[s], p = m->body[i].parent;
    const sp_inertia* Y = &m->body[i].inertia;

    // T_{p,i} = M_{p,i} e^{[A_i] q_i}                                                        (9.53)
    r->J[i] = limb_reference_joint_at(&m->joint[m->body[i].joint], q);
    const limb_reference_joint* J = &r->J[i];
    r->T[i] = sp_compose(r->T[p], J->T);

    // V_i = Ad_{T_{i,p}} V_p + A_i v_i                                                       (9.54)
    const sp_motion Av = limb_reference_joint_times(J, v);
    r->V[i] = sp_addm(sp_motion_in(J->T, r->V[p]), Av);

    // dV_i = Ad_{T_{i,p}} dV_p + [V_i, A_i v_i] + (dA_i/dt) v_i + A_i a_i                    (9.55)
    const sp_motion turned = sp_addm(sp_crm(r->V[i], Av), limb_reference_joint_drift(J, v));
    r->dV[i] = sp_addm(sp_addm(sp_motion_in(J->T, r->dV[p]), turned), limb_reference_joint_times(J, a));

    // F_i = G_i dV_i - ad_{V_i}' (G_i V_i), to which the children and wrenches come later    (9.56)
    r->F[i] = sp_addf(sp_inertia_times(Y, r->dV[i]), sp_crf(r->V[i], sp_inertia_times(Y, r->V[i])));
  }
}

// A wrench of the environment in the coordinates of the body it acts on.
static sp_force on_body(const limb_wrench* w, sp_pose frame, sp_pose T)
{
  if (w->ref == LIMB_WORLD) return sp_force_in(T, w->wrench);
  if (w->ref == LIMB_BODY) return sp_force_out(frame, w->wrench);
  const sp_mat3 R = sp_mul3(T.R, frame.R); // aligned: turn into the frame's own axes first
  const sp_force own = {sp_tmulv(R, w->wrench.m), sp_tmulv(R, w->wrench.f)};
  return sp_force_out(frame, own);
}

// The body that carries a frame, and the frame's pose in it.
static int carrier(const limb_model* m, int frame, sp_pose* pose)
{
  const bool body = frame < m->nbody;
  *pose = body ? sp_pose_identity() : m->frame[frame - m->nbody].pose;
  return body ? frame : m->frame[frame - m->nbody].body;
}

static void add_wrench(const limb_model* m, const sp_pose* T, const limb_wrench* w, double sign, sp_force* F)
{
  sp_pose frame;
  const int i = carrier(m, w->frame, &frame);
  F[i] = sp_addf(F[i], sp_scalef(sign, on_body(w, frame, T[i])));
}

limb_status limb_reference_wrenches(const limb_model* m, const sp_pose* T, const sp_motion* V,
                                    const limb_environment* env, double sign, sp_force* F)
{
  limb_status s = LIMB_OK;
  for (int k = 0; k < env->nwrench; k++) add_wrench(m, T, &env->wrench[k], sign, F);
  for (int k = 0; k < env->nlaw && s == LIMB_OK; k++) {
    const limb_force_law* law = &env->law[k];
    sp_pose frame;
    limb_wrench w;
    const int i = carrier(m, law->frame, &frame);
    const sp_pose X = sp_compose(T[i], frame);
    sp_motion v = sp_motion_in(frame, V[i]);
    if (law->ref == LIMB_WORLD) v = sp_motion_out(X, v);
    if (law->ref == LIMB_ALIGNED) v = sp_motion_make(sp_mulv(X.R, v.w), sp_mulv(X.R, v.v));
    const limb_frame_state at = {law->frame, X, law->ref, v};
    s = limb_ask_law(law, &at, &w);
    if (s == LIMB_OK) add_wrench(m, T, &w, sign, F);
  }
  return s;
}

double limb_reference_rotor(const limb_joint* joint, int k)
{
  const limb_joint_def* def = &joint->def;
  const double rate = def->gear_ratio * joint->multiplier;
  return limb_type_nv(def->type) == 1 ? rate * rate * def->rotor_inertia : def->armature[k];
}

// The torque that holds the spring of a ball joint: stiffness times the rotation vector.
static void add_ball_spring(const limb_joint* joint, const double* q, double* tau)
{
  const double* u = q + joint->q;
  const double size = sp_norm3(sp_v3(u[0], u[1], u[2])), angle = 2 * atan2(size, fabs(u[3]));
  for (int k = 0; k < 3 && size > 0; k++)
    tau[joint->v + k] += joint->def.stiffness * (u[3] < 0 ? -angle : angle) * (u[k] / size);
}

// What rotors, friction and springs of a joint with several degrees of freedom ask of its actuators.
static void add_dofs(const limb_joint* joint, const double* q, const double* v, const double* a,
                     const limb_environment* env, double* tau)
{
  for (int k = 0; k < joint->nv; k++) {
    if (a) tau[joint->v + k] += joint->def.armature[k] * a[joint->v + k];
    if (env->friction) tau[joint->v + k] += joint->def.damping[k] * v[joint->v + k];
  }
  if (joint->def.type == LIMB_SPHERICAL && joint->def.stiffness > 0) add_ball_spring(joint, q, tau);
}

// What actuators give against the tension of a tendon.
static void add_tendon(const limb_model* m, const limb_tendon_def* def, const double* q, const double* v,
                       const limb_environment* env, double* tau)
{
  double length = 0, rate = 0;
  for (int k = 0; k < def->count; k++) {
    const limb_joint* joint = &m->joint[def->joint[k]];
    length += def->coefficient[k] * (joint->multiplier * q[joint->q] + joint->offset);
    rate += def->coefficient[k] * joint->multiplier * v[joint->v];
  }
  const double T = def->stiffness * (length - def->rest) + (env->friction ? def->damping * rate : 0);
  for (int k = 0; k < def->count; k++) {
    const limb_joint* joint = &m->joint[def->joint[k]];
    tau[joint->v] += joint->multiplier * def->coefficient[k] * T;
  }
}

// ---- tendons through points -----------------------------------------------------------------------------

typedef struct pulling {
  const limb_model* m;
  const double *q, *v;
  double* tau;
} pulling;

// Pose of a body in the world, joint by joint.
static sp_pose pose_of(const limb_model* m, int body, const double* q)
{
  sp_pose X = sp_pose_identity();
  for (; body != LIMB_WORLD_BODY; body = m->body[body].parent)
    X = sp_compose(limb_reference_joint_at(&m->joint[m->body[body].joint], q).T, X);
  return X;
}

static bool carries(const limb_model* m, int body, int other)
{
  while (other != body && other != LIMB_WORLD_BODY) other = m->body[other].parent;
  return other == body;
}

// What a pull f at p does to the joints that carry a body, and not the other end as well: A' F. To tau, scaled; its
// power at v.
static double pull(const pulling* x, int body, int other, sp_vec3 p, sp_vec3 f, double scale)
{
  const limb_model* m = x->m;
  const double *q = x->q, *v = x->v;
  double *tau = x->tau, power = 0;
  for (; !carries(m, body, other); body = m->body[body].parent) {
    const limb_reference_joint J = limb_reference_joint_at(&m->joint[m->body[body].joint], q);
    const sp_pose in_body = sp_invert(pose_of(m, body, q));
    const sp_vec3 arm = sp_point(in_body, p), own = sp_mulv(in_body.R, f);
    const sp_force F = {sp_cross3(arm, own), own};
    for (int k = 0; k < J.n; k++) {
      const double part = J.multiplier * sp_dot(J.A[k], F);
      power += part * v[J.v + k];
      if (tau) tau[J.v + k] += scale * part;
    }
  }
  return power;
}

// All lines of a tendon: sum of lengths, and of their rates; to tau those times T.
static double pull_all(const pulling* x, const limb_tendon_def* def, double T, double* rate)
{
  const limb_model* m = x->m;
  const double* q = x->q;
  double length = 0, pulley = 1;
  *rate = 0;
  for (int n = 0; n < def->points; n++) {
    const limb_tendon_point *a = &def->point[n > 0 ? n - 1 : 0], *b = &def->point[n];
    if (b->pulley > 0) pulley = b->pulley;
    if (n == 0 || b->pulley > 0) continue;
    const sp_vec3 p = sp_point(pose_of(m, a->body, q), a->at), r = sp_point(pose_of(m, b->body, q), b->at);
    const double size = sp_norm3(sp_sub3(r, p));
    if (!(size > 0)) continue;
    const sp_vec3 u = sp_scale3(1 / (size * pulley), sp_sub3(r, p));
    length += size / pulley;
    *rate += pull(x, b->body, a->body, r, u, T) - pull(x, a->body, b->body, p, u, -T);
  }
  return length;
}

static void add_cord(const limb_model* m, const limb_tendon_def* def, const double* q, const double* v,
                     const limb_environment* env, double* tau)
{
  double rate;
  const pulling measured = {m, q, v, NULL};
  pulling pulled = measured;
  pulled.tau = tau;
  const double length = pull_all(&measured, def, 0, &rate);
  const double T = def->stiffness * (length - def->rest) + (env->friction ? def->damping * rate : 0);
  (void)pull_all(&pulled, def, T, &rate);
}

// What rotor, friction and spring of a joint with one degree of freedom ask of its actuator.
static double actuator(const limb_joint* joint, const double* q, const double* v, const double* a,
                       const limb_environment* env)
{
  const limb_joint_def* def = &joint->def;
  const double k = joint->multiplier;
  const double x = k * q[joint->q] + joint->offset, dx = k * v[joint->v];

  double f = def->stiffness * (x - def->rest);
  if (a) f += limb_reference_rotor(joint, 0) / k * a[joint->v];
  if (env->friction) {
    const double sign = env->coulomb_width > 0 ? tanh(dx / env->coulomb_width) : (dx > 0) - (dx < 0);
    f += def->coulomb * sign + def->viscous * dx;
  }
  return f;
}

void limb_reference_actuators(const limb_model* m, const double* q, const double* v, const double* a,
                              const limb_environment* env, double* tau)
{
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (limb_type_nv(joint->def.type) == 1) tau[joint->v] += joint->multiplier * actuator(joint, q, v, a, env);
    if (limb_type_nv(joint->def.type) > 1) add_dofs(joint, q, v, a, env, tau);
  }
  for (int k = 0; k < limb_tendon_count(m); k++) {
    const limb_tendon_def* tendon = &m->tendon[k];
    if (tendon->points > 0)
      add_cord(m, tendon, q, v, env, tau);
    else
      add_tendon(m, tendon, q, v, env, tau);
  }
  for (int s = 0; s < m->nshaft; s++) {
    const limb_shaft_def* def = &m->shaft[s].def;
    const limb_joint *joint = &m->joint[def->joint], *motor = &m->joint[def->motor];
    const double stretch = q[motor->q] / def->ratio - q[joint->q] - def->rest;
    const double rate = v[motor->v] / def->ratio - v[joint->v];
    const double T = def->stiffness * stretch + (env->friction ? def->damping * rate : 0);
    tau[joint->v] -= T; // the shaft helps the joint's actuator and loads the motor's
    tau[motor->v] += T / def->ratio;
  }
}

static void inward(const limb_model* m, const recursion* r, double* tau)
{
  for (int k = 0; k < m->nv; k++) tau[k] = 0;
  for (int s = m->nbody - 1; s > 0; s--) {
    const int i = m->body_order[s], p = m->body[i].parent;
    const limb_reference_joint* J = &r->J[i];

    // tau_i = A_i' F_i; a mimic joint's torque acts on its source                            (9.57)
    for (int k = 0; k < J->n; k++) tau[J->v + k] += J->multiplier * sp_dot(J->A[k], r->F[i]);

    // F_p += Ad_{T_{i,p}}' F_i                                                               (9.56)
    r->F[p] = sp_addf(r->F[p], sp_force_out(J->T, r->F[i]));
  }
}

static limb_status deliver(const limb_model* m, const recursion* r, const double* tau, sp_force* reactions)
{
  const sp_force none = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < m->nbody; i++) {
    const sp_force F = i ? r->F[i] : none;
    if (!limb_finite3(F.m) || !limb_finite3(F.f)) return LIMB_E_NONFINITE;
    if (reactions) reactions[i] = F;
  }
  return limb_finite(m->nv, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_reference_inverse_dynamics(const limb_model* m, const double* q, const double* v, const double* a,
                                            const limb_environment* env, double* tau, sp_force* reactions)
{
  if (!m || !q || !v || !a || !tau) return LIMB_E_ARG;
  limb_environment e;
  limb_memory memory;
  limb_arena count = {0};
  (void)lay_out(&count, m);
  limb_status status = limb_reference_open(m, q, v, a, env, count.used, &e, &memory);
  if (status) return status;
  limb_arena arena = limb_arena_over(memory.block, memory.size);
  const recursion r = lay_out(&arena, m);

  start(&r, &e);
  outward(m, &r, q, v, a);
  status = limb_reference_wrenches(m, r.T, r.V, &e, -1, r.F);
  inward(m, &r, tau);
  limb_reference_actuators(m, q, v, a, &e, tau);
  if (status == LIMB_OK) status = deliver(m, &r, tau, reactions);
  limb_memory_end(memory);
  return status;
}
