// Settings put over a run: its memory, and lists of texts (run_override.c); what they mean (run_override_parts.c).
#ifndef LIMB_RUN_OVERRIDE_H
#define LIMB_RUN_OVERRIDE_H

#include "run/run_impl.h"

struct limb_run_override {
  limb_run run;
  const limb_run_setting* settings;
  limb_error* err;
  void** kept; // all memory
  int nkept;
  bool no_memory;
};

typedef limb_run_override override;

// An array of a run, with its number of entries.
typedef struct array {
  void* items; // address of the pointer
  int* count;
  size_t size; // of an entry
} array;

// A copy of an array, with one more entry, zeroed: of a text, a copy. NULL: out of memory, which o remembers.
void* limb_override_extended(override* o, const void* items, int count, size_t size);

// The new entry at the end, in a copy of the array.
void* limb_override_append(override* o, array a);

// The text of a setting; NULL: it is not given.
const char* limb_override_given(const override* o, const char* name);

// A text as a value with the key "--option".
limb_run_value limb_override_value(override* o, const char* option, const char* text);

// Puts a value into a list: replaces the value of the same name, or appends.
limb_status limb_override_put_named(override* o, limb_run_values* list, limb_run_value v);

// The next entry of a list, up to a separator outside brackets and quotes, without blanks around it. NULL at the
// end, or out of memory.
char* limb_override_next(override* o, const char** at, char separator);

// "elbow=2*t" as a value of that name; a list of such pairs, put into another; a list of words, replacing another.
limb_status limb_override_read_pair(override* o, const char* option, char* entry, limb_run_value* out);
limb_status limb_override_put_pairs(override* o, const char* option, limb_run_values* list);
limb_status limb_override_put_words(override* o, const char* option, const char* at, char separator,
                                    limb_run_values* list);

// run_override_parts.c
limb_status limb_override_put_start(override* o);
limb_status limb_override_put_table(override* o);
limb_status limb_override_put_wrenches(override* o);
limb_status limb_override_put_motion(override* o);
limb_status limb_override_put_controller(override* o);
limb_status limb_override_put_events(override* o, const char* option, const char* action);
limb_status limb_override_put_outputs(override* o);

#endif
