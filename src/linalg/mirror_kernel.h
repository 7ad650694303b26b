// Symmetric matrices of which the upper triangle is known, by vectors (base/lanes_f64.h).

KERNEL int lesser_of(int a, int b) { return a < b ? a : b; }

// n x n: the lower triangle, a square of lanes at a time.
KERNEL void mirror(int n, cell* M)
{
  const ptrdiff_t N = n;
  for (int i = 0; i < n; i += LANES) {
    const int high = lesser_of(LANES, n - i);
    for (int j = i; j < n; j += LANES) {
      const int broad = lesser_of(LANES, n - j);
      lane_vec x[LANES], y[LANES];
#pragma GCC unroll 8
      for (int r = 0; r < LANES; r++) x[r] = y[r] = some_at(M + (i + lesser_of(r, high - 1)) * N + j, broad);
      turn_square(x);
#pragma GCC unroll 8
      for (int r = 0; r < LANES; r++) {
        if (r >= broad) continue;
        if (i == j) x[r] = choose(lanes_within(0, r), x[r], y[r]);
        put_some(M + (j + r) * N + i, x[r], high);
      }
    }
  }
}

// n <= LANES: the whole matrix from rows that are LANES apart. What is put behind the end of a row, the
// next one overwrites.
KERNEL void mirror_block(int n, const cell* rows, cell* M)
{
  lane_vec x[LANES], y[LANES];
#pragma GCC unroll 8
  for (int r = 0; r < LANES; r++) x[r] = y[r] = lanes_at(rows + (ptrdiff_t)lesser_of(r, n - 1) * LANES);
  turn_square(x);
#pragma GCC unroll 8
  for (int r = 0; r < LANES; r++) {
    if (r >= n) continue;
    put_some(M + (ptrdiff_t)r * n, choose(lanes_within(0, r), x[r], y[r]), lesser_of((n - r) * n, LANES));
  }
}
