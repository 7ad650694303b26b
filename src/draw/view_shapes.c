// Shapes of a page, and their meshes, which are simplified until they fit.
#define _POSIX_C_SOURCE 200809L // strdup
#include "draw/view_page.h"

#include <stdlib.h>
#include <string.h>

enum {
  LARGEST_FILE = 512 << 20,
  ROUNDS_MAX = 6,    // of simplifying
  TRIANGLES_MIN = 64 // triangles that every mesh keeps
};

// Bytes of a mesh in the page: base 64.
static size_t in_page(const view_packed* p) { return (p->size + 2) / 3 * 4 + 400; }

size_t view_mesh_bytes(const limb_view_page* p)
{
  size_t sum = 0;
  for (int i = 0; i < p->nfile; i++)
    if (p->file[i].shown > 0) sum += in_page(&p->file[i].packed);
  return sum;
}

void view_free_shapes(limb_view_page* p)
{
  for (int i = 0; i < p->nfile; i++) {
    free(p->file[i].path);
    free(p->file[i].name);
    free(p->file[i].packed.bytes);
    view_mesh_free(&p->file[i].mesh);
  }
  for (int i = 0; i < p->nshape; i++) free(p->shape[i].body);
  free(p->file);
  free(p->shape);
}

// Reads, welds and packs a mesh. What cannot be read is a note, and is not shown.
static limb_status load(limb_view_page* p, view_file* f)
{
  limb_triangles* triangles = NULL;
  limb_error err = {0};
  limb_status s = limb_read_triangles(f->path, LARGEST_FILE, &triangles, &err);
  if (s == LIMB_E_NOMEM) return s;
  if (s != LIMB_OK) {
    view_note(p, "mesh '%s' is not shown: %s", f->name, *err.text ? err.text : limb_status_text(s));
    return LIMB_OK;
  }
  s = view_mesh_weld(triangles, &f->mesh);
  limb_triangles_destroy(triangles);
  if (s == LIMB_OK) s = view_mesh_pack(&f->mesh, &f->packed);
  f->triangles = f->shown = f->mesh.ntriangle;
  if (s == LIMB_OK && f->mesh.lost > 0)
    view_note(p, "mesh '%s': %d of its triangles are not shown: their corners are no numbers, or beyond 1e30 m",
              f->name, f->mesh.lost);
  if (s == LIMB_OK && f->shown == 0) view_note(p, "mesh '%s' is not shown: it has no triangles", f->name);
  return s;
}

// The file of a mesh, read once for all shapes that have it; -1: there is none, or no memory.
static int file_of(limb_view_page* p, const limb_shape_def* def, limb_status* s)
{
  if (!def->path || !*def->path) return -1;
  for (int i = 0; i < p->nfile; i++)
    if (strcmp(p->file[i].path, def->path) == 0) return i;
  view_file* file = realloc(p->file, ((size_t)p->nfile + 1) * sizeof *file);
  if (file) p->file = file;
  if (file) file[p->nfile] = (view_file){.path = strdup(def->path), .name = strdup(def->mesh ? def->mesh : def->path)};
  if (!file || !file[p->nfile].path || !file[p->nfile].name) {
    *s = LIMB_E_NOMEM;
    return -1;
  }
  *s = load(p, &file[p->nfile]);
  return p->nfile++;
}

// Meshes whose files are not there: one sentence, they are often dozens.
static void report_missing(const limb_view_page* p, const limb_builder* robot)
{
  char first[300] = "";
  int missing = 0;
  for (int i = 0; i < p->nshape; i++) {
    limb_shape_def def;
    if (p->shape[i].def.type != LIMB_SHAPE_MESH || p->shape[i].file >= 0) continue;
    if (missing++ == 0 && limb_builder_get_shape(robot, i, &def) == LIMB_OK)
      (void)snprintf(first, sizeof first, "%s", def.mesh ? def.mesh : "");
  }
  if (missing == 0) return;
  const char* hint =
    strncmp(first, "package://", 10) == 0 ? "; give the folder above the package as the package path" : "";
  if (missing == 1)
    view_note(p, "mesh '%s' is not shown: there is no such file in reach of the model%s", first, hint);
  else
    view_note(p, "%d meshes are not shown: '%s' and others are no files in reach of the model%s", missing, first, hint);
}

limb_status view_take_shapes(limb_view_page* p, const limb_builder* robot)
{
  const int n = limb_builder_shape_count(robot);
  limb_status s = LIMB_OK;
  p->shape = calloc((size_t)n + 1, sizeof *p->shape);
  if (!p->shape) return LIMB_E_NOMEM;
  for (int i = 0; i < n && s == LIMB_OK; i++) {
    view_shape* shape = &p->shape[p->nshape];
    limb_body_def body;
    s = limb_builder_get_shape(robot, i, &shape->def);
    if (s == LIMB_OK) s = limb_builder_get_body(robot, shape->def.body, &body);
    if (s != LIMB_OK) return s;
    shape->body = strdup(body.name ? body.name : "");
    if (!shape->body) return LIMB_E_NOMEM;
    p->nshape++;
    shape->file = shape->def.type == LIMB_SHAPE_MESH ? file_of(p, &shape->def, &s) : -1;
  }
  if (s == LIMB_OK) report_missing(p, robot);
  return s;
}

// ---- fitting ---------------------------------------------------------------------------------------

// Triangles that the largest meshes may have for all of them to take `bytes`, by what a triangle of each takes.
static int level(const limb_view_page* p, double bytes)
{
  double low = TRIANGLES_MIN, high = 0;
  for (int i = 0; i < p->nfile; i++)
    if (p->file[i].shown > high) high = p->file[i].shown;
  for (int step = 0; step < 40 && high - low > 1; step++) {
    const double middle = 0.5 * (low + high);
    double sum = 0;
    for (int i = 0; i < p->nfile; i++) {
      const view_file* f = &p->file[i];
      const double count = f->shown > middle ? middle : f->shown;
      if (f->shown > 0) sum += (double)in_page(&f->packed) * count / f->shown;
    }
    if (sum <= bytes)
      low = middle;
    else
      high = middle;
  }
  return (int)low;
}

static limb_status shrink(view_file* f, int max_triangles)
{
  view_mesh smaller;
  view_packed packed;
  limb_status s = view_mesh_simplify(&f->mesh, max_triangles, &smaller);
  if (s != LIMB_OK) return s;
  s = view_mesh_pack(&smaller, &packed);
  view_mesh_free(&f->mesh);
  f->mesh = smaller;
  if (s != LIMB_OK) return s;
  free(f->packed.bytes);
  f->packed = packed;
  f->shown = smaller.ntriangle;
  return LIMB_OK;
}

static void report(const limb_view_page* p)
{
  for (int i = 0; i < p->nfile; i++) {
    const view_file* f = &p->file[i];
    if (f->triangles > 0 && f->shown == 0)
      view_note(p, "mesh '%s' is not shown: the page is full; raise the limit of its size", f->name);
    else if (f->shown < f->triangles)
      view_note(p, "mesh '%s' is simplified from %d triangles to %d", f->name, f->triangles, f->shown);
  }
}

limb_status view_fit_meshes(limb_view_page* p, size_t bytes)
{
  limb_status s = LIMB_OK;
  double aim = (double)bytes;
  for (int round = 0; round < ROUNDS_MAX && s == LIMB_OK && view_mesh_bytes(p) > bytes; round++) {
    aim *= 0.92; // small meshes compress worse
    const int max_triangles = level(p, aim);
    for (int i = 0; i < p->nfile && s == LIMB_OK; i++)
      if (p->file[i].shown > max_triangles) s = shrink(&p->file[i], max_triangles);
  }
  for (int i = p->nfile - 1; i >= 0 && view_mesh_bytes(p) > bytes; i--) p->file[i].shown = 0;
  if (s == LIMB_OK) report(p);
  return s;
}
