// Reading a CSV table: a buffer over the stream, lines in it, numbers in them. Nothing is allocated per
// row; the buffer grows with the longest line, up to a limit.
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "io/csv.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIRST_BUFFER = 1 << 18,
  LONGEST_LINE = 1 << 24, // 16 MiB
};

// ---- lines -----------------------------------------------------------------------------------------

static limb_status grow(limb_csv_reader* r, limb_error* err)
{
  if (r->capacity >= LONGEST_LINE) {
    const csv_line line = {.number = r->line + (r->line < INT_MAX)};
    return limb_csv_place(
      err, line, line.text,
      limb_fail(err, LIMB_E_SYNTAX, "line", "the line is longer than 16 MiB; is this a CSV file with line ends?"));
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

// Reads on behind what is not yet taken.
static limb_status fill(limb_csv_reader* r, limb_error* err)
{
  memmove(r->buffer, r->buffer + r->at, r->end - r->at);
  r->end -= r->at;
  r->at = 0;
  if (r->end == r->capacity) {
    const limb_status status = grow(r, err);
    if (status != LIMB_OK) return r->broken = status;
  }
  const size_t wanted = r->capacity - r->end;
  const size_t got = fread(r->buffer + r->end, 1, wanted, r->stream);
  r->end += got;
  r->bytes += got;
  r->over = got < wanted;
  if (r->over && ferror(r->stream)) {
    r->broken = limb_fail(err, LIMB_E_IO, NULL, "reading failed after %llu bytes", (unsigned long long)r->bytes);
  }
  return r->broken;
}

// The next line; *got is false when there is none.
static limb_status take_line(limb_csv_reader* r, csv_line* line, bool* got, limb_error* err)
{
  *got = false;
  if (r->broken != LIMB_OK) {
    return limb_fail(err, r->broken, NULL, "reading ended at an earlier error");
  }
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
  r->at = (size_t)(line->end - r->buffer) + (stop != NULL);
  if (line->end > line->text && line->end[-1] == '\r') line->end--;
  return LIMB_OK;
}

static bool is_empty(csv_line line) { return csv_skip_blanks(line.text, line.end) == line.end; }

// The next line that is not empty. Empty ones may stand at the end only.
static limb_status take_full_line(limb_csv_reader* r, csv_line* line, bool* got, limb_error* err)
{
  limb_status status = take_line(r, line, got, err);
  if (status != LIMB_OK || !*got || !is_empty(*line)) return status;
  const int empty = line->number;
  do {
    status = take_line(r, line, got, err);
  } while (status == LIMB_OK && *got && is_empty(*line));
  if (status != LIMB_OK || !*got) return status;
  // the full line is for the next call
  r->at = (size_t)(line->text - r->buffer);
  r->line = line->number - 1;
  const csv_line wrong = {.number = empty};
  return limb_csv_place(
    err, wrong, wrong.text,
    limb_fail(err, LIMB_E_SYNTAX, "line", "an empty line inside the table; remove it, or fill in its numbers"));
}

// ---- rows ------------------------------------------------------------------------------------------

// A field in quotes: text is behind the first one. Returns the end of the number, NULL when it is none.
static const char* scan_quoted(const char* text, const char* end, double* x)
{
  text = limb_scan_number(csv_skip_blanks(text, end), end, x);
  if (!text) return NULL;
  text = csv_skip_blanks(text, end);
  return text < end && *text == '"' ? text + 1 : NULL;
}

// The number of the field at text. Returns the comma behind it or the end; NULL when it is no number.
static inline const char* scan_field(const char* text, const char* end, double* x)
{
  const char* p = limb_scan_number(text, end, x);
  if (!p) {
    text = csv_skip_blanks(text, end);
    const bool quoted = text < end && *text == '"';
    p = quoted ? scan_quoted(text + 1, end, x) : limb_scan_number(text, end, x);
    if (!p) return NULL;
  }
  if (p < end && *p != ',') p = csv_skip_blanks(p, end);
  if (p < end && *p != ',') return NULL;
  return *x - *x == 0 ? p : NULL;
}

limb_status limb_csv_next(limb_csv_reader* r, double* row, int* got, limb_error* err)
{
  if (!r || !row || !got) return limb_fail(err, LIMB_E_ARG, NULL, "reader, row or got is NULL");
  *got = 0;
  csv_line line;
  bool full;
  const limb_status status = take_full_line(r, &line, &full, err);
  if (status != LIMB_OK || !full) return status;
  r->row_line = line.number;

  const char* p = line.text;
  for (int k = 0; k < r->columns; k++) {
    const char* stop = scan_field(p, line.end, &row[k]);
    if (!stop) return limb_csv_complain_field(r, line, p, k, err);
    const bool last = k == r->columns - 1;
    if ((stop == line.end) != last) return limb_csv_complain_count(r, line, err);
    p = stop + !last;
  }
  *got = 1;
  return LIMB_OK;
}

// ---- life ------------------------------------------------------------------------------------------

static bool starts_with(csv_line line, const char* mark, size_t length)
{
  return (size_t)(line.end - line.text) >= length && memcmp(line.text, mark, length) == 0;
}

// Byte-order marks: that of UTF-8 is skipped, the others mean that nothing else can be read.
static limb_status skip_mark(csv_line* line, limb_error* err)
{
  if (starts_with(*line, "\xff\xfe", 2) || starts_with(*line, "\xfe\xff", 2)) {
    return limb_csv_place(err, *line, line->text,
                          limb_fail(err, LIMB_E_SYNTAX, "header", "the file is UTF-16; save it as UTF-8"));
  }
  if (starts_with(*line, "\xef\xbb\xbf", 3)) line->text += 3;
  return LIMB_OK;
}

static limb_status read_first_line(limb_csv_reader* r, limb_error* err)
{
  csv_line line;
  bool got;
  limb_status status = take_line(r, &line, &got, err);
  if (status != LIMB_OK) return status;
  if (!got) {
    return limb_fail(err, LIMB_E_SYNTAX, "header",
                     "the file is empty; the first row must name the columns, e.g. time,q.j1");
  }
  status = skip_mark(&line, err);
  if (status != LIMB_OK) return status;
  if (!is_empty(line)) return limb_csv_read_header(r, line, err);
  return limb_csv_place(
    err, line, line.text,
    limb_fail(err, LIMB_E_SYNTAX, "header", "the first line is empty; it must name the columns, e.g. time,q.j1"));
}

limb_status limb_csv_open(FILE* stream, const limb_allocator* alloc, limb_csv_reader** out, limb_error* err)
{
  if (!out) return limb_fail(err, LIMB_E_ARG, NULL, "out is NULL");
  *out = NULL;
  if (!stream) return limb_fail(err, LIMB_E_ARG, NULL, "stream is NULL");
  if (alloc && (!alloc->alloc || !alloc->free)) {
    return limb_fail(err, LIMB_E_ARG, NULL, "an allocator needs both alloc and free");
  }
  const limb_allocator a = alloc ? *alloc : limb_default_allocator();
  limb_csv_reader* r = limb_alloc(&a, sizeof *r);
  if (!r) return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory for the reader");
  *r = (limb_csv_reader){.alloc = a, .stream = stream};
  r->buffer = limb_alloc(&a, FIRST_BUFFER);
  r->capacity = r->buffer ? FIRST_BUFFER : 0;
  const limb_status status =
    r->buffer ? read_first_line(r, err) : limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory for the reader");
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
  limb_free(&a, r->buffer, r->capacity);
  limb_free(&a, r->name, (size_t)r->room * sizeof *r->name);
  limb_free(&a, r->sorted, (size_t)r->room * sizeof *r->sorted);
  limb_free(&a, r->text, r->text_size);
  limb_free(&a, r, sizeof *r);
}

int limb_csv_column_count(const limb_csv_reader* r) { return r ? r->columns : 0; }

const char* limb_csv_column(const limb_csv_reader* r, int k)
{
  return r && k >= 0 && k < r->columns ? r->name[k].text : NULL;
}

int limb_csv_line(const limb_csv_reader* r) { return r ? r->row_line : 0; }

uint64_t limb_csv_bytes(const limb_csv_reader* r) { return r ? r->bytes : 0; }
