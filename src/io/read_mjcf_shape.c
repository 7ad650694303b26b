// MJCF: geoms as shapes, for display and for writers. A geom collides unless contype and conaffinity are zero, and is
// displayed in the groups that MuJoCo shows, 0 to 2.
#include "io/read_mjcf.h"

#include "limb/spatial.h"

#include "io/geometry.h"

#include <string.h>

// ---- materials ------------------------------------------------------------------------------------

static const char* material_name(const void* context, int i)
{
  const char* name = limb_xml_get(((const mjcf_model*)context)->material[i], "name");
  return name ? name : "";
}

// Those of the model, into a list unless it is NULL. Returns how many there are.
static int list(const mjcf_model* model, const xml_node** out)
{
  int count = 0;
  for (const xml_node* a = limb_xml_child(model->root, "asset"); a; a = limb_xml_next(a)) {
    for (const xml_node* n = limb_xml_child(a, "material"); n; n = limb_xml_next(n)) {
      if (out) out[count] = n;
      count++;
    }
  }
  return count;
}

void limb_mjcf_list_materials(mjcf* m)
{
  mjcf_model* model = m->model;
  const int count = list(model, NULL);
  model->material = limb_mempool_alloc(m->pool, ((size_t)count + 1) * sizeof(void*));
  if (model->material) model->nmaterial = list(model, model->material);
  if (!model->material || !limb_mempool_index_names(m->pool, &model->material_names, count, material_name, model))
    m->no_memory = 1;
}

static void read_color(mjcf* m, mjcf_item geom, limb_shape_def* def)
{
  const char* name = limb_mjcf_get(m, geom, "material");
  const int i = name ? limb_names_find(&m->model->material_names, name, material_name, m->model) : -1;
  def->has_color = limb_mjcf_numbers(m, geom, "rgba", 4, 4, def->color) > 0;
  if (i < 0) return;
  const mjcf_item it = limb_mjcf_make_item(m, m->model->material[i], MJCF_MATERIAL, m->model->main_class);
  const char* texture = limb_mjcf_get(m, it, "texture");
  if (!def->has_color) def->has_color = limb_mjcf_numbers(m, it, "rgba", 4, 4, def->color) > 0;
  if (texture) def->texture = texture;
}

// ---- meshes ---------------------------------------------------------------------------------------

// MuJoCo takes S R' (v - p) for the vertices v of the file, with scale S and reference frame p, R: as a pose and a
// scale where R is the identity, or the scale the same along all axes.
static void read_reference(mjcf* m, mjcf_item it, limb_shape_def* def)
{
  double p[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0};
  const double* s = def->extent;
  const int moved = limb_mjcf_numbers(m, it, "refpos", 3, 3, p), turned = limb_mjcf_numbers(m, it, "refquat", 4, 4, q);
  if ((!moved && !turned) || q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] < 1e-14) return;
  const sp_mat3 R = sp_transpose3(limb_rot_quat(q[1], q[2], q[3], q[0]));
  if (turned && !limb_no_rotation(&R) && (s[0] != s[1] || s[0] != s[2]))
    limb_mjcf_report(m, RULE_BAD_SHAPE, it.node,
                     "it is turned by refquat before it is scaled: limb turns it afterwards");
  const sp_vec3 v = sp_mulv(R, sp_v3(p[0], p[1], p[2]));
  def->pose = sp_compose(def->pose, sp_pose_make(R, sp_v3(-s[0] * v.x, -s[1] * v.y, -s[2] * v.z)));
}

// A mesh or height field that is in the model itself: model.xml#mesh/name. 0: the model is no file.
static int name_part(mjcf* m, const xml_node* n, const char* kind, limb_shape_def* def)
{
  const char *name = limb_mjcf_asset_name(m, n), *file = m->model->path;
  if (!m->files->source) {
    limb_report_once(m->findings, RULE_BAD_SHAPE, n->pos, (limb_subject){"element", n->name},
                     "it is in the text of the model, which is no file, and is not kept for display");
    return 0;
  }
  const char* path = limb_mjcf_join(m, file, kind, name);
  if (!path) return 0;
  def->mesh = def->path = path;
  return 1;
}

static int read_field(mjcf* m, mjcf_item geom, limb_shape_def* def)
{
  const char* name = limb_mjcf_get(m, geom, "hfield");
  const xml_node* n = name ? limb_mjcf_find_field(m, name) : NULL;
  if (!n) {
    limb_mjcf_report(m, RULE_BAD_SHAPE, geom.node, "it has no height field among the assets");
    return 0;
  }
  if (limb_mjcf_is_picture(n)) {
    limb_report_once(m->findings, RULE_BAD_SHAPE, n->pos, limb_mjcf_subject(n),
                     "height fields from pictures are not kept for display");
    return 0;
  }
  *def = limb_default_shape_def(LIMB_SHAPE_MESH, 0);
  def->pose = limb_mjcf_pose(m, geom);
  return name_part(m, n, "#hfield/", def);
}

static int read_mesh(mjcf* m, mjcf_item geom, limb_shape_def* def)
{
  const char* name = limb_mjcf_get(m, geom, "mesh");
  const mjcf_mesh* mesh = name ? limb_mjcf_find_mesh(m, name) : NULL;
  if (!mesh) return 0; // reported where its inertia is needed
  const mjcf_item it = limb_mjcf_mesh_item(m, mesh);
  const char* file = limb_mjcf_mesh_name(m, it);
  if (!file) return name_part(m, mesh->node, "#mesh/", def);
  (void)limb_mjcf_numbers(m, it, "scale", 3, 3, def->extent);
  read_reference(m, it, def);
  limb_files silent = *m->files;
  silent.findings = NULL;
  const char* path = limb_mjcf_find_file(m, &silent, file, m->model->path, RULE_MISSING_MESH, mesh->node);
  def->mesh = file;
  def->path = path ? path : "";
  return 1;
}

// ---- geoms ----------------------------------------------------------------------------------------

static limb_shape_type shape_of(mjcf_type type)
{
  static const limb_shape_type types[] = {
    [MJCF_PLANE] = LIMB_SHAPE_PLANE,         [MJCF_SPHERE] = LIMB_SHAPE_SPHERE,     [MJCF_CAPSULE] = LIMB_SHAPE_CAPSULE,
    [MJCF_ELLIPSOID] = LIMB_SHAPE_ELLIPSOID, [MJCF_CYLINDER] = LIMB_SHAPE_CYLINDER, [MJCF_BOX] = LIMB_SHAPE_BOX,
    [MJCF_OF_MESH] = LIMB_SHAPE_MESH,        [MJCF_SDF] = LIMB_SHAPE_MESH};
  return types[type];
}

// Type, pose and extents. 0: it is no shape that limb keeps, or after an error.
static int read_geometry(mjcf* m, mjcf_item it, limb_shape_def* def)
{
  const mjcf_type type = limb_mjcf_type(m, it);
  double x[3] = {0, 0, 0};
  sp_pose X = sp_pose_identity();
  if (type == MJCF_HFIELD) return read_field(m, it, def);
  *def = limb_default_shape_def(shape_of(type), 0);
  if (type == MJCF_PLANE) {
    (void)limb_mjcf_layered(m, it, "size", x);
    X = limb_mjcf_pose(m, it);
  } else if (type == MJCF_OF_MESH || type == MJCF_SDF) {
    def->pose = limb_mjcf_pose(m, it);
    return read_mesh(m, it, def);
  } else if (limb_mjcf_get(m, it, "mesh")) { // the only shape whose mesh is opened here
    const mjcf_mesh* mesh = limb_mjcf_load_mesh(m, it, 1);
    if (!mesh) return 0;
    limb_mjcf_fit(m, it, type, mesh, x, &X);
    X = sp_compose(limb_mjcf_pose(m, it), X);
  } else if (!limb_mjcf_size(m, it, type, x, &X)) {
    return 0;
  }
  const int radius = type == MJCF_SPHERE || type == MJCF_CAPSULE || type == MJCF_CYLINDER || type == MJCF_ELLIPSOID;
  def->pose = X;
  def->extent[0] = radius ? x[0] : 2 * x[0];
  def->extent[1] = type == MJCF_ELLIPSOID ? x[1] : 2 * x[1];
  def->extent[2] = type == MJCF_ELLIPSOID ? x[2] : type == MJCF_BOX ? 2 * x[2] : 0;
  return 1;
}

static unsigned use_of(mjcf* m, mjcf_item it)
{
  double type = 1, affinity = 1, group = 0;
  (void)limb_mjcf_numbers(m, it, "contype", 1, 1, &type);
  (void)limb_mjcf_numbers(m, it, "conaffinity", 1, 1, &affinity);
  (void)limb_mjcf_numbers(m, it, "group", 1, 1, &group);
  if (type == 0 && affinity == 0) return LIMB_SHAPE_VISUAL;
  return LIMB_SHAPE_COLLISION | (group <= 2 ? LIMB_SHAPE_VISUAL : 0u);
}

void limb_mjcf_add_shape(mjcf* m, mjcf_item geom, sp_pose X, mjcf_shapes* shapes)
{
  const int before = limb_findings_count(m->findings);
  limb_shape_def def;
  if (read_geometry(m, geom, &def)) {
    const char* name = limb_mjcf_scoped(m, geom.node, "name");
    def.name = name ? name : "";
    def.pose = sp_compose(X, def.pose);
    def.use = use_of(m, geom);
    read_color(m, geom, &def);
    limb_shape_def* all = limb_mjcf_grow(m, shapes->shape, &shapes->shape_cap, shapes->count, sizeof *all);
    file_pos* pos = limb_mjcf_grow(m, shapes->pos, &shapes->pos_cap, shapes->count, sizeof *pos);
    if (!all || !pos) return;
    shapes->shape = all, shapes->pos = pos;
    all[shapes->count] = def;
    pos[shapes->count++] = geom.node->pos;
  }
  limb_report_mildly(m->findings, before);
}

void limb_mjcf_keep_shapes(mjcf* m, const mjcf_shapes* shapes, int body)
{
  for (int i = 0; i < shapes->count && !m->no_memory; i++)
    if (!limb_raw_add_shape(m->s, body, &shapes->shape[i], m->files, m->model->path, shapes->pos[i])) m->no_memory = 1;
}
