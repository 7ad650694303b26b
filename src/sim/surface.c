// Rows of loops that depend on others: where joints are held, and the surface of the constraints.
//
// Held joints take their columns out of Psi. What is left of a row may then be nothing, or depend on the
// others: such a row holds by itself, and its multiplier is not known. Rows of length 1 are made
// orthonormal, the longest first (Gram and Schmidt, twice); those of which nothing is left are redundant. The
// others span what cannot move.
//
// The nearest place on the surface of the constraints, for robots some of whose rows depend on others there.
//
// Beside the surface such rows are independent, a little: whoever lets all of them pull gets a way back
// that bends with the distance and has no derivative. Here only rows pull that are independent at the
// beginning of the step:
//
//   q <- q (+) -Psi' (Psi Psi')^-1 (phi - s)  until it is closed,     v <- v - Psi' (Psi Psi')^-1 (Psi v -
//   s')
//
// which is smooth. The others hold by themselves then. Reference: A. Ben-Israel, T. Greville, Generalized
// inverses, 2nd edition, 2003, chapter 3. Cost: the equations of the loops and a factorisation of nc rows
// an iteration; O(nc^2 nv) to find rows.
#include "sim/sim_impl.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 12 };

struct sim_surface {
  double *Psi, *phi, *rate; // nc x nv, nc, nc
  double *A, *x;            // nc x nc, nc
  double* u;                // nv
  double* free;             // nc x nv: rows without the columns of what is held
  int* row;                 // nc: rows that pull; those in free
  unsigned char* redundant; // nc marks
  unsigned char* marks;     // nc: scratch
  unsigned char* holonomic; // nc: 1 when the row holds a place
};

limb_status limb_sim_mark_places(const limb_sim* sim, unsigned char* holonomic)
{
  for (int l = 0; l < limb_loop_count(sim->m); l++) {
    limb_loop_info info;
    const limb_status s = limb_get_loop(sim->m, l, &info);
    if (s != LIMB_OK) return s;
    memset(holonomic + info.row, 1, (size_t)info.holonomic);
  }
  return LIMB_OK;
}

limb_status limb_sim_take_surface(limb_sim* sim)
{
  const size_t nc = (size_t)sim->nc, nv = (size_t)sim->nv;
  if (sim->surface) return LIMB_OK;
  sim_surface* w = limb_sim_take(sim, 1, sizeof *w);
  double* x = limb_sim_take(sim, 2 * nc * nv + nc * nc + 3 * nc + nv, sizeof *x);
  int* row = limb_sim_take(sim, nc, sizeof *row);
  unsigned char* marks = limb_sim_take(sim, 3 * nc, 1);
  if (!w || !x || !row || !marks) return LIMB_E_NOMEM;
  double* rest = x + nc * nv + nc * nc;
  *w = (sim_surface){.Psi = x, .A = x + nc * nv, .phi = rest, .rate = rest + nc};
  w->x = rest + 2 * nc, w->u = rest + 3 * nc, w->free = rest + 3 * nc + nv;
  w->row = row, w->redundant = marks, w->holonomic = marks + nc, w->marks = marks + 2 * nc;
  const limb_status s = limb_sim_mark_places(sim, w->holonomic);
  if (s == LIMB_OK) sim->surface = w;
  return s;
}

// ---- what is held ----------------------------------------------------------------------------------------

// B_k without its part along the rows before it, and its length 1 again.
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

// The n rows of B, of length 1 at most, become orthonormal; names go with them. Returns how many: of the
// others no more than the tolerance is left.
static int orthonormalise(int n, size_t nv, double tolerance, double* B, int* name)
{
  for (int k = 0; k < n; k++) {
    int longest = k;
    double most = 0;
    for (int i = k; i < n; i++) {
      const double length = sqrt(limb_dot(nv, B + (size_t)i * nv, B + (size_t)i * nv));
      if (length > most) most = length, longest = i;
    }
    if (!(most > tolerance)) return k;
    double *own = B + (size_t)k * nv, *other = B + (size_t)longest * nv;
    for (size_t i = 0; i < nv; i++) {
      const double x = own[i];
      own[i] = other[i] / most, other[i] = x;
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

// Marks redundant rows; the others, without what is held, are orthonormal in w->free then: how many.
static limb_status rows_beside_held(limb_sim* sim, double t, const double* q, unsigned char* redundant, int* count)
{
  sim_surface* w = sim->surface;
  const size_t nv = (size_t)sim->nv;
  limb_loop_options* loops = &sim->o.closed.loops;
  loops->time = t;
  limb_status s = limb_redundant_rows(sim->loops, q, loops, redundant);
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

limb_status limb_sim_redundant_rows(limb_sim* sim, double t, const double* q, unsigned char* redundant)
{
  int count;
  if (sim->nheld) return rows_beside_held(sim, t, q, redundant, &count);
  sim->o.closed.loops.time = t;
  return limb_redundant_rows(sim->loops, q, &sim->o.closed.loops, redundant);
}

limb_status limb_sim_movable(limb_sim* sim, double t, const double* q, double* P)
{
  const sim_surface* w = sim->surface;
  const size_t nv = (size_t)sim->nv;
  int count = 0;
  const limb_status s = rows_beside_held(sim, t, q, w->marks, &count);
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

// ---- the surface -----------------------------------------------------------------------------------------

limb_status limb_sim_choose_rows(limb_sim* sim, const sim_point* at)
{
  sim->o.closed.loops.time = at->t;
  return limb_redundant_rows(sim->loops, at->q, &sim->o.closed.loops, sim->surface->redundant);
}

static const double* row_of(const limb_sim* sim, int i)
{
  return sim->surface->Psi + (size_t)sim->surface->row[i] * (size_t)sim->nv;
}

// The rows that pull, of places only or all, and their Psi Psi', factored. How many: -1 when it is singular.
static int factor(limb_sim* sim, bool places)
{
  sim_surface* w = sim->surface;
  int n = 0;
  for (int i = 0; i < sim->nc; i++) {
    if (!w->redundant[i] && (w->holonomic[i] || !places)) w->row[n++] = i;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) w->A[i * n + j] = limb_dot((size_t)sim->nv, row_of(sim, i), row_of(sim, j));
  }
  return limb_cholesky(n, w->A) ? n : -1;
}

// u = Psi' (Psi Psi')^-1 x for the n rows that pull.
static void pull(limb_sim* sim, int n)
{
  sim_surface* w = sim->surface;
  limb_cholesky_solve(n, w->A, w->x);
  memset(w->u, 0, (size_t)sim->nv * sizeof *w->u);
  for (int i = 0; i < n; i++) {
    const double* row = row_of(sim, i);
    for (int k = 0; k < sim->nv; k++) w->u[k] += w->x[i] * row[k];
  }
}

// One iteration for places; the residual before it.
static limb_status approach(limb_sim* sim, double* q, double* residual)
{
  sim_surface* w = sim->surface;
  const limb_loop_equations out = {.residual = w->phi, .Psi = w->Psi, .rate = w->rate};
  const limb_status s = limb_loop_equations_at(sim->loops, q, NULL, &sim->o.closed.loops, &out);
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
  sim_surface* w = sim->surface;
  const int n = factor(sim, false);
  if (n < 0) return LIMB_E_SINGULAR;
  for (int i = 0; i < n; i++) w->x[i] = w->rate[w->row[i]] - limb_dot((size_t)sim->nv, row_of(sim, i), v);
  pull(sim, n);
  for (int k = 0; k < sim->nv; k++) v[k] += w->u[k];
  return LIMB_OK;
}

limb_status limb_sim_onto_surface(limb_sim* sim, double* q, double* v)
{
  double residual = HUGE_VAL, before;
  limb_status s = LIMB_OK;
  int iterations = 0;
  do { // until it is rounding: quadratic convergence, then no gain any more
    before = residual;
    s = approach(sim, q, &residual);
  } while (s == LIMB_OK && residual > 1e-15 && residual < before && ++iterations < MOST_ITERATIONS);
  if (s == LIMB_OK && !(residual < 1e-10)) s = LIMB_E_NOCONV;
  return s == LIMB_OK ? turn(sim, v) : s;
}
