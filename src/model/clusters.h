// Loops that share joints.
#ifndef LIMB_CLUSTERS_H
#define LIMB_CLUSTERS_H

#include "model/model_impl.h"

// Fills m->clusters and what the loops know of them, in memory of its own. LIMB_OK or LIMB_E_NOMEM.
limb_status limb_find_clusters(limb_model* m);

void limb_free_clusters(limb_model* m);

// Whether a closure is a gear or polynomial between joints, not between frames.
static inline bool limb_between_joints(const limb_loop* loop) { return loop->q[0] >= 0; }

// Sets of numbers, each of which leads to another of its set (union and find): the one that leads to
// itself, the smallest; and two sets made one.
static inline int limb_set_leader(int* set, int i)
{
  while (set[i] != i) i = set[i] = set[set[i]];
  return i;
}

static inline void limb_set_join(int* set, int a, int b)
{
  a = limb_set_leader(set, a), b = limb_set_leader(set, b);
  if (a < b)
    set[b] = a;
  else
    set[a] = b;
}

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
