// Memory that is given back all at once: nodes and strings of a document.
#ifndef LIMB_POOL_H
#define LIMB_POOL_H

#include "limb/base.h"

typedef struct limb_pool {
  limb_allocator alloc;
  struct pool_block* block; // the newest first
  size_t used;              // bytes of the newest
} limb_pool;

// An empty pool over an allocator that must outlive it.
limb_pool limb_pool_make(const limb_allocator* alloc);
void limb_pool_free(limb_pool* p);

// size bytes, zeroed, aligned for any type; NULL when out of memory.
void* limb_pool_take(limb_pool* p, size_t size);

// A copy of length bytes, closed by a zero; NULL when out of memory.
char* limb_pool_text(limb_pool* p, const char* text, size_t length);

#endif
