// A memory pool: nodes, strings and tables of one file, freed all at once.
#ifndef LIMB_IO_MEMORY_POOL_H
#define LIMB_IO_MEMORY_POOL_H

#include "limb/base.h"

#include "base/names.h"

typedef struct memory_pool {
  limb_allocator alloc;
  struct pool_block* block; // the newest; each points to the one before
  size_t used;              // bytes of the newest block
} memory_pool;

// An empty pool over an allocator, which must outlive it.
memory_pool limb_mempool_make(const limb_allocator* alloc);
void limb_mempool_free(memory_pool* p);

// The functions below return NULL or 0 when out of memory.

// size bytes, zeroed, aligned for any type.
void* limb_mempool_alloc(memory_pool* p, size_t size);

// A copy of length bytes, with a terminating zero; a + b + c as one string; a stem with a number, such as link3.
char* limb_mempool_text(memory_pool* p, const char* text, size_t length);
char* limb_mempool_join(memory_pool* p, const char* a, const char* b, const char* c);
char* limb_mempool_numbered(memory_pool* p, const char* stem, int number);

// An array with space for count + 1 items: the same one, or a larger copy. Outgrown arrays stay in the pool.
void* limb_mempool_grow(memory_pool* p, void* items, int* capacity, int count, size_t size);

// An empty table for count names; a table of count names, each with the index of its first occurrence.
int limb_mempool_new_names(memory_pool* p, limb_names* t, int count);
int limb_mempool_index_names(memory_pool* p, limb_names* t, int count, limb_name_fn* name, const void* context);

#endif
