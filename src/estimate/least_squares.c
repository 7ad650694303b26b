// Least squares of any number of equations in constant memory: a triangle that takes in blocks, and its solution.
//
// Reference: J. Demmel, L. Grigori, M. Hoemmen, J. Langou, Communication-optimal parallel and sequential QR and LU
//            factorizations, SIAM J. Scientific Computing 34(1), 2012 (sequential TSQR); G. Golub, C. Van Loan, Matrix
//            computations, 4th edition, sections 5.2.2 (Householder) and 5.5.6 (basic solutions by QR with column
//            pivoting).
// Cost:      2 n^2 per equation, 4 n^3 for the solution.
#include "estimate/ident_impl.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A column that keeps less than this of its length beside the others is a combination of them.
static const double RANK_TOLERANCE = 1e-8;

// The same where there is noise: what is left would be known to worse than all of b.
static double rank_tolerance(const limb_triangle* t)
{
  const int size = t->n + 1;
  const double *z = t->R + (size_t)t->n * (size_t)size, left = z[t->n], freedom = (double)t->equations - t->n;
  const double b = sqrt(limb_dot((size_t)size, z, z));
  return freedom > 0 && b > 0 ? fmax(RANK_TOLERANCE, fabs(left) / sqrt(freedom) / b) : RANK_TOLERANCE;
}

bool limb_triangle_make(int n, limb_triangle* out)
{
  const size_t size = (size_t)n + 1;
  *out = (limb_triangle){.n = n, .R = calloc(size * size, sizeof(double))};
  return out->R != NULL;
}

void limb_triangle_free(limb_triangle* t)
{
  free(t->R);
  *t = (limb_triangle){0};
}

// y -= (x' y + v r) x / (v - r'), ...: the reflection of a column [r; y] along [v; x], c = 2 / (v^2 + x' x).
static inline void reflect(size_t rows, double v, double c, const double* x, double* r, double* y)
{
  const double w = c * (v * *r + limb_dot(rows, x, y));
  *r -= w * v;
  for (size_t i = 0; i < rows; i++) y[i] -= w * x[i];
}

// [R; block] = Q [R'; 0], column by column: reflections leave what is below R's diagonal zero.
limb_status limb_triangle_add(limb_triangle* t, int rows, int stride, double* block)
{
  const size_t size = (size_t)t->n + 1, count = (size_t)rows;
  for (size_t j = 0; j < size && rows > 0; j++) {
    const double* x = block + j * (size_t)stride;
    double* R = t->R + j * size + j;
    const double square = limb_dot(count, x, x), length = sqrt(*R * *R + square);
    if (!isfinite(length)) return LIMB_E_NONFINITE;
    if (square == 0) continue;
    const double after = *R > 0 ? -length : length, v = *R - after, c = 2 / (v * v + square);
    *R = after;
    for (size_t k = j + 1; k < size; k++) reflect(count, v, c, x, t->R + k * size + j, block + k * (size_t)stride);
  }
  t->equations += count;
  return LIMB_OK;
}

limb_status limb_triangle_merge(limb_triangle* t, double weight, const limb_triangle* other)
{
  const size_t size = (size_t)t->n + 1;
  double* block = malloc(size * size * sizeof *block);
  if (!block) return LIMB_E_NOMEM;
  for (size_t i = 0; i < size * size; i++) block[i] = weight * other->R[i];
  const size_t before = t->equations;
  const limb_status s = limb_triangle_add(t, (int)size, (int)size, block);
  t->equations = before + other->equations;
  free(block);
  return s;
}

bool limb_solution_make(int n, limb_solution* out)
{
  const size_t size = (size_t)n + 1;
  *out = (limb_solution){.n = n, .x = calloc(size, sizeof(double)), .hidden = calloc(size, 1)};
  out->covariance = calloc(2 * size * size, sizeof(double));
  if (out->covariance) out->combination = out->covariance + size * size;
  return out->x && out->hidden && out->covariance;
}

void limb_solution_free(limb_solution* s)
{
  free(s->x), free(s->hidden), free(s->covariance);
  *s = (limb_solution){0};
}

// Entry of a column-major matrix.
static inline size_t at(int row, int column, int rows) { return (size_t)row + (size_t)column * (size_t)rows; }

// ---- solving ----------------------------------------------------------------------------------------------

// Scratch of a solution: R with columns of length 1, then in the order of the pivots; z beside it.
typedef struct scaled {
  int n;
  double *R, *copy, *length, *norm; // n x n, n x n, n, 2 n
  int* pivot;
  limb_triangle ordered; // the triangle of the columns in the order of the pivots, and what x leaves of z
} scaled;

static bool scaled_make(int n, scaled* out)
{
  const size_t size = (size_t)n + 1;
  *out = (scaled){.n = n, .R = malloc((2 * size * size + 3 * size) * sizeof(double))};
  out->pivot = calloc(size, sizeof *out->pivot);
  if (!out->R || !out->pivot || !limb_triangle_make(n, &out->ordered)) return false;
  out->copy = out->R + size * size, out->length = out->copy + size * size, out->norm = out->length + size;
  return true;
}

static void scaled_free(scaled* a)
{
  free(a->R), free(a->pivot);
  limb_triangle_free(&a->ordered);
}

// Columns of length 1; those of length 0 stay.
static void scale(const limb_triangle* t, scaled* a)
{
  const int n = t->n;
  for (int j = 0; j < n; j++) {
    const double* column = t->R + at(0, j, n + 1);
    const double square = limb_dot((size_t)j + 1, column, column);
    a->length[j] = square > 0 ? sqrt(square) : 1;
    for (int i = 0; i < n; i++) a->R[at(i, j, n)] = i <= j ? column[i] / a->length[j] : 0;
  }
}

// Pivots by the columns alone, then a triangle of all of them in that order with z - R x beside.
static limb_status order(const limb_triangle* t, const double* x, scaled* a)
{
  const int n = t->n;
  double* block = malloc((size_t)n * ((size_t)n + 1) * sizeof *block);
  if (!block) return LIMB_E_NOMEM;
  double* right = block + (size_t)n * (size_t)n;
  memcpy(a->copy, a->R, (size_t)n * (size_t)n * sizeof *block);
  limb_qr_factor(n, n, a->copy, a->pivot, a->norm);
  for (int i = 0; i < n; i++) {
    right[i] = t->R[at(i, n, n + 1)];
    for (int j = i; j < n; j++) right[i] -= t->R[at(i, j, n + 1)] * x[j];
  }
  for (int k = 0; k < n; k++) memcpy(block + at(0, k, n), a->R + at(0, a->pivot[k], n), (size_t)n * sizeof *block);
  const limb_status s = limb_triangle_add(&a->ordered, n, n, block);
  free(block);
  return s;
}

// Ratio of the largest singular value to the smallest of the columns that count.
static double condition_of(scaled* a, int rank)
{
  for (int j = 0; j < rank; j++)
    for (int i = 0; i < rank; i++) a->copy[i + j * rank] = i <= j ? a->ordered.R[at(i, j, a->n + 1)] : 0;
  if (rank == 0 || !limb_singular_values(rank, rank, a->copy, a->norm)) return HUGE_VAL;
  return a->norm[0] / a->norm[rank - 1];
}

// x = R11^-1 x
static void back_substitute(const scaled* a, int rank, double* x)
{
  for (int k = rank - 1; k >= 0; k--) {
    const double* column = a->ordered.R + at(0, k, a->n + 1);
    x[k] /= column[k];
    for (int i = 0; i < k; i++) x[i] -= column[i] * x[k];
  }
}

// covariance = S P (R11' R11)^-1 P' S, with S the inverse lengths and P the pivots.
static void covariance_of(const scaled* a, int rank, limb_solution* s)
{
  const int n = a->n;
  double* inverse = a->R; // R11^-1, by rows
  memset(s->covariance, 0, (size_t)n * (size_t)n * sizeof *s->covariance);
  for (int j = 0; j < rank; j++) {
    double* x = a->copy; // column j of R11^-1
    for (int i = 0; i < rank; i++) x[i] = i == j;
    back_substitute(a, j + 1, x);
    for (int i = 0; i < rank; i++) inverse[i * rank + j] = i <= j ? x[i] : 0;
  }
  for (int i = 0; i < rank; i++) {
    for (int j = i; j < rank; j++) {
      const int p = a->pivot[i], q = a->pivot[j];
      const double sum = limb_dot((size_t)(rank - j), inverse + i * rank + j, inverse + j * rank + j);
      s->covariance[p * n + q] = s->covariance[q * n + p] = sum / (a->length[p] * a->length[q]);
    }
  }
}

// Coefficients by which hidden columns are combinations of the others, R11^-1 R12, in units of the parameters.
static void combine_hidden(scaled* a, int rank, limb_solution* s)
{
  const int n = a->n;
  memset(s->combination, 0, (size_t)n * (size_t)n * sizeof *s->combination);
  for (int k = rank; k < n; k++) {
    const int hidden = a->pivot[k];
    memcpy(a->norm, a->ordered.R + at(0, k, n + 1), (size_t)rank * sizeof *a->norm);
    back_substitute(a, rank, a->norm);
    for (int i = 0; i < rank; i++)
      s->combination[hidden * n + a->pivot[i]] = a->norm[i] * a->length[hidden] / a->length[a->pivot[i]];
  }
}

static limb_status solve(const limb_triangle* t, scaled* a, limb_solution* s)
{
  const int n = t->n;
  scale(t, a);
  const limb_status status = order(t, s->x, a);
  if (status != LIMB_OK) return status;
  double* right = a->ordered.R + at(0, n, n + 1);
  const double smallest = rank_tolerance(t) * fabs(a->ordered.R[0]);
  int rank = 0;
  while (rank < n && fabs(a->ordered.R[at(rank, rank, n + 1)]) > smallest) rank++;
  s->rank = rank;
  back_substitute(a, rank, right);
  for (int k = 0; k < n; k++) {
    const int p = a->pivot[k];
    s->hidden[p] = k >= rank;
    if (k < rank) s->x[p] += right[k] / a->length[p];
  }
  s->condition = condition_of(a, rank);
  combine_hidden(a, rank, s);
  covariance_of(a, rank, s);
  return LIMB_OK;
}

limb_status limb_solve(const limb_triangle* t, limb_solution* s)
{
  scaled a;
  limb_status status = LIMB_E_NOMEM;
  if (scaled_make(t->n, &a)) status = solve(t, &a, s);
  scaled_free(&a);
  return status;
}

// ---- total least squares ------------------------------------------------------------------------------------
//
// Reference: S. Van Huffel, J. Vandewalle, The total least squares problem, 1991, sections 3.6.3 (columns without
//            errors) and 8.2 (covariance).
//
//   [R11 R12; 0 R22] of [exact columns, others and b]:   R22 v = sigma w with the smallest sigma,   x = -v_i / v_b

// The triangle of columns in the order exact, others that count, b; of length 1 each. n: of all, exact: of those.
static limb_status order_exact(const limb_triangle* t, const unsigned char* exact, const limb_solution* s, int* column,
                               double* length, limb_triangle* out, int* first)
{
  const int n = t->n;
  int m = 0;
  for (int turn = 1; turn >= 0; turn--) {
    for (int k = 0; k < n; k++)
      if (!s->hidden[k] && exact[k] == turn) column[m++] = k;
    if (turn) *first = m;
  }
  column[m] = n;
  double* block = calloc((size_t)(n + 1) * (size_t)(m + 1), sizeof *block);
  if (!block || !limb_triangle_make(m, out)) return free(block), LIMB_E_NOMEM;
  for (int k = 0; k <= m; k++) {
    double *to = block + at(0, k, n + 1), square = 0;
    memcpy(to, t->R + at(0, column[k], n + 1), ((size_t)n + 1) * sizeof *to);
    for (int h = 0; h < n && k == m; h++) // hidden columns keep what they explain
      for (int i = 0; i <= h && s->hidden[h]; i++) to[i] -= t->R[at(i, h, n + 1)] * s->x[h];
    for (int i = 0; i <= n; i++) square += to[i] * to[i];
    length[k] = square > 0 ? sqrt(square) : 1;
    for (int i = 0; i <= n; i++) to[i] /= length[k];
  }
  const limb_status status = limb_triangle_add(out, n + 1, n + 1, block);
  free(block);
  return status;
}

// The right singular vector of the smallest singular value of the last columns, from `first` on. v: their number.
static bool last_direction(const limb_triangle* t, int first, double* v)
{
  const int size = t->n + 1, m = size - first;
  double *A = malloc(((size_t)m * (size_t)m + (size_t)m) * sizeof *A), best = HUGE_VAL;
  if (!A) return false;
  for (int i = 0; i < m; i++) // by rows
    for (int k = 0; k < m; k++) A[i * m + k] = k >= i ? t->R[at(first + i, first + k, size)] : 0;
  const bool found = limb_singular_values(m, m, A, A + (size_t)m * (size_t)m);
  for (int i = 0; i < m && found; i++) {
    const double length = limb_dot((size_t)m, A + i * m, A + i * m);
    if (length < best) best = length, memcpy(v, A + i * m, (size_t)m * sizeof *v);
  }
  free(A);
  return found && best > 0 && v[m - 1] != 0;
}

limb_status limb_solve_total(const limb_triangle* t, const unsigned char* exact, limb_solution* s)
{
  const int n = t->n;
  int first = 0, *column = malloc(((size_t)n + 1) * sizeof *column);
  double *length = malloc((2 * (size_t)n + 3) * sizeof *length), *y = length + n + 1, square = 1;
  limb_triangle ordered = {0};
  limb_status status = column && length ? order_exact(t, exact, s, column, length, &ordered, &first) : LIMB_E_NOMEM;
  if (status == LIMB_OK && last_direction(&ordered, first, y + first)) {
    const int m = ordered.n;
    for (int k = first; k < m; k++) y[k] /= -y[m];
    for (int k = first - 1; k >= 0; k--) { // R11 y1 = b1 - R12 y2
      y[k] = ordered.R[at(k, m, m + 1)];
      for (int i = k + 1; i < m; i++) y[k] -= ordered.R[at(k, i, m + 1)] * y[i];
      y[k] /= ordered.R[at(k, k, m + 1)];
    }
    for (int k = 0; k < m; k++) s->x[column[k]] = y[k] * length[m] / length[k], square += k < first ? 0 : y[k] * y[k];
    for (int i = 0; i < n * n; i++) s->covariance[i] *= square;
  }
  limb_triangle_free(&ordered);
  free(column), free(length);
  return status;
}
