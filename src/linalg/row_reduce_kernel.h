// The steps of linalg/dense.h. The library has them once in plain code (linalg/dense.c) and once
// per instruction set (kernel/kernels_clusters_f64.c), from this text.
#ifndef LIMB_ROW_REDUCE_KERNEL_H
#define LIMB_ROW_REDUCE_KERNEL_H

#include "linalg/dense.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

// fmax without its care for NaN, which is a call.
static inline double larger(double a, double b) { return a > b ? a : b; }

// x /= divisor
static inline void divide_numbers(ptrdiff_t n, double divisor, double* x)
{
  ptrdiff_t j = 0;
  for (; j + LIMB_QUAD <= n; j += LIMB_QUAD) QUAD_AT(x + j) /= divisor;
  for (; j < n; j++) x[j] /= divisor;
}

// x -= factor y
static inline void take_numbers(ptrdiff_t n, double factor, const double* y, double* x)
{
  ptrdiff_t j = 0;
  for (; j + LIMB_QUAD <= n; j += LIMB_QUAD) QUAD_AT(x + j) -= factor * CONST_QUAD_AT(y + j);
  for (; j < n; j++) x[j] -= factor * y[j];
}

typedef struct pivot_entry {
  int row, column;
  double size;
} pivot_entry;

typedef struct columns_wanted { // all, or those that are marked like that
  const unsigned char* prefer;
  bool preferred;
} columns_wanted;

static inline bool is_wanted(const columns_wanted* of, int c)
{
  return !of->prefer || (of->prefer[c] != 0) == of->preferred;
}

// The largest entry of a row that has no pivot yet: what it has in columns of pivots is zero.
static inline pivot_entry largest_of_row(const limb_reduction* r, ptrdiff_t wide, const columns_wanted* of, int i)
{
  const double* row = r->A + i * wide;
  pivot_entry best = {i, 0, 0};
  for (int c = 0; c < r->columns; c++) {
    const double size = is_wanted(of, c) ? fabs(row[c]) : 0;
    best.column = size > best.size ? c : best.column;
    best.size = larger(best.size, size);
  }
  return best;
}

// The same of all rows from `from` on.
static inline pivot_entry largest(const limb_reduction* r, ptrdiff_t wide, const columns_wanted* of, int from)
{
  pivot_entry best = {from, 0, 0};
  for (int i = from; i < r->rows; i++) {
    const pivot_entry p = largest_of_row(r, wide, of, i);
    if (p.size > best.size) best = p;
  }
  return best;
}

static inline void swap_rows(limb_reduction* r, ptrdiff_t wide, int i, int j)
{
  if (i == j) return;
  double *a = r->A + i * wide, *b = r->A + j * wide;
  for (ptrdiff_t k = 0; k < wide; k++) {
    const double x = a[k];
    a[k] = b[k], b[k] = x;
  }
  const int row = r->row[i];
  r->row[i] = r->row[j], r->row[j] = row;
}

// Column c goes to index k of the list; those it passes move up by one and stay in order.
static inline void put_pivot(limb_reduction* r, int k, int c)
{
  int next = c;
  for (int* at = r->pivot + k;; at++) {
    const int passed = *at;
    *at = next;
    if (passed == c) return;
    next = passed;
  }
}

// Row k is divided by its pivot and taken from all others. The pivot becomes 1, and what is above and below
// it 0, to the last digit: a number set alone would hold up the quad around it.
static inline void clear_column(limb_reduction* r, ptrdiff_t wide, int k, int c)
{
  double* own = r->A + k * wide;
  divide_numbers(wide, own[c], own);
  for (int i = 0; i < r->rows; i++) {
    double* row = r->A + i * wide;
    const double x = row[c];
    if (i != k && x != 0) take_numbers(wide, x, own, row);
  }
}

// Row k becomes that of a pivot.
static inline void take_pivot(limb_reduction* r, ptrdiff_t wide, pivot_entry p)
{
  const int k = r->rank;
  swap_rows(r, wide, k, p.row);
  put_pivot(r, k, p.column);
  clear_column(r, wide, k, p.column);
  r->min_pivot = k == 0 || p.size < r->min_pivot ? p.size : r->min_pivot;
  r->max_pivot = larger(r->max_pivot, p.size);
  r->rank++;
}

#define LARGE 0.3 // in a row, and beside the largest entry of all

// An entry of row i that will do as a pivot: of the smallest weight among the large ones. size 0: there is none.
static inline pivot_entry good_entry(const limb_reduction* r, ptrdiff_t wide, const columns_wanted* of,
                                     const int* weight, int i, double enough)
{
  const pivot_entry largest = largest_of_row(r, wide, of, i);
  pivot_entry best = {i, 0, 0};
  if (!(largest.size > enough)) return best;
  if (!weight) return largest;
  const double* row = r->A + i * wide;
  int lightest = INT_MAX;
  for (int c = 0; c < r->columns; c++) {
    const double size = fabs(row[c]);
    if (size < LARGE * largest.size || !is_wanted(of, c)) continue;
    if (weight[c] < lightest || (weight[c] == lightest && size > best.size)) {
      lightest = weight[c];
      best = (pivot_entry){i, c, size};
    }
  }
  return best;
}

// All pivots in columns that are wanted.
static inline void take_pivots(limb_reduction* r, ptrdiff_t wide, columns_wanted of, const int* weight, double scale,
                               double tolerance)
{
  const int max_rank = r->rows < r->columns ? r->rows : r->columns;
  const double min_pivot = tolerance * scale, enough = larger(min_pivot, LARGE * scale);
  for (int i = r->rank; i < r->rows && r->rank < max_rank; i++) {
    const pivot_entry p = good_entry(r, wide, &of, weight, i, enough);
    if (p.size > min_pivot) take_pivot(r, wide, p);
  }
  while (r->rank < max_rank) {
    const pivot_entry p = largest(r, wide, &of, r->rank);
    if (!(p.size > min_pivot)) return;
    take_pivot(r, wide, p);
  }
}

// limb_row_reduce_weighted; wide: columns + extra, which may be a constant where this is included.
static inline void reduce_rows(limb_reduction* r, ptrdiff_t wide, const unsigned char* prefer, const int* weight,
                               double tolerance)
{
  const columns_wanted all = {NULL, true}, first = {prefer, true}, then = {prefer, false};
  for (int i = 0; i < r->rows; i++) r->row[i] = i;
  for (int c = 0; c < r->columns; c++) r->pivot[c] = c;
  r->rank = r->preferred = 0;
  r->min_pivot = r->max_pivot = 0;
  const double scale = largest(r, wide, &all, 0).size;
  if (!(scale > 0)) return;
  take_pivots(r, wide, first, weight, scale, tolerance);
  if (!prefer) return;
  r->preferred = r->rank;
  take_pivots(r, wide, then, weight, scale, tolerance);
}

#endif
