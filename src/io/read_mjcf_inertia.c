// MJCF: what a body weighs, by its <inertial> or by its geoms, and the corrections that <compiler> asks for.
#include "io/read_mjcf_impl.h"

#include "io/eigen3.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- geoms ----------------------------------------------------------------------------------------

typedef enum shape { PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF } shape;

static const char shapes[] = "plane hfield sphere capsule ellipsoid cylinder box mesh sdf";

// Volume of a shape whose sizes are radii and half lengths.
static double volume(shape type, const double x[3])
{
  switch (type) {
  case SPHERE: return 4 * PI / 3 * x[0] * x[0] * x[0];
  case CAPSULE: return 4 * PI / 3 * x[0] * x[0] * x[0] + 2 * PI * x[0] * x[0] * x[1];
  case ELLIPSOID: return 4 * PI / 3 * x[0] * x[1] * x[2];
  case CYLINDER: return 2 * PI * x[0] * x[0] * x[1];
  case BOX: return 8 * x[0] * x[1] * x[2];
  case PLANE:
  case HFIELD:
  case MESH:
  case SDF: break;
  }
  return 0;
}

static sp_inertia solid(shape type, double mass, const double x[3])
{
  const double a = x[0] * x[0], b = x[1] * x[1], c = x[2] * x[2];
  const sp_inertia ellipsoid = {
    .mass = mass, .xx = mass / 5 * (b + c), .yy = mass / 5 * (a + c), .zz = mass / 5 * (a + b)};
  switch (type) {
  case SPHERE: return limb_inertia_sphere(mass, x[0]);
  case CAPSULE: return limb_inertia_capsule(mass, x[0], 2 * x[1]);
  case CYLINDER: return limb_inertia_cylinder(mass, x[0], 2 * x[1]);
  case BOX: return limb_inertia_box(mass, 2 * x[0], 2 * x[1], 2 * x[2]);
  case ELLIPSOID:
  case PLANE:
  case HFIELD:
  case MESH:
  case SDF: break;
  }
  return ellipsoid;
}

// How many sizes a shape has.
static int size_count(shape type) { return type == SPHERE ? 1 : type == CAPSULE || type == CYLINDER ? 2 : 3; }

// Sizes and pose of a geom in its frame. 0 after an error.
static int take_size(mjcf* m, mjcf_item it, shape type, double x[3], sp_pose* X)
{
  const int given = limb_mjcf_layered(m, it, "size", x);
  if (given < 0) return 0;
  int wanted = size_count(type);
  if (limb_mjcf_get(m, it, "fromto")) {
    double half = 0;
    if (!limb_mjcf_fromto(m, it, X, &half)) return 0;
    if (type == SPHERE) {
      limb_report(m->findings, RULE_BAD_VALUE, it.node->mark, limb_mjcf_subject(it.node), "a sphere has no fromto");
      return 0;
    }
    x[1] = wanted == 2 ? half : x[0];
    x[2] = half;
    wanted = 1;
  } else {
    *X = limb_mjcf_pose(m, it);
  }
  int positive = given >= wanted;
  for (int i = 0; i < wanted; i++) positive &= x[i] > 0;
  if (!positive)
    limb_report(m->findings, RULE_BAD_VALUE, it.node->mark, limb_mjcf_subject(it.node),
                "its size should be %d positive number%s", wanted, wanted == 1 ? "" : "s");
  return positive;
}

// Mass of a geom, given or by density; -1 when it depends on the volume.
static double take_mass(mjcf* m, mjcf_item it, double* density)
{
  double mass = -1;
  *density = 1000;
  (void)limb_mjcf_numbers(m, it, "density", 1, 1, density);
  const int given = limb_mjcf_numbers(m, it, "mass", 1, 1, &mass);
  if ((given && mass < 0) || *density < 0) {
    limb_report(m->findings, RULE_BAD_VALUE, it.node->mark, limb_mjcf_subject(it.node),
                "its mass or density is negative");
    return 0;
  }
  return given ? mass : *density == 0 ? 0 : -1;
}

static int counts(mjcf* m, mjcf_item it)
{
  double group = 0;
  (void)limb_mjcf_numbers(m, it, "group", 1, 1, &group);
  return group >= m->group_min && group <= m->group_max;
}

void limb_mjcf_add_geom(mjcf* m, mjcf_item it, sp_pose X, mjcf_mass* mass)
{
  limb_mjcf_check_attributes(
    m, it.node,
    "name class type group size mass density shellinertia fromto pos quat axisangle xyaxes zaxis "
    "euler mesh hfield",
    "contype conaffinity condim priority material rgba friction solmix solref solimp margin gap "
    "fitscale fluidshape fluidcoef user surfacevel adhesion",
    1);
  const shape type = (shape)limb_mjcf_word(m, it, "type", shapes, SPHERE);
  double density = 0;
  double own = take_mass(m, it, &density);
  if (type == PLANE || type == HFIELD || own == 0 || !counts(m, it)) return;
  mass->ngeom++;
  if (type == MESH || type == SDF || limb_mjcf_get(m, it, "mesh")) {
    if (!mass->mesh) mass->mesh = it.node;
    return;
  }
  if (limb_mjcf_word(m, it, "shellinertia", "false true", 0)) {
    if (!mass->shell) mass->shell = it.node;
    return;
  }
  double x[3] = {0, 0, 0};
  sp_pose pose = sp_pose_identity();
  if (!take_size(m, it, type, x, &pose)) {
    mass->faulty = 1;
    return;
  }
  if (own < 0) own = density * volume(type, x);
  const sp_inertia Y = limb_inertia_move(sp_compose(X, pose), solid(type, own, x));
  mass->geoms = mass->geoms.mass == 0 ? Y : limb_inertia_add(mass->geoms, Y);
}

// ---- <inertial> -----------------------------------------------------------------------------------

// Attribute that an <inertial> must have; 0 after an error.
static int needed(mjcf* m, const xml_node* n, const char* name, int count, double* x)
{
  if (limb_mjcf_numbers(m, limb_mjcf_plain(n), name, count, count, x)) return 1;
  if (!limb_xml_get(n, name))
    limb_report(m->findings, RULE_MISSING_KEY, n->mark, limb_mjcf_subject(n), "it has no %s", name);
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
      limb_report(m->findings, RULE_DUPLICATE_KEY, n->mark, limb_mjcf_subject(n),
                  "diaginertia and fullinertia are both given");
    if (limb_mjcf_is_turned(&X.R))
      limb_report(m->findings, RULE_BAD_VALUE, n->mark, limb_mjcf_subject(n),
                  "fullinertia is in body axes: it cannot have an orientation");
  } else if (!limb_xml_get(n, "fullinertia") && needed(m, n, "diaginertia", 3, d)) {
    Y.xx = d[0], Y.yy = d[1], Y.zz = d[2];
  }
  if (!good) Y.mass = 0;
  return limb_inertia_move(X, Y);
}

// ---- bodies ---------------------------------------------------------------------------------------

static void note_change(mjcf* m, const xml_node* n, const char* name, const char* what)
{
  limb_report(m->findings, RULE_DERIVED_INERTIA, n->mark, (limb_subject){"body", name},
              "its inertia is changed as %s of <compiler> asks for", what);
}

// boundmass, boundinertia and balanceinertia.
static sp_inertia correct(mjcf* m, const xml_node* n, const char* name, sp_inertia Y)
{
  if (Y.mass < m->boundmass) {
    Y.mass = m->boundmass;
    note_change(m, n, name, "boundmass");
  }
  if (m->boundinertia <= 0 && !m->balance) return Y;
  double moment[3];
  sp_mat3 axes;
  limb_principal(&Y, moment, &axes);
  if (moment[0] < m->boundinertia) {
    for (int i = 0; i < 3; i++) moment[i] = fmax(moment[i], m->boundinertia);
    Y = limb_from_principal(Y, moment, &axes);
    note_change(m, n, name, "boundinertia");
  }
  if (m->balance && moment[0] + moment[1] < moment[2]) { // ascending
    const double mean = (moment[0] + moment[1] + moment[2]) / 3;
    const double all[3] = {mean, mean, mean};
    Y = limb_from_principal(Y, all, &axes);
    note_change(m, n, name, "balanceinertia");
  }
  return Y;
}

sp_inertia limb_mjcf_body_inertia(mjcf* m, const xml_node* n, const char* name, const mjcf_mass* mass)
{
  const limb_subject about = {"body", name};
  const int by_geoms = m->from_geom == MJCF_ALWAYS || (m->from_geom == MJCF_WHEN_NEEDED && !mass->inertial);
  sp_inertia Y = {0};
  if (!by_geoms || mass->ngeom == 0) {
    // Without a geom that counts even inertiafromgeom="true" leaves what <inertial> says.
    if (mass->inertial) Y = from_inertial(m, mass->inertial);
  } else if (mass->mesh || mass->shell) {
    const xml_node* geom = mass->mesh ? mass->mesh : mass->shell;
    limb_report(m->findings, RULE_UNSUPPORTED, geom->mark, about,
                "its inertia would follow from %s, which limb does not compute",
                mass->mesh ? "a mesh" : "a hollow geom (shellinertia)");
    limb_report_hint(m->findings, "give the body an <inertial>, or the geom mass=\"0\"; MuJoCo writes "
                                  "such a file itself: compile model.xml saved.xml");
  } else if (mass->faulty) {
    return Y; // nothing more can be said
  } else {
    Y = mass->geoms;
    limb_report(m->findings, RULE_DERIVED_INERTIA, n->mark, about, "its inertia is that of its %d geom%s", mass->ngeom,
                mass->ngeom == 1 ? "" : "s");
  }
  Y = correct(m, n, name, Y);
  if (Y.mass == 0 && !mass->mesh && !mass->shell)
    limb_report(m->findings, RULE_NO_INERTIAL, n->mark, about, "it has no mass");
  return Y;
}

void limb_mjcf_scale_mass(mjcf* m)
{
  double total = 0;
  for (int i = 0; i < m->s->nbody; i++) total += m->s->body[i].inertia.mass;
  if (m->totalmass <= 0 || total <= 0) return;
  const double k = m->totalmass / total;
  for (int i = 0; i < m->s->nbody; i++) {
    sp_inertia* Y = &m->s->body[i].inertia;
    Y->mass *= k;
    Y->xx *= k, Y->xy *= k, Y->xz *= k, Y->yy *= k, Y->yz *= k, Y->zz *= k;
  }
  limb_report(m->findings, RULE_DERIVED_INERTIA, (limb_mark){0, 0}, (limb_subject){NULL, NULL},
              "all masses are scaled as settotalmass of <compiler> asks for");
}
