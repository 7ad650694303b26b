// Joints of limb YAML: what they connect, their type and axes, and their properties.
#include "io/read_yaml_impl.h"
#include "io/yaml_schema.h"

#include "base/number.h"
#include "io/angles.h"
#include "io/joints.h"

#include <math.h>
#include <string.h>

static const char* const joint_keys[] = {"name", "type",  "parent", "antecedent",  "child", "pose",    "dh",   "screw",
                                         "axis", "axis2", "pitch",  YAML_SECTIONS, "drive", "elastic", "start"};

enum { CONTINUOUS = YAML_NTYPE - 1 };

// Reports a key that this joint cannot have. Always 0.
static int cannot_have(yaml_reader* r, const yml_node* n, const sketch_joint* j, const char* who)
{
  if (n)
    limb_yml_error(&r->check, RULE_BAD_JOINT, n->key_mark, "a %s joint has no %s%s", yaml_joint_types[j->def.type],
                   n->key, who);
  return 0;
}

// ---- what it connects -------------------------------------------------------------------------------

static void read_bodies(yaml_reader* r, const yml_node* n, sketch_joint* j)
{
  static const char* const parents[] = {"parent", "antecedent"};
  const yml_node* parent = limb_yml_one_of(&r->check, n, parents, COUNT(parents));
  if (!parent) (void)limb_yml_need(&r->check, n, "parent");
  j->parent = j->child = ""; // nothing more is said when an error was
  (void)limb_yml_text(&r->check, parent, &j->parent);
  (void)limb_yml_text(&r->check, limb_yml_need(&r->check, n, "child"), &j->child);
  yaml_home* home = limb_yaml_find_home(r, j->child);
  if (home) home->carried = true;
}

// ---- axes and pitch ---------------------------------------------------------------------------------

static void read_axes(yaml_reader* r, const yml_node* n, sketch_joint* j)
{
  const limb_joint_type type = j->def.type;
  const yml_node *axis = limb_yml_get(n, "axis"), *axis2 = limb_yml_get(n, "axis2");
  const yml_node *dh = limb_yml_get(n, "dh"), *screw = limb_yml_get(n, "screw");
  int good = 1;
  if (!has_axis(type))
    (void)cannot_have(r, axis, j, "");
  else if (axis && (dh || screw))
    limb_yml_error(&r->check, RULE_BAD_VALUE, axis->key_mark,
                   "axis and %s exclude each other: the axis follows from it", dh ? "dh" : "screw");
  else if (axis)
    good = limb_yaml_direction(r, axis, &j->def.axis);
  else if (!dh && !screw && r->axisless++ == 0) {
    r->first_axisless.joint = j->name;
    r->first_axisless.mark = j->mark;
  }
  if (type != LIMB_UNIVERSAL && type != LIMB_PLANAR) {
    (void)cannot_have(r, axis2, j, "");
    return;
  }
  if (!axis2 && type == LIMB_UNIVERSAL) (void)limb_yml_need(&r->check, n, "axis2");
  if (!axis2 || !limb_yaml_direction(r, axis2, &j->def.axis2) || !good) return;
  const sp_vec3 a = limb_unit(j->def.axis), b = limb_unit(j->def.axis2);
  if (sp_norm3(sp_cross3(a, b)) <= 1e-8)
    limb_yml_error(&r->check, RULE_BAD_AXIS, axis2->mark, "axis2 is parallel to axis");
}

static void read_pitch(yaml_reader* r, const yml_node* n, sketch_joint* j)
{
  const yml_node *pitch = limb_yml_get(n, "pitch"), *screw = limb_yml_get(n, "screw");
  if (j->def.type != LIMB_HELICAL) {
    (void)cannot_have(r, pitch, j, ": helical ones do");
    return;
  }
  if (!screw)
    (void)limb_yml_number(&r->check, limb_yml_need(&r->check, n, "pitch"), &j->def.pitch);
  else if (pitch)
    limb_yml_error(&r->check, RULE_BAD_VALUE, pitch->key_mark,
                   "pitch and screw exclude each other: the pitch follows from the screw");
}

// ---- properties -------------------------------------------------------------------------------------

static void read_section(yaml_reader* r, const yml_node* n, sketch_joint* j)
{
  const char* keys[1 + YAML_NPROPERTY] = {"joint"};
  const bool mimic = strcmp(n->key, "mimic") == 0;
  int count = mimic ? 1 : 0;
  if (!limb_yml_is(&r->check, n, YML_MAP)) return;
  for (int i = 0; i < YAML_NPROPERTY; i++) {
    if (strcmp(yaml_properties[i].section, n->key) == 0) keys[count++] = yaml_properties[i].key;
  }
  limb_yml_check_keys(&r->check, n, keys, count);
  for (int i = 0; i < YAML_NPROPERTY; i++) {
    if (strcmp(yaml_properties[i].section, n->key) == 0)
      (void)limb_yaml_property(r, n, &yaml_properties[i], turns(j->def.type), &j->def);
  }
  if (!mimic) return;
  const yml_node* leader = limb_yml_need(&r->check, n, "joint");
  if (limb_yml_text(&r->check, leader, &j->mimic)) j->mimic_mark = leader->mark;
}

static void read_start(yaml_reader* r, const yml_node* n, sketch_joint* j)
{
  const yml_node* start = limb_yml_get(n, yaml_start.key);
  if (!start) return;
  if (!one_dof(j->def.type))
    (void)cannot_have(r, start, j, ": revolute, prismatic and helical ones do");
  else if (j->mimic)
    limb_yml_error(&r->check, RULE_BAD_VALUE, start->key_mark,
                   "start and mimic exclude each other: a follower starts where its leader does");
  else
    (void)limb_yaml_property(r, n, &yaml_start, turns(j->def.type), &j->def);
}

static void read_properties(yaml_reader* r, const yml_node* n, sketch_joint* j, bool continuous)
{
  static const char* const sections[] = {YAML_SECTIONS, "elastic"};
  for (int i = 0; i < COUNT(sections); i++) {
    const yml_node* section = limb_yml_get(n, sections[i]);
    if (!section) continue;
    if (one_dof(j->def.type) && i < COUNT(sections) - 1)
      read_section(r, section, j);
    else if (!one_dof(j->def.type))
      (void)cannot_have(r, section, j, ": revolute, prismatic and helical ones do");
  }
  if (j->def.type == LIMB_FIXED)
    (void)cannot_have(r, limb_yml_get(n, "drive"), j, "");
  else
    limb_yaml_drive(r, n, j);
  read_start(r, n, j);
  if (one_dof(j->def.type)) limb_yaml_elastic(r, n, j);
  const yml_node* limits = limb_yml_get(n, "limits");
  if (continuous && (limb_yml_get(limits, "lower") || limb_yml_get(limits, "upper")))
    limb_yml_error(&r->check, RULE_BAD_JOINT, limits->key_mark,
                   "a continuous joint has no lower or upper limit: revolute ones do");
  if (j->def.q_min > j->def.q_max) {
    char lower[LIMB_NUMBER_SPACE], upper[LIMB_NUMBER_SPACE];
    (void)limb_print_number(j->def.q_min, lower);
    (void)limb_print_number(j->def.q_max, upper);
    limb_yml_error(&r->check, RULE_LIMIT_SWAPPED, limits->mark, "lower (%s) is above upper (%s)", lower, upper);
    j->def.q_min = -HUGE_VAL; // said once
    j->def.q_max = HUGE_VAL;
  }
}

// ---- the joint --------------------------------------------------------------------------------------

// Words of other languages.
static void suggest_type(const yaml_reader* r, const yml_node* n)
{
  static const char* const words[][2] = {{"hinge", "revolute"},   {"rotary", "revolute"},  {"slide", "prismatic"},
                                         {"slider", "prismatic"}, {"linear", "prismatic"}, {"screw", "helical"},
                                         {"ball", "spherical"},   {"floating", "free"},    {"weld", "fixed"},
                                         {"rigid", "fixed"}};
  for (int i = 0; i < COUNT(words); i++) {
    if (n->kind == YML_SCALAR && strcmp(n->text, words[i][0]) == 0)
      limb_report_hint(r->check.findings, "limb says %s", words[i][1]);
  }
}

static int read_type(yaml_reader* r, const yml_node* n, bool* continuous)
{
  int type = TYPE_FAULTY;
  const yml_node* given = limb_yml_get(n, "type");
  if (!given) return TYPE_OPEN;
  if (!limb_yml_choice(&r->check, given, yaml_joint_types, YAML_NTYPE, &type)) {
    suggest_type(r, given);
    return TYPE_FAULTY;
  }
  *continuous = type == CONTINUOUS;
  return *continuous ? (int)LIMB_REVOLUTE : type;
}

// The type, place and all that depends on them.
static void read_kind(yaml_reader* r, const yml_node* n, sketch_joint* j)
{
  bool continuous = false;
  int type = read_type(r, n, &continuous);
  if (type == TYPE_OPEN && !limb_yml_get(n, "dh") && !limb_yml_get(n, "screw")) {
    limb_yml_error(&r->check, RULE_MISSING_KEY, n->mark, "the key 'type' is missing");
    type = TYPE_FAULTY;
  }
  if (type == TYPE_FAULTY) return; // nothing else can be judged
  (void)limb_yaml_place(r, n, j, &type);
  if (type < 0) return;
  j->def.type = (limb_joint_type)type;
  read_axes(r, n, j);
  read_pitch(r, n, j);
  read_properties(r, n, j, continuous);
}

void limb_yaml_joint(yaml_reader* r, const yml_node* n)
{
  const char* name = "";
  r->check.about = (limb_subject){r->sketch->words.joint, NULL};
  if (!limb_yml_is(&r->check, n, YML_MAP)) return;
  if (limb_yml_text(&r->check, limb_yml_get(n, "name"), &name)) r->check.about.name = name;
  limb_yml_check_keys(&r->check, n, joint_keys, COUNT(joint_keys));
  sketch_joint* j = limb_sketch_joint(r->sketch, name, n->mark);
  if (!j) {
    r->out_of_memory = true;
    return;
  }
  read_bodies(r, n, j);
  read_kind(r, n, j);
}
