// Reading a CSV table: a buffer over the stream, lines in it, numbers in them. Nothing is allocated per row; the
// buffer grows with the longest line, up to a limit.
#include "io/table.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "io/file_text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIRST_BUFFER = 1 << 18,
  MAX_LINE = 1 << 24, // 16 MiB
  WHERE_SPACE = sizeof(limb_quote) + 16
};

// One line without its end.
typedef struct csv_line {
  const char *text, *end;
  int number; // 1-based
} csv_line;

typedef struct csv_name {
  const char* text;
  int column;
} csv_name;

struct limb_csv_reader {
  limb_allocator alloc;
  FILE* stream;
  npy_reader* npy; // NULL: the table is CSV
  char* buffer;
  size_t capacity, at, end; // buffer[at ... end) was read, but not used yet
  bool over;                // the stream has ended
  bool unended;             // the last line has no end
  limb_status broken;       // reading cannot continue
  uint64_t bytes;
  int line, row_line; // lines used; the line of the last row

  int columns, max_columns; // named; size of the arrays
  csv_name* name;           // by column
  csv_name* sorted;         // by text
  char* text;               // of the names
  size_t text_size;
};

static bool is_space(char c) { return c == ' ' || c == '\t'; }

static const char* skip_spaces(const char* text, const char* end)
{
  while (text < end && is_space(*text)) text++;
  return text;
}

static const char* trim(const char* text, const char* end)
{
  while (end > text && is_space(end[-1])) end--;
  return end;
}

// The end of the field that starts at text: the next comma outside quotes, or the end of the line.
static const char* field_end(const char* text, const char* end)
{
  for (bool quoted = false; text < end && (quoted || *text != ','); text++) {
    if (*text == '"') quoted = !quoted;
  }
  return text;
}

// A syntax error at the character `at` of a line.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static limb_status
fail_at(limb_error* err, csv_line line, const char* at, const char* where, const char* format, ...)
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

static limb_status grow(limb_csv_reader* r, limb_error* err)
{
  if (r->capacity >= MAX_LINE) {
    const csv_line line = {.number = r->line + (r->line < INT_MAX)};
    return fail_at(err, line, line.text, "line", "the line is longer than 16 MiB; is this a CSV file with line ends?");
  }
  const size_t larger = 2 * r->capacity;
  char* moved = limb_alloc(&r->alloc, larger);
  if (!moved) return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory for a long line");
  memcpy(moved, r->buffer, r->end);
  limb_free(&r->alloc, r->buffer, r->capacity);
  r->buffer = moved;
  r->capacity = larger;
  return LIMB_OK;
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

static bool is_empty(csv_line line) { return skip_spaces(line.text, line.end) == line.end; }

// The next line that is not empty. Empty lines are accepted at the end only.
static limb_status take_full_line(limb_csv_reader* r, csv_line* line, bool* got, limb_error* err)
{
  limb_status status = take_line(r, line, got, err);
  if (status != LIMB_OK || !*got || !is_empty(*line)) return status;
  const csv_line empty = {.number = line->number};
  do {
    status = take_line(r, line, got, err);
  } while (status == LIMB_OK && *got && is_empty(*line));
  if (status != LIMB_OK || !*got) return status;
  r->at = (size_t)(line->text - r->buffer); // the full line is for the next call
  r->line = line->number - 1;
  return fail_at(err, empty, empty.text, "line", "an empty line inside the table; remove it, or fill in its numbers");
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
  const char *p = skip_spaces(*at, line.end), *stop = field_end(p, line.end), *fault = NULL;
  char* const name = *to;
  *at = stop;
  if (p < line.end && *p == '"') {
    const char* behind = unquote(p, line.end, to);
    if (!behind)
      fault = "the quote is not closed; end the name with \"";
    else if (skip_spaces(behind, line.end) != stop)
      fault = "text behind a quoted name; put a comma between them";
  } else {
    stop = trim(p, stop);
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
  if (fault) return fail_at(err, line, p, where, "%s", fault);
  if (limb_scan_number(name, *to - 1, &x) != *to - 1) return LIMB_OK;
  return fail_at(err, line, p, where, "'%s' is a number; the first row must name the columns, e.g. time,q.j1",
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
    const char* at = skip_spaces(line.text, line.end);
    for (int k = 0; k < again->column; k++) at = skip_spaces(field_end(at, line.end) + 1, line.end);
    char where[32];
    (void)snprintf(where, sizeof where, "column %d", again->column + 1);
    return fail_at(err, line, at, where, "the name '%s' is also that of column %d; rename or remove one of them",
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
    return fail_at(err, line, line.text, "header", "the file is UTF-16; save it as UTF-8");
  line.text = limb_skip_byte_order_mark(line.text, line.end);
  if (!is_empty(line)) return read_header(r, line, err);
  return fail_at(err, line, line.text, "header", "the first line is empty; it must name the columns, e.g. time,q.j1");
}

// ---- faulty rows -----------------------------------------------------------------------------------
//
// Slow and thorough: the fast path below only knows that something is wrong.

static bool has(const char* text, const char* end, int c)
{
  return text < end && memchr(text, c, (size_t)(end - text)) != NULL;
}

// "nan", "-inf", "Infinity", "1.#IND" and the like.
static bool is_not_finite(const char* text, const char* end)
{
  if (has(text, end, '#')) return true;
  if (text < end && (*text == '-' || *text == '+')) text++;
  char word[4] = "";
  for (int i = 0; i < 3 && text + i < end; i++) word[i] = lower_case(text[i]);
  return strcmp(word, "nan") == 0 || strcmp(word, "inf") == 0;
}

// What is wrong with the text of a field, blanks trimmed.
static const char* reason(const char* text, const char* end)
{
  double x;
  const char* behind = limb_scan_number(text, end, &x);
  if (behind == end) return "is too large for a number; write less than 1e308";
  if (is_not_finite(text, end)) return "is not a finite number; leave out the row, or enter its value";
  if (behind && *behind == ',') return "has a decimal comma; write a point";
  if (behind && *behind == ';') return "has a semicolon; separate fields by commas";
  if (behind && is_space(*behind)) return "is more than one number; separate fields by commas, leave out units";
  return "is not a number; write it like 0.5 or 5e-1, without units";
}

static limb_status report_field(const limb_csv_reader* r, csv_line line, const char* at, int column, limb_error* err)
{
  const char *start = skip_spaces(at, line.end), *text = start, *end = trim(text, field_end(text, line.end));
  char where[WHERE_SPACE];
  (void)snprintf(where, sizeof where, "column '%s'", limb_excerpt(r->name[column].text, NULL).text);
  const char* fault = NULL;
  if (text < end && *text == '"' && (end - text < 2 || end[-1] != '"')) {
    fault = "the quotes do not enclose the whole field; close them on this line, or remove them";
  } else if (text < end && *text == '"') {
    text = skip_spaces(text + 1, end), end--;
    end = trim(text, end);
  }
  if (has(text, end, 0))
    fault = "a zero byte; the file is damaged, or is not text";
  else if (has(text, end, '\r'))
    fault = "a carriage return inside the line; end lines with LF or CR LF";
  else if (text == end && !fault)
    fault = "there is no number; every row needs one in every column";
  if (fault) return fail_at(err, line, start, where, "%s", fault);
  return fail_at(err, line, start, where, "'%s' %s", limb_excerpt(text, end).text, reason(text, end));
}

// The wrong number of fields. The position is the first field that is too much, or the end of the row.
static limb_status report_count(const limb_csv_reader* r, csv_line line, limb_error* err)
{
  const char* at = line.end;
  long long count = 0;
  for (const char* p = line.text;; p++) {
    if (count++ == r->columns) at = p;
    p = field_end(p, line.end);
    if (p == line.end) break;
  }
  const char* advice = "write one number per column in every row";
  if (count < r->columns && r->over && r->at == r->end) advice = "the file may be cut off here";
  if (count > r->columns) advice = "write one number per column in every row, with decimal points, not commas";
  return fail_at(err, line, at, "row", "%lld field%s, but %d column%s; %s", count, count == 1 ? "" : "s", r->columns,
                 r->columns == 1 ? "" : "s", advice);
}

// ---- rows ------------------------------------------------------------------------------------------

// A field in quotes: text is behind the first one. Returns the end of the field; NULL when it is no number.
static const char* scan_quoted(const char* text, const char* end, double* x)
{
  text = limb_scan_number(skip_spaces(text, end), end, x);
  if (!text) return NULL;
  text = skip_spaces(text, end);
  return text < end && *text == '"' ? text + 1 : NULL;
}

// The number of the field at text. Returns the comma behind it or the end; NULL when it is no number.
static inline const char* scan_field(const char* text, const char* end, double* x)
{
  const char* p = limb_scan_number(text, end, x);
  if (!p) {
    text = skip_spaces(text, end);
    const bool quoted = text < end && *text == '"';
    p = quoted ? scan_quoted(text + 1, end, x) : limb_scan_number(text, end, x);
    if (!p) return NULL;
  }
  if (p < end && *p != ',') p = skip_spaces(p, end);
  if (p < end && *p != ',') return NULL;
  return *x - *x == 0 ? p : NULL;
}

limb_status limb_csv_next(limb_csv_reader* r, double* row, int* got, limb_error* err)
{
  if (!r || !row || !got) return limb_fail(err, LIMB_E_ARG, NULL, "reader, row or got is NULL");
  *got = 0;
  if (r->npy) return limb_npy_next(r->npy, row, got, err);
  csv_line line;
  bool full;
  const limb_status status = take_full_line(r, &line, &full, err);
  if (status != LIMB_OK || !full) return status;
  r->row_line = line.number;
  const char* p = line.text;
  for (int k = 0; k < r->columns; k++) {
    const char* stop = scan_field(p, line.end, &row[k]);
    if (!stop) return report_field(r, line, p, k, err);
    const bool last = k == r->columns - 1;
    if ((stop == line.end) != last) return report_count(r, line, err);
    p = stop + !last;
  }
  *got = 1;
  return LIMB_OK;
}

// ---- the reader ------------------------------------------------------------------------------------

// No text begins with this byte.
static bool is_npy(FILE* stream)
{
  const int first = getc(stream);
  if (first != EOF) (void)ungetc(first, stream);
  return first == 0x93;
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
  const limb_status status = is_npy(stream) ? limb_npy_open(stream, &r->alloc, &r->npy, err) : open_text(r, err);
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
  limb_free(&a, r->buffer, r->capacity);
  limb_free(&a, r->name, (size_t)r->max_columns * sizeof *r->name);
  limb_free(&a, r->sorted, (size_t)r->max_columns * sizeof *r->sorted);
  limb_free(&a, r->text, r->text_size);
  limb_free(&a, r, sizeof *r);
}

int limb_csv_column_count(const limb_csv_reader* r) { return !r ? 0 : r->npy ? limb_npy_columns(r->npy) : r->columns; }

const char* limb_csv_column(const limb_csv_reader* r, int k)
{
  if (!r || k < 0 || k >= limb_csv_column_count(r)) return NULL;
  return r->npy ? limb_npy_column(r->npy, k) : r->name[k].text;
}

int limb_csv_find(const limb_csv_reader* r, const char* name)
{
  if (!r || !name) return -1;
  if (r->npy) return limb_npy_find(r->npy, name);
  const csv_name* found = bsearch(name, r->sorted, (size_t)r->columns, sizeof *r->sorted, text_only);
  return found ? found->column : -1;
}

int limb_csv_line(const limb_csv_reader* r) { return r ? r->row_line : 0; }

int limb_csv_unended(const limb_csv_reader* r) { return r ? r->unended : 0; }

uint64_t limb_csv_bytes(const limb_csv_reader* r) { return !r ? 0 : r->npy ? limb_npy_bytes(r->npy) : r->bytes; }
