// Joints of limb YAML: the bodies that they connect, their type and axes, properties, drive and elasticity; shafts.
//
//   lumped   elastic: {stiffness, rest, damping, inertia}        a passive joint with spring, viscous
//            (Khalil 2010, section 6)                            friction and rotor inertia
//   series   elastic: {stiffness, damping, rest, motor: {...}}   motor and shaft: limb_builder_add_motor
//   shafts:  - {joint, motor, ratio, stiffness, damping, rest}   the shaft alone: limb_builder_add_shaft
//   tendons: - {name, joints: {JOINT: coefficient}, stiffness, damping, rest}
//            - {name, points: [{body or frame, xyz, pulley}, ...], stiffness, damping, rest}
#include "io/read_yaml.h"

#include "io/geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Reports a key that this joint cannot have.
static void cannot_have(yaml_reader* r, const yml_node* n, const raw_joint* j, const char* who)
{
  if (n)
    limb_report_error(&r->report, RULE_BAD_JOINT, n->key_pos, "a %s joint has no %s%s", joint_type_words[j->def.type],
                      n->key, who);
}

// Reports a key that repeats or contradicts another.
static void exclude(yaml_reader* r, const yml_node* n, const char* first, const char* second, const char* why)
{
  if (n)
    limb_report_error(&r->report, RULE_BAD_VALUE, n->key_pos, "%s and %s exclude each other: %s", first, second, why);
}

static const char only_one_dof[] = ": only revolute, prismatic and helical joints do";
static const char follows[] = "a mimic joint follows its leader";

bool limb_yaml_turns(const yaml_reader* r, const char* joint)
{
  const int k = limb_names_find(&r->joint_names, joint, limb_raw_joint_name, r->raw);
  return k >= 0 && turns(r->raw->joint[k].def.type);
}

// ---- axes and pitch -------------------------------------------------------------------------------

static void read_axes(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  const limb_joint_type type = j->def.type;
  const yml_node *axis = limb_yml_get(n, "axis"), *axis2 = limb_yml_get(n, "axis2");
  const yml_node *dh = limb_yml_get(n, "dh"), *screw = limb_yml_get(n, "screw");
  int good = 1;
  if (!has_axis(type))
    cannot_have(r, axis, j, "");
  else if (axis && (dh || screw))
    exclude(r, axis, "axis", dh ? "dh" : "screw", "the axis follows from it");
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
  if (j->def.type != LIMB_HELICAL)
    cannot_have(r, pitch, j, ": only helical joints do");
  else if (!screw)
    (void)limb_yml_number(&r->report, limb_yml_need(&r->report, n, "pitch"), &j->def.pitch);
  else
    exclude(r, pitch, "pitch", "screw", "the pitch follows from the screw");
}

// ---- properties -----------------------------------------------------------------------------------

static bool is_infinite(const yml_node* n)
{
  return n && n->kind == YML_SCALAR && !n->quoted && strstr(n->text, ".inf");
}

static void read_property(yaml_reader* r, const yml_node* n, const property* p, bool angle, void* out)
{
  double x = 0;
  int good;
  if (p->rule & LIMIT && is_infinite(n))
    good = limb_yml_limit(&r->report, n, &x);
  else if (p->rule & PHASE || (p->rule & ANGLE && angle))
    good = limb_yml_angle(&r->report, n, r->angle, &x);
  else
    good = limb_yml_number(&r->report, n, &x);
  if (!good) return;
  const bool positive = p->rule & NONNEGATIVE && p->rule & NONZERO;
  if (is_possible(p, x))
    set_property(p, x, out);
  else
    limb_report_error(&r->report, RULE_BAD_VALUE, n->pos, "%s of %s is %s%s", p->key, p->section,
                      x < 0 ? "negative" : "zero", positive ? ": it must be greater than 0" : "");
}

void limb_yaml_properties(yaml_reader* r, const yml_node* map, const property* p, int count, bool angle, void* out)
{
  for (int i = 0; i < count; i++) {
    const yml_node* n = limb_yml_get(map, p[i].key);
    if (n) read_property(r, n, &p[i], angle, out);
  }
}

// limits, rotor, friction, spring or mimic.
static void read_section(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  const bool mimic = strcmp(n->key, "mimic") == 0;
  char keys[80] = "";
  int used = snprintf(keys, sizeof keys, "%s", mimic ? "joint" : "");
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  for (int i = 0; i < NJOINT_PROPERTY; i++) {
    if (strcmp(joint_properties[i].section, n->key) != 0) continue;
    used += snprintf(keys + used, sizeof keys - (size_t)used, "%s%s", used ? " " : "", joint_properties[i].key);
    limb_yaml_properties(r, n, &joint_properties[i], 1, turns(j->def.type), &j->def);
  }
  limb_yml_check_keys(&r->report, n, keys);
  const yml_node* leader = mimic ? limb_yml_need(&r->report, n, "joint") : NULL;
  if (limb_yml_text(&r->report, leader, &j->mimic)) j->mimic_pos = leader->pos;
}

// ---- drive and elasticity -------------------------------------------------------------------------

static void read_drive(yaml_reader* r, const yml_node* joint, raw_joint* j)
{
  const yml_node* n = limb_yml_get(joint, "drive");
  int drive = LIMB_DRIVE_AUTO;
  if (j->def.type == LIMB_FIXED) {
    cannot_have(r, n, j, "");
  } else if (limb_yml_choice(&r->report, n, DRIVES, &drive)) {
    j->def.drive = (limb_drive)drive;
    if (drive != LIMB_DRIVE_AUTO && j->mimic) exclude(r, n, "drive", "mimic", follows);
  }
}

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

static void check_others(yaml_reader* r, const yml_node* joint, const raw_joint* j, bool motor)
{
  exclude(r, limb_yml_get(joint, "mimic"), "elastic", "mimic", "a mimic joint does not move independently");
  exclude(r, limb_yml_get(joint, "rotor"), "elastic", "rotor",
          motor ? "its motor has the rotor" : "elastic has the key inertia");
  if (j->def.drive == LIMB_DRIVE_ACTIVE)
    limb_report_error(&r->report, RULE_BAD_VALUE, limb_yml_get(joint, "drive")->pos,
                      "an elastic joint is driven by its spring only: it is passive");
  if (motor) return; // the joint may have springs and friction besides
  exclude(r, limb_yml_get(joint, "spring"), "elastic", "spring", "elastic has the keys stiffness and rest");
  exclude(r, limb_yml_get(limb_yml_get(joint, "friction"), "viscous"), "elastic", "viscous",
          "elastic has the key damping");
}

// Keys that depend on the model of the rotor.
static void read_rotor(yaml_reader* r, const yml_node* n, limb_motor_def* def)
{
  const yml_node *model = limb_yml_get(n, "model"), *mass = limb_yml_get(n, "mass"), *axis = limb_yml_get(n, "axis"),
                 *centre = limb_yml_get(n, "centre");
  if (model && !limb_yml_choice(&r->report, model, "spong full", &def->coupled)) return;
  if (axis) (void)limb_yaml_direction(r, axis, &def->axis);
  if (centre) (void)limb_yaml_vec3(r, centre, "m", &def->centre);
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
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  limb_yml_check_keys(&r->report, n, "inertia gear mass model axis centre coulomb viscous effort");
  if (!limb_yml_get(n, "inertia"))
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "the key 'inertia' of motor is missing");
  limb_yaml_properties(r, n, motors, COUNT(motors), false, def);
  read_rotor(r, n, def);
}

static void read_series(yaml_reader* r, const yml_node* n, const yml_node* motor, raw_joint* j)
{
  limb_motor_def* def = limb_mempool_alloc(r->pool, sizeof *def);
  r->out_of_memory |= !def;
  if (!def) return;
  *def = limb_default_motor_def(0);
  exclude(r, limb_yml_get(n, "inertia"), "inertia", "motor", "the motor has the key inertia");
  limb_yaml_properties(r, n, series, COUNT(series), turns(j->def.type), def);
  read_motor(r, motor, def);
  j->motor = def;
  j->motor_pos = motor->pos;
}

static void read_elastic(yaml_reader* r, const yml_node* joint, raw_joint* j)
{
  const yml_node *n = limb_yml_get(joint, "elastic"), *motor = limb_yml_get(n, "motor");
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  const yml_node* stiffness = limb_yml_need(&r->report, n, "stiffness");
  if (is_infinite(stiffness)) {
    limb_report_error(&r->report, RULE_BAD_NUMBER, stiffness->pos,
                      "stiffness of elastic must be finite: for a rigid joint use 'rotor' instead of 'elastic'");
    return;
  }
  check_others(r, joint, j, motor != NULL);
  limb_yml_check_keys(&r->report, n, "stiffness rest damping inertia motor");
  if (motor) {
    read_series(r, n, motor, j);
    return;
  }
  limb_yaml_properties(r, n, lumped, COUNT(lumped), turns(j->def.type), &j->def);
  j->def.drive = LIMB_DRIVE_PASSIVE;
}

// ---- the joint ------------------------------------------------------------------------------------

static void read_limits(yaml_reader* r, const yml_node* limits, raw_joint* j, bool continuous)
{
  if (continuous && (limb_yml_get(limits, "lower") || limb_yml_get(limits, "upper")))
    limb_report_error(&r->report, RULE_BAD_JOINT, limits->key_pos,
                      "a continuous joint has no lower or upper limit: only revolute joints do");
  if (limits) limb_raw_check_limits(r->report.findings, limits->pos, r->report.about, &j->def);
}

// A number for all degrees of freedom, or a list of one for each.
static void read_dofs(yaml_reader* r, const yml_node* section, const char* key, raw_joint* j, double* out)
{
  const yml_node* n = limb_yml_get(section, key);
  const int count = joint_dofs[j->def.type];
  if (!section || !limb_yml_is(&r->report, section, YML_MAP)) return;
  limb_yml_check_keys(&r->report, section, key);
  if (n && n->kind == YML_LIST) {
    (void)limb_yml_numbers(&r->report, n, count, out);
  } else if (n) {
    double x = 0;
    (void)limb_yml_number(&r->report, n, &x);
    for (int k = 0; k < count; k++) out[k] = x;
  }
}

// Of a joint with several degrees of freedom.
static void read_several(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  static const char* const single[] = {"limits", "mimic", "elastic", "start", "spring"};
  const yml_node* spring = j->def.type == LIMB_SPHERICAL ? limb_yml_get(n, "spring") : NULL;
  for (int i = 0; i < COUNT(single) - (spring != NULL); i++)
    cannot_have(r, limb_yml_get(n, single[i]), j, only_one_dof);
  if (spring) read_section(r, spring, j);
  read_dofs(r, limb_yml_get(n, "rotor"), "inertia", j, j->def.armature);
  read_dofs(r, limb_yml_get(n, "friction"), "viscous", j, j->def.damping);
  read_drive(r, n, j);
}

static void read_properties(yaml_reader* r, const yml_node* n, raw_joint* j, bool continuous)
{
  static const char* const sections[] = {JOINT_SECTIONS, "elastic"};
  const yml_node* start = limb_yml_get(n, "start");
  const bool single = one_dof(j->def.type);
  if (joint_dofs[j->def.type] > 1) {
    read_several(r, n, j);
    return;
  }
  for (int i = 0; i < COUNT(sections); i++) {
    const yml_node* section = limb_yml_get(n, sections[i]);
    if (!single)
      cannot_have(r, section, j, only_one_dof);
    else if (section && i < COUNT(sections) - 1)
      read_section(r, section, j);
  }
  read_drive(r, n, j);
  if (!single)
    cannot_have(r, start, j, only_one_dof);
  else if (j->mimic)
    exclude(r, start, "start", "mimic", follows);
  else
    limb_yaml_properties(r, n, &start_property, 1, turns(j->def.type), &j->def);
  if (single) read_elastic(r, n, j);
  read_limits(r, limb_yml_get(n, "limits"), j, continuous);
}

void limb_yaml_suggest(const yaml_reader* r, const yml_node* n, const char* what, const char* pairs)
{
  const int i = n && n->kind == YML_SCALAR ? limb_find_word(pairs, n->text, strlen(n->text)) : -1;
  if (i < 0 || i % 2 != 0) return;
  for (int k = 0; k <= i; k++) pairs += strcspn(pairs, " ") + 1;
  limb_report_hint(r->report.findings, "limb calls %s %.*s", what, (int)strcspn(pairs, " "), pairs);
}

// Type, placement and everything that depends on them.
static void read_kind(yaml_reader* r, const yml_node* n, raw_joint* j)
{
  const yml_node* given = limb_yml_get(n, "type");
  int type = TYPE_OPEN;
  if (given && !limb_yml_choice(&r->report, given, joint_types, &type)) {
    limb_yaml_suggest(r, given, "it",
                      "hinge revolute rotary revolute slide prismatic slider prismatic linear prismatic screw helical "
                      "ball spherical floating free weld fixed rigid fixed");
    return; // the rest depends on it
  }
  const bool continuous = type == JOINT_CONTINUOUS;
  if (continuous) type = LIMB_REVOLUTE;
  if (type == TYPE_OPEN && !limb_yml_get(n, "dh") && !limb_yml_get(n, "screw")) {
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "the key 'type' is missing");
    return;
  }
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
  if (!limb_yaml_begin(r, n, r->raw->words.joint,
                       "name type parent antecedent child pose dh screw axis axis2 pitch " JOINT_SECTION_WORDS
                       " drive elastic start",
                       &name))
    return;
  raw_joint* j = limb_raw_add_joint(r->raw, name, n->pos);
  r->out_of_memory |= !j;
  if (!j) return;
  const yml_node* parent = limb_yml_one_of(&r->report, n, "parent antecedent");
  if (!parent)
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos,
                      "the key 'parent' is missing, or 'antecedent' with dh rows");
  j->parent = j->child = ""; // reports nothing more after an error
  (void)limb_yml_text(&r->report, parent, &j->parent);
  (void)limb_yml_text(&r->report, limb_yml_need(&r->report, n, "child"), &j->child);
  yaml_home* home = limb_yaml_find_home(r, j->child);
  if (home) home->carried = true;
  read_kind(r, n, j);
}

// ---- shafts ---------------------------------------------------------------------------------------

void limb_yaml_shaft(yaml_reader* r, const yml_node* n)
{
  r->report.about = (limb_subject){"shaft", NULL};
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  raw_shaft* x = limb_raw_add_shaft(r->raw, n->pos);
  r->out_of_memory |= !x;
  if (!x) return;
  if (limb_yml_text(&r->report, limb_yml_need(&r->report, n, "joint"), &x->joint)) r->report.about.name = x->joint;
  (void)limb_yml_text(&r->report, limb_yml_need(&r->report, n, "motor"), &x->motor);
  limb_yml_check_keys(&r->report, n, "joint motor ratio stiffness damping rest");
  limb_yaml_properties(r, n, shaft_properties, NSHAFT_PROPERTY, limb_yaml_turns(r, x->joint), &x->def);
}

// ---- tendons --------------------------------------------------------------------------------------

static void read_pulls(yaml_reader* r, const yml_node* joints, raw_tendon* x)
{
  int count = 0;
  for (const yml_node* n = joints->first; n; n = n->next) count++;
  double* coefficient = limb_mempool_alloc(r->pool, ((size_t)count + 1) * sizeof *coefficient);
  x->joint = limb_mempool_alloc(r->pool, ((size_t)count + 1) * sizeof *x->joint);
  r->out_of_memory |= !x->joint || !coefficient;
  if (r->out_of_memory) return;
  x->def.coefficient = coefficient;
  for (const yml_node* n = joints->first; n; n = n->next) {
    x->joint[x->def.count] = n->key;
    coefficient[x->def.count] = 1; // after an error
    (void)limb_yml_number(&r->report, n, &coefficient[x->def.count++]);
  }
}

static void read_point(yaml_reader* r, const yml_node* n, raw_tendon_point* p)
{
  *p = (raw_tendon_point){.pos = n->pos, .body = ""};
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  limb_yml_check_keys(&r->report, n, "body frame xyz pulley");
  const yml_node *carrier = limb_yml_one_of(&r->report, n, "body frame"), *pulley = limb_yml_get(n, "pulley");
  if (!carrier)
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "a point of a tendon names neither a body nor a frame");
  else if (carrier->key[0] == 'f')
    p->body = limb_yml_text(&r->report, carrier, &p->frame) ? NULL : "";
  else
    (void)limb_yml_text(&r->report, carrier, &p->body);
  double x[3] = {0, 0, 0};
  if (limb_yml_get(n, "xyz")) (void)limb_yml_numbers(&r->report, limb_yml_get(n, "xyz"), 3, x);
  p->at = sp_v3(x[0], x[1], x[2]);
  if (pulley && limb_yml_number(&r->report, pulley, &p->pulley) && !(p->pulley > 0))
    limb_report_error(&r->report, RULE_BAD_NUMBER, pulley->pos, "a pulley divides lengths by a number above zero");
}

static void read_points(yaml_reader* r, const yml_node* points, raw_tendon* x)
{
  x->point = limb_mempool_alloc(r->pool, ((size_t)points->count + 1) * sizeof *x->point);
  r->out_of_memory |= !x->point;
  if (r->out_of_memory) return;
  if (points->count == 0) limb_report_error(&r->report, RULE_TENDON_TARGET, points->pos, "points is empty");
  for (const yml_node* n = points->first; n; n = n->next) read_point(r, n, &x->point[x->def.points++]);
}

void limb_yaml_tendon(yaml_reader* r, const yml_node* n)
{
  const char* name;
  if (!limb_yaml_begin(r, n, "tendon", "name joints points stiffness damping rest", &name)) return;
  raw_tendon* x = limb_raw_add_tendon(r->raw, name, n->pos);
  r->out_of_memory |= !x;
  if (!x) return;
  const yml_node* points = limb_yml_get(n, "points");
  const yml_node* joints = points ? limb_yml_get(n, "joints") : limb_yml_need(&r->report, n, "joints");
  if (points && joints)
    limb_report_error(&r->report, RULE_BAD_VALUE, points->key_pos,
                      "joints and points exclude each other: a tendon runs over the ones or through the others");
  else if (points && limb_yml_is(&r->report, points, YML_LIST))
    read_points(r, points, x);
  else if (joints && limb_yml_is(&r->report, joints, YML_MAP))
    read_pulls(r, joints, x);
  limb_yaml_properties(r, n, tendon_properties, NTENDON_PROPERTY, false, &x->def);
}
