// Dense matrices of moderate size: products, transposes, factorisations, solves, ranks, singular values, exchange
// steps. linalg/dense.h has the references, costs and conventions of each section.

#include "linalg/dense.h"

#include "linalg/row_reduce_kernel.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static void swap(double* a, double* b)
{
  const double x = *a;
  *a = *b, *b = x;
}

static void swap_vectors(int n, double* a, double* b)
{
  for (int k = 0; k < n; k++) swap(&a[k], &b[k]);
}

// ---- products and transposes --------------------------------------------------------------------------------

// Row by row; rows of B whose factor is zero are skipped.
void limb_matrix_product(int rows, int inner, int columns, const double* A, const double* B, double* C)
{
  const ptrdiff_t n = columns;
  memset(C, 0, (size_t)rows * (size_t)columns * sizeof *C);
  for (ptrdiff_t i = 0; i < rows; i++) {
    for (ptrdiff_t k = 0; k < inner; k++) {
      const double a = A[i * inner + k];
      if (a == 0) continue;
      for (ptrdiff_t j = 0; j < n; j++) C[i * n + j] += a * B[k * n + j];
    }
  }
}

void limb_transposed_product(int rows, int inner, int columns, const double* A, const double* B, double* C)
{
  const ptrdiff_t m = rows, n = columns;
  memset(C, 0, (size_t)rows * (size_t)columns * sizeof *C);
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t k = 0; k < inner; k++) {
      const double a = A[k * m + i];
      if (a == 0) continue;
      for (ptrdiff_t j = 0; j < n; j++) C[i * n + j] += a * B[k * n + j];
    }
  }
}

// Along the cycles of the permutation s -> s rows mod (rows columns - 1), each from its smallest member.
static void transpose_by_cycles(ptrdiff_t rows, ptrdiff_t columns, double* A)
{
  const ptrdiff_t last = rows * columns - 1;
  for (ptrdiff_t start = 1; start < last; start++) {
    ptrdiff_t s = start * rows % last;
    while (s > start) s = s * rows % last;
    if (s < start) continue;
    double carried = A[start];
    do {
      s = s * rows % last;
      swap(&A[s], &carried);
    } while (s != start);
  }
}

void limb_transpose(int rows, int columns, double* A)
{
  if (rows != columns) {
    transpose_by_cycles(rows, columns, A);
    return;
  }
  const ptrdiff_t n = rows;
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < i; j++) swap(&A[i * n + j], &A[j * n + i]);
  }
}

// ---- square matrices ----------------------------------------------------------------------------------------

// The row below k whose entry in column k is largest, relative to what the row was.
static int find_pivot(int n, int k, const double* A, const double* scale)
{
  int best = k;
  double largest = -1;
  for (int i = k; i < n; i++) {
    const double share = fabs(A[(size_t)i * (size_t)n + (size_t)k]) * scale[i];
    if (share > largest) best = i, largest = share;
  }
  return best;
}

bool limb_lu_factor(int n, double* A, int* pivot, double* scale)
{
  const size_t width = (size_t)n;
  for (int i = 0; i < n; i++) {
    double largest = 0;
    for (int j = 0; j < n; j++) largest = fmax(largest, fabs(A[(size_t)i * width + (size_t)j]));
    if (largest == 0) return false;
    scale[i] = 1 / largest;
  }
  for (int k = 0; k < n; k++) {
    const int p = find_pivot(n, k, A, scale);
    double* row = A + (size_t)k * width;
    pivot[k] = p;
    if (fabs(A[(size_t)p * width + (size_t)k]) * scale[p] <= n * DBL_EPSILON) return false;
    if (p != k) {
      swap_vectors(n, row, A + (size_t)p * width);
      const double s = scale[k];
      scale[k] = scale[p], scale[p] = s;
    }
    for (int i = k + 1; i < n; i++) {
      double* below = A + (size_t)i * width;
      const double l = below[k] /= row[k];
      for (int j = k + 1; j < n; j++) below[j] -= l * row[j];
    }
  }
  return true;
}

void limb_lu_solve(int n, const double* A, const int* pivot, double* x)
{
  const size_t width = (size_t)n;
  for (int k = 0; k < n; k++) {
    const double y = x[pivot[k]];
    x[pivot[k]] = x[k], x[k] = y;
  }
  for (size_t i = 0; i < width; i++) x[i] -= limb_dot(i, A + i * width, x);
  for (size_t i = width; i-- > 0;) {
    const double* diagonal = A + i * width + i;
    x[i] = (x[i] - limb_dot(width - 1 - i, diagonal + 1, x + i + 1)) / *diagonal;
  }
}

// ---- symmetric positive definite matrices -------------------------------------------------------------------

// Row by row:
//   l_ij = (a_ij - sum_k<j l_ik l_jk) / l_jj,   l_ii^2 = a_ii - sum_k<i l_ik^2
bool limb_cholesky(int n, double* A)
{
  const size_t N = (size_t)n;
  for (size_t i = 0; i < N; i++) {
    double* l = A + i * N;
    for (size_t j = 0; j < i; j++) l[j] = (l[j] - limb_dot(j, l, A + j * N)) / A[j * N + j];
    const double rest = l[i] - limb_dot(i, l, l);
    if (!(rest > 4 * n * DBL_EPSILON * l[i])) return false;
    l[i] = sqrt(rest);
  }
  return true;
}

// L y = x, then L' x = y.
void limb_cholesky_solve(int n, const double* L, double* x)
{
  const size_t N = (size_t)n;
  for (size_t i = 0; i < N; i++) x[i] = (x[i] - limb_dot(i, L + i * N, x)) / L[i * N + i];
  for (size_t i = N; i-- > 0;) {
    const double* l = L + i * N;
    x[i] /= l[i];
    for (size_t k = 0; k < i; k++) x[k] -= l[k] * x[i];
  }
}

// Column j of the inverse is A^-1 e_j; as a row it is the same.
void limb_cholesky_inverse(int n, const double* L, double* X)
{
  const size_t N = (size_t)n;
  memset(X, 0, N * N * sizeof *X);
  for (size_t j = 0; j < N; j++) {
    X[j * N + j] = 1;
    limb_cholesky_solve(n, L, X + j * N);
  }
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < i; j++) X[i * N + j] = X[j * N + i] = (X[i * N + j] + X[j * N + i]) / 2;
  }
}

// ---- symmetric indefinite matrices --------------------------------------------------------------------------

// A diagonal entry is large enough at this share of the largest other: growth of the entries is smallest then,
// (1 + sqrt 17) / 8.
#define ENOUGH 0.6403882032022076

typedef struct pivot_choice {
  int diagonal;    // of the largest diagonal entry
  int row, column; // of the largest other one, row > column
  double on, off;  // their sizes
} pivot_choice;

static pivot_choice choose(int n, int from, const double* A)
{
  pivot_choice p = {from, from, from, 0, 0};
  for (int i = from; i < n; i++) {
    const double* a = A + (ptrdiff_t)i * n;
    if (fabs(a[i]) > p.on) p.diagonal = i, p.on = fabs(a[i]);
    for (int j = from; j < i; j++) {
      if (fabs(a[j]) > p.off) p.row = i, p.column = j, p.off = fabs(a[j]);
    }
  }
  return p;
}

// Exchanges row and column k with those of p in the part not yet eliminated, from `from` on; rows as a whole, so
// that L goes along.
static void exchange_both(int n, int from, int k, int p, double* A, int* pivot)
{
  pivot[k] = p;
  if (p == k) return;
  swap_vectors(n, A + (ptrdiff_t)k * n, A + (ptrdiff_t)p * n);
  for (int i = from; i < n; i++) swap(&A[(ptrdiff_t)i * n + k], &A[(ptrdiff_t)i * n + p]);
}

// l_i = a_ik / d,   a_ij -= l_i a_jk
static void eliminate_one(int n, int k, double* A)
{
  const double* d = A + (ptrdiff_t)k * n;
  for (int i = k + 1; i < n; i++) {
    double* a = A + (ptrdiff_t)i * n;
    const double l = a[k] / d[k];
    for (int j = k + 1; j < n; j++) a[j] -= l * d[j];
    a[k] = l;
  }
  if (k + 1 < n) A[(ptrdiff_t)k * n + k + 1] = 0; // a block of 1
}

// (l_i1 l_i2) = (a_ik a_i,k+1) D^-1,   a_ij -= l_i1 a_jk + l_i2 a_j,k+1
static void eliminate_two(int n, int k, double* A)
{
  const double *d = A + (ptrdiff_t)k * n, *e = d + n;
  const double a11 = d[k], a12 = d[k + 1], a22 = e[k + 1], det = a11 * a22 - a12 * a12;
  for (int i = k + 2; i < n; i++) {
    double* a = A + (ptrdiff_t)i * n;
    const double l1 = (a22 * a[k] - a12 * a[k + 1]) / det;
    const double l2 = (a11 * a[k + 1] - a12 * a[k]) / det;
    for (int j = k + 2; j < n; j++) a[j] -= l1 * d[j] + l2 * e[j];
    a[k] = l1, a[k + 1] = l2;
  }
  if (k + 2 < n) A[(ptrdiff_t)(k + 1) * n + k + 2] = 0; // a block of 2 ends here
}

bool limb_indefinite_factor(int n, double min_pivot, double* A, int* pivot, int* negative)
{
  *negative = 0;
  for (int k = 0; k < n;) {
    const pivot_choice p = choose(n, k, A);
    if (!(fmax(p.on, p.off) > min_pivot)) return false;
    if (p.on >= ENOUGH * p.off) {
      exchange_both(n, k, k, p.diagonal, A, pivot);
      *negative += A[(ptrdiff_t)k * n + k] < 0;
      eliminate_one(n, k, A);
      k += 1;
    } else {
      exchange_both(n, k, k, p.column, A, pivot);
      exchange_both(n, k, k + 1, p.row, A, pivot); // row > column >= k: the first left it in place
      *negative += 1;
      eliminate_two(n, k, A);
      k += 2;
    }
  }
  return true;
}

static bool is_two(int n, int k, const double* A) { return k + 1 < n && A[(ptrdiff_t)k * n + k + 1] != 0; }

// Rows of L begin with 1 on the diagonal; beside the second row of a block of 2 stands D, not L.
static int left_of(int n, int i, const double* A) { return i > 0 && is_two(n, i - 1, A) ? i - 1 : i; }

// D z = y
static void solve_blocks(int n, const double* A, double* x)
{
  for (int k = 0; k < n; k++) {
    const double* d = A + (ptrdiff_t)k * n;
    if (!is_two(n, k, A)) {
      x[k] /= d[k];
      continue;
    }
    const double a11 = d[k], a12 = d[k + 1], a22 = d[n + k + 1], det = a11 * a22 - a12 * a12;
    const double x1 = x[k], x2 = x[k + 1];
    x[k] = (a22 * x1 - a12 * x2) / det;
    x[k + 1] = (a11 * x2 - a12 * x1) / det;
    k++;
  }
}

void limb_indefinite_solve(int n, const double* A, const int* pivot, double* x)
{
  for (int k = 0; k < n; k++) swap(&x[k], &x[pivot[k]]);
  for (int i = 0; i < n; i++) { // L y = P x
    const double* l = A + (ptrdiff_t)i * n;
    for (int j = 0; j < left_of(n, i, A); j++) x[i] -= l[j] * x[j];
  }
  solve_blocks(n, A, x);
  for (int i = n; i-- > 0;) { // L' P x = z
    const double* l = A + (ptrdiff_t)i * n;
    for (int j = 0; j < left_of(n, i, A); j++) x[j] -= l[j] * x[i];
  }
  for (int k = n; k-- > 0;) swap(&x[k], &x[pivot[k]]);
}

// ---- QR with column pivoting --------------------------------------------------------------------------------

// The reflector that takes x onto its first axis: x becomes (r, v) with H = 1 - beta (1, v)(1, v)'.
static double reflector(int n, double* x)
{
  const double norm = sqrt(limb_dot((size_t)n, x, x));
  if (norm == 0) return 0;
  const double r = x[0] > 0 ? -norm : norm, first = x[0] - r; // no cancellation
  const double beta = -first / r;
  for (int i = 1; i < n; i++) x[i] /= first;
  x[0] = r;
  return beta;
}

// y = H y
static void reflect(int n, double beta, const double* v, double* y)
{
  const double along = beta * (y[0] + limb_dot((size_t)(n - 1), v + 1, y + 1));
  y[0] -= along;
  for (int i = 1; i < n; i++) y[i] -= along * v[i];
}

static int longest(int from, int columns, const double* norm)
{
  int best = from;
  for (int j = from + 1; j < columns; j++)
    if (norm[j] > norm[best]) best = j;
  return best;
}

void limb_qr_factor(int rows, int columns, double* A, int* pivot, double* norm)
{
  double* whole = norm + columns; // norm when it was last summed up
  for (int j = 0; j < columns; j++) {
    const double* a = A + (ptrdiff_t)j * rows;
    pivot[j] = j;
    norm[j] = whole[j] = sqrt(limb_dot((size_t)rows, a, a));
  }
  for (int k = 0; k < columns && k < rows; k++) {
    const int best = longest(k, columns, norm), column = pivot[k];
    double* a = A + (ptrdiff_t)k * rows;
    if (best != k) {
      swap_vectors(rows, a, A + (ptrdiff_t)best * rows);
      pivot[k] = pivot[best], pivot[best] = column;
      norm[best] = norm[k], whole[best] = whole[k];
    }
    const double beta = reflector(rows - k, a + k);
    for (int j = k + 1; j < columns; j++) {
      double* y = A + (ptrdiff_t)j * rows;
      reflect(rows - k, beta, a + k, y + k);
      if (norm[j] == 0) continue;
      // what is left of the norm; summed up anew when little is
      const double part = y[k] / norm[j], left = fmax(0, 1 - part * part);
      const double loss = norm[j] / whole[j];
      norm[j] *= sqrt(left);
      if (left * loss * loss < 1e-7) norm[j] = whole[j] = sqrt(limb_dot((size_t)(rows - k - 1), y + k + 1, y + k + 1));
    }
  }
}

limb_qr_decision limb_qr_rank(int rows, int columns, const double* A, double tolerance)
{
  limb_qr_decision r = {0, 1, 0};
  const int n = rows < columns ? rows : columns;
  const double first = n > 0 ? fabs(A[0]) : 0;
  for (int k = 0; k < n && first > 0; k++) {
    const double x = fabs(A[(ptrdiff_t)k * rows + k]) / first;
    if (x <= tolerance) {
      r.dropped = x;
      break;
    }
    r.rank = k + 1, r.kept = x;
  }
  return r;
}

void limb_qr_combinations(int rows, int columns, int rank, double* A)
{
  for (int j = rank; j < columns; j++) {
    double* x = A + (ptrdiff_t)j * rows;
    for (int i = rank - 1; i >= 0; i--) {
      double sum = x[i];
      for (int k = i + 1; k < rank; k++) sum -= A[(ptrdiff_t)k * rows + i] * x[k];
      x[i] = sum / A[(ptrdiff_t)i * rows + i];
    }
  }
}

// ---- singular values ----------------------------------------------------------------------------------------

enum { SWEEPS = 60 };

// Turns rows x and y in their plane by the smaller angle that makes them orthogonal; false when they are
// already, or when one of them is rounding (its square below floor).
//   cot 2phi = (y.y - x.x) / (2 x.y) = zeta,   t = tan phi = sign(zeta) / (|zeta| + sqrt(1 + zeta^2))
static bool turn(size_t n, double floor, double* x, double* y)
{
  const double xx = limb_dot(n, x, x), yy = limb_dot(n, y, y), xy = limb_dot(n, x, y);
  if (xx <= floor || yy <= floor) return false;
  if (fabs(xy) <= 4 * DBL_EPSILON * sqrt(xx) * sqrt(yy)) return false;
  const double zeta = (yy - xx) / (2 * xy);
  const double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const double c = 1 / sqrt(1 + t * t), s = c * t;
  for (size_t k = 0; k < n; k++) {
    const double u = x[k];
    x[k] = c * u - s * y[k];
    y[k] = s * u + c * y[k];
  }
  return true;
}

static void sort_down(int n, double* x)
{
  for (int i = 1; i < n; i++) {
    const double key = x[i];
    int j = i;
    for (; j > 0 && x[j - 1] < key; j--) x[j] = x[j - 1];
    x[j] = key;
  }
}

bool limb_singular_values(int rows, int columns, double* A, double* sigma)
{
  const size_t m = (size_t)rows, n = (size_t)columns;
  double largest = 0;
  for (size_t i = 0; i < m; i++) largest = fmax(largest, limb_dot(n, A + i * n, A + i * n));
  const double floor = largest * DBL_EPSILON * DBL_EPSILON;
  bool turned = true;
  for (int sweep = 0; turned; sweep++) {
    if (sweep == SWEEPS) return false;
    turned = false;
    for (size_t i = 0; i < m; i++) {
      for (size_t j = i + 1; j < m; j++) turned |= turn(n, floor, A + i * n, A + j * n);
    }
  }
  for (size_t i = 0; i < m; i++) sigma[i] = sqrt(limb_dot(n, A + i * n, A + i * n));
  sort_down(rows, sigma);
  return true;
}

// ---- exchange steps -----------------------------------------------------------------------------------------

bool limb_exchange(int n, int k, double min_pivot, double* A)
{
  const size_t N = (size_t)n, K = (size_t)k;
  double* pivots = A + K * N;
  if (!(pivots[K] > min_pivot)) return false;
  const double inverse = 1 / pivots[K];
  for (size_t i = 0; i < N; i++) {
    double* row = A + i * N;
    if (i == K || row[K] == 0) continue;
    const double f = row[K] * inverse;
    for (size_t j = 0; j < N; j++) row[j] -= f * pivots[j];
    row[K] = f;
  }
  for (size_t j = 0; j < N; j++) pivots[j] *= -inverse;
  pivots[K] = inverse;
  return true;
}

void limb_exchange_beside(int n, int k, const double* A, int columns, double* B)
{
  const size_t N = (size_t)n, K = (size_t)k, C = (size_t)columns;
  double* pivots = B + K * C;
  for (size_t i = 0; i < N; i++) {
    const double f = A[i * N + K];
    if (i == K || f == 0) continue;
    for (size_t j = 0; j < C; j++) B[i * C + j] -= f * pivots[j];
  }
  for (size_t j = 0; j < C; j++) pivots[j] *= -A[K * N + K];
}

// ---- elimination by rows (linalg/row_reduce_kernel.h) ---------------------------------------------------------

void limb_row_reduce_weighted(limb_reduction* r, const unsigned char* prefer, const int* weight, double tolerance)
{
  reduce_rows(r, r->columns + r->extra, prefer, weight, tolerance);
}

void limb_row_reduce(limb_reduction* r, const unsigned char* prefer, double tolerance)
{
  limb_row_reduce_weighted(r, prefer, NULL, tolerance);
}

void limb_remove_dependent(const limb_reduction* r, double* work, double* x)
{
  const ptrdiff_t wide = r->columns + r->extra, n = r->rows - r->rank;
  const double* T = r->A + r->rank * wide + r->columns;
  double *A = work, *y = work + n * n;
  for (ptrdiff_t i = 0; i < n; i++) {
    y[i] = limb_dot((size_t)r->rows, T + i * wide, x);
    for (ptrdiff_t j = 0; j <= i; j++) A[i * n + j] = limb_dot((size_t)r->rows, T + i * wide, T + j * wide);
  }
  if (!limb_cholesky((int)n, A)) return; // T has full rank: it is made of steps of elimination
  limb_cholesky_solve((int)n, A, y);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (int k = 0; k < r->rows; k++) x[k] -= T[i * wide + k] * y[i];
  }
}
