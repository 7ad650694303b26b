// MJCF: equalities and tendons. A joint that equals a linear function of another follows it as a mimic; everything else
// is a loop: <connect> is a ball, <weld> locks all six directions. MuJoCo's constraints are soft, limb's are rigid.
// Equalities of tendons and flexes are refused, because they would change the dynamics.
//
// Bodies are connected as they are at qpos0: the file gives the frame on one of them, that on the other follows
// (mj_setConst of MuJoCo). Sites are connected as they are.
#include "io/read_mjcf.h"

#include "io/geometry.h"
#include "io/properties.h"

#include <string.h>

// ---- names ----------------------------------------------------------------------------------------

static const char* home_name(const void* context, int i) { return ((const mjcf*)context)->home[i].body; }

const char* limb_mjcf_site_name(const void* context, int i) { return ((const mjcf*)context)->s->frame[i].name; }

// Tables of bodies and sites by name.
typedef struct mjcf_names {
  limb_names body, site;
} mjcf_names;

static int enter_names(mjcf* m, mjcf_names* t)
{
  const int done = limb_mempool_index_names(m->pool, &t->body, m->nhome, home_name, m) &&
                   limb_mempool_index_names(m->pool, &t->site, m->s->nframe, limb_mjcf_site_name, m);
  m->no_memory |= !done;
  return done;
}

int limb_mjcf_enter_parts(mjcf* m, mjcf_parts* t)
{
  const int done = limb_raw_joint_names(m->s, &t->joint) &&
                   limb_mempool_index_names(m->pool, &t->site, m->s->nframe, limb_mjcf_site_name, m);
  m->no_memory |= !done;
  return done;
}

// A new loop with the name of the element, or a made-up one; NULL when out of memory.
static raw_loop* new_loop(mjcf* m, const xml_node* n, limb_loop_kind kind)
{
  const char* name = limb_mjcf_name(m, n, "equality", ".", m->s->nloop + 1, 0);
  raw_loop* x = name ? limb_raw_add_loop(m->s, name, kind, n->pos) : NULL;
  m->no_memory |= !x;
  return x;
}

// ---- ends -----------------------------------------------------------------------------------------

// One of the two things that are connected.
typedef struct side {
  const char* body; // NULL: the world
  sp_pose X;        // body: of it in the world, at qpos0; site: of it in the body
} side;

static int report_missing(mjcf* m, const xml_node* n, const char* attribute)
{
  limb_mjcf_report(m, RULE_MISSING_KEY, n, "it has no %s", attribute);
  return 0;
}

static int report_unknown(mjcf* m, const xml_node* n, const char* attribute, int count,
                          const char* (*name)(const void*, int))
{
  const char* wrong = limb_xml_get(n, attribute);
  limb_mjcf_report(m, RULE_UNDEFINED_BODY, n, "its %s '%.60s' is not defined%s", attribute, wrong,
                   limb_did_you_mean(m->s->findings, wrong, count, name, m).text);
  return 0;
}

// The body of an attribute; the world when it is not given. 0 after an error.
static int find_body(mjcf* m, const mjcf_names* t, const xml_node* n, const char* attribute, side* s)
{
  const char *plain = limb_xml_get(n, attribute), *name = limb_mjcf_scoped(m, n, attribute);
  *s = (side){NULL, sp_pose_identity()};
  if (!plain || strcmp(plain, "world") == 0) return 1;
  if (!name) return 0;
  const int i = limb_names_find(&t->body, name, home_name, m);
  if (i < 0) return report_unknown(m, n, attribute, m->nhome, home_name);
  *s = (side){m->home[i].body, m->home[i].X};
  return 1;
}

static int find_site(mjcf* m, const mjcf_names* t, const xml_node* n, const char* attribute, side* s)
{
  const char* name = limb_mjcf_scoped(m, n, attribute);
  if (!name) return report_missing(m, n, attribute);
  const int i = limb_names_find(&t->site, name, limb_mjcf_site_name, m);
  if (i < 0) return report_unknown(m, n, attribute, m->s->nframe, limb_mjcf_site_name);
  *s = (side){m->s->frame[i].body, m->s->frame[i].pose};
  return 1;
}

static void add(mjcf* m, const xml_node* n, limb_loop_kind kind, const side s[2], const sp_pose pose[2])
{
  raw_loop* x = new_loop(m, n, kind);
  if (!x) return;
  for (int k = 0; k < 2; k++) {
    x->end[k].body = s[k].body;
    x->end[k].pose = pose[k];
  }
}

// ---- connect and weld -------------------------------------------------------------------------------------

// Between sites: the frames of the loop are those of the sites.
static void close_sites(mjcf* m, const mjcf_names* t, const xml_node* n, limb_loop_kind kind)
{
  side s[2];
  const int good = find_site(m, t, n, "site1", &s[0]) & find_site(m, t, n, "site2", &s[1]);
  const sp_pose pose[2] = {s[0].X, s[1].X};
  if (limb_xml_get(n, "body1") || limb_xml_get(n, "body2") || limb_xml_get(n, "anchor") || limb_xml_get(n, "relpose"))
    limb_mjcf_report(m, RULE_DUPLICATE_KEY, n,
                     "it has sites, and also body1, body2, anchor or relpose: remove one of them");
  else if (good)
    add(m, n, kind, s, pose);
}

static sp_pose shift(const double p[3]) { return sp_pose_make(sp_identity3(), sp_v3(p[0], p[1], p[2])); }

// anchor is a point of body1.
static void connect_bodies(mjcf* m, const mjcf_item it, const side s[2])
{
  double p[3] = {0, 0, 0};
  if (!limb_mjcf_get(m, it, "anchor")) {
    (void)report_missing(m, it.node, "anchor");
    return;
  }
  if (!limb_mjcf_numbers(m, it, "anchor", 3, 3, p)) return;
  const sp_pose a = shift(p);
  const sp_pose b = sp_compose(sp_invert(s[1].X), sp_compose(s[0].X, a));
  const sp_pose pose[2] = {a, sp_pose_make(sp_identity3(), b.p)}; // a ball has no orientation
  add(m, it.node, LIMB_LOOP_BALL, s, pose);
}

// anchor is a point of body2. relpose is where that point is in body1, and the rotation of body2 in body1;
// with a quaternion of zeros, the default, both are those at qpos0.
static void weld_bodies(mjcf* m, const mjcf_item it, limb_loop_kind kind, const side s[2])
{
  double p[3] = {0, 0, 0}, rel[7] = {0, 1, 0, 0, 0, 0, 0};
  if (limb_mjcf_get(m, it, "anchor") && !limb_mjcf_numbers(m, it, "anchor", 3, 3, p)) return;
  if (limb_mjcf_get(m, it, "relpose") && !limb_mjcf_numbers(m, it, "relpose", 7, 7, rel)) return;
  const int given = rel[3] != 0 || rel[4] != 0 || rel[5] != 0 || rel[6] != 0;
  const sp_pose b = shift(p);
  const sp_pose home = sp_compose(sp_invert(s[0].X), sp_compose(s[1].X, b));
  const sp_pose a =
    given ? sp_pose_make(limb_rot_quat(rel[4], rel[5], rel[6], rel[3]), sp_v3(rel[0], rel[1], rel[2])) : home;
  const sp_pose pose[2] = {a, b};
  add(m, it.node, kind, s, pose);
}

// <connect> or <weld>.
static void read_closure(mjcf* m, const mjcf_names* t, mjcf_item it)
{
  const xml_node* n = it.node;
  const int weld = strcmp(n->name, "weld") == 0;
  limb_mjcf_check_attributes(m, n,
                             weld ? "name class active body1 body2 site1 site2 anchor relpose torquescale solref solimp"
                                  : "name class active body1 body2 site1 site2 anchor solref solimp",
                             NULL, 0);
  double scale = 1; // of torques against forces in a weld: rigid, or no torque at all
  (void)limb_mjcf_numbers(m, it, "torquescale", 1, 1, &scale);
  const limb_loop_kind kind = weld && scale != 0 ? LIMB_LOOP_WELD : LIMB_LOOP_BALL;
  if (limb_xml_get(n, "site1") || limb_xml_get(n, "site2")) {
    close_sites(m, t, n, kind);
    return;
  }
  side s[2];
  if (!limb_xml_get(n, "body1")) {
    (void)report_missing(m, n, "body1, and no site1");
    return;
  }
  if (!(find_body(m, t, n, "body1", &s[0]) & find_body(m, t, n, "body2", &s[1]))) return;
  if (weld)
    weld_bodies(m, it, kind, s);
  else
    connect_bodies(m, it, s);
}

// ---- mimics -----------------------------------------------------------------------------

// Groups of joints that follow each other, directly or not: another mimic between two of them would be a cycle.
typedef struct followers {
  limb_names joints;
  int* group; // per joint: another one of its group; the first of the group: itself
} followers;

static int begin_followers(mjcf* m, followers* f)
{
  f->group = limb_mempool_alloc(m->pool, ((size_t)m->s->njoint + 1) * sizeof *f->group);
  if (!f->group || !limb_raw_joint_names(m->s, &f->joints)) {
    m->no_memory = 1;
    return 0;
  }
  for (int i = 0; i < m->s->njoint; i++) f->group[i] = i;
  return 1;
}

static int first_of(const followers* f, int i)
{
  while (f->group[i] != i) i = f->group[i] = f->group[f->group[i]]; // halves the path for the next call
  return i;
}

// ---- couplings of joints --------------------------------------------------------------------------

enum { NCOEFFICIENT = 5 };

// q1 - ref1 = c0 + c1 (q2 - ref2) + c2 (q2 - ref2)^2 ...
typedef struct coupling {
  const xml_node* node;
  int follower, leader; // leader -1: none, the follower does not move
  double c[NCOEFFICIENT];
} coupling;

// The joint of an attribute; -1 after an error.
static int find_joint(mjcf* m, const limb_names* t, const xml_node* n, const char* attribute)
{
  const char* name = limb_mjcf_scoped(m, n, attribute);
  const int found = name ? limb_names_find(t, name, limb_raw_joint_name, m->s) : -1;
  if (found >= 0) return found;
  if (name)
    limb_mjcf_report(m, RULE_MIMIC_TARGET, n, "%s '%s' is not defined%s", attribute, name,
                     limb_did_you_mean(m->s->findings, name, m->s->njoint, limb_raw_joint_name, m->s).text);
  else
    limb_mjcf_report(m, RULE_MISSING_KEY, n, "it has no %s", attribute);
  return -1;
}

// A loop that locks the one direction in which the joint moves, at q.
static void hold(mjcf* m, const coupling* k)
{
  const raw_joint* j = &m->s->joint[k->follower];
  const double q = k->c[0] + m->ref[k->follower];
  if (!one_dof(j->def.type)) {
    limb_mjcf_report(m, RULE_BAD_LOOP, k->node, "joint '%s' does not have exactly one degree of freedom", j->name);
    return;
  }
  raw_loop* x = new_loop(m, k->node, LIMB_LOOP_LOCK);
  if (!x) return;
  const int turning = turns(j->def.type);
  const sp_pose to_z = sp_pose_make(limb_rot_to(sp_v3(0, 0, 1), j->def.axis), sp_v3(0, 0, 0));
  const sp_pose moved = turning ? sp_pose_make(limb_rot_axis(sp_v3(0, 0, 1), q), sp_v3(0, 0, 0))
                                : sp_pose_make(sp_identity3(), sp_v3(0, 0, q));
  x->def.locked = turning ? LIMB_TURN_Z : LIMB_MOVE_Z;
  x->end[0].body = j->parent;
  x->end[0].pose = sp_compose(j->def.placement, sp_compose(to_z, moved));
  x->end[1].body = j->child;
  x->end[1].pose = sp_compose(sp_invert(j->offset), to_z);
}

// The polynomial in q2 itself: Horner's scheme, p(q) = c0 + ref1 + (q - ref2) (c1 + (q - ref2) (c2 + ...)).
static void relate(mjcf* m, const coupling* k, int curved)
{
  const double ref = m->ref[k->leader];
  double p[NCOEFFICIENT] = {k->c[NCOEFFICIENT - 1]};
  for (int i = NCOEFFICIENT - 2; i >= 0; i--) {
    for (int n = NCOEFFICIENT - 1; n > 0; n--) p[n] = p[n - 1] - ref * p[n];
    p[0] = k->c[i] - ref * p[0];
  }
  p[0] += m->ref[k->follower];
  raw_loop* x = new_loop(m, k->node, curved ? LIMB_LOOP_POLYNOMIAL : LIMB_LOOP_GEAR);
  if (!x) return;
  x->joint = m->s->joint[k->follower].name;
  x->other = m->s->joint[k->leader].name;
  memcpy(x->def.coefficient, p, sizeof p);
}

static void follow(mjcf* m, followers* f, const coupling* k)
{
  raw_joint* j = &m->s->joint[k->follower];
  j->mimic = m->s->joint[k->leader].name;
  j->mimic_pos = k->node->pos;
  j->def.multiplier = k->c[1];
  j->def.offset = k->c[0] + m->ref[k->follower] - k->c[1] * m->ref[k->leader];
  f->group[first_of(f, k->follower)] = first_of(f, k->leader);
}

static void couple_joints(mjcf* m, followers* f, mjcf_item it)
{
  const xml_node* n = it.node;
  coupling k = {.node = n, .c = {0, 1, 0, 0, 0}};
  limb_mjcf_check_attributes(m, n, "name class active joint1 joint2 polycoef solref solimp", NULL, 0);
  (void)limb_mjcf_numbers(m, it, "polycoef", 1, NCOEFFICIENT, k.c);
  const int alone = !limb_xml_get(n, "joint2");
  k.follower = find_joint(m, &f->joints, n, "joint1");
  k.leader = alone ? k.follower : find_joint(m, &f->joints, n, "joint2");
  if (k.follower < 0 || k.leader < 0) return;
  const int curved = k.c[2] != 0 || k.c[3] != 0 || k.c[4] != 0;
  const int follows = m->s->joint[k.follower].mimic != NULL;
  if (m->opt->no_mimic) {
    if (!follows) follow(m, f, &k); // which frees it
  } else if (alone || (k.c[1] == 0 && !curved)) {
    hold(m, &k);
  } else if (k.leader == k.follower) {
    limb_mjcf_report(m, RULE_BAD_LOOP, n, "joint1 and joint2 are both '%s'", m->s->joint[k.leader].name);
  } else if (curved || follows || first_of(f, k.follower) == first_of(f, k.leader)) {
    relate(m, &k, curved);
  } else {
    follow(m, f, &k);
  }
}

// ---- couplings by tendons -------------------------------------------------------------------------

// The length of a fixed tendon, c1 q1 + c2 q2, stays what it is at ref, plus polycoef[0]. 0: it is not of this kind.
static int couple_by_tendon(mjcf* m, followers* f, mjcf_item it)
{
  const xml_node* tendon = limb_mjcf_find_tendon(m, limb_xml_get(it.node, "tendon1"));
  if (!tendon || strcmp(tendon->name, "fixed") != 0 || limb_xml_get(it.node, "tendon2")) return 0;
  double c[2] = {0, 0}, poly[NCOEFFICIENT] = {0};
  int joint[2] = {-1, -1}, count = 0;
  for (const xml_node* n = limb_xml_child(tendon, "joint"); n; n = limb_xml_next(n), count++) {
    if (count == 2) return 0;
    (void)limb_mjcf_numbers(m, limb_mjcf_plain(n), "coef", 1, 1, &c[count]);
    joint[count] = find_joint(m, &f->joints, n, "joint");
  }
  if (count != 2 || joint[0] < 0 || joint[1] < 0 || joint[0] == joint[1] || c[0] == 0 || c[1] == 0) return 0;
  (void)limb_mjcf_numbers(m, it, "polycoef", 1, NCOEFFICIENT, poly);
  const coupling k = {it.node, joint[0], joint[1], {poly[0] / c[0], -c[1] / c[0], 0, 0, 0}};
  if (m->opt->no_mimic) {
    if (!m->s->joint[k.follower].mimic) follow(m, f, &k);
  } else if (m->s->joint[k.follower].mimic || first_of(f, k.follower) == first_of(f, k.leader)) {
    relate(m, &k, 0);
  } else {
    follow(m, f, &k);
  }
  return 1;
}

// ---- sections ----------------------------------------------------------------------------------

static void refuse(mjcf* m, const xml_node* n, const char* what)
{
  limb_mjcf_report(m, RULE_UNSUPPORTED, n, "%s", what);
  limb_report_hint(m->findings, "it changes the dynamics: set active=\"false\" to continue without it");
}

static void report_softness(mjcf* m, mjcf_item it)
{
  static const char* const names[] = {"solref", "solimp"};
  for (int i = 0; i < 2; i++) {
    if (limb_mjcf_get(m, it, names[i]))
      limb_report_once(m->findings, RULE_DROPPED, it.node->pos, (limb_subject){"attribute", names[i]},
                       "limb's constraints are rigid, not soft as in MuJoCo");
  }
}

// Whether an attribute of an equality in an attached model names a part that was not attached.
static int left_out(mjcf* m, const mjcf_names* t, const followers* f, const xml_node* n)
{
  static const char* const attributes[] = {"body1", "body2", "site1", "site2", "joint1", "joint2"};
  for (int i = 0; i < COUNT(attributes); i++) {
    const char* name = limb_mjcf_scoped(m, n, attributes[i]);
    if (!name) continue;
    const int known = i < 2   ? limb_names_find(&t->body, name, home_name, m) >= 0
                      : i < 4 ? limb_names_find(&t->site, name, limb_mjcf_site_name, m) >= 0
                              : limb_names_find(&f->joints, name, limb_raw_joint_name, m->s) >= 0;
    if (!known) return 1;
  }
  return 0;
}

static void read_section(mjcf* m, followers* f, const mjcf_names* t, const xml_node* section)
{
  for (const xml_node* n = section->first; n && !m->no_memory; n = n->next) {
    const mjcf_item it = limb_mjcf_make_item(m, n, MJCF_EQUALITY, m->model->main_class);
    if (m->scope->depth > 0 && left_out(m, t, f, n)) continue;
    const int closure = strcmp(n->name, "connect") == 0 || strcmp(n->name, "weld") == 0;
    const int joint = strcmp(n->name, "joint") == 0;
    if (limb_mjcf_word(m, it, "active", "false true", 1) == 0) {
      limb_mjcf_report(m, RULE_IGNORED, n, "it is not active");
      continue;
    }
    if (strcmp(n->name, "tendon") == 0 && couple_by_tendon(m, f, it)) {
      report_softness(m, it);
      continue;
    }
    if (strcmp(n->name, "tendon") == 0) {
      limb_mjcf_report(m, RULE_DROPPED, n, "limb constrains tendons of two joints only: this one stays free");
      continue;
    }
    if (!closure && !joint) {
      refuse(m, n, "limb has no such constraint: only bodies, sites and joints can be constrained");
      continue;
    }
    report_softness(m, it);
    if (joint)
      couple_joints(m, f, it);
    else
      read_closure(m, t, it);
  }
}

// Loops are closed from the configuration in the file, in which MuJoCo assumes them to be closed.
static void start_as_in_file(mjcf* m)
{
  for (int k = 0; k < m->s->njoint; k++) {
    raw_joint* j = &m->s->joint[k];
    if (one_dof(j->def.type) && !j->mimic) j->def.start = m->ref[k];
  }
}

static void read_sections(mjcf* m, followers* f, const mjcf_names* t)
{
  for (const xml_node* n = limb_xml_child(m->model->root, "equality"); n; n = limb_xml_next(n))
    read_section(m, f, t, n);
}

void limb_mjcf_read_equalities(mjcf* m)
{
  followers f;
  mjcf_names t;
  if (!limb_xml_child(m->model->root, "equality") && !m->attached) return;
  if (!begin_followers(m, &f) || !enter_names(m, &t)) return;
  read_sections(m, &f, &t);
  for (const mjcf_scope* s = m->attached; s && !m->no_memory; s = s->next) {
    const mjcf_scope* outside = limb_mjcf_enter(m, s);
    read_sections(m, &f, &t);
    (void)limb_mjcf_enter(m, outside);
  }
  if (m->s->nloop > 0) start_as_in_file(m);
}
