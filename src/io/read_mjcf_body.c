// MJCF: the tree of bodies. Bodies and joints come in the order of the file, depth first, which is the order
// of MuJoCo's qpos. Recursion is limited by the depth of XML.
#include "io/read_mjcf_impl.h"

#include <stdio.h>
#include <string.h>

// Where the walk is: a body, and a <frame> in it.
typedef struct place {
  const char* body; // NULL: the world
  sp_pose home;     // of the body in the world, when q is ref
  sp_pose X;        // of the frame in the body
  int class_index;  // of children without a class of their own
} place;

// What a body consists of, its children left out.
typedef struct parts {
  mjcf_joint* joint;
  int njoint, joint_cap;
  mjcf_mass mass;
} parts;

static void walk(mjcf* m, const xml_node* n, const place* at, int* bodies);

static place frame_place(mjcf* m, const xml_node* n, const place* at)
{
  limb_mjcf_check_attributes(m, n, "name childclass pos quat axisangle xyaxes zaxis euler", NULL, 0);
  return (place){at->body, at->home, sp_compose(at->X, limb_mjcf_pose(m, limb_mjcf_plain(n))),
                 limb_mjcf_named_class(m, n, "childclass", at->class_index)};
}

// ---- parts ----------------------------------------------------------------------------------------

static void add_joint(mjcf* m, const xml_node* n, const place* at, parts* p)
{
  if (!at->body) {
    limb_report(m->findings, RULE_BAD_JOINT, n->mark, limb_mjcf_subject(n), "the world has no joints");
    return;
  }
  mjcf_joint* all = limb_mjcf_more(m, p->joint, &p->joint_cap, p->njoint, sizeof *all);
  if (!all) return;
  p->joint = all;
  const int free_joint = strcmp(n->name, "freejoint") == 0;
  const mjcf_item it = free_joint ? limb_mjcf_plain(n) : limb_mjcf_make_item(m, n, MJCF_JOINT, at->class_index);
  p->joint[p->njoint++] = (mjcf_joint){it, at->X};
}

static void add_inertial(mjcf* m, const xml_node* n, const place* at, parts* p)
{
  if (n->parent && strcmp(n->parent->name, "frame") == 0) {
    limb_report(m->findings, RULE_UNSUPPORTED, n->mark, limb_mjcf_subject(n),
                "an <inertial> inside a <frame> is not read");
    limb_report_hint(m->findings, "write it into the body itself");
  } else if (!at->body) {
    limb_report(m->findings, RULE_BAD_VALUE, n->mark, limb_mjcf_subject(n), "the world has no inertia");
  } else if (p->mass.inertial) {
    limb_report(m->findings, RULE_DUPLICATE_KEY, n->mark, limb_mjcf_subject(n),
                "the body has an <inertial> already, on line %d", p->mass.inertial->mark.line);
  } else {
    p->mass.inertial = n;
  }
}

static void add_site(mjcf* m, const xml_node* n, const place* at)
{
  const mjcf_item it = limb_mjcf_make_item(m, n, MJCF_SITE, at->class_index);
  const char* name = limb_xml_get(n, "name");
  limb_mjcf_check_attributes(m, n, "name class type pos quat axisangle xyaxes zaxis euler fromto",
                             "group material rgba size user mesh", 1);
  if (!name || !*name) {
    limb_report_once(m->findings, RULE_IGNORED, n->mark, (limb_subject){"element", "site"},
                     "sites without a name are left out");
    return;
  }
  sp_pose X;
  double half;
  if (limb_mjcf_get(m, it, "fromto")) {
    if (!limb_mjcf_fromto(m, it, &X, &half)) return;
  } else {
    X = limb_mjcf_pose(m, it);
  }
  sketch_frame* f = limb_sketch_frame(m->s, name, n->mark);
  if (!f) {
    m->no_memory = 1;
    return;
  }
  f->body = at->body ? at->body : "world";
  f->pose = sp_compose(at->X, X);
}

static void add_geom(mjcf* m, const xml_node* n, const place* at, parts* p)
{
  if (!m->geom_noted)
    limb_report(m->findings, RULE_IGNORED, n->mark, (limb_subject){"element", "geom"},
                "contacts and looks are ignored; shapes count where inertia follows from them");
  m->geom_noted = 1;
  if (at->body) limb_mjcf_add_geom(m, limb_mjcf_make_item(m, n, MJCF_GEOM, at->class_index), at->X, &p->mass);
}

// Elements that would add to the robot in ways that are not read.
static int is_unsupported(const char* name)
{
  static const char* const names[] = {"include", "replicate", "composite", "flexcomp", "attach", "plugin"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(name, names[i]) == 0) return 1;
  }
  return 0;
}

static void note_other(mjcf* m, const xml_node* n)
{
  if (is_unsupported(n->name)) {
    limb_report(m->findings, RULE_UNSUPPORTED, n->mark, limb_mjcf_subject(n),
                "<%s> adds to the robot what this file does not show", n->name);
    limb_report_hint(m->findings, "write it out, or let MuJoCo do it: compile model.xml saved.xml");
  } else if (strcmp(n->name, "camera") == 0 || strcmp(n->name, "light") == 0) {
    limb_report_once(m->findings, RULE_IGNORED, n->mark, (limb_subject){"element", n->name}, "it is not dynamics");
  } else {
    limb_report_once(m->findings, RULE_UNKNOWN_TAG, n->mark, (limb_subject){"element", n->name},
                     "<%s> is not an element of a body", n->name);
  }
}

// Everything of a body but the bodies below it.
static void collect(mjcf* m, const xml_node* n, const place* at, parts* p)
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
      const place inside = frame_place(m, c, at);
      collect(m, c, &inside, p);
    } else {
      note_other(m, c);
    }
  }
}

// ---- bodies ---------------------------------------------------------------------------------------

static const char* body_name(mjcf* m, const xml_node* n, const char* parent, int number)
{
  const char* name = limb_xml_get(n, "name");
  if (name && *name) return name;
  char text[24];
  (void)snprintf(text, sizeof text, "%d", number);
  name = limb_mjcf_join(m, parent ? parent : "world", ".body", text);
  if (name) limb_mjcf_note_unnamed(m, n->mark, name);
  return name;
}

static void check_body(mjcf* m, const xml_node* n, const char* name)
{
  const limb_subject about = {"body", name};
  double gravcomp = 0;
  limb_mjcf_check_attributes(m, n, "name childclass mocap pos quat axisangle xyaxes zaxis euler gravcomp",
                             "sleep simple fuse user", 0);
  if (limb_mjcf_numbers(m, limb_mjcf_plain(n), "gravcomp", 1, 1, &gravcomp) && gravcomp != 0)
    limb_report(m->findings, RULE_DROPPED, n->mark, about, "gravcomp: its weight is not compensated here");
  if (limb_mjcf_word(m, limb_mjcf_plain(n), "mocap", "false true", 0))
    limb_report(m->findings, RULE_DROPPED, n->mark, about, "mocap: it stands where the file puts it");
}

// Whether --base is to free a body that the file welds to the world.
static int is_freed(const mjcf* m, const mjcf_carried* b, const parts* p)
{
  return !b->parent && p->njoint == 0 && (m->opt->base == LIMB_BASE_FLOATING || m->opt->base == LIMB_BASE_PLANAR);
}

// Leaves the root without a joint, so that it gets the joint that --base adds. In the plane it keeps its
// pose: the body that moves is a massless one below it.
static void free_root(mjcf* m, const mjcf_carried* b)
{
  if (m->opt->base == LIMB_BASE_FLOATING) {
    limb_mjcf_note_start(m, b);
    return;
  }
  const char* ground = limb_mjcf_join(m, b->name, ".", "base");
  if (!ground) return;
  if (!limb_sketch_body(m->s, ground, b->mark)) m->no_memory = 1;
  mjcf_carried welded = *b;
  welded.parent = ground;
  limb_mjcf_add_joints(m, &welded, NULL, 0);
}

static void keep_home(mjcf* m, const char* body, sp_pose X)
{
  mjcf_home* all = limb_mjcf_more(m, m->home, &m->home_cap, m->nhome, sizeof *all);
  if (!all) return;
  m->home = all;
  m->home[m->nhome++] = (mjcf_home){body, X};
}

static void take_body(mjcf* m, const xml_node* n, const place* at, int number)
{
  const char* name = body_name(m, n, at->body, number);
  if (!name) return;
  check_body(m, n, name);
  const mjcf_carried b = {name, at->body, sp_compose(at->X, limb_mjcf_pose(m, limb_mjcf_plain(n))), n->mark};
  const place inside = {name, sp_compose(at->home, b.X), sp_pose_identity(),
                        limb_mjcf_named_class(m, n, "childclass", at->class_index)};
  parts p = {0};
  collect(m, n, &inside, &p);
  const sp_inertia Y = limb_mjcf_body_inertia(m, n, name, &p.mass);
  if (is_freed(m, &b, &p))
    free_root(m, &b);
  else
    limb_mjcf_add_joints(m, &b, p.joint, p.njoint);
  sketch_body* body = m->no_memory ? NULL : limb_sketch_body(m->s, name, n->mark);
  if (!body) {
    m->no_memory = 1;
    return;
  }
  body->inertia = Y;
  keep_home(m, name, inside.home);
  int bodies = 0;
  walk(m, n, &inside, &bodies);
}

// The bodies below a body, also those in frames; bodies counts them.
static void walk(mjcf* m, const xml_node* n, const place* at, int* bodies)
{
  for (const xml_node* c = n->first; c && !m->no_memory; c = c->next) {
    if (strcmp(c->name, "body") == 0) {
      take_body(m, c, at, ++*bodies);
    } else if (strcmp(c->name, "frame") == 0) {
      limb_findings* findings = m->findings;
      m->findings = NULL; // collect() has told what is wrong with it
      const place inside = frame_place(m, c, at);
      m->findings = findings;
      walk(m, c, &inside, bodies);
    }
  }
}

void limb_mjcf_take_world(mjcf* m, const xml_node* worldbody, int* bodies)
{
  const place at = {NULL, sp_pose_identity(), sp_pose_identity(),
                    limb_mjcf_named_class(m, worldbody, "childclass", m->main_class)};
  limb_mjcf_check_attributes(m, worldbody, "childclass name", NULL, 0);
  parts p = {0};
  collect(m, worldbody, &at, &p);
  walk(m, worldbody, &at, bodies);
}
