// Tables as Parquet: groups of rows, each with a page of plain numbers per column, then the footer, which states where
// they are. parquet.h describes the format. As in files of others, columns may have nulls, and none has: the levels in
// front of the numbers are a run of ones. Nothing is packed: random digits hardly get smaller, and readers take plain
// numbers as they are. Units are in the schema of Arrow, which pyarrow keeps in the footer.
#include "io/parquet.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 1 << 22, ROWS_MIN = 1 << 10, ROWS_MAX = 1 << 17 }; // of a group; its pages have up to 1 MiB
enum { DEPTH = 8, PLAIN = 0, RLE = 3, UTF8 = 0, STRING = 1 };

// ---- writing Thrift ------------------------------------------------------------------------------------------

typedef struct output {
  unsigned char* bytes;
  size_t used, capacity;
  int last[DEPTH], depth; // the field before, of each struct that is open
  bool failed;
} output;

static void put(output* o, const void* bytes, size_t n)
{
  if (!o->failed && o->used + n > o->capacity) {
    const size_t more = 2 * (o->used + n) + 256;
    unsigned char* grown = realloc(o->bytes, more);
    o->failed = !grown;
    if (grown) o->bytes = grown, o->capacity = more;
  }
  if (o->failed || n == 0) return;
  memcpy(o->bytes + o->used, bytes, n);
  o->used += n;
}

static void put_byte(output* o, unsigned x) { put(o, &(unsigned char){(unsigned char)x}, 1); }

static void put_varint(output* o, uint64_t x)
{
  for (; x > 127; x >>= 7) put_byte(o, (unsigned)(x & 127) | 128);
  put_byte(o, (unsigned)x);
}

static void put_field(output* o, int id, int type)
{
  put_byte(o, (unsigned)((id - o->last[o->depth]) << 4 | type));
  o->last[o->depth] = id;
}

static void put_number(output* o, int id, int type, uint64_t x)
{
  put_field(o, id, type);
  put_varint(o, x << 1); // none is negative
}

static void put_text(output* o, const char* text, size_t n)
{
  put_varint(o, n);
  put(o, text, n);
}

static void put_list(output* o, int id, int type, size_t count)
{
  put_field(o, id, THRIFT_LIST);
  put_byte(o, (unsigned)(count < 15 ? count << 4 : 0xf0) | (unsigned)type);
  if (count >= 15) put_varint(o, count);
}

// A struct, as an entry of a list; as a field.
static void begin_entry(output* o) { o->last[++o->depth] = 0; }

static void begin_struct(output* o, int id)
{
  put_field(o, id, THRIFT_STRUCT);
  begin_entry(o);
}

static void end_struct(output* o)
{
  put_byte(o, 0);
  o->depth--;
}

// ---- groups of rows ------------------------------------------------------------------------------------------

typedef struct place {
  uint64_t at, size; // of a chunk, with the header of its page
} place;

typedef struct parquet {
  table_columns batch;
  place* chunk;   // of each group and column
  uint64_t* rows; // of each group
  size_t groups;
  uint64_t at; // bytes written
} parquet;

static bool write_bytes(limb_table_writer* w, const void* bytes, size_t n)
{
  ((parquet*)w->own)->at += n;
  return n == 0 || fwrite(bytes, 1, n, w->stream) == n;
}

static void store(unsigned char* to, uint64_t x, size_t size)
{
  for (size_t i = 0; i < size; i++) to[i] = (unsigned char)(x >> 8 * i & 0xff);
}

static bool write_numbers(limb_table_writer* w, int k)
{
  enum { SOME = 1024 };
  unsigned char bytes[8 * SOME];
  const table_columns* c = &((const parquet*)w->own)->batch;
  const double* x = c->number + (size_t)k * (size_t)c->rows;
  const bool whole = c->column[k].kind == LIMB_TABLE_INTEGER;
  bool fine = true;
  for (size_t i = 0, n = (size_t)c->count, some; i < n && fine; i += some) {
    some = n - i < SOME ? n - i : SOME;
    for (size_t j = 0; j < some; j++) {
      uint64_t bits;
      memcpy(&bits, &x[i + j], sizeof bits);
      store(bytes + 8 * j, whole ? (uint64_t)(int64_t)x[i + j] : bits, 8);
    }
    fine = write_bytes(w, bytes, 8 * some);
  }
  return fine;
}

static bool write_texts(limb_table_writer* w, const table_texts* t, int count)
{
  bool fine = true;
  for (int i = 0; i < count && fine; i++) {
    unsigned char length[4];
    const uint32_t n = t->end[i + 1] - t->end[i];
    store(length, n, sizeof length);
    fine = write_bytes(w, length, sizeof length) && write_bytes(w, t->bytes + t->end[i], n);
  }
  return fine;
}

static void build_header(output* o, uint64_t size, int count)
{
  put_number(o, 1, THRIFT_I32, 0); // a page of data
  put_number(o, 2, THRIFT_I32, size);
  put_number(o, 3, THRIFT_I32, size);
  begin_struct(o, 5);
  put_number(o, 1, THRIFT_I32, (uint64_t)count);
  put_number(o, 2, THRIFT_I32, PLAIN);
  put_number(o, 3, THRIFT_I32, RLE); // of levels
  put_number(o, 4, THRIFT_I32, RLE);
  end_struct(o);
  put_byte(o, 0);
}

// The levels: their length, a run of so many ones.
static void build_levels(output* o, int count)
{
  output run = {0};
  unsigned char length[4];
  put_varint(&run, (uint64_t)count << 1);
  put_byte(&run, 1);
  store(length, run.used, sizeof length);
  put(o, length, sizeof length);
  put(o, run.bytes, run.used);
  o->failed |= run.failed;
  free(run.bytes);
}

static limb_status write_chunk(limb_table_writer* w, int k, place* chunk)
{
  parquet* p = w->own;
  const table_columns* c = &p->batch;
  const uint64_t n = (uint64_t)c->count;
  const bool texts = c->column[k].kind == LIMB_TABLE_TEXT;
  output head = {0}, levels = {0};
  build_levels(&levels, c->count);
  build_header(&head, levels.used + (texts ? 4 * n + c->text[k].used : 8 * n), c->count);
  const bool built = !head.failed && !levels.failed;
  chunk->at = p->at;
  bool fine = built && write_bytes(w, head.bytes, head.used) && write_bytes(w, levels.bytes, levels.used);
  if (fine) fine = texts ? write_texts(w, &c->text[k], c->count) : write_numbers(w, k);
  chunk->size = p->at - chunk->at;
  free(head.bytes);
  free(levels.bytes);
  return fine ? LIMB_OK : built ? LIMB_E_IO : LIMB_E_NOMEM;
}

static limb_status write_group(limb_table_writer* w)
{
  parquet* p = w->own;
  const size_t n = (size_t)w->columns;
  limb_status s = LIMB_OK;
  if (p->batch.count == 0) return LIMB_OK;
  place* chunk = realloc(p->chunk, (p->groups + 1) * n * sizeof *chunk);
  if (chunk) p->chunk = chunk;
  uint64_t* rows = realloc(p->rows, (p->groups + 1) * sizeof *rows);
  if (rows) p->rows = rows;
  if (!chunk || !rows) return LIMB_E_NOMEM;
  for (int k = 0; k < w->columns && s == LIMB_OK; k++) s = write_chunk(w, k, &p->chunk[p->groups * n + (size_t)k]);
  if (s != LIMB_OK) return s;
  p->rows[p->groups++] = (uint64_t)p->batch.count;
  limb_columns_clear(&p->batch);
  return LIMB_OK;
}

// ---- the footer ----------------------------------------------------------------------------------------------

static uint64_t type_of(limb_table_kind kind)
{
  static const unsigned char types[] = {TYPE_DOUBLE, TYPE_INT64, TYPE_BYTES};
  return types[kind];
}

static void build_schema(output* o, const table_columns* c)
{
  put_list(o, 2, THRIFT_STRUCT, (size_t)c->columns + 1);
  begin_entry(o);
  put_field(o, 4, THRIFT_TEXT);
  put_text(o, "schema", 6);
  put_number(o, 5, THRIFT_I32, (uint64_t)c->columns);
  end_struct(o);
  for (int k = 0; k < c->columns; k++) {
    const limb_table_column* column = &c->column[k];
    begin_entry(o);
    put_number(o, 1, THRIFT_I32, type_of(column->kind));
    put_number(o, 3, THRIFT_I32, 1); // optional
    put_field(o, 4, THRIFT_TEXT);
    put_text(o, column->name, strlen(column->name));
    if (column->kind == LIMB_TABLE_TEXT) {
      put_number(o, 6, THRIFT_I32, UTF8);
      begin_struct(o, 10);
      begin_struct(o, STRING);
      end_struct(o);
      end_struct(o);
    }
    end_struct(o);
  }
}

static void build_chunk(output* o, const limb_table_column* column, const place* chunk, uint64_t rows)
{
  begin_entry(o);
  put_number(o, 2, THRIFT_I64, 0);
  begin_struct(o, 3);
  put_number(o, 1, THRIFT_I32, type_of(column->kind));
  put_list(o, 2, THRIFT_I32, 2);
  put_varint(o, PLAIN << 1), put_varint(o, RLE << 1);
  put_list(o, 3, THRIFT_TEXT, 1);
  put_text(o, column->name, strlen(column->name));
  put_number(o, 4, THRIFT_I32, CODEC_NONE);
  put_number(o, 5, THRIFT_I64, rows);
  put_number(o, 6, THRIFT_I64, chunk->size);
  put_number(o, 7, THRIFT_I64, chunk->size);
  put_number(o, 9, THRIFT_I64, chunk->at);
  end_struct(o);
  end_struct(o);
}

static void build_groups(output* o, const parquet* p)
{
  const size_t n = (size_t)p->batch.columns;
  put_list(o, 4, THRIFT_STRUCT, p->groups);
  for (size_t g = 0; g < p->groups; g++) {
    uint64_t size = 0;
    begin_entry(o);
    put_list(o, 1, THRIFT_STRUCT, n);
    for (size_t k = 0; k < n; k++) {
      const place* chunk = &p->chunk[g * n + k];
      build_chunk(o, &p->batch.column[k], chunk, p->rows[g]);
      size += chunk->size;
    }
    put_number(o, 2, THRIFT_I64, size);
    put_number(o, 3, THRIFT_I64, p->rows[g]);
    end_struct(o);
  }
}

// Base 64, https://www.rfc-editor.org/rfc/rfc4648
static void put_base64(output* o, const unsigned char* bytes, size_t n)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  put_varint(o, (n + 2) / 3 * 4);
  for (size_t i = 0; i < n; i += 3) {
    const unsigned x = (unsigned)bytes[i] << 16 | (i + 1 < n ? (unsigned)bytes[i + 1] << 8 : 0) |
                       (i + 2 < n ? (unsigned)bytes[i + 2] : 0);
    char four[4];
    for (int k = 0; k < 4; k++) four[k] = digits[x >> (18 - 6 * k) & 63];
    if (i + 1 >= n) four[2] = '=';
    if (i + 2 >= n) four[3] = '=';
    put(o, four, sizeof four);
  }
}

static void build_units(output* o, const table_columns* c)
{
  size_t size = 0;
  bool any = false;
  for (int k = 0; k < c->columns; k++) any |= *c->column[k].unit != '\0';
  if (!any) return;
  unsigned char* schema = limb_arrow_schema(c->columns, c->column, &size);
  o->failed |= !schema;
  if (!schema) return;
  put_list(o, 5, THRIFT_STRUCT, 1);
  begin_entry(o);
  put_field(o, 1, THRIFT_TEXT);
  put_text(o, "ARROW:schema", 12);
  put_field(o, 2, THRIFT_TEXT);
  put_base64(o, schema, size);
  end_struct(o);
  free(schema);
}

static void build_footer(output* o, const limb_table_writer* w)
{
  static const char maker[] = "limb";
  const parquet* p = w->own;
  put_number(o, 1, THRIFT_I32, 1);
  build_schema(o, &p->batch);
  put_number(o, 3, THRIFT_I64, w->rows);
  build_groups(o, p);
  build_units(o, &p->batch);
  put_field(o, 6, THRIFT_TEXT);
  put_text(o, maker, sizeof maker - 1);
  put_byte(o, 0);
}

// ---- the format ----------------------------------------------------------------------------------------------

static limb_status parquet_open(limb_table_writer* w, const limb_table_column* column, limb_error* err)
{
  const int rows = NUMBERS / w->columns;
  parquet* p = calloc(1, sizeof *p);
  (void)err;
  w->own = p;
  if (!p || !limb_columns_reserve(&p->batch, w->columns, column,
                                  rows < ROWS_MIN   ? ROWS_MIN
                                  : rows > ROWS_MAX ? ROWS_MAX
                                                    : rows))
    return LIMB_E_NOMEM;
  const limb_status s = limb_table_open_stream(w, "wb");
  if (s != LIMB_OK) return s;
  return write_bytes(w, "PAR1", 4) ? LIMB_OK : LIMB_E_IO;
}

static limb_status parquet_row(limb_table_writer* w, const double* x, const char* const* text)
{
  parquet* p = w->own;
  const limb_status s = limb_columns_add(&p->batch, x, text);
  return s == LIMB_OK && p->batch.full ? write_group(w) : s;
}

static limb_status parquet_flush(limb_table_writer* w) { return fflush(w->stream) == 0 ? LIMB_OK : LIMB_E_IO; }

static limb_status parquet_end(limb_table_writer* w)
{
  limb_status s = w->broken ? LIMB_E_IO : write_group(w);
  if (s == LIMB_OK) {
    output o = {0};
    unsigned char tail[8] = {0, 0, 0, 0, 'P', 'A', 'R', '1'};
    build_footer(&o, w);
    store(tail, o.used, 4);
    const bool fine = !o.failed && o.used <= INT32_MAX && write_bytes(w, o.bytes, o.used) && write_bytes(w, tail, 8);
    if (!fine) s = o.failed ? LIMB_E_NOMEM : LIMB_E_IO;
    free(o.bytes);
  }
  return limb_table_close_stream(w, s);
}

static void parquet_free(limb_table_writer* w)
{
  parquet* p = w->own;
  (void)limb_table_close_stream(w, LIMB_OK);
  if (!p) return;
  limb_columns_free(&p->batch);
  free(p->chunk);
  free(p->rows);
  free(p);
}

const table_format limb_table_parquet = {parquet_open, parquet_row, parquet_flush, parquet_end, parquet_free};
