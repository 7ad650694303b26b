#include "base/memory.h"

#include "base/alloc.h"
#include "base/arena.h"

limb_status limb_memory_take(const limb_allocator* alloc, size_t size, limb_memory* out)
{
  if (alloc && (!alloc->alloc || !alloc->free)) return LIMB_E_ARG;
  const limb_allocator from = alloc ? *alloc : limb_default_allocator();
  *out = (limb_memory){limb_alloc(&from, size), size, from};
  return out->block ? LIMB_OK : LIMB_E_NOMEM;
}

void limb_memory_end(limb_memory memory)
{
  limb_arena_release(memory.block, memory.size);
  if (memory.alloc.free) limb_free(&memory.alloc, memory.block, memory.size);
}
