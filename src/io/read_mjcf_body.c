// MJCF: the tree of bodies. Bodies and joints keep the order of the file, depth first, which is the order of MuJoCo's
// qpos. Recursion is limited by the depth of XML, and of models in each other.
#include "io/read_mjcf.h"

#include <limits.h>
#include <string.h>

// ---- the tree -------------------------------------------------------------------------------------

// A body, and a <frame> in it.
typedef struct mjcf_frame {
  const char* body; // NULL: the world
  sp_pose home;     // of the body in the world, when q is ref
  sp_pose X;        // of the frame in the body
  int class_index;  // of children without their own class
  int moves;        // relative to the world
} mjcf_frame;

// The parts of a body, without its children.
typedef struct parts {
  mjcf_joint* joint;
  int njoint, joint_cap;
  mjcf_mass mass;
  mjcf_shapes shapes;
} parts;

static void walk(mjcf* m, const xml_node* n, const mjcf_frame* at, int* bodies);
static void read_body(mjcf* m, const xml_node* n, const mjcf_frame* at, int number);
static int is_group(const xml_node* n);
static void visit_group(mjcf* m, const xml_node* n, const mjcf_frame* at, parts* p, int* bodies);

// Whether there is space for one element more: copies of copies can be many.
static int may_visit(mjcf* m, const xml_node* n)
{
  enum { MAX_VISITED = 4000000 };
  if (m->visited++ < MAX_VISITED) return !m->no_memory;
  if (m->visited == MAX_VISITED + 1)
    limb_mjcf_report(m, RULE_TOO_MANY, n, "with all copies the bodies have more than %d elements", MAX_VISITED);
  return 0;
}

// 0: too deep in models in models.
static int go_deeper(mjcf* m, const xml_node* n)
{
  enum { MAX_DEPTH = 1000 };
  if (m->depth++ < MAX_DEPTH) return 1;
  m->depth--;
  limb_report_once(m->findings, RULE_TOO_DEEP, n->pos, (limb_subject){"element", n->name},
                   "with all models in models the elements are nested more than %d deep", MAX_DEPTH);
  return 0;
}

// The second visit of an element is silent: the first has reported its faults.
static void hush(mjcf* m, int silent) { m->findings = m->files->findings = silent ? NULL : m->s->findings; }

static mjcf_frame inner_frame(mjcf* m, const xml_node* n, const mjcf_frame* at)
{
  limb_mjcf_check_attributes(m, n, "name childclass " MJCF_POSE_WORDS, NULL, 0);
  return (mjcf_frame){at->body, at->home, sp_compose(at->X, limb_mjcf_pose(m, limb_mjcf_plain(n))),
                      limb_mjcf_named_class(m, n, "childclass", at->class_index), at->moves};
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
  mjcf_item it = free_joint ? limb_mjcf_plain(n) : limb_mjcf_make_item(m, n, MJCF_JOINT, at->class_index);
  it.scope = m->scope;
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
  const char* name = limb_mjcf_scoped(m, n, "name");
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
  if (!m->geom_noted && m->opt->shapes)
    limb_report(m->findings, RULE_IGNORED, n->pos, (limb_subject){"element", "contact"}, "contacts are ignored");
  else if (!m->geom_noted)
    limb_report(m->findings, RULE_IGNORED, n->pos, (limb_subject){"element", "geom"},
                "contacts and appearance are ignored; shapes are used where they determine inertia");
  m->geom_noted = 1;
  const mjcf_item it = limb_mjcf_make_item(m, n, MJCF_GEOM, at->class_index);
  if (m->opt->shapes) limb_mjcf_add_shape(m, it, at->X, &p->shapes);
  if (at->body) limb_mjcf_add_geom(m, it, at->X, &p->mass);
}

static void report_other(mjcf* m, const xml_node* n)
{
  if (limb_has_word("composite flexcomp", n->name)) {
    limb_mjcf_report(m, RULE_UNSUPPORTED, n, "<%s> adds parts to the robot that limb does not read", n->name);
    limb_report_hint(m->findings, "let MuJoCo expand it: compile model.xml saved.xml");
  } else if (limb_has_word("camera light plugin", n->name)) {
    limb_report_once(m->findings, RULE_IGNORED, n->pos, (limb_subject){"element", n->name},
                     "it does not affect dynamics");
  } else {
    limb_report_once(m->findings, RULE_UNKNOWN_TAG, n->pos, (limb_subject){"element", n->name},
                     "<%s> is not an element of a body", n->name);
  }
}

static void collect(mjcf* m, const xml_node* n, const mjcf_frame* at, parts* p);

static void collect_one(mjcf* m, const xml_node* c, const mjcf_frame* at, parts* p)
{
  if (strcmp(c->name, "joint") == 0 || strcmp(c->name, "freejoint") == 0) {
    add_joint(m, c, at, p);
  } else if (strcmp(c->name, "geom") == 0) {
    add_geom(m, c, at, p);
  } else if (strcmp(c->name, "site") == 0) {
    add_site(m, c, at);
  } else if (strcmp(c->name, "inertial") == 0) {
    add_inertial(m, c, at, p);
  } else if (is_group(c)) {
    visit_group(m, c, at, p, NULL);
  } else if (strcmp(c->name, "body") != 0) {
    report_other(m, c);
  }
}

// All parts of a body, except the bodies in it.
static void collect(mjcf* m, const xml_node* n, const mjcf_frame* at, parts* p)
{
  for (const xml_node* c = n->first; c && may_visit(m, c); c = c->next) collect_one(m, c, at, p);
}

// ---- frames, copies, attached models --------------------------------------------------------------
//
// They are visited twice: for the parts of the body (p), which reports their faults, and for the bodies in it (bodies
// counts them).

static void visit(mjcf* m, const xml_node* n, const mjcf_frame* at, parts* p, int* bodies)
{
  if (p)
    collect(m, n, at, p);
  else
    walk(m, n, at, bodies);
}

// Copy i is moved by i steps, each in the frame of the one before, and turned by i times euler.
static void visit_copies(mjcf* m, const xml_node* n, const mjcf_frame* at, parts* p, int* bodies)
{
  const mjcf_item it = limb_mjcf_plain(n);
  double count = 0, offset[3] = {0, 0, 0};
  hush(m, !p);
  limb_mjcf_check_attributes(m, n, "count offset euler sep childclass", NULL, 0);
  (void)limb_mjcf_numbers(m, it, "offset", 3, 3, offset);
  const int good = limb_mjcf_numbers(m, it, "count", 1, 1, &count) && count >= 0 && count < INT_MAX;
  if (!good) limb_mjcf_report(m, RULE_BAD_VALUE, n, "it needs a count that is not negative");
  hush(m, 0);
  if (!good) return;
  sp_vec3 pos = sp_v3(0, 0, 0);
  const mjcf_scope* outside = m->scope;
  for (int i = 0; i < (int)count && may_visit(m, n); i++) {
    const mjcf_scope* scope = limb_mjcf_copy(m, n, i, (int)count);
    if (!scope) return;
    const sp_mat3 R = limb_mjcf_euler(m, n, i);
    const mjcf_frame inside = {at->body, at->home, sp_compose(at->X, sp_pose_make(R, pos)),
                               limb_mjcf_named_class(m, n, "childclass", at->class_index), at->moves};
    (void)limb_mjcf_enter(m, scope);
    visit(m, n, &inside, p, bodies);
    (void)limb_mjcf_enter(m, outside);
    pos = sp_add3(pos, sp_mulv(R, sp_v3(offset[0], offset[1], offset[2])));
  }
}

// The default class of the children of an element, by the elements around it.
static int class_around(mjcf* m, const xml_node* n)
{
  const int outside = n->parent ? class_around(m, n->parent) : m->model->main_class;
  return limb_mjcf_named_class(m, n, "childclass", outside);
}

static void visit_attached(mjcf* m, const xml_node* n, const mjcf_frame* at, parts* p, int* bodies)
{
  const xml_node* source = NULL;
  hush(m, !p);
  limb_mjcf_check_attributes(m, n, "model body frame prefix", NULL, 0);
  const mjcf_scope* scope = limb_mjcf_attach(m, n, !p, &source);
  hush(m, 0);
  if (!scope) return;
  const mjcf_scope* outside = limb_mjcf_enter(m, scope);
  mjcf_frame inside = *at;
  inside.class_index = source->parent ? class_around(m, source->parent) : m->model->main_class;
  if (strcmp(source->name, "body") == 0) {
    if (!p) read_body(m, source, &inside, ++*bodies);
  } else if (strcmp(source->name, "frame") == 0) {
    hush(m, !p);
    inside = inner_frame(m, source, &inside);
    hush(m, 0);
    visit(m, source, &inside, p, bodies);
  } else {
    for (; source; source = limb_xml_next(source)) visit(m, source, &inside, p, bodies);
  }
  (void)limb_mjcf_enter(m, outside);
}

static int is_group(const xml_node* n) { return limb_has_word("frame replicate attach", n->name); }

static void visit_group(mjcf* m, const xml_node* n, const mjcf_frame* at, parts* p, int* bodies)
{
  if (!go_deeper(m, n)) return;
  if (n->name[0] == 'r') {
    visit_copies(m, n, at, p, bodies);
  } else if (n->name[0] == 'a') {
    visit_attached(m, n, at, p, bodies);
  } else {
    hush(m, !p);
    const mjcf_frame inside = inner_frame(m, n, at);
    hush(m, 0);
    visit(m, n, &inside, p, bodies);
  }
  m->depth--;
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

// Whether there are bodies in a body, or what may contain some.
static int has_bodies(const xml_node* n)
{
  for (const xml_node* c = n->first; c; c = c->next) {
    if (strcmp(c->name, "body") == 0 || is_group(c)) return 1;
  }
  return 0;
}

static void read_body(mjcf* m, const xml_node* n, const mjcf_frame* at, int number)
{
  const char* name = limb_mjcf_name(m, n, at->body ? at->body : "world", ".body", number, 1);
  if (!name || !go_deeper(m, n)) return;
  check_body(m, n, name);
  mjcf_carried b = {name, at->body, sp_compose(at->X, limb_mjcf_pose(m, limb_mjcf_plain(n))), n->pos, NULL};
  mjcf_frame inside = {name, sp_compose(at->home, b.X), sp_pose_identity(),
                       limb_mjcf_named_class(m, n, "childclass", at->class_index), at->moves};
  parts p = {0};
  collect(m, n, &inside, &p);
  inside.moves |= p.njoint > 0 || is_freed(m, &b, &p);
  const sp_inertia Y = limb_mjcf_inertia(m, n, name, &p.mass, !inside.moves);
  const sp_pose axes = has_bodies(n) ? sp_pose_identity() : limb_mjcf_axes(m, &p.mass, &Y);
  if (!has_bodies(n) && p.njoint == 1) b.aligned = &axes;
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
  limb_mjcf_keep_shapes(m, &p.shapes, m->s->nbody - 1);
  keep_home(m, name, inside.home);
  int bodies = 0;
  walk(m, n, &inside, &bodies);
  m->depth--;
}

// The bodies in a body, also those in frames; *bodies counts them.
static void walk(mjcf* m, const xml_node* n, const mjcf_frame* at, int* bodies)
{
  for (const xml_node* c = n->first; c && may_visit(m, c); c = c->next) {
    if (strcmp(c->name, "body") == 0)
      read_body(m, c, at, ++*bodies);
    else if (is_group(c))
      visit_group(m, c, at, NULL, bodies);
  }
}

void limb_mjcf_read_world(mjcf* m, const xml_node* worldbody, int* bodies)
{
  const mjcf_frame at = {NULL, sp_pose_identity(), sp_pose_identity(),
                         limb_mjcf_named_class(m, worldbody, "childclass", m->model->main_class), 0};
  limb_mjcf_check_attributes(m, worldbody, "childclass name", NULL, 0);
  parts p = {0};
  collect(m, worldbody, &at, &p);
  limb_mjcf_keep_shapes(m, &p.shapes, -1);
  walk(m, worldbody, &at, bodies);
}
