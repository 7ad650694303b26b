// Packed pages of Parquet files. Snappy (github.com/google/snappy, format_description.txt) is unpacked here; zlib and
// zstd are loaded at run time, as most files need neither.
#include "io/parquet.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

static const char damaged[] = "a packed page is damaged";

const char* limb_parquet_codec(int codec)
{
  static const char* const names[] = {"none", "snappy", "gzip", "LZO", "brotli", "LZ4", "zstd", "LZ4_RAW"};
  return codec >= 0 && codec < (int)(sizeof names / sizeof *names) ? names[codec] : "an unknown codec";
}

size_t limb_parquet_ratio(int codec)
{
  switch (codec) {
  case CODEC_NONE: return 1;
  case CODEC_SNAPPY: return 22;  // 64 bytes from 3
  case CODEC_GZIP: return 1040;  // 258 bytes from 2 bits
  case CODEC_ZSTD: return 44000; // 128 KiB from 3 bytes
  default: return 0;
  }
}

// ---- snappy --------------------------------------------------------------------------------------------------

typedef struct snappy {
  const unsigned char *from, *end;
  unsigned char *begin, *to, *stop;
} snappy;

// A number of up to 4 bytes, low ones first.
static bool take_number(snappy* s, unsigned bytes, size_t* x)
{
  if ((size_t)(s->end - s->from) < bytes) return false;
  *x = 0;
  for (unsigned i = 0; i < bytes; i++) *x |= (size_t)s->from[i] << (8 * i);
  s->from += bytes;
  return true;
}

static bool put_literal(snappy* s, unsigned tag)
{
  size_t n = tag >> 2;
  if (n >= 60 && !take_number(s, (unsigned)n - 59, &n)) return false;
  if (n >= (size_t)(s->end - s->from) || n >= (size_t)(s->stop - s->to)) return false;
  memcpy(s->to, s->from, n + 1);
  s->from += n + 1, s->to += n + 1;
  return true;
}

// What was written some bytes before, which may overlap.
static bool put_copy(snappy* s, unsigned tag)
{
  static const unsigned bytes[] = {0, 1, 2, 4};
  const size_t n = (tag & 3) == 1 ? 4 + (tag >> 2 & 7) : 1 + (tag >> 2);
  size_t back = 0;
  if (!take_number(s, bytes[tag & 3], &back)) return false;
  if ((tag & 3) == 1) back |= (size_t)(tag >> 5) << 8;
  if (back == 0 || back > (size_t)(s->to - s->begin) || n > (size_t)(s->stop - s->to)) return false;
  if (back >= n) {
    memcpy(s->to, s->to - back, n);
    s->to += n;
  } else {
    for (size_t i = 0; i < n; i++, s->to++) *s->to = s->to[-(ptrdiff_t)back];
  }
  return true;
}

// NOLINTNEXTLINE(readability-non-const-parameter): it is written through a copy
static const char* unpack_snappy(const unsigned char* from, size_t n, unsigned char* to, size_t size)
{
  thrift length = {from, from + n, false};
  if (limb_thrift_varint(&length) != size || length.failed) return damaged;
  snappy s = {length.at, from + n, to, to, to + size};
  while (s.from < s.end) {
    const unsigned tag = *s.from++;
    if (!(tag & 3 ? put_copy(&s, tag) : put_literal(&s, tag))) return damaged;
  }
  return s.to == s.stop ? NULL : damaged;
}

// ---- libraries -----------------------------------------------------------------------------------------------

// z_stream of zlib 1
typedef struct zlib_stream {
  const unsigned char* from;
  unsigned n;
  unsigned long from_total;
  unsigned char* to;
  unsigned size;
  unsigned long to_total;
  const char* message;
  void *state, *alloc, *free, *context;
  int data_type;
  unsigned long checksum, reserved;
} zlib_stream;

// POSIX allows these conversions to function pointers.
static void load(parquet_codecs* c)
{
  c->loaded = true;
  void* zlib = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (zlib) {
    *(void**)&c->inflate_init = dlsym(zlib, "inflateInit2_");
    *(void**)&c->inflate = dlsym(zlib, "inflate");
    *(void**)&c->inflate_end = dlsym(zlib, "inflateEnd");
  }
  void* zstd = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (zstd) *(void**)&c->zstd = dlsym(zstd, "ZSTD_decompress");
}

// NOLINTNEXTLINE(readability-non-const-parameter): it is written through a copy
static const char* unpack_gzip(const parquet_codecs* c, const unsigned char* from, size_t n, unsigned char* to,
                               size_t size)
{
  enum { FINISH = 4, STREAM_END = 1, ANY_HEADER = 15 + 32 };
  zlib_stream z = {.from = from, .n = (unsigned)n, .to = to, .size = (unsigned)size};
  if (!c->inflate_init || !c->inflate || !c->inflate_end)
    return "its pages are packed by gzip, and libz.so.1 cannot be loaded; install zlib, or write the file with snappy";
  if (n > UINT_MAX || size > UINT_MAX || c->inflate_init(&z, ANY_HEADER, "1.2.11", (int)sizeof z) != 0) return damaged;
  const int ended = c->inflate(&z, FINISH);
  (void)c->inflate_end(&z);
  return ended == STREAM_END && z.size == 0 ? NULL : damaged;
}

static const char* unpack_zstd(const parquet_codecs* c, const unsigned char* from, size_t n, unsigned char* to,
                               size_t size)
{
  if (!c->zstd)
    return "its pages are packed by zstd, and libzstd.so.1 cannot be loaded; install zstd, or write the file with "
           "snappy";
  return c->zstd(to, size, from, n) == size ? NULL : damaged; // an error is a number above all sizes
}

const char* limb_parquet_unpack(parquet_codecs* c, int codec, const unsigned char* from, size_t n, unsigned char* to,
                                size_t size)
{
  if (!c->loaded && (codec == CODEC_GZIP || codec == CODEC_ZSTD)) load(c);
  switch (codec) {
  case CODEC_SNAPPY: return unpack_snappy(from, n, to, size);
  case CODEC_GZIP: return unpack_gzip(c, from, n, to, size);
  case CODEC_ZSTD: return unpack_zstd(c, from, n, to, size);
  default: return damaged;
  }
}
