// Which language a file is in, by its name and its content; and files that are no models at all.
#include "io/file_text.h"
#include "io/reading.h"

#include <stdint.h>
#include <string.h>

// ---- languages ------------------------------------------------------------------------------------

static const char* const format_names[] = {"auto", "urdf", "yaml", "par", "mjcf", "sdf"}; // by value

const char* limb_format_name(limb_format format)
{
  return (size_t)format < sizeof format_names / sizeof *format_names ? format_names[format] : NULL;
}

static int ends_with(const char* text, const char* end)
{
  const size_t n = strlen(text), m = strlen(end);
  if (n < m) return 0;
  for (size_t i = 0; i < m; i++) {
    if (lower_case(text[n - m + i]) != end[i]) return 0;
  }
  return 1;
}

limb_format limb_format_of_name(const char* path)
{
  static const struct {
    const char* end;
    limb_format format;
  } known[] = {{".urdf", LIMB_FORMAT_URDF}, {".xacro", LIMB_FORMAT_URDF}, {".yaml", LIMB_FORMAT_YAML},
               {".yml", LIMB_FORMAT_YAML},  {".par", LIMB_FORMAT_PAR},    {".mjcf", LIMB_FORMAT_MJCF},
               {".sdf", LIMB_FORMAT_SDF},   {".world", LIMB_FORMAT_SDF}};
  for (int i = 0; path && i < COUNT(known); i++) {
    if (ends_with(path, known[i].end)) return known[i].format;
  }
  return LIMB_FORMAT_AUTO;
}

// The first occurrence of a word near the beginning of a text: a prologue of comments may be long, but not endless.
static const char* find(const char* text, const char* end, const char* word)
{
  enum { MAX_PROLOGUE = 1 << 16 };
  const size_t length = strlen(word), size = (size_t)(end - text);
  for (size_t i = 0; i + length <= (size < MAX_PROLOGUE ? size : MAX_PROLOGUE); i++) {
    if (memcmp(text + i, word, length) == 0) return text + i;
  }
  return NULL;
}

limb_format limb_format_of_text(const char* text, size_t size)
{
  const char* end = text + size;
  text = limb_skip_to_text(text, end);
  if (text == end) return LIMB_FORMAT_AUTO;
  if (*text == '<') {
    const char *robot = find(text, end, "<robot"), *mujoco = find(text, end, "<mujoco"), *sdf = find(text, end, "<sdf");
    if (sdf && !robot && !mujoco) return LIMB_FORMAT_SDF;
    return mujoco && (!robot || mujoco < robot) ? LIMB_FORMAT_MJCF : LIMB_FORMAT_URDF;
  }
  if (end - text >= 2 && memcmp(text, "(*", 2) == 0) return LIMB_FORMAT_PAR;
  return find(text, end, "limb:") ? LIMB_FORMAT_YAML : LIMB_FORMAT_AUTO;
}

// ---- files that are not models --------------------------------------------------------------------

static const file_pos first_line = {1, 1, 0};
static const limb_subject whole_file = {NULL, NULL};

// Whether the text begins with the word, which is in lower case.
static int begins(const char* text, const char* end, const char* word)
{
  for (; *word; word++, text++) {
    if (text == end || lower_case(*text) != *word) return 0;
  }
  return 1;
}

// Binary STL: a header of 80 bytes, the number of triangles, and 50 bytes for each.
static int is_binary_stl(const char* text, size_t size)
{
  uint32_t n = 0;
  for (int k = 3; k >= 0 && size >= 84; k--) n = n << 8 | (unsigned char)text[80 + k];
  return size >= 84 && n > 0 && size == 84 + 50 * (size_t)n;
}

int limb_report_not_model(limb_findings* f, const char* text, size_t size)
{
  static const char mesh[] = "use the model that refers to it: a mesh has neither joints nor masses";
  static const char usd[] = "export URDF or MJCF from the program that made it";
  static const char page[] = "download the file itself (\"raw\"), not the page that shows it";
  static const struct {
    const char *begin, *inside, *what, *hint;
  } known[] = {{"version https://git-lfs", NULL, "a Git LFS pointer: the model itself has not been fetched",
                "fetch it: git lfs install, then git lfs pull"},
               {"<!doctype html", NULL, "a web page (HTML), not a model", page},
               {"<html", NULL, "a web page (HTML), not a model", page},
               {"#usda", NULL, "a scene in USD, which is not supported", usd},
               {"pxr-usdc", NULL, "a scene in USD, which is not supported", usd},
               {"solid", "facet", "a mesh (STL), not a model", mesh},
               {"ply\n", NULL, "a mesh (PLY), not a model", mesh},
               {"gltf", NULL, "a mesh (glTF), not a model", mesh}};
  const char *end = text + size, *start = limb_skip_to_text(text, end);
  for (int i = 0; i < COUNT(known) + 1; i++) {
    const int stl = i == COUNT(known);
    if (stl ? !is_binary_stl(text, size)
            : !begins(start, end, known[i].begin) || (known[i].inside && !find(start, end, known[i].inside)))
      continue;
    limb_report(f, RULE_WRONG_FORMAT, first_line, whole_file, "the file is %s",
                stl ? "a mesh (STL), not a model" : known[i].what);
    limb_report_hint(f, "%s", stl ? mesh : known[i].hint);
    return 1;
  }
  return 0;
}

int limb_report_not_xml(limb_findings* f, const char* text, size_t size, const char* language)
{
  const char* end = text + size;
  text = limb_skip_to_text(text, end);
  if (text == end || *text < ' ' || *text > '~' || *text == '<') return 0; // left to the parser
  const int json = *text == '{' || *text == '[';
  limb_report(f, RULE_WRONG_FORMAT, first_line, whole_file,
              "the file should be %s, which is XML and begins with '<', but it looks like %s", language,
              json ? "JSON" : "plain text");
  limb_report_hint(f, json ? "use the model that it was made from"
                           : "an error page or another file may have been saved under this name");
  return 1;
}
