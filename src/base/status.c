#include "limb/base.h"

const char* limb_status_text(limb_status status)
{
  switch (status) {
#define LIMB_X(name, value, text) \
  case LIMB_##name: return text;
    LIMB_STATUS_LIST(LIMB_X)
#undef LIMB_X
  }
  return "unknown status";
}

uint32_t limb_version(void) { return LIMB_VERSION; }
