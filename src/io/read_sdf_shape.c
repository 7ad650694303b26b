// SDF: shapes of links, for display and for writers.
#include "io/read_sdf.h"

#include "io/file_text.h"
#include "io/geometry.h"

#include <string.h>

// Numbers of a child; 0 when there is none, or after an error.
static int read_numbers(sdf* s, const xml_node* n, const char* child, int count, double* x)
{
  const xml_node* c = limb_xml_child(n, child);
  double found[4];
  if (!c) return 0;
  const number_list list = limb_scan_list(c->text, count, found);
  if (list.bad || list.count != count) {
    limb_report_note(&s->r.report, RULE_BAD_SHAPE, c->pos, "<%s> must be %d numbers, not '%.60s'", child, count,
                     c->text);
    return 0;
  }
  memcpy(x, found, (size_t)count * sizeof *x);
  return 1;
}

// A plane is normal to z, unless the file states another normal.
static void read_plane(sdf* s, const xml_node* n, limb_shape_def* def)
{
  double normal[3] = {0, 0, 1};
  (void)read_numbers(s, n, "size", 2, def->extent);
  const int given = read_numbers(s, n, "normal", 3, normal);
  const sp_vec3 z = sp_v3(normal[0], normal[1], normal[2]);
  if (given && !limb_is_zero(z)) def->pose.R = sp_mul3(def->pose.R, limb_rot_to(sp_v3(0, 0, 1), limb_unit(z)));
}

static int read_mesh(sdf* s, const xml_node* n, limb_shape_def* def)
{
  const char* uri = limb_sdf_text(n, "uri");
  if (!uri) uri = limb_sdf_text(n, "filename"); // 1.4
  if (limb_xml_child(n, "submesh"))
    limb_report_note(&s->r.report, RULE_BAD_SHAPE, n->pos, "the whole mesh is taken: <submesh> is not read");
  (void)read_numbers(s, n, "scale", 3, def->extent);
  def->mesh = uri ? uri : "";
  return uri != NULL;
}

// The shape of a <visual> or <collision>. 0: it has none that limb knows.
static int read_geometry(sdf* s, const xml_node* owner, limb_shape_def* def)
{
  static const char known[] = "box sphere cylinder capsule ellipsoid plane mesh drake:capsule drake:ellipsoid";
  const xml_node *geometry = limb_xml_child(owner, "geometry"), *n = geometry ? geometry->first : NULL;
  const int i = n ? limb_find_word(known, n->name, strlen(n->name)) : -1;
  if (n && strcmp(n->name, "empty") == 0) return 0;
  if (i < 0) {
    limb_report_note(&s->r.report, RULE_BAD_SHAPE, owner->pos, "limb does not know its shape <%.40s>",
                     n ? n->name : "");
    return 0;
  }
  *def = limb_default_shape_def(i > 6 ? (limb_shape_type)(i - 7 + LIMB_SHAPE_CAPSULE) : (limb_shape_type)i, 0);
  double* x = def->extent;
  switch (def->type) {
  case LIMB_SHAPE_BOX: (void)read_numbers(s, n, "size", 3, x); break;
  case LIMB_SHAPE_SPHERE: (void)read_numbers(s, n, "radius", 1, x); break;
  case LIMB_SHAPE_CYLINDER:
  case LIMB_SHAPE_CAPSULE:
    (void)read_numbers(s, n, "radius", 1, x);
    (void)read_numbers(s, n, "length", 1, x + 1);
    break;
  case LIMB_SHAPE_ELLIPSOID: (void)read_numbers(s, n, "radii", 3, x); break;
  case LIMB_SHAPE_PLANE: read_plane(s, n, def); break;
  case LIMB_SHAPE_MESH: return read_mesh(s, n, def);
  }
  return 1;
}

static void read_material(sdf* s, const xml_node* visual, limb_shape_def* def)
{
  const xml_node* n = limb_xml_child(visual, "material");
  double opaque = 0;
  if (!n) return;
  const char* color = limb_xml_child(n, "diffuse") ? "diffuse" : "ambient";
  def->color[3] = 1;
  def->has_color = read_numbers(s, n, color, 4, def->color) || read_numbers(s, n, color, 3, def->color);
  if (limb_xml_child(visual, "transparency") && limb_sdf_number(s, visual, "transparency", &opaque))
    def->color[3] *= 1 - opaque;
  const xml_node *pbr = limb_xml_child(n, "pbr"), *metal = pbr ? limb_xml_child(pbr, "metal") : NULL;
  const char* map = metal ? limb_sdf_text(metal, "albedo_map") : NULL;
  if (map) def->texture = map;
}

// The pose in the link, whatever frame it is stated in.
static sp_pose read_pose(sdf* s, const xml_node* n, int link)
{
  const char* relative = NULL;
  const sp_pose X = limb_sdf_pose(s, n, &relative);
  if (!relative || !*relative) return X;
  const int base = limb_sdf_find(s, s->frame[link].model, relative, n, "the frame");
  if (base < 0) return X;
  return sp_compose(sp_compose(sp_invert(limb_sdf_resolve(s, link)), limb_sdf_resolve(s, base)), X);
}

int limb_sdf_shapes(sdf* s, int frame, int body)
{
  limb_source* src = s->r.src;
  limb_findings* f = s->r.report.findings;
  const int before = limb_findings_count(f), errors = s->r.report.errors;
  int good = 1;
  for (const xml_node* n = s->frame[frame].node->first; n && good; n = n->next) {
    const int visual = strcmp(n->name, "visual") == 0;
    limb_shape_def def;
    if ((!visual && strcmp(n->name, "collision") != 0) || !read_geometry(s, n, &def)) continue;
    const char* name = limb_xml_get(n, "name");
    const char* from = n->pos.file ? limb_findings_file(f, n->pos.file) : src->files->source;
    def.pose = sp_compose(read_pose(s, n, frame), def.pose);
    def.name = name ? name : "";
    def.use = visual ? LIMB_SHAPE_VISUAL : LIMB_SHAPE_COLLISION;
    if (visual) read_material(s, n, &def);
    good = limb_raw_add_shape(s->r.raw, body, &def, src->files, from ? from : src->name, n->pos);
  }
  limb_report_mildly(f, before);
  s->r.report.errors = errors;
  return good;
}
