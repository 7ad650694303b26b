// COLLADA 1.4 and 1.5 (.dae): the triangles of all geometries that the scene shows, placed by its nodes, with the
// diffuse colors of their materials.
//
// Lengths are multiplied by the unit of the file. Its up axis is not applied: robots use the coordinates of a mesh as
// they are, and so do RViz, MoveIt and the readers of other programs.
#include "io/mesh.h"

#include "base/number.h"
#include "base/status.h"
#include "io/file_text.h"
#include "io/geometry.h"
#include "io/xml.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { MAX_INPUTS = 16 }; // of a list of triangles

typedef struct dae {
  mesh_reader* r;
  const xml_node** node; // those with an id
  double** numbers;      // of such a source, once they were read
  int* count;
  int nnode, cap;
  limb_names ids;
  int visited, depth;
  long long corners; // of polygons, those without area included
} dae;

// Whether one element more may be looked at.
static limb_status visit(dae* d)
{
  if (d->visited++ < MESH_MAX_VISITED) return LIMB_OK;
  return limb_mesh_fault(d->r, "the scene shows its geometries too often");
}

// ---- elements and numbers -------------------------------------------------------------------------

static const char* id_of(const void* context, int i)
{
  const char* id = limb_xml_get(((const dae*)context)->node[i], "id");
  return id ? id : "";
}

static int list_ids(dae* d, const xml_node* n)
{
  for (; n; n = n->next) {
    if (limb_xml_get(n, "id")) {
      const xml_node** all = limb_mempool_grow(d->r->pool, (void*)d->node, &d->cap, d->nnode, sizeof(void*));
      if (!all) return 0;
      d->node = all;
      all[d->nnode++] = n;
    }
    if (n->first && !list_ids(d, n->first)) return 0;
  }
  return 1;
}

// The element that an attribute names as #id, if it is of that kind: its index; -1: none.
static int index_of(const dae* d, const xml_node* n, const char* attribute, const char* kind)
{
  const char* url = n ? limb_xml_get(n, attribute) : NULL;
  const int i = url && *url == '#' ? limb_names_find(&d->ids, url + 1, id_of, d) : -1;
  return i >= 0 && strcmp(d->node[i]->name, kind) == 0 ? i : -1;
}

static const xml_node* find(const dae* d, const xml_node* n, const char* attribute, const char* kind)
{
  const int i = index_of(d, n, attribute, kind);
  return i < 0 ? NULL : d->node[i];
}

static int begins(const char* text, const char* end, const char* word)
{
  return (size_t)(end - text) >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

// Behind a comment, a processing instruction, or the marks around CDATA; text itself where there is none of them.
static const char* skip_mark(const char* text, const char* end)
{
  static const char* const marks[][2] = {{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", ""}, {"]]>", ""}};
  if (text == end || (*text != '<' && *text != ']')) return text;
  for (int i = 0; i < COUNT(marks); i++) {
    if (!begins(text, end, marks[i][0])) continue;
    text += strlen(marks[i][0]);
    while (text < end && !begins(text, end, marks[i][1])) text++;
    return text < end ? text + strlen(marks[i][1]) : end;
  }
  return text;
}

// Behind blanks and what skip_mark skips.
static const char* skip(const char* text, const char* end)
{
  for (const char* next = text;; text = next) {
    while (text < end && is_blank(*text)) text++;
    next = skip_mark(text, end);
    if (next == text) return text;
  }
}

// The text of an element without children in the file, of any length, up to its end tag.
static const char* text_of(const dae* d, const xml_node* n, const char** end)
{
  const char *text = d->r->text + n->byte + n->bytes, *stop = d->r->end, *at = text;
  while (at < stop && (at = memchr(at, '<', (size_t)(stop - at))) != NULL) {
    const char* next = skip_mark(at, stop);
    if (next == at && begins(at, stop, "</")) break;
    at = next == at ? at + 1 : next; // any other element is no number, and will be refused as such
  }
  *end = at && at < stop ? at : text;
  return text;
}

// The next number of a text; NULL at the end, or where there is none.
static const char* scan(const char* text, const char* end, double* x)
{
  text = skip(text, end);
  return text < end ? limb_scan_number(text, end, x) : NULL;
}

// Up to max numbers of an element; how many there are.
static int read_numbers(const dae* d, const xml_node* n, int max, double* x)
{
  const char* end = NULL;
  const char* text = n ? text_of(d, n, &end) : NULL;
  int count = 0;
  while (text && count < max && (text = scan(text, end, &x[count])) != NULL) count++;
  return count;
}

// ---- places of nodes ------------------------------------------------------------------------------

// The transform of one element of a node; 1 if it is one.
static int read_transform(const dae* d, const xml_node* n, mesh_affine* X)
{
  double x[16];
  *X = (mesh_affine){sp_identity3(), sp_v3(0, 0, 0)};
  if (strcmp(n->name, "matrix") == 0 && read_numbers(d, n, 16, x) == 16) {
    *X = (mesh_affine){{{x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10]}}, sp_v3(x[3], x[7], x[11])};
  } else if (strcmp(n->name, "translate") == 0 && read_numbers(d, n, 3, x) == 3) {
    X->p = sp_v3(x[0], x[1], x[2]);
  } else if (strcmp(n->name, "scale") == 0 && read_numbers(d, n, 3, x) == 3) {
    X->A.m[0] = x[0], X->A.m[4] = x[1], X->A.m[8] = x[2];
  } else if (strcmp(n->name, "rotate") == 0 && read_numbers(d, n, 4, x) == 4) {
    const sp_vec3 axis = sp_v3(x[0], x[1], x[2]);
    const double length = sp_norm3(axis);
    if (length > 0) X->A = sp_rot_axis(sp_scale3(1 / length, axis), x[3] * LIMB_PI / 180);
  } else {
    return 0;
  }
  return 1;
}

// ---- materials ------------------------------------------------------------------------------------

// The color of an effect: profile_COMMON / technique / phong / diffuse / color, with any shading model.
static int effect_color(const dae* d, const xml_node* effect, double color[4])
{
  const xml_node* n = effect ? limb_xml_child(effect, "profile_COMMON") : NULL;
  n = n ? limb_xml_child(n, "technique") : NULL;
  for (n = n ? n->first : NULL; n; n = n->next) {
    const xml_node* diffuse = limb_xml_child(n, "diffuse");
    const xml_node* value = diffuse ? limb_xml_child(diffuse, "color") : NULL;
    color[3] = 1;
    if (value && read_numbers(d, value, 4, color) >= 3) return 1;
  }
  return 0;
}

// The part of a list of triangles, by the materials that its geometry is shown with.
static limb_triangle_part part_of(dae* d, const xml_node* list, const xml_node* shown)
{
  const char* symbol = limb_xml_get(list, "material");
  limb_triangle_part part = {.first = d->r->m->nface, .name = symbol ? symbol : ""};
  const xml_node* n = limb_xml_child(shown, "bind_material");
  n = n ? limb_xml_child(n, "technique_common") : NULL;
  for (n = n ? limb_xml_child(n, "instance_material") : NULL; n && symbol; n = limb_xml_next(n)) {
    d->visited++;
    const char* own = limb_xml_get(n, "symbol");
    const xml_node* material = own && strcmp(own, symbol) == 0 ? find(d, n, "target", "material") : NULL;
    if (!material) continue;
    const char *name = limb_xml_get(material, "name"), *id = limb_xml_get(material, "id");
    part.name = name && *name ? name : id;
    part.has_color = effect_color(d, find(d, limb_xml_child(material, "instance_effect"), "url", "effect"), part.color);
  }
  return part;
}

// ---- geometries -----------------------------------------------------------------------------------

// The numbers of a source, read once: *count of them. NULL: none, or out of memory.
static double* source_numbers(dae* d, int source, int* count)
{
  const xml_node* n = limb_xml_child(d->node[source], "float_array");
  *count = d->count[source];
  if (!n || d->numbers[source]) return d->numbers[source];
  const char* end = NULL;
  const char* text = text_of(d, n, &end);
  const size_t capacity = (size_t)(end - text) / 2 + 1;
  double* x = capacity < INT_MAX ? limb_mempool_alloc(d->r->pool, capacity * sizeof *x) : NULL;
  if (x) *count = d->count[source] = read_numbers(d, n, (int)capacity, x);
  return d->numbers[source] = x;
}

// Adds the vertices of a mesh at X. *first: the index of the first.
static limb_status add_vertices(dae* d, const xml_node* vertices, mesh_affine X, int* first)
{
  const xml_node* input = vertices ? limb_xml_child(vertices, "input") : NULL;
  while (input && (!limb_xml_get(input, "semantic") || strcmp(limb_xml_get(input, "semantic"), "POSITION") != 0))
    input = limb_xml_next(input);
  const int source = index_of(d, input, "source", "source");
  if (source < 0) return limb_mesh_fault(d->r, "a geometry has no positions");
  const xml_node* common = limb_xml_child(d->node[source], "technique_common");
  const xml_node* accessor = common ? limb_xml_child(common, "accessor") : NULL;
  double stride = 3, offset = 0;
  const char *s = accessor ? limb_xml_get(accessor, "stride") : NULL,
             *o = accessor ? limb_xml_get(accessor, "offset") : NULL;
  if (s) (void)scan(s, s + strlen(s), &stride);
  if (o) (void)scan(o, o + strlen(o), &offset);
  int count = 0;
  const double* x = source_numbers(d, source, &count);
  if (!x || !(stride >= 3 && stride <= 64 && offset >= 0 && offset <= count))
    return limb_mesh_fault(d->r, "the positions of a geometry are not three numbers each");
  *first = d->r->m->nvertex;
  limb_status status = LIMB_OK;
  for (int i = (int)offset; i + 3 <= count && !status; i += (int)stride) {
    if (d->r->m->nvertex >= MESH_MAX_SHOWN) return limb_mesh_fault(d->r, "the scene has too many vertices");
    status = limb_mesh_add_vertex(d->r, sp_add3(sp_mulv(X.A, sp_v3(x[i], x[i + 1], x[i + 2])), X.p));
  }
  return status;
}

// Indices of a list of triangles or polygons.
typedef struct index_list {
  const char *text, *end;
  int stride, offset; // of those of vertices
  int first, count;   // of the vertices of the mesh
  int mirrored;
} index_list;

// The vertices of the next polygon of n corners; 0 when it is faulty, cut off, or memory ran out.
static int next_polygon(dae* d, index_list* x, int n)
{
  mesh_reader* r = d->r;
  for (int k = 0; k < n; k++) {
    int* corner = limb_mempool_grow(r->pool, r->corner, &r->corner_cap, k, sizeof *corner);
    if (!corner) return 0;
    r->corner = corner;
    for (int i = 0; i < x->stride; i++) {
      double v = 0;
      x->text = scan(x->text, x->end, &v);
      if (!x->text) return 0;
      if (i != x->offset) continue;
      if (!(v >= 0 && v < x->count)) return 0;
      corner[k] = x->first + (int)v;
    }
  }
  for (int k = 0; x->mirrored && k < n / 2; k++) {
    const int keep = r->corner[k];
    r->corner[k] = r->corner[n - 1 - k];
    r->corner[n - 1 - k] = keep;
  }
  return 1;
}

static limb_status add_polygon(dae* d, index_list* x, int n)
{
  d->corners += n >= 3 ? n : 64; // edges are not shown, and should be few
  if (d->corners > 4LL * MESH_MAX_SHOWN) return limb_mesh_fault(d->r, "the scene has too many corners");
  if (n < 1 || !next_polygon(d, x, n)) return limb_mesh_fault(d->r, "a face refers to a vertex that does not exist");
  if (d->r->m->nface + n > MESH_MAX_SHOWN) return limb_mesh_fault(d->r, "the scene has too many triangles");
  return n >= 3 ? limb_mesh_add_polygon(d->r, d->r->corner, n) : LIMB_OK; // two corners are an edge
}

// How many numbers a <p> has.
static int count_numbers(const char* text, const char* end)
{
  int count = 0;
  double x;
  while ((text = scan(text, end, &x)) != NULL && count < MESH_MAX_SHOWN) count++;
  return count;
}

static limb_status add_triangles(dae* d, index_list* x)
{
  limb_status status = LIMB_OK;
  while (!status && x->text) {
    x->text = skip(x->text, x->end);
    if (x->text == x->end) break;
    status = add_polygon(d, x, 3);
  }
  return status;
}

// <triangles>, <polylist>, <polygons>, <trifans>, <tristrips>: all of its <p>.
static limb_status add_lists(dae* d, const xml_node* list, index_list x)
{
  const int kind = limb_find_word("triangles polylist polygons", list->name, strlen(list->name)); // 0, 1, 2
  const xml_node* sizes = limb_xml_child(list, "vcount");
  const char *size_end = NULL, *size = kind == 1 && sizes ? text_of(d, sizes, &size_end) : NULL;
  limb_status status = LIMB_OK;
  for (const xml_node* p = limb_xml_child(list, "p"); p && !status; p = limb_xml_next(p)) {
    double n = 3;
    status = visit(d);
    x.text = text_of(d, p, &x.end);
    if (kind == 2 && !status) status = add_polygon(d, &x, count_numbers(x.text, x.end) / x.stride);
    if (kind == 0) status = status ? status : add_triangles(d, &x);
    while (kind == 1 && !status && size && (size = scan(size, size_end, &n)) != NULL)
      status =
        n >= 1 && n < MESH_MAX_SHOWN ? add_polygon(d, &x, (int)n) : limb_mesh_fault(d->r, "a polygon has no corners");
  }
  return status;
}

// Inputs of a list: the stride of its indices, and where those of vertices are.
static int read_inputs(const xml_node* list, index_list* x)
{
  int inputs = 0;
  x->stride = 1, x->offset = -1;
  for (const xml_node* n = limb_xml_child(list, "input"); n && inputs < MAX_INPUTS; n = limb_xml_next(n), inputs++) {
    const char *text = limb_xml_get(n, "offset"), *semantic = limb_xml_get(n, "semantic");
    double offset = 0;
    if (text) (void)scan(text, text + strlen(text), &offset);
    if (!(offset >= 0 && offset < MAX_INPUTS)) return 0;
    if (offset >= x->stride) x->stride = (int)offset + 1;
    if (semantic && strcmp(semantic, "VERTEX") == 0) x->offset = (int)offset;
  }
  return x->offset >= 0;
}

// A geometry as an element `shown` shows it.
static limb_status add_geometry(dae* d, const xml_node* geometry, const xml_node* shown, mesh_affine X)
{
  const xml_node* mesh = limb_xml_child(geometry, "mesh");
  int first = 0;
  if (!mesh) return LIMB_OK; // a spline
  limb_status status = add_vertices(d, limb_xml_child(mesh, "vertices"), X, &first);
  for (const xml_node* n = mesh->first; n && !status; n = n->next) {
    index_list x = {.first = first, .count = d->r->m->nvertex - first, .mirrored = mesh_is_mirror(&X)};
    status = visit(d);
    if (!limb_has_word("triangles polylist polygons", n->name)) {
      if (limb_has_word("trifans tristrips", n->name))
        return limb_mesh_fault(d->r, "fans and strips of triangles are not supported: export triangles");
      continue;
    }
    const limb_triangle_part part = part_of(d, n, shown);
    if (status || !limb_xml_child(n, "p")) continue;
    if (!read_inputs(n, &x)) return limb_mesh_fault(d->r, "a list of triangles has no input VERTEX");
    status = add_lists(d, n, x);
    if (!status) status = limb_mesh_add_part(d->r, part);
  }
  return status;
}

// ---- the scene ------------------------------------------------------------------------------------

static limb_status add_node(dae* d, const xml_node* node, mesh_affine X)
{
  limb_status status = LIMB_OK;
  mesh_affine own;
  if (d->depth >= MESH_MAX_DEPTH) return limb_mesh_fault(d->r, "a node shows itself, or too many are in each other");
  d->depth++;
  for (const xml_node* n = node->first; n && !status; n = n->next) {
    const xml_node* shown = NULL;
    status = visit(d);
    if (status) break;
    if (read_transform(d, n, &own)) X = mesh_compose(X, own);
    if (strcmp(n->name, "node") == 0) status = add_node(d, n, X);
    if (strcmp(n->name, "instance_geometry") == 0 && (shown = find(d, n, "url", "geometry")) != NULL)
      status = add_geometry(d, shown, n, X);
    if (strcmp(n->name, "instance_node") == 0 && (shown = find(d, n, "url", "node")) != NULL)
      status = add_node(d, shown, X);
  }
  d->depth--;
  return status;
}

// Everything in the scene; in a file without one, every geometry where it is.
static limb_status add_scene(dae* d, const xml_node* root, mesh_affine X)
{
  const xml_node *scene = limb_xml_child(root, "scene"), *scenes = limb_xml_child(root, "library_visual_scenes");
  const xml_node* shown = find(d, scene ? limb_xml_child(scene, "instance_visual_scene") : NULL, "url", "visual_scene");
  if (!shown && scenes) shown = limb_xml_child(scenes, "visual_scene");
  if (shown) return add_node(d, shown, X);
  const xml_node* library = limb_xml_child(root, "library_geometries");
  limb_status status = LIMB_OK;
  for (const xml_node* n = library ? limb_xml_child(library, "geometry") : NULL; n && !status; n = limb_xml_next(n))
    status = add_geometry(d, n, n, X);
  return status;
}

static limb_status read_document(dae* d, const xml_node* root)
{
  const xml_node *asset = limb_xml_child(root, "asset"), *unit = asset ? limb_xml_child(asset, "unit") : NULL;
  const char* text = unit ? limb_xml_get(unit, "meter") : NULL;
  double meter = 1;
  if (strcmp(root->name, "COLLADA") != 0) return limb_mesh_fault(d->r, "the root element is not <COLLADA>");
  if (text && (!scan(text, text + strlen(text), &meter) || !(meter > 0 && meter < 1e9)))
    return limb_mesh_fault(d->r, "the unit of the file is not a length");
  if (!list_ids(d, root->first) || !limb_mempool_index_names(d->r->pool, &d->ids, d->nnode, id_of, d))
    return LIMB_E_NOMEM;
  d->numbers = limb_mempool_alloc(d->r->pool, ((size_t)d->nnode + 1) * sizeof *d->numbers);
  d->count = limb_mempool_alloc(d->r->pool, ((size_t)d->nnode + 1) * sizeof *d->count);
  if (!d->numbers || !d->count) return LIMB_E_NOMEM;
  const mesh_affine X = {{{meter, 0, 0, 0, meter, 0, 0, 0, meter}}, sp_v3(0, 0, 0)};
  return add_scene(d, root, X);
}

limb_status limb_mesh_read_dae(mesh_reader* r)
{
  static const char* const not_read[] = {"library_animations", "library_images", "library_controllers", "extra", NULL};
  dae d = {.r = r};
  limb_findings* f = NULL;
  limb_finding first;
  if (limb_findings_create(&r->pool->alloc, &f) != LIMB_OK) return LIMB_E_NOMEM;
  limb_status status = LIMB_E_NOMEM;
  const size_t size = (size_t)(r->end - r->text);
  const xml_node* root = size > 0 ? limb_xml_parse(r->text, size, 0, not_read, r->pool, f) : NULL;
  if (root)
    status = read_document(&d, root);
  else if (size == 0)
    status = limb_mesh_fault(r, "the file is empty");
  else if (limb_findings_get(f, 0, &first) == LIMB_OK)
    status = limb_fail(r->err, LIMB_E_SYNTAX, "mesh", "line %d: %.150s", first.line, first.text);
  limb_findings_destroy(f);
  return status;
}
