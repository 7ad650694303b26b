// Reference inverse dynamics: Kane's equations, by partial velocities.
//
// Reference: T. Kane, D. Levinson, Dynamics: theory and applications, 1985, sections 2.14, 4.4, 4.11 and 6.1; named by
//            Ghosal 2010 beside Newton-Euler and Lagrange. The generalised speeds are limb's velocities v.
// Cost:      O(n depth): each body on each joint between it and the world.
//
//   paper       code       meaning; axes of the world, which turns and accelerates with a moving base
//   u_k         v          generalised speeds
//   omega_k     part[k].w  partial angular velocity of the body: omega = sum omega_k u_k + that of the base
//   v_k         part[k].c  partial velocity of its centre of mass C: v_C = sum v_k u_k + that of the base
//   alpha, a    alpha, a   its angular acceleration, and the acceleration of C
//   R, T        F.f, F.m   what acts on the body: force, and moment about C
//   R*, T*      -          inertia force -m a, inertia torque -(I alpha + omega x I omega)
//   F_k, F_k*   tau        generalised active and inertia forces: sums of v_k . R + omega_k . T over the bodies
//
//   F_k + F_k* + tau_k = 0
//
// Nothing is passed from body to body but poses and velocities: forces of constraint never appear, and there is no
// inward pass. Accelerations are classical, of points; the twists and their derivatives of the other formulations do
// not occur.

#include "base/memory.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "verify/reference_impl.h"

#include <string.h>

typedef struct partial {
  sp_vec3 w, c; // omega_k, v_k
} partial;

// Velocities of a body in the world's axes.
typedef struct speeds {
  sp_vec3 w, p; // of its origin
} speeds;

typedef struct kane {
  const limb_model* m;
  limb_environment env;
  limb_reference_joint* J;
  sp_pose* T;
  speeds* V;
  sp_motion* twist; // for force laws: own axes and origin
  sp_force* F;      // of the environment, own axes and origin
  partial* part;    // nv
} kane;

static kane lay_out(limb_arena* a, const limb_model* m)
{
  const size_t n = (size_t)m->nbody;
  kane k = {.m = m};
  k.J = limb_arena_take(a, n, sizeof *k.J);
  k.T = limb_arena_take(a, n, sizeof *k.T);
  k.V = limb_arena_take(a, n, sizeof *k.V);
  k.twist = limb_arena_take(a, n, sizeof *k.twist);
  k.F = limb_arena_take(a, n, sizeof *k.F);
  k.part = limb_arena_take(a, (size_t)m->nv + 1, sizeof *k.part);
  return k;
}

// ---- velocities ------------------------------------------------------------------------------------

// omega x r: velocity of a point against another of the same body.
static sp_vec3 about(sp_vec3 w, sp_vec3 from, sp_vec3 to) { return sp_cross3(w, sp_sub3(to, from)); }

// Poses of all bodies, velocities of their origins.
static void move(const kane* k, const double* q, const double* v)
{
  const limb_model* m = k->m;
  k->T[0] = sp_pose_identity();
  k->V[0] = (speeds){k->env.base_velocity.w, k->env.base_velocity.v};
  k->twist[0] = k->env.base_velocity;
  for (int s = 1; s < m->nbody; s++) {
    const int i = m->body_order[s], p = m->body[i].parent;
    k->J[i] = limb_reference_joint_at(&m->joint[m->body[i].joint], q);
    k->T[i] = sp_compose(k->T[p], k->J[i].T);
    const sp_motion own = limb_reference_joint_times(&k->J[i], v);
    const sp_vec3 carried = sp_add3(k->V[p].p, about(k->V[p].w, k->T[p].p, k->T[i].p));
    k->V[i].w = sp_add3(k->V[p].w, sp_mulv(k->T[i].R, own.w));
    k->V[i].p = sp_add3(carried, sp_mulv(k->T[i].R, own.v));
    k->twist[i] = sp_motion_make(sp_tmulv(k->T[i].R, k->V[i].w), sp_tmulv(k->T[i].R, k->V[i].p));
  }
}

// ---- one body --------------------------------------------------------------------------------------

// What a body needs: its centre of mass, and how that and the body accelerate.
typedef struct body_motion {
  sp_vec3 at, v;    // C, v_C
  sp_vec3 alpha, a; // gravity not included
} body_motion;

// Adds the partial velocities of body i by joint j, and what the joint adds to its acceleration.
static void add_joint(const kane* k, int j, const double* v, const double* a, body_motion* x)
{
  const limb_reference_joint* J = &k->J[j];
  const sp_mat3 R = k->T[j].R;
  const sp_vec3 p = k->T[j].p;
  sp_vec3 w = {0, 0, 0}, u = w; // rates of the joint: sums of omega_k u_k, of the velocities of the joint's origin
  for (int c = 0; c < J->n; c++) {
    partial* to = &k->part[J->v + c];
    const sp_vec3 wc = sp_scale3(J->multiplier, sp_mulv(R, J->A[c].w));
    const sp_vec3 uc = sp_scale3(J->multiplier, sp_mulv(R, J->A[c].v));
    const sp_vec3 vc = sp_add3(uc, about(wc, p, x->at));
    to->w = sp_add3(to->w, wc), to->c = sp_add3(to->c, vc);
    w = sp_add3(w, sp_scale3(v[J->v + c], wc)), u = sp_add3(u, sp_scale3(v[J->v + c], uc));
    // alpha = sum omega_k a_k + domega_k/dt v_k, and the same for C
    x->alpha = sp_add3(x->alpha, sp_scale3(a[J->v + c], wc));
    x->a = sp_add3(x->a, sp_scale3(a[J->v + c], vc));
  }
  // columns turn with the child, and by what the joint itself turns them
  const sp_motion drift = limb_reference_joint_drift(J, v);
  const sp_vec3 dw = sp_add3(sp_cross3(k->V[j].w, w), sp_mulv(R, drift.w));
  const sp_vec3 du = sp_add3(sp_cross3(k->V[j].w, u), sp_mulv(R, drift.v));
  const sp_vec3 past = sp_sub3(x->v, k->V[j].p); // C moves against the joint's origin
  x->alpha = sp_add3(x->alpha, dw);
  x->a = sp_add3(x->a, sp_add3(du, sp_add3(about(dw, p, x->at), sp_cross3(w, past))));
}

// Partial velocities of body i in k->part, and its motion.
static body_motion motion_of_body(const kane* k, int i, const double* v, const double* a)
{
  const sp_motion V0 = k->env.base_velocity, A0 = k->env.base_acceleration; // classical
  body_motion x = {.at = sp_point(k->T[i], k->m->body[i].inertia.com), .alpha = A0.w};
  x.v = sp_add3(k->V[i].p, about(k->V[i].w, k->T[i].p, x.at));
  const sp_vec3 past = sp_sub3(x.v, V0.v);
  x.a = sp_add3(A0.v, sp_add3(sp_cross3(A0.w, x.at), sp_cross3(V0.w, past)));
  for (int j = i; j > 0; j = k->m->body[j].parent) add_joint(k, j, v, a, &x);
  return x;
}

// I x in the world's axes.
static sp_vec3 inertia_times(const sp_inertia* Y, sp_mat3 R, sp_vec3 x)
{
  const sp_mat3 own = {{Y->xx, Y->xy, Y->xz, Y->xy, Y->yy, Y->yz, Y->xz, Y->yz, Y->zz}};
  return sp_mulv(R, sp_mulv(own, sp_tmulv(R, x)));
}

// tau_k -= v_k . (R + R*) + omega_k . (T + T*)
static void add_body(const kane* k, int i, const double* v, const double* a, double* tau)
{
  const limb_model* m = k->m;
  const sp_inertia* Y = &m->body[i].inertia;
  const sp_mat3 R = k->T[i].R;
  for (int j = i; j > 0; j = m->body[j].parent)
    for (int c = 0; c < k->J[j].n; c++) k->part[k->J[j].v + c] = (partial){{0, 0, 0}, {0, 0, 0}};
  const body_motion x = motion_of_body(k, i, v, a);
  const sp_vec3 w = k->V[i].w;

  // R: weight and wrenches; T: their moments about C
  const sp_vec3 f = sp_mulv(R, k->F[i].f);
  const sp_vec3 force = sp_add3(f, sp_scale3(Y->mass, k->env.gravity));
  const sp_vec3 torque = sp_add3(sp_mulv(R, k->F[i].m), sp_cross3(sp_sub3(k->T[i].p, x.at), f));

  // R* = -m a, T* = -(I alpha + omega x I omega)
  const sp_vec3 spin = sp_cross3(w, inertia_times(Y, R, w));
  const sp_vec3 inertia_force = sp_scale3(-Y->mass, x.a);
  const sp_vec3 inertia_torque = sp_scale3(-1, sp_add3(inertia_times(Y, R, x.alpha), spin));

  const sp_vec3 f_all = sp_add3(force, inertia_force), t_all = sp_add3(torque, inertia_torque);
  for (int j = i; j > 0; j = m->body[j].parent) {
    for (int c = 0; c < k->J[j].n; c++) {
      partial* own = &k->part[k->J[j].v + c];
      tau[k->J[j].v + c] -= sp_dot3(own->c, f_all) + sp_dot3(own->w, t_all);
      *own = (partial){{0, 0, 0}, {0, 0, 0}}; // several joints may follow one velocity
    }
  }
}

limb_status limb_reference_kane(const limb_model* m, const double* q, const double* v, const double* a,
                                const limb_environment* env, double* tau)
{
  if (!m || !q || !v || !a || !tau) return LIMB_E_ARG;
  limb_environment e;
  limb_memory memory;
  limb_arena count = {0};
  (void)lay_out(&count, m);
  limb_status status = limb_reference_open(m, q, v, a, env, count.used, &e, &memory);
  if (status) return status;
  limb_arena arena = limb_arena_over(memory.block, memory.size);
  kane k = lay_out(&arena, m);
  k.env = e;

  move(&k, q, v);
  status = limb_reference_wrenches(m, k.T, k.twist, &e, 1, k.F);
  memset(tau, 0, (size_t)m->nv * sizeof *tau);
  for (int i = 1; i < m->nbody; i++) add_body(&k, i, v, a, tau);
  limb_reference_actuators(m, q, v, a, &e, tau);
  if (status == LIMB_OK && !limb_finite(m->nv, tau)) status = LIMB_E_NONFINITE;
  limb_memory_end(memory);
  return status;
}
