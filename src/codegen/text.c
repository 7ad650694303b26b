// Text buffers, lists of words, identifiers (text.h).
#include "codegen/text.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LETTERS = 60 }; // longer names are cut

static void append(limb_text* t, const char* piece, size_t n)
{
  if (t->failed) return;
  if (t->capacity - t->used <= n) {
    const size_t more = 2 * (t->capacity + n) + 256;
    char* to = limb_alloc(&t->alloc, more);
    if (!to) {
      t->failed = true;
      return;
    }
    if (t->used) memcpy(to, t->at, t->used);
    limb_free(&t->alloc, t->at, t->capacity);
    t->at = to, t->capacity = more;
  }
  memcpy(t->at + t->used, piece, n);
  t->used += n;
  t->at[t->used] = '\0';
}

void limb_text_put(limb_text* t, const char* piece) { append(t, piece, strlen(piece)); }

void limb_text_print(limb_text* t, const char* format, ...)
{
  char piece[512]; // names are cut, numbers are short: all pieces fit
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  if (n < 0 || (size_t)n >= sizeof piece) {
    t->failed = true;
    return;
  }
  append(t, piece, (size_t)n);
}

void limb_text_name(limb_text* t, const char* name)
{
  char before = ' ';
  for (int i = 0; name[i] && i < NAME_MAX_LETTERS; i++) {
    char c = name[i];
    if (c < ' ' || c > '~' || c == '\\' || c == '"') c = '_';
    // avoid comment delimiters and trigraphs
    if ((before == '*' && c == '/') || (before == '/' && c == '*')) c = '_';
    if (before == '?' && c == '?') c = '_';
    append(t, &c, 1);
    before = c;
  }
}

void limb_text_error(limb_text* t, double x)
{
  char digits[40];
  (void)snprintf(digits, sizeof digits, "%.1e", x);
  const char* exponent = strchr(digits, 'e');
  if (exponent) {
    limb_text_print(t, "%c.%c%s", digits[0], exponent[-1], exponent);
  } else {
    limb_text_put(t, digits);
  }
}

void limb_text_tex_number(limb_text* t, const char* number)
{
  const size_t digits = strcspn(number, "e");
  if (!number[digits]) {
    limb_text_put(t, number);
    return;
  }
  double power = 0;
  (void)limb_scan_number(number + digits + 1, number + strlen(number), &power);
  if (digits > 1 || *number != '1') limb_text_print(t, "%.*s \\cdot ", (int)digits, number);
  limb_text_print(t, "10^{%d}", (int)power);
}

void limb_text_clear(limb_text* t) { t->used = 0; }

void limb_text_end(limb_text* t)
{
  limb_free(&t->alloc, t->at, t->capacity);
  *t = (limb_text){.alloc = t->alloc};
}

// ---- words and identifiers -----------------------------------------------------------------------------------------

const char* limb_next_word(const char* list, char* word, size_t capacity)
{
  list += strspn(list, " ");
  const size_t whole = strcspn(list, ",");
  size_t length = whole;
  while (length && list[length - 1] == ' ') length--;
  if (length >= capacity) length = capacity - 1;
  memcpy(word, list, length);
  word[length] = '\0';
  return list[whole] ? list + whole + 1 : NULL;
}

bool limb_is_all(const char* list)
{
  char word[8];
  return !limb_next_word(list, word, sizeof word) && strcmp(word, "all") == 0;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool fits(char c) { return is_letter(c) || c == '_' || (c >= '0' && c <= '9'); }

bool limb_is_identifier(const char* name)
{
  bool good = is_letter(name[0]);
  for (; *name && good; name++) good = fits(*name);
  return good;
}

void limb_make_identifier(const char* name, char* out, size_t capacity)
{
  size_t n = 0;
  name += strspn(name, "_");
  if (!is_letter(name[0])) n = (size_t)snprintf(out, capacity, "robot_");
  for (; *name && n + 1 < capacity; name++) {
    if (!fits(*name) && n && out[n - 1] == '_') continue;
    out[n++] = (char)(fits(*name) ? *name : '_');
  }
  while (n > 1 && out[n - 1] == '_') n--;
  out[n] = '\0';
}
