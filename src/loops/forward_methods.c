// Forward dynamics of robots with closed loops: the other methods of limb/loops.h, each with its reference; impacts.

#include "base/numeric.h"
#include "kernel/tables.h"
#include "linalg/dense.h"
#include "loops/loops_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- Schur complement ---------------------------------------------------------------------------------------

// Through Psi M^-1 Psi'.
//
// Reference: Featherstone 2008, section 8.4; Ghosal 2010, (14)-(17), where M is inverted as a whole.
// Cost:      O(n m^2 + m^3) for m constraints, and the elimination of the constraints of each cluster.
//
//   a0          acceleration of the tree without closures
//   R x = b     independent constraints, from elimination: T Psi = [R; 0], T gamma = [b; 0]
//   X = M^-1 R' by the tree's own factors
//
//     R M^-1 R' mu = b - R a0,     a = a0 + M^-1 R' mu,     Psi' lambda = R' mu
//
// With R instead of Psi, the matrix on the left is as well conditioned as M, however near the closures
// come to a singularity: R_p = 1, and its other entries are small (complete pivoting). A second step with
// the residual of the constraints removes the rounding of the first.

limb_dense limb_dense_parts(const limb_loops* w)
{
  const size_t n = (size_t)w->m->nv + (size_t)w->m->nrow + 1;
  limb_dense dense;
  for (size_t k = 0; k < LIMB_DENSE_PARTS; k++) dense.part[k] = w->dense + k * n * n;
  return dense;
}

// Independent equations R x = b that are equivalent to the constraints: the reduced rows of all clusters, R_p = 1.
// carry: LIMB_CARRY_RATE or LIMB_CARRY_GAMMA. R: rank x nv. b: rank numbers. Returns the rank.
static int independent_equations(limb_loops* w, limb_carry carry, double tolerance, double* R, double* b)
{
  const limb_model* m = w->m;
  int rank = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, carry, tolerance);
    for (int i = 0; i < r->rank; i++, rank++) {
      const double* from = r->A + (ptrdiff_t)i * (r->columns + r->extra);
      double* to = R + (ptrdiff_t)rank * m->nv;
      memset(to, 0, (size_t)m->nv * sizeof *to);
      for (int j = 0; j < k->nv; j++) to[k->v[j]] = from[j];
      b[rank] = from[r->columns];
    }
  }
  return rank;
}

// y += x' A for the rows of A
static void combine(int rows, int columns, const double* A, const double* x, double* y)
{
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) y[j] += x[i] * A[(ptrdiff_t)i * columns + j];
  }
}

bool limb_schur_factor(const limb_schur* k)
{
  const ptrdiff_t n = k->n, rank = k->rank;
  for (ptrdiff_t i = 0; i < rank; i++) { // A = R M^-1 R'
    for (ptrdiff_t j = 0; j <= i; j++) k->A[i * rank + j] = limb_dot((size_t)n, k->R + i * n, k->X + j * n);
  }
  return limb_cholesky(k->rank, k->A);
}

void limb_schur_solve(const limb_schur* k, const double* b, double* mu, double* x, double* f)
{
  enum { STEPS = 2 };
  const size_t n = (size_t)k->n;
  memset(f, 0, n * sizeof *f);
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < k->rank; i++) mu[i] = b[i] - limb_dot(n, k->R + (size_t)i * n, x);
    limb_cholesky_solve(k->rank, k->A, mu);
    combine(k->rank, k->n, k->X, mu, x); // x += M^-1 R' mu
    combine(k->rank, k->n, k->R, mu, f); // f += R' mu
  }
}

limb_status limb_schur_correct(limb_loops* w, const double* q, limb_carry carry, double tolerance, double* x,
                               double* lambda)
{
  const limb_dense dense = limb_dense_parts(w);
  limb_schur k = {.n = w->m->nv, .R = dense.part[0], .X = dense.part[1], .A = dense.part[2]};
  double *b = w->r1, *mu = w->r2, *f = w->v1;
  k.rank = independent_equations(w, carry, tolerance, k.R, b);
  const limb_status s = limb_mass_matrix_solve(w->d, q, k.rank, k.R, k.X);
  if (s != LIMB_OK) return s;
  if (!limb_schur_factor(&k)) return LIMB_E_SINGULAR;
  limb_schur_solve(&k, b, mu, x, f);
  if (lambda) limb_min_norm_multipliers(w, f, tolerance, lambda);
  return LIMB_OK;
}

limb_status limb_forward_by_schur(limb_loops* w, const limb_forward_in* in, double tolerance, double* a, double* lambda)
{
  const limb_status s = limb_forward_dynamics(w->d, in->q, in->v, in->tau, in->env, a);
  return s == LIMB_OK ? limb_schur_correct(w, in->q, LIMB_CARRY_GAMMA, tolerance, a, lambda) : s;
}

// ---- all equations at once ----------------------------------------------------------------------------------

// Reference: Ghosal 2010, (14)-(17) (saddle form); Featherstone 2008, section 8.3.
// Cost:      O((n + m)^3).
//
//     [ M  R' ] [  a  ]   [ tau - h ]
//     [ R  0  ] [ -mu ] = [ b       ]         R x = b: the independent constraints (above), Psi' lambda = R' mu
//
// M may be singular: the matrix is regular when M is positive definite along the motions that R leaves, and
// then has as many positive eigenvalues as there are velocities, and as many negative ones as constraints. Rows
// and columns are scaled by D, so that the diagonal of M and the largest entry of each row of R are 1; what
// vanishes besides that is rounding.

typedef struct saddle {
  int n, rank, size; // size = n + rank
  double *K, *LD;    // the scaled matrix, its factors
  double *M, *R;     // as they are
  double *scale, *rhs, *x;
} saddle;

// Where everything is: a part of dense scratch has (nv + nrow + 1)^2 numbers. After the matrices, which take
// (nv + rank)^2, 2 (nv + nrow) + 1 more fit.
static saddle lay_out_saddle(const limb_loops* w)
{
  const limb_dense dense = limb_dense_parts(w);
  const size_t n = (size_t)w->m->nv, max_size = n + (size_t)w->m->nrow;
  saddle k = {.n = w->m->nv, .K = dense.part[0], .LD = dense.part[1], .M = dense.part[2]};
  k.R = k.M + n * n; // n^2 + nrow n <= most^2
  k.scale = k.K + max_size * max_size;
  k.rhs = k.LD + max_size * max_size;
  k.x = k.M + max_size * max_size;
  return k;
}

// h, friction, springs, wrenches: tau of the motion without acceleration.
static limb_status find_right_side(limb_loops* w, const limb_forward_in* in, double* rhs)
{
  double *none = w->v1, *h = w->v2;
  memset(none, 0, (size_t)w->m->nv * sizeof *none);
  const limb_status s = limb_inverse_dynamics(w->d, in->q, in->v, none, in->env, h);
  for (int i = 0; i < w->m->nv; i++) rhs[i] = in->tau[i] - h[i];
  return s;
}

static void find_scales(const saddle* k)
{
  double peak = 0;
  for (ptrdiff_t i = 0; i < k->n; i++) peak = fmax(peak, k->M[i * k->n + i]);
  for (ptrdiff_t i = 0; i < k->n; i++) {
    const double d = k->M[i * k->n + i];
    k->scale[i] = d > DBL_EPSILON * peak ? 1 / sqrt(d) : peak > 0 ? 1 / sqrt(peak) : 1;
  }
  for (ptrdiff_t r = 0; r < k->rank; r++) {
    double largest = 0;
    for (ptrdiff_t i = 0; i < k->n; i++) largest = fmax(largest, fabs(k->R[r * k->n + i]) * k->scale[i]);
    k->scale[k->n + r] = 1 / largest; // R has a 1 in every row
  }
}

// K = D [M R'; R 0] D, and its factors. False when it is not regular, or not as it should be.
static bool factor_saddle(const saddle* k, int* pivot)
{
  const ptrdiff_t n = k->n, N = k->size;
  memset(k->K, 0, (size_t)(N * N) * sizeof *k->K);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < n; j++) k->K[i * N + j] = k->M[i * n + j] * k->scale[i] * k->scale[j];
    for (ptrdiff_t r = 0; r < k->rank; r++)
      k->K[i * N + n + r] = k->K[(n + r) * N + i] = k->R[r * n + i] * k->scale[i] * k->scale[n + r];
  }
  memcpy(k->LD, k->K, (size_t)(N * N) * sizeof *k->K);
  int negative;
  const double rounding = 4 * k->size * DBL_EPSILON;
  return limb_indefinite_factor(k->size, rounding, k->LD, pivot, &negative) && negative == k->rank;
}

// K y = D rhs, x = D y. The second step removes the rounding of the first.
static void solve_saddle(const saddle* k, const int* pivot, double* y, double* rest)
{
  enum { STEPS = 2 };
  const size_t N = (size_t)k->size;
  memset(y, 0, N * sizeof *y);
  for (int step = 0; step < STEPS; step++) {
    for (size_t i = 0; i < N; i++) rest[i] = k->scale[i] * k->rhs[i] - limb_dot(N, k->K + i * N, y);
    limb_indefinite_solve(k->size, k->LD, pivot, rest);
    for (size_t i = 0; i < N; i++) y[i] += rest[i];
  }
  for (size_t i = 0; i < N; i++) k->x[i] = k->scale[i] * y[i];
}

limb_status limb_forward_by_kkt(limb_loops* w, const limb_forward_in* in, double tolerance, double* a, double* lambda)
{
  saddle k = lay_out_saddle(w);
  limb_status s = find_right_side(w, in, k.rhs);
  if (s == LIMB_OK) s = limb_mass_matrix(w->d, in->q, k.M);
  if (s != LIMB_OK) return s;
  k.rank = independent_equations(w, LIMB_CARRY_GAMMA, tolerance, k.R, k.rhs + k.n);
  k.size = k.n + k.rank;
  find_scales(&k);
  if (!factor_saddle(&k, w->order)) return LIMB_E_SINGULAR;
  solve_saddle(&k, w->order, k.scale + k.size, k.rhs + k.size);
  memcpy(a, k.x, (size_t)k.n * sizeof *a);
  if (!lambda) return LIMB_OK;
  double* f = w->v1;
  for (int i = 0; i < k.n; i++) { // f = R' mu
    f[i] = 0;
    for (ptrdiff_t r = 0; r < k.rank; r++) f[i] -= k.R[r * k.n + i] * k.x[k.n + r];
  }
  limb_min_norm_multipliers(w, f, tolerance, lambda);
  return LIMB_OK;
}

// ---- proximal iteration -------------------------------------------------------------------------------------

// Regularised and iterated, for constraints that depend on each other, or nearly do.
//
// Reference: J. Carpentier, R. Budhiraja, N. Mansard, Proximal and sparse resolution of constrained dynamic
//            equations, RSS 2021; R. Rockafellar, Augmented Lagrangians and applications of the proximal
//            point algorithm, 1976.
// Cost:      O(n m^2 + m^3) once, O(n m) per step.
//
//     (Psi M^-1 Psi' + rho D) dlambda = gamma - Psi a,     a += M^-1 Psi' dlambda
//
// from a of the tree and lambda = 0 on. The matrix is positive definite whatever the constraints are, and no rank
// is decided on to find a. A direction in which D^-1 Psi M^-1 Psi' is sigma loses all but rho / (sigma + rho) of
// its error in a step; one in which it is zero stays, and does not matter to a. The steps end when the residual
// no longer falls.
//
//   rho, D      regularisation, and the diagonal of Psi M^-1 Psi': rows of light and of heavy bodies count alike
//   B, X        live rows of Psi, and M^-1 of them

// Residuals that do not fall below this share of the one before have stopped falling.
#define STILL_FALLING 0.999999

typedef struct regular {
  int n, rows;
  double *B, *X, *A;
  double *target, *rest; // rows: gamma of the live ones, and what is left of it
  double* f;             // n: Psi' lambda
} regular;

static void gather_constraints(const limb_loops* w, regular* p)
{
  const limb_model* m = w->m;
  p->rows = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    for (int i = 0; i < w->nlive[c]; i++, p->rows++) {
      const int r = k->row + w->live[k->row + i];
      limb_psi_row(w, r, p->B + (ptrdiff_t)p->rows * m->nv);
      p->target[p->rows] = w->gamma[r];
    }
  }
}

// A = Psi M^-1 Psi' + rho D, factored
static bool factor_regular(const regular* p, double regularisation)
{
  for (ptrdiff_t i = 0; i < p->rows; i++) {
    for (ptrdiff_t j = 0; j <= i; j++) p->A[i * p->rows + j] = limb_dot((size_t)p->n, p->B + i * p->n, p->X + j * p->n);
    double* d = &p->A[i * p->rows + i];
    *d = *d > 0 ? *d * (1 + regularisation) : 1;
  }
  return limb_cholesky(p->rows, p->A);
}

// rest = target - Psi a; the largest of it.
static double find_rest(const regular* p, const double* a)
{
  double largest = 0;
  for (ptrdiff_t i = 0; i < p->rows; i++) {
    p->rest[i] = p->target[i] - limb_dot((size_t)p->n, p->B + i * p->n, a);
    largest = fmax(largest, fabs(p->rest[i]));
  }
  return largest;
}

// What rounding leaves of the constraints.
static double rounding_of(const regular* p, const double* a)
{
  double largest = 0;
  for (ptrdiff_t i = 0; i < p->rows; i++) {
    double sum = fabs(p->target[i]);
    for (int j = 0; j < p->n; j++) sum += fabs(p->B[i * p->n + j] * a[j]);
    largest = fmax(largest, sum);
  }
  return p->n * DBL_EPSILON * largest;
}

static void take_step(const regular* p, double* a)
{
  limb_cholesky_solve(p->rows, p->A, p->rest);
  for (ptrdiff_t i = 0; i < p->rows; i++) {
    const double *B = p->B + i * p->n, *X = p->X + i * p->n;
    for (int j = 0; j < p->n; j++) {
      a[j] += p->rest[i] * X[j];
      p->f[j] += p->rest[i] * B[j];
    }
  }
}

limb_status limb_forward_by_proximal(limb_loops* w, const limb_forward_in* in, const limb_loop_solver* o, double* a,
                                     double* lambda, int* iterations)
{
  const limb_dense dense = limb_dense_parts(w);
  regular p = {.n = w->m->nv, .B = dense.part[0], .X = dense.part[1], .A = dense.part[2]};
  p.target = w->r1, p.rest = w->r2, p.f = w->v1;
  limb_status s = limb_forward_dynamics(w->d, in->q, in->v, in->tau, in->env, a);
  if (s != LIMB_OK) return s;
  gather_constraints(w, &p);
  s = limb_mass_matrix_solve(w->d, in->q, p.rows, p.B, p.X);
  if (s != LIMB_OK) return s;
  if (!factor_regular(&p, o->regularisation)) return LIMB_E_SINGULAR;
  memset(p.f, 0, (size_t)p.n * sizeof *p.f);
  double before = HUGE_VAL, left = find_rest(&p, a);
  for (*iterations = 0; *iterations < o->max_iterations; ++*iterations) {
    if (!(left > 0) || !(left < STILL_FALLING * before)) break;
    take_step(&p, a);
    before = left, left = find_rest(&p, a);
  }
  // Rounding adds to lambda where it does not matter to a: not to the one of least norm.
  if (lambda) limb_min_norm_multipliers(w, p.f, o->loops.tolerance, lambda);
  const double rounding = rounding_of(&p, a) + limb_rounding_at(w->m, in->v);
  return left < STILL_FALLING * before && left > rounding ? LIMB_E_NOCONV : LIMB_OK;
}

// ---- impact -------------------------------------------------------------------------------------------------

// Impact: closures that begin to act.
//
// Reference: Featherstone 2008, section 11.4 (impulsive dynamics); L. Pars, A treatise on analytical
//            dynamics, 1965, chapter 14 (Carnot: the loss of energy is that of the velocity that was lost).
// Cost:      that of Schur's method.
//
//     M (v_after - v) = Psi' p,     Psi v_after = s'
//
// It is the equation of forward dynamics, with velocities instead of accelerations, and no force that acts
// for a finite time counts.

// Suspect ranks: how far q is from the surface, and whether branches meet there.
static limb_status check_impact_ranks(limb_loops* w, const double* q, const limb_loop_options* o,
                                      limb_closed_report* report)
{
  limb_suspect why = {-1, 0};
  limb_find_suspect_ranks(w, o->tolerance);
  limb_status s = limb_check_distance(w, o->tolerance, &why);
  if (s == LIMB_OK && !w->full) s = limb_check_redundancy(w, q, o->time, o->tolerance, &why);
  if (report && s == LIMB_E_SINGULAR) report->loop = why.loop, report->residual = why.residual;
  return s;
}

limb_status limb_closed_impulse(limb_data* d, const double* q, const double* v, const limb_loop_solver* options,
                                double* v_after, double* impulse, limb_closed_report* report)
{
  limb_loops* w = limb_data_loops(d);
  if (!w || !q || !v || !v_after) return LIMB_E_ARG;
  limb_loop_solver o;
  limb_status s = limb_loop_solver_read(options, &o);
  if (s != LIMB_OK) return s;
  if (report) *report = (limb_closed_report){.method = LIMB_LOOP_METHOD_SCHUR, .loop = -1};
  if (w->use != LIMB_LOOPS_DENSE) return LIMB_E_ORDER;
  if (!limb_finite_v(w->d, v)) return LIMB_E_NONFINITE;
  s = limb_constraints_at(w, q, NULL, o.loops.time, LIMB_NEED_PSI);
  if (s == LIMB_OK) s = check_impact_ranks(w, q, &o.loops, report);
  if (s != LIMB_OK) return s;
  const limb_model* m = w->m;
  double *x = w->v2, *lambda = impulse ? w->r3 : NULL;
  memcpy(x, v, (size_t)m->nv * sizeof *x);
  s = limb_schur_correct(w, q, LIMB_CARRY_RATE, o.loops.tolerance, x, lambda);
  if (s != LIMB_OK) return s;
  if (!limb_finite_v(w->d, x)) return LIMB_E_NONFINITE;
  if (impulse && !limb_finite(m->nrow, lambda)) return LIMB_E_NONFINITE;
  const double slack = LIMB_CONSTRAINT_ROUNDING * fmax(1, limb_largest((size_t)m->nv, v));
  memcpy(v_after, x, (size_t)m->nv * sizeof *x);
  if (impulse) limb_constraints_to_user(w, lambda, impulse);
  return limb_constraints_hold(w, x, w->rate, slack, o.loops.tolerance, report) ? LIMB_OK : LIMB_E_SINGULAR;
}

limb_status limb_loop_impulse(limb_data* d, const double* q, const double* v, double time, double* v_after,
                              double* impulse)
{
  if (!d || !q || !v || !v_after) return LIMB_E_ARG;
  if (!d->loops) {
    const limb_status s = limb_check_state(d, q, v, NULL);
    if (s == LIMB_OK) memmove(v_after, v, (size_t)d->m->nv * sizeof *v);
    return s;
  }
  limb_loops* w = d->loops;
  limb_loop_solver o = w->settings.solver;
  limb_closed_report report = {.loop = -1};
  o.loops.time = time;
  const limb_status s = limb_closed_impulse(w->owner, q, v, &o, v_after, impulse, w->settings.report ? &report : NULL);
  limb_keep_details(w, &report, NULL);
  return s;
}
