// A map over one or two coordinates as a drawing: the grid, and the positions of a frame.
#include "limb/draw.h"

#include "draw/figure.h"

#include <math.h>

enum { LEFT = 70, TOP = 70, SIDE = 420, GAP = 90, BINS = 5 };

// Decades of the worse of both conditions: below 10, 100, 1000, 10000, beyond.
static const char* class_of(const limb_map_point* p)
{
  static const char* const bins[BINS] = {"b0", "b1", "b2", "b3", "b4"};
  const limb_mobility* m = &p->mobility;
  const double worst = fmax(m->condition_passive, m->condition_active);
  if (m->singularity != LIMB_REGULAR) return "s";
  int bin = 0;
  double limit = 10;
  while (bin < BINS - 1 && !(worst < limit)) limit *= 10, bin++;
  return bins[bin];
}

static void label(FILE* out, svg_anchor anchor, double x, double y, double value)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%.4g", value);
  svg_text(out, "tick", anchor, x, y, 30, text);
}

// Names and ends of both axes of a square panel; those of y may be absent.
static void axes(FILE* out, double left, const char* x, const double xs[2], const char* y, const double ys[2])
{
  svg_rect(out, "frame", left, TOP, SIDE, SIDE);
  label(out, SVG_START, left, TOP + SIDE + 16, xs[0]);
  label(out, SVG_END, left + SIDE, TOP + SIDE + 16, xs[1]);
  svg_text(out, "name", SVG_MIDDLE, left + SIDE / 2.0, TOP + SIDE + 16, 40, x);
  if (!y) return;
  label(out, SVG_END, left - 6, TOP + SIDE, ys[0]);
  label(out, SVG_END, left - 6, TOP + 12, ys[1]);
  svg_text(out, "name", SVG_START, left, TOP - 8, 60, y);
}

static size_t points_of(const limb_map* m) { return (size_t)m->count[0] * (size_t)m->count[1]; }

static void draw_grid(const limb_map_drawing* d, FILE* out)
{
  const limb_map* m = d->map;
  const double width = (double)SIDE / m->count[0], height = (double)SIDE / m->count[1];
  for (size_t i = 0; i < points_of(m); i++) {
    const int column = (int)i / m->count[1], row = (int)i % m->count[1];
    if (!d->point[i].closed) continue;
    svg_rect(out, class_of(&d->point[i]), LEFT + column * width, TOP + SIDE - (row + 1) * height, width, height);
  }
  const double xs[] = {m->lower[0], m->upper[0]}, ys[] = {m->lower[1], m->upper[1]};
  axes(out, LEFT, d->name[0], xs, m->velocity[1] >= 0 ? d->name[1] : NULL, ys);
}

static double component(const limb_map_point* p, int k)
{
  return k == 0 ? p->pose.p.x : k == 1 ? p->pose.p.y : p->pose.p.z;
}

// Positions of the frame, seen along the axis in which they differ least; both axes to the same scale.
static void draw_positions(const limb_map_drawing* d, FILE* out)
{
  static const char* const names[] = {"x [m]", "y [m]", "z [m]"};
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  int flat = 2, any = 0;
  for (size_t i = 0; i < points_of(d->map); i++) {
    if (!d->point[i].closed) continue;
    any = 1;
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], component(&d->point[i], k));
      high[k] = fmax(high[k], component(&d->point[i], k));
    }
  }
  if (!any) return;
  for (int k = 1; k >= 0; k--)
    if (high[k] - low[k] < high[flat] - low[flat]) flat = k;
  const int h = flat == 0 ? 1 : 0, v = flat == 2 ? 1 : 2;
  const double size = fmax(fmax(high[h] - low[h], high[v] - low[v]), 1e-9), left = LEFT + SIDE + GAP;
  for (size_t i = 0; i < points_of(d->map); i++) {
    const limb_map_point* p = &d->point[i];
    if (p->closed)
      svg_circle(out, class_of(p), left + SIDE * (component(p, h) - low[h]) / size,
                 TOP + SIDE - SIDE * (component(p, v) - low[v]) / size, 2);
  }
  const double xs[] = {low[h], low[h] + size}, ys[] = {low[v], low[v] + size};
  axes(out, left, names[h], xs, names[v], ys);
}

static void draw_legend(FILE* out)
{
  static const char* const classes[] = {"b0", "b1", "b2", "b3", "b4", "s"};
  static const char* const texts[] = {"< 10", "< 100", "< 1000", "< 10000", "more", "singular"};
  const double y = TOP + SIDE + 34;
  svg_text(out, "name", SVG_START, LEFT, y + 11, 20, "condition");
  for (int k = 0; k < 6; k++) {
    svg_rect(out, classes[k], LEFT + 70 + 66 * k, y, 12, 12);
    svg_text(out, "name", SVG_START, LEFT + 86 + 66 * k, y + 11, 12, texts[k]);
  }
}

void limb_map_write(const limb_map_drawing* d, FILE* out)
{
  if (!d || !d->map || !d->point || !out) return;
  const int positions = d->map->frame >= 0;
  svg_begin(out, LEFT + SIDE + 60 + (positions ? SIDE + GAP : 0), TOP + SIDE + 70, d->title, map_css);
  svg_text(out, "title", SVG_START, LEFT, 34, 100, d->title);
  draw_grid(d, out);
  if (positions) draw_positions(d, out);
  draw_legend(out);
  svg_end(out);
}
