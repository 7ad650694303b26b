// The reader of run files: what its files share.
#ifndef LIMB_READ_RUN_IMPL_H
#define LIMB_READ_RUN_IMPL_H

#include "limb/run.h"

#include "io/readers.h"
#include "io/store.h"
#include "io/yaml.h"

#include <stdbool.h>

typedef struct run_reader {
  yml_check check;
  limb_store* pool;
  limb_run* run;
  bool out_of_memory;
} run_reader;

// A text at a place: "section.key". NULL: it is not there.
void limb_run_take(run_reader* r, const yml_node* n, const char* section, limb_run_value* to);

// Values of a mapping, with its keys as names; one value without mapping, with the name "", when alone is
// set.
void limb_run_take_map(run_reader* r, const yml_node* n, const char* section, bool alone, limb_run_values* to);

// Values of a list of as many entries as names, which is closed by NULL; names NULL: any number, and one
// value without list; each has its own text for a name then.
void limb_run_take_list(run_reader* r, const yml_node* n, const char* section, const char* const* names,
                        limb_run_values* to);

// Single values of a mapping, by a table. All other keys are errors, but those in more, closed by NULL.
typedef struct run_key {
  const char* key;
  size_t at; // of its limb_run_value
} run_key;

void limb_run_take_keys(run_reader* r, const yml_node* map, const char* section, const run_key* keys,
                        const char* const* more, void* to);

// Room for the entries of a list; NULL: none, or no memory.
void* limb_run_room(run_reader* r, const yml_node* list, size_t size);

// read_run_parts.c
void limb_run_inputs_of(run_reader* r, const yml_node* n);
void limb_run_controller_of(run_reader* r, const yml_node* n);
void limb_run_events_of(run_reader* r, const yml_node* n);
void limb_run_outputs_of(run_reader* r, const yml_node* n);

#endif
