// Any bytes as a SYMORO .par file: an error with a reason, or a robot that can be built.
#include "limb/limb.h"
#include "limb/read.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  limb_read_options opt = limb_default_read_options();
  limb_reading* r = NULL;
  limb_model* m = NULL;
  limb_error err;
  opt.format = LIMB_FORMAT_PAR;
  const limb_status status = limb_read_text((const char*)data, size, "fuzz.par", &opt, &r, &err);
  const int errors = limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR);
  if ((status == LIMB_OK) != (errors == 0)) abort(); // refused without a reason, or in spite of one
  if (status == LIMB_OK && limb_builder_build(limb_reading_builder(r), &m, &err) == LIMB_OK)
    limb_model_destroy(m);
  limb_reading_destroy(r);
  return 0;
}
