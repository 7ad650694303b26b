// An animation as a page: the scene as JSON, its positions as 16-bit integers in base 64, and a script that
// plays it.
#include "draw/animation.h"
#include "draw/figure.h"

#include <stdint.h>

enum { FILE_SIZE = 4000000, MAX_FRAMES = 1800 };

int animation_html_frames(const draw_figure* f, int space)
{
  const double bytes = (space ? 3 : 2) * 2 * 4 / 3.0 * (f->points + 1);
  return (int)fmax(2, fmin(MAX_FRAMES, FILE_SIZE / bytes));
}

// ---- positions ----------------------------------------------------------------------------------------

// Bytes become letters, three at a time.
typedef struct base64 {
  FILE* out;
  uint32_t bits;
  int count; // bytes in bits
} base64;

static void put_letters(base64* b)
{
  static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int k = 0; k < 4; k++) (void)fputc(k <= b->count ? letter[b->bits >> (18 - 6 * k) & 63] : '=', b->out);
  b->bits = 0;
  b->count = 0;
}

static void put_byte(base64* b, uint32_t byte)
{
  b->bits |= byte << (16 - 8 * b->count);
  if (++b->count == 3) put_letters(b);
}

static void put_positions(const animation_track* r, FILE* out, double unit)
{
  const size_t all = (size_t)r->frames * (size_t)r->figure->points;
  const double low[] = {r->low.x, r->low.y, r->low.z};
  base64 b = {.out = out};
  for (size_t i = 0; i < all; i++) {
    for (int d = 0; d < (r->space ? 3 : 2); d++) {
      const double x = ((double)r->at[3 * i + (size_t)d] - low[d]) / unit;
      const uint32_t n = (uint32_t)lround(fmax(0, fmin(65535, x)));
      put_byte(&b, n & 255);
      put_byte(&b, n >> 8);
    }
  }
  if (b.count > 0) put_letters(&b);
}

// ---- the scene -------------------------------------------------------------------------------------

static void put_shapes(const animation_track* r, FILE* out)
{
#define FIGURE_X(name, points, text) text,
  static const char* const names[] = {FIGURE_LIST(FIGURE_X)};
#undef FIGURE_X
  const draw_figure* f = r->figure;
  for (int k = 0; k < f->shapes; k++) {
    const figure_shape* s = &f->shape[k];
    (void)fprintf(out, "%s[\"%s\",%d", k ? "," : "", names[s->kind], s->tone);
    for (int i = 0; i < s->count; i++) (void)fprintf(out, ",%d", f->index[s->first + i]);
    (void)fputs("]", out);
  }
}

static void put_scene(const animation_track* r, FILE* out)
{
  const animation_floor* g = &r->floor;
  const sp_vec3 size = sp_sub3(r->high, r->low), t = r->target;
  const double max = fmax(fmax(size.x, size.y), size.z), unit = max > 0 ? max / 65535 : 1;
  const double step = r->length / r->frames;
  (void)fprintf(out,
                "{\"space\":%d,\"points\":%d,\"frames\":%d,\"first\":%.9g,\"length\":%.9g,"
                "\"speed\":%.9g,\"digits\":%d,\"trace\":%d,\n",
                r->space, r->figure->points, r->frames, r->first, r->length, r->speed,
                step > 0 ? (int)fmax(1, fmin(9, ceil(-log10(step)))) : 3, r->figure->trace);
  (void)fprintf(out,
                "\"low\":[%.9g,%.9g,%.9g],\"unit\":%.9g,\"target\":[%.9g,%.9g,%.9g],"
                "\"span\":[%.6g,%.6g],\"azimuth\":%g,\"elevation\":%g,\"link\":%.6g,\n",
                r->low.x, r->low.y, r->low.z, unit, t.x, t.y, t.z, r->span[0], r->span[1], r->azimuth, r->elevation,
                track_link(r));
  (void)fputs("\"axes\":[", out);
  for (int k = 0; k < 3; k++) {
    const sp_vec3 e = track_world_axis(r, k);
    (void)fprintf(out, "%s[%.6g,%.6g,%.6g]", k ? "," : "", e.x, e.y, e.z);
  }
  (void)fputs("],\"floor\":", out);
  if (g->shown) {
    (void)fprintf(out, "{\"height\":%.6g,\"step\":%.6g,\"low\":[%.6g,%.6g],\"high\":[%.6g,%.6g]}", g->height, g->step,
                  g->low[0], g->low[1], g->high[0], g->high[1]);
  } else {
    (void)fputs("null", out);
  }
  (void)fputs(",\n\"shapes\":[", out);
  put_shapes(r, out);
  (void)fputs("],\n\"data\":\"", out);
  put_positions(r, out, unit);
  (void)fputs("\"}", out);
}

void animation_write_html(const animation_track* r, FILE* out)
{
  (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
              out);
  svg_escape(out, r->title, 200);
  (void)fputs("</title>\n<style>\n", out);
  svg_lines(out, animation_page_css);
  (void)fputs("</style>\n</head>\n<body>\n<header>\n<div><h1>", out);
  svg_escape(out, r->title, 400);
  (void)fputs("</h1><p>", out);
  svg_escape(out, r->subtitle, 600);
  (void)fputs("</p></div>\n", out);
  svg_lines(out, animation_page_html);
  (void)fputs("<script type=\"application/json\" id=\"scene\">\n", out);
  put_scene(r, out);
  (void)fputs("\n</script>\n<script>\n", out);
  svg_lines(out, animation_page_js);
  (void)fputs("</script>\n</body>\n</html>\n", out);
}
