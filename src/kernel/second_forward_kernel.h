// Second derivatives of forward dynamics, all tensors, from those of inverse dynamics, a block of lanes at a time.
//
// Reference: M a + h = tau differentiated twice. Of T, the tensors of inverse dynamics at the accelerations a, with
//            a_q = da/dq and so on, and D_j = dM/dq_j, which is T_qa:
//
//   d2a/dq_j dq_k = -M^-1 (T_qq + D_j a_q e_k + D_k a_q e_j)      d2a/dv_j dv_k   = -M^-1 T_vv
//   d2a/dq_j dv_k = -M^-1 (T_qv + D_j a_v e_k)                    d2a/dq_j dtau_k = -M^-1 D_j M^-1 e_k
//
// Cost:      products with D of what stands on one way, O(n^2 depth^2); with M^-1 O(n^4), of rows that are not zero.
//
// Tensors are in the user's order, [i][j][k], and change in place. Entry (i, m) of D_j is not zero only if all three
// are on one way.
#ifndef LIMB_KERNEL_SECOND_FORWARD_KERNEL_H
#define LIMB_KERNEL_SECOND_FORWARD_KERNEL_H

#include "kernel/dof_table_kernel.h"

enum {
  BY_Q = 0, // slopes of the accelerations side by side: by q, by v, by tau
  BY_V = 1,
  BY_TAU = 2,
  SLOPES = 3,
  TILE_COLUMNS = 4,                    // vectors of a tile of a product with M^-1
  TILE_ROWS = LANES == 8 ? 6 : 2,      // and rows, as registers allow
  TOGETHER_SLOPES = LANES == 8 ? 8 : 4 // vectors of a row of slopes at a time
};

_Static_assert((int)TILE_COLUMNS* LANES <= LIMB_SOLVE_COLUMNS, "the work of forward_second holds a block of columns");

// Of a call; rows of whole vectors are `wide` cells.
typedef struct forward_tensors {
  const limb_model* m;
  ptrdiff_t n, wide;
  cell* slope; // n rows of SLOPES matrices
  cell* row;   // D_j times such a row, one of them
  cell* part;  // n rows: D_j a_q of one i
  cell* block; // n rows of TILE_COLUMNS vectors
  int* way;    // n: velocities that stand on one way with two others
  int* dof;    // n: compiled dof of a velocity
  int* link;   // n: link of a compiled dof
} forward_tensors;

KERNEL forward_tensors forward_tensors_in(const limb_model* m, cell* work, int* list)
{
  const ptrdiff_t n = m->nv, wide = limb_solve_width(m);
  forward_tensors x = {m, n, wide, work, NULL, NULL, NULL, list, list + n, list + 2 * n};
  x.row = x.slope + SLOPES * n * wide;
  x.part = x.row + SLOPES * wide;
  x.block = x.part + n * wide;
  for (int c = 0; c < m->ncdof; c++) x.dof[m->dof[c].v] = c;
  for (int l = 0; l < m->nlink; l++)
    for (int c = m->link[l].dof; c < end_of_dofs(&m->link[l]); c++) x.link[c] = l;
  return x;
}

// A whole row from one of n numbers, zeros behind.
KERNEL void widen(ptrdiff_t n, const cell* from, cell* to)
{
  for (ptrdiff_t k = 0; k < n; k += LANES) put_lanes(to + k, some_at(from + k, n - k < LANES ? (int)(n - k) : LANES));
}

KERNEL void load_slopes(const forward_tensors* x, const lane_out* first)
{
  const cell* const from[SLOPES] = {first->dq, first->dv, first->M};
  for (ptrdiff_t i = 0; i < x->n; i++)
    for (int k = 0; k < SLOPES; k++) widen(x->n, from[k] + i * x->n, x->slope + (i * SLOPES + k) * x->wide);
}

// ---- ways ----------------------------------------------------------------------------------------------------

KERNEL int last_behind(const limb_model* m, const limb_link* l) { return end_of_dofs(&m->link[l->end - 1]); }

// Of the dofs of two velocities the deeper one; -1: they are not on one way.
KERNEL int deeper_of(const forward_tensors* x, ptrdiff_t i, ptrdiff_t j)
{
  const int a = x->dof[i], b = x->dof[j], low = a < b ? a : b, high = a < b ? b : a;
  return high < last_behind(x->m, &x->m->link[x->link[low]]) ? high : -1;
}

// Velocities before dof c, on its link and behind it. Returns how many.
KERNEL int way_through(const forward_tensors* x, int c)
{
  const limb_model* m = x->m;
  const limb_link* own = &m->link[x->link[c]];
  int count = 0;
  for (int d = own->dof; d < last_behind(m, own); d++) x->way[count++] = m->dof[d].v;
  for (int l = own->parent; l >= 0; l = m->link[l].parent)
    for (int d = m->link[l].dof; d < end_of_dofs(&m->link[l]); d++) x->way[count++] = m->dof[d].v;
  return count;
}

// ---- products with D -----------------------------------------------------------------------------------------

// x->row = sum over the way of D_im times row m of the slopes.
KERNEL void combine_slopes(const forward_tensors* x, int count, const cell* D)
{
  const ptrdiff_t end = SLOPES * x->wide;
  for (ptrdiff_t k = 0; k < end; k += (ptrdiff_t)TOGETHER_SLOPES * LANES) {
    const int vectors = end - k < (ptrdiff_t)TOGETHER_SLOPES * LANES ? (int)(end - k) / LANES : TOGETHER_SLOPES;
    real y[TOGETHER_SLOPES];
#pragma GCC unroll 8
    for (int b = 0; b < TOGETHER_SLOPES; b++) y[b] = zero();
    for (int s = 0; s < count; s++) {
      const int m = x->way[s];
      const real d = every_lane(D[m]);
      const cell* from = x->slope + m * end + k;
#pragma GCC unroll 8
      for (int b = 0; b < TOGETHER_SLOPES; b++)
        if (b < vectors) y[b] = madd(y[b], d, lanes_at(from + (ptrdiff_t)b * LANES));
    }
#pragma GCC unroll 8
    for (int b = 0; b < TOGETHER_SLOPES; b++)
      if (b < vectors) put_lanes(x->row + k + (ptrdiff_t)b * LANES, y[b]);
  }
}

KERNEL void add_row(ptrdiff_t n, const cell* from, cell* to)
{
  for (ptrdiff_t k = 0; k < n; k += LANES) {
    const int wide = n - k < LANES ? (int)(n - k) : LANES;
    put_some(to + k, add(some_at(to + k, wide), lanes_at(from + k)), wide);
  }
}

// A += P + P', by squares of lanes
KERNEL void add_symmetric(ptrdiff_t n, ptrdiff_t wide, const cell* P, cell* A)
{
  for (ptrdiff_t i = 0; i < n; i += LANES) {
    for (ptrdiff_t j = 0; j < n; j += LANES) {
      real y[LANES];
      const int right = n - j < LANES ? (int)(n - j) : LANES;
#pragma GCC unroll 8
      for (int r = 0; r < LANES; r++) y[r] = j + r < n ? lanes_at(P + (j + r) * wide + i) : zero();
      turn_square(y);
#pragma GCC unroll 8
      for (int r = 0; r < LANES; r++) {
        if (i + r >= n) break;
        cell* to = A + (i + r) * n + j;
        put_some(to, add(some_at(to, right), add(lanes_at(P + (i + r) * wide + j), y[r])), right);
      }
    }
  }
}

// Entries [i] of the tensors: what D adds, and D M^-1.
KERNEL void change_slice(const forward_tensors* x, const second_out* out, int i)
{
  const ptrdiff_t n = x->n, nn = n * n, wide = x->wide;
  for (ptrdiff_t k = 0; k < n * wide; k += LANES) put_lanes(x->part + k, zero());
  for (ptrdiff_t j = 0; j < n; j++) {
    const int deepest = deeper_of(x, i, j);
    if (deepest < 0) continue;
    cell* D = out->dqdx + i * nn + j * n;
    combine_slopes(x, way_through(x, deepest), D);
    for (ptrdiff_t k = 0; k < wide; k += LANES) put_lanes(x->part + j * wide + k, lanes_at(x->row + k));
    if (out->dqdv) add_row(n, x->row + BY_V * wide, out->dqdv + i * nn + j * n);
    for (ptrdiff_t k = 0; k < n; k += LANES)
      put_some(D + k, lanes_at(x->row + BY_TAU * wide + k), n - k < LANES ? (int)(n - k) : LANES);
  }
  if (out->dqdq) add_symmetric(n, wide, x->part, out->dqdq + i * nn);
}

// ---- products with M^-1 ----------------------------------------------------------------------------------------

// Rows [i] that may be other than zero in columns from c on, (j, k) at j n + k: all, or those on one way with a j.
KERNEL int rows_of_columns(const forward_tensors* x, bool all, ptrdiff_t c, ptrdiff_t end)
{
  int count = 0;
  for (int i = 0; i < x->n; i++) {
    bool found = all;
    for (ptrdiff_t j = c / x->n; j * x->n < end && !found; j++) found = deeper_of(x, i, j) >= 0;
    if (found) x->way[count++] = i;
  }
  return count;
}

// TILE_ROWS rows of -M^-1 times the block: `left` of them count. Returns their sum.
KERNEL real solve_tile(const forward_tensors* x, int count, ptrdiff_t first, int left, ptrdiff_t columns, cell* T)
{
  const ptrdiff_t nn = x->n * x->n, apart = SLOPES * x->wide;
  const cell* from[TILE_ROWS];
  real y[TILE_ROWS][TILE_COLUMNS], sum = zero();
#pragma GCC unroll 8
  for (int r = 0; r < TILE_ROWS; r++) {
    from[r] = x->slope + (first + (r < left ? r : 0)) * apart + BY_TAU * x->wide;
#pragma GCC unroll 4
    for (int b = 0; b < TILE_COLUMNS; b++) y[r][b] = zero();
  }
  for (int s = 0; s < count; s++) {
    const cell* row = x->block + (ptrdiff_t)s * TILE_COLUMNS * LANES;
    real t[TILE_COLUMNS];
#pragma GCC unroll 4
    for (int b = 0; b < TILE_COLUMNS; b++) t[b] = lanes_at(row + (ptrdiff_t)b * LANES);
#pragma GCC unroll 8
    for (int r = 0; r < TILE_ROWS; r++) {
      const real f = every_lane(from[r][x->way[s]]);
#pragma GCC unroll 4
      for (int b = 0; b < TILE_COLUMNS; b++) y[r][b] = msub(y[r][b], f, t[b]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < TILE_ROWS; r++) {
    if (r >= left) break;
#pragma GCC unroll 4
    for (int b = 0; b < TILE_COLUMNS; b++) {
      const ptrdiff_t some = columns - (ptrdiff_t)b * LANES;
      if (some <= 0) break;
      put_some(T + (first + r) * nn + (ptrdiff_t)b * LANES, y[r][b], some < LANES ? (int)some : LANES);
      sum = add(sum, y[r][b]);
    }
  }
  return sum;
}

// T = -M^-1 T
KERNEL_ONCE real solve_tensor(const forward_tensors* x, bool all_rows, cell* T)
{
  const ptrdiff_t n = x->n, nn = n * n, step = (ptrdiff_t)TILE_COLUMNS * LANES;
  real sum = zero();
  for (ptrdiff_t c = 0; c < nn; c += step) {
    const ptrdiff_t columns = nn - c < step ? nn - c : step;
    const int count = rows_of_columns(x, all_rows, c, c + columns);
    for (int s = 0; s < count; s++) {
      const cell* from = T + x->way[s] * nn + c;
      cell* to = x->block + (ptrdiff_t)s * step;
      for (ptrdiff_t b = 0; b < step; b += LANES) {
        const ptrdiff_t some = columns - b;
        put_lanes(to + b, some_at(from + (some > 0 ? b : 0), some < LANES ? some > 0 ? (int)some : 0 : LANES));
      }
    }
    for (ptrdiff_t i = 0; i < n; i += TILE_ROWS)
      sum = add(sum, solve_tile(x, count, i, n - i < TILE_ROWS ? (int)(n - i) : TILE_ROWS, columns, T + c));
  }
  return sum;
}

// From the tensors of inverse dynamics of a tree without mimic joints to those of forward dynamics; out->dqdx must be
// there. first: M^-1 and the slopes of the accelerations. False: something is not finite.
KERNEL_ENTRY bool lane_forward_second(const limb_model* m, const lane_out* first, const second_out* out)
{
  const forward_tensors x = forward_tensors_in(m, out->work, out->path);
  real sum = zero();
  load_slopes(&x, first);
  for (int i = 0; i < m->nv; i++) change_slice(&x, out, i);
  if (out->dqdq) sum = add(sum, solve_tensor(&x, true, out->dqdq));
  if (out->dqdv) sum = add(sum, solve_tensor(&x, false, out->dqdv));
  if (out->dvdv) sum = add(sum, solve_tensor(&x, false, out->dvdv));
  sum = add(sum, solve_tensor(&x, false, out->dqdx));
  return finite_lanes(sum);
}

#endif
