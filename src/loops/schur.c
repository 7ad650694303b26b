// Forward dynamics with loops through Psi M^-1 Psi'.
//
// Reference: Featherstone 2008, section 8.4; Ghosal 2010, (14)-(17), where M is inverted as a whole.
// Cost:      O(n m^2 + m^3) for m rows, and the elimination of the rows of each cluster.
//
//   a0          acceleration of the tree without closures
//   R x = b     independent rows, from elimination: T Psi = [R; 0], T gamma = [b; 0]
//   X = M^-1 R' by the tree's own factors
//
//     R M^-1 R' mu = b - R a0,     a = a0 + M^-1 R' mu,     Psi' lambda = R' mu
//
// With R in place of Psi, the matrix on the left is as well conditioned as M, however near the closures
// come to a singularity: R_p = 1, and its other entries are small (complete pivoting). A second step with
// what is left of the rows takes the rounding of the first one away.

#include "linalg/dense.h"
#include "loops/forward_impl.h"

#include <string.h>

limb_dense limb_dense_parts(const limb_loops* w)
{
  const size_t n = (size_t)w->m->nv + (size_t)w->m->nrow + 1;
  limb_dense dense;
  for (size_t k = 0; k < LIMB_DENSE_PARTS; k++) dense.part[k] = w->dense + k * n * n;
  return dense;
}

int limb_independent_rows(limb_loops* w, limb_carry carry, double tolerance, double* R, double* b)
{
  const limb_model* m = w->m;
  int rank = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, carry, tolerance);
    for (int i = 0; i < r->rank; i++, rank++) {
      const double* from = r->A + (ptrdiff_t)i * (r->columns + r->extra);
      double* to = R + (ptrdiff_t)rank * m->nv;
      memset(to, 0, (size_t)m->nv * sizeof *to);
      for (int j = 0; j < k->nv; j++) to[k->v[j]] = from[j];
      b[rank] = from[r->columns];
    }
  }
  return rank;
}

// y += x' A for the rows of A
static void combine(int rows, int columns, const double* A, const double* x, double* y)
{
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) y[j] += x[i] * A[(ptrdiff_t)i * columns + j];
  }
}

limb_status limb_schur_correct(limb_loops* w, const double* q, limb_carry carry, double tolerance, double* x,
                               double* lambda)
{
  enum { STEPS = 2 };
  const int nv = w->m->nv;
  const limb_dense dense = limb_dense_parts(w);
  double *R = dense.part[0], *X = dense.part[1], *A = dense.part[2];
  double *b = w->r1, *mu = w->r2, *f = w->v1;
  const int rank = limb_independent_rows(w, carry, tolerance, R, b);
  const limb_status s = limb_mass_matrix_solve(w->d, q, rank, R, X);
  if (s != LIMB_OK) return s;
  for (ptrdiff_t i = 0; i < rank; i++) { // A = R M^-1 R'
    for (ptrdiff_t j = 0; j <= i; j++) A[i * rank + j] = limb_dot((size_t)nv, R + i * nv, X + j * nv);
  }
  if (!limb_cholesky(rank, A)) return LIMB_E_SINGULAR;
  memset(f, 0, (size_t)nv * sizeof *f);
  for (int step = 0; step < STEPS; step++) {
    for (ptrdiff_t i = 0; i < rank; i++) mu[i] = b[i] - limb_dot((size_t)nv, R + i * nv, x);
    limb_cholesky_solve(rank, A, mu);
    combine(rank, nv, X, mu, x); // x += M^-1 R' mu
    combine(rank, nv, R, mu, f); // f += R' mu
  }
  if (lambda) limb_least_multipliers(w, f, tolerance, lambda);
  return LIMB_OK;
}

limb_status limb_forward_by_schur(limb_loops* w, const limb_forward_in* in, double tolerance, double* a, double* lambda)
{
  const limb_status s = limb_forward_dynamics(w->d, in->q, in->v, in->tau, in->env, a);
  return s == LIMB_OK ? limb_schur_correct(w, in->q, LIMB_CARRY_GAMMA, tolerance, a, lambda) : s;
}
