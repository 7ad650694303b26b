// Sums of multiples of sums, written out in a net.
#ifndef LIMB_SIMPLIFY_BLEND_H
#define LIMB_SIMPLIFY_BLEND_H

#include "codegen/simplify_net.h"

// One run over the living cells of s in their order (limb_net_sort). seed: not 0 for exchanges at equal price
// as well, chosen at random. Adds to gain what was saved. false when out of memory; the net is right
// nevertheless.
bool limb_net_blend(net* s, uint64_t seed, long* gain);

#endif
