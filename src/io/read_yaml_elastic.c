// limb YAML: who drives a joint, and through what. drive:, elastic: and the list shafts:.
//
//   lumped   elastic: {stiffness, rest, damping, inertia}        a passive joint with spring, viscous
//            (Khalil 2010, section 6)                            friction and rotor inertia
//   series   elastic: {stiffness, damping, rest, motor: {...}}   motor and shaft: limb_builder_add_motor
//   shafts:  - {joint, motor, ratio, stiffness, damping, rest}   the shaft alone: limb_builder_add_shaft
#include "io/read_yaml_impl.h"
#include "io/yaml_schema.h"

#include "io/joints.h"

#include <string.h>

static bool is_infinite(const yml_node* n)
{
  return n && n->kind == YML_SCALAR && !n->quoted && strstr(n->text, ".inf");
}

int limb_yaml_property(yaml_reader* r, const yml_node* section, const yaml_property* p, bool turns, void* out)
{
  const yml_node* n = limb_yml_get(section, p->key);
  if (!n) return 0;
  double x = 0;
  int good;
  if (p->rule & LIMIT && is_infinite(n))
    good = limb_yml_limit(&r->check, n, &x);
  else if (p->rule & PHASE || (p->rule & ANGLE && turns))
    good = limb_yml_angle(&r->check, n, r->angle, &x);
  else
    good = limb_yml_number(&r->check, n, &x);
  if (!good) return 0;
  if ((p->rule & NONNEGATIVE && x < 0) || (p->rule & NONZERO && x == 0)) {
    const bool positive = p->rule & NONNEGATIVE && p->rule & NONZERO;
    limb_yml_error(&r->check, RULE_BAD_VALUE, n->mark, "%s of %s is %s%s", p->key, p->section,
                   x < 0 ? "negative" : "zero", positive ? ": it must be greater than 0" : "");
    return 0;
  }
  memcpy((char*)out + p->at, &x, sizeof x);
  return 1;
}

// ---- drive ------------------------------------------------------------------------------------------

void limb_yaml_drive(yaml_reader* r, const yml_node* joint, sketch_joint* j)
{
  const yml_node* n = limb_yml_get(joint, "drive");
  int drive = LIMB_DRIVE_AUTO;
  if (!limb_yml_choice(&r->check, n, yaml_drives, YAML_NDRIVE, &drive)) return;
  j->def.drive = (limb_drive)drive;
  if (drive == LIMB_DRIVE_AUTO || !j->mimic) return;
  limb_yml_error(&r->check, RULE_BAD_VALUE, n->key_mark,
                 "drive and mimic exclude each other: a follower moves as its leader does");
}

// ---- elastic ----------------------------------------------------------------------------------------

static const yaml_property lumped[] = {
  {"elastic", "stiffness", offsetof(limb_joint_def, stiffness), NONNEGATIVE},
  {"elastic", "rest", offsetof(limb_joint_def, rest), ANGLE},
  {"elastic", "damping", offsetof(limb_joint_def, viscous), NONNEGATIVE},
  {"elastic", "inertia", offsetof(limb_joint_def, rotor_inertia), NONNEGATIVE},
};

static const yaml_property series[] = {
  {"elastic", "stiffness", offsetof(limb_motor_def, stiffness), NONNEGATIVE},
  {"elastic", "rest", offsetof(limb_motor_def, rest), ANGLE},
  {"elastic", "damping", offsetof(limb_motor_def, damping), NONNEGATIVE},
};

static const yaml_property motors[] = {
  {"motor", "inertia", offsetof(limb_motor_def, rotor_inertia), NONNEGATIVE | NONZERO},
  {"motor", "mass", offsetof(limb_motor_def, rotor_mass), NONNEGATIVE | NONZERO},
  {"motor", "gear", offsetof(limb_motor_def, ratio), NONZERO},
  {"motor", "coulomb", offsetof(limb_motor_def, coulomb), NONNEGATIVE},
  {"motor", "viscous", offsetof(limb_motor_def, viscous), NONNEGATIVE},
  {"motor", "effort", offsetof(limb_motor_def, effort_max), LIMIT | NONNEGATIVE},
};

// Reports a key of the joint that says the same as elastic, or the opposite.
static void exclude(yaml_reader* r, const yml_node* n, const char* why)
{
  if (n) limb_yml_error(&r->check, RULE_BAD_VALUE, n->key_mark, "elastic and %s exclude each other: %s", n->key, why);
}

static void check_others(yaml_reader* r, const yml_node* joint, const sketch_joint* j, bool motor)
{
  exclude(r, limb_yml_get(joint, "mimic"), "a follower has no motion of its own");
  exclude(r, limb_yml_get(joint, "rotor"), motor ? "the rotor is that of its motor" : "elastic has the key inertia");
  if (j->def.drive == LIMB_DRIVE_ACTIVE)
    limb_yml_error(&r->check, RULE_BAD_VALUE, limb_yml_get(joint, "drive")->mark,
                   "an elastic joint is not driven but by its spring: it is passive");
  if (motor) return; // springs and friction beside the joint are another matter
  exclude(r, limb_yml_get(joint, "spring"), "elastic has the keys stiffness and rest");
  exclude(r, limb_yml_get(limb_yml_get(joint, "friction"), "viscous"), "elastic has the key damping");
}

static void read_lumped(yaml_reader* r, const yml_node* n, sketch_joint* j)
{
  static const char* const keys[] = {"stiffness", "rest", "damping", "inertia", "motor"};
  limb_yml_check_keys(&r->check, n, keys, COUNT(keys));
  for (int i = 0; i < COUNT(lumped); i++) (void)limb_yaml_property(r, n, &lumped[i], turns(j->def.type), &j->def);
  j->def.drive = LIMB_DRIVE_PASSIVE;
}

// What depends on the model of the rotor.
static void read_rotor(yaml_reader* r, const yml_node* n, limb_motor_def* def)
{
  static const char* const models[] = {"spong", "full"};
  const yml_node *model = limb_yml_get(n, "model"), *mass = limb_yml_get(n, "mass"), *axis = limb_yml_get(n, "axis"),
                 *centre = limb_yml_get(n, "centre");
  if (model && !limb_yml_choice(&r->check, model, models, COUNT(models), &def->coupled)) return;
  if (axis) (void)limb_yaml_direction(r, axis, &def->axis);
  if (centre) (void)limb_yaml_vec3(r, centre, &def->centre);
  if (def->coupled && !mass)
    limb_yml_error(&r->check, RULE_MISSING_KEY, n->mark, "the key 'mass' of motor is missing: 'model: full' needs it");
  if (def->coupled || !mass) return;
  limb_yml_error(&r->check, RULE_BAD_VALUE, mass->key_mark,
                 "the rotor of Spong's model has no mass of its own: it is part of its carrier");
  limb_report_hint(r->check.findings, "add the mass to the parent's body, or state 'model: full'");
}

static void read_motor(yaml_reader* r, const yml_node* n, limb_motor_def* def)
{
  static const char* const keys[] = {"inertia", "gear",    "mass",    "model", "axis",
                                     "centre",  "coulomb", "viscous", "effort"};
  if (!limb_yml_is(&r->check, n, YML_MAP)) return;
  limb_yml_check_keys(&r->check, n, keys, COUNT(keys));
  if (!limb_yml_get(n, "inertia"))
    limb_yml_error(&r->check, RULE_MISSING_KEY, n->mark, "the key 'inertia' of motor is missing");
  for (int i = 0; i < COUNT(motors); i++) (void)limb_yaml_property(r, n, &motors[i], false, def);
  read_rotor(r, n, def);
}

static void read_series(yaml_reader* r, const yml_node* n, sketch_joint* j)
{
  static const char* const keys[] = {"stiffness", "rest", "damping", "motor", "inertia"};
  const yml_node *motor = limb_yml_get(n, "motor"), *inertia = limb_yml_get(n, "inertia");
  limb_motor_def* def = limb_store_take(r->pool, sizeof *def);
  r->out_of_memory |= !def;
  if (!def) return;
  *def = limb_default_motor_def(0);
  limb_yml_check_keys(&r->check, n, keys, COUNT(keys));
  if (inertia)
    limb_yml_error(&r->check, RULE_BAD_VALUE, inertia->key_mark,
                   "inertia and motor exclude each other: the motor has the key inertia");
  for (int i = 0; i < COUNT(series); i++) (void)limb_yaml_property(r, n, &series[i], turns(j->def.type), def);
  read_motor(r, motor, def);
  j->motor = def;
  j->motor_mark = motor->mark;
}

void limb_yaml_elastic(yaml_reader* r, const yml_node* joint, sketch_joint* j)
{
  const yml_node* n = limb_yml_get(joint, "elastic");
  if (!n || !limb_yml_is(&r->check, n, YML_MAP)) return;
  const bool motor = limb_yml_get(n, "motor") != NULL;
  const yml_node* stiffness = limb_yml_need(&r->check, n, "stiffness");
  if (is_infinite(stiffness)) {
    limb_yml_error(&r->check, RULE_BAD_NUMBER, stiffness->mark,
                   "stiffness of elastic must be finite: a rigid joint has 'rotor' and no 'elastic'");
    return;
  }
  check_others(r, joint, j, motor);
  if (motor)
    read_series(r, n, j);
  else
    read_lumped(r, n, j);
}

// ---- shafts -----------------------------------------------------------------------------------------

void limb_yaml_shaft(yaml_reader* r, const yml_node* n)
{
  const char* keys[2 + YAML_NSHAFT] = {"joint", "motor"};
  for (int i = 0; i < YAML_NSHAFT; i++) keys[2 + i] = yaml_shaft[i].key;
  r->check.about = (limb_subject){"shaft", NULL};
  if (!limb_yml_is(&r->check, n, YML_MAP)) return;
  sketch_shaft* x = limb_sketch_shaft(r->sketch, n->mark);
  if (!x) {
    r->out_of_memory = true;
    return;
  }
  if (limb_yml_text(&r->check, limb_yml_need(&r->check, n, "joint"), &x->joint)) r->check.about.name = x->joint;
  (void)limb_yml_text(&r->check, limb_yml_need(&r->check, n, "motor"), &x->motor);
  limb_yml_check_keys(&r->check, n, keys, COUNT(keys));
  const int k = limb_names_find(&r->joint_names, x->joint, limb_sketch_joint_name, r->sketch);
  const bool angle = k >= 0 && turns(r->sketch->joint[k].def.type);
  for (int i = 0; i < YAML_NSHAFT; i++) (void)limb_yaml_property(r, n, &yaml_shaft[i], angle, &x->def);
}
