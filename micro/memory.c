// Memory out of an array (memory.h).

#include "memory.h"

void* bump_take(bump* b, size_t size, size_t align)
{
  const uintptr_t end = (uintptr_t)(b->base + b->used);
  const size_t gap = (size_t)(-end & (align - 1));
  if (size > b->size || gap > b->size - size || b->used > b->size - size - gap) return NULL;
  void* memory = b->base + b->used + gap;
  b->used += gap + size;
  b->live += size;
  return memory;
}

static void* take(void* context, size_t size, size_t align) { return bump_take(context, size, align); }

static void give_back(void* context, void* memory, size_t size)
{
  bump* b = context;
  b->live -= size;
  // The last one taken is free again.
  if ((unsigned char*)memory + size == b->base + b->used) b->used -= size;
}

limb_allocator bump_allocator(bump* b) { return (limb_allocator){.alloc = take, .free = give_back, .context = b}; }
