// Rows in columns: a batch of them, as Arrow and Parquet files are made of.
#include "io/table.h"

#include "io/file_text.h"

#include <stdlib.h>
#include <string.h>

// Readers count the bytes of a batch's texts with 31 bits.
enum { TEXT_MAX = 1 << 28, TEXTS_MAX = 1 << 29 };

static char* copy_of(const char* s)
{
  const size_t n = s ? strlen(s) + 1 : 1;
  char* own = malloc(n);
  return own ? memcpy(own, s ? s : "", n) : NULL;
}

bool limb_columns_reserve(table_columns* c, int columns, const limb_table_column* column, int rows)
{
  const size_t n = (size_t)columns;
  *c = (table_columns){.columns = columns, .rows = rows};
  c->column = calloc(n, sizeof *c->column);
  c->text = calloc(n, sizeof *c->text);
  c->number = calloc(n * (size_t)rows, sizeof *c->number);
  bool fine = c->column && c->text && c->number;
  for (size_t k = 0; k < n && fine; k++) {
    c->column[k] = (limb_table_column){copy_of(column[k].name), copy_of(column[k].unit), column[k].kind};
    fine = c->column[k].name && c->column[k].unit;
    if (fine && column[k].kind == LIMB_TABLE_TEXT)
      fine = (c->text[k].end = calloc((size_t)rows + 1, sizeof *c->text[k].end)) != NULL;
  }
  return fine;
}

// Files state that texts are UTF-8: other bytes become question marks.
static void copy_text(char* to, const char* s, size_t n)
{
  const char* end = s + n;
  for (size_t length; s < end; s += length, to += length) {
    length = limb_utf8(s, end, NULL);
    if (length > 0)
      memcpy(to, s, length);
    else
      *to = '?', length = 1;
  }
}

static limb_status add_text(table_columns* c, table_texts* t, const char* s)
{
  const size_t n = strlen(s);
  if (n > TEXT_MAX) return LIMB_E_ARG;
  if (t->used + n > t->capacity) {
    const size_t more = 2 * (t->used + n) + 64;
    char* grown = realloc(t->bytes, more);
    if (!grown) return LIMB_E_NOMEM;
    t->bytes = grown, t->capacity = more;
  }
  if (n > 0) copy_text(t->bytes + t->used, s, n);
  t->used += n;
  t->end[c->count + 1] = (uint32_t)t->used;
  c->full |= t->used > TEXTS_MAX;
  return LIMB_OK;
}

limb_status limb_columns_add(table_columns* c, const double* x, const char* const* text)
{
  limb_status s = LIMB_OK;
  for (int k = 0; k < c->columns && s == LIMB_OK; k++) {
    if (c->column[k].kind == LIMB_TABLE_TEXT)
      s = add_text(c, &c->text[k], table_text(text, k));
    else
      c->number[(size_t)k * (size_t)c->rows + (size_t)c->count] = x[k];
  }
  if (s == LIMB_OK) c->full |= ++c->count == c->rows;
  return s;
}

void limb_columns_clear(table_columns* c)
{
  c->count = 0;
  c->full = false;
  for (int k = 0; k < c->columns; k++) c->text[k].used = 0;
}

void limb_columns_free(table_columns* c)
{
  for (int k = 0; c->column && c->text && k < c->columns; k++) {
    char *name, *unit;
    memcpy(&name, &c->column[k].name, sizeof name);
    memcpy(&unit, &c->column[k].unit, sizeof unit);
    free(name), free(unit);
    free(c->text[k].bytes), free(c->text[k].end);
  }
  free(c->column), free(c->text), free(c->number);
  *c = (table_columns){0};
}
