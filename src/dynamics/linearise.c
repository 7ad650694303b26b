// Linear models about a state and along a trajectory, and their exact sampling.
//
// Reference: docs/linearisation.md; C. Van Loan, Computing integrals involving the matrix exponential, IEEE
//            Trans. Automatic Control 23, 1978 (one exponential for Ad and Bd).
// Cost:      that of limb_forward_dynamics_derivatives, and O(nv^2); sampling O((nx + nu)^3).
//
// Let (Q, V) be the motion through the state, and q = Q exp(dq). Its velocity is v = exp(-dq) V exp(dq) +
// dq' + ... = V + [V, dq] + dq' to first order, so
//
//   dq' = dv - ad(V) dq                       counted from the motion
//   dq' = V + dv - ad(V) dq / 2               counted from Q at rest: v = dq' + [dq', dq] / 2 + ...
//
// For joints whose coordinates are their own tangent ad is zero.

#include "limb/derivatives.h"

#include "base/numeric.h"
#include "linalg/dense.h"
#include "model/data_impl.h"
#include "model/loop_calls.h"

#include <limits.h>
#include <string.h>

// A += k [w]x, a block of a matrix with `stride` columns.
static void add_cross(double k, const double* w, size_t stride, double* A)
{
  A[1] -= k * w[2], A[2] += k * w[1];
  A[stride] += k * w[2], A[stride + 2] -= k * w[0];
  A[2 * stride] -= k * w[1], A[2 * stride + 1] += k * w[0];
}

// A += k ad(v) of a ball or free joint, its block of such a matrix:
//   ad(w)    = [w]x                   ball
//   ad(w; u) = [w]x   0               free
//              [u]x   [w]x
static void add_ad(double k, const double* v, bool is_free, size_t stride, double* A)
{
  add_cross(k, v, stride, A);
  if (!is_free) return;
  add_cross(k, v + 3, stride, A + 3 * stride);
  add_cross(k, v, stride, A + 3 * stride + 3);
}

// Rows of dq': [k ad(v)  1].
static void tangent_rows(const limb_model* m, const double* v, double k, double* A)
{
  const size_t n = (size_t)m->nv;
  memset(A, 0, 2 * n * n * sizeof *A);
  for (size_t i = 0; i < n; i++) A[i * 2 * n + n + i] = 1;
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint_type type = m->joint[j].def.type;
    const size_t first = (size_t)m->joint[j].v;
    if (type == LIMB_SPHERICAL || type == LIMB_FREE)
      add_ad(k, v + first, type == LIMB_FREE, 2 * n, A + first * (2 * n + 1));
  }
}

// Of a robot with loops, rows of dependent velocities are zero: d a / d tau shows which they are (n x n, of `stride`
// columns). LIMB_E_UNSUPPORTED when a ball or free joint has velocities of both kinds, which are not dq' of its own.
static limb_status clear_dependent(const limb_data* d, const double* dacc_dtau, size_t stride, double* A)
{
  const limb_model* m = d->m;
  const size_t n = (size_t)m->nv;
  for (int j = 0; d->loops && j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    const bool turns = joint->def.type == LIMB_SPHERICAL || joint->def.type == LIMB_FREE;
    int independent = 0;
    for (int k = 0; k < joint->nv; k++) {
      const size_t i = (size_t)(joint->v + k);
      if (dacc_dtau[i * stride + i] != 0)
        independent++;
      else
        memset(A + i * 2 * n, 0, 2 * n * sizeof *A);
    }
    if (turns && independent > 0 && independent < joint->nv) return LIMB_E_UNSUPPORTED;
  }
  return LIMB_OK;
}

// Rows of dv', from matrices that lie in the rows of dq'.
static void velocity_rows(size_t n, const double* dq, const double* dv, double* A)
{
  for (size_t i = 0; i < n; i++) {
    double* row = A + (n + i) * 2 * n;
    memcpy(row, dq + i * n, n * sizeof *row);
    memcpy(row + n, dv + i * n, n * sizeof *row);
  }
}

// Derivatives of the accelerations; of a robot with loops those of the independent ones, with the loops closed.
static limb_status derivatives(limb_data* d, const double* q, const double* v, const double* tau,
                               const limb_environment* env, const limb_fd_derivatives* out)
{
  const limb_status s = limb_forward_dynamics_derivatives(d, q, v, tau, env, out);
  if (s != LIMB_OK || !d->loops) return s;
  return d->m->loop_calls->close_derivatives(d->loops, q, v, env, out->dacc_dq, out->dacc_dv, out->dacc_dtau);
}

limb_status limb_linearise(limb_data* d, const double* q, const double* v, const double* tau,
                           const limb_environment* env, double* A, double* B)
{
  if (!d || !q || !v || !tau || !A || !B) return LIMB_E_ARG;
  const size_t n = (size_t)d->m->nv;
  // The upper half of A holds the two matrices until they are spread over the lower one.
  const limb_fd_derivatives out = {.dacc_dq = A, .dacc_dv = A + n * n, .dacc_dtau = B + n * n};
  const limb_status s = derivatives(d, q, v, tau, env, &out);
  if (s != LIMB_OK) return s;
  velocity_rows(n, A, A + n * n, A);
  tangent_rows(d->m, v, -1, A);
  memset(B, 0, n * n * sizeof *B);
  return clear_dependent(d, B + n * n, n, A);
}

limb_status limb_linearise_affine(limb_data* d, const double* q, const double* v, const double* tau,
                                  const limb_environment* env, double* A, double* B)
{
  if (!d || !q || !v || !tau || !A || !B) return LIMB_E_ARG;
  const size_t n = (size_t)d->m->nv;
  double *Minv = B, *a = B + n * n; // in the upper half of B: n (n + 1) numbers
  const limb_fd_derivatives out = {a, A, A + n * n, Minv};
  const limb_status s = derivatives(d, q, v, tau, env, &out);
  if (s != LIMB_OK) return s;
  velocity_rows(n, A, A + n * n, A);
  tangent_rows(d->m, v, -0.5, A);
  for (size_t i = 0; i < n; i++) {
    double* row = B + (n + i) * (n + 1);
    memcpy(row, Minv + i * n, n * sizeof *row);
    row[n] = a[i];
  }
  memset(B, 0, n * (n + 1) * sizeof *B);
  for (size_t i = 0; i < n; i++) B[i * (n + 1) + n] = v[i];
  return clear_dependent(d, B + n * (n + 1), n + 1, A);
}

limb_status limb_linearise_trajectory(limb_data* d, int count, const double* q, const double* v, const double* tau,
                                      const limb_environment* env, double* A, double* B)
{
  if (!d || count < 0 || (count > 0 && (!q || !v || !tau || !A || !B))) return LIMB_E_ARG;
  const size_t nq = (size_t)d->m->nq, n = (size_t)d->m->nv;
  for (size_t k = 0; k < (size_t)count; k++) {
    const limb_status s =
      limb_linearise(d, q + k * nq, v + k * n, tau + k * n, env, A + k * 4 * n * n, B + k * 2 * n * n);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}

// ---- sampling -----------------------------------------------------------------------------------------------

size_t limb_discretise_work(int nx, int nu)
{
  enum { MATRICES = 1 + LIMB_EXPM_WORK };
  if (nx < 0 || nu < 0 || nu > INT_MAX - nx) return 0;
  const size_t n = (size_t)nx + (size_t)nu;
  if (n > 0 && n > SIZE_MAX / sizeof(double) / MATRICES / n) return 0;
  return MATRICES * n * n;
}

// A power of two that brings B dt to the size of A dt, or of 1: Bd is linear in B, and a large B must
// not decide how often the exponential is squared.
static double input_scale(double A, double B)
{
  double scale = 1;
  const double limit = A > 1 ? A : 1;
  while (B * scale > limit) scale /= 2;
  return scale;
}

limb_status limb_discretise(int nx, int nu, const double* A, const double* B, double dt, double* Ad, double* Bd,
                            double* work)
{
  const size_t size = limb_discretise_work(nx, nu), n = (size_t)nx + (size_t)nu;
  if (nx < 0 || nu < 0 || (size == 0 && n > 0)) return LIMB_E_ARG;
  if (nx == 0) return LIMB_OK;
  if (!A || !Ad || !work || (nu > 0 && (!B || !Bd))) return LIMB_E_ARG;
  const double a = limb_norm1(nx, nx, A) * fabs(dt), b = limb_norm1(nx, nu, B) * fabs(dt);
  if (!limb_finite(1, &dt) || !limb_finite(1, &a) || !limb_finite(1, &b)) return LIMB_E_NONFINITE;
  const double scale = input_scale(a, b);
  double* E = work; // [A B; 0 0] dt
  memset(E, 0, n * n * sizeof *E);
  for (size_t i = 0; i < (size_t)nx; i++) {
    for (size_t j = 0; j < (size_t)nx; j++) E[i * n + j] = dt * A[i * (size_t)nx + j];
    for (size_t j = 0; j < (size_t)nu; j++) E[i * n + (size_t)nx + j] = dt * (scale * B[i * (size_t)nu + j]);
  }
  const limb_status s = limb_expm((int)n, E, work + n * n);
  if (s != LIMB_OK) return s;
  for (size_t i = 0; i < (size_t)nx; i++) {
    memcpy(Ad + i * (size_t)nx, E + i * n, (size_t)nx * sizeof *Ad);
    for (size_t j = 0; j < (size_t)nu; j++) Bd[i * (size_t)nu + j] = E[i * n + (size_t)nx + j] / scale;
  }
  return limb_finite((ptrdiff_t)nx * nu, Bd) ? LIMB_OK : LIMB_E_NONFINITE;
}
