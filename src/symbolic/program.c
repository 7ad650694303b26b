// Programs: their memory, a list of blocks that live as long as they do.
#include "symbolic/program.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

struct limb_program_block {
  limb_program_block* next;
  size_t size;
};

enum { HEAD = 64 }; // in front of a block's memory, which stays aligned

void* limb_program_take(limb_program* p, size_t count, size_t size)
{
  if (size && count > (SIZE_MAX / 2 - HEAD) / size) return NULL;
  const size_t whole = HEAD + count * size;
  limb_program_block* b = limb_alloc(&p->alloc, whole);
  if (!b) return NULL;
  memset(b, 0, whole);
  *b = (limb_program_block){p->block, whole};
  p->block = b;
  return (char*)b + HEAD;
}

limb_program* limb_program_create(const limb_allocator* alloc)
{
  const limb_allocator use = alloc ? *alloc : limb_default_allocator();
  limb_program* p = limb_alloc(&use, sizeof *p);
  if (!p) return NULL;
  *p = (limb_program){.alloc = use};
  p->graph = limb_graph_create(&use, LIMB_GRAPH_MOST);
  if (p->graph) return p;
  limb_program_free(p);
  return NULL;
}

void limb_program_free(limb_program* p)
{
  if (!p) return;
  const limb_allocator use = p->alloc;
  limb_graph_free(p->graph);
  while (p->block) {
    limb_program_block* b = p->block;
    p->block = b->next;
    limb_free(&use, b, b->size);
  }
  limb_free(&use, p, sizeof *p);
}

const char* limb_program_text(limb_program* p, const char* const* parts)
{
  size_t size = 1;
  for (const char* const* x = parts; *x; x++) size += strlen(*x);
  char* text = limb_program_take(p, size, 1);
  char* at = text;
  for (const char* const* x = parts; text && *x; x++) {
    const size_t n = strlen(*x);
    memcpy(at, *x, n);
    at += n;
  }
  return text;
}
