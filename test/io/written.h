// What a builder is written as, in memory.
#ifndef LIMB_TEST_WRITTEN_H
#define LIMB_TEST_WRITTEN_H

#include "limb/read.h"

#include "support/check.h"
#include "support/page.h"

static inline page written(const limb_builder* b, limb_format format, limb_findings* f)
{
  page p = {0};
  limb_error err = {0};
  const limb_status status = limb_write(b, format, page_put, &p, f, &err);
  check_at("%s: %s", err.where, err.text);
  assert_ok(status);
  return p;
}

#endif
