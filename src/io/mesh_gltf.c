// glTF 2.0 (.gltf, .glb): the triangles that the scene shows, placed by its nodes, with the base colors of their
// materials.
//
// The y axis of glTF points up and its z axis forward, those of robots forward and to the left: vertices x y z become
// x -z y, as in RViz, Drake and Blender. Colors are linear; limb has them as sRGB, as URDF. JSON is read as YAML.
#include "io/mesh.h"

#include "base/number.h"
#include "base/status.h"
#include "io/file_text.h"
#include "io/yaml.h"

#include <math.h>
#include <string.h>

// The entries of a list of the document.
typedef struct gltf_list {
  const yml_node** item;
  int count;
} gltf_list;

typedef struct gltf_bytes {
  const char* at;
  size_t size;
} gltf_bytes;

typedef struct gltf {
  mesh_reader* r;
  limb_reporter report; // of values that are no numbers; the first becomes the error
  const yml_node* root;
  gltf_bytes chunk; // binary chunk of a .glb
  gltf_list buffers, views, accessors, meshes, nodes, materials;
  gltf_bytes* buffer; // of those that were opened
  int visited, depth;
} gltf;

// Whether one thing more may be looked at.
static limb_status visit(gltf* g)
{
  if (g->visited++ < MESH_MAX_VISITED) return LIMB_OK;
  return limb_mesh_fault(g->r, "the scene shows its meshes too often");
}

// ---- values ---------------------------------------------------------------------------------------------

// 0: out of memory.
static int take_list(gltf* g, const char* key, gltf_list* out)
{
  const yml_node* list = limb_yml_get(g->root, key);
  int i = 0;
  if (!list || list->kind != YML_LIST) return 1;
  out->item = limb_mempool_alloc(g->r->pool, ((size_t)list->count + 1) * sizeof(const yml_node*));
  if (!out->item) return 0;
  for (const yml_node* n = list->first; n; n = n->next) out->item[i++] = n;
  out->count = i;
  return 1;
}

// A whole number from 0 to max; -1: not given, or not that.
static double whole(gltf* g, const yml_node* map, const char* key, double max)
{
  double x = -1;
  const yml_node* n = limb_yml_get(map, key);
  if (!n || !limb_yml_number(&g->report, n, &x)) return -1;
  return x >= 0 && x <= max && x == floor(x) ? x : -1;
}

// The entry of a list that a key names; NULL: none.
static const yml_node* entry(gltf* g, const yml_node* map, const char* key, const gltf_list* list, int* index)
{
  const double i = whole(g, map, key, list->count - 1);
  if (index) *index = (int)i;
  return i < 0 ? NULL : list->item[(int)i];
}

// ---- bytes ----------------------------------------------------------------------------------------------

static int sextet(char c)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char* at = c ? strchr(letters, c) : NULL;
  return at ? (int)(at - letters) : -1;
}

// Base 64, up to what is none. 0: out of memory.
static int decode(memory_pool* pool, const char* text, gltf_bytes* out)
{
  char* to = limb_mempool_alloc(pool, strlen(text) / 4 * 3 + 4);
  unsigned bits = 0;
  int count = 0;
  if (!to) return 0;
  *out = (gltf_bytes){to, 0};
  for (; sextet(*text) >= 0; text++) {
    bits = bits << 6 | (unsigned)sextet(*text);
    if (++count % 4 == 0) {
      for (int k = 16; k >= 0; k -= 8) to[out->size++] = (char)(bits >> k & 255);
    }
  }
  if (count % 4 > 1) to[out->size++] = (char)(bits >> (count % 4 == 2 ? 4 : 10) & 255);
  if (count % 4 > 2) to[out->size++] = (char)(bits >> 2 & 255);
  return 1;
}

static int hex(char c)
{
  c = lower_case(c);
  return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// A name with %20 for a blank, and so on.
static char* unescape(memory_pool* pool, const char* uri)
{
  char *name = limb_mempool_text(pool, uri, strlen(uri)), *to = name;
  for (const char* c = name; c && *c; c++) {
    const int coded = *c == '%' && hex(c[1]) >= 0 && hex(c[2]) >= 0;
    *to++ = (char)(coded ? 16 * hex(c[1]) + hex(c[2]) : *c);
    c += coded ? 2 : 0;
  }
  if (to) *to = 0;
  return name;
}

static limb_status open_buffer(gltf* g, const yml_node* n, gltf_bytes* out)
{
  static const char data[] = "data:";
  const yml_node* uri = limb_yml_get(n, "uri");
  file_bytes file;
  if (!uri) {
    *out = g->chunk;
    return g->chunk.at ? LIMB_OK : limb_mesh_fault(g->r, "a buffer has no bytes");
  }
  if (uri->kind != YML_SCALAR) return limb_mesh_fault(g->r, "the address of a buffer is no text");
  if (strncmp(uri->text, data, sizeof data - 1) == 0) {
    const char* mark = strstr(uri->text, ";base64,");
    if (!mark) return limb_mesh_fault(g->r, "a buffer has data that is not in base 64");
    return decode(g->r->pool, mark + 8, out) ? LIMB_OK : LIMB_E_NOMEM;
  }
  const char* name = unescape(g->r->pool, uri->text);
  if (!name) return LIMB_E_NOMEM;
  if (!limb_mesh_load(g->r, name, &file))
    return limb_mesh_fault(g->r, "its buffer '%s' cannot be read, or lies outside the folder",
                           limb_excerpt(name, NULL).text);
  *out = (gltf_bytes){file.text, file.size};
  return LIMB_OK;
}

// ---- accessors ------------------------------------------------------------------------------------------

typedef struct gltf_view {
  const char* at;
  size_t stride;
  int count;
  int type; // of components: 5120 byte, 5121 unsigned byte, 5122 short, 5123 unsigned short, 5125 unsigned int,
            // 5126 float
  int normalized;
} gltf_view;

static size_t size_of(int type) { return type == 5120 || type == 5121 ? 1 : type == 5122 || type == 5123 ? 2 : 4; }

static limb_status compressed(const gltf* g, const char* how)
{
  return limb_mesh_fault(g->r, "it is compressed (%s): export it without compression", how);
}

// The part of a buffer that a view shows.
static limb_status view_bytes(gltf* g, const yml_node* n, gltf_bytes* out, double* stride)
{
  const double limit = 1e12;
  int k = 0;
  const yml_node* buffer = entry(g, n, "buffer", &g->buffers, &k);
  const yml_node* extensions = limb_yml_get(n, "extensions");
  if (limb_yml_get(extensions, "EXT_meshopt_compression") || limb_yml_get(extensions, "KHR_meshopt_compression"))
    return compressed(g, "meshopt");
  if (!buffer) return limb_mesh_fault(g->r, "a buffer view has no buffer");
  const limb_status status = g->buffer[k].at ? LIMB_OK : open_buffer(g, buffer, &g->buffer[k]);
  if (status) return status;
  const double offset = fmax(whole(g, n, "byteOffset", limit), 0), length = whole(g, n, "byteLength", limit);
  *stride = whole(g, n, "byteStride", 252);
  if (length < 0 || offset + length > (double)g->buffer[k].size)
    return limb_mesh_fault(g->r, "a buffer is shorter than its views");
  *out = (gltf_bytes){g->buffer[k].at + (size_t)offset, (size_t)length};
  return LIMB_OK;
}

// An accessor of elements with that many components.
static limb_status open_accessor(gltf* g, const yml_node* n, const char* kind, int components, gltf_view* out)
{
  gltf_bytes bytes = {0};
  double stride = -1;
  const yml_node *view = entry(g, n, "bufferView", &g->views, NULL), *type = limb_yml_get(n, "type");
  if (limb_yml_get(n, "sparse")) return limb_mesh_fault(g->r, "it has sparse accessors: export it without them");
  if (!view || !type || type->kind != YML_SCALAR || strcmp(type->text, kind) != 0)
    return limb_mesh_fault(g->r, "an accessor of positions or indices has no view, or another type than %s", kind);
  const limb_status status = view_bytes(g, view, &bytes, &stride);
  if (status) return status;
  const double offset = fmax(whole(g, n, "byteOffset", 1e12), 0), count = whole(g, n, "count", MESH_MAX_SHOWN);
  const yml_node* normalized = limb_yml_get(n, "normalized");
  out->type = (int)whole(g, n, "componentType", 5126);
  out->normalized = normalized && normalized->kind == YML_SCALAR && strcmp(normalized->text, "true") == 0;
  if (out->type < 5120 || out->type == 5124) return limb_mesh_fault(g->r, "an accessor has no known component type");
  const double size = (double)size_of(out->type) * components;
  if (stride <= 0) stride = size;
  if (count < 1 || offset + (count - 1) * stride + size > (double)bytes.size)
    return limb_mesh_fault(g->r, "a view of a buffer is shorter than its accessors, or they have too many elements");
  out->at = bytes.at + (size_t)offset;
  out->stride = (size_t)stride;
  out->count = (int)count;
  return LIMB_OK;
}

// A component: a number, or, normalized, a fraction of the largest number of its type.
static double component(const gltf_view* v, int i, int k)
{
  const char* at = v->at + (size_t)i * v->stride + (size_t)k * size_of(v->type);
  const unsigned low = (unsigned char)at[0],
                 word = size_of(v->type) > 1 ? low | (unsigned)(unsigned char)at[1] << 8 : 0;
  double x = 0, largest = 1;
  switch (v->type) {
  case 5120: x = low < 128 ? low : low - 256.0, largest = 127; break;
  case 5121: x = low, largest = 255; break;
  case 5122: x = word < 32768 ? word : word - 65536.0, largest = 32767; break;
  case 5123: x = word, largest = 65535; break;
  case 5125: return mesh_word_at(at);
  default: return mesh_float_at(at);
  }
  return v->normalized ? fmax(x / largest, -1) : x;
}

// ---- meshes ---------------------------------------------------------------------------------------------

static double to_srgb(double x) { return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055; }

// A part with the base color of a material, unless that is in a texture.
static limb_triangle_part part_of(gltf* g, const yml_node* primitive)
{
  limb_triangle_part part = {.first = g->r->m->nface, .name = ""};
  const yml_node* material = entry(g, primitive, "material", &g->materials, NULL);
  const yml_node *name = limb_yml_get(material, "name"), *pbr = limb_yml_get(material, "pbrMetallicRoughness");
  const yml_node* factor = limb_yml_get(pbr, "baseColorFactor");
  double color[4] = {1, 1, 1, 1};
  if (name && name->kind == YML_SCALAR) part.name = name->text;
  part.has_color =
    factor ? limb_yml_numbers(&g->report, factor, 4, color) : material && !limb_yml_get(pbr, "baseColorTexture");
  for (int k = 0; k < 4; k++) part.color[k] = fmin(fmax(k < 3 ? to_srgb(color[k]) : color[3], 0), 1);
  return part;
}

static limb_status add_vertices(gltf* g, const gltf_view* v, const mesh_affine* X)
{
  limb_status status = LIMB_OK;
  if (g->r->m->nvertex + v->count > MESH_MAX_SHOWN) return limb_mesh_fault(g->r, "the scene has too many vertices");
  for (int i = 0; i < v->count && !status; i++) {
    const sp_vec3 p = sp_v3(component(v, i, 0), component(v, i, 1), component(v, i, 2));
    status = limb_mesh_add_vertex(g->r, sp_add3(sp_mulv(X->A, p), X->p));
  }
  return status;
}

enum { TRIANGLES = 4, STRIP = 5, FAN = 6 }; // modes of primitives

// The corners of triangle i among the indices.
static void corners(int mode, int i, int out[3])
{
  const int odd = i & 1;
  const int all[3][3] = {{3 * i, 3 * i + 1, 3 * i + 2}, {i, i + 1 + odd, i + 2 - odd}, {i + 1, i + 2, 0}};
  memcpy(out, all[mode - TRIANGLES], sizeof all[0]);
}

// Triangles between the vertices from `first` on; indices NULL: in their order.
static limb_status add_triangles(gltf* g, int mode, int first, int vertices, const gltf_view* indices, int mirrored)
{
  const int n = indices ? indices->count : vertices, count = mode == TRIANGLES ? n / 3 : n - 2;
  limb_status status = LIMB_OK;
  if (mode == TRIANGLES && n % 3 != 0) return limb_mesh_fault(g->r, "the last triangle has less than three corners");
  if (g->r->m->nface + count > MESH_MAX_SHOWN) return limb_mesh_fault(g->r, "the scene has too many triangles");
  for (int i = 0; i < count && !status; i++) {
    int c[3];
    corners(mode, i, c);
    for (int k = 0; k < 3; k++) {
      const double v = indices ? component(indices, c[k], 0) : c[k];
      if (!(v >= 0 && v < vertices)) return limb_mesh_fault(g->r, "a face refers to a vertex that does not exist");
      c[k] = first + (int)v;
    }
    status = mirrored ? limb_mesh_add_face(g->r, c[0], c[2], c[1]) : limb_mesh_add_face(g->r, c[0], c[1], c[2]);
  }
  return status;
}

static limb_status add_primitive(gltf* g, const yml_node* n, const mesh_affine* X)
{
  const double mode = whole(g, n, "mode", 6);
  const int how = mode < 0 ? TRIANGLES : (int)mode, first = g->r->m->nvertex;
  const int indexed = limb_yml_get(n, "indices") != NULL;
  const yml_node* attributes = limb_yml_get(n, "attributes");
  const yml_node* positions = entry(g, attributes, "POSITION", &g->accessors, NULL);
  gltf_view vertices, indices;
  if (how < TRIANGLES || !positions) return LIMB_OK; // points and lines
  if (limb_yml_get(limb_yml_get(n, "extensions"), "KHR_draco_mesh_compression")) return compressed(g, "Draco");
  limb_status status = open_accessor(g, positions, "VEC3", 3, &vertices);
  if (!status && indexed) status = open_accessor(g, entry(g, n, "indices", &g->accessors, NULL), "SCALAR", 1, &indices);
  const limb_triangle_part part = part_of(g, n);
  if (!status) status = add_vertices(g, &vertices, X);
  if (!status) status = add_triangles(g, how, first, vertices.count, indexed ? &indices : NULL, mesh_is_mirror(X));
  return status ? status : limb_mesh_add_part(g->r, part);
}

static limb_status add_mesh(gltf* g, const yml_node* mesh, const mesh_affine* X)
{
  const yml_node* list = limb_yml_get(mesh, "primitives");
  limb_status status = LIMB_OK;
  for (const yml_node* n = list ? list->first : NULL; n && !status; n = n->next) {
    status = visit(g);
    if (!status) status = add_primitive(g, n, X);
  }
  return status;
}

// ---- the scene --------------------------------------------------------------------------------------------

// Of a node: a matrix, column by column, or T R S.
static mesh_affine transform(gltf* g, const yml_node* n)
{
  double m[16], t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
  if (limb_yml_numbers(&g->report, limb_yml_get(n, "matrix"), 16, m))
    return (mesh_affine){{{m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]}}, sp_v3(m[12], m[13], m[14])};
  (void)limb_yml_numbers(&g->report, limb_yml_get(n, "translation"), 3, t);
  (void)limb_yml_numbers(&g->report, limb_yml_get(n, "rotation"), 4, q);
  (void)limb_yml_numbers(&g->report, limb_yml_get(n, "scale"), 3, s);
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const sp_quat unit = {q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm};
  const sp_mat3 R = norm > 0 && isfinite(norm) ? sp_rot_quat(unit) : sp_identity3();
  return (mesh_affine){sp_mul3(R, (sp_mat3){{s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]}}), sp_v3(t[0], t[1], t[2])};
}

static limb_status add_node(gltf* g, const yml_node* node, mesh_affine X)
{
  const yml_node *mesh = entry(g, node, "mesh", &g->meshes, NULL), *list = limb_yml_get(node, "children");
  limb_status status = visit(g);
  if (status) return status;
  if (g->depth >= MESH_MAX_DEPTH) return limb_mesh_fault(g->r, "a node shows itself, or too many are in each other");
  g->depth++;
  X = mesh_compose(X, transform(g, node));
  if (mesh) status = add_mesh(g, mesh, &X);
  for (const yml_node* n = list ? list->first : NULL; n && !status; n = n->next) {
    double i = -1;
    if (!limb_yml_number(&g->report, n, &i) || !(i >= 0 && i < g->nodes.count)) i = -1;
    status =
      i < 0 ? limb_mesh_fault(g->r, "a node has a child that does not exist") : add_node(g, g->nodes.item[(int)i], X);
  }
  g->depth--;
  return status;
}

// The nodes of the scene; of a file without scenes, all meshes where they are.
static limb_status add_scene(gltf* g)
{
  const mesh_affine up = {{{1, 0, 0, 0, 0, -1, 0, 1, 0}}, sp_v3(0, 0, 0)};
  gltf_list scenes = {0};
  limb_status status = LIMB_OK;
  if (!take_list(g, "scenes", &scenes)) return LIMB_E_NOMEM;
  const yml_node* scene = entry(g, g->root, "scene", &scenes, NULL);
  if (!scene && scenes.count > 0) scene = scenes.item[0];
  const yml_node* list = limb_yml_get(scene, "nodes");
  for (const yml_node* n = list ? list->first : NULL; n && !status; n = n->next) {
    double i = -1;
    if (!limb_yml_number(&g->report, n, &i) || !(i >= 0 && i < g->nodes.count))
      return limb_mesh_fault(g->r, "the scene has a node that does not exist");
    status = add_node(g, g->nodes.item[(int)i], up);
  }
  for (int i = 0; i < g->meshes.count && scenes.count == 0 && !status; i++)
    status = add_mesh(g, g->meshes.item[i], &up);
  return status;
}

static limb_status read_document(gltf* g)
{
  const yml_node* version = limb_yml_get(limb_yml_get(g->root, "asset"), "version");
  if (!version || version->kind != YML_SCALAR || version->text[0] != '2')
    return limb_mesh_fault(g->r, "it is not glTF 2.0");
  if (!take_list(g, "buffers", &g->buffers) || !take_list(g, "bufferViews", &g->views) ||
      !take_list(g, "accessors", &g->accessors) || !take_list(g, "meshes", &g->meshes) ||
      !take_list(g, "nodes", &g->nodes) || !take_list(g, "materials", &g->materials))
    return LIMB_E_NOMEM;
  g->buffer = limb_mempool_alloc(g->r->pool, ((size_t)g->buffers.count + 1) * sizeof *g->buffer);
  return g->buffer ? add_scene(g) : LIMB_E_NOMEM;
}

// ---- the file -----------------------------------------------------------------------------------------------

// The JSON of a file, and the binary chunk of a .glb: 12 bytes "glTF", version, length; chunks of length, type, bytes.
static limb_status find_chunks(gltf* g, gltf_bytes* json)
{
  const char* text = g->r->text;
  const size_t size = (size_t)(g->r->end - text);
  *json = (gltf_bytes){text, size};
  if (size < 4 || memcmp(text, "glTF", 4) != 0) return LIMB_OK;
  *json = (gltf_bytes){NULL, 0};
  for (size_t at = 12; size >= 20 && at <= size - 8;) {
    const size_t length = mesh_word_at(text + at);
    if (length > size - at - 8) return limb_mesh_fault(g->r, "the file is cut off");
    const gltf_bytes chunk = {text + at + 8, length};
    if (memcmp(text + at + 4, "JSON", 4) == 0 && !json->at) *json = chunk;
    if (memcmp(text + at + 4, "BIN\0", 4) == 0 && !g->chunk.at) g->chunk = chunk;
    at += 8 + length;
  }
  return json->at ? LIMB_OK : limb_mesh_fault(g->r, "the file has no JSON chunk");
}

limb_status limb_mesh_read_gltf(mesh_reader* r)
{
  gltf g = {.r = r};
  gltf_bytes json;
  limb_findings* f = NULL;
  limb_finding first;
  limb_status status = find_chunks(&g, &json);
  if (status) return status;
  if (limb_findings_create(&r->pool->alloc, &f) != LIMB_OK) return LIMB_E_NOMEM;
  g.report = (limb_reporter){.findings = f, .about = {"glTF", NULL}};
  status = limb_yaml_parse(json.at, json.size, r->pool, &g.report, &g.root);
  if (!status) status = read_document(&g);
  if (status != LIMB_E_NOMEM && g.report.errors > 0 && limb_findings_get(f, 0, &first) == LIMB_OK)
    status = limb_mesh_fault(r, "line %d: %.150s", first.line, first.text);
  limb_findings_destroy(f);
  return status;
}
