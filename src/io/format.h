// Which language a text is in.
#ifndef LIMB_FORMAT_H
#define LIMB_FORMAT_H

#include "limb/read.h"

// By its content alone; LIMB_FORMAT_AUTO when it does not tell.
limb_format limb_format_of_text(const char* text, size_t size);

#endif
