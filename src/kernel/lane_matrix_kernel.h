// Dense matrices by rows, a block of lanes at a time: inverses of positive definite ones, products.
//
// A matrix of one block: Gauss-Jordan without pivoting. For every k, row k is divided by the pivot and taken
// off all others, and the column that has become a unit vector is replaced by one of the inverse. Larger ones
// go through the factors L'DL (kernel/factor_kernel.h), which follow the tree: as many columns at once as there
// are lanes. Cost n^3, and n sum of depths.
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

// Rows are put in order and overwrite what the one before has put behind its end; `room`: cells from here to
// the end of the matrix.
KERNEL void put_over(cell* to, real x, int wide, ptrdiff_t room) { put_some(to, x, room < wide ? (int)room : wide); }

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

// A block of columns of -A X, four rows at a time: rows of A are lda apart, those of X LANES, and n of `to`,
// where `wide` cells of each are put. Returns their sum.
KERNEL real take_product_block(int n, const cell* A, ptrdiff_t lda, const cell* X, cell* to, int wide)
{
  real total = zero();
  for (int i = 0; i < n; i += 4) {
    const int some = n - i < 4 ? n - i : 4;
    real sum[4] = {zero(), zero(), zero(), zero()};
    const cell* row[4];
    for (int r = 0; r < 4; r++) row[r] = A + (i + (r < some ? r : 0)) * lda;
    for (int k = 0; k < n; k++) {
      const real x = lanes_at(X + (ptrdiff_t)k * LANES);
      for (int r = 0; r < 4; r++) sum[r] = msub(sum[r], every_lane(row[r][k]), x);
    }
    for (int r = 0; r < some; r++) {
      const ptrdiff_t at = (ptrdiff_t)(i + r) * n;
      put_over(to + at, sum[r], wide, (ptrdiff_t)n * n - at);
      total = add(total, sum[r]);
    }
  }
  return total;
}

// X = -A X for n x n matrices. work: n LANES cells. False: X is not finite.
KERNEL_ENTRY bool lane_take_product(int n, const cell* A, cell* X, cell* work)
{
  const ptrdiff_t N = n;
  real sum = zero();
  for (int c = 0; c < n; c += LANES) {
    const int wide = n - c < LANES ? n - c : LANES;
    for (int k = 0; k < n; k++) put_lanes(work + (ptrdiff_t)k * LANES, some_at(X + k * N + c, wide));
    sum = add(sum, take_product_block(n, A, N, work, X + c, wide));
  }
  return finite_lanes(sum);
}

// M^-1 of as many columns as there are lanes, in rows of the elimination; those from `last` on are zero.
KERNEL void solve_block(const limb_elimination* e, int n, int last, const cell* L, cell* x)
{
  for (int k = last; k >= 0; k--) { // L' y = x
    const cell* row = L + e->row[k];
    const real xk = lanes_at(x + (ptrdiff_t)k * LANES);
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) {
      cell* xa = x + (ptrdiff_t)a * LANES;
      put_lanes(xa, msub(lanes_at(xa), every_lane(row[e->depth[a]]), xk));
    }
  }
  for (int k = 0; k < n; k++) { // D L x = y
    const cell* row = L + e->row[k];
    real xk = settled(mul(lanes_at(x + (ptrdiff_t)k * LANES), every_lane(row[e->depth[k]])));
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) {
      xk = msub(xk, every_lane(row[e->depth[a]]), lanes_at(x + (ptrdiff_t)a * LANES));
    }
    put_lanes(x + (ptrdiff_t)k * LANES, xk);
  }
}

// X = M^-1 in the user's order from the factors. work: n LANES cells. False: X is not finite.
KERNEL_ENTRY bool lane_invert(const limb_elimination* e, int n, const cell* L, cell* X, cell* work)
{
  const ptrdiff_t N = n;
  real sum = zero();
  for (int c = 0; c < n; c += LANES) {
    const int wide = n - c < LANES ? n - c : LANES;
    int last = 0;
    for (int k = 0; k < n; k++) {
      const int l = e->v[k] - c;
      put_lanes(work + (ptrdiff_t)k * LANES, choose(lanes_within(l, l + 1), one(), zero()));
      if (l >= 0 && l < LANES) last = k;
    }
    solve_block(e, n, last, L, work);
    for (int k = 0; k < n; k++) {
      const real x = lanes_at(work + (ptrdiff_t)k * LANES);
      put_some(X + e->v[k] * N + c, x, wide);
      sum = add(sum, x);
    }
  }
  return finite_lanes(sum);
}

#endif
