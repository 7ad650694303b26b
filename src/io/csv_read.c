// Reading a CSV table: a buffer over the stream, lines in it, the header row; csv_rows.c has the numbers. Nothing is
// allocated per row; the buffer grows with the longest line, up to a limit. NPY and Parquet are read by the same calls.
#include "io/csv_read.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "io/file_text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { FIRST_BUFFER = 1 << 18, MAX_LINE = 1 << 24 }; // 16 MiB

limb_status limb_csv_fail(limb_error* err, csv_line line, const char* at, const char* where, const char* format, ...)
{
  char text[256];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  (void)limb_fail(err, LIMB_E_SYNTAX, where, "%s", text);
  if (!err) return LIMB_E_SYNTAX;
  err->line = line.number;
  err->column = 1;
  for (const char* p = line.text; p != at; p++) err->column += (*p & 0xc0) != 0x80; // bytes that begin a character
  return LIMB_E_SYNTAX;
}

// ---- lines -----------------------------------------------------------------------------------------

bool limb_csv_enlarge(limb_csv_reader* r, size_t capacity)
{
  if (capacity <= r->capacity) return true;
  char* moved = limb_alloc(&r->alloc, capacity);
  if (!moved) return false;
  memcpy(moved, r->buffer, r->end);
  limb_free(&r->alloc, r->buffer, r->capacity);
  r->buffer = moved;
  r->capacity = capacity;
  return true;
}

static limb_status grow(limb_csv_reader* r, limb_error* err)
{
  if (r->capacity >= MAX_LINE) {
    const csv_line line = {.number = r->line + (r->line < INT_MAX)};
    return limb_csv_fail(err, line, line.text, "line",
                         "the line is longer than 16 MiB; is this a CSV file with line ends?");
  }
  if (limb_csv_enlarge(r, 2 * r->capacity)) return LIMB_OK;
  return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory for a long line");
}

// Reads more of the stream into the buffer.
static limb_status fill(limb_csv_reader* r, limb_error* err)
{
  memmove(r->buffer, r->buffer + r->at, r->end - r->at);
  r->end -= r->at;
  r->at = 0;
  if (r->end == r->capacity) {
    const limb_status status = grow(r, err);
    if (status != LIMB_OK) return r->broken = status;
  }
  const size_t free_bytes = r->capacity - r->end;
  const size_t got = fread(r->buffer + r->end, 1, free_bytes, r->stream);
  r->end += got;
  r->bytes += got;
  r->over = got < free_bytes;
  if (r->over && ferror(r->stream))
    r->broken = limb_fail(err, LIMB_E_IO, NULL, "reading failed after %llu bytes", (unsigned long long)r->bytes);
  return r->broken;
}

// The next line; *got is false when there is none.
static limb_status take_line(limb_csv_reader* r, csv_line* line, bool* got, limb_error* err)
{
  *got = false;
  if (r->broken != LIMB_OK) return limb_fail(err, r->broken, NULL, "reading ended at an earlier error");
  const char* stop = memchr(r->buffer + r->at, '\n', r->end - r->at);
  while (!stop && !r->over) {
    const size_t seen = r->end - r->at;
    const limb_status status = fill(r, err);
    if (status != LIMB_OK) return status;
    stop = memchr(r->buffer + seen, '\n', r->end - seen);
  }
  if (!stop && r->at == r->end) return LIMB_OK;
  *got = true;
  r->line += r->line < INT_MAX;
  line->number = r->line;
  line->text = r->buffer + r->at;
  line->end = stop ? stop : r->buffer + r->end;
  r->unended = !stop;
  r->at = (size_t)(line->end - r->buffer) + (stop != NULL);
  if (line->end > line->text && line->end[-1] == '\r') line->end--;
  return LIMB_OK;
}

// Empty lines are accepted at the end only.
limb_status limb_csv_take_line(limb_csv_reader* r, csv_line* line, bool* got, limb_error* err)
{
  limb_status status = take_line(r, line, got, err);
  if (status != LIMB_OK || !*got || !csv_is_empty(*line)) return status;
  const csv_line empty = {.number = line->number};
  do {
    status = take_line(r, line, got, err);
  } while (status == LIMB_OK && *got && csv_is_empty(*line));
  if (status != LIMB_OK || !*got) return status;
  r->at = (size_t)(line->text - r->buffer); // the full line is for the next call
  r->line = line->number - 1;
  return limb_csv_fail(err, empty, empty.text, "line",
                       "an empty line inside the table; remove it, or fill in its numbers");
}

// ---- the header row --------------------------------------------------------------------------------

// A name in quotes, at text, copied to *to; doubled quotes become single ones. Returns the end behind the last quote;
// NULL when it is missing.
static const char* unquote(const char* text, const char* end, char** to)
{
  for (text++; text < end; text++) {
    if (*text == '"' && (text + 1 == end || text[1] != '"')) return text + 1;
    if (*text == '"') text++;
    *(*to)++ = *text;
  }
  return NULL;
}

// What is wrong with a name without quotes; NULL when it is good. Separators of other dialects are not part of names.
static const char* plain_fault(const char* text, const char* end, int column)
{
  const size_t length = (size_t)(end - text);
  if (memchr(text, ';', length)) return "semicolons separate the names; use commas, and points as decimal marks";
  if (memchr(text, '\t', length)) return "tabs separate the names; use commas";
  if (memchr(text, '"', length)) return "a quote inside a name; put the whole name in quotes and double the inner one";
  if (length && *text == '#' && column == 1)
    return "the header is a comment; remove the '#' (numpy.savetxt: comments='')";
  return NULL;
}

// What is wrong with a name, quoted or not; NULL when it is good.
static const char* name_fault(const char* name, const char* end)
{
  if (name == end) return "the column has no name; name it, or remove the extra comma";
  for (const char* p = name; p < end;) {
    const size_t length = limb_utf8(p, end, NULL);
    if (!length) return "the name is not UTF-8; save the file as UTF-8";
    if ((unsigned char)*p < ' ' || *p == 0x7f || limb_skip_byte_order_mark(p, end) > p)
      return "an invisible character in the name; remove it, and end lines with LF or CR LF";
    p += length;
  }
  return NULL;
}

// Reads the name at *at, which moves to the comma behind it or to the end of the line.
static limb_status take_name(limb_csv_reader* r, csv_line line, const char** at, char** to, limb_error* err)
{
  const char *p = csv_skip_spaces(*at, line.end), *stop = csv_field_end(p, line.end), *fault = NULL;
  char* const name = *to;
  *at = stop;
  if (p < line.end && *p == '"') {
    const char* behind = unquote(p, line.end, to);
    if (!behind)
      fault = "the quote is not closed; end the name with \"";
    else if (csv_skip_spaces(behind, line.end) != stop)
      fault = "text behind a quoted name; put a comma between them";
  } else {
    stop = csv_trim(p, stop);
    fault = plain_fault(p, stop, r->columns + 1);
    memcpy(name, p, (size_t)(stop - p));
    *to += stop - p;
  }
  if (!fault) fault = name_fault(name, *to);
  *(*to)++ = 0;
  r->name[r->columns] = (csv_name){.text = name, .column = r->columns};
  r->columns++;
  char where[32];
  double x;
  (void)snprintf(where, sizeof where, "column %d", r->columns);
  if (fault) return limb_csv_fail(err, line, p, where, "%s", fault);
  if (limb_scan_number(name, *to - 1, &x) != *to - 1) return LIMB_OK;
  return limb_csv_fail(err, line, p, where, "'%s' is a number; the first row must name the columns, e.g. time,q.j1",
                       limb_excerpt(name, NULL).text);
}

// By text; the same ones by column.
static int by_text(const void* a, const void* b)
{
  const csv_name *x = a, *y = b;
  const int order = strcmp(x->text, y->text);
  return order ? order : (x->column > y->column) - (x->column < y->column);
}

static int text_only(const void* key, const void* item) { return strcmp(key, ((const csv_name*)item)->text); }

static limb_status sort_names(limb_csv_reader* r, csv_line line, limb_error* err)
{
  memcpy(r->sorted, r->name, (size_t)r->columns * sizeof *r->name);
  qsort(r->sorted, (size_t)r->columns, sizeof *r->sorted, by_text);
  for (int i = 1; i < r->columns; i++) {
    const csv_name *first = &r->sorted[i - 1], *again = &r->sorted[i];
    if (strcmp(first->text, again->text) != 0) continue;
    const char* at = csv_skip_spaces(line.text, line.end);
    for (int k = 0; k < again->column; k++) at = csv_skip_spaces(csv_field_end(at, line.end) + 1, line.end);
    char where[32];
    (void)snprintf(where, sizeof where, "column %d", again->column + 1);
    return limb_csv_fail(err, line, at, where, "the name '%s' is also that of column %d; rename or remove one of them",
                         limb_excerpt(again->text, NULL).text, first->column + 1);
  }
  return LIMB_OK;
}

static limb_status read_header(limb_csv_reader* r, csv_line line, limb_error* err)
{
  r->max_columns = 1;
  for (const char* p = line.text; p < line.end; p++) r->max_columns += *p == ',';
  r->name = limb_alloc(&r->alloc, (size_t)r->max_columns * sizeof *r->name);
  r->sorted = limb_alloc(&r->alloc, (size_t)r->max_columns * sizeof *r->sorted);
  r->text_size = (size_t)(line.end - line.text) + 1; // a comma becomes a zero, and one more
  r->text = limb_alloc(&r->alloc, r->text_size);
  if (!r->name || !r->sorted || !r->text)
    return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory for the names of the columns");
  char* to = r->text;
  const char* at = line.text;
  for (;; at++) {
    const limb_status status = take_name(r, line, &at, &to, err);
    if (status != LIMB_OK) return status;
    if (at == line.end) return sort_names(r, line, err);
  }
}

static bool starts_with(csv_line line, const char* mark)
{
  return line.end - line.text >= 2 && memcmp(line.text, mark, 2) == 0;
}

static bool is_parquet(const unsigned char* start)
{
  return memcmp(start, "PAR", 3) == 0 && (start[3] == '1' || start[3] == 'E') && (start[4] < ' ' || start[4] > 0x7f) &&
         start[4] != '\r' && start[4] != '\n';
}

static limb_status read_first_line(limb_csv_reader* r, limb_error* err)
{
  csv_line line;
  bool got;
  const limb_status status = take_line(r, &line, &got, err);
  if (status != LIMB_OK) return status;
  if (!got)
    return limb_fail(err, LIMB_E_SYNTAX, "header",
                     "the file is empty; the first row must name the columns, e.g. time,q.j1");
  if (starts_with(line, "\xff\xfe") || starts_with(line, "\xfe\xff"))
    return limb_csv_fail(err, line, line.text, "header", "the file is UTF-16; save it as UTF-8");
  if (line.end - line.text > 4 && is_parquet((const unsigned char*)line.text))
    return limb_csv_fail(err, line, line.text, "header", "a Parquet file cannot be read from a pipe; name the file");
  line.text = limb_skip_byte_order_mark(line.text, line.end);
  if (!csv_is_empty(line)) return read_header(r, line, err);
  return limb_csv_fail(err, line, line.text, "header",
                       "the first line is empty; it must name the columns, e.g. time,q.j1");
}

// ---- the reader ------------------------------------------------------------------------------------

// What a stream has, by its first bytes: no text begins with those of NPY. A pipe cannot go back to them.
typedef enum kind { TEXT, NPY, PARQUET } kind;

static kind kind_of(FILE* stream)
{
  unsigned char start[5] = {0};
  const int first = getc(stream);
  if (first != EOF) (void)ungetc(first, stream);
  if (first == 0x93) return NPY;
  const off_t at = first == 'P' ? ftello(stream) : -1;
  if (at < 0 || fseeko(stream, at, SEEK_SET) != 0) return TEXT;
  const size_t n = fread(start, 1, sizeof start, stream);
  return fseeko(stream, at, SEEK_SET) == 0 && n == sizeof start && is_parquet(start) ? PARQUET : TEXT;
}

static limb_status open_text(limb_csv_reader* r, limb_error* err)
{
  r->buffer = limb_alloc(&r->alloc, FIRST_BUFFER);
  r->capacity = r->buffer ? FIRST_BUFFER : 0;
  return r->buffer ? read_first_line(r, err) : limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory for the reader");
}

limb_status limb_csv_open(FILE* stream, const limb_allocator* alloc, limb_csv_reader** out, limb_error* err)
{
  if (!out) return limb_fail(err, LIMB_E_ARG, NULL, "out is NULL");
  *out = NULL;
  if (!stream) return limb_fail(err, LIMB_E_ARG, NULL, "stream is NULL");
  if (alloc && (!alloc->alloc || !alloc->free))
    return limb_fail(err, LIMB_E_ARG, NULL, "an allocator needs both alloc and free");
  const limb_allocator a = alloc ? *alloc : limb_default_allocator();
  limb_csv_reader* r = limb_alloc(&a, sizeof *r);
  if (!r) return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory for the reader");
  *r = (limb_csv_reader){.alloc = a, .stream = stream};
  const kind has = kind_of(stream);
  const limb_status status = has == NPY       ? limb_npy_open(stream, &a, &r->npy, err)
                             : has == PARQUET ? limb_parquet_open(stream, &a, &r->parquet, err)
                                              : open_text(r, err);
  if (status != LIMB_OK)
    limb_csv_close(r);
  else
    *out = r;
  return status;
}

void limb_csv_close(limb_csv_reader* r)
{
  if (!r) return;
  const limb_allocator a = r->alloc;
  limb_npy_close(r->npy);
  limb_parquet_close(r->parquet);
  limb_csv_free_block(r);
  limb_free(&a, r->buffer, r->capacity);
  limb_free(&a, r->name, (size_t)r->max_columns * sizeof *r->name);
  limb_free(&a, r->sorted, (size_t)r->max_columns * sizeof *r->sorted);
  limb_free(&a, r->text, r->text_size);
  limb_free(&a, r, sizeof *r);
}

int limb_csv_column_count(const limb_csv_reader* r)
{
  if (!r) return 0;
  return r->npy ? limb_npy_columns(r->npy) : r->parquet ? limb_parquet_columns(r->parquet) : r->columns;
}

const char* limb_csv_column(const limb_csv_reader* r, int k)
{
  if (!r || k < 0 || k >= limb_csv_column_count(r)) return NULL;
  return r->npy ? limb_npy_column(r->npy, k) : r->parquet ? limb_parquet_column(r->parquet, k) : r->name[k].text;
}

int limb_csv_find(const limb_csv_reader* r, const char* name)
{
  if (!r || !name) return -1;
  if (r->npy) return limb_npy_find(r->npy, name);
  if (r->parquet) return limb_parquet_find(r->parquet, name);
  const csv_name* found = bsearch(name, r->sorted, (size_t)r->columns, sizeof *r->sorted, text_only);
  return found ? found->column : -1;
}

int limb_csv_line(const limb_csv_reader* r) { return r ? r->row_line : 0; }

int limb_csv_unended(const limb_csv_reader* r) { return r ? r->unended : 0; }

uint64_t limb_csv_bytes(const limb_csv_reader* r)
{
  if (!r) return 0;
  return r->npy ? limb_npy_bytes(r->npy) : r->parquet ? limb_parquet_bytes(r->parquet) : r->bytes;
}
