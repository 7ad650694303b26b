// Derivatives of the Christoffel symbols, in closed form.
//
// Reference: Park, Bobrow, Ploen 1995, Propositions 1 and 2 (53), (54; the print has its two cases exchanged),
//            for trees and all joints. docs/geometry.md.
// Cost:      O(n depth^3).
//
// A symbol is G_y{xo} = S_y . F(o, x) (christoffel.c). By the rule of lagrange_impl.h, with l < k when
// link(l) is strictly above link(k), its derivative is
//
//   E_l G_y{xo} = S_y . (F([o, l], x) (o < l) + F(o, [x, l]) (x < l) + S_l x* F(o, x) (y < l))
//
// with the composite of the deepest of all four: of b, the deeper of x and l, for every y on the way from
// link(b) to the root. The last term is [y, l] . F(o, x). As the symbols, it is antisymmetric in x and y,
// which gives E_l G_x{yo} for those x that are below y and l.

#include "limb/geometry.h"

#include "base/numeric.h"
#include "dynamics/lagrange_impl.h"

#include <string.h>

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
  if (d->m->nv > LIMB_TENSOR4_MOST) return LIMB_E_UNSUPPORTED;
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
