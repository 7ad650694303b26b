// Gathering the frames of an animation, and handing them to what writes files.
#include "animate.h"
#include "animate_reel.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 4096, LEAST_FRAMES = 16, MOST_POINTS = 600000 }; // of all frames

struct cli_animation {
  const limb_model* model;
  limb_data* data;
  cli_figure figure;
  cli_animation_options options;
  int room, count;
  double gap;       // frames are no closer than this [s]
  double* time;     // of frames
  float* at;        // of frames: three coordinates per point, in the world
  double last_time; // of the last state, which may be no frame yet
  float* last;
};

// ---- names of files --------------------------------------------------------------------------------

static int ends_in(const char* path, const char* suffix)
{
  const size_t n = strlen(path), k = strlen(suffix);
  return n > k && strcmp(path + n - k, suffix) == 0;
}

cli_picture cli_picture_of(const char* path)
{
  if (ends_in(path, ".svg")) return CLI_PICTURE_SVG;
  return ends_in(path, ".html") || ends_in(path, ".htm") ? CLI_PICTURE_HTML : CLI_PICTURE_NONE;
}

int cli_animation_option(const cli_args* args, const char* option)
{
  const char* path = cli_get(args, option);
  if (!path || cli_picture_of(path) != CLI_PICTURE_NONE) return EXIT_FINE;
  return cli_usage(args, "--%s: '%s' ends neither in .svg nor in .html", option, path);
}

// ---- gathering -------------------------------------------------------------------------------------

static size_t frame_size(const cli_animation* a) { return 3 * (size_t)a->figure.points; }

static limb_status make(cli_animation* a)
{
  limb_status status = limb_data_create(a->model, NULL, &a->data);
  if (status == LIMB_OK) status = cli_figure_make(&a->figure, a->model, a->data, a->options.trace);
  if (status != LIMB_OK) return status;
  const int fit = MOST_POINTS / (a->figure.points + 1);
  a->room = fit > MOST_FRAMES ? MOST_FRAMES : fit < LEAST_FRAMES ? LEAST_FRAMES : fit;
  a->time = calloc((size_t)a->room, sizeof *a->time);
  a->at = calloc((size_t)a->room * frame_size(a) + 1, sizeof *a->at);
  a->last = calloc(frame_size(a) + 1, sizeof *a->last);
  return a->time && a->at && a->last ? LIMB_OK : LIMB_E_NOMEM;
}

limb_status cli_animation_open(cli_animation** out, const limb_model* model, const cli_animation_options* options)
{
  const cli_animation_options o = options ? *options : (cli_animation_options){.trace = FIGURE_TRACE_AUTO};
  *out = NULL;
  if (!model || o.width < 0 || o.height < 0 || o.frames < 0 || !(o.rate >= 0) || !(o.speed >= 0)) return LIMB_E_ARG;
  cli_animation* a = calloc(1, sizeof *a);
  if (!a) return LIMB_E_NOMEM;
  a->model = model;
  a->options = o;
  if (o.trace == 0) a->options.trace = FIGURE_TRACE_NONE; // the world does not move
  const limb_status status = make(a);
  if (status == LIMB_OK) {
    *out = a;
  } else {
    cli_animation_free(a);
  }
  return status;
}

void cli_animation_free(cli_animation* a)
{
  if (!a) return;
  limb_data_destroy(a->data);
  cli_figure_free(&a->figure);
  free(a->time);
  free(a->at);
  free(a->last);
  free(a);
}

// Half as many frames, evenly in time.
static void thin_out(cli_animation* a)
{
  const size_t size = frame_size(a);
  int kept = 1;
  a->gap = 2 * (a->time[a->count - 1] - a->time[0]) / a->room;
  for (int i = 1; i < a->count; i++) {
    if (a->time[i] - a->time[kept - 1] < a->gap * (1 - 1e-9)) continue;
    a->time[kept] = a->time[i];
    memmove(a->at + (size_t)kept * size, a->at + (size_t)i * size, size * sizeof *a->at);
    kept++;
  }
  a->count = kept;
}

static void keep(cli_animation* a)
{
  if (a->count == a->room) thin_out(a);
  memcpy(a->at + (size_t)a->count * frame_size(a), a->last, frame_size(a) * sizeof *a->at);
  a->time[a->count++] = a->last_time;
}

// Where all points are, or what is wrong with q. `last` is only touched when all is well.
static limb_status find_points(cli_animation* a, const double* q)
{
  const cli_figure* f = &a->figure;
  limb_status status = limb_kinematics(a->data, q, NULL, NULL);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < f->points && status == LIMB_OK; i++) {
      sp_pose X;
      status = limb_frame_pose(a->data, f->point[i].body, &X);
      if (status != LIMB_OK) break;
      const sp_vec3 p = sp_point(X, f->point[i].at);
      const double most = fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z));
      if (!(most < 1e15)) status = LIMB_E_NONFINITE; // floats, and their squares
      if (pass == 0) continue;
      a->last[3 * i] = (float)p.x, a->last[3 * i + 1] = (float)p.y, a->last[3 * i + 2] = (float)p.z;
    }
  }
  return status;
}

limb_status cli_animation_add(cli_animation* a, double time, const double* q)
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

int cli_animation_count(const cli_animation* a) { return a ? a->count : 0; }

// ---- frames at equal distances ---------------------------------------------------------------------

// The frame at a time: between two that were kept, the last state being one.
static void frame_at(const cli_animation* a, double time, int* from, float* out)
{
  const size_t size = frame_size(a);
  while (*from + 1 < a->count && a->time[*from + 1] <= time) ++*from;
  const int ends = *from + 1 >= a->count;
  const double t0 = a->time[*from], t1 = ends ? a->last_time : a->time[*from + 1];
  const float *x0 = a->at + (size_t)*from * size, *x1 = ends ? a->last : x0 + size;
  const float s = t1 > t0 ? (float)fmin((time - t0) / (t1 - t0), 1) : 1;
  for (size_t i = 0; i < size; i++) out[i] = x0[i] + s * (x1[i] - x0[i]);
}

// Playing takes 1.5 to 30 s, in real time when that does.
static double choose_speed(const cli_animation* a, double length)
{
  if (a->options.speed > 0) return a->options.speed;
  if (length > 30) return reel_round(length / 10);
  return length > 0 && length < 1.5 ? reel_round(length / 3) : 1;
}

static int choose_frames(const cli_animation* a, cli_picture kind, const animation_reel* r)
{
  const double rate = a->options.rate > 0 ? a->options.rate : 30;
  const int states = a->count + (a->last_time > a->time[a->count - 1]);
  int most = kind == CLI_PICTURE_SVG ? animation_svg_frames(&a->figure) : animation_html_frames(&a->figure, r->space);
  if (a->options.frames > 0 && a->options.frames < most) most = a->options.frames;
  if (states < most) most = states;
  const double wanted = ceil(r->length / r->speed * rate) + 1;
  if (wanted < most) most = (int)wanted;
  return most < 2 && r->length > 0 ? 2 : most;
}

// The axes of the view, as rows.
static void choose_axes(const cli_animation* a, animation_reel* r)
{
  const cli_figure* f = &a->figure;
  const int plane = f->planar || a->options.view == CLI_VIEW_PLANE;
  r->space = a->options.view == CLI_VIEW_SPACE || !plane;
  const sp_vec3 towards = r->space ? f->up : sp_norm3(f->normal) > 0 ? f->normal : sp_v3(0, -1, 0);
  // The second axis: up, when the plane has it; else, seen from above, y (x when looking along y).
  sp_vec3 second = r->space ? sp_v3(0, 1, 0) : f->up;
  if (fabs(sp_dot3(second, towards)) > 0.9) second = fabs(towards.y) > 0.9 ? sp_v3(1, 0, 0) : sp_v3(0, 1, 0);
  second = sp_sub3(second, sp_scale3(sp_dot3(second, towards), towards));
  r->axis[2] = towards;
  r->axis[1] = sp_scale3(1 / sp_norm3(second), second);
  r->axis[0] = sp_cross3(r->axis[1], r->axis[2]);
}

// Everything in the axes of the view.
static void turn(animation_reel* r)
{
  const size_t all = (size_t)r->frames * (size_t)r->figure->points;
  for (size_t i = 0; i < all; i++) {
    float* x = r->at + 3 * i;
    const sp_vec3 p = sp_v3((double)x[0], (double)x[1], (double)x[2]);
    for (int k = 0; k < 3; k++) x[k] = (float)sp_dot3(r->axis[k], p);
  }
}

limb_status cli_animation_draw(const cli_animation* a, cli_picture kind, FILE* out)
{
  if (!a || a->count == 0 || kind == CLI_PICTURE_NONE) return LIMB_E_ARG;
  const cli_animation_options* o = &a->options;
  animation_reel r = {.figure = &a->figure,
                      .title = o->title ? o->title : limb_model_name(a->model),
                      .subtitle = o->subtitle ? o->subtitle : "",
                      .width = o->width ? o->width : 960,
                      .height = o->height ? o->height : 600,
                      .first = a->time[0],
                      .length = a->last_time - a->time[0]};
  int from = 0;
  choose_axes(a, &r);
  r.speed = choose_speed(a, r.length);
  r.frames = choose_frames(a, kind, &r);
  r.at = calloc((size_t)r.frames * frame_size(a) + 1, sizeof *r.at);
  if (!r.at) return LIMB_E_NOMEM;
  for (int k = 0; k < r.frames; k++) {
    const double s = r.frames > 1 ? (double)k / (r.frames - 1) : 0;
    frame_at(a, r.first + s * r.length, &from, r.at + (size_t)k * frame_size(a));
  }
  turn(&r);
  reel_frame(&r);
  if (kind == CLI_PICTURE_SVG) {
    animation_write_svg(&r, out);
  } else {
    animation_write_html(&r, out);
  }
  free(r.at);
  return LIMB_OK;
}
