// Tables: what the writers share, and reading NPY.
#ifndef LIMB_IO_TABLE_H
#define LIMB_IO_TABLE_H

#include "limb/table.h"

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
};

extern const table_format limb_table_hdf5;  // table_hdf5.c
extern const table_format limb_table_arrow; // table_arrow.c

// The stream of the writer, by its path; its end. LIMB_E_IO: errno has the cause.
limb_status limb_table_open_stream(limb_table_writer* w, const char* mode);
limb_status limb_table_close_stream(limb_table_writer* w, limb_status s);

// The text of a column in a row, never NULL.
static inline const char* table_text(const char* const* text, int k) { return text && text[k] ? text[k] : ""; }

// NPY for limb_csv_open. The stream stands at its first byte. err as for limb_csv_open and limb_csv_next.
typedef struct npy_reader npy_reader;
limb_status limb_npy_open(FILE* stream, const limb_allocator* a, npy_reader** out, limb_error* err);
void limb_npy_close(npy_reader* r); // NULL is accepted
int limb_npy_columns(const npy_reader* r);
const char* limb_npy_column(const npy_reader* r, int k);
int limb_npy_find(const npy_reader* r, const char* name); // -1: none
uint64_t limb_npy_bytes(const npy_reader* r);
limb_status limb_npy_next(npy_reader* r, double* row, int* got, limb_error* err);

#endif
