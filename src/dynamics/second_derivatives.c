// Second derivatives of inverse and forward dynamics: along two directions, as Hessians of weighted sums, as tensors.
//
// Both kinds come from inverse dynamics, M a + ... = tau: along a direction of (q, v, tau) the accelerations change,
// too, and with that change the direction is one of inverse dynamics. With ' for the change along a direction,
// which in forward dynamics includes that of the accelerations:
//
//   inverse dynamics   tau_uw = (dtau/dq)' u_q + (dtau/dv)' u_v + M' u_a       along u, then along '
//                      gradient of lambda' tau: ((dtau/dx)^T)' lambda
//   forward dynamics   a_uw   = -M^-1 ((dtau/dq)' u_q + (dtau/dv)' u_v + M' a_u)
//                      gradient of lambda' a, with mu = M^-1 lambda and mu' = -M^-1 M' mu:
//                               -((dtau/dx)^T)' mu - (dtau/dx)^T mu'  by q and v,   mu'  by tau
//
// Hessians and tensors are made in closed form (second_closed.c), unless there are wrenches or mimic joints. They are
// first derivatives along all directions then: by q or v first, along q afterwards; by v twice. Derivatives by q and
// by v or x may be taken in either order.
//
// Cost: O(n depth) for each group of LIMB_TANGENTS directions, and solves with M; a Hessian has 2 n directions.

#include "limb/derivatives.h"

#include "dynamics/dual_impl.h"
#include "kernel/tables.h"

#include <string.h>

// ---- points and directions ----------------------------------------------------------------------------------

// The directions of x, and below those that must not be there.
static const double* x_directions(limb_dual_kind kind, const limb_directions* along)
{
  return kind == LIMB_DUAL_INVERSE ? along->da : along->dtau;
}

static const double* other_directions(limb_dual_kind kind, const limb_directions* along)
{
  return kind == LIMB_DUAL_INVERSE ? along->dtau : along->da;
}

// Checks a call and reads its environment; along may be NULL.
static limb_status enter_point(limb_dual* w, limb_second_point* p, const limb_directions* along)
{
  const limb_directions none = {0};
  const limb_directions* with = along ? along : &none;
  const limb_dual_at* at = &p->given;
  if (!w || !at->q || !at->v || !at->x) return LIMB_E_ARG;
  limb_status s = limb_dual_ready(w);
  if (s != LIMB_OK) return s;
  s = limb_dual_check(w, at, with, x_directions(p->kind, with), other_directions(p->kind, with));
  // the environment is read here, because force laws must be refused and not called
  if (s == LIMB_OK) s = limb_dual_enter(w, at, false, &p->around);
  p->inverse = *at;
  return s;
}

// The same, and finds the accelerations.
static limb_status enter(limb_dual* w, limb_second_point* p, const limb_directions* along)
{
  const limb_dual_at* at = &p->given;
  const limb_status s = enter_point(w, p, along);
  if (s != LIMB_OK || p->kind == LIMB_DUAL_INVERSE) return s;
  p->inverse.x = w->acc;
  return limb_forward_dynamics(w->d, at->q, at->v, at->x, at->env, w->acc);
}

// The group of directions from first on.
static limb_directions group_from(const limb_dual* w, const limb_directions* along, int first)
{
  const int nv = w->m->nv;
  return (limb_directions){limb_dual_used(along, first), limb_row(along->dq, first, nv), limb_row(along->dv, first, nv),
                           limb_row(along->da, first, nv), limb_row(along->dtau, first, nv)};
}

// Unit directions first, first + 1, ... by q or by v, in rows of scratch.
static limb_directions unit_directions(limb_dual* w, int first, bool by_q)
{
  const int n = w->m->nv;
  double* unit = w->rows[ROWS_UNIT];
  limb_directions group = {.count = n - first < LIMB_TANGENTS ? n - first : LIMB_TANGENTS};
  *(by_q ? &group.dq : &group.dv) = unit;
  memset(unit, 0, (size_t)group.count * (size_t)n * sizeof *unit);
  for (int slot = 0; slot < group.count; slot++) unit[(ptrdiff_t)slot * n + first + slot] = 1;
  return group;
}

// Accelerations along the group: as given, or in rows of scratch.
static limb_status accelerations(limb_dual* w, const limb_second_point* p, const limb_directions* group, int rows,
                                 const double** da)
{
  const limb_dual_at* at = &p->given;
  *da = p->kind == LIMB_DUAL_INVERSE ? group->da : w->rows[rows];
  if (p->kind == LIMB_DUAL_INVERSE) return LIMB_OK;
  return limb_forward_dynamics_along(w, at->q, at->v, at->x, at->env, group, w->rows[rows]);
}

// Derivatives of inverse dynamics (w->dq, w->dv, w->dx) with tangents along the group.
static limb_status slopes_along(limb_dual* w, const limb_second_point* p, const limb_directions* group)
{
  const double* da;
  const limb_status s = accelerations(w, p, group, ROWS_ACC, &da);
  return s == LIMB_OK ? limb_dual_slopes(w, LIMB_DUAL_INVERSE, &p->inverse, group, da, 0) : s;
}

// ---- matrices -----------------------------------------------------------------------------------------------

static void put_blocks(const limb_dual_number* A, size_t entries, int first, int used, double* out)
{
  for (int slot = 0; out && slot < used; slot++) {
    double* block = out + (size_t)(first + slot) * entries;
    for (size_t i = 0; i < entries; i++) block[i] = limb_tangent(&A[i], slot);
  }
}

static limb_status matrices_along(limb_dual* w, const limb_second_point* p, const limb_directions* along,
                                  const limb_kernels_slopes* out)
{
  const size_t nv = (size_t)w->m->nv;
  const double* dx = x_directions(p->kind, along);
  for (int first = 0; first < along->count; first += LIMB_TANGENTS) {
    const int used = limb_dual_used(along, first);
    const limb_status s = limb_dual_slopes(w, p->kind, &p->given, along, dx, first);
    if (s != LIMB_OK) return s;
    put_blocks(w->y, nv, first, used, out->y);
    put_blocks(w->dq, nv * nv, first, used, out->dq);
    put_blocks(w->dv, nv * nv, first, used, out->dv);
    put_blocks(w->dx, nv * nv, first, used, out->dx);
  }
  return LIMB_OK;
}

limb_status limb_inverse_dynamics_derivatives_along(limb_dual* w, const double* q, const double* v, const double* a,
                                                    const limb_environment* env, const limb_directions* along,
                                                    const limb_id_derivatives* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  if (!along || !out) return LIMB_E_ARG;
  limb_second_point p = {.kind = LIMB_DUAL_INVERSE, .given = {q, v, a, env}};
  const limb_kernels_slopes to = {out->tau, out->dtau_dq, out->dtau_dv, out->M};
  const limb_status s = enter(w, &p, along);
  return s == LIMB_OK ? matrices_along(w, &p, along, &to) : s;
}

limb_status limb_forward_dynamics_derivatives_along(limb_dual* w, const double* q, const double* v, const double* tau,
                                                    const limb_environment* env, const limb_directions* along,
                                                    const limb_fd_derivatives* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  if (!along || !out) return LIMB_E_ARG;
  limb_second_point p = {.kind = LIMB_DUAL_FORWARD, .given = {q, v, tau, env}};
  const limb_kernels_slopes to = {out->acc, out->dacc_dq, out->dacc_dv, out->dacc_dtau};
  const limb_status s = enter(w, &p, along);
  return s == LIMB_OK ? matrices_along(w, &p, along, &to) : s;
}

// ---- two directions -----------------------------------------------------------------------------------------

// out += A' u; u NULL: zero
static void add_product(const limb_dual* w, const limb_dual_number* A, int slot, const double* u, double* out)
{
  const int n = w->m->nv;
  for (int i = 0; u && i < n; i++) {
    const limb_dual_number* row = A + (ptrdiff_t)i * n;
    for (int l = 0; l < n; l++) out[i] += limb_tangent(&row[l], slot) * u[l];
  }
}

// One group of pairs.
static limb_status pairs(limb_dual* w, const limb_second_point* p, const limb_directions* first,
                         const limb_directions* then, double* out)
{
  const int n = w->m->nv, used = first->count;
  const double* u_a;
  limb_status s = accelerations(w, p, first, ROWS_FIRST, &u_a);
  if (s == LIMB_OK) s = slopes_along(w, p, then);
  if (s != LIMB_OK) return s;
  memset(out, 0, (size_t)used * (size_t)n * sizeof *out);
  for (int slot = 0; slot < used; slot++) {
    double* row = out + (ptrdiff_t)slot * n;
    add_product(w, w->dq, slot, limb_row(first->dq, slot, n), row);
    add_product(w, w->dv, slot, limb_row(first->dv, slot, n), row);
    add_product(w, w->dx, slot, limb_row(u_a, slot, n), row);
    if (!limb_finite_v(w->d, row)) return LIMB_E_NONFINITE;
  }
  if (p->kind == LIMB_DUAL_INVERSE) return LIMB_OK;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)used * n; i++) out[i] = -out[i];
  return limb_mass_matrix_solve(w->d, p->given.q, used, out, out);
}

static limb_status along_twice(limb_dual* w, limb_second_point* p, const limb_directions* first,
                               const limb_directions* then, double* out)
{
  if (!w || !first || !then || !out || first->count != then->count) return LIMB_E_ARG;
  limb_status s = enter(w, p, first);
  if (s == LIMB_OK) {
    s = limb_dual_check(w, &p->given, then, x_directions(p->kind, then), other_directions(p->kind, then));
  }
  for (int k = 0; k < first->count && s == LIMB_OK; k += LIMB_TANGENTS) {
    const limb_directions u = group_from(w, first, k), d = group_from(w, then, k);
    s = pairs(w, p, &u, &d, out + (ptrdiff_t)k * w->m->nv);
  }
  return s;
}

limb_status limb_inverse_dynamics_along_twice(limb_dual* w, const double* q, const double* v, const double* a,
                                              const limb_environment* env, const limb_directions* first,
                                              const limb_directions* then, double* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_point p = {.kind = LIMB_DUAL_INVERSE, .given = {q, v, a, env}};
  return along_twice(w, &p, first, then, out);
}

limb_status limb_forward_dynamics_along_twice(limb_dual* w, const double* q, const double* v, const double* tau,
                                              const limb_environment* env, const limb_directions* first,
                                              const limb_directions* then, double* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_point p = {.kind = LIMB_DUAL_FORWARD, .given = {q, v, tau, env}};
  return along_twice(w, &p, first, then, out);
}

// ---- products of the Hessian --------------------------------------------------------------------------------

// mu: the weights of tau that are worth lambda: lambda itself, or M^-1 lambda in forward dynamics.
static limb_status find_weights(limb_dual* w, const limb_second_point* p, const double* lambda, const double** mu)
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
static limb_status weight_rates(limb_dual* w, const limb_second_point* p, const double* mu, int used,
                                const double** dmu)
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

// Products with a group of directions, count rows each; NULL: not computed.
static limb_status gradients(limb_dual* w, const limb_second_point* p, const double* mu, const limb_directions* group,
                             const limb_gradients* out)
{
  const int n = w->m->nv;
  const double* dmu;
  limb_status s = slopes_along(w, p, group);
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

static limb_status hessian_along(limb_dual* w, limb_second_point* p, const double* lambda, const limb_directions* along,
                                 const limb_gradients* out)
{
  if (!lambda || !along || !out) return LIMB_E_ARG;
  const double* mu;
  limb_status s = enter(w, p, along);
  if (s == LIMB_OK) s = find_weights(w, p, lambda, &mu);
  if (s != LIMB_OK) return s;
  const int n = w->m->nv;
  for (int k = 0; k < along->count && s == LIMB_OK; k += LIMB_TANGENTS) {
    const limb_directions group = group_from(w, along, k);
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
  limb_second_point p = {.kind = LIMB_DUAL_INVERSE, .given = {q, v, a, env}};
  return hessian_along(w, &p, lambda, along, out);
}

limb_status limb_forward_dynamics_hessian_along(limb_dual* w, const double* q, const double* v, const double* tau,
                                                const limb_environment* env, const double* lambda,
                                                const limb_directions* along, const limb_gradients* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_point p = {.kind = LIMB_DUAL_FORWARD, .given = {q, v, tau, env}};
  return hessian_along(w, &p, lambda, along, out);
}

// ---- the Hessian --------------------------------------------------------------------------------------------

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

static limb_status hessian(limb_dual* w, limb_second_point* p, const double* lambda, const limb_second_derivatives* out)
{
  if (!lambda || !out) return LIMB_E_ARG;
  const double* mu;
  limb_status s = enter_point(w, p, NULL);
  if (s == LIMB_OK && limb_second_is_closed(w, p)) return limb_second_hessian(w, p, lambda, out);
  if (s == LIMB_OK) s = enter(w, p, NULL);
  if (s == LIMB_OK) s = find_weights(w, p, lambda, &mu);
  if (s != LIMB_OK) return s;
  const int n = w->m->nv;
  const limb_gradients rows = {w->rows[ROWS_DQ], w->rows[ROWS_DV], w->rows[ROWS_DX]};
  const bool by_q = out->dqdq || out->dqdv || out->dqdx, by_v = out->dvdv;
  for (int k = 0; by_q && k < n; k += LIMB_TANGENTS) {
    const limb_directions group = unit_directions(w, k, true);
    s = gradients(w, p, mu, &group, &rows);
    if (s != LIMB_OK) return s;
    put_columns(n, rows.dq, k, group.count, out->dqdq);
    put_rows(n, rows.dv, k, group.count, out->dqdv);
    put_rows(n, rows.dx, k, group.count, out->dqdx);
  }
  for (int k = 0; by_v && k < n; k += LIMB_TANGENTS) {
    const limb_directions group = unit_directions(w, k, false);
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
  limb_second_point p = {.kind = LIMB_DUAL_INVERSE, .given = {q, v, a, env}};
  return hessian(w, &p, lambda, out);
}

limb_status limb_forward_dynamics_hessian(limb_dual* w, const double* q, const double* v, const double* tau,
                                          const limb_environment* env, const double* lambda,
                                          const limb_second_derivatives* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_point p = {.kind = LIMB_DUAL_FORWARD, .given = {q, v, tau, env}};
  return hessian(w, &p, lambda, out);
}

// ---- tensors ------------------------------------------------------------------------------------------------

// Tangents of an nv x nv matrix as part of a tensor: the directions first, first + 1, ... are its last
// index, or the middle one.
typedef enum position { LAST, MIDDLE } position;

static void put_tensor(const limb_dual* w, const limb_dual_number* A, int first, int used, position at, double* T)
{
  const size_t n = (size_t)w->m->nv;
  for (size_t i = 0; T && i < n; i++) {
    for (size_t l = 0; l < n; l++) {
      const limb_dual_number* x = &A[i * n + l];
      for (int slot = 0; slot < used; slot++) {
        const size_t k = (size_t)(first + slot);
        T[at == LAST ? (i * n + l) * n + k : (i * n + k) * n + l] = limb_tangent(x, slot);
      }
    }
  }
}

static limb_status tensors(limb_dual* w, limb_second_point* p, const limb_second_derivatives* out)
{
  if (!out) return LIMB_E_ARG;
  limb_status s = enter_point(w, p, NULL);
  const bool closed = s == LIMB_OK && limb_second_is_closed(w, p);
  if (closed && (out->dqdx || p->kind == LIMB_DUAL_INVERSE)) return limb_second_tensors(w, p, out);
  if (s == LIMB_OK) s = enter(w, p, NULL);
  if (s != LIMB_OK) return s;
  const int n = w->m->nv;
  const bool by_q = out->dqdq || out->dqdv || out->dqdx, by_v = out->dvdv;
  for (int k = 0; by_q && k < n; k += LIMB_TANGENTS) {
    const limb_directions group = unit_directions(w, k, true);
    s = limb_dual_slopes(w, p->kind, &p->given, &group, NULL, 0);
    if (s != LIMB_OK) return s;
    put_tensor(w, w->dq, k, group.count, LAST, out->dqdq);
    put_tensor(w, w->dv, k, group.count, MIDDLE, out->dqdv);
    put_tensor(w, w->dx, k, group.count, MIDDLE, out->dqdx);
  }
  for (int k = 0; by_v && k < n; k += LIMB_TANGENTS) {
    const limb_directions group = unit_directions(w, k, false);
    s = limb_dual_slopes(w, p->kind, &p->given, &group, NULL, 0);
    if (s != LIMB_OK) return s;
    put_tensor(w, w->dv, k, group.count, LAST, out->dvdv);
  }
  return LIMB_OK;
}

limb_status limb_inverse_dynamics_second_derivatives(limb_dual* w, const double* q, const double* v, const double* a,
                                                     const limb_environment* env, const limb_second_derivatives* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_point p = {.kind = LIMB_DUAL_INVERSE, .given = {q, v, a, env}};
  return tensors(w, &p, out);
}

limb_status limb_forward_dynamics_second_derivatives(limb_dual* w, const double* q, const double* v, const double* tau,
                                                     const limb_environment* env, const limb_second_derivatives* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_point p = {.kind = LIMB_DUAL_FORWARD, .given = {q, v, tau, env}};
  return tensors(w, &p, out);
}
