// Blocks of growing size, each with a header; taking is moving a mark.
#include "io/store.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

enum { FIRST_BLOCK = 8192, LARGEST_BLOCK = 1 << 20, ALIGN = 16 };

typedef struct store_block {
  struct store_block* older;
  size_t size; // header included
} store_block;

static size_t round_up(size_t size) { return (size + ALIGN - 1) / ALIGN * ALIGN; }

limb_store limb_store_make(const limb_allocator* alloc)
{
  return (limb_store){.alloc = *alloc, .block = NULL, .used = 0};
}

void limb_store_free(limb_store* p)
{
  while (p->block) {
    store_block* older = p->block->older;
    limb_free(&p->alloc, p->block, p->block->size);
    p->block = older;
  }
  p->used = 0;
}

// A new newest block with room for size bytes; 0 when out of memory.
static int add_block(limb_store* p, size_t size)
{
  size_t next = p->block ? 2 * p->block->size : FIRST_BLOCK;
  if (next > LARGEST_BLOCK) next = LARGEST_BLOCK;
  const size_t header = round_up(sizeof(store_block));
  if (next < header + size) next = header + size;
  store_block* b = limb_alloc(&p->alloc, next);
  if (!b) return 0;
  *b = (store_block){p->block, next};
  p->block = b;
  p->used = header;
  return 1;
}

// size bytes at a multiple of align in the newest block, or in a new one; NULL when out of memory.
static unsigned char* take(limb_store* p, size_t size, size_t align)
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

void* limb_store_take(limb_store* p, size_t size)
{
  void* memory = take(p, size ? size : 1, ALIGN);
  return memory ? memset(memory, 0, size ? size : 1) : NULL;
}

char* limb_store_text(limb_store* p, const char* text, size_t length)
{
  char* copy = (char*)take(p, length + 1, 1);
  if (!copy) return NULL;
  if (length) memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}
