// Without bounds the answer is one projection. When it lies outside, the first stage starts from the
// preferred values, all held, and frees them one by one while that brings E x nearer to b; the second stage
// starts from there, and keeps E x. The columns of free unknowns are independent in the first stage; in the
// second they span the rows.

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct task {
  limb_balance* p;
  int rows, columns, rank;
  limb_reduction reduced; // of E, with its steps
  double *V, *R;          // vectors made orthogonal and their triangle: V = R' Q, both by rows
  double* c;              // rows: what E x is to be
  double *rhs, *mu;       // rows
  double* t;              // columns: where a step goes
  double scale;           // of the forces
  int* list;              // free unknowns
  int nfree;
  unsigned char *free, *refused;
  int steps; // left
} task;

size_t limb_balance_work(int rows, int columns)
{
  const size_t m = (size_t)rows, n = (size_t)columns;
  return m * (n + m) + m * (n + 1) + (m + 1) * (m + 1) + 3 * m + n;
}

// Steps per unknown. Most problems need two or three in all.
enum { STEPS = 100 };

static task begin(limb_balance* p, const limb_balance_scratch* scratch)
{
  const size_t m = (size_t)p->rows, n = (size_t)p->columns;
  task k = {.p = p, .rows = p->rows, .columns = p->columns};
  double* at = scratch->work;
  k.reduced.A = at, at += m * (n + m);
  k.V = at, at += m * (n + 1);
  k.R = at, at += (m + 1) * (m + 1);
  k.c = at, k.rhs = at + m, k.mu = at + 2 * m, k.t = at + 3 * m;
  k.list = scratch->index, k.reduced.pivot = scratch->index + n, k.reduced.row = scratch->index + 2 * n;
  k.free = scratch->marks, k.refused = scratch->marks + n;
  k.steps = STEPS * (p->columns + 1);
  return k;
}

// ---- what both stages need ----------------------------------------------------------------------------------

// n vectors, rows of V: V = R' Q with orthonormal Q replacing V, R upper triangular, row by row.
// False when one of them depends on those before it.
static bool orthogonalise(int n, size_t length, double* V, double* R)
{
  for (int k = 0; k < n; k++) {
    double* v = V + (size_t)k * length;
    const double size = sqrt(limb_dot(length, v, v));
    for (int j = 0; j < k; j++) R[j * n + k] = 0;
    for (int pass = 0; pass < 2; pass++) {
      for (int j = 0; j < k; j++) {
        const double* q = V + (size_t)j * length;
        const double x = limb_dot(length, q, v);
        for (size_t i = 0; i < length; i++) v[i] -= x * q[i];
        R[j * n + k] += x;
      }
    }
    const double rest = sqrt(limb_dot(length, v, v));
    if (!(rest > 16 * n * DBL_EPSILON * size)) return false;
    for (size_t i = 0; i < length; i++) v[i] /= rest;
    R[k * n + k] = rest;
  }
  return true;
}

// x = R^-1 x and x = R^-T x
static void back(int n, const double* R, double* x)
{
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= R[i * n + j] * x[j];
    x[i] /= R[i * n + i];
  }
}

static void forth(int n, const double* R, double* x)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) x[i] -= R[j * n + i] * x[j];
    x[i] /= R[i * n + i];
  }
}

// Row i of c - E x.
static double missing(const task* k, int i, const double* x)
{
  return k->c[i] - limb_dot((size_t)k->columns, k->p->E + (ptrdiff_t)i * k->columns, x);
}

static void list_free(task* k)
{
  k->nfree = 0;
  for (int j = 0; j < k->columns; j++) {
    if (k->free[j]) k->list[k->nfree++] = j;
  }
}

// Rounding, relative to what it is found in.
#define ROUNDING 1e-13

// How far x may go towards t, at most all the way: the bound that is met first, the lowest index of several.
static double way_to_bound(const task* k, int* blocking)
{
  const limb_balance* p = k->p;
  double way = 1, size = 0;
  *blocking = -1;
  for (int j = 0; j < k->columns; j++) {
    const double x[3] = {k->t[j], p->x[j], p->preferred[j]};
    for (int i = 0; i < 3; i++) size = fmax(size, fabs(x[i]));
  }
  for (int f = 0; f < k->nfree; f++) {
    const int j = k->list[f];
    const double d = k->t[j] - p->x[j], bound = d > 0 ? p->upper[j] : p->lower[j];
    const double excess = d > 0 ? k->t[j] - bound : bound - k->t[j];
    if (!(excess > ROUNDING * size)) continue;
    const double at = fmax(0, (bound - p->x[j]) / d);
    if (at < way || *blocking < 0) way = fmin(at, 1), *blocking = j;
  }
  return way;
}

// x goes towards t, up to a bound, where that unknown is held. True when it arrives.
static bool step(task* k)
{
  limb_balance* p = k->p;
  int blocking;
  const double way = way_to_bound(k, &blocking);
  for (int f = 0; f < k->nfree; f++) {
    const int j = k->list[f];
    const double x = blocking < 0 ? k->t[j] : p->x[j] + way * (k->t[j] - p->x[j]);
    p->x[j] = fmin(fmax(x, p->lower[j]), p->upper[j]);
  }
  if (blocking < 0) return true;
  p->x[blocking] = k->t[blocking] > p->x[blocking] ? p->upper[blocking] : p->lower[blocking];
  k->free[blocking] = 0;
  return false;
}

// ---- second stage: smallest sum -----------------------------------------------------------------------------

// t of the free unknowns with the smallest sum and E t = c in the independent rows, the others as they are in x:
//   t = preferred + W^-1 E' mu,   and with V = E W^-1/2 = R' Q
//   W^1/2 (t - preferred) = Q' z,   R' z = rhs,   R mu = z
static bool min_sum(task* k)
{
  const limb_balance* p = k->p;
  const int r = k->rank, n = k->columns;
  list_free(k);
  const size_t length = (size_t)k->nfree;
  memcpy(k->t, p->x, (size_t)n * sizeof *k->t);
  for (int f = 0; f < k->nfree; f++) k->t[k->list[f]] = p->preferred[k->list[f]];
  for (int i = 0; i < r; i++) {
    const int row = k->reduced.row[i];
    k->mu[i] = missing(k, row, k->t);
    for (size_t f = 0; f < length; f++) {
      const int j = k->list[f];
      k->V[(size_t)i * length + f] = p->E[(ptrdiff_t)row * n + j] / sqrt(p->weight[j]);
    }
  }
  if (!orthogonalise(r, length, k->V, k->R)) return false;
  forth(r, k->R, k->mu);
  for (int i = 0; i < r; i++) {
    for (size_t f = 0; f < length; f++) {
      const int j = k->list[f];
      k->t[j] += k->mu[i] * k->V[(size_t)i * length + f] / sqrt(p->weight[j]);
    }
  }
  back(r, k->R, k->mu);
  return true;
}

// The lowest held unknown that the sum pulls away from its bound; -1: none.
static int pulled_away(const task* k)
{
  const limb_balance* p = k->p;
  for (int j = 0; j < k->columns; j++) {
    if (k->free[j] || !(p->lower[j] < p->upper[j])) continue;
    double pull = p->weight[j] * (p->preferred[j] - p->x[j]);
    double size = p->weight[j] * (fabs(p->preferred[j]) + fabs(p->x[j]));
    for (int i = 0; i < k->rank; i++) {
      const double x = p->E[(ptrdiff_t)k->reduced.row[i] * k->columns + j] * k->mu[i];
      pull += x, size += fabs(x);
    }
    if (fabs(pull) <= 1e-11 * size) continue;
    if (pull > 0 ? p->x[j] < p->upper[j] : p->x[j] > p->lower[j]) return j;
  }
  return -1;
}

// Free are the unknowns between bounds, and as many others as it takes to span the rows.
static void choose_free(task* k)
{
  const limb_balance* p = k->p;
  limb_reduction a = k->reduced;
  const size_t n = (size_t)k->columns;
  a.rows = k->rank, a.extra = 0;
  int* row = k->list; // not needed meanwhile
  for (int j = 0; j < k->columns; j++) k->free[j] = p->lower[j] < p->x[j] && p->x[j] < p->upper[j];
  for (int i = 0; i < k->rank; i++) memcpy(a.A + (size_t)i * n, p->E + (size_t)k->reduced.row[i] * n, n * sizeof *a.A);
  a.row = row;
  limb_row_reduce(&a, k->free, p->tolerance);
  for (int i = 0; i < a.rank; i++) k->free[a.pivot[i]] = 1;
}

static bool second_stage(task* k)
{
  for (int i = 0; i < k->rows; i++)
    k->c[i] = limb_dot((size_t)k->columns, k->p->E + (ptrdiff_t)i * k->columns, k->p->x);
  choose_free(k);
  while (k->steps-- > 0) {
    if (!min_sum(k)) return false;
    // as many free unknowns as rows: they stay as they are, but for rounding
    if (k->nfree > k->rank && !step(k)) continue;
    const int j = pulled_away(k);
    if (j < 0) return true;
    k->free[j] = 1;
  }
  return false;
}

// ---- first stage: nearest -----------------------------------------------------------------------------------

// t of the free unknowns with the smallest |E t - c|, the others as they are in x:
//   V = R' Q for the columns of E,   R t = Q rhs
static bool nearest(task* k)
{
  const limb_balance* p = k->p;
  const size_t m = (size_t)k->rows;
  list_free(k);
  if (k->nfree > k->rows) return false;
  memcpy(k->t, p->x, (size_t)k->columns * sizeof *k->t);
  for (int f = 0; f < k->nfree; f++) k->t[k->list[f]] = 0;
  for (int i = 0; i < k->rows; i++) {
    k->rhs[i] = missing(k, i, k->t);
    for (int f = 0; f < k->nfree; f++) k->V[(size_t)f * m + (size_t)i] = p->E[(ptrdiff_t)i * k->columns + k->list[f]];
  }
  if (!orthogonalise(k->nfree, m, k->V, k->R)) return false;
  for (int f = 0; f < k->nfree; f++) k->mu[f] = limb_dot(m, k->V + (size_t)f * m, k->rhs);
  back(k->nfree, k->R, k->mu);
  for (int f = 0; f < k->nfree; f++) k->t[k->list[f]] = k->mu[f];
  return true;
}

// The held unknown along which |E x - c| falls fastest; -1: none.
static int steepest(task* k)
{
  const limb_balance* p = k->p;
  int best = -1;
  double largest = 0;
  for (int i = 0; i < k->rows; i++) k->rhs[i] = missing(k, i, p->x);
  for (int j = 0; j < k->columns; j++) {
    if (k->free[j] || k->refused[j]) continue;
    double fall = 0, size = 0;
    for (int i = 0; i < k->rows; i++) {
      const double e = p->E[(ptrdiff_t)i * k->columns + j];
      fall += e * k->rhs[i], size += e * e;
    }
    size = sqrt(size);
    if (fabs(fall) <= 1e-13 * size * k->scale || fabs(fall) <= largest * size) continue;
    if (fall > 0 ? p->x[j] < p->upper[j] : p->x[j] > p->lower[j]) best = j, largest = fabs(fall) / size;
  }
  return best;
}

static double distance2(const task* k)
{
  double sum = 0;
  for (int i = 0; i < k->rows; i++) {
    const double d = missing(k, i, k->p->x);
    sum += d * d;
  }
  return sum;
}

// Frees an unknown and goes as far as bounds allow. Rounding may leave no way: it is refused then, until
// another one gets on.
static bool let_go(task* k, int j)
{
  const double before = distance2(k);
  k->free[j] = 1;
  for (bool there = false; !there;) {
    if (k->steps-- <= 0) return false;
    if (!nearest(k)) {
      k->free[j] = 0;
      break;
    }
    there = step(k);
  }
  if (distance2(k) < before)
    memset(k->refused, 0, (size_t)k->columns);
  else
    k->refused[j] = 1, k->free[j] = 0;
  return true;
}

static bool first_stage(task* k)
{
  limb_balance* p = k->p;
  for (int j = 0; j < k->columns; j++) {
    p->x[j] = fmin(fmax(p->preferred[j], p->lower[j]), p->upper[j]);
    k->free[j] = k->refused[j] = 0;
    for (int i = 0; i < k->rows; i++) k->scale = fmax(k->scale, fabs(p->E[(ptrdiff_t)i * k->columns + j] * p->x[j]));
  }
  for (int j = steepest(k); j >= 0; j = steepest(k)) {
    if (!let_go(k, j)) return false;
  }
  return true;
}

// ---- both ---------------------------------------------------------------------------------------------------

// Rank, and the part of b that E x can be.
static void look_at_rows(task* k)
{
  const limb_balance* p = k->p;
  limb_reduction* a = &k->reduced;
  a->rows = a->extra = k->rows, a->columns = k->columns;
  const ptrdiff_t wide = a->columns + a->extra;
  for (int i = 0; i < k->rows; i++) {
    double* row = a->A + i * wide;
    memcpy(row, p->E + (ptrdiff_t)i * k->columns, (size_t)k->columns * sizeof *row);
    for (int j = 0; j < k->rows; j++) row[k->columns + j] = i == j;
    k->c[i] = p->b[i];
    k->scale = fmax(k->scale, fabs(p->b[i]));
  }
  limb_row_reduce(a, NULL, p->tolerance);
  k->rank = a->rank;
  if (a->rank < a->rows) limb_remove_dependent(a, k->R, k->c); // (rows + 1)^2
}

static bool between_bounds(const limb_balance* p, const double* x)
{
  for (int j = 0; j < p->columns; j++) {
    if (!(p->lower[j] <= x[j] && x[j] <= p->upper[j])) return false;
  }
  return true;
}

static void measure_left(task* k, bool bounds_matter)
{
  limb_balance* p = k->p;
  p->left = 0;
  if (!bounds_matter && k->rank == k->rows) return;
  for (int i = 0; i < k->rows; i++) {
    const double* e = p->E + (ptrdiff_t)i * k->columns;
    double d = p->b[i], size = fabs(p->b[i]);
    for (int j = 0; j < k->columns; j++) d -= e[j] * p->x[j], size += fabs(e[j] * p->x[j]);
    if (fabs(d) > 1e-13 * size) p->left = fmax(p->left, fabs(d));
  }
}

bool limb_balance_solve(limb_balance* p, const limb_balance_scratch* scratch)
{
  task k = begin(p, scratch);
  look_at_rows(&k);
  p->rank = k.rank;
  for (int j = 0; j < k.columns; j++) p->x[j] = p->preferred[j], k.free[j] = 1;
  const bool spans = min_sum(&k);
  if (spans) memcpy(p->x, k.t, (size_t)k.columns * sizeof *p->x);
  const bool inside = spans && between_bounds(p, p->x);
  const bool found = inside || (first_stage(&k) && second_stage(&k));
  measure_left(&k, !inside);
  return found;
}
