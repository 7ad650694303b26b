// Derivatives of the mass matrix, as a tensor and contracted.
//
// Reference: Park, Bobrow, Ploen 1995, (40), (53), for trees and all joints; docs/geometry.md.
// Cost:      tensor O(n depth^2), with one vector O(n depth), with two O(n).
//
// M_ij = <S_i, S_j>, the product with the composite of the deeper of both. By the rule of lagrange_impl.h,
// where i < k means that link(i) is strictly above link(k),
//
//   E_k M_ij = <[S_i, S_k], S_j> (i < k)  +  <[S_j, S_k], S_i> (j < k)        composite of the deepest
//
// With V_p the velocity of the parent of link(k), and h_k the momentum of link(k) and all that it carries:
//
//   E_k (M u)_i = <[V_p(u), S_k], S_i>  +  [S_i, S_k] . h_k(u) (i < k)
//   E_k (u' M w) = [V_p(u), S_k] . h_k(w) + [V_p(w), S_k] . h_k(u)

#include "limb/lagrange.h"

#include "base/numeric.h"
#include "dynamics/lagrange_impl.h"
#include "kernel/tables.h"

#include <string.h>

// For every i strictly above link(k), with f = S_k x* I S_j:
//   (i, j, k) and (j, i, k) of dM += <[S_i, S_k], S_j> = S_i . f
static void add_terms(const limb_lie* t, const limb_axis* k, const limb_axis* j, sp_force f, double* dM)
{
  const size_t n = (size_t)t->m->nv, vj = (size_t)j->v, vk = (size_t)k->v;
  for (limb_axis i = limb_axis_last(t, t->m->link[k->link].parent); i.link >= 0; i = limb_axis_up(t, i)) {
    const double x = k->mult * i.mult * j->mult * sp_dot(i.S, f);
    dM[((size_t)i.v * n + vj) * n + vk] += x;
    dM[(vj * n + (size_t)i.v) * n + vk] += x;
  }
}

// x and every y above it or on its link: either may be the direction k, the other is j.
static void derivative_at(const limb_lie* t, const limb_axis* x, double* dM)
{
  const sp_force own = limb_lie_times(t, x->link, x->S);
  for (limb_axis y = limb_axis_last(t, x->link); y.link >= 0; y = limb_axis_up(t, y)) {
    add_terms(t, x, &y, sp_crf(x->S, limb_lie_times(t, x->link, y.S)), dM);
    if (y.link < x->link) add_terms(t, &y, x, sp_crf(y.S, own), dM);
  }
}

limb_status limb_mass_matrix_derivative(limb_data* d, const double* q, double* dM)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !dM) return LIMB_E_ARG;
  const limb_model* m = d->m;
  if (m->nv > LIMB_TENSOR3_MOST) return LIMB_E_UNSUPPORTED;
  limb_lie t;
  const limb_status s = limb_lie_at(d, q, &t);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)m->nv;
  memset(dM, 0, n * n * n * sizeof *dM);
  for (limb_axis x = limb_axis_first(&t, 0, m->nlink); x.link < m->nlink; x = limb_axis_next(&t, x, m->nlink))
    derivative_at(&t, &x, dM);
  return limb_finite((ptrdiff_t)(n * n * n), dM) ? LIMB_OK : LIMB_E_NONFINITE;
}

// [V_p, S_k]
static sp_motion carried_bracket(const limb_lie* t, const sp_motion* V, const limb_axis* k)
{
  const sp_motion rest = {{0, 0, 0}, {0, 0, 0}};
  const int p = t->m->link[k->link].parent;
  return p < 0 ? rest : sp_crm(V[p], k->S);
}

// Entries (i, k) for i above k or on its link, and (k, i) for i above.
static void derivative_times_at(const limb_lie* t, const limb_axis* k, const sp_motion* V, const sp_force* h,
                                double* out)
{
  const size_t n = (size_t)t->m->nv;
  const sp_force same = limb_lie_times(t, k->link, carried_bracket(t, V, k));
  const sp_force above = sp_addf(same, sp_crf(k->S, h[k->link])); // [S_i, S_k] . h = S_i . (S_k x* h)
  const sp_force own = limb_lie_times(t, k->link, k->S);
  for (limb_axis i = limb_axis_last(t, k->link); i.link >= 0; i = limb_axis_up(t, i)) {
    const double mult = i.mult * k->mult;
    const bool is_above = i.link < k->link;
    out[(size_t)i.v * n + (size_t)k->v] += mult * sp_dot(i.S, is_above ? above : same);
    if (is_above) out[(size_t)k->v * n + (size_t)i.v] += mult * sp_dot(carried_bracket(t, V, &i), own);
  }
}

// Momenta are kept where external wrenches are, which is all zero between calls.
static void forget_momenta(limb_data* d)
{
  if (d->m->nlink > 0) memset(d->link_force, 0, (size_t)d->m->nlink * sizeof *d->link_force);
}

limb_status limb_mass_matrix_derivative_times(limb_data* d, const double* q, const double* u, double* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !u || !out) return LIMB_E_ARG;
  const limb_model* m = d->m;
  if (!limb_finite_v(d, u)) return LIMB_E_NONFINITE;
  limb_lie t;
  const limb_status s = limb_lie_at(d, q, &t);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)m->nv;
  memset(out, 0, n * n * sizeof *out);
  limb_lie_velocities(&t, u, d->own.v);
  limb_lie_momenta(&t, d->own.v, d->link_force);
  for (limb_axis k = limb_axis_first(&t, 0, m->nlink); k.link < m->nlink; k = limb_axis_next(&t, k, m->nlink))
    derivative_times_at(&t, &k, d->own.v, d->link_force, out);
  forget_momenta(d);
  return limb_finite((ptrdiff_t)(n * n), out) ? LIMB_OK : LIMB_E_NONFINITE;
}

// out_k += scale [V_p, S_k] . h_k and, with p, p_k += S_k . h_k
static void contract(const limb_lie* t, const sp_motion* V, const sp_force* h, double scale, double* out, double* p)
{
  const int end = t->m->nlink;
  for (limb_axis k = limb_axis_first(t, 0, end); k.link < end; k = limb_axis_next(t, k, end)) {
    if (out) out[k.v] += scale * k.mult * sp_dot(carried_bracket(t, V, &k), h[k.link]);
    if (p) p[k.v] += k.mult * sp_dot(k.S, h[k.link]);
  }
}

limb_status limb_mass_matrix_gradient(limb_data* d, const double* q, const double* u, const double* w, double* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !u || !w || !out) return LIMB_E_ARG;
  if (!limb_finite_v(d, u) || !limb_finite_v(d, w)) return LIMB_E_NONFINITE;
  limb_lie t;
  const limb_status s = limb_lie_at(d, q, &t);
  if (s != LIMB_OK) return s;
  sp_motion *Vu = d->own.v, *Vw = d->own.a;
  memset(out, 0, (size_t)d->m->nv * sizeof *out);
  limb_lie_velocities(&t, u, Vu);
  limb_lie_velocities(&t, w, Vw);
  limb_lie_momenta(&t, Vw, d->link_force);
  contract(&t, Vu, d->link_force, 1, out, NULL);
  limb_lie_momenta(&t, Vu, d->link_force);
  contract(&t, Vw, d->link_force, 1, out, NULL);
  forget_momenta(d);
  return limb_finite_v(d, out) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_kinetic_derivatives(limb_data* d, const limb_lie* t, const double* v, double* dT_dq, double* dT_dv)
{
  const limb_model* m = d->m;
  if (dT_dq) memset(dT_dq, 0, (size_t)m->nv * sizeof *dT_dq);
  if (dT_dv) memset(dT_dv, 0, (size_t)m->nv * sizeof *dT_dv);
  limb_lie_velocities(t, v, d->own.v);
  limb_lie_momenta(t, d->own.v, d->link_force);
  contract(t, d->own.v, d->link_force, 1, dT_dq, dT_dv); // half of the gradient of v' M v
  forget_momenta(d);
  for (int c = 0; dT_dv && c < m->ncdof; c++) {
    const limb_dof* dof = &m->dof[c];
    dT_dv[dof->v] += dof->mult * m->actuator[c].rotor * (dof->mult * v[dof->v]);
  }
  const bool finite = (!dT_dq || limb_finite_v(d, dT_dq)) && (!dT_dv || limb_finite_v(d, dT_dv));
  return finite ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_mass_matrix_rate(limb_data* d, const double* q, const double* v, double* Mdot)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!Mdot) return LIMB_E_ARG;
  const limb_status s = limb_coriolis_matrix(d, q, v, Mdot);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)d->m->nv;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) Mdot[i * n + j] = Mdot[j * n + i] = Mdot[i * n + j] + Mdot[j * n + i];
  }
  return limb_finite((ptrdiff_t)(n * n), Mdot) ? LIMB_OK : LIMB_E_NONFINITE;
}
