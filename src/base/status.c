// Statuses as text, errors with a message, structs that may grow.

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

// ---- errors -------------------------------------------------------------------------------------------------

limb_status limb_fail(limb_error* err, limb_status status, const char* where, const char* format, ...)
{
  if (!err) return status;
  *err = (limb_error){.status = status};
  if (where) (void)snprintf(err->where, sizeof err->where, "%s", where);
  va_list args;
  va_start(args, format);
  (void)vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  return status;
}

// ---- structs that may grow ----------------------------------------------------------------------------------

enum { SANE_SIZE = 1 << 12 }; // no struct will ever be larger: anything above was not initialised

limb_status limb_sized_read(void* own, size_t size, const void* given, size_t min_size)
{
  size_t claimed;
  memcpy(&claimed, given, sizeof claimed);
  if (claimed < min_size || claimed > SANE_SIZE) return LIMB_E_ARG;
  const unsigned char* bytes = given;
  for (size_t i = size; i < claimed; i++) {
    if (bytes[i]) return LIMB_E_UNSUPPORTED;
  }
  memcpy(own, given, claimed < size ? claimed : size);
  memcpy(own, &size, sizeof size);
  return LIMB_OK;
}
