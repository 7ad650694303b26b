// Forward dynamics by clusters: rows reduced, one sweep over the links (loops/cluster_kernel.h), and
// multipliers where they are wanted, from what the tree would need for the motion: Psi' lambda = inverse
// dynamics - tau.
//
// Cost O(n) and the clusters' cubes.

#include "loops/forward_impl.h"
#include "model/state_check.h"

#include <string.h>

// All clusters, gamma carried along.
static void reduce_clusters(limb_loops* w, double tolerance)
{
  double* A = w->reductions;
  int *pivot = w->pivots, *row = w->rows;
  w->full = true, w->doubtful = false;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_cluster* k = &w->m->clusters.cluster[c];
    const int *live = w->live + k->row, rows = w->nlive[c], n = k->nv;
    for (ptrdiff_t i = 0; i < rows; i++) {
      const double* from = w->Psi + k->block + (ptrdiff_t)live[i] * n;
      double* to = A + i * (n + 1);
      for (int j = 0; j < n; j++) to[j] = from[j];
      to[n] = w->gamma[k->row + live[i]];
    }
    limb_reduction* r = &w->clusters[c];
    *r =
      (limb_reduction){.rows = rows, .columns = n, .extra = 1, .A = A, .pivot = pivot, .row = row};
    if (w->mixed[c]) limb_even_rows(w, c, false, r);
    limb_row_reduce_weighted(r, NULL, w->weight + w->first[c], tolerance);
    w->full &= r->rank == rows;
    w->doubtful |= limb_is_doubtful(r);
    A += (ptrdiff_t)rows * (n + 1), pivot += n, row += rows;
  }
}

limb_status limb_forward_by_clusters(limb_loops* w, const double* q, const double* v,
                                     const double* tau, const limb_surroundings* x,
                                     double tolerance, double* a, double* lambda)
{
  const limb_model* m = w->m;
  if (m->has_mimic) return LIMB_E_UNSUPPORTED;
  reduce_clusters(w, tolerance);
  const limb_cluster_in in = {.v = v,
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
