// Dense matrices by rows, a block of lanes at a time: inverses of positive definite ones, products.
//
// A matrix of one block: Gauss-Jordan without pivoting. For every k, row k is divided by the pivot and taken
// off all others, and the column that has become a unit vector is replaced by one of the inverse. Larger ones
// are swept run by run, along the tree. Scalars that are no vectors go through the factors L'DL
// (kernel/state_matrix_kernel.h).
#ifndef LIMB_KERNEL_LANE_MATRIX_KERNEL_H
#define LIMB_KERNEL_LANE_MATRIX_KERNEL_H

#include "kernel/dof_table_kernel.h"

// Rows of a symmetric matrix of n <= LANES, behind them those of the unit matrix, become those of its inverse. Returns
// the smallest margin of a pivot over this share of the diagonal, which may be rounding.
KERNEL cell invert_rows(int n, par doubt, real diagonal, real* row)
{
  real min_pivot = one();
#pragma GCC unroll 8
  for (int k = LANES - 1; k >= 0; k--) {
    if (k >= n) continue;
    const lane_set at_k = lanes_within(k, k + 1);
    const real pivot = spread(row[k], k);
    min_pivot = lesser_lanes(min_pivot, kmsub(pivot, doubt, spread(diagonal, k)));
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

KERNEL real unit_row(int i) { return with_lane(zero(), i, lane(one(), 0)); }

// The same of rows that are LANES apart in A.
KERNEL cell invert_block(int n, const cell* A, real* row)
{
  real diagonal = zero();
#pragma GCC unroll 8
  for (int i = 0; i < LANES; i++) {
    row[i] = i < n ? some_at(A + (ptrdiff_t)i * LANES, n) : unit_row(i);
    diagonal = choose(lanes_within(i, i + 1), row[i], diagonal);
  }
  return invert_rows(n, constant(LIMB_DOUBT_SQUARE), diagonal, row);
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

// -A X of one block, n <= LANES rows of each LANES apart, A symmetric, to rows n apart. Returns the sum.
KERNEL real take_block_product(int n, const cell* A, const cell* X, cell* to)
{
  real sum[LANES], total = zero();
#pragma GCC unroll 8
  for (int r = 0; r < LANES; r++) sum[r] = zero();
  for (int k = 0; k < n; k++) {
    const cell* a = A + (ptrdiff_t)k * LANES;
    const real x = lanes_at(X + (ptrdiff_t)k * LANES);
#pragma GCC unroll 8
    for (int r = 0; r < LANES; r++) sum[r] = msub(sum[r], every_lane(a[r]), x);
  }
#pragma GCC unroll 8
  for (int r = 0; r < LANES; r++) {
    if (r >= n) continue;
    put_over(to + (ptrdiff_t)r * n, sum[r], LANES, (ptrdiff_t)(n - r) * n);
    total = add(total, sum[r]);
  }
  return total;
}

#if defined(__AVX512F__)
enum { TALL = 8 }; // rows of a tile
#else
enum { TALL = 4 };
#endif

// So many rows of a block of columns of -A X, A symmetric: row k of A, from the first of them on, stands for its
// column. Of X only `count` rows are there, LANES apart, those of the list. Puts `wide` of the columns into rows n
// apart; returns the sum.
KERNEL real take_product_tile(const int tall, int n, const cell* A, const cell* X, const int* list, int count, int wide,
                              cell* to)
{
  real sum[TALL], total = zero();
#pragma GCC unroll 8
  for (int r = 0; r < tall; r++) sum[r] = zero();
  for (int k = 0; k < count; k++) {
    const cell* a = A + list[k] * (ptrdiff_t)n;
    const real x = lanes_at(X + (ptrdiff_t)k * LANES);
#pragma GCC unroll 8
    for (int r = 0; r < tall; r++) sum[r] = msub(sum[r], every_lane(a[r]), x);
  }
#pragma GCC unroll 8
  for (int r = 0; r < tall; r++) {
    put_some(to + r * (ptrdiff_t)n, sum[r], wide);
    total = add(total, sum[r]);
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

// A block of columns from c on of X = -A X. X has entries in so many rows of the list only. Returns the sum.
KERNEL real take_product_block(int n, const cell* A, cell* X, int c, cell* work, const int* list, int count)
{
  const int wide = n - c < LANES ? n - c : LANES;
  real sum = zero();
  for (int k = 0; k < count; k++) put_lanes(work + (ptrdiff_t)k * LANES, some_at(X + list[k] * (ptrdiff_t)n + c, wide));
  for (int next = 0; next < n; next += n < TALL ? 1 : TALL) { // the last tile makes some rows twice
    const ptrdiff_t i = n < TALL || next + TALL <= n ? next : n - TALL;
    cell* to = X + i * n + c;
    sum = add(sum, n < TALL ? take_product_tile(1, n, A + i, work, list, count, wide, to)
                            : take_product_tile(TALL, n, A + i, work, list, count, wide, to));
  }
  return sum;
}

// X = -A X and Y = -A Y for n x n matrices, A symmetric; X and Y have entries along the tree of e only, which may be
// NULL: anywhere. work: n LANES cells; list: 2 n places. False: something is not finite.
KERNEL_ENTRY bool lane_take_products(const limb_elimination* e, int n, const cell* A, cell* X, cell* Y, cell* work,
                                     int* list)
{
  cell* const to[2] = {X, Y};
  real sum = zero();
  for (int k = 0; k < n; k++) list[k] = k;
  for (int c = 0; c < n; c += LANES) {
    const int count = e ? rows_with_block(e, n, c, LANES, list) : n;
    for (int x = 0; x < 2; x++) sum = add(sum, take_product_block(n, A, to[x], c, work, list, count));
  }
  return finite_lanes(sum);
}

// y = A x, A symmetric
KERNEL_ENTRY void lane_times(int n, const cell* A, const cell* x, cell* y)
{
  for (int c = 0; c < n; c += LANES) {
    const int wide = n - c < LANES ? n - c : LANES;
    real even = zero(), odd = zero();
    for (int k = 0; k < n; k++) {
      const real a = some_at(A + k * (ptrdiff_t)n + c, wide), b = every_lane(x[k]);
      const real sum = madd(even, a, b);
      even = odd, odd = sum;
    }
    put_some(y + c, add(even, odd), wide);
  }
}

// ---- inverses along the tree -------------------------------------------------------------------------------

// X = M^-1 in the user's order, in place, run by run from the leaves to the roots.
//
// Reference: Goodnight, A tutorial on the SWEEP operator, The American Statistician 33, 1979; Featherstone 2008,
//            section 6.5: M has entries along the tree only, and elimination from the leaves makes no others.
// Cost:      O(sum over runs of their width times (rows above and behind)^2).
//
// A run R is a chain of rows that are neighbours in the user's order, at most as many as lanes. With K = M_RR^-1, and
// rows and columns r, s above it and behind it,
//
//   P = K M_Rs,      M_RR <- -K,      M_Rs <- P,      M_rR <- P_Rr',      M_rs <- M_rs - M_rR P_Rs
//
// which leaves -M^-1 once all runs are swept. M stays symmetric: M_rR is read from the rows of R.

typedef struct run_sweep {
  cell* A;
  ptrdiff_t stride;
  int n;            // columns
  int first, width; // rows of the run, and its columns, in the user's order
  int rows, blocks; // how many are above or behind, blocks with columns of these or of the run
  int *row, *block; // user's numbers, and first columns: LANES are there from each
  cell* P;          // by blocks, LANES rows each
} run_sweep;

// Columns of a block that the one before it has, too: only the last one has some.
KERNEL int shared_columns(const run_sweep* s, int b)
{
  return b > 0 && s->block[b] < s->block[b - 1] + LANES ? s->block[b - 1] + LANES - s->block[b] : 0;
}

KERNEL cell* run_rows(const run_sweep* s, int b) { return s->P + b * LANES * (ptrdiff_t)LANES; }

// P = K M_Rs with -K in the columns of the run, where -1 has been put in place of M_RR. K: LANES apart
KERNEL void find_run_rows(const run_sweep* s, const cell* K)
{
  for (int b = 0; b < s->blocks; b++) {
    const cell* from = s->A + s->first * s->stride + s->block[b];
    real sum[LANES];
#pragma GCC unroll 8
    for (int i = 0; i < LANES; i++) sum[i] = zero();
    for (int k = 0; k < s->width; k++, from += s->stride) {
      const real x = lanes_at(from);
#pragma GCC unroll 8
      for (int i = 0; i < LANES; i++) sum[i] = madd(sum[i], every_lane(K[k * LANES + i]), x);
    }
#pragma GCC unroll 8
    for (int i = 0; i < LANES; i++) put_lanes(run_rows(s, b) + (ptrdiff_t)i * LANES, sum[i]);
  }
}

// M_rR of LANES rows at most, `some`, as the rows of R have it; G: where it goes if these rows are no neighbours.
KERNEL const cell* factors_of_rows(const run_sweep* s, const int* row, int some, cell* G, ptrdiff_t* apart)
{
  const cell* at = s->A + s->first * s->stride;
  bool neighbours = row[0] + LANES <= s->n;
  for (int i = 1; i < some; i++) neighbours = neighbours && row[i] == row[0] + i;
  *apart = neighbours ? s->stride : LANES;
  if (neighbours) return at + row[0];
  for (int k = 0; k < s->width; k++, at += s->stride)
    for (int i = 0; i < LANES; i++) G[k * LANES + i] = at[row[i < some ? i : 0]];
  return G;
}

// M_rs - M_rR P_Rs of at most LANES rows from number r in the list on; last: signs turn. Returns the sum.
KERNEL real sweep_tile(const run_sweep* s, const bool last, int r)
{
  const int *row = s->row + r, some = s->rows - r < LANES ? s->rows - r : LANES;
  cell G[LANES * LANES];
  ptrdiff_t apart;
  const cell* const factor = factors_of_rows(s, row, some, G, &apart);
  cell* to[LANES];
  real total = zero();
#pragma GCC unroll 8
  for (int i = 0; i < LANES; i++) to[i] = s->A + row[i < some ? i : 0] * s->stride;
  for (int b = 0; b < s->blocks; b++) {
    const int c = s->block[b], done = shared_columns(s, b), first = s->first - c;
    const lane_set own = lanes_within(first < done ? done : first, first + s->width);
    const cell *P = run_rows(s, b), *f = factor;
    real x[LANES];
#pragma GCC unroll 8
    for (int i = 0; i < LANES; i++) x[i] = choose(own, zero(), lanes_at(to[i] + c));
    for (int k = 0; k < s->width; k++, f += apart, P += LANES) {
      real p = lanes_at(P);
      if (done > 0) p = choose(lanes_within(0, done), zero(), p);
#pragma GCC unroll 8
      for (int i = 0; i < LANES; i++) x[i] = msub(x[i], every_lane(f[i]), p);
    }
#pragma GCC unroll 8
    for (int i = 0; i < LANES; i++) {
      if (i >= some) continue;
      if (last && done > 0) x[i] = choose(lanes_within(0, done), neg(x[i]), x[i]);
      put_lanes(to[i] + c, last ? neg(x[i]) : x[i]);
      if (last) total = add(total, x[i]);
    }
  }
  return total;
}

// All rows above the run and behind it, and then its own. Returns the sum.
KERNEL real sweep_others(const run_sweep* s, const bool last)
{
  real total = zero();
  for (int r = 0; r < s->rows; r += LANES) total = add(total, sweep_tile(s, last, r));
  for (int b = 0; b < s->blocks; b++) {
    const cell* P = run_rows(s, b);
    cell* to = s->A + s->first * s->stride + s->block[b];
    for (int k = 0; k < s->width; k++, P += LANES, to += s->stride) {
      const real x = lanes_at(P);
      put_lanes(to, last ? neg(x) : x);
      if (last) total = add(total, x);
    }
  }
  return total;
}

// A run that is prepared. Returns the smallest margin of a pivot.
KERNEL cell sweep_run(const run_sweep* s, const cell* diagonal, bool last, real* total)
{
  real row[LANES];
  cell K[LANES * LANES];
  cell* const own = s->A + s->first * (s->stride + 1);
#pragma GCC unroll 8
  for (int i = 0; i < LANES; i++) row[i] = i < s->width ? some_at(own + i * s->stride, s->width) : unit_row(i);
  for (int i = 0; i < s->width; i++)
    for (int j = 0; j < s->width; j++) own[i * s->stride + j] = lane(i == j ? neg(one()) : zero(), 0);
  const real held = some_at(diagonal + s->first, s->width);
  const cell min_pivot = invert_rows(s->width, constant(LIMB_DOUBT), held, row);
#pragma GCC unroll 8
  for (int i = 0; i < LANES; i++) put_lanes(K + (ptrdiff_t)i * LANES, row[i]);
  find_run_rows(s, K);
  *total = add(*total, last ? sweep_others(s, true) : sweep_others(s, false));
  return min_pivot;
}

// Rows above the run first ... end - 1 and behind it (leaf: there are none), and the blocks in which these and the run
// have columns. list: two places for each row.
KERNEL void find_run(const limb_elimination* e, int rows, int first, int end, bool leaf, int* list, run_sweep* s)
{
  const int above = e->depth[first];
  int *mark = list + rows, a = e->parent[first];
  s->first = e->v[first], s->width = end - first;
  s->row = list, s->block = mark, s->rows = above, s->blocks = 0;
  for (int i = above - 1; i >= 0; i--, a = e->parent[a]) list[i] = e->v[a];
  for (int k = first; k < rows && !leaf; k++) {
    mark[k] = k < end || (e->parent[k] >= first && mark[e->parent[k]]);
    if (k >= end && mark[k]) list[s->rows++] = e->v[k];
  }
  const int count = (s->n + LANES - 1) / LANES;
  for (int b = 0; b < count; b++) mark[b] = 0;
  for (int r = 0; r < s->rows; r++) mark[(unsigned)list[r] / LANES] = 1;
  for (int k = 0; k < s->width; k++) mark[(unsigned)(s->first + k) / LANES] = 1;
  for (int b = 0; b < count; b++)
    if (mark[b]) s->block[s->blocks++] = (b + 1) * LANES <= s->n ? b * LANES : s->n - LANES;
}

// The first row of the run that ends with row k: neighbours, none of which carries others besides. Rows behind k are
// done.
KERNEL int begin_of_sweep(const limb_elimination* e, int k, const int* carries)
{
  int first = k;
  while (k - first + 1 < LANES && first > 0 && e->parent[first] == first - 1 && !carries[first - 1] &&
         e->v[first - 1] == e->v[first] - 1)
    first--;
  return first;
}

// P: LANES (n + LANES) cells; diagonal: a number for each of the rows; list: three places.
KERNEL cell sweep_rows(const limb_elimination* e, int rows, run_sweep s, cell* diagonal, int* list, bool* finite)
{
  real total = zero(), min_pivot = one();
  int* carries = list + 2 * (ptrdiff_t)rows; // rows that carry others which are done
  for (int k = 0; k < rows; k++) diagonal[k] = s.A[k * (s.stride + 1)], carries[k] = 0;
  for (int end = rows, first; end > 0; end = first) {
    first = begin_of_sweep(e, end - 1, carries);
    if (e->parent[first] >= 0) carries[e->parent[first]] = 1;
    find_run(e, rows, first, end, !carries[end - 1], list, &s);
    const cell margin = sweep_run(&s, diagonal, e->parent[first] < 0, &total);
    min_pivot = lesser_lanes(min_pivot, every_lane(margin));
  }
  *finite = finite_lanes(total);
  return lane(min_pivot, 0);
}

// M of n rows becomes its inverse. Returns the smallest margin of a pivot.
KERNEL_ENTRY cell lane_sweep(const limb_elimination* e, int n, cell* M, cell* work, cell* diagonal, int* list,
                             bool* finite)
{
  run_sweep s = {.A = M, .stride = n, .n = n, .P = work};
  if (n >= LANES) return sweep_rows(e, n, s, diagonal, list, finite);
  cell A[LANES * LANES];
  for (int i = 0; i < LANES; i++)
    put_lanes(A + (ptrdiff_t)i * LANES, i < n ? some_at(M + (ptrdiff_t)i * n, n) : zero());
  s.A = A, s.stride = s.n = LANES;
  const cell min_pivot = sweep_rows(e, n, s, diagonal, list, finite);
  for (int i = 0; i < n; i++) put_some(M + (ptrdiff_t)i * n, lanes_at(A + (ptrdiff_t)i * LANES), n);
  return min_pivot;
}

// ---- inverses of short chains ------------------------------------------------------------------------------

// X = M^-1 from the factors, row by row from the roots: with L unit lower triangular, L X = D^-1 L^-T, and that is zero
// left of the diagonal. So of row k, as far as column k,
//
//   X_k = -sum over its ancestors a of L_ka X_a,      and X_kk gains 1 / D_k
//
// Rows of the ancestors are complete by then, because every row is put as a column, too. Cost n^3 / 2.

enum { SHORT = 8, SHORT_BLOCKS = SHORT / LANES }; // rows that registers hold, where vectors are wide enough

// Of a short chain: rows stay in registers. Cells that are put one by one would keep those waiting who read whole rows.
KERNEL_ENTRY bool lane_invert(const limb_elimination* e, int n, const cell* L, cell* X, cell* work, int* list)
{
  (void)e, (void)work, (void)list;
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
