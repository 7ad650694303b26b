// CSV: lines and fields of them, for csv_read.c and csv_rows.c.
#ifndef LIMB_IO_CSV_READ_H
#define LIMB_IO_CSV_READ_H

#include "io/table.h"

#include "limb/batch.h"

#include <stdbool.h>

// One line without its end.
typedef struct csv_line {
  const char *text, *end;
  int number; // 1-based
} csv_line;

typedef struct csv_name {
  const char* text;
  int column;
} csv_name;

// Rows that were read ahead.
typedef struct csv_block {
  const limb_pool* pool;
  size_t max, rows, at; // at: the next one
  csv_line* line;       // max
  double* x;            // max rows
} csv_block;

struct limb_csv_reader {
  limb_allocator alloc;
  FILE* stream;
  npy_reader* npy; // NULL, and so is parquet: the table is CSV
  parquet_reader* parquet;
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
  csv_block* block; // NULL: rows are not read ahead
};

static inline bool csv_is_space(char c) { return c == ' ' || c == '\t'; }

static inline const char* csv_skip_spaces(const char* text, const char* end)
{
  while (text < end && csv_is_space(*text)) text++;
  return text;
}

static inline const char* csv_trim(const char* text, const char* end)
{
  while (end > text && csv_is_space(end[-1])) end--;
  return end;
}

// The end of the field that starts at text: the next comma outside quotes, or the end of the line.
static inline const char* csv_field_end(const char* text, const char* end)
{
  for (bool quoted = false; text < end && (quoted || *text != ','); text++) {
    if (*text == '"') quoted = !quoted;
  }
  return text;
}

static inline bool csv_is_empty(csv_line line) { return csv_skip_spaces(line.text, line.end) == line.end; }

// The next line that is not empty; *got is false when there is none.
limb_status limb_csv_take_line(limb_csv_reader* r, csv_line* line, bool* got, limb_error* err);

// A larger buffer; false: out of memory, it stays as it is.
bool limb_csv_enlarge(limb_csv_reader* r, size_t capacity);

void limb_csv_free_block(limb_csv_reader* r);

// A syntax error at the character `at` of a line.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
limb_status
limb_csv_fail(limb_error* err, csv_line line, const char* at, const char* where, const char* format, ...);

#endif
