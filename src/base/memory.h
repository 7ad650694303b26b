// The block that a workspace is laid out in, and who gave it. The workspace itself is in it.
#ifndef LIMB_MEMORY_H
#define LIMB_MEMORY_H

#include "limb/base.h"

typedef struct limb_memory {
  void* block;
  size_t size;
  limb_allocator alloc; // empty: the caller's own memory
} limb_memory;

// A block of that size from an allocator (NULL: malloc). LIMB_E_ARG (half an allocator), LIMB_E_NOMEM.
limb_status limb_memory_take(const limb_allocator* alloc, size_t size, limb_memory* out);

// Ends what was laid out there; frees the block unless it is the caller's own.
void limb_memory_end(limb_memory memory);

#endif
