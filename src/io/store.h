// Memory that is given back all at once: nodes and strings of a document.
#ifndef LIMB_STORE_H
#define LIMB_STORE_H

#include "limb/base.h"

typedef struct limb_store {
  limb_allocator alloc;
  struct store_block* block; // the newest first
  size_t used;               // bytes of the newest
} limb_store;

// An empty store over an allocator that must outlive it.
limb_store limb_store_make(const limb_allocator* alloc);
void limb_store_free(limb_store* p);

// size bytes, zeroed, aligned for any type; NULL when out of memory.
void* limb_store_take(limb_store* p, size_t size);

// A copy of length bytes, closed by a zero; NULL when out of memory.
char* limb_store_text(limb_store* p, const char* text, size_t length);

#endif
