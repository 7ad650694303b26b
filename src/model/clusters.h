// Loops that share joints.
#ifndef LIMB_CLUSTERS_H
#define LIMB_CLUSTERS_H

#include "model/model_impl.h"

// Fills m->clusters and what the loops know of them, in memory of its own. LIMB_OK or LIMB_E_NOMEM.
limb_status limb_find_clusters(limb_model* m);

void limb_free_clusters(limb_model* m);

// Where a velocity of the cluster is in its list.
static inline int limb_cluster_column(const limb_cluster* s, int v)
{
  int low = 0, high = s->nv - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (s->v[middle] < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

#endif
