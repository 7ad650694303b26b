// MJCF: actuators. A motor is an input: its torque is what limb computes or is given. Others answer to the
// motion of the robot by themselves, as springs and dampers do, and these forces are missing in results.
#include "io/read_mjcf_impl.h"

#include <string.h>

// What the actuator is like that an element states; NULL: it is an input alone.
static const char* likeness(const mjcf* m, mjcf_item it)
{
  static const struct {
    const char *name, *like;
  } known[] = {{"position", "a spring, by its kp"},
               {"velocity", "a damper, by its kv"},
               {"intvelocity", "a spring, by its kp"},
               {"damper", "a damper, by its kv"},
               {"dcmotor", "a damper, by its back EMF"},
               {"muscle", "a muscle, which resists when it is stretched"}};
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
    limb_report_once(m->findings, RULE_IGNORED, section->mark,
                     (limb_subject){"section", "actuator"},
                     "motors are inputs: their torques are computed or given, and no part of the "
                     "robot");
}
