// Forward dynamics of robots with closed loops by two methods for large systems that Ghosal 2010 names: that of MEXX,
// and sequential regularisation. Both see the tree only by how it gives way to the closures (loops/tree_response.c).

#include "base/numeric.h"
#include "linalg/dense.h"
#include "loops/tree_response.h"

#include <float.h>
#include <math.h>
#include <string.h>

// rest = gamma - Psi a in live constraints, 0 in idle ones; the largest of it.
static double find_rest(limb_loops* w, const double* a, double* rest)
{
  const limb_model* m = w->m;
  double largest = 0;
  limb_psi_times(w, a, w->r1);
  for (int r = 0; r < m->nrow; r++) rest[r] = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const int first = m->clusters.cluster[c].row;
    for (int i = 0; i < w->nlive[c]; i++) {
      const int r = first + w->live[first + i];
      rest[r] = w->gamma[r] - w->r1[r];
      largest = fmax(largest, fabs(rest[r]));
    }
  }
  return largest;
}

// f = Psi' lambda
static void psi_transposed(const limb_loops* w, const double* lambda, double* f)
{
  memset(f, 0, (size_t)w->m->nv * sizeof *f);
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_cluster* k = &w->m->clusters.cluster[c];
    for (int r = 0; r < k->nrow; r++) {
      const double* row = w->Psi + k->block + (ptrdiff_t)r * k->nv;
      for (int j = 0; j < k->nv; j++) f[k->v[j]] += row[j] * lambda[k->row + r];
    }
  }
}

static void push_all(limb_loops* w, const double* lambda)
{
  limb_response_clear(w);
  for (int r = 0; r < w->m->nrow; r++)
    if (lambda[r] != 0) limb_response_push(w, r, lambda[r]);
}

// a of the tree without closures, and how it gives way to them.
static limb_status start(limb_loops* w, const limb_forward_in* in, double* a)
{
  if (w->m->has_mimic) return LIMB_E_UNSUPPORTED;
  const limb_status s = limb_forward_dynamics(w->d, in->q, in->v, in->tau, in->env, a);
  return s != LIMB_OK || limb_response_at(w) ? s : LIMB_E_SINGULAR;
}

// Where articulated inertias lose digits: a += M^-1 (tau + Psi' lambda - what the tree needs for a).
static limb_status correct(limb_loops* w, const limb_forward_in* in, const double* lambda, double* a)
{
  double *need = w->v1, *f = w->v2;
  if (!limb_response_in_doubt(w)) return LIMB_OK;
  const limb_status s = limb_inverse_dynamics(w->d, in->q, in->v, a, in->env, need);
  if (s != LIMB_OK) return s;
  psi_transposed(w, lambda, f);
  for (int i = 0; i < w->m->nv; i++) f[i] += in->tau[i] - need[i];
  limb_response_clear(w);
  limb_response_sweep(w, f, a);
  return LIMB_OK;
}

// ---- MEXX ---------------------------------------------------------------------------------------------------

// The joints of the tree are eliminated first, body by body, and the multipliers of the closures last.
//
// Reference: Ch. Lubich, U. Nowak, U. Poehle, Ch. Engstler, MEXX: numerical software for the integration of constrained
//            mechanical multibody systems, Konrad-Zuse-Zentrum Berlin, SC 92-12, 1992. There the joints are constraints
//            between bodies, too; their elimination is that of articulated bodies.
// Cost:      O(n + m^3), and the elimination of the constraints of each cluster for their ranks.
//
//     T Psi = [R; 0],     T Psi M^-1 Psi' T' mu = T (gamma - Psi a),     a += M^-1 Psi' T' mu
//
// T as in Schur's method, so that redundant constraints are left out. The second of two steps removes the rounding of
// the first.

typedef struct reduced {
  int rank;
  double* T;    // rank x nrow; nonzero within its cluster
  int* cluster; // rank
  double* A;    // rank x rank, its Cholesky factor
} reduced;

static reduced find_steps(limb_loops* w, double tolerance)
{
  const limb_model* m = w->m;
  const limb_dense dense = limb_dense_parts(w);
  reduced k = {.T = dense.part[0], .A = dense.part[1], .cluster = w->order};
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* x = &m->clusters.cluster[c];
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_STEPS, tolerance);
    for (int i = 0; i < r->rank; i++, k.rank++) {
      double* T = k.T + (ptrdiff_t)k.rank * m->nrow;
      memset(T, 0, (size_t)m->nrow * sizeof *T);
      const double* steps = r->A + (ptrdiff_t)i * (r->columns + r->extra) + r->columns;
      for (int j = 0; j < w->nlive[c]; j++) T[x->row + w->live[x->row + j]] = steps[j];
      k.cluster[k.rank] = c;
    }
  }
  return k;
}

// Row e of T times y.
static double step_times(const limb_loops* w, const reduced* k, int e, const double* y)
{
  const limb_cluster* x = &w->m->clusters.cluster[k->cluster[e]];
  return limb_dot((size_t)x->nrow, k->T + (ptrdiff_t)e * w->m->nrow + x->row, y + x->row);
}

// A = T Psi M^-1 Psi' T', factored
static bool factor_steps(limb_loops* w, const reduced* k)
{
  for (int e = 0; e < k->rank; e++) {
    push_all(w, k->T + (ptrdiff_t)e * w->m->nrow);
    limb_response_settle(w, w->r1);
    for (int i = 0; i <= e; i++) k->A[(ptrdiff_t)e * k->rank + i] = step_times(w, k, i, w->r1);
  }
  return limb_cholesky(k->rank, k->A);
}

limb_status limb_forward_by_mexx(limb_loops* w, const limb_forward_in* in, double tolerance, double* a, double* lambda)
{
  enum { STEPS = 2 };
  const int rows = w->m->nrow;
  limb_status s = start(w, in, a);
  if (s != LIMB_OK) return s;
  const reduced k = find_steps(w, tolerance);
  if (!factor_steps(w, &k)) return LIMB_E_SINGULAR;
  double *rest = w->r2, *mu = w->v1, *step = w->iterate, *sum = step + rows;
  memset(sum, 0, (size_t)rows * sizeof *sum);
  for (int n = 0; n < STEPS; n++) {
    (void)find_rest(w, a, rest);
    for (int e = 0; e < k.rank; e++) mu[e] = step_times(w, &k, e, rest);
    limb_cholesky_solve(k.rank, k.A, mu);
    memset(step, 0, (size_t)rows * sizeof *step);
    for (int e = 0; e < k.rank; e++)
      for (int r = 0; r < rows; r++) step[r] += mu[e] * k.T[(ptrdiff_t)e * rows + r];
    push_all(w, step);
    limb_response_sweep(w, NULL, a);
    for (int r = 0; r < rows; r++) sum[r] += step[r];
    if (n == 0) s = correct(w, in, sum, a);
    if (s != LIMB_OK) return s;
  }
  if (!lambda) return LIMB_OK;
  psi_transposed(w, sum, w->v1);
  limb_min_norm_multipliers(w, w->v1, tolerance, lambda);
  return LIMB_OK;
}

// ---- sequential regularisation ------------------------------------------------------------------------------

// Reference: U. Ascher, P. Lin, Sequential regularization methods for simulating mechanical systems with many closed
//            loops, SIAM Journal on Scientific Computing 21, 1999; M. Hestenes, E. Stiefel, Methods of conjugate
//            gradients for solving linear systems, 1952.
// Cost:      O(n) to prepare, O(m) per iteration, and O(n) at the end; Psi itself.
//
// The multipliers of a regularised robot, whose closures give way a little, are corrected until they do not:
//
//     lambda_s = lambda_(s-1) + (1 / epsilon) E (gamma - Psi a_(s-1)),     a_s = M^-1 (tau - h + Psi' lambda_s)
//
// The paper iterates over time with a fixed epsilon of the size of a step; here it is done at one instant. E is the
// inverse of the block of every loop in Psi M^-1 Psi'. Instead of one epsilon each step has its own, with a direction
// at right angles to those before: conjugate gradients, so that no eigenvalue need be known. What is left of the
// constraints then starts the next round, until it no longer falls.

enum { BLOCK = 6 };      // constraints of a loop, at most
#define ENOUGH      1e-8 // of the residual, in one round
#define STILL_FALLS 0.5  // of the round before
#define PATIENCE    20   // iterations without a smaller residual: it does not fall any more

// Share of the blocks below which a direction of multipliers moves nothing: its constraints depend on others. Blocks
// are regularised, so that with the default of 1e-6 this means pivots of 1e-5 or 1e-6.
#define WEAK 1e-5

typedef struct iteration {
  double *x, *r, *z, *p, *Ap; // nrow
  double* scale;              // nrow: E^-1 p
  double* best;               // nrow: x where r was smallest
} iteration;

static void factor_blocks(limb_loops* w, double regularisation)
{
  for (int l = 0; l < w->m->nloop; l++) {
    const int n = w->m->loop[l].nrow;
    double* E = w->blocks + (ptrdiff_t)l * BLOCK * BLOCK;
    limb_response_block(w, l, E);
    for (int i = 0; i < n; i++) {
      double* d = &E[i * n + i];
      *d = *d > 0 ? *d * (1 + regularisation) : 1;
    }
    if (limb_cholesky(n, E)) continue;
    memset(E, 0, (size_t)n * (size_t)n * sizeof *E);
    for (int i = 0; i < n; i++) E[i * n + i] = 1;
  }
}

static void apply_blocks(const limb_loops* w, const double* r, double* z)
{
  const limb_model* m = w->m;
  memcpy(z, r, (size_t)m->nrow * sizeof *z);
  for (int l = 0; l < m->nloop; l++) {
    const int first = m->clusters.cluster[m->loop[l].cluster].row + m->loop[l].local;
    limb_cholesky_solve(m->loop[l].nrow, w->blocks + (ptrdiff_t)l * BLOCK * BLOCK, z + first);
  }
}

// Ap = Psi M^-1 Psi' p, in live constraints
static void multiply(limb_loops* w, const iteration* k)
{
  push_all(w, k->p);
  limb_response_settle(w, k->Ap);
}

// From the residual in r: x, by which multipliers change. Adds to the count of iterations, at most `limit` in all.
static void solve_round(limb_loops* w, const iteration* k, int limit, int* iterations)
{
  const size_t n = (size_t)w->m->nrow, size = n * sizeof(double);
  double first = limb_largest(n, k->r), smallest = first, step = 0;
  int since = 0;
  memset(k->x, 0, size), memset(k->best, 0, size);
  apply_blocks(w, k->r, k->z);
  memcpy(k->p, k->z, size), memcpy(k->scale, k->r, size);
  double now = limb_dot(n, k->r, k->z);
  for (; *iterations < limit && since < PATIENCE; since++) {
    multiply(w, k);
    const double along = limb_dot(n, k->p, k->Ap);
    if (!(along > WEAK * limb_dot(n, k->p, k->scale))) break;
    ++*iterations;
    step = now / along; // 1 / epsilon
    for (size_t i = 0; i < n; i++) k->x[i] += step * k->p[i], k->r[i] -= step * k->Ap[i];
    const double left = limb_largest(n, k->r);
    if (left < smallest) smallest = left, since = 0, memcpy(k->best, k->x, size);
    if (left <= ENOUGH * first) break;
    apply_blocks(w, k->r, k->z);
    const double before = now;
    now = limb_dot(n, k->r, k->z);
    for (size_t i = 0; i < n; i++) {
      k->p[i] = k->z[i] + now / before * k->p[i];
      k->scale[i] = k->r[i] + now / before * k->scale[i];
    }
  }
}

// What rounding leaves of the constraints.
static double rounding_of(const limb_loops* w, const double* a)
{
  double largest = 0;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_cluster* k = &w->m->clusters.cluster[c];
    for (int r = 0; r < k->nrow; r++) {
      double sum = fabs(w->gamma[k->row + r]);
      for (int j = 0; j < k->nv; j++) sum += fabs(w->Psi[k->block + (ptrdiff_t)r * k->nv + j] * a[k->v[j]]);
      largest = fmax(largest, sum);
    }
  }
  return w->m->nv * DBL_EPSILON * largest;
}

limb_status limb_forward_by_sequence(limb_loops* w, const limb_forward_in* in, const limb_loop_solver* o, double* a,
                                     double* lambda, int* iterations)
{
  const size_t rows = (size_t)w->m->nrow;
  *iterations = 0;
  limb_status s = start(w, in, a);
  if (s != LIMB_OK) return s;
  factor_blocks(w, o->regularisation);
  double* t = w->iterate;
  const iteration k = {t, t + rows, t + 2 * rows, t + 3 * rows, t + 4 * rows, t + 5 * rows, t + 6 * rows};
  double *sum = w->r2, before = HUGE_VAL, left = find_rest(w, a, k.r);
  memset(sum, 0, rows * sizeof *sum);
  while (left > 0 && left < STILL_FALLS * before && *iterations < o->max_iterations) {
    solve_round(w, &k, o->max_iterations, iterations);
    push_all(w, k.best);
    limb_response_sweep(w, NULL, a);
    for (size_t r = 0; r < rows; r++) sum[r] += k.best[r];
    if (before == HUGE_VAL) s = correct(w, in, sum, a);
    if (s != LIMB_OK) return s;
    before = left, left = find_rest(w, a, k.r);
  }
  if (lambda) {
    psi_transposed(w, sum, w->v1);
    limb_min_norm_multipliers(w, w->v1, o->loops.tolerance, lambda);
  }
  const double rounding = rounding_of(w, a) + limb_rounding_at(w->m, in->v);
  if (!(left > rounding)) return LIMB_OK;
  limb_find_suspect_ranks(w, o->loops.tolerance); // a weak constraint leaves little, and matters
  return w->suspect || *iterations >= o->max_iterations ? LIMB_E_NOCONV : LIMB_OK;
}
