// Any bytes as a Parquet file: what is read is finite, what is refused has a reason and a place, and ends the table.
#include "limb/table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { ROWS = 5000 }; // a few bytes can be a billion rows

static void require(int holds)
{
  if (!holds) abort();
}

static void check_error(limb_status s, const limb_error* err)
{
  require(s == LIMB_E_SYNTAX || s == LIMB_E_UNSUPPORTED || s == LIMB_E_IO);
  require(err->status == s && err->text[0] != 0 && err->where[0] != 0 && err->line == 0);
}

static void read_rows(limb_csv_reader* r)
{
  const int columns = limb_csv_column_count(r);
  double* row = calloc((size_t)columns, sizeof *row);
  require(row != NULL);
  for (int k = 0; k < columns; k++) require(limb_csv_find(r, limb_csv_column(r, k)) == k);
  int got = 1;
  for (int i = 0; got && i < ROWS; i++) {
    limb_error err = {0};
    const limb_status s = limb_csv_next(r, row, &got, &err);
    for (int k = 0; s == LIMB_OK && got && k < columns; k++) require(isfinite(row[k]));
    if (s == LIMB_OK) continue;
    check_error(s, &err);
    require(limb_csv_next(r, row, &got, NULL) == LIMB_OK && !got);
  }
  free(row);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  if (size < 5 || memcmp(data, "PAR", 3) != 0 || (data[3] != '1' && data[3] != 'E') || data[4] >= ' ') return 0;
  if (data[4] == '\n' || data[4] == '\r') return 0; // a name
  uint8_t* copy = malloc(size);
  if (!copy) return 0;
  memcpy(copy, data, size);
  FILE* in = fmemopen(copy, size, "rb");
  limb_csv_reader* r = NULL;
  limb_error err = {0};
  require(in != NULL);
  const limb_status s = limb_csv_open(in, NULL, &r, &err);
  if (s == LIMB_OK)
    read_rows(r);
  else
    check_error(s, &err);
  limb_csv_close(r);
  (void)fclose(in);
  free(copy);
  return 0;
}
