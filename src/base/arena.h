// Bump allocator over caller memory. With base == NULL it only counts, so one layout function both
// measures a block and lays it out.
#ifndef LIMB_ARENA_H
#define LIMB_ARENA_H

#include <stddef.h>

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

#endif
