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

// ---- symbols by Lie brackets --------------------------------------------------------------------------------

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
  if (d->m->nv > LIMB_TENSOR3_MAX) return LIMB_E_UNSUPPORTED;
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

// ---- polarisation -------------------------------------------------------------------------------------------

size_t limb_christoffel_by_polarisation_work(const limb_model* m)
{
  const size_t n = m ? (size_t)m->nv : 0;
  return n > LIMB_TENSOR3_MAX ? 0 : n * (n + 1);
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
  if (nv > LIMB_TENSOR3_MAX) return LIMB_E_UNSUPPORTED;
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

// ---- matrix -------------------------------------------------------------------------------------------------

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

// ---- derivatives of the symbols -----------------------------------------------------------------------------

// In closed form. Reference: Park, Bobrow, Ploen 1995, Propositions 1 and 2 (53), (54; the print has its two cases
// exchanged), for trees and all joints. Cost: O(n depth^3).
//
// A symbol is G_y{xo} = S_y . F(o, x). By the rule of lagrange_impl.h, with l < k when link(l) is strictly above
// link(k), its derivative is
//
//   E_l G_y{xo} = S_y . (F([o, l], x) (o < l) + F(o, [x, l]) (x < l) + S_l x* F(o, x) (y < l))
//
// with the composite of the deepest of all four: of b, the deeper of x and l, for every y on the way from
// link(b) to the root. The last term is [y, l] . F(o, x). As the symbols, it is antisymmetric in x and y,
// which gives E_l G_x{yo} for those x that are below y and l.

typedef struct derivative {
  const limb_lie* t;
  limb_symbols kind;
  const limb_symbol_sink* out;
} derivative;

// E_l G_i{inner, outer} += x
static void add_term(const derivative* D, const limb_axis* l, const limb_axis* i, const limb_axis* inner,
                     const limb_axis* outer, double x)
{
  const limb_shares share = limb_shares_of(D->kind, outer, inner);
  x *= l->mult * i->mult * inner->mult * outer->mult;
  if (share.inner_outer != 0)
    D->out->add(D->out, (const int[4]){l->v, i->v, inner->v, outer->v}, share.inner_outer * x);
  if (share.outer_inner != 0)
    D->out->add(D->out, (const int[4]){l->v, i->v, outer->v, inner->v}, share.outer_inner * x);
}

// All y for one pair (o above x or on its link) and one direction l; b is the deeper link of x and l, and F
// is F(o, x) with its composite.
static void along(const derivative* D, const limb_axis* o, const limb_axis* x, const limb_axis* l, int b, sp_force F)
{
  const limb_lie* t = D->t;
  const bool o_above = o->link < l->link, x_above = x->link < l->link;
  sp_force same = {{0, 0, 0}, {0, 0, 0}};
  if (o_above) same = limb_lie_bracket_force(t, b, sp_crm(o->S, l->S), x->S);
  if (x_above) same = sp_addf(same, limb_lie_bracket_force(t, b, o->S, sp_crm(x->S, l->S)));
  const sp_force above = sp_addf(same, sp_crf(l->S, F)); // for y < l
  for (limb_axis y = limb_axis_last(t, b); y.link >= 0; y = limb_axis_up(t, y)) {
    const bool y_above = y.link < l->link;
    if (!y_above && !o_above) continue; // nothing moves against anything; x < l implies o < l
    const double g = sp_dot(y.S, y_above ? above : same);
    add_term(D, l, &y, x, o, g);
    if (o->link <= y.link && y.link < x->link && l->link < x->link) add_term(D, l, x, &y, o, -g);
  }
}

void limb_lie_symbol_derivatives(const limb_lie* t, limb_symbols kind, const limb_symbol_sink* out)
{
  const derivative D = {t, kind, out};
  const limb_model* m = t->m;
  const int n = m->nlink;
  for (limb_axis x = limb_axis_first(t, 0, n); x.link < n; x = limb_axis_next(t, x, n)) {
    const int end = m->link[x.link].end;
    for (limb_axis o = limb_axis_last(t, x.link); o.link >= 0; o = limb_axis_up(t, o)) {
      const sp_force F = limb_lie_bracket_force(t, x.link, o.S, x.S);
      for (limb_axis l = limb_axis_last(t, x.link); l.link >= 0; l = limb_axis_up(t, l))
        along(&D, &o, &x, &l, x.link, F);
      for (limb_axis l = limb_axis_first(t, x.link + 1, end); l.link < end; l = limb_axis_next(t, l, end))
        along(&D, &o, &x, &l, l.link, limb_lie_bracket_force(t, l.link, o.S, x.S));
    }
  }
}

static void add_derivative(const limb_symbol_sink* s, const int lijk[4], double x)
{
  const size_t n = s->nv;
  const size_t ijk = ((size_t)lijk[1] * n + (size_t)lijk[2]) * n + (size_t)lijk[3];
  s->out[ijk * n + (size_t)lijk[0]] += x;
}

static limb_status derivatives(limb_data* d, const double* q, limb_symbols kind, double* dG)
{
  if (!d || !q || !dG) return LIMB_E_ARG;
  if (d->m->nv > LIMB_TENSOR4_MAX) return LIMB_E_UNSUPPORTED;
  limb_lie t;
  const limb_status s = limb_lie_at(d, q, &t);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)d->m->nv, all = n * n * n * n;
  const limb_symbol_sink out = {add_derivative, dG, n};
  memset(dG, 0, all * sizeof *dG);
  limb_lie_symbol_derivatives(&t, kind, &out);
  return limb_finite((ptrdiff_t)all, dG) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_christoffel_derivative(limb_data* d, const double* q, double* dG)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  return derivatives(d, q, LIMB_SYMMETRIC, dG);
}

limb_status limb_connection_derivative(limb_data* d, const double* q, double* dG)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  return derivatives(d, q, LIMB_CONNECTION, dG);
}
