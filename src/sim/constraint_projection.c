// Constraints of loops that depend on others, and projection onto the constraint manifold.
//
// Held joints. Their columns are removed from Psi. The rest of a row may then be zero, or depend on others: such a
// constraint holds by itself, and its multiplier is undetermined. Rows scaled to length 1 are orthonormalised, the
// longest first (Gram-Schmidt, twice). Rows that vanish are redundant; the others span the velocities that are
// impossible.
//
// Projection, for robots with constraints that depend on each other on the manifold. Off the manifold these are
// slightly independent, and a projection with all of them would not be differentiable. Therefore only those that are
// independent at the beginning of the step are used, which is smooth:
//
//   q <- q (+) -Psi' (Psi Psi')^-1 (phi - s)  until closed,     v <- v - Psi' (Psi Psi')^-1 (Psi v - s')
//
// Reference: A. Ben-Israel, T. Greville, Generalized inverses, 2nd edition, 2003, chapter 3.
// Cost:      an iteration: the loop equations and a factorisation of size nc; O(nc^2 nv) to find dependent rows.
#include "sim/sim_impl.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 12 };

struct sim_constraints {
  double *Psi, *phi, *rate; // nc x nv, nc, nc
  double *A, *x;            // nc x nc, nc
  double* u;                // nv
  double* free;             // nc x nv: rows without the columns of held joints
  int* row;                 // nc: constraints in use; those in free
  unsigned char* redundant; // nc marks
  unsigned char* marks;     // nc: scratch
  unsigned char* holonomic; // nc: 1 for positions, 0 for velocities
};

limb_status limb_sim_mark_holonomic(const limb_sim* sim, unsigned char* holonomic)
{
  for (int l = 0; l < limb_loop_count(sim->m); l++) {
    limb_loop_info info;
    const limb_status s = limb_get_loop(sim->m, l, &info);
    if (s != LIMB_OK) return s;
    memset(holonomic + info.constraint, 1, (size_t)info.holonomic);
  }
  return LIMB_OK;
}

limb_status limb_sim_create_constraints(limb_sim* sim)
{
  const size_t nc = (size_t)sim->nc, nv = (size_t)sim->nv;
  if (sim->constraints) return LIMB_OK;
  sim_constraints* w = limb_sim_alloc(sim, 1, sizeof *w);
  double* x = limb_sim_alloc(sim, 2 * nc * nv + nc * nc + 3 * nc + nv, sizeof *x);
  int* row = limb_sim_alloc(sim, nc, sizeof *row);
  unsigned char* marks = limb_sim_alloc(sim, 3 * nc, 1);
  if (!w || !x || !row || !marks) return LIMB_E_NOMEM;
  double* rest = x + nc * nv + nc * nc;
  *w = (sim_constraints){.Psi = x, .A = x + nc * nv, .phi = rest, .rate = rest + nc};
  w->x = rest + 2 * nc, w->u = rest + 3 * nc, w->free = rest + 3 * nc + nv;
  w->row = row, w->redundant = marks, w->holonomic = marks + nc, w->marks = marks + 2 * nc;
  const limb_status s = limb_sim_mark_holonomic(sim, w->holonomic);
  if (s == LIMB_OK) sim->constraints = w;
  return s;
}

// ---- held joints ----------------------------------------------------------------------------------------

// Makes row k of B orthogonal to the rows before it, and of length 1 again.
static void cleanse(int k, size_t nv, double* B)
{
  double* own = B + (size_t)k * nv;
  for (int j = 0; j < k; j++) {
    const double* row = B + (size_t)j * nv;
    const double share = limb_dot(nv, own, row);
    for (size_t i = 0; i < nv; i++) own[i] -= share * row[i];
  }
  const double length = sqrt(limb_dot(nv, own, own));
  for (size_t i = 0; i < nv; i++) own[i] /= length;
}

// Orthonormalises the n rows of B, of length 1 at most, and reorders `name` with them. Returns their number; the others
// are within the tolerance of zero.
static int orthonormalise(int n, size_t nv, double tolerance, double* B, int* name)
{
  for (int k = 0; k < n; k++) {
    int longest = k;
    double max = 0;
    for (int i = k; i < n; i++) {
      const double length = sqrt(limb_dot(nv, B + (size_t)i * nv, B + (size_t)i * nv));
      if (length > max) max = length, longest = i;
    }
    if (!(max > tolerance)) return k;
    double *own = B + (size_t)k * nv, *other = B + (size_t)longest * nv;
    for (size_t i = 0; i < nv; i++) {
      const double x = own[i];
      own[i] = other[i] / max, other[i] = x;
    }
    const int called = name[k];
    name[k] = name[longest], name[longest] = called;
    cleanse(k, nv, B);
    for (int i = k + 1; i < n; i++) {
      double* row = B + (size_t)i * nv;
      const double share = limb_dot(nv, own, row);
      for (size_t j = 0; j < nv; j++) row[j] -= share * own[j];
    }
  }
  return n;
}

// Marks redundant constraints; the others, without held joints, are orthonormal in w->free: their number.
static limb_status constraints_with_held(limb_sim* sim, double t, const double* q, unsigned char* redundant, int* count)
{
  sim_constraints* w = sim->constraints;
  const size_t nv = (size_t)sim->nv;
  limb_loop_options* loops = &sim->o.loops.loops;
  loops->time = t;
  limb_status s = limb_redundant_constraints(sim->loops, q, loops, redundant);
  const limb_loop_equations out = {.Psi = w->Psi};
  if (s == LIMB_OK) s = limb_loop_equations_at(sim->loops, q, NULL, loops, &out);
  if (s != LIMB_OK) return s;
  int n = 0;
  for (int i = 0; i < sim->nc; i++) {
    if (redundant[i]) continue;
    const double* row = w->Psi + (size_t)i * nv;
    const double length = sqrt(limb_dot(nv, row, row));
    for (size_t k = 0; k < nv; k++) w->free[(size_t)n * nv + k] = sim->held[k] ? 0 : row[k] / length;
    w->row[n++] = i;
  }
  *count = orthonormalise(n, nv, loops->tolerance, w->free, w->row);
  for (int i = *count; i < n; i++) redundant[w->row[i]] = 1;
  return LIMB_OK;
}

limb_status limb_sim_redundant_constraints(limb_sim* sim, double t, const double* q, unsigned char* redundant)
{
  int count;
  if (sim->nheld) return constraints_with_held(sim, t, q, redundant, &count);
  sim->o.loops.loops.time = t;
  return limb_redundant_constraints(sim->loops, q, &sim->o.loops.loops, redundant);
}

limb_status limb_sim_movable(limb_sim* sim, double t, const double* q, double* P)
{
  const sim_constraints* w = sim->constraints;
  const size_t nv = (size_t)sim->nv;
  int count = 0;
  const limb_status s = constraints_with_held(sim, t, q, w->marks, &count);
  memset(P, 0, nv * nv * sizeof *P);
  for (size_t i = 0; i < nv && s == LIMB_OK; i++) {
    if (!sim->held[i]) P[i * nv + i] = 1;
    for (int r = 0; r < count; r++) {
      const double* row = w->free + (size_t)r * nv;
      for (size_t k = 0; k < nv; k++) P[i * nv + k] -= row[i] * row[k];
    }
  }
  return s;
}

// ---- projection onto the manifold -----------------------------------------------------------------------

limb_status limb_sim_choose_constraints(limb_sim* sim, const sim_point* at)
{
  sim->o.loops.loops.time = at->t;
  return limb_redundant_constraints(sim->loops, at->q, &sim->o.loops.loops, sim->constraints->redundant);
}

static const double* row_of(const limb_sim* sim, int i)
{
  return sim->constraints->Psi + (size_t)sim->constraints->row[i] * (size_t)sim->nv;
}

// The constraints in use (holonomic ones only, or all) and their Psi Psi', factored. Their number; -1 if singular.
static int factor(limb_sim* sim, bool positions)
{
  sim_constraints* w = sim->constraints;
  int n = 0;
  for (int i = 0; i < sim->nc; i++) {
    if (!w->redundant[i] && (w->holonomic[i] || !positions)) w->row[n++] = i;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) w->A[i * n + j] = limb_dot((size_t)sim->nv, row_of(sim, i), row_of(sim, j));
  }
  return limb_cholesky(n, w->A) ? n : -1;
}

// u = Psi' (Psi Psi')^-1 x for the n constraints in use.
static void pull(limb_sim* sim, int n)
{
  sim_constraints* w = sim->constraints;
  limb_cholesky_solve(n, w->A, w->x);
  memset(w->u, 0, (size_t)sim->nv * sizeof *w->u);
  for (int i = 0; i < n; i++) {
    const double* row = row_of(sim, i);
    for (int k = 0; k < sim->nv; k++) w->u[k] += w->x[i] * row[k];
  }
}

// One iteration for positions; the residual before it.
static limb_status approach(limb_sim* sim, double* q, double* residual)
{
  sim_constraints* w = sim->constraints;
  const limb_loop_equations out = {.residual = w->phi, .Psi = w->Psi, .rate = w->rate};
  const limb_status s = limb_loop_equations_at(sim->loops, q, NULL, &sim->o.loops.loops, &out);
  if (s != LIMB_OK) return s;
  const int n = factor(sim, true);
  *residual = 0;
  if (n < 0) return LIMB_E_SINGULAR;
  for (int i = 0; i < n; i++) {
    w->x[i] = -w->phi[w->row[i]];
    *residual = fmax(*residual, fabs(w->x[i]));
  }
  pull(sim, n);
  return limb_integrate(sim->m, q, w->u, 1, q);
}

static limb_status turn(limb_sim* sim, double* v)
{
  sim_constraints* w = sim->constraints;
  const int n = factor(sim, false);
  if (n < 0) return LIMB_E_SINGULAR;
  for (int i = 0; i < n; i++) w->x[i] = w->rate[w->row[i]] - limb_dot((size_t)sim->nv, row_of(sim, i), v);
  pull(sim, n);
  for (int k = 0; k < sim->nv; k++) v[k] += w->u[k];
  return LIMB_OK;
}

limb_status limb_sim_project_state(limb_sim* sim, double* q, double* v)
{
  double residual = HUGE_VAL, before;
  limb_status s = LIMB_OK;
  int iterations = 0;
  do { // quadratic convergence, until rounding prevents further gain
    before = residual;
    s = approach(sim, q, &residual);
  } while (s == LIMB_OK && residual > 1e-15 && residual < before && ++iterations < MAX_ITERATIONS);
  if (s == LIMB_OK && !(residual < 1e-10)) s = LIMB_E_NOCONV;
  return s == LIMB_OK ? turn(sim, v) : s;
}
