// Writing shapes, in each language in its own words: <visual> and <collision> of URDF and SDF, <geom> of MJCF, the list
// `shapes` of limb YAML. What a language has no shape for is reported.
#include "io/file_text.h"
#include "io/geometry.h"
#include "io/mesh.h"
#include "io/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const file_pos nowhere = {0, 0, 0};

// ---- what is lost -----------------------------------------------------------------------------------

// Why a shape cannot be written to MJCF; NULL: it can.
static const char* obstacle_in_mjcf(const limb_shape_def* s)
{
  const mesh_format format = limb_mesh_format_of_name(s->path);
  if (s->type == LIMB_SHAPE_PLANE && s->body != LIMB_WORLD_BODY) return "planes of MJCF belong to the world";
  if (s->type != LIMB_SHAPE_MESH) return NULL;
  if (!*s->path) return "its mesh is not found, and MuJoCo would refuse the file";
  if (limb_mjcf_fragment(s->path)) return NULL;
  return format == MESH_UNKNOWN || format == MESH_DAE || format == MESH_GLTF ? "MuJoCo reads meshes in STL, OBJ and MSH"
                                                                             : NULL;
}

// The same for any format.
static const char* obstacle(const limb_writer* o, const limb_shape_def* s)
{
  if (!limb_is_writable(s->name, o->format) || !limb_is_writable(s->mesh, o->format) ||
      !limb_is_writable(s->texture, o->format))
    return "a name of it has control characters, or bytes that are not UTF-8";
  if (limb_mjcf_fragment(s->path) && (o->format == LIMB_FORMAT_URDF || o->format == LIMB_FORMAT_SDF))
    return "its mesh is inside an MJCF file";
  switch (o->format) {
  case LIMB_FORMAT_URDF:
    if (s->body == LIMB_WORLD_BODY && !o->has_world) return "it belongs to the world, which is no link of the file";
    if (s->type == LIMB_SHAPE_ELLIPSOID) return "URDF has no ellipsoids";
    return s->type == LIMB_SHAPE_PLANE ? "URDF has no planes" : NULL;
  case LIMB_FORMAT_SDF: return s->body == LIMB_WORLD_BODY ? "it belongs to the world, not to the model" : NULL;
  case LIMB_FORMAT_MJCF: return obstacle_in_mjcf(s);
  case LIMB_FORMAT_YAML:
  case LIMB_FORMAT_PAR:
  case LIMB_FORMAT_AUTO: break;
  }
  return NULL;
}

// Whether shape i is on the body and can be written.
static int get_shape(const limb_writer* o, int i, int body, limb_shape_def* s)
{
  return limb_builder_get_shape(o->b, i, s) == LIMB_OK && s->body == body && !obstacle(o, s);
}

void limb_report_shapes(const limb_writer* o)
{
  enum { REASONS = 8 };
  const char* why[REASONS] = {NULL};
  int count[REASONS] = {0}, textures = 0;
  limb_shape_def s;
  for (int i = 0; limb_builder_get_shape(o->b, i, &s) == LIMB_OK; i++) {
    const char* reason = obstacle(o, &s);
    textures += *s.texture && o->format != LIMB_FORMAT_URDF && o->format != LIMB_FORMAT_YAML;
    int k = 0;
    while (reason && k < REASONS - 1 && why[k] && strcmp(why[k], reason) != 0) k++;
    if (reason) why[k] = reason, count[k]++;
  }
  for (int k = 0; k < REASONS && why[k]; k++)
    limb_report(o->findings, RULE_NOT_WRITTEN, nowhere, (limb_subject){"shape", NULL}, "%s%s", why[k],
                count[k] > 1 ? "; so for others" : "");
  if (textures)
    limb_report(o->findings, RULE_NOT_WRITTEN, nowhere, (limb_subject){"shape", NULL}, "textures are not written");
}

// ---- URDF ---------------------------------------------------------------------------------------------

static void put_urdf_geometry(const limb_writer* o, const limb_shape_def* s)
{
  const sp_vec3 x = sp_v3(s->extent[0], s->extent[1], s->extent[2]);
  limb_put(o, "      <geometry>");
  switch (s->type) {
  case LIMB_SHAPE_BOX: limb_put(o, "<box size=%v/>", &x); break;
  case LIMB_SHAPE_SPHERE: limb_put(o, "<sphere radius=%g/>", x.x); break;
  case LIMB_SHAPE_CYLINDER: limb_put(o, "<cylinder radius=%g length=%g/>", x.x, x.y); break;
  case LIMB_SHAPE_CAPSULE: limb_put(o, "<capsule radius=%g length=%g/>", x.x, x.y); break;
  case LIMB_SHAPE_MESH:
    limb_put(o, "<mesh filename=%q", s->mesh);
    if (x.x != 1 || x.y != 1 || x.z != 1) limb_put(o, " scale=%v", &x);
    limb_put(o, "/>");
    break;
  case LIMB_SHAPE_ELLIPSOID:
  case LIMB_SHAPE_PLANE: break;
  }
  limb_put(o, "</geometry>\n");
}

// Materials with the same name are the same: the name is the color.
static void put_urdf_material(const limb_writer* o, const limb_shape_def* s)
{
  char name[80];
  (void)snprintf(name, sizeof name, "rgba %.9g %.9g %.9g %.9g", s->color[0], s->color[1], s->color[2], s->color[3]);
  if (!s->has_color && !*s->texture) return;
  limb_put(o, "      <material name=%q>\n", *s->texture ? s->texture : name);
  if (s->has_color) limb_put(o, "        <color rgba=%l/>\n", 4, s->color);
  if (*s->texture) limb_put(o, "        <texture filename=%q/>\n", s->texture);
  limb_put(o, "      </material>\n");
}

void limb_put_urdf_shapes(const limb_writer* o, int body)
{
  static const char* const words[] = {"visual", "collision"};
  limb_shape_def s;
  for (int i = 0; i < limb_builder_shape_count(o->b); i++) {
    if (!get_shape(o, i, body, &s)) continue;
    for (int k = 0; k < 2; k++) {
      const sp_vec3 rpy = sp_rpy_rot(s.pose.R);
      if (!(s.use & 1u << k)) continue;
      limb_put(o, "    <%s", words[k]);
      if (*s.name) limb_put(o, " name=%q", s.name);
      limb_put(o, ">\n");
      if (!limb_is_identity(&s.pose)) limb_put(o, "      <origin xyz=%v rpy=%v/>\n", &s.pose.p, &rpy);
      put_urdf_geometry(o, &s);
      if (k == 0) put_urdf_material(o, &s);
      limb_put(o, "    </%s>\n", words[k]);
    }
  }
}

// ---- SDF ----------------------------------------------------------------------------------------------

static void put_sdf_geometry(const limb_writer* o, const limb_shape_def* s)
{
  const char* type = limb_shape_type_name(s->type);
  const double* x = s->extent;
  limb_put(o, "        <geometry><%s>", type);
  switch (s->type) {
  case LIMB_SHAPE_BOX: limb_put(o, "<size>%n</size>", 3, x); break;
  case LIMB_SHAPE_SPHERE: limb_put(o, "<radius>%n</radius>", 1, x); break;
  case LIMB_SHAPE_CYLINDER:
  case LIMB_SHAPE_CAPSULE: limb_put(o, "<radius>%n</radius><length>%n</length>", 1, x, 1, x + 1); break;
  case LIMB_SHAPE_ELLIPSOID: limb_put(o, "<radii>%n</radii>", 3, x); break;
  case LIMB_SHAPE_PLANE: limb_put(o, "<normal>0 0 1</normal><size>%n</size>", 2, x); break;
  case LIMB_SHAPE_MESH: limb_put(o, "<uri>%t</uri><scale>%n</scale>", s->mesh, 3, x); break;
  }
  limb_put(o, "</%s></geometry>\n", type);
}

void limb_put_sdf_shapes(const limb_writer* o, int body)
{
  static const char* const words[] = {"visual", "collision"};
  limb_shape_def s;
  for (int i = 0; i < limb_builder_shape_count(o->b); i++) {
    if (!get_shape(o, i, body, &s)) continue;
    for (int k = 0; k < 2; k++) {
      char made[32];
      const sp_vec3 a = sp_rpy_rot(s.pose.R);
      (void)snprintf(made, sizeof made, "%s_%d", words[k], i);
      if (!(s.use & 1u << k)) continue;
      limb_put(o, "      <%s name=%q>\n", words[k], *s.name ? s.name : made);
      if (!limb_is_identity(&s.pose))
        limb_put(o, "        <pose>%n</pose>\n", 6,
                 (const double[6]){s.pose.p.x, s.pose.p.y, s.pose.p.z, a.x, a.y, a.z});
      put_sdf_geometry(o, &s);
      if (s.has_color && k == 0)
        limb_put(o, "        <material><ambient>%n</ambient><diffuse>%n</diffuse></material>\n", 4, s.color, 4,
                 s.color);
      limb_put(o, "      </%s>\n", words[k]);
    }
  }
}

// ---- MJCF ---------------------------------------------------------------------------------------------

// Meshes of the same file with the same scale are one asset, named by the first shape that has it.
static int asset_of(const limb_writer* o, const limb_shape_def* s, int shape)
{
  limb_shape_def other;
  for (int i = 0; i < shape && i < 2000; i++) {
    if (limb_builder_get_shape(o->b, i, &other) != LIMB_OK || other.type != LIMB_SHAPE_MESH || obstacle(o, &other))
      continue;
    const double *x = other.extent, *y = s->extent;
    if (strcmp(other.path, s->path) == 0 && x[0] == y[0] && x[1] == y[1] && x[2] == y[2]) return i;
  }
  return shape;
}

// What is inside another MJCF file: vertices and faces.
static void put_triangles(const limb_writer* o, const limb_shape_def* s)
{
  limb_triangles* t = NULL;
  limb_error err;
  if (limb_read_triangles(s->path, 0, &t, &err) != LIMB_OK) {
    limb_report(o->findings, RULE_NOT_WRITTEN, nowhere, (limb_subject){"mesh", s->mesh}, "%s", err.text);
    return;
  }
  limb_put(o, " vertex=%l face=\"", 3 * t->nvertex, t->vertex);
  for (int i = 0; i < 3 * t->ntriangle; i++) limb_put(o, i ? " %d" : "%d", t->triangle[i]);
  limb_put(o, "\"");
  limb_triangles_destroy(t);
}

// A file that the model names relative to itself stays so; MuJoCo does not know packages.
static void put_mesh_file(const limb_writer* o, const limb_shape_def* s)
{
  if (limb_mjcf_fragment(s->path)) {
    put_triangles(o, s);
    return;
  }
  char* full = strstr(s->mesh, "://") ? realpath(s->path, NULL) : NULL;
  limb_put(o, " file=%q", full ? full : s->mesh);
  free(full);
}

void limb_put_mjcf_assets(const limb_writer* o)
{
  limb_shape_def s;
  int count = 0;
  for (int i = 0; limb_builder_get_shape(o->b, i, &s) == LIMB_OK; i++) {
    const sp_vec3 x = sp_v3(s.extent[0], s.extent[1], s.extent[2]);
    char name[32];
    if (s.type != LIMB_SHAPE_MESH || obstacle(o, &s) || asset_of(o, &s, i) != i) continue;
    if (count++ == 0) limb_put(o, "  <asset>\n");
    (void)snprintf(name, sizeof name, "mesh_%d", i);
    limb_put(o, "    <mesh name=%q", name);
    put_mesh_file(o, &s);
    if (x.x != 1 || x.y != 1 || x.z != 1) limb_put(o, " scale=%v", &x);
    limb_put(o, " inertia=\"shell\"/>\n"); // which every mesh has
  }
  if (count) limb_put(o, "  </asset>\n");
}

// Names of geoms differ: of several shapes with a name the first has it.
static int has_own_name(const limb_writer* o, const limb_shape_def* s, int shape)
{
  limb_shape_def other;
  int own = *s->name && shape < 2000;
  for (int i = 0; i < shape && own; i++)
    own = limb_builder_get_shape(o->b, i, &other) == LIMB_OK && strcmp(other.name, s->name) != 0;
  return own;
}

static void put_geom(const limb_writer* o, const limb_shape_def* s, int shape)
{
  const double *x = s->extent, half[3] = {x[0] / 2, x[1] / 2, x[2] / 2};
  char name[32];
  limb_put(o, "<geom type=%q", limb_shape_type_name(s->type));
  if (has_own_name(o, s, shape)) limb_put(o, " name=%q", s->name);
  switch (s->type) {
  case LIMB_SHAPE_BOX: limb_put(o, " size=%l", 3, half); break;
  case LIMB_SHAPE_SPHERE: limb_put(o, " size=%l", 1, x); break;
  case LIMB_SHAPE_CYLINDER:
  case LIMB_SHAPE_CAPSULE: limb_put(o, " size=%l", 2, (const double[2]){x[0], half[1]}); break;
  case LIMB_SHAPE_ELLIPSOID: limb_put(o, " size=%l", 3, x); break;
  case LIMB_SHAPE_PLANE: limb_put(o, " size=%l", 3, (const double[3]){half[0], half[1], 1}); break;
  case LIMB_SHAPE_MESH:
    (void)snprintf(name, sizeof name, "mesh_%d", asset_of(o, s, shape));
    limb_put(o, " mesh=%q", name);
    break;
  }
  if (!limb_is_zero(s->pose.p)) limb_put(o, " pos=%v", &s->pose.p);
  if (!limb_no_rotation(&s->pose.R)) {
    const sp_quat q = sp_quat_rot(s->pose.R);
    limb_put(o, " quat=%l", 4, (const double[4]){q.w, q.x, q.y, q.z});
  }
  if (s->has_color) limb_put(o, " rgba=%l", 4, s->color);
  if (s->use == LIMB_SHAPE_VISUAL) limb_put(o, " contype=\"0\" conaffinity=\"0\" group=\"2\"");
  if (s->use == LIMB_SHAPE_COLLISION) limb_put(o, " group=\"3\"");
  limb_put(o, "/>\n");
}

void limb_put_mjcf_geoms(const limb_writer* o, int body, int depth)
{
  limb_shape_def s;
  for (int i = 0; i < limb_builder_shape_count(o->b); i++) {
    if (!get_shape(o, i, body, &s)) continue;
    for (int k = 0; k <= depth; k++) limb_put(o, "  ");
    put_geom(o, &s, i);
  }
}

// ---- limb YAML ------------------------------------------------------------------------------------------

int limb_put_yaml_shape(const limb_writer* o, const limb_shape_def* s)
{
  static const char* const uses[] = {"", "", "use: collision, ", "use: both, "};
  static const unsigned char counts[] = {3, 1, 2, 2, 3, 2, 0};
  const char* type = limb_shape_type_name(s->type);
  if (obstacle(o, s)) return 0;
  limb_put(o, "  - {body: %B, %s", s->body, uses[s->use]);
  if (*s->name) limb_put(o, "name: %q, ", s->name);
  if (s->type == LIMB_SHAPE_MESH)
    limb_put(o, "mesh: %q", s->mesh);
  else if (counts[s->type] == 1)
    limb_put(o, "%s: %g", type, s->extent[0]);
  else
    limb_put(o, "%s: %l", type, (int)counts[s->type], s->extent);
  if (s->type == LIMB_SHAPE_MESH && (s->extent[0] != 1 || s->extent[1] != 1 || s->extent[2] != 1))
    limb_put(o, ", scale: %l", 3, s->extent);
  if (s->has_color) limb_put(o, ", color: %l", 4, s->color);
  if (*s->texture) limb_put(o, ", texture: %q", s->texture);
  return 1;
}
