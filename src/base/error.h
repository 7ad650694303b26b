// The one place that formats an error message.
#ifndef LIMB_ERROR_H
#define LIMB_ERROR_H

#include "limb/base.h"

// Fills err (if given) and returns status, so that a check can end with `return limb_fail(...)`.
// where may be NULL.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
limb_status
limb_fail(limb_error* err, limb_status status, const char* where, const char* format, ...);

#endif
