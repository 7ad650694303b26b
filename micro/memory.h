// Memory for a model out of an array. Only the block that was taken last can be given back.
#ifndef LIMB_MICRO_MEMORY_H
#define LIMB_MICRO_MEMORY_H

#include "limb/base.h"

typedef struct bump {
  unsigned char* base;
  size_t size, used;
  size_t live; ///< bytes that were taken and not given back
} bump;

/// An allocator over b, which must outlive what is made with it.
limb_allocator bump_allocator(bump* b);

/// size bytes at a multiple of align, a power of two; NULL when there are no more.
void* bump_take(bump* b, size_t size, size_t align);

#endif
