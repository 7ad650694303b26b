// Drawings as pictures of all kinds: what files begin with, the same bits every time, mistakes.
#include "limb/draw.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static const char drawing[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\">"
                              "<rect x=\"5\" y=\"5\" width=\"30\" height=\"10\" fill=\"#c00\"/></svg>\n";

static limb_status write(const char* svg, limb_picture kind, char** bytes, size_t* length, limb_error* err)
{
  FILE* out = open_memstream(bytes, length);
  ck_assert_ptr_nonnull(out);
  const limb_status s = limb_picture_write(svg, strlen(svg), kind, out, err);
  assert_that(fclose(out) == 0);
  return s;
}

// Big-endian, as in the head of a PNG.
static unsigned number(const char* bytes)
{
  unsigned n = 0;
  for (int k = 0; k < 4; k++) n = n << 8 | (unsigned char)bytes[k];
  return n;
}

START_TEST(kinds)
{
  static const struct {
    limb_picture kind;
    const char* head;
  } forms[] = {{LIMB_PICTURE_SVG, "<svg"},
               {LIMB_PICTURE_HTML, "<!DOCTYPE html>"},
               {LIMB_PICTURE_PNG, "\x89PNG\r\n"},
               {LIMB_PICTURE_PDF, "%PDF-1."}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char *one, *two;
    size_t n, m;
    limb_error err = {0};
    const limb_status there = limb_picture_check(forms[i].kind, &err);
    if (there == LIMB_E_UNSUPPORTED) { // librsvg is not installed
      assert_that(forms[i].kind >= LIMB_PICTURE_PNG && strstr(err.text, "librsvg"));
      continue;
    }
    assert_ok(there);
    assert_ok(write(drawing, forms[i].kind, &one, &n, &err));
    assert_ok(write(drawing, forms[i].kind, &two, &m, &err));
    assert_that(strncmp(one, forms[i].head, strlen(forms[i].head)) == 0);
    assert_that(n == m && memcmp(one, two, n) == 0);
    if (forms[i].kind == LIMB_PICTURE_PNG) assert_that(number(one + 16) == 80 && number(one + 20) == 40);
    if (forms[i].kind == LIMB_PICTURE_HTML) assert_that(strstr(one, drawing) != NULL);
    free(one);
    free(two);
  }
}
END_TEST

START_TEST(mistakes)
{
  char* bytes = NULL;
  size_t n = 0;
  limb_error err = {0};
  assert_status(write(drawing, LIMB_PICTURE_NONE, &bytes, &n, &err), LIMB_E_ARG);
  free(bytes);
  assert_status(limb_picture_write(NULL, 0, LIMB_PICTURE_SVG, stdout, NULL), LIMB_E_ARG);
  assert_status(limb_picture_write(drawing, 4, LIMB_PICTURE_SVG, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_picture_check((limb_picture)9, NULL), LIMB_E_ARG);
  if (limb_picture_check(LIMB_PICTURE_PNG, NULL) != LIMB_OK) return;
  static const char* const wrong[] = {"", "no picture", "<svg xmlns=\"http://www.w3.org/2000/svg\"",
                                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1e9\" height=\"1e9\"/>",
                                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\"/>"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    for (limb_picture kind = LIMB_PICTURE_PNG; kind <= LIMB_PICTURE_PDF; kind++) {
      check_at("%s as %d", wrong[i], (int)kind);
      err.text[0] = 0;
      assert_status(write(wrong[i], kind, &bytes, &n, &err), LIMB_E_ARG);
      assert_that(*err.text);
      free(bytes);
    }
  }
}
END_TEST

START_TEST(names)
{
  assert_that(limb_picture_of("a.png") == LIMB_PICTURE_PNG && limb_picture_of("d.x/a.pdf") == LIMB_PICTURE_PDF);
  assert_that(!limb_picture_of("png") && !limb_picture_of(".pdf") && !limb_picture_of(NULL));
}
END_TEST

CHECK_MAIN("pictures", 1, kinds, mistakes, names)
