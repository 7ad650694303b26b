// Second derivatives along directions. With ' for the change along a direction, which in forward dynamics
// includes that of the accelerations:
//
//   inverse dynamics   tau_uw = (dtau/dq)' u_q + (dtau/dv)' u_v + M' u_a       along u, then along '
//                      gradient of lambda' tau: ((dtau/dx)^T)' lambda
//   forward dynamics   a_uw   = -M^-1 ((dtau/dq)' u_q + (dtau/dv)' u_v + M' a_u)
//                      gradient of lambda' a, with mu = M^-1 lambda and mu' = -M^-1 M' mu:
//                               -((dtau/dx)^T)' mu - (dtau/dx)^T mu'  by q and v,   mu'  by tau
//
// Cost O(n depth) for each group of LIMB_TANGENTS directions, and solves with M.

#include "dynamics/second_impl.h"
#include "kernel/tables.h"

#include <string.h>

// ---- points and directions --------------------------------------------------------------------------

const double* limb_second_dx(limb_dual_kind kind, const limb_directions* along)
{
  return kind == LIMB_DUAL_INVERSE ? along->da : along->dtau;
}

const double* limb_second_no_dx(limb_dual_kind kind, const limb_directions* along)
{
  return kind == LIMB_DUAL_INVERSE ? along->dtau : along->da;
}

limb_status limb_second_enter(limb_dual* w, limb_second_at* p, const limb_directions* along)
{
  const limb_directions none = {0};
  const limb_directions* with = along ? along : &none;
  const limb_dual_at* at = &p->given;
  if (!w || !at->q || !at->v || !at->x) return LIMB_E_ARG;
  limb_status s = limb_dual_ready(w);
  if (s != LIMB_OK) return s;
  s = limb_dual_check(w, at, with, limb_second_dx(p->kind, with), limb_second_no_dx(p->kind, with));
  limb_surroundings x; // looked at here, because force laws must be refused and not asked
  if (s == LIMB_OK) s = limb_dual_enter(w, at, false, &x);
  p->inverse = *at;
  if (s != LIMB_OK || p->kind == LIMB_DUAL_INVERSE) return s;
  p->inverse.x = w->acc;
  return limb_forward_dynamics(w->d, at->q, at->v, at->x, at->env, w->acc);
}

limb_directions limb_second_group(const limb_dual* w, const limb_directions* along, int first)
{
  const int nv = w->m->nv;
  return (limb_directions){limb_dual_used(along, first), limb_row(along->dq, first, nv), limb_row(along->dv, first, nv),
                           limb_row(along->da, first, nv), limb_row(along->dtau, first, nv)};
}

limb_directions limb_second_units(limb_dual* w, int first, bool by_q)
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
static limb_status accelerations(limb_dual* w, const limb_second_at* p, const limb_directions* group, int rows,
                                 const double** da)
{
  const limb_dual_at* at = &p->given;
  *da = p->kind == LIMB_DUAL_INVERSE ? group->da : w->rows[rows];
  if (p->kind == LIMB_DUAL_INVERSE) return LIMB_OK;
  return limb_forward_dynamics_along(w, at->q, at->v, at->x, at->env, group, w->rows[rows]);
}

limb_status limb_second_slopes(limb_dual* w, const limb_second_at* p, const limb_directions* group)
{
  const double* da;
  const limb_status s = accelerations(w, p, group, ROWS_ACC, &da);
  return s == LIMB_OK ? limb_dual_slopes(w, LIMB_DUAL_INVERSE, &p->inverse, group, da, 0) : s;
}

// ---- matrices ---------------------------------------------------------------------------------------

static void put_blocks(const limb_dual_number* A, size_t entries, int first, int used, double* out)
{
  for (int slot = 0; out && slot < used; slot++) {
    double* block = out + (size_t)(first + slot) * entries;
    for (size_t i = 0; i < entries; i++) block[i] = limb_tangent(&A[i], slot);
  }
}

static limb_status matrices_along(limb_dual* w, const limb_second_at* p, const limb_directions* along,
                                  const limb_kernels_slopes* out)
{
  const size_t nv = (size_t)w->m->nv;
  const double* dx = limb_second_dx(p->kind, along);
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
  limb_second_at p = {.kind = LIMB_DUAL_INVERSE, .given = {q, v, a, env}};
  const limb_kernels_slopes to = {out->tau, out->dtau_dq, out->dtau_dv, out->M};
  const limb_status s = limb_second_enter(w, &p, along);
  return s == LIMB_OK ? matrices_along(w, &p, along, &to) : s;
}

limb_status limb_forward_dynamics_derivatives_along(limb_dual* w, const double* q, const double* v, const double* tau,
                                                    const limb_environment* env, const limb_directions* along,
                                                    const limb_fd_derivatives* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  if (!along || !out) return LIMB_E_ARG;
  limb_second_at p = {.kind = LIMB_DUAL_FORWARD, .given = {q, v, tau, env}};
  const limb_kernels_slopes to = {out->acc, out->dacc_dq, out->dacc_dv, out->dacc_dtau};
  const limb_status s = limb_second_enter(w, &p, along);
  return s == LIMB_OK ? matrices_along(w, &p, along, &to) : s;
}

// ---- two directions ---------------------------------------------------------------------------------

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
static limb_status pairs(limb_dual* w, const limb_second_at* p, const limb_directions* first,
                         const limb_directions* then, double* out)
{
  const int n = w->m->nv, used = first->count;
  const double* u_a;
  limb_status s = accelerations(w, p, first, ROWS_FIRST, &u_a);
  if (s == LIMB_OK) s = limb_second_slopes(w, p, then);
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

static limb_status along_twice(limb_dual* w, limb_second_at* p, const limb_directions* first,
                               const limb_directions* then, double* out)
{
  if (!w || !first || !then || !out || first->count != then->count) return LIMB_E_ARG;
  limb_status s = limb_second_enter(w, p, first);
  if (s == LIMB_OK) {
    s = limb_dual_check(w, &p->given, then, limb_second_dx(p->kind, then), limb_second_no_dx(p->kind, then));
  }
  for (int k = 0; k < first->count && s == LIMB_OK; k += LIMB_TANGENTS) {
    const limb_directions u = limb_second_group(w, first, k), d = limb_second_group(w, then, k);
    s = pairs(w, p, &u, &d, out + (ptrdiff_t)k * w->m->nv);
  }
  return s;
}

limb_status limb_inverse_dynamics_along_twice(limb_dual* w, const double* q, const double* v, const double* a,
                                              const limb_environment* env, const limb_directions* first,
                                              const limb_directions* then, double* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_at p = {.kind = LIMB_DUAL_INVERSE, .given = {q, v, a, env}};
  return along_twice(w, &p, first, then, out);
}

limb_status limb_forward_dynamics_along_twice(limb_dual* w, const double* q, const double* v, const double* tau,
                                              const limb_environment* env, const limb_directions* first,
                                              const limb_directions* then, double* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_at p = {.kind = LIMB_DUAL_FORWARD, .given = {q, v, tau, env}};
  return along_twice(w, &p, first, then, out);
}
