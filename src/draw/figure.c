// Stick figures: points and shapes, groups of bodies, tools, the trace.
#include "draw/figure.h"

#include <stdlib.h>
#include <string.h>

// ---- points and shapes -----------------------------------------------------------------------------

int figure_grow(void** array, int* capacity, int needed, size_t each)
{
  if (needed <= *capacity) return 1;
  const int wider = needed > 2 * *capacity ? needed + 64 : 2 * *capacity;
  void* more = realloc(*array, (size_t)wider * each);
  if (!more) return 0;
  *array = more;
  *capacity = wider;
  return 1;
}

int figure_put_point(draw_figure* f, int body, sp_vec3 at)
{
  void* points = f->point;
  const int ok = figure_grow(&points, &f->point_capacity, f->points + 1, sizeof *f->point);
  f->point = points;
  if (!ok) return -1;
  f->point[f->points] = (figure_point){body, at};
  return f->points++;
}

int figure_put_shape(draw_figure* f, figure_kind kind, int tone, int count, const int* points)
{
  void *shapes = f->shape, *indices = f->index;
  const int ok = figure_grow(&shapes, &f->shape_capacity, f->shapes + 1, sizeof *f->shape);
  const int also = figure_grow(&indices, &f->index_capacity, f->indices + count, sizeof *f->index);
  f->shape = shapes;
  f->index = indices;
  if (!ok || !also) return -1;
  for (int k = 0; k < count; k++)
    if (points[k] < 0) return -1;
  memcpy(f->index + f->indices, points, (size_t)count * sizeof *points);
  f->shape[f->shapes] = (figure_shape){kind, tone, f->indices, count};
  f->indices += count;
  return f->shapes++;
}

void draw_figure_free(draw_figure* f)
{
  free(f->point);
  free(f->shape);
  free(f->index);
  *f = (draw_figure){0};
}

// ---- while a figure is made ------------------------------------------------------------------------

sp_vec3 figure_world(const figure_maker* k, int point)
{
  const figure_point* p = &k->f->point[point];
  return sp_point(k->pose[p->body], p->at);
}

int figure_add_point(figure_maker* k, int body, sp_vec3 at)
{
  const int point = figure_put_point(k->f, body, at);
  if (point < 0) k->failed = 1;
  return point;
}

void figure_add_shape(figure_maker* k, figure_kind kind, int in_group, int count, const int* points)
{
  const int depth = k->group[in_group].depth - 1, range = k->deepest > 3 ? k->deepest - 1 : 2;
  const int tone = depth > 0 ? (depth * (FIGURE_TONES - 1) + range / 2) / range : 0;
  if (figure_put_shape(k->f, kind, tone, count, points) < 0) k->failed = 1;
}

int figure_origin(figure_maker* k, int body)
{
  if (k->origin[body] < 0) k->origin[body] = figure_add_point(k, body, sp_v3(0, 0, 0));
  return k->origin[body];
}

void figure_attach(figure_maker* k, int to, int point)
{
  figure_group* g = &k->group[to];
  if (point < 0 || k->failed) return;
  g->held++;
  for (int at = g->head; at >= 0; at = k->next[at])
    if (sp_norm3(sp_sub3(figure_world(k, k->attachment[at]), figure_world(k, point))) < 1e-6 * k->f->size) return;
  void *attachment = k->attachment, *next = k->next;
  const int ok = figure_grow(&attachment, &k->attachment_capacity, k->attachments + 1, sizeof *k->attachment) &&
                 figure_grow(&next, &k->next_capacity, k->attachments + 1, sizeof *k->next);
  k->attachment = attachment;
  k->next = next;
  if (!ok) {
    k->failed = 1;
    return;
  }
  k->attachment[k->attachments] = point;
  k->next[k->attachments] = g->head;
  g->head = k->attachments++;
}

// ---- putting it together ---------------------------------------------------------------------------

static int parent_group(const figure_maker* k, int in_group)
{
  limb_body_info info;
  return limb_get_body(k->m, in_group, &info) == LIMB_OK && info.parent >= 0 ? k->of[info.parent] : 0;
}

// Joints from a group up to the world; bodies are in any order. Two walks up to the first known depth: to count, to
// store.
static void find_depth(figure_maker* k, int in_group)
{
  int known = in_group, joints = 0;
  for (; known != 0 && k->group[known].depth == 0; known = parent_group(k, known)) joints++;
  int depth = k->group[known].depth + joints;
  if (depth > k->deepest) k->deepest = depth;
  for (int at = in_group; at != known; at = parent_group(k, at)) k->group[at].depth = depth--;
}

// The fixed body next to the world that carries a fixed body.
static int trunk_of(const figure_maker* k, int body)
{
  limb_body_info info;
  while (limb_get_body(k->m, body, &info) == LIMB_OK && info.parent > 0) body = info.parent;
  return body;
}

// A trunk is what is fixed to the world and carries several joints: a group of its own, which stands on the world. In a
// plane it is part of the frame.
static void find_trunks(figure_maker* k)
{
  limb_joint_info info;
  for (int j = 0; j < limb_joint_count(k->m) && !k->f->planar; j++) {
    if (limb_get_joint(k->m, j, &info) != LIMB_OK || info.def.type == LIMB_FIXED || k->is_motor[j]) continue;
    if (info.def.parent > 0 && k->of[info.def.parent] == 0) k->group[trunk_of(k, info.def.parent)].carries++;
  }
  for (int b = 1; b < k->bodies; b++)
    if (k->of[b] == 0 && k->group[trunk_of(k, b)].carries > 1) k->trunk[b] = trunk_of(k, b);
  for (int b = 1; b < k->bodies; b++)
    if (k->trunk[b] > 0) k->of[b] = k->trunk[b];
}

static void find_groups(figure_maker* k)
{
  limb_body_info info;
  for (int b = 0; b < k->bodies; b++) {
    k->origin[b] = -1;
    k->group[b] = (figure_group){.own = -1, .head = -1, .tool = -1};
    if (limb_get_body(k->m, b, &info) == LIMB_OK) k->of[b] = info.moved_by;
  }
  for (int s = 0; s < limb_shaft_count(k->m); s++) {
    limb_shaft_def shaft;
    if (limb_get_shaft(k->m, s, &shaft) == LIMB_OK) k->is_motor[shaft.motor] = 1;
  }
  find_trunks(k);
  for (int b = 0; b < k->bodies; b++) {
    figure_group* g = &k->group[k->of[b]];
    const sp_pose X = sp_compose(sp_invert(k->pose[k->of[b]]), k->pose[b]);
    if (limb_get_body(k->m, b, &info) != LIMB_OK) continue;
    g->inertia = limb_inertia_add(g->inertia, limb_inertia_move(X, info.inertia));
    find_depth(k, k->of[b]);
  }
}

// The trunks stand on the world at their origins, which two joints alone do not show.
static void place_trunks(figure_maker* k)
{
  for (int b = 1; b < k->bodies && !k->failed; b++) {
    if (k->trunk[b] != b) continue;
    figure_attach(k, 0, figure_origin(k, b));
    if (k->group[b].carries == 2) figure_attach(k, b, figure_origin(k, b));
  }
}

// Tools: frames, and bodies fixed to others, such as flanges. The one farthest from the joint counts.
static void find_tool(figure_maker* k, int frame)
{
  limb_frame_info info;
  if (limb_get_frame(k->m, frame, &info) != LIMB_OK) return;
  figure_group* g = &k->group[k->of[info.body]];
  const int leader = k->of[info.body];
  if (leader == 0 || (frame < k->bodies && frame == leader)) return;
  const sp_vec3 at = sp_point(k->pose[info.body], info.pose.p);
  const double far = sp_norm3(sp_sub3(at, k->pose[leader].p));
  if (far <= fmax(g->far, 1e-6 * k->f->size)) return;
  g->far = far;
  g->tool = figure_add_point(k, info.body, info.pose.p);
  g->named = frame >= k->bodies;
}

// The point to follow: the last added frame, a moving base, the end of the longest chain, or a closure.
static int choose_trace(figure_maker* k, int trace)
{
  limb_frame_info info;
  const int frames = limb_frame_count(k->m);
  if (trace == LIMB_TRACE_NONE) return -1;
  if (trace == LIMB_TRACE_AUTO && frames > k->bodies) trace = frames - 1;
  if (trace >= 0 && limb_get_frame(k->m, trace, &info) == LIMB_OK) return figure_add_point(k, info.body, info.pose.p);
  int best = -1;
  for (int g = 1; g < k->bodies; g++) {
    const int ends = k->group[g].tool >= 0 && k->group[g].own >= 0;
    if (k->of[g] != g) continue;
    if (figure_moves_a_base(k->group[g].type)) return figure_origin(k, g);
    if (ends && (best < 0 || k->group[g].depth > k->group[best].depth)) best = g;
  }
  if (best >= 0) return k->group[best].tool;
  for (int s = 0; s < k->f->shapes; s++)
    if (k->f->shape[s].kind == FIGURE_CLOSURE) return k->f->index[k->f->shape[s].first];
  return -1;
}

static int is_closure(const figure_maker* k, int point)
{
  for (int s = 0; s < k->f->shapes; s++)
    if (k->f->shape[s].kind == FIGURE_CLOSURE && k->f->index[k->f->shape[s].first] == point) return 1;
  return 0;
}

// Largest edge of the box around all origins.
static double find_size(const figure_maker* k)
{
  sp_vec3 low = k->pose[0].p, high = low;
  for (int b = 0; b < limb_body_count(k->m); b++) {
    const sp_vec3 p = sp_point(k->pose[b], sp_scale3(2, k->group[b].inertia.com));
    low = sp_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = sp_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  const double size = fmax(fmax(high.x - low.x, high.y - low.y), high.z - low.z);
  return size > 0 ? size : 1;
}

static int by_kind(const void* a, const void* b)
{
  const figure_shape *x = a, *y = b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  if (x->tone != y->tone) return x->tone < y->tone ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

static void make_shapes(figure_maker* k, int trace)
{
  figure_find_view(k->f, k->m, k->pose);
  find_groups(k);
  k->f->size = find_size(k);
  place_trunks(k);
  for (int j = 0; j < limb_joint_count(k->m); j++) figure_add_joint(k, j);
  for (int l = 0; l < limb_loop_count(k->m); l++) figure_add_loop(k, l);
  for (int i = 1; i < limb_frame_count(k->m); i++) find_tool(k, i);
  for (int g = 1; g < k->bodies && !k->failed; g++)
    if (k->of[g] == g) {
      // Frames on moving bases are sensors more often than tools.
      if (k->group[g].named && k->group[g].own >= 0) figure_attach(k, g, k->group[g].tool);
      figure_add_group(k, g);
    }
  if (!k->failed) figure_add_world(k);
  if (!k->failed) k->f->trace = choose_trace(k, trace);
  if (k->f->trace >= 0 && !is_closure(k, k->f->trace)) figure_add_shape(k, FIGURE_TIP, 0, 1, &k->f->trace);
  if (k->f->shapes) qsort(k->f->shape, (size_t)k->f->shapes, sizeof *k->f->shape, by_kind);
}

limb_status draw_figure_make(draw_figure* f, const limb_model* m, limb_data* data, int trace)
{
  const int bodies = limb_body_count(m);
  figure_maker k = {.f = f, .m = m, .bodies = bodies};
  *f = (draw_figure){.trace = -1};
  if (trace < LIMB_TRACE_AUTO || trace >= limb_frame_count(m)) return LIMB_E_ARG;
  const size_t n = (size_t)bodies;
  double* q = calloc((size_t)limb_nq(m) + 1, sizeof *q);
  k.group = calloc(n, sizeof *k.group);
  k.of = calloc(n, sizeof *k.of);
  k.trunk = calloc(n, sizeof *k.trunk);
  k.origin = calloc(n, sizeof *k.origin);
  k.pose = calloc(n, sizeof *k.pose);
  k.is_motor = calloc((size_t)limb_joint_count(m) + 1, 1);
  const int capacity = q && k.group && k.of && k.trunk && k.origin && k.pose && k.is_motor;
  limb_status status = capacity ? limb_start(m, q) : LIMB_E_NOMEM;
  if (status == LIMB_OK) status = limb_kinematics(data, q, NULL, NULL);
  for (int b = 0; b < bodies && status == LIMB_OK; b++) status = limb_frame_pose(data, b, &k.pose[b]);
  if (status == LIMB_OK) make_shapes(&k, trace);
  free(q);
  free(k.group);
  free(k.of);
  free(k.trunk);
  free(k.origin);
  free(k.pose);
  free(k.is_motor);
  free(k.attachment);
  free(k.next);
  return status == LIMB_OK && k.failed ? LIMB_E_NOMEM : status;
}
