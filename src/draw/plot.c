// Small multiples: rows are gathered in buckets, then drawn as one panel per series or group with its own scale.
//
// A bucket keeps its smallest and its largest value and their x, so that no peak is lost. When the buckets are full,
// neighbours are merged.
#include "limb/draw.h"

#include "draw/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 }; // per series

typedef struct plot_bucket {
  double min, min_x, max, max_x; // empty: min above max
} plot_bucket;

struct limb_plot {
  int series;
  int count;        // buckets in use
  uint64_t each;    // rows per bucket
  uint64_t in_last; // rows in the last one
  double first, last;
  plot_bucket* bucket; // bucket b of series k is at k * BUCKETS + b
};

static int is_empty(const plot_bucket* b) { return b->min > b->max; }

// ---- gathering -------------------------------------------------------------------------------------

limb_status limb_plot_create(int series, limb_plot** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (series < 0 || series > LIMB_PLOT_MAX) return LIMB_E_ARG;
  limb_plot* p = calloc(1, sizeof *p);
  plot_bucket* bucket = calloc((size_t)series * BUCKETS + 1, sizeof *bucket);
  if (!p || !bucket) {
    free(p);
    free(bucket);
    return LIMB_E_NOMEM;
  }
  *p = (limb_plot){.series = series, .each = 1, .bucket = bucket};
  *out = p;
  return LIMB_OK;
}

void limb_plot_destroy(limb_plot* p)
{
  if (!p) return;
  free(p->bucket);
  free(p);
}

static void merge(plot_bucket* a, const plot_bucket* b)
{
  if (b->min < a->min) a->min = b->min, a->min_x = b->min_x;
  if (b->max > a->max) a->max = b->max, a->max_x = b->max_x;
}

static void halve(limb_plot* p)
{
  for (int k = 0; k < p->series; k++) {
    plot_bucket* b = p->bucket + (size_t)k * BUCKETS;
    for (int i = 0; i < BUCKETS / 2; i++) {
      plot_bucket pair = b[2 * i];
      merge(&pair, &b[2 * i + 1]);
      b[i] = pair;
    }
  }
  p->count = BUCKETS / 2;
  p->each *= 2;
  p->in_last = p->each;
}

void limb_plot_add(limb_plot* p, double x, const double* y)
{
  if (!p || !y) return;
  if (p->count == 0) p->first = x;
  p->last = x;
  if (p->count == BUCKETS && p->in_last == p->each) halve(p);
  const int fresh = p->count == 0 || p->in_last == p->each;
  if (fresh) p->count++, p->in_last = 0;
  p->in_last++;
  for (int k = 0; k < p->series; k++) {
    plot_bucket* b = p->bucket + (size_t)k * BUCKETS + (p->count - 1);
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

static double pixel(const scale* s, double x)
{
  return s->at_low + (x - s->low) / (s->high - s->low) * (s->at_high - s->at_low);
}

// With a typographic minus sign, and no more digits than the step has.
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

enum { COLOURS = 8 };
static const char* const curve_class[COLOURS] = {"curve",    "curve c1", "curve c2", "curve c3",
                                                 "curve c4", "curve c5", "curve c6", "curve c7"};

enum { WIDTH = 960, MARGIN = 28, TOP = 84, HEAD = 24, BODY = 112, TALL_BODY = 260, GAP = 20, LABELS = 52, FOOT = 44 };

// One panel: where it is, what it shows.
typedef struct panel {
  const limb_plot_series* series; // the first
  int member[LIMB_PLOT_MAX];      // series in it
  int members;
  const limb_plot* plot;
  double left, right, top, bottom;
  scale x, y;
  int shows_limit;
  int decades;
  int any;             // there is a value to show
  double peak, peak_x; // largest magnitude
} panel;

static const plot_bucket* buckets(const panel* p, int member)
{
  return p->plot->bucket + (size_t)p->member[member] * BUCKETS;
}

// Values of one series: widens the range, finds the peak.
static void widen_range(panel* p, const plot_bucket* bucket, double* low, double* high)
{
  for (int i = 0; i < p->plot->count; i++) {
    const plot_bucket* b = &bucket[i];
    if (is_empty(b)) continue;
    *low = fmin(*low, b->min), *high = fmax(*high, b->max);
    if (!p->any || fabs(b->min) > fabs(p->peak)) p->peak = b->min, p->peak_x = b->min_x;
    if (fabs(b->max) > fabs(p->peak)) p->peak = b->max, p->peak_x = b->max_x;
    p->any = 1;
  }
}

static void find_range(panel* p)
{
  double low = p->decades ? HUGE_VAL : 0, high = p->decades ? -HUGE_VAL : 0;
  for (int k = 0; k < p->members; k++) widen_range(p, buckets(p, k), &low, &high);
  // A limit far away would flatten the curve: then only the heading names it.
  const double limit = p->series->limit, max = fmax(high, -low);
  p->shows_limit = p->members == 1 && isfinite(limit) && limit <= 2.5 * max;
  if (p->shows_limit && high > limit / 4) high = fmax(high, limit);
  if (p->shows_limit && -low > limit / 4) low = fmin(low, -limit);
  if (p->decades) {
    p->y = decade_scale(p->any ? floor(low) : 0, p->any ? ceil(high) : 1, 4, p->bottom, p->top);
    return;
  }
  const double air = 0.08 * (high - low);
  p->y = make_scale(low < 0 ? low - air : low, high > 0 ? high + air : high, 4, p->bottom, p->top);
}

// Ticks are the multiples of the step.
static void draw_grid(FILE* out, const panel* p, int with_x)
{
  for (int upright = 1; upright >= 0; upright--) {
    const scale* s = upright ? &p->x : &p->y;
    const int64_t last = (int64_t)floor(s->high / s->step + 1e-9);
    for (int64_t k = (int64_t)ceil(s->low / s->step - 1e-9); k <= last; k++) {
      char text[48];
      const double tick = (double)k * s->step, at = pixel(s, tick);
      if (p->decades)
        power_text(tick, text, sizeof text);
      else
        tick_text(tick, s->step, text, sizeof text);
      if (upright) {
        svg_line(out, "grid", at, p->top, at, p->bottom);
        if (with_x) svg_text(out, "tick", SVG_MIDDLE, at, p->bottom + 15, 20, text);
      } else {
        svg_line(out, k == 0 && !p->decades ? "zero" : "grid", p->left, at, p->right, at);
        svg_text(out, "tick", SVG_END, p->left - 7, at + 4, 20, text);
      }
    }
  }
}

static void draw_limit(FILE* out, const panel* p, double value, double edge)
{
  const double at = pixel(&p->y, value);
  if (!p->shows_limit || value < p->y.low || value > p->y.high) return;
  svg_rect(out, "beyond", p->left, fmin(at, edge), p->right - p->left, fabs(at - edge));
  svg_line(out, "dash", p->left, at, p->right, at);
}

// The smallest and the largest value of each bucket in the order of their x, from a bucket on up to a gap. Returns the
// gap.
static int draw_points(FILE* out, const panel* p, const plot_bucket* bucket, int first, int begun)
{
  int i = first;
  for (; i < p->plot->count && !is_empty(&bucket[i]); i++) {
    const plot_bucket* b = &bucket[i];
    const int up = b->min_x <= b->max_x;
    svg_path_to(out, !begun && i == first, pixel(&p->x, up ? b->min_x : b->max_x), pixel(&p->y, up ? b->min : b->max));
    if (b->min_x == b->max_x) continue;
    svg_path_to(out, 0, pixel(&p->x, up ? b->max_x : b->min_x), pixel(&p->y, up ? b->max : b->min));
  }
  return i;
}

// Stretches between gaps: the area below the curve, or the curve itself; one value alone is a dot.
static void draw_stretches(FILE* out, const panel* p, int member, int area)
{
  const plot_bucket* bucket = buckets(p, member);
  const double zero = pixel(&p->y, 0);
  for (int i = 0, end; i < p->plot->count; i = end) {
    end = i + 1;
    if (is_empty(&bucket[i])) continue;
    svg_path_begin(out, area ? "area" : curve_class[member % COLOURS]);
    if (area) svg_path_to(out, 1, pixel(&p->x, fmin(bucket[i].min_x, bucket[i].max_x)), zero);
    end = draw_points(out, p, bucket, i, area);
    const plot_bucket* last = &bucket[end - 1];
    if (area) svg_path_to(out, 0, pixel(&p->x, fmax(last->min_x, last->max_x)), zero);
    if (!area && end == i + 1) svg_path_to(out, 0, pixel(&p->x, last->max_x), pixel(&p->y, last->max));
    svg_path_end(out, area);
  }
}

static void draw_curves(FILE* out, const panel* p)
{
  const int alone = p->members == 1 && !p->decades;
  if (alone) draw_stretches(out, p, 0, 1);
  for (int k = 0; k < p->members; k++) draw_stretches(out, p, k, 0);
  if (alone && p->any) svg_circle(out, "dot", pixel(&p->x, p->peak_x), pixel(&p->y, p->peak), 3.6);
}

// Names of the series of a panel, in their colours, as many as fit.
static void draw_names(FILE* out, const panel* p, const limb_plot_series* series)
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

static int is_shown(const panel* p, const limb_plot_event* e) { return e->x >= p->x.low && e->x <= p->x.high; }

static void draw_events(FILE* out, const panel* p, const limb_plot_labels* labels)
{
  for (int k = 0; k < labels->events; k++) {
    const double at = pixel(&p->x, labels->event[k].x);
    if (is_shown(p, &labels->event[k])) svg_line(out, "event", at, p->top, at, p->bottom);
  }
}

// Labels of events, on levels where they do not overlap; those that fit on no level are left out.
static void draw_labels(FILE* out, const panel* p, const limb_plot_labels* labels)
{
  enum { LEVELS = 4 };
  double ends[LEVELS] = {0};
  for (int k = 0; k < labels->events; k++) {
    const limb_plot_event* e = &labels->event[k];
    if (!is_shown(p, e)) continue;
    const double at = pixel(&p->x, e->x), wide = 5.6 * (double)strlen(e->label) + 8;
    const int left = at + wide > p->right; // then the label is on the other side
    const double from = left ? at - wide : at;
    int level = 0;
    while (level < LEVELS && ends[level] > from) level++;
    if (level == LEVELS) continue;
    ends[level] = from + wide;
    svg_text(out, "mark", left ? SVG_END : SVG_START, left ? at - 4 : at + 4, p->top + 11 + 12 * level, 60, e->label);
  }
}

static void draw_head(FILE* out, const panel* p, const limb_plot_series* series)
{
  const limb_plot_series* s = p->series;
  const int over = fabs(p->peak) > s->limit;
  char text[160], number[48], bound[60] = "";
  const double y = p->top - 9;
  const int max = (int)((p->right - p->left) / 13);
  svg_text(out, "tick", SVG_END, p->left - 7, y, 8, s->unit);
  if (p->members > 1 || p->decades) {
    svg_text(out, "name", SVG_START, p->left, y, max, s->panel);
    draw_names(out, p, series);
    return;
  }
  svg_text(out, "name", SVG_START, p->left, y, max, s->name);
  if (!p->any) return;
  tick_text(p->peak, fabs(p->peak) / 100, number, sizeof number);
  if (isfinite(s->limit)) (void)snprintf(bound, sizeof bound, " of %.4g", s->limit);
  (void)snprintf(text, sizeof text, "peak %s%s %s%s", p->peak == 0 ? "0" : number, bound, s->unit,
                 over ? ": over the limit" : "");
  svg_text(out, over ? "over" : "peak", SVG_END, p->right, y, 80, text);
}

// Number and layout of the panels.
typedef struct page {
  int panels, columns, rows;
  double pitch, tall; // from panel to panel
  double body;        // height of a panel
  int decades;
} page;

static page make_page(int panels, int decades)
{
  const double body = decades ? TALL_BODY : BODY;
  const int n = panels, columns = n <= 3 ? 1 : n <= 16 ? 2 : 3;
  const page s = {n,    columns, (n + columns - 1) / columns, (WIDTH - 2.0 * MARGIN + GAP) / columns, HEAD + body + GAP,
                  body, decades};
  return s;
}

static int same(const char* a, const char* b) { return a && b && strcmp(a, b) == 0; }

// Which panel each series is in; returns their number.
static int group(const limb_plot* p, const limb_plot_series* series, int* panel_of)
{
  int panels = 0;
  for (int k = 0; k < p->series; k++) {
    int with = 0;
    while (with < k && !(same(series[with].panel, series[k].panel) && same(series[with].unit, series[k].unit))) with++;
    panel_of[k] = with < k ? panel_of[with] : panels++;
  }
  return panels;
}

// The largest magnitude of a series; infinite without any value: a gap is to be seen.
static double magnitude(const limb_plot* p, int series)
{
  const plot_bucket* b = p->bucket + (size_t)series * BUCKETS;
  double max = -1;
  for (int i = 0; i < p->count; i++)
    if (!is_empty(&b[i])) max = fmax(max, fmax(fabs(b[i].min), fabs(b[i].max)));
  return max < 0 ? HUGE_VAL : max;
}

// Leaves panels out that show nothing but zeros and rounding, compared with the largest value of their unit: the torque
// of a joint without motor. Their series get panel -1. Returns the number of panels that stay: all, if none would.
static int leave_out(const limb_plot* p, const limb_plot_series* series, int panels, int* panel_of)
{
  double size[LIMB_PLOT_MAX];
  int place[LIMB_PLOT_MAX], kept = 0;
  for (int k = 0; k < panels; k++) place[k] = -1;
  for (int k = 0; k < p->series; k++) size[k] = magnitude(p, k);
  for (int k = 0; k < p->series; k++) {
    double max = 0;
    for (int i = 0; i < p->series; i++)
      if (same(series[i].unit, series[k].unit) && isfinite(size[i])) max = fmax(max, size[i]);
    if (size[k] > 1e-12 * max) place[panel_of[k]] = 0;
  }
  for (int k = 0; k < panels; k++)
    if (place[k] == 0) place[k] = kept++;
  for (int k = 0; k < p->series && kept > 0; k++) panel_of[k] = place[panel_of[k]];
  return kept > 0 ? kept : panels;
}

// Names the series without a panel; a long list ends in an ellipsis.
static void draw_left_out(FILE* out, const limb_plot* p, const limb_plot_series* series, const int* panel_of, double y)
{
  char text[2000] = "zero, or rounding: ";
  const size_t head = strlen(text);
  for (int k = 0; k < p->series; k++) {
    const size_t used = strlen(text);
    if (panel_of[k] < 0)
      (void)snprintf(text + used, sizeof text - used, "%s%s", used > head ? ", " : "", series[k].name);
  }
  if (strlen(text) > head) svg_text(out, "sub", SVG_START, MARGIN, y, 150, text);
}

// Down the columns: neighbours in the robot are neighbours on the page.
static panel make_panel(const limb_plot* p, const limb_plot_series* series, const int* panel_of, const page* s, int k)
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

static void draw_panel(FILE* out, const panel* p, const limb_plot_series* series, const limb_plot_labels* labels,
                       int with_x, int with_labels)
{
  svg_rect(out, "panel", p->left, p->top, p->right - p->left, p->bottom - p->top);
  draw_grid(out, p, with_x);
  draw_limit(out, p, p->series->limit, p->top);
  draw_limit(out, p, -p->series->limit, p->bottom);
  draw_events(out, p, labels);
  draw_curves(out, p);
  if (with_labels) draw_labels(out, p, labels);
  draw_head(out, p, series);
}

static void draw_legend(FILE* out)
{
  const double right = WIDTH - MARGIN, y = 58;
  svg_text(out, "sub", SVG_END, right, y, 20, "limit");
  svg_line(out, "dash", right - 66, y - 4, right - 34, y - 4);
}

void limb_plot_write(const limb_plot* p, const limb_plot_series* series, const limb_plot_labels* labels, FILE* out)
{
  if (!p || !series || !labels || !out) return;
  int panel_of[LIMB_PLOT_MAX] = {0};
  int panels = group(p, series, panel_of);
  if (!labels->decades) panels = leave_out(p, series, panels, panel_of);
  const page s = make_page(panels, labels->decades);
  const double height = TOP + s.rows * s.tall + FOOT;
  int limits = 0;
  svg_begin(out, WIDTH, height, labels->title, plot_css);
  svg_rect(out, "page", 0, 0, WIDTH, height);
  svg_text(out, "title", SVG_START, MARGIN, 38, 80, labels->title);
  svg_text(out, "sub", SVG_START, MARGIN, 58, 120, labels->subtitle);
  for (int k = 0; k < s.panels && p->count > 0; k++) {
    const int last = k % s.rows == s.rows - 1 || k == s.panels - 1;
    const panel one = make_panel(p, series, panel_of, &s, k);
    draw_panel(out, &one, series, labels, last, k % s.rows == 0);
    limits |= one.shows_limit;
    if (!last) continue;
    svg_text(out, "tick", SVG_MIDDLE, (one.left + one.right) / 2, one.bottom + 32, 40, labels->x_label);
  }
  if (limits) draw_legend(out);
  draw_left_out(out, p, series, panel_of, height - 12);
  svg_end(out);
}
