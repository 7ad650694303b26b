// Reading STL, OBJ and MSH.
//
// STL: 80 bytes, the number of triangles, and 50 bytes for each: normal, three corners, two bytes. Or text: "vertex x y
// z", three times per facet. OBJ: lines "v x y z" and "f 1/2/3 4 5 ...", indices from 1, or backwards from -1. MSH, of
// MuJoCo: numbers of vertices, normals, texture coordinates and faces, then these.
#include "io/mesh.h"

#include "base/number.h"
#include "base/status.h"
#include "io/file_text.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { MAX_COUNT = INT_MAX / 8 }; // vertices or faces

limb_status limb_mesh_fault(const mesh_reader* r, const char* what)
{
  return limb_fail(r->err, LIMB_E_SYNTAX, "mesh", "%s", what);
}

static int finite_point(sp_vec3 p) { return isfinite(p.x) && isfinite(p.y) && isfinite(p.z); }

// ---- numbers of a binary file, little-endian ------------------------------------------------------

static uint32_t word_at(const char* p)
{
  const unsigned char* b = (const unsigned char*)p;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const char* p)
{
  const uint32_t bits = word_at(p);
  float x;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

static sp_vec3 point_at(const char* p) { return sp_v3(float_at(p), float_at(p + 4), float_at(p + 8)); }

// Space for vertices and faces, which are then counted. 0 when out of memory.
static int reserve(mesh_reader* r, size_t nvertex, size_t nface)
{
  r->m->vertex = limb_mempool_alloc(r->pool, nvertex * sizeof *r->m->vertex);
  r->m->face = limb_mempool_alloc(r->pool, nface * sizeof *r->m->face);
  r->m->nvertex = (int)nvertex;
  r->m->nface = (int)nface;
  return r->m->vertex && r->m->face;
}

// ---- STL ------------------------------------------------------------------------------------------

enum { STL_HEADER = 84, STL_TRIANGLE = 50 };

static limb_status read_binary_stl(mesh_reader* r)
{
  const size_t size = (size_t)(r->end - r->text);
  if (size < STL_HEADER) return limb_mesh_fault(r, "the file is shorter than the header of an STL file");
  const size_t n = word_at(r->text + 80);
  if (n > MAX_COUNT / 3 || size != STL_HEADER + STL_TRIANGLE * n)
    return limb_mesh_fault(r, "the number of triangles does not agree with the size of the STL file");
  if (!reserve(r, 3 * n, n)) return LIMB_E_NOMEM;
  for (size_t i = 0; i < 3 * n; i++) {
    r->m->vertex[i] = point_at(r->text + STL_HEADER + STL_TRIANGLE * (i / 3) + 12 * (i % 3 + 1));
    if (!finite_point(r->m->vertex[i])) return limb_mesh_fault(r, "a coordinate is not a finite number");
    r->m->face[i / 3][i % 3] = (int)i;
  }
  return LIMB_OK;
}

// ---- texts ----------------------------------------------------------------------------------------

limb_status limb_mesh_add_vertex(mesh_reader* r, sp_vec3 p)
{
  if (!finite_point(p)) return limb_mesh_fault(r, "a coordinate is not a finite number");
  if (r->m->nvertex >= MAX_COUNT) return limb_mesh_fault(r, "the mesh has too many vertices");
  sp_vec3* all = limb_mempool_grow(r->pool, r->m->vertex, &r->vertex_cap, r->m->nvertex, sizeof *all);
  if (!all) return LIMB_E_NOMEM;
  r->m->vertex = all;
  all[r->m->nvertex++] = p;
  return LIMB_OK;
}

static limb_status add_face(mesh_reader* r, int a, int b, int c)
{
  if (r->m->nface >= MAX_COUNT) return limb_mesh_fault(r, "the mesh has too many faces");
  int(*all)[3] = limb_mempool_grow(r->pool, r->m->face, &r->face_cap, r->m->nface, sizeof *all);
  if (!all) return LIMB_E_NOMEM;
  r->m->face = all;
  int* f = all[r->m->nface++];
  f[0] = a, f[1] = b, f[2] = c;
  return LIMB_OK;
}

// Three numbers; 0 when there are not as many.
static int scan_point(const char* text, const char* end, sp_vec3* p)
{
  double x[3];
  for (int k = 0; k < 3; k++) {
    while (text < end && is_blank(*text)) text++;
    text = limb_scan_number(text, end, &x[k]);
    if (!text) return 0;
  }
  *p = sp_v3(x[0], x[1], x[2]);
  return 1;
}

// The next line without blanks before it; NULL at the end.
static const char* next_line(mesh_reader* r, const char** line_end)
{
  if (r->text >= r->end) return NULL;
  const char* line = r->text;
  const char* end = memchr(line, '\n', (size_t)(r->end - line));
  if (!end) end = r->end;
  r->text = end < r->end ? end + 1 : end;
  while (line < end && is_blank(*line)) line++;
  *line_end = end;
  return line;
}

static int starts(const char* line, const char* end, const char* word)
{
  const size_t n = strlen(word);
  return (size_t)(end - line) > n && memcmp(line, word, n) == 0 && is_blank(line[n]);
}

static limb_status read_text_stl(mesh_reader* r)
{
  const char* end = NULL;
  for (const char* line = next_line(r, &end); line; line = next_line(r, &end)) {
    sp_vec3 p;
    if (!starts(line, end, "vertex")) continue;
    if (!scan_point(line + 6, end, &p)) return limb_mesh_fault(r, "a vertex of the STL file has not three numbers");
    limb_status status = limb_mesh_add_vertex(r, p);
    const int n = r->m->nvertex;
    if (!status && n % 3 == 0) status = add_face(r, n - 3, n - 2, n - 1);
    if (status) return status;
  }
  if (r->m->nvertex % 3 != 0) return limb_mesh_fault(r, "the STL file ends inside a triangle");
  return LIMB_OK;
}

// Text begins with "solid", as some binary files do: those have the size that they state.
static limb_status read_stl(mesh_reader* r)
{
  const size_t size = (size_t)(r->end - r->text);
  const int stated = size >= STL_HEADER && size == STL_HEADER + STL_TRIANGLE * (size_t)word_at(r->text + 80);
  if (stated || size < 5 || memcmp(r->text, "solid", 5) != 0) return read_binary_stl(r);
  return read_text_stl(r);
}

// ---- OBJ ------------------------------------------------------------------------------------------

// The vertex of "7", "7/1", "7//3"; text behind it. NULL when it is none.
static const char* scan_corner(const mesh_reader* r, const char* text, const char* end, int* vertex)
{
  const int back = text < end && *text == '-';
  long long n = 0;
  text += back;
  if (text == end || !is_digit(*text)) return NULL;
  for (; text < end && is_digit(*text); text++) {
    n = 10 * n + (*text - '0');
    if (n > MAX_COUNT) return NULL;
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
    status = add_face(r, v[k], v[(k + 1) % n], v[(k + 2) % n]);
    const int cut = (k + 1) % n;
    memmove(v + cut, v + cut + 1, (size_t)(n - cut - 1) * sizeof *v);
    n--;
  }
  return n == 3 && !status ? add_face(r, v[0], v[1], v[2]) : status;
}

// A quadrilateral is cut along its shorter diagonal.
limb_status limb_mesh_add_polygon(mesh_reader* r, int* v, int n)
{
  if (n > 4 && n <= MAX_CLIPPED) return clip(r, v, n);
  if (n > MAX_CLIPPED && r->by_mujoco) return LIMB_OK;
  const int turned = n == 4 && !(squared_distance(r, v[0], v[2]) < squared_distance(r, v[1], v[3]));
  limb_status status = LIMB_OK;
  for (int k = 1; k + 1 < n && !status; k++)
    status = turned ? add_face(r, v[k - 1], v[k], v[3]) : add_face(r, v[0], v[k], v[k + 1]);
  return status;
}

static limb_status read_obj_face(mesh_reader* r, const char* line, const char* end)
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

static limb_status read_obj(mesh_reader* r)
{
  const char* end = NULL;
  int ended = 0; // vertices of other objects still count
  for (const char* line = next_line(r, &end); line; line = next_line(r, &end)) {
    limb_status status = LIMB_OK;
    sp_vec3 p;
    if (starts(line, end, "v"))
      status = scan_point(line + 1, end, &p) ? limb_mesh_add_vertex(r, p)
                                             : limb_mesh_fault(r, "a vertex has not three numbers");
    else if (starts(line, end, "f") && !ended)
      status = read_obj_face(r, line + 1, end);
    else if (starts(line, end, "o") || starts(line, end, "g"))
      ended |= r->by_mujoco && r->m->nface > 0;
    if (status) return status;
  }
  return LIMB_OK;
}

// ---- MSH ------------------------------------------------------------------------------------------

static limb_status read_msh(mesh_reader* r)
{
  const size_t size = (size_t)(r->end - r->text);
  if (size < 16) return limb_mesh_fault(r, "the file is shorter than the header of an MSH file");
  const size_t nv = word_at(r->text), nn = word_at(r->text + 4), nt = word_at(r->text + 8), nf = word_at(r->text + 12);
  if (nv > MAX_COUNT || nn > MAX_COUNT || nt > MAX_COUNT || nf > MAX_COUNT || size != 16 + 12 * (nv + nn + nf) + 8 * nt)
    return limb_mesh_fault(r, "the numbers of vertices and faces do not agree with the size of the MSH file");
  if (!reserve(r, nv, nf)) return LIMB_E_NOMEM;
  for (size_t i = 0; i < nv; i++) {
    r->m->vertex[i] = point_at(r->text + 16 + 12 * i);
    if (!finite_point(r->m->vertex[i])) return limb_mesh_fault(r, "a coordinate is not a finite number");
  }
  const char* index = r->text + 16 + 12 * (nv + nn) + 8 * nt;
  for (size_t i = 0; i < 3 * nf; i++) {
    const uint32_t k = word_at(index + 4 * i);
    if (k >= nv) return limb_mesh_fault(r, "a face refers to a vertex that does not exist");
    r->m->face[i / 3][i % 3] = (int)k;
  }
  return LIMB_OK;
}

// ---- any format -----------------------------------------------------------------------------------

mesh_format limb_mesh_format_of_name(const char* path)
{
  static const char* const ends[] = {".stl", ".obj", ".msh", ".dae"};
  const size_t n = strlen(path);
  for (int i = 0; i < COUNT(ends) && n > 4; i++) {
    const char* end = path + n - 4;
    if (end[0] == '.' && lower_case(end[1]) == ends[i][1] && lower_case(end[2]) == ends[i][2] &&
        lower_case(end[3]) == ends[i][3])
      return (mesh_format)(MESH_STL + i);
  }
  return MESH_UNKNOWN;
}

limb_status limb_mesh_read(const char* text, size_t size, mesh_format format, int by_mujoco, memory_pool* pool,
                           limb_mesh* out, limb_error* err)
{
  *out = (limb_mesh){0};
  mesh_reader r = {.text = text, .end = text + size, .pool = pool, .m = out, .err = err, .by_mujoco = by_mujoco};
  limb_status status = LIMB_E_SYNTAX;
  switch (format) {
  case MESH_STL: status = read_stl(&r); break;
  case MESH_OBJ: status = read_obj(&r); break;
  case MESH_MSH: status = read_msh(&r); break;
  case MESH_DAE:
    if (by_mujoco) return limb_mesh_fault(&r, "MuJoCo does not read COLLADA: convert it to STL or OBJ");
    status = limb_mesh_read_dae(&r);
    break;
  case MESH_UNKNOWN: return limb_mesh_fault(&r, "the format is not known: STL, OBJ, MSH and DAE are read");
  }
  if (status == LIMB_E_NOMEM) return limb_fail(err, status, "mesh", "out of memory");
  if (!status && out->nvertex == 0) return limb_mesh_fault(&r, "the mesh has no vertices");
  return status;
}
