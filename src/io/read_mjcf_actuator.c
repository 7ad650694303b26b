// MJCF: actuators. A motor is an input: its torque is what limb computes or is given. Others answer to the
// motion of the robot by themselves, as springs and dampers do, and these forces are missing in results.
//
// Of a robot with loops, it matters which joints have a motor: those that an actuator acts on.
#include "io/read_mjcf_impl.h"

#include <string.h>

// What the actuator is like that an element states; NULL: it is an input alone.
static const char* likeness(const mjcf* m, mjcf_item it)
{
  static const struct {
    const char *name, *like;
  } known[] = {{"position", "a spring, by its kp"},      {"velocity", "a damper, by its kv"},
               {"intvelocity", "a spring, by its kp"},   {"damper", "a damper, by its kv"},
               {"dcmotor", "a damper, by its back EMF"}, {"muscle", "a muscle, which resists when it is stretched"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(it.node->name, known[i].name) == 0) return known[i].like;
  }
  if (strcmp(it.node->name, "cylinder") == 0 && limb_xml_get(it.node, "bias"))
    return "a spring and a damper, by its bias";
  if (strcmp(it.node->name, "general") != 0) return NULL;
  const char *bias = limb_mjcf_get(m, it, "biastype"), *gain = limb_mjcf_get(m, it, "gaintype");
  if (bias && strcmp(bias, "none") != 0) return "a spring and a damper, by its biastype";
  return gain && strcmp(gain, "fixed") != 0 ? "a spring and a damper, by its gaintype" : NULL;
}

void limb_mjcf_take_actuators(mjcf* m, const xml_node* section)
{
  int inputs = 0;
  for (const xml_node* n = section->first; n; n = n->next) {
    const mjcf_item it = limb_mjcf_make_item(m, n, MJCF_GENERAL, m->main_class);
    const char* like = likeness(m, it);
    inputs += !like;
    if (like)
      limb_report_once(m->findings, RULE_DROPPED, n->mark, (limb_subject){"actuator", n->name},
                       "it acts like %s: its forces are not part of the robot here", like);
  }
  if (inputs > 0)
    limb_report_once(m->findings, RULE_IGNORED, section->mark, (limb_subject){"section", "actuator"},
                     "motors are inputs: their torques are computed or given, and no part of the "
                     "robot");
}

// ---- motors of loops --------------------------------------------------------------------------------

// Marks the joint that an actuator acts on. 1, or 0 when it acts on something else.
static int mark_driven(const mjcf* m, const limb_names* t, const xml_node* n)
{
  static const char* const attributes[] = {"joint", "jointinparent"};
  for (int i = 0; i < 2; i++) {
    const char* name = limb_xml_get(n, attributes[i]);
    if (!name) continue;
    const int k = limb_names_find(t, name, limb_sketch_joint_name, m->s);
    if (k >= 0) m->s->joint[k].def.drive = LIMB_DRIVE_ACTIVE;
    return 1;
  }
  return 0;
}

// All that move, are not followers and have no mark yet.
static void mark_rest(mjcf* m, limb_drive drive)
{
  for (int k = 0; k < m->s->njoint; k++) {
    sketch_joint* j = &m->s->joint[k];
    const int own = j->def.type != LIMB_FIXED && !j->mimic;
    if (!own)
      j->def.drive = LIMB_DRIVE_AUTO;
    else if (j->def.drive == LIMB_DRIVE_AUTO)
      j->def.drive = drive;
  }
}

void limb_mjcf_mark_drives(mjcf* m, const xml_node* root)
{
  const xml_node* section = limb_xml_child(root, "actuator");
  const xml_node* other = NULL; // an actuator that is not that of a joint
  limb_names t;
  if (m->s->nloop == 0 || !section) return;
  if (!limb_sketch_joint_names(m->s, &t)) {
    m->no_memory = 1;
    return;
  }
  for (; section; section = limb_xml_next(section)) {
    for (const xml_node* n = section->first; n; n = n->next) {
      if (!mark_driven(m, &t, n) && !other) other = n;
    }
  }
  mark_rest(m, other ? LIMB_DRIVE_AUTO : LIMB_DRIVE_PASSIVE);
  if (other)
    limb_report(m->findings, RULE_ASSUMED, other->mark, limb_mjcf_subject(other),
                "it does not act on one joint: which joints of the loops are passive is not known");
}
