// Words of lists and sources (words.h).
#include "codegen/words.h"

#include <stdio.h>
#include <string.h>

const char* limb_next_word(const char* list, char* word, size_t room)
{
  list += strspn(list, " ");
  const size_t whole = strcspn(list, ",");
  size_t length = whole;
  while (length && list[length - 1] == ' ') length--;
  if (length >= room) length = room - 1;
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

void limb_make_identifier(const char* name, char* out, size_t room)
{
  size_t n = 0;
  name += strspn(name, "_");
  if (!is_letter(name[0])) n = (size_t)snprintf(out, room, "robot_");
  for (; *name && n + 1 < room; name++) {
    if (!fits(*name) && n && out[n - 1] == '_') continue;
    out[n++] = (char)(fits(*name) ? *name : '_');
  }
  while (n > 1 && out[n - 1] == '_') n--;
  out[n] = '\0';
}
