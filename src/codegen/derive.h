// Derivatives of edges with respect to symbols.
#ifndef LIMB_DERIVE_H
#define LIMB_DERIVE_H

#include "codegen/graph.h"

// out: n x ns, row-major; out[i ns + j] = d of[i] / d symbols[j], new nodes of the same graph. The derivative
// of a sign is zero. false when out of memory, or when the graph has no room.
bool limb_derive(limb_graph* g, const limb_edge* of, size_t n, const uint32_t* symbols, size_t ns, limb_edge* out);

#endif
