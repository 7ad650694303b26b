// First derivatives with tangents: the kernels of kernel/derivative_kernel.h over dual numbers.

#include "dynamics/dual_impl.h"

static bool finite_matrix(const limb_dual* w, const limb_dual_number* A)
{
  for (int i = 0; i < w->m->nv; i++) {
    if (!w->kernels->finite_result(w->m, A + (ptrdiff_t)i * w->m->nv)) return false;
  }
  return true;
}

// False: M is singular.
static bool run(limb_dual* w, limb_dual_kind kind, const limb_surroundings* x)
{
  const limb_model* m = w->m;
  const limb_kernels_dual_motion in = {w->q, w->v, w->x, &x->terms, x->given, x->ngiven, NULL, 0};
  const limb_kernels_dual_slopes out = {w->y, w->dq, w->dv, w->dx};
  if (kind == LIMB_DUAL_FORWARD) {
    return w->kernels->fd_derivatives(m, m->k64, &w->ws, &in, &out).x > 0;
  }
  w->kernels->id_derivatives(m, m->k64, &w->ws, &in, &out);
  return true;
}

limb_status limb_dual_slopes(limb_dual* w, limb_dual_kind kind, const limb_dual_at* at, const limb_directions* along,
                             const double* dx, int first)
{
  limb_surroundings x;
  const limb_status s = limb_dual_enter(w, at, false, &x);
  if (s != LIMB_OK) return s;
  limb_dual_point(w, at);
  limb_dual_group(w, along, dx, first);
  if (!run(w, kind, &x)) return LIMB_E_SINGULAR;
  const bool fine = w->kernels->finite_result(w->m, w->y) && finite_matrix(w, w->dq) && finite_matrix(w, w->dv) &&
                    finite_matrix(w, w->dx);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_dual_ready(const limb_dual* w)
{
  if (!w->dq) return LIMB_E_ARG; // made for vectors
  return w->ws.table.cell ? LIMB_OK : LIMB_E_UNSUPPORTED;
}
