// Inverses of mass matrices along the tree, and products with them, a block of lanes at a time.
//
// Reference: Featherstone 2008, section 6.5, for the factors; Du Croz, Higham, Stability of methods for matrix
//            inversion, 1992, for inverses through that of a triangular factor.
// Cost:      O(sum of depths squared), and of a product O(n sum of depths), less what unrelated branches save.
//
// M = L' D L with unit lower L gives M^-1 = U U' with U = L^-1 D^-1/2. Row k of U, as that of L, has entries on the way
// from the root to k only:
//
//   U_k = D_k^-1/2 e_k - sum over its ancestors a of L_ka U_a
//
//   M^-1 B = U Y,   Y = U' B      of which row a of Y has what a and all behind it have in B, and
//                                 row k of U Y what the way to k has in Y
//
// Both rows of the same run (limb_row_run) and columns of a block are made together. Of B = 1, and of derivatives of
// inverse dynamics, a column has entries on one way with its joint only: the others are left out. U is kept in wide
// storage, where rows are whole vectors, zero behind their ends. Products with U have the digits of triangular
// solutions: entries are bounded one by one, however light and heavy the bodies are.
#ifndef LIMB_KERNEL_LANE_TREE_KERNEL_H
#define LIMB_KERNEL_LANE_TREE_KERNEL_H

#include "kernel/dof_table_kernel.h"

// A statement in which ROWS, 1 ... LIMB_RUN_ROWS, is a constant.
#define ROWS_CASE(rows, ...) \
  case rows: {               \
    enum { ROWS = (rows) };  \
    __VA_ARGS__;             \
  } break;
#define FOR_ROWS(count, ...)  \
  switch (count) {            \
    ROWS_CASE(1, __VA_ARGS__) \
    ROWS_CASE(2, __VA_ARGS__) \
    ROWS_CASE(3, __VA_ARGS__) \
    ROWS_CASE(4, __VA_ARGS__) \
    ROWS_CASE(5, __VA_ARGS__) \
    ROWS_CASE(6, __VA_ARGS__) \
    ROWS_CASE(7, __VA_ARGS__) \
  default: {                  \
    enum { ROWS = 8 };        \
    __VA_ARGS__;              \
  }                           \
  }

// The rows of a run in wide storage, and the user's velocities on the way to its last one.
typedef struct run_rows {
  const int* path;
  cell* row; // of L, and behind all of L that of U
  ptrdiff_t width;
  int above, length;
} run_rows;

KERNEL run_rows rows_of(const limb_elimination* e, const limb_dof_table* s, const limb_row_run* run)
{
  return (run_rows){e->path + run->path, (cell*)s->rows + run->place, run->width, run->above, run->above + run->count};
}

// Where the rows of L and of U start, and what comes behind them.
KERNEL cell* all_of_l(const limb_dof_table* s) { return s->rows; }
KERNEL cell* all_of_u(const limb_elimination* e, const limb_dof_table* s) { return all_of_l(s) + e->wide; }
KERNEL cell* behind_rows(const limb_elimination* e, const limb_dof_table* s) { return all_of_u(e, s) + e->wide; }

// ---- M = L' D L ----------------------------------------------------------------------------------------------

// Rows of M, vector by vector of neighbours on the way; what runs over, the next one overwrites. from, to: where these
// vectors start, at most one for each velocity on the way.
KERNEL void load_rows(int n, const cell* M, const run_rows* r, int* from, int* to)
{
  const ptrdiff_t N = n, end = N * N;
  int count = 0, last = 0;
  for (int j = 0; j < r->length; j++) {
    const int v = r->path[j];
    if (j > 0 && v == r->path[j - 1] + 1 && j < to[count - 1] + LANES) continue;
    from[count] = v, to[count++] = j;
    last = v > last ? v : last;
  }
  for (int i = r->above; i < r->length; i++) {
    const cell* row = M + r->path[i] * N;
    cell* wide = r->row + (i - r->above) * r->width;
    if (row + last + LANES <= M + end) {
      for (int k = 0; k < count; k++) put_lanes(wide + to[k], lanes_at(row + from[k]));
    } else {
      for (int j = 0; j < r->length; j++) wide[j] = row[r->path[j]];
    }
  }
}

enum { OWN = LIMB_RUN_ROWS / LANES }; // vectors with the columns of a run

// Within a run, from its last row on: first the columns of the run, in registers, then those above. Instead of 1, the
// diagonal of L has D^-1/2. Rows D L of the columns above go to `held`. Returns the smallest margin of a pivot.
KERNEL lane_vec factor_run(const int rows, const run_rows* r, cell* held, ptrdiff_t apart)
{
  lane_vec t[LIMB_RUN_ROWS][OWN], inverse[LIMB_RUN_ROWS], scale_of[OWN], margin = every_lane(1);
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++)
    for (int b = 0; b < OWN; b++) t[i][b] = lanes_at(r->row + i * r->width + r->above + b * LANES);
  for (int b = 0; b < OWN; b++) scale_of[b] = every_lane(1);
  lane_vec before[LIMB_RUN_ROWS];
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) before[i] = spread(t[i][i / LANES], i % LANES);
#pragma GCC unroll 8
  for (int i = rows - 1; i >= 0; i--) {
    const lane_vec pivot = spread(t[i][i / LANES], i % LANES);
    inverse[i] = recip(pivot);
    margin = lesser_lanes(margin, kmsub(pivot, constant(LIMB_DOUBT), before[i]));
    scale_of[i / LANES] = choose(one_lane(i % LANES), inverse[i], scale_of[i / LANES]);
#pragma GCC unroll 8
    for (int j = 0; j < i; j++) {
      // products first: they need not wait for the division
      const lane_vec f = spread(t[i][j / LANES], j % LANES);
      for (int b = 0; b * LANES <= j; b++) t[j][b] = msub(t[j][b], settled(mul(f, t[i][b])), inverse[i]);
    }
  }
  for (int b = 0; b < OWN; b++) scale_of[b] = root_lanes(scale_of[b]);
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
    for (int b = 0; b * LANES <= i; b++) {
      const lane_vec x = mul(t[i][b], inverse[i]);
      put_lanes(r->row + i * r->width + r->above + b * LANES,
                b == i / LANES ? choose(one_lane(i % LANES), scale_of[b], x) : x);
    }
  }
  for (int v = 0; v < r->above; v += LANES) {
    lane_vec h[LIMB_RUN_ROWS];
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) h[i] = lanes_at(r->row + i * r->width + v);
#pragma GCC unroll 8
    for (int i = rows - 1; i >= 0; i--) {
      cell* row = r->row + i * r->width;
#pragma GCC unroll 8
      for (int j = 0; j < i; j++) h[j] = msub(h[j], every_lane(row[r->above + j]), h[i]);
      const lane_vec x = mul(h[i], inverse[i]);
      put_lanes(held + i * apart + v, h[i]);
      put_lanes(row + v, choose(lanes_within(0, r->above - v), x, lanes_at(row + v)));
    }
  }
  return margin;
}

// Rows of the ancestors: M_aj -= sum over the rows k of the run of L_ka (D L)_kj.
KERNEL void factor_above(const int rows, const limb_elimination* e, const run_rows* r, const cell* held,
                         ptrdiff_t apart, cell* L)
{
  for (int a = 0; a < r->above; a++) {
    cell* to = L + e->wide_row[r->path[a]];
    for (int v = 0; v <= a; v += LANES) {
      lane_vec x = lanes_at(to + v);
#pragma GCC unroll 8
      for (int i = rows - 1; i >= 0; i--)
        x = msub(x, every_lane(r->row[i * r->width + a]), lanes_at(held + i * apart + v));
      put_lanes(to + v, x);
    }
  }
}

// ---- U = L^-1 D^-1/2 -----------------------------------------------------------------------------------------

// Columns v ... v + LANES - 1 of the rows of a run.
KERNEL void invert_rows(const int rows, const limb_elimination* e, const run_rows* r, cell* U, int v)
{
  lane_vec x[LIMB_RUN_ROWS];
  cell* to = r->row + e->wide + v;
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) x[i] = every_lane(0);
  for (int a = v; a < r->above; a++) { // rows above have nothing behind their ends
    const lane_vec y = lanes_at(U + e->wide_row[r->path[a]] + v);
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) x[i] = msub(x[i], every_lane(r->row[i * r->width + a]), y);
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
    const int d = r->above + i;
    const cell* own = r->row + i * r->width + r->above;
#pragma GCC unroll 8
    for (int j = 0; j < i; j++) x[i] = msub(x[i], every_lane(own[j]), x[j]);
    x[i] = choose(lanes_within(d - v, d - v + 1), every_lane(own[i]), x[i]);
    put_lanes(to + i * r->width, x[i]);
  }
}

// M (n x n, the user's order) to U in the wide rows of s. Returns the smallest margin of a pivot, as ltl_factor.
KERNEL_ENTRY cell lane_tree_factor(const limb_elimination* e, int n, const cell* M, const limb_dof_table* s)
{
  cell* held = behind_rows(e, s);
  lane_vec margin = every_lane(1);
  for (int b = 0; b < e->nrun; b++) {
    const run_rows r = rows_of(e, s, &e->run[b]);
    load_rows(n, M, &r, s->list, s->list + n);
  }
  for (int b = e->nrun - 1; b >= 0; b--) {
    const run_rows r = rows_of(e, s, &e->run[b]);
    const ptrdiff_t apart = r.width;
    FOR_ROWS(e->run[b].count, {
      margin = lesser_lanes(margin, factor_run(ROWS, &r, held, apart));
      factor_above(ROWS, e, &r, held, apart, all_of_l(s));
    })
  }
  for (int b = 0; b < e->nrun; b++) {
    const run_rows r = rows_of(e, s, &e->run[b]);
    FOR_ROWS(e->run[b].count, for (int v = 0; v < r.length; v += LANES) invert_rows(ROWS, e, &r, all_of_u(e, s), v))
  }
  return lane(margin, 0);
}

// ---- products ------------------------------------------------------------------------------------------------

// y += U' x for the rows of a run
KERNEL void gather_numbers(const int rows, const limb_elimination* e, const run_rows* r, const cell* x, cell* y)
{
  const cell* U = r->row + e->wide;
  cell own[LIMB_RUN_ROWS];
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) own[i] = x[r->path[r->above + i]];
  for (int j = 0; j < r->length; j++) {
    cell sum = y[r->path[j]];
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) sum += U[i * r->width + j] * own[i];
    y[r->path[j]] = sum;
  }
}

// x = U y
KERNEL void spread_numbers(const int rows, const limb_elimination* e, const run_rows* r, const cell* y, cell* x)
{
  const cell* U = r->row + e->wide;
  cell sum[LIMB_RUN_ROWS];
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) sum[i] = 0;
  for (int j = 0; j < r->length; j++) {
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) sum[i] += U[i * r->width + j] * y[r->path[j]];
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) x[r->path[r->above + i]] = sum[i];
}

// x = M^-1 x, in the user's order.
KERNEL_ENTRY void lane_tree_solve(const limb_elimination* e, int n, const limb_dof_table* s, cell* x)
{
  cell* y = behind_rows(e, s);
  for (int k = 0; k < n; k++) y[k] = 0;
  for (int b = 0; b < e->nrun; b++) {
    const run_rows r = rows_of(e, s, &e->run[b]);
    FOR_ROWS(e->run[b].count, gather_numbers(ROWS, e, &r, x, y))
  }
  for (int b = 0; b < e->nrun; b++) {
    const run_rows r = rows_of(e, s, &e->run[b]);
    FOR_ROWS(e->run[b].count, spread_numbers(ROWS, e, &r, y, x))
  }
}

enum { BEFORE_BLOCK = 1, BEHIND_BLOCK = 2 };

// Marks runs with columns c ... c + LANES - 1, those on the way to them, and those behind.
KERNEL void mark_runs(const limb_elimination* e, int c, int* mark)
{
  for (int b = 0; b < e->nrun; b++) mark[b] = 0;
  for (int l = 0; l < LANES; l++) mark[e->run_of[c + l]] = BEFORE_BLOCK | BEHIND_BLOCK;
  for (int b = 0; b < e->nrun; b++)
    if (e->run[b].up >= 0) mark[b] |= mark[e->run[b].up] & BEHIND_BLOCK;
  for (int b = e->nrun - 1; b >= 0; b--)
    if (e->run[b].up >= 0) mark[e->run[b].up] |= mark[b] & BEFORE_BLOCK;
}

// Blocks of so many matrices at a time, as registers allow; rows of Y have one vector for each.
enum { MATRICES = 3, TOGETHER = LANES == 8 ? MATRICES : 1 };

typedef struct blocks {
  cell* A[MATRICES]; // the first columns of the block, rows n apart
  int n;
  int done; // so many of the columns stay as they are
  cell* Y;  // rows in the user's order
} blocks;

// Of the runs that have one of these marks
KERNEL void clear_rows(const int count, const limb_elimination* e, const int* mark, int marks, cell* Y)
{
  for (int b = 0; b < e->nrun; b++) {
    const limb_row_run* run = &e->run[b];
    if (!(mark[b] & marks)) continue;
    for (int i = 0; i < run->count; i++) {
      cell* row = Y + e->v[run->first + i] * (ptrdiff_t)(count * LANES);
#pragma GCC unroll 3
      for (int k = 0; k < count; k++) put_lanes(row + k * LANES, every_lane(0));
    }
  }
}

// Y = U' in the columns from c on; `apart`: rows of Y, whose other columns are zero.
KERNEL void put_unit_columns(const limb_elimination* e, const limb_dof_table* s, int c, cell* Y, ptrdiff_t apart)
{
  const cell* U = all_of_u(e, s);
  for (int first = 0, end; first < LANES; first = end) {
    const run_rows r = rows_of(e, s, &e->run[e->run_of[c + first]]);
    for (end = first + 1; end < LANES && e->run_of[c + end] == e->run_of[c + first];) end++;
    const lane_set own = lanes_within(first, end);
    for (int v = 0; v < r.length; v += LANES) {
      lane_vec x[LANES];
#pragma GCC unroll 8
      for (int l = 0; l < LANES; l++)
        x[l] = lanes_at(U + e->wide_row[c + (l < first ? first : l < end ? l : end - 1)] + v);
      turn_square(x);
#pragma GCC unroll 8
      for (int l = 0; l < LANES; l++) {
        if (v + l >= r.length) break;
        cell* to = Y + r.path[v + l] * apart;
        put_lanes(to, choose(own, x[l], lanes_at(to)));
      }
    }
  }
}

// Y -= U' B for the rows of a run.
KERNEL void gather_rows(const int rows, const int count, const limb_elimination* e, const run_rows* r, const blocks* x,
                        const int stride)
{
  lane_vec b[LIMB_RUN_ROWS][MATRICES];
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
    const ptrdiff_t at = r->path[r->above + i] * (ptrdiff_t)x->n;
#pragma GCC unroll 3
    for (int k = 0; k < count; k++) {
      b[i][k] = lanes_at(x->A[k] + at);
      if (x->done > 0) b[i][k] = choose(lanes_within(0, x->done), every_lane(0), b[i][k]);
    }
  }
  const cell* U = r->row + e->wide;
  for (int j = 0; j < r->length; j++) {
    cell* to = x->Y + r->path[j] * (ptrdiff_t)(stride * LANES);
    lane_vec y[MATRICES];
#pragma GCC unroll 3
    for (int k = 0; k < count; k++) y[k] = lanes_at(to + k * LANES);
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      const lane_vec u = every_lane(U[i * r->width + j]);
#pragma GCC unroll 3
      for (int k = 0; k < count; k++) y[k] = msub(y[k], u, b[i][k]);
    }
#pragma GCC unroll 3
    for (int k = 0; k < count; k++) put_lanes(to + k * LANES, y[k]);
  }
}

// A = U Y for the rows of a run, of which the first `reach` on the way count. Returns the sum.
KERNEL lane_vec spread_rows(const int rows, const int count, const limb_elimination* e, const run_rows* r, int reach,
                            const blocks* x)
{
  lane_vec a[LIMB_RUN_ROWS][MATRICES], sum = every_lane(0);
  const cell* U = r->row + e->wide;
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
#pragma GCC unroll 3
    for (int k = 0; k < count; k++) a[i][k] = every_lane(0);
  }
  for (int j = 0; j < reach; j++) {
    const cell* from = x->Y + r->path[j] * (ptrdiff_t)(count * LANES);
    lane_vec y[MATRICES];
#pragma GCC unroll 3
    for (int k = 0; k < count; k++) y[k] = lanes_at(from + k * LANES);
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      const lane_vec u = every_lane(U[i * r->width + j]);
#pragma GCC unroll 3
      for (int k = 0; k < count; k++) a[i][k] = madd(a[i][k], u, y[k]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
    const ptrdiff_t at = r->path[r->above + i] * (ptrdiff_t)x->n;
#pragma GCC unroll 3
    for (int k = 0; k < count; k++) {
      if (x->done > 0) a[i][k] = choose(lanes_within(0, x->done), lanes_at(x->A[k] + at), a[i][k]);
      put_lanes(x->A[k] + at, a[i][k]);
      sum = add(sum, a[i][k]);
    }
  }
  return sum;
}

// All rows. Of a run that has none of the marks, what it has in common with those that do counts.
KERNEL lane_vec spread_block(const int count, const limb_elimination* e, const limb_dof_table* s, const int* mark,
                             int marks, const blocks* x)
{
  lane_vec sum = every_lane(0);
  int* reach = s->list + e->nrun;
  for (int b = 0; b < e->nrun; b++) {
    const limb_row_run* run = &e->run[b];
    const run_rows r = rows_of(e, s, run);
    reach[b] = mark[b] & marks ? r.length : run->up >= 0 ? reach[run->up] : 0;
    FOR_ROWS(run->count, sum = add(sum, spread_rows(ROWS, count, e, &r, reach[b], x)))
  }
  return sum;
}

KERNEL void gather_block(const int count, const limb_elimination* e, const limb_dof_table* s, const int* mark,
                         const blocks* x, const int stride)
{
  for (int b = 0; b < e->nrun; b++) {
    const run_rows r = rows_of(e, s, &e->run[b]);
    if (!mark[b]) continue;
    FOR_ROWS(e->run[b].count, gather_rows(ROWS, count, e, &r, x, stride))
  }
}

// M^-1 in the columns of a block.
KERNEL lane_vec unit_block(const limb_elimination* e, const limb_dof_table* s, const int* mark, int c, const blocks* x)
{
  clear_rows(1, e, mark, BEFORE_BLOCK, x->Y);
  put_unit_columns(e, s, c, x->Y, LANES);
  return spread_block(1, e, s, mark, BEFORE_BLOCK, x);
}

// -U U' B in the columns of a block
KERNEL lane_vec taken_block(const limb_elimination* e, const limb_dof_table* s, const int* mark, const blocks* x)
{
  clear_rows(1, e, mark, BEFORE_BLOCK | BEHIND_BLOCK, x->Y);
  gather_block(1, e, s, mark, x, 1);
  return spread_block(1, e, s, mark, BEFORE_BLOCK | BEHIND_BLOCK, x);
}

// All three in one go
KERNEL lane_vec three_blocks(const limb_elimination* e, const limb_dof_table* s, const int* mark, int c,
                             const blocks* x)
{
  clear_rows(MATRICES, e, mark, BEFORE_BLOCK | BEHIND_BLOCK, x->Y);
  put_unit_columns(e, s, c, x->Y + 2 * LANES, MATRICES * LANES);
  gather_block(2, e, s, mark, x, MATRICES);
  return spread_block(MATRICES, e, s, mark, BEFORE_BLOCK | BEHIND_BLOCK, x);
}

// From U: X = M^-1, and, unless they are NULL, dq = -M^-1 dq, dv = -M^-1 dv, with entries along the tree, or anywhere.
// n is as many as lanes at least. False: something is not finite.
KERNEL_ENTRY bool lane_tree_inverse(const limb_elimination* e, int n, const limb_dof_table* s, bool anywhere, cell* X,
                                    cell* dq, cell* dv)
{
  lane_vec sum = every_lane(0);
  int* mark = s->list;
  for (int begin = 0; begin < n; begin += LANES) {
    const int c = begin + LANES <= n ? begin : n - LANES;
    blocks x = {{X + c, NULL, NULL}, n, begin - c, behind_rows(e, s)};
    mark_runs(e, c, mark);
    if (TOGETHER == 1 || !dq) sum = add(sum, unit_block(e, s, mark, c, &x));
    if (!dq) continue;
    for (int b = 0; b < e->nrun && anywhere; b++) mark[b] = BEFORE_BLOCK;
    if (TOGETHER > 1) {
      x.A[0] = dq + c, x.A[1] = dv + c, x.A[2] = X + c;
      sum = add(sum, three_blocks(e, s, mark, c, &x));
    } else {
      x.A[0] = dq + c, sum = add(sum, taken_block(e, s, mark, &x));
      x.A[0] = dv + c, sum = add(sum, taken_block(e, s, mark, &x));
    }
  }
  return finite_lanes(sum);
}

#endif
