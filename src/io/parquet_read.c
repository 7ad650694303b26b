// Reading Parquet: the footer, and rows from columns. parquet_page.c has the pages.
//
// Columns must be numbers: whole or real, booleans, times (seconds since 1970), decimals. Memory is that of a page of
// each column, whatever the number of rows. All counts and places in a file may lie.
#include "io/parquet.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/file_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { FOOTER_MAX = 1 << 26, COLUMNS_MAX = 1 << 16, BLOCK_NUMBERS = 1 << 18 };
enum { REQUIRED = 0, OPTIONAL = 1 };

static const char damaged[] = "the footer of the Parquet file is damaged";

limb_status limb_parquet_wrong(limb_error* err, const parquet_column* c, limb_status s, const char* text)
{
  char where[64];
  (void)snprintf(where, sizeof where, "column '%.50s'", c->name ? c->name : "");
  return limb_fail(err, s, where, "%s", text);
}

bool limb_parquet_read(const parquet_reader* r, uint64_t at, void* to, size_t n)
{
  if (at > r->size || n > r->size - at) return false;
  if (fseeko(r->stream, (off_t)(r->begin + at), SEEK_SET) != 0) return false;
  return fread(to, 1, n, r->stream) == n;
}

// ---- the schema ----------------------------------------------------------------------------------------------

// What a column has, as the schema describes it.
typedef struct element {
  int64_t type, repetition, children, converted, scale;
  thrift name;
  int logical;      // 0: none
  int unit;         // of times: 1 ms, 2 us, 3 ns
  bool is_unsigned; // of whole numbers
} element;

enum { CONVERTED_DECIMAL = 5, CONVERTED_DATE = 6, CONVERTED_TIME_MS = 7, CONVERTED_TIMESTAMP_US = 10 };
enum { CONVERTED_UINT_8 = 11, CONVERTED_UINT_64 = 14 };
enum { LOGICAL_DECIMAL = 5, LOGICAL_DATE = 6, LOGICAL_TIME = 7, LOGICAL_TIMESTAMP = 8, LOGICAL_INTEGER = 10 };

// TIME and TIMESTAMP: their unit is a union.
static void read_unit(thrift* t, element* e)
{
  thrift_field f = {0};
  while (limb_thrift_next(t, &f)) {
    thrift_field unit = {0};
    if (f.id != 2 || f.type != THRIFT_STRUCT) {
      limb_thrift_skip(t, f.type);
      continue;
    }
    while (limb_thrift_next(t, &unit)) {
      e->unit = unit.id;
      limb_thrift_skip(t, unit.type);
    }
  }
}

static void read_logical(thrift* t, element* e)
{
  thrift_field f = {0};
  while (limb_thrift_next(t, &f)) {
    thrift_field part = {0};
    e->logical = f.id;
    if (f.type == THRIFT_STRUCT && (f.id == LOGICAL_TIME || f.id == LOGICAL_TIMESTAMP)) {
      read_unit(t, e);
    } else if (f.type == THRIFT_STRUCT && f.id == LOGICAL_INTEGER) {
      while (limb_thrift_next(t, &part)) {
        const int64_t x = limb_thrift_number(t, part.type);
        if (part.id == 2) e->is_unsigned = x == 0;
      }
    } else {
      limb_thrift_skip(t, f.type);
    }
  }
}

static element read_element(thrift* t)
{
  element e = {.type = -1, .converted = -1};
  thrift_field f = {0};
  while (limb_thrift_next(t, &f)) {
    if (f.id == 4) {
      e.name = limb_thrift_text(t, f.type);
    } else if (f.id == 10 && f.type == THRIFT_STRUCT) {
      read_logical(t, &e);
    } else {
      const int64_t x = limb_thrift_number(t, f.type);
      if (f.id == 1) e.type = x;
      if (f.id == 3) e.repetition = x;
      if (f.id == 5) e.children = x;
      if (f.id == 6) e.converted = x;
      if (f.id == 7) e.scale = x;
    }
  }
  return e;
}

// Older files have kinds instead of logical types.
static void convert(element* e)
{
  if (e->logical) return;
  if (e->converted == CONVERTED_DECIMAL) e->logical = LOGICAL_DECIMAL;
  if (e->converted == CONVERTED_DATE) e->logical = LOGICAL_DATE;
  if (e->converted >= CONVERTED_TIME_MS && e->converted <= CONVERTED_TIMESTAMP_US) {
    e->logical = LOGICAL_TIMESTAMP;
    e->unit = 1 + (int)(e->converted - CONVERTED_TIME_MS) % 2;
  }
  e->is_unsigned = e->converted >= CONVERTED_UINT_8 && e->converted <= CONVERTED_UINT_64;
}

// NULL, or why a column cannot be read.
static const char* check_element(const element* e)
{
  if (e->children > 0 || e->type < 0 || e->repetition > OPTIONAL)
    return "it is nested (a list, a struct or a map); write one column per number";
  if (e->logical == LOGICAL_DECIMAL && e->type != TYPE_INT32 && e->type != TYPE_INT64)
    return "it has decimals of many digits; write floats (DOUBLE)";
  if (e->logical == LOGICAL_DATE) return "it has dates; write seconds, or leave the column out";
  if (e->type == TYPE_BYTES || e->type == TYPE_FIXED)
    return "it has texts or bytes, not numbers; leave the column out (pandas: table.drop(columns=...))";
  return e->type > TYPE_FIXED || e->scale < 0 || e->scale > 18 ? "it is of an unknown type" : NULL;
}

static limb_status add_column(parquet_reader* r, char** text, element* e, limb_error* err)
{
  static const double units[] = {1, 1e3, 1e6, 1e9};
  const size_t length = (size_t)(e->name.end - e->name.at);
  parquet_column* c = &r->column[r->columns];
  if (length > 0) memcpy(*text, e->name.at, length);
  (*text)[length] = '\0';
  *c = (parquet_column){.name = *text, .type = (int)e->type, .optional = e->repetition == OPTIONAL, .divisor = 1};
  *text += length + 1;
  convert(e);
  const char* wrong = check_element(e);
  if (length == 0 || strlen(c->name) != length || !limb_is_utf8(c->name, c->name + length))
    wrong = "its name is empty, or is not UTF-8";
  if (wrong) return limb_parquet_wrong(err, c, LIMB_E_SYNTAX, wrong);
  c->is_unsigned = e->is_unsigned;
  if (e->logical == LOGICAL_TIME || e->logical == LOGICAL_TIMESTAMP) c->divisor = units[e->unit & 3];
  for (int64_t i = 0; e->logical == LOGICAL_DECIMAL && i < e->scale; i++) c->divisor *= 10;
  r->columns++;
  return LIMB_OK;
}

static int by_name(const void* a, const void* b)
{
  const parquet_column *const *x = a, *const *y = b;
  return strcmp((*x)->name, (*y)->name);
}

static limb_status sort_columns(parquet_reader* r, limb_error* err)
{
  for (int k = 0; k < r->columns; k++) r->sorted[k] = &r->column[k];
  qsort(r->sorted, (size_t)r->columns, sizeof(void*), by_name);
  for (int k = 1; k < r->columns; k++)
    if (strcmp(r->sorted[k - 1]->name, r->sorted[k]->name) == 0)
      return limb_parquet_wrong(err, r->sorted[k], LIMB_E_SYNTAX, "two columns have this name");
  return LIMB_OK;
}

static limb_status read_schema(parquet_reader* r, thrift* t, limb_error* err)
{
  int type;
  const uint64_t count = limb_thrift_list(t, &type);
  if (type != THRIFT_STRUCT || count > (uint64_t)r->footer_size)
    return limb_fail(err, LIMB_E_SYNTAX, "footer", "%s", damaged);
  if (count < 2) return limb_fail(err, LIMB_E_SYNTAX, "footer", "the Parquet file has no columns");
  if (count > COLUMNS_MAX)
    return limb_fail(err, LIMB_E_UNSUPPORTED, "footer", "the Parquet file has more than %d columns", COLUMNS_MAX);
  r->max_columns = (int)count;
  r->text = limb_alloc(&r->alloc, r->footer_size + 1);
  r->column = limb_alloc(&r->alloc, (size_t)count * sizeof *r->column);
  r->sorted = limb_alloc(&r->alloc, (size_t)count * sizeof(void*));
  if (!r->text || !r->column || !r->sorted) return limb_fail(err, LIMB_E_NOMEM, "footer", "out of memory");
  char* text = r->text;
  limb_status s = LIMB_OK;
  (void)read_element(t); // the root
  for (uint64_t i = 1; i < count && s == LIMB_OK && !t->failed; i++) {
    element e = read_element(t);
    if (!t->failed) s = add_column(r, &text, &e, err);
  }
  if (s == LIMB_OK && t->failed) s = limb_fail(err, LIMB_E_SYNTAX, "footer", "%s", damaged);
  return s == LIMB_OK ? sort_columns(r, err) : s;
}

// ---- groups of rows ------------------------------------------------------------------------------------------

typedef struct chunk {
  int64_t type, codec, count, size, data, dictionary;
  bool elsewhere, encrypted, there;
} chunk;

static void read_metadata(thrift* t, chunk* x)
{
  thrift_field f = {0};
  x->there = true;
  while (limb_thrift_next(t, &f)) {
    const int64_t n = limb_thrift_number(t, f.type);
    if (f.id == 1) x->type = n;
    if (f.id == 4) x->codec = n;
    if (f.id == 5) x->count = n;
    if (f.id == 7) x->size = n;
    if (f.id == 9) x->data = n;
    if (f.id == 11) x->dictionary = n;
  }
}

static chunk read_chunk(thrift* t)
{
  chunk x = {0};
  thrift_field f = {0};
  while (limb_thrift_next(t, &f)) {
    x.elsewhere |= f.id == 1;
    x.encrypted |= f.id == 8 || f.id == 9;
    if (f.id == 3 && f.type == THRIFT_STRUCT)
      read_metadata(t, &x);
    else
      limb_thrift_skip(t, f.type);
  }
  return x;
}

static limb_status begin_chunk(const parquet_reader* r, parquet_column* c, const chunk* x, limb_error* err)
{
  char text[160];
  const int64_t begin = x->dictionary > 0 && x->dictionary < x->data ? x->dictionary : x->data;
  if (x->encrypted) return limb_parquet_wrong(err, c, LIMB_E_UNSUPPORTED, "it is encrypted; write it without");
  if (x->elsewhere) return limb_parquet_wrong(err, c, LIMB_E_UNSUPPORTED, "its numbers are in another file");
  if (x->there && x->count == 0) return (void)(c->to_come = c->left = 0), LIMB_OK;
  if (!x->there || x->type != c->type || begin < 4 || x->size < 0 || (uint64_t)begin > r->size ||
      (uint64_t)x->size > r->size - (uint64_t)begin)
    return limb_parquet_wrong(err, c, LIMB_E_SYNTAX, "its place in the file is damaged");
  if (limb_parquet_ratio((int)x->codec) == 0) {
    (void)snprintf(text, sizeof text, "its pages are packed by %s; write the file with snappy, gzip, zstd or none",
                   limb_parquet_codec((int)x->codec));
    return limb_parquet_wrong(err, c, LIMB_E_UNSUPPORTED, text);
  }
  c->codec = (int)x->codec;
  c->at = (uint64_t)begin, c->end = c->at + (uint64_t)x->size;
  c->to_come = (uint64_t)x->count;
  c->left = 0, c->entries = 0;
  return LIMB_OK;
}

static limb_status begin_chunks(parquet_reader* r, thrift* t, uint64_t* numbers, limb_error* err)
{
  int type;
  limb_status s = LIMB_OK;
  const uint64_t count = limb_thrift_list(t, &type);
  if (type != THRIFT_STRUCT || count != (uint64_t)r->columns)
    return limb_fail(err, LIMB_E_SYNTAX, "footer", "%s", damaged);
  for (int k = 0; k < r->columns && s == LIMB_OK; k++) {
    const chunk x = read_chunk(t);
    if (t->failed) return limb_fail(err, LIMB_E_SYNTAX, "footer", "%s", damaged);
    s = begin_chunk(r, &r->column[k], &x, err);
    if (k == 0) *numbers = r->column[k].to_come;
    if (s == LIMB_OK && r->column[k].to_come != *numbers)
      s = limb_parquet_wrong(err, &r->column[k], LIMB_E_SYNTAX, "it has another number of rows than the first column");
  }
  return s;
}

// The next group: where the numbers of each column begin.
static limb_status begin_group(parquet_reader* r, limb_error* err)
{
  uint64_t numbers = 0;
  int64_t rows = -1;
  limb_status s = LIMB_OK;
  thrift_field f = {0};
  while (s == LIMB_OK && limb_thrift_next(&r->groups, &f)) {
    if (f.id == 1 && f.type == THRIFT_LIST)
      s = begin_chunks(r, &r->groups, &numbers, err);
    else if (f.id == 3)
      rows = limb_thrift_number(&r->groups, f.type);
    else
      limb_thrift_skip(&r->groups, f.type);
  }
  if (s == LIMB_OK && (r->groups.failed || rows < 0 || (uint64_t)rows != numbers))
    s = limb_fail(err, LIMB_E_SYNTAX, "footer", "%s", damaged);
  r->group_rows = (uint64_t)rows;
  r->groups_left--;
  return s;
}

// All groups, so that what cannot be read is an error at once.
static limb_status check_groups(parquet_reader* r, limb_error* err)
{
  const thrift first = r->groups;
  const uint64_t count = r->groups_left;
  limb_status s = LIMB_OK;
  uint64_t rows = 0;
  while (s == LIMB_OK && r->groups_left > 0) {
    s = begin_group(r, err);
    rows += r->group_rows;
  }
  if (s == LIMB_OK && rows != r->rows)
    s = limb_fail(err, LIMB_E_SYNTAX, "footer", "the Parquet file states %llu rows, and its groups have %llu",
                  (unsigned long long)r->rows, (unsigned long long)rows);
  r->groups = first, r->groups_left = count, r->group_rows = 0;
  return s;
}

// ---- the footer ----------------------------------------------------------------------------------------------

static bool equals(thrift a, const char* text)
{
  const size_t n = (size_t)(a.end - a.at);
  return n > 0 && n == strlen(text) && memcmp(a.at, text, n) == 0;
}

// What programs note about a file. Time spans are whole numbers in Parquet; their units are in the schema of Arrow.
static void read_notes(parquet_reader* r, thrift* t)
{
  int type;
  const uint64_t count = limb_thrift_list(t, &type);
  for (uint64_t i = 0; i < count && type == THRIFT_STRUCT && !t->failed; i++) {
    thrift key = {0}, value = {0};
    thrift_field f = {0};
    while (limb_thrift_next(t, &f)) {
      if (f.id == 1)
        key = limb_thrift_text(t, f.type);
      else if (f.id == 2)
        value = limb_thrift_text(t, f.type);
      else
        limb_thrift_skip(t, f.type);
    }
    if (equals(key, "ARROW:schema")) limb_parquet_time_spans(r, value.at, (size_t)(value.end - value.at));
  }
}

static limb_status parse_footer(parquet_reader* r, limb_error* err)
{
  thrift t = {r->footer, r->footer + r->footer_size, false};
  thrift_field f = {0};
  limb_status s = LIMB_OK;
  while (s == LIMB_OK && limb_thrift_next(&t, &f)) {
    int type = 0;
    if (f.id == 2 && f.type == THRIFT_LIST && r->columns == 0) {
      s = read_schema(r, &t, err);
    } else if (f.id == 3) {
      r->rows = (uint64_t)limb_thrift_number(&t, f.type);
    } else if (f.id == 4 && f.type == THRIFT_LIST) {
      r->groups = t;
      r->groups_left = limb_thrift_list(&r->groups, &type);
      limb_thrift_skip(&t, f.type);
    } else if (f.id == 5 && f.type == THRIFT_LIST) {
      read_notes(r, &t);
    } else {
      limb_thrift_skip(&t, f.type);
    }
  }
  if (s != LIMB_OK) return s;
  if (t.failed || r->columns == 0) return limb_fail(err, LIMB_E_SYNTAX, "footer", "%s", damaged);
  return check_groups(r, err);
}

static limb_status read_footer(parquet_reader* r, limb_error* err)
{
  unsigned char tail[8] = {0};
  if (r->size < 12 || !limb_parquet_read(r, r->size - 8, tail, 8) || memcmp(tail + 5, "AR", 2) != 0 || tail[4] != 'P')
    return limb_fail(err, LIMB_E_SYNTAX, "footer",
                     "the Parquet file does not end with its footer: it is cut off, or was not completed");
  if (tail[7] == 'E') return limb_fail(err, LIMB_E_UNSUPPORTED, "footer", "the Parquet file is encrypted");
  const uint32_t length = tail[0] | (uint32_t)tail[1] << 8 | (uint32_t)tail[2] << 16 | (uint32_t)tail[3] << 24;
  if (tail[7] != '1' || length > r->size - 12) return limb_fail(err, LIMB_E_SYNTAX, "footer", "%s", damaged);
  if (length > FOOTER_MAX)
    return limb_fail(err, LIMB_E_UNSUPPORTED, "footer", "the footer of the Parquet file is larger than 64 MiB");
  r->footer_size = length;
  r->footer = limb_alloc(&r->alloc, (size_t)length + 1);
  if (!r->footer) return limb_fail(err, LIMB_E_NOMEM, "footer", "out of memory");
  if (!limb_parquet_read(r, r->size - 8 - length, r->footer, length))
    return limb_fail(err, LIMB_E_IO, "footer", "the Parquet file cannot be read");
  return parse_footer(r, err);
}

// ---- rows ----------------------------------------------------------------------------------------------------

static limb_status fill(parquet_reader* r, limb_error* err)
{
  limb_status s = LIMB_OK;
  while (s == LIMB_OK && r->group_rows == 0) s = begin_group(r, err);
  const size_t n = r->group_rows < r->block_rows ? (size_t)r->group_rows : r->block_rows;
  for (int k = 0; k < r->columns && s == LIMB_OK; k++)
    s = limb_parquet_take(r, &r->column[k], n, r->block + (size_t)k * r->block_rows, err);
  r->group_rows -= n;
  r->filled = n, r->at = 0;
  return s;
}

static limb_status bad_number(const parquet_reader* r, int k, double x, limb_error* err)
{
  char where[96];
  (void)snprintf(where, sizeof where, "row %llu, column '%.50s'", (unsigned long long)r->next + 1, r->column[k].name);
  return limb_fail(err, LIMB_E_SYNTAX, where, "%s; leave out the row, or enter its value",
                   limb_parquet_is_null(x) ? "a null" : "not a finite number");
}

limb_status limb_parquet_next(parquet_reader* r, double* row, int* got, limb_error* err)
{
  limb_status s = LIMB_OK;
  if (r->next >= r->rows) return s;
  if (r->at == r->filled) s = fill(r, err);
  for (int k = 0; k < r->columns && s == LIMB_OK; k++) {
    row[k] = r->block[(size_t)k * r->block_rows + r->at];
    if (!isfinite(row[k])) s = bad_number(r, k, row[k], err);
  }
  if (s != LIMB_OK) {
    r->rows = r->next; // a row that cannot be read ends the table
    return s;
  }
  r->at++, r->next++;
  *got = 1;
  return LIMB_OK;
}

// ---- the reader ----------------------------------------------------------------------------------------------

static limb_status open_file(parquet_reader* r, limb_error* err)
{
  const off_t begin = ftello(r->stream);
  if (begin < 0 || fseeko(r->stream, 0, SEEK_END) != 0)
    return limb_fail(err, LIMB_E_IO, "footer", "a Parquet file cannot be read from a pipe; name the file");
  const off_t end = ftello(r->stream);
  r->begin = (uint64_t)begin, r->size = end > begin ? (uint64_t)(end - begin) : 0;
  const limb_status s = read_footer(r, err);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)r->columns, rows = BLOCK_NUMBERS / n;
  r->block_rows = rows > PARQUET_BLOCK ? PARQUET_BLOCK : rows < 16 ? 16 : rows;
  r->block = limb_alloc(&r->alloc, n * r->block_rows * sizeof *r->block);
  return r->block ? LIMB_OK : limb_fail(err, LIMB_E_NOMEM, "footer", "out of memory");
}

limb_status limb_parquet_open(FILE* stream, const limb_allocator* a, parquet_reader** out, limb_error* err)
{
  parquet_reader* r = limb_alloc(a, sizeof *r);
  if (!r) return limb_fail(err, LIMB_E_NOMEM, "footer", "out of memory");
  *r = (parquet_reader){.alloc = *a, .stream = stream};
  const limb_status s = open_file(r, err);
  if (s == LIMB_OK)
    *out = r;
  else
    limb_parquet_close(r);
  return s;
}

void limb_parquet_close(parquet_reader* r)
{
  if (!r) return;
  const limb_allocator a = r->alloc;
  for (int k = 0; k < r->columns; k++) {
    limb_free(&a, r->column[k].page, r->column[k].capacity);
    limb_free(&a, r->column[k].dictionary, r->column[k].dictionary_capacity);
  }
  limb_free(&a, r->block, (size_t)r->columns * r->block_rows * sizeof *r->block);
  limb_free(&a, r->packed, r->packed_capacity);
  limb_free(&a, r->column, (size_t)r->max_columns * sizeof *r->column);
  limb_free(&a, r->sorted, (size_t)r->max_columns * sizeof(void*));
  limb_free(&a, r->text, r->footer_size + 1);
  limb_free(&a, r->footer, r->footer_size + 1);
  limb_free(&a, r, sizeof *r);
}

int limb_parquet_columns(const parquet_reader* r) { return r->columns; }

const char* limb_parquet_column(const parquet_reader* r, int k) { return r->column[k].name; }

static int name_only(const void* key, const void* item)
{
  return strcmp(key, (*(const parquet_column* const*)item)->name);
}

int limb_parquet_find(const parquet_reader* r, const char* name)
{
  const parquet_column** found = bsearch(name, r->sorted, (size_t)r->columns, sizeof(void*), name_only);
  return found ? (int)(*found - r->column) : -1;
}

uint64_t limb_parquet_bytes(const parquet_reader* r)
{
  return r->rows > 0 ? (uint64_t)((double)r->size * ((double)r->next / (double)r->rows)) : r->size;
}
