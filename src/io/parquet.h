// Parquet, https://parquet.apache.org/docs/file-format: what its reader consists of.
//
// A file is "PAR1", groups of rows, a footer with the schema and the places of all chunks, its length, "PAR1". A group
// has a chunk per column, a chunk has pages, each with a header in front. Footer and headers are structs of Thrift's
// compact protocol, https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
#ifndef LIMB_IO_PARQUET_H
#define LIMB_IO_PARQUET_H

#include "io/table.h"

#include <stdbool.h>

// ---- Thrift: parquet_thrift.c ------------------------------------------------------------------------------

enum { THRIFT_TRUE = 1, THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_TEXT = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

// What is left to read. After a failure nothing is, and all numbers are zero.
typedef struct thrift {
  const unsigned char *at, *end;
  bool failed;
} thrift;

typedef struct thrift_field {
  int id, type; // id 0 in front of the first
} thrift_field;

bool limb_thrift_next(thrift* t, thrift_field* f); // false: the struct has ended, or reading failed
int64_t limb_thrift_number(thrift* t, int type);   // of a field; skips what is no whole number
uint64_t limb_thrift_varint(thrift* t);
int64_t limb_thrift_zigzag(thrift* t);
uint64_t limb_thrift_list(thrift* t, int* type); // the number of entries, which may be more than there are
thrift limb_thrift_text(thrift* t, int type);    // its bytes
void limb_thrift_skip(thrift* t, int type);

// ---- notes of Arrow: parquet_arrow.c -----------------------------------------------------------------------

// Columns of time spans get the unit that the schema of Arrow has for them, in base 64; what is damaged has none.
void limb_parquet_time_spans(parquet_reader* r, const unsigned char* text, size_t size);

// ---- codecs: parquet_codec.c -------------------------------------------------------------------------------

enum { CODEC_NONE = 0, CODEC_SNAPPY = 1, CODEC_GZIP = 2, CODEC_ZSTD = 6 };

// Functions of libraries that are loaded when the first page needs them.
typedef struct parquet_codecs {
  bool loaded;
  int (*inflate_init)(void* stream, int bits, const char* version, int size);
  int (*inflate)(void* stream, int flush);
  int (*inflate_end)(void* stream);
  size_t (*zstd)(void* to, size_t capacity, const void* from, size_t size);
} parquet_codecs;

const char* limb_parquet_codec(int codec); // its name

// How many bytes a byte can become, at most. 0: this codec is not supported.
size_t limb_parquet_ratio(int codec);

// Unpacks size bytes from n. NULL, or what is wrong.
const char* limb_parquet_unpack(parquet_codecs* c, int codec, const unsigned char* from, size_t n, unsigned char* to,
                                size_t size);

// ---- pages: parquet_page.c ---------------------------------------------------------------------------------

enum { TYPE_BOOLEAN, TYPE_INT32, TYPE_INT64, TYPE_INT96, TYPE_FLOAT, TYPE_DOUBLE, TYPE_BYTES, TYPE_FIXED };

// Numbers of `width` bits: runs of one number, and runs of packed ones.
typedef struct parquet_runs {
  const unsigned char *at, *end;
  unsigned width;
  bool packed;
  uint64_t left;              // numbers of the run to come
  uint32_t value;             // of a run of one number
  const unsigned char* first; // of a packed run
  uint64_t bit;               // of the next number, from there
} parquet_runs;

// Differences between whole numbers, in blocks of packed parts.
typedef struct parquet_deltas {
  const unsigned char *at, *end, *width; // width: of the next part, in bits
  uint64_t part, parts;                  // numbers of a part, parts of a block
  uint64_t left, parts_left;             // numbers of the part to come, parts of the block to come
  uint64_t total, min, value;            // numbers to come
  const unsigned char* first;            // of the part
  uint64_t bit;
  unsigned bits;
  bool begun; // the first number was taken
} parquet_deltas;

typedef struct parquet_column {
  const char* name;
  int type;
  bool optional, is_unsigned;
  double divisor; // of numbers: of a unit of time, of decimals
  // the chunk
  int codec;
  uint64_t at, end, to_come; // of its next page, of itself in the file; numbers of pages to come
  // the page
  unsigned char* page;
  size_t capacity;
  uint64_t left; // its numbers to come, and nulls
  int encoding;
  bool has_levels;
  parquet_runs levels, runs; // 1: there is a number; places in the dictionary, or booleans
  const unsigned char *value, *end_of_page;
  size_t index, count; // of the next number, of all: of booleans, and of split streams
  parquet_deltas deltas;
  double* dictionary;
  size_t entries, dictionary_capacity; // its numbers; bytes
} parquet_column;

enum { PARQUET_BLOCK = 1024 }; // rows, at most

struct parquet_reader {
  limb_allocator alloc;
  FILE* stream;
  uint64_t begin, size; // of the file in the stream
  unsigned char* footer;
  size_t footer_size;
  char* text; // names of columns, of footer_size bytes
  parquet_column* column;
  const parquet_column** sorted; // by name
  int columns, max_columns;
  thrift groups; // of rows, to come
  uint64_t groups_left, group_rows, rows, next;
  parquet_codecs codecs;
  unsigned char* packed;
  size_t packed_capacity;
  double* block; // columns x block_rows
  size_t block_rows, filled, at;
  uint32_t level[PARQUET_BLOCK], place[PARQUET_BLOCK];
  uint64_t memory; // bytes of pages and dictionaries
};

bool limb_parquet_is_null(double x); // what limb_parquet_take gives for a null

// Bytes of the file. False: it ends before.
bool limb_parquet_read(const parquet_reader* r, uint64_t at, void* to, size_t n);

// The next n numbers of a column, n up to PARQUET_BLOCK.
limb_status limb_parquet_take(parquet_reader* r, parquet_column* c, size_t n, double* x, limb_error* err);

// An error about a column.
limb_status limb_parquet_wrong(limb_error* err, const parquet_column* c, limb_status s, const char* text);

#endif
