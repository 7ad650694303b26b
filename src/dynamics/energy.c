// Energies of a state, and the power balance of a motion.
//
// Reference: Khalil 2010, (31) for the rotor inertias Ia; the rest is mechanics of rigid bodies.
// Cost:      O(n).
//
//   kinetic   sum v_i . I_i v_i / 2 + sum Ia w^2 / 2     rate  sum v_i . I_i a_i + sum Ia w w'
//   gravity   -g . sum m c                               rate  -g . linear momentum
//   springs   sum k (q - rest)^2 / 2, shafts, tendons,   rate  spring forces . v
//             balls alike, by length and angle
//
// Bodies have energies of their own (Lynch and Park 2017, (9.5)-(9.7); Ghosal 2010, (1), (3)), whose sums are the first
// two without rotors.
//
// In the rate of a link's kinetic energy v . (v x* I v) = 0. The balance is not circular: the
// actuators' power comes from inverse dynamics, the rates from the motion of the links, the power of
// wrenches and force laws from the motion of their frames.

#include "limb/dynamics.h"

#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"
#include "linalg/dense.h"
#include "model/loop_calls.h"

// Sum over the links of x . I y, for v and v the kinetic energy twice, for v and a its rate.
static double link_products(const limb_model* m, const sp_motion* x, const sp_motion* y)
{
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) sum += sp_dot(x[i], limb_moments_times(&m->inertia[i], y[i]));
  return sum;
}

// The same for the rotors: x and y in the user's coordinates.
static double rotor_products(const limb_model* m, const double* x, const double* y)
{
  double sum = 0;
  for (int k = 0; k < m->ncdof; k++) {
    const limb_dof* dof = &m->dof[k];
    sum += m->actuator[k].rotor * (dof->mult * x[dof->v]) * (dof->mult * y[dof->v]);
  }
  return sum;
}

// Angle of a quaternion, at most pi.
static double angle_of(const double* u) { return 2 * atan2(sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), fabs(u[3])); }

// Length of a cord beyond its rest (kernel/cord_kernel.h), from the poses of the links.
static double cord_stretch(const limb_coupling* x, const sp_pose* X)
{
  double sum = -x->rest;
  sp_vec3 last = {0, 0, 0};
  for (int n = 0; n < x->npoint; n++) {
    const limb_cord_point* point = &x->point[n];
    const sp_vec3 p = point->link < 0 ? point->at : sp_point(X[point->link], point->at);
    if (point->share > 0) sum += point->share * sp_norm3(sp_sub3(p, last));
    last = p;
  }
  return sum;
}

static double spring_energy(const limb_model* m, const double* q, const sp_pose* X)
{
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    const limb_actuator* s = &m->actuator[link->dof];
    if (link->ndof != 1) { // a ball or free joint
      const double angle = s->stiffness > 0 ? angle_of(q + m->quaternion[link->aux]) : 0;
      sum += s->stiffness * angle * angle / 2;
      continue;
    }
    const double stretch = m->k64[i].mult * q[link->q] + m->k64[i].off - s->rest;
    sum += s->stiffness * stretch * stretch / 2;
  }
  for (int k = 0; k < m->ncoupling; k++) {
    const limb_coupling* x = &m->coupling[k];
    const double stretch = x->npoint > 0 ? cord_stretch(x, X) : limb_coupling_stretch(m, x, q);
    sum += m->coupling[k].stiffness * stretch * stretch / 2;
  }
  return sum;
}

limb_status limb_energies(limb_data* d, const double* q, const double* v, const limb_environment* env, limb_energy* out)
{
  if (!d || !q || !v || !out) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_environment e;
  limb_status status = limb_environment_read(m, env, &e);
  if (status != LIMB_OK) return status;
  status = limb_link_kinematics(d, q, v, NULL, &d->own);
  if (status != LIMB_OK) return status;
  out->kinetic = (link_products(m, d->own.v, d->own.v) + rotor_products(m, v, v)) / 2;
  out->gravity = -sp_dot3(e.gravity, limb_first_moment(m, d->own.X));
  out->springs = spring_energy(m, q, d->own.X);
  const bool finite = isfinite(out->kinetic) && isfinite(out->gravity) && isfinite(out->springs);
  return finite ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_body_energies(limb_data* d, const double* q, const double* v, const limb_environment* env,
                               double* kinetic, double* gravity)
{
  if (!d || !q || !v) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_environment e;
  limb_status status = limb_environment_read(m, env, &e);
  if (status == LIMB_OK) status = limb_link_kinematics(d, q, v, NULL, &d->own);
  if (status != LIMB_OK) return status;
  for (int i = 0; i < m->nbody; i++) {
    const sp_inertia* Y = &m->body[i].inertia;
    const limb_site at = limb_site_of(m, i);
    const sp_motion V = limb_site_motion(&at, d->own.X, d->own.v, LIMB_BODY);
    // K_i = V_i' I_i V_i / 2,  P_i = -m_i g . c_i
    const double K = sp_dot(V, sp_inertia_times(Y, V)) / 2;
    const double P = -Y->mass * sp_dot3(e.gravity, sp_point(limb_site_pose(&at, d->own.X), Y->com));
    if (!isfinite(K) || !isfinite(P)) return LIMB_E_NONFINITE;
    if (kinetic) kinetic[i] = K;
    if (gravity) gravity[i] = P;
  }
  return LIMB_OK;
}

static bool is_zero(sp_motion a)
{
  return a.w.x == 0 && a.w.y == 0 && a.w.z == 0 && a.v.x == 0 && a.v.y == 0 && a.v.z == 0;
}

// What the actuators and the force laws do; the laws are asked once.
static limb_status driving_powers(limb_data* d, const double* q, const double* v, const double* a,
                                  const limb_environment* env, limb_power* out)
{
  const limb_model* m = d->m;
  double* tau = d->user_v;
  limb_call_environment x;
  const limb_status status = limb_enter(d, env, q, v, &x);
  if (status != LIMB_OK) return status;
  limb_kernels_of(d)->inverse_dynamics(m, m->k64, &d->ws, q, v, a, &x.terms, x.wrench, tau);
  limb_leave(d, &x);
  out->actuators = limb_dot((size_t)m->nv, tau, v);
  out->wrenches = x.law_power;
  out->closures = 0;
  if (!d->loops) return LIMB_OK;
  // tau of the tree = tau of the motors + Psi' lambda, and Psi v is what prescribed motions ask for
  const double tree = out->actuators;
  const limb_status closed = m->loop_calls->inverse_dynamics(d->loops, q, v, a, env, tau);
  out->actuators = limb_dot((size_t)m->nv, tau, v);
  out->closures = tree - out->actuators;
  return closed;
}

// What springs and friction take, each against v.
static limb_status joint_powers(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                limb_power* out)
{
  const size_t nv = (size_t)d->m->nv;
  double* tau = d->user_v;
  limb_status status = limb_spring_forces(d, q, tau);
  if (status != LIMB_OK) return status;
  out->springs = limb_dot(nv, tau, v);
  out->friction = 0;
  if (!env->friction) return LIMB_OK;
  status = limb_friction_forces_at(d, q, v, env, tau);
  if (status == LIMB_OK) out->friction = limb_dot(nv, tau, v);
  return status;
}

static double wrench_power(const limb_model* m, const limb_link_motion* s, const limb_environment* env)
{
  double sum = 0;
  for (int k = 0; k < env->nwrench; k++) {
    const limb_wrench* w = &env->wrench[k];
    const limb_site site = limb_site_of(m, w->frame);
    sum += sp_dot(limb_site_motion(&site, s->X, s->v, w->ref), w->wrench);
  }
  return sum;
}

limb_status limb_power_balance(limb_data* d, const double* q, const double* v, const double* a,
                               const limb_environment* env, limb_power* out)
{
  if (!d || !q || !v || !a || !out) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_environment e;
  limb_status status = limb_environment_read(m, env, &e);
  if (status != LIMB_OK) return status;
  if (!is_zero(e.base_velocity) || !is_zero(e.base_acceleration)) return LIMB_E_ARG;
  const limb_link_motion* s = &d->own;
  status = limb_link_kinematics(d, q, v, a, s);
  if (status == LIMB_OK) status = driving_powers(d, q, v, a, &e, out);
  if (status == LIMB_OK) status = joint_powers(d, q, v, &e, out);
  if (status != LIMB_OK) return status;
  out->kinetic = link_products(m, s->v, s->a) + rotor_products(m, v, a);
  out->gravity = -sp_dot3(e.gravity, limb_momentum_about(m, s, sp_v3(0, 0, 0)).f);
  out->wrenches += wrench_power(m, s, &e);
  out->residual =
    (out->actuators + out->wrenches + out->closures) - (out->kinetic + out->gravity + out->springs + out->friction);
  return isfinite(out->residual) ? LIMB_OK : LIMB_E_NONFINITE;
}
