// Second derivatives in closed form: rigid bodies in the kernels. Of what joints add besides, only friction is not
// linear.
//
// References: kernel/second_kernel.h, hessian_kernel.h, second_forward_kernel.h.
// Forward dynamics: with mu = M^-1 lambda, H the Hessians of mu' tau, and a_q, a_v and M^-1 the slopes of a,
//
//   d2(lambda' a)/dq dq = -(H_qq + H_qa a_q + (H_qa a_q)')      d2(lambda' a)/dq dtau = -H_qa M^-1
//   d2(lambda' a)/dq dv = -(H_qv + H_qa a_v)                    d2(lambda' a)/dv dv   = -H_vv

#include "limb/derivatives.h"

#include "dynamics/dual_impl.h"
#include "kernel/tables.h"

#include <math.h>
#include <string.h>

bool limb_second_is_closed(const limb_dual* w, const limb_second_point* p)
{
  const bool straight = !w->m->has_cords && !w->m->has_ball_springs; // springs: linear in q
  return straight && !w->m->has_mimic && p->around.ngiven == 0;
}

// What smoothed Coulomb friction adds: of Fs tanh(v / width), -2 Fs t (1 - t^2) / width^2. Entry k is at `stride` k; a
// lambda of NULL is 1.
static void add_friction(const limb_model* m, const limb_terms* terms, const double* v, const double* lambda,
                         size_t stride, double* dvdv)
{
  if (!dvdv || !m->has_actuators || !terms->friction || !(terms->width > 0)) return;
  for (int c = 0; c < m->ncdof; c++) {
    const size_t k = (size_t)m->dof[c].v;
    const double t = tanh(v[k] / terms->width), weight = lambda ? lambda[k] : 1;
    dvdv[k * stride] -= 2 * weight * m->actuator[c].coulomb * t * (1 - t * t) / (terms->width * terms->width);
  }
}

static limb_kernels_lanes_second tables_of(limb_dual* w, const limb_second_derivatives* out)
{
  return (limb_kernels_lanes_second){out->dqdq, out->dqdv, out->dvdv, out->dqdx, w->work, w->path};
}

// Of inverse dynamics at accelerations a; lambda NULL: tensors.
static limb_status of_inverse(limb_dual* w, const limb_second_point* p, const double* a, const double* lambda,
                              const limb_second_derivatives* out)
{
  const limb_model* m = w->d->m;
  const limb_terms* terms = &p->around.terms;
  const size_t n = (size_t)m->nv;
  const limb_kernels_motion in = {p->given.q, p->given.v, a, terms, NULL, 0, NULL, 0};
  const limb_kernels_lanes_second to = tables_of(w, out);
  const limb_kernels* k = limb_kernels_of(w->d);
  const bool fine =
    lambda ? k->id_hessian(m, m->k64, &w->d->ws, &in, lambda, &to) : k->id_second(m, m->k64, &w->d->ws, &in, &to);
  add_friction(m, terms, p->given.v, lambda, lambda ? n + 1 : n * n + n + 1, out->dvdv);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}

// Accelerations to w->acc, and their slopes.
static limb_status find_slopes(limb_dual* w, const limb_second_point* p, limb_fd_derivatives* slopes)
{
  const size_t nn = (size_t)w->m->nv * (size_t)w->m->nv;
  const limb_dual_at* at = &p->given;
  *slopes = (limb_fd_derivatives){w->acc, w->slopes, w->slopes + nn, w->slopes + 2 * nn};
  return limb_forward_dynamics_derivatives(w->d, at->q, at->v, at->x, at->env, slopes);
}

limb_status limb_second_tensors(limb_dual* w, const limb_second_point* p, const limb_second_derivatives* out)
{
  if (p->kind == LIMB_DUAL_INVERSE) return of_inverse(w, p, p->given.x, NULL, out);
  limb_fd_derivatives slopes;
  limb_status s = find_slopes(w, p, &slopes);
  if (s == LIMB_OK) s = of_inverse(w, p, w->acc, NULL, out);
  if (s != LIMB_OK) return s;
  const limb_kernels_lanes_out first = {NULL, slopes.dacc_dtau, slopes.dacc_dq, slopes.dacc_dv};
  const limb_kernels_lanes_second to = tables_of(w, out);
  return limb_kernels_of(w->d)->fd_second(w->m, &first, &to) ? LIMB_OK : LIMB_E_NONFINITE;
}

// mu = M^-1 lambda
static void weigh(int n, const double* Minv, const double* lambda, double* mu)
{
  for (int i = 0; i < n; i++) {
    mu[i] = 0;
    for (int k = 0; k < n; k++) mu[i] += Minv[(ptrdiff_t)i * n + k] * lambda[k];
  }
}

// H = -H + P, + P'
static void subtract_from(int n, const double* P, bool both, double* H)
{
  for (ptrdiff_t i = 0; H && i < n; i++)
    for (ptrdiff_t k = 0; k < n; k++) H[i * n + k] = P[i * n + k] - H[i * n + k] + (both ? P[k * n + i] : 0);
}

limb_status limb_second_hessian(limb_dual* w, const limb_second_point* p, const double* lambda,
                                const limb_second_derivatives* out)
{
  if (!limb_finite_v(w->d, lambda)) return LIMB_E_NONFINITE;
  if (p->kind == LIMB_DUAL_INVERSE) return of_inverse(w, p, p->given.x, lambda, out);
  const int n = w->m->nv;
  const limb_ws* ws = &w->d->ws;
  const limb_kernels* k = limb_kernels_of(w->d);
  limb_fd_derivatives slopes;
  limb_second_derivatives by_tau = *out;
  by_tau.dqdx = w->slopes + 3 * (ptrdiff_t)n * n;
  limb_status s = find_slopes(w, p, &slopes);
  if (s != LIMB_OK) return s;
  weigh(n, slopes.dacc_dtau, lambda, w->mu);
  s = of_inverse(w, p, w->acc, w->mu, &by_tau);
  if (s != LIMB_OK) return s;
  bool fine = !out->dqdq || k->take_product(w->m, ws, by_tau.dqdx, slopes.dacc_dq);
  fine = (!out->dqdv || k->take_product(w->m, ws, by_tau.dqdx, slopes.dacc_dv)) && fine;
  fine = (!out->dqdx || k->take_product(w->m, ws, by_tau.dqdx, slopes.dacc_dtau)) && fine;
  subtract_from(n, slopes.dacc_dq, true, out->dqdq);
  subtract_from(n, slopes.dacc_dv, false, out->dqdv);
  for (ptrdiff_t i = 0; out->dvdv && i < (ptrdiff_t)n * n; i++) out->dvdv[i] = -out->dvdv[i];
  if (out->dqdx) memcpy(out->dqdx, slopes.dacc_dtau, (size_t)n * (size_t)n * sizeof *out->dqdx);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}
