// Base parameters by numbers: the rank of the regressor at random states, compared with the structure.
//
// Reference: M. Gautier, Numerical calculation of the base inertial parameters of robots, J. Robotic
//            Systems 8(4), 1991. Cost: O(np^3).
//
// The regressors of many random states, one below the other, are a matrix W whose independent columns are
// as many as there are base parameters. QR with column pivoting shows them: the pivots fall off a cliff
// behind the last. Positions are drawn from the whole range of a joint, whatever its limits. The structure
// is right when W = W Z K; it is complete when K has as many rows as W has independent columns.

#include "ident/base_parameters_impl.h"

#include "base/numeric.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#define RANK_ZERO   1e-9 // a pivot this small relative to the largest is none
#define CLEAR_ABOVE 1e-6 // pivots between these two are neither clearly something nor clearly nothing
#define CLEAR_BELOW 1e-11
#define WRONG       1e-6 // |Y - Y_b K| above this is no rounding

// The stack of regressors, column-major, columns in numbers of the robot's own size.
typedef struct stack {
  int rows, columns;
  double* W;
} stack;

typedef struct sampler {
  limb_data* d;
  uint64_t seed;
  double *neutral, *step, *q, *v, *a, *Y, *unit;
} sampler;

static limb_status make_sampler(const limb_grouping* g, limb_blocks* scratch, sampler* x)
{
  const size_t nq = (size_t)g->m->nq, nv = (size_t)g->m->nv;
  const size_t np = (size_t)limb_parameter_count(g->m);
  *x = (sampler){.seed = 1,
                 .neutral = limb_blocks_take(scratch, nq, sizeof(double)),
                 .step = limb_blocks_take(scratch, nv, sizeof(double)),
                 .q = limb_blocks_take(scratch, nq, sizeof(double)),
                 .v = limb_blocks_take(scratch, nv, sizeof(double)),
                 .a = limb_blocks_take(scratch, nv, sizeof(double)),
                 .Y = limb_blocks_take(scratch, nv * np, sizeof(double)),
                 .unit = limb_blocks_take(scratch, np, sizeof(double))};
  if (!x->neutral || !x->step || !x->q || !x->v || !x->a || !x->Y || !x->unit) return LIMB_E_NOMEM;
  limb_grouping_units(g, x->unit);
  const limb_status s = limb_neutral(g->m, x->neutral);
  return s == LIMB_OK ? limb_data_create(limb_spanning_tree(g->m), &scratch->alloc, &x->d) : s;
}

// How far a coordinate goes: half a turn, or the size of the robot.
static double range_of(const limb_grouping* g, int v)
{
  for (int i = 0; i < g->m->nlink; i++) {
    const limb_link* link = &g->m->link[i];
    for (int k = 0; k < link->ndof; k++) {
      if (g->m->dof[link->dof + k].v != v) continue;
      const bool slides = link->joint_class == CLASS_TRANS || k >= 3;
      return slides ? g->length : 3;
    }
  }
  return 1;
}

// How much faster than once a second a robot moves that is so small that weights would hide what moves.
static double haste(const limb_grouping* g) { return fmax(1, sqrt(sp_norm3(g->env.gravity) / g->length) / 10); }

static limb_status draw(const limb_grouping* g, sampler* x)
{
  const double rate = haste(g);
  for (int k = 0; k < g->m->nv; k++) {
    const double range = range_of(g, k), u = limb_random_sign(&x->seed);
    x->step[k] = range * limb_random_sign(&x->seed);
    x->v[k] = rate * range * u * fabs(u); // slow ones, too: Coulomb friction with a width is not always full
    x->a[k] = rate * rate * range * limb_random_sign(&x->seed);
  }
  const limb_status s = limb_integrate(g->m, x->neutral, x->step, 1, x->q);
  return s == LIMB_OK ? limb_regressor(x->d, x->q, x->v, x->a, &g->env, x->Y) : s;
}

static limb_status fill_stack(const limb_grouping* g, limb_blocks* scratch, stack* w)
{
  sampler x;
  limb_status s = make_sampler(g, scratch, &x);
  const size_t nv = (size_t)g->m->nv, columns = (size_t)w->columns;
  for (size_t at = 0; at + nv <= (size_t)w->rows && nv > 0 && s == LIMB_OK; at += nv) {
    s = draw(g, &x);
    for (size_t i = 0; i < nv; i++) {
      for (size_t c = 0; c < columns; c++) w->W[c * (size_t)w->rows + at + i] = x.Y[i * columns + c] * x.unit[c];
    }
  }
  limb_data_destroy(x.d);
  return s;
}

// ---- comparing ----------------------------------------------------------------------------------------------

// W_b = W Z, columns in the same sizes: the units of W are taken off, none are put on.
static void base_stack(const stack* w, const limb_matrices* x, const double* unit, stack* out)
{
  const size_t rows = (size_t)w->rows;
  for (int r = 0; r < x->nb; r++) {
    double* y = out->W + (size_t)r * rows;
    memset(y, 0, rows * sizeof *y);
    for (int c = 0; c < x->np; c++) {
      const double z = x->Z[(size_t)r * (size_t)x->np + (size_t)c] / unit[c];
      const double* column = w->W + (size_t)c * rows;
      for (size_t i = 0; i < rows && z != 0; i++) y[i] += z * column[i];
    }
  }
}

// Largest |W - W_b K| over the columns that are not left out, relative to the largest |W|.
static double residual_of(const limb_grouping* g, const stack* w, const stack* base, const limb_matrices* x,
                          const double* unit, double* column)
{
  const size_t rows = (size_t)w->rows;
  double largest = 0;
  const double size = limb_largest(rows * (size_t)w->columns, w->W);
  for (int c = 0; c < x->np; c++) {
    limb_parameter_info info;
    if (limb_get_parameter(g->m, c, &info) != LIMB_OK || limb_grouping_leaves_out(g, info.kind)) continue;
    memcpy(column, w->W + (size_t)c * rows, rows * sizeof *column);
    for (int r = 0; r < x->nb; r++) {
      const double k = x->K[(size_t)r * (size_t)x->np + (size_t)c] * unit[c];
      const double* y = base->W + (size_t)r * rows;
      for (size_t i = 0; i < rows && k != 0; i++) column[i] -= k * y[i];
    }
    largest = limb_finite(w->rows, column) ? fmax(largest, limb_largest(rows, column)) : HUGE_VAL;
  }
  return size > 0 ? largest / size : 0;
}

// Columns of parameters that are left out are zero.
static void leave_out(const limb_grouping* g, stack* w)
{
  for (int c = 0; c < w->columns; c++) {
    limb_parameter_info info;
    if (limb_get_parameter(g->m, c, &info) != LIMB_OK || !limb_grouping_leaves_out(g, info.kind)) continue;
    memset(w->W + (size_t)c * (size_t)w->rows, 0, (size_t)w->rows * sizeof(double));
  }
}

static bool is_clear(const limb_qr_decision* d) { return d->kept > CLEAR_ABOVE && d->dropped < CLEAR_BELOW; }

// Scales n numbers so that the largest is 1, unless all are zero; what it was.
static double scale_down(size_t n, double* x)
{
  const double size = limb_largest(n, x);
  for (size_t i = 0; i < n && size > 0; i++) x[i] /= size;
  return size;
}

// Scales the columns to length 1; their lengths.
static void normalize(const stack* w, double* length)
{
  const size_t rows = (size_t)w->rows;
  for (int c = 0; c < w->columns; c++) {
    double* x = w->W + (size_t)c * rows;
    const double size = scale_down(rows, x), rest = sqrt(limb_dot(rows, x, x));
    length[c] = size * rest;
    for (size_t i = 0; i < rows && size > 0; i++) x[i] /= rest;
  }
}

// What the structure missed: dropped columns of W_b as combinations of the others.
static limb_status find_merge(stack* base, int rank, limb_blocks* scratch, limb_merge* merge)
{
  const size_t n = (size_t)base->columns, rows = (size_t)base->rows;
  int* pivot = limb_blocks_take(scratch, n, sizeof(int));
  double* norm = limb_blocks_take(scratch, 2 * n, sizeof(double));
  double* size = limb_blocks_take(scratch, n, sizeof(double));
  merge->dropped = limb_blocks_take(scratch, n, sizeof(bool));
  merge->by = limb_blocks_take(scratch, n * n, sizeof(double));
  if (!pivot || !norm || !size || !merge->dropped || !merge->by) return LIMB_E_NOMEM;
  normalize(base, size);
  limb_qr_factor(base->rows, base->columns, base->W, pivot, norm);
  const limb_qr_decision d = limb_qr_rank(base->rows, base->columns, base->W, RANK_ZERO);
  if (d.rank != rank || !is_clear(&d)) {
    *merge = (limb_merge){0};
    return LIMB_OK;
  }
  limb_qr_combinations(base->rows, base->columns, rank, base->W);
  for (int r = rank; r < base->columns; r++) {
    const size_t gone = (size_t)pivot[r];
    merge->dropped[gone] = true;
    for (int k = 0; k < rank; k++) {
      const size_t to = (size_t)pivot[k];
      const double by = base->W[(size_t)r * rows + (size_t)k];
      merge->by[to * n + gone] = fabs(by) < LIMB_BASE_ZERO ? 0 : by * size[gone] / size[to];
    }
  }
  return LIMB_OK;
}

// One comparison: so many random states, what the rows of the structure make of them, the rank.
typedef struct comparison {
  stack w, base;
  double residual;
  limb_qr_decision decision;
} comparison;

static limb_status compare(const limb_grouping* g, const limb_matrices* x, int states, limb_blocks* scratch,
                           comparison* out)
{
  stack w = {states * g->m->nv, x->np, NULL}, base = {w.rows, x->nb, NULL};
  const size_t rows = (size_t)w.rows, np = (size_t)x->np;
  w.W = limb_blocks_take(scratch, rows * np, sizeof(double));
  base.W = limb_blocks_take(scratch, rows * (size_t)x->nb, sizeof(double));
  double* unit = limb_blocks_take(scratch, np, sizeof(double));
  double* column = limb_blocks_take(scratch, rows + 2 * np, sizeof(double));
  int* pivot = limb_blocks_take(scratch, np, sizeof(int));
  if (!w.W || !base.W || !unit || !column || !pivot) return LIMB_E_NOMEM;
  const limb_status s = fill_stack(g, scratch, &w);
  if (s != LIMB_OK) return s;
  limb_grouping_units(g, unit);
  leave_out(g, &w);
  if (!limb_finite((ptrdiff_t)(rows * np), w.W)) return LIMB_E_NONFINITE;
  (void)scale_down(rows * np, w.W); // only ratios count, and squares of them are numbers
  base_stack(&w, x, unit, &base);
  *out = (comparison){w, base, residual_of(g, &w, &base, x, unit, column), {0}};
  limb_qr_factor(w.rows, w.columns, w.W, pivot, column);
  out->decision = limb_qr_rank(w.rows, w.columns, w.W, RANK_ZERO);
  return LIMB_OK;
}

// The rank cannot be above the number of rows of a right structure. If it is less, there are combinations
// that the structure missed, or too few states: a state has only one equation for all joints that follow
// one another. More states raise the rank then, and twice as many that do not are proof that nothing will.
limb_status limb_grouping_check(const limb_grouping* g, const limb_matrices* x, limb_blocks* scratch,
                                limb_base_facts* facts, limb_merge* merge)
{
  *merge = (limb_merge){0};
  comparison c = {.decision = {.rank = -1}};
  int states = g->m->nv > 0 ? 3 * x->np / (2 * g->m->nv) + 10 : 0, before;
  do {
    before = c.decision.rank;
    const limb_status s = compare(g, x, states, scratch, &c);
    if (s != LIMB_OK) return s;
    states *= 2;
  } while (c.decision.rank < x->nb && c.decision.rank > before);
  const limb_qr_decision d = c.decision;
  facts->residual = c.residual;
  facts->numeric = d.rank, facts->kept = d.kept, facts->dropped = d.dropped;
  facts->agree = d.rank == x->nb && facts->residual < LIMB_BASE_ZERO && is_clear(&d);
  if (facts->residual > WRONG) return LIMB_E_SINGULAR;
  return d.rank < x->nb && is_clear(&d) ? find_merge(&c.base, d.rank, scratch, merge) : LIMB_OK;
}
