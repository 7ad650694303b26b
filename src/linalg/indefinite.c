#include "linalg/indefinite.h"

#include <math.h>
#include <stddef.h>

// A diagonal entry is large enough at this share of the largest other: growth of the entries is least then,
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

static void swap(double* a, double* b)
{
  const double x = *a;
  *a = *b, *b = x;
}

// Row and column k change places with those of p, in what is left from `from` on; rows as a whole, so that
// L goes along.
static void exchange(int n, int from, int k, int p, double* A, int* pivot)
{
  pivot[k] = p;
  if (p == k) return;
  for (int j = 0; j < n; j++) swap(&A[(ptrdiff_t)k * n + j], &A[(ptrdiff_t)p * n + j]);
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

bool limb_indefinite_factor(int n, double least, double* A, int* pivot, int* negative)
{
  *negative = 0;
  for (int k = 0; k < n;) {
    const pivot_choice p = choose(n, k, A);
    if (!(fmax(p.on, p.off) > least)) return false;
    if (p.on >= ENOUGH * p.off) {
      exchange(n, k, k, p.diagonal, A, pivot);
      *negative += A[(ptrdiff_t)k * n + k] < 0;
      eliminate_one(n, k, A);
      k += 1;
    } else {
      exchange(n, k, k, p.column, A, pivot);
      exchange(n, k, k + 1, p.row, A, pivot); // row > column >= k: the first left it in place
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
