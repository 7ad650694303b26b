// Reading meshes of any format; STL and MSH are read here.
//
// STL: 80 bytes, the number of triangles, and 50 bytes for each: normal, three corners, two bytes. Or text: "vertex x y
// z", three times per facet. MSH, of MuJoCo: numbers of vertices, normals, texture coordinates and faces, then these.
#include "io/mesh.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "io/file_text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_COUNT = INT_MAX / 8 }; // vertices or faces

limb_status limb_mesh_fault(const mesh_reader* r, const char* format, ...)
{
  char text[200];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return limb_fail(r->err, LIMB_E_SYNTAX, "mesh", "%s", text);
}

int limb_mesh_load(mesh_reader* r, const char* name, file_bytes* out)
{
  if (!r->opt.files || !r->opt.path || !*name) return 0;
  limb_files files = *r->opt.files; // the bytes live with the mesh
  const limb_subject about = {NULL, NULL};
  files.pool = r->pool;
  files.findings = NULL;
  const char* path = limb_files_find(&files, name, r->opt.path, RULE_BAD_MESH, at_line(0, 0), about);
  const int good = path && limb_files_load_bytes(&files, path, RULE_BAD_MESH, at_line(0, 0), about, out);
  r->opt.files->left = files.left, r->opt.files->loaded = files.loaded;
  return good;
}

static int finite_point(sp_vec3 p) { return isfinite(p.x) && isfinite(p.y) && isfinite(p.z); }

// ---- binary files ---------------------------------------------------------------------------------

static sp_vec3 point_at(const char* p) { return sp_v3(mesh_float_at(p), mesh_float_at(p + 4), mesh_float_at(p + 8)); }

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
  const size_t n = mesh_word_at(r->text + 80);
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

limb_status limb_mesh_add_face(mesh_reader* r, int a, int b, int c)
{
  if (r->m->nface >= MAX_COUNT) return limb_mesh_fault(r, "the mesh has too many faces");
  int(*all)[3] = limb_mempool_grow(r->pool, r->m->face, &r->face_cap, r->m->nface, sizeof *all);
  if (!all) return LIMB_E_NOMEM;
  r->m->face = all;
  int* f = all[r->m->nface++];
  f[0] = a, f[1] = b, f[2] = c;
  return LIMB_OK;
}

limb_status limb_mesh_add_part(mesh_reader* r, limb_triangle_part part)
{
  limb_mesh* m = r->m;
  part.count = m->nface - part.first;
  if (part.count == 0) return LIMB_OK;
  limb_triangle_part* all = limb_mempool_grow(r->pool, m->part, &r->part_cap, m->npart, sizeof *all);
  if (!all) return LIMB_E_NOMEM;
  m->part = all;
  all[m->npart++] = part;
  return LIMB_OK;
}

int limb_mesh_scan_point(const char* text, const char* end, sp_vec3* p)
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

const char* limb_mesh_next_line(const char** text, const char* end, const char** line_end)
{
  if (*text >= end) return NULL;
  const char *line = *text, *stop = memchr(line, '\n', (size_t)(end - line));
  if (!stop) stop = end;
  *text = stop < end ? stop + 1 : stop;
  while (line < stop && is_blank(*line)) line++;
  *line_end = stop;
  return line;
}

int limb_mesh_starts(const char* line, const char* end, const char* word)
{
  const size_t n = strlen(word);
  return (size_t)(end - line) > n && memcmp(line, word, n) == 0 && is_blank(line[n]);
}

static limb_status read_text_stl(mesh_reader* r)
{
  const char* end = NULL;
  for (const char* line; (line = limb_mesh_next_line(&r->text, r->end, &end)) != NULL;) {
    sp_vec3 p;
    if (!limb_mesh_starts(line, end, "vertex")) continue;
    if (!limb_mesh_scan_point(line + 6, end, &p))
      return limb_mesh_fault(r, "a vertex of the STL file has not three numbers");
    limb_status status = limb_mesh_add_vertex(r, p);
    const int n = r->m->nvertex;
    if (!status && n % 3 == 0) status = limb_mesh_add_face(r, n - 3, n - 2, n - 1);
    if (status) return status;
  }
  if (r->m->nvertex % 3 != 0) return limb_mesh_fault(r, "the STL file ends inside a triangle");
  return LIMB_OK;
}

// Text begins with "solid", as some binary files do: those have the size that they state.
static limb_status read_stl(mesh_reader* r)
{
  const size_t size = (size_t)(r->end - r->text);
  const int stated = size >= STL_HEADER && size == STL_HEADER + STL_TRIANGLE * (size_t)mesh_word_at(r->text + 80);
  if (stated || size < 5 || memcmp(r->text, "solid", 5) != 0) return read_binary_stl(r);
  return read_text_stl(r);
}

// ---- MSH ------------------------------------------------------------------------------------------

static limb_status read_msh(mesh_reader* r)
{
  const size_t size = (size_t)(r->end - r->text);
  if (size < 16) return limb_mesh_fault(r, "the file is shorter than the header of an MSH file");
  const size_t nv = mesh_word_at(r->text), nn = mesh_word_at(r->text + 4), nt = mesh_word_at(r->text + 8),
               nf = mesh_word_at(r->text + 12);
  if (nv > MAX_COUNT || nn > MAX_COUNT || nt > MAX_COUNT || nf > MAX_COUNT || size != 16 + 12 * (nv + nn + nf) + 8 * nt)
    return limb_mesh_fault(r, "the numbers of vertices and faces do not agree with the size of the MSH file");
  if (!reserve(r, nv, nf)) return LIMB_E_NOMEM;
  for (size_t i = 0; i < nv; i++) {
    r->m->vertex[i] = point_at(r->text + 16 + 12 * i);
    if (!finite_point(r->m->vertex[i])) return limb_mesh_fault(r, "a coordinate is not a finite number");
  }
  const char* index = r->text + 16 + 12 * (nv + nn) + 8 * nt;
  for (size_t i = 0; i < 3 * nf; i++) {
    const uint32_t k = mesh_word_at(index + 4 * i);
    if (k >= nv) return limb_mesh_fault(r, "a face refers to a vertex that does not exist");
    r->m->face[i / 3][i % 3] = (int)k;
  }
  return LIMB_OK;
}

// ---- any format -----------------------------------------------------------------------------------

mesh_format limb_mesh_format_of_name(const char* path)
{
  static const char ends[] = "stl obj msh dae gltf glb"; // in the order of mesh_format
  char end[8] = "";
  const char* dot = strrchr(path, '.');
  if (!dot || dot == path) return MESH_UNKNOWN;
  for (size_t i = 0; dot[i + 1] && i + 1 < sizeof end; i++) end[i] = lower_case(dot[i + 1]);
  const int found = limb_find_word(ends, end, strlen(dot + 1));
  return found < 0 ? MESH_UNKNOWN : found >= MESH_GLTF - MESH_STL ? MESH_GLTF : (mesh_format)(MESH_STL + found);
}

limb_status limb_mesh_read(const char* text, size_t size, mesh_format format, const mesh_options* opt,
                           memory_pool* pool, limb_mesh* out, limb_error* err)
{
  *out = (limb_mesh){0};
  mesh_reader r = {.text = text, .end = text + size, .pool = pool, .m = out, .err = err};
  if (opt) r.opt = *opt;
  limb_status status = LIMB_E_SYNTAX;
  if (r.opt.by_mujoco && (format == MESH_DAE || format == MESH_GLTF))
    return limb_mesh_fault(&r, "MuJoCo does not read %s: convert it to STL or OBJ",
                           format == MESH_DAE ? "COLLADA" : "glTF");
  switch (format) {
  case MESH_STL: status = read_stl(&r); break;
  case MESH_OBJ: status = limb_mesh_read_obj(&r); break;
  case MESH_MSH: status = read_msh(&r); break;
  case MESH_DAE: status = limb_mesh_read_dae(&r); break;
  case MESH_GLTF: status = limb_mesh_read_gltf(&r); break;
  case MESH_UNKNOWN:
  case MESH_FORMATS: return limb_mesh_fault(&r, "the format is not known: " LIMB_MESH_FORMATS " are read");
  }
  if (status == LIMB_E_NOMEM) return limb_fail(err, status, "mesh", "out of memory");
  if (!status && out->nvertex == 0) return limb_mesh_fault(&r, "the mesh has no vertices");
  return status;
}

// ---- for display ------------------------------------------------------------------------------------

typedef struct owned {
  limb_triangles mesh; // first
  memory_pool pool;
} owned;

// Files that the mesh refers to lie in its folder.
static limb_status read_file(const file_bytes* file, const char* part, size_t limit, memory_pool* pool, limb_mesh* mesh,
                             limb_error* err)
{
  limb_read_options opt = limb_default_read_options();
  limb_files files;
  opt.max_bytes = limit;
  if (!limb_files_begin(&files, file->path, &opt, pool, NULL)) return LIMB_E_NOMEM;
  if (part) return limb_mjcf_read_part(file, part, &files, pool, mesh, err);
  const mesh_options own = {.files = &files, .path = file->path};
  return limb_mesh_read(file->text, file->size, limb_mesh_format_of_name(file->path), &own, pool, mesh, err);
}

static limb_status load(const char* name, size_t limit, memory_pool* pool, limb_mesh* mesh, limb_error* err)
{
  const char* part = limb_mjcf_fragment(name);
  const char* path = limb_mempool_text(pool, name, part ? (size_t)(part - name) - 1 : strlen(name));
  file_bytes file = {.path = path};
  int large = 0;
  if (!path) return limb_fail(err, LIMB_E_NOMEM, name, "out of memory");
  if (!part && limb_mesh_format_of_name(path) == MESH_UNKNOWN)
    return limb_fail(err, LIMB_E_UNSUPPORTED, path, "the ending of the file is none of: " LIMB_MESH_FORMATS);
  FILE* stream = fopen(path, "rb");
  if (!stream) return limb_fail(err, LIMB_E_IO, path, "%s", limb_io_reason(errno));
  errno = 0;
  limb_status s = limb_load_stream(pool, stream, limit, &file.text, &file.size, &large);
  const int code = errno;
  (void)fclose(stream);
  if (s == LIMB_E_IO) return limb_fail(err, s, path, "%s", limb_io_reason(code));
  if (large) return limb_fail(err, LIMB_E_IO, path, "the file has more than %zu bytes", limit);
  if (s == LIMB_OK) s = read_file(&file, part, limit, pool, mesh, err);
  return s == LIMB_E_NOMEM ? limb_fail(err, s, path, "out of memory") : s;
}

// A mesh without parts is one.
static int take(owned* o, const limb_mesh* m)
{
  limb_triangle_part* part = limb_mempool_alloc(&o->pool, sizeof *part);
  if (!part) return 0;
  *part = (limb_triangle_part){.count = m->nface, .name = ""};
  const int own = m->npart > 0;
  o->mesh = (limb_triangles){.nvertex = m->nvertex,
                             .ntriangle = m->nface,
                             .npart = own ? m->npart : 1,
                             .vertex = &m->vertex->x,
                             .triangle = m->nface > 0 ? m->face[0] : NULL,
                             .part = own ? m->part : part};
  return 1;
}

limb_status limb_read_triangles(const char* path, size_t max_bytes, limb_triangles** out, limb_error* err)
{
  if (out) *out = NULL;
  if (!path || !out) return limb_fail(err, LIMB_E_ARG, "mesh", "path or output is NULL");
  const limb_allocator a = limb_default_allocator();
  owned* o = limb_alloc(&a, sizeof *o);
  if (!o) return limb_fail(err, LIMB_E_NOMEM, path, "out of memory");
  limb_mesh m = {0};
  *o = (owned){.pool = limb_mempool_make(&a)};
  limb_status s = load(path, max_bytes ? max_bytes : (size_t)64 << 20, &o->pool, &m, err);
  if (s == LIMB_OK && !take(o, &m)) s = limb_fail(err, LIMB_E_NOMEM, path, "out of memory");
  if (s == LIMB_OK)
    *out = &o->mesh;
  else
    limb_triangles_destroy(&o->mesh);
  return s;
}

void limb_triangles_destroy(limb_triangles* mesh)
{
  if (!mesh) return;
  owned* o = (owned*)mesh;
  const limb_allocator a = o->pool.alloc;
  limb_mempool_free(&o->pool);
  limb_free(&a, o, sizeof *o);
}
