// Small multiples: gathering in buckets, then one panel per series or group with its own scale.
#include "plot.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct plot_bucket {
  double least, least_x, most, most_x; // empty: least above most
};

static int is_empty(const plot_bucket* b) { return b->least > b->most; }

// ---- gathering -------------------------------------------------------------------------------------

int cli_plot_make(cli_plot* p, int series)
{
  *p = (cli_plot){.series = series, .each = 1};
  p->bucket = calloc((size_t)series * PLOT_BUCKETS + 1, sizeof *p->bucket);
  return p->bucket != NULL;
}

void cli_plot_free(cli_plot* p)
{
  free(p->bucket);
  *p = (cli_plot){0};
}

static void merge(plot_bucket* a, const plot_bucket* b)
{
  if (b->least < a->least) a->least = b->least, a->least_x = b->least_x;
  if (b->most > a->most) a->most = b->most, a->most_x = b->most_x;
}

static void halve(cli_plot* p)
{
  for (int k = 0; k < p->series; k++) {
    plot_bucket* b = p->bucket + (size_t)k * PLOT_BUCKETS;
    for (int i = 0; i < PLOT_BUCKETS / 2; i++) {
      plot_bucket pair = b[2 * i];
      merge(&pair, &b[2 * i + 1]);
      b[i] = pair;
    }
  }
  p->count = PLOT_BUCKETS / 2;
  p->each *= 2;
  p->in_last = p->each;
}

void cli_plot_add(cli_plot* p, double x, const double* y)
{
  if (p->count == 0) p->first = x;
  p->last = x;
  if (p->count == PLOT_BUCKETS && p->in_last == p->each) halve(p);
  const int fresh = p->count == 0 || p->in_last == p->each;
  if (fresh) p->count++, p->in_last = 0;
  p->in_last++;
  for (int k = 0; k < p->series; k++) {
    plot_bucket* b = p->bucket + (size_t)k * PLOT_BUCKETS + (p->count - 1);
    const plot_bucket none = {HUGE_VAL, x, -HUGE_VAL, x}, row = {y[k], x, y[k], x};
    if (fresh) *b = none;
    if (isfinite(y[k])) merge(b, &row);
  }
}

// ---- scales ----------------------------------------------------------------------------------------

typedef struct scale {
  double low, high;       // of the values
  double step;            // between ticks
  double at_low, at_high; // pixels
} scale;

// 1, 2 or 5 times a power of ten, about a count-th of the range.
static double nice_step(double range, double count)
{
  const double power = pow(10, floor(log10(range / count))), f = range / count / power;
  return power * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10);
}

static scale make_scale(double low, double high, double count, double at_low, double at_high)
{
  const double size = fmax(fabs(low), fabs(high));
  if (!(high - low > 1e-9 * size)) { // nothing but rounding, or one value
    const double half = size > 0 ? size / 2 : 1;
    low -= half, high += half;
  }
  const scale s = {low, high, nice_step(high - low, count), at_low, at_high};
  return s;
}

// Of logarithms: ticks at whole ones.
static scale decade_scale(double low, double high, double count, double at_low, double at_high)
{
  scale s = make_scale(low, high, count, at_low, at_high);
  s.step = fmax(1, s.step);
  return s;
}

static double place(const scale* s, double x)
{
  return s->at_low + (x - s->low) / (s->high - s->low) * (s->at_high - s->at_low);
}

// With a real minus sign, and no more digits than the step has.
static void tick_text(double x, double step, char* text, size_t size)
{
  char digits[32];
  const double shown = fabs(x) < step / 1e3 ? 0 : fabs(x);
  (void)snprintf(digits, sizeof digits, "%.*g", shown > 0 ? (int)fmax(3, ceil(log10(shown / step)) + 1) : 1, shown);
  (void)snprintf(text, size, "%s%s", x < 0 && shown > 0 ? "\xe2\x88\x92" : "", digits);
}

// The power of ten whose logarithm a tick is.
static void power_text(double x, char* text, size_t size)
{
  const int short_enough = x >= 0 && x <= 5;
  (void)snprintf(text, size, short_enough ? "%.0f" : "1e%.0f", short_enough ? pow(10, x) : x);
}

// ---- drawing ---------------------------------------------------------------------------------------

static const char style[] =
  "text { font-family: Inter, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif; "
  "font-size: 11px; fill: #5b6573; }\n"
  ".title { font-size: 19px; font-weight: 600; fill: #17202b; }\n"
  ".sub { font-size: 12px; }\n"
  ".name { font-size: 12.5px; font-weight: 600; fill: #17202b; }\n"
  ".peak { fill: #1f5fa6; }\n"
  ".over { fill: #b3372b; }\n"
  ".page { fill: #ffffff; }\n"
  ".panel { fill: #f7f8fa; }\n"
  ".beyond { fill: #b3372b; fill-opacity: 0.07; }\n"
  "path { fill: none; }\n"
  ".grid { stroke: #e3e7ec; stroke-width: 1; }\n"
  ".zero { stroke: #9aa4b1; stroke-width: 1; }\n"
  ".dash { stroke: #b3372b; stroke-width: 1.2; stroke-dasharray: 5 4; }\n"
  ".area { fill: #1f5fa6; fill-opacity: 0.10; }\n"
  ".curve { stroke: #1f5fa6; stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }\n"
  ".dot { fill: #1f5fa6; stroke: #ffffff; stroke-width: 1.5; }\n"
  ".event { stroke: #6d5bb0; stroke-width: 1.1; stroke-dasharray: 2 3; }\n"
  ".mark { font-size: 10px; fill: #6d5bb0; stroke: #f7f8fa; stroke-width: 3px; "
  "paint-order: stroke; }\n"
  ".c1 { stroke: #d9730d; } .c2 { stroke: #1f9e8f; } .c3 { stroke: #c43d5b; }\n"
  ".c4 { stroke: #7a56c2; } .c5 { stroke: #5b8c2a; } .c6 { stroke: #a8860d; }\n"
  ".c7 { stroke: #5b6573; }\n";

enum { COLOURS = 8 };
static const char* const curve_class[COLOURS] = {"curve",    "curve c1", "curve c2", "curve c3",
                                                 "curve c4", "curve c5", "curve c6", "curve c7"};

enum { WIDTH = 960, MARGIN = 28, TOP = 84, HEAD = 24, BODY = 112, TALL_BODY = 260, GAP = 20, LABELS = 52, FOOT = 44 };

// One panel: where it is, what it shows.
typedef struct panel {
  const plot_series* series; // the first
  int member[PLOT_MOST];     // series in it
  int members;
  const cli_plot* plot;
  double left, right, top, bottom;
  scale x, y;
  int shows_limit;
  int decades;
  int any;             // there is a value to show
  double peak, peak_x; // largest magnitude
} panel;

static const plot_bucket* buckets(const panel* p, int member)
{
  return p->plot->bucket + (size_t)p->member[member] * PLOT_BUCKETS;
}

// Values of one series: widens the range, finds the peak.
static void look_at(panel* p, const plot_bucket* bucket, double* low, double* high)
{
  for (int i = 0; i < p->plot->count; i++) {
    const plot_bucket* b = &bucket[i];
    if (is_empty(b)) continue;
    *low = fmin(*low, b->least), *high = fmax(*high, b->most);
    if (!p->any || fabs(b->least) > fabs(p->peak)) p->peak = b->least, p->peak_x = b->least_x;
    if (fabs(b->most) > fabs(p->peak)) p->peak = b->most, p->peak_x = b->most_x;
    p->any = 1;
  }
}

static void find_range(panel* p)
{
  double low = p->decades ? HUGE_VAL : 0, high = p->decades ? -HUGE_VAL : 0;
  for (int k = 0; k < p->members; k++) look_at(p, buckets(p, k), &low, &high);
  // A limit far away would flatten the curve: it is told in words then.
  const double limit = p->series->limit, most = fmax(high, -low);
  p->shows_limit = p->members == 1 && isfinite(limit) && limit <= 2.5 * most;
  if (p->shows_limit && high > limit / 4) high = fmax(high, limit);
  if (p->shows_limit && -low > limit / 4) low = fmin(low, -limit);
  if (p->decades) {
    p->y =
      p->any ? decade_scale(floor(low), ceil(high), 4, p->bottom, p->top) : decade_scale(0, 1, 4, p->bottom, p->top);
    return;
  }
  const double air = 0.08 * (high - low);
  p->y = make_scale(low < 0 ? low - air : low, high > 0 ? high + air : high, 4, p->bottom, p->top);
}

// First and last multiple of the step on a scale.
static void tick_range(const scale* s, int64_t* first, int64_t* last)
{
  *first = (int64_t)ceil(s->low / s->step - 1e-9);
  *last = (int64_t)floor(s->high / s->step + 1e-9);
}

static void label(const panel* p, double tick, double step, char* text, size_t size)
{
  if (p->decades) {
    power_text(tick, text, size);
  } else {
    tick_text(tick, step, text, size);
  }
}

static void draw_grid(FILE* out, const panel* p, int with_x)
{
  char text[48];
  int64_t first, last;
  tick_range(&p->x, &first, &last);
  for (int64_t k = first; k <= last; k++) {
    const double tick = (double)k * p->x.step, at = place(&p->x, tick);
    svg_line(out, "grid", at, p->top, at, p->bottom);
    label(p, tick, p->x.step, text, sizeof text);
    if (with_x) svg_text(out, "tick", SVG_MIDDLE, at, p->bottom + 15, 20, text);
  }
  tick_range(&p->y, &first, &last);
  for (int64_t k = first; k <= last; k++) {
    const double tick = (double)k * p->y.step, at = place(&p->y, tick);
    svg_line(out, k == 0 && !p->decades ? "zero" : "grid", p->left, at, p->right, at);
    label(p, tick, p->y.step, text, sizeof text);
    svg_text(out, "tick", SVG_END, p->left - 7, at + 4, 20, text);
  }
}

static void draw_limit(FILE* out, const panel* p, double value, double edge)
{
  const double at = place(&p->y, value);
  if (!p->shows_limit || value < p->y.low || value > p->y.high) return;
  svg_rect(out, "beyond", p->left, fmin(at, edge), p->right - p->left, fabs(at - edge));
  svg_line(out, "dash", p->left, at, p->right, at);
}

// Least and largest value of each bucket in the order in which they came, from a bucket on up to a gap, where
// it returns.
static int draw_points(FILE* out, const panel* p, const plot_bucket* bucket, int first, int begun)
{
  int i = first;
  for (; i < p->plot->count && !is_empty(&bucket[i]); i++) {
    const plot_bucket* b = &bucket[i];
    const int up = b->least_x <= b->most_x;
    svg_path_to(out, !begun && i == first, place(&p->x, up ? b->least_x : b->most_x),
                place(&p->y, up ? b->least : b->most));
    if (b->least_x == b->most_x) continue;
    svg_path_to(out, 0, place(&p->x, up ? b->most_x : b->least_x), place(&p->y, up ? b->most : b->least));
  }
  return i;
}

// Stretches between gaps: the area below the curve, or the curve itself; one value alone is a dot.
static void draw_stretches(FILE* out, const panel* p, int member, int area)
{
  const plot_bucket* bucket = buckets(p, member);
  const double zero = place(&p->y, 0);
  for (int i = 0, end; i < p->plot->count; i = end) {
    end = i + 1;
    if (is_empty(&bucket[i])) continue;
    svg_path_begin(out, area ? "area" : curve_class[member % COLOURS]);
    if (area) svg_path_to(out, 1, place(&p->x, fmin(bucket[i].least_x, bucket[i].most_x)), zero);
    end = draw_points(out, p, bucket, i, area);
    const plot_bucket* last = &bucket[end - 1];
    if (area) svg_path_to(out, 0, place(&p->x, fmax(last->least_x, last->most_x)), zero);
    if (!area && end == i + 1) svg_path_to(out, 0, place(&p->x, last->most_x), place(&p->y, last->most));
    svg_path_end(out, area);
  }
}

static void draw_curves(FILE* out, const panel* p)
{
  const int alone = p->members == 1 && !p->decades;
  if (alone) draw_stretches(out, p, 0, 1);
  for (int k = 0; k < p->members; k++) draw_stretches(out, p, k, 0);
  if (alone && p->any) svg_circle(out, "dot", place(&p->x, p->peak_x), place(&p->y, p->peak), 3.6);
}

// Names of the series of a panel, in their colours, as many as fit.
static void draw_names(FILE* out, const panel* p, const plot_series* series)
{
  const double y = p->top - 9;
  double x = p->left + 7.5 * (double)strlen(p->series->panel) + 18;
  for (int k = 0; k < p->members; k++) {
    const char* name = series[p->member[k]].name;
    const double wide = 24 + 6.2 * (double)strlen(name);
    if (x + wide > p->right) {
      char more[32];
      (void)snprintf(more, sizeof more, "and %d more", p->members - k);
      svg_text(out, "tick", SVG_END, p->right, y, 20, more);
      return;
    }
    svg_line(out, curve_class[k % COLOURS], x, y - 4, x + 14, y - 4);
    svg_text(out, "tick", SVG_START, x + 18, y, 40, name);
    x += wide + 8;
  }
}

static int is_shown(const panel* p, const plot_event* e) { return e->x >= p->x.low && e->x <= p->x.high; }

static void draw_events(FILE* out, const panel* p, const plot_words* words)
{
  for (int k = 0; k < words->events; k++) {
    const double at = place(&p->x, words->event[k].x);
    if (is_shown(p, &words->event[k])) svg_line(out, "event", at, p->top, at, p->bottom);
  }
}

// Labels of events, on levels where they do not meet; those for which there is none are left out.
static void draw_labels(FILE* out, const panel* p, const plot_words* words)
{
  enum { LEVELS = 4 };
  double ends[LEVELS] = {0};
  for (int k = 0; k < words->events; k++) {
    const plot_event* e = &words->event[k];
    if (!is_shown(p, e)) continue;
    const double at = place(&p->x, e->x), wide = 5.6 * (double)strlen(e->label) + 8;
    const int left = at + wide > p->right; // the label stands on the other side then
    const double from = left ? at - wide : at;
    int level = 0;
    while (level < LEVELS && ends[level] > from) level++;
    if (level == LEVELS) continue;
    ends[level] = from + wide;
    svg_text(out, "mark", left ? SVG_END : SVG_START, left ? at - 4 : at + 4, p->top + 11 + 12 * level, 60, e->label);
  }
}

static void draw_head(FILE* out, const panel* p, const plot_series* series)
{
  const plot_series* s = p->series;
  const int over = fabs(p->peak) > s->limit;
  char text[160], number[48], bound[60] = "";
  const double y = p->top - 9;
  const int most = (int)((p->right - p->left) / 13);
  svg_text(out, "tick", SVG_END, p->left - 7, y, 8, s->unit);
  if (p->members > 1 || p->decades) {
    svg_text(out, "name", SVG_START, p->left, y, most, s->panel);
    draw_names(out, p, series);
    return;
  }
  svg_text(out, "name", SVG_START, p->left, y, most, s->name);
  if (!p->any) return;
  tick_text(p->peak, fabs(p->peak) / 100, number, sizeof number);
  if (isfinite(s->limit)) (void)snprintf(bound, sizeof bound, " of %.4g", s->limit);
  (void)snprintf(text, sizeof text, "peak %s%s %s%s", p->peak == 0 ? "0" : number, bound, s->unit,
                 over ? ": over the limit" : "");
  svg_text(out, over ? "over" : "peak", SVG_END, p->right, y, 80, text);
}

// How many panels, and where each goes.
typedef struct sheet {
  int panels, columns, rows;
  double pitch, tall; // from panel to panel
  double body;        // height of a panel
  int decades;
} sheet;

static sheet make_sheet(int panels, int decades)
{
  const double body = decades ? TALL_BODY : BODY;
  const int n = panels, columns = n <= 3 ? 1 : n <= 16 ? 2 : 3;
  const sheet s = {
    n, columns, (n + columns - 1) / columns, (WIDTH - 2.0 * MARGIN + GAP) / columns, HEAD + body + GAP, body, decades};
  return s;
}

static int same(const char* a, const char* b) { return a && b && strcmp(a, b) == 0; }

// Which panel each series is in; returns their number.
static int group(const cli_plot* p, const plot_series* series, int* panel_of)
{
  int panels = 0;
  for (int k = 0; k < p->series; k++) {
    int with = 0;
    while (with < k && !(same(series[with].panel, series[k].panel) && same(series[with].unit, series[k].unit))) with++;
    panel_of[k] = with < k ? panel_of[with] : panels++;
  }
  return panels;
}

// Down the columns: neighbours in the robot are neighbours on the page.
static panel make_panel(const cli_plot* p, const plot_series* series, const int* panel_of, const sheet* s, int k)
{
  const int column = k / s->rows, row = k % s->rows;
  panel one = {.plot = p,
               .left = MARGIN + column * s->pitch + LABELS,
               .right = MARGIN + (column + 1) * s->pitch - GAP,
               .top = TOP + row * s->tall + HEAD,
               .bottom = TOP + row * s->tall + HEAD + s->body,
               .decades = s->decades};
  for (int i = 0; i < p->series; i++)
    if (panel_of[i] == k) one.member[one.members++] = i;
  one.series = &series[one.member[0]];
  const double ticks = s->columns == 1 ? 10 : s->columns == 2 ? 6 : 4;
  one.x = s->decades ? decade_scale(floor(p->first), ceil(p->last), ticks, one.left, one.right)
                     : make_scale(p->first, p->last, ticks, one.left, one.right);
  find_range(&one);
  return one;
}

static void draw_panel(FILE* out, const panel* p, const plot_series* series, const plot_words* words, int with_x,
                       int with_labels)
{
  svg_rect(out, "panel", p->left, p->top, p->right - p->left, p->bottom - p->top);
  draw_grid(out, p, with_x);
  draw_limit(out, p, p->series->limit, p->top);
  draw_limit(out, p, -p->series->limit, p->bottom);
  draw_events(out, p, words);
  draw_curves(out, p);
  if (with_labels) draw_labels(out, p, words);
  draw_head(out, p, series);
}

static void draw_legend(FILE* out)
{
  const double right = WIDTH - MARGIN, y = 58;
  svg_text(out, "sub", SVG_END, right, y, 20, "limit");
  svg_line(out, "dash", right - 66, y - 4, right - 34, y - 4);
}

void cli_plot_draw(const cli_plot* p, const plot_series* series, const plot_words* words, FILE* out)
{
  int panel_of[PLOT_MOST] = {0};
  const sheet s = make_sheet(group(p, series, panel_of), words->decades);
  const double height = TOP + s.rows * s.tall + FOOT;
  int limits = 0;
  svg_begin(out, WIDTH, height, words->title, style);
  svg_rect(out, "page", 0, 0, WIDTH, height);
  svg_text(out, "title", SVG_START, MARGIN, 38, 80, words->title);
  svg_text(out, "sub", SVG_START, MARGIN, 58, 120, words->subtitle);
  for (int k = 0; k < s.panels && p->count > 0; k++) {
    const int last = k % s.rows == s.rows - 1 || k == s.panels - 1;
    const panel one = make_panel(p, series, panel_of, &s, k);
    draw_panel(out, &one, series, words, last, k % s.rows == 0);
    limits |= one.shows_limit;
    if (!last) continue;
    svg_text(out, "tick", SVG_MIDDLE, (one.left + one.right) / 2, one.bottom + 32, 40, words->x_label);
  }
  if (limits) draw_legend(out);
  svg_end(out);
}
