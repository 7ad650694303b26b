// Sums in the order in which their terms are ready.
#ifndef LIMB_SUM_ORDER_H
#define LIMB_SUM_ORDER_H

#include "codegen/graph.h"

// Rewrites n edges so that no sum waits longer than it must: as many operations, a shorter longest path.
// false: out of memory, and the edges are as they were.
bool limb_order_sums(limb_graph* g, limb_edge* edge, size_t n);

#endif
