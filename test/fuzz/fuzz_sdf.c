// Any bytes as SDF: see feed.h.
#include "fuzz/feed.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  feed(data, size, LIMB_FORMAT_SDF);
  return 0;
}
