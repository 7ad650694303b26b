// Mass matrix, its inverse, solves with it, and the Coriolis matrix: entry points.
//
// Solves go through the packed factors where the workspace has capacity for them (robots of moderate depth, and
// all with mimic joints), else column by column through articulated bodies, which is O(n) each. M^-1 takes
// several columns at a time through the factors, which may lie on the dof table as well: it is free then.

#include "limb/dynamics.h"

#include "dynamics/dynamics_impl.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "model/loop_calls.h"

#include <string.h>

limb_status limb_mass_matrix(limb_data* d, const double* q, double* M)
{
  if (!d || !q || !M) return LIMB_E_ARG;
  if (d->loops) return d->m->loop_calls->mass_matrix(d->loops, q, M);
  const limb_model* m = d->m;
  const limb_status s = limb_check_state(d, q, NULL, NULL);
  if (s != LIMB_OK) return s;
  limb_kernels_of(d)->mass_matrix(m, m->k64, &d->ws, q, M);
  double sum = 0; // entries are bounded by the diagonal: M_ij^2 <= M_ii M_jj
  for (size_t k = 0, n = (size_t)m->nv; k < n; k++) sum += 0 * M[k * n + k];
  return sum == 0 ? LIMB_OK : LIMB_E_NONFINITE;
}

// Rows of X from right-hand sides in them, through the factors.
static limb_status solve_by_factors(limb_data* d, const double* q, int count, double* X)
{
  const limb_model* m = d->m;
  const limb_kernels* k = limb_kernels_of(d);
  const double margin = k->factor(m, m->k64, &d->ws, q, d->ws.packed);
  if (!limb_factors_positive(m, d->ws.packed) || !limb_regular(d, margin, q, NULL)) return LIMB_E_SINGULAR;
  if (!(margin > 0)) (void)k->factor(m, m->k64, &d->ws, q, d->ws.packed); // judging has overwritten them
  for (int r = 0; r < count; r++) k->solve(m, &d->ws, d->ws.packed, X + (ptrdiff_t)r * m->nv);
  return LIMB_OK;
}

// The same by articulated bodies: accelerations from rest without gravity.
static limb_status solve_by_aba(limb_data* d, const double* q, int count, double* X)
{
  const limb_model* m = d->m;
  const limb_kernels* k = limb_kernels_of(d);
  const limb_terms none = {0};
  limb_enter_void(d);
  for (int r = 0; r < count; r++) {
    double* x = X + (ptrdiff_t)r * m->nv;
    memcpy(d->user_v, x, (size_t)m->nv * sizeof(double));
    const double margin = k->aba(m, m->k64, &d->ws, q, d->zeros, d->user_v, &none, NULL, x);
    if (r == 0 && !limb_regular(d, margin, q, NULL)) return LIMB_E_SINGULAR;
  }
  return LIMB_OK;
}

static limb_status solve(limb_data* d, const double* q, int count, double* X)
{
  const limb_status s =
    limb_ws_packed(d->m) > 0 || d->m->nv == 0 ? solve_by_factors(d, q, count, X) : solve_by_aba(d, q, count, X);
  if (s != LIMB_OK) return s;
  for (int r = 0; r < count; r++) {
    if (!limb_finite_v(d, X + (ptrdiff_t)r * d->m->nv)) return LIMB_E_NONFINITE;
  }
  return LIMB_OK;
}

// Where the factors can be, NULL: nowhere.
static double* factor_storage(const limb_data* d)
{
  const limb_model* m = d->m;
  if (!d->ws.table.cell) return NULL;
  if (limb_ws_packed(m) > 0) return d->ws.packed;
  return m->elim.packed <= (size_t)ROW_COUNT * (size_t)m->ncdof ? d->ws.table.cell : NULL;
}

limb_status limb_mass_matrix_inverse(limb_data* d, const double* q, double* Minv)
{
  if (!d || !q || !Minv) return LIMB_E_ARG;
  if (d->loops) return d->m->loop_calls->mass_matrix_inverse(d->loops, q, Minv);
  const limb_status s = limb_check_state(d, q, NULL, NULL);
  if (s != LIMB_OK) return s;
  double* packed = factor_storage(d);
  if (packed) {
    const limb_model* m = d->m;
    const double margin = limb_kernels_of(d)->invert(m, m->k64, &d->ws, q, packed, Minv);
    const bool fine = *d->ws.table.finite;
    if (!limb_inverse_positive(m, Minv) || !limb_regular(d, margin, q, NULL)) return LIMB_E_SINGULAR;
    return fine ? LIMB_OK : LIMB_E_NONFINITE;
  }
  const size_t n = (size_t)d->m->nv;
  memset(Minv, 0, n * n * sizeof *Minv);
  for (size_t k = 0; k < n; k++) Minv[k * n + k] = 1;
  return solve(d, q, d->m->nv, Minv);
}

limb_status limb_mass_matrix_solve(limb_data* d, const double* q, int count, const double* B, double* X)
{
  if (!d || !q || count < 0 || (count > 0 && (!B || !X))) return LIMB_E_ARG;
  const limb_status s = limb_check_state(d, q, NULL, NULL);
  if (s != LIMB_OK) return s;
  for (int r = 0; r < count; r++) {
    if (!limb_finite_v(d, B + (ptrdiff_t)r * d->m->nv)) return LIMB_E_NONFINITE;
  }
  if (d->loops) return d->m->loop_calls->mass_matrix_solve(d->loops, q, count, B, X);
  if (count > 0 && B != X) memcpy(X, B, (size_t)count * (size_t)d->m->nv * sizeof *X);
  return solve(d, q, count, X);
}

// ---- Coriolis matrix ----------------------------------------------------------------------------------------

limb_status limb_coriolis_matrix(limb_data* d, const double* q, const double* v, double* C)
{
  if (!d || !q || !v || !C) return LIMB_E_ARG;
  if (d->loops) return d->m->loop_calls->coriolis_matrix(d->loops, q, v, C);
  if (!d->ws.table.cell) return LIMB_E_UNSUPPORTED;
  const limb_model* m = d->m;
  const limb_status s = limb_check_state(d, q, v, NULL);
  if (s != LIMB_OK) return s;
  const bool fine = limb_kernels_of(d)->coriolis_matrix(m, m->k64, &d->ws, q, v, SLOPES_SKEW, C);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}
