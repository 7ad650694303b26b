// Mass matrix and forward dynamics of a chain, over vectors of double: lanes are columns of M.
//
// For robots that are one chain of rotations, which are the user's (limb_is_chain). Columns that fit into
// one block stay in registers all the way. Every column goes through the same operations as it does alone
// (kernel/crba_kernel.h): answers are the same. Cost O(n^2 / lanes) instructions, of which O(n) wait for
// each other.
//
// Compiled once per instruction set (LIMB_ISA: base, v3 or v4); there are none for sets with fewer than eight lanes.

#include "kernel/target.h"

#if LIMB_LANES == 8
#include "kernel/scalar_f64.h"

#include "kernel/lanes_f64.h"

#include "kernel/factor_kernel.h"

// ---- where entries go ------------------------------------------------------------------------------------

#define COLUMN_TARGET 1

// Rows of M from the diagonal on: of whole blocks, or of the user's matrix.
typedef struct target {
  cell* M;
  int stride;
  bool whole;
} target;

// A block of row j. More is put at the end of the user's row than there is: that lands before the diagonal
// of the next one, which is made already, and is overwritten at last (mirror).
KERNEL void put_block(const limb_model* m, const target* to, int j, int c, lane_vec x)
{
  cell* at = to->M + (ptrdiff_t)j * to->stride + c;
  const int n = m->nv, beyond = c + LANES - n;
  if (to->whole || beyond <= (j + 1 < n ? j + 1 : 0)) {
    put_lanes(at, x);
  } else {
    put_some(at, x, n - c < LANES ? n - c : LANES);
  }
}

KERNEL target square_target(cell* rows) { return (target){rows, SIDE, true}; }

KERNEL bool rotations_only(const target* to)
{
  (void)to;
  return true;
}

KERNEL void put_rotors(const limb_model* m, const target* to)
{
  for (int j = 0; j < m->nv; j++) to->M[(ptrdiff_t)j * (to->stride + 1)] += m->actuator[j].rotor;
}

#include "kernel/crba_kernel.h"

// ---- symmetric matrices of which the upper triangle is known ----------------------------------------------

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

// ---- the kernels -----------------------------------------------------------------------------------------

static void chain_mass_matrix(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, real* M)
{
  const context ctx = {m, k, ws};
  load_coordinates(m, k, ws, q);
  if (m->nv <= LANES) {
    cell rows[LANES * LANES];
    const target to = {rows, LANES, true};
    crba_columns(ctx, &to, true, NULL);
    mirror_block(m->nv, rows, M);
  } else {
    const target to = {M, m->nv, false};
    crba_columns(ctx, &to, false, NULL);
    mirror(m->nv, M);
  }
}

const limb_chain_kernels LIMB_JOIN(limb_chain_f64_, LIMB_ISA) = {chain_mass_matrix, forward_chain};
#endif
