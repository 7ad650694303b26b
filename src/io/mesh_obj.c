// Reading OBJ: lines "v x y z" and "f 1/2/3 4 5 ...", indices from 1, or backwards from -1; "usemtl name" and the
// colors of the materials in the file that "mtllib" names.
#include "io/mesh.h"

#include "base/number.h"
#include "base/status.h"
#include "io/file_text.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

// The vertex of "7", "7/1", "7//3"; text behind it. NULL when it is none.
static const char* scan_corner(const mesh_reader* r, const char* text, const char* end, int* vertex)
{
  const int back = text < end && *text == '-';
  long long n = 0;
  text += back;
  if (text == end || !is_digit(*text)) return NULL;
  for (; text < end && is_digit(*text); text++) {
    n = 10 * n + (*text - '0');
    if (n > INT_MAX / 8) return NULL;
  }
  n = back ? r->m->nvertex - n : n - 1;
  while (text < end && !is_blank(*text)) text++;
  if (n < 0 || n >= r->m->nvertex) return NULL;
  *vertex = (int)n;
  return text;
}

static float squared_distance(const mesh_reader* r, int a, int b)
{
  const sp_vec3 p = r->m->vertex[a], q = r->m->vertex[b];
  const float x = (float)q.x - (float)p.x, y = (float)q.y - (float)p.y, z = (float)q.z - (float)p.z;
  return x * x + y * y + z * z;
}

// ---- polygons of more than four corners -----------------------------------------------------------
//
// They are cut as MuJoCo's reader cuts them (tinyobjloader, in single precision), because inertias follow from the
// triangles where a polygon is not flat: ears are cut off in the plane of two coordinates. Whether a corner is convex
// is judged by the sign of the area between its first edge and the origin, and of a polygon without ears the rest is
// left out.

typedef struct flat {
  float x, y;
} flat;

// The coordinates of a vertex without that of the axis.
static flat flatten(const mesh_reader* r, int vertex, int axis)
{
  const sp_vec3 p = r->m->vertex[vertex];
  const float x = (float)p.x, y = (float)p.y, z = (float)p.z;
  return axis == 0 ? (flat){y, z} : axis == 1 ? (flat){x, z} : (flat){x, y};
}

static float turn(flat a, flat b, flat c) { return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x); }

// The axis nearest to the normal at the first corner that is one.
static int thin_axis(const mesh_reader* r, const int* v, int n)
{
  for (int k = 0; k < n; k++) {
    float c[3];
    for (int axis = 0; axis < 3; axis++)
      c[axis] = fabsf(turn(flatten(r, v[k], axis), flatten(r, v[(k + 1) % n], axis), flatten(r, v[(k + 2) % n], axis)));
    if (c[0] <= FLT_EPSILON && c[1] <= FLT_EPSILON && c[2] <= FLT_EPSILON) continue;
    return c[0] > c[1] && c[0] > c[2] ? 0 : c[2] > c[0] && c[2] > c[1] ? 2 : 1;
  }
  return 0;
}

// Whether a point lies in a triangle: a ray from it crosses the boundary once.
static int is_inside(const flat t[3], flat p)
{
  int inside = 0;
  for (int i = 0, j = 2; i < 3; j = i++) {
    if ((t[i].y > p.y) != (t[j].y > p.y) && p.x < (t[j].x - t[i].x) * (p.y - t[i].y) / (t[j].y - t[i].y) + t[i].x)
      inside = !inside;
  }
  return inside;
}

// Whether corner k + 1 can be cut off.
static int is_ear(const mesh_reader* r, const int* v, int n, int k, int axis)
{
  const flat t[3] = {flatten(r, v[k], axis), flatten(r, v[(k + 1) % n], axis), flatten(r, v[(k + 2) % n], axis)};
  if (turn(t[0], t[1], t[2]) * ((t[0].x * t[1].y - t[0].y * t[1].x) / 2) < 0) return 0;
  for (int i = 3; i < n; i++) {
    if (is_inside(t, flatten(r, v[(k + i) % n], axis))) return 0;
  }
  return 1;
}

enum { MAX_CLIPPED = 100 }; // corners: cutting takes the cube of time

// Cuts ears off until a triangle is left; v is used up. The last corner that is tried ends it, even if it is an ear.
static limb_status clip(mesh_reader* r, int* v, int n)
{
  const int axis = thin_axis(r, v, n);
  limb_status status = LIMB_OK;
  int k = 0, tries = n, was_ear = 0;
  while (n > 3 && tries > 0 && !status) {
    if (k >= n) k -= n;
    tries = was_ear ? n : tries - 1;
    was_ear = is_ear(r, v, n, k, axis);
    if (!was_ear) {
      k++;
      continue;
    }
    status = limb_mesh_add_face(r, v[k], v[(k + 1) % n], v[(k + 2) % n]);
    const int cut = (k + 1) % n;
    memmove(v + cut, v + cut + 1, (size_t)(n - cut - 1) * sizeof *v);
    n--;
  }
  return n == 3 && !status ? limb_mesh_add_face(r, v[0], v[1], v[2]) : status;
}

// A quadrilateral is cut along its shorter diagonal.
limb_status limb_mesh_add_polygon(mesh_reader* r, int* v, int n)
{
  if (n > 4 && n <= MAX_CLIPPED) return clip(r, v, n);
  if (n > MAX_CLIPPED && r->opt.by_mujoco) return LIMB_OK;
  const int turned = n == 4 && !(squared_distance(r, v[0], v[2]) < squared_distance(r, v[1], v[3]));
  limb_status status = LIMB_OK;
  for (int k = 1; k + 1 < n && !status; k++)
    status = turned ? limb_mesh_add_face(r, v[k - 1], v[k], v[3]) : limb_mesh_add_face(r, v[0], v[k], v[k + 1]);
  return status;
}

static limb_status read_face(mesh_reader* r, const char* line, const char* end)
{
  int n = 0;
  for (;; n++) {
    while (line < end && is_blank(*line)) line++;
    if (line == end) break;
    int* corner = limb_mempool_grow(r->pool, r->corner, &r->corner_cap, n, sizeof *corner);
    if (!corner) return LIMB_E_NOMEM;
    r->corner = corner;
    line = scan_corner(r, line, end, &corner[n]);
    if (!line) return limb_mesh_fault(r, "a face refers to a vertex that does not exist");
  }
  return n < 3 ? limb_mesh_fault(r, "a face has less than three vertices") : limb_mesh_add_polygon(r, r->corner, n);
}

// ---- materials --------------------------------------------------------------------------------------

// A material of a .mtl file.
typedef struct paint {
  const char* name;
  int has_color;
  double color[4];
} paint;

typedef struct obj_reader {
  mesh_reader* r;
  paint* paint;
  int npaint, paint_cap;
  limb_triangle_part part; // that is being read
  int ended;               // what MuJoCo reads; vertices of other objects still count
} obj_reader;

// The rest of a line behind its first word, without blanks around it, in the pool; NULL when out of memory.
static const char* rest_of(mesh_reader* r, const char* line, const char* end)
{
  while (line < end && !is_blank(*line)) line++;
  while (line < end && is_blank(*line)) line++;
  while (end > line && is_blank(end[-1])) end--;
  return limb_mempool_text(r->pool, line, (size_t)(end - line));
}

static const char* paint_name(const void* context, int i) { return ((const obj_reader*)context)->paint[i].name; }

static limb_status add_paint(obj_reader* o, const char* line, const char* end)
{
  paint* all = limb_mempool_grow(o->r->pool, o->paint, &o->paint_cap, o->npaint, sizeof *all);
  const char* name = rest_of(o->r, line, end);
  if (!all || !name) return LIMB_E_NOMEM;
  o->paint = all;
  all[o->npaint++] = (paint){.name = name, .color = {0, 0, 0, 1}};
  return LIMB_OK;
}

// Diffuse colors (Kd) and opacity (d, or Tr, which is 1 - d) of the materials of a file. One that is missing is no
// error: the mesh has no colors then.
static limb_status read_paints(obj_reader* o, const char* name)
{
  file_bytes file;
  limb_status status = LIMB_OK;
  if (!limb_mesh_load(o->r, name, &file)) return LIMB_OK;
  const char *text = file.text, *stop = text + file.size, *end = NULL;
  for (const char* line; !status && (line = limb_mesh_next_line(&text, stop, &end)) != NULL;) {
    paint* last = o->npaint > 0 ? &o->paint[o->npaint - 1] : NULL;
    sp_vec3 c;
    double x = 1;
    if (limb_mesh_starts(line, end, "newmtl")) {
      status = add_paint(o, line, end);
    } else if (last && limb_mesh_starts(line, end, "Kd") && limb_mesh_scan_point(line + 2, end, &c)) {
      last->color[0] = c.x, last->color[1] = c.y, last->color[2] = c.z;
      last->has_color = 1;
    } else if (last && limb_mesh_starts(line, end, "d") && limb_scan_number(line + 2, end, &x)) {
      last->color[3] = x;
    } else if (last && limb_mesh_starts(line, end, "Tr") && limb_scan_number(line + 3, end, &x)) {
      last->color[3] = 1 - x;
    }
  }
  return status;
}

// Ends a part, and begins that of a material.
static limb_status begin_part(obj_reader* o, const char* name)
{
  const limb_status status = limb_mesh_add_part(o->r, o->part);
  o->part = (limb_triangle_part){.first = o->r->m->nface, .name = name};
  for (int i = 0; i < o->npaint; i++) {
    if (strcmp(paint_name(o, i), name) != 0) continue;
    o->part.has_color = o->paint[i].has_color;
    for (int k = 0; k < 4; k++) o->part.color[k] = fmin(fmax(o->paint[i].color[k], 0), 1);
  }
  return status;
}

// ---- lines ------------------------------------------------------------------------------------------

static limb_status read_material(obj_reader* o, const char* line, const char* end)
{
  if (o->r->opt.by_mujoco) return LIMB_OK;
  const int use = limb_mesh_starts(line, end, "usemtl");
  if (!use && !limb_mesh_starts(line, end, "mtllib")) return LIMB_OK;
  const char* name = rest_of(o->r, line, end);
  if (!name) return LIMB_E_NOMEM;
  return use ? begin_part(o, name) : read_paints(o, name);
}

static limb_status read_line(obj_reader* o, const char* line, const char* end)
{
  mesh_reader* r = o->r;
  sp_vec3 p;
  if (limb_mesh_starts(line, end, "v"))
    return limb_mesh_scan_point(line + 1, end, &p) ? limb_mesh_add_vertex(r, p)
                                                   : limb_mesh_fault(r, "a vertex has not three numbers");
  if (limb_mesh_starts(line, end, "f")) return o->ended ? LIMB_OK : read_face(r, line + 1, end);
  if (limb_mesh_starts(line, end, "o") || limb_mesh_starts(line, end, "g")) {
    o->ended |= r->opt.by_mujoco && r->m->nface > 0;
    return LIMB_OK;
  }
  return read_material(o, line, end);
}

limb_status limb_mesh_read_obj(mesh_reader* r)
{
  obj_reader o = {.r = r, .part.name = ""};
  limb_status status = LIMB_OK;
  const char* end = NULL;
  for (const char* line; !status && (line = limb_mesh_next_line(&r->text, r->end, &end)) != NULL;)
    status = read_line(&o, line, end);
  return status || r->opt.by_mujoco ? status : limb_mesh_add_part(r, o.part);
}
