// Any bytes as a table, CSV or NPY. What is read must be finite, what is refused must say where and why, and
// what was read must survive being written and read again.
#include "limb/table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(int holds)
{
  if (!holds) abort();
}

static void check_error(limb_status status, const limb_error* err)
{
  require(status == LIMB_E_SYNTAX && err->status == status);
  require(err->text[0] != 0 && err->where[0] != 0 && err->line >= 0 && err->column >= 0);
  require(memchr(err->text, 0, sizeof err->text) && memchr(err->where, 0, sizeof err->where));
}

static void write_header(limb_csv_writer* w, const limb_csv_reader* r)
{
  for (int k = 0; k < limb_csv_column_count(r); k++) {
    require(limb_csv_find(r, limb_csv_column(r, k)) == k);
    require(limb_csv_text(w, limb_csv_column(r, k)) == LIMB_OK);
  }
  require(limb_csv_end_row(w) == LIMB_OK);
}

// Reads the rows, writes the good ones; a bad row costs itself only, of NPY (which has no lines) all that follow.
// Returns the number of good rows.
static long copy_rows(limb_csv_reader* r, limb_csv_writer* w, double* row, int lines)
{
  const int columns = limb_csv_column_count(r);
  limb_error err = {0};
  long rows = 0;
  for (int got = 1, line = 1; got;) {
    const limb_status status = limb_csv_next(r, row, &got, &err);
    if (status != LIMB_OK) {
      require(!got && (!lines || err.line > line));
      check_error(status, &err);
      line = err.line;
      got = 1;
    } else if (got) {
      for (int k = 0; k < columns; k++) require(isfinite(row[k]));
      require(!lines || limb_csv_line(r) > line);
      line = limb_csv_line(r);
      require(limb_csv_numbers(w, row, columns) == LIMB_OK && limb_csv_end_row(w) == LIMB_OK);
      rows++;
    }
  }
  return rows;
}

// The table that was written has no errors in it, and as many rows.
static void read_again(FILE* stream, int columns, long rows, double* row)
{
  rewind(stream);
  limb_csv_reader* r;
  require(limb_csv_open(stream, NULL, &r, NULL) == LIMB_OK);
  require(limb_csv_column_count(r) == columns);
  int got;
  for (long i = 0; i <= rows; i++) {
    require(limb_csv_next(r, row, &got, NULL) == LIMB_OK && got == (i < rows));
  }
  limb_csv_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  char* copy = size < 4 || memcmp(data, "PAR1", 4) != 0 ? calloc(size + 1, 1) : NULL; // fuzz_parquet.c has those
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  FILE* in = fmemopen(copy, size ? size : 1, "rb");
  require(in != NULL);
  if (size == 0) (void)fgetc(in); // there is no stream over nothing

  limb_csv_reader* r;
  limb_error err = {0};
  const limb_status status = limb_csv_open(in, NULL, &r, &err);
  if (status == LIMB_OK) {
    char* text = NULL;
    size_t length = 0;
    FILE* out = open_memstream(&text, &length);
    limb_csv_writer* w;
    require(limb_csv_create(out, NULL, &w) == LIMB_OK);
    const int columns = limb_csv_column_count(r);
    double* row = calloc((size_t)columns, sizeof *row);
    require(row != NULL);
    write_header(w, r);
    const long rows = copy_rows(r, w, row, data[0] != 0x93);
    require(limb_csv_finish(w) == LIMB_OK);
    limb_csv_destroy(w);
    FILE* again = fmemopen(text, length, "rb");
    if (data[0] != 0x93) read_again(again, columns, rows, row); // NPY has names that CSV has not
    (void)fclose(again);
    (void)fclose(out);
    free(text);
    free(row);
  } else {
    check_error(status, &err);
  }
  limb_csv_close(r);
  (void)fclose(in);
  free(copy);
  return 0;
}
