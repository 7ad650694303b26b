// Memory: the caller's allocator, arenas over one block, the blocks of workspaces.
#ifndef LIMB_MEMORY_H
#define LIMB_MEMORY_H

#include "limb/base.h"

#include <stddef.h>

// ---- allocator ----------------------------------------------------------------------------------------------

// The allocator to use when the caller gave none: malloc and free, or one that always fails where there is no
// heap.
limb_allocator limb_default_allocator(void);

// size bytes aligned to 64; NULL when out of memory or size is 0.
void* limb_alloc(const limb_allocator* a, size_t size);

// Accepts NULL.
void limb_free(const limb_allocator* a, void* memory, size_t size);

// Growable array for cold code: ensures capacity for count + 1 items. False when out of memory; the array is
// untouched then.
int limb_grow(const limb_allocator* a, void** items, int* capacity, int count, size_t item_size);

// ---- arena --------------------------------------------------------------------------------------------------

// Bump allocator over caller memory. With base == NULL it only counts, so one layout function both
// measures a block and lays it out.

typedef struct limb_arena {
  char* base; // 64-byte aligned
  size_t used, cap;
} limb_arena;

// Arena over a block, whatever red zones an earlier one left there.
limb_arena limb_arena_over(void* block, size_t size);

// count items of the given size on a 64-byte boundary; NULL when counting or full. Under ASan a
// poisoned red zone follows each array, so an overrun inside the block is reported.
void* limb_arena_take(limb_arena* a, size_t count, size_t size);

// Before the block goes back to its owner: removes the red zones.
void limb_arena_release(void* block, size_t size);

// ---- blocks of workspaces -----------------------------------------------------------------------------------

// The block that a workspace is laid out in, and its owner. The workspace itself is inside.

typedef struct limb_memory {
  void* block;
  size_t size;
  limb_allocator alloc; // empty: the caller's own memory
} limb_memory;

// A block of that size from an allocator (NULL: malloc). LIMB_E_ARG (incomplete allocator), LIMB_E_NOMEM.
limb_status limb_memory_take(const limb_allocator* alloc, size_t size, limb_memory* out);

// Ends what was laid out there; frees the block unless it is the caller's own.
void limb_memory_end(limb_memory memory);

#endif
