// A workspace without dense matrices, as those of large robots with loops are.
#ifndef LIMB_TEST_LEAN_H
#define LIMB_TEST_LEAN_H

#include "support/check.h"

#include "base/memory.h"
#include "model/data_impl.h"

static inline limb_data* closed_lean(const limb_model* m)
{
  limb_memory memory;
  limb_data* d = NULL;
  assert_ok(limb_memory_take(NULL, limb_data_lean_size(m), &memory));
  assert_ok(limb_data_init_lean(m, memory.block, memory.size, &d));
  d->memory = memory;
  return d;
}

#endif
