// Names: a hash table from names to indices, and the name nearest to a wrong one.

#include "base/names.h"

#include <string.h>

// ---- names to indices ---------------------------------------------------------------------------------------

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

// ---- the name that was probably meant -----------------------------------------------------------------------

// Edit distances after Damerau and Levenshtein, neighbours exchanged at most once; three rows of the table.

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

static int distance(const char* a, const char* b)
{
  enum { LONGEST = 63 };
  const size_t na = strlen(a), nb = strlen(b);
  if (na > LONGEST || nb > LONGEST) return LONGEST;
  int row[3][LONGEST + 1]; // the last three rows of the table, in turn
  for (size_t j = 0; j <= nb; j++) row[0][j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      int best = last[j - 1] + (x != y);
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      const int crossed = i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y;
      if (crossed && before[j - 2] + 1 < best) best = before[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[na % 3][nb];
}

const char* limb_nearest(const char* wrong, int count, limb_name_fn* name, const void* context)
{
  enum { COMPARED_MAX = 2000 };
  // Of a name with two letters only the case may be wrong; more than four wrong letters are another word.
  const int third = (int)strlen(wrong) / 3, close = third < 4 ? third : 4;
  const char* found = NULL;
  int smallest = close + 1;
  for (int i = 0; i < count && i < COMPARED_MAX; i++) {
    const char* candidate = name(context, i);
    const int d = distance(wrong, candidate);
    if (d >= smallest) continue;
    smallest = d;
    found = candidate;
  }
  return found;
}

static const char* name_at(const void* names, int i) { return ((const char* const*)names)[i]; }

const char* limb_nearest_name(const char* wrong, const char* const* names)
{
  int count = 0;
  if (!wrong || !names) return NULL;
  while (names[count]) count++;
  const char* near = limb_nearest(wrong, count, name_at, names);
  for (int i = 0; i < count && !near && strlen(wrong) >= 3; i++) {
    size_t k = 0;
    while (wrong[k] && lower(wrong[k]) == lower(names[i][k])) k++;
    if (!wrong[k]) near = names[i];
  }
  return near;
}
