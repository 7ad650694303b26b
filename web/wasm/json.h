// JSON as it is written: texts escaped, numbers with the digits that they need to be read back, commas by themselves.
#ifndef LIMB_WASM_JSON_H
#define LIMB_WASM_JSON_H

#include <stddef.h>

typedef struct json {
  char* bytes; // closed by a zero; NULL: nothing yet
  size_t size, capacity;
  int failed;  // out of memory
  int follows; // 1: a comma comes before the next value
} json;

void json_begin(json* j, const char* key, char bracket); // '{' or '['; key "": an entry of an array
void json_end(json* j, char bracket);
void json_text(json* j, const char* key, const char* text); // null for NULL
void json_number(json* j, const char* key, double x);       // null for what JSON cannot express
void json_numbers(json* j, const char* key, size_t n, const double* x);

void json_entries(json* j, const char* key, const json* entries); // an array of what was written before

// The text so far, valid until the next change; NULL: out of memory.
const char* json_done(json* j);
void json_clear(json* j); // keeps the memory
void json_free(json* j);

#endif
