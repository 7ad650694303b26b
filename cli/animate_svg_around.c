// What stands around the robot in an animation as SVG: title, time, axes, scale bar.
#include "animate_reel.h"
#include "svg.h"

enum { LABELS = 200 }; // of time, at most

void animation_svg_begin(const animation_reel* r, const char* element, const char* attribute, FILE* out)
{
  (void)fprintf(out, "<%s attributeName=\"%s\" dur=\"%.4gs\" repeatCount=\"indefinite\" ", element, attribute,
                r->length / r->speed);
}

// Axes of the world, in the corner; those that point at who looks are left out.
static void put_axes(const animation_reel* r, FILE* out)
{
  static const char* const name[] = {"x", "y", "z"};
  const double x = SVG_MARGIN + 34, y = r->height - SVG_BOTTOM + 2;
  for (int k = 0; k < 3; k++) {
    double to[2];
    const sp_vec3 e = reel_world_axis(r, k);
    reel_project(r, e, to);
    if (hypot(to[0], to[1]) < 0.1) continue;
    (void)fprintf(out, "<path class=\"%s\" stroke-width=\"2\" d=\"M%.1f %.1fl%.1f %.1f\"/>\n", name[k], x, y,
                  28 * to[0], -28 * to[1]);
    svg_text(out, "axis", SVG_MIDDLE, x + 38 * to[0], y - 38 * to[1] + 4, 1, name[k]);
  }
}

static void put_scale_bar(const animation_reel* r, double scale, FILE* out)
{
  const double length = reel_round(170 / scale), right = r->width - SVG_MARGIN;
  const double left = right - length * scale, y = r->height - SVG_BOTTOM + 18;
  char text[40];
  if (length < 0.0099) {
    (void)snprintf(text, sizeof text, "%g mm", length * 1000);
  } else {
    (void)snprintf(text, sizeof text, "%g m", length);
  }
  (void)fprintf(out,
                "<path class=\"bar\" stroke-width=\"1.5\" d=\"M%.1f %.1fv8M%.1f %.1fH%.1fM%.1f "
                "%.1fv8\"/>\n",
                left, y - 4, left, y, right, right, y - 4);
  svg_text(out, "unit", SVG_MIDDLE, (left + right) / 2, y - 8, 20, text);
}

// The time, as a strip of labels behind a window, and a bar that fills.
static void put_time(const animation_reel* r, FILE* out)
{
  const int labels = r->frames < LABELS ? r->frames : LABELS, tall = 26;
  const double right = r->width - SVG_MARGIN, y = r->height - 24;
  const double step = r->length / labels;
  const int digits = r->length > 0 ? (int)fmax(0, fmin(9, ceil(-log10(step)))) : 3;
  (void)fprintf(out, "<svg x=\"%.0f\" y=\"18\" width=\"240\" height=\"%d\"><g>", right - 240, tall);
  if (labels > 1) {
    animation_svg_begin(r, "animateTransform", "transform", out);
    (void)fputs("type=\"translate\" calcMode=\"discrete\" values=\"", out);
    for (int k = 0; k < labels; k++) (void)fprintf(out, "%s0 %d", k ? ";" : "", -tall * k);
    (void)fputs("\"/>\n", out);
  }
  for (int k = 0; k < labels; k++)
    (void)fprintf(out, "<text class=\"time\" text-anchor=\"end\" x=\"240\" y=\"%d\">%.*f s</text>\n", 20 + tall * k,
                  digits, r->first + k * step);
  (void)fputs("</g></svg>\n", out);
  if (labels < 2) return;
  (void)fprintf(out, "<path class=\"track\" stroke-width=\"4\" d=\"M%d %.0fH%.0f\"/>\n", SVG_MARGIN, y, right);
  (void)fprintf(out, "<line class=\"done\" stroke-width=\"4\" x1=\"%d\" y1=\"%.0f\" x2=\"%d\" y2=\"%.0f\">", SVG_MARGIN,
                y, SVG_MARGIN, y);
  animation_svg_begin(r, "animate", "x2", out);
  (void)fprintf(out, "values=\"%d;%.0f\"/></line>\n", SVG_MARGIN, right);
}

static void put_words(const animation_reel* r, FILE* out)
{
  char text[60];
  svg_text(out, "title", SVG_START, SVG_MARGIN, 38, r->width / 13, r->title);
  svg_text(out, "sub", SVG_START, SVG_MARGIN, 58, r->width / 8, r->subtitle);
  if (r->frames < 2 || r->speed == 1) return;
  (void)snprintf(text, sizeof text, r->speed < 1 ? "slowed down %g times" : "%g times as fast",
                 r->speed < 1 ? 1 / r->speed : r->speed);
  svg_text(out, "sub", SVG_END, r->width - SVG_MARGIN, 58, 40, text);
}

void animation_svg_around(const animation_reel* r, double scale, FILE* out)
{
  put_axes(r, out);
  put_scale_bar(r, scale, out);
  put_words(r, out);
  put_time(r, out);
}
