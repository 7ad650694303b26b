// Texts in limb YAML, read; a joint of what was read.
#ifndef LIMB_TEST_YAML_TEXT_H
#define LIMB_TEST_YAML_TEXT_H

#include "limb/read.h"

#include "support/check.h"

#include <string.h>

static inline limb_reading* read_text(const char* text)
{
  limb_read_options opt = limb_default_read_options();
  opt.format = LIMB_FORMAT_YAML;
  limb_reading* r = NULL;
  limb_error err = {0};
  const limb_status status = limb_read_text(text, strlen(text), "text", &opt, &r, &err);
  check_at("%d:%d: %s: %s", err.line, err.column, err.where, err.text);
  assert_ok(status);
  return r;
}

static inline limb_joint_def joint_of(limb_reading* r, const char* name)
{
  limb_builder* b = limb_reading_builder(r);
  limb_joint_def def;
  check_at("joint %s", name);
  assert_ok(limb_builder_get_joint(b, limb_builder_find_joint(b, name), &def));
  return def;
}

#endif
