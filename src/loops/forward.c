// Forward dynamics of robots with closed loops: the entry point, the choice of the method, and the
// judgement of what came out.
//
// Baumgarte's terms go into gamma before any method starts:
//
//     Psi a = gamma - 2 alpha (Psi v - s') - beta^2 (phi - s)
//
// Afterwards all rows are looked at, those that others imply as well. Rows that count as dependent at a
// tolerance agree to no more than that: one is contradicted when CONTRADICTION tolerances of the largest
// sum of magnitudes that a row is made of are left. Baumgarte's terms of redundant rows need not agree with
// each other, as places that are a little off do not: as much as the largest of them is allowed for.

#include "loops/forward_impl.h"

#include "base/finite.h"
#include "base/sized.h"
#include "model/state_check.h"

#include <math.h>

#define CONTRADICTION 10

limb_status limb_closed_options_read(const limb_closed_options* given, limb_closed_options* out)
{
  *out = limb_default_closed_options();
  const size_t least = offsetof(limb_closed_options, iterations) + sizeof out->iterations;
  limb_status s = given ? limb_sized_read(out, sizeof *out, given, least) : LIMB_OK;
  if (s != LIMB_OK) return s;
  const limb_loop_options loops = out->loops;
  s = limb_loop_options_read(&loops, &out->loops);
  if (s != LIMB_OK) return s;
  const double number[] = {out->alpha, out->beta, out->regularisation};
  if (!limb_finite(3, number)) return LIMB_E_NONFINITE;
  const bool known = out->method >= LIMB_CLOSED_AUTO && out->method <= LIMB_CLOSED_PROXIMAL;
  const bool sound = out->alpha >= 0 && out->beta >= 0 && out->regularisation > 0;
  return known && sound && out->iterations > 0 ? LIMB_OK : LIMB_E_ARG;
}

// ---- judgement ------------------------------------------------------------------------------------------

static int redundant_rows(limb_loops* w, double tolerance)
{
  int rank = 0;
  for (int c = 0; c < w->m->clusters.count; c++)
    rank += limb_reduce_cluster(w, c, NULL, LIMB_CARRY_NOTHING, tolerance)->rank;
  return w->m->nrow - rank;
}

// |target| + sum |Psi_ij x_j| of the row in which it is largest
static double size_of_rows(const limb_loops* w, const double* x, const double* target)
{
  double most = 0;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_cluster* k = &w->m->clusters.cluster[c];
    for (int r = 0; r < k->nrow; r++) {
      const double* row = w->Psi + k->block + (ptrdiff_t)r * k->nv;
      double sum = fabs(target[k->row + r]);
      for (int j = 0; j < k->nv; j++) sum += fabs(row[j] * x[k->v[j]]);
      most = fmax(most, sum);
    }
  }
  return most;
}

bool limb_rows_hold(limb_loops* w, const double* x, const double* target, double slack,
                    double tolerance, limb_closed_report* out)
{
  const limb_model* m = w->m;
  double largest = 0;
  int worst = m->nloop > 0 ? 0 : -1;
  limb_psi_times(w, x, w->r1);
  for (int l = 0; l < m->nloop; l++) {
    const int first = m->clusters.cluster[m->loop[l].cluster].row + m->loop[l].local;
    for (int r = first; r < first + m->loop[l].nrow; r++) {
      const double rest = fabs(w->r1[r] - target[r]);
      if (rest > largest) largest = rest, worst = l;
    }
  }
  if (out) out->residual = largest, out->loop = worst;
  if (out) out->redundant = redundant_rows(w, tolerance);
  if (largest <= slack) return true;
  return largest <= CONTRADICTION * tolerance * size_of_rows(w, x, target) + slack;
}

// ---- the call -------------------------------------------------------------------------------------------

static limb_closed_method choose(const limb_model* m, limb_closed_method wish)
{
  if (wish != LIMB_CLOSED_AUTO) return wish;
  return m->has_mimic && m->nrow > 0 ? LIMB_CLOSED_SCHUR : LIMB_CLOSED_CLUSTERS;
}

// gamma -= 2 alpha (Psi v - s') + beta^2 (phi - s); the largest of these terms.
static double stabilise(limb_loops* w, const double* v, const limb_closed_options* o)
{
  double most = 0;
  if (o->alpha == 0 && o->beta == 0) return most;
  limb_psi_times(w, v, w->r1);
  for (int r = 0; r < w->m->nrow; r++) {
    const double term = 2 * o->alpha * (w->r1[r] - w->rate[r]) + o->beta * o->beta * w->phi[r];
    w->gamma[r] -= term;
    most = fmax(most, fabs(term));
  }
  return most;
}

static limb_status by_clusters(limb_loops* w, const limb_forward_in* in, double tolerance,
                               double* a, double* lambda)
{
  if (w->m->nrow == 0) return limb_forward_dynamics(w->d, in->q, in->v, in->tau, in->env, a);
  limb_surroundings x;
  limb_status s = limb_enter(w->d, in->env, in->q, in->v, &x);
  if (s != LIMB_OK) return s;
  s = limb_forward_by_clusters(w, in->q, in->v, in->tau, &x, tolerance, a, lambda);
  limb_leave(w->d, &x);
  return s;
}

static limb_status run(limb_loops* w, const limb_forward_in* in, const limb_closed_options* o,
                       double* a, double* lambda, limb_closed_report* report)
{
  const double tolerance = o->loops.tolerance;
  switch (report->method) {
  case LIMB_CLOSED_SCHUR: return limb_forward_by_schur(w, in, tolerance, a, lambda);
  case LIMB_CLOSED_KKT: return limb_forward_by_kkt(w, in, tolerance, a, lambda);
  case LIMB_CLOSED_PROXIMAL:
    return limb_forward_by_proximal(w, in, o, a, lambda, &report->iterations);
  default: return by_clusters(w, in, tolerance, a, lambda);
  }
}

static double largest_square(int n, const double* v)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, v[i] * v[i]);
  return most;
}

limb_status limb_closed_forward_dynamics(limb_loops* w, const double* q, const double* v,
                                         const double* tau, const limb_environment* env,
                                         const limb_closed_options* options, double* a,
                                         double* lambda, limb_closed_report* report)
{
  if (!w || !q || !v || !tau || !a) return LIMB_E_ARG;
  limb_closed_options o;
  limb_status s = limb_closed_options_read(options, &o);
  if (s != LIMB_OK) return s;
  const limb_model* m = w->m;
  limb_closed_report found = {.method = choose(m, o.method), .loop = -1};
  if (report) *report = found;
  if (found.method != LIMB_CLOSED_CLUSTERS && w->use != LIMB_LOOPS_DENSE) return LIMB_E_ORDER;
  if (!limb_finite_v(w->d, tau)) return LIMB_E_NONFINITE;
  const unsigned lean = o.alpha == 0 && o.beta == 0 ? LIMB_ROWS_LEAN : 0U;
  s = limb_loop_rows_at(w, q, v, o.loops.time, LIMB_ROWS_PSI | LIMB_ROWS_GAMMA | lean);
  if (s != LIMB_OK) return s;
  const double slack = stabilise(w, v, &o) + LIMB_ROW_ROUNDING * (1 + largest_square(m->nv, v));
  const limb_forward_in in = {q, v, tau, env};
  s = run(w, &in, &o, a, lambda ? w->r3 : NULL, &found);
  if (report) *report = found;
  if (s != LIMB_OK) return s;
  if (!limb_finite_v(w->d, a)) return LIMB_E_NONFINITE;
  if (lambda) limb_rows_to_user(w, w->r3, lambda);
  if (lambda && !limb_finite(m->nrow, lambda)) return LIMB_E_NONFINITE;
  if (limb_rows_hold(w, a, w->gamma, slack, o.loops.tolerance, report)) return LIMB_OK;
  return found.method == LIMB_CLOSED_PROXIMAL ? LIMB_E_NOCONV : LIMB_E_SINGULAR;
}
