// Tables: what the writers share, and reading NPY and Parquet.
#ifndef LIMB_IO_TABLE_H
#define LIMB_IO_TABLE_H

#include "limb/table.h"

#include "limb/batch.h"

#include <stdbool.h>

typedef struct table_format {
  limb_status (*open)(limb_table_writer* w, const limb_table_column* column, limb_error* err);
  limb_status (*row)(limb_table_writer* w, const double* x, const char* const* text);
  limb_status (*flush)(limb_table_writer* w);
  limb_status (*end)(limb_table_writer* w);
  void (*free)(limb_table_writer* w);
} table_format;

struct limb_table_writer {
  const table_format* format;
  char* path;
  int columns;
  limb_table_kind* kind; // of each column
  uint64_t rows;
  bool broken;  // writing failed
  FILE* stream; // CSV and NPY
  void* own;    // of the format

  const limb_pool* pool; // of CSV: rows become text in blocks on its threads; NULL: they do not
  double* block;         // block_max rows
  size_t block_rows, block_max;
};

extern const table_format limb_table_hdf5;    // table_hdf5.c
extern const table_format limb_table_arrow;   // table_arrow.c
extern const table_format limb_table_parquet; // table_parquet.c

// Rows of numbers in CSV, as text of a pool's threads: csv_write.c
limb_status limb_csv_rows(limb_csv_writer* w, const double* x, size_t rows, size_t columns, const limb_pool* pool);

// The stream of the writer, by its path; its end. LIMB_E_IO: errno has the cause.
limb_status limb_table_open_stream(limb_table_writer* w, const char* mode);
limb_status limb_table_close_stream(limb_table_writer* w, limb_status s);

// The text of a column in a row, never NULL.
static inline const char* table_text(const char* const* text, int k) { return text && text[k] ? text[k] : ""; }

// A batch of rows in columns: table_columns.c
typedef struct table_texts {
  char* bytes;
  size_t used, capacity;
  uint32_t* end; // of each row, after a zero
} table_texts;

typedef struct table_columns {
  int columns;
  limb_table_column* column; // own copies of names and units
  int rows, count;           // capacity; rows in it
  bool full;                 // of rows, or of bytes of texts
  double* number;            // columns x rows
  table_texts* text;         // of columns of texts
} table_columns;

bool limb_columns_reserve(table_columns* c, int columns, const limb_table_column* column, int rows);
limb_status limb_columns_add(table_columns* c, const double* x, const char* const* text); // unless it is full
void limb_columns_clear(table_columns* c);
void limb_columns_free(table_columns* c); // also after a failure

// The message with the schema of an Arrow stream, to be freed: Parquet files have it, too. NULL: out of memory.
unsigned char* limb_arrow_schema(int columns, const limb_table_column* column, size_t* size);

// NPY for limb_csv_open. The stream stands at its first byte. err as for limb_csv_open and limb_csv_next.
typedef struct npy_reader npy_reader;
limb_status limb_npy_open(FILE* stream, const limb_allocator* a, npy_reader** out, limb_error* err);
void limb_npy_close(npy_reader* r); // NULL is accepted
int limb_npy_columns(const npy_reader* r);
const char* limb_npy_column(const npy_reader* r, int k);
int limb_npy_find(const npy_reader* r, const char* name); // -1: none
uint64_t limb_npy_bytes(const npy_reader* r);
limb_status limb_npy_next(npy_reader* r, double* row, int* got, limb_error* err);

// Parquet, the same: parquet_read.c
typedef struct parquet_reader parquet_reader;
limb_status limb_parquet_open(FILE* stream, const limb_allocator* a, parquet_reader** out, limb_error* err);
void limb_parquet_close(parquet_reader* r); // NULL is accepted
int limb_parquet_columns(const parquet_reader* r);
const char* limb_parquet_column(const parquet_reader* r, int k);
int limb_parquet_find(const parquet_reader* r, const char* name); // -1: none
uint64_t limb_parquet_bytes(const parquet_reader* r);
limb_status limb_parquet_next(parquet_reader* r, double* row, int* got, limb_error* err);

#endif
