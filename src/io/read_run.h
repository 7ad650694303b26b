// How keys of YAML become texts with their positions: tables of keys, for run files and studies.
#ifndef LIMB_IO_READ_RUN_H
#define LIMB_IO_READ_RUN_H

#include "limb/run.h"

#include "io/yaml.h"

typedef struct run_reader {
  limb_reporter report;
  memory_pool* pool;
  const char* name; // of the file, where its paths begin
  int no_memory;
} run_reader;

typedef enum key_kind {
  VALUE,
  SKIPPED,      // read apart
  MAP,          // values by name
  MAP_OR_VALUE, // the same, or one value with the name ""
  LIST,         // values with the names of the table; without names: any number of them, or one
  SECTION,      // the keys of another table, in the same struct
  ITEMS,        // a list of structs with the keys of another table
  NAMED_ITEMS   // a mapping to such structs, which begin with their names
} key_kind;

typedef struct run_key {
  const char* key;
  size_t at; // of its limb_run_value, limb_run_values, or pointer to structs
  key_kind kind;
  const char* names; // of a list
  // SECTION, ITEMS, NAMED_ITEMS
  const struct run_key* inner; // ends with a key NULL
  const char* needed;          // a key that it must have
  size_t count, size;          // where the number of structs is, and their size
  size_t single;               // SECTION, ITEMS: where a single value goes, instead of a mapping; NO_SINGLE: nowhere
} run_key;

#define NO_SINGLE ((size_t)-1)

extern const run_key limb_run_keys[]; // of limb_run

// Reads the keys of a table into a struct; all other keys are errors. section: the path of the mapping, "" for a file.
void limb_run_take_keys(run_reader* r, const yml_node* map, const char* section, const run_key* keys, void* to);

// The text of a node, if it is one, with the key section.word. 0 after an error.
int limb_run_take(run_reader* r, const yml_node* n, const char* section, const char* word, limb_run_value* to);

// A run from its tree, in the pool.
limb_status limb_run_take_root(run_reader* r, const yml_node* root, const limb_run** out);

// A mutable view of a tree that this reading has parsed.
yml_node* limb_run_own(const yml_node* n);

// Puts a text, which must not be empty, at a path of a run: "start.q.elbow", "events.1.when". Sections and entries that
// the run does not have are added. at: of what asks for it. 0 after an error (run_path.c).
int limb_run_put(run_reader* r, yml_node* root, const char* path, file_pos at, const char* text);

#endif
