// UTF-8 in texts of unknown origin, and such texts in messages.
#ifndef LIMB_UTF8_H
#define LIMB_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum {
  LIMB_SHOWN = 48,                  // bytes of somebody's text in a message
  LIMB_SHOWN_SPACE = LIMB_SHOWN + 8 // with dots and a zero
};

// The character at text < end: its bytes, 0 when there is none; its code (output, may be NULL).
size_t limb_utf8(const char* text, const char* end, uint32_t* code);

// 1 when the text consists of UTF-8 characters.
int limb_is_utf8(const char* text, const char* end);

// 1 when a text closed by a zero holds a control character, such as a line break.
int limb_has_control(const char* text);

// Turns what is not UTF-8, and control characters, into question marks. Closed by a zero.
void limb_tame(char* text);

// The start of a text, tamed, with dots when it is longer. In room, returned.
const char* limb_shown(const char* text, const char* end, char room[LIMB_SHOWN_SPACE]);

#endif
