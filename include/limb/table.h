// limb: robot dynamics in C. Tables of numbers: CSV, NPY and Parquet read; CSV, NPY, Arrow, Parquet and HDF5 written.
//
//     limb_csv_reader* r = NULL;
//     if (limb_csv_open(stdin, NULL, &r, &err) != LIMB_OK) return 1;
//     for (int got; limb_csv_next(r, row, &got, &err) == LIMB_OK && got;) use(row);
//
// CSV has one header row and decimal points. Reading and writing are streams in constant memory, of any length. Numbers
// are read to the nearest double and written with the fewest digits (at most 17) that read back to the same bits,
// independently of the locale.
//
// This header belongs to the library limb_io (CMake limb::io, pkg-config limb-io).
#ifndef LIMB_TABLE_H
#define LIMB_TABLE_H

#include "limb/base.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct limb_pool;
typedef struct limb_csv_reader limb_csv_reader;

/// Starts reading: reads the header row of CSV, the header of an NPY file as limb_table_create writes it, or the footer
/// of a Parquet file. All calls work for all; rows of NPY and Parquet files have no line. The stream remains the
/// caller's, and must outlive the reader; Parquet files cannot be read from pipes. Of CSV, RFC 4180 quotes, CR LF, a
/// byte-order mark, blanks around fields and empty lines at the end are accepted. Of Parquet, all columns must be
/// numbers: real, whole, decimals of up to 18 digits, booleans; points in time and time spans become seconds (since
/// 1970). Pages may be plain or packed by snappy, gzip or zstd (libz and libzstd are loaded on demand), in all
/// encodings that pyarrow, pandas, polars, DuckDB and Spark write by default.
/// @param err  the error, with line and column; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_SYNTAX (no header, an empty or repeated name, numbers instead of names, semicolons as
///         separators, columns without numbers); LIMB_E_UNSUPPORTED (of Parquet: encryption, other ways to pack pages);
///         LIMB_E_IO; LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_csv_open(FILE* stream, const limb_allocator* alloc, limb_csv_reader** out,
                                                  limb_error* err);
LIMB_API void limb_csv_close(limb_csv_reader* r); ///< NULL is accepted

LIMB_API int limb_csv_column_count(const limb_csv_reader* r);
LIMB_API const char* limb_csv_column(const limb_csv_reader* r, int k);  ///< name; NULL out of range
LIMB_API int limb_csv_find(const limb_csv_reader* r, const char* name); ///< column; -1: none

/// Reads the next row.
/// @param row  one number per column (output)
/// @param got  1, or 0 at the end of the table (output)
/// @param err  the error, with line and column; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_SYNTAX (a field that is not a finite number, too few or too many fields); of Parquet also
///         LIMB_E_UNSUPPORTED (pages that need more than 1 GiB) and LIMB_E_NOMEM; LIMB_E_IO; LIMB_E_ARG.
LIMB_NODISCARD LIMB_API limb_status limb_csv_next(limb_csv_reader* r, double* row, int* got, limb_error* err);

/// From here on, rows of CSV are read ahead in blocks whose digits the threads of a pool (limb/batch.h) scan: the same
/// numbers, order and errors, sooner. The pool must outlive the reader. NULL, or one thread: not any more.
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_NOMEM (the reader is as it was).
LIMB_NODISCARD LIMB_API limb_status limb_csv_set_pool(limb_csv_reader* r, const struct limb_pool* pool);

LIMB_API int limb_csv_line(const limb_csv_reader* r); ///< line of the last row

/// 1 if the last row read does not end with a line end: its last number may be truncated.
LIMB_API int limb_csv_unended(const limb_csv_reader* r);

LIMB_API uint64_t limb_csv_bytes(const limb_csv_reader* r); ///< number of bytes read from the stream

typedef struct limb_csv_writer limb_csv_writer;

/// Starts writing. The stream remains the caller's; it is set to unbuffered. Rows are buffered until limb_csv_finish.
/// If writing fails, a file is truncated to whole rows.
/// @return LIMB_OK; LIMB_E_ARG (NULL, incomplete allocator); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_csv_create(FILE* stream, const limb_allocator* alloc, limb_csv_writer** out);

/// Adds fields to the current row; text is quoted if necessary.
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_IO.
LIMB_NODISCARD LIMB_API limb_status limb_csv_text(limb_csv_writer* w, const char* text);
LIMB_NODISCARD LIMB_API limb_status limb_csv_number(limb_csv_writer* w, double x);
LIMB_NODISCARD LIMB_API limb_status limb_csv_numbers(limb_csv_writer* w, const double* x, int count);
LIMB_NODISCARD LIMB_API limb_status limb_csv_end_row(limb_csv_writer* w);

/// Writes the buffer and flushes the stream.
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_IO.
LIMB_NODISCARD LIMB_API limb_status limb_csv_finish(limb_csv_writer* w);
LIMB_API void limb_csv_destroy(limb_csv_writer* w); ///< NULL is accepted; unfinished rows are lost

// ---- tables over time: CSV read as a whole; CSV, NPY, Arrow, Parquet and HDF5 written row by row -------
//
//     if (limb_table_create("run.npy", LIMB_TABLE_NPY, 3, columns, &w, &err) != LIMB_OK) return 1;
//     while (more && limb_table_row(w, numbers) == LIMB_OK) more = next(numbers);
//     if (limb_table_end(w) != LIMB_OK) return 1;
//
// Tables grow on disk: rows written before a failure are kept, and NPY files never end with part of a row. NPY files
// hold one structured array, numpy.load("run.npy")["q.elbow"]; HDF5 files have one dataset per column, with the
// attribute `unit`. libhdf5 (1.10 or later) is loaded when the first HDF5 file is created. Arrow files (Feather 2,
// pandas.read_feather) and Parquet files are in columns, in batches of rows; they can be read when limb_table_end has
// completed them. Parquet files are not packed; their units are where pyarrow keeps metadata of columns.

/// Formats of tables. Values are pinned.
typedef enum limb_table_format {
  LIMB_TABLE_NONE = 0,
  LIMB_TABLE_CSV = 1,
  LIMB_TABLE_NPY = 2,
  LIMB_TABLE_HDF5 = 3,
  LIMB_TABLE_ARROW = 4,
  LIMB_TABLE_PARQUET = 5
} limb_table_format;

/// The format of a path, by its suffix: .csv, .npy, .arrow or .feather, .parquet, .h5 or .hdf5;
/// "-" is CSV on standard output. NONE: unknown.
LIMB_API limb_table_format limb_table_format_of(const char* path);

/// What a column has. Values are pinned. Whole numbers are exact up to 2^53; texts are at most 80 bytes long in NPY,
/// 256 MiB in Arrow and Parquet, where bytes that are not UTF-8 become question marks.
typedef enum limb_table_kind {
  LIMB_TABLE_NUMBER = 0,
  LIMB_TABLE_INTEGER = 1, ///< in NPY, Arrow and Parquet with 8 bytes
  LIMB_TABLE_TEXT = 2     ///< not in HDF5
} limb_table_kind;

typedef struct limb_table_column {
  const char* name;
  const char* unit; ///< Arrow, Parquet and HDF5 only; NULL or "": none
  limb_table_kind kind;
} limb_table_column;

typedef struct limb_table_writer limb_table_writer;

/// Creates a file and writes its header. An existing file is overwritten.
/// @param columns  > 0
/// @param column   their names differ
/// @param err      NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_IO, with the cause in errno (0: unknown); LIMB_E_UNSUPPORTED (libhdf5 cannot be loaded:
///         err explains); LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_table_create(const char* path, limb_table_format format, int columns,
                                                      const limb_table_column* column, limb_table_writer** out,
                                                      limb_error* err);

/// Appends a row: one number per column.
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_NOMEM; LIMB_E_IO, with the cause in errno.
LIMB_NODISCARD LIMB_API limb_status limb_table_row(limb_table_writer* w, const double* x);

/// The same with texts.
/// @param text  one per column, read in those of texts; NULL: none, and for a column: ""
LIMB_NODISCARD LIMB_API limb_status limb_table_row_texts(limb_table_writer* w, const double* x,
                                                         const char* const* text);

/// From here on, rows of CSV become text in blocks, on the threads of a pool (limb/batch.h): the same bytes, sooner. Of
/// other formats, and of tables with texts, nothing changes. The pool must outlive the writer.
/// @return LIMB_OK; LIMB_E_ARG (NULL, an invalid pool); LIMB_E_NOMEM (the writer is as it was).
LIMB_NODISCARD LIMB_API limb_status limb_table_set_pool(limb_table_writer* w, const struct limb_pool* pool);

/// Writes all rows to disk; those of Arrow and Parquet when a batch is full.
/// @return as limb_table_row.
LIMB_NODISCARD LIMB_API limb_status limb_table_flush(limb_table_writer* w);

/// Completes and closes the file, also after a failure.
/// @return as limb_table_row.
LIMB_NODISCARD LIMB_API limb_status limb_table_end(limb_table_writer* w);

LIMB_API void limb_table_destroy(limb_table_writer* w); ///< NULL is accepted; closes the file without flushing

// ---- reading --------------------------------------------------------------------------------------------

/// Columns of a table over time. Free with limb_table_free.
typedef struct limb_table {
  size_t rows;
  int columns;
  double* time;  ///< rows, strictly increasing
  double* value; ///< rows x columns
} limb_table;

/// Reads the remaining rows of a CSV file: the column `time`, and the columns in `column`.
/// @param err  the error, with its line; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_SYNTAX (also times that do not increase, and a table without rows); LIMB_E_UNSUPPORTED (more
///         than 1 GiB); LIMB_E_IO; LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_table_read(limb_csv_reader* r, int time, int columns, const int* column,
                                                    limb_table* out, limb_error* err);
LIMB_API void limb_table_free(limb_table* t);

#ifdef __cplusplus
}
#endif

#endif
