// Christoffel symbols of the first kind, by Lie brackets and by polarisation, and their Coriolis matrix.
//
// Reference: Park, Bobrow, Ploen 1995, (55)-(57), for trees and all joints, first index lowered: its Gamma_jki is G_ijk
//            here, that of Lynch and Park 2017, (9.13). docs/geometry.md.
// Cost:      brackets O(n depth^2); polarisation O(nv^2 n); matrix O(n depth).
//
// A particle at r moves with u_j = v_j + w_j x r per unit of velocity j. When the axis nearer to the root, o,
// turns, the velocity given by the other one, n, turns with it; when n moves, the particle moves in the field
// of o. Either way the derivative is w_o x u_n, and
//
//   G_i{no} = sum m u_i . (w_o x u_n) = S_i . F(o, n)          composite of the deepest of i, n and o
//           = (<[o, n], i> + <[i, o], n> - <[n, i], o>) / 2,
//
// the three brackets of (55)-(57) for every order of i, j, k. This is antisymmetric in i and n. So one force
// F(o, x) with the composite of x gives, for every axis y on the way from link(x) to the root,
//
//   G_y{xo} = S_y . F(o, x),     G_x{yo} = -S_y . F(o, x)     o above y or on its link, y above link(x)
//
// Two axes of one ball or free joint turn each other: with k the direction of differentiation the derivative
// is w_k x u_j. That is the connection; the symmetric symbols have the mean of both orders.
//
// The matrix sum_k G_ijk v_k needs no symbols: the kernel of limb_coriolis_matrix makes both kinds.

#include "limb/lagrange.h"

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "dynamics/lagrange_impl.h"
#include "kernel/tables.h"

#include <string.h>

// G_i{inner, outer} += x
static void add_symbol(const limb_lie* t, limb_symbols kind, double* G, const limb_axis* i, const limb_axis* inner,
                       const limb_axis* outer, double x)
{
  const limb_shares share = limb_shares_of(kind, outer, inner);
  const size_t n = (size_t)t->m->nv, vj = (size_t)inner->v, vk = (size_t)outer->v;
  double* Gi = G + (size_t)i->v * n * n;
  x *= i->mult * inner->mult * outer->mult;
  Gi[vj * n + vk] += share.inner_outer * x;
  Gi[vk * n + vj] += share.outer_inner * x;
}

void limb_lie_symbols(const limb_lie* t, limb_symbols kind, double* G)
{
  const int end = t->m->nlink;
  const size_t n = (size_t)t->m->nv;
  memset(G, 0, n * n * n * sizeof *G);
  for (limb_axis x = limb_axis_first(t, 0, end); x.link < end; x = limb_axis_next(t, x, end)) {
    for (limb_axis o = limb_axis_last(t, x.link); o.link >= 0; o = limb_axis_up(t, o)) {
      const sp_force F = limb_lie_bracket_force(t, x.link, o.S, x.S);
      for (limb_axis y = limb_axis_last(t, x.link); y.link >= 0; y = limb_axis_up(t, y)) {
        const double g = sp_dot(y.S, F);
        add_symbol(t, kind, G, &y, &x, &o, g);
        if (o.link <= y.link && y.link < x.link) add_symbol(t, kind, G, &x, &y, &o, -g);
      }
    }
  }
}

static limb_status symbols(limb_data* d, const double* q, limb_symbols kind, double* G)
{
  if (!d || !q || !G) return LIMB_E_ARG;
  if (d->m->nv > LIMB_TENSOR3_MOST) return LIMB_E_UNSUPPORTED;
  limb_lie t;
  const limb_status s = limb_lie_at(d, q, &t);
  if (s != LIMB_OK) return s;
  limb_lie_symbols(&t, kind, G);
  const ptrdiff_t n = d->m->nv;
  return limb_finite(n * n * n, G) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_christoffel(limb_data* d, const double* q, double* G)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  return symbols(d, q, LIMB_SYMMETRIC, G);
}

limb_status limb_connection(limb_data* d, const double* q, double* G)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  return symbols(d, q, LIMB_CONNECTION, G);
}

// ---- polarisation -----------------------------------------------------------------------------------

size_t limb_christoffel_by_polarisation_work(const limb_model* m)
{
  const size_t n = m ? (size_t)m->nv : 0;
  return n > LIMB_TENSOR3_MOST ? 0 : n * (n + 1);
}

// c(e_j + scale e_k), of a base at rest without gravity
static void velocity_forces(limb_data* d, const double* q, int j, int k, double scale, double* c)
{
  const limb_terms none = {0};
  double* v = d->user_v;
  memset(v, 0, (size_t)d->m->nv * sizeof *v);
  v[j] += 1;
  v[k] += scale;
  limb_kernels_of(d)->inverse_dynamics(d->m, d->m->k64, &d->ws, q, v, d->zeros, &none, NULL, c);
}

limb_status limb_christoffel_by_polarisation(limb_data* d, const double* q, double* work, double* G)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !work || !G) return LIMB_E_ARG;
  const int nv = d->m->nv;
  if (nv > LIMB_TENSOR3_MOST) return LIMB_E_UNSUPPORTED;
  const limb_status s = limb_check_state(d, q, NULL, NULL);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)nv;
  double *c = work, *both = work + n * n; // row j of c: c(e_j)
  limb_enter_void(d);
  for (int j = 0; j < nv; j++) velocity_forces(d, q, j, j, 0, c + (size_t)j * n);
  for (int j = 0; j < nv; j++) {
    for (int k = 0; k <= j; k++) {
      const double *cj = c + (size_t)j * n, *ck = c + (size_t)k * n;
      velocity_forces(d, q, j, k, 1, both);
      for (size_t i = 0; i < n; i++) {
        const double g = (both[i] - cj[i] - ck[i]) / 2;
        G[(i * n + (size_t)j) * n + (size_t)k] = G[(i * n + (size_t)k) * n + (size_t)j] = g;
      }
    }
  }
  return limb_finite((ptrdiff_t)(n * n * n), G) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- matrix -----------------------------------------------------------------------------------------

limb_status limb_coriolis_matrix_christoffel(limb_data* d, const double* q, const double* v, double* C)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !v || !C) return LIMB_E_ARG;
  if (!d->ws.table.cell) return LIMB_E_UNSUPPORTED;
  const limb_model* m = d->m;
  const limb_status s = limb_check_state(d, q, v, NULL);
  if (s != LIMB_OK) return s;
  limb_kernels_of(d)->coriolis_matrix(m, m->k64, &d->ws, q, v, SLOPES_SYMMETRIC, C);
  return limb_kernels_of(d)->finite_matrix(m, C) ? LIMB_OK : LIMB_E_NONFINITE;
}
