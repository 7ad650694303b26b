// MJCF: meshes among the assets, from files or with vertices in the model, and their mass properties at density 1:
// of the convex hull, exact, legacy (MuJoCo's own, which counts hollows as filled) or of the shell. Vertices are
// rounded to single precision, moved by -refpos, turned by the inverse of refquat, then scaled. Height fields.
#include "io/read_mjcf.h"

#include "base/status.h"
#include "io/geometry.h"

#include <math.h>
#include <string.h>

typedef enum mesh_rule { CONVEX, EXACT, LEGACY, SHELL } mesh_rule;

// ---- the list -------------------------------------------------------------------------------------

static const char* mesh_name(const void* context, int i) { return ((const mjcf_model*)context)->mesh[i].name; }

const char* limb_mjcf_asset_name(mjcf* m, const xml_node* n)
{
  const char *name = limb_xml_get(n, "name"), *file = limb_xml_get(n, "file");
  if (name || !file) return name ? name : "";
  for (const char* c = file; *c; c++) {
    if (*c == '/' || *c == '\\') file = c + 1;
  }
  const char* dot = strrchr(file, '.');
  name = limb_mempool_text(m->pool, file, dot ? (size_t)(dot - file) : strlen(file));
  m->no_memory |= !name;
  return name ? name : "";
}

void limb_mjcf_list_meshes(mjcf* m)
{
  mjcf_model* model = m->model;
  for (const xml_node* a = limb_xml_child(model->root, "asset"); a; a = limb_xml_next(a)) {
    for (const xml_node* n = limb_xml_child(a, "mesh"); n && !m->no_memory; n = limb_xml_next(n)) {
      mjcf_mesh* all = limb_mjcf_grow(m, model->mesh, &model->mesh_cap, model->nmesh, sizeof *all);
      if (!all) return;
      model->mesh = all;
      all[model->nmesh++] = (mjcf_mesh){.name = limb_mjcf_asset_name(m, n), .node = n};
    }
  }
  if (!limb_mempool_index_names(m->pool, &model->mesh_names, model->nmesh, mesh_name, model)) m->no_memory = 1;
}

// ---- vertices and faces ---------------------------------------------------------------------------

// What is being read, in memory of its own, which is freed when its mass is known.
typedef struct loading {
  mjcf* m;
  mjcf_item it;
  memory_pool* pool;
  limb_mesh mesh;
  limb_severity severity; // of what is missing
} loading;

static int report_mesh(const loading* x, const char* what, const char* detail)
{
  limb_mjcf_report(x->m, RULE_BAD_MESH, x->it.node, "%s%s", what, detail);
  limb_report_as(x->m->findings, x->severity);
  return 0;
}

// All numbers of an attribute, in the pool; their number, or -1.
static int all_numbers(loading* x, const char* name, double** out)
{
  const char* text = limb_mjcf_get(x->m, x->it, name);
  if (!text) return 0;
  const size_t max_count = strlen(text) / 2 + 1;
  if (max_count > 1 << 26) return -1;
  double* number = limb_mempool_alloc(x->pool, max_count * sizeof *number);
  if (!number) {
    x->m->no_memory = 1;
    return -1;
  }
  const number_list list = limb_scan_list(text, (int)max_count, number);
  *out = number;
  return list.bad ? -1 : list.count;
}

static int read_inline(loading* x)
{
  double *v = NULL, *f = NULL;
  const int nv = all_numbers(x, "vertex", &v), nf = all_numbers(x, "face", &f);
  if (nv < 12 || nv % 3 != 0) return report_mesh(x, "its vertices must be three numbers each, of at least four", "");
  if (nf < 0 || nf % 3 != 0) return report_mesh(x, "its faces must be three numbers each", "");
  x->mesh.vertex = limb_mempool_alloc(x->pool, (size_t)nv / 3 * sizeof *x->mesh.vertex);
  x->mesh.face = limb_mempool_alloc(x->pool, (size_t)nf / 3 * sizeof *x->mesh.face);
  if (!x->mesh.vertex || !x->mesh.face) {
    x->m->no_memory = 1;
    return 0;
  }
  x->mesh.nvertex = nv / 3;
  x->mesh.nface = nf / 3;
  for (int i = 0; i < nv / 3; i++) x->mesh.vertex[i] = sp_v3(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
  for (int i = 0; i < nf; i++) {
    if (!(f[i] >= 0 && f[i] < x->mesh.nvertex))
      return report_mesh(x, "a face refers to a vertex that does not exist", "");
    x->mesh.face[i / 3][i % 3] = (int)f[i];
  }
  return 1;
}

const char* limb_mjcf_asset_path(mjcf* m, const char* file)
{
  const char* dir = m->model->meshdir;
  const char* slash = m->model->strip_path ? strrchr(file, '/') : NULL;
  if (slash) file = slash + 1;
  if (*file == '/' || !*dir) return file;
  return limb_mjcf_join(m, dir, dir[strlen(dir) - 1] == '/' ? "" : "/", file);
}

static mesh_format format_of(const char* path, const char* type)
{
  static const char types[] = "model/stl model/obj model/vnd.mujoco.msh";
  const int known = type ? limb_find_word(types, type, strlen(type)) : -1;
  return known >= 0 ? (mesh_format)(MESH_STL + known) : limb_mesh_format_of_name(path);
}

// The bytes of the file. Missing files are counted and reported together, unless aloud. 0: it cannot be read.
static int load_file(loading* x, const char* file, int aloud, file_bytes* bytes)
{
  mjcf* m = x->m;
  limb_files files = *m->files; // its bytes are freed with the mesh
  const char* name = limb_mjcf_asset_path(m, file);
  const xml_node* n = x->it.node;
  files.pool = x->pool;
  files.findings = aloud ? m->s->findings : NULL;
  const char* path = name ? limb_mjcf_find_file(m, &files, name, m->model->path, RULE_BAD_MESH, n) : NULL;
  const int loaded = path && limb_files_load_bytes(&files, path, RULE_BAD_MESH, n->pos, limb_mjcf_subject(n), bytes);
  m->files->left = files.left;
  m->files->loaded = files.loaded;
  return loaded;
}

static int read_mesh_file(loading* x, const char* file)
{
  mjcf* m = x->m;
  limb_error err;
  file_bytes bytes = {0};
  if (!load_file(x, file, 0, &bytes)) {
    const int k = x->severity == LIMB_ERROR;
    if (m->nmissing[k]++ == 0) {
      m->missing[k] = x->it;
      m->missing_of[k] = m->model;
    }
    return 0;
  }
  const char* path = bytes.path;
  const mesh_format format = format_of(path, limb_mjcf_get(m, x->it, "content_type"));
  const mesh_options opt = {.by_mujoco = 1};
  const limb_status status = limb_mesh_read(bytes.text, bytes.size, format, &opt, x->pool, &x->mesh, &err);
  if (status == LIMB_E_NOMEM) m->no_memory = 1;
  return status == LIMB_OK ? 1 : report_mesh(x, err.text, "");
}

static void place_vertices(loading* x)
{
  double p[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0}, s[3] = {1, 1, 1};
  (void)limb_mjcf_numbers(x->m, x->it, "refpos", 3, 3, p);
  (void)limb_mjcf_numbers(x->m, x->it, "refquat", 4, 4, q);
  (void)limb_mjcf_numbers(x->m, x->it, "scale", 3, 3, s);
  const int turned = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-14;
  const sp_mat3 R = turned ? limb_rot_quat(q[1], q[2], q[3], q[0]) : sp_identity3();
  for (int i = 0; i < x->mesh.nvertex; i++) {
    sp_vec3* v = &x->mesh.vertex[i];
    *v = sp_v3((double)(float)v->x - p[0], (double)(float)v->y - p[1], (double)(float)v->z - p[2]);
    *v = sp_tmulv(R, *v);
    *v = sp_v3(s[0] * v->x, s[1] * v->y, s[2] * v->z);
  }
  for (int i = 0; i < x->mesh.nface && s[0] * s[1] * s[2] < 0; i++) { // a mirror turns the faces inside out
    const int keep = x->mesh.face[i][1];
    x->mesh.face[i][1] = x->mesh.face[i][2];
    x->mesh.face[i][2] = keep;
  }
}

// ---- mass -----------------------------------------------------------------------------------------

static int weigh(loading* x, sp_inertia* Y)
{
  static const mesh_filling filling[] = {MESH_SOLID, MESH_SOLID, MESH_PYRAMIDS, MESH_SHELL};
  const mesh_rule rule = (mesh_rule)limb_mjcf_word(x->m, x->it, "inertia", "convex exact legacy shell", LEGACY);
  if (rule == CONVEX || x->mesh.nface == 0) {
    const limb_status status = limb_mesh_hull(&x->mesh, x->pool, &x->mesh);
    if (status == LIMB_E_NOMEM) x->m->no_memory = 1;
    if (status) return report_mesh(x, "all its points lie in a plane: it has no volume", "");
  }
  if (rule == EXACT) {
    mesh_edges edges;
    if (!limb_mesh_weld(&x->mesh, x->pool) || !limb_mesh_count_edges(&x->mesh, x->pool, &edges)) {
      x->m->no_memory = 1;
      return 0;
    }
    if (edges.turned > 0) return report_mesh(x, "its faces look both inwards and outwards", "");
  }
  *Y = limb_mesh_inertia(&x->mesh, filling[rule]);
  if (Y->mass < 0) return report_mesh(x, "its volume is negative: its faces look inwards", "");
  if (!(Y->mass > 1e-15)) return report_mesh(x, "its volume is too small", ": inertia=\"shell\" may be meant");
  return 1;
}

mjcf_item limb_mjcf_mesh_item(mjcf* m, const mjcf_mesh* mesh)
{
  return limb_mjcf_make_item(m, mesh->node, MJCF_MESH, m->model->main_class);
}

const char* limb_mjcf_mesh_name(mjcf* m, mjcf_item mesh)
{
  const char* file = limb_mjcf_get(m, mesh, "file");
  return file ? limb_mjcf_asset_path(m, file) : NULL;
}

static int load(mjcf* m, mjcf_mesh* mesh, int optional)
{
  memory_pool pool = limb_mempool_make(&m->pool->alloc);
  loading x = {.m = m, .it = limb_mjcf_mesh_item(m, mesh), .pool = &pool};
  x.severity = optional ? LIMB_NOTE : LIMB_ERROR;
  limb_mjcf_check_attributes(m, mesh->node, "name class content_type file vertex face refpos refquat scale inertia",
                             "smoothnormal maxhullvert normal texcoord material octree_maxdepth", 1);
  const char* file = limb_mjcf_get(m, x.it, "file");
  const int read = file ? read_mesh_file(&x, file) : read_inline(&x);
  if (read) place_vertices(&x);
  const int good = read && weigh(&x, &mesh->inertia);
  limb_mempool_free(&pool);
  return good ? 1 : -1;
}

void limb_mjcf_report_meshes(mjcf* m)
{
  mjcf_model* own = m->model;
  for (int k = 0; k < 2; k++) {
    memory_pool pool = limb_mempool_make(&m->pool->alloc);
    loading x = {.m = m, .it = m->missing[k], .pool = &pool};
    file_bytes bytes;
    if (m->nmissing[k] == 0) continue;
    m->model = m->missing_of[k];
    (void)load_file(&x, limb_mjcf_get(m, x.it, "file"), 1, &bytes);
    limb_report_as(m->findings, k ? LIMB_ERROR : LIMB_NOTE);
    if (k == 0)
      limb_report_hint(m->findings, "the body does not move, so its inertia has no effect%s",
                       m->nmissing[k] > 1 ? "; so for others" : "");
    else
      limb_report_hint(m->findings,
                       "%d mesh%s missing from which inertias follow: provide them, or have MuJoCo compute these "
                       "elsewhere, with <compiler saveinertial=\"true\"/>: compile model.xml saved.xml",
                       m->nmissing[k], m->nmissing[k] == 1 ? " is" : "es are");
    limb_mempool_free(&pool);
  }
  m->model = own;
}

static mjcf_mesh* find_mesh(const mjcf* m, const char* name)
{
  const int i = name ? limb_names_find(&m->model->mesh_names, name, mesh_name, m->model) : -1;
  return i < 0 ? NULL : &m->model->mesh[i];
}

limb_status limb_mjcf_inline_mesh(mjcf* m, const char* name, limb_mesh* out)
{
  const mjcf_mesh* mesh = find_mesh(m, name);
  if (!mesh || limb_mjcf_get(m, limb_mjcf_mesh_item(m, mesh), "file")) return LIMB_E_MODEL;
  loading x = {.m = m, .it = limb_mjcf_mesh_item(m, mesh), .pool = m->pool, .severity = LIMB_ERROR};
  const int good = read_inline(&x);
  if (good) place_vertices(&x);
  if (good && x.mesh.nface == 0 && limb_mesh_hull(&x.mesh, m->pool, &x.mesh) == LIMB_E_NOMEM) m->no_memory = 1;
  *out = x.mesh;
  return m->no_memory ? LIMB_E_NOMEM : good ? LIMB_OK : LIMB_E_MODEL;
}

const mjcf_mesh* limb_mjcf_find_mesh(const mjcf* m, const char* name) { return find_mesh(m, name); }

const mjcf_mesh* limb_mjcf_load_mesh(mjcf* m, mjcf_item geom, int optional)
{
  const char* name = limb_mjcf_get(m, geom, "mesh");
  mjcf_mesh* mesh = find_mesh(m, name);
  if (!mesh) {
    limb_mjcf_report(m, RULE_BAD_MESH, geom.node, name ? "the mesh '%.60s' is not among the assets" : "it has no mesh",
                     name ? name : "");
    if (optional) limb_report_as(m->findings, LIMB_NOTE);
    return NULL;
  }
  if (!mesh->loaded || (mesh->loaded == -2 && !optional))
    mesh->loaded = load(m, mesh, optional) < 0 ? -1 - optional : 1;
  return mesh->loaded > 0 ? mesh : NULL;
}

// ---- height fields ----------------------------------------------------------------------------------
//
// A field has nrow x ncol heights over [-x, x] x [-y, y], the first row at -y; in the attribute elevation that row is
// the last. They are scaled to 0 ... 1, and multiplied by the height of the field.

const xml_node* limb_mjcf_find_field(mjcf* m, const char* name)
{
  for (const xml_node* a = limb_xml_child(m->model->root, "asset"); a; a = limb_xml_next(a)) {
    for (const xml_node* n = limb_xml_child(a, "hfield"); n && !m->no_memory; n = limb_xml_next(n))
      if (strcmp(limb_mjcf_asset_name(m, n), name) == 0) return n;
  }
  return NULL;
}

int limb_mjcf_field_size(mjcf* m, const xml_node* field, double size[4])
{
  const int given = limb_mjcf_numbers(m, limb_mjcf_plain(field), "size", 4, 4, size);
  const int good = given && size[0] > 0 && size[1] > 0 && size[2] > 0 && size[3] > 0;
  if (!good) limb_mjcf_report(m, RULE_BAD_VALUE, field, "its size must be four positive numbers");
  return good;
}

int limb_mjcf_is_picture(const xml_node* field)
{
  const char *file = limb_xml_get(field, "file"), *type = limb_xml_get(field, "content_type");
  const size_t n = file ? strlen(file) : 0;
  return (type && strcmp(type, "image/png") == 0) || (n > 4 && strcmp(file + n - 4, ".png") == 0);
}

// ---- heights ----------------------------------------------------------------------------------------

typedef struct field {
  int rows, columns;
  double* height; // row by row
} field;

static int refuse(mjcf* m, const xml_node* n, const char* what)
{
  limb_mjcf_report(m, RULE_BAD_SHAPE, n, "%s", what);
  return 0;
}

// Space for the heights; 0 after an error.
static int make(mjcf* m, const xml_node* n, double rows, double columns, field* f)
{
  if (!(rows >= 2 && columns >= 2 && 2 * rows * columns <= MESH_MAX_SHOWN))
    return refuse(m, n, "it has less than two rows or columns, or too many");
  f->rows = (int)rows, f->columns = (int)columns;
  f->height = limb_mempool_alloc(m->pool, (size_t)f->rows * (size_t)f->columns * sizeof *f->height);
  m->no_memory |= !f->height;
  return f->height != NULL;
}

// MuJoCo's own file: numbers of rows and columns, heights in single precision.
static int read_file(mjcf* m, const xml_node* n, const char* name, field* f)
{
  file_bytes bytes = {0};
  const char* wanted = limb_mjcf_asset_path(m, name);
  const char* path = wanted ? limb_mjcf_find_file(m, m->files, wanted, m->model->path, RULE_BAD_SHAPE, n) : NULL;
  if (!path || !limb_files_load_bytes(m->files, path, RULE_BAD_SHAPE, n->pos, limb_mjcf_subject(n), &bytes)) return 0;
  if (bytes.size < 8 || !make(m, n, mesh_word_at(bytes.text), mesh_word_at(bytes.text + 4), f))
    return bytes.size < 8 ? refuse(m, n, "its file is too short") : 0;
  const size_t count = (size_t)f->rows * (size_t)f->columns;
  if (bytes.size != 8 + 4 * count) return refuse(m, n, "the size of its file does not agree with rows and columns");
  for (size_t i = 0; i < count; i++) f->height[i] = mesh_float_at(bytes.text + 8 + 4 * i);
  return 1;
}

// Of the attribute elevation, whose first row is the last; all zero without it.
static int read_rows(mjcf* m, const xml_node* n, field* f)
{
  double rows = 0, columns = 0;
  (void)limb_mjcf_numbers(m, limb_mjcf_plain(n), "nrow", 1, 1, &rows);
  (void)limb_mjcf_numbers(m, limb_mjcf_plain(n), "ncol", 1, 1, &columns);
  const char* text = limb_xml_get(n, "elevation");
  if (!make(m, n, rows, columns, f)) return 0;
  if (!text) return 1;
  const size_t count = (size_t)f->rows * (size_t)f->columns, columns_bytes = (size_t)f->columns * sizeof(double);
  double* x = limb_mempool_alloc(m->pool, count * sizeof *x);
  m->no_memory |= !x;
  if (!x) return 0;
  const number_list list = limb_scan_list(text, (int)count, x);
  if (list.bad || list.count != (int)count) return refuse(m, n, "elevation must have nrow times ncol numbers");
  for (int i = 0; i < f->rows; i++)
    memcpy(f->height + (size_t)i * (size_t)f->columns, x + (size_t)(f->rows - 1 - i) * (size_t)f->columns,
           columns_bytes);
  return 1;
}

static int normalise(mjcf* m, const xml_node* n, field* f)
{
  const size_t count = (size_t)f->rows * (size_t)f->columns;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(f->height[i])) return refuse(m, n, "a height is not a finite number");
    low = fmin(low, f->height[i]), high = fmax(high, f->height[i]);
  }
  for (size_t i = 0; i < count; i++) f->height[i] = high - low > 1e-14 ? (f->height[i] - low) / (high - low) : 0;
  return 1;
}

// ---- triangles --------------------------------------------------------------------------------------

static limb_status triangulate(mjcf* m, const field* f, const double size[4], limb_mesh* out)
{
  const size_t squares = (size_t)(f->rows - 1) * (size_t)(f->columns - 1);
  out->nvertex = f->rows * f->columns;
  out->nface = (int)(2 * squares);
  out->vertex = limb_mempool_alloc(m->pool, (size_t)out->nvertex * sizeof *out->vertex);
  out->face = limb_mempool_alloc(m->pool, (size_t)out->nface * sizeof *out->face);
  if (!out->vertex || !out->face) return LIMB_E_NOMEM;
  for (int i = 0; i < out->nvertex; i++) {
    const int row = i / f->columns, column = i % f->columns;
    out->vertex[i] = sp_v3((2.0 * column / (f->columns - 1) - 1) * size[0], (2.0 * row / (f->rows - 1) - 1) * size[1],
                           f->height[i] * size[2]);
  }
  int(*face)[3] = out->face;
  for (int row = 0; row + 1 < f->rows; row++) {
    for (int column = 0; column + 1 < f->columns; column++, face += 2) {
      const int a = row * f->columns + column, b = a + 1, c = a + f->columns, d = c + 1;
      face[0][0] = a, face[0][1] = b, face[0][2] = d;
      face[1][0] = a, face[1][1] = d, face[1][2] = c;
    }
  }
  return LIMB_OK;
}

static limb_status read_field(mjcf* m, const char* name, limb_mesh* out)
{
  field f;
  double size[4];
  const xml_node* n = limb_mjcf_find_field(m, name);
  const char* file = n ? limb_xml_get(n, "file") : NULL;
  if (!n || !limb_mjcf_field_size(m, n, size) || limb_mjcf_is_picture(n)) return LIMB_E_MODEL;
  if (!(file ? read_file(m, n, file, &f) : read_rows(m, n, &f)) || !normalise(m, n, &f)) return LIMB_E_MODEL;
  return triangulate(m, &f, size, out);
}

// ---- what a model contains ----------------------------------------------------------------------------
//
// Meshes by their vertices and height fields have no file of their own: as shapes they are model.xml#mesh/NAME and
// model.xml#hfield/NAME.

const char* limb_mjcf_fragment(const char* path)
{
  static const char mark[] = ".xml#";
  const char* at = path;
  for (const char* next = strstr(path, mark); next; next = strstr(next + 1, mark)) at = next;
  const char* part = at == path ? "" : at + sizeof mark - 1;
  return strncmp(part, "mesh/", 5) == 0 || strncmp(part, "hfield/", 7) == 0 ? part : NULL;
}

// What a model contains; reports to the findings of m.
static limb_status read_part(mjcf* m, xml_node* root, const char* path, const char* part, limb_mesh* out)
{
  const mjcf_scope start = {.prefix = "", .suffix = ""};
  m->scope = &start;
  mjcf_model* model = limb_mjcf_begin_model(m, root, path);
  if (!model) return LIMB_E_NOMEM;
  m->model = model;
  const char* name = strchr(part, '/') + 1;
  const limb_status status = *part == 'm' ? limb_mjcf_inline_mesh(m, name, out) : read_field(m, name, out);
  return m->no_memory ? LIMB_E_NOMEM : status;
}

limb_status limb_mjcf_read_part(const file_bytes* file, const char* part, limb_files* files, memory_pool* pool,
                                limb_mesh* out, limb_error* err)
{
  const raw_words words = {"body", "joint", "site"};
  const limb_read_options opt = limb_default_read_options();
  limb_findings* f = NULL;
  limb_finding first;
  *out = (limb_mesh){0};
  if (limb_findings_create(&pool->alloc, &f) != LIMB_OK) return LIMB_E_NOMEM;
  files->findings = f;
  limb_raw_robot raw = limb_raw_robot_make(pool, f, words);
  mjcf m = {.pool = pool, .findings = f, .opt = &opt, .files = files, .s = &raw};
  xml_node* root = limb_xml_parse(file->text, file->size, 0, NULL, pool, f);
  limb_status status = root ? read_part(&m, root, file->path, part, out) : LIMB_E_MODEL;
  if (status == LIMB_E_MODEL) {
    const int known = limb_findings_get(f, 0, &first) == LIMB_OK;
    status = limb_fail(err, LIMB_E_SYNTAX, "mesh", "%.150s", known ? first.text : "the model has no such mesh");
  }
  files->findings = NULL;
  limb_findings_destroy(f);
  return status;
}
