// Reading Thrift's compact protocol: numbers of 7 bits a byte, fields by the difference of their numbers.
#include "io/parquet.h"

enum { DEPTH = 16 };
enum { T_TRUE = 1, T_FALSE, T_I8, T_I16, T_I32, T_I64, T_DOUBLE, T_BYTES, T_LIST, T_SET, T_MAP, T_STRUCT, T_UUID };

static void fail(thrift* t)
{
  t->failed = true;
  t->at = t->end;
}

static unsigned take_byte(thrift* t)
{
  if (t->at < t->end) return *t->at++;
  fail(t);
  return 0;
}

static void skip_bytes(thrift* t, uint64_t n)
{
  if (n > (uint64_t)(t->end - t->at))
    fail(t);
  else
    t->at += n;
}

uint64_t limb_thrift_varint(thrift* t)
{
  uint64_t x = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const unsigned byte = take_byte(t);
    x |= (uint64_t)(byte & 127) << shift;
    if (t->failed) return 0;
    if (byte < 128) return x;
  }
  fail(t);
  return 0;
}

int64_t limb_thrift_zigzag(thrift* t)
{
  const uint64_t x = limb_thrift_varint(t);
  return (int64_t)(x >> 1 ^ (0 - (x & 1)));
}

bool limb_thrift_next(thrift* t, thrift_field* f)
{
  const unsigned byte = take_byte(t);
  if (t->failed || byte == 0) return false;
  const int64_t id = byte >> 4 ? f->id + (int)(byte >> 4) : limb_thrift_zigzag(t);
  if (id < INT16_MIN || id > INT16_MAX) fail(t);
  f->id = (int)(id & 0xffff), f->type = (int)(byte & 15);
  return !t->failed;
}

uint64_t limb_thrift_list(thrift* t, int* type)
{
  const unsigned byte = take_byte(t);
  *type = (int)(byte & 15);
  return t->failed ? 0 : byte >> 4 < 15 ? byte >> 4 : limb_thrift_varint(t);
}

static void skip(thrift* t, int type, int depth);

// Entries of lists; booleans have a byte there. Every entry takes bytes, so that their number cannot lie.
static void skip_entries(thrift* t, uint64_t count, int type, int depth)
{
  for (uint64_t i = 0; i < count && !t->failed; i++) {
    if (type == T_TRUE || type == T_FALSE)
      skip_bytes(t, 1);
    else
      skip(t, type, depth);
  }
}

static void skip_map(thrift* t, int depth)
{
  const uint64_t count = limb_thrift_varint(t);
  const unsigned types = count > 0 ? take_byte(t) : 0;
  for (uint64_t i = 0; i < count && !t->failed; i++) {
    skip_entries(t, 1, (int)(types >> 4), depth);
    skip_entries(t, 1, (int)(types & 15), depth);
  }
}

// Depth is limited, whatever a file contains.
static void skip(thrift* t, int type, int depth) // NOLINT(misc-no-recursion)
{
  thrift_field f = {0};
  int of = 0;
  if (depth == DEPTH) {
    fail(t);
    return;
  }
  switch (type) {
  case T_TRUE:
  case T_FALSE: break;
  case T_I8: skip_bytes(t, 1); break;
  case T_I16:
  case T_I32:
  case T_I64: (void)limb_thrift_varint(t); break;
  case T_DOUBLE: skip_bytes(t, 8); break;
  case T_BYTES: skip_bytes(t, limb_thrift_varint(t)); break;
  case T_LIST:
  case T_SET: {
    const uint64_t count = limb_thrift_list(t, &of);
    skip_entries(t, count, of, depth + 1);
    break;
  }
  case T_MAP: skip_map(t, depth + 1); break;
  case T_STRUCT:
    while (limb_thrift_next(t, &f)) skip(t, f.type, depth + 1);
    break;
  case T_UUID: skip_bytes(t, 16); break;
  default: fail(t);
  }
}

void limb_thrift_skip(thrift* t, int type) { skip(t, type, 0); }

int64_t limb_thrift_number(thrift* t, int type)
{
  if (type == T_I16 || type == T_I32 || type == T_I64) return limb_thrift_zigzag(t);
  if (type == T_I8) return take_byte(t);
  if (type == T_TRUE) return 1;
  limb_thrift_skip(t, type);
  return 0;
}

thrift limb_thrift_text(thrift* t, int type)
{
  thrift out = {t->at, t->at, false};
  if (type != T_BYTES) {
    limb_thrift_skip(t, type);
    return out;
  }
  const uint64_t n = limb_thrift_varint(t);
  out.at = t->at;
  skip_bytes(t, n);
  out.end = t->failed ? out.at : t->at;
  return out;
}
