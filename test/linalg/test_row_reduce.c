// Elimination with complete pivoting: rank, which columns follow from which, which rows depend on which.
#include "linalg/dense.h"
#include "support/check.h"
#include "support/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { ROWS = 12, COLUMNS = 16, EXTRA = ROWS + 1, WIDE = COLUMNS + EXTRA };

// A matrix of chosen rank, with b and a unit matrix to its right, before and after.
typedef struct trial {
  double given[ROWS * WIDE], A[ROWS * WIDE];
  int pivot[COLUMNS], row[ROWS];
  limb_reduction r;
} trial;

// Sparse rows, as those of mechanisms are: a third of the entries.
static void sparse(rng* r, int n, double* x)
{
  for (int i = 0; i < n; i++) x[i] = rng_next(r) % 3 ? 0 : rng_uniform(r, -1, 1);
}

// rows x columns of at most that rank: a product of two factors.
static void fill(trial* t, rng* r, int rows, int columns, int rank)
{
  double B[ROWS * ROWS], C[ROWS * COLUMNS];
  sparse(r, rows * rank, B);
  rng_fill(r, 1, rank * columns, C);
  for (int i = 0; i < rows && i < rank; i++) B[i * rank + i] = 1; // of that rank, not less
  const ptrdiff_t wide = columns + rows + 1;
  for (int i = 0; i < rows; i++) {
    double* to = t->given + i * wide;
    memset(to, 0, (size_t)wide * sizeof *to);
    for (int j = 0; j < columns; j++) {
      for (int k = 0; k < rank; k++) to[j] += B[i * rank + k] * C[k * columns + j];
    }
    to[columns] = rng_uniform(r, -1, 1);
    to[columns + 1 + i] = 1;
  }
}

static void reduce(trial* t, int rows, int columns, const unsigned char* prefer, const int* weight, double tolerance)
{
  memcpy(t->A, t->given, sizeof t->A);
  t->r =
    (limb_reduction){.rows = rows, .columns = columns, .extra = rows + 1, .A = t->A, .pivot = t->pivot, .row = t->row};
  limb_row_reduce_weighted(&t->r, prefer, weight, tolerance);
}

// ---- what a reduction promises -------------------------------------------------------------------------

static void is_permutation(int n, const int* x)
{
  unsigned seen = 0;
  for (int i = 0; i < n; i++) {
    assert_that(x[i] >= 0 && x[i] < n);
    seen |= 1U << x[i];
  }
  assert_that(seen == (1U << n) - 1);
}

// Unit columns at pivots, nothing in the rows behind, b carried along by the same steps.
static void is_reduced(const trial* t)
{
  const limb_reduction* r = &t->r;
  const ptrdiff_t wide = r->columns + r->extra;
  is_permutation(r->columns, r->pivot);
  is_permutation(r->rows, r->row);
  for (int k = r->rank + 1; k < r->columns; k++) assert_that(r->pivot[k - 1] < r->pivot[k]);
  for (int k = 0; k < r->rank; k++) {
    for (int i = 0; i < r->rows; i++) assert_that(r->A[i * wide + r->pivot[k]] == (i == k));
  }
  for (int i = r->rank; i < r->rows; i++) {
    for (int j = 0; j < r->columns; j++) assert_close(r->A[i * wide + j], 0, 0, 1e-11);
  }
  for (int i = 0; i < r->rows; i++) { // T [A b] = what is there now
    const double* T = r->A + i * wide + r->columns + 1;
    for (int j = 0; j <= r->columns; j++) {
      double sum = 0, terms = 1;
      for (int k = 0; k < r->rows; k++) {
        sum += T[k] * t->given[k * wide + j];
        terms += fabs(T[k] * t->given[k * wide + j]);
      }
      assert_close(r->A[i * wide + j], sum, 0, 1e-12 * terms);
    }
  }
}

// A dependent row names itself once, pivot rows besides, no other dependent row.
static void rows_are_named(const trial* t)
{
  const limb_reduction* r = &t->r;
  for (int i = r->rank; i < r->rows; i++) {
    const double* T = r->A + (ptrdiff_t)i * (r->columns + r->extra) + r->columns + 1;
    for (int k = r->rank; k < r->rows; k++) assert_that(T[r->row[k]] == (i == k));
  }
}

START_TEST(identities)
{
  trial t;
  rng r = {(uint64_t)_i};
  const int rows = 1 + _i % ROWS, columns = 1 + (_i * 7) % COLUMNS;
  const int most = rows < columns ? rows : columns, rank = 1 + (_i * 5) % most;
  unsigned char prefer[COLUMNS];
  int weight[COLUMNS];
  for (int c = 0; c < columns; c++) {
    prefer[c] = (unsigned char)(rng_next(&r) % 3 == 0);
    weight[c] = (int)(rng_next(&r) % 4);
  }
  fill(&t, &r, rows, columns, rank);
  for (int how = 0; how < 4; how++) {
    check_at("%d rows, %d columns, rank %d, way %d", rows, columns, rank, how);
    reduce(&t, rows, columns, how & 1 ? prefer : NULL, how & 2 ? weight : NULL, 1e-9);
    assert_that(t.r.rank == rank);
    is_reduced(&t);
    rows_are_named(&t);
    assert_that(t.r.min_pivot > 0 && t.r.max_pivot >= t.r.min_pivot);
  }
}
END_TEST

// ---- preferred columns ---------------------------------------------------------------------------------

// As many pivots in preferred columns as these have rank by themselves, and those first.
START_TEST(preferred_columns)
{
  trial t, alone;
  rng r = {(uint64_t)_i};
  const int rows = 2 + _i % (ROWS - 1), columns = COLUMNS, rank = 1 + (_i * 5) % rows;
  unsigned char prefer[COLUMNS];
  for (int c = 0; c < columns; c++) prefer[c] = (unsigned char)(c % 4 == _i % 4 ? 1 + c : 0);
  fill(&t, &r, rows, columns, rank);
  alone = t;
  for (int i = 0; i < rows; i++) {
    for (int c = 0; c < columns; c++) {
      if (!prefer[c]) alone.given[i * (columns + rows + 1) + c] = 0;
    }
  }
  check_at("%d rows of rank %d", rows, rank);
  reduce(&alone, rows, columns, NULL, NULL, 1e-9);
  assert_that(alone.r.preferred == 0); // nobody asked
  reduce(&t, rows, columns, prefer, NULL, 1e-9);
  assert_that(t.r.rank == rank && t.r.preferred == alone.r.rank);
  for (int k = 0; k < rank; k++) assert_that(!!prefer[t.pivot[k]] == (k < t.r.preferred));
}
END_TEST

// Small entries in preferred columns come before large ones elsewhere, down to the tolerance.
START_TEST(preferred_though_small)
{
  trial t;
  const unsigned char prefer[2] = {0, 1};
  for (int k = 0; k < 2; k++) {
    t.given[0] = 1, t.given[1] = k ? 1e-10 : 1e-8, t.given[2] = 0, t.given[3] = 1;
    reduce(&t, 1, 2, prefer, NULL, 1e-9);
    assert_that(t.r.rank == 1 && t.r.preferred == !k && t.pivot[0] == !k);
  }
}
END_TEST

// ---- weights -------------------------------------------------------------------------------------------

START_TEST(weights)
{
  trial t;
  rng r = {1};
  const int weight[3] = {3, 1, 2};
  fill(&t, &r, 1, 3, 1);
  t.given[0] = 1, t.given[1] = -0.8, t.given[2] = 0.9;
  reduce(&t, 1, 3, NULL, weight, 1e-9);
  assert_that(t.pivot[0] == 1 && t.pivot[1] == 0 && t.pivot[2] == 2);
  reduce(&t, 1, 3, NULL, NULL, 1e-9);
  assert_that(t.pivot[0] == 0); // the largest
  t.given[1] = 1e-3;            // light, but small
  reduce(&t, 1, 3, NULL, weight, 1e-9);
  assert_that(t.pivot[0] == 2);
  const unsigned char prefer[3] = {1, 0, 0}; // preference comes first
  reduce(&t, 1, 3, prefer, weight, 1e-9);
  assert_that(t.pivot[0] == 0 && t.r.preferred == 1);
}
END_TEST

// ---- tolerance -----------------------------------------------------------------------------------------

// Every pivot is above the tolerance, and what is left is not, however large that is.
START_TEST(tolerances)
{
  static const double tolerance[] = {1e-15, 1e-9, 1e-3, 0.05, 0.2, 0.5, 0.9, 0.999};
  trial t;
  rng r = {(uint64_t)_i};
  const int rows = 1 + _i % ROWS, columns = 1 + (_i * 5) % COLUMNS;
  int weight[COLUMNS];
  unsigned char prefer[COLUMNS];
  double scale = 0;
  fill(&t, &r, rows, columns, rows < columns ? rows : columns);
  const ptrdiff_t wide = columns + rows + 1;
  for (int i = 0; i < rows; i++) {
    for (int c = 0; c < columns; c++) {
      double* x = &t.given[i * wide + c];
      *x *= pow(10, -(double)(rng_next(&r) % 6)); // entries of all sizes
      scale = fmax(scale, fabs(*x));
    }
  }
  for (int c = 0; c < columns; c++) {
    weight[c] = (int)(rng_next(&r) % 4), prefer[c] = (unsigned char)(rng_next(&r) % 2);
  }
  for (int k = 0; k < 8; k++) {
    for (int how = 0; how < 4; how++) {
      check_at("%d rows, %d columns, tolerance %g, way %d", rows, columns, tolerance[k], how);
      reduce(&t, rows, columns, how & 1 ? prefer : NULL, how & 2 ? weight : NULL, tolerance[k]);
      assert_that(t.r.rank >= 1);
      assert_that(t.r.min_pivot > tolerance[k] * scale);
      for (int i = t.r.rank; i < rows; i++) {
        for (int c = 0; c < columns; c++) assert_that(fabs(t.A[i * wide + c]) <= tolerance[k] * scale);
      }
    }
  }
}
END_TEST

// A light entry that the tolerance calls nothing is no pivot.
START_TEST(light_but_below_tolerance)
{
  trial t;
  const int weight[2] = {2, 1};
  t.given[0] = 1, t.given[1] = 0.6, t.given[2] = 0, t.given[3] = 1;
  reduce(&t, 1, 2, NULL, weight, 0.7);
  assert_that(t.r.rank == 1 && t.pivot[0] == 0);
  reduce(&t, 1, 2, NULL, weight, 0.5);
  assert_that(t.r.rank == 1 && t.pivot[0] == 1);
}
END_TEST

START_TEST(graded)
{
  trial t;
  memset(t.given, 0, sizeof t.given);
  for (int i = 0; i < 4; i++) t.given[i * 9 + i] = pow(1e-3, i), t.given[i * 9 + 5 + i] = 1;
  for (int k = 0; k < 4; k++) {
    reduce(&t, 4, 4, NULL, NULL, 0.5 * pow(1e-3, k));
    assert_that(t.r.rank == k + 1);
    assert_close(t.r.min_pivot, pow(1e-3, k), 1e-14, 0);
    assert_that(t.r.max_pivot == 1);
  }
}
END_TEST

// ---- nothing -------------------------------------------------------------------------------------------

START_TEST(nothing)
{
  trial t;
  rng r = {7};
  const unsigned char prefer[5] = {0, 1, 0, 1, 0};
  fill(&t, &r, 3, 5, 1);
  for (int i = 0; i < 3; i++) memset(t.given + (ptrdiff_t)i * 9, 0, 5 * sizeof *t.given);
  for (int how = 0; how < 2; how++) {
    reduce(&t, 3, 5, how ? prefer : NULL, NULL, 1e-9);
    assert_that(t.r.rank == 0 && t.r.preferred == 0 && t.r.min_pivot == 0 && t.r.max_pivot == 0);
    for (int c = 0; c < 5; c++) assert_that(t.pivot[c] == c);
    for (int i = 0; i < 3; i++) assert_that(t.row[i] == i);
    assert_that(memcmp(t.A, t.given, 27 * sizeof *t.A) == 0);
  }
  reduce(&t, 0, 5, prefer, NULL, 1e-9); // no rows
  assert_that(t.r.rank == 0 && t.r.preferred == 0 && t.r.min_pivot == 0);
  for (int c = 0; c < 5; c++) assert_that(t.pivot[c] == c);
  reduce(&t, 3, 0, NULL, NULL, 1e-9); // no columns
  assert_that(t.r.rank == 0);
  for (int i = 0; i < 3; i++) assert_that(t.row[i] == i);
}
END_TEST

// ---- rows that depend ----------------------------------------------------------------------------------

// What is taken off is what no A' x sees, and nothing of it is left.
START_TEST(dependent_parts)
{
  trial t;
  rng r = {(uint64_t)_i};
  const int rows = 2 + _i % (ROWS - 1), columns = 3 + _i % (COLUMNS - 2);
  const int most = rows < columns ? rows : columns, rank = 1 + (_i * 5) % most;
  fill(&t, &r, rows, columns, rank);
  // the steps alone: b is not carried here
  double A[ROWS * (COLUMNS + ROWS)], work[ROWS * (ROWS + 1)], x[ROWS], was[ROWS];
  const ptrdiff_t wide = columns + rows;
  for (int i = 0; i < rows; i++) {
    for (int c = 0; c < columns; c++) A[i * wide + c] = t.given[i * (wide + 1) + c];
    for (int k = 0; k < rows; k++) A[i * wide + columns + k] = i == k;
  }
  limb_reduction red = {.rows = rows, .columns = columns, .extra = rows, .A = A, .pivot = t.pivot, .row = t.row};
  limb_row_reduce(&red, NULL, 1e-9);
  assert_that(red.rank == rank);
  rng_fill(&r, 1, rows, x);
  memcpy(was, x, sizeof was);
  limb_remove_dependent(&red, work, x);
  check_at("%d rows, %d columns, rank %d", rows, columns, rank);
  for (int c = 0; c < columns; c++) {
    double sum = 0, terms = 1;
    for (int i = 0; i < rows; i++) {
      const double g = t.given[i * (wide + 1) + c];
      sum += g * (x[i] - was[i]), terms += fabs(g * was[i]);
    }
    assert_close(sum, 0, 0, 1e-11 * terms);
  }
  double change = 0;
  for (int i = 0; i < rows; i++) change = fmax(change, fabs(x[i] - was[i]));
  assert_that((change > 0) == (rank < rows));
  for (int i = rank; i < rows; i++) {
    const double* T = A + i * wide + columns;
    double sum = 0, terms = 1;
    for (int k = 0; k < rows; k++) sum += T[k] * x[k], terms += fabs(T[k] * x[k]);
    assert_close(sum, 0, 0, 1e-11 * terms);
  }
}
END_TEST

CHECK_MAIN("linalg/row_reduce", 60, identities, preferred_columns, preferred_though_small, weights, tolerances,
           light_but_below_tolerance, graded, nothing, dependent_parts)
