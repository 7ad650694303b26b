// Tensors of second derivatives: first derivatives, along all directions.
//
// By q or v first, along q afterwards; by v twice. Derivatives by q and by v or x may be taken in either
// order. Cost of inverse dynamics: O(n depth) for each group of LIMB_TANGENTS directions.

#include "dynamics/second_impl.h"

// Tangents of an nv x nv matrix as part of a tensor: the directions first, first + 1, ... are its last
// index, or the middle one.
typedef enum place { LAST, MIDDLE } place;

static void put_tensor(const limb_dual* w, const limb_dual_number* A, int first, int used, place at, double* T)
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

static limb_status tensors(limb_dual* w, limb_second_at* p, const limb_second_derivatives* out)
{
  if (!out) return LIMB_E_ARG;
  limb_status s = limb_second_enter(w, p, NULL);
  if (s != LIMB_OK) return s;
  const int n = w->m->nv;
  const bool by_q = out->dqdq || out->dqdv || out->dqdx, by_v = out->dvdv;
  for (int k = 0; by_q && k < n; k += LIMB_TANGENTS) {
    const limb_directions group = limb_second_units(w, k, true);
    s = limb_dual_slopes(w, p->kind, &p->given, &group, NULL, 0);
    if (s != LIMB_OK) return s;
    put_tensor(w, w->dq, k, group.count, LAST, out->dqdq);
    put_tensor(w, w->dv, k, group.count, MIDDLE, out->dqdv);
    put_tensor(w, w->dx, k, group.count, MIDDLE, out->dqdx);
  }
  for (int k = 0; by_v && k < n; k += LIMB_TANGENTS) {
    const limb_directions group = limb_second_units(w, k, false);
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
  limb_second_at p = {.kind = LIMB_DUAL_INVERSE, .given = {q, v, a, env}};
  return tensors(w, &p, out);
}

limb_status limb_forward_dynamics_second_derivatives(limb_dual* w, const double* q, const double* v, const double* tau,
                                                     const limb_environment* env, const limb_second_derivatives* out)
{
  if (limb_dual_has_loops(w)) return LIMB_E_UNSUPPORTED;
  limb_second_at p = {.kind = LIMB_DUAL_FORWARD, .given = {q, v, tau, env}};
  return tensors(w, &p, out);
}
