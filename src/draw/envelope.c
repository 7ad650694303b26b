// Torque over speed, magnitudes of both, and what a motor can deliver: constant torque up to the rated speed, constant
// power beyond it. Rows are thinned evenly when there are many; the largest torque and the largest speed stay.
#include "limb/draw.h"
#include "limb/study.h"

#include "draw/figure.h"
#include "draw/scale.h"

#include <math.h>
#include <stdlib.h>

enum { CAPACITY = 2048, WIDTH = 310, HEIGHT = 282, LEFT = 46, RIGHT = 14, TOP = 26, BOTTOM = 56, STEPS = 40 };

typedef struct point {
  double speed, torque; // with their signs
} point;

struct limb_envelope {
  int count;
  uint64_t each, rows; // a point is kept every `each` rows
  point at[CAPACITY];
  point last;               // row
  point strongest, fastest; // rows
};

limb_status limb_envelope_create(limb_envelope** out)
{
  if (!out) return LIMB_E_ARG;
  *out = calloc(1, sizeof **out);
  if (!*out) return LIMB_E_NOMEM;
  (*out)->each = 1;
  return LIMB_OK;
}

void limb_envelope_destroy(limb_envelope* e) { free(e); }

void limb_envelope_add(limb_envelope* e, double speed, double torque)
{
  if (!e || !isfinite(speed) || !isfinite(torque)) return;
  if (e->count == CAPACITY && e->rows % e->each == 0) {
    for (int i = 0; i < CAPACITY / 2; i++) e->at[i] = e->at[2 * i];
    e->count = CAPACITY / 2;
    e->each *= 2;
  }
  e->last = (point){speed, torque};
  if (e->rows % e->each == 0) e->at[e->count++] = e->last;
  if (e->rows == 0 || fabs(torque) > fabs(e->strongest.torque)) e->strongest = e->last;
  if (e->rows == 0 || fabs(speed) > fabs(e->fastest.speed)) e->fastest = e->last;
  e->rows++;
}

// ---- drawing ---------------------------------------------------------------------------------------

typedef struct chart {
  FILE* out;
  const limb_envelope* e;
  const limb_envelope_labels* labels;
  scale x, y;
} chart;

static void go_to(const chart* c, int first, double speed, double torque)
{
  const double size = fabs(torque) <= c->labels->zero ? 0 : fabs(torque);
  svg_path_to(c->out, first, scale_pixel(&c->x, fabs(speed)), scale_pixel(&c->y, size));
}

static double speed_unit(const chart* c) { return c->labels->speed_unit > 0 ? c->labels->speed_unit : 1; }

// The corners of a torque between speed zero and `end`: those of its curve, or the bend of constant power.
static void put_corners(const chart* c, int peak, double end)
{
  const limb_gearmotor* g = &c->labels->motor;
  const limb_torque_curve* curve = peak ? &g->peak_curve : &g->rated_curve;
  for (int k = 0; k < curve->count; k++) {
    const double* p = curve->point + 2 * (size_t)k;
    if (p[0] > 0 && p[0] < end) go_to(c, 0, speed_unit(c) * p[0], p[1]);
  }
  if (curve->count > 0 || !(g->rated_speed > 0) || g->rated_speed >= end) return;
  for (int k = 0; k < STEPS; k++) {
    const double w = g->rated_speed + (end - g->rated_speed) * k / STEPS;
    go_to(c, 0, speed_unit(c) * w, limb_gearmotor_torque(g, peak, w));
  }
}

// The line of a torque over the speed, up to the maximal one; filled down to the axis. It may be out of the picture.
static void put_region(const chart* c, const char* class, int peak, int fill)
{
  const limb_gearmotor* g = &c->labels->motor;
  const limb_torque_curve* curve = peak ? &g->peak_curve : &g->rated_curve;
  const double torque = peak ? g->peak_torque : g->rated_torque, unit = speed_unit(c);
  double end = c->x.high / unit;
  int ends = 0;
  if (!(torque > 0) || torque > c->y.high) return;
  if (g->max_speed > 0 && g->max_speed <= end) end = g->max_speed, ends = 1;
  if (curve->count > 0 && curve->point[2 * curve->count - 2] <= end) end = curve->point[2 * curve->count - 2], ends = 1;
  svg_path_begin(c->out, class);
  if (fill) go_to(c, 1, 0, 0);
  go_to(c, !fill, 0, limb_gearmotor_torque(g, peak, 0));
  put_corners(c, peak, end);
  go_to(c, 0, unit * end, limb_gearmotor_torque(g, peak, end));
  if (fill || ends) go_to(c, 0, unit * end, 0);
  svg_path_end(c->out, fill);
}

// "rated 0.62, peak 1.9": also of what is not in the picture.
static void put_limits(const chart* c)
{
  const limb_gearmotor* l = &c->labels->motor;
  char text[80] = "";
  if (l->rated_torque > 0 && l->peak_torque > 0)
    (void)snprintf(text, sizeof text, "rated %.3g, peak %.3g", l->rated_torque, l->peak_torque);
  else if (l->peak_torque > 0)
    (void)snprintf(text, sizeof text, "limit %.3g", l->peak_torque);
  svg_text(c->out, "tick", SVG_END, WIDTH - RIGHT, TOP - 10, 40, text);
}

static int brakes(const point* p) { return p->speed * p->torque < 0; }

// Driving and braking are paths of their own, each up to where it becomes the other.
static void put_motion(const chart* c)
{
  const limb_envelope* e = c->e;
  for (int i = 0, end; i < e->count; i = end) {
    const int braking = brakes(&e->at[i]);
    svg_path_begin(c->out, braking ? "brake" : "drive");
    go_to(c, 1, e->at[i].speed, e->at[i].torque);
    for (end = i + 1; end < e->count && brakes(&e->at[end]) == braking; end++)
      go_to(c, 0, e->at[end].speed, e->at[end].torque);
    const point* last = end < e->count ? &e->at[end] : &e->last;
    go_to(c, 0, last->speed, last->torque);
    svg_path_end(c->out, 0);
  }
}

static void put_axis(const chart* c, int upright)
{
  const scale* s = upright ? &c->x : &c->y;
  char text[48];
  for (long k = scale_first(s); k <= scale_last(s); k++) {
    const double tick = (double)k * s->step, at = scale_pixel(s, tick);
    scale_tick_text(tick, s->step, text, sizeof text);
    if (upright) {
      svg_line(c->out, "grid", at, TOP, at, HEIGHT - BOTTOM);
      svg_text(c->out, "tick", SVG_MIDDLE, at, HEIGHT - BOTTOM + 15, 20, text);
    } else {
      svg_line(c->out, "grid", LEFT, at, WIDTH - RIGHT, at);
      svg_text(c->out, "tick", SVG_END, LEFT - 6, at + 4, 20, text);
    }
  }
}

static void put_point(const chart* c, const char* class, const char* name, double speed, double torque)
{
  const double x = scale_pixel(&c->x, fabs(speed)), y = scale_pixel(&c->y, fabs(torque));
  const int left = x > WIDTH - RIGHT - 60;
  svg_circle(c->out, class, x, y, 3.8);
  svg_text(c->out, "mark", left ? SVG_END : SVG_START, left ? x - 7 : x + 7, fmax(y - 5, TOP + 9), 20, name);
}

static double largest(double a, double b, double c) { return fmax(a, fmax(b, c)); }

// Limits that are far away would make the motion a dot: those of up to six times its size are in the picture.
static double range(double motion, double near, double far)
{
  const double end = motion > 0 ? 6 * motion : HUGE_VAL;
  const double size = largest(motion, near <= end ? near : 0, far <= end ? far : 0);
  return size > 0 ? 1.08 * size : 1;
}

void limb_envelope_write(const limb_envelope* e, const limb_envelope_labels* labels, FILE* out)
{
  if (!e || !labels || !out) return;
  chart c = {.out = out, .e = e, .labels = labels};
  const limb_gearmotor* g = &labels->motor;
  const double max_speed = speed_unit(&c) * g->max_speed, rated_speed = speed_unit(&c) * g->rated_speed;
  const double fastest = fabs(e->fastest.speed), largest_torque = fabs(e->strongest.torque),
               strongest = largest_torque <= labels->zero ? 0 : largest_torque;
  c.x = scale_make(0, range(fastest, max_speed, rated_speed), 4, LEFT, WIDTH - RIGHT);
  c.y = scale_make(0, range(strongest, g->peak_torque, g->rated_torque), 5, HEIGHT - BOTTOM, TOP);
  svg_begin(out, WIDTH, HEIGHT, "torque over speed", plot_css);
  svg_rect(out, "page", 0, 0, WIDTH, HEIGHT);
  svg_rect(out, "panel", LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
  put_region(&c, "short", 1, 1), put_region(&c, "long", 0, 1);
  put_axis(&c, 0), put_axis(&c, 1);
  put_region(&c, "dash", 1, 0), put_region(&c, "rms", 0, 0);
  if (!(g->peak_torque > 0) && max_speed > 0 && max_speed <= c.x.high)
    svg_line(out, "dash", scale_pixel(&c.x, max_speed), TOP, scale_pixel(&c.x, max_speed), HEIGHT - BOTTOM);
  put_motion(&c);
  if (strongest > 0) put_point(&c, "dot", "peak", e->strongest.speed, e->strongest.torque);
  if (labels->rms > 0) put_point(&c, "square", "RMS", labels->mean_speed, labels->rms);
  svg_text(out, "tick", SVG_START, 4, TOP - 10, 40, labels->y_label);
  put_limits(&c);
  svg_text(out, "tick", SVG_MIDDLE, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - BOTTOM + 31, 40, labels->x_label);
  svg_line(out, "drive", LEFT, HEIGHT - 10, LEFT + 14, HEIGHT - 10);
  svg_text(out, "tick", SVG_START, LEFT + 18, HEIGHT - 6, 20, "drives");
  svg_line(out, "brake", LEFT + 62, HEIGHT - 10, LEFT + 76, HEIGHT - 10);
  svg_text(out, "tick", SVG_START, LEFT + 80, HEIGHT - 6, 20, "brakes");
  svg_end(out);
}
