// Names of formats, and how to tell them apart.
#include "io/format.h"

#include <string.h>

const char* limb_format_name(limb_format format)
{
  switch (format) {
  case LIMB_FORMAT_AUTO: return "auto";
  case LIMB_FORMAT_URDF: return "urdf";
  case LIMB_FORMAT_YAML: return "yaml";
  case LIMB_FORMAT_PAR: return "par";
  case LIMB_FORMAT_MJCF: return "mjcf";
  }
  return NULL;
}

static int ends_with(const char* text, const char* end)
{
  const size_t n = strlen(text), m = strlen(end);
  if (n < m) return 0;
  for (size_t i = 0; i < m; i++) {
    const char c = text[n - m + i];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != end[i]) return 0;
  }
  return 1;
}

limb_format limb_format_of_name(const char* path)
{
  static const struct {
    const char* end;
    limb_format format;
  } known[] = {{".urdf", LIMB_FORMAT_URDF}, {".xacro", LIMB_FORMAT_URDF}, {".yaml", LIMB_FORMAT_YAML},
               {".yml", LIMB_FORMAT_YAML},  {".par", LIMB_FORMAT_PAR},    {".mjcf", LIMB_FORMAT_MJCF}};
  for (size_t i = 0; path && i < sizeof known / sizeof *known; i++) {
    if (ends_with(path, known[i].end)) return known[i].format;
  }
  return LIMB_FORMAT_AUTO;
}

// Where word stands in the first bytes of a text: a prologue of comments may be long, but not endless.
static const char* find(const char* text, size_t size, const char* word)
{
  enum { LOOK_AT = 1 << 16 };
  const size_t length = strlen(word);
  if (size > LOOK_AT) size = LOOK_AT;
  for (size_t i = 0; i + length <= size; i++) {
    if (memcmp(text + i, word, length) == 0) return text + i;
  }
  return NULL;
}

limb_format limb_format_of_text(const char* text, size_t size)
{
  size_t i = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (i < size && strchr(" \t\r\n", text[i]) && text[i]) i++;
  if (i == size) return LIMB_FORMAT_AUTO;
  text += i;
  size -= i;
  if (text[0] == '<') {
    const char *robot = find(text, size, "<robot"), *mujoco = find(text, size, "<mujoco");
    if (mujoco && (!robot || mujoco < robot)) return LIMB_FORMAT_MJCF;
    return LIMB_FORMAT_URDF;
  }
  if (size >= 2 && text[0] == '(' && text[1] == '*') return LIMB_FORMAT_PAR;
  if (find(text, size, "limb:")) return LIMB_FORMAT_YAML;
  return LIMB_FORMAT_AUTO;
}
