// Tables as NPY: one structured array with a field of 8-byte floats per column, so that numpy.load(path)["q.elbow"] is
// a column. Format: NumPy enhancement proposal 1. limb/table.h writes them.
#ifndef LIMB_CLI_NPY_H
#define LIMB_CLI_NPY_H

#include <stdint.h>
#include <stdio.h>

typedef struct cli_npy_reader {
  FILE* stream;
  char* text;  // of the names
  char** name; // columns of them
  int columns, capacity;
  uint64_t rows, next; // that the header counts; that come next, from 0
  int swapped;         // 1: numbers are in the other byte order
} cli_npy_reader;

// 1 when the stream begins like an NPY file; it is at its beginning again then. For files only, not pipes.
int cli_is_npy(FILE* stream);

// Reads the header. NULL, or what is wrong: one sentence, a constant. Free in any case.
const char* cli_npy_open(cli_npy_reader* r, FILE* stream);
void cli_npy_close(cli_npy_reader* r);

// The next row. *got is 0 at the end. NULL, or what is wrong.
const char* cli_npy_next(cli_npy_reader* r, double* row, int* got);

#endif
