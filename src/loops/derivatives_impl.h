// What derivatives of dynamics with loops share.
#ifndef LIMB_LOOPS_DERIVATIVES_IMPL_H
#define LIMB_LOOPS_DERIVATIVES_IMPL_H

#include "dynamics/dual_impl.h"
#include "loops/forward_impl.h"

// Where derivatives are taken, and what is held: the motion, and the multipliers in the order of the
// clusters.
typedef struct limb_loop_point {
  limb_dual_at at; // x: accelerations
  const double* lambda;
} limb_loop_point;

// Along directions of q, v and a, what changes in
//   F = inverse dynamics of the tree - Psi' lambda        dF: count x nv
//   c = Psi a + Psi' v                                    dc: count x nrow, in the order of the clusters
// and in Psi itself, times z (nv; with dPsi_z NULL: not wanted): count x nrow. Rows of directions are
// those of along.
typedef struct limb_loop_changes {
  double *dF, *dc, *dPsi_z; // NULL: not wanted
  const double* z;
} limb_loop_changes;

limb_status limb_loop_along(limb_loops* w, limb_dual* u, const limb_loop_point* point, const limb_directions* along,
                            const limb_loop_changes* out);

// Rows that do not depend on others: w->order[0 ... count-1], in the order of the clusters; how many there
// are. The robot that has these rows only moves as the one with all of them does. Needs Psi.
int limb_loop_independent_rows(limb_loops* w, double tolerance);

#endif
