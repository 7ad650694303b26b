// The reader of limb YAML, whatever it is given: an error with a place, or a robot that can be written and
// comes back the same size.
#include "limb/read.h"
#include "limb/write.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

typedef struct paper {
  char* text;
  size_t size, room;
} paper;

static void keep(void* context, const char* text)
{
  paper* p = context;
  const size_t n = strlen(text);
  if (p->size + n > p->room) {
    p->room = 2 * (p->size + n);
    p->text = realloc(p->text, p->room);
    if (!p->text) abort();
  }
  memcpy(p->text + p->size, text, n);
  p->size += n;
}

static limb_status read_yaml(const char* text, size_t size, limb_reading** out, limb_error* err)
{
  limb_read_options opt = limb_default_read_options();
  opt.format = LIMB_FORMAT_YAML;
  return limb_read_text(text, size, "fuzz", &opt, out, err);
}

// What was read is written and read again.
static void round_trip(const limb_builder* b)
{
  paper p = {NULL, 0, 0};
  limb_reading* again = NULL;
  limb_error err;
  if (limb_write(b, LIMB_FORMAT_YAML, keep, &p, NULL, &err) != LIMB_OK) abort();
  if (read_yaml(p.text, p.size, &again, &err) != LIMB_OK) abort();
  const limb_builder* c = limb_reading_builder(again);
  if (limb_builder_body_count(b) != limb_builder_body_count(c) ||
      limb_builder_joint_count(b) != limb_builder_joint_count(c) ||
      limb_builder_frame_count(b) != limb_builder_frame_count(c))
    abort();
  limb_reading_destroy(again);
  free(p.text);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  limb_reading* r = NULL;
  limb_error err;
  const limb_status status = read_yaml((const char*)data, size, &r, &err);
  if (status == LIMB_OK)
    round_trip(limb_reading_builder(r));
  else if (limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR) == 0)
    abort(); // a refusal without a reason
  limb_reading_destroy(r);
  return 0;
}
