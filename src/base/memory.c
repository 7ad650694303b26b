// Memory: allocators, arenas, the blocks of workspaces. With LIMB_NO_HEAP the default
// allocator always fails.

#include "base/memory.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

// ---- allocator ----------------------------------------------------------------------------------------------

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

// ---- arena --------------------------------------------------------------------------------------------------

#if defined(__SANITIZE_ADDRESS__)
#define LIMB_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIMB_ASAN 1
#endif
#endif

#ifdef LIMB_ASAN
#include <sanitizer/asan_interface.h>
enum { RED_ZONE = 64 };
static void poison(void* p, size_t n) { __asan_poison_memory_region(p, n); }
static void unpoison(void* p, size_t n) { __asan_unpoison_memory_region(p, n); }
#else
enum { RED_ZONE = 0 };
static void poison(void* p, size_t n) { (void)p, (void)n; }
static void unpoison(void* p, size_t n) { (void)p, (void)n; }
#endif

limb_arena limb_arena_over(void* block, size_t size)
{
  unpoison(block, size);
  return (limb_arena){.base = block, .used = 0, .cap = size};
}

void* limb_arena_take(limb_arena* a, size_t count, size_t size)
{
  const size_t at = (a->used + 63) / 64 * 64;
  if (size && count > (SIZE_MAX / 2 - at) / size) { // an absurd size: never fits, never wraps
    a->used = SIZE_MAX / 2;
    return NULL;
  }
  const size_t end = at + count * size;
  a->used = end + RED_ZONE;
  if (!a->base || a->used > a->cap) return NULL;
  poison(a->base + end, RED_ZONE);
  return a->base + at;
}

void limb_arena_release(void* block, size_t size) { unpoison(block, size); }

// ---- blocks of workspaces -----------------------------------------------------------------------------------

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
