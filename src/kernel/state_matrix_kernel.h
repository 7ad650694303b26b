// Inverses of mass matrices, and products with them, for scalars that hold states: several columns and rows at a time,
// so that a number is loaded once for several products.
//
// What they compute is what kernel/lane_matrix_kernel.h has for lanes.
#ifndef LIMB_KERNEL_STATE_MATRIX_KERNEL_H
#define LIMB_KERNEL_STATE_MATRIX_KERNEL_H

#include "kernel/lane_matrix_kernel.h"

enum { BROAD = 4 }; // columns of a tile; and rows, as many as registers hold
#ifdef __AVX512F__
enum { HIGH = 6 };
#else
enum { HIGH = 2 };
#endif

// ---- X = M^-1 from the factors L' D L ------------------------------------------------------------------------

// -sum of L_ka X_a over the ancestors in the list, for `wide` columns from c on in the order of the elimination.
KERNEL void ancestors_tile(const limb_elimination* e, int n, const cell* factor, const cell* X, const int* list,
                           int depth, int c, const int wide, real* x)
{
  ptrdiff_t at[2 * BROAD];
#pragma GCC unroll 8
  for (int b = 0; b < wide; b++) at[b] = e->v[c + b], x[b] = zero();
  for (int j = 0; j < depth; j++) {
    const cell* from = X + list[j] * (ptrdiff_t)n;
    const real f = factor[j];
#pragma GCC unroll 8
    for (int b = 0; b < wide; b++) x[b] = msub(x[b], f, from[at[b]]);
  }
}

// Row by row from the roots, as lane_invert: row k is complete left of the diagonal, and is put as a column, too.
// list: n places. False: X is not finite.
KERNEL_ENTRY bool state_invert(const limb_elimination* e, int n, const cell* L, cell* X, cell* work, int* list)
{
  const ptrdiff_t N = n;
  real sum = zero();
  (void)work;
  for (int k = 0; k < n; k++) {
    const int depth = e->depth[k];
    const cell* factor = L + e->row[k];
    cell* row = X + e->v[k] * N;
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) list[e->depth[a]] = e->v[a];
    for (int c = 0; c < k;) {
      real x[2 * BROAD];
      const int wide = c + 2 * BROAD <= k ? 2 * BROAD : 1;
      if (wide > 1) {
        ancestors_tile(e, n, factor, X, list, depth, c, 2 * BROAD, x);
      } else {
        ancestors_tile(e, n, factor, X, list, depth, c, 1, x);
      }
      for (int b = 0; b < wide; b++, c++) {
        row[e->v[c]] = X[e->v[c] * N + e->v[k]] = x[b];
        sum = add(sum, x[b]);
      }
    }
    real diagonal = factor[depth];
    for (int j = 0; j < depth; j++) diagonal = msub(diagonal, factor[j], row[list[j]]);
    row[e->v[k]] = diagonal;
    sum = add(sum, diagonal);
  }
  return finite_lanes(sum);
}

// ---- X = -A X ------------------------------------------------------------------------------------------------

// `high` rows of BROAD columns: A's row k stands for its column, x has BROAD numbers of every row in the list. Puts
// `wide` of the columns, the first at `to`; returns their sum.
KERNEL real product_tile(const int high, int n, const cell* A, const cell* x, const int* list, int count, cell* to,
                         int wide)
{
  real y[HIGH][BROAD], sum = zero();
#pragma GCC unroll 8
  for (int r = 0; r < high; r++) {
#pragma GCC unroll 8
    for (int b = 0; b < BROAD; b++) y[r][b] = zero();
  }
  for (int k = 0; k < count; k++, x += BROAD) {
    const cell* a = A + list[k] * (ptrdiff_t)n;
#pragma GCC unroll 8
    for (int r = 0; r < high; r++) {
#pragma GCC unroll 8
      for (int b = 0; b < BROAD; b++) y[r][b] = msub(y[r][b], a[r], x[b]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < high; r++) {
#pragma GCC unroll 8
    for (int b = 0; b < BROAD; b++) {
      if (b < wide) to[r * (ptrdiff_t)n + b] = y[r][b], sum = add(sum, y[r][b]);
    }
  }
  return sum;
}

// A symmetric, X with entries along the tree of e; NULL: anywhere. work: BROAD n cells; list: 2 n places. False: X is
// not finite.
KERNEL_ENTRY bool state_take_product(const limb_elimination* e, int n, const cell* A, cell* X, cell* work, int* list)
{
  real sum = zero();
  for (int k = 0; k < n; k++) list[k] = k;
  for (int c = 0; c < n; c += BROAD) {
    const int wide = n - c < BROAD ? n - c : BROAD, count = e ? rows_with_block(e, n, c, wide, list) : n;
    for (int k = 0; k < count; k++) {
      for (int b = 0; b < BROAD; b++) work[k * BROAD + b] = b < wide ? X[list[k] * (ptrdiff_t)n + c + b] : zero();
    }
    int i = 0;
    for (; i + HIGH <= n; i += HIGH)
      sum = add(sum, product_tile(HIGH, n, A + i, work, list, count, X + i * (ptrdiff_t)n + c, wide));
    for (; i < n; i++) sum = add(sum, product_tile(1, n, A + i, work, list, count, X + i * (ptrdiff_t)n + c, wide));
  }
  return finite_lanes(sum);
}

#endif
