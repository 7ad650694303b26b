// Names: a hash table from names to indices, and the name nearest to a wrong one.
#ifndef LIMB_NAMES_H
#define LIMB_NAMES_H

#include "limb/base.h" // limb_nearest_name

#include <stddef.h>
#include <stdint.h>

// ---- names to indices ---------------------------------------------------------------------------------------

// An open-addressing hash table over strings owned by someone else.

typedef struct limb_names {
  int* slot;     // capacity entries: index of the name, or -1
  uint32_t mask; // capacity - 1; the capacity is a power of two
  uint32_t seed; // differs from table to table, so that no file can hold names that all collide
} limb_names;

// Number of slots a table of count names needs.
size_t limb_names_capacity(size_t count);

// Empties a table over capacity slots.
void limb_names_clear(limb_names* t, int* slot, size_t capacity);

// Index stored for name, or -1. get(context, i) returns the i-th name.
typedef const char* limb_name_fn(const void* context, int i);
int limb_names_find(const limb_names* t, const char* name, limb_name_fn* get, const void* context);

// Stores index for a name that is not in the table yet. The table must have a free slot.
void limb_names_put(limb_names* t, const char* name, int index);

// ---- the name that was probably meant -----------------------------------------------------------------------

// Of count names the one nearest to a wrong one (inserted, deleted, replaced and exchanged letters count 1
// each, case nothing), when no more than a third of its letters are wrong; NULL when there is none. Of long
// lists the first 2000 are compared, and names beyond 63 letters are far from all others.
const char* limb_nearest(const char* wrong, int count, limb_name_fn* name, const void* context);

#endif
