// Small multiples: rows are gathered in buckets, then drawn as one panel per series or group with its own scale.
//
// A bucket keeps its smallest and its largest value and their x, so that no peak is lost. When the buckets are full,
// neighbours are merged.
#include "limb/draw.h"

#include "draw/figure.h"
#include "draw/scale.h"

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

// ---- drawing ---------------------------------------------------------------------------------------

enum { COLOURS = 8 };
static const char* const curve_class[COLOURS] = {"curve",    "curve c1", "curve c2", "curve c3",
                                                 "curve c4", "curve c5", "curve c6", "curve c7"};

enum {
  WIDTH = 960,
  MARGIN = 28,
  TOP = 84,
  HEAD = 24,
  BODY = 112,
  TALL_BODY = 260,
  GAP = 20,
  LABELS = 52,
  FOOT = 44,
  LEGEND = 22,
  LOW_BODY = 98,
  MIN_WIDTH = 240
};

// One panel: where it is, what it shows.
typedef struct panel {
  const limb_plot_series* series; // the first
  int member[LIMB_PLOT_MAX];      // series in it
  int members;
  const limb_plot *plot, *other; // other: NULL for one plot
  double left, right, top, bottom;
  scale x, y;
  int shows_limit;
  int decades;
  int any;             // there is a value to show
  double peak, peak_x; // largest magnitude
} panel;

static const plot_bucket* buckets(const limb_plot* plot, const panel* p, int member)
{
  return plot->bucket + (size_t)p->member[member] * BUCKETS;
}

// Values of one series: widens the range, finds the peak, of the other plot's only the range.
static void widen_range(panel* p, const limb_plot* plot, int member, double* low, double* high)
{
  const plot_bucket* bucket = buckets(plot, p, member);
  for (int i = 0; i < plot->count; i++) {
    const plot_bucket* b = &bucket[i];
    if (is_empty(b)) continue;
    *low = fmin(*low, b->min), *high = fmax(*high, b->max);
    if (plot == p->other) continue;
    if (!p->any || fabs(b->min) > fabs(p->peak)) p->peak = b->min, p->peak_x = b->min_x;
    if (fabs(b->max) > fabs(p->peak)) p->peak = b->max, p->peak_x = b->max_x;
    p->any = 1;
  }
}

static void find_range(panel* p)
{
  double low = p->decades ? HUGE_VAL : 0, high = p->decades ? -HUGE_VAL : 0;
  for (int k = 0; k < p->members; k++) widen_range(p, p->plot, k, &low, &high);
  for (int k = 0; k < p->members && p->other; k++) widen_range(p, p->other, k, &low, &high);
  if (fmax(high, -low) <= p->series->zero) low = -1, high = 1; // nothing but rounding
  // A limit far away would flatten the curve: then only the heading names it.
  const double limit = p->series->limit, max = fmax(high, -low);
  p->shows_limit = p->members == 1 && isfinite(limit) && limit <= 2.5 * max;
  if (p->shows_limit && high > limit / 4) high = fmax(high, limit);
  if (p->shows_limit && -low > limit / 4) low = fmin(low, -limit);
  if (p->decades) {
    p->y = scale_decades(p->any ? floor(low) : 0, p->any ? ceil(high) : 1, 4, p->bottom, p->top);
    return;
  }
  const double air = 0.08 * (high - low);
  p->y = scale_make(low < 0 ? low - air : low, high > 0 ? high + air : high, 4, p->bottom, p->top);
}

// Ticks are the multiples of the step.
static void draw_grid(FILE* out, const panel* p, int with_x)
{
  for (int upright = 1; upright >= 0; upright--) {
    const scale* s = upright ? &p->x : &p->y;
    for (long k = scale_first(s); k <= scale_last(s); k++) {
      char text[48];
      const double tick = (double)k * s->step, at = scale_pixel(s, tick);
      if (p->decades)
        scale_power_text(tick, text, sizeof text);
      else
        scale_tick_text(tick, s->step, text, sizeof text);
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
  const double at = scale_pixel(&p->y, value);
  if (!p->shows_limit || value < p->y.low || value > p->y.high) return;
  svg_rect(out, "beyond", p->left, fmin(at, edge), p->right - p->left, fabs(at - edge));
  svg_line(out, "dash", p->left, at, p->right, at);
}

// Rounding is drawn as zero.
static double at_value(const panel* p, double y) { return scale_pixel(&p->y, fabs(y) <= p->series->zero ? 0 : y); }

// The RMS, on the sides on which the curve is.
static void draw_rms(FILE* out, const panel* p)
{
  const double rms = p->series->rms;
  if (p->members > 1 || !(rms > p->series->zero) || !isfinite(rms)) return;
  for (int sign = -1; sign <= 1; sign += 2)
    if (sign * rms >= p->y.low && sign * rms <= p->y.high)
      svg_line(out, "rms", p->left, scale_pixel(&p->y, sign * rms), p->right, scale_pixel(&p->y, sign * rms));
}

// The smallest and the largest value of each bucket in the order of their x, from a bucket on up to a gap. Returns the
// gap.
static int draw_points(FILE* out, const panel* p, const plot_bucket* bucket, int first, int end, int begun)
{
  int i = first;
  for (; i < end && !is_empty(&bucket[i]); i++) {
    const plot_bucket* b = &bucket[i];
    const int up = b->min_x <= b->max_x;
    svg_path_to(out, !begun && i == first, scale_pixel(&p->x, up ? b->min_x : b->max_x),
                at_value(p, up ? b->min : b->max));
    if (b->min_x == b->max_x) continue;
    svg_path_to(out, 0, scale_pixel(&p->x, up ? b->max_x : b->min_x), at_value(p, up ? b->max : b->min));
  }
  return i;
}

// Stretches between gaps: the area below the curve, or the curve itself; one value alone is a dot.
static void draw_stretches(FILE* out, const panel* p, const limb_plot* plot, int member, int area)
{
  const plot_bucket* bucket = buckets(plot, p, member);
  const double zero = scale_pixel(&p->y, 0);
  const char* class = area ? "area" : plot == p->other ? "curve other" : curve_class[member % COLOURS];
  for (int i = 0, end; i < plot->count; i = end) {
    end = i + 1;
    if (is_empty(&bucket[i])) continue;
    svg_path_begin(out, class);
    if (area) svg_path_to(out, 1, scale_pixel(&p->x, fmin(bucket[i].min_x, bucket[i].max_x)), zero);
    end = draw_points(out, p, bucket, i, plot->count, area);
    const plot_bucket* last = &bucket[end - 1];
    if (area) svg_path_to(out, 0, scale_pixel(&p->x, fmax(last->min_x, last->max_x)), zero);
    if (!area && end == i + 1) svg_path_to(out, 0, scale_pixel(&p->x, last->max_x), at_value(p, last->max));
    svg_path_end(out, area);
  }
}

static void draw_curves(FILE* out, const panel* p)
{
  const int alone = p->members == 1 && !p->decades;
  if (alone) draw_stretches(out, p, p->plot, 0, 1);
  for (int k = 0; k < p->members && p->other; k++) draw_stretches(out, p, p->other, k, 0);
  for (int k = 0; k < p->members; k++) draw_stretches(out, p, p->plot, k, 0);
  draw_rms(out, p);
  if (alone && p->any && fabs(p->peak) > p->series->zero)
    svg_circle(out, "dot", scale_pixel(&p->x, p->peak_x), scale_pixel(&p->y, p->peak), 3.6);
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
    const double at = scale_pixel(&p->x, labels->event[k].x);
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
    const double at = scale_pixel(&p->x, e->x), wide = 5.6 * (double)strlen(e->label) + 8;
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
  char text[240], number[48], bound[60] = "", rms[60] = "";
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
  scale_tick_text(p->peak, fabs(p->peak) / 100, number, sizeof number);
  if (isfinite(s->limit)) (void)snprintf(bound, sizeof bound, " of %.4g", s->limit);
  if (s->rms > s->zero && isfinite(s->rms)) (void)snprintf(rms, sizeof rms, ", RMS %.3g %.20s", s->rms, s->unit);
  (void)snprintf(text, sizeof text, "peak %s%s %s%s%s", fabs(p->peak) <= s->zero ? "0" : number, bound, s->unit, rms,
                 over ? ": over the limit" : "");
  svg_text(out, over ? "over" : "peak", SVG_END, p->right, y, 80, text);
}

// Number and layout of the panels.
typedef struct page {
  int panels, columns, rows;
  double pitch, tall; // from panel to panel
  double body;        // height of a panel
  double top, width;  // above the first panel; of all
  int decades;
} page;

static page make_page(int panels, const limb_plot_labels* labels)
{
  const int n = panels, columns = n <= 3 || (labels->width > 0 && labels->width < 700) ? 1 : n <= 16 ? 2 : 3;
  page s = {.panels = n, .columns = columns, .rows = (n + columns - 1) / columns, .decades = labels->decades};
  s.body = labels->decades ? TALL_BODY : columns == 1 && labels->width > 0 ? LOW_BODY : BODY;
  s.top = *labels->title ? TOP : labels->other ? LEGEND : 0;
  s.width = labels->width > 0 ? fmax(labels->width, MIN_WIDTH) : WIDTH;
  s.pitch = (s.width - 2.0 * MARGIN + GAP) / columns, s.tall = HEAD + s.body + GAP;
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
    if (size[k] > fmax(1e-12 * max, series[k].zero)) place[panel_of[k]] = 0;
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
static panel make_panel(const limb_plot* p, const limb_plot* other, const limb_plot_series* series, const int* panel_of,
                        const page* s, int k)
{
  const int two = other && other->count > 0;
  const int column = k / s->rows, row = k % s->rows;
  panel one = {.plot = p,
               .other = two ? other : NULL,
               .left = MARGIN + column * s->pitch + LABELS,
               .right = MARGIN + (column + 1) * s->pitch - GAP,
               .top = s->top + row * s->tall + HEAD,
               .bottom = s->top + row * s->tall + HEAD + s->body,
               .decades = s->decades};
  for (int i = 0; i < p->series; i++)
    if (panel_of[i] == k) one.member[one.members++] = i;
  one.series = &series[one.member[0]];
  const double ticks = s->columns == 1 ? 10 : s->columns == 2 ? 6 : 4;
  one.x = s->decades ? scale_decades(floor(p->first), ceil(p->last), ticks, one.left, one.right)
                     : scale_make(two ? fmin(p->first, other->first) : p->first,
                                  two ? fmax(p->last, other->last) : p->last, ticks, one.left, one.right);
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

// The names of two motions, above the panels.
static void draw_two(FILE* out, const limb_plot_labels* labels, double y)
{
  double x = MARGIN + LABELS;
  for (int k = 0; k < 2; k++) {
    const char* name = labels->name[k] ? labels->name[k] : "";
    svg_line(out, k ? "curve other" : "curve", x, y - 4, x + 18, y - 4);
    svg_text(out, "sub", SVG_START, x + 24, y, 40, name);
    x += 60 + 6.6 * (double)strlen(name);
  }
}

static void draw_legend(FILE* out, double width)
{
  const double right = width - MARGIN, y = 58;
  svg_text(out, "sub", SVG_END, right, y, 20, "limit");
  svg_line(out, "dash", right - 66, y - 4, right - 34, y - 4);
}

void limb_plot_write(const limb_plot* p, const limb_plot_series* series, const limb_plot_labels* labels, FILE* out)
{
  if (!p || !series || !labels || !out) return;
  int panel_of[LIMB_PLOT_MAX] = {0};
  int panels = group(p, series, panel_of);
  if (!labels->decades) panels = leave_out(p, series, panels, panel_of);
  const page s = make_page(panels, labels);
  const double height = s.top + s.rows * s.tall + FOOT;
  int limits = 0;
  svg_begin(out, s.width, height, *labels->title ? labels->title : "curves", plot_css);
  svg_rect(out, "page", 0, 0, s.width, height);
  svg_text(out, "title", SVG_START, MARGIN, 38, 80, labels->title);
  svg_text(out, "sub", SVG_START, MARGIN, 58, 120, labels->subtitle);
  for (int k = 0; k < s.panels && p->count > 0; k++) {
    const int last = k % s.rows == s.rows - 1 || k == s.panels - 1;
    const panel one = make_panel(p, labels->other, series, panel_of, &s, k);
    draw_panel(out, &one, series, labels, last, k % s.rows == 0);
    limits |= one.shows_limit;
    if (!last) continue;
    svg_text(out, "tick", SVG_MIDDLE, (one.left + one.right) / 2, one.bottom + 32, 40, labels->x_label);
  }
  if (limits && *labels->title) draw_legend(out, s.width);
  if (labels->other) draw_two(out, labels, *labels->title ? 76 : 16);
  draw_left_out(out, p, series, panel_of, height - 12);
  svg_end(out);
}
