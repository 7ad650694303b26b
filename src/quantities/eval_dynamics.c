// Computations of quantities: the state itself, forces, accelerations, matrices, energies, hybrid dynamics, moving
// bases, elastic joints, derivatives, linear models, curvature, the linear parameter form. What is one call of the
// library is a row of the list at the end.
#include "limb/derivatives.h"
#include "limb/dynamics.h"
#include "limb/lagrange.h"

#include "quantities/evaluator_impl.h"

#include <string.h>

static size_t squared(const limb_lane* w) { return (size_t)w->e->nv * (size_t)w->e->nv; }

static limb_status copy(const double* from, int n, double* x)
{
  memcpy(x, from, (size_t)n * sizeof *x);
  return LIMB_OK;
}

// ---- forces, accelerations, matrices --------------------------------------------------------------------

limb_status limb_eval_tau(limb_lane* w, double* x)
{
  if (w->e->options.tau_is_given) return copy(w->tau, w->e->nv, x);
  return limb_inverse_dynamics(w->data, w->q, w->v, w->a, w->env, x);
}

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

// ---- inverse dynamics -----------------------------------------------------------------------------------

static limb_status inverse(limb_lane* w, const limb_id_derivatives* out)
{
  return limb_inverse_dynamics_derivatives(w->data, w->q, w->v, w->a, w->env, out);
}

// ---- forward dynamics -----------------------------------------------------------------------------------

static limb_status forward(limb_lane* w, double* dq, double* dv, double* dtau)
{
  limb_fd_derivatives out = {0};
  out.dacc_dq = dq, out.dacc_dv = dv, out.dacc_dtau = dtau;
  return limb_forward_dynamics_derivatives(w->data, w->q, w->v, w->tau, w->env, &out);
}

// ---- second derivatives ---------------------------------------------------------------------------------

// The blocks of the record, one behind the other.
static limb_second_derivatives blocks(const limb_lane* w, double* x)
{
  const size_t size = squared(w) * (size_t)w->e->nv;
  return (limb_second_derivatives){x, x + size, x + 2 * size, x + 3 * size};
}

limb_status limb_eval_d2tau(limb_lane* w, double* x)
{
  const limb_second_derivatives out = blocks(w, x);
  return limb_inverse_dynamics_second_derivatives(w->dual, w->q, w->v, w->a, w->env, &out);
}

limb_status limb_eval_d2acc(limb_lane* w, double* x)
{
  const limb_second_derivatives out = blocks(w, x);
  return limb_forward_dynamics_second_derivatives(w->dual, w->q, w->v, w->tau, w->env, &out);
}

// ---- linear models --------------------------------------------------------------------------------------

static limb_status linear(limb_lane* w, double* A, double* B)
{
  return limb_linearise(w->data, w->q, w->v, w->tau, w->env, A, B);
}

// NULL: not computed.
static limb_status sampled(limb_lane* w, double* Ad, double* Bd)
{
  const size_t nn = squared(w);
  const int nv = w->e->nv;
  double *A = w->work, *B = A + 4 * nn, *other = B + 2 * nn, *work = other + 4 * nn;
  limb_status s = linear(w, A, B);
  if (s != LIMB_OK) return s;
  s = limb_discretise(2 * nv, nv, A, B, w->e->options.dt, Ad ? Ad : other, Bd ? Bd : other, work);
  return s == LIMB_OK ? s : limb_because(w, s, "the time between samples is too long for this A: choose a shorter one");
}

// ---- sectional curvature --------------------------------------------------------------------------------

// Of the planes of two velocities each, by unit vectors.
limb_status limb_eval_sectional_curvature(limb_lane* w, double* x)
{
  const int nv = w->e->nv;
  double *u = w->work, *y = u + nv, *work = y + nv;
  limb_status s = LIMB_OK;
  memset(u, 0, 2 * (size_t)nv * sizeof *u);
  for (int i = 0; i < nv; i++) {
    x[i * nv + i] = 0;
    for (int j = 0; j < i && s == LIMB_OK; j++) {
      u[i] = y[j] = 1;
      s = limb_sectional_curvature(w->data, w->q, u, y, work, &x[i * nv + j]);
      x[j * nv + i] = x[i * nv + j];
      u[i] = y[j] = 0;
    }
  }
  return s;
}

limb_status limb_eval_plane_curvature(limb_lane* w, double* x)
{
  const limb_status s = limb_sectional_curvature(w->data, w->q, w->v, w->a, w->work, x);
  return s == LIMB_E_SINGULAR ? limb_because(w, s, "v and a do not span a plane, or M is singular") : s;
}

limb_status limb_eval_friction(limb_lane* w, double* x)
{
  const limb_status s = limb_friction_forces_at(w->data, w->q, w->v, w->env, x);
  if (s != LIMB_E_UNSUPPORTED) return s;
  return limb_because(w, s, "a tendon runs through points, so that friction depends on q: request springs, too");
}

// ---- one call each --------------------------------------------------------------------------------------

// clang-format off
#define LIMB_CALL_LIST(X) \
  X(time, copy(&w->time, 1, x)) \
  X(q, copy(w->q, w->e->nq, x)) \
  X(v, copy(w->v, w->e->nv, x)) \
  X(a, copy(w->a, w->e->nv, x)) \
  X(acc, limb_forward_dynamics(w->data, w->q, w->v, w->tau, w->env, x)) \
  X(M, limb_mass_matrix(w->data, w->q, x)) \
  X(Minv, limb_mass_matrix_inverse(w->data, w->q, x)) \
  X(h, limb_bias_forces(w->data, w->q, w->v, w->env, x)) \
  X(g, limb_gravity_forces(w->data, w->q, w->env, x)) \
  X(C, limb_coriolis_matrix(w->data, w->q, w->v, x)) \
  X(springs, limb_spring_forces(w->data, w->q, x)) \
  X(hybrid, hybrid(w, w->e->given, x, x + w->e->nv)) \
  X(dhybrid_dq, hybrid_derivatives(w, x, w->work, w->work + squared(w))) \
  X(dhybrid_dv, hybrid_derivatives(w, w->work, x, w->work + squared(w))) \
  X(dhybrid_dx, hybrid_derivatives(w, w->work, w->work + squared(w), x)) \
  X(reaction_null_space, limb_reaction_null_space(w->data, w->q, base_marks(w), w->work, x, NULL)) \
  X(dtau_dq, inverse(w, &(limb_id_derivatives){.dtau_dq = x})) \
  X(dtau_dv, inverse(w, &(limb_id_derivatives){.dtau_dv = x})) \
  X(dtau_dgravity, limb_inverse_dynamics_by_gravity(w->data, w->q, x)) \
  X(dtau_dwrench, limb_inverse_dynamics_by_wrench(w->data, w->q, w->frame, w->ref, x)) \
  X(dacc_dq, forward(w, x, w->work, w->work + squared(w))) \
  X(dacc_dv, forward(w, w->work, x, w->work + squared(w))) \
  X(dacc_dtau, limb_mass_matrix_inverse(w->data, w->q, x)) \
  X(dacc_dgravity, limb_forward_dynamics_by_gravity(w->data, w->q, x)) \
  X(dacc_dwrench, limb_forward_dynamics_by_wrench(w->data, w->q, w->frame, w->ref, x)) \
  X(A, linear(w, x, w->work)) \
  X(B, linear(w, w->work, x)) \
  X(Ad, sampled(w, x, NULL)) \
  X(Bd, sampled(w, NULL, x)) \
  X(Mdot, limb_mass_matrix_rate(w->data, w->q, w->v, x)) \
  X(dM_dq, limb_mass_matrix_derivative(w->data, w->q, x)) \
  X(christoffel, limb_christoffel(w->data, w->q, x)) \
  X(christoffel2, limb_christoffel_second(w->data, w->q, w->work, x)) \
  X(dchristoffel_dq, limb_christoffel_derivative(w->data, w->q, x)) \
  X(curvature, limb_curvature(w->data, w->q, w->work, x)) \
  X(ricci, limb_ricci_curvature(w->data, w->q, w->work, x)) \
  X(scalar_curvature, limb_scalar_curvature(w->data, w->q, w->work, x)) \
  X(theta, limb_parameters(w->e->model, x)) \
  X(Y, limb_regressor(w->data, w->q, w->v, w->a, w->env, x)) \
  X(Y_r, limb_slotine_li_regressor(w->data, w->q, w->v, w->v_r, w->a_r, w->env, x)) \
  X(theta_base, limb_base_values(w->e->base_parameters, NULL, x)) \
  X(Y_base, limb_base_regressor(w->e->base_parameters, w->data, w->q, w->v, w->a, w->work, x))
// clang-format on

#define LIMB_X(name, call) \
  limb_status limb_eval_##name(limb_lane* w, double* x) { return call; }
LIMB_CALL_LIST(LIMB_X)
#undef LIMB_X
