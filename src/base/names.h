// Names to indices: an open-addressing hash table over strings owned by someone else.
#ifndef LIMB_NAMES_H
#define LIMB_NAMES_H

#include <stddef.h>
#include <stdint.h>

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

// Stores index for a name that is not in the table yet. The table must have room.
void limb_names_put(limb_names* t, const char* name, int index);

#endif
