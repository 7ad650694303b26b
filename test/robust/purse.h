// An allocator that fails when its budget is spent, and counts what is alive.
#ifndef LIMB_TEST_PURSE_H
#define LIMB_TEST_PURSE_H

#include <stdlib.h>
#include <string.h>

typedef struct purse {
  long budget;  // allocations still granted; negative: any number
  long granted; // so far
  long alive;   // blocks not yet given back
  size_t bytes; // in them
  int misused;  // an alignment of less than 64 or a size that does not match
} purse;

static inline void* purse_alloc(void* context, size_t size, size_t align)
{
  purse* p = context;
  if (p->budget == 0) return NULL;
  if (p->budget > 0) p->budget--;
  if (size == 0 || align == 0 || (align & (align - 1))) p->misused = 1;
  // The size stands before the block, so that what comes back can be compared.
  const size_t head = align < 64 ? 64 : align;
  char* block = aligned_alloc(head, (head + size + head - 1) / head * head);
  if (!block) return NULL;
  memcpy(block, &size, sizeof size);
  memcpy(block + sizeof size, &head, sizeof head);
  memcpy(block + head - sizeof head, &head, sizeof head);
  p->granted++, p->alive++, p->bytes += size;
  return block + head;
}

static inline void purse_free(void* context, void* memory, size_t size)
{
  purse* p = context;
  if (!memory) return;
  size_t head, told;
  memcpy(&head, (char*)memory - sizeof head, sizeof head);
  char* block = (char*)memory - head;
  memcpy(&told, block, sizeof told);
  if (told != size) p->misused = 1;
  p->alive--, p->bytes -= told;
  free(block);
}

#endif
