// Text of model files. UTF-8 as in RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF.
#include "io/file_text.h"

#include "base/number.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// ---- words ----------------------------------------------------------------------------------------

int limb_find_word(const char* words, const char* word, size_t length)
{
  for (int index = 0; words && *words; index++) {
    const size_t n = strcspn(words, " ");
    if (n == length && memcmp(words, word, n) == 0) return index;
    words += n + (words[n] == ' ');
  }
  return -1;
}

int limb_has_word(const char* words, const char* word) { return limb_find_word(words, word, strlen(word)) >= 0; }

// ---- numbers --------------------------------------------------------------------------------------

number_list limb_scan_list(const char* text, int max, double* x)
{
  number_list list = {0};
  const char* end = text + strlen(text);
  for (;;) {
    while (is_blank(*text)) text++;
    if (text == end || list.count == INT_MAX) return list;
    double number = 0;
    const char* next = limb_scan_number(text, end, &number);
    if (!next || !isfinite(number) || (next < end && !is_blank(*next))) {
      next = text;
      while (next < end && !is_blank(*next)) next++;
      if (!list.bad) {
        list.bad = text;
        list.bad_length = next - text < INT_MAX ? (int)(next - text) : INT_MAX;
      }
    } else if (list.count < max) {
      x[list.count] = number;
    }
    list.count++;
    text = next;
  }
}

// ---- UTF-8 ----------------------------------------------------------------------------------------

size_t limb_utf8(const char* text, const char* end, uint32_t* code)
{
  static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000}; // by number of bytes
  const unsigned char* s = (const unsigned char*)text;
  size_t n = 1;
  if (s[0] >= 0x80) n = s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
  if (n == 0 || (size_t)(end - text) < n) return 0;
  uint32_t c = n == 1 ? s[0] : s[0] & (0x7fU >> n);
  for (size_t i = 1; i < n; i++) {
    if (s[i] >> 6 != 2) return 0;
    c = c << 6 | (s[i] & 0x3fU);
  }
  if (c < smallest[n] || c >= 0x110000 || (c >= 0xd800 && c < 0xe000)) return 0;
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

const char* limb_skip_byte_order_mark(const char* text, const char* end)
{
  return end - text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}

const char* limb_skip_to_text(const char* text, const char* end)
{
  text = limb_skip_byte_order_mark(text, end);
  while (text < end && is_blank(*text)) text++;
  return text;
}

// C0, delete and C1: what a terminal may take for a command.
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

// Copies the character at text, masked; source and destination may be the same. Returns its number of bytes.
static size_t copy_masked(const char* text, const char* end, char* to)
{
  uint32_t code = 0;
  const size_t n = limb_utf8(text, end, &code), bytes = n ? n : 1;
  if (n == 0 || is_control(code))
    memset(to, '?', bytes);
  else
    memmove(to, text, bytes);
  return bytes;
}

void limb_mask_controls(char* text)
{
  for (const char* end = text + strlen(text); text < end;) text += copy_masked(text, end, text);
}

limb_quote limb_excerpt(const char* text, const char* end)
{
  limb_quote quote;
  size_t used = 0;
  if (!end) end = text + strlen(text);
  while (text < end && used < LIMB_EXCERPT) {
    const size_t bytes = copy_masked(text, end, quote.text + used);
    used += bytes;
    text += bytes;
  }
  memcpy(quote.text + used, text < end ? "..." : "", text < end ? 4 : 1);
  return quote;
}
