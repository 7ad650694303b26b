// Any bytes as a URDF: an answer without a crash; and a robot that was read can be written and read again.
#include "limb/limb.h"
#include "limb/read.h"
#include "limb/write.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

typedef struct page {
  char* text;
  size_t size, room;
} page;

static void put(void* context, const char* text)
{
  page* p = context;
  const size_t n = strlen(text);
  if (p->size + n > p->room) {
    p->room = 2 * (p->size + n);
    p->text = realloc(p->text, p->room);
    if (!p->text) abort();
  }
  memcpy(p->text + p->size, text, n);
  p->size += n;
}

static void fail(const page* p, const char* what, const limb_error* err)
{
  (void)fprintf(stderr, "%s: %d: %s: %s\n", what, err->line, err->where, err->text);
  (void)fwrite(p->text, 1, p->size, stderr);
  abort();
}

// What was read is written; reading that must give as many bodies and joints.
static void there_and_back(const limb_builder* b, const limb_read_options* opt)
{
  page p = {0};
  limb_reading* r = NULL;
  limb_error err = {0};
  if (limb_write(b, LIMB_FORMAT_URDF, put, &p, NULL, &err) != LIMB_OK) fail(&p, "write", &err);
  if (limb_read_text(p.text, p.size, "again.urdf", opt, &r, &err) != LIMB_OK)
    fail(&p, "read", &err);
  const limb_builder* again = limb_reading_builder(r);
  if (limb_builder_body_count(again) != limb_builder_body_count(b) ||
      limb_builder_joint_count(again) != limb_builder_joint_count(b))
    fail(&p, "another robot", &err);
  limb_reading_destroy(r);
  free(p.text);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  limb_read_options opt = limb_default_read_options();
  limb_reading* r = NULL;
  limb_model* m = NULL;
  opt.format = LIMB_FORMAT_URDF;
  if (limb_read_text((const char*)data, size, "fuzz.urdf", &opt, &r, NULL) == LIMB_OK) {
    there_and_back(limb_reading_builder(r), &opt);
    if (limb_builder_build(limb_reading_builder(r), &m, NULL) == LIMB_OK) limb_model_destroy(m);
  }
  limb_reading_destroy(r);
  return 0;
}
