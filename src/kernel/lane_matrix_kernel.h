// Dense matrices by rows, a block of lanes at a time: inverses of positive definite ones, products.
//
// A matrix of one block: Gauss-Jordan without pivoting. For every k, row k is divided by the pivot and taken
// off all others, and the column that has become a unit vector is replaced by one of the inverse. Larger ones
// go through the factors L'DL (kernel/factor_kernel.h), which follow the tree. Cost n^3, and n sum of depths / 2.
#ifndef LIMB_KERNEL_LANE_MATRIX_KERNEL_H
#define LIMB_KERNEL_LANE_MATRIX_KERNEL_H

#include "kernel/dof_table_kernel.h"

// Rows of a symmetric matrix of n <= LANES, LANES apart in A, become those of its inverse in `row`. Returns
// the smallest margin of a pivot over what may be rounding.
KERNEL cell invert_block(int n, const cell* A, real* row)
{
  real diagonal = zero(), min_pivot = one();
#pragma GCC unroll 8
  for (int i = 0; i < LANES; i++) {
    row[i] = i < n ? some_at(A + (ptrdiff_t)i * LANES, n) : with_lane(zero(), i, lane(one(), 0));
    diagonal = choose(lanes_within(i, i + 1), row[i], diagonal);
  }
#pragma GCC unroll 8
  for (int k = 0; k < LANES; k++) {
    const lane_set at_k = lanes_within(k, k + 1);
    const real pivot = spread(row[k], k);
    min_pivot = lesser_lanes(min_pivot, kmsub(pivot, constant(LIMB_DOUBT_SQUARE), spread(diagonal, k)));
    const real inverse = recip(pivot);
    const real unit = choose(at_k, one(), row[k]);
    const real divided = mul(unit, inverse);
#pragma GCC unroll 8
    for (int i = 0; i < LANES; i++) {
      if (i == k) continue;
      const real factor = spread(row[i], k);
      row[i] = msub(choose(at_k, zero(), row[i]), factor, divided);
    }
    row[k] = divided;
  }
  return lane(min_pivot, 0);
}

// sum of x_i row_i
KERNEL real combine(int n, const real* row, const cell* x)
{
  real even = zero(), odd = zero();
#pragma GCC unroll 8
  for (int i = 0; i < LANES; i++) {
    if (i >= n) continue;
    if (i % 2 == 0) {
      even = madd(even, row[i], every_lane(x[i]));
    } else {
      odd = madd(odd, row[i], every_lane(x[i]));
    }
  }
  return add(even, odd);
}

// Rows are put in order and overwrite what the one before has put behind its end; `left`: cells from here to
// the end of the matrix.
KERNEL void put_over(cell* to, real x, int wide, ptrdiff_t left) { put_some(to, x, left < wide ? (int)left : wide); }

// n x n rows, LANES apart in one matrix, n in the other. Returns their sum.
KERNEL real put_rows_of(int n, const real* row, cell* apart, cell* close)
{
  real sum = zero();
#pragma GCC unroll 8
  for (int i = 0; i < LANES; i++) {
    if (i >= n) continue;
    put_lanes(apart + (ptrdiff_t)i * LANES, row[i]);
    put_over(close + (ptrdiff_t)i * n, row[i], LANES, (ptrdiff_t)(n - i) * n);
    sum = add(sum, row[i]);
  }
  return sum;
}

KERNEL void add_own_slopes(int n, const cell* x, cell* A)
{
  for (int i = 0; i < n && x; i++) A[i * (LANES + 1)] = add_cell(A[i * (LANES + 1)], x[i]);
}

enum { TALL = 8 };

// A block of columns of -A X, eight rows at a time: rows of A are lda apart, those of X LANES, and n of `to`,
// where `wide` cells of each are put. Of X only `count` rows are there, those of the list; NULL: all. Returns the sum.
KERNEL real take_product_block(int n, const cell* A, ptrdiff_t lda, const cell* X, const int* list, int count, cell* to,
                               int wide)
{
  real total = zero();
  for (int i = 0; i < n; i += TALL) {
    const int some = n - i < TALL ? n - i : TALL;
    real sum[TALL];
    const cell* row[TALL];
    for (int r = 0; r < TALL; r++) sum[r] = zero(), row[r] = A + (i + (r < some ? r : 0)) * lda;
    for (int k = 0; k < count; k++) {
      const real x = lanes_at(X + (ptrdiff_t)k * LANES);
      for (int r = 0; r < TALL; r++) sum[r] = msub(sum[r], every_lane(row[r][list ? list[k] : k]), x);
    }
    for (int r = 0; r < some; r++) {
      const ptrdiff_t at = (ptrdiff_t)(i + r) * n;
      put_over(to + at, sum[r], wide, (ptrdiff_t)n * n - at);
      total = add(total, sum[r]);
    }
  }
  return total;
}

// The rows in which so many columns from c on have entries that the tree does not make zero: those on one path with
// theirs, in the user's order. list: 2 n places; returns how many there are.
KERNEL int rows_with_block(const limb_elimination* e, int n, int c, int columns, int* list)
{
  enum { BEHIND = 1, BEFORE = 2 };
  int *mark = list + n, count = 0;
  for (int k = 0; k < n; k++) {
    const bool own = e->v[k] >= c && e->v[k] < c + columns, behind = e->parent[k] >= 0 && mark[e->parent[k]] & BEHIND;
    mark[k] = own ? BEHIND | BEFORE : behind ? BEHIND : 0;
  }
  for (int k = n - 1; k >= 0; k--)
    if (mark[k] & BEFORE && e->parent[k] >= 0) mark[e->parent[k]] |= BEFORE;
  for (int k = 0; k < n; k++)
    if (mark[k]) list[count++] = e->v[k];
  return count;
}

// X = -A X for n x n matrices; X has entries along the tree of e only, which may be NULL: anywhere. work: n LANES
// cells; list: 2 n. False: X is not finite.
KERNEL_ENTRY bool lane_take_product(const limb_elimination* e, int n, const cell* A, cell* X, cell* work, int* list)
{
  const ptrdiff_t N = n;
  real sum = zero();
  for (int k = 0; k < n; k++) list[k] = k;
  for (int c = 0; c < n; c += LANES) {
    const int wide = n - c < LANES ? n - c : LANES, count = e ? rows_with_block(e, n, c, LANES, list) : n;
    for (int k = 0; k < count; k++) put_lanes(work + (ptrdiff_t)k * LANES, some_at(X + list[k] * N + c, wide));
    sum = add(sum, take_product_block(n, A, N, work, list, count, X + c, wide));
  }
  return finite_lanes(sum);
}

enum { GROUP = LANES > 1 ? 4 : 1 }; // blocks at a time, so that sums need not wait for each other

// x = -sum of L_ka X_a over the ancestors in the list, from a column on: `left` there are up to the end of the row.
KERNEL void ancestors_sum(const limb_elimination* e, int n, const cell* factor, const cell* X, const int* list,
                          int depth, int left, real x[GROUP])
{
  const bool whole = left >= GROUP * LANES;
#pragma GCC unroll 4
  for (int b = 0; b < GROUP; b++) x[b] = zero();
  for (int j = 0; j < depth; j++) {
    const real f = every_lane(factor[j]);
    const cell* from = X + e->v[list[j]] * (ptrdiff_t)n;
    if (whole) {
#pragma GCC unroll 4
      for (int b = 0; b < GROUP; b++) x[b] = msub(x[b], f, lanes_at(from + (ptrdiff_t)b * LANES));
      continue;
    }
#pragma GCC unroll 4
    for (int b = 0; b < GROUP; b++) {
      const int wide = left - b * LANES;
      if (wide > 0) x[b] = msub(x[b], f, some_at(from + (ptrdiff_t)b * LANES, wide < LANES ? wide : LANES));
    }
  }
}

// X = M^-1 in the user's order from the factors, row by row from the roots: with L unit lower triangular, L X = D^-1
// L^-T, and that is zero left of the diagonal. So of row k, as far as column k,
//
//   X_k = -sum over its ancestors a of L_ka X_a,      and X_kk gains 1 / D_k
//
// Rows of the ancestors are complete by then, because every row is put as a column, too. Columns stand in the order of
// the elimination until all are there. Cost n sum of depths / 2. Both forms below go through the same operations.

enum { SHORT = 8, SHORT_BLOCKS = SHORT / LANES }; // rows that registers hold, where vectors are wide enough

// Of a short chain: rows stay in registers. Cells that are put one by one would keep those waiting who read whole rows.
KERNEL bool invert_short_chain(int n, const cell* L, cell* X)
{
  real row[SHORT][SHORT_BLOCKS], sum = zero();
#pragma GCC unroll 8
  for (int k = 0; k < SHORT; k++) {
    real* x = row[k];
    for (int b = 0; b < SHORT_BLOCKS; b++) x[b] = zero();
    if (k >= n) continue;
    const cell* factor = L + k * (k + 1) / 2;
#pragma GCC unroll 8
    for (int j = 0; j < k; j++) {
      for (int b = 0; b * LANES < k; b++) x[b] = settled(msub(x[b], every_lane(factor[j]), row[j][b]));
    }
    const lane_set at_k = one_lane(k % LANES);
    real diagonal = every_lane(factor[k]);
#pragma GCC unroll 8
    for (int j = 0; j < k; j++) { // the row as a column, too
      const real entry = spread(x[j / LANES], j % LANES);
      diagonal = msub(diagonal, every_lane(factor[j]), entry);
      row[j][k / LANES] = choose(at_k, entry, row[j][k / LANES]);
    }
    x[k / LANES] = choose(at_k, diagonal, x[k / LANES]);
  }
#pragma GCC unroll 8
  for (int k = 0; k < SHORT; k++) {
    for (int b = 0; b < SHORT_BLOCKS; b++) {
      const int at = k * n + b * LANES;
      if (k >= n || b * LANES >= n) continue;
      put_over(X + at, row[k][b], LANES, n * n - at);
      sum = add(sum, row[k][b]);
    }
  }
  return finite_lanes(sum);
}

// work: n cells; list: n places.
KERNEL_ENTRY bool lane_invert(const limb_elimination* e, int n, const cell* L, cell* X, cell* work, int* list)
{
  if (LANES >= 4 && e->chain && n <= SHORT) return invert_short_chain(n, L, X);
  const ptrdiff_t N = n;
  real sum = zero();
  bool moved = false;
  for (int k = 0; k < n; k++) {
    const int depth = e->depth[k];
    const cell* factor = L + e->row[k];
    cell* row = X + e->v[k] * N;
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) list[e->depth[a]] = a;
    for (int c = 0; c < k; c += GROUP * LANES) {
      real x[GROUP];
      ancestors_sum(e, n, factor, X + c, list, depth, n - c, x);
#pragma GCC unroll 4
      for (int b = 0; b < GROUP; b++) {
        const int at = c + b * LANES;
        if (at >= k) continue;
        put_some(row + at, x[b], n - at < LANES ? n - at : LANES); // later rows overwrite what is behind column k - 1
        sum = add(sum, choose(lanes_within(0, k - at), x[b], zero()));
      }
    }
    real diagonal = every_lane(factor[depth]);
    for (int j = 0; j < depth; j++) diagonal = msub(diagonal, every_lane(factor[j]), every_lane(row[list[j]]));
    row[k] = lane(diagonal, 0);
    sum = add(sum, diagonal);
    for (int c = 0; c < k; c++) X[e->v[c] * N + k] = row[c];
    moved = moved || e->v[k] != k;
  }
  for (int i = 0; i < n && moved; i++) {
    cell* row = X + i * N;
    for (int k = 0; k < n; k++) work[k] = row[k];
    for (int k = 0; k < n; k++) row[e->v[k]] = work[k];
  }
  return finite_lanes(sum);
}

// Columns c ... c + LANES - 1 of a body's moments and forces, from its own axes at its origin to those of the pose X.
KERNEL force moved_terms(const cell* terms, const cell* X, int c, bool forces)
{
  const mat3 R = {every_lane(X[0]), every_lane(X[1]), every_lane(X[2]), every_lane(X[3]), every_lane(X[4]),
                  every_lane(X[5]), every_lane(X[6]), every_lane(X[7]), every_lane(X[8])};
  const cell* at = terms + c;
  const vec3 n = {lanes_at(at), lanes_at(at + BODY_ROW), lanes_at(at + 2 * BODY_ROW)};
  force F = {mulv(R, n), zero3()};
  if (!forces) return F;
  F.f = mulv(R, v3(lanes_at(at + 3 * BODY_ROW), lanes_at(at + 4 * BODY_ROW), lanes_at(at + 5 * BODY_ROW)));
  F.n = add_cross3(F.n, v3(every_lane(X[9]), every_lane(X[10]), every_lane(X[11])), F.f);
  return F;
}

// Rows of a regressor: of every axis (w; v) the products with the ten columns of a body (regressor_kernel.h), which are
// moments n and forces f: w . n + v . f. Only the first four, mass and first moments, have forces. terms: n_x, n_y,
// n_z, f_x, f_y, f_z, each BODY_ROW cells; X: pose of the body. Rows are put, or added to what is there. False:
// something is not finite.
KERNEL_ENTRY bool lane_body_rows(const cell* terms, const cell* X, const cell* axes, const int* dof,
                                 const ptrdiff_t* at, int count, bool more, cell* Y)
{
  enum { COLUMNS = 10, BLOCKS = (COLUMNS + LANES - 1) / LANES, BY_FORCE = 4 };
  force B[BLOCKS];
  real sum = zero();
#pragma GCC unroll 10
  for (int b = 0; b < BLOCKS; b++) B[b] = moved_terms(terms, X, b * LANES, b * LANES < BY_FORCE);
  for (int i = 0; i < count; i++) {
    const cell* S = axes + 6 * (ptrdiff_t)dof[i];
    const vec3 w = {every_lane(S[0]), every_lane(S[1]), every_lane(S[2])};
    const vec3 v = {every_lane(S[3]), every_lane(S[4]), every_lane(S[5])};
    cell* row = Y + at[i];
#pragma GCC unroll 10
    for (int b = 0; b < BLOCKS; b++) {
      const int c = b * LANES, wide = COLUMNS - c < LANES ? COLUMNS - c : LANES;
      real y = dot3(w, B[b].n);
      if (c < BY_FORCE) y = add_dot3(y, v, B[b].f);
      if (more) y = add(y, some_at(row + c, wide));
      put_some(row + c, y, wide);
      sum = add(sum, scale(constant(0x1p-20), y)); // finite if all y are
    }
  }
  return finite_lanes(sum);
}

#endif
