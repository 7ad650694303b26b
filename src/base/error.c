#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

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
