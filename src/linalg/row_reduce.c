#include "linalg/row_reduce.h"

#include "linalg/dot.h"
#include "linalg/symmetric.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

// fmax without its care for NaN, which is a call.
static inline double larger(double a, double b) { return a > b ? a : b; }

typedef struct place_of_pivot {
  int row, at; // at: position in pivot[]
  double size;
} place_of_pivot;

// The largest entry in rows from `from` on, in columns that are no pivots yet and are marked like that.
static place_of_pivot largest(const limb_reduction* r, const unsigned char* prefer, bool preferred,
                              int from)
{
  const ptrdiff_t wide = r->columns + r->extra;
  place_of_pivot best = {from, from, 0};
  for (int at = from; at < r->columns; at++) {
    const int c = r->pivot[at];
    if (prefer && (prefer[c] != 0) != preferred) continue;
    for (int i = from; i < r->rows; i++) {
      const double size = fabs(r->A[i * wide + c]);
      if (size > best.size) best = (place_of_pivot){i, at, size};
    }
  }
  return best;
}

static double largest_entry(const limb_reduction* r)
{
  const ptrdiff_t wide = r->columns + r->extra;
  double most = 0;
  for (ptrdiff_t i = 0; i < r->rows; i++) {
    for (ptrdiff_t c = 0; c < r->columns; c++) most = larger(most, fabs(r->A[i * wide + c]));
  }
  return most;
}

static void swap_rows(limb_reduction* r, int i, int j)
{
  if (i == j) return;
  const ptrdiff_t wide = r->columns + r->extra;
  double *a = r->A + i * wide, *b = r->A + j * wide;
  for (ptrdiff_t k = 0; k < wide; k++) {
    const double x = a[k];
    a[k] = b[k], b[k] = x;
  }
  const int row = r->row[i];
  r->row[i] = r->row[j], r->row[j] = row;
}

// The pivot goes to place `from` in the list; those it passes move up by one and stay in order.
static void put_pivot(limb_reduction* r, int from, int at)
{
  const int c = r->pivot[at];
  for (; at > from; at--) r->pivot[at] = r->pivot[at - 1];
  r->pivot[from] = c;
}

// Row k is divided by its pivot and taken from all others.
static void clear_column(limb_reduction* r, int k, int c)
{
  const ptrdiff_t wide = r->columns + r->extra;
  double* own = r->A + k * wide;
  const double inverse = 1 / own[c];
  for (ptrdiff_t j = 0; j < wide; j++) own[j] *= inverse;
  own[c] = 1;
  for (int i = 0; i < r->rows; i++) {
    double* row = r->A + i * wide;
    const double x = row[c];
    if (i == k || x == 0) continue;
    for (ptrdiff_t j = 0; j < wide; j++) row[j] -= x * own[j];
    row[c] = 0;
  }
}

// Row k becomes that of a pivot.
static void take_pivot(limb_reduction* r, place_of_pivot p)
{
  const int k = r->rank, c = r->pivot[p.at];
  swap_rows(r, k, p.row);
  put_pivot(r, k, p.at);
  clear_column(r, k, c);
  r->least = k == 0 || p.size < r->least ? p.size : r->least;
  r->greatest = larger(r->greatest, p.size);
  r->rank++;
}

#define LARGE 0.3 // in a row, and beside the largest entry of all

// An entry of row i that will do as a pivot: of least weight among the large ones. size 0: there is none.
static place_of_pivot good_entry(const limb_reduction* r, const unsigned char* prefer,
                                 bool preferred, const int* weight, int i, double enough)
{
  const double* row = r->A + (ptrdiff_t)i * (r->columns + r->extra);
  double most = 0;
  for (int at = r->rank; at < r->columns; at++) {
    const int c = r->pivot[at];
    if (!prefer || (prefer[c] != 0) == preferred) most = larger(most, fabs(row[c]));
  }
  place_of_pivot best = {i, r->rank, 0};
  if (!(most > enough)) return best;
  int lightest = INT_MAX;
  for (int at = r->rank; at < r->columns; at++) {
    const int c = r->pivot[at], w = weight ? weight[c] : 0;
    const double size = fabs(row[c]);
    if (size < LARGE * most || (prefer && (prefer[c] != 0) != preferred)) continue;
    if (w < lightest || (w == lightest && size > best.size)) {
      lightest = w;
      best = (place_of_pivot){i, at, size};
    }
  }
  return best;
}

// All pivots in columns that are marked like that.
static void take_pivots(limb_reduction* r, const unsigned char* prefer, bool preferred,
                        const int* weight, double scale, double tolerance)
{
  const int most = r->rows < r->columns ? r->rows : r->columns;
  const double least = tolerance * scale, enough = larger(least, LARGE * scale);
  for (int i = r->rank; i < r->rows && r->rank < most; i++) {
    const place_of_pivot p = good_entry(r, prefer, preferred, weight, i, enough);
    if (p.size > least) take_pivot(r, p);
  }
  while (r->rank < most) {
    const place_of_pivot p = largest(r, prefer, preferred, r->rank);
    if (!(p.size > least)) return;
    take_pivot(r, p);
  }
}

void limb_row_reduce_weighted(limb_reduction* r, const unsigned char* prefer, const int* weight,
                              double tolerance)
{
  for (int i = 0; i < r->rows; i++) r->row[i] = i;
  for (int c = 0; c < r->columns; c++) r->pivot[c] = c;
  r->rank = r->preferred = 0;
  r->least = r->greatest = 0;
  const double scale = largest_entry(r);
  if (!(scale > 0)) return;
  take_pivots(r, prefer, true, weight, scale, tolerance);
  if (!prefer) return;
  r->preferred = r->rank;
  take_pivots(r, prefer, false, weight, scale, tolerance);
}

void limb_row_reduce(limb_reduction* r, const unsigned char* prefer, double tolerance)
{
  limb_row_reduce_weighted(r, prefer, NULL, tolerance);
}

void limb_take_off_dependent(const limb_reduction* r, double* work, double* x)
{
  const ptrdiff_t wide = r->columns + r->extra, n = r->rows - r->rank;
  const double* T = r->A + r->rank * wide + r->columns;
  double *A = work, *y = work + n * n;
  for (ptrdiff_t i = 0; i < n; i++) {
    y[i] = limb_dot((size_t)r->rows, T + i * wide, x);
    for (ptrdiff_t j = 0; j <= i; j++)
      A[i * n + j] = limb_dot((size_t)r->rows, T + i * wide, T + j * wide);
  }
  if (!limb_cholesky((int)n, A)) return; // T has full rank: it is made of steps of elimination
  limb_cholesky_solve((int)n, A, y);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (int k = 0; k < r->rows; k++) x[k] -= T[i * wide + k] * y[i];
  }
}
