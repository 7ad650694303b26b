// Small dense systems, solved without branches on values, so that the solution can be recorded.
//
// Reference: A. Bjorck, Numerical methods for least squares problems, 1996, section 2.4.
// Cost:      2 rows n^2 to factor, 4 rows n for a right-hand side.
//
// A is rows x n, rows >= n, of rank n. Elimination would need a pivot that is never zero, which changes with the
// state. Therefore
//
//   n = rows <= 3   the inverse by cofactors, which fails only where the determinant is zero
//   else            A = Q R, columns of Q orthogonal (Gram and Schmidt, modified), which fails only where
//                   the rank is less
//
//   A x = b         in least squares where there are more rows: x = R^-1 Q' b
//   A' x = f        of least norm then: x = Q R^-T f
//
// What is left of a column, a determinant or a pivot must be more than a share of what the entries amount to: lesser()
// learns of all of them.
//
// Included after the scalar vocabulary with root(), and kernel/vectors.h.

#define SOLVED_SHARE 1e-6

KERNEL void demand(real left, real before) { (void)lesser(one(), kmsub(left, constant(SOLVED_SHARE), before)); }

// The same of their squares.
KERNEL void demand_squares(real left, real before)
{
  (void)lesser(one(), kmsub(left, constant(SOLVED_SHARE * SOLVED_SHARE), before));
}

typedef struct dense {
  int rows, n;
  bool small;  // Q is the transposed inverse, and R is not used
  real *Q, *R; // rows x n, n x n
} dense;

KERNEL real sum_of_squares(int n, const real* x)
{
  real sum = zero();
  for (int i = 0; i < n; i++) sum = madd(sum, x[i], x[i]);
  return sum;
}

// ---- up to three unknowns ------------------------------------------------------------------------------------------

// Cofactor of entry (i, j) of 3 x 3, indices in cyclic order: signs included.
KERNEL real cofactor3(const real* A, int i, int j)
{
  const int r = (i + 1) % 3, s = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
  return det2(A[3 * r + c], A[3 * s + d], A[3 * r + d], A[3 * s + c]);
}

// Cofactors of A, n x n: those of one number are 1.
KERNEL void cofactors(int n, const real* A, real* C)
{
  if (n == 1) C[0] = one();
  if (n == 2) C[0] = A[3], C[1] = neg(A[2]), C[2] = neg(A[1]), C[3] = A[0];
  for (int k = 0; n == 3 && k < 9; k++) C[k] = cofactor3(A, k / 3, k % 3);
}

// Q becomes A^-T = C / det.
KERNEL void invert_small(int n, real* Q)
{
  real C[9], det = zero();
  const real F = sum_of_squares(n * n, Q); // a determinant is at most (F / n)^n/2
  cofactors(n, Q, C);
  for (int j = 0; j < n; j++) det = madd(det, Q[j], C[j]);
  if (n == 2) demand_squares(mul(det, det), scale(constant(0.25), mul(F, F)));
  if (n == 3) demand_squares(mul(det, det), scale(constant(1.0 / 27), mul(F, mul(F, F))));
  const real inverse = recip(det);
  for (int k = 0; k < n * n; k++) Q[k] = mul(C[k], inverse);
}

// ---- more unknowns -------------------------------------------------------------------------------------------------

// q_k . b, q_k a column of Q.
KERNEL real along_column(const dense* A, int k, const real* b, int stride)
{
  real sum = zero();
  for (ptrdiff_t i = 0; i < A->rows; i++) sum = madd(sum, A->Q[i * A->n + k], b[i * stride]);
  return sum;
}

// b -= x q_k
KERNEL void take_column(const dense* A, int k, real x, real* b, int stride)
{
  for (ptrdiff_t i = 0; i < A->rows; i++) b[i * stride] = msub(b[i * stride], x, A->Q[i * A->n + k]);
}

// Q comes as A. Reciprocals on the diagonal of R.
KERNEL void factor_dense(dense* A)
{
  A->small = A->rows == A->n && A->n <= 3;
  if (A->small) {
    invert_small(A->n, A->Q);
    return;
  }
  const real F = sum_of_squares(A->rows * A->n, A->Q);
  for (int k = 0; k < A->n; k++) {
    real* column = A->Q + k;
    const real square = along_column(A, k, column, A->n), inverse = recip(root(square));
    demand_squares(square, scale(constant(1.0 / A->n), F));
    for (ptrdiff_t i = 0; i < A->rows; i++) column[i * A->n] = mul(column[i * A->n], inverse);
    A->R[k * A->n + k] = inverse;
    for (int j = k + 1; j < A->n; j++) {
      const real x = along_column(A, k, A->Q + j, A->n);
      take_column(A, k, x, A->Q + j, A->n);
      A->R[k * A->n + j] = x;
    }
  }
}

// A x = b; overwrites b.
KERNEL void solve_dense(const dense* A, real* b, real* x)
{
  for (int k = 0; k < A->n; k++) {
    x[k] = along_column(A, k, b, 1);
    if (!A->small) take_column(A, k, x[k], b, 1);
  }
  for (int k = A->small ? -1 : A->n - 1; k >= 0; k--) {
    for (int j = k + 1; j < A->n; j++) x[k] = msub(x[k], A->R[k * A->n + j], x[j]);
    x[k] = mul(x[k], A->R[k * A->n + k]);
  }
}

// A' x = f; overwrites f.
KERNEL void solve_dense_transposed(const dense* A, real* f, real* x)
{
  for (int i = 0; i < A->rows; i++) x[i] = zero();
  for (int k = 0; !A->small && k < A->n; k++) {
    for (int j = 0; j < k; j++) f[k] = msub(f[k], A->R[j * A->n + k], f[j]);
    f[k] = mul(f[k], A->R[k * A->n + k]);
  }
  for (int k = A->n - 1; k >= 0; k--) {
    const real there = A->small ? zero() : along_column(A, k, x, 1);
    take_column(A, k, sub(there, f[k]), x, 1);
  }
}

// ---- positive definite systems -------------------------------------------------------------------------------------

// M x = b, n x n; overwrites the lower half of M, x replaces b. L' D L from the last row on keeps the branches of a
// tree separate. diagonal is scratch for n scalars.
KERNEL void solve_definite(int n, real* M, real* diagonal, real* b)
{
  for (ptrdiff_t k = 0; k < n; k++) diagonal[k] = M[k * n + k];
  for (ptrdiff_t k = n - 1; k >= 0; k--) {
    real* row = M + k * n;
    const real inverse = recip(row[k]);
    demand(row[k], diagonal[k]);
    for (ptrdiff_t i = k - 1; i >= 0; i--) { // row[j <= i] is unchanged
      const real f = mul(row[i], inverse);
      for (ptrdiff_t j = 0; j <= i; j++) M[i * n + j] = msub(M[i * n + j], f, row[j]);
      b[i] = msub(b[i], f, b[k]);
      row[i] = f;
    }
    b[k] = mul(b[k], inverse);
  }
  for (ptrdiff_t k = 0; k < n; k++) {
    for (ptrdiff_t i = 0; i < k; i++) b[k] = msub(b[k], M[k * n + i], b[i]);
  }
}
