// Mass matrix and forward dynamics of a chain, over vectors of double: lanes are columns of M.
//
// For robots that are one chain of rotations, which are the user's (limb_is_chain). Columns that fit into
// one block stay in registers all the way. Every column goes through the same operations as it does alone
// (dynamics/crba_kernel.h): answers are the same. Cost O(n^2 / lanes) instructions, of which O(n) wait for
// each other.

#define COLUMN_TARGET 1

#include "dynamics/column_kernel.h"

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

#include "dynamics/crba_kernel.h"

#include "linalg/mirror_kernel.h"

static void chain_mass_matrix(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, real* M)
{
  load_coordinates(m, k, ws, q);
  if (m->nv <= LANES) {
    cell rows[LANES * LANES];
    const target to = {rows, LANES, true};
    crba_columns(m, k, ws, &to, true, NULL);
    mirror_block(m->nv, rows, M);
  } else {
    const target to = {M, m->nv, false};
    crba_columns(m, k, ws, &to, false, NULL);
    mirror(m->nv, M);
  }
}

#include "linalg/square_kernel.h"

#include "dynamics/forward_chain_kernel.h"
