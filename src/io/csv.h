// The parts of the CSV reader: lines and rows (csv_read.c), the header row (csv_header.c), and what to
// say about a field that is not a number (csv_complain.c).
#ifndef LIMB_IO_CSV_H
#define LIMB_IO_CSV_H

#include "limb/csv.h"

#include "io/utf8.h"

#include <stdbool.h>

enum { CSV_WHERE_SPACE = LIMB_SHOWN_SPACE + 16 };

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
  char* buffer;
  size_t capacity, at, end; // buffer[at ... end) was read and not yet taken
  bool over;                // the stream has no more
  limb_status broken;       // reading cannot go on
  uint64_t bytes;
  int line, row_line; // lines taken; the line of the last row

  int columns, room; // named; space in the arrays
  csv_name* name;    // by column
  csv_name* sorted;  // by text
  char* text;        // of the names
  size_t text_size;
};

// Takes the names of the columns from the first line.
limb_status limb_csv_read_header(limb_csv_reader* r, csv_line line, limb_error* err);

// Errors of a row: a field at `at` that is no finite number; the wrong number of fields.
limb_status limb_csv_complain_field(const limb_csv_reader* r, csv_line line, const char* at, int column,
                                    limb_error* err);
limb_status limb_csv_complain_count(const limb_csv_reader* r, csv_line line, limb_error* err);

// Adds line and column to an error: the character `at`. Returns status.
limb_status limb_csv_place(limb_error* err, csv_line line, const char* at, limb_status status);

static inline bool csv_blank(char c) { return c == ' ' || c == '\t'; }

static inline const char* csv_skip_blanks(const char* text, const char* end)
{
  while (text < end && csv_blank(*text)) text++;
  return text;
}

// The end of the field that starts at text: the next comma outside quotes, or the end of the line.
static inline const char* csv_field_end(const char* text, const char* end)
{
  for (bool quoted = false; text < end && (quoted || *text != ','); text++) {
    if (*text == '"') quoted = !quoted;
  }
  return text;
}

#endif
