// Hessian of a weighted sum of forces or accelerations, and its products with directions. The equations
// are those of second_along.c.
//
// Cost O(n depth) for each group of LIMB_TANGENTS directions, and solves with M; a Hessian has 2 n
// directions.

#include "dynamics/second_impl.h"
#include "kernel/tables.h"

#include <string.h>

// ---- along directions -------------------------------------------------------------------------------

// mu: the weights of tau that are worth lambda: lambda itself, or M^-1 lambda in forward dynamics.
static limb_status find_weights(limb_dual* w, const limb_second_at* p, const double* lambda, const double** mu)
{
  if (!limb_finite_v(w->d, lambda)) return LIMB_E_NONFINITE;
  *mu = p->kind == LIMB_DUAL_INVERSE ? lambda : w->mu;
  if (p->kind == LIMB_DUAL_INVERSE) return LIMB_OK;
  return limb_mass_matrix_solve(w->d, p->given.q, 1, lambda, w->mu);
}

// out = sign ((A^T)' mu + A^T mu'); mu' NULL: zero
static void weigh(const limb_dual* w, const limb_dual_number* A, int slot, double sign, const double* mu,
                  const double* dmu, double* out)
{
  const int n = w->m->nv;
  for (int l = 0; l < n; l++) out[l] = 0;
  for (int i = 0; i < n; i++) {
    const limb_dual_number* row = A + (ptrdiff_t)i * n;
    const double weight = sign * mu[i], change = dmu ? sign * dmu[i] : 0;
    for (int l = 0; l < n; l++) {
      out[l] += weight * limb_tangent(&row[l], slot) + change * row[l].x;
    }
  }
}

// mu' = -M^-1 M' mu of a group; NULL in inverse dynamics, whose weights are fixed.
static limb_status weight_rates(limb_dual* w, const limb_second_at* p, const double* mu, int used, const double** dmu)
{
  double* rows = w->rows[ROWS_MU];
  *dmu = NULL;
  if (p->kind == LIMB_DUAL_INVERSE) return LIMB_OK;
  for (int slot = 0; slot < used; slot++) { // M is symmetric
    weigh(w, w->dx, slot, -1, mu, NULL, rows + (ptrdiff_t)slot * w->m->nv);
  }
  *dmu = rows;
  return limb_mass_matrix_solve(w->d, p->given.q, used, rows, rows);
}

// Products with a group of directions, count rows each; what is NULL is not wanted.
static limb_status gradients(limb_dual* w, const limb_second_at* p, const double* mu, const limb_directions* group,
                             const limb_gradients* out)
{
  const int n = w->m->nv;
  const double* dmu;
  limb_status s = limb_second_slopes(w, p, group);
  if (s == LIMB_OK) s = weight_rates(w, p, mu, group->count, &dmu);
  if (s != LIMB_OK) return s;
  const double sign = p->kind == LIMB_DUAL_INVERSE ? 1 : -1;
  for (int slot = 0; slot < group->count; slot++) {
    const ptrdiff_t at = (ptrdiff_t)slot * n;
    const double* change = limb_row(dmu, slot, n);
    if (out->dq) weigh(w, w->dq, slot, sign, mu, change, out->dq + at);
    if (out->dv) weigh(w, w->dv, slot, sign, mu, change, out->dv + at);
    if (out->dx && change) memcpy(out->dx + at, change, (size_t)n * sizeof *out->dx);
    if (out->dx && !change) weigh(w, w->dx, slot, 1, mu, NULL, out->dx + at);
    if ((out->dq && !limb_finite_v(w->d, out->dq + at)) || (out->dv && !limb_finite_v(w->d, out->dv + at)) ||
        (out->dx && !limb_finite_v(w->d, out->dx + at)))
      return LIMB_E_NONFINITE;
  }
  return LIMB_OK;
}

static double* row_of(double* A, int row, int nv) { return A ? A + (ptrdiff_t)row * nv : NULL; }

static limb_status hessian_along(limb_dual* w, limb_second_at* p, const double* lambda, const limb_directions* along,
                                 const limb_gradients* out)
{
  if (!lambda || !along || !out) return LIMB_E_ARG;
  const double* mu;
  limb_status s = limb_second_enter(w, p, along);
  if (s == LIMB_OK) s = find_weights(w, p, lambda, &mu);
  if (s != LIMB_OK) return s;
  const int n = w->m->nv;
  for (int k = 0; k < along->count && s == LIMB_OK; k += LIMB_TANGENTS) {
    const limb_directions group = limb_second_group(w, along, k);
    const limb_gradients to = {row_of(out->dq, k, n), row_of(out->dv, k, n), row_of(out->dx, k, n)};
    s = gradients(w, p, mu, &group, &to);
  }
  return s;
}

limb_status limb_inverse_dynamics_hessian_along(limb_dual* w, const double* q, const double* v, const double* a,
                                                const limb_environment* env, const double* lambda,
                                                const limb_directions* along, const limb_gradients* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_at p = {.kind = LIMB_DUAL_INVERSE, .given = {q, v, a, env}};
  return hessian_along(w, &p, lambda, along, out);
}

limb_status limb_forward_dynamics_hessian_along(limb_dual* w, const double* q, const double* v, const double* tau,
                                                const limb_environment* env, const double* lambda,
                                                const limb_directions* along, const limb_gradients* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_at p = {.kind = LIMB_DUAL_FORWARD, .given = {q, v, tau, env}};
  return hessian_along(w, &p, lambda, along, out);
}

// ---- the whole ---------------------------------------------------------------------------------------

// Columns first, first + 1, ... of H from rows of gradients, or its rows.
static void put_columns(int n, const double* rows, int first, int used, double* H)
{
  for (int slot = 0; H && slot < used; slot++) {
    for (int l = 0; l < n; l++) H[(ptrdiff_t)l * n + first + slot] = rows[(ptrdiff_t)slot * n + l];
  }
}

static void put_rows(int n, const double* rows, int first, int used, double* H)
{
  const size_t bytes = (size_t)used * (size_t)n * sizeof *H;
  if (H) memcpy(H + (ptrdiff_t)first * n, rows, bytes);
}

static limb_status hessian(limb_dual* w, limb_second_at* p, const double* lambda, const limb_second_derivatives* out)
{
  if (!lambda || !out) return LIMB_E_ARG;
  const double* mu;
  limb_status s = limb_second_enter(w, p, NULL);
  if (s == LIMB_OK) s = find_weights(w, p, lambda, &mu);
  if (s != LIMB_OK) return s;
  const int n = w->m->nv;
  const limb_gradients rows = {w->rows[ROWS_DQ], w->rows[ROWS_DV], w->rows[ROWS_DX]};
  const bool by_q = out->dqdq || out->dqdv || out->dqdx, by_v = out->dvdv;
  for (int k = 0; by_q && k < n; k += LIMB_TANGENTS) {
    const limb_directions group = limb_second_units(w, k, true);
    s = gradients(w, p, mu, &group, &rows);
    if (s != LIMB_OK) return s;
    put_columns(n, rows.dq, k, group.count, out->dqdq);
    put_rows(n, rows.dv, k, group.count, out->dqdv);
    put_rows(n, rows.dx, k, group.count, out->dqdx);
  }
  for (int k = 0; by_v && k < n; k += LIMB_TANGENTS) {
    const limb_directions group = limb_second_units(w, k, false);
    s = gradients(w, p, mu, &group, &rows);
    if (s != LIMB_OK) return s;
    put_columns(n, rows.dv, k, group.count, out->dvdv);
  }
  return LIMB_OK;
}

limb_status limb_inverse_dynamics_hessian(limb_dual* w, const double* q, const double* v, const double* a,
                                          const limb_environment* env, const double* lambda,
                                          const limb_second_derivatives* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_at p = {.kind = LIMB_DUAL_INVERSE, .given = {q, v, a, env}};
  return hessian(w, &p, lambda, out);
}

limb_status limb_forward_dynamics_hessian(limb_dual* w, const double* q, const double* v, const double* tau,
                                          const limb_environment* env, const double* lambda,
                                          const limb_second_derivatives* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_at p = {.kind = LIMB_DUAL_FORWARD, .given = {q, v, tau, env}};
  return hessian(w, &p, lambda, out);
}
