// Files that are no models at all, and often taken for one: web pages, pointers of Git LFS, notes. A parser
// would say of them that a character on line 1 is wrong, which helps nobody.
#ifndef LIMB_STRAY_H
#define LIMB_STRAY_H

#include "io/findings.h"

#include <stddef.h>

// Whatever the name of the file says. 1 when it is none, which is reported.
int limb_report_stray(limb_findings* f, const char* text, size_t size);

// The same for a file that should be XML; language: what it should be, for the message.
int limb_report_not_xml(limb_findings* f, const char* text, size_t size, const char* language);

#endif
