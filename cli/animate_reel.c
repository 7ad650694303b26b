// What depends on where a robot goes: how long its guides are, what must be seen, where the floor is.
#include "animate_reel.h"

double reel_round(double x)
{
  const double power = pow(10, floor(log10(x) + 1e-9)), f = x / power * (1 + 1e-9);
  return power * (f >= 5 ? 5 : f >= 2 ? 2 : 1);
}

void reel_project(const animation_reel* r, sp_vec3 x, double out[2])
{
  const double ca = cos(r->azimuth), sa = sin(r->azimuth);
  const double ce = cos(r->elevation), se = sin(r->elevation);
  out[0] = r->space ? -sa * x.x + ca * x.y : x.x;
  out[1] = r->space ? -se * (ca * x.x + sa * x.y) + ce * x.z : x.y;
}

sp_vec3 reel_world_axis(const animation_reel* r, int k)
{
  const sp_vec3 e = {k == 0, k == 1, k == 2};
  return sp_v3(sp_dot3(r->axis[0], e), sp_dot3(r->axis[1], e), sp_dot3(r->axis[2], e));
}

double reel_link(const animation_reel* r)
{
  const cli_figure* f = r->figure;
  double sum = 0;
  int count = 0;
  for (int k = 0; k < f->shapes; k++) {
    const int* index = f->index + f->shape[k].first;
    if (f->shape[k].kind != FIGURE_LINK) continue;
    sum += sp_norm3(sp_sub3(reel_at(r, 0, index[1]), reel_at(r, 0, index[0])));
    count++;
  }
  return count ? sum / count : 0;
}

static void put(animation_reel* r, int frame, int point, sp_vec3 x)
{
  float* at = r->at + 3 * ((size_t)frame * (size_t)r->figure->points + (size_t)point);
  at[0] = (float)x.x, at[1] = (float)x.y, at[2] = (float)x.z;
}

// A guide is as long as the way along it, and a little longer.
static void lay_guide(animation_reel* r, const int* points)
{
  const sp_vec3 from = reel_at(r, 0, points[0]);
  sp_vec3 along = sp_sub3(reel_at(r, 0, points[1]), from);
  double low = HUGE_VAL, high = -HUGE_VAL;
  if (sp_norm3(along) == 0) return;
  along = sp_scale3(1 / sp_norm3(along), along);
  for (int k = 0; k < r->frames; k++) {
    const double s = sp_dot3(along, sp_sub3(reel_at(r, k, points[2]), from));
    low = fmin(low, s), high = fmax(high, s);
  }
  const double more = 0.1 * fmax(high - low, r->figure->size);
  for (int k = 0; k < r->frames; k++) {
    put(r, k, points[0], sp_add3(from, sp_scale3(low - more, along)));
    put(r, k, points[1], sp_add3(from, sp_scale3(high + more, along)));
  }
}

// ---- what must be seen -----------------------------------------------------------------------------

static void widen(animation_reel* r, sp_vec3 p, sp_vec3 by)
{
  r->low = sp_v3(fmin(r->low.x, p.x - by.x), fmin(r->low.y, p.y - by.y), fmin(r->low.z, p.z - by.z));
  r->high = sp_v3(fmax(r->high.x, p.x + by.x), fmax(r->high.y, p.y + by.y), fmax(r->high.z, p.z + by.z));
}

// How far a shape reaches around its first point. Of a disc sqrt(u^2 + v^2), of a box |a| + |b| + |c|, by
// coordinates.
static sp_vec3 reach(const animation_reel* r, int frame, const figure_shape* s)
{
  const int* index = r->figure->index + s->first;
  const sp_vec3 centre = reel_at(r, frame, index[0]);
  sp_vec3 sum = {0, 0, 0}, squares = {0, 0, 0};
  for (int k = 1; k < s->count; k++) {
    const sp_vec3 d = sp_sub3(reel_at(r, frame, index[k]), centre);
    sum = sp_add3(sum, sp_v3(fabs(d.x), fabs(d.y), fabs(d.z)));
    squares = sp_add3(squares, sp_v3(d.x * d.x, d.y * d.y, d.z * d.z));
  }
  return s->kind == FIGURE_BOX ? sum : sp_v3(sqrt(squares.x), sqrt(squares.y), sqrt(squares.z));
}

static void find_box(animation_reel* r)
{
  const cli_figure* f = r->figure;
  r->low = sp_v3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
  r->high = sp_v3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
  for (int k = 0; k < r->frames; k++) {
    for (int i = 0; i < f->points; i++) widen(r, reel_at(r, k, i), sp_v3(0, 0, 0));
    for (int s = 0; s < f->shapes; s++) {
      const figure_kind kind = f->shape[s].kind;
      if (kind != FIGURE_BOX && kind != FIGURE_DISC) continue;
      widen(r, reel_at(r, k, f->index[f->shape[s].first]), reach(r, k, &f->shape[s]));
    }
  }
  if (f->points == 0) r->low = r->high = sp_v3(0, 0, 0);
  r->target = sp_scale3(0.5, sp_add3(r->low, r->high));
}

static void find_span(animation_reel* r)
{
  const cli_figure* f = r->figure;
  double most[2] = {0, 0}, xy[2];
  // All points, and the corners of the box in a plane, where it is tight.
  for (int k = 0; k < r->frames && r->space; k++) {
    for (int i = 0; i < f->points; i++) {
      reel_project(r, sp_sub3(reel_at(r, k, i), r->target), xy);
      most[0] = fmax(most[0], fabs(xy[0])), most[1] = fmax(most[1], fabs(xy[1]));
    }
  }
  for (int k = 0; k < 4 && r->floor.shown; k++) { // most of the floor
    const animation_floor* g = &r->floor;
    const sp_vec3 corner = sp_v3(k & 1 ? g->high[0] : g->low[0], k & 2 ? g->high[1] : g->low[1], g->height);
    reel_project(r, sp_sub3(corner, r->target), xy);
    most[0] = fmax(most[0], 0.66 * fabs(xy[0])), most[1] = fmax(most[1], 0.7 * fabs(xy[1]));
  }
  const sp_vec3 size = sp_sub3(r->high, r->low);
  const double least = fmax(0.02 * f->size, 1e-9 * sp_norm3(r->target));
  r->span[0] = fmax(r->space ? 2 * most[0] : size.x, least);
  r->span[1] = fmax(r->space ? 2 * most[1] : size.y, least);
}

// A level grid, below everything or at the height of the world's origin, some squares wider than the robot.
static void lay_floor(animation_reel* r)
{
  animation_floor* g = &r->floor;
  const double low[2] = {r->low.x, r->low.y}, high[2] = {r->high.x, r->high.y};
  const double wide = fmax(fmax(high[0] - low[0], high[1] - low[1]), r->high.z - r->low.z);
  g->shown = r->space && r->figure->has_floor && wide > 0;
  if (!g->shown) return;
  g->height = fmin(0, r->low.z);
  if (r->low.z < 0 && r->low.z > -0.02 * wide) g->height = 0; // a wheel that sinks in by rounding
  g->step = reel_round(wide / 4);
  for (int k = 0; k < 2; k++) {
    g->low[k] = floor(low[k] / g->step - 0.3) * g->step;
    g->high[k] = ceil(high[k] / g->step + 0.3) * g->step;
  }
}

// The foot of a pedestal is on the floor.
static void stand(animation_reel* r, int point)
{
  for (int k = 0; k < r->frames; k++) {
    sp_vec3 x = reel_at(r, k, point);
    x.z = r->floor.height;
    put(r, k, point, x);
  }
}

void reel_frame(animation_reel* r)
{
  const cli_figure* f = r->figure;
  r->azimuth = -0.96, r->elevation = 0.38; // rad
  for (int s = 0; s < f->shapes; s++)
    if (f->shape[s].kind == FIGURE_GUIDE) lay_guide(r, f->index + f->shape[s].first);
  find_box(r);
  lay_floor(r);
  for (int s = 0; s < f->shapes && r->floor.shown; s++)
    if (f->shape[s].kind == FIGURE_PEDESTAL) stand(r, f->index[f->shape[s].first]);
  find_span(r);
}
