// Derivatives of hybrid dynamics: those of inverse dynamics, with arguments and results exchanged.
//
// Reference: limb/hybrid.h; linalg/exchange.h. At the accelerations that hybrid dynamics finds,
//
//   d tau = M da + dtau/dq dq + dtau/dv dv + dtau/du du      u: a wrench, or gravity
//
// holds for every degree of freedom. One exchange for each force-given k puts da_k on the left and d tau_k on
// the right: what stands there then are the derivatives of y.
// Cost:      O(n depth), and O(n^2) for each exchange. They run from the leaves to the roots, so that most
//            rows of other branches are skipped.

#include "limb/derivatives.h"

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "dynamics/factors.h"
#include "dynamics/marks.h"
#include "kernel/tables.h"
#include "linalg/dense.h"

#include <math.h>

#define ROUNDING 1e-13 // of the diagonal: as in kernel/factor_kernel.h

// A matrix nv x columns beside M.
typedef struct beside {
  int columns;
  double* A;
} beside;

// M becomes dy/dx, and the others what they are to y. Only M_ff need be positive definite: what is left of
// its diagonal is compared with what was there, and with all of M.
static limb_status exchange(limb_data* d, const unsigned char* given, double* M, int count, const beside* other)
{
  const limb_model* m = d->m;
  const size_t n = (size_t)m->nv;
  double* diagonal = d->user_v;
  double largest = 0;
  for (size_t k = 0; k < n; k++) {
    diagonal[k] = M[k * (n + 1)];
    largest = fmax(largest, diagonal[k]);
  }
  for (int e = m->nv - 1; e >= 0; e--) {
    const int k = m->elim.v[e];
    if (given[k] == LIMB_ACCELERATION_GIVEN) continue;
    const double least = ROUNDING * diagonal[k] + LIMB_ZERO_PIVOT * largest;
    if (!limb_exchange(m->nv, k, least, M)) return LIMB_E_SINGULAR;
    for (int l = 0; l < count; l++) limb_exchange_beside(m->nv, k, M, other[l].columns, other[l].A);
  }
  bool fine = limb_finite((ptrdiff_t)(n * n), M);
  for (int l = 0; l < count; l++) fine &= limb_finite((ptrdiff_t)other[l].columns * m->nv, other[l].A);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}

// y, if wanted, and the accelerations in d->user_v.
static limb_status solve(limb_data* d, const limb_hybrid* in, const unsigned char* given,
                         const limb_hybrid_derivatives* out)
{
  double *a = d->user_v, *tau = out->y ? out->y : out->dy_dx;
  const limb_status s = limb_hybrid_dynamics(d, in->q, in->v, in->given, in->x, in->env, a, tau);
  if (s != LIMB_OK || !out->y) return s;
  for (int k = 0; k < d->m->nv; k++) {
    if (given[k] == LIMB_FORCE_GIVEN) out->y[k] = a[k];
  }
  return LIMB_OK;
}

limb_status limb_hybrid_dynamics_derivatives(limb_data* d, const limb_hybrid* in, const limb_hybrid_derivatives* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !in || !in->q || !in->v || !in->x) return LIMB_E_ARG;
  if (!out || !out->dy_dq || !out->dy_dv || !out->dy_dx) return LIMB_E_ARG;
  const unsigned char* given = limb_marks(d, in->given);
  if (!given) return LIMB_E_ARG;
  if (!d->ws.table.cell) return LIMB_E_UNSUPPORTED;
  const limb_model* m = d->m;
  limb_surroundings x;
  limb_status s = limb_enter_lawless(d, in->env, NULL, &x);
  if (s == LIMB_OK) s = solve(d, in, given, out);
  if (s != LIMB_OK) return s;
  const limb_kernels_motion at = {in->q, in->v, d->user_v, &x.terms, x.given, x.ngiven, NULL, 0};
  const limb_kernels_slopes slopes = {NULL, out->dy_dq, out->dy_dv, out->dy_dx};
  if (!limb_kernels_of(d)->id_derivatives(m, m->k64, &d->ws, &at, &slopes)) return LIMB_E_NONFINITE;
  const beside other[2] = {{m->nv, out->dy_dq}, {m->nv, out->dy_dv}};
  return exchange(d, given, out->dy_dx, 2, other);
}

// ---- what acts from outside ---------------------------------------------------------------------------

limb_status limb_hybrid_dynamics_by_wrench(limb_data* d, const double* q, const unsigned char* given, int frame,
                                           limb_ref ref, double* work, double* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !work) return LIMB_E_ARG;
  const unsigned char* marks = limb_marks(d, given);
  if (!marks) return LIMB_E_ARG;
  limb_status s = limb_inverse_dynamics_by_wrench(d, q, frame, ref, out);
  if (s == LIMB_OK) s = limb_mass_matrix(d, q, work);
  return s == LIMB_OK ? exchange(d, marks, work, 1, &(beside){6, out}) : s;
}

limb_status limb_hybrid_dynamics_by_gravity(limb_data* d, const double* q, const unsigned char* given, double* work,
                                            double* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !work) return LIMB_E_ARG;
  const unsigned char* marks = limb_marks(d, given);
  if (!marks) return LIMB_E_ARG;
  limb_status s = limb_inverse_dynamics_by_gravity(d, q, out);
  if (s == LIMB_OK) s = limb_mass_matrix(d, q, work);
  return s == LIMB_OK ? exchange(d, marks, work, 1, &(beside){3, out}) : s;
}
