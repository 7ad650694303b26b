#include "base/arena.h"

#include <stdint.h>

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
