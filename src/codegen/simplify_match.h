// Exchanging a cell of a net for fewer operations on other cells.
#ifndef LIMB_SIMPLIFY_MATCH_H
#define LIMB_SIMPLIFY_MATCH_H

#include "codegen/simplify_net.h"

typedef struct net_match_options {
  uint32_t window; // how many earlier cells a cell is tried with; at most 16000
  uint64_t seed;   // not 0: exchanges at equal price as well, chosen at random
  bool numbers;    // also those that bring a new number
} net_match_options;

// One run over the living cells of s in their order (limb_net_sort). Adds to gain what was saved. false when
// out of memory; the net is right nevertheless.
bool limb_net_match(net* s, const net_match_options* options, long* gain);

#endif
