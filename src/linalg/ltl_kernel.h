// L'DL of the mass matrix along the elimination tree, and solves with it.
//
// Reference: Featherstone 2008, section 6.5. M = L' D L with unit lower L, in packed rows: row k holds
// the entries of the path from the root to k, so the row of an ancestor a is a prefix of equal meaning
// and the inner loops run over contiguous numbers. Cost O(sum of depth^2).

// In place; diagonal is scratch for n scalars. Returns the least margin of the pivots over rounding: not
// positive when M is singular to working precision.
KERNEL real ltl_factor(const limb_elimination* e, int n, real* M, real* diagonal)
{
  for (int k = 0; k < n; k++) diagonal[k] = M[e->row[k] + e->depth[k]];
  real least = one();
  for (int k = n - 1; k >= 0; k--) {
    real* row = M + e->row[k];
    const int dk = e->depth[k];
    const real inverse = recip(row[dk]);
    least = lesser(least, kmsub(row[dk], constant(1e-13), diagonal[k]));
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) {
      real* up = M + e->row[a];
      const int da = e->depth[a];
      const real f = settled(mul(row[da], inverse));
      for (int j = 0; j <= da; j++) up[j] = msub(up[j], f, row[j]);
      row[da] = f;
    }
    row[dk] = inverse;
  }
  return least;
}

// x = M^-1 x, from the factors.
KERNEL void ltl_solve(const limb_elimination* e, int n, const real* L, real* x)
{
  for (int k = n - 1; k >= 0; k--) { // L' y = x
    const real* row = L + e->row[k];
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) x[a] = msub(x[a], row[e->depth[a]], x[k]);
  }
  for (int k = 0; k < n; k++) { // D L x = y
    const real* row = L + e->row[k];
    x[k] = settled(mul(x[k], row[e->depth[k]]));
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) x[k] = msub(x[k], row[e->depth[a]], x[a]);
  }
}
