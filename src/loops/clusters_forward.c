// Forward dynamics by clusters: rows reduced, one sweep over the links (kernel/cluster_kernel.h), and
// multipliers where they are wanted, from what the tree would need for the motion: Psi' lambda = inverse
// dynamics - tau.
//
// Cost O(n) and the clusters' cubes.

#include "base/numeric.h"
#include "kernel/tables.h"
#include "linalg/dense.h"
#include "loops/forward_impl.h"

#include <string.h>

// The live rows of a cluster with gamma, and zeros up to whole quads; A: where they go.
static limb_reduction* load_rows(limb_loops* w, int c, double* A)
{
  const limb_cluster* k = &w->m->clusters.cluster[c];
  const int *live = w->live + k->row, n = k->nv, wide = limb_quads_above(n);
  limb_reduction* r = &w->clusters[c];
  r->rows = w->nlive[c], r->columns = n, r->extra = wide - n;
  r->A = A;
  for (int i = 0; i < r->rows; i++, A += wide) {
    QUAD_AT(A + wide - LIMB_QUAD) = (limb_quad){0, 0, 0, 0};
    const double* from = w->Psi + k->block + (ptrdiff_t)live[i] * n;
    for (int j = 0; j < n; j++) A[j] = from[j];
    A[n] = w->gamma[k->row + live[i]];
  }
  return r;
}

// All clusters, gamma carried along.
static limb_status reduce_clusters(limb_loops* w, double tolerance)
{
  double* A = w->reductions;
  int *pivot = w->pivots, *row = w->rows;
  w->full = true, w->doubtful = false;
  for (int c = 0; c < w->m->clusters.count; c++) {
    limb_reduction* r = load_rows(w, c, A);
    const ptrdiff_t size = (ptrdiff_t)r->rows * (r->columns + r->extra);
    if (!limb_finite(size, A)) return LIMB_E_NONFINITE;
    r->pivot = pivot, r->row = row;
    if (w->mixed[c]) limb_even_rows(w, c, false, r);
    // columns of one loop alone weigh the same
    const int* weight = w->m->clusters.cluster[c].nloop > 1 ? w->weight + w->first[c] : NULL;
    w->cluster_kernels->reduce(r, weight, tolerance);
    w->full &= r->rank == r->rows;
    w->doubtful |= limb_is_doubtful(r);
    A += size, pivot += r->columns, row += r->rows;
  }
  return LIMB_OK;
}

limb_status limb_forward_by_clusters(limb_loops* w, const double* q, const double* v, const double* tau,
                                     const limb_surroundings* x, double tolerance, double* a, double* lambda)
{
  const limb_model* m = w->m;
  if (m->has_mimic) return LIMB_E_UNSUPPORTED;
  const limb_status s = reduce_clusters(w, tolerance);
  if (s != LIMB_OK) return s;
  const limb_cluster_in in = {.kernels = limb_kernels_of(w->d),
                              .v = v,
                              .tau = tau,
                              .terms = &x->terms,
                              .wrench = x->wrench,
                              .X = &w->d->own.X->R.m[0],
                              .reduced = w->clusters,
                              .column = w->column,
                              .first = w->first,
                              .room = w->room,
                              .kept = w->kept};
  const limb_cluster* first = &m->clusters.cluster[0];
  const bool single = first->base < 0 && first->nlink == m->nlink;
  const double least = single ? w->cluster_kernels->forward_single(m, m->k64, &w->d->ws, &in, a)
                              : w->cluster_kernels->forward(m, m->k64, &w->d->ws, &in, a);
  if (!(least > 0)) return LIMB_E_SINGULAR;
  if (!lambda) return LIMB_OK;
  double* f = w->v1;
  limb_kernels_of(w->d)->inverse_dynamics(m, m->k64, &w->d->ws, q, v, a, &x->terms, x->wrench, f);
  for (int i = 0; i < m->nv; i++) f[i] -= tau[i];
  limb_least_multipliers(w, f, tolerance, lambda);
  return LIMB_OK;
}
