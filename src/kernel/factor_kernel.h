// Factorisations of the mass matrix: L'DL along the elimination tree, and Gauss elimination of small squares.
//
// Reference: Featherstone 2008, section 6.5.
// Cost:      O(sum of depth^2).
//
// M = L' D L with unit lower L, in packed rows: row k holds
// the entries of the path from the root to k, so the row of an ancestor a is a prefix of equal meaning
// and the inner loops run over contiguous numbers.
#ifndef LIMB_KERNEL_FACTOR_KERNEL_H
#define LIMB_KERNEL_FACTOR_KERNEL_H

#include "kernel/lanes_one.h"
#include "model/model_impl.h"

// In place; diagonal is scratch for n scalars. Returns the smallest margin of a pivot over what may be rounding of
// its entry of M: not positive when M may be singular.
KERNEL real ltl_factor(const limb_elimination* e, int n, real* M, real* diagonal)
{
  for (int k = 0; k < n; k++) diagonal[k] = M[e->row[k] + e->depth[k]];
  real min_pivot = one();
  for (int k = n - 1; k >= 0; k--) {
    real* row = M + e->row[k];
    const int dk = e->depth[k];
    const real inverse = recip(row[dk]);
    min_pivot = lesser(min_pivot, kmsub(row[dk], constant(LIMB_DOUBT), diagonal[k]));
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) {
      real* up = M + e->row[a];
      const int da = e->depth[a];
      const real f = settled(mul(row[da], inverse));
      for (int j = 0; j <= da; j++) up[j] = msub(up[j], f, row[j]);
      row[da] = f;
    }
    row[dk] = inverse;
  }
  return min_pivot;
}

// x = M^-1 x, from the factors.
KERNEL void ltl_solve(const limb_elimination* e, int n, const real* L, real* x)
{
  for (int k = n - 1; k >= 0; k--) { // L' y = x
    const real* row = L + e->row[k];
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) x[a] = msub(x[a], row[e->depth[a]], x[k]);
  }
  for (int k = 0; k < n; k++) { // D L x = y
    const real* row = L + e->row[k];
    x[k] = settled(mul(x[k], row[e->depth[k]]));
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) x[k] = msub(x[k], row[e->depth[a]], x[a]);
  }
}

// ---- small systems, in registers -------------------------------------------------------------------

// Small symmetric positive definite systems of which the rows from the diagonal on are known, in registers.
//
// Gauss elimination from the first row on, two rows at a time, which halves the divisions that wait for
// each other; the right-hand side is the last column. With [a b; b c] the block of rows k and k + 1,
//
//   f = (c row_k - b row_k+1) / (a c - b b),   g = (a row_k+1 - b row_k) / (a c - b b)
//   row_i -= row_ki f + row_k+1,i g                                        for all i behind
//
// and f, g give the unknowns k and k + 1 from those behind. Rows are blocks of lanes, or numbers one by
// one: every entry goes through the same operations. Cost n^3 / 3.

enum { SIDE = 8 }; // of the square in which a short chain's [M h] fits
enum { SIDE_BLOCKS = SIDE / LANES };

typedef struct square_row {
  lane_vec x[SIDE_BLOCKS];
} square_row;

// Entry j, in all lanes.
KERNEL lane_vec entry_of(const square_row* r, int j) { return every_lane(lane(r->x[j / LANES], j % LANES)); }

// Whether block c of a row has anything for n unknowns: one by one, numbers are left out.
KERNEL bool in_square(int n, int c) { return LANES > 1 || c < n || c == SIDE - 1; }

// Row i of n: M and left - h; behind the last those of the unit matrix.
KERNEL square_row square_row_at(int n, int i, const cell* rows, const cell* left)
{
  square_row r;
#pragma GCC unroll 8
  for (int c = 0; c < SIDE_BLOCKS; c++) {
    const int l = i - c * LANES, last = SIDE - 1 - c * LANES;
    r.x[c] = every_lane(zero());
    if (i >= n && l >= 0 && l < LANES) r.x[c] = choose(one_lane(l), every_lane(one()), r.x[c]);
    if (i >= n || !in_square(n, c) || (c + 1) * LANES <= i) continue;
    r.x[c] = settledw(lanes_at(rows + i * SIDE + c * LANES)); // whatever made it just now
    if (last < LANES) r.x[c] = choose(one_lane(last), subw(every_lane(left[i]), r.x[c]), r.x[c]);
  }
  return r;
}

// a x - b y, of which the first product is fused with the sum
KERNEL lane_vec difference(lane_vec a, lane_vec x, lane_vec b, lane_vec y)
{
  return subw(timesw(a, x), settledw(timesw(b, y)));
}

// (a x - b y) k, from block c on; b y is left out for the last row, which has no other.
KERNEL square_row mix_rows(int n, int from, lane_vec k, lane_vec a, const square_row* x, lane_vec b,
                           const square_row* y)
{
  square_row z = *x;
#pragma GCC unroll 8
  for (int c = from / LANES; c < SIDE_BLOCKS; c++) {
    if (!in_square(n, c)) continue;
    z.x[c] = settledw(timesw(y ? difference(a, x->x[c], b, y->x[c]) : x->x[c], k));
  }
  return z;
}

// row_i -= row_ki f + row_k+1,i g
KERNEL void take_pair(int n, int i, lane_vec ki, const square_row* f, lane_vec li, const square_row* g, square_row* row)
{
#pragma GCC unroll 8
  for (int c = i / LANES; c < SIDE_BLOCKS; c++) {
    if (!in_square(n, c)) continue;
    row->x[c] = subw(subw(row->x[c], timesw(ki, f->x[c])), timesw(li, g->x[c]));
  }
}

// Unknowns from rows that have been eliminated; x holds SIDE numbers.
KERNEL void substitute_back(int n, const cell* u, cell* x)
{
#pragma GCC unroll 8
  for (int k = 0; k < SIDE - 1; k++) {
    if (in_square(n, k)) x[k] = u[k * SIDE + SIDE - 1];
  }
#pragma GCC unroll 8
  for (int k = SIDE - 2; k >= 0; k--) {
    if (!in_square(n, k)) continue;
#pragma GCC unroll 8
    for (int j = 0; j < k / 2 * 2; j++) x[j] = msub(x[j], u[j * SIDE + k], x[k]);
  }
}

// M x = left - h for n < SIDE unknowns. rows: of [M h], SIDE apart, h last. Returns the smallest margin of
// the pivots, as ltl_factor.
KERNEL cell solve_square(int n, const cell* rows, const cell* left, cell* x)
{
  const par rounding = constant(DOUBTS * DOUBTS * LIMB_DOUBT_SQUARE);
  square_row row[SIDE], diagonal;
  cell u[SIDE * SIDE], y[SIDE];
  for (int i = 0; i < SIDE * SIDE && LANES == 1; i++) u[i] = zero(); // of unknowns that are not there
  lane_vec min_pivot = every_lane(one());
#pragma GCC unroll 8
  for (int i = 0; i < SIDE; i++) {
    row[i] = square_row_at(n, i, rows, left);
    diagonal.x[i / LANES] =
      i % LANES == 0 ? row[i].x[i / LANES] : choose(one_lane(i % LANES), row[i].x[i / LANES], diagonal.x[i / LANES]);
  }
#pragma GCC unroll 8
  for (int k = 0; k < SIDE; k += 2) {
    if (LANES == 1 && k >= n) continue;
    const bool pair = k + 2 < SIDE; // the last row is no unknown
    const lane_vec a = entry_of(&row[k], k), b = entry_of(&row[k], k + 1), c = entry_of(&row[k + 1], k + 1);
    const lane_vec det = difference(a, c, b, b), inverse = recipw(pair ? det : a);
    const square_row f = mix_rows(n, k + 1, inverse, c, &row[k], b, pair ? &row[k + 1] : NULL);
    const square_row g = mix_rows(n, k + 1, inverse, a, &row[k + 1], b, &row[k]);
    min_pivot = lesser_lanes(min_pivot, subw(a, scalew(rounding, entry_of(&diagonal, k))));
    min_pivot = lesser_lanes(min_pivot, inverse); // zero where a determinant leaves the range of numbers
    if (pair) min_pivot = lesser_lanes(min_pivot, subw(det, scalew(rounding, timesw(entry_of(&diagonal, k + 1), a))));
#pragma GCC unroll 8
    for (int i = k + 2; i < SIDE - 1; i++) {
      if (in_square(n, i)) take_pair(n, i, entry_of(&row[k], i), &f, entry_of(&row[k + 1], i), &g, &row[i]);
    }
#pragma GCC unroll 8
    for (int c1 = 0; c1 < SIDE_BLOCKS; c1++) {
      put_lanes(u + k * SIDE + c1 * LANES, f.x[c1]);
      put_lanes(u + (k + 1) * SIDE + c1 * LANES, g.x[c1]);
    }
  }
  substitute_back(n, u, y);
  for (int k = 0; k < n; k++) x[k] = y[k];
  return lane(min_pivot, 0);
}

#endif
