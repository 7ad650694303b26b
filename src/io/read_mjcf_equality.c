// MJCF: equalities. A joint that equals a linear function of another one follows it; all that cannot be said
// by a mimic joint is a loop. Equalities between tendons and flexes are refused: they would change the
// dynamics. Tendons with springs or dampers are reported.
#include "io/read_mjcf_impl.h"

#include "io/angles.h"
#include "io/joints.h"

#include <string.h>

static void refuse(mjcf* m, const xml_node* n, const char* what)
{
  limb_report(m->findings, RULE_UNSUPPORTED, n->mark, limb_mjcf_subject(n), "%s", what);
  limb_report_hint(m->findings, "it changes the dynamics: set active=\"false\" to go on without it");
}

// ---- who follows whom -----------------------------------------------------------------------------

// Joints that follow each other, directly or not, belong together: a mimic joint more between two of them
// would close a circle.
typedef struct followers {
  limb_names joints;
  int* group; // per joint: another one of its group, or itself: the group's first
} followers;

static int begin_followers(mjcf* m, followers* f)
{
  f->group = limb_store_take(m->pool, ((size_t)m->s->njoint + 1) * sizeof *f->group);
  if (!f->group || !limb_sketch_joint_names(m->s, &f->joints)) {
    m->no_memory = 1;
    return 0;
  }
  for (int i = 0; i < m->s->njoint; i++) f->group[i] = i;
  return 1;
}

static int first_of(const followers* f, int i)
{
  while (f->group[i] != i) i = f->group[i] = f->group[f->group[i]]; // halves the way for the next
  return i;
}

// ---- couplings of joints --------------------------------------------------------------------------

enum { NCOEFFICIENT = 5 };

// q1 - ref1 = c0 + c1 (q2 - ref2) + c2 (q2 - ref2)^2 ...
typedef struct coupling {
  const xml_node* node;
  int follower, leader; // leader -1: none, the follower stands still
  double c[NCOEFFICIENT];
} coupling;

// Joint of an attribute; -1 and a finding when there is none.
static int find_joint(mjcf* m, const limb_names* t, const xml_node* n, const char* attribute)
{
  const char* name = limb_xml_get(n, attribute);
  const int found = name ? limb_names_find(t, name, limb_sketch_joint_name, m->s) : -1;
  if (found >= 0) return found;
  char mean[LIMB_WHERE_SPACE] = "";
  if (name)
    limb_report(m->findings, RULE_MIMIC_TARGET, n->mark, limb_mjcf_subject(n), "%s '%s' is not defined%s", attribute,
                name, limb_did_you_mean(m->s->findings, name, m->s->njoint, limb_sketch_joint_name, m->s, mean));
  else
    limb_report(m->findings, RULE_MISSING_KEY, n->mark, limb_mjcf_subject(n), "it has no %s", attribute);
  return -1;
}

// A closure of one direction between the bodies of the joint: it turns or slides to q and no further.
static void hold(mjcf* m, const coupling* k)
{
  const sketch_joint* j = &m->s->joint[k->follower];
  const double q = k->c[0] + m->ref[k->follower];
  if (!one_dof(j->def.type)) {
    limb_report(m->findings, RULE_BAD_LOOP, k->node->mark, limb_mjcf_subject(k->node),
                "joint '%s' has not exactly one degree of freedom", j->name);
    return;
  }
  sketch_loop* x = limb_mjcf_new_loop(m, k->node, LIMB_LOOP_LOCK);
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
  sketch_loop* x = limb_mjcf_new_loop(m, k->node, curved ? LIMB_LOOP_POLYNOMIAL : LIMB_LOOP_GEAR);
  if (!x) return;
  x->joint = m->s->joint[k->follower].name;
  x->other = m->s->joint[k->leader].name;
  memcpy(x->def.coefficient, p, sizeof p);
}

static void follow(mjcf* m, followers* f, const coupling* k)
{
  sketch_joint* j = &m->s->joint[k->follower];
  j->mimic = m->s->joint[k->leader].name;
  j->mimic_mark = k->node->mark;
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
    limb_report(m->findings, RULE_BAD_LOOP, n->mark, limb_mjcf_subject(n), "joint1 and joint2 are both '%s'",
                m->s->joint[k.leader].name);
  } else if (curved || follows || first_of(f, k.follower) == first_of(f, k.leader)) {
    relate(m, &k, curved);
  } else {
    follow(m, f, &k);
  }
}

// ---- the section ----------------------------------------------------------------------------------

static void note_softness(mjcf* m, mjcf_item it)
{
  static const char* const names[] = {"solref", "solimp"};
  for (int i = 0; i < 2; i++) {
    if (limb_mjcf_get(m, it, names[i]))
      limb_report_once(m->findings, RULE_DROPPED, it.node->mark, (limb_subject){"attribute", names[i]},
                       "constraints are rigid here, and do not give way as MuJoCo's do");
  }
}

static void take_section(mjcf* m, followers* f, const mjcf_names* t, const xml_node* section)
{
  for (const xml_node* n = section->first; n && !m->no_memory; n = n->next) {
    const mjcf_item it = limb_mjcf_make_item(m, n, MJCF_EQUALITY, m->main_class);
    const int closure = strcmp(n->name, "connect") == 0 || strcmp(n->name, "weld") == 0;
    const int joint = strcmp(n->name, "joint") == 0;
    if (limb_mjcf_word(m, it, "active", "false true", 1) == 0) {
      limb_report(m->findings, RULE_IGNORED, n->mark, limb_mjcf_subject(n), "it is not active");
      continue;
    }
    if (!closure && !joint) {
      refuse(m, n, "limb has no such constraint: it closes bodies, sites and joints");
      continue;
    }
    note_softness(m, it);
    if (joint)
      couple_joints(m, f, it);
    else
      limb_mjcf_take_closure(m, t, it);
  }
}

// Loops are closed from the configuration that the file shows, where MuJoCo takes them to be closed.
static void start_as_drawn(mjcf* m)
{
  for (int k = 0; k < m->s->njoint; k++) {
    sketch_joint* j = &m->s->joint[k];
    if (one_dof(j->def.type) && !j->mimic) j->def.start = m->ref[k];
  }
}

void limb_mjcf_take_equalities(mjcf* m, const xml_node* root)
{
  followers f;
  mjcf_names t;
  const xml_node* n = limb_xml_child(root, "equality");
  if (!n || !begin_followers(m, &f) || !limb_mjcf_enter_names(m, &t)) return;
  for (; n; n = limb_xml_next(n)) take_section(m, &f, &t, n);
  if (m->s->nloop > 0) start_as_drawn(m);
}

// ---- tendons --------------------------------------------------------------------------------------

void limb_mjcf_take_tendons(mjcf* m, const xml_node* section)
{
  static const char* const names[] = {"stiffness", "damping", "frictionloss", "armature"};
  for (const xml_node* n = section->first; n; n = n->next) {
    const mjcf_item it = limb_mjcf_make_item(m, n, MJCF_TENDON, m->main_class);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      double x[3] = {0, 0, 0};
      (void)limb_mjcf_numbers(m, it, names[i], 1, 3, x);
      if (x[0] != 0 || x[1] != 0 || x[2] != 0)
        limb_report(m->findings, RULE_DROPPED, n->mark, limb_mjcf_subject(n),
                    "%s: limb has no tendons, so that their forces are missing", names[i]);
    }
  }
}
