// Computations of quantities: the state itself, forces, accelerations, matrices, energies, hybrid dynamics, moving
// bases, elastic joints. One small function per call of the library.
#include "limb/dynamics.h"
#include "limb/elastic.h"

#include "quantities/evaluator_impl.h"

#include <string.h>

static size_t squared(const limb_lane* w) { return (size_t)w->e->nv * (size_t)w->e->nv; }

// ---- the state ------------------------------------------------------------------------------------------

static limb_status copy(const double* from, int n, double* x)
{
  memcpy(x, from, (size_t)n * sizeof *x);
  return LIMB_OK;
}

limb_status limb_eval_time(limb_lane* w, double* x) { return copy(&w->time, 1, x); }
limb_status limb_eval_q(limb_lane* w, double* x) { return copy(w->q, w->e->nq, x); }
limb_status limb_eval_v(limb_lane* w, double* x) { return copy(w->v, w->e->nv, x); }
limb_status limb_eval_a(limb_lane* w, double* x) { return copy(w->a, w->e->nv, x); }

// ---- forces, accelerations, matrices --------------------------------------------------------------------

limb_status limb_eval_tau(limb_lane* w, double* x)
{
  if (w->e->options.tau_is_given) return copy(w->tau, w->e->nv, x);
  return limb_inverse_dynamics(w->data, w->q, w->v, w->a, w->env, x);
}

limb_status limb_eval_acc(limb_lane* w, double* x)
{
  return limb_forward_dynamics(w->data, w->q, w->v, w->tau, w->env, x);
}

limb_status limb_eval_M(limb_lane* w, double* x) { return limb_mass_matrix(w->data, w->q, x); }
limb_status limb_eval_Minv(limb_lane* w, double* x) { return limb_mass_matrix_inverse(w->data, w->q, x); }
limb_status limb_eval_h(limb_lane* w, double* x) { return limb_bias_forces(w->data, w->q, w->v, w->env, x); }
limb_status limb_eval_g(limb_lane* w, double* x) { return limb_gravity_forces(w->data, w->q, w->env, x); }
limb_status limb_eval_C(limb_lane* w, double* x) { return limb_coriolis_matrix(w->data, w->q, w->v, x); }
limb_status limb_eval_friction(limb_lane* w, double* x) { return limb_friction_forces(w->data, w->v, w->env, x); }
limb_status limb_eval_springs(limb_lane* w, double* x) { return limb_spring_forces(w->data, w->q, x); }

// ---- energies -------------------------------------------------------------------------------------------

limb_status limb_eval_energy(limb_lane* w, double* x)
{
  limb_energy e = {0, 0, 0};
  const limb_status s = limb_energies(w->data, w->q, w->v, w->env, &e);
  x[0] = e.kinetic, x[1] = e.gravity + e.springs, x[2] = e.gravity, x[3] = e.springs;
  return s;
}

limb_status limb_eval_total_energy(limb_lane* w, double* x)
{
  limb_energy e = {0, 0, 0};
  const limb_status s = limb_energies(w->data, w->q, w->v, w->env, &e);
  *x = e.kinetic + e.gravity + e.springs;
  return s;
}

limb_status limb_eval_power(limb_lane* w, double* x)
{
  limb_power p = {0};
  const limb_status s = limb_power_balance(w->data, w->q, w->v, w->a, w->env, &p);
  x[0] = p.actuators, x[1] = p.wrenches, x[2] = p.kinetic, x[3] = p.gravity, x[4] = p.springs;
  x[5] = p.friction, x[6] = p.residual;
  return s;
}

// ---- reactions ------------------------------------------------------------------------------------------

limb_status limb_put_forces(limb_status s, const sp_force* f, int n, double* x)
{
  for (int j = 0; s == LIMB_OK && j < n; j++, x += 6) {
    x[0] = f[j].m.x, x[1] = f[j].m.y, x[2] = f[j].m.z;
    x[3] = f[j].f.x, x[4] = f[j].f.y, x[5] = f[j].f.z;
  }
  return s;
}

// work: 6 numbers per joint.
static limb_status reactions(limb_lane* w, const double* a, double* work, double* x)
{
  sp_force* f = (sp_force*)(void*)work;
  const limb_status s = limb_joint_reactions(w->data, w->q, w->v, a, w->env, w->ref, f);
  return limb_put_forces(s, f, limb_joint_count(w->e->model), x);
}

// Of the accelerations, or else of those that the forces cause.
limb_status limb_eval_reactions(limb_lane* w, double* x)
{
  double *a = w->work, *work = a + w->e->nv;
  if (w->a) return reactions(w, w->a, work, x);
  const limb_status s = limb_forward_dynamics(w->data, w->q, w->v, w->tau, w->env, a);
  return s == LIMB_OK ? reactions(w, a, work, x) : s;
}

// ---- hybrid dynamics ------------------------------------------------------------------------------------

// What the marks ask for: accelerations and forces of the state.
static const double* given(limb_lane* w, const unsigned char* mark)
{
  for (int k = 0; k < w->e->nv; k++) {
    const double* from = mark[k] == LIMB_ACCELERATION_GIVEN ? w->a : w->tau;
    w->x[k] = from ? from[k] : 0;
  }
  return w->x;
}

static limb_status hybrid(limb_lane* w, const unsigned char* mark, double* a, double* tau)
{
  return limb_hybrid_dynamics(w->data, w->q, w->v, mark, given(w, mark), w->env, a, tau);
}

limb_status limb_eval_hybrid(limb_lane* w, double* x) { return hybrid(w, w->e->given, x, x + w->e->nv); }

limb_status limb_eval_hybrid_reactions(limb_lane* w, double* x)
{
  double *a = w->work, *work = a + w->e->nv;
  const limb_status s = hybrid(w, w->e->given, a, NULL);
  return s == LIMB_OK ? reactions(w, a, work, x) : s;
}

static limb_status hybrid_derivatives(limb_lane* w, double* dq, double* dv, double* dx)
{
  const limb_hybrid in = {w->q, w->v, w->e->given, given(w, w->e->given), w->env};
  return limb_hybrid_dynamics_derivatives(w->data, &in, &(limb_hybrid_derivatives){NULL, dq, dv, dx});
}

limb_status limb_eval_dhybrid_dq(limb_lane* w, double* x)
{
  return hybrid_derivatives(w, x, w->work, w->work + squared(w));
}

limb_status limb_eval_dhybrid_dv(limb_lane* w, double* x)
{
  return hybrid_derivatives(w, w->work, x, w->work + squared(w));
}

limb_status limb_eval_dhybrid_dx(limb_lane* w, double* x)
{
  return hybrid_derivatives(w, w->work, w->work + squared(w), x);
}

// ---- moving base ----------------------------------------------------------------------------------------

limb_status limb_eval_base_acc(limb_lane* w, double* x)
{
  const limb_status s = hybrid(w, w->e->base_given, w->work, NULL);
  for (int k = 0; k < w->e->nv; k++)
    if (w->e->base[k]) *x++ = w->work[k];
  return s;
}

limb_status limb_eval_base_acc_frame(limb_lane* w, double* x)
{
  sp_motion A = {{0, 0, 0}, {0, 0, 0}};
  limb_status s = hybrid(w, w->e->base_given, w->work, NULL);
  if (s == LIMB_OK) s = limb_kinematics(w->data, w->q, w->v, w->work);
  if (s == LIMB_OK) s = limb_frame_classical_acceleration(w->data, w->frame, w->ref, &A);
  if (s == LIMB_OK) s = limb_lane_move(w); // other quantities are of the state's own accelerations
  return limb_put_columns(s, &A, 1, x);
}

// Marks of limb/dynamics.h for "the base, and nothing else, is force-given".
static const unsigned char* base_marks(limb_lane* w)
{
  unsigned char* marks = (unsigned char*)w->x;
  for (int k = 0; k < w->e->nv; k++) marks[k] = w->e->base[k] ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN;
  return marks;
}

limb_status limb_eval_generalized_jacobian(limb_lane* w, double* x)
{
  sp_motion* J = (sp_motion*)(void*)w->work;
  double* work = w->work + 6 * (size_t)w->e->nv;
  const limb_status s = limb_generalized_jacobian(w->data, w->q, base_marks(w), w->frame, w->ref, work, J);
  return limb_put_columns(s, J, (size_t)(w->e->nv - w->e->nbase), x);
}

limb_status limb_eval_reaction_null_space(limb_lane* w, double* x)
{
  return limb_reaction_null_space(w->data, w->q, base_marks(w), w->work, x, NULL);
}

// ---- elastic joints -------------------------------------------------------------------------------------

limb_status limb_eval_deflection(limb_lane* w, double* x)
{
  double *q = w->work, *work = q + w->e->nq;
  (void)copy(w->q, w->e->nq, q);
  const limb_status s = limb_static_deflection(w->data, NULL, NULL, w->env, NULL, work, q);
  if (s == LIMB_OK) return limb_difference(w->e->model, w->q, q, x);
  if (s == LIMB_E_SINGULAR)
    return limb_because(w, s,
                        "nothing holds a joint that gives way, or the load outweighs its spring: start elsewhere");
  if (s == LIMB_E_NOCONV)
    return limb_because(w, s, "there is no equilibrium near this state: are the springs strong enough?");
  return s;
}
