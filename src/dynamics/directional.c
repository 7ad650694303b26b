// Derivatives of inverse, forward and hybrid dynamics along directions: the kernels over dual numbers.
//
// Cost O(n) for each group of LIMB_TANGENTS directions.

#include "limb/hybrid.h"

#include "dynamics/dual_impl.h"
#include "dynamics/factors.h"
#include "dynamics/marks.h"

// w->y from w->q, w->v, w->x; given: marks of hybrid dynamics. False: M is singular.
typedef bool pass_fn(limb_dual* w, const unsigned char* given, const limb_terms* terms, const limb_dual_number* wrench);

static bool inverse_pass(limb_dual* w, const unsigned char* given, const limb_terms* terms,
                         const limb_dual_number* wrench)
{
  (void)given;
  w->kernels->inverse_dynamics(w->m, w->m->k64, &w->ws, w->q, w->v, w->x, terms, wrench, w->y);
  return true;
}

// limb_factors_positive, of dual numbers.
static bool factors_positive(const limb_dual* w)
{
  const limb_elimination* e = &w->m->elim;
  const limb_dual_number* L = w->ws.packed;
  limb_range r = {DBL_MAX, 0, true};
  for (int k = 0; k < w->m->nv; k++) r = limb_range_with(r, L[e->row[k] + e->depth[k]].x);
  return limb_range_positive(r);
}

static bool forward_pass(limb_dual* w, const unsigned char* given, const limb_terms* terms,
                         const limb_dual_number* wrench)
{
  (void)given;
  const limb_model* m = w->m;
  const limb_kernels_dual* k = w->kernels;
  const limb_dual_number least =
    m->has_mimic ? k->by_mass_matrix(m, m->k64, &w->ws, w->q, w->v, w->x, terms, wrench, w->ws.packed, w->y)
                 : k->aba(m, m->k64, &w->ws, w->q, w->v, w->x, terms, wrench, w->y);
  return least.x > 0 && (!m->has_mimic || factors_positive(w));
}

static bool hybrid_pass(limb_dual* w, const unsigned char* given, const limb_terms* terms,
                        const limb_dual_number* wrench)
{
  const limb_model* m = w->m;
  const limb_kernels_dual* k = w->kernels;
  const limb_kernels_dual_hybrid in = {w->q, w->v, given, w->x, terms, wrench};
  limb_dual_number *a = w->y, *tau = w->z;
  const bool sweep = limb_marks_sweep(m, given);
  const limb_dual_number least = sweep ? k->hybrid(m, m->k64, &w->ws, &in, a, tau)
                                       : k->hybrid_by_mass_matrix(m, m->k64, &w->ws, &in, w->ws.packed, a, tau);
  for (int i = 0; i < m->nv; i++) {
    if (given[i] == LIMB_ACCELERATION_GIVEN) w->y[i] = tau[i];
  }
  return least.x > 0 && (sweep || factors_positive(w));
}

// The row that holds the change of x_i along direction k; NULL: none, no change.
static const double* mixed_row(const limb_directions* along, const unsigned char* given, int k, int i, int nv)
{
  return limb_row(given[i] == LIMB_ACCELERATION_GIVEN ? along->da : along->dtau, k, nv);
}

// Tangents of x, accelerations or forces as the marks say.
static void mix(limb_dual* w, const limb_directions* along, const unsigned char* given, int first)
{
  const int used = limb_dual_used(along, first), nv = w->m->nv;
  for (int slot = 0; slot < used; slot++) {
    for (int i = 0; i < nv; i++) {
      const double* row = mixed_row(along, given, first + slot, i, nv);
      limb_set_tangent(&w->x[i], slot, row ? row[i] : 0);
    }
  }
}

// dx: change of x along the directions; given, if there, says where it is instead.
static limb_status run(limb_dual* w, const limb_dual_at* at, const limb_directions* along, const double* dx,
                       const unsigned char* given, pass_fn* pass, double* out)
{
  limb_surroundings x;
  limb_status s = limb_dual_enter(w, at, true, &x);
  if (s != LIMB_OK) return s;
  limb_dual_point(w, at);
  for (int first = 0; first < along->count && s == LIMB_OK; first += LIMB_TANGENTS) {
    const int used = limb_dual_used(along, first);
    limb_dual_group(w, along, dx, first);
    if (given) mix(w, along, given, first);
    if (!pass(w, given, &x.terms, limb_dual_wrench_group(w, &x, along, first))) {
      s = LIMB_E_SINGULAR;
    } else if (!w->kernels->finite_result(w->m, w->y)) {
      s = LIMB_E_NONFINITE;
    }
    for (int slot = 0; slot < used; slot++) {
      double* row = out + (ptrdiff_t)(first + slot) * w->m->nv;
      for (int i = 0; i < w->m->nv; i++) row[i] = limb_tangent(&w->y[i], slot);
    }
  }
  limb_leave(w->d, &x);
  return s;
}

limb_status limb_inverse_dynamics_along(limb_dual* w, const double* q, const double* v, const double* a,
                                        const limb_environment* env, const limb_directions* along, double* dtau)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  if (!w || !q || !v || !a || !along || !dtau) return LIMB_E_ARG;
  const limb_dual_at at = {q, v, a, env};
  const limb_status s = limb_dual_check(w, &at, along, along->da, along->dtau);
  return s == LIMB_OK ? run(w, &at, along, along->da, NULL, inverse_pass, dtau) : s;
}

limb_status limb_forward_dynamics_along(limb_dual* w, const double* q, const double* v, const double* tau,
                                        const limb_environment* env, const limb_directions* along, double* da)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  if (!w || !q || !v || !tau || !along || !da) return LIMB_E_ARG;
  const limb_dual_at at = {q, v, tau, env};
  const limb_status s = limb_dual_check(w, &at, along, along->dtau, along->da);
  return s == LIMB_OK ? run(w, &at, along, along->dtau, NULL, forward_pass, da) : s;
}

static bool finite_mixed(const limb_dual* w, const limb_directions* along, const unsigned char* given)
{
  double sum = 0;
  for (int k = 0; k < along->count; k++) {
    for (int i = 0; i < w->m->nv; i++) {
      const double* row = mixed_row(along, given, k, i, w->m->nv);
      if (row) sum += 0 * row[i];
    }
  }
  return sum == 0;
}

limb_status limb_hybrid_dynamics_along(limb_dual* w, const limb_hybrid* in, const limb_directions* along, double* dy)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  if (!w || !in || !in->q || !in->v || !in->x || !along || !dy) return LIMB_E_ARG;
  const unsigned char* given = limb_marks(w->d, in->given);
  if (!given) return LIMB_E_ARG;
  const limb_dual_at at = {in->q, in->v, in->x, in->env};
  const limb_status s = limb_dual_check(w, &at, along, NULL, NULL);
  if (s != LIMB_OK) return s;
  if (!finite_mixed(w, along, given)) return LIMB_E_NONFINITE;
  return run(w, &at, along, NULL, given, hybrid_pass, dy);
}
