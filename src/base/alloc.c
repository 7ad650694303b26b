// Memory through the caller's allocator. With LIMB_NO_HEAP the library itself has none to give.
#include "base/alloc.h"

#include <limits.h>
#include <string.h>

enum { ALIGN = 64 };

#ifdef LIMB_NO_HEAP

static void* default_alloc(void* context, size_t size, size_t align)
{
  (void)context, (void)size, (void)align;
  return NULL;
}

static void default_free(void* context, void* memory, size_t size) { (void)context, (void)memory, (void)size; }

#else

#include <stdlib.h>

static void* default_alloc(void* context, size_t size, size_t align)
{
  (void)context;
  return size > SIZE_MAX - align ? NULL : aligned_alloc(align, (size + align - 1) / align * align);
}

static void default_free(void* context, void* memory, size_t size)
{
  (void)context, (void)size;
  free(memory);
}

#endif

limb_allocator limb_default_allocator(void)
{
  return (limb_allocator){.alloc = default_alloc, .free = default_free, .context = NULL};
}

void* limb_alloc(const limb_allocator* a, size_t size) { return size ? a->alloc(a->context, size, ALIGN) : NULL; }

void limb_free(const limb_allocator* a, void* memory, size_t size)
{
  if (memory) a->free(a->context, memory, size);
}

int limb_grow(const limb_allocator* a, void** items, int* capacity, int count, size_t item_size)
{
  if (count < *capacity) return 1;
  if (*capacity > INT_MAX / 2) return 0;
  const int larger = *capacity ? 2 * *capacity : 16;
  void* moved = limb_alloc(a, (size_t)larger * item_size);
  if (!moved) return 0;
  if (*items) memcpy(moved, *items, (size_t)count * item_size);
  limb_free(a, *items, (size_t)*capacity * item_size);
  *items = moved;
  *capacity = larger;
  return 1;
}
