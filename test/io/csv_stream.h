// Streams over texts, for the tests of tables.
#ifndef LIMB_TEST_CSV_STREAM_H
#define LIMB_TEST_CSV_STREAM_H

#include "support/check.h"

#include <stdio.h>
#include <string.h>

// A stream over a copy of the text, so that a sanitizer sees its end.
static inline FILE* open_bytes(const char* text, size_t length)
{
  FILE* stream = tmpfile();
  ck_assert_ptr_nonnull(stream);
  assert_that(fwrite(text, 1, length, stream) == length);
  rewind(stream);
  return stream;
}

static inline FILE* open_text(const char* text) { return open_bytes(text, strlen(text)); }

#endif
