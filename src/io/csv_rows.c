// Rows of CSV: numbers, and what is wrong with a row that has none. On request rows are read ahead in blocks, whose
// digits the threads of a pool scan; a row that is not as it should be ends its block, and is read the slow way.
#include "io/csv_read.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "io/file_text.h"

#include <limits.h>
#include <string.h>

enum { WHERE_SPACE = sizeof(limb_quote) + 16 };
enum { BLOCK_ROWS = 1 << 13, BLOCK_NUMBERS = 1 << 20, BLOCK_BUFFER = 1 << 20, TASK_NUMBERS = 1 << 11, TASKS = 64 };

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
  if (behind && csv_is_space(*behind)) return "is more than one number; separate fields by commas, leave out units";
  return "is not a number; write it like 0.5 or 5e-1, without units";
}

static limb_status report_field(const limb_csv_reader* r, csv_line line, const char* at, int column, limb_error* err)
{
  const char *start = csv_skip_spaces(at, line.end), *text = start,
             *end = csv_trim(text, csv_field_end(text, line.end));
  char where[WHERE_SPACE];
  (void)snprintf(where, sizeof where, "column '%s'", limb_excerpt(r->name[column].text, NULL).text);
  const char* fault = NULL;
  if (text < end && *text == '"' && (end - text < 2 || end[-1] != '"')) {
    fault = "the quotes do not enclose the whole field; close them on this line, or remove them";
  } else if (text < end && *text == '"') {
    text = csv_skip_spaces(text + 1, end), end--;
    end = csv_trim(text, end);
  }
  if (has(text, end, 0))
    fault = "a zero byte; the file is damaged, or is not text";
  else if (has(text, end, '\r'))
    fault = "a carriage return inside the line; end lines with LF or CR LF";
  else if (text == end && !fault)
    fault = "there is no number; every row needs one in every column";
  if (fault) return limb_csv_fail(err, line, start, where, "%s", fault);
  return limb_csv_fail(err, line, start, where, "'%s' %s", limb_excerpt(text, end).text, reason(text, end));
}

// The wrong number of fields. The position is the first field that is too much, or the end of the row.
static limb_status report_count(const limb_csv_reader* r, csv_line line, limb_error* err)
{
  const char* at = line.end;
  long long count = 0;
  for (const char* p = line.text;; p++) {
    if (count++ == r->columns) at = p;
    p = csv_field_end(p, line.end);
    if (p == line.end) break;
  }
  const char* advice = "write one number per column in every row";
  if (count < r->columns && r->over && r->at == r->end) advice = "the file may be cut off here";
  if (count > r->columns) advice = "write one number per column in every row, with decimal points, not commas";
  return limb_csv_fail(err, line, at, "row", "%lld field%s, but %d column%s; %s", count, count == 1 ? "" : "s",
                       r->columns, r->columns == 1 ? "" : "s", advice);
}

// ---- rows ------------------------------------------------------------------------------------------

// A field in quotes: text is behind the first one. Returns the end of the field; NULL when it is no number.
static const char* scan_quoted(const char* text, const char* end, double* x)
{
  text = limb_scan_number(csv_skip_spaces(text, end), end, x);
  if (!text) return NULL;
  text = csv_skip_spaces(text, end);
  return text < end && *text == '"' ? text + 1 : NULL;
}

// The number of the field at text. Returns the comma behind it or the end; NULL when it is no number.
static inline const char* scan_field(const char* text, const char* end, double* x)
{
  const char* p = limb_scan_number(text, end, x);
  if (!p) {
    text = csv_skip_spaces(text, end);
    const bool quoted = text < end && *text == '"';
    p = quoted ? scan_quoted(text + 1, end, x) : limb_scan_number(text, end, x);
    if (!p) return NULL;
  }
  if (p < end && *p != ',') p = csv_skip_spaces(p, end);
  if (p < end && *p != ',') return NULL;
  return *x - *x == 0 ? p : NULL;
}

// The numbers of a row. False: something is wrong with it.
static bool scan_row(const limb_csv_reader* r, csv_line line, double* row)
{
  const char* p = line.text;
  for (int k = 0; k < r->columns; k++) {
    const char* stop = scan_field(p, line.end, &row[k]);
    const bool last = k == r->columns - 1;
    if (!stop || (stop == line.end) != last) return false;
    p = stop + !last;
  }
  return true;
}

static limb_status report_row(const limb_csv_reader* r, csv_line line, limb_error* err)
{
  const char* p = line.text;
  for (int k = 0; k < r->columns; k++) {
    double x;
    const char* stop = scan_field(p, line.end, &x);
    if (!stop) return report_field(r, line, p, k, err);
    const bool last = k == r->columns - 1;
    if ((stop == line.end) != last) break;
    p = stop + !last;
  }
  return report_count(r, line, err);
}

// ---- blocks ----------------------------------------------------------------------------------------

typedef struct block_task {
  const limb_csv_reader* r;
  size_t rows;
  int tasks;
  size_t good[TASKS]; // rows of each task in front of the first that something is wrong with
} block_task;

static void scan_rows(void* argument, int index)
{
  block_task* t = argument;
  const csv_block* b = t->r->block;
  const size_t n = (size_t)t->r->columns, from = t->rows * (size_t)index / (size_t)t->tasks,
               to = t->rows * ((size_t)index + 1) / (size_t)t->tasks;
  size_t i = from;
  while (i < to && scan_row(t->r, b->line[i], b->x + i * n)) i++;
  t->good[index] = i - from;
}

// Finds the lines that the buffer has whole, up to an empty one. Returns their number.
static size_t find_lines(const limb_csv_reader* r)
{
  const csv_block* b = r->block;
  const char *at = r->buffer + r->at, *end = r->buffer + r->end, *stop;
  size_t n = 0;
  int number = r->line;
  for (; n < b->max && (stop = memchr(at, '\n', (size_t)(end - at))); at = stop + 1) {
    number += number < INT_MAX;
    const csv_line line = {at, stop > at && stop[-1] == '\r' ? stop - 1 : stop, number};
    if (csv_is_empty(line)) break;
    b->line[n++] = line;
  }
  return n;
}

// Reads ahead what the buffer has; nothing if its first line needs more care.
static void read_block(limb_csv_reader* r)
{
  csv_block* b = r->block;
  block_task t = {.r = r, .rows = find_lines(r)};
  const size_t tasks = t.rows * (size_t)r->columns / TASK_NUMBERS, max = 4 * (size_t)b->pool->threads;
  t.tasks = (int)(tasks < 1 ? 1 : tasks > max ? max : tasks);
  if (t.tasks > TASKS) t.tasks = TASKS;
  b->rows = b->at = 0;
  if (t.rows == 0) return;
  if (t.tasks > 1)
    b->pool->run(b->pool->context, t.tasks, scan_rows, &t);
  else
    scan_rows(&t, 0);
  for (int i = 0; i < t.tasks; i++) {
    const size_t size = t.rows * ((size_t)i + 1) / (size_t)t.tasks - t.rows * (size_t)i / (size_t)t.tasks;
    b->rows += t.good[i];
    if (t.good[i] < size) break;
  }
  if (b->rows == 0) return;
  const csv_line last = b->line[b->rows - 1];
  const char* stop = last.end;
  while (*stop != '\n') stop++; // behind a CR
  r->line = last.number;
  r->at = (size_t)(stop + 1 - r->buffer);
  r->unended = false;
}

static bool make_block(limb_csv_reader* r)
{
  const size_t n = (size_t)r->columns, rows = BLOCK_NUMBERS / n;
  csv_block* b = limb_alloc(&r->alloc, sizeof *b);
  if (!b) return false;
  *b = (csv_block){.max = rows > BLOCK_ROWS ? BLOCK_ROWS : rows < 1 ? 1 : rows};
  b->line = limb_alloc(&r->alloc, b->max * sizeof *b->line);
  b->x = limb_alloc(&r->alloc, b->max * n * sizeof *b->x);
  r->block = b;
  if (b->line && b->x && limb_csv_enlarge(r, BLOCK_BUFFER)) return true;
  limb_csv_free_block(r);
  return false;
}

void limb_csv_free_block(limb_csv_reader* r)
{
  csv_block* b = r->block;
  if (!b) return;
  limb_free(&r->alloc, b->line, b->max * sizeof *b->line);
  limb_free(&r->alloc, b->x, b->max * (size_t)r->columns * sizeof *b->x);
  limb_free(&r->alloc, b, sizeof *b);
  r->block = NULL;
}

limb_status limb_csv_set_pool(limb_csv_reader* r, const limb_pool* pool)
{
  if (!r || (pool && (pool->size != sizeof *pool || pool->threads < 1 || !pool->run))) return LIMB_E_ARG;
  if (r->npy || r->parquet || r->columns == 0 || (!r->block && (!pool || pool->threads == 1))) return LIMB_OK;
  if (!r->block && !make_block(r)) return LIMB_E_NOMEM;
  r->block->pool = pool && pool->threads > 1 ? pool : NULL;
  return LIMB_OK;
}

// ---- the next row ----------------------------------------------------------------------------------

static bool take_ahead(limb_csv_reader* r, double* row)
{
  csv_block* b = r->block;
  const size_t n = (size_t)r->columns;
  if (b->at == b->rows && b->pool) read_block(r);
  if (b->at == b->rows) return false;
  memcpy(row, b->x + b->at * n, n * sizeof *row);
  r->row_line = b->line[b->at++].number;
  return true;
}

limb_status limb_csv_next(limb_csv_reader* r, double* row, int* got, limb_error* err)
{
  if (!r || !row || !got) return limb_fail(err, LIMB_E_ARG, NULL, "reader, row or got is NULL");
  *got = 0;
  if (r->npy) return limb_npy_next(r->npy, row, got, err);
  if (r->parquet) return limb_parquet_next(r->parquet, row, got, err);
  if (r->block && take_ahead(r, row)) {
    *got = 1;
    return LIMB_OK;
  }
  csv_line line;
  bool full;
  const limb_status status = limb_csv_take_line(r, &line, &full, err);
  if (status != LIMB_OK || !full) return status;
  r->row_line = line.number;
  if (!scan_row(r, line, row)) return report_row(r, line, err);
  *got = 1;
  return LIMB_OK;
}
