// Any bytes as a run file: errors with a reason, or a run whose every text has a place.
#include "limb/run.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void fail(const char* what)
{
  (void)fprintf(stderr, "%s\n", what);
  abort();
}

static void look_at(const limb_run_value* v)
{
  if (v->text && (!*v->text || !v->key || !v->name || v->line < 1)) fail("a text without place");
}

static void look_at_all(const limb_run_values* all)
{
  for (int i = 0; i < all->count; i++) {
    look_at(&all->value[i]);
    if (!all->value[i].text) fail("a value without text");
  }
}

static void look(const limb_run* run)
{
  look_at(&run->model.name);
  if (!run->model.name.text) fail("a run without model");
  look_at_all(&run->start.q);
  look_at_all(&run->inputs.torques);
  look_at_all(&run->controller.kp);
  for (int i = 0; i < run->inputs.nmotion; i++)
    if (!run->inputs.motion[i].name) fail("a motion without joint");
  for (int i = 0; i < run->nevent; i++)
    if (!run->event[i].when.text) fail("an event without condition");
  for (int i = 0; i < run->noutput; i++) {
    const limb_run_output* o = &run->output[i];
    if ((o->file.text != NULL) + (o->plot.text != NULL) + (o->animation.text != NULL) != 1)
      fail("an output that is not one");
    look_at_all(&o->channels);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  limb_reading* r = NULL;
  limb_read_options opt = limb_default_read_options();
  opt.max_bytes = (size_t)1 << 20;
  const limb_status s = limb_read_run_text((const char*)data, size, "fuzz", &opt, &r, NULL);
  const int errors = limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR);
  if ((s == LIMB_OK) != (errors == 0)) fail("refused without a reason, or in spite of one");
  if ((s == LIMB_OK) != (limb_reading_run(r) != NULL)) fail("no run, and no error");
  if (s == LIMB_OK) look(limb_reading_run(r));
  limb_reading_destroy(r);
  return 0;
}
