// URDF: shapes of links, for display and for the mass that follows from them (limb_read_options.density).
#include "io/read_urdf.h"

#include "limb/spatial.h"

#include "io/file_text.h"
#include "io/mesh.h"

#include <string.h>

// ---- geometry -------------------------------------------------------------------------------------

// Positive numbers of an attribute; 0 after an error.
static int read_sizes(urdf_reader* r, const xml_node* n, const char* attribute, int count, double* x)
{
  const int given = limb_urdf_numbers(r, n, attribute, count, x);
  int positive = given > 0;
  for (int i = 0; i < count && positive; i++) positive = x[i] > 0;
  if (given == 0)
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "<%s> needs the attribute '%s'", n->name, attribute);
  else if (given > 0 && !positive)
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "%s of <%s> must be positive", attribute, n->name);
  return positive;
}

static int read_mesh(urdf_reader* r, const xml_node* n, limb_shape_def* def)
{
  sp_vec3 scale = sp_v3(1, 1, 1);
  const char* name = limb_urdf_name(r, n, "filename", 1);
  if (!name || limb_urdf_vector(r, n, "scale", &scale) < 0) return 0;
  def->mesh = name;
  def->extent[0] = scale.x, def->extent[1] = scale.y, def->extent[2] = scale.z;
  return 1;
}

// The shape of a <collision> or <visual>. 0: it has none that limb knows, or after an error.
static int read_geometry(urdf_reader* r, const xml_node* owner, limb_shape_def* def)
{
  // Ellipsoids and capsules with a prefix are Drake's.
  static const char known[] = "box sphere cylinder capsule drake:capsule drake:ellipsoid mesh";
  static const limb_shape_type types[] = {LIMB_SHAPE_BOX,     LIMB_SHAPE_SPHERE,  LIMB_SHAPE_CYLINDER,
                                          LIMB_SHAPE_CAPSULE, LIMB_SHAPE_CAPSULE, LIMB_SHAPE_ELLIPSOID,
                                          LIMB_SHAPE_MESH};
  const xml_node *geometry = limb_xml_child(owner, "geometry"), *n = geometry ? geometry->first : NULL;
  const int i = n ? limb_find_word(known, n->name, strlen(n->name)) : -1;
  if (i < 0) {
    limb_report_note(&r->report, RULE_BAD_SHAPE, n ? n->pos : owner->pos,
                     n ? "<%s> is not a shape of URDF" : "<%s> has no shape", n ? n->name : owner->name);
    return 0;
  }
  *def = limb_default_shape_def(types[i], 0);
  def->pose = limb_urdf_origin(r, owner);
  double* x = def->extent;
  switch (def->type) {
  case LIMB_SHAPE_BOX: return read_sizes(r, n, "size", 3, x);
  case LIMB_SHAPE_SPHERE: return read_sizes(r, n, "radius", 1, x);
  case LIMB_SHAPE_CYLINDER:
  case LIMB_SHAPE_CAPSULE: return read_sizes(r, n, "radius", 1, x) && read_sizes(r, n, "length", 1, x + 1);
  case LIMB_SHAPE_ELLIPSOID:
    return read_sizes(r, n, "a", 1, x) && read_sizes(r, n, "b", 1, x + 1) && read_sizes(r, n, "c", 1, x + 2);
  case LIMB_SHAPE_MESH: return read_mesh(r, n, def);
  case LIMB_SHAPE_PLANE: break;
  }
  return 0;
}

// ---- materials ------------------------------------------------------------------------------------

static const char* material_name(const void* context, int i)
{
  const char* name = limb_xml_get(((const urdf_reader*)context)->material[i], "name");
  return name ? name : "";
}

static int is_material(const xml_node* n)
{
  return strcmp(n->name, "material") == 0 && (limb_xml_child(n, "color") || limb_xml_child(n, "texture"));
}

// Visits the materials of the file: those of the robot, then those in links. Returns how many there are.
static int list_materials(const xml_node* root, const xml_node** out)
{
  int count = 0;
  for (const xml_node* n = root->first; n; n = n->next) {
    if (!is_material(n)) continue;
    if (out) out[count] = n;
    count++;
  }
  for (const xml_node* link = limb_xml_child(root, "link"); link; link = limb_xml_next(link)) {
    for (const xml_node* v = limb_xml_child(link, "visual"); v; v = limb_xml_next(v)) {
      const xml_node* n = limb_xml_child(v, "material");
      if (!n || !is_material(n)) continue;
      if (out) out[count] = n;
      count++;
    }
  }
  return count;
}

int limb_urdf_materials(urdf_reader* r, const xml_node* root)
{
  r->nmaterial = list_materials(root, NULL);
  r->material = limb_mempool_alloc(r->src->pool, ((size_t)r->nmaterial + 1) * sizeof(void*));
  if (!r->material) return 0;
  (void)list_materials(root, r->material);
  return limb_mempool_index_names(r->src->pool, &r->material_names, r->nmaterial, material_name, r);
}

// The material of a <visual>: its own, or one that it names.
static void read_material(urdf_reader* r, const xml_node* visual, limb_shape_def* def)
{
  const xml_node* n = limb_xml_child(visual, "material");
  const char* name = n ? limb_xml_get(n, "name") : NULL;
  if (!n) return;
  if (!is_material(n)) {
    const int i = name ? limb_names_find(&r->material_names, name, material_name, r) : -1;
    if (i < 0) return; // such as Gazebo/Grey, known to another program
    n = r->material[i];
  }
  const xml_node *color = limb_xml_child(n, "color"), *texture = limb_xml_child(n, "texture");
  const char* file = texture ? limb_xml_get(texture, "filename") : NULL;
  if (color) def->has_color = limb_urdf_numbers(r, color, "rgba", 4, def->color) > 0;
  if (file) def->texture = file;
}

// ---- shapes of a link -----------------------------------------------------------------------------

int limb_urdf_shapes(urdf_reader* r, const xml_node* link, int body)
{
  limb_files* files = r->src->files;
  const char* from = files->source ? files->source : r->src->name;
  const int before = limb_findings_count(r->report.findings), errors = r->report.errors, open = r->expressions;
  int good = 1;
  for (const xml_node* n = link->first; n && good; n = n->next) {
    const int visual = strcmp(n->name, "visual") == 0;
    limb_shape_def def;
    if ((!visual && strcmp(n->name, "collision") != 0) || !read_geometry(r, n, &def)) continue;
    const char* name = limb_xml_get(n, "name");
    def.name = name ? name : "";
    def.use = visual ? LIMB_SHAPE_VISUAL : LIMB_SHAPE_COLLISION;
    if (visual) read_material(r, n, &def);
    good = limb_raw_add_shape(r->raw, body, &def, files, from, n->pos);
  }
  limb_report_mildly(r->report.findings, before);
  r->report.errors = errors;
  r->expressions = open;
  return good;
}

// ---- mass -----------------------------------------------------------------------------------------

// The mesh, in metres and link axes of its shape; 0 after an error or out of memory.
static int load_mesh(urdf_reader* r, const xml_node* n, const limb_shape_def* def, memory_pool* pool, limb_mesh* mesh)
{
  limb_files files = *r->src->files; // its bytes are freed with the mesh
  file_bytes bytes = {0};
  limb_error err;
  files.pool = pool;
  const char* from = files.source ? files.source : r->src->name;
  const char* path = limb_files_find(&files, def->mesh, from, RULE_BAD_MESH, n->pos, r->report.about);
  if (!path || !limb_files_load_bytes(&files, path, RULE_BAD_MESH, n->pos, r->report.about, &bytes)) return 0;
  r->src->files->left = files.left, r->src->files->loaded = files.loaded;
  const mesh_options opt = {.files = r->src->files, .path = path};
  const limb_status s = limb_mesh_read(bytes.text, bytes.size, limb_mesh_format_of_name(path), &opt, pool, mesh, &err);
  if (s != LIMB_OK) {
    limb_report_error(&r->report, RULE_BAD_MESH, n->pos, "mesh '%.100s': %s", def->mesh,
                      s == LIMB_E_NOMEM ? "out of memory" : err.text);
    if (limb_mesh_format_of_name(path) == MESH_UNKNOWN)
      limb_report_hint(r->report.findings, "convert it to STL, OBJ, DAE or glTF");
    return 0;
  }
  for (int i = 0; i < mesh->nvertex; i++) {
    sp_vec3* v = &mesh->vertex[i];
    *v = sp_v3(def->extent[0] * v->x, def->extent[1] * v->y, def->extent[2] * v->z);
  }
  return 1;
}

// Its solid at density 1, faces turned outwards. 0 after an error.
static int weigh_mesh(urdf_reader* r, const xml_node* n, const limb_shape_def* def, sp_inertia* Y)
{
  memory_pool pool = limb_mempool_make(&r->raw->pool->alloc);
  limb_mesh mesh = {0};
  mesh_edges edges = {0};
  int good = load_mesh(r, n, def, &pool, &mesh);
  if (good &&
      !(limb_mesh_weld(&mesh, &pool) && limb_mesh_orient(&mesh, &pool) && limb_mesh_count_edges(&mesh, &pool, &edges)))
    good = 0;
  if (good) {
    *Y = limb_mesh_inertia(&mesh, MESH_SOLID);
    if (edges.open > 0 || edges.turned > 0)
      limb_report_note(&r->report, RULE_OPEN_MESH, n->pos,
                       "mesh '%.100s' is not closed: %d of its %d edges have no neighbour; its volume is that of the "
                       "pyramids to its middle",
                       def->mesh, edges.open, 3 * mesh.nface);
    if (!(Y->mass > 0)) {
      limb_report_error(&r->report, RULE_BAD_MESH, n->pos, "mesh '%.100s' encloses no volume", def->mesh);
      good = 0;
    }
  }
  limb_mempool_free(&pool);
  return good;
}

// A shape at density 1, in link axes. 0: it has no volume, or after an error.
static int weigh_shape(urdf_reader* r, const xml_node* owner, sp_inertia* Y)
{
  static const limb_shape solids[] = {[LIMB_SHAPE_BOX] = SHAPE_BOX,
                                      [LIMB_SHAPE_SPHERE] = SHAPE_SPHERE,
                                      [LIMB_SHAPE_CYLINDER] = SHAPE_CYLINDER,
                                      [LIMB_SHAPE_CAPSULE] = SHAPE_CAPSULE,
                                      [LIMB_SHAPE_ELLIPSOID] = SHAPE_ELLIPSOID};
  limb_shape_def def;
  if (!read_geometry(r, owner, &def)) return 0;
  if (def.type == LIMB_SHAPE_MESH) {
    if (!weigh_mesh(r, owner, &def, Y)) return 0;
  } else {
    const limb_shape solid = solids[def.type];
    const int round = solid == SHAPE_CYLINDER || solid == SHAPE_CAPSULE, box = solid == SHAPE_BOX;
    const double* e = def.extent;
    const double x[3] = {box ? e[0] / 2 : e[0], box || round ? e[1] / 2 : e[1], box ? e[2] / 2 : e[2]}; // halves
    *Y = limb_shape_inertia(solid, limb_shape_volume(solid, x), x);
  }
  *Y = limb_inertia_move(def.pose, *Y);
  return 1;
}

void limb_urdf_fill_mass(urdf_reader* r, const xml_node* link, sp_inertia* Y)
{
  const char* kind = limb_xml_child(link, "collision") ? "collision" : "visual";
  sp_inertia one, sum = {0};
  int count = 0;
  for (const xml_node* n = limb_xml_child(link, kind); n; n = limb_xml_next(n)) {
    if (!weigh_shape(r, n, &one)) continue;
    sum = count++ ? limb_inertia_add(sum, one) : one;
  }
  if (count == 0) return;
  const double k = r->opt->density;
  *Y = (sp_inertia){k * sum.mass, sum.com, k * sum.xx, k * sum.xy, k * sum.xz, k * sum.yy, k * sum.yz, k * sum.zz};
  limb_report_note(&r->report, RULE_DERIVED_INERTIA, link->pos, "its mass of %s kg is that of %s m^3 in %d <%s>",
                   limb_show_rounded(Y->mass).text, limb_show_rounded(sum.mass).text, count, kind);
}
