// The memory pool: blocks of growing size, each with a header; allocation advances an offset.
#include "io/memory_pool.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_BLOCK = 8192, MAX_BLOCK = 1 << 20, ALIGN = 16 };

typedef struct pool_block {
  struct pool_block* older;
  size_t size; // header included
} pool_block;

memory_pool limb_mempool_make(const limb_allocator* alloc)
{
  return (memory_pool){.alloc = *alloc, .block = NULL, .used = 0};
}

void limb_mempool_free(memory_pool* p)
{
  while (p->block) {
    pool_block* older = p->block->older;
    limb_free(&p->alloc, p->block, p->block->size);
    p->block = older;
  }
  p->used = 0;
}

// A new block with space for size bytes; 0 when out of memory.
static int add_block(memory_pool* p, size_t size)
{
  const size_t header = (sizeof(pool_block) + ALIGN - 1) / ALIGN * ALIGN;
  size_t next = p->block ? 2 * p->block->size : FIRST_BLOCK;
  if (next > MAX_BLOCK) next = MAX_BLOCK;
  if (next < header + size) next = header + size;
  pool_block* b = limb_alloc(&p->alloc, next);
  if (!b) return 0;
  *b = (pool_block){p->block, next};
  p->block = b;
  p->used = header;
  return 1;
}

// size bytes at a multiple of align, in the newest block or in a new one; NULL when out of memory.
static unsigned char* take(memory_pool* p, size_t size, size_t align)
{
  if (size > SIZE_MAX / 2) return NULL;
  p->used = (p->used + align - 1) / align * align;
  if (!p->block || p->used > p->block->size || p->block->size - p->used < size) {
    if (!add_block(p, size)) return NULL;
  }
  unsigned char* memory = (unsigned char*)p->block + p->used;
  p->used += size;
  return memory;
}

void* limb_mempool_alloc(memory_pool* p, size_t size)
{
  void* memory = take(p, size ? size : 1, ALIGN);
  return memory ? memset(memory, 0, size ? size : 1) : NULL;
}

char* limb_mempool_text(memory_pool* p, const char* text, size_t length)
{
  char* copy = (char*)take(p, length + 1, 1);
  if (!copy) return NULL;
  if (length) memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

char* limb_mempool_join(memory_pool* p, const char* a, const char* b, const char* c)
{
  const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
  char* text = (char*)take(p, size, 1);
  if (text) (void)snprintf(text, size, "%s%s%s", a, b, c);
  return text;
}

char* limb_mempool_numbered(memory_pool* p, const char* stem, int number)
{
  char digits[16];
  (void)snprintf(digits, sizeof digits, "%d", number);
  return limb_mempool_join(p, stem, digits, "");
}

void* limb_mempool_grow(memory_pool* p, void* items, int* capacity, int count, size_t size)
{
  if (count < *capacity) return items;
  const int larger = *capacity ? 2 * *capacity : 16;
  void* copy = limb_mempool_alloc(p, (size_t)larger * size);
  if (!copy) return NULL;
  if (count) memcpy(copy, items, (size_t)count * size);
  *capacity = larger;
  return copy;
}

int limb_mempool_new_names(memory_pool* p, limb_names* t, int count)
{
  const size_t capacity = limb_names_capacity((size_t)count);
  int* slot = limb_mempool_alloc(p, capacity * sizeof *slot);
  if (slot) limb_names_clear(t, slot, capacity);
  return slot != NULL;
}

int limb_mempool_index_names(memory_pool* p, limb_names* t, int count, limb_name_fn* name, const void* context)
{
  if (!limb_mempool_new_names(p, t, count)) return 0;
  for (int i = 0; i < count; i++) {
    if (limb_names_find(t, name(context, i), name, context) < 0) limb_names_put(t, name(context, i), i);
  }
  return 1;
}
