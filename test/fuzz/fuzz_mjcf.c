// Any bytes as an MJCF file: see feed.h.
#include "fuzz/feed.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  feed(data, size, LIMB_FORMAT_MJCF);
  return 0;
}
