// An allocator that has no more after some calls, and counts what is not given back.
#ifndef LIMB_TEST_BUDGET_H
#define LIMB_TEST_BUDGET_H

#include "limb/base.h"

typedef struct budget {
  limb_allocator base;
  int left, live;
} budget;

static inline void* budget_alloc(void* context, size_t size, size_t align)
{
  budget* b = context;
  if (b->left-- <= 0) return NULL;
  b->live++;
  return b->base.alloc(b->base.context, size, align);
}

static inline void budget_free(void* context, void* memory, size_t size)
{
  budget* b = context;
  b->live--;
  b->base.free(b->base.context, memory, size);
}

#endif
