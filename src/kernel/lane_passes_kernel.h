// The lane kernels as they are called: whole passes over the dof table, from the state to the matrices.
//
// Every entry has an instance per form of robot (kernel/dof_table_kernel.h). Matrices are added to, not
// put, where there are mimic joints: they must be zero then. All return false when a matrix has
// entries that are not finite.
#ifndef LIMB_KERNEL_LANE_PASSES_KERNEL_H
#define LIMB_KERNEL_LANE_PASSES_KERNEL_H

#include "kernel/hessian_kernel.h"
#include "kernel/lane_matrix_kernel.h"
#include "kernel/lane_products_kernel.h"

enum { WANT_ALL = WANT_M | WANT_DQ | WANT_DV };

// Scalars whose users ask for all three matrices, always, define ALL_MATRICES as 1.
#ifndef ALL_MATRICES
#define ALL_MATRICES 0
#endif

// tau(q, v, 0) and M, all in preparation of slopes_passes.
KERNEL bool bias_passes(const table* t, const lane_in* in, cell* tau, const sink* to)
{
  lane_dynamics(t, in);
  lane_columns_m(t);
  lane_forces(t);
  lane_tau(t, tau);
  put_factors(t, WANT_M);
  return lane_products(t, (making){WANT_M, SLOPES_FORCE}, to);
}

KERNEL_ENTRY bool lane_bias(const limb_model* m, const limb_dof_table* s, const lane_in* in, const lane_out* out)
{
  const table tree = table_of(m, s, FORM_TREE), line = table_of(m, s, FORM_CHAIN);
  const sink to = sink_of(&tree, out);
  if (!TREES_ONLY && form_of(m, true) == FORM_CHAIN) return bias_passes(&line, in, out->tau, &to);
  return bias_passes(&tree, in, out->tau, &to);
}

// After the bias: d tau / d q and d tau / d v at accelerations a.
KERNEL bool slopes_passes(const table* t, const cell* a, const sink* to)
{
  lane_accelerate(t, a);
  lane_columns_v(t, SLOPES_FORCE);
  lane_columns_q(t);
  put_factors(t, WANT_DQ | WANT_DV);
  return lane_products(t, (making){WANT_DQ | WANT_DV, SLOPES_FORCE}, to);
}

KERNEL_ENTRY bool lane_slopes(const limb_model* m, const limb_dof_table* s, const cell* a, const lane_out* out)
{
  const table tree = table_of(m, s, FORM_TREE), line = table_of(m, s, FORM_CHAIN);
  const sink to = sink_of(&tree, out);
  if (!TREES_ONLY && form_of(m, true) == FORM_CHAIN) return slopes_passes(&line, a, &to);
  return slopes_passes(&tree, a, &to);
}

// tau(q, v, a) and its derivatives. tau must be there; of the others what is not NULL is wanted.
#if ALL_MATRICES
// In two goes, which forward dynamics has besides. Needs in->a.
KERNEL_ENTRY bool lane_inverse(const limb_model* m, const limb_dof_table* s, const lane_in* in, const lane_out* out)
{
  const table t = table_of(m, s, FORM_TREE);
  lane_in still = *in;
  still.a = NULL;
  const bool fine = lane_bias(m, s, &still, out);
  const bool slopes_fine = lane_slopes(m, s, in->a, out);
  lane_tau(&t, out->tau);
  return fine && slopes_fine;
}
#else
KERNEL bool inverse_passes(const table* t, const lane_in* in, const lane_out* out, int want)
{
  lane_dynamics(t, in);
  lane_columns_m(t);
  if (want & (WANT_DQ | WANT_DV)) lane_columns_v(t, SLOPES_FORCE);
  lane_forces(t);
  if (want & WANT_DQ) lane_columns_q(t);
  lane_tau(t, out->tau);
  put_factors(t, want);
  const sink to = sink_of(t, out);
  if (t->form != FORM_BLOCK) return lane_products(t, (making){want, SLOPES_FORCE}, &to);
  // in two goes: fewer columns, more of them in registers
  const bool fine = lane_products(t, (making){WANT_M | WANT_DV, SLOPES_FORCE}, &to);
  return lane_products(t, (making){WANT_DQ, SLOPES_FORCE}, &to) && fine;
}

KERNEL_ENTRY bool lane_inverse(const limb_model* m, const limb_dof_table* s, const lane_in* in, const lane_out* out)
{
  const int want = wanted(out);
  const table tree = table_of(m, s, FORM_TREE), line = table_of(m, s, FORM_CHAIN);
  if (LANES == 1 || want != WANT_ALL) { // one instance for scalars that are no vectors
    return inverse_passes(&tree, in, out, want);
  } else if (form_of(m, in->keep) == FORM_TREE) {
    return inverse_passes(&tree, in, out, WANT_ALL);
  } else if (!BLOCK_PAYS || form_of(m, in->keep) == FORM_CHAIN) {
    return inverse_passes(&line, in, out, WANT_ALL);
  } else {
    cell cells[BLOCK_CELLS], single[BLOCK_CELLS];
    const table small = table_in(m, s, cells, single);
    return inverse_passes(&small, in, out, WANT_ALL);
  }
}
#endif

// The Coriolis matrix, as dv.
KERNEL bool coriolis_passes(const table* t, const lane_in* in, limb_slopes kind, const lane_out* out)
{
  lane_poses(t, in);
  lane_velocities(t, in);
  lane_inertias(t);
  lane_rates(t, kind);
  lane_bodies(t, false);
  lane_columns_m(t);
  lane_columns_v(t, kind);
  put_factors(t, WANT_DV);
  const sink to = sink_of(t, out);
  return lane_products(t, (making){WANT_DV, kind}, &to);
}

KERNEL_ENTRY bool lane_coriolis(const limb_model* m, const limb_dof_table* s, const lane_in* in, limb_slopes kind,
                                const lane_out* out)
{
  const table tree = table_of(m, s, FORM_TREE), line = table_of(m, s, FORM_CHAIN);
  if (TREES_ONLY || form_of(m, false) == FORM_TREE) {
    return coriolis_passes(&tree, in, kind, out);
  } else if (!BLOCK_PAYS || form_of(m, false) == FORM_CHAIN) {
    return coriolis_passes(&line, in, kind, out);
  } else { // the two kinds are one for joints of one dof
    cell cells[BLOCK_CELLS], single[BLOCK_CELLS];
    const table small = table_in(m, s, cells, single);
    return coriolis_passes(&small, in, SLOPES_SKEW, out);
  }
}

// Forward dynamics of a robot of one block whose dofs are the user's: a = M^-1 (tau - h) to out->tau, M^-1 to
// out->M, -M^-1 d tau / d x. slope: what joints themselves add to the diagonals of M, d tau / d q and
// d tau / d v, NULL: nothing. Returns the smallest margin of a pivot.
KERNEL_ENTRY cell lane_forward_block(const limb_model* m, const limb_dof_table* s, const lane_in* in, const cell* tau,
                                     const lane_out* out)
{
  cell cells[BLOCK_CELLS], single[BLOCK_CELLS], rest[LANES], a[LANES];
  cell M[LANES * LANES], dq[LANES * LANES], dv[LANES * LANES];
  const table t = table_in(m, s, cells, single);
  const sink to = {M, dq, dv, LANES};
  const int n = m->ncdof;
  put_lanes(rest, zero());
  bias_passes(&t, in, rest, &to);
  add_own_slopes(n, in->slope[0], M);
  real row[LANES];
  const cell min_pivot = invert_block(n, M, row);
  put_lanes(rest, sub(some_at(tau, n), lanes_at(rest)));
  put_lanes(a, combine(n, row, rest));
  put_some(out->tau, lanes_at(a), n);
  real sum = put_rows_of(n, row, M, out->M);
  slopes_passes(&t, a, &to);
  add_own_slopes(n, in->slope[1], dq), add_own_slopes(n, in->slope[2], dv);
  sum = add(sum, take_product_block(n, M, LANES, dq, NULL, n, out->dq, LANES));
  sum = add(sum, take_product_block(n, M, LANES, dv, NULL, n, out->dv, LANES));
  *s->finite = finite_lanes(sum);
  return min_pivot;
}

#ifndef LANE_TREE
#define LANE_TREE NULL, NULL, NULL, NULL // kernel/lane_tree_kernel.h, second_forward_kernel.h
#endif

// Fills a table of them (LIMB_LANE_SET, kernel/tables.h).
#define LANE_KERNEL_TABLE                                                                                              \
  {                                                                                                                    \
    LANES, lane_inverse, lane_bias, lane_slopes, lane_coriolis, BLOCK_PAYS ? lane_forward_block : NULL,                \
      LANES > 1 ? lane_second : NULL, LANES > 1 ? lane_hessian : NULL, lane_invert, lane_body_rows, lane_take_product, \
      LANE_TREE                                                                                                        \
  }

#endif
