// Reports as HTML: what is escaped, what stands where, that nothing is loaded.
#include "support/check.h"

#include "limb/draw.h"

#include <stdlib.h>
#include <string.h>

static const char hostile[] = "</td></title><script>alert(1)</script>\" onload='x' \xff&";

// What was written to a file, which is closed; to be freed.
static char* text_of(FILE* out)
{
  const long size = ftell(out);
  char* text = calloc((size_t)size + 1, 1);
  assert_that(size > 0 && text && fseek(out, 0, SEEK_SET) == 0);
  assert_that(fread(text, 1, (size_t)size, out) == (size_t)size && fclose(out) == 0);
  return text;
}

static int count(const char* text, const char* what)
{
  int n = 0;
  for (; (text = strstr(text, what)); text++) n++;
  return n;
}

// Names come from files that anybody may have written: no element, attribute or script comes out of them.
START_TEST(hostile_names)
{
  const char* const heading[] = {hostile, "b"};
  const char* const cells[] = {hostile, "1", "two", hostile};
  const unsigned char left[] = {1, 0}, mark[] = {0, LIMB_PAGE_OVER, LIMB_PAGE_FAIR, 0};
  const limb_page_table table = {2, 2, heading, left, cells, mark};
  FILE* out = tmpfile();
  assert_that(out != NULL);
  limb_page_begin(out, hostile, hostile);
  limb_page_heading(out, 2, hostile);
  limb_page_text(out, LIMB_PAGE_BAD, hostile);
  limb_page_table_write(out, &table);
  limb_page_tiles(out, 1, (const char* const[]){hostile, hostile});
  limb_page_open(out, 1.5);
  limb_page_picture(out, "<svg><script>alert(2)</script></svg>", 36, hostile);
  limb_page_next(out);
  limb_page_close(out, 1.5);
  limb_page_end(out, hostile);
  char* text = text_of(out);
  assert_that(!strstr(text, "<script") && !strstr(text, "\" onload") && !strchr(text, '\xff'));
  assert_that(count(text, "<td") == 4 && count(text, "</td>") == 4 && count(text, "</title>") == 1);
  assert_that(count(text, "<div") == count(text, "</div>") && count(text, "class=\"over\"") == 1);
  assert_that(strstr(text, "base64,PHN2Zz48c2NyaXB0PmFsZXJ0KDIpPC9zY3JpcHQ+PC9zdmc+\"") != NULL);
  assert_that(strstr(text, "default-src 'none'") && !strstr(text, "http://") && !strstr(text, "https://"));
  free(text);
}
END_TEST

// Base 64 of one, two and three bytes ends as it must.
START_TEST(picture_bytes)
{
  static const char* const want[] = {",YQ==\"", ",YWI=\"", ",YWJj\""};
  for (size_t n = 1; n <= 3; n++) {
    FILE* out = tmpfile();
    assert_that(out != NULL);
    limb_page_picture(out, "abc", n, "");
    char* text = text_of(out);
    assert_that(strstr(text, want[n - 1]) != NULL);
    free(text);
  }
}
END_TEST

START_TEST(nothing)
{
  FILE* out = tmpfile();
  assert_that(out != NULL);
  limb_page_begin(NULL, "", ""), limb_page_begin(out, NULL, NULL), limb_page_heading(out, 2, NULL);
  limb_page_text(out, LIMB_PAGE_PLAIN, NULL), limb_page_text(out, (limb_page_style)9, "x");
  limb_page_table_write(out, NULL), limb_page_tiles(out, 0, NULL), limb_page_picture(out, NULL, 0, NULL);
  limb_page_open(NULL, 0), limb_page_next(NULL), limb_page_close(NULL, 0), limb_page_end(NULL, NULL);
  assert_that(ftell(out) == 0 && fclose(out) == 0);
}
END_TEST

CHECK_MAIN("page", 1, hostile_names, picture_bytes, nothing)
