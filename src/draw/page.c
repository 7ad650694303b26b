// Reports as HTML, element by element, for browsers and for paper. Pictures are images of their own: neither their
// styles nor what their text contains reaches the page.
#include "limb/draw.h"

#include "draw/figure.h"

enum { LONG = 4000, WHOLE = 20 }; // characters of a text; rows of a table that no page cuts

// ---- text ------------------------------------------------------------------------------------------

static void put_element(FILE* out, const char* element, const char* class, const char* text)
{
  (void)fprintf(out, *class ? "<%s class=\"%s\">" : "<%s>", element, class);
  svg_escape(out, text, LONG);
  (void)fprintf(out, "</%s>\n", element);
}

void limb_page_begin(FILE* out, const char* title, const char* subtitle)
{
  if (!out || !title) return;
  (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
              "img-src data:\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
              out);
  svg_escape(out, title, 200);
  (void)fputs("</title>\n<style>\n", out);
  svg_lines(out, report_css);
  (void)fputs("</style>\n</head>\n<body>\n<header>\n", out);
  put_element(out, "h1", "", title);
  if (subtitle && *subtitle) put_element(out, "p", "", subtitle);
  (void)fputs("</header>\n<main>\n", out);
}

void limb_page_end(FILE* out, const char* footer)
{
  if (!out) return;
  (void)fputs("</main>\n", out);
  if (footer) put_element(out, "footer", "", footer);
  (void)fputs("</body>\n</html>\n", out);
}

void limb_page_heading(FILE* out, int level, const char* text)
{
  const char element[] = {'h', (char)('0' + (level < 2 ? 2 : level > 4 ? 4 : level)), '\0'};
  if (out && text) put_element(out, element, "", text);
}

void limb_page_text(FILE* out, limb_page_style style, const char* text)
{
  static const char* const class[] = {"", "note", "good", "bad"};
  if (!out || !text || style < LIMB_PAGE_PLAIN || style > LIMB_PAGE_BAD) return;
  put_element(out, "p", class[style], text);
}

// ---- tables and tiles ------------------------------------------------------------------------------

static const char* class_of(const limb_page_table* t, int column, int row)
{
  const int left = t->left && t->left[column];
  const int mark = row >= 0 && t->mark ? t->mark[row * t->columns + column] : 0;
  return mark == LIMB_PAGE_OVER   ? left ? "l over" : "over"
         : mark == LIMB_PAGE_FAIR ? left ? "l fair" : "fair"
                                  : (left ? "l" : "");
}

void limb_page_table_write(FILE* out, const limb_page_table* t)
{
  if (!out || !t || !t->cell) return;
  (void)fputs(t->rows <= WHOLE ? "<table class=\"whole\">\n" : "<table>\n", out);
  if (t->heading) {
    (void)fputs("<thead><tr>\n", out);
    for (int k = 0; k < t->columns; k++) put_element(out, "th", class_of(t, k, -1), t->heading[k]);
    (void)fputs("</tr></thead>\n", out);
  }
  (void)fputs("<tbody>\n", out);
  for (int i = 0; i < t->rows; i++) {
    (void)fputs("<tr>\n", out);
    for (int k = 0; k < t->columns; k++) put_element(out, "td", class_of(t, k, i), t->cell[i * t->columns + k]);
    (void)fputs("</tr>\n", out);
  }
  (void)fputs("</tbody>\n</table>\n", out);
}

void limb_page_tiles(FILE* out, int count, const char* const* text)
{
  if (!out || !text || count < 1) return;
  (void)fputs("<div class=\"tiles\">\n", out);
  for (int k = 0; k < count; k++) {
    (void)fputs("<div>", out);
    put_element(out, "span", "", text[2 * k]);
    put_element(out, "b", "", text[2 * k + 1]);
    (void)fputs("</div>\n", out);
  }
  (void)fputs("</div>\n", out);
}

// ---- pictures and places ---------------------------------------------------------------------------

// Bytes become letters, three at a time.
static void put_base64(FILE* out, const unsigned char* x, size_t size)
{
  static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    const unsigned long n = (unsigned long)x[i] << 16 | (i + 1 < size ? (unsigned long)x[i + 1] << 8 : 0) |
                            (i + 2 < size ? (unsigned long)x[i + 2] : 0);
    for (size_t k = 0; k < 4; k++) (void)fputc(i + k <= size ? letter[n >> (18 - 6 * k) & 63] : '=', out);
  }
}

void limb_page_picture(FILE* out, const char* svg, size_t length, const char* words)
{
  if (!out || !svg) return;
  (void)fputs("<figure><img alt=\"", out);
  svg_escape(out, words ? words : "", LONG);
  (void)fputs("\" src=\"data:image/svg+xml;base64,", out);
  put_base64(out, (const unsigned char*)svg, length);
  (void)fputs("\"></figure>\n", out);
}

void limb_page_open(FILE* out, double left)
{
  if (!out) return;
  if (left > 0)
    (void)fprintf(out, "<div class=\"beside\" style=\"--left: %.3gfr\">\n<div>\n", left);
  else
    (void)fputs("<section>\n", out);
}

void limb_page_next(FILE* out)
{
  if (out) (void)fputs("</div>\n<div>\n", out);
}

void limb_page_close(FILE* out, double left)
{
  if (out) (void)fputs(left > 0 ? "</div>\n</div>\n" : "</section>\n", out);
}
