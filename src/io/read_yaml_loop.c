// limb YAML: the list loops:, closures beside the tree of joints.
//
//   between bodies   - {name, type: pin, a: {body | frame, pose}, b: {...}, law}   frames a and b
//   between joints   - {name, type: gear, joint, other, ratio, offset, law}        q_joint of q_other
#include "io/read_yaml_impl.h"
#include "io/yaml_schema.h"

#include "io/joints.h"
#include "io/loops.h"

#include <string.h>

static const char* const loop_keys[] = {
  "name", "type", "a", "b", "joint", "other", "ratio", "offset", "length", "coefficients", "radius", "locked", "law"};

// ---- what a kind has --------------------------------------------------------------------------------

// Reports keys of other kinds, and those of its own that are missing.
static void check_keys(yaml_reader* r, const yml_node* n, limb_loop_kind kind)
{
  static const char* const ends[] = {"a", "b"};
  for (int i = 0; i < LOOP_NPROPERTY + COUNT(ends); i++) {
    const bool end = i >= LOOP_NPROPERTY;
    const char* key = end ? ends[i - LOOP_NPROPERTY] : loop_properties[i].name;
    const bool own = end ? !loop_of_joints(kind) : (loop_properties[i].kinds & 1u << kind) != 0;
    const yml_node* value = limb_yml_get(n, key);
    if (value && !own)
      limb_yml_error(&r->check, RULE_BAD_LOOP, value->key_mark, "a %s loop has no %s", loop_words[kind], key);
    if (own && (end || loop_properties[i].needed)) (void)limb_yml_need(&r->check, n, key);
  }
}

// ---- between bodies ---------------------------------------------------------------------------------

static void read_end(yaml_reader* r, const yml_node* n, sketch_end* end)
{
  static const char* const keys[] = {"body", "frame", YAML_POSE_KEYS, "dh"};
  static const char* const carriers[] = {"body", "frame"};
  static const char* const pose_keys[] = {YAML_POSE_KEYS};
  if (!limb_yml_is(&r->check, n, YML_MAP)) return;
  end->mark = n->mark;
  limb_yml_check_keys(&r->check, n, keys, COUNT(keys));
  const yml_node* carrier = limb_yml_one_of(&r->check, n, carriers, COUNT(carriers));
  if (!carrier)
    limb_yml_error(&r->check, RULE_MISSING_KEY, n->mark, "%s names neither a body nor a frame", n->key);
  else
    (void)limb_yml_text(&r->check, carrier, carrier->key[0] == 'b' ? &end->body : &end->frame);
  const yml_node* row = limb_yml_get(n, "dh");
  if (!row) {
    (void)limb_yaml_pose(r, n, &end->pose);
    return;
  }
  for (int i = 0; i < COUNT(pose_keys); i++) {
    const yml_node* other = limb_yml_get(n, pose_keys[i]);
    if (other)
      limb_yml_error(&r->check, RULE_BAD_VALUE, other->key_mark,
                     "dh and %s exclude each other: the row is the whole pose", other->key);
  }
  (void)limb_yaml_row_pose(r, row, &end->pose);
}

static void read_locked(yaml_reader* r, const yml_node* n, limb_loop_def* def)
{
  if (!n || !limb_yml_is(&r->check, n, YML_LIST)) return;
  if (n->count == 0) limb_yml_error(&r->check, RULE_BAD_LOOP, n->mark, "locked is empty: nothing would be closed");
  for (const yml_node* entry = n->first; entry; entry = entry->next) {
    int i = 0;
    if (!limb_yml_choice(&r->check, entry, direction_words, LOOP_NDIRECTION, &i)) continue;
    if (def->locked & 1u << i)
      limb_yml_error(&r->check, RULE_BAD_VALUE, entry->mark, "%s stands twice in locked", direction_words[i]);
    def->locked |= 1u << i;
  }
}

static void read_between_bodies(yaml_reader* r, const yml_node* n, sketch_loop* x)
{
  read_end(r, limb_yml_get(n, "a"), &x->end[0]);
  read_end(r, limb_yml_get(n, "b"), &x->end[1]);
  if (x->def.kind == LIMB_LOOP_LOCK) read_locked(r, limb_yml_get(n, "locked"), &x->def);
  if (x->def.kind == LIMB_LOOP_DISTANCE) (void)limb_yaml_property(r, n, &yaml_length, false, &x->def);
  if (loop_has_radius(x->def.kind)) (void)limb_yaml_property(r, n, &yaml_radius, false, &x->def);
}

// ---- between joints ---------------------------------------------------------------------------------

static bool joint_turns(const yaml_reader* r, const char* joint)
{
  const int k = limb_names_find(&r->joint_names, joint, limb_sketch_joint_name, r->sketch);
  return k >= 0 && turns(r->sketch->joint[k].def.type);
}

static void read_coefficients(yaml_reader* r, const yml_node* n, limb_loop_def* def)
{
  if (!n || !limb_yml_is(&r->check, n, YML_LIST)) return;
  if (n->count < 1 || n->count > LIMB_LOOP_COEFFICIENTS) {
    limb_yml_error(&r->check, RULE_WRONG_COUNT, n->mark,
                   "coefficients must be a list of 1 to %d numbers, found %d entries", LIMB_LOOP_COEFFICIENTS,
                   n->count);
    return;
  }
  (void)limb_yml_numbers(&r->check, n, n->count, def->coefficient);
}

static void read_between_joints(yaml_reader* r, const yml_node* n, sketch_loop* x)
{
  (void)limb_yml_text(&r->check, limb_yml_get(n, "joint"), &x->joint);
  (void)limb_yml_text(&r->check, limb_yml_get(n, "other"), &x->other);
  const bool angle = joint_turns(r, x->joint), other = joint_turns(r, x->other);
  if (x->def.kind == LIMB_LOOP_GEAR) {
    x->def.coefficient[1] = 1;
    (void)limb_yaml_property(r, n, &yaml_ratio, false, &x->def);
    (void)limb_yaml_property(r, n, &yaml_offset, angle, &x->def);
  } else {
    read_coefficients(r, limb_yml_get(n, "coefficients"), &x->def);
  }
  const bool units = x->def.kind == LIMB_LOOP_GEAR ? angle != other : angle || other;
  if (r->angle != 1 && units)
    limb_report(r->check.findings, RULE_ASSUMED, x->mark, r->check.about,
                "its %s in radians and metres, whatever the angles of the file are in",
                x->def.kind == LIMB_LOOP_GEAR ? "ratio is" : "coefficients are");
}

// ---- the law ----------------------------------------------------------------------------------------

// The direction of a row: the row-th of those that are locked.
static unsigned direction_of(unsigned locked, int row)
{
  for (unsigned bit = 1; bit <= LIMB_MOVE_Z; bit <<= 1) {
    if (locked & bit && row-- == 0) return bit;
  }
  return 0;
}

static int row_count(const limb_loop_def* def, unsigned locked)
{
  int rows = limb_loop_kind_rows(def->kind);
  for (unsigned bits = def->kind == LIMB_LOOP_LOCK ? locked : 0; bits; bits &= bits - 1) rows++;
  return rows;
}

static void read_law(yaml_reader* r, const yml_node* n, sketch_loop* x)
{
  if (!n || !limb_yml_is(&r->check, n, YML_MAP)) return;
  limb_loop_def* def = &x->def;
  const char* keys[1 + YAML_NLAW] = {"row"};
  const unsigned locked = def->kind == LIMB_LOOP_LOCK ? def->locked : limb_loop_kind_locked(def->kind);
  const int rows = row_count(def, locked);
  for (int i = 0; i < YAML_NLAW; i++) keys[1 + i] = yaml_law[i].key;
  limb_yml_check_keys(&r->check, n, keys, COUNT(keys));
  if (rows == 0) return; // locked is missing or faulty
  const yml_node* row = limb_yml_get(n, "row");
  if (!row && rows > 1)
    limb_yml_error(&r->check, RULE_MISSING_KEY, n->mark, "the key 'row' of law is missing: a %s loop has %d rows",
                   loop_words[def->kind], rows);
  (void)limb_yml_integer(&r->check, row, 0, rows - 1, &def->law.row);
  const bool angle =
    loop_of_joints(def->kind) ? joint_turns(r, x->joint) : direction_of(locked, def->law.row) & (LIMB_MOVE_X - 1);
  for (int i = 0; i < YAML_NLAW; i++) (void)limb_yaml_property(r, n, &yaml_law[i], angle, &def->law);
}

// ---- the loop ---------------------------------------------------------------------------------------

// Words of joints, and of other languages.
static void suggest_type(const yaml_reader* r, const yml_node* n)
{
  static const char* const words[][2] = {{"revolute", "pin"},   {"hinge", "pin"},   {"prismatic", "slider"},
                                         {"spherical", "ball"}, {"fixed", "weld"},  {"connect", "ball"},
                                         {"mimic", "gear"},     {"rod", "distance"}};
  for (int i = 0; i < COUNT(words); i++) {
    if (n->kind == YML_SCALAR && strcmp(n->text, words[i][0]) == 0)
      limb_report_hint(r->check.findings, "a loop of this kind is called %s", words[i][1]);
  }
}

void limb_yaml_loop(yaml_reader* r, const yml_node* n)
{
  const char* name = "";
  int kind = 0;
  r->check.about = (limb_subject){"loop", NULL};
  if (!limb_yml_is(&r->check, n, YML_MAP)) return;
  if (limb_yml_text(&r->check, limb_yml_get(n, "name"), &name)) r->check.about.name = name;
  limb_yml_check_keys(&r->check, n, loop_keys, COUNT(loop_keys));
  const yml_node* type = limb_yml_need(&r->check, n, "type");
  const bool known = limb_yml_choice(&r->check, type, loop_words, LOOP_NKIND, &kind);
  if (type && !known) suggest_type(r, type);
  sketch_loop* x = limb_sketch_loop(r->sketch, name, (limb_loop_kind)kind, n->mark);
  r->out_of_memory |= !x;
  if (!x || !known) return; // nothing else can be judged
  check_keys(r, n, x->def.kind);
  if (loop_of_joints(x->def.kind))
    read_between_joints(r, n, x);
  else
    read_between_bodies(r, n, x);
  read_law(r, limb_yml_get(n, "law"), x);
}
