// MJCF: couplings. A joint that equals a linear function of another one follows it; other equalities would
// change the dynamics, and are refused. Tendons with springs or dampers are reported.
#include "io/read_mjcf_impl.h"

#include <string.h>

// Names of the joints as a table; 0 when out of memory.
static int enter_joints(mjcf* m, limb_names* t)
{
  if (limb_sketch_joint_names(m->s, t)) return 1;
  m->no_memory = 1;
  return 0;
}

static void refuse(mjcf* m, const xml_node* n, const char* what)
{
  limb_report(m->findings, RULE_UNSUPPORTED, n->mark, limb_mjcf_subject(n), "%s", what);
  limb_report_hint(m->findings,
                   "it changes the dynamics: set active=\"false\" to go on without it");
}

// Joint of an attribute; -1 and a finding when there is none.
static int find_joint(mjcf* m, const limb_names* t, const xml_node* n, const char* attribute)
{
  const char* name = limb_xml_get(n, attribute);
  const int found = name ? limb_names_find(t, name, limb_sketch_joint_name, m->s) : -1;
  if (found >= 0) return found;
  char mean[LIMB_WHERE_SPACE] = "";
  if (name)
    limb_report(
      m->findings, RULE_MIMIC_TARGET, n->mark, limb_mjcf_subject(n), "%s '%s' is not defined%s",
      attribute, name,
      limb_did_you_mean(m->s->findings, name, m->s->njoint, limb_sketch_joint_name, m->s, mean));
  else
    limb_report(m->findings, RULE_MISSING_KEY, n->mark, limb_mjcf_subject(n), "it has no %s",
                attribute);
  return -1;
}

// q1 - ref1 = c0 + c1 (q2 - ref2) + c2 (q2 - ref2)^2 ...
static void couple_joints(mjcf* m, const limb_names* t, mjcf_item it)
{
  const xml_node* n = it.node;
  limb_mjcf_check_attributes(m, n, "name class active joint1 joint2 polycoef", "solref solimp", 0);
  double c[5] = {0, 1, 0, 0, 0};
  (void)limb_mjcf_numbers(m, it, "polycoef", 1, 5, c);
  const int follower = find_joint(m, t, n, "joint1");
  const int leader = limb_xml_get(n, "joint2") ? find_joint(m, t, n, "joint2") : follower;
  if (follower < 0 || leader < 0) return;
  sketch_joint* j = &m->s->joint[follower];
  const int curved = c[2] != 0 || c[3] != 0 || c[4] != 0;
  if (!m->opt->no_mimic && (leader == follower || c[1] == 0)) {
    refuse(m, n, "it holds a joint in place: remove the joint from the file instead");
  } else if (!m->opt->no_mimic && curved) {
    refuse(m, n, "polycoef: limb has joints that follow others linearly only");
  } else if (j->mimic) {
    limb_report(m->findings, RULE_DUPLICATE_KEY, n->mark, limb_mjcf_subject(n),
                "joint '%s' follows '%s' already", j->name, j->mimic);
  } else {
    j->mimic = m->s->joint[leader].name;
    j->mimic_mark = n->mark;
    j->def.multiplier = c[1];
    j->def.offset = c[0] + m->ref[follower] - c[1] * m->ref[leader];
  }
}

void limb_mjcf_take_equality(mjcf* m, const xml_node* section)
{
  limb_names t;
  if (!enter_joints(m, &t)) return;
  for (const xml_node* n = section->first; n; n = n->next) {
    const mjcf_item it = limb_mjcf_make_item(m, n, MJCF_EQUALITY, m->main_class);
    if (limb_mjcf_word(m, it, "active", "false true", 1) == 0)
      limb_report(m->findings, RULE_IGNORED, n->mark, limb_mjcf_subject(n), "it is not active");
    else if (strcmp(n->name, "joint") == 0)
      couple_joints(m, &t, it);
    else
      refuse(m, n, "limb has no such constraint: robots are trees, with joints that follow others");
  }
}

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
