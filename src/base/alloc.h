// Memory through the caller's allocator.
#ifndef LIMB_ALLOC_H
#define LIMB_ALLOC_H

#include "limb/base.h"

// The allocator to use when the caller gave none: malloc and free, or one that never has anything where
// there is no heap.
limb_allocator limb_default_allocator(void);

// size bytes aligned to 64; NULL when out of memory or size is 0.
void* limb_alloc(const limb_allocator* a, size_t size);

// Accepts NULL.
void limb_free(const limb_allocator* a, void* memory, size_t size);

// Growable array for cold code: makes room for count + 1 items; false when out of memory, with the
// array untouched.
int limb_grow(const limb_allocator* a, void** items, int* capacity, int count, size_t item_size);

#endif
