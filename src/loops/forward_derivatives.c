// Derivatives of forward dynamics with loops, through the constraints.
//
// Reference: implicit differentiation of Ghosal 2010, (14)-(17); J. Carpentier, N. Mansard, Analytical
//            derivatives of rigid body dynamics algorithms, 2018, for trees.
// Cost:      O(n^2) for dF and dc by dual numbers, O(n m^2 + m^3) for the factors, O(n^2 m) for the rest.
//
// With F and c of derivatives_impl.h, both at fixed a and lambda, X = M^-1 Psi' and A = Psi X,
//
//     A dlambda = Psi M^-1 dF - dc        da = -M^-1 dF + X dlambda
//     by tau:    dlambda = -A^-1 X'       da = M^-1 - X A^-1 X'
//
// Where rows depend on each other, these are of the robot that has the independent ones only, with
// multipliers A^-1 X' f that make the same force f = Psi' lambda: it moves alike, but for states that do
// not close the loops.

#include "limb/closed.h"

#include "base/numeric.h"
#include "kernel/tables.h"
#include "linalg/dense.h"
#include "loops/derivatives_impl.h"

#include <string.h>

typedef struct parts {
  int n, m;      // velocities, independent rows
  double *X, *A; // m x n (transposed), m x m: Cholesky factor
  double* Z;     // n x n: M^-1 dF of each direction
  double* dc;    // n x nrow
  double* unit;  // n x n
} parts;

// A part of dense scratch has (nv + nrow + 1)^2 numbers.
static parts lay_out(const limb_loops* w)
{
  const limb_dense dense = limb_dense_parts(w);
  const size_t n = (size_t)w->m->nv, m = (size_t)w->m->nrow;
  return (parts){.n = w->m->nv,
                 .X = dense.part[0],
                 .A = dense.part[0] + m * n,
                 .Z = dense.part[1],
                 .dc = dense.part[1] + n * n,
                 .unit = dense.part[2]};
}

// X and the factor of A.
static limb_status factor(limb_loops* w, const double* q, const parts* p)
{
  const ptrdiff_t n = p->n, m = p->m;
  double* row = p->unit; // free as yet
  for (ptrdiff_t r = 0; r < m; r++) limb_loop_full_row(w, w->order[r], p->X + r * n);
  memcpy(row, p->X, (size_t)(m * n) * sizeof *row);
  const limb_status s = limb_mass_matrix_solve(w->d, q, p->m, row, p->X);
  if (s != LIMB_OK) return s;
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t j = 0; j <= i; j++) p->A[i * m + j] = limb_dot((size_t)n, row + i * n, p->X + j * n);
  }
  return limb_cholesky(p->m, p->A) ? LIMB_OK : LIMB_E_SINGULAR;
}

// Column `direction` of da and dlambda from z = M^-1 dF and dc.
static void put_column(limb_loops* w, const parts* p, int direction, double* da, double* dlambda)
{
  const ptrdiff_t n = p->n;
  const double *z = p->Z + direction * n, *dc = p->dc + (ptrdiff_t)direction * w->m->nrow;
  double* x = w->r1;
  limb_psi_times(w, z, w->r2);
  for (int r = 0; r < p->m; r++) x[r] = w->r2[w->order[r]] - dc[w->order[r]];
  limb_cholesky_solve(p->m, p->A, x);
  for (ptrdiff_t i = 0; da && i < n; i++) {
    double sum = -z[i];
    for (int r = 0; r < p->m; r++) sum += p->X[r * n + i] * x[r];
    da[i * n + direction] = sum;
  }
  for (int r = 0; dlambda && r < w->m->nrow; r++) dlambda[(ptrdiff_t)w->user_row[r] * n + direction] = 0;
  for (int r = 0; dlambda && r < p->m; r++) dlambda[(ptrdiff_t)w->user_row[w->order[r]] * n + direction] = x[r];
}

// Rows that some joint moves.
static int live_rows(const limb_loops* w)
{
  int count = 0;
  for (int c = 0; c < w->m->clusters.count; c++) count += w->nlive[c];
  return count;
}

// The multipliers of the independent rows that make the same force as those of all, in the order of the
// clusters.
static void gather_multipliers(limb_loops* w, const parts* p, double* lambda)
{
  const ptrdiff_t n = p->n;
  double *force = w->v3, *x = w->r1;
  memset(force, 0, (size_t)n * sizeof *force);
  for (int r = 0; r < w->m->nrow; r++) {
    limb_loop_full_row(w, r, p->unit); // free as yet
    for (ptrdiff_t i = 0; i < n; i++) force[i] += lambda[r] * p->unit[i];
  }
  for (int r = 0; r < p->m; r++) x[r] = limb_dot((size_t)n, p->X + r * n, force);
  limb_cholesky_solve(p->m, p->A, x);
  memset(lambda, 0, (size_t)w->m->nrow * sizeof *lambda);
  for (int r = 0; r < p->m; r++) lambda[w->order[r]] = x[r];
}

typedef enum by_what { BY_Q, BY_V } by_what;

static limb_status by_state(limb_loops* w, limb_dual* u, const limb_loop_point* point, const parts* p, by_what what,
                            double* da, double* dlambda)
{
  if (!da && !dlambda) return LIMB_OK;
  const limb_directions along = {
    .count = p->n, .dq = what == BY_Q ? p->unit : NULL, .dv = what == BY_V ? p->unit : NULL};
  const limb_loop_changes out = {.dF = p->Z, .dc = p->dc};
  limb_status s = limb_loop_along(w, u, point, &along, &out);
  if (s == LIMB_OK) s = limb_mass_matrix_solve(w->d, point->at.q, p->n, p->Z, p->Z);
  for (int k = 0; s == LIMB_OK && k < p->n; k++) put_column(w, p, k, da, dlambda);
  return s;
}

// The change of tau_k is one of F by -1.
static limb_status by_tau(limb_loops* w, const double* q, const parts* p, double* da, double* dlambda)
{
  if (!da && !dlambda) return LIMB_OK;
  const limb_status s = limb_mass_matrix_solve(w->d, q, p->n, p->unit, p->Z);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)p->n * p->n; i++) p->Z[i] = -p->Z[i];
  memset(p->dc, 0, (size_t)p->n * (size_t)w->m->nrow * sizeof *p->dc);
  for (int k = 0; s == LIMB_OK && k < p->n; k++) put_column(w, p, k, da, dlambda);
  return s;
}

static bool all_finite(const limb_model* m, const limb_closed_derivatives* out)
{
  const ptrdiff_t square = (ptrdiff_t)m->nv * m->nv, rows = (ptrdiff_t)m->nrow * m->nv;
  return limb_finite_if(square, out->da_dq) && limb_finite_if(square, out->da_dv) &&
         limb_finite_if(square, out->da_dtau) && limb_finite_if(rows, out->dlambda_dq) &&
         limb_finite_if(rows, out->dlambda_dv) && limb_finite_if(rows, out->dlambda_dtau);
}

limb_status limb_closed_forward_dynamics_derivatives(limb_loops* w, limb_dual* dual, const limb_closed_motion* in,
                                                     const double* tau, const limb_closed_options* options,
                                                     const limb_closed_derivatives* out)
{
  if (!w || !dual || !in || !in->q || !in->v || !tau || !out || limb_spanning_tree(dual->m) != w->d->m)
    return LIMB_E_ARG;
  if (w->use != LIMB_LOOPS_DENSE) return LIMB_E_ORDER;
  limb_closed_options o;
  limb_status s = limb_closed_options_read(options, &o);
  if (s != LIMB_OK) return s;
  if (o.alpha != 0 || o.beta != 0) return LIMB_E_ARG;
  double *a = out->a ? out->a : w->v4, *lambda = out->lambda ? out->lambda : w->r2;
  s = limb_closed_forward_dynamics(w, in, tau, &o, a, lambda, NULL);
  if (s != LIMB_OK) return s;
  if (a != w->v4) memcpy(w->v4, a, (size_t)w->m->nv * sizeof *a);
  limb_rows_from_user(w, lambda, w->r3);
  const limb_loop_point point = {{in->q, in->v, w->v4, in->env}, w->r3};
  parts p = lay_out(w);
  p.m = limb_loop_independent_rows(w, o.loops.tolerance);
  const bool redundant = p.m < live_rows(w);
  if (redundant && (out->dlambda_dq || out->dlambda_dv || out->dlambda_dtau)) return LIMB_E_SINGULAR;
  s = factor(w, in->q, &p);
  if (s != LIMB_OK) return s;
  if (redundant) gather_multipliers(w, &p, w->r3);
  for (ptrdiff_t i = 0; i < p.n; i++) {
    for (ptrdiff_t j = 0; j < p.n; j++) p.unit[i * p.n + j] = i == j;
  }
  s = by_state(w, dual, &point, &p, BY_Q, out->da_dq, out->dlambda_dq);
  if (s == LIMB_OK) s = by_state(w, dual, &point, &p, BY_V, out->da_dv, out->dlambda_dv);
  if (s == LIMB_OK) s = by_tau(w, in->q, &p, out->da_dtau, out->dlambda_dtau);
  if (s != LIMB_OK) return s;
  return all_finite(w->m, out) ? LIMB_OK : LIMB_E_NONFINITE;
}
