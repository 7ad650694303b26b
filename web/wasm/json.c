// Writing JSON, see json.h.
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(json* j, const char* bytes, size_t size)
{
  if (j->failed) return;
  if (j->size + size + 1 > j->capacity) {
    const size_t capacity = 2 * (j->size + size + 1);
    char* more = realloc(j->bytes, capacity);
    if (!more) {
      j->failed = 1;
      return;
    }
    j->bytes = more;
    j->capacity = capacity;
  }
  memcpy(j->bytes + j->size, bytes, size);
  j->size += size;
  j->bytes[j->size] = '\0';
}

static void put_string(json* j, const char* text)
{
  put(j, "\"", 1);
  for (const char* c = text; *c; c++) {
    char escaped[8];
    if (*c == '"' || *c == '\\' || (unsigned char)*c < 0x20)
      put(j, escaped, (size_t)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*c));
    else
      put(j, c, 1);
  }
  put(j, "\"", 1);
}

static void put_number(json* j, double x)
{
  char digits[32];
  put(j, digits, (size_t)snprintf(digits, sizeof digits, isfinite(x) ? "%.17g" : "null", x));
}

static void open_value(json* j, const char* key)
{
  if (j->follows) put(j, ",", 1);
  if (*key) {
    put_string(j, key);
    put(j, ":", 1);
  }
  j->follows = 1;
}

void json_begin(json* j, const char* key, char bracket)
{
  open_value(j, key);
  put(j, &bracket, 1);
  j->follows = 0;
}

void json_end(json* j, char bracket)
{
  put(j, &bracket, 1);
  j->follows = 1;
}

void json_text(json* j, const char* key, const char* text)
{
  open_value(j, key);
  if (text)
    put_string(j, text);
  else
    put(j, "null", 4);
}

void json_number(json* j, const char* key, double x)
{
  open_value(j, key);
  put_number(j, x);
}

void json_numbers(json* j, const char* key, size_t n, const double* x)
{
  json_begin(j, key, '[');
  for (size_t i = 0; i < n; i++) json_number(j, "", x[i]);
  json_end(j, ']');
}

void json_entries(json* j, const char* key, const json* entries)
{
  json_begin(j, key, '[');
  if (entries->bytes) put(j, entries->bytes, entries->size);
  j->failed |= entries->failed;
  json_end(j, ']');
}

const char* json_done(json* j) { return j->failed ? NULL : j->bytes; }

void json_clear(json* j)
{
  j->size = 0;
  j->follows = 0;
}

void json_free(json* j)
{
  free(j->bytes);
  *j = (json){0};
}
