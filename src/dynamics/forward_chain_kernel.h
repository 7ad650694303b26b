// Forward dynamics of a short chain through its mass matrix.
//
// For robots that are one chain of 4 to SIDE - 1 rotations, which are the user's (limb_is_short_chain). The
// forces h that the joints feel without acceleration are one more column on its way to the root, so that
// the rows of [M h] come ready for elimination. Fewer operations than articulated bodies, and, with lanes
// for all columns, all in registers.

// Entries one by one: with the number of unknowns known, nothing is left of those that are not there.
KERNEL real solve_chain(int n, const cell* rows, const real* left, real* a)
{
  if (LANES > 1) return solve_square(n, rows, left, a);
  switch (n) {
  case 4: return solve_square(4, rows, left, a);
  case 5: return solve_square(5, rows, left, a);
  case 6: return solve_square(6, rows, left, a);
  default: return solve_square(SIDE - 1, rows, left, a);
  }
}

// Returns the least margin of a pivot.
static real forward_chain(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, const real* v,
                          const real* tau, const limb_terms* terms, const real* wrench, real* a)
{
  cell rows[SIDE * SIDE];
  const target to = square_target(rows);
  load_coordinates(m, k, ws, q);
  const real* left = m->has_actuators ? left_forces(m, ws, v, tau, terms) : tau;
  rnea_out(m, k, ws, v, no_acceleration(m, ws));
  if (wrench) take_wrenches(m, ws, wrench);
  crba_columns(m, k, ws, &to, (int)LANES == (int)SIDE, (const force*)ws->force + 1);
  return solve_chain(m->nv, rows, left, a);
}
