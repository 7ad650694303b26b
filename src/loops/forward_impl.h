// What the methods of forward dynamics with loops share.
//
// All methods are called with the rows of the workspace found (limb_loop_rows_at, Psi and gamma) and
// Baumgarte's terms in gamma. They leave the rows as they are, except for what limb_reduce_cluster works
// in. Multipliers are nrow numbers in the order of the clusters; NULL: not wanted.
#ifndef LIMB_FORWARD_IMPL_H
#define LIMB_FORWARD_IMPL_H

#include "limb/closed.h"

#include "dynamics/environment.h"
#include "loops/loops_impl.h"

// The state, and what acts: checked, but for the environment.
typedef struct limb_forward_in {
  const double *q, *v, *tau;
  const limb_environment* env;
} limb_forward_in;

// Reads options (NULL: defaults). LIMB_E_ARG, LIMB_E_NONFINITE, LIMB_E_UNSUPPORTED.
limb_status limb_closed_options_read(const limb_closed_options* given, limb_closed_options* out);

// ---- methods --------------------------------------------------------------------------------------------

limb_status limb_forward_by_clusters(limb_loops* w, const double* q, const double* v, const double* tau,
                                     const limb_surroundings* x, double tolerance, double* a, double* lambda);

// Those that need LIMB_LOOPS_DENSE.
limb_status limb_forward_by_schur(limb_loops* w, const limb_forward_in* in, double tolerance, double* a,
                                  double* lambda);
limb_status limb_forward_by_kkt(limb_loops* w, const limb_forward_in* in, double tolerance, double* a, double* lambda);

// iterations: how many there were (output)
limb_status limb_forward_by_proximal(limb_loops* w, const limb_forward_in* in, const limb_closed_options* o, double* a,
                                     double* lambda, int* iterations);

// ---- their parts ----------------------------------------------------------------------------------------

// The parts of dense scratch, (nv + nrow + 1)^2 numbers each.
typedef struct limb_dense {
  double* part[LIMB_DENSE_PARTS];
} limb_dense;

limb_dense limb_dense_parts(const limb_loops* w);

// Independent equations R x = b that say what the rows do: the reduced rows of all clusters, R_p = 1. carry:
// LIMB_CARRY_RATE or LIMB_CARRY_GAMMA. R: rank x nv. b: rank numbers. Returns the rank.
int limb_independent_rows(limb_loops* w, limb_carry carry, double tolerance, double* R, double* b);

// x += M^-1 Psi' lambda, such that Psi x is what carry says: rows that depend on others are left to these,
// and lambda is the one of least norm. In x is what would be without the closures.
limb_status limb_schur_correct(limb_loops* w, const double* q, limb_carry carry, double tolerance, double* x,
                               double* lambda);

// What counts as rounding in a row, against accelerations and squares of velocities of 1, or velocities of
// 1: parts that cannot move have nothing else in their rows.
#define LIMB_ROW_ROUNDING 1e-12

// That for accelerations at v.
double limb_rounding_at(const limb_model* m, const double* v);

// Tolerances that may be left of a row that depends on others.
#define LIMB_CONTRADICTION 10

// Whether the rows hold, Psi x = target, to what rounding and slack allow, and where they do least:
// residual and loop of the report, and its redundant rows. out NULL: not wanted.
bool limb_rows_hold(limb_loops* w, const double* x, const double* target, double slack, double tolerance,
                    limb_closed_report* out);

#endif
