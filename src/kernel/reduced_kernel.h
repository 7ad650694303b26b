// Equations of motion along what the rows of a cluster leave free.
//
// q'' = G y'' + g: of n velocities, y are free, and the pivots of the reduced rows follow from them
// (linalg/dense.h). With M and the forces f that are left for accelerations,
//
//   M_y = G' M G        M_y y'' = G' (f - M g) - F_y' a          F_y = F G: what a base's acceleration a adds
//
// g is column y of G, and is carried along in all that has its columns. Rows are padded with zeros to a
// multiple of QUAD, and those of Z are WIDE, so that the inner loops have constant lengths: vectors.
#ifndef LIMB_KERNEL_REDUCED_KERNEL_H
#define LIMB_KERNEL_REDUCED_KERNEL_H

#include "kernel/tables.h"
#include "kernel/vectors.h"
#include "linalg/dense.h"

enum { QUAD = LIMB_QUAD, WIDE = LIMB_CLUSTER_DOF };

// Columns of G with g and padding.
KERNEL int padded(int y) { return limb_quads_above(y); }

// Number j of a row of G that belongs to pivot row `row` of A: -A_y, g, zeros.
KERNEL real of_pivot(const limb_reduction* r, const double* row, int y, int j)
{
  return j < y ? neg(given(row[r->pivot[r->rank + j]])) : j == y ? given(row[r->columns]) : zero();
}

// G with g: n x Y. Quads are put together before they are stored: they are loaded as such soon.
KERNEL void map_of(const limb_reduction* r, int n, int Y, real* G)
{
  const ptrdiff_t wide = r->columns + r->extra;
  const int y = n - r->rank;
  for (int p = 0; p < r->rank; p++) {
    const double* row = r->A + p * wide;
    for (int b = 0; b < Y; b += QUAD)
      QUAD_AT(G + (ptrdiff_t)r->pivot[p] * Y + b) = (limb_quad){of_pivot(r, row, y, b), of_pivot(r, row, y, b + 1),
                                                                of_pivot(r, row, y, b + 2), of_pivot(r, row, y, b + 3)};
  }
  for (int j = 0; j < y; j++) {
    for (int b = 0; b < Y; b += QUAD)
      QUAD_AT(G + (ptrdiff_t)r->pivot[r->rank + j] * Y + b) = (limb_quad){j == b, j == b + 1, j == b + 2, j == b + 3};
  }
}

// Columns b ... b + QUAD - 1 of the sum of x_k times row k of B (Y wide); x: every `stride`.
KERNEL void sum_rows(int n, int Y, const real* x, ptrdiff_t stride, const real* B, real* out)
{
  limb_quad sum = {0, 0, 0, 0};
  for (ptrdiff_t k = 0; k < n; k++) sum += x[k * stride] * CONST_QUAD_AT(B + k * Y);
  QUAD_AT(out) = sum;
}

// out = A G, rows x Y.
KERNEL void times_map(int rows, int n, int Y, const real* A, const real* G, real* out)
{
  for (ptrdiff_t i = 0; i < rows; i++) {
    for (ptrdiff_t b = 0; b < Y; b += QUAD) sum_rows(n, Y, A + i * n, 1, G + b, out + i * Y + b);
  }
}

// M_y = G' MG (y x Y, column y: G' M g), and the first column of Z = G' (f - M g). right: Y.
KERNEL void along_map(int n, int y, int Y, const real* G, const real* MG, const real* f, real* right, real* M_y,
                      real* Z)
{
  for (ptrdiff_t b = 0; b < Y; b += QUAD) sum_rows(n, Y, f, 1, G + b, right + b);
  for (ptrdiff_t i = 0; i < y; i++) {
    for (ptrdiff_t b = 0; b < Y; b += QUAD) sum_rows(n, Y, G + i, Y, MG + b, M_y + i * Y + b);
    Z[i * WIDE] = sub(right[i], M_y[i * Y + y]);
  }
}

// L L' = M_y in place, inverses on the diagonal; the smallest margin of a pivot.
KERNEL real factor_independent(int y, int Y, real* A, real min_pivot)
{
  for (ptrdiff_t j = 0; j < y; j++) {
    const real before = A[j * Y + j];
    real d = before;
    for (ptrdiff_t k = 0; k < j; k++) d = msub(d, A[j * Y + k], A[j * Y + k]);
    min_pivot = lesser(min_pivot, kmsub(d, constant(1e-14), before));
    const real inverse = recip(root(d));
    A[j * Y + j] = inverse;
    for (ptrdiff_t i = j + 1; i < y; i++) {
      real x = A[i * Y + j];
      for (ptrdiff_t k = 0; k < j; k++) x = msub(x, A[i * Y + k], A[j * Y + k]);
      A[i * Y + j] = mul(x, inverse);
    }
  }
  return min_pivot;
}

// z -= x y and z = x z for rows of Z: the first column, or all.
KERNEL void take_row(bool all, real* z, real x, const real* y)
{
  if (!all) z[0] = msub(z[0], x, y[0]);
  for (int c = 0; all && c < WIDE; c++) z[c] = msub(z[c], x, y[c]);
}

KERNEL void scale_row(bool all, real* z, real x)
{
  if (!all) z[0] = mul(z[0], x);
  for (int c = 0; all && c < WIDE; c++) z[c] = mul(z[c], x);
}

KERNEL void solve_independent(int y, int Y, bool all, const real* L, real* Z)
{
  for (ptrdiff_t i = 0; i < y; i++) {
    for (ptrdiff_t k = 0; k < i; k++) take_row(all, Z + i * WIDE, L[i * Y + k], Z + k * WIDE);
    scale_row(all, Z + i * WIDE, L[i * Y + i]);
  }
  for (ptrdiff_t i = y - 1; i >= 0; i--) {
    for (ptrdiff_t k = i + 1; k < y; k++) take_row(all, Z + i * WIDE, L[k * Y + i], Z + k * WIDE);
    scale_row(all, Z + i * WIDE, L[i * Y + i]);
  }
}

// The first column of Z, 1 for g, and zeros: Y numbers.
KERNEL void independent_and_one(int y, int Y, const real* Z, real* out)
{
  for (ptrdiff_t j = 0; j < y; j++) out[j] = Z[j * WIDE];
  out[y] = one();
  for (ptrdiff_t j = y + 1; j < Y; j++) out[j] = zero();
}

// (G z + g)_i; z with 1 and zeros.
KERNEL real mapped(int Y, const real* G_i, const real* z)
{
  limb_quad sum = {0, 0, 0, 0};
  for (ptrdiff_t b = 0; b < Y; b += QUAD) sum += CONST_QUAD_AT(G_i + b) * CONST_QUAD_AT(z + b);
  return add(add(sum[0], sum[1]), add(sum[2], sum[3]));
}

#endif
