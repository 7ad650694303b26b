// URDF: <joint>, with its axis, limits, friction, mimic, and limb's own element <limb> for what URDF cannot express;
// <shaft> in <limb> of the robot.
#include "io/read_urdf.h"

#include "io/file_text.h"
#include "io/geometry.h"

#include <math.h>
#include <string.h>

enum { STANDARD = 0, OWN = 1 };

typedef struct urdf_type {
  const char* name;
  limb_joint_type type;
  int own; // not part of the standard
} urdf_type;

static const urdf_type types[] = {
  {"revolute", LIMB_REVOLUTE, STANDARD},   {"continuous", LIMB_REVOLUTE, STANDARD},
  {"prismatic", LIMB_PRISMATIC, STANDARD}, {"fixed", LIMB_FIXED, STANDARD},
  {"floating", LIMB_FREE, STANDARD},       {"planar", LIMB_PLANAR, STANDARD},
  {"spherical", LIMB_SPHERICAL, OWN},      {"ball", LIMB_SPHERICAL, OWN},
  {"helical", LIMB_HELICAL, OWN},          {"cylindrical", LIMB_CYLINDRICAL, OWN},
  {"universal", LIMB_UNIVERSAL, OWN},
};

// A joint of unknown type: others may follow it, and its numbers are checked.
static const urdf_type unknown_type = {"", LIMB_REVOLUTE, OWN};

// One <joint> while it is read.
typedef struct joint_reader {
  urdf_reader* r;
  const xml_node* n;
  const urdf_type* type;
  raw_joint* j;
} joint_reader;

static int is_continuous(const joint_reader* t) { return strcmp(t->type->name, "continuous") == 0; }

static const char* type_name(const void* context, int i)
{
  (void)context;
  return types[i].name;
}

// ---- type and ends --------------------------------------------------------------------------------

static const urdf_type* read_type(urdf_reader* r, const xml_node* n)
{
  const char* name = limb_urdf_name(r, n, "type", 1);
  if (!name) return &unknown_type;
  for (int i = 0; i < COUNT(types); i++) {
    if (strcmp(types[i].name, name) != 0) continue;
    if (types[i].own && limb_urdf_first(r, "type", types[i].name))
      limb_report_note(&r->report, RULE_EXTENSION, n->pos,
                       "type '%s' is not part of the URDF standard: other readers may refuse it", name);
    return &types[i];
  }
  limb_report_error(&r->report, RULE_BAD_JOINT, limb_urdf_attribute_pos(r, n, "type"),
                    "there is no joint type '%.60s'%s", name,
                    limb_did_you_mean(r->report.findings, name, COUNT(types), type_name, NULL).text);
  limb_report_hint(r->report.findings, "types are revolute, continuous, prismatic, fixed, floating, planar; and, in "
                                       "limb only, spherical, helical, cylindrical, universal");
  return &unknown_type;
}

// Name of the link in <parent> or <child>; "" after an error.
static const char* read_end(urdf_reader* r, const xml_node* joint, const char* end)
{
  const xml_node* n = limb_urdf_child(r, joint, end, "link");
  if (!n) limb_report_error(&r->report, RULE_MISSING_KEY, joint->pos, "it has no <%s link=>", end);
  const char* name = n ? limb_urdf_name(r, n, "link", 1) : NULL;
  return name ? name : "";
}

// ---- axis -----------------------------------------------------------------------------------------

static void read_axis(const joint_reader* t)
{
  const xml_node* n = limb_urdf_child(t->r, t->n, "axis", "xyz");
  sp_vec3 a = sp_v3(1, 0, 0); // the default of URDF
  const int given = n ? limb_urdf_vector(t->r, n, "xyz", &a) : 0;
  if (!has_axis(t->j->def.type)) return;
  if (given == 0)
    limb_report_note(&t->r->report, RULE_ASSUMED, n ? n->pos : t->n->pos,
                     "it has no axis: 1 0 0 is assumed, the default of URDF");
  if (given > 0 && limb_is_zero(a)) {
    limb_report_error(&t->r->report, RULE_BAD_AXIS, limb_urdf_attribute_pos(t->r, n, "xyz"),
                      "its axis is zero, but the joint is %s", t->type->name);
    a = sp_v3(1, 0, 0);
  } else if (given > 0 && fabs(limb_length(a) - 1) > 1e-6) {
    limb_report_note(&t->r->report, RULE_NORMALISED, limb_urdf_attribute_pos(t->r, n, "xyz"),
                     "its axis \"%.80s\" has length %s: only its direction is used", limb_xml_get(n, "xyz"),
                     limb_show(fmin(limb_length(a), 1e308)).text);
  }
  t->j->def.axis = a;
}

// ---- limits ---------------------------------------------------------------------------------------

// Limits do not affect dynamics: a negative one, which some exporters write for none, is ignored. needed: its
// absence is worth a note.
static void read_maximum(const joint_reader* t, const xml_node* n, const char* attribute, int needed, double* x)
{
  double found = 0;
  const int given = limb_urdf_limit(t->r, n, attribute, &found);
  if (given == 0 && needed)
    limb_report_note(&t->r->report, RULE_LIMIT_MISSING, n->pos,
                     "<limit> has no %s: the joint is read without this limit", attribute);
  else if (given > 0 && found < 0)
    limb_report_note(&t->r->report, RULE_DROPPED, limb_urdf_attribute_pos(t->r, n, attribute),
                     "%s=\"%.60s\" is negative: the joint is read without this limit", attribute,
                     limb_xml_get(n, attribute));
  else if (given > 0)
    *x = found;
}

static void read_range(const joint_reader* t, const xml_node* n)
{
  limb_joint_def* def = &t->j->def;
  if (is_continuous(t)) {
    if (limb_xml_get(n, "lower") || limb_xml_get(n, "upper"))
      limb_report_note(&t->r->report, RULE_IGNORED, n->pos, "lower and upper do not limit a continuous joint");
    return;
  }
  double lower = def->type == LIMB_HELICAL ? -HUGE_VAL : 0;
  double upper = def->type == LIMB_HELICAL ? HUGE_VAL : 0;
  const int low = limb_urdf_limit(t->r, n, "lower", &lower), high = limb_urdf_limit(t->r, n, "upper", &upper);
  if (low < 0 || high < 0) return;
  if (def->type != LIMB_HELICAL && (low == 0 || high == 0))
    limb_report_note(&t->r->report, RULE_ASSUMED, n->pos, "<limit> has no %s: zero is assumed, the default of URDF",
                     low == 0 && high == 0 ? "lower and no upper"
                     : low == 0            ? "lower"
                                           : "upper");
  def->q_min = lower;
  def->q_max = upper;
  limb_raw_check_limits(t->r->report.findings, n->pos, t->r->report.about, def);
}

static void read_limit(const joint_reader* t)
{
  const xml_node* n =
    limb_urdf_child(t->r, t->n, "limit", "lower upper effort velocity acceleration deceleration jerk");
  if (!n) {
    if (!is_continuous(t) && t->type->own == STANDARD)
      limb_report_note(&t->r->report, RULE_LIMIT_MISSING, t->n->pos,
                       "a %s joint needs a <limit>: it is read without limits", t->type->name);
    return;
  }
  read_range(t, n);
  read_maximum(t, n, "effort", 1, &t->j->def.effort_max);
  read_maximum(t, n, "velocity", 1, &t->j->def.v_max);
  read_maximum(t, n, "acceleration", 0, &t->j->def.a_max); // these three of URDF 1.2
  read_maximum(t, n, "deceleration", 0, &t->j->def.deceleration_max);
  read_maximum(t, n, "jerk", 0, &t->j->def.jerk_max);
}

// ---- friction and mimic ---------------------------------------------------------------------------

static void read_dynamics(const joint_reader* t, double* viscous, double* coulomb)
{
  static const char* const names[] = {"damping", "friction"};
  double* const to[] = {viscous, coulomb};
  const xml_node* n = limb_urdf_child(t->r, t->n, "dynamics", "damping friction");
  for (int i = 0; n && i < 2; i++) {
    double found = 0;
    if (limb_urdf_number(t->r, n, names[i], &found) <= 0) continue;
    if (found >= 0)
      *to[i] = found;
    else
      limb_report_error(&t->r->report, RULE_BAD_VALUE, limb_urdf_attribute_pos(t->r, n, names[i]),
                        "%s=\"%.60s\" is negative: the joint would drive itself", names[i], limb_xml_get(n, names[i]));
  }
}

static void read_mimic(const joint_reader* t)
{
  const xml_node* n = limb_urdf_child(t->r, t->n, "mimic", "joint multiplier offset");
  if (!n) return;
  t->j->mimic = limb_urdf_name(t->r, n, "joint", 1);
  t->j->mimic_pos = n->pos;
  (void)limb_urdf_number(t->r, n, "multiplier", &t->j->def.multiplier);
  (void)limb_urdf_number(t->r, n, "offset", &t->j->def.offset);
}

// What only joints with exactly one degree of freedom can have. On a fixed joint it has no effect anyway.
static void refuse_properties(const joint_reader* t)
{
  static const char* const elements[] = {"limit", "dynamics", "mimic"};
  const int fixed = t->j->def.type == LIMB_FIXED;
  double viscous = 0, coulomb = 0;
  read_dynamics(t, &viscous, &coulomb);
  for (int i = 0; i < 3; i++) {
    const xml_node* n = limb_xml_child(t->n, elements[i]);
    if (!n || (i == 1 && viscous == 0 && coulomb == 0)) continue;
    if (!fixed)
      limb_report_note(&t->r->report, RULE_DROPPED, n->pos, "<%s> is not read: a %s joint cannot have it", n->name,
                       t->type->name);
    else if (limb_urdf_first(t->r, "fixed", n->name))
      limb_report_note(&t->r->report, RULE_IGNORED, n->pos,
                       "<%s> has no effect on a fixed joint, here and anywhere else", n->name);
  }
}

// Checks that the numbers of a joint of unknown type are numbers; their meaning depends on the type.
static void check_numbers(const joint_reader* t)
{
  static const char* const limits[] = {"lower", "upper", "effort", "velocity"};
  const xml_node *axis = limb_xml_child(t->n, "axis"), *limit = limb_xml_child(t->n, "limit");
  sp_vec3 a;
  double x = 0, y = 0;
  if (axis) (void)limb_urdf_vector(t->r, axis, "xyz", &a);
  for (int i = 0; limit && i < 4; i++) (void)limb_urdf_limit(t->r, limit, limits[i], &x);
  read_dynamics(t, &x, &y);
}

// ---- <limb> ---------------------------------------------------------------------------------------

static const property own_properties[] = {
  {"limb", "rotor_inertia", offsetof(limb_joint_def, rotor_inertia), NONNEGATIVE},
  {"limb", "gear_ratio", offsetof(limb_joint_def, gear_ratio), NONZERO},
  {"limb", "stiffness", offsetof(limb_joint_def, stiffness), NONNEGATIVE},
  {"limb", "rest", offsetof(limb_joint_def, rest), ANY},
  {"limb", "start", offsetof(limb_joint_def, start), ANY},
  {"limb", "pitch", offsetof(limb_joint_def, pitch), ANY},
};

static void read_own_properties(const joint_reader* t, const xml_node* n)
{
  const limb_joint_type type = t->j->def.type;
  for (int i = 0; i < COUNT(own_properties); i++) {
    const property* p = &own_properties[i];
    const int ball = type == LIMB_SPHERICAL && strcmp(p->key, "stiffness") == 0;
    const int possible = strcmp(p->key, "pitch") == 0 ? type == LIMB_HELICAL : one_dof(type) || ball;
    if (possible || !limb_xml_get(n, p->key))
      (void)limb_urdf_property(t->r, n, p, &t->j->def);
    else
      limb_report_error(&t->r->report, RULE_BAD_JOINT, limb_urdf_attribute_pos(t->r, n, p->key),
                        "a %s joint cannot have a %s", t->type->name, p->key);
  }
}

// Of a joint with several degrees of freedom: a number for each.
static void read_directions(const joint_reader* t, const xml_node* n)
{
  static const char* const names[] = {"armature", "damping"};
  double* const to[] = {t->j->def.armature, t->j->def.damping};
  const int count = joint_dofs[t->j->def.type];
  for (int i = 0; i < 2; i++) {
    if (!limb_xml_get(n, names[i])) continue;
    if (count < 2)
      limb_report_error(&t->r->report, RULE_BAD_JOINT, limb_urdf_attribute_pos(t->r, n, names[i]),
                        "%s is for joints with several degrees of freedom", names[i]);
    else
      (void)limb_urdf_numbers(t->r, n, names[i], count, to[i]);
  }
}

static void read_drive(const joint_reader* t, const xml_node* n)
{
  const char* word = limb_xml_get(n, "drive");
  const int drive = word ? limb_find_word(DRIVES, word, strlen(word)) : LIMB_DRIVE_AUTO;
  const int fixed = t->j->def.type == LIMB_FIXED;
  if (drive < 0)
    limb_report_error(&t->r->report, RULE_BAD_VALUE, limb_urdf_attribute_pos(t->r, n, "drive"),
                      "drive=\"%.60s\" must be active, passive or auto", word);
  else if (drive != LIMB_DRIVE_AUTO && (fixed || limb_xml_child(t->n, "mimic")))
    limb_report_error(&t->r->report, RULE_BAD_JOINT, limb_urdf_attribute_pos(t->r, n, "drive"),
                      "a %s joint has no drive of its own", fixed ? "fixed" : "mimic");
  else
    t->j->def.drive = (limb_drive)drive;
}

static void read_extension(const joint_reader* t)
{
  static const urdf_words words = {.attributes = "rotor_inertia gear_ratio stiffness rest pitch axis2 drive start "
                                                 "armature damping",
                                   .strict = 1};
  urdf_reader* r = t->r;
  limb_joint_def* def = &t->j->def;
  const xml_node* n = limb_xml_child(t->n, "limb");
  if (n) {
    limb_urdf_check(r, n, &words);
    read_own_properties(t, n);
    read_directions(t, n);
    read_drive(t, n);
    if (limb_xml_get(n, "start") && limb_xml_child(t->n, "mimic"))
      limb_report_error(&r->report, RULE_BAD_JOINT, limb_urdf_attribute_pos(r, n, "start"),
                        "a mimic joint has no start of its own: it follows its leader");
    if (limb_urdf_vector(r, n, "axis2", &def->axis2) > 0 && def->type != LIMB_UNIVERSAL && def->type != LIMB_PLANAR)
      limb_report_error(&r->report, RULE_BAD_JOINT, limb_urdf_attribute_pos(r, n, "axis2"),
                        "only universal and planar joints have a second axis");
  }
  if (def->type == LIMB_UNIVERSAL && limb_is_zero(def->axis2))
    limb_report_error(&r->report, RULE_BAD_AXIS, n ? n->pos : t->n->pos,
                      "a universal joint needs a second axis: <limb axis2=\"x y z\"/>");
  if (def->type == LIMB_HELICAL && !(n && limb_xml_get(n, "pitch")))
    limb_report_note(&r->report, RULE_ASSUMED, t->n->pos,
                     "it has no pitch (<limb pitch=>): zero is assumed, as for a revolute joint");
}

int limb_urdf_shaft(urdf_reader* r, const xml_node* n)
{
  static const urdf_words words = {.attributes = "joint motor ratio stiffness damping rest", .strict = 1};
  r->report.about = (limb_subject){"shaft", limb_xml_get(n, "joint")};
  raw_shaft* x = limb_raw_add_shaft(r->raw, n->pos);
  if (!x) return 0;
  limb_urdf_check(r, n, &words);
  const char *joint = limb_urdf_name(r, n, "joint", 1), *motor = limb_urdf_name(r, n, "motor", 1);
  x->joint = joint ? joint : "";
  x->motor = motor ? motor : "";
  for (int i = 0; i < NSHAFT_PROPERTY; i++) (void)limb_urdf_property(r, n, &shaft_properties[i], &x->def);
  return 1;
}

// ---- the joint ------------------------------------------------------------------------------------

static void read_properties(const joint_reader* t)
{
  t->j->def.placement = limb_urdf_origin(t->r, t->n);
  if (t->type == &unknown_type) {
    check_numbers(t);
    return;
  }
  read_axis(t);
  read_extension(t);
  if (!one_dof(t->j->def.type)) {
    refuse_properties(t);
    return;
  }
  read_limit(t);
  read_dynamics(t, &t->j->def.viscous, &t->j->def.coulomb);
  read_mimic(t);
}

int limb_urdf_joint(urdf_reader* r, const xml_node* n)
{
  static const urdf_words words = {.attributes = "name type",
                                   .children = "parent child origin axis limit dynamics mimic limb",
                                   .ignored =
                                     "safety_controller calibration gazebo sensor joint_properties hardwareInterface"};
  r->report.about = (limb_subject){"joint", limb_xml_get(n, "name")};
  const char* name = limb_urdf_name(r, n, "name", 0);
  limb_urdf_check(r, n, &words);
  const urdf_type* type = read_type(r, n);
  const char *parent = read_end(r, n, "parent"), *child = read_end(r, n, "child");
  raw_joint* j = limb_raw_add_joint(r->raw, name, n->pos);
  if (!j) return 0;
  j->parent = parent;
  j->child = child;
  j->def.type = type->type;
  read_properties(&(joint_reader){r, n, type, j});
  return 1;
}
