// Sums of angles about parallel axes.
#ifndef LIMB_SIMPLIFY_ANGLES_H
#define LIMB_SIMPLIFY_ANGLES_H

#include "codegen/simplify_match.h"

// Offers cosine and sine of sums and differences of two angles as products of those of each, and keeps them
// where the net becomes cheaper. tries: runs over the net at most. false when out of memory.
bool limb_net_add_angles(net* s, const net_match_options* options, int tries);

#endif
