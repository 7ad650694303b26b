// Sums that are zero whatever the symbols are, though their form does not say so: 1 - 1 after long detours.
#ifndef LIMB_VANISH_H
#define LIMB_VANISH_H

#include "codegen/graph.h"

// Rewrites edges without them. A sum counts as zero when no more than rounding is left of its operands in
// several random states. false: out of memory, and the edges are as they were.
bool limb_vanish(limb_graph* g, limb_edge* edge, size_t n);

#endif
