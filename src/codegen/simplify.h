// Fewer operations for the same values.
//
// Outputs are rewritten by exchanging operations for cheaper ones on values that are there already,
// wherever that gives the same value in random states: common subexpressions and factors, sums and
// products in another order, cancellation, like terms, multiples of sums written out, c^2 + s^2 = 1, sums
// of angles about parallel axes (c1 c2 - s1 s2 once for all that use it). Rewritings are identities of
// the functions, up to rounding of the robot's numbers; none may let the bound of the rounding error of
// any value grow beyond twice what it was.
#ifndef LIMB_SIMPLIFY_H
#define LIMB_SIMPLIFY_H

#include "codegen/graph.h"

enum { LIMB_SIMPLIFY_WORK = 11000000 };

// Replaces the n edges by cheaper ones of the same graph: a multiplication and an addition count one each, a
// division ten. Never dearer. Deterministic. false when out of memory, or when the graph has no room; then
// the edges are as they were.
bool limb_simplify(limb_graph* g, limb_edge* out, size_t n);

// The same with another effort than LIMB_SIMPLIFY_WORK: how often some value is tried with some other; about
// 40 ns each. Large graphs take at least 48 for each node.
bool limb_simplify_within(limb_graph* g, limb_edge* out, size_t n, uint64_t work);

#endif
