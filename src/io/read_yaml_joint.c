// Joints of limb YAML: the bodies that they connect, their type and axes, properties, drive and elasticity; shafts.
//
//   lumped   elastic: {stiffness, rest, damping, inertia}        a passive joint with spring, viscous
//            (Khalil 2010, section 6)                            friction and rotor inertia
//   series   elastic: {stiffness, damping, rest, motor: {...}}   motor and shaft: limb_builder_add_motor
//   shafts:  - {joint, motor, ratio, stiffness, damping, rest}   the shaft alone: limb_builder_add_shaft
#include "io/read_yaml.h"

#include "base/number.h"
#include "io/geometry.h"

#include <math.h>
#include <string.h>

static const char* const joint_keys[] = {"name", "type",  "parent", "antecedent",   "child", "pose",    "dh",   "screw",
                                         "axis", "axis2", "pitch",  JOINT_SECTIONS, "drive", "elastic", "start"};

// Reports a key that this joint cannot have.
static void cannot_have(yaml_reader* r, const yml_node* n, const raw_joint* j, const char* who)
{
  if (n)
    limb_report_error(&r->report, RULE_BAD_JOINT, n->key_pos, "a %s joint has no %s%s", joint_type_words[j->def.type],
                      n->key, who);
}

// ---- bodies -------------------------------------------------------------------------------

static void read_bodies(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  static const char* const parents[] = {"parent", "antecedent"};
  const yml_node* parent = limb_yml_one_of(&r->report, n, parents, COUNT(parents));
  if (!parent) (void)limb_yml_need(&r->report, n, "parent");
  j->parent = j->child = ""; // reports nothing more after an error
  (void)limb_yml_text(&r->report, parent, &j->parent);
  (void)limb_yml_text(&r->report, limb_yml_need(&r->report, n, "child"), &j->child);
  yaml_home* home = limb_yaml_find_home(r, j->child);
  if (home) home->carried = true;
}

// ---- axes and pitch ---------------------------------------------------------------------------------

static void read_axes(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  const limb_joint_type type = j->def.type;
  const yml_node *axis = limb_yml_get(n, "axis"), *axis2 = limb_yml_get(n, "axis2");
  const yml_node *dh = limb_yml_get(n, "dh"), *screw = limb_yml_get(n, "screw");
  int good = 1;
  if (!has_axis(type))
    cannot_have(r, axis, j, "");
  else if (axis && (dh || screw))
    limb_report_error(&r->report, RULE_BAD_VALUE, axis->key_pos,
                      "axis and %s exclude each other: the axis follows from it", dh ? "dh" : "screw");
  else if (axis)
    good = limb_yaml_direction(r, axis, &j->def.axis);
  else if (!dh && !screw && r->axisless++ == 0) {
    r->first_axisless.joint = j->name;
    r->first_axisless.pos = j->pos;
  }
  if (type != LIMB_UNIVERSAL && type != LIMB_PLANAR) {
    cannot_have(r, axis2, j, "");
    return;
  }
  if (!axis2 && type == LIMB_UNIVERSAL) (void)limb_yml_need(&r->report, n, "axis2");
  if (!axis2 || !limb_yaml_direction(r, axis2, &j->def.axis2) || !good) return;
  const sp_vec3 a = limb_unit(j->def.axis), b = limb_unit(j->def.axis2);
  if (sp_norm3(sp_cross3(a, b)) <= 1e-8)
    limb_report_error(&r->report, RULE_BAD_AXIS, axis2->pos, "axis2 is parallel to axis");
}

static void read_pitch(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  const yml_node *pitch = limb_yml_get(n, "pitch"), *screw = limb_yml_get(n, "screw");
  if (j->def.type != LIMB_HELICAL) {
    cannot_have(r, pitch, j, ": only helical joints do");
    return;
  }
  if (!screw)
    (void)limb_yml_number(&r->report, limb_yml_need(&r->report, n, "pitch"), &j->def.pitch);
  else if (pitch)
    limb_report_error(&r->report, RULE_BAD_VALUE, pitch->key_pos,
                      "pitch and screw exclude each other: the pitch follows from the screw");
}

// ---- properties -------------------------------------------------------------------------------------

static bool is_infinite(const yml_node* n)
{
  return n && n->kind == YML_SCALAR && !n->quoted && strstr(n->text, ".inf");
}

int limb_yaml_property(yaml_reader* r, const yml_node* section, const property* p, bool angle, void* out)
{
  const yml_node* n = limb_yml_get(section, p->key);
  if (!n) return 0;
  double x = 0;
  int good;
  if (p->rule & LIMIT && is_infinite(n))
    good = limb_yml_limit(&r->report, n, &x);
  else if (p->rule & PHASE || (p->rule & ANGLE && angle))
    good = limb_yml_angle(&r->report, n, r->angle, &x);
  else
    good = limb_yml_number(&r->report, n, &x);
  if (!good) return 0;
  if (!is_possible(p, x)) {
    const bool positive = p->rule & NONNEGATIVE && p->rule & NONZERO;
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "%s of %s is %s%s", p->key, p->section,
                      x < 0 ? "negative" : "zero", positive ? ": it must be greater than 0" : "");
    return 0;
  }
  set_property(p, x, out);
  return 1;
}

// ---- drive ------------------------------------------------------------------------------------------

static void read_drive(yaml_reader* r, const yml_node* joint, raw_joint* j)
{
  const yml_node* n = limb_yml_get(joint, "drive");
  int drive = LIMB_DRIVE_AUTO;
  if (!limb_yml_choice(&r->report, n, drive_words, NDRIVE, &drive)) return;
  j->def.drive = (limb_drive)drive;
  if (drive == LIMB_DRIVE_AUTO || !j->mimic) return;
  limb_report_error(&r->report, RULE_BAD_VALUE, n->key_pos,
                    "drive and mimic exclude each other: a mimic joint follows its leader");
}

// ---- elastic ----------------------------------------------------------------------------------------

static const property lumped[] = {
  {"elastic", "stiffness", offsetof(limb_joint_def, stiffness), NONNEGATIVE},
  {"elastic", "rest", offsetof(limb_joint_def, rest), ANGLE},
  {"elastic", "damping", offsetof(limb_joint_def, viscous), NONNEGATIVE},
  {"elastic", "inertia", offsetof(limb_joint_def, rotor_inertia), NONNEGATIVE},
};

static const property series[] = {
  {"elastic", "stiffness", offsetof(limb_motor_def, stiffness), NONNEGATIVE},
  {"elastic", "rest", offsetof(limb_motor_def, rest), ANGLE},
  {"elastic", "damping", offsetof(limb_motor_def, damping), NONNEGATIVE},
};

static const property motors[] = {
  {"motor", "inertia", offsetof(limb_motor_def, rotor_inertia), NONNEGATIVE | NONZERO},
  {"motor", "mass", offsetof(limb_motor_def, rotor_mass), NONNEGATIVE | NONZERO},
  {"motor", "gear", offsetof(limb_motor_def, ratio), NONZERO},
  {"motor", "coulomb", offsetof(limb_motor_def, coulomb), NONNEGATIVE},
  {"motor", "viscous", offsetof(limb_motor_def, viscous), NONNEGATIVE},
  {"motor", "effort", offsetof(limb_motor_def, effort_max), LIMIT | NONNEGATIVE},
};

// Reports a key of the joint that repeats or contradicts elastic.
static void exclude(yaml_reader* r, const yml_node* n, const char* why)
{
  if (n)
    limb_report_error(&r->report, RULE_BAD_VALUE, n->key_pos, "elastic and %s exclude each other: %s", n->key, why);
}

static void check_others(yaml_reader* r, const yml_node* joint, const raw_joint* j, bool motor)
{
  exclude(r, limb_yml_get(joint, "mimic"), "a mimic joint does not move independently");
  exclude(r, limb_yml_get(joint, "rotor"), motor ? "its motor has the rotor" : "elastic has the key inertia");
  if (j->def.drive == LIMB_DRIVE_ACTIVE)
    limb_report_error(&r->report, RULE_BAD_VALUE, limb_yml_get(joint, "drive")->pos,
                      "an elastic joint is driven by its spring only: it is passive");
  if (motor) return; // the joint may have springs and friction besides
  exclude(r, limb_yml_get(joint, "spring"), "elastic has the keys stiffness and rest");
  exclude(r, limb_yml_get(limb_yml_get(joint, "friction"), "viscous"), "elastic has the key damping");
}

static void read_lumped(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  static const char* const keys[] = {"stiffness", "rest", "damping", "inertia", "motor"};
  limb_yml_check_keys(&r->report, n, keys, COUNT(keys));
  for (int i = 0; i < COUNT(lumped); i++) (void)limb_yaml_property(r, n, &lumped[i], turns(j->def.type), &j->def);
  j->def.drive = LIMB_DRIVE_PASSIVE;
}

// Keys that depend on the model of the rotor.
static void read_rotor(yaml_reader* r, const yml_node* n, limb_motor_def* def)
{
  static const char* const models[] = {"spong", "full"};
  const yml_node *model = limb_yml_get(n, "model"), *mass = limb_yml_get(n, "mass"), *axis = limb_yml_get(n, "axis"),
                 *centre = limb_yml_get(n, "centre");
  if (model && !limb_yml_choice(&r->report, model, models, COUNT(models), &def->coupled)) return;
  if (axis) (void)limb_yaml_direction(r, axis, &def->axis);
  if (centre) (void)limb_yaml_vec3(r, centre, &def->centre);
  if (def->coupled && !mass)
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos,
                      "the key 'mass' of motor is missing, which 'model: full' needs");
  if (def->coupled || !mass) return;
  limb_report_error(&r->report, RULE_BAD_VALUE, mass->key_pos,
                    "the rotor of Spong's model has no mass of its own: its carrier includes it");
  limb_report_hint(r->report.findings, "add the mass to the parent body, or write 'model: full'");
}

static void read_motor(yaml_reader* r, const yml_node* n, limb_motor_def* def)
{
  static const char* const keys[] = {"inertia", "gear",    "mass",    "model", "axis",
                                     "centre",  "coulomb", "viscous", "effort"};
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  limb_yml_check_keys(&r->report, n, keys, COUNT(keys));
  if (!limb_yml_get(n, "inertia"))
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "the key 'inertia' of motor is missing");
  for (int i = 0; i < COUNT(motors); i++) (void)limb_yaml_property(r, n, &motors[i], false, def);
  read_rotor(r, n, def);
}

static void read_series(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  static const char* const keys[] = {"stiffness", "rest", "damping", "motor", "inertia"};
  const yml_node *motor = limb_yml_get(n, "motor"), *inertia = limb_yml_get(n, "inertia");
  limb_motor_def* def = limb_mempool_alloc(r->pool, sizeof *def);
  r->out_of_memory |= !def;
  if (!def) return;
  *def = limb_default_motor_def(0);
  limb_yml_check_keys(&r->report, n, keys, COUNT(keys));
  if (inertia)
    limb_report_error(&r->report, RULE_BAD_VALUE, inertia->key_pos,
                      "inertia and motor exclude each other: the motor has the key inertia");
  for (int i = 0; i < COUNT(series); i++) (void)limb_yaml_property(r, n, &series[i], turns(j->def.type), def);
  read_motor(r, motor, def);
  j->motor = def;
  j->motor_pos = motor->pos;
}

static void read_elastic(yaml_reader* r, const yml_node* joint, raw_joint* j)
{
  const yml_node* n = limb_yml_get(joint, "elastic");
  if (!n || !limb_yml_is(&r->report, n, YML_MAP)) return;
  const bool motor = limb_yml_get(n, "motor") != NULL;
  const yml_node* stiffness = limb_yml_need(&r->report, n, "stiffness");
  if (is_infinite(stiffness)) {
    limb_report_error(&r->report, RULE_BAD_NUMBER, stiffness->pos,
                      "stiffness of elastic must be finite: for a rigid joint use 'rotor' instead of 'elastic'");
    return;
  }
  check_others(r, joint, j, motor);
  if (motor)
    read_series(r, n, j);
  else
    read_lumped(r, n, j);
}

// ---- sections ---------------------------------------------------------------------------------------

static void read_section(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  const char* keys[1 + NJOINT_PROPERTY] = {"joint"};
  const bool mimic = strcmp(n->key, "mimic") == 0;
  int count = mimic ? 1 : 0;
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  for (int i = 0; i < NJOINT_PROPERTY; i++) {
    if (strcmp(joint_properties[i].section, n->key) == 0) keys[count++] = joint_properties[i].key;
  }
  limb_yml_check_keys(&r->report, n, keys, count);
  for (int i = 0; i < NJOINT_PROPERTY; i++) {
    if (strcmp(joint_properties[i].section, n->key) == 0)
      (void)limb_yaml_property(r, n, &joint_properties[i], turns(j->def.type), &j->def);
  }
  if (!mimic) return;
  const yml_node* leader = limb_yml_need(&r->report, n, "joint");
  if (limb_yml_text(&r->report, leader, &j->mimic)) j->mimic_pos = leader->pos;
}

static void read_start(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  const yml_node* start = limb_yml_get(n, start_property.key);
  if (!start) return;
  if (!one_dof(j->def.type))
    cannot_have(r, start, j, ": only revolute, prismatic and helical joints do");
  else if (j->mimic)
    limb_report_error(&r->report, RULE_BAD_VALUE, start->key_pos,
                      "start and mimic exclude each other: a mimic joint follows its leader");
  else
    (void)limb_yaml_property(r, n, &start_property, turns(j->def.type), &j->def);
}

static void read_properties(yaml_reader* r, const yml_node* n, raw_joint* j, bool continuous)
{
  static const char* const sections[] = {JOINT_SECTIONS, "elastic"};
  for (int i = 0; i < COUNT(sections); i++) {
    const yml_node* section = limb_yml_get(n, sections[i]);
    if (!section) continue;
    if (one_dof(j->def.type) && i < COUNT(sections) - 1)
      read_section(r, section, j);
    else if (!one_dof(j->def.type))
      cannot_have(r, section, j, ": only revolute, prismatic and helical joints do");
  }
  if (j->def.type == LIMB_FIXED)
    cannot_have(r, limb_yml_get(n, "drive"), j, "");
  else
    read_drive(r, n, j);
  read_start(r, n, j);
  if (one_dof(j->def.type)) read_elastic(r, n, j);
  const yml_node* limits = limb_yml_get(n, "limits");
  if (continuous && (limb_yml_get(limits, "lower") || limb_yml_get(limits, "upper")))
    limb_report_error(&r->report, RULE_BAD_JOINT, limits->key_pos,
                      "a continuous joint has no lower or upper limit: only revolute joints do");
  if (j->def.q_min > j->def.q_max) {
    char lower[LIMB_NUMBER_SPACE], upper[LIMB_NUMBER_SPACE];
    (void)limb_print_number(j->def.q_min, lower);
    (void)limb_print_number(j->def.q_max, upper);
    limb_report_error(&r->report, RULE_LIMIT_SWAPPED, limits->pos, "lower (%s) is above upper (%s)", lower, upper);
    j->def.q_min = -HUGE_VAL; // report it once
    j->def.q_max = HUGE_VAL;
  }
}

// ---- the joint --------------------------------------------------------------------------------------

// Types of other languages.
static void suggest_type(const yaml_reader* r, const yml_node* n)
{
  static const char* const words[][2] = {{"hinge", "revolute"},   {"rotary", "revolute"},  {"slide", "prismatic"},
                                         {"slider", "prismatic"}, {"linear", "prismatic"}, {"screw", "helical"},
                                         {"ball", "spherical"},   {"floating", "free"},    {"weld", "fixed"},
                                         {"rigid", "fixed"}};
  for (int i = 0; i < COUNT(words); i++) {
    if (n->kind == YML_SCALAR && strcmp(n->text, words[i][0]) == 0)
      limb_report_hint(r->report.findings, "limb calls it %s", words[i][1]);
  }
}

static int read_type(yaml_reader* r, const yml_node* n, bool* continuous)
{
  int type = TYPE_FAULTY;
  const yml_node* given = limb_yml_get(n, "type");
  if (!given) return TYPE_OPEN;
  if (!limb_yml_choice(&r->report, given, joint_type_words, NJOINT_TYPE, &type)) {
    suggest_type(r, given);
    return TYPE_FAULTY;
  }
  *continuous = type == JOINT_CONTINUOUS;
  return *continuous ? (int)LIMB_REVOLUTE : type;
}

// Type, placement and everything that depends on them.
static void read_kind(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  bool continuous = false;
  int type = read_type(r, n, &continuous);
  if (type == TYPE_OPEN && !limb_yml_get(n, "dh") && !limb_yml_get(n, "screw")) {
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "the key 'type' is missing");
    type = TYPE_FAULTY;
  }
  if (type == TYPE_FAULTY) return; // the rest depends on it
  (void)limb_yaml_place(r, n, j, &type);
  if (type < 0) return;
  j->def.type = (limb_joint_type)type;
  read_axes(r, n, j);
  read_pitch(r, n, j);
  read_properties(r, n, j, continuous);
}

void limb_yaml_joint(yaml_reader* r, const yml_node* n)
{
  const char* name;
  if (!limb_yaml_begin(r, n, r->raw->words.joint, joint_keys, COUNT(joint_keys), &name)) return;
  raw_joint* j = limb_raw_add_joint(r->raw, name, n->pos);
  if (!j) {
    r->out_of_memory = true;
    return;
  }
  read_bodies(r, n, j);
  read_kind(r, n, j);
}

// ---- shafts -----------------------------------------------------------------------------------------

void limb_yaml_shaft(yaml_reader* r, const yml_node* n)
{
  const char* keys[2 + NSHAFT_PROPERTY] = {"joint", "motor"};
  for (int i = 0; i < NSHAFT_PROPERTY; i++) keys[2 + i] = shaft_properties[i].key;
  r->report.about = (limb_subject){"shaft", NULL};
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  raw_shaft* x = limb_raw_add_shaft(r->raw, n->pos);
  if (!x) {
    r->out_of_memory = true;
    return;
  }
  if (limb_yml_text(&r->report, limb_yml_need(&r->report, n, "joint"), &x->joint)) r->report.about.name = x->joint;
  (void)limb_yml_text(&r->report, limb_yml_need(&r->report, n, "motor"), &x->motor);
  limb_yml_check_keys(&r->report, n, keys, COUNT(keys));
  const int k = limb_names_find(&r->joint_names, x->joint, limb_raw_joint_name, r->raw);
  const bool angle = k >= 0 && turns(r->raw->joint[k].def.type);
  for (int i = 0; i < NSHAFT_PROPERTY; i++) (void)limb_yaml_property(r, n, &shaft_properties[i], angle, &x->def);
}
