// limb: robot dynamics in C. Tables of numbers in CSV: one header row, decimal points, any length.
//
//     limb_csv_reader* r = NULL;
//     if (limb_csv_open(stdin, NULL, &r, &err) != LIMB_OK) return 1;
//     for (int got; limb_csv_next(r, row, &got, &err) == LIMB_OK && got;) use(row);
//
// Reading and writing are streams in constant memory. Numbers are read to the nearest double and written with the
// fewest digits (at most 17) that read back to the same bits, whatever the locale.
//
// This header belongs to the library limb_io.
#ifndef LIMB_TABLE_H
#define LIMB_TABLE_H

#include "limb/base.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limb_csv_reader limb_csv_reader;

/// Starts reading with the header row. The stream remains the caller's, and must outlive the reader. RFC 4180 quotes,
/// CR LF, a byte-order mark, blanks around fields and empty lines at the end are accepted.
/// @return LIMB_OK; LIMB_E_SYNTAX (no header, an empty or repeated name, numbers instead of names, semicolons as
///         separators); LIMB_E_IO; LIMB_E_ARG; LIMB_E_NOMEM. err has line and column.
LIMB_NODISCARD LIMB_API limb_status limb_csv_open(FILE* stream, const limb_allocator* alloc, limb_csv_reader** out,
                                                  limb_error* err);
LIMB_API void limb_csv_close(limb_csv_reader* r); ///< NULL is accepted

LIMB_API int limb_csv_column_count(const limb_csv_reader* r);
LIMB_API const char* limb_csv_column(const limb_csv_reader* r, int k);  ///< name; NULL out of range
LIMB_API int limb_csv_find(const limb_csv_reader* r, const char* name); ///< column; -1 when there is none

/// The next row.
/// @param row  one number per column (output)
/// @param got  1, or 0 at the end of the table (output)
/// @return LIMB_OK; LIMB_E_SYNTAX (a field that is not a finite number, too few or too many fields); LIMB_E_IO;
///         LIMB_E_ARG. err has line and column.
LIMB_NODISCARD LIMB_API limb_status limb_csv_next(limb_csv_reader* r, double* row, int* got, limb_error* err);

LIMB_API int limb_csv_line(const limb_csv_reader* r);       ///< line of the last row
LIMB_API uint64_t limb_csv_bytes(const limb_csv_reader* r); ///< read from the stream so far

typedef struct limb_csv_writer limb_csv_writer;

/// Starts writing. The stream remains the caller's. Rows are buffered until limb_csv_finish.
LIMB_NODISCARD LIMB_API limb_status limb_csv_create(FILE* stream, const limb_allocator* alloc, limb_csv_writer** out);

/// Adds one field to the current row; text is quoted where necessary.
/// @return LIMB_OK, LIMB_E_ARG or LIMB_E_IO.
LIMB_NODISCARD LIMB_API limb_status limb_csv_text(limb_csv_writer* w, const char* text);
LIMB_NODISCARD LIMB_API limb_status limb_csv_number(limb_csv_writer* w, double x);
LIMB_NODISCARD LIMB_API limb_status limb_csv_numbers(limb_csv_writer* w, const double* x, int count);
LIMB_NODISCARD LIMB_API limb_status limb_csv_end_row(limb_csv_writer* w);

/// Writes the buffer and flushes the stream. LIMB_OK or LIMB_E_IO.
LIMB_NODISCARD LIMB_API limb_status limb_csv_finish(limb_csv_writer* w);
LIMB_API void limb_csv_destroy(limb_csv_writer* w); ///< NULL is accepted; unfinished rows are lost

#ifdef __cplusplus
}
#endif

#endif
