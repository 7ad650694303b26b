// Dense matrices by rows, a block of lanes at a time: inverse of a positive definite one, products.
//
// Gauss-Jordan without pivoting, in place: for every k, row k is divided by the pivot and taken off all
// others, and the column that has become a unit vector makes room for one of the inverse. Cost n^3.

// Row i of A after step k, from rows k (divided, its lane k the pivot's inverse) and i.
KERNEL real eliminated(real row_i, real row_k, cell factor)
{
  return sub(row_i, mul(every_lane(factor), row_k));
}

// For n <= LANES all rows stay at hand.
KERNEL cell invert_small(int n, cell* A)
{
  real row[LANES];
  cell least = lane(one(), 0);
  for (int i = 0; i < LANES; i++) {
    row[i] = i < n ? some_at(A + i * n, n) : with_lane(zero(), i, lane(one(), 0));
  }
  real diagonal = zero();
  for (int i = 0; i < LANES; i++) diagonal = with_lane(diagonal, i, lane(row[i], i));
#pragma GCC unroll 8
  for (int k = 0; k < LANES; k++) {
    if (k >= n) break;
    const real pivot = every_lane(lane(row[k], k));
    const real margin = kmsub(pivot, constant(1e-13), every_lane(lane(diagonal, k)));
    least = lesser_cell(least, lane(margin, 0));
    const real inverse = recip(pivot);
    row[k] = with_lane(mul(row[k], inverse), k, lane(inverse, 0));
#pragma GCC unroll 8
    for (int i = 0; i < LANES; i++) {
      if (i == k) continue;
      const cell factor = lane(row[i], k);
      row[i] = eliminated(with_lane(row[i], k, lane(zero(), 0)), row[k], factor);
    }
  }
  for (int i = 0; i < n; i++) put_some(A + i * n, row[i], n);
  return least;
}

// diagonal: n cells of scratch. Returns the least margin of the pivots over rounding.
static cell row_invert(int n, cell* A, cell* diagonal)
{
  if (n <= LANES) return invert_small(n, A);
  const ptrdiff_t N = n;
  cell least = lane(one(), 0);
  for (int k = 0; k < n; k++) diagonal[k] = A[k * N + k];
  for (int k = 0; k < n; k++) {
    cell* row_k = A + k * N;
    const real pivot = every_lane(row_k[k]);
    const real margin = kmsub(pivot, constant(1e-13), every_lane(diagonal[k]));
    least = lesser_cell(least, lane(margin, 0));
    const real inverse = recip(pivot);
    row_k[k] = lane(one(), 0);
    for (int c = 0; c < n; c += LANES) {
      put_some(row_k + c, mul(some_at(row_k + c, n - c), inverse), n - c);
    }
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      cell* row_i = A + i * N;
      const cell factor = row_i[k];
      row_i[k] = lane(zero(), 0);
      for (int c = 0; c < n; c += LANES) {
        const real x = eliminated(some_at(row_i + c, n - c), some_at(row_k + c, n - c), factor);
        put_some(row_i + c, x, n - c);
      }
    }
  }
  return least;
}

// X = -A X for n x n matrices, by blocks of columns. work: n LANES cells.
static void row_take_product(int n, const cell* A, cell* X, cell* work)
{
  const ptrdiff_t N = n;
  for (int c = 0; c < n; c += LANES) {
    for (int k = 0; k < n; k++) put_lanes(work + k * LANES, some_at(X + k * N + c, n - c));
    for (int i = 0; i < n; i++) {
      real sum = zero();
      for (int k = 0; k < n; k++) {
        sum = sub(sum, mul(every_lane(A[i * N + k]), lanes_at(work + k * LANES)));
      }
      put_some(X + i * N + c, sum, n - c);
    }
  }
}
