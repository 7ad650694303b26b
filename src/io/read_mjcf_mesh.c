// MJCF: meshes among the assets, from files or with vertices in the model, and their mass properties at density 1:
// of the convex hull, exact, legacy (MuJoCo's own, which counts hollows as filled) or of the shell. Vertices are
// rounded to single precision, moved by -refpos, turned by the inverse of refquat, then scaled.
#include "io/read_mjcf.h"

#include "io/geometry.h"

#include <math.h>
#include <string.h>

typedef enum mesh_rule { CONVEX, EXACT, LEGACY, SHELL } mesh_rule;

// ---- the list -------------------------------------------------------------------------------------

static const char* mesh_name(const void* context, int i) { return ((const mjcf_model*)context)->mesh[i].name; }

// The name of a mesh: its own, or that of its file without folders and ending.
static const char* name_of(mjcf* m, const xml_node* n)
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
      all[model->nmesh++] = (mjcf_mesh){.name = name_of(m, n), .node = n};
    }
  }
  if (!limb_mempool_index_names(m->pool, &model->mesh_names, model->nmesh, mesh_name, model)) m->no_memory = 1;
}

// ---- vertices and faces ---------------------------------------------------------------------------

// What is being read, in memory of its own, which is freed when its mass is known.
typedef struct loading {
  mjcf* m;
  mjcf_item it;
  memory_pool pool;
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
  double* number = limb_mempool_alloc(&x->pool, max_count * sizeof *number);
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
  x->mesh.vertex = limb_mempool_alloc(&x->pool, (size_t)nv / 3 * sizeof *x->mesh.vertex);
  x->mesh.face = limb_mempool_alloc(&x->pool, (size_t)nf / 3 * sizeof *x->mesh.face);
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

// The path of the file, relative to the model: meshdir/file; without folders by strippath.
static const char* path_of(mjcf* m, const char* file)
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
  const char* name = path_of(m, file);
  const xml_node* n = x->it.node;
  files.pool = &x->pool;
  files.findings = aloud ? m->s->findings : NULL;
  const char* path = name ? limb_mjcf_find_file(m, &files, name, m->model->path, RULE_BAD_MESH, n) : NULL;
  const int loaded = path && limb_files_load(&files, path, RULE_BAD_MESH, n->pos, limb_mjcf_subject(n), bytes);
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
  const limb_status status = limb_mesh_read(bytes.text, bytes.size, format, &opt, &x->pool, &x->mesh, &err);
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
    const limb_status status = limb_mesh_hull(&x->mesh, &x->pool, &x->mesh);
    if (status == LIMB_E_NOMEM) x->m->no_memory = 1;
    if (status) return report_mesh(x, "all its points lie in a plane: it has no volume", "");
  }
  if (rule == EXACT) {
    mesh_edges edges;
    if (!limb_mesh_weld(&x->mesh, &x->pool) || !limb_mesh_count_edges(&x->mesh, &x->pool, &edges)) {
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
  return file ? path_of(m, file) : NULL;
}

static int load(mjcf* m, mjcf_mesh* mesh, int optional)
{
  loading x = {.m = m, .it = limb_mjcf_mesh_item(m, mesh)};
  x.pool = limb_mempool_make(&m->pool->alloc);
  x.severity = optional ? LIMB_NOTE : LIMB_ERROR;
  limb_mjcf_check_attributes(m, mesh->node, "name class content_type file vertex face refpos refquat scale inertia",
                             "smoothnormal maxhullvert normal texcoord material octree_maxdepth", 1);
  const char* file = limb_mjcf_get(m, x.it, "file");
  const int read = file ? read_mesh_file(&x, file) : read_inline(&x);
  if (read) place_vertices(&x);
  const int good = read && weigh(&x, &mesh->inertia);
  limb_mempool_free(&x.pool);
  return good ? 1 : -1;
}

void limb_mjcf_report_meshes(mjcf* m)
{
  mjcf_model* own = m->model;
  for (int k = 0; k < 2; k++) {
    loading x = {.m = m, .it = m->missing[k], .pool = limb_mempool_make(&m->pool->alloc)};
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
    limb_mempool_free(&x.pool);
  }
  m->model = own;
}

static mjcf_mesh* find_mesh(const mjcf* m, const char* name)
{
  const int i = name ? limb_names_find(&m->model->mesh_names, name, mesh_name, m->model) : -1;
  return i < 0 ? NULL : &m->model->mesh[i];
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
