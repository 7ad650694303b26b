// Derivatives of inverse and forward dynamics along directions: the kernels over dual numbers.
//
// Cost O(n) for each group of LIMB_TANGENTS directions.

#include "dynamics/dual_impl.h"

// w->y from w->q, w->v, w->x. False: M is singular.
typedef bool pass_fn(limb_dual* w, const limb_terms* terms, const limb_dual_number* wrench);

static bool inverse_pass(limb_dual* w, const limb_terms* terms, const limb_dual_number* wrench)
{
  w->kernels->inverse_dynamics(w->m, w->m->k64, &w->ws, w->q, w->v, w->x, terms, wrench, w->y);
  return true;
}

static bool forward_pass(limb_dual* w, const limb_terms* terms, const limb_dual_number* wrench)
{
  const limb_model* m = w->m;
  const limb_kernels_dual* k = w->kernels;
  const limb_dual_number least =
    m->has_mimic
      ? k->by_mass_matrix(m, m->k64, &w->ws, w->q, w->v, w->x, terms, wrench, w->ws.packed, w->y)
      : k->aba(m, m->k64, &w->ws, w->q, w->v, w->x, terms, wrench, w->y);
  return least.x > 0;
}

// Wrenches of the environment as dual numbers; NULL when there are none.
static const limb_dual_number* wrenches(limb_dual* w, const limb_surroundings* x,
                                        const limb_directions* along, int first, int used)
{
  if (!x->wrench) return NULL;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)w->m->nlink * LIMB_WS_FORCE; i++) {
    w->wrench[i].x = x->wrench[i];
  }
  for (int slot = 0; slot < LIMB_TANGENTS; slot++) {
    const bool moves = slot < used && along->dq;
    limb_dual_wrenches(w, x, slot, moves ? limb_row(along->dq, first + slot, w->m->nv) : NULL);
  }
  return w->wrench;
}

static limb_status run(limb_dual* w, const limb_dual_at* at, const limb_directions* along,
                       const double* dx, pass_fn* pass, double* out)
{
  limb_surroundings x;
  limb_status s = limb_dual_enter(w, at, true, &x);
  if (s != LIMB_OK) return s;
  limb_dual_point(w, at);
  for (int first = 0; first < along->count && s == LIMB_OK; first += LIMB_TANGENTS) {
    const int used = limb_dual_used(along, first);
    limb_dual_group(w, along, dx, first);
    if (!pass(w, &x.terms, wrenches(w, &x, along, first, used))) {
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

limb_status limb_inverse_dynamics_along(limb_dual* w, const double* q, const double* v,
                                        const double* a, const limb_environment* env,
                                        const limb_directions* along, double* dtau)
{
  if (!w || !q || !v || !a || !along || !dtau) return LIMB_E_ARG;
  const limb_dual_at at = {q, v, a, env};
  const limb_status s = limb_dual_check(w, &at, along, along->da, along->dtau);
  return s == LIMB_OK ? run(w, &at, along, along->da, inverse_pass, dtau) : s;
}

limb_status limb_forward_dynamics_along(limb_dual* w, const double* q, const double* v,
                                        const double* tau, const limb_environment* env,
                                        const limb_directions* along, double* da)
{
  if (!w || !q || !v || !tau || !along || !da) return LIMB_E_ARG;
  const limb_dual_at at = {q, v, tau, env};
  const limb_status s = limb_dual_check(w, &at, along, along->dtau, along->da);
  return s == LIMB_OK ? run(w, &at, along, along->dtau, forward_pass, da) : s;
}
