// Tables as Arrow IPC files, https://arrow.apache.org/docs/format/Columnar.html: "ARROW1", a message with the schema,
// one per batch of rows, a footer that lists the batches, "ARROW1". Messages are flatbuffers, which this file builds
// from their end to their beginning, as the format intends: what refers to something comes before it.
#include "io/table.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 1 << 19, ROWS_MIN = 256, ROWS_MAX = 1 << 16 };   // numbers of a batch, its rows
enum { VERSION = 4, SCHEMA = 1, RECORD_BATCH = 3 };               // metadata version 5, kinds of messages
enum { TYPE_INT = 2, TYPE_FLOAT = 3, TYPE_UTF8 = 5, DOUBLE = 2 }; // types of columns
enum { FIELDS = 8 };                                              // of a table, at most

// ---- flatbuffers -----------------------------------------------------------------------------------------------

// A place is a distance from the end.
typedef struct flat {
  unsigned char* bytes;
  size_t size, used;
  size_t field[FIELDS]; // places of the table that is open; 0: not there
  size_t begin;         // where it began
  bool failed;
} flat;

static void put(flat* f, const void* bytes, size_t n)
{
  if (!f->failed && f->used + n > f->size) {
    const size_t size = 2 * (f->used + n) + 1024;
    unsigned char* grown = malloc(size);
    f->failed = !grown;
    if (grown && f->used) memcpy(grown + size - f->used, f->bytes + f->size - f->used, f->used);
    if (grown) free(f->bytes), f->bytes = grown, f->size = size;
  }
  if (f->failed || n == 0) return; // a buffer may not be there yet
  f->used += n;
  if (bytes)
    memcpy(f->bytes + f->size - f->used, bytes, n);
  else
    memset(f->bytes + f->size - f->used, 0, n);
}

// So that after `more` bytes the place is a multiple of size.
static void align(flat* f, size_t size, size_t more) { put(f, NULL, (size - (f->used + more) % size) % size); }

static void number(flat* f, uint64_t x, size_t size)
{
  unsigned char bytes[8];
  for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(x >> 8 * i & 0xff);
  align(f, size, 0);
  put(f, bytes, size);
}

static void reference(flat* f, size_t place)
{
  align(f, 4, 0);
  number(f, f->used + 4 - place, 4);
}

static void open_table(flat* f)
{
  memset(f->field, 0, sizeof f->field);
  f->begin = f->used;
}

static void scalar_field(flat* f, int k, uint64_t x, size_t size)
{
  number(f, x, size);
  f->field[k] = f->used;
}

static void reference_field(flat* f, int k, size_t place)
{
  reference(f, place);
  f->field[k] = f->used;
}

// Its place. The table begins with the distance to its list of fields.
static size_t close_table(flat* f)
{
  number(f, 0, 4);
  const size_t table = f->used;
  for (int k = FIELDS - 1; k >= 0; k--) number(f, f->field[k] ? table - f->field[k] : 0, 2);
  number(f, table - f->begin, 2);
  number(f, 2 * (FIELDS + 2), 2);
  const uint32_t distance = (uint32_t)(f->used - table);
  for (size_t i = 0; i < 4 && !f->failed; i++)
    f->bytes[f->size - table + i] = (unsigned char)(distance >> 8 * i & 0xff);
  return table;
}

static size_t text(flat* f, const char* s)
{
  const size_t n = strlen(s);
  align(f, 4, n + 1);
  put(f, s, n + 1);
  number(f, n, 4);
  return f->used;
}

static size_t references(flat* f, int count, const size_t* place)
{
  align(f, 4, 0);
  for (int k = count - 1; k >= 0; k--) reference(f, place[k]);
  number(f, (uint64_t)count, 4);
  return f->used;
}

// Structs of 8-byte numbers.
static size_t structs(flat* f, size_t count, int numbers, const uint64_t* x)
{
  align(f, 8, 0);
  for (size_t k = count * (size_t)numbers; k-- > 0;) number(f, x[k], 8);
  number(f, count, 4);
  return f->used;
}

static void finish(flat* f, size_t root)
{
  align(f, 8, 4);
  reference(f, root);
}

// ---- the writer ------------------------------------------------------------------------------------------------

typedef struct arrow {
  table_columns batch;
  uint64_t* block; // offset, length of the message, length of the body: of each batch
  size_t blocks;
  uint64_t at; // bytes written
} arrow;

static bool write_bytes(limb_table_writer* w, const void* bytes, size_t n)
{
  static const char zeros[8] = {0};
  arrow* a = w->own;
  const size_t pad = (8 - n % 8) % 8;
  if (n > 0 && fwrite(bytes, 1, n, w->stream) != n) return false;
  a->at += n + pad;
  return fwrite(zeros, 1, pad, w->stream) == pad;
}

// A message with a continuation mark and its length in front.
static bool write_message(limb_table_writer* w, const flat* f, uint64_t* length)
{
  const uint32_t head[2] = {0xffffffffU, (uint32_t)((f->used + 7) / 8 * 8)};
  *length = head[1] + sizeof head;
  return !f->failed && write_bytes(w, head, sizeof head) && write_bytes(w, f->bytes + f->size - f->used, f->used);
}

static size_t build_type(flat* f, limb_table_kind kind)
{
  open_table(f);
  if (kind == LIMB_TABLE_INTEGER) {
    scalar_field(f, 0, 64, 4);
    scalar_field(f, 1, 1, 1);
  } else if (kind == LIMB_TABLE_NUMBER) {
    scalar_field(f, 0, DOUBLE, 2);
  }
  return close_table(f);
}

// The unit is metadata of the field.
static size_t build_unit(flat* f, const char* unit)
{
  const size_t value = text(f, unit), key = text(f, "unit");
  open_table(f);
  reference_field(f, 0, key);
  reference_field(f, 1, value);
  const size_t pair = close_table(f);
  return references(f, 1, &pair);
}

static size_t build_field(flat* f, const limb_table_column* c)
{
  static const unsigned char types[] = {TYPE_FLOAT, TYPE_INT, TYPE_UTF8};
  const size_t unit = *c->unit ? build_unit(f, c->unit) : 0, name = text(f, c->name), type = build_type(f, c->kind);
  const size_t children = references(f, 0, NULL);
  open_table(f);
  reference_field(f, 0, name);
  reference_field(f, 3, type);
  reference_field(f, 5, children);
  if (unit) reference_field(f, 6, unit);
  scalar_field(f, 1, 1, 1);
  scalar_field(f, 2, types[c->kind], 1);
  return close_table(f);
}

static size_t build_schema(flat* f, int columns, const limb_table_column* column)
{
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  size_t* field = calloc((size_t)columns, sizeof *field);
  f->failed |= !field;
  for (int k = 0; field && k < columns; k++) field[k] = build_field(f, &column[k]);
  const size_t fields = field ? references(f, columns, field) : 0;
  free(field);
  open_table(f);
  reference_field(f, 1, fields);
  scalar_field(f, 0, first ? 0 : 1, 2);
  return close_table(f);
}

static void build_message(flat* f, int kind, size_t header, uint64_t body)
{
  open_table(f);
  scalar_field(f, 3, body, 8);
  reference_field(f, 2, header);
  scalar_field(f, 0, VERSION, 2);
  scalar_field(f, 1, (uint64_t)kind, 1);
  finish(f, close_table(f));
}

// ---- batches ---------------------------------------------------------------------------------------------------

static uint64_t padded(uint64_t n) { return (n + 7) / 8 * 8; }

// The buffers of a column: no mask, then numbers; or no mask, ends, bytes. Returns their number.
static int list_buffers(const table_columns* c, int k, uint64_t* at, uint64_t* buffer)
{
  const uint64_t n = (uint64_t)c->count;
  const bool is_text = c->column[k].kind == LIMB_TABLE_TEXT;
  const uint64_t size[3] = {0, is_text ? 4 * (n + 1) : 8 * n, c->text[k].used};
  for (int i = 0; i < 2 + is_text; i++) {
    buffer[2 * i] = *at, buffer[2 * i + 1] = size[i];
    *at += padded(size[i]);
  }
  return 2 + is_text;
}

// False: out of memory.
static bool build_batch(const table_columns* c, flat* f, uint64_t* body)
{
  const size_t n = (size_t)c->columns;
  uint64_t *node = calloc(2 * n, sizeof *node), *buffer = calloc(6 * n, sizeof *buffer);
  size_t buffers = 0;
  *body = 0;
  for (int k = 0; node && buffer && k < c->columns; k++) {
    node[2 * k] = (uint64_t)c->count;
    buffers += (size_t)list_buffers(c, k, body, buffer + 2 * buffers);
  }
  const bool fine = node && buffer;
  if (fine) {
    const size_t b = structs(f, buffers, 2, buffer), nodes = structs(f, n, 2, node);
    open_table(f);
    scalar_field(f, 0, (uint64_t)c->count, 8);
    reference_field(f, 1, nodes);
    reference_field(f, 2, b);
    build_message(f, RECORD_BATCH, close_table(f), *body);
  }
  free(node);
  free(buffer);
  return fine && !f->failed;
}

static bool write_column(limb_table_writer* w, int k)
{
  const table_columns* c = &((arrow*)w->own)->batch;
  const size_t n = (size_t)c->count;
  double* x = c->number + (size_t)k * (size_t)c->rows;
  if (c->column[k].kind == LIMB_TABLE_TEXT)
    return write_bytes(w, c->text[k].end, 4 * (n + 1)) && write_bytes(w, c->text[k].bytes, c->text[k].used);
  for (size_t i = 0; c->column[k].kind == LIMB_TABLE_INTEGER && i < n; i++) {
    const int64_t whole = (int64_t)x[i];
    memcpy(&x[i], &whole, sizeof whole);
  }
  return write_bytes(w, x, 8 * n);
}

static limb_status write_batch(limb_table_writer* w)
{
  arrow* a = w->own;
  flat f = {0};
  uint64_t body = 0, length = 0;
  const uint64_t at = a->at;
  if (a->batch.count == 0) return LIMB_OK;
  uint64_t* block = realloc(a->block, 3 * (a->blocks + 1) * sizeof *block);
  if (block) a->block = block;
  const bool built = block && build_batch(&a->batch, &f, &body);
  bool fine = built && write_message(w, &f, &length);
  for (int k = 0; k < w->columns && fine; k++) fine = write_column(w, k);
  free(f.bytes);
  if (!fine) return built ? LIMB_E_IO : LIMB_E_NOMEM;
  memcpy(a->block + 3 * a->blocks++, (const uint64_t[]){at, length, body}, 3 * sizeof *block);
  limb_columns_clear(&a->batch);
  return LIMB_OK;
}

// ---- the format ------------------------------------------------------------------------------------------------

unsigned char* limb_arrow_schema(int columns, const limb_table_column* column, size_t* size)
{
  flat f = {0};
  build_message(&f, SCHEMA, build_schema(&f, columns, column), 0);
  const uint32_t head[2] = {0xffffffffU, (uint32_t)f.used};
  *size = f.used + sizeof head;
  unsigned char* out = f.failed ? NULL : malloc(*size);
  if (out) {
    memcpy(out, head, sizeof head);
    memcpy(out + sizeof head, f.bytes + f.size - f.used, f.used);
  }
  free(f.bytes);
  return out;
}

static limb_status arrow_open(limb_table_writer* w, const limb_table_column* column, limb_error* err)
{
  static const char magic[8] = "ARROW1";
  const int rows = NUMBERS / w->columns;
  arrow* a = calloc(1, sizeof *a);
  (void)err;
  w->own = a;
  if (!a || !limb_columns_reserve(&a->batch, w->columns, column,
                                  rows < ROWS_MIN   ? ROWS_MIN
                                  : rows > ROWS_MAX ? ROWS_MAX
                                                    : rows))
    return LIMB_E_NOMEM;
  const limb_status s = limb_table_open_stream(w, "wb");
  if (s != LIMB_OK) return s;
  size_t size = 0;
  unsigned char* schema = limb_arrow_schema(w->columns, a->batch.column, &size);
  const bool fine = schema && write_bytes(w, magic, sizeof magic) && write_bytes(w, schema, size);
  free(schema);
  return fine ? LIMB_OK : schema ? LIMB_E_IO : LIMB_E_NOMEM;
}

static limb_status arrow_row(limb_table_writer* w, const double* x, const char* const* text)
{
  arrow* a = w->own;
  const limb_status s = limb_columns_add(&a->batch, x, text);
  return s == LIMB_OK && a->batch.full ? write_batch(w) : s;
}

static limb_status arrow_flush(limb_table_writer* w) { return fflush(w->stream) == 0 ? LIMB_OK : LIMB_E_IO; }

static void build_footer(const limb_table_writer* w, flat* f)
{
  const arrow* a = w->own;
  const size_t batches = structs(f, a->blocks, 3, a->block), none = structs(f, 0, 3, NULL);
  const size_t schema = build_schema(f, w->columns, a->batch.column);
  open_table(f);
  reference_field(f, 1, schema);
  reference_field(f, 2, none);
  reference_field(f, 3, batches);
  scalar_field(f, 0, VERSION, 2);
  finish(f, close_table(f));
}

// Ends the messages, then footer, its length, and the mark of the format.
static limb_status arrow_end(limb_table_writer* w)
{
  static const uint32_t ending[2] = {0xffffffffU, 0};
  limb_status s = w->broken ? LIMB_E_IO : write_batch(w);
  if (s == LIMB_OK) {
    flat f = {0};
    build_footer(w, &f);
    unsigned char tail[10] = {0, 0, 0, 0, 'A', 'R', 'R', 'O', 'W', '1'};
    for (size_t i = 0; i < 4; i++) tail[i] = (unsigned char)(f.used >> 8 * i & 0xff);
    const bool fine = !f.failed && write_bytes(w, ending, sizeof ending) &&
                      fwrite(f.bytes + f.size - f.used, 1, f.used, w->stream) == f.used &&
                      fwrite(tail, 1, sizeof tail, w->stream) == sizeof tail;
    free(f.bytes);
    if (!fine) s = f.failed ? LIMB_E_NOMEM : LIMB_E_IO;
  }
  return limb_table_close_stream(w, s);
}

static void arrow_free(limb_table_writer* w)
{
  arrow* a = w->own;
  (void)limb_table_close_stream(w, LIMB_OK);
  if (!a) return;
  limb_columns_free(&a->batch);
  free(a->block);
  free(a);
}

const table_format limb_table_arrow = {arrow_open, arrow_row, arrow_flush, arrow_end, arrow_free};
