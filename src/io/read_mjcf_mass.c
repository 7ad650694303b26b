// MJCF: the mass of a body, by <inertial> or by its geoms, with the rules of MuJoCo: volumes and moments of solids and
// shells, meshes, limits of <compiler>.
#include "io/read_mjcf.h"

#include "limb/spatial.h"

#include "io/geometry.h"
#include "io/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double tiny = 1e-14; // a mass or a volume below is none

// ---- shapes ---------------------------------------------------------------------------------------

static const char types[] = "plane hfield sphere capsule ellipsoid cylinder box mesh sdf";

// As io/mesh.h has them.
static limb_shape solid_of(mjcf_type type)
{
  return type == MJCF_CAPSULE     ? SHAPE_CAPSULE
         : type == MJCF_ELLIPSOID ? SHAPE_ELLIPSOID
         : type == MJCF_CYLINDER  ? SHAPE_CYLINDER
         : type == MJCF_BOX       ? SHAPE_BOX
                                  : SHAPE_SPHERE;
}

static double volume(mjcf_type type, const double x[3]) { return limb_shape_volume(solid_of(type), x); }

static sp_inertia solid(mjcf_type type, double mass, const double x[3])
{
  return limb_shape_inertia(solid_of(type), mass, x);
}

// The area; of an ellipsoid by Thomsen's formula.
static double surface(mjcf_type type, const double x[3])
{
  const double p = 1.6075;
  switch (type) {
  case MJCF_SPHERE: return 4 * LIMB_PI * x[0] * x[0];
  case MJCF_CAPSULE: return 4 * LIMB_PI * x[0] * (x[0] + x[1]);
  case MJCF_ELLIPSOID:
    return 4 * LIMB_PI * pow((pow(x[0] * x[1], p) + pow(x[1] * x[2], p) + pow(x[2] * x[0], p)) / 3, 1 / p);
  case MJCF_CYLINDER: return 2 * LIMB_PI * x[0] * (x[0] + 2 * x[1]);
  case MJCF_BOX: return 8 * (x[0] * x[1] + x[1] * x[2] + x[2] * x[0]);
  case MJCF_PLANE:
  case MJCF_HFIELD:
  case MJCF_OF_MESH:
  case MJCF_SDF: break;
  }
  return 0;
}

static sp_inertia diagonal(double mass, double xx, double yy, double zz)
{
  return (sp_inertia){.mass = mass, .xx = xx, .yy = yy, .zz = zz};
}

// ---- shells ---------------------------------------------------------------------------------------

// A tube and two half spheres, whose centres are r/2 from their rims.
static sp_inertia capsule_shell(double mass, double r, double half)
{
  const double ends = mass * r / (r + half), tube = mass - ends, l = 2 * half, far_end = half + r / 2;
  const double across = tube * (6 * r * r + l * l) / 12 + ends * (2 * r * r / 3 + far_end * far_end - r * r / 4);
  return diagonal(mass, across, across, tube * r * r + ends * 2 * r * r / 3);
}

static sp_inertia cylinder_shell(double mass, double r, double half)
{
  const double disc = mass * r / (2 * (r + 2 * half)), tube = mass - 2 * disc, l = 2 * half;
  const double across = tube * (6 * r * r + l * l) / 12 + 2 * disc * (r * r / 4 + half * half);
  return diagonal(mass, across, across, tube * r * r + disc * r * r);
}

// The difference of two ellipsoids, as MuJoCo approximates it.
static sp_inertia ellipsoid_shell(double mass, const double x[3])
{
  const double outer[3] = {x[0] + 1e-6, x[1] + 1e-6, x[2] + 1e-6};
  const double a = volume(MJCF_ELLIPSOID, x), b = volume(MJCF_ELLIPSOID, outer), density = mass / (b - a);
  const sp_inertia A = solid(MJCF_ELLIPSOID, density * a, x), B = solid(MJCF_ELLIPSOID, density * b, outer);
  return diagonal(mass, B.xx - A.xx, B.yy - A.yy, B.zz - A.zz);
}

// Six rectangles.
static sp_inertia box_shell(double mass, const double x[3])
{
  const double all = x[0] * x[1] + x[1] * x[2] + x[2] * x[0];
  double I[3];
  for (int i = 0; i < 3; i++) { // about axis i: the pair of faces normal to it, and the two others
    const double a = x[(i + 1) % 3], b = x[(i + 2) % 3], c = x[i];
    I[i] = mass / all * (a * b * (a * a + b * b) / 3 + a * c * (a * a / 3 + b * b) + b * c * (b * b / 3 + a * a));
  }
  return diagonal(mass, I[0], I[1], I[2]);
}

static sp_inertia shell(mjcf_type type, double mass, const double x[3])
{
  switch (type) {
  case MJCF_SPHERE: return limb_inertia_shell(mass, x[0]);
  case MJCF_CAPSULE: return capsule_shell(mass, x[0], x[1]);
  case MJCF_CYLINDER: return cylinder_shell(mass, x[0], x[1]);
  case MJCF_BOX: return box_shell(mass, x);
  case MJCF_ELLIPSOID:
  case MJCF_PLANE:
  case MJCF_HFIELD:
  case MJCF_OF_MESH:
  case MJCF_SDF: break;
  }
  return ellipsoid_shell(mass, x);
}

// ---- sizes ----------------------------------------------------------------------------------------

static sp_inertia scaled(sp_inertia Y, double k)
{
  return (sp_inertia){k * Y.mass, Y.com, k * Y.xx, k * Y.xy, k * Y.xz, k * Y.yy, k * Y.yz, k * Y.zz};
}

// The number of sizes of a shape.
static int size_count(mjcf_type type)
{
  return type == MJCF_SPHERE ? 1 : type == MJCF_CAPSULE || type == MJCF_CYLINDER ? 2 : 3;
}

int limb_mjcf_size(mjcf* m, mjcf_item it, mjcf_type type, double x[3], sp_pose* X)
{
  const int given = limb_mjcf_layered(m, it, "size", x);
  if (given < 0) return 0;
  int needed_sizes = size_count(type);
  if (limb_mjcf_get(m, it, "fromto")) {
    double half = 0;
    if (!limb_mjcf_fromto(m, it, X, &half)) return 0;
    if (type == MJCF_SPHERE) {
      limb_mjcf_report(m, RULE_BAD_VALUE, it.node, "a sphere has no fromto");
      return 0;
    }
    x[1] = needed_sizes == 2 ? half : x[0];
    x[2] = half;
    needed_sizes = 1;
  } else {
    *X = limb_mjcf_pose(m, it);
  }
  int positive = given >= needed_sizes;
  for (int i = 0; i < needed_sizes; i++) positive &= x[i] > 0;
  if (!positive)
    limb_mjcf_report(m, RULE_BAD_VALUE, it.node, "its size must be %d positive number%s", needed_sizes,
                     needed_sizes == 1 ? "" : "s");
  return positive;
}

void limb_mjcf_fit(mjcf* m, mjcf_item it, mjcf_type type, const mjcf_mesh* mesh, double x[3], sp_pose* X)
{
  double moment[3], scale = 1; // ascending
  sp_mat3 axes;
  limb_inertia_principal(&mesh->inertia, moment, &axes);
  const double* a = axes.m;
  const sp_mat3 R = {{a[2], -a[1], a[0], a[5], -a[4], a[3], a[8], -a[7], a[6]}};
  *X = sp_pose_make(R, mesh->inertia.com);
  const double sum = moment[0] + moment[1] + moment[2];
  for (int i = 0; i < 3; i++) x[i] = sqrt(1.5 / mesh->inertia.mass * fmax(sum - 2 * moment[2 - i], 0));
  if (type == MJCF_SPHERE) x[0] = (x[0] + x[1] + x[2]) / 3;
  if (type == MJCF_CAPSULE || type == MJCF_CYLINDER) {
    x[0] = (x[0] + x[1]) / 2;
    x[1] = type == MJCF_CAPSULE ? fmax(0, x[2] - x[0] / 2) : x[2];
  }
  (void)limb_mjcf_numbers(m, it, "fitscale", 1, 1, &scale);
  for (int i = 0; i < 3; i++) x[i] *= scale;
  if (m->model->fit_box)
    limb_mjcf_report(m, RULE_UNSUPPORTED, it.node, "fitaabb: fitting a shape to the box of a mesh is not supported");
}

// ---- geoms ----------------------------------------------------------------------------------------

mjcf_type limb_mjcf_type(mjcf* m, mjcf_item geom)
{
  return (mjcf_type)limb_mjcf_word(m, geom, "type", types, MJCF_SPHERE);
}

// Mass of a geom; -1 when it follows from density and volume.
static double read_mass(mjcf* m, mjcf_item it, double* density)
{
  double mass = -1;
  *density = 1000;
  (void)limb_mjcf_numbers(m, it, "density", 1, 1, density);
  const int given = limb_mjcf_numbers(m, it, "mass", 1, 1, &mass);
  if ((given && mass < 0) || *density < 0) {
    limb_mjcf_report(m, RULE_BAD_VALUE, it.node, "its mass or density is negative");
    return 0;
  }
  return given ? mass : *density == 0 ? 0 : -1;
}

void limb_mjcf_add_geom(mjcf* m, mjcf_item it, sp_pose X, mjcf_mass* mass)
{
  double group = 0;
  limb_mjcf_check_attributes(
    m, it.node,
    "name class type group size mass density shellinertia fromto pos quat axisangle xyaxes zaxis euler mesh hfield "
    "fitscale",
    "contype conaffinity condim priority material rgba friction solmix solref solimp margin gap fluidshape "
    "fluidcoef user surfacevel adhesion",
    1);
  (void)limb_mjcf_numbers(m, it, "group", 1, 1, &group);
  if (group < m->model->group_min || group > m->model->group_max) return;
  mjcf_item* geom = limb_mjcf_grow(m, mass->geom, &mass->geom_cap, mass->ngeom, sizeof *geom);
  sp_pose* frame = limb_mjcf_grow(m, mass->X, &mass->X_cap, mass->ngeom, sizeof *frame);
  if (!geom || !frame) return;
  mass->geom = geom;
  mass->X = frame;
  geom[mass->ngeom] = it;
  frame[mass->ngeom++] = X;
}

// Of a height field, as of a box that holds half of its height and its base. 0 after an error.
static int field_inertia(mjcf* m, mjcf_item it, double own, double density, sp_inertia* Y)
{
  const char* name = limb_mjcf_get(m, it, "hfield");
  const xml_node* n = name ? limb_mjcf_find_field(m, name) : NULL;
  double size[4];
  if (!n) limb_mjcf_report(m, RULE_BAD_MESH, it.node, "it has no height field among the assets");
  if (!n || !limb_mjcf_field_size(m, n, size)) return 0;
  const double x[3] = {size[0], size[1], 0.25 * size[2] + 0.5 * size[3]};
  *Y = limb_inertia_move(limb_mjcf_pose(m, it), solid(MJCF_BOX, own < 0 ? density * volume(MJCF_BOX, x) : own, x));
  return 1;
}

// The inertia of a geom in its frame, without mass when it has none. 0 after an error.
static int geom_inertia(mjcf* m, mjcf_item it, int fixed, sp_inertia* Y)
{
  double density = 0, x[3] = {0, 0, 0};
  *Y = (sp_inertia){0};
  const mjcf_type type = limb_mjcf_type(m, it);
  double own = read_mass(m, it, &density);
  if (type == MJCF_PLANE || own == 0) return 1;
  if (type == MJCF_HFIELD) return field_inertia(m, it, own, density, Y);
  const int hollow = limb_mjcf_word(m, it, "shellinertia", "false true", 0),
            whole = type == MJCF_OF_MESH || type == MJCF_SDF;
  sp_pose X = sp_pose_identity();
  if (whole || limb_mjcf_get(m, it, "mesh")) {
    const mjcf_mesh* mesh = limb_mjcf_load_mesh(m, it, fixed);
    const sp_pose at = limb_mjcf_pose(m, it);
    if (!mesh) return fixed;
    if (whole) {
      const double k = (own < 0 ? density * mesh->inertia.mass : own) / mesh->inertia.mass;
      *Y = limb_inertia_move(at, scaled(mesh->inertia, k));
      return 1;
    }
    limb_mjcf_fit(m, it, type, mesh, x, &X);
    X = sp_compose(at, X);
  } else if (!limb_mjcf_size(m, it, type, x, &X)) {
    return 0;
  }
  const double size = hollow ? surface(type, x) : volume(type, x);
  if (own < 0) own = density * size;
  if (size > tiny) *Y = limb_inertia_move(X, hollow ? shell(type, own, x) : solid(type, own, x));
  return 1;
}

// The sum over all geoms of a body; *count: of those with mass. 0 after an error.
static int sum_geoms(mjcf* m, const mjcf_mass* mass, int fixed, sp_inertia* sum, int* count)
{
  int good = 1;
  *sum = (sp_inertia){0};
  *count = 0;
  for (int i = 0; i < mass->ngeom && !m->no_memory; i++) {
    sp_inertia Y;
    const mjcf_scope* outside = limb_mjcf_enter(m, mass->geom[i].scope); // the geom may be of an attached model
    if (!geom_inertia(m, mass->geom[i], fixed, &Y)) good = 0;
    (void)limb_mjcf_enter(m, outside);
    if (!(Y.mass > tiny)) continue;
    Y = limb_inertia_move(mass->X[i], Y);
    *sum = *count ? limb_inertia_add(*sum, Y) : Y;
    ++*count;
  }
  return good;
}

// ---- <inertial> -----------------------------------------------------------------------------------

// A required attribute of <inertial>; 0 after an error.
static int needed(mjcf* m, const xml_node* n, const char* name, int count, double* x)
{
  if (limb_mjcf_numbers(m, limb_mjcf_plain(n), name, count, count, x)) return 1;
  if (!limb_xml_get(n, name)) limb_mjcf_report(m, RULE_MISSING_KEY, n, "it has no %s", name);
  return 0;
}

static sp_inertia from_inertial(mjcf* m, const xml_node* n)
{
  const mjcf_item it = limb_mjcf_plain(n);
  limb_mjcf_check_attributes(m, n, "pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia", NULL, 0);
  sp_inertia Y = {0};
  double p[3] = {0, 0, 0}, d[6] = {0};
  const int good = needed(m, n, "pos", 3, p) & needed(m, n, "mass", 1, &Y.mass);
  const int full = limb_mjcf_numbers(m, it, "fullinertia", 6, 6, d);
  const sp_pose X = limb_mjcf_pose(m, it);
  if (full) {
    Y.xx = d[0], Y.yy = d[1], Y.zz = d[2], Y.xy = d[3], Y.xz = d[4], Y.yz = d[5];
    if (limb_xml_get(n, "diaginertia"))
      limb_mjcf_report(m, RULE_DUPLICATE_KEY, n, "diaginertia and fullinertia are both given");
    if (!limb_no_rotation(&X.R))
      limb_mjcf_report(m, RULE_BAD_VALUE, n, "fullinertia is given in body axes: it cannot have an orientation");
  } else if (!limb_xml_get(n, "fullinertia") && needed(m, n, "diaginertia", 3, d)) {
    Y.xx = d[0], Y.yy = d[1], Y.zz = d[2];
  }
  if (!good) Y.mass = 0;
  return limb_inertia_move(X, Y);
}

// ---- inertia of a body ---------------------------------------------------------------------------------------

static void report_change(mjcf* m, const xml_node* n, const char* name, const char* what)
{
  limb_report(m->findings, RULE_DERIVED_INERTIA, n->pos, (limb_subject){"body", name},
              "its inertia is changed as %s of <compiler> requests", what);
}

// boundmass, boundinertia and balanceinertia.
static sp_inertia correct(mjcf* m, const xml_node* n, const char* name, sp_inertia Y)
{
  if (Y.mass < m->model->boundmass) {
    Y.mass = m->model->boundmass;
    report_change(m, n, name, "boundmass");
  }
  if (m->model->boundinertia <= 0 && !m->model->balance) return Y;
  double moment[3];
  sp_mat3 axes;
  limb_inertia_principal(&Y, moment, &axes);
  if (moment[0] < m->model->boundinertia) {
    for (int i = 0; i < 3; i++) moment[i] = fmax(moment[i], m->model->boundinertia);
    Y = limb_inertia_from_principal(Y, moment, &axes);
    report_change(m, n, name, "boundinertia");
  }
  if (m->model->balance && moment[0] + moment[1] < moment[2]) { // ascending
    const double mean = (moment[0] + moment[1] + moment[2]) / 3;
    const double all[3] = {mean, mean, mean};
    Y = limb_inertia_from_principal(Y, all, &axes);
    report_change(m, n, name, "balanceinertia");
  }
  return Y;
}

sp_inertia limb_mjcf_inertia(mjcf* m, const xml_node* n, const char* name, const mjcf_mass* mass, int fixed)
{
  const limb_subject about = {"body", name};
  const mjcf_from_geom rule = m->model->from_geom;
  const int by_geoms = rule == MJCF_ALWAYS || (rule == MJCF_WHEN_NEEDED && !mass->inertial);
  sp_inertia Y = {0};
  int count = 0;
  if (by_geoms && !sum_geoms(m, mass, fixed, &Y, &count)) return Y; // reported
  // Without a geom that contributes, even inertiafromgeom="true" keeps the <inertial>.
  if (count == 0 && mass->inertial) Y = from_inertial(m, mass->inertial);
  if (count > 0)
    limb_report(m->findings, RULE_DERIVED_INERTIA, n->pos, about, "its inertia is computed from its %d geom%s", count,
                count == 1 ? "" : "s");
  Y = correct(m, n, name, Y);
  if (Y.mass == 0) limb_report(m->findings, RULE_NO_INERTIAL, n->pos, about, "it has no mass");
  return Y;
}

sp_pose limb_mjcf_axes(mjcf* m, const mjcf_mass* mass, const sp_inertia* Y)
{
  const mjcf_item it = limb_mjcf_plain(mass->inertial);
  double moment[3]; // ascending; MuJoCo has them descending
  sp_mat3 axes;
  if (mass->inertial && m->model->from_geom != MJCF_ALWAYS && limb_xml_get(mass->inertial, "diaginertia"))
    return limb_mjcf_pose(m, it);
  limb_inertia_principal(Y, moment, &axes);
  const double* a = axes.m;
  const sp_mat3 R = {{a[2], -a[1], a[0], a[5], -a[4], a[3], a[8], -a[7], a[6]}};
  const int alone =
    mass->ngeom == 1 && !limb_mjcf_get(m, mass->geom[0], "mesh") && !limb_mjcf_get(m, mass->geom[0], "fromto");
  const mjcf_scope* outside = limb_mjcf_enter(m, alone ? mass->geom[0].scope : m->scope);
  const sp_pose geom = alone ? sp_compose(mass->X[0], limb_mjcf_pose(m, mass->geom[0])) : sp_pose_identity();
  (void)limb_mjcf_enter(m, outside);
  return sp_pose_make(alone ? geom.R : R, Y->com);
}

void limb_mjcf_scale_mass(mjcf* m)
{
  double total = 0;
  for (int i = 0; i < m->s->nbody; i++) total += m->s->body[i].inertia.mass;
  if (m->model->totalmass <= 0 || total <= 0) return;
  const double k = m->model->totalmass / total;
  for (int i = 0; i < m->s->nbody; i++) m->s->body[i].inertia = scaled(m->s->body[i].inertia, k);
  limb_report(m->findings, RULE_DERIVED_INERTIA, (file_pos){0}, (limb_subject){NULL, NULL},
              "all masses are scaled as settotalmass of <compiler> requests");
}
