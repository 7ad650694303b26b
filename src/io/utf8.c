// UTF-8 as of RFC 3629: no overlong forms, no halves of surrogate pairs, nothing beyond U+10FFFF.
#include "io/utf8.h"

#include <string.h>

size_t limb_utf8(const char* text, const char* end, uint32_t* code)
{
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char* s = (const unsigned char*)text;
  size_t n = 1;
  if (s[0] >= 0x80) n = s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
  if (n == 0 || (size_t)(end - text) < n) return 0;
  uint32_t c = n == 1 ? s[0] : s[0] & (0x7fU >> n);
  for (size_t i = 1; i < n; i++) {
    if (s[i] >> 6 != 2) return 0;
    c = c << 6 | (s[i] & 0x3fU);
  }
  if (c < least[n] || c >= 0x110000 || (c >= 0xd800 && c < 0xe000)) return 0;
  if (code) *code = c;
  return n;
}

int limb_is_utf8(const char* text, const char* end)
{
  while (text < end) {
    const size_t n = limb_utf8(text, end, NULL);
    if (n == 0) return 0;
    text += n;
  }
  return 1;
}

// C0, delete and C1: what a terminal may take for an order.
static int is_control(uint32_t code) { return code < ' ' || (code >= 0x7f && code < 0xa0); }

int limb_has_control(const char* text)
{
  for (const char* end = text + strlen(text); text < end;) {
    uint32_t code = ' ';
    const size_t n = limb_utf8(text, end, &code);
    if (is_control(code)) return 1;
    text += n ? n : 1;
  }
  return 0;
}

void limb_tame(char* text)
{
  const char* end = text + strlen(text);
  while (text < end) {
    uint32_t code = 0;
    const size_t n = limb_utf8(text, end, &code), step = n ? n : 1;
    if (n == 0 || is_control(code)) memset(text, '?', step);
    text += step;
  }
}

const char* limb_shown(const char* text, const char* end, char room[LIMB_SHOWN_SPACE])
{
  size_t used = 0;
  while (text < end && used < LIMB_SHOWN) {
    uint32_t code = 0;
    const size_t n = limb_utf8(text, end, &code), step = n ? n : 1;
    if (n == 0 || is_control(code))
      memset(room + used, '?', step);
    else
      memcpy(room + used, text, n);
    used += step;
    text += step;
  }
  memcpy(room + used, text < end ? "..." : "", text < end ? 4 : 1);
  return room;
}
