// Statuses with a message, and the check of sized structs.
#ifndef LIMB_STATUS_H
#define LIMB_STATUS_H

#include "limb/base.h"

// ---- errors -------------------------------------------------------------------------------------------------

// Fills err (if given) and returns status, so that a check can end with `return limb_fail(...)`.
// where may be NULL.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
limb_status
limb_fail(limb_error* err, limb_status status, const char* where, const char* format, ...);

// ---- structs that may grow ----------------------------------------------------------------------------------

// Such structs of the public interface begin with their size, as the caller's version of limb knew it.

// Copies what the caller's version has over own, which holds the defaults of all `size` bytes, and sets
// own's size. min_size: size of the first version.
//
// LIMB_E_ARG: no struct has that size. LIMB_E_UNSUPPORTED: the caller's struct is longer, and its surplus is
// not all zero: it requests something that this library does not know. own is untouched then.
limb_status limb_sized_read(void* own, size_t size, const void* given, size_t min_size);

#endif
