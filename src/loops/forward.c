// Forward dynamics of robots with closed loops: the entry point, the choice of the method, the usual method (cluster
// by cluster), the check of the results.
//
// Baumgarte's terms go into gamma before any method starts:
//
//     Psi a = gamma - 2 alpha (Psi v - s') - beta^2 (phi - s)
//
// Afterwards all constraints are checked, including those that others imply. Constraints that count as dependent at a
// tolerance agree to no more than that: one is contradicted when LIMB_CONTRADICTION tolerances of the largest sum of
// magnitudes that a constraint of its cluster is made of are left. Baumgarte's terms of redundant constraints need not
// agree with each other, as positions that are slightly off do not: near the surface the largest of these terms is
// allowed as a residual, and gamma is checked without them. Suspect ranks are checked as in loops/reduce.c.

#include "limb/loops.h"

#include "base/numeric.h"
#include "base/status.h"
#include "kernel/tables.h"
#include "linalg/dense.h"
#include "loops/loops_impl.h"

#include <math.h>
#include <string.h>

// ---- gains of the stabilisation -----------------------------------------------------------------------------

// Gains of Baumgarte's stabilisation from the step of the integrator: alpha = beta = 1 / (50 h).
//
// Reference: J. Baumgarte, Stabilization of constraints and integrals of motion in dynamical systems,
//            Computer Methods in Applied Mechanics and Engineering 1, 1972; Ghosal 2010, which leaves the
//            choice open.
//
// The residual e of a constraint obeys e'' + 2 alpha e' + beta^2 e = 0. alpha = beta is the fastest decay without
// overshoot: a double root at -alpha. A step h multiplies it by R(-alpha h), R being the stability function
// of the integrator:
//
//     Euler  1 - z                                       no overshoot up to z = 1, stable below 2
//     RK4    1 - z + z^2 / 2 - z^3 / 6 + z^4 / 24        positive everywhere, stable below 2.78
//
// with z = alpha h. Stability would allow z = 1. Accuracy does not: a stage half a step ahead is off the
// surface of the constraints by the curvature, h^2 / 8 of Psi' v, and the feedback takes that for an error
// of the motion, z^2 / 8 of gamma itself. So z has to be small, and the drift that builds up in 1 / alpha
// sets the other bound. z = 1/50 (5e-5 of gamma; errors fall to 1/e in 50 steps) is where neither positions,
// velocities nor energies of RK4 over 10 s are worse than without feedback, for steps of 1 to 20 ms
// (docs/loops.md has the numbers): positions are 40 to 450 times better.

#define DECAY_STEPS 50

limb_status limb_baumgarte(double step, limb_loop_solver* o)
{
  if (!o || !limb_finite(1, &step) || !(step > 0)) return LIMB_E_ARG;
  const double gain = 1 / (DECAY_STEPS * step);
  if (!limb_finite(1, &gain)) return LIMB_E_ARG;
  o->alpha = o->beta = gain;
  return LIMB_OK;
}

// ---- options ------------------------------------------------------------------------------------------------

#define NEAR 1e-3 // gaps of positions and velocities, below which Baumgarte's terms need not agree

limb_loop_solver limb_default_loop_solver(void)
{
  return (limb_loop_solver){.size = sizeof(limb_loop_solver),
                            .loops = limb_default_loop_options(),
                            .regularisation = 1e-6,
                            .max_iterations = 50};
}

limb_status limb_loop_solver_read(const limb_loop_solver* given, limb_loop_solver* out)
{
  *out = limb_default_loop_solver();
  if (!given) return LIMB_OK;
  const size_t min_size = offsetof(limb_loop_solver, max_iterations) + sizeof out->max_iterations;
  limb_status s = limb_sized_read(out, sizeof *out, given, min_size);
  if (s != LIMB_OK) return s;
  if (out->loops.size != sizeof out->loops) return LIMB_E_ARG; // a member cannot grow
  const limb_loop_options loops = out->loops;
  s = limb_loop_options_read(&loops, &out->loops);
  if (s != LIMB_OK) return s;
  const double number[] = {out->alpha, out->beta, out->regularisation};
  if (!limb_finite(3, number)) return LIMB_E_NONFINITE;
  const int method = (int)out->method; // enumerations may be unsigned
  const bool known = method >= LIMB_LOOP_METHOD_AUTO && method <= LIMB_LOOP_METHOD_SEQUENTIAL;
  const bool sound = out->alpha >= 0 && out->beta >= 0 && out->regularisation > 0;
  return known && sound && out->max_iterations > 0 ? LIMB_OK : LIMB_E_ARG;
}

// ---- check of the results -----------------------------------------------------------------------------------

static int redundant_count(limb_loops* w, double tolerance)
{
  int rank = 0;
  for (int c = 0; c < w->m->clusters.count; c++)
    rank += limb_reduce_cluster(w, c, NULL, LIMB_CARRY_NOTHING, tolerance)->rank;
  return w->m->nrow - rank;
}

// |target| + sum |Psi_ij x_j| of the constraint of a cluster in which it is largest
static double size_of_constraints(const limb_loops* w, int cluster, const double* x, const double* target)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  double peak = 0;
  for (int r = 0; r < k->nrow; r++) {
    const double* row = w->Psi + k->block + (ptrdiff_t)r * k->nv;
    double sum = fabs(target[k->row + r]);
    for (int j = 0; j < k->nv; j++) sum += fabs(row[j] * x[k->v[j]]);
    peak = fmax(peak, sum);
  }
  return peak;
}

bool limb_constraints_hold(limb_loops* w, const double* x, const double* target, double slack, double tolerance,
                           limb_closed_report* out)
{
  const limb_model* m = w->m;
  double largest = 0;
  int worst = m->nloop > 0 ? 0 : -1;
  bool hold = true;
  limb_psi_times(w, x, w->r1);
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    const double allowed =
      LIMB_CONTRADICTION * limb_rank_tolerance(w, c, tolerance) * size_of_constraints(w, c, x, target) + slack;
    for (int l = 0; l < k->nloop; l++) {
      const int first = k->row + m->loop[k->loop[l]].local;
      for (int r = first; r < first + m->loop[k->loop[l]].nrow; r++) {
        const double rest = fabs(w->r1[r] - target[r]);
        const bool fails = !(rest <= allowed);
        if (fails && hold) hold = false, largest = 0; // only those that fail count from now on
        if (fails == !hold && rest > largest) largest = rest, worst = k->loop[l];
      }
    }
  }
  if (out) out->residual = largest, out->loop = worst;
  if (out) out->redundant = redundant_count(w, tolerance);
  return hold;
}

// ---- cluster by cluster -------------------------------------------------------------------------------------

// Constraints are reduced, then one sweep over the links follows (kernel/cluster_kernel.h). Multipliers, if
// requested, come from what the tree would need for the motion: Psi' lambda = inverse dynamics - tau.
//
// Cost O(n) and the clusters' cubes.

// The live constraints of a cluster with gamma, and zeros up to whole quads; A: where they go.
static limb_reduction* load_constraints(limb_loops* w, int c, double* A)
{
  const limb_cluster* k = &w->m->clusters.cluster[c];
  const int *live = w->live + k->row, n = k->nv, wide = limb_quads_above(n);
  limb_reduction* r = &w->clusters[c];
  r->rows = w->nlive[c], r->columns = n, r->extra = wide - n;
  r->A = A;
  for (int i = 0; i < r->rows; i++, A += wide) {
    QUAD_AT(A + wide - LIMB_QUAD) = (limb_quad){0, 0, 0, 0};
    const double* from = w->Psi + k->block + (ptrdiff_t)live[i] * n;
    for (int j = 0; j < n; j++) A[j] = from[j];
    A[n] = w->gamma[k->row + live[i]];
  }
  return r;
}

// All clusters, gamma carried along.
static limb_status reduce_clusters(limb_loops* w, double tolerance)
{
  double* A = w->reductions;
  int *pivot = w->pivots, *row = w->rows;
  w->full = true, w->suspect = false, w->pivot_ratio = 1;
  for (int c = 0; c < w->m->clusters.count; c++) {
    limb_reduction* r = load_constraints(w, c, A);
    const ptrdiff_t size = (ptrdiff_t)r->rows * (r->columns + r->extra);
    if (!limb_finite(size, A)) return LIMB_E_NONFINITE;
    r->pivot = pivot, r->row = row;
    if (w->mixed[c]) limb_even_constraints(w, c, false, r);
    // columns of one loop alone weigh the same
    const int* weight = w->m->clusters.cluster[c].nloop > 1 ? w->weight + w->first[c] : NULL;
    w->cluster_kernels->reduce(r, weight, limb_rank_tolerance(w, c, tolerance));
    limb_note_rank(w, r);
    A += size, pivot += r->columns, row += r->rows;
  }
  return LIMB_OK;
}

static limb_status sweep_clusters(limb_loops* w, const limb_forward_in* now, const limb_call_environment* x,
                                  double tolerance, double* a, double* lambda)
{
  const limb_model* m = w->m;
  if (m->has_mimic) return LIMB_E_UNSUPPORTED;
  const limb_status s = reduce_clusters(w, tolerance);
  if (s != LIMB_OK) return s;
  const limb_cluster_in in = {.kernels = limb_kernels_of(w->d),
                              .v = now->v,
                              .tau = now->tau,
                              .terms = &x->terms,
                              .wrench = x->wrench,
                              .X = &w->d->own.X->R.m[0],
                              .reduced = w->clusters,
                              .column = w->column,
                              .first = w->first,
                              .scratch = w->work,
                              .kept = w->kept};
  const limb_cluster* first = &m->clusters.cluster[0];
  const bool single = first->base < 0 && first->nlink == m->nlink;
  const double margin = single ? w->cluster_kernels->forward_single(m, m->k64, &w->d->ws, &in, a)
                               : w->cluster_kernels->forward(m, m->k64, &w->d->ws, &in, a);
  if (!(margin > 0)) return LIMB_E_SINGULAR;
  if (!lambda) return LIMB_OK;
  double* f = w->v1;
  limb_kernels_of(w->d)->inverse_dynamics(m, m->k64, &w->d->ws, now->q, now->v, a, &x->terms, x->wrench, f);
  for (int i = 0; i < m->nv; i++) f[i] -= now->tau[i];
  limb_min_norm_multipliers(w, f, tolerance, lambda);
  return LIMB_OK;
}

static limb_status by_clusters(limb_loops* w, const limb_forward_in* in, double tolerance, double* a, double* lambda)
{
  if (w->m->nrow == 0) return limb_forward_dynamics(w->d, in->q, in->v, in->tau, in->env, a);
  limb_call_environment x;
  limb_status s = limb_enter(w->d, in->env, in->q, in->v, &x);
  if (s != LIMB_OK) return s;
  s = sweep_clusters(w, in, &x, tolerance, a, lambda);
  limb_leave(w->d, &x);
  return s;
}

// ---- the call -----------------------------------------------------------------------------------------------

// A cluster of so many velocities, with few constraints, is a joint with too many degrees of freedom: of a rope that is
// held at both ends Schur's method takes as long at 60 velocities, and 1 % of the time at 240 (docs/long-chains.md).
enum { LARGE_CLUSTER = 64, PER_CONSTRAINT = 4 };

static bool has_loose_cluster(const limb_model* m)
{
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    if (k->nv >= LARGE_CLUSTER && k->nv >= PER_CONSTRAINT * k->nrow) return true;
  }
  return false;
}

static limb_loop_method choose(const limb_loops* w, limb_loop_method requested)
{
  const limb_model* m = w->m;
  if (requested != LIMB_LOOP_METHOD_AUTO) return requested;
  if (m->nrow == 0) return LIMB_LOOP_METHOD_CLUSTERS;
  const bool schur = m->has_mimic || (w->use == LIMB_LOOPS_DENSE && has_loose_cluster(m));
  return schur ? LIMB_LOOP_METHOD_SCHUR : LIMB_LOOP_METHOD_CLUSTERS;
}

// Needs matrices of all velocities and constraints (LIMB_LOOPS_DENSE).
static bool is_dense(limb_loop_method method)
{
  return method != LIMB_LOOP_METHOD_CLUSTERS && method != LIMB_LOOP_METHOD_SEQUENTIAL;
}

// Decides on no rank to find a.
static bool is_iterative(limb_loop_method method)
{
  return method == LIMB_LOOP_METHOD_PROXIMAL || method == LIMB_LOOP_METHOD_SEQUENTIAL;
}

static bool is_stabilised(const limb_loop_solver* o) { return o->alpha != 0 || o->beta != 0; }

// The constraints of a call: Baumgarte's terms need phi. The method by clusters checks itself whether they are finite.
static limb_status find_constraints(limb_loops* w, const limb_forward_in* in, const limb_loop_solver* o,
                                    limb_loop_method method)
{
  const unsigned lean = is_stabilised(o) || w->rounded ? 0U : LIMB_NEED_LEAN;
  const bool raw = lean && method == LIMB_LOOP_METHOD_CLUSTERS && !w->has_prescribed;
  const bool by_tree = method == LIMB_LOOP_METHOD_MEXX || method == LIMB_LOOP_METHOD_SEQUENTIAL;
  return limb_constraints_at(w, in->q, in->v, o->loops.time,
                             LIMB_NEED_PSI | LIMB_NEED_GAMMA | lean | (raw ? LIMB_NEED_RAW : 0U) |
                               (by_tree ? LIMB_NEED_REACH : 0U));
}

// gamma -= 2 alpha (Psi v - s') + beta^2 (phi - s); the largest of these terms, 0 far from the surface.
static double stabilise(limb_loops* w, const double* v, const limb_loop_solver* o)
{
  double peak = 0, gap = 0;
  if (!is_stabilised(o)) return 0;
  limb_psi_times(w, v, w->r1);
  for (int r = 0; r < w->m->nrow; r++) {
    const double rate = w->r1[r] - w->rate[r];
    const double term = 2 * o->alpha * rate + o->beta * o->beta * w->phi[r];
    w->gamma[r] -= term;
    peak = fmax(peak, fabs(term));
    gap = fmax(gap, fmax(fabs(rate), fabs(w->phi[r])));
  }
  return gap < NEAR ? peak : 0;
}

static limb_status run(limb_loops* w, const limb_forward_in* in, const limb_loop_solver* o, double* a, double* lambda,
                       limb_closed_report* report)
{
  const double tolerance = o->loops.tolerance;
  switch (report->method) {
  case LIMB_LOOP_METHOD_SCHUR: return limb_forward_by_schur(w, in, tolerance, a, lambda);
  case LIMB_LOOP_METHOD_KKT: return limb_forward_by_kkt(w, in, tolerance, a, lambda);
  case LIMB_LOOP_METHOD_PROXIMAL: return limb_forward_by_proximal(w, in, o, a, lambda, &report->iterations);
  case LIMB_LOOP_METHOD_MEXX: return limb_forward_by_mexx(w, in, tolerance, a, lambda);
  case LIMB_LOOP_METHOD_SEQUENTIAL: return limb_forward_by_sequence(w, in, o, a, lambda, &report->iterations);
  default: return by_clusters(w, in, tolerance, a, lambda);
  }
}

// The choice was clusters or Schur's method, which need trees with mass at their ends: all equations at once
// do not.
static bool choose_again(const limb_loops* w, const limb_loop_solver* o, limb_closed_report* report)
{
  if (o->method != LIMB_LOOP_METHOD_AUTO || w->use != LIMB_LOOPS_DENSE) return false;
  report->method = LIMB_LOOP_METHOD_KKT;
  return true;
}

double limb_rounding_at(const limb_model* m, const double* v)
{
  const double peak = limb_largest((size_t)m->nv, v);
  return LIMB_CONSTRAINT_ROUNDING * (1 + peak * peak);
}

static limb_status contradiction(limb_loop_method method)
{
  return is_iterative(method) ? LIMB_E_NOCONV : LIMB_E_SINGULAR;
}

// Whether gamma without Baumgarte's terms vanishes where constraints depend on others.
static bool gammas_agree(limb_loops* w, const double* a, double slack, double tolerance, limb_suspect* out)
{
  for (int c = 0; c < w->m->clusters.count; c++) {
    const double allowed = LIMB_CONTRADICTION * tolerance * size_of_constraints(w, c, a, w->gamma) + slack;
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_GAMMA, tolerance);
    for (int i = r->rank; i < r->rows; i++) {
      const double rest = fabs(r->A[(ptrdiff_t)i * (r->columns + 1) + r->columns]);
      if (rest <= allowed) continue;
      *out = (limb_suspect){limb_loop_of_constraint(w, c, r->row[i]), rest};
      return false;
    }
  }
  return true;
}

// Checks suspect ranks. Leaves the constraints as they were.
static limb_status check_ranks(limb_loops* w, const limb_forward_in* in, const limb_loop_solver* o, const double* a,
                               limb_closed_report* report)
{
  const double tolerance = o->loops.tolerance;
  limb_suspect why = {-1, 0};
  limb_status s = limb_constraints_at(w, in->q, in->v, o->loops.time, LIMB_NEED_PSI | LIMB_NEED_GAMMA);
  if (s == LIMB_OK) s = limb_check_distance(w, tolerance, &why);
  if (s == LIMB_OK && !w->full && is_stabilised(o) &&
      !gammas_agree(w, a, limb_rounding_at(w->m, in->v), tolerance, &why))
    s = contradiction(report->method);
  if (s == LIMB_OK && !w->full && !is_iterative(report->method))
    s = limb_check_redundancy(w, in->q, o->loops.time, tolerance, &why);
  if (why.loop >= 0) {
    report->loop = why.loop, report->residual = why.residual;
    report->redundant = redundant_count(w, tolerance);
  }
  if (s == LIMB_OK) s = find_constraints(w, in, o, report->method);
  if (s == LIMB_OK) (void)stabilise(w, in->v, o);
  return s;
}

// Whether the results can be trusted.
static limb_status judge(limb_loops* w, const limb_forward_in* in, const limb_loop_solver* o, const double* a,
                         double term, limb_closed_report* report)
{
  if (report->method != LIMB_LOOP_METHOD_CLUSTERS) limb_find_suspect_ranks(w, o->loops.tolerance);
  if (!w->full || w->suspect) {
    const limb_status s = check_ranks(w, in, o, a, report);
    if (s != LIMB_OK) return s;
  }
  const double slack = term + limb_rounding_at(w->m, in->v);
  return limb_constraints_hold(w, a, w->gamma, slack, o->loops.tolerance, report) ? LIMB_OK
                                                                                  : contradiction(report->method);
}

static limb_status check_call(const limb_loops* w, const limb_forward_in* x, limb_loop_method method)
{
  if (is_dense(method) && w->use != LIMB_LOOPS_DENSE) return LIMB_E_ORDER;
  if (w->m->singular) return LIMB_E_SINGULAR;
  return limb_finite_v(w->d, x->tau) ? LIMB_OK : LIMB_E_NONFINITE;
}

// Small pivots may be due to residuals, which are not evaluated as long as all is well. If so, the same again with
// residuals known.
static limb_status run_rounded(limb_loops* w, const limb_forward_in* in, const limb_loop_solver* o, double* a,
                               double* lambda, limb_closed_report* report)
{
  limb_status s = limb_constraints_at(w, in->q, in->v, o->loops.time, LIMB_NEED_PSI | LIMB_NEED_GAMMA);
  for (int c = 0; s == LIMB_OK && c < w->m->clusters.count; c++)
    w->rounded = w->rounded || limb_rank_tolerance(w, c, o->loops.tolerance) > o->loops.tolerance;
  if (s == LIMB_OK) s = find_constraints(w, in, o, report->method);
  return s == LIMB_OK ? run(w, in, o, a, lambda, report) : s;
}

// Whether the loops hold the ends of chains, and nothing but accelerations is requested.
static bool is_held(const limb_loops* w, const limb_loop_solver* o, const double* lambda,
                    const limb_closed_report* report)
{
  return w->held.count > 0 && o->method == LIMB_LOOP_METHOD_AUTO && !is_stabilised(o) && !lambda && !report;
}

// By the method that was found, with the rows that it needs; the answer is judged.
static limb_status solve_and_judge(limb_loops* w, const limb_forward_in* x, const limb_loop_solver* o, double* a,
                                   double* lambda, limb_closed_report* report, limb_closed_report* found)
{
  limb_status s = find_constraints(w, x, o, found->method);
  if (s != LIMB_OK) return s;
  const double term = stabilise(w, x->v, o);
  double* r = lambda ? w->r3 : NULL;
  s = run(w, x, o, a, r, found);
  if (s == LIMB_E_SINGULAR && choose_again(w, o, found)) s = run(w, x, o, a, r, found);
  if (s == LIMB_OK && found->method != LIMB_LOOP_METHOD_CLUSTERS) limb_find_suspect_ranks(w, o->loops.tolerance);
  if (s == LIMB_OK && w->suspect && !is_stabilised(o)) s = run_rounded(w, x, o, a, r, found);
  if (report) *report = *found;
  const limb_status finished = s; // LIMB_E_NOCONV: the iteration still improves, and is judged all the same
  if (s != LIMB_OK && s != LIMB_E_NOCONV) return s;
  if (!limb_finite_v(w->d, a)) return LIMB_E_NONFINITE;
  if (lambda) limb_constraints_to_user(w, w->r3, lambda);
  if (lambda && !limb_finite(w->m->nrow, lambda)) return LIMB_E_NONFINITE;
  // constraints that were solved for, one by one, hold; one that no joint moves may be prescribed
  const bool clear = w->full && !w->suspect && !w->has_prescribed;
  if (clear && !report && found->method == LIMB_LOOP_METHOD_CLUSTERS) return LIMB_OK;
  s = judge(w, x, o, a, term, found);
  if (report) *report = *found;
  return s != LIMB_OK ? s : finished;
}

limb_status limb_closed_forward_dynamics(limb_data* d, const limb_closed_motion* in, const double* tau,
                                         const limb_loop_solver* options, double* a, double* lambda,
                                         limb_closed_report* report)
{
  limb_loops* w = limb_data_loops(d);
  if (!w || !in || !in->q || !in->v || !tau || !a) return LIMB_E_ARG;
  limb_loop_solver o;
  limb_status s = limb_loop_solver_read(options, &o);
  if (s != LIMB_OK) return s;
  limb_closed_report found = {.method = choose(w, o.method), .loop = -1};
  if (report) *report = found;
  const limb_forward_in x = {in->q, in->v, tau, in->env};
  w->rounded = false;
  s = check_call(w, &x, found.method);
  bool done = false;
  if (s == LIMB_OK && is_held(w, &o, lambda, report)) s = limb_forward_held(w, &x, &o, a, &done);
  if (done || s != LIMB_OK) return s;
  return solve_and_judge(w, &x, &o, a, lambda, report, &found);
}

void limb_keep_details(limb_loops* w, const limb_closed_report* report, const double* lambda)
{
  w->has_details = lambda || w->settings.report;
  w->details = (limb_loop_details){.lambda = lambda,
                                   .method = report->method,
                                   .redundant = report->redundant,
                                   .residual = report->residual,
                                   .loop = report->loop,
                                   .iterations = report->iterations,
                                   .pivots = w->pivot_ratio};
}

limb_status limb_forward_dynamics_closed(limb_loops* w, const double* q, const double* v, const double* tau,
                                         const limb_environment* env, double* a)
{
  const limb_closed_motion in = {q, v, NULL, env};
  double* lambda = w->settings.multipliers ? w->lambda : NULL;
  limb_loop_solver o = w->settings.solver;
  limb_closed_report report = {.loop = -1};
  limb_status s = limb_loop_options_at(w, env, &o.loops);
  if (s != LIMB_OK) return s;
  s = limb_closed_forward_dynamics(w->owner, &in, tau, &o, a, lambda, w->settings.report ? &report : NULL);
  limb_keep_details(w, &report, lambda);
  return s;
}
