// An animation as SVG that moves by itself (SMIL): shapes of a kind and a tone are one path, whose commands
// are animated. Coordinates are tenths of a pixel, relative, so that a link is a handful of bytes per frame.
// Dots are strokes of no length with round ends.
#include "draw/animation.h"
#include "draw/figure.h"

#include <stdint.h>

enum { FILE_SIZE = 4000000, CASTING = 200 }; // max. points of figures that cast shadows

typedef struct svg_scene {
  const animation_track* r;
  FILE* out;
  double scale;       // pixels per metre
  double x, y;        // where the target is
  double weight;      // of strokes: thinner for robots of many short links
  int crowded;        // joints are too close to be marked
  unsigned long mark; // in the names of elements: several pictures may share a page
  int pen[2], begun;  // of the path at hand
  int start[2];       // of its current part
  int at_point;       // point of the figure where the pen is; -1: elsewhere
} svg_scene;

// ---- paths -----------------------------------------------------------------------------------------

static void tenths(const svg_scene* s, sp_vec3 x, int out[2])
{
  double xy[2];
  track_project(s->r, sp_sub3(x, s->r->target), xy);
  const double px = 10 * (s->x + s->scale * xy[0]), py = 10 * (s->y - s->scale * xy[1]);
  out[0] = (int)lround(fmax(-1e6, fmin(1e6, px)));
  out[1] = (int)lround(fmax(-1e6, fmin(1e6, py)));
}

static void begin_path(svg_scene* s) { s->begun = 0, s->at_point = -1; }

static void pair(svg_scene* s, int x, int y) { (void)fprintf(s->out, y < 0 ? "%d%d" : "%d %d", x, y); }

static void command(svg_scene* s, char letter, const int to[2])
{
  (void)fputc(letter, s->out);
  pair(s, to[0] - s->pen[0], to[1] - s->pen[1]);
  s->pen[0] = to[0], s->pen[1] = to[1];
}

static void move(svg_scene* s, const int to[2])
{
  if (!s->begun) s->pen[0] = s->pen[1] = 0;
  command(s, s->begun ? 'm' : 'M', to);
  s->begun = 1;
  s->start[0] = to[0], s->start[1] = to[1];
}

static void close_path(svg_scene* s)
{
  (void)fputc('z', s->out);
  s->pen[0] = s->start[0], s->pen[1] = s->start[1];
}

// To a point: with a line, or without.
static void go_to(svg_scene* s, sp_vec3 x, int line)
{
  int to[2];
  tenths(s, x, to);
  if (line)
    command(s, 'l', to);
  else
    move(s, to);
}

// A polygon through points, closed or not.
static void go_through(svg_scene* s, int count, const sp_vec3* x, int close)
{
  for (int k = 0; k < count; k++) go_to(s, x[k], k > 0);
  if (close) close_path(s);
}

// A circle seen at an angle: centre, and the vectors to two points of its rim. Four arcs as cubic curves.
static void go_round(svg_scene* s, sp_vec3 centre, sp_vec3 u, sp_vec3 v)
{
  const double arm = 0.5522847498;
  go_to(s, sp_add3(centre, u), 0);
  for (int k = 0; k < 4; k++) {
    const sp_vec3 from = sp_add3(centre, u), end = sp_add3(centre, v);
    int a[2], b[2], to[2];
    tenths(s, sp_add3(from, sp_scale3(arm, v)), a);
    tenths(s, sp_add3(end, sp_scale3(arm, u)), b);
    tenths(s, end, to);
    (void)fputc('c', s->out);
    pair(s, a[0] - s->pen[0], a[1] - s->pen[1]);
    (void)fputc(' ', s->out);
    pair(s, b[0] - s->pen[0], b[1] - s->pen[1]);
    (void)fputc(' ', s->out);
    pair(s, to[0] - s->pen[0], to[1] - s->pen[1]);
    s->pen[0] = to[0], s->pen[1] = to[1];
    const sp_vec3 next = sp_scale3(-1, u);
    u = v, v = next;
  }
  close_path(s);
}

// ---- shapes ----------------------------------------------------------------------------------------

// A run of shapes of one kind and tone, drawn as one path; of boxes the faces normal to one axis.
typedef struct shape_run {
  int first, end;
  int face;   // of boxes: 0, 1, 2
  int shadow; // on the floor
} shape_run;

static sp_vec3 seen(const svg_scene* s, const shape_run* run, int frame, int point)
{
  sp_vec3 x = track_at(s->r, frame, point);
  if (run->shadow) x.z = s->r->floor.height;
  return x;
}

static void put_box(svg_scene* s, const sp_vec3 x[4], int face)
{
  const sp_vec3 a = sp_sub3(x[1 + face], x[0]), b = sp_sub3(x[1 + (face + 1) % 3], x[0]),
                c = sp_sub3(x[1 + (face + 2) % 3], x[0]);
  for (int side = -1; side <= 1; side += 2) {
    const sp_vec3 middle = sp_add3(x[0], sp_scale3(side, a));
    const sp_vec3 sum = sp_add3(b, c), difference = sp_sub3(b, c);
    const sp_vec3 corner[] = {sp_add3(middle, sum), sp_add3(middle, difference), sp_sub3(middle, sum),
                              sp_sub3(middle, difference)};
    go_through(s, 4, corner, 1);
  }
}

// A line continues the last one if it begins at the same point.
static void put_line(svg_scene* s, const shape_run* run, int frame, const int* index)
{
  if (s->at_point != index[0]) go_to(s, seen(s, run, frame, index[0]), 0);
  go_to(s, seen(s, run, frame, index[1]), 1);
  s->at_point = index[1];
}

static void put_shape(svg_scene* s, const shape_run* run, int frame, const figure_shape* shape)
{
  const int* index = s->r->figure->index + shape->first;
  sp_vec3 x[FIGURE_CORNERS];
  const int many = shape->count < FIGURE_CORNERS ? shape->count : FIGURE_CORNERS;
  for (int k = 0; k < many; k++) x[k] = seen(s, run, frame, index[k]);
  if (shape->kind == FIGURE_BOX) {
    put_box(s, x, run->face);
  } else if (shape->kind == FIGURE_DISC) {
    go_round(s, x[0], sp_sub3(x[1], x[0]), sp_sub3(x[2], x[0]));
    go_through(s, 2, x, 0);
  } else if (shape->kind == FIGURE_PLATE) {
    go_through(s, many, x, 1);
  } else if (shape->count >= 2) {
    put_line(s, run, frame, index);
  } else {
    go_to(s, x[0], 0);
    (void)fputs("h0", s->out);
  }
}

static void put_run(svg_scene* s, const shape_run* run, int frame)
{
  begin_path(s);
  for (int k = run->first; k < run->end; k++) put_shape(s, run, frame, &s->r->figure->shape[k]);
}

// The head of an element that animates an attribute.
static void begin_motion(const animation_track* r, const char* element, const char* attribute, FILE* out)
{
  (void)fprintf(out, "<%s attributeName=\"%s\" dur=\"%.4gs\" repeatCount=\"indefinite\" ", element, attribute,
                r->length / r->speed);
}

// A path with its motion; shapes fixed to the world have none.
static void put_path(svg_scene* s, const shape_run* run, const char* attributes, int moves)
{
  (void)fprintf(s->out, "<path %s d=\"", attributes);
  put_run(s, run, 0);
  if (!moves || s->r->frames < 2 || s->r->still) {
    (void)fputs("\"/>\n", s->out);
    return;
  }
  (void)fputs("\">", s->out);
  begin_motion(s->r, "animate", "d", s->out);
  (void)fputs("values=\"", s->out);
  for (int k = 0; k < s->r->frames; k++) {
    if (k > 0) (void)fputs(";", s->out);
    put_run(s, run, k);
  }
  (void)fputs("\"/></path>\n", s->out);
}

// ---- how kinds are drawn ---------------------------------------------------------------------------

typedef struct look {
  const char* class;
  double width;     // of the stroke [px]
  int toned, faced; // with the colour of the tone; filled with it
  int moves;
} look;

static const look looks[FIGURE_KINDS] = {
  [FIGURE_FRAME] = {"frame", 1.6, 0, 0, 0},     [FIGURE_GUIDE] = {"guide", 2.2, 0, 0, 0},
  [FIGURE_PEDESTAL] = {"pedestal", 9, 0, 0, 0}, [FIGURE_BOX] = {"box", 1.8, 1, 1, 1},
  [FIGURE_DISC] = {"disc", 2.6, 1, 1, 1},       [FIGURE_PLATE] = {"plate", 4.5, 1, 1, 1},
  [FIGURE_LINK] = {"link", 7, 1, 0, 1},         [FIGURE_ROD] = {"rod", 3.4, 1, 0, 1},
  [FIGURE_TIE] = {"tie", 2.6, 0, 0, 1},         [FIGURE_BLADE] = {"blade", 4, 0, 0, 1},
  [FIGURE_BLOCK] = {"block", 15, 0, 0, 1},
};

// A dot is a ring: strokes of one path, over each other.
typedef struct dot {
  const char* class[3];
  double width[3];
} dot;

static const dot dots[FIGURE_KINDS] = {
  [FIGURE_PIN] = {{"ring", "hole", NULL}, {13.5, 8.5, 0}},
  [FIGURE_MOTOR] = {{"ring", "hole", "core"}, {14.5, 10, 5.5}},
  [FIGURE_CLOSURE] = {{"closure", "hole", NULL}, {13.5, 7, 0}},
  [FIGURE_TIP] = {{"hole", "tip", NULL}, {11, 8, 0}},
};

static void put_dots(svg_scene* s, const shape_run* run, figure_kind kind)
{
  char attributes[80];
  (void)snprintf(attributes, sizeof attributes, "id=\"limb%lx-%d\"", s->mark, run->first);
  (void)fputs("<defs>", s->out);
  put_path(s, run, attributes, 1);
  (void)fputs("</defs>\n", s->out);
  for (int k = 0; k < 3 && dots[kind].class[k]; k++)
    (void)fprintf(s->out, "<use href=\"#limb%lx-%d\" class=\"%s\" stroke-width=\"%.0f\"/>\n", s->mark, run->first,
                  dots[kind].class[k], 10 * s -> weight* dots[kind].width[k]);
}

static void put_lines(svg_scene* s, shape_run* run, figure_kind kind, int tone)
{
  const look* l = &looks[kind];
  char attributes[160], tones[24] = "";
  const double dash = kind == FIGURE_FRAME ? 60 : kind == FIGURE_TIE ? 80 : 0;
  if (l->toned) (void)snprintf(tones, sizeof tones, " t%d", tone);
  if (l->faced) (void)snprintf(tones, sizeof tones, " t%d f%d face", tone, tone);
  (void)snprintf(attributes, sizeof attributes, "class=\"%s%s\" stroke-width=\"%.0f\"%s", l->class, tones,
                 10 * s->weight * l->width, dash > 0 ? " stroke-dasharray=\"60\"" : "");
  for (run->face = 0; run->face < (kind == FIGURE_BOX ? 3 : 1); run->face++) put_path(s, run, attributes, l->moves);
}

static int run_end(const draw_figure* f, int first)
{
  int end = first;
  while (end < f->shapes && f->shape[end].kind == f->shape[first].kind && f->shape[end].tone == f->shape[first].tone)
    end++;
  return end;
}

static int casts_shadows(const animation_track* r) { return r->floor.shown && r->figure->points < CASTING; }

static void put_shadows(svg_scene* s)
{
  const draw_figure* f = s->r->figure;
  (void)fputs("<g class=\"shade\">\n", s->out);
  for (int first = 0, end; first < f->shapes; first = end) {
    end = run_end(f, first);
    const figure_kind kind = f->shape[first].kind;
    if (kind != FIGURE_LINK && kind != FIGURE_ROD && kind != FIGURE_PLATE) continue;
    char attributes[80];
    const shape_run run = {.first = first, .end = end, .shadow = 1};
    (void)snprintf(attributes, sizeof attributes, "class=\"shadow\" stroke-width=\"%.0f\"",
                   10 * s->weight * looks[kind].width);
    put_path(s, &run, attributes, 1);
  }
  (void)fputs("</g>\n", s->out);
}

static void put_trace(svg_scene* s)
{
  const int point = s->r->figure->trace;
  if (point < 0 || s->r->frames < 2) return;
  (void)fputs("<path class=\"trace\" stroke-width=\"18\" d=\"", s->out);
  begin_path(s);
  for (int k = 0; k < s->r->frames; k++) go_to(s, track_at(s->r, k, point), k > 0);
  (void)fputs("\"/>\n", s->out);
}

// Fixed to the world: in a plane the triangle of textbooks, in space a round pad.
static void put_ground(svg_scene* s, const figure_shape* shape)
{
  const sp_vec3 x = track_at(s->r, 0, s->r->figure->index[shape->first]);
  const double k = fmax(s->weight, 0.5), radius = 18 * k / s->scale;
  int at[2];
  tenths(s, x, at);
  if (s->r->space) {
    (void)fprintf(s->out, "<path class=\"ground\" stroke-width=\"%.0f\" d=\"", 12 * k);
    begin_path(s);
    go_round(s, x, sp_v3(radius, 0, 0), sp_v3(0, radius, 0));
    (void)fputs("\"/>\n", s->out);
    return;
  }
  (void)fprintf(s->out,
                "<g transform=\"translate(%d %d) scale(%.2f)\" stroke-width=\"16\">"
                "<path class=\"ground\" d=\"M0 0l110 190h-220z\"/><path class=\"ground\" "
                "d=\"M-170 190h340M-130 190l-60 70M-50 190l-60 70M30 190l-60 70M110 190l-60 70\"/></g>\n",
                at[0], at[1], k);
}

static void put_shapes(svg_scene* s)
{
  const draw_figure* f = s->r->figure;
  for (int first = 0, end; first < f->shapes; first = end) {
    end = run_end(f, first);
    const figure_kind kind = f->shape[first].kind;
    shape_run run = {.first = first, .end = end};
    if (s->crowded && (kind == FIGURE_PIN || kind == FIGURE_MOTOR)) continue;
    if (kind == FIGURE_GROUND) {
      for (int k = first; k < end; k++) put_ground(s, &f->shape[k]);
    } else if (dots[kind].class[0]) {
      put_dots(s, &run, kind);
    } else {
      put_lines(s, &run, kind, f->shape[first].tone);
    }
  }
}

// ---- the floor -------------------------------------------------------------------------------------

static void put_floor(svg_scene* s)
{
  const animation_floor* g = &s->r->floor;
  if (!g->shown) return;
  (void)fputs("<path class=\"grid\" stroke-width=\"10\" d=\"", s->out);
  begin_path(s);
  for (int k = 0; k < 2; k++) {
    const int lines = (int)lround((g->high[k] - g->low[k]) / g->step);
    for (int i = 0; i <= lines; i++) {
      const double c = g->low[k] + i * g->step, from = g->low[1 - k], to = g->high[1 - k];
      const sp_vec3 ends[] = {k ? sp_v3(from, c, g->height) : sp_v3(c, from, g->height),
                              k ? sp_v3(to, c, g->height) : sp_v3(c, to, g->height)};
      go_through(s, 2, ends, 0);
    }
  }
  (void)fputs("\"/>\n", s->out);
}

// ---- title, time, axes and scale bar ----------------------------------------------------------------

enum { LABELS = 200 }; // max. labels of time

// Axes of the world, in the corner; those that point at the viewer are left out.
static void put_axes(const animation_track* r, FILE* out)
{
  static const char* const name[] = {"x", "y", "z"};
  const double x = SVG_MARGIN + 34, y = r->height - SVG_BOTTOM + 2;
  for (int k = 0; k < 3; k++) {
    double to[2];
    const sp_vec3 e = track_world_axis(r, k);
    track_project(r, e, to);
    if (hypot(to[0], to[1]) < 0.1) continue;
    (void)fprintf(out, "<path class=\"%s\" stroke-width=\"2\" d=\"M%.1f %.1fl%.1f %.1f\"/>\n", name[k], x, y,
                  28 * to[0], -28 * to[1]);
    svg_text(out, "axis", SVG_MIDDLE, x + 38 * to[0], y - 38 * to[1] + 4, 1, name[k]);
  }
}

static void put_scale_bar(const animation_track* r, double scale, FILE* out)
{
  const double length = track_round(170 / scale), right = r->width - SVG_MARGIN;
  const double left = right - length * scale, y = r->height - SVG_BOTTOM + 18;
  char text[40];
  if (length < 0.0099)
    (void)snprintf(text, sizeof text, "%g mm", length * 1000);
  else
    (void)snprintf(text, sizeof text, "%g m", length);
  (void)fprintf(out,
                "<path class=\"bar\" stroke-width=\"1.5\" d=\"M%.1f %.1fv8M%.1f %.1fH%.1fM%.1f "
                "%.1fv8\"/>\n",
                left, y - 4, left, y, right, right, y - 4);
  svg_text(out, "unit", SVG_MIDDLE, (left + right) / 2, y - 8, 20, text);
}

// The time, as a strip of labels behind a window, and a bar that fills.
static void put_time(const animation_track* r, FILE* out)
{
  const int labels = r->frames < LABELS ? r->frames : LABELS, tall = 26;
  const double right = r->width - SVG_MARGIN, y = r->height - 24;
  const double step = r->length / labels;
  const int digits = r->length > 0 ? (int)fmax(0, fmin(9, ceil(-log10(step)))) : 3;
  (void)fprintf(out, "<svg x=\"%.0f\" y=\"18\" width=\"240\" height=\"%d\"><g>", right - 240, tall);
  if (labels > 1) {
    begin_motion(r, "animateTransform", "transform", out);
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
  begin_motion(r, "animate", "x2", out);
  (void)fprintf(out, "values=\"%d;%.0f\"/></line>\n", SVG_MARGIN, right);
}

static void put_words(const animation_track* r, FILE* out)
{
  char text[60];
  svg_text(out, "title", SVG_START, SVG_MARGIN, 38, r->width / 13, r->title);
  svg_text(out, "sub", SVG_START, SVG_MARGIN, 58, r->width / 8, r->subtitle);
  if (r->frames < 2 || r->speed == 1) return;
  (void)snprintf(text, sizeof text, r->speed < 1 ? "slowed down %g times" : "%g times as fast",
                 r->speed < 1 ? 1 / r->speed : r->speed);
  svg_text(out, "sub", SVG_END, r->width - SVG_MARGIN, 58, 40, text);
}

static void put_around(const animation_track* r, double scale, FILE* out)
{
  put_axes(r, out);
  put_scale_bar(r, scale, out);
  if (r->still) return;
  put_words(r, out);
  put_time(r, out);
}

// ---- the picture -----------------------------------------------------------------------------------

// Fowler, Noll and Vo's hash of title and numbers.
static unsigned long find_mark(const animation_track* r)
{
  uint32_t hash = 2166136261u;
  for (const char* c = r->title; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
  hash = (hash ^ (uint32_t)r->frames) * 16777619u;
  return (hash ^ (uint32_t)r->figure->points) * 16777619u;
}

// By the size of large shapes: four digits per number.
int animation_svg_frames(const draw_figure* f)
{
  double bytes = 20;
  for (int k = 0; k < f->shapes; k++) {
    const figure_kind kind = f->shape[k].kind;
    bytes += kind == FIGURE_BOX      ? 200
             : kind == FIGURE_DISC   ? 100
             : kind == FIGURE_PLATE  ? 10 * f->shape[k].count
             : f->shape[k].count > 1 ? 10
                                     : 12;
  }
  const double fit = FILE_SIZE / (f->points < CASTING ? 2 * bytes : bytes);
  return (int)fmax(2, fmin(1200, fit));
}

void animation_write_svg(const animation_track* r, FILE* out)
{
  const int top = r->still ? SVG_MARGIN : SVG_TOP;
  svg_scene s = {.r = r, .out = out, .x = r->width / 2.0, .y = (top + r->height - SVG_BOTTOM) / 2.0};
  const double across = fmax(r->width - 2.0 * SVG_MARGIN, 1), up = fmax(r->height - top - SVG_BOTTOM, 1.0);
  s.scale = 0.86 * fmin(across / r->span[0], up / r->span[1]);
  // Short links need thin strokes.
  const double link = s.scale * track_link(r);
  s.weight = link > 0 ? fmax(0.35, fmin(1, link / 45)) : 1;
  s.crowded = link > 0 && link < 8;
  s.mark = find_mark(r);
  svg_begin(out, r->width, r->height, r->title, animation_svg_css);
  svg_rect(out, "page", 0, 0, r->width, r->height);
  (void)fputs("<g transform=\"scale(.1)\">\n", out);
  put_floor(&s);
  if (casts_shadows(r)) put_shadows(&s);
  put_trace(&s);
  put_shapes(&s);
  (void)fputs("</g>\n", out);
  put_around(r, s.scale, out);
  svg_end(out);
}
