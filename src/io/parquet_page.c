// Pages of Parquet files: headers, levels (which numbers are null), and numbers in their encodings,
// https://parquet.apache.org/docs/file-format/data-pages/encodings. Numbers are decoded some at a time, so that a page
// that repeats a number a million times needs no memory for them.
#include "io/parquet.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

enum { PAGE_DATA = 0, PAGE_INDEX = 1, PAGE_DICTIONARY = 2, PAGE_DATA_2 = 3 };
enum { PLAIN = 0, PLAIN_DICTIONARY = 2, RLE = 3, DELTA_BINARY = 5, RLE_DICTIONARY = 8, STREAM_SPLIT = 9 };
enum { PADDING = 16 }; // behind a page, so that words can be read at its end

static const uint64_t page_max = (uint64_t)1 << 28, memory_max = (uint64_t)1 << 30;
static const char damaged[] = "a page is damaged", cut[] = "a page ends before its last number";
static const char no_memory[] = "out of memory";
static const char too_large[] =
  "the pages of the file need more than 1 GiB of memory; write smaller pages, or fewer columns";

// ---- memory --------------------------------------------------------------------------------------------------

// Grows a buffer, whose contents are lost. NULL, or what is wrong.
static const char* reserve(parquet_reader* r, void** bytes, size_t* capacity, uint64_t size)
{
  if (size <= *capacity) return NULL;
  if (r->memory - *capacity + size > memory_max) return too_large;
  limb_free(&r->alloc, *bytes, *capacity);
  r->memory += size - *capacity;
  *bytes = limb_alloc(&r->alloc, (size_t)size);
  *capacity = *bytes ? (size_t)size : 0;
  if (!*bytes) r->memory -= size;
  return *bytes ? NULL : no_memory;
}

static const char* reserve_bytes(parquet_reader* r, unsigned char** bytes, size_t* capacity, uint64_t size)
{
  void* memory = *bytes;
  const char* wrong = reserve(r, &memory, capacity, size);
  *bytes = memory;
  return wrong;
}

// ---- numbers -------------------------------------------------------------------------------------------------

// Little-endian, whatever this processor is.
static inline uint64_t load(const unsigned char* p, size_t size)
{
  uint64_t x = 0;
  for (size_t i = 0; i < size; i++) x |= (uint64_t)p[i] << (8 * i);
  return x;
}

static inline uint64_t load_8(const unsigned char* p) { return load(p, 8); }

// width bits, at most 64, that begin at a bit; some bytes behind them are read, too.
static inline uint64_t load_bits(const unsigned char* p, uint64_t bit, unsigned width)
{
  const unsigned shift = (unsigned)(bit & 7);
  p += bit >> 3;
  uint64_t x = load_8(p) >> shift;
  if (shift + width > 64) x |= (uint64_t)p[8] << (64 - shift);
  return width < 64 ? x & (((uint64_t)1 << width) - 1) : x;
}

static size_t size_of(const parquet_column* c)
{
  static const size_t sizes[] = {
    [TYPE_INT32] = 4, [TYPE_INT64] = 8, [TYPE_INT96] = 12, [TYPE_FLOAT] = 4, [TYPE_DOUBLE] = 8};
  return c->type < (int)(sizeof sizes / sizeof *sizes) ? sizes[c->type] : 0;
}

// Nanoseconds of a day, and the day by Julius Caesar's calendar: 2440588 is that of 1970.
static double instant(const unsigned char* p)
{
  const double day = (double)(int32_t)load(p + 8, 4) - 2440588;
  return day * 86400 + (double)(int64_t)load_8(p) / 1e9;
}

static inline double whole(const parquet_column* c, uint64_t bits)
{
  const int wide = c->type == TYPE_INT64;
  const double x = c->is_unsigned ? wide ? (double)bits : (double)(uint32_t)bits
                   : wide         ? (double)(int64_t)bits
                                  : (double)(int32_t)bits;
  return c->divisor == 1 ? x : x / c->divisor;
}

static inline double number(const parquet_column* c, uint64_t bits)
{
  double wide;
  float narrow;
  const uint32_t half = (uint32_t)bits;
  if (c->type == TYPE_DOUBLE) {
    memcpy(&wide, &bits, sizeof wide);
    return wide;
  }
  if (c->type == TYPE_FLOAT) {
    memcpy(&narrow, &half, sizeof narrow);
    return (double)narrow;
  }
  return whole(c, bits);
}

static void plain_numbers(const parquet_column* c, const unsigned char* p, size_t n, double* x)
{
  if (c->type == TYPE_DOUBLE)
    for (size_t i = 0; i < n; i++) x[i] = number(c, load_8(p + 8 * i));
  else if (c->type == TYPE_INT64)
    for (size_t i = 0; i < n; i++) x[i] = whole(c, load_8(p + 8 * i));
  else if (c->type == TYPE_INT96)
    for (size_t i = 0; i < n; i++) x[i] = instant(p + 12 * i);
  else
    for (size_t i = 0; i < n; i++) x[i] = number(c, load(p + 4 * i, 4));
}

// ---- runs ----------------------------------------------------------------------------------------------------

static bool begin_run(parquet_runs* r)
{
  thrift t = {r->at, r->end, false};
  const uint64_t head = limb_thrift_varint(&t);
  const size_t there = (size_t)(t.end - t.at);
  if (t.failed || head < 2) return false;
  r->packed = head & 1;
  if (r->packed) {
    const uint64_t groups = head >> 1, enough = r->width ? there / r->width : groups;
    r->first = t.at, r->bit = 0;
    r->left = groups <= enough ? 8 * groups : 8 * (uint64_t)there / r->width; // some writers cut the last group
    r->at = groups <= enough ? t.at + groups * r->width : t.end;
    return r->left > 0 && groups < (uint64_t)1 << 32;
  }
  const size_t bytes = (r->width + 7) / 8;
  if (there < bytes) return false;
  r->value = (uint32_t)load(t.at, bytes);
  r->left = head >> 1;
  r->at = t.at + bytes;
  return true;
}

static bool take_runs(parquet_runs* r, size_t n, uint32_t* x)
{
  for (size_t i = 0; i < n;) {
    if (r->left == 0 && !begin_run(r)) return false;
    const size_t some = r->left < n - i ? (size_t)r->left : n - i;
    if (r->packed) {
      for (size_t k = 0; k < some; k++, r->bit += r->width) x[i + k] = (uint32_t)load_bits(r->first, r->bit, r->width);
    } else {
      for (size_t k = 0; k < some; k++) x[i + k] = r->value;
    }
    i += some, r->left -= some;
  }
  return true;
}

// ---- differences ---------------------------------------------------------------------------------------------

static bool begin_deltas(parquet_deltas* d)
{
  thrift t = {d->at, d->end, false};
  const uint64_t block = limb_thrift_varint(&t);
  d->parts = limb_thrift_varint(&t);
  d->total = limb_thrift_varint(&t);
  d->value = (uint64_t)limb_thrift_zigzag(&t);
  d->at = t.at;
  if (t.failed || block == 0 || block > 1 << 20 || d->parts == 0 || block % d->parts != 0) return false;
  d->part = block / d->parts;
  return d->part % 8 == 0;
}

// The smallest difference, and the widths of all parts.
static bool begin_block(parquet_deltas* d)
{
  thrift t = {d->at, d->end, false};
  d->min = (uint64_t)limb_thrift_zigzag(&t);
  if (t.failed || (uint64_t)(t.end - t.at) < d->parts) return false;
  d->width = t.at;
  d->at = t.at + d->parts;
  d->parts_left = d->parts;
  return true;
}

static bool begin_part(parquet_deltas* d)
{
  if (d->parts_left == 0 && !begin_block(d)) return false;
  d->bits = *d->width++;
  d->parts_left--;
  const uint64_t bytes = d->part / 8 * d->bits;
  if (d->bits > 64 || bytes > (uint64_t)(d->end - d->at)) return false;
  d->first = d->at, d->bit = 0, d->left = d->part;
  d->at += bytes;
  return true;
}

static const char* take_deltas(parquet_column* c, size_t n, double* x)
{
  parquet_deltas* d = &c->deltas;
  if (n > d->total) return cut;
  d->total -= n;
  for (size_t i = 0; i < n; i++) {
    if (d->begun) {
      if (d->left == 0 && !begin_part(d)) return damaged;
      d->value += d->min + load_bits(d->first, d->bit, d->bits);
      d->bit += d->bits, d->left--;
    }
    d->begun = true;
    x[i] = whole(c, d->value);
  }
  return NULL;
}

// ---- numbers of a page ---------------------------------------------------------------------------------------

static const char* take_plain(parquet_column* c, size_t n, double* x)
{
  const size_t size = size_of(c), there = (size_t)(c->end_of_page - c->value);
  if (size == 0) { // booleans
    if (n > c->count - c->index) return cut;
    for (size_t i = 0; i < n; i++, c->index++) x[i] = c->value[c->index / 8] >> c->index % 8 & 1;
    return NULL;
  }
  if (there / size < n) return cut;
  plain_numbers(c, c->value, n, x);
  c->value += n * size;
  return NULL;
}

static const char* take_split(parquet_column* c, size_t n, double* x)
{
  const size_t size = size_of(c);
  if (n > c->count - c->index) return cut;
  for (size_t i = 0; i < n; i++, c->index++) {
    uint64_t bits = 0;
    for (size_t k = 0; k < size; k++) bits |= (uint64_t)c->value[k * c->count + c->index] << (8 * k);
    x[i] = number(c, bits);
  }
  return NULL;
}

static const char* take_places(parquet_reader* r, parquet_column* c, size_t n, double* x)
{
  if (!take_runs(&c->runs, n, r->place)) return cut;
  for (size_t i = 0; i < n; i++) {
    if (r->place[i] >= c->entries) return "a page refers to what its dictionary does not have";
    x[i] = c->dictionary[r->place[i]];
  }
  return NULL;
}

static const char* take_numbers(parquet_reader* r, parquet_column* c, size_t n, double* x)
{
  switch (c->encoding) {
  case PLAIN: return take_plain(c, n, x);
  case STREAM_SPLIT: return take_split(c, n, x);
  case DELTA_BINARY: return take_deltas(c, n, x);
  case RLE:
    if (!take_runs(&c->runs, n, r->place)) return cut;
    for (size_t i = 0; i < n; i++) x[i] = r->place[i];
    return NULL;
  default: return take_places(r, c, n, x);
  }
}

static const uint64_t null_bits = 0x7ff86c696d626e75U; // a NaN of our own

static double null_number(void)
{
  double x;
  memcpy(&x, &null_bits, sizeof x);
  return x;
}

bool limb_parquet_is_null(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits == null_bits;
}

// Numbers and nulls.
static const char* take_some(parquet_reader* r, parquet_column* c, size_t n, double* x)
{
  parquet_runs* levels = &c->levels;
  if (!c->has_levels) return take_numbers(r, c, n, x);
  if (!levels->packed && levels->value == 1 && levels->left >= n) {
    levels->left -= n;
    return take_numbers(r, c, n, x);
  }
  size_t there = 0;
  if (!take_runs(levels, n, r->level)) return cut;
  for (size_t i = 0; i < n; i++) there += r->level[i];
  const char* wrong = there > n ? damaged : take_numbers(r, c, there, x);
  for (size_t i = n; i-- > 0 && !wrong;) x[i] = r->level[i] ? x[--there] : null_number();
  return wrong;
}

// ---- headers -------------------------------------------------------------------------------------------------

typedef struct page_header {
  int64_t kind, size, packed_size; // size: unpacked
  int64_t count, encoding, level_encoding;
  int64_t levels, repetitions; // bytes of them, version 2
  bool packed;
  size_t length; // of the header
} page_header;

// The part of a header that depends on the kind of page: the id of its field.
static void read_part(thrift* t, int kind, page_header* h)
{
  thrift_field f = {0};
  while (limb_thrift_next(t, &f)) {
    const int64_t x = limb_thrift_number(t, f.type);
    if (f.id == 1) h->count = x;
    if (f.id == (kind == PAGE_DATA_2 ? 4 : 2)) h->encoding = x;
    if (kind == PAGE_DATA && f.id == 3) h->level_encoding = x;
    if (kind == PAGE_DATA_2 && f.id == 5) h->levels = x;
    if (kind == PAGE_DATA_2 && f.id == 6) h->repetitions = x;
    if (kind == PAGE_DATA_2 && f.id == 7) h->packed = f.type == THRIFT_TRUE;
  }
}

static bool parse_header(const unsigned char* bytes, size_t n, page_header* h)
{
  thrift t = {bytes, bytes + n, false};
  thrift_field f = {0};
  *h = (page_header){.kind = -1, .size = -1, .packed_size = -1, .count = -1, .level_encoding = RLE, .packed = true};
  while (limb_thrift_next(&t, &f)) {
    const int kind = f.id == 5 ? PAGE_DATA : f.id == 7 ? PAGE_DICTIONARY : f.id == 8 ? PAGE_DATA_2 : -1;
    if (kind >= 0 && f.type == THRIFT_STRUCT) {
      read_part(&t, kind, h);
      continue;
    }
    const int64_t x = limb_thrift_number(&t, f.type);
    if (f.id == 1) h->kind = x;
    if (f.id == 2) h->size = x;
    if (f.id == 3) h->packed_size = x;
  }
  h->length = (size_t)(t.at - bytes);
  return !t.failed;
}

// Headers have no length: more and more bytes are tried.
static const char* read_header(parquet_reader* r, const parquet_column* c, page_header* h)
{
  const uint64_t there = c->end - c->at;
  for (uint64_t n = 128;; n *= 8) {
    const size_t some = (size_t)(n < there ? n : there);
    const char* wrong = reserve_bytes(r, &r->packed, &r->packed_capacity, some);
    if (wrong) return wrong;
    if (!limb_parquet_read(r, c->at, r->packed, some)) return damaged;
    if (parse_header(r->packed, some, h)) break;
    if (some == there || n > 1 << 20) return "the header of a page is damaged";
  }
  if (h->packed_size < 0 || (uint64_t)h->packed_size > there - h->length || h->size < 0) return damaged;
  if ((uint64_t)h->size > page_max) return too_large;
  if ((uint64_t)h->size > limb_parquet_ratio(c->codec) * (uint64_t)h->packed_size + 64) return damaged;
  return h->kind == PAGE_INDEX || h->count >= 0 ? NULL : "the header of a page is damaged";
}

// Reads a page into that of the column. The first bytes, of levels of version 2, are not packed.
static const char* read_page(parquet_reader* r, parquet_column* c, const page_header* h)
{
  const size_t n = (size_t)h->packed_size, size = (size_t)h->size, smaller = n < size ? n : size;
  if (h->levels < 0 || (uint64_t)h->levels > smaller || h->repetitions < 0 ||
      (uint64_t)h->repetitions > smaller - (size_t)h->levels)
    return damaged;
  const bool packed = c->codec != CODEC_NONE && h->packed;
  if (!packed && n != size) return damaged;
  const char* wrong = reserve_bytes(r, &c->page, &c->capacity, size + PADDING);
  if (!wrong && packed) wrong = reserve_bytes(r, &r->packed, &r->packed_capacity, n);
  if (wrong) return wrong;
  memset(c->page + size, 0, PADDING);
  if (!limb_parquet_read(r, c->at, packed ? r->packed : c->page, n)) return "the file ends in a page";
  if (!packed) return NULL;
  const size_t first = (size_t)(h->levels + h->repetitions);
  memcpy(c->page, r->packed, first);
  if (size == first) return NULL; // nulls alone
  return limb_parquet_unpack(&r->codecs, c->codec, r->packed + first, n - first, c->page + first, size - first);
}

static const char* read_dictionary(parquet_reader* r, parquet_column* c, const page_header* h)
{
  const char* wrong = read_page(r, c, h);
  const size_t size = size_of(c), n = (size_t)h->count;
  void* memory = c->dictionary;
  if (wrong) return wrong;
  if (size == 0 || (h->encoding != PLAIN && h->encoding != PLAIN_DICTIONARY) || (size_t)h->size / size < n)
    return "its dictionary is damaged";
  wrong = reserve(r, &memory, &c->dictionary_capacity, n * sizeof *c->dictionary);
  c->dictionary = memory;
  if (wrong) return wrong;
  plain_numbers(c, c->page, n, c->dictionary);
  c->entries = n;
  return NULL;
}

// ---- beginning a page ----------------------------------------------------------------------------------------

// A part of the page with its length in 4 bytes in front.
static bool take_part(parquet_column* c, parquet_runs* out)
{
  if (c->end_of_page - c->value < 4) return false;
  const uint64_t n = load(c->value, 4);
  c->value += 4;
  if (n > (uint64_t)(c->end_of_page - c->value)) return false;
  *out = (parquet_runs){.at = c->value, .end = c->value + n, .width = 1};
  c->value += n;
  return true;
}

static const char* begin_levels(parquet_column* c, const page_header* h)
{
  c->has_levels = c->optional && (h->kind == PAGE_DATA || h->levels > 0);
  if (h->kind == PAGE_DATA) {
    if (!c->optional) return NULL;
    if (h->level_encoding != RLE) return "its nulls are in an encoding that is out of use; write the file again";
    return take_part(c, &c->levels) ? NULL : damaged;
  }
  c->levels = (parquet_runs){.at = c->page + h->repetitions, .width = 1};
  c->value = c->levels.end = c->levels.at + h->levels;
  return NULL;
}

// What the encoding has in front of its numbers.
static const char* begin_numbers(parquet_column* c)
{
  const size_t size = size_of(c), there = (size_t)(c->end_of_page - c->value);
  c->index = 0;
  switch (c->encoding) {
  case PLAIN: c->count = 8 * there; return NULL;
  case STREAM_SPLIT:
    if (size != 4 && size != 8) break;
    c->count = there / size;
    return NULL;
  case DELTA_BINARY:
    if (c->type != TYPE_INT32 && c->type != TYPE_INT64) break;
    c->deltas = (parquet_deltas){.at = c->value, .end = c->end_of_page};
    return there == 0 || begin_deltas(&c->deltas) ? NULL : damaged;
  case RLE:
    if (c->type != TYPE_BOOLEAN) break;
    return there == 0 || take_part(c, &c->runs) ? NULL : damaged;
  case PLAIN_DICTIONARY:
  case RLE_DICTIONARY:
    if (there > 0 && *c->value > 32) return damaged;
    c->runs = (parquet_runs){.width = there > 0 ? *c->value : 0, .at = c->value + (there > 0), .end = c->end_of_page};
    return NULL;
  default: break;
  }
  return "its numbers are in an encoding that is not supported; write the file with plain or dictionary encoding";
}

static const char* begin_page(parquet_reader* r, parquet_column* c)
{
  page_header h;
  const char* wrong = c->at < c->end ? read_header(r, c, &h) : "it has fewer numbers than the file states";
  if (wrong) return wrong;
  c->at += h.length;
  if (h.kind == PAGE_DICTIONARY) {
    wrong = read_dictionary(r, c, &h);
  } else if (h.kind == PAGE_DATA || h.kind == PAGE_DATA_2) {
    wrong = (uint64_t)h.count > c->to_come ? "it has more numbers than the file states" : read_page(r, c, &h);
    if (wrong) return wrong;
    c->value = c->page, c->end_of_page = c->page + h.size;
    c->left = (uint64_t)h.count, c->encoding = (int)h.encoding;
    c->to_come -= c->left;
    wrong = begin_levels(c, &h);
    if (!wrong) wrong = begin_numbers(c);
  } else if (h.kind != PAGE_INDEX) {
    return "it has a page of an unknown kind";
  }
  c->at += (uint64_t)h.packed_size;
  return wrong;
}

limb_status limb_parquet_take(parquet_reader* r, parquet_column* c, size_t n, double* x, limb_error* err)
{
  const char* wrong = NULL;
  for (size_t i = 0; i < n && !wrong;) {
    if (c->left == 0) {
      wrong = begin_page(r, c);
      continue;
    }
    const size_t some = c->left < n - i ? (size_t)c->left : n - i;
    wrong = take_some(r, c, some, x + i);
    i += some, c->left -= some;
  }
  if (!wrong) return LIMB_OK;
  return limb_parquet_wrong(err, c,
                            wrong == no_memory   ? LIMB_E_NOMEM
                            : wrong == too_large ? LIMB_E_UNSUPPORTED
                                                 : LIMB_E_SYNTAX,
                            wrong);
}
