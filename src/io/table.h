// Writers of tables: what the formats share.
#ifndef LIMB_IO_TABLE_H
#define LIMB_IO_TABLE_H

#include "limb/table.h"

#include <stdbool.h>

typedef struct table_format {
  limb_status (*open)(limb_table_writer* w, const limb_table_column* column, limb_error* err);
  limb_status (*row)(limb_table_writer* w, const double* x);
  limb_status (*flush)(limb_table_writer* w);
  limb_status (*end)(limb_table_writer* w);
  void (*free)(limb_table_writer* w);
} table_format;

struct limb_table_writer {
  const table_format* format;
  char* path;
  int columns;
  uint64_t rows;
  bool broken;  // writing failed
  FILE* stream; // CSV and NPY
  void* own;    // of the format
};

extern const table_format limb_table_hdf5; // table_hdf5.c

#endif
