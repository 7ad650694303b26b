// Whether a pool of the caller can be used.
#ifndef LIMB_POOL_CHECK_H
#define LIMB_POOL_CHECK_H

#include "limb/pool.h"

#include <stdbool.h>

static inline bool limb_pool_valid(const limb_pool* p)
{
  return p && p->size >= sizeof *p && p->threads >= 1 && p->run;
}

#endif
