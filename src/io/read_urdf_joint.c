// URDF: <joint>, with its axis, limits, friction and the joint it follows.
#include "io/read_urdf_impl.h"

#include "base/number.h"
#include "io/angles.h"
#include "io/joints.h"

#include <math.h>
#include <string.h>

enum { STANDARD = 0, OWN = 1 };

typedef struct urdf_type {
  const char* name;
  limb_joint_type type;
  int own; // not of the standard
} urdf_type;

static const urdf_type types[] = {
  {"revolute", LIMB_REVOLUTE, STANDARD},   {"continuous", LIMB_REVOLUTE, STANDARD},
  {"prismatic", LIMB_PRISMATIC, STANDARD}, {"fixed", LIMB_FIXED, STANDARD},
  {"floating", LIMB_FREE, STANDARD},       {"planar", LIMB_PLANAR, STANDARD},
  {"spherical", LIMB_SPHERICAL, OWN},      {"ball", LIMB_SPHERICAL, OWN},
  {"helical", LIMB_HELICAL, OWN},          {"cylindrical", LIMB_CYLINDRICAL, OWN},
  {"universal", LIMB_UNIVERSAL, OWN},
};

enum { NTYPE = sizeof types / sizeof types[0] };

// A joint whose type is not known: it counts as one that others can follow, and its numbers are looked at.
static const urdf_type unknown_type = {"", LIMB_REVOLUTE, OWN};

// One <joint> while it is read.
typedef struct joint_reader {
  urdf_reader* r;
  const xml_node* n;
  limb_subject about;
  const urdf_type* type;
  sketch_joint* j;
} joint_reader;

static int is_continuous(const joint_reader* t) { return strcmp(t->type->name, "continuous") == 0; }

static const char* type_name(const void* context, int i)
{
  (void)context;
  return types[i].name;
}

// ---- type and ends --------------------------------------------------------------------------------

static const urdf_type* read_type(urdf_reader* r, limb_subject about, const xml_node* n)
{
  const char* name = limb_urdf_name(r, about, n, "type", 1);
  if (!name) return &unknown_type;
  for (int i = 0; i < NTYPE; i++) {
    if (strcmp(types[i].name, name) != 0) continue;
    if (types[i].own && limb_urdf_first(r, "type", types[i].name))
      limb_report(r->findings, RULE_EXTENSION, n->mark, about,
                  "type '%s' is not of the URDF standard: other readers may refuse it", name);
    return &types[i];
  }
  char mean[LIMB_WHERE_SPACE];
  limb_urdf_error(r, RULE_BAD_JOINT, limb_urdf_mark(r, n, "type"), about, "there is no joint of type '%.60s'%s", name,
                  limb_did_you_mean(r->findings, name, NTYPE, type_name, NULL, mean));
  limb_report_hint(r->findings, "types are revolute, continuous, prismatic, fixed, floating, planar; "
                                "and, of limb, spherical, helical, cylindrical, universal");
  return &unknown_type;
}

// Name of the link in <parent> or <child>; "" and a finding when there is none.
static const char* read_end(urdf_reader* r, limb_subject about, const xml_node* joint, const char* end)
{
  static const char* const attributes[] = {"link", NULL};
  static const urdf_words words = {.attribute = attributes};
  const xml_node* n = limb_xml_child(joint, end);
  if (!n) {
    limb_urdf_error(r, RULE_MISSING_KEY, joint->mark, about, "it has no <%s link=>", end);
    return "";
  }
  limb_urdf_check(r, about, n, &words);
  const char* name = limb_urdf_name(r, about, n, "link", 1);
  return name ? name : "";
}

// ---- axis -----------------------------------------------------------------------------------------

static void report_length(const joint_reader* t, const xml_node* n, sp_vec3 a)
{
  const double length = limb_length(a);
  char text[LIMB_NUMBER_SPACE];
  if (fabs(length - 1) <= 1e-6) return;
  (void)limb_print_number(fmin(length, 1e308), text);
  limb_report(t->r->findings, RULE_NORMALISED, limb_urdf_mark(t->r, n, "xyz"), t->about,
              "its axis \"%.80s\" has length %s: only its direction is used", limb_xml_get(n, "xyz"), text);
}

static void read_axis(const joint_reader* t)
{
  static const char* const attributes[] = {"xyz", NULL};
  static const urdf_words words = {.attribute = attributes};
  const limb_joint_type type = t->j->def.type;
  const int needed = has_axis(type);
  const xml_node* n = limb_xml_child(t->n, "axis");
  sp_vec3 a = sp_v3(1, 0, 0); // the default of URDF
  int told = 0;
  if (n) {
    limb_urdf_check(t->r, t->about, n, &words);
    told = limb_urdf_vector(t->r, t->about, n, "xyz", &a);
  }
  if (!needed) return;
  if (told == 0)
    limb_report(t->r->findings, RULE_ASSUMED, n ? n->mark : t->n->mark, t->about,
                "it states no axis: 1 0 0 is taken, the default of URDF");
  if (told > 0 && a.x == 0 && a.y == 0 && a.z == 0) {
    limb_urdf_error(t->r, RULE_BAD_AXIS, limb_urdf_mark(t->r, n, "xyz"), t->about,
                    "its axis is zero, and the joint is %s", t->type->name);
    a = sp_v3(1, 0, 0);
  } else if (told > 0) {
    report_length(t, n, a);
  }
  t->j->def.axis = a;
}

// ---- limits ---------------------------------------------------------------------------------------

// Limits have no effect on dynamics: a negative one, which some exporters write for none, is left out.
static void read_maximum(const joint_reader* t, const xml_node* n, const char* attribute, double* x)
{
  double found = 0;
  const int told = limb_urdf_limit(t->r, t->about, n, attribute, &found);
  if (told == 0)
    limb_report(t->r->findings, RULE_LIMIT_MISSING, n->mark, t->about,
                "<limit> has no %s: the joint is read without this limit", attribute);
  if (told > 0 && found < 0) {
    limb_report(t->r->findings, RULE_DROPPED, limb_urdf_mark(t->r, n, attribute), t->about,
                "%s=\"%.60s\" is negative: the joint is read without this limit", attribute,
                limb_xml_get(n, attribute));
  } else if (told > 0) {
    *x = found;
  }
}

static void read_range(const joint_reader* t, const xml_node* n)
{
  limb_joint_def* def = &t->j->def;
  if (is_continuous(t)) {
    if (limb_xml_get(n, "lower") || limb_xml_get(n, "upper"))
      limb_report(t->r->findings, RULE_IGNORED, n->mark, t->about, "lower and upper do not limit a continuous joint");
    return;
  }
  double lower = def->type == LIMB_HELICAL ? -HUGE_VAL : 0;
  double upper = def->type == LIMB_HELICAL ? HUGE_VAL : 0;
  const int low = limb_urdf_limit(t->r, t->about, n, "lower", &lower);
  const int high = limb_urdf_limit(t->r, t->about, n, "upper", &upper);
  if (low < 0 || high < 0) return;
  if (def->type != LIMB_HELICAL && (low == 0 || high == 0))
    limb_report(t->r->findings, RULE_ASSUMED, n->mark, t->about,
                "<limit> has no %s: zero is taken, the default of URDF",
                low == 0 && high == 0 ? "lower and no upper"
                : low == 0            ? "lower"
                                      : "upper");
  if (lower > upper || lower == HUGE_VAL || upper == -HUGE_VAL) {
    char from[LIMB_NUMBER_SPACE], to[LIMB_NUMBER_SPACE];
    (void)limb_print_number(lower, from);
    (void)limb_print_number(upper, to);
    limb_urdf_error(t->r, RULE_LIMIT_SWAPPED, n->mark, t->about, "no position lies between lower=%s and upper=%s", from,
                    to);
    return;
  }
  def->q_min = lower;
  def->q_max = upper;
}

static void read_limit(const joint_reader* t)
{
  static const char* const attributes[] = {"lower",        "upper",        "effort", "velocity",
                                           "acceleration", "deceleration", "jerk",   NULL};
  static const urdf_words words = {.attribute = attributes};
  const xml_node* n = limb_xml_child(t->n, "limit");
  if (!n) {
    if (!is_continuous(t) && t->type->own == STANDARD)
      limb_report(t->r->findings, RULE_LIMIT_MISSING, t->n->mark, t->about,
                  "a %s joint needs a <limit>: it is read without limits", t->type->name);
    return;
  }
  limb_urdf_check(t->r, t->about, n, &words);
  read_range(t, n);
  read_maximum(t, n, "effort", &t->j->def.effort_max);
  read_maximum(t, n, "velocity", &t->j->def.v_max);
  for (int i = 4; attributes[i]; i++) {
    if (limb_xml_get(n, attributes[i]) && limb_urdf_first(t->r, "limit", attributes[i]))
      limb_report(t->r->findings, RULE_IGNORED, n->mark, t->about, "limits of %s are not read", attributes[i]);
  }
}

// ---- friction and followers -----------------------------------------------------------------------

static void read_friction(const joint_reader* t, const xml_node* n, const char* attribute, double* x)
{
  double found = 0;
  if (limb_urdf_number(t->r, t->about, n, attribute, &found) <= 0) return;
  if (found < 0)
    limb_urdf_error(t->r, RULE_BAD_VALUE, limb_urdf_mark(t->r, n, attribute), t->about,
                    "%s=\"%.60s\" is negative: the joint would drive itself", attribute, limb_xml_get(n, attribute));
  else
    *x = found;
}

static void read_dynamics(const joint_reader* t, double* viscous, double* coulomb)
{
  static const char* const attributes[] = {"damping", "friction", NULL};
  static const urdf_words words = {.attribute = attributes};
  const xml_node* n = limb_xml_child(t->n, "dynamics");
  if (!n) return;
  limb_urdf_check(t->r, t->about, n, &words);
  read_friction(t, n, "damping", viscous);
  read_friction(t, n, "friction", coulomb);
}

static void read_mimic(const joint_reader* t)
{
  static const char* const attributes[] = {"joint", "multiplier", "offset", NULL};
  static const urdf_words words = {.attribute = attributes};
  const xml_node* n = limb_xml_child(t->n, "mimic");
  if (!n) return;
  limb_urdf_check(t->r, t->about, n, &words);
  t->j->mimic = limb_urdf_name(t->r, t->about, n, "joint", 1);
  t->j->mimic_mark = n->mark;
  (void)limb_urdf_number(t->r, t->about, n, "multiplier", &t->j->def.multiplier);
  (void)limb_urdf_number(t->r, t->about, n, "offset", &t->j->def.offset);
}

// What a joint without exactly one degree of freedom cannot have. A fixed joint loses nothing by it.
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
      limb_report(t->r->findings, RULE_DROPPED, n->mark, t->about, "<%s> is not read: a %s joint cannot have it",
                  n->name, t->type->name);
    else if (limb_urdf_first(t->r, "fixed", n->name))
      limb_report(t->r->findings, RULE_IGNORED, n->mark, t->about,
                  "<%s> has no effect on a fixed joint, here and wherever else it occurs", n->name);
  }
}

// The numbers of a joint whose type is not known: what they mean depends on it, but numbers they must be.
static void read_numbers(const joint_reader* t)
{
  static const char* const limits[] = {"lower", "upper", "effort", "velocity"};
  const xml_node *axis = limb_xml_child(t->n, "axis"), *limit = limb_xml_child(t->n, "limit");
  sp_vec3 a;
  double x = 0, y = 0;
  if (axis) (void)limb_urdf_vector(t->r, t->about, axis, "xyz", &a);
  for (int i = 0; limit && i < 4; i++) (void)limb_urdf_limit(t->r, t->about, limit, limits[i], &x);
  read_dynamics(t, &x, &y);
}

// ---- the joint ------------------------------------------------------------------------------------

static void read_properties(const joint_reader* t)
{
  t->j->def.placement = limb_urdf_origin(t->r, t->about, t->n);
  if (t->type == &unknown_type) {
    read_numbers(t);
    return;
  }
  read_axis(t);
  limb_urdf_joint_extension(t->r, t->n, t->j);
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
  static const char* const attributes[] = {"name", "type", NULL};
  static const char* const children[] = {"parent",   "child", "origin", "axis", "limit",
                                         "dynamics", "mimic", "limb",   NULL};
  static const char* const ignored[] = {"safety_controller", "calibration",       "gazebo", "sensor",
                                        "joint_properties",  "hardwareInterface", NULL};
  static const urdf_words words = {.attribute = attributes, .child = children, .ignored = ignored};
  const limb_subject about = {"joint", limb_xml_get(n, "name")};
  const char* name = limb_urdf_name(r, about, n, "name", 0);
  limb_urdf_check(r, about, n, &words);
  const urdf_type* type = read_type(r, about, n);
  const char* parent = read_end(r, about, n, "parent");
  const char* child = read_end(r, about, n, "child");
  sketch_joint* j = limb_sketch_joint(r->sketch, name, n->mark);
  if (!j) return 0;
  j->parent = parent;
  j->child = child;
  j->def.type = type->type;
  read_properties(&(joint_reader){r, n, about, type, j});
  return 1;
}
