// First derivatives of inverse, forward and hybrid dynamics: entry points.
//
// Reference: docs/conventions.md, tau = M a + h - sum J' wrench, linear in wrench and gravity; limb/derivatives.h and
//            linalg/dense.h (exchange steps) for hybrid dynamics.
// Cost:      by the state O(n depth) and that of the kernels; by wrenches and gravity O(n), in forward dynamics also
//            six, or three, solves with M; in hybrid dynamics O(n^2) for each exchange.
//
//   d tau / d wrench = -J'          d a / d wrench = M^-1 J'
//   d tau / d g      = -G'          d a / d g      = M^-1 G'
//
// J is the Jacobian of the frame, G that of the first moment of mass: the power of gravity is g . G v.
//
// Hybrid dynamics has the derivatives of inverse dynamics with arguments and results exchanged. At the accelerations
// that it finds,
//
//   d tau = M da + dtau/dq dq + dtau/dv dv + dtau/du du      u: a wrench, or gravity
//
// holds for every degree of freedom. One exchange for each force-given k puts da_k on the left and d tau_k on the
// right, where the derivatives of y then stand. The exchanges run from the leaves to the roots, so that most rows of
// other branches are skipped.

#include "limb/derivatives.h"

#include "base/numeric.h"
#include "dynamics/dynamics_impl.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"
#include "linalg/dense.h"
#include "model/loop_calls.h"

#include <math.h>

// ---- by the state -------------------------------------------------------------------------------------------

// Checks the arguments of both calls, and reads the environment. x: accelerations or forces.
static limb_status enter(limb_data* d, const double* q, const double* v, const double* x, const limb_environment* env,
                         limb_call_environment* around)
{
  if (!d || !q || !v || !x) return LIMB_E_ARG;
  if (!d->ws.table.cell) return LIMB_E_UNSUPPORTED;
  const limb_status s = limb_check_state(d, q, v, x);
  return s == LIMB_OK ? limb_enter_lawless(d, env, NULL, around) : s;
}

limb_status limb_inverse_dynamics_derivatives(limb_data* d, const double* q, const double* v, const double* a,
                                              const limb_environment* env, const limb_id_derivatives* out)
{
  if (!out) return LIMB_E_ARG;
  if (d && d->loops && q && v && a) return d->m->loop_calls->inverse_dynamics_derivatives(d->loops, q, v, a, env, out);
  limb_call_environment around;
  const limb_status s = enter(d, q, v, a, env, &around);
  if (s != LIMB_OK) return s;
  const limb_kernels_motion in = {q, v, a, &around.terms, around.given, around.ngiven, NULL, 0};
  const limb_kernels_slopes slopes = {out->tau, out->dtau_dq, out->dtau_dv, out->M};
  const bool fine = limb_kernels_of(d)->id_derivatives(d->m, d->m->k64, &d->ws, &in, &slopes) &&
                    (!out->tau || limb_finite_v(d, out->tau));
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_forward_dynamics_derivatives(limb_data* d, const double* q, const double* v, const double* tau,
                                              const limb_environment* env, const limb_fd_derivatives* out)
{
  if (!out || !out->dacc_dq || !out->dacc_dv || !out->dacc_dtau) return LIMB_E_ARG;
  if (d && d->loops && q && v && tau)
    return d->m->loop_calls->forward_dynamics_derivatives(d->loops, q, v, tau, env, out);
  limb_call_environment around;
  const limb_status s = enter(d, q, v, tau, env, &around);
  if (s != LIMB_OK) return s;
  const limb_kernels_motion in = {q, v, tau, &around.terms, around.given, around.ngiven, NULL, 0};
  const limb_kernels_slopes slopes = {out->acc, out->dacc_dq, out->dacc_dv, out->dacc_dtau};
  const double margin = limb_kernels_of(d)->fd_derivatives(d->m, d->m->k64, &d->ws, &in, &slopes);
  const bool fine = *d->ws.table.finite && (!out->acc || limb_finite_v(d, out->acc));
  if (!limb_inverse_positive(d->m, out->dacc_dtau) || !limb_regular(d, margin, q, NULL)) return LIMB_E_SINGULAR;
  // In doubt the factors of M keep more digits.
  if (out->acc && !(margin > 0)) return limb_forward_dynamics(d, q, v, tau, env, out->acc);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- by wrenches and gravity --------------------------------------------------------------------------------

static limb_status finished(const limb_model* m, int columns, const double* out)
{
  return limb_finite((ptrdiff_t)columns * m->nv, out) ? LIMB_OK : LIMB_E_NONFINITE;
}

// out = J', nv x 6: a column of J is a row, angular first.
static limb_status frame_rows(limb_data* d, const double* q, int frame, limb_ref ref, double* out)
{
  if (!d || !q || !out || !limb_ref_valid(ref)) return LIMB_E_ARG;
  const limb_model* m = d->m;
  if (frame < 0 || frame >= m->nbody + m->nframe) return LIMB_E_ARG;
  const limb_status s = limb_link_kinematics(d, q, NULL, NULL, &d->own);
  if (s != LIMB_OK) return s;
  const limb_site site = limb_site_of(m, frame);
  limb_site_jacobian(d, &site, d->own.X, ref, (sp_motion*)(void*)out);
  return finished(m, 6, out);
}

// out = G', nv x 3.
static limb_status mass_rows(limb_data* d, const double* q, double* out)
{
  if (!d || !q || !out) return LIMB_E_ARG;
  const limb_status s = limb_link_kinematics(d, q, NULL, NULL, &d->own);
  if (s != LIMB_OK) return s;
  limb_measure_from_root(d->m, q, d->own.X); // the Jacobian does not depend on where the robot is
  limb_first_moment_jacobian(d->m, d->own.X, d->composite, (sp_vec3*)(void*)out);
  return finished(d->m, 3, out);
}

// Forces of the actuators that hold_columns against -x.
static limb_status hold_columns(limb_data* d, const double* q, int columns, double* x)
{
  for (ptrdiff_t k = 0; k < (ptrdiff_t)columns * d->m->nv; k++) x[k] = -x[k];
  return d->loops ? d->m->loop_calls->drive(d->loops, q, columns, x) : LIMB_OK;
}

// x = M^-1 x for a matrix nv x columns. The solver takes right-hand sides as rows.
static limb_status solve_columns(limb_data* d, const double* q, int columns, double* x)
{
  const int n = d->m->nv;
  if (d->loops) return d->m->loop_calls->accelerate(d->loops, q, columns, x);
  limb_transpose(n, columns, x);
  const limb_status s = limb_mass_matrix_solve(d, q, columns, x, x);
  limb_transpose(columns, n, x);
  return s;
}

limb_status limb_inverse_dynamics_by_wrench(limb_data* d, const double* q, int frame, limb_ref ref, double* out)
{
  const limb_status s = frame_rows(d, q, frame, ref, out);
  return s == LIMB_OK ? hold_columns(d, q, 6, out) : s;
}

limb_status limb_inverse_dynamics_by_gravity(limb_data* d, const double* q, double* out)
{
  const limb_status s = mass_rows(d, q, out);
  return s == LIMB_OK ? hold_columns(d, q, 3, out) : s;
}

limb_status limb_forward_dynamics_by_wrench(limb_data* d, const double* q, int frame, limb_ref ref, double* out)
{
  const limb_status s = frame_rows(d, q, frame, ref, out);
  return s == LIMB_OK ? solve_columns(d, q, 6, out) : s;
}

limb_status limb_forward_dynamics_by_gravity(limb_data* d, const double* q, double* out)
{
  const limb_status s = mass_rows(d, q, out);
  return s == LIMB_OK ? solve_columns(d, q, 3, out) : s;
}

// ---- hybrid dynamics ----------------------------------------------------------------------------------------

#define ROUNDING 1e-13 // of the diagonal: as in kernel/factor_kernel.h

// A matrix nv x columns beside M.
typedef struct beside {
  int columns;
  double* A;
} beside;

// M becomes dy/dx, and the others what they are to y. Only M_ff need be positive definite: what is left of
// its diagonal is compared with what was there, and with all of M.
static limb_status exchange(limb_data* d, const unsigned char* given, double* M, int count, const beside* other)
{
  const limb_model* m = d->m;
  const size_t n = (size_t)m->nv;
  double* diagonal = d->user_v;
  double largest = 0;
  for (size_t k = 0; k < n; k++) {
    diagonal[k] = M[k * (n + 1)];
    largest = fmax(largest, diagonal[k]);
  }
  for (int e = m->nv - 1; e >= 0; e--) {
    const int k = m->elim.v[e];
    if (given[k] == LIMB_ACCELERATION_GIVEN) continue;
    const double min_pivot = ROUNDING * diagonal[k] + LIMB_ZERO_PIVOT * largest;
    if (!limb_exchange(m->nv, k, min_pivot, M)) return LIMB_E_SINGULAR;
    for (int l = 0; l < count; l++) limb_exchange_beside(m->nv, k, M, other[l].columns, other[l].A);
  }
  bool fine = limb_finite((ptrdiff_t)(n * n), M);
  for (int l = 0; l < count; l++) fine &= limb_finite((ptrdiff_t)other[l].columns * m->nv, other[l].A);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}

// y, if wanted, and the accelerations in d->user_v.
static limb_status solve_state(limb_data* d, const limb_hybrid* in, const unsigned char* given,
                               const limb_hybrid_derivatives* out)
{
  double *a = d->user_v, *tau = out->y ? out->y : out->dy_dx;
  const limb_status s = limb_hybrid_dynamics(d, in->q, in->v, in->given, in->x, in->env, a, tau);
  if (s != LIMB_OK || !out->y) return s;
  for (int k = 0; k < d->m->nv; k++) {
    if (given[k] == LIMB_FORCE_GIVEN) out->y[k] = a[k];
  }
  return LIMB_OK;
}

limb_status limb_hybrid_dynamics_derivatives(limb_data* d, const limb_hybrid* in, const limb_hybrid_derivatives* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !in || !in->q || !in->v || !in->x) return LIMB_E_ARG;
  if (!out || !out->dy_dq || !out->dy_dv || !out->dy_dx) return LIMB_E_ARG;
  const unsigned char* given = limb_read_given(d, in->given);
  if (!given) return LIMB_E_ARG;
  if (!d->ws.table.cell) return LIMB_E_UNSUPPORTED;
  const limb_model* m = d->m;
  limb_call_environment x;
  limb_status s = limb_enter_lawless(d, in->env, NULL, &x);
  if (s == LIMB_OK) s = solve_state(d, in, given, out);
  if (s != LIMB_OK) return s;
  const limb_kernels_motion at = {in->q, in->v, d->user_v, &x.terms, x.given, x.ngiven, NULL, 0};
  const limb_kernels_slopes slopes = {NULL, out->dy_dq, out->dy_dv, out->dy_dx};
  if (!limb_kernels_of(d)->id_derivatives(m, m->k64, &d->ws, &at, &slopes)) return LIMB_E_NONFINITE;
  const beside other[2] = {{m->nv, out->dy_dq}, {m->nv, out->dy_dv}};
  return exchange(d, given, out->dy_dx, 2, other);
}

limb_status limb_hybrid_dynamics_by_wrench(limb_data* d, const double* q, const unsigned char* given, int frame,
                                           limb_ref ref, double* work, double* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !work) return LIMB_E_ARG;
  const unsigned char* given_dofs = limb_read_given(d, given);
  if (!given_dofs) return LIMB_E_ARG;
  limb_status s = limb_inverse_dynamics_by_wrench(d, q, frame, ref, out);
  if (s == LIMB_OK) s = limb_mass_matrix(d, q, work);
  return s == LIMB_OK ? exchange(d, given_dofs, work, 1, &(beside){6, out}) : s;
}

limb_status limb_hybrid_dynamics_by_gravity(limb_data* d, const double* q, const unsigned char* given, double* work,
                                            double* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !work) return LIMB_E_ARG;
  const unsigned char* given_dofs = limb_read_given(d, given);
  if (!given_dofs) return LIMB_E_ARG;
  limb_status s = limb_inverse_dynamics_by_gravity(d, q, out);
  if (s == LIMB_OK) s = limb_mass_matrix(d, q, work);
  return s == LIMB_OK ? exchange(d, given_dofs, work, 1, &(beside){3, out}) : s;
}
