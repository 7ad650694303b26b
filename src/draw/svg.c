// SVG, element by element.
#include "draw/figure.h"

#include <string.h>

// Length of the UTF-8 character at text, 0 if it is not one: two to four bytes, shortest form, no surrogates.
static int character(const unsigned char* c)
{
  static const unsigned char low[] = {0xc2, 0xe0, 0xf0}, high[] = {0xdf, 0xef, 0xf4};
  if (c[0] < 0x80) return 1;
  for (int more = 1; more <= 3; more++) {
    if (c[0] < low[more - 1] || c[0] > high[more - 1]) continue;
    for (int i = 1; i <= more; i++)
      if ((c[i] & 0xc0) != 0x80) return 0;
    if (c[0] == 0xe0 && c[1] < 0xa0) return 0;
    if (c[0] == 0xed && c[1] > 0x9f) return 0;
    if (c[0] == 0xf0 && c[1] < 0x90) return 0;
    if (c[0] == 0xf4 && c[1] > 0x8f) return 0;
    return more + 1;
  }
  return 0;
}

static void escape(FILE* out, const char* text, int length)
{
  const char c = *text;
  if (length == 0 || (length == 1 && (unsigned char)c < 32))
    (void)fputs("?", out);
  else if (c == '&')
    (void)fputs("&amp;", out);
  else if (c == '<')
    (void)fputs("&lt;", out);
  else if (c == '>')
    (void)fputs("&gt;", out);
  else if (c == '"')
    (void)fputs("&quot;", out);
  else
    (void)fwrite(text, 1, (size_t)length, out);
}

static int count_characters(const char* text)
{
  int n = 0;
  while (*text) {
    const int length = character((const unsigned char*)text);
    text += length ? length : 1;
    n++;
  }
  return n;
}

void svg_escape(FILE* out, const char* text, int max)
{
  const int n = count_characters(text);
  const int shown = n <= max ? n : max - 1;
  for (int i = 0; i < shown; i++) {
    const int length = character((const unsigned char*)text);
    escape(out, text, length);
    text += length ? length : 1;
  }
  if (shown < n) (void)fputs("\xe2\x80\xa6", out);
}

void svg_begin(FILE* out, double width, double height, const char* title, const char* const* style)
{
  (void)fprintf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>",
                width, height, width, height);
  svg_escape(out, title, 200);
  (void)fputs("</title>\n<style>\n", out);
  svg_lines(out, style);
  (void)fputs("</style>\n", out);
}

void svg_lines(FILE* out, const char* const* lines)
{
  for (; *lines; lines++) (void)fprintf(out, "%s\n", *lines);
}

void svg_end(FILE* out) { (void)fputs("</svg>\n", out); }

void svg_rect(FILE* out, const char* class, double x, double y, double width, double height)
{
  (void)fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", class, x, y, width,
                height);
}

void svg_line(FILE* out, const char* class, double x1, double y1, double x2, double y2)
{
  (void)fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, x1, y1, x2, y2);
}

void svg_circle(FILE* out, const char* class, double x, double y, double radius)
{
  (void)fprintf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", class, x, y, radius);
}

void svg_text(FILE* out, const char* class, svg_anchor anchor, double x, double y, int max, const char* text)
{
  static const char* const word[] = {"start", "middle", "end"};
  (void)fprintf(out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, word[anchor], x, y);
  svg_escape(out, text, max);
  (void)fputs("</text>\n", out);
}

void svg_path_begin(FILE* out, const char* class) { (void)fprintf(out, "<path class=\"%s\" d=\"", class); }

void svg_path_to(FILE* out, int first, double x, double y)
{
  (void)fprintf(out, "%c%.1f %.1f", first ? 'M' : 'L', x, y);
}

void svg_path_end(FILE* out, int close) { (void)fputs(close ? "Z\"/>\n" : "\"/>\n", out); }
