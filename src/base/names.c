#include "base/names.h"

#include <string.h>

// FNV-1a from a seed, its bits mixed at the end as the 32-bit MurmurHash3 does.
static uint32_t hash(uint32_t seed, const char* name)
{
  uint32_t h = 2166136261U ^ seed;
  for (const char* c = name; *c; c++) h = (h ^ (unsigned char)*c) * 16777619U;
  h = (h ^ h >> 16) * 0x85ebca6bU;
  h = (h ^ h >> 13) * 0xc2b2ae35U;
  return h ^ h >> 16;
}

size_t limb_names_capacity(size_t count)
{
  size_t capacity = 8;
  while (capacity < 2 * count) capacity *= 2;
  return capacity;
}

void limb_names_clear(limb_names* t, int* slot, size_t capacity)
{
  t->slot = slot;
  t->mask = (uint32_t)(capacity - 1);
  t->seed = (uint32_t)((uintptr_t)slot >> 4) * 2654435761U; // where the system put it
  for (size_t i = 0; i < capacity; i++) slot[i] = -1;
}

int limb_names_find(const limb_names* t, const char* name, limb_name_fn* get, const void* context)
{
  for (uint32_t h = hash(t->seed, name) & t->mask;; h = (h + 1) & t->mask) {
    const int i = t->slot[h];
    if (i < 0 || strcmp(get(context, i), name) == 0) return i;
  }
}

void limb_names_put(limb_names* t, const char* name, int index)
{
  uint32_t h = hash(t->seed, name) & t->mask;
  while (t->slot[h] >= 0) h = (h + 1) & t->mask;
  t->slot[h] = index;
}
