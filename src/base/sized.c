#include "base/sized.h"

#include <string.h>

enum { SANE_SIZE = 1 << 12 }; // no struct will ever be larger: anything above was not initialised

limb_status limb_sized_read(void* own, size_t size, const void* given, size_t least)
{
  size_t told;
  memcpy(&told, given, sizeof told);
  if (told < least || told > SANE_SIZE) return LIMB_E_ARG;
  const unsigned char* bytes = given;
  for (size_t i = size; i < told; i++) {
    if (bytes[i]) return LIMB_E_UNSUPPORTED;
  }
  memcpy(own, given, told < size ? told : size);
  memcpy(own, &size, sizeof size);
  return LIMB_OK;
}
