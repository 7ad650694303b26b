// Blanks, as XML, YAML and .par files have them; the locale has no say in it.
#ifndef LIMB_BLANK_H
#define LIMB_BLANK_H

static inline int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

#endif
