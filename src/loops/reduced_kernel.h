// Equations of motion along what the rows of a cluster leave free.
//
// q'' = G y'' + g: of n velocities, y are free, and the pivots of the reduced rows follow from them
// (linalg/row_reduce.h). With M and the forces f that are left for accelerations,
//
//   M_y = G' M G        M_y y'' = G' (f - M g) - F_y' a          F_y = F G: what a base's acceleration a adds
//
// Rows and columns of M that are zero, as many are in a robot with legs, cost a look each. Over double only.

// G (n x y) and g (n).
KERNEL void map_of(const limb_reduction* r, int n, real* G, real* g)
{
  const ptrdiff_t wide = r->columns + r->extra, y = n - r->rank;
  const int* other = r->pivot + r->rank;
  for (int p = 0; p < r->rank; p++) {
    const double* row = r->A + p * wide;
    real* to = G + r->pivot[p] * y;
    for (ptrdiff_t j = 0; j < y; j++) to[j] = neg(given(row[other[j]]));
    g[r->pivot[p]] = given(row[r->columns]);
  }
  for (ptrdiff_t i = 0; i < y; i++) {
    real* to = G + other[i] * y;
    for (ptrdiff_t j = 0; j < y; j++) to[j] = i == j ? one() : zero();
    g[other[i]] = zero();
  }
}

// out = A G, rows x y, and f -= A g.
KERNEL void times_map(int rows, int n, int y, const real* A, const real* G, const real* g,
                      real* out, real* f)
{
  for (ptrdiff_t i = 0; i < rows; i++) {
    real* to = out + i * y;
    for (ptrdiff_t j = 0; j < y; j++) to[j] = zero();
    for (ptrdiff_t k = 0; k < n; k++) {
      const real x = A[i * n + k];
      if (x == 0) continue;
      f[i] = msub(f[i], x, g[k]);
      for (ptrdiff_t j = 0; j < y; j++) to[j] = madd(to[j], x, G[k * y + j]);
    }
  }
}

// Lower triangle of M_y = G' MG, and Z[.][0] = G' f.
KERNEL void along_map(int n, int y, const real* G, const real* MG, const real* f, real* M_y,
                      real* Z)
{
  for (ptrdiff_t i = 0; i < (ptrdiff_t)y * y; i++) M_y[i] = zero();
  for (ptrdiff_t i = 0; i < y; i++) Z[i * 7] = zero();
  for (ptrdiff_t k = 0; k < n; k++) {
    for (ptrdiff_t i = 0; i < y; i++) {
      const real x = G[k * y + i];
      if (x == 0) continue;
      Z[i * 7] = madd(Z[i * 7], x, f[k]);
      for (ptrdiff_t j = 0; j <= i; j++) M_y[i * y + j] = madd(M_y[i * y + j], x, MG[k * y + j]);
    }
  }
}

// L L' = M_y in place, inverses on the diagonal; the least margin of a pivot.
KERNEL real factor_independent(int y, real* A, real least)
{
  for (ptrdiff_t j = 0; j < y; j++) {
    const real before = A[j * y + j];
    real d = before;
    for (ptrdiff_t k = 0; k < j; k++) d = msub(d, A[j * y + k], A[j * y + k]);
    least = lesser(least, kmsub(d, constant(1e-14), before));
    const real inverse = recip(root(d));
    A[j * y + j] = inverse;
    for (ptrdiff_t i = j + 1; i < y; i++) {
      real x = A[i * y + j];
      for (ptrdiff_t k = 0; k < j; k++) x = msub(x, A[i * y + k], A[j * y + k]);
      A[i * y + j] = mul(x, inverse);
    }
  }
  return least;
}

// The first columns of Z (7 wide) solved.
KERNEL void solve_independent(int y, int columns, const real* L, real* Z)
{
  for (ptrdiff_t i = 0; i < y; i++) {
    for (ptrdiff_t k = 0; k < i; k++) {
      for (ptrdiff_t c = 0; c < columns; c++)
        Z[i * 7 + c] = msub(Z[i * 7 + c], L[i * y + k], Z[k * 7 + c]);
    }
    for (ptrdiff_t c = 0; c < columns; c++) Z[i * 7 + c] = mul(Z[i * 7 + c], L[i * y + i]);
  }
  for (ptrdiff_t i = y - 1; i >= 0; i--) {
    for (ptrdiff_t k = i + 1; k < y; k++) {
      for (ptrdiff_t c = 0; c < columns; c++)
        Z[i * 7 + c] = msub(Z[i * 7 + c], L[k * y + i], Z[k * 7 + c]);
    }
    for (ptrdiff_t c = 0; c < columns; c++) Z[i * 7 + c] = mul(Z[i * 7 + c], L[i * y + i]);
  }
}

// q'' of velocity i for column c of Z: (G Z)_i.
KERNEL real mapped(int y, const real* G, const real* Z, int i, int c)
{
  real sum = zero();
  for (ptrdiff_t j = 0; j < y; j++) sum = madd(sum, G[i * (ptrdiff_t)y + j], Z[j * 7 + c]);
  return sum;
}
