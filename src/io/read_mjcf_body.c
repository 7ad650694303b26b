// MJCF: the tree of bodies, and their inertia by <inertial> or geoms. Bodies and joints keep the order of the file,
// depth first, which is the order of MuJoCo's qpos. Recursion is limited by the depth of XML.
#include "io/read_mjcf.h"

#include "limb/spatial.h"

#include "io/geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The mass of a body: its geoms, or its <inertial>.
typedef struct mjcf_mass {
  sp_inertia geoms;      // the sum
  int ngeom;             // that contribute
  int faulty;            // an error in one of them was reported
  const xml_node* mesh;  // one that would contribute, but cannot be computed; NULL: none
  const xml_node* shell; // the same, hollow
  const xml_node* inertial;
} mjcf_mass;

// ---- geoms ----------------------------------------------------------------------------------------

typedef enum shape { PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF } shape;

static const char shapes[] = "plane hfield sphere capsule ellipsoid cylinder box mesh sdf";

// Volume of a shape whose sizes are radii and half lengths.
static double volume(shape type, const double x[3])
{
  switch (type) {
  case SPHERE: return 4 * LIMB_PI / 3 * x[0] * x[0] * x[0];
  case CAPSULE: return 4 * LIMB_PI / 3 * x[0] * x[0] * x[0] + 2 * LIMB_PI * x[0] * x[0] * x[1];
  case ELLIPSOID: return 4 * LIMB_PI / 3 * x[0] * x[1] * x[2];
  case CYLINDER: return 2 * LIMB_PI * x[0] * x[0] * x[1];
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

// The number of sizes of a shape.
static int size_count(shape type) { return type == SPHERE ? 1 : type == CAPSULE || type == CYLINDER ? 2 : 3; }

// Sizes and pose of a geom in its frame. 0 after an error.
static int read_size(mjcf* m, mjcf_item it, shape type, double x[3], sp_pose* X)
{
  const int given = limb_mjcf_layered(m, it, "size", x);
  if (given < 0) return 0;
  int needed_sizes = size_count(type);
  if (limb_mjcf_get(m, it, "fromto")) {
    double half = 0;
    if (!limb_mjcf_fromto(m, it, X, &half)) return 0;
    if (type == SPHERE) {
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

static int counts(mjcf* m, mjcf_item it)
{
  double group = 0;
  (void)limb_mjcf_numbers(m, it, "group", 1, 1, &group);
  return group >= m->group_min && group <= m->group_max;
}

static void add_shape(mjcf* m, mjcf_item it, sp_pose X, mjcf_mass* mass)
{
  limb_mjcf_check_attributes(
    m, it.node,
    "name class type group size mass density shellinertia fromto pos quat axisangle xyaxes zaxis euler mesh hfield",
    "contype conaffinity condim priority material rgba friction solmix solref solimp margin gap fitscale fluidshape "
    "fluidcoef user surfacevel adhesion",
    1);
  const shape type = (shape)limb_mjcf_word(m, it, "type", shapes, SPHERE);
  double density = 0;
  double own = read_mass(m, it, &density);
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
  if (!read_size(m, it, type, x, &pose)) {
    mass->faulty = 1;
    return;
  }
  if (own < 0) own = density * volume(type, x);
  const sp_inertia Y = limb_inertia_move(sp_compose(X, pose), solid(type, own, x));
  mass->geoms = mass->geoms.mass == 0 ? Y : limb_inertia_add(mass->geoms, Y);
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
  if (Y.mass < m->boundmass) {
    Y.mass = m->boundmass;
    report_change(m, n, name, "boundmass");
  }
  if (m->boundinertia <= 0 && !m->balance) return Y;
  double moment[3];
  sp_mat3 axes;
  limb_inertia_principal(&Y, moment, &axes);
  if (moment[0] < m->boundinertia) {
    for (int i = 0; i < 3; i++) moment[i] = fmax(moment[i], m->boundinertia);
    Y = limb_inertia_from_principal(Y, moment, &axes);
    report_change(m, n, name, "boundinertia");
  }
  if (m->balance && moment[0] + moment[1] < moment[2]) { // ascending
    const double mean = (moment[0] + moment[1] + moment[2]) / 3;
    const double all[3] = {mean, mean, mean};
    Y = limb_inertia_from_principal(Y, all, &axes);
    report_change(m, n, name, "balanceinertia");
  }
  return Y;
}

static sp_inertia body_inertia(mjcf* m, const xml_node* n, const char* name, const mjcf_mass* mass)
{
  const limb_subject about = {"body", name};
  const int by_geoms = m->from_geom == MJCF_ALWAYS || (m->from_geom == MJCF_WHEN_NEEDED && !mass->inertial);
  sp_inertia Y = {0};
  if (!by_geoms || mass->ngeom == 0) {
    // Without a geom that contributes, even inertiafromgeom="true" keeps the <inertial>.
    if (mass->inertial) Y = from_inertial(m, mass->inertial);
  } else if (mass->mesh || mass->shell) {
    if (m->nshape++ == 0) {
      m->shape = mass->mesh ? mass->mesh : mass->shell;
      m->shape_name = name;
      m->shape_is_mesh = mass->mesh != NULL;
    }
  } else if (mass->faulty) {
    return Y; // reported
  } else {
    Y = mass->geoms;
    limb_report(m->findings, RULE_DERIVED_INERTIA, n->pos, about, "its inertia is computed from its %d geom%s",
                mass->ngeom, mass->ngeom == 1 ? "" : "s");
  }
  Y = correct(m, n, name, Y);
  if (Y.mass == 0 && !mass->mesh && !mass->shell)
    limb_report(m->findings, RULE_NO_INERTIAL, n->pos, about, "it has no mass");
  return Y;
}

void limb_mjcf_report_shapes(mjcf* m)
{
  char others[48] = "";
  if (m->nshape == 0) return;
  if (m->nshape > 1) (void)snprintf(others, sizeof others, "; so for %d more", m->nshape - 1);
  limb_report(m->findings, RULE_UNSUPPORTED, m->shape->pos, (limb_subject){"body", m->shape_name},
              "its inertia would follow from %s, which limb cannot compute%s",
              m->shape_is_mesh ? "a mesh" : "a hollow geom (shellinertia)", others);
  limb_report_hint(m->findings, "add an <inertial> to each of them, or mass=\"0\" to their geoms; MuJoCo writes such a "
                                "file with <compiler saveinertial=\"true\"/>: compile model.xml saved.xml");
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
  limb_report(m->findings, RULE_DERIVED_INERTIA, (file_pos){0}, (limb_subject){NULL, NULL},
              "all masses are scaled as settotalmass of <compiler> requests");
}

// ---- the tree -------------------------------------------------------------------------------------

// A body, and a <frame> in it.
typedef struct mjcf_frame {
  const char* body; // NULL: the world
  sp_pose home;     // of the body in the world, when q is ref
  sp_pose X;        // of the frame in the body
  int class_index;  // of children without their own class
} mjcf_frame;

// The parts of a body, without its children.
typedef struct parts {
  mjcf_joint* joint;
  int njoint, joint_cap;
  mjcf_mass mass;
} parts;

static void walk(mjcf* m, const xml_node* n, const mjcf_frame* at, int* bodies);

static mjcf_frame inner_frame(mjcf* m, const xml_node* n, const mjcf_frame* at)
{
  limb_mjcf_check_attributes(m, n, "name childclass " MJCF_POSE_WORDS, NULL, 0);
  return (mjcf_frame){at->body, at->home, sp_compose(at->X, limb_mjcf_pose(m, limb_mjcf_plain(n))),
                      limb_mjcf_named_class(m, n, "childclass", at->class_index)};
}

// ---- parts of a body ----------------------------------------------------------------------------------------

static void add_joint(mjcf* m, const xml_node* n, const mjcf_frame* at, parts* p)
{
  if (!at->body) {
    limb_mjcf_report(m, RULE_BAD_JOINT, n, "the world has no joints");
    return;
  }
  mjcf_joint* all = limb_mjcf_grow(m, p->joint, &p->joint_cap, p->njoint, sizeof *all);
  if (!all) return;
  p->joint = all;
  const int free_joint = strcmp(n->name, "freejoint") == 0;
  const mjcf_item it = free_joint ? limb_mjcf_plain(n) : limb_mjcf_make_item(m, n, MJCF_JOINT, at->class_index);
  p->joint[p->njoint++] = (mjcf_joint){it, at->X};
}

static void add_inertial(mjcf* m, const xml_node* n, const mjcf_frame* at, parts* p)
{
  if (n->parent && strcmp(n->parent->name, "frame") == 0) {
    limb_mjcf_report(m, RULE_UNSUPPORTED, n, "an <inertial> inside a <frame> is not supported");
    limb_report_hint(m->findings, "put it directly in the body");
  } else if (!at->body) {
    limb_mjcf_report(m, RULE_BAD_VALUE, n, "the world has no inertia");
  } else if (p->mass.inertial) {
    limb_mjcf_report(m, RULE_DUPLICATE_KEY, n, "the body already has an <inertial>, on %s",
                     limb_show_line(m->findings, p->mass.inertial->pos, n->pos).text);
  } else {
    p->mass.inertial = n;
  }
}

static void add_site(mjcf* m, const xml_node* n, const mjcf_frame* at)
{
  const mjcf_item it = limb_mjcf_make_item(m, n, MJCF_SITE, at->class_index);
  const char* name = limb_xml_get(n, "name");
  limb_mjcf_check_attributes(m, n, "name class type pos quat axisangle xyaxes zaxis euler fromto",
                             "group material rgba size user mesh", 1);
  if (!name || !*name) {
    limb_report_once(m->findings, RULE_IGNORED, n->pos, (limb_subject){"element", "site"},
                     "sites without a name are ignored");
    return;
  }
  sp_pose X;
  double half;
  if (limb_mjcf_get(m, it, "fromto")) {
    if (!limb_mjcf_fromto(m, it, &X, &half)) return;
  } else {
    X = limb_mjcf_pose(m, it);
  }
  raw_frame* f = limb_raw_add_frame(m->s, name, n->pos);
  if (!f) {
    m->no_memory = 1;
    return;
  }
  f->body = at->body ? at->body : "world";
  f->pose = sp_compose(at->X, X);
}

static void add_geom(mjcf* m, const xml_node* n, const mjcf_frame* at, parts* p)
{
  if (!m->geom_noted)
    limb_report(m->findings, RULE_IGNORED, n->pos, (limb_subject){"element", "geom"},
                "contacts and appearance are ignored; shapes are used where they determine inertia");
  m->geom_noted = 1;
  if (at->body) add_shape(m, limb_mjcf_make_item(m, n, MJCF_GEOM, at->class_index), at->X, &p->mass);
}

static void report_other(mjcf* m, const xml_node* n)
{
  if (limb_has_word("include replicate composite flexcomp attach plugin", n->name)) {
    limb_mjcf_report(m, RULE_UNSUPPORTED, n, "<%s> adds parts to the robot that this file does not contain", n->name);
    limb_report_hint(m->findings, "expand it, or let MuJoCo do it: compile model.xml saved.xml");
  } else if (limb_has_word("camera light", n->name)) {
    limb_report_once(m->findings, RULE_IGNORED, n->pos, (limb_subject){"element", n->name},
                     "it does not affect dynamics");
  } else {
    limb_report_once(m->findings, RULE_UNKNOWN_TAG, n->pos, (limb_subject){"element", n->name},
                     "<%s> is not an element of a body", n->name);
  }
}

// All parts of a body, except the bodies in it.
static void collect(mjcf* m, const xml_node* n, const mjcf_frame* at, parts* p)
{
  for (const xml_node* c = n->first; c && !m->no_memory; c = c->next) {
    if (strcmp(c->name, "body") == 0) continue;
    if (strcmp(c->name, "joint") == 0 || strcmp(c->name, "freejoint") == 0) {
      add_joint(m, c, at, p);
    } else if (strcmp(c->name, "geom") == 0) {
      add_geom(m, c, at, p);
    } else if (strcmp(c->name, "site") == 0) {
      add_site(m, c, at);
    } else if (strcmp(c->name, "inertial") == 0) {
      add_inertial(m, c, at, p);
    } else if (strcmp(c->name, "frame") == 0) {
      const mjcf_frame inside = inner_frame(m, c, at);
      collect(m, c, &inside, p);
    } else {
      report_other(m, c);
    }
  }
}

// ---- bodies ---------------------------------------------------------------------------------------

static void check_body(mjcf* m, const xml_node* n, const char* name)
{
  const limb_subject about = {"body", name};
  double gravcomp = 0;
  limb_mjcf_check_attributes(m, n, "name childclass mocap pos quat axisangle xyaxes zaxis euler gravcomp",
                             "sleep simple fuse user", 0);
  if (limb_mjcf_numbers(m, limb_mjcf_plain(n), "gravcomp", 1, 1, &gravcomp) && gravcomp != 0)
    limb_report(m->findings, RULE_DROPPED, n->pos, about, "gravcomp: its weight is not compensated in limb");
  if (limb_mjcf_word(m, limb_mjcf_plain(n), "mocap", "false true", 0))
    limb_report(m->findings, RULE_DROPPED, n->pos, about, "mocap: it is fixed at its pose in the file");
}

// Whether --base frees a body that the file welds to the world.
static int is_freed(const mjcf* m, const mjcf_carried* b, const parts* p)
{
  return !b->parent && p->njoint == 0 && (m->opt->base == LIMB_BASE_FLOATING || m->opt->base == LIMB_BASE_PLANAR);
}

// Leaves the root without a joint, so that it gets the joint that --base adds. A planar base keeps the pose of the
// root: the body that moves is a massless one between them.
static void free_root(mjcf* m, const mjcf_carried* b)
{
  if (m->opt->base == LIMB_BASE_FLOATING) {
    limb_mjcf_report_start(m, b);
    return;
  }
  const char* ground = limb_mjcf_join(m, b->name, ".", "base");
  if (!ground) return;
  if (!limb_raw_add_body(m->s, ground, b->pos)) m->no_memory = 1;
  mjcf_carried welded = *b;
  welded.parent = ground;
  limb_mjcf_add_joints(m, &welded, NULL, 0);
}

static void keep_home(mjcf* m, const char* body, sp_pose X)
{
  mjcf_home* all = limb_mjcf_grow(m, m->home, &m->home_cap, m->nhome, sizeof *all);
  if (!all) return;
  m->home = all;
  m->home[m->nhome++] = (mjcf_home){body, X};
}

static void read_body(mjcf* m, const xml_node* n, const mjcf_frame* at, int number)
{
  const char* name = limb_mjcf_name(m, n, at->body ? at->body : "world", ".body", number, 1);
  if (!name) return;
  check_body(m, n, name);
  const mjcf_carried b = {name, at->body, sp_compose(at->X, limb_mjcf_pose(m, limb_mjcf_plain(n))), n->pos};
  const mjcf_frame inside = {name, sp_compose(at->home, b.X), sp_pose_identity(),
                             limb_mjcf_named_class(m, n, "childclass", at->class_index)};
  parts p = {0};
  collect(m, n, &inside, &p);
  const sp_inertia Y = body_inertia(m, n, name, &p.mass);
  if (is_freed(m, &b, &p))
    free_root(m, &b);
  else
    limb_mjcf_add_joints(m, &b, p.joint, p.njoint);
  raw_body* body = m->no_memory ? NULL : limb_raw_add_body(m->s, name, n->pos);
  if (!body) {
    m->no_memory = 1;
    return;
  }
  body->inertia = Y;
  keep_home(m, name, inside.home);
  int bodies = 0;
  walk(m, n, &inside, &bodies);
}

// The bodies in a body, also those in frames; *bodies counts them.
static void walk(mjcf* m, const xml_node* n, const mjcf_frame* at, int* bodies)
{
  for (const xml_node* c = n->first; c && !m->no_memory; c = c->next) {
    if (strcmp(c->name, "body") == 0) {
      read_body(m, c, at, ++*bodies);
    } else if (strcmp(c->name, "frame") == 0) {
      limb_findings* findings = m->findings;
      m->findings = NULL; // collect() has reported its faults
      const mjcf_frame inside = inner_frame(m, c, at);
      m->findings = findings;
      walk(m, c, &inside, bodies);
    }
  }
}

void limb_mjcf_read_world(mjcf* m, const xml_node* worldbody, int* bodies)
{
  const mjcf_frame at = {NULL, sp_pose_identity(), sp_pose_identity(),
                         limb_mjcf_named_class(m, worldbody, "childclass", m->main_class)};
  limb_mjcf_check_attributes(m, worldbody, "childclass name", NULL, 0);
  parts p = {0};
  collect(m, worldbody, &at, &p);
  walk(m, worldbody, &at, bodies);
}
