// URDF: what says something about actuators. <transmission> gives gear ratios; limb's own element <limb> of a
// joint says what URDF has no word for, and that of the robot holds the shafts.
#include "io/read_urdf_impl.h"

#include "base/names.h"
#include "base/number.h"
#include "io/joints.h"
#include "io/numbers.h"

#include <math.h>
#include <string.h>

// ---- <limb> of a joint ----------------------------------------------------------------------------

enum { ANY = 0, NONNEGATIVE = 1, NONZERO = 2 };

typedef struct own_number {
  const char* name;
  size_t at; // of the double in limb_joint_def
  int rule;
} own_number;

static const own_number own_numbers[] = {
  {"rotor_inertia", offsetof(limb_joint_def, rotor_inertia), NONNEGATIVE},
  {"gear_ratio", offsetof(limb_joint_def, gear_ratio), NONZERO},
  {"stiffness", offsetof(limb_joint_def, stiffness), NONNEGATIVE},
  {"rest", offsetof(limb_joint_def, rest), ANY},
  {"start", offsetof(limb_joint_def, start), ANY},
  {"pitch", offsetof(limb_joint_def, pitch), ANY},
};

enum { NOWN = sizeof own_numbers / sizeof own_numbers[0], PITCH = NOWN - 1 };

// The number of an attribute, which must be what its rule says. 1, or 0.
static int own_value(urdf_reader* r, limb_subject about, const xml_node* n, const own_number* what, double* x)
{
  if (limb_urdf_number(r, about, n, what->name, x) <= 0) return 0;
  if (!((what->rule & NONNEGATIVE) && *x < 0) && !((what->rule & NONZERO) && *x == 0)) return 1;
  limb_urdf_error(r, RULE_BAD_VALUE, limb_urdf_mark(r, n, what->name), about, "%s=\"%.60s\" of <%s> %s", what->name,
                  limb_xml_get(n, what->name), n->name,
                  what->rule & NONZERO ? "must not be zero" : "must not be negative");
  return 0;
}

static void read_own_number(urdf_reader* r, limb_subject about, const xml_node* n, const own_number* what,
                            sketch_joint* j)
{
  const int possible = what == &own_numbers[PITCH] ? j->def.type == LIMB_HELICAL : one_dof(j->def.type);
  double x = 0;
  if (!limb_xml_get(n, what->name)) return;
  if (!possible)
    limb_urdf_error(r, RULE_BAD_JOINT, limb_urdf_mark(r, n, what->name), about, "a joint of its type cannot have a %s",
                    what->name);
  else if (own_value(r, about, n, what, &x))
    memcpy((char*)&j->def + what->at, &x, sizeof x);
}

// joint: the element that n is in.
static void read_drive(urdf_reader* r, limb_subject about, const xml_node* n, const xml_node* joint, sketch_joint* j)
{
  static const char* const words[] = {"auto", "active", "passive"}; // by value
  const char* word = limb_xml_get(n, "drive");
  int drive = 0;
  if (!word) return;
  while (drive < 3 && strcmp(words[drive], word) != 0) drive++;
  const limb_mark at = limb_urdf_mark(r, n, "drive");
  if (drive == 3)
    limb_urdf_error(r, RULE_BAD_VALUE, at, about, "drive=\"%.60s\" of <limb> is not one of active, passive, auto",
                    word);
  else if (drive != LIMB_DRIVE_AUTO && (j->def.type == LIMB_FIXED || limb_xml_child(joint, "mimic")))
    limb_urdf_error(r, RULE_BAD_JOINT, at, about, "a %s joint has no drive of its own",
                    j->def.type == LIMB_FIXED ? "fixed" : "mimic");
  else
    j->def.drive = (limb_drive)drive;
}

void limb_urdf_joint_extension(urdf_reader* r, const xml_node* joint, sketch_joint* j)
{
  static const char* const attributes[] = {"rotor_inertia", "gear_ratio", "stiffness", "rest", "pitch",
                                           "axis2",         "drive",      "start",     NULL};
  static const urdf_words words = {.attribute = attributes, .strict = 1};
  const limb_subject about = {"joint", j->name};
  const xml_node* n = limb_xml_child(joint, "limb");
  if (n) {
    limb_urdf_check(r, about, n, &words);
    for (int i = 0; i < NOWN; i++) read_own_number(r, about, n, &own_numbers[i], j);
    read_drive(r, about, n, joint, j);
    if (limb_xml_get(n, "start") && limb_xml_child(joint, "mimic"))
      limb_urdf_error(r, RULE_BAD_JOINT, limb_urdf_mark(r, n, "start"), about,
                      "a mimic joint starts where its leader takes it");
    if (limb_urdf_vector(r, about, n, "axis2", &j->def.axis2) > 0 && j->def.type != LIMB_UNIVERSAL &&
        j->def.type != LIMB_PLANAR)
      limb_urdf_error(r, RULE_BAD_JOINT, limb_urdf_mark(r, n, "axis2"), about,
                      "only universal and planar joints have a second axis");
  }
  const sp_vec3 a = j->def.axis2;
  if (j->def.type == LIMB_UNIVERSAL && a.x == 0 && a.y == 0 && a.z == 0)
    limb_urdf_error(r, RULE_BAD_AXIS, n ? n->mark : joint->mark, about,
                    "a universal joint needs its second axis: <limb axis2=\"x y z\"/>");
  if (j->def.type == LIMB_HELICAL && !(n && limb_xml_get(n, "pitch")))
    limb_report(r->findings, RULE_ASSUMED, joint->mark, about,
                "it states no pitch (<limb pitch=>): zero is taken, as of a revolute joint");
}

// ---- <shaft> of the robot's <limb> -------------------------------------------------------------------

int limb_urdf_shaft(urdf_reader* r, const xml_node* n)
{
  static const own_number numbers[] = {
    {"ratio", offsetof(limb_shaft_def, ratio), NONZERO},
    {"stiffness", offsetof(limb_shaft_def, stiffness), NONNEGATIVE},
    {"damping", offsetof(limb_shaft_def, damping), NONNEGATIVE},
    {"rest", offsetof(limb_shaft_def, rest), ANY},
  };
  static const char* const attributes[] = {"joint", "motor", "ratio", "stiffness", "damping", "rest", NULL};
  static const urdf_words words = {.attribute = attributes, .strict = 1};
  const limb_subject about = {"shaft", limb_xml_get(n, "joint")};
  sketch_shaft* x = limb_sketch_shaft(r->sketch, n->mark);
  if (!x) return 0;
  limb_urdf_check(r, about, n, &words);
  const char *joint = limb_urdf_name(r, about, n, "joint", 1), *motor = limb_urdf_name(r, about, n, "motor", 1);
  x->joint = joint ? joint : "";
  x->motor = motor ? motor : "";
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    double value = 0;
    if (own_value(r, about, n, &numbers[i], &value)) memcpy((char*)&x->def + numbers[i].at, &value, sizeof value);
  }
  return 1;
}

// ---- transmissions --------------------------------------------------------------------------------

typedef struct gears {
  urdf_reader* r;
  limb_names joints;
  unsigned char* given; // per joint: 1 when its ratio is settled
} gears;

static int begin_gears(gears* g)
{
  const limb_sketch* s = g->r->sketch;
  g->given = limb_store_take(s->pool, (size_t)s->njoint + 1);
  if (!g->given || !limb_sketch_joint_names(s, &g->joints)) return 0;
  for (int i = 0; i < s->njoint; i++) g->given[i] = s->joint[i].def.gear_ratio != 1; // by <limb>
  return 1;
}

static int count_children(const xml_node* n, const char* name)
{
  int count = 0;
  for (const xml_node* c = limb_xml_child(n, name); c; c = limb_xml_next(c)) count++;
  return count;
}

// <mechanicalReduction> of the actuator, of the joint or of the transmission: writers differ.
static const xml_node* find_reduction(const xml_node* t)
{
  static const char* const places[] = {"actuator", "joint"};
  for (int i = 0; i < 2; i++) {
    for (const xml_node* c = limb_xml_child(t, places[i]); c; c = limb_xml_next(c)) {
      const xml_node* found = limb_xml_child(c, "mechanicalReduction");
      if (found) return found;
    }
  }
  return limb_xml_child(t, "mechanicalReduction");
}

static void drop(const gears* g, const xml_node* t, const char* why)
{
  limb_report(g->r->findings, RULE_DROPPED, t->mark, (limb_subject){"transmission", limb_xml_get(t, "name")},
              "its reduction is not used: %s", why);
}

static void use_ratio(const gears* g, const xml_node* t, const xml_node* reduction, double ratio)
{
  limb_sketch* s = g->r->sketch;
  const char* name = limb_xml_get(limb_xml_child(t, "joint"), "name");
  const int k = name ? limb_names_find(&g->joints, name, limb_sketch_joint_name, s) : -1;
  if (k < 0) {
    drop(g, t, "the joint it names is not defined");
    return;
  }
  limb_joint_def* def = &s->joint[k].def;
  if (!one_dof(def->type)) {
    drop(g, t, "its joint has not exactly one degree of freedom");
    return;
  }
  if (g->given[k] && def->gear_ratio != ratio) {
    drop(g, t, "its joint has another gear ratio already");
    return;
  }
  def->gear_ratio = ratio;
  g->given[k] = 1;
  limb_report(g->r->findings, RULE_TRANSMISSION, reduction->mark, (limb_subject){"joint", name},
              "its gear ratio is %.60s%s", reduction->text,
              def->rotor_inertia > 0 ? "" : ", which has no effect without a rotor inertia");
}

static void read_transmission(const gears* g, const xml_node* t)
{
  const xml_node* reduction = find_reduction(t);
  double ratio = 1;
  if (!reduction || !*reduction->text) return;
  const number_list list = limb_scan_list(reduction->text, 1, &ratio);
  if (list.bad || list.count != 1) {
    drop(g, t, "it is not a number");
    return;
  }
  if (ratio == 1) return;
  if (ratio == 0)
    drop(g, t, "it is zero");
  else if (count_children(t, "joint") != 1 || count_children(t, "actuator") > 1)
    drop(g, t, "it does not join one actuator with one joint");
  else
    use_ratio(g, t, reduction, ratio);
}

int limb_urdf_transmissions(urdf_reader* r, const xml_node* root)
{
  gears g = {.r = r};
  const xml_node* t = limb_xml_child(root, "transmission");
  if (!t) return 1;
  limb_report(r->findings, RULE_IGNORED, t->mark, (limb_subject){"element", t->name},
              "<transmission> is read for <mechanicalReduction> only, here and wherever else it "
              "occurs");
  if (!begin_gears(&g)) return 0;
  for (; t; t = limb_xml_next(t)) read_transmission(&g, t);
  return 1;
}
