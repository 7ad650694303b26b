// The name that somebody may have meant.
#ifndef LIMB_NEAREST_H
#define LIMB_NEAREST_H

#include "base/names.h"

// Of count names the one nearest to a wrong one (inserted, deleted, replaced and exchanged letters count 1
// each, case nothing), when no more than a third of its letters are wrong; NULL when there is none. Of long
// lists the first 2000 are looked at, and names beyond 63 letters are far from all others.
const char* limb_nearest(const char* wrong, int count, limb_name_fn* name, const void* context);

#endif
