// Structs of the public interface that may grow: they begin with their size as the caller knew it.
#ifndef LIMB_SIZED_H
#define LIMB_SIZED_H

#include "limb/base.h"

// Copies what the caller's version has over own, which holds the defaults of all `size` bytes, and sets
// own's size; least is what the first version had to say.
//
// LIMB_E_ARG: no struct has that size. LIMB_E_UNSUPPORTED: the caller's is longer, and says something
// (its surplus is not all zero) that this library does not know. own is untouched then.
limb_status limb_sized_read(void* own, size_t size, const void* given, size_t least);

#endif
