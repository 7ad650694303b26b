// Any bytes as a file of motors: errors with a reason, or numbers that a sizing takes.
#include "limb/read.h"
#include "limb/study.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void fail(const char* what)
{
  (void)fprintf(stderr, "%s\n", what);
  abort();
}

// One hinge; made once.
static limb_model* hinge(void)
{
  static limb_model* m;
  limb_builder* b = NULL;
  const limb_body_def body = limb_default_body_def("arm");
  const limb_joint_def joint = limb_default_joint_def("hinge", LIMB_REVOLUTE, 0, 1);
  if (m) return m;
  if (limb_builder_create(NULL, &b) != LIMB_OK || limb_builder_add_body(b, &body, NULL, NULL) != LIMB_OK ||
      limb_builder_add_joint(b, &joint, NULL, NULL) != LIMB_OK || limb_builder_build(b, &m, NULL) != LIMB_OK)
    fail("no hinge");
  limb_builder_destroy(b);
  return m;
}

static void look(const limb_gearmotor* g)
{
  limb_sizing* s = NULL;
  if (!g->joint || !*g->joint || !g->motor || g->line < 1) fail("a joint without name, motor or place");
  if (limb_sizing_create(hinge(), &s) != LIMB_OK) return;
  if (limb_sizing_set_gearmotor(s, 0, g) != LIMB_OK) fail("numbers that the reader must refuse");
  limb_sizing_destroy(s);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  limb_reading* r = NULL;
  limb_error err = {0};
  const limb_gearmotor* g;
  const limb_status s = limb_read_motors_text((const char*)data, size, "fuzz", NULL, &r, &err);
  if (s != LIMB_OK && !*err.text) fail("an error without reason");
  if (s != LIMB_OK && limb_reading_motor(r, 0)) fail("motors of a faulty file");
  for (int k = 0; (g = limb_reading_motor(r, k)); k++) look(g);
  limb_reading_destroy(r);
  return 0;
}
