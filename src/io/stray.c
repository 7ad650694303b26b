// What a file that is no model begins with.
#include "io/stray.h"

#include <string.h>

// The text without the mark of UTF-8 and without blanks at its beginning.
static const char* skip_blanks(const char* text, const char* end)
{
  if (end - text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
  while (text < end && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n')) text++;
  return text;
}

// Whether the text begins with the word, which is in lower case.
static int begins(const char* text, const char* end, const char* word)
{
  for (; *word; word++, text++) {
    if (text == end) return 0;
    if ((*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text) != *word) return 0;
  }
  return 1;
}

int limb_report_stray(limb_findings* f, const char* text, size_t size)
{
  const char* end = text + size;
  const limb_mark at = {1, 1};
  const limb_subject about = {NULL, NULL};
  text = skip_blanks(text, end);
  if (begins(text, end, "version https://git-lfs")) {
    limb_report(f, RULE_WRONG_FORMAT, at, about,
                "the file is a pointer of Git LFS: the model itself has not been fetched");
    limb_report_hint(f, "fetch it: git lfs install, then git lfs pull");
    return 1;
  }
  if (begins(text, end, "<!doctype html") || begins(text, end, "<html")) {
    limb_report(f, RULE_WRONG_FORMAT, at, about, "the file is a web page (HTML), not a model");
    limb_report_hint(f, "download the file itself (\"raw\"), not the page that shows it");
    return 1;
  }
  return 0;
}

int limb_report_not_xml(limb_findings* f, const char* text, size_t size, const char* language)
{
  const char* end = text + size;
  text = skip_blanks(text, end);
  if (text == end || *text < ' ' || *text > '~' || *text == '<') return 0; // a matter for the parser
  const int json = *text == '{' || *text == '[';
  limb_report(f, RULE_WRONG_FORMAT, (limb_mark){1, 1}, (limb_subject){NULL, NULL},
              "the file should be %s, which is XML and begins with '<'; it looks like %s", language,
              json ? "JSON" : "plain text");
  limb_report_hint(f, json ? "take the model that it was made from"
                           : "an error page or another file may have been saved under this name");
  return 1;
}
