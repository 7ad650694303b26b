// Frames of an animation: gathered, spaced evenly, and framed for the view.
#include "draw/animation.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 4096, MIN_FRAMES = 16, MAX_POINTS = 600000 }; // points of all frames

struct limb_animation {
  const limb_model* model;
  limb_data* data;
  draw_figure figure;
  limb_animation_options options;
  int capacity, count;
  double gap;       // frames are no closer than this [s]
  double* time;     // of frames
  float* at;        // of frames: three coordinates per point, in the world
  double last_time; // of the last state, which may not be a frame yet
  float* last;
};

// ---- gathering -------------------------------------------------------------------------------------

static size_t frame_size(const limb_animation* a) { return 3 * (size_t)a->figure.points; }

static limb_status make(limb_animation* a)
{
  limb_status status = limb_data_create(limb_spanning_tree(a->model), NULL, &a->data);
  if (status == LIMB_OK) status = draw_figure_make(&a->figure, a->model, a->data, a->options.trace);
  if (status != LIMB_OK) return status;
  const int fit = MAX_POINTS / (a->figure.points + 1);
  a->capacity = fit > MAX_FRAMES ? MAX_FRAMES : fit < MIN_FRAMES ? MIN_FRAMES : fit;
  a->time = calloc((size_t)a->capacity, sizeof *a->time);
  a->at = calloc((size_t)a->capacity * frame_size(a) + 1, sizeof *a->at);
  a->last = calloc(frame_size(a) + 1, sizeof *a->last);
  return a->time && a->at && a->last ? LIMB_OK : LIMB_E_NOMEM;
}

limb_animation_options limb_default_animation(void)
{
  return (limb_animation_options){.size = sizeof(limb_animation_options),
                                  .width = 960,
                                  .height = 600,
                                  .rate = 30,
                                  .trace = LIMB_TRACE_AUTO,
                                  .view = LIMB_VIEW_AUTO};
}

limb_status limb_animation_create(const limb_model* m, const limb_animation_options* options, limb_animation** out)
{
  limb_animation_options o = limb_default_animation();
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  const size_t first = offsetof(limb_animation_options, view) + sizeof o.view;
  const limb_status read = options ? limb_sized_read(&o, sizeof o, options, first) : LIMB_OK;
  if (read != LIMB_OK) return read;
  if (!m || o.width < 1 || o.height < 1 || o.frames < 0 || !(o.rate > 0) || !(o.speed >= 0)) return LIMB_E_ARG;
  limb_animation* a = calloc(1, sizeof *a);
  if (!a) return LIMB_E_NOMEM;
  a->model = m;
  a->options = o;
  if (o.trace == 0) a->options.trace = LIMB_TRACE_NONE; // the world does not move
  const limb_status status = make(a);
  if (status == LIMB_OK)
    *out = a;
  else
    limb_animation_destroy(a);
  return status;
}

void limb_animation_destroy(limb_animation* a)
{
  if (!a) return;
  limb_data_destroy(a->data);
  draw_figure_free(&a->figure);
  free(a->time);
  free(a->at);
  free(a->last);
  free(a);
}

// Half as many frames, evenly in time.
static void thin_out(limb_animation* a)
{
  const size_t size = frame_size(a);
  int kept = 1;
  a->gap = 2 * (a->time[a->count - 1] - a->time[0]) / a->capacity;
  for (int i = 1; i < a->count; i++) {
    if (a->time[i] - a->time[kept - 1] < a->gap * (1 - 1e-9)) continue;
    a->time[kept] = a->time[i];
    memmove(a->at + (size_t)kept * size, a->at + (size_t)i * size, size * sizeof *a->at);
    kept++;
  }
  a->count = kept;
}

static void keep(limb_animation* a)
{
  if (a->count == a->capacity) thin_out(a);
  memcpy(a->at + (size_t)a->count * frame_size(a), a->last, frame_size(a) * sizeof *a->at);
  a->time[a->count++] = a->last_time;
}

// Positions of all points. `last` changes only on success.
static limb_status find_points(limb_animation* a, const double* q)
{
  const draw_figure* f = &a->figure;
  limb_status status = limb_kinematics(a->data, q, NULL, NULL);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < f->points && status == LIMB_OK; i++) {
      sp_pose X;
      status = limb_frame_pose(a->data, f->point[i].body, &X);
      if (status != LIMB_OK) break;
      const sp_vec3 p = sp_point(X, f->point[i].at);
      const double max = fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z));
      if (!(max < 1e15)) status = LIMB_E_NONFINITE; // floats, and their squares
      if (pass == 0) continue;
      a->last[3 * i] = (float)p.x, a->last[3 * i + 1] = (float)p.y, a->last[3 * i + 2] = (float)p.z;
    }
  }
  return status;
}

limb_status limb_animation_add(limb_animation* a, double time, const double* q)
{
  if (!a || !q) return LIMB_E_ARG;
  if (!isfinite(time)) return LIMB_E_NONFINITE;
  if (a->count > 0 && time < a->last_time) return LIMB_E_ARG;
  const limb_status status = find_points(a, q);
  if (status != LIMB_OK) return status;
  const int again = a->count > 0 && time == a->time[a->count - 1];
  a->last_time = time;
  if (again) a->count--;
  if (a->count == 0 || time - a->time[a->count - 1] >= a->gap * (1 - 1e-9)) keep(a);
  return LIMB_OK;
}

int limb_animation_count(const limb_animation* a) { return a ? a->count : 0; }

// ---- frames at equal distances ---------------------------------------------------------------------

// The frame at a time, between two that were kept or the last state.
static void frame_at(const limb_animation* a, double time, int* from, float* out)
{
  const size_t size = frame_size(a);
  while (*from + 1 < a->count && a->time[*from + 1] <= time) ++*from;
  const int ends = *from + 1 >= a->count;
  const double t0 = a->time[*from], t1 = ends ? a->last_time : a->time[*from + 1];
  const float *x0 = a->at + (size_t)*from * size, *x1 = ends ? a->last : x0 + size;
  const float s = t1 > t0 ? (float)fmin((time - t0) / (t1 - t0), 1) : 1;
  for (size_t i = 0; i < size; i++) out[i] = x0[i] + s * (x1[i] - x0[i]);
}

// Real time if that takes 1.5 to 30 s to play; else faster or slower.
static double choose_speed(const limb_animation* a, double length)
{
  if (a->options.speed > 0) return a->options.speed;
  if (length > 30) return track_round(length / 10);
  return length > 0 && length < 1.5 ? track_round(length / 3) : 1;
}

static int choose_frames(const limb_animation* a, const animation_track* r)
{
  const int states = a->count + (a->last_time > a->time[a->count - 1]);
  int max = animation_svg_frames(&a->figure);
  if (a->options.frames > 0 && a->options.frames < max) max = a->options.frames;
  if (states < max) max = states;
  const double needed = ceil(r->length / r->speed * a->options.rate) + 1;
  if (needed < max) max = (int)needed;
  return max < 2 && r->length > 0 ? 2 : max;
}

// The axes of the view, as rows.
static void choose_axes(const limb_animation* a, animation_track* r)
{
  const draw_figure* f = &a->figure;
  const int plane = f->planar || a->options.view == LIMB_VIEW_PLANE;
  r->space = a->options.view == LIMB_VIEW_SPACE || !plane;
  const sp_vec3 towards = r->space ? f->up : sp_norm3(f->normal) > 0 ? f->normal : sp_v3(0, -1, 0);
  // The second axis: up, if the plane contains it; else, seen from above, y (x when looking along y).
  sp_vec3 second = r->space ? sp_v3(0, 1, 0) : f->up;
  if (fabs(sp_dot3(second, towards)) > 0.9) second = fabs(towards.y) > 0.9 ? sp_v3(1, 0, 0) : sp_v3(0, 1, 0);
  second = sp_sub3(second, sp_scale3(sp_dot3(second, towards), towards));
  r->axis[2] = towards;
  r->axis[1] = sp_scale3(1 / sp_norm3(second), second);
  r->axis[0] = sp_cross3(r->axis[1], r->axis[2]);
}

// Transforms all points into the axes of the view.
static void turn(animation_track* r)
{
  const size_t all = (size_t)r->frames * (size_t)r->figure->points;
  for (size_t i = 0; i < all; i++) {
    float* x = r->at + 3 * i;
    const sp_vec3 p = sp_v3((double)x[0], (double)x[1], (double)x[2]);
    for (int k = 0; k < 3; k++) x[k] = (float)sp_dot3(r->axis[k], p);
  }
}

limb_status limb_animation_write(const limb_animation* a, limb_picture kind, FILE* out)
{
  if (!a || !out || a->count == 0 || kind != LIMB_PICTURE_SVG) return LIMB_E_ARG;
  const limb_animation_options* o = &a->options;
  animation_track r = {.figure = &a->figure,
                       .still = o->still,
                       .title = o->title ? o->title : limb_model_name(a->model),
                       .subtitle = o->subtitle ? o->subtitle : "",
                       .width = o->width,
                       .height = o->height,
                       .first = a->time[0],
                       .length = a->last_time - a->time[0]};
  int from = 0;
  choose_axes(a, &r);
  r.speed = choose_speed(a, r.length);
  r.frames = choose_frames(a, &r);
  r.at = calloc((size_t)r.frames * frame_size(a) + 1, sizeof *r.at);
  if (!r.at) return LIMB_E_NOMEM;
  for (int k = 0; k < r.frames; k++) {
    const double s = r.frames > 1 ? (double)k / (r.frames - 1) : 0;
    frame_at(a, r.first + s * r.length, &from, r.at + (size_t)k * frame_size(a));
  }
  turn(&r);
  track_frame(&r);
  animation_write_svg(&r, out);
  free(r.at);
  return LIMB_OK;
}

double track_round(double x)
{
  const double power = pow(10, floor(log10(x) + 1e-9)), f = x / power * (1 + 1e-9);
  return power * (f >= 5 ? 5 : f >= 2 ? 2 : 1);
}

void track_project(const animation_track* r, sp_vec3 x, double out[2])
{
  const double ca = cos(r->azimuth), sa = sin(r->azimuth);
  const double ce = cos(r->elevation), se = sin(r->elevation);
  out[0] = r->space ? -sa * x.x + ca * x.y : x.x;
  out[1] = r->space ? -se * (ca * x.x + sa * x.y) + ce * x.z : x.y;
}

sp_vec3 track_world_axis(const animation_track* r, int k)
{
  const sp_vec3 e = {k == 0, k == 1, k == 2};
  return sp_v3(sp_dot3(r->axis[0], e), sp_dot3(r->axis[1], e), sp_dot3(r->axis[2], e));
}

double track_link(const animation_track* r)
{
  const draw_figure* f = r->figure;
  double sum = 0;
  int count = 0;
  for (int k = 0; k < f->shapes; k++) {
    const int* index = f->index + f->shape[k].first;
    if (f->shape[k].kind != FIGURE_LINK) continue;
    sum += sp_norm3(sp_sub3(track_at(r, 0, index[1]), track_at(r, 0, index[0])));
    count++;
  }
  return count ? sum / count : 0;
}

static void put(animation_track* r, int frame, int point, sp_vec3 x)
{
  float* at = r->at + 3 * ((size_t)frame * (size_t)r->figure->points + (size_t)point);
  at[0] = (float)x.x, at[1] = (float)x.y, at[2] = (float)x.z;
}

// A guide is a little longer than the motion along it.
static void lay_guide(animation_track* r, const int* points)
{
  const sp_vec3 from = track_at(r, 0, points[0]);
  sp_vec3 along = sp_sub3(track_at(r, 0, points[1]), from);
  double low = HUGE_VAL, high = -HUGE_VAL;
  if (sp_norm3(along) == 0) return;
  along = sp_scale3(1 / sp_norm3(along), along);
  for (int k = 0; k < r->frames; k++) {
    const double s = sp_dot3(along, sp_sub3(track_at(r, k, points[2]), from));
    low = fmin(low, s), high = fmax(high, s);
  }
  const double more = 0.1 * fmax(high - low, r->figure->size);
  for (int k = 0; k < r->frames; k++) {
    put(r, k, points[0], sp_add3(from, sp_scale3(low - more, along)));
    put(r, k, points[1], sp_add3(from, sp_scale3(high + more, along)));
  }
}

// ---- what must be seen -----------------------------------------------------------------------------

static void widen(animation_track* r, sp_vec3 p, sp_vec3 by)
{
  r->low = sp_v3(fmin(r->low.x, p.x - by.x), fmin(r->low.y, p.y - by.y), fmin(r->low.z, p.z - by.z));
  r->high = sp_v3(fmax(r->high.x, p.x + by.x), fmax(r->high.y, p.y + by.y), fmax(r->high.z, p.z + by.z));
}

// How far a shape reaches around its first point. Of a disc sqrt(u^2 + v^2), of a box |a| + |b| + |c|, by
// coordinates.
static sp_vec3 reach(const animation_track* r, int frame, const figure_shape* s)
{
  const int* index = r->figure->index + s->first;
  const sp_vec3 centre = track_at(r, frame, index[0]);
  sp_vec3 sum = {0, 0, 0}, squares = {0, 0, 0};
  for (int k = 1; k < s->count; k++) {
    const sp_vec3 d = sp_sub3(track_at(r, frame, index[k]), centre);
    sum = sp_add3(sum, sp_v3(fabs(d.x), fabs(d.y), fabs(d.z)));
    squares = sp_add3(squares, sp_v3(d.x * d.x, d.y * d.y, d.z * d.z));
  }
  return s->kind == FIGURE_BOX ? sum : sp_v3(sqrt(squares.x), sqrt(squares.y), sqrt(squares.z));
}

static void find_box(animation_track* r)
{
  const draw_figure* f = r->figure;
  r->low = sp_v3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
  r->high = sp_v3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
  for (int k = 0; k < r->frames; k++) {
    for (int i = 0; i < f->points; i++) widen(r, track_at(r, k, i), sp_v3(0, 0, 0));
    for (int s = 0; s < f->shapes; s++) {
      const figure_kind kind = f->shape[s].kind;
      if (kind != FIGURE_BOX && kind != FIGURE_DISC) continue;
      widen(r, track_at(r, k, f->index[f->shape[s].first]), reach(r, k, &f->shape[s]));
    }
  }
  if (f->points == 0) r->low = r->high = sp_v3(0, 0, 0);
  r->target = sp_scale3(0.5, sp_add3(r->low, r->high));
}

static void find_span(animation_track* r)
{
  const draw_figure* f = r->figure;
  double max[2] = {0, 0}, xy[2];
  // All points, and the corners of the box in a plane, where it is tight.
  for (int k = 0; k < r->frames && r->space; k++) {
    for (int i = 0; i < f->points; i++) {
      track_project(r, sp_sub3(track_at(r, k, i), r->target), xy);
      max[0] = fmax(max[0], fabs(xy[0])), max[1] = fmax(max[1], fabs(xy[1]));
    }
  }
  for (int k = 0; k < 4 && r->floor.shown; k++) { // most of the floor
    const animation_floor* g = &r->floor;
    const sp_vec3 corner = sp_v3(k & 1 ? g->high[0] : g->low[0], k & 2 ? g->high[1] : g->low[1], g->height);
    track_project(r, sp_sub3(corner, r->target), xy);
    max[0] = fmax(max[0], 0.66 * fabs(xy[0])), max[1] = fmax(max[1], 0.7 * fabs(xy[1]));
  }
  const sp_vec3 size = sp_sub3(r->high, r->low);
  const double min = fmax(0.02 * f->size, 1e-9 * sp_norm3(r->target));
  r->span[0] = fmax(r->space ? 2 * max[0] : size.x, min);
  r->span[1] = fmax(r->space ? 2 * max[1] : size.y, min);
}

// A level grid, below everything or at the height of the world's origin, some squares wider than the robot.
static void lay_floor(animation_track* r)
{
  animation_floor* g = &r->floor;
  const double low[2] = {r->low.x, r->low.y}, high[2] = {r->high.x, r->high.y};
  const double wide = fmax(fmax(high[0] - low[0], high[1] - low[1]), r->high.z - r->low.z);
  g->shown = r->space && r->figure->has_floor && wide > 0;
  if (!g->shown) return;
  g->height = fmin(0, r->low.z);
  if (r->low.z < 0 && r->low.z > -0.02 * wide) g->height = 0; // a wheel that sinks in by rounding
  g->step = track_round(wide / 4);
  for (int k = 0; k < 2; k++) {
    g->low[k] = floor(low[k] / g->step - 0.3) * g->step;
    g->high[k] = ceil(high[k] / g->step + 0.3) * g->step;
  }
}

// The foot of a pedestal is on the floor.
static void stand(animation_track* r, int point)
{
  for (int k = 0; k < r->frames; k++) {
    sp_vec3 x = track_at(r, k, point);
    x.z = r->floor.height;
    put(r, k, point, x);
  }
}

void track_frame(animation_track* r)
{
  const draw_figure* f = r->figure;
  r->azimuth = -0.96, r->elevation = 0.38; // rad
  for (int s = 0; s < f->shapes; s++)
    if (f->shape[s].kind == FIGURE_GUIDE) lay_guide(r, f->index + f->shape[s].first);
  find_box(r);
  lay_floor(r);
  for (int s = 0; s < f->shapes && r->floor.shown; s++)
    if (f->shape[s].kind == FIGURE_PEDESTAL) stand(r, f->index[f->shape[s].first]);
  find_span(r);
}
