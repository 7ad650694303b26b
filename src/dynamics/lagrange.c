// The Lagrangian formulation: the robot in one common frame, derivatives of the mass matrix (as a tensor and
// contracted), energies as functions of the state, and the terms of the Euler-Lagrange equations.
//
// Reference: Park, Bobrow, Ploen 1995, section 4, (40), (53), (58), (59), for trees and all joints, with g the
//            acceleration of gravity (it points down: the print has the sign of one that points up); Lynch and Park
//            2017, (9.5)-(9.21); G. Hamel, Die Lagrange-Eulerschen Gleichungen der Mechanik, 1904, for velocities
//            that are not rates of coordinates; docs/geometry.md.
// Cost:      O(n); derivatives of the mass matrix: tensor O(n depth^2), with one vector O(n depth), with two O(n).
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
//
// Energies and equations:
//
//   T = v' M v / 2     dT/dv = p = M v,   dT/dq_k = [V_p, S_k] . h_k
//   U = -sum m g . c + sum k (q - rest)^2 / 2
//   dU/dq_k = -g . f,  (n; f) = I_k S_k                                      momentum of all that k carries
//   tau_i = dp_i/dt - sum_km c^m_ki v_k p_m - dT/dq_i + dU/dq_i              Hamel; c: structure constants

#include "limb/lagrange.h"

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "dynamics/lagrange_impl.h"
#include "kinematics/kinematics_impl.h"

#include <string.h>

// ---- the robot in one common frame --------------------------------------------------------------------------

limb_status limb_lie_at(limb_data* d, const double* q, limb_lie* t)
{
  const limb_model* m = d->m;
  sp_pose* X = d->own.X;
  const limb_status s = limb_link_kinematics(d, q, NULL, NULL, &d->own);
  if (s != LIMB_OK) return s;
  limb_measure_from_root(m, q, X);
  limb_composites(m, X, d->composite);
  *t = (limb_lie){m, X, d->composite};
  return LIMB_OK;
}

// V_i = V_parent + sum S_k u_k: velocities of the links for the user's velocities u.
static void find_velocities(const limb_lie* t, const double* u, sp_motion* V)
{
  const limb_model* m = t->m;
  const sp_motion rest = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < m->nlink; i++) {
    const int p = m->link[i].parent;
    V[i] = p < 0 ? rest : V[p];
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_axis a = limb_axis_of(t, i, k);
      V[i] = sp_addm(V[i], sp_scalem(a.mult * u[a.v], a.S));
    }
  }
}

// h_i = sum of I V over link i and all that it carries: momenta.
static void find_momenta(const limb_lie* t, const sp_motion* V, sp_force* h)
{
  const limb_model* m = t->m;
  for (int i = 0; i < m->nlink; i++) {
    const sp_motion own = sp_motion_in(t->X[i], V[i]);
    h[i] = sp_force_out(t->X[i], limb_moments_times(&m->inertia[i], own));
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const int p = m->link[i].parent;
    if (p >= 0) h[p] = sp_addf(h[p], h[i]);
  }
}

void limb_add_turning(const limb_model* m, const double* v, const double* x, double* y)
{
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    if (link->aux < 0) continue;
    const int J = m->dof[link->dof].v; // its velocities are the user's
    const bool slides = link->joint_class == CLASS_FREE;
    const sp_vec3 w = sp_v3(v[J], v[J + 1], v[J + 2]), n = sp_v3(x[J], x[J + 1], x[J + 2]);
    sp_vec3 u = {0, 0, 0}, f = {0, 0, 0};
    if (slides) u = sp_v3(v[J + 3], v[J + 4], v[J + 5]), f = sp_v3(x[J + 3], x[J + 4], x[J + 5]);
    const sp_force r = sp_crf(sp_motion_make(w, u), sp_force_make(n, f));
    y[J] += r.m.x, y[J + 1] += r.m.y, y[J + 2] += r.m.z;
    if (slides) y[J + 3] += r.f.x, y[J + 4] += r.f.y, y[J + 5] += r.f.z;
  }
}

// ---- derivatives of the mass matrix -------------------------------------------------------------------------

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
  if (m->nv > LIMB_TENSOR3_MAX) return LIMB_E_UNSUPPORTED;
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
  find_velocities(&t, u, d->own.v);
  find_momenta(&t, d->own.v, d->link_force);
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
  find_velocities(&t, u, Vu);
  find_velocities(&t, w, Vw);
  find_momenta(&t, Vw, d->link_force);
  contract(&t, Vu, d->link_force, 1, out, NULL);
  find_momenta(&t, Vu, d->link_force);
  contract(&t, Vw, d->link_force, 1, out, NULL);
  forget_momenta(d);
  return limb_finite_v(d, out) ? LIMB_OK : LIMB_E_NONFINITE;
}

// dT/dq and dT/dv = M v, rotors included; either may be NULL.
static limb_status kinetic_derivatives(limb_data* d, const limb_lie* t, const double* v, double* dT_dq, double* dT_dv)
{
  const limb_model* m = d->m;
  if (dT_dq) memset(dT_dq, 0, (size_t)m->nv * sizeof *dT_dq);
  if (dT_dv) memset(dT_dv, 0, (size_t)m->nv * sizeof *dT_dv);
  find_velocities(t, v, d->own.v);
  find_momenta(t, d->own.v, d->link_force);
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

// ---- energies and the Euler-Lagrange equations --------------------------------------------------------------

// out_k = -g . f_k
static void gravity_gradient(const limb_lie* t, sp_vec3 g, double* out)
{
  const int end = t->m->nlink;
  memset(out, 0, (size_t)t->m->nv * sizeof *out);
  for (limb_axis k = limb_axis_first(t, 0, end); k.link < end; k = limb_axis_next(t, k, end))
    out[k.v] -= k.mult * sp_dot3(g, limb_lie_times(t, k.link, k.S).f);
}

limb_status limb_gravity_from_potential(limb_data* d, const double* q, const limb_environment* env, double* tau)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !tau) return LIMB_E_ARG;
  limb_environment e;
  limb_lie t;
  limb_status s = limb_environment_read(d->m, env, &e);
  if (s == LIMB_OK) s = limb_lie_at(d, q, &t);
  if (s != LIMB_OK) return s;
  gravity_gradient(&t, e.gravity, tau);
  return limb_finite_v(d, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

// dU/dq: springs, then gravity beside them.
static limb_status potential_gradient(limb_data* d, const limb_lie* t, const double* q, sp_vec3 g, double* dU_dq)
{
  gravity_gradient(t, g, d->user_v);
  const limb_status s = limb_spring_forces(d, q, dU_dq);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < d->m->nv; k++) dU_dq[k] += d->user_v[k];
  return limb_finite_v(d, dU_dq) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_energy_derivatives(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                    double* dT_dq, double* dT_dv, double* dU_dq)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !q || !v) return LIMB_E_ARG;
  limb_environment e;
  limb_lie t;
  limb_status s = limb_environment_read(d->m, env, &e);
  if (s == LIMB_OK) s = limb_check_state(d, q, v, NULL);
  if (s == LIMB_OK) s = limb_lie_at(d, q, &t);
  if (s == LIMB_OK && dU_dq) s = potential_gradient(d, &t, q, e.gravity, dU_dq);
  if (s == LIMB_OK && (dT_dq || dT_dv)) s = kinetic_derivatives(d, &t, v, dT_dq, dT_dv);
  return s;
}

limb_status limb_lagrangian_terms(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                  limb_lagrangian* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!out || (out->hamel && !out->p)) return LIMB_E_ARG;
  limb_status s = limb_energies(d, q, v, env, &out->energy);
  if (s == LIMB_OK) s = limb_energy_derivatives(d, q, v, env, out->dT_dq, out->p, out->dU_dq);
  if (s != LIMB_OK) return s;
  out->L = out->energy.kinetic - (out->energy.gravity + out->energy.springs);
  if (!isfinite(out->L)) return LIMB_E_NONFINITE;
  if (!out->hamel) return LIMB_OK;
  memset(out->hamel, 0, (size_t)d->m->nv * sizeof *out->hamel);
  limb_add_turning(d->m, v, out->p, out->hamel);
  return limb_finite_v(d, out->hamel) ? LIMB_OK : LIMB_E_NONFINITE;
}
