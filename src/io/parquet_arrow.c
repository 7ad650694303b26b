// Parquet has no time spans: pandas, pyarrow and polars write whole numbers, and note the unit in the schema of Arrow,
// a flatbuffer in base 64. Places in it may lie.
#include "io/parquet.h"

#include "base/memory.h"

#include <string.h>

enum { TYPE_DURATION = 18, FIELDS_MAX = 1 << 16 };

typedef struct flat {
  const unsigned char* bytes;
  size_t size;
} flat;

// Zero outside of the bytes.
static uint32_t number(const flat* f, size_t at, size_t size)
{
  uint32_t x = 0;
  if (at > f->size || size > f->size - at) return 0;
  for (size_t i = 0; i < size; i++) x |= (uint32_t)f->bytes[at + i] << (8 * i);
  return x;
}

// Where something is that a place refers to. 0: nowhere
static size_t follow(const flat* f, size_t at)
{
  const size_t to = at ? at + number(f, at, 4) : 0;
  return to < f->size ? to : 0;
}

// The place of a field of a table. 0: it is not there
static size_t field(const flat* f, size_t table, size_t k)
{
  const size_t list = table - (size_t)(int32_t)number(f, table, 4); // may be on either side
  if (table == 0 || list >= f->size || 4 + 2 * k >= number(f, list, 2)) return 0;
  const size_t offset = number(f, list + 4 + 2 * k, 2);
  return offset ? table + offset : 0;
}

static bool has_name(const flat* f, size_t name, const char* text)
{
  const size_t n = strlen(text);
  return name && number(f, name, 4) == n && f->size - name >= 4 + n && memcmp(f->bytes + name + 4, text, n) == 0;
}

static void take_units(parquet_reader* r, const flat* f, size_t schema)
{
  static const double units[] = {1, 1e3, 1e6, 1e9};
  const size_t fields = follow(f, field(f, schema, 1)), count = fields ? number(f, fields, 4) : 0;
  // Columns are in the order of the fields, as none is nested.
  for (size_t i = 0; i < count && i < (size_t)r->columns; i++) {
    const size_t at = follow(f, fields + 4 + 4 * i), type = field(f, at, 2);
    parquet_column* c = &r->column[i];
    if (!type || number(f, type, 1) != TYPE_DURATION || !has_name(f, follow(f, field(f, at, 0)), c->name)) continue;
    const size_t unit = field(f, follow(f, field(f, at, 3)), 0);
    c->divisor = units[unit ? number(f, unit, 2) & 3 : 1];
  }
}

static unsigned digit(unsigned char c)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char* at = c ? strchr(digits, c) : NULL;
  return at ? (unsigned)(at - digits) : 0;
}

void limb_parquet_time_spans(parquet_reader* r, const unsigned char* text, size_t size)
{
  const size_t n = size / 4 * 3;
  unsigned char* bytes = limb_alloc(&r->alloc, n);
  for (size_t i = 0; bytes && i + 4 <= size; i += 4) {
    const unsigned x = digit(text[i]) << 18 | digit(text[i + 1]) << 12 | digit(text[i + 2]) << 6 | digit(text[i + 3]);
    for (size_t k = 0; k < 3; k++) bytes[i / 4 * 3 + k] = (unsigned char)(x >> (16 - 8 * k) & 0xff);
  }
  // A message: a mark and its length in front, older ones have the length alone; its header is the schema.
  flat f = {bytes, bytes ? n : 0};
  const size_t head = number(&f, 0, 4) == 0xffffffffU ? 8 : 4;
  if (n > head && bytes) take_units(r, &f, follow(&f, field(&f, follow(&f, head), 2)));
  limb_free(&r->alloc, bytes, n);
}
