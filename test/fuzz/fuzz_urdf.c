// Any bytes as a URDF: see feed.h.
#include "fuzz/feed.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  feed(data, size, LIMB_FORMAT_URDF);
  return 0;
}
