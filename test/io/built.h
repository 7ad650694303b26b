// The robot of a reading.
#ifndef LIMB_TEST_BUILT_H
#define LIMB_TEST_BUILT_H

#include "limb/read.h"

#include "numbers/rig.h"
#include "support/check.h"

static inline rig build(limb_reading* r)
{
  limb_model* m = NULL;
  limb_error err = {0};
  const limb_status status = limb_builder_build(limb_reading_builder(r), &m, &err);
  check_at("%s: %s", err.where, err.text);
  assert_ok(status);
  return rig_of(m);
}

#endif
