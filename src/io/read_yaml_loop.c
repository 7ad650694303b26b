// limb YAML: the list loops, beside the tree of joints.
//
//   between bodies   - {name, type: pin, a: {body | frame, pose}, b: {...}, law}   frames a and b
//   between joints   - {name, type: gear, joint, other, ratio, offset, law}        q_joint as a function of q_other
#include "io/read_yaml.h"

#include <string.h>

// Reports keys that belong to other kinds, and missing ones.
static void check_keys(yaml_reader* r, const yml_node* n, limb_loop_kind kind)
{
  static const char* const ends[] = {"a", "b"};
  for (int i = 0; i < NYAML_LOOP_PROPERTY + COUNT(ends); i++) {
    const bool end = i >= NYAML_LOOP_PROPERTY;
    const char* key = end ? ends[i - NYAML_LOOP_PROPERTY] : loop_properties[i].name;
    const bool own = end ? !loop_of_joints(kind) : loop_has(i, kind);
    const yml_node* value = limb_yml_get(n, key);
    if (value && !own)
      limb_report_error(&r->report, RULE_BAD_LOOP, value->key_pos, "a %s loop has no %s", loop_words[kind], key);
    if (own && (end || loop_properties[i].needed)) (void)limb_yml_need(&r->report, n, key);
  }
}

// ---- between bodies -------------------------------------------------------------------------------

static void read_end(yaml_reader* r, const yml_node* n, raw_end* end)
{
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  end->pos = n->pos;
  limb_yml_check_keys(&r->report, n, "body frame " YAML_POSE_KEYS " dh");
  const yml_node *carrier = limb_yml_one_of(&r->report, n, "body frame"), *row = limb_yml_get(n, "dh");
  if (!carrier)
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "%s names neither a body nor a frame", n->key);
  else
    (void)limb_yml_text(&r->report, carrier, carrier->key[0] == 'b' ? &end->body : &end->frame);
  if (!row) {
    (void)limb_yaml_pose(r, n, &end->pose);
    return;
  }
  for (const yml_node* other = n->first; other; other = other->next) {
    if (limb_has_word(YAML_POSE_KEYS, other->key))
      limb_report_error(&r->report, RULE_BAD_VALUE, other->key_pos,
                        "dh and %s exclude each other: the row is a complete pose", other->key);
  }
  (void)limb_yaml_row_pose(r, row, &end->pose);
}

static void read_locked(yaml_reader* r, const yml_node* n, limb_loop_def* def)
{
  if (!limb_yml_is(&r->report, n, YML_LIST)) return;
  if (n->count == 0)
    limb_report_error(&r->report, RULE_BAD_LOOP, n->pos, "locked is empty: the loop would have no effect");
  for (const yml_node* entry = n->first; entry; entry = entry->next) {
    int i = 0;
    if (!limb_yml_choice(&r->report, entry, DIRECTIONS, &i)) continue;
    if (def->locked & 1u << i)
      limb_report_error(&r->report, RULE_BAD_VALUE, entry->pos, "%s appears twice in locked", direction_words[i]);
    def->locked |= 1u << i;
  }
}

// ---- between joints -------------------------------------------------------------------------------

static void read_coefficients(yaml_reader* r, const yml_node* n, limb_loop_def* def)
{
  if (!limb_yml_is(&r->report, n, YML_LIST)) return;
  if (n->count < 1 || n->count > LIMB_LOOP_COEFFICIENTS)
    limb_report_error(&r->report, RULE_WRONG_COUNT, n->pos,
                      "coefficients must be a list of 1 to %d numbers, found %d entries", LIMB_LOOP_COEFFICIENTS,
                      n->count);
  else
    (void)limb_yml_numbers(&r->report, n, n->count, def->coefficient);
}

static void read_between_joints(yaml_reader* r, const yml_node* n, raw_loop* x)
{
  const bool gear = x->def.kind == LIMB_LOOP_GEAR;
  (void)limb_yml_text(&r->report, limb_yml_get(n, "joint"), &x->joint);
  (void)limb_yml_text(&r->report, limb_yml_get(n, "other"), &x->other);
  const bool angle = limb_yaml_turns(r, x->joint), other = limb_yaml_turns(r, x->other);
  if (gear) x->def.coefficient[1] = 1;
  if (r->angle != 1 && (gear ? angle != other : angle || other))
    limb_report_note(&r->report, RULE_ASSUMED, x->pos,
                     "its %s in radians and metres, whatever the unit of angles in this file",
                     gear ? "ratio is" : "coefficients are");
}

// ---- prescribed motion ----------------------------------------------------------------------------

// The direction of a constraint: the row-th of those that are locked.
static unsigned direction_of(unsigned locked, int row)
{
  for (unsigned bit = 1; bit <= LIMB_MOVE_Z; bit <<= 1) {
    if (locked & bit && row-- == 0) return bit;
  }
  return 0;
}

static void read_law(yaml_reader* r, const yml_node* n, raw_loop* x)
{
  limb_loop_def* def = &x->def;
  const bool lock = def->kind == LIMB_LOOP_LOCK;
  const unsigned locked = lock ? def->locked : limb_loop_kind_locked(def->kind);
  int rows = limb_loop_kind_constraints(def->kind);
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  for (unsigned bits = lock ? locked : 0; bits; bits &= bits - 1) rows++;
  limb_yml_check_keys(&r->report, n, "row constant rate amplitude frequency phase");
  if (rows == 0) return; // locked is missing or faulty, which was reported
  const yml_node* row = limb_yml_get(n, "row");
  if (!row && rows > 1)
    limb_report_error(&r->report, RULE_MISSING_KEY, n->pos,
                      "the key 'row' of law is missing: a %s loop has %d constraints", loop_words[def->kind], rows);
  (void)limb_yml_integer(&r->report, row, 0, rows - 1, &def->motion.constraint);
  const bool turns = direction_of(locked, def->motion.constraint) & (LIMB_MOVE_X - 1);
  limb_yaml_properties(r, n, law_properties, NLAW_PROPERTY,
                       loop_of_joints(def->kind) ? limb_yaml_turns(r, x->joint) : turns, &def->motion);
}

// ---- the loop -------------------------------------------------------------------------------------

void limb_yaml_loop(yaml_reader* r, const yml_node* n)
{
  const char* name;
  int kind = 0;
  if (!limb_yaml_begin(r, n, "loop", "name type a b joint other ratio offset length coefficients radius locked law",
                       &name))
    return;
  const yml_node* type = limb_yml_need(&r->report, n, "type");
  const bool known = limb_yml_choice(&r->report, type, loop_kinds, &kind);
  if (!known)
    limb_yaml_suggest(r, type, "such a loop",
                      "revolute pin hinge pin prismatic slider spherical ball fixed weld connect ball mimic gear rod "
                      "distance");
  raw_loop* x = limb_raw_add_loop(r->raw, name, (limb_loop_kind)kind, n->pos);
  r->out_of_memory |= !x;
  if (!x || !known) return; // the rest depends on it
  check_keys(r, n, x->def.kind);
  if (loop_of_joints(x->def.kind)) {
    read_between_joints(r, n, x);
  } else {
    read_end(r, limb_yml_get(n, "a"), &x->end[0]);
    read_end(r, limb_yml_get(n, "b"), &x->end[1]);
  }
  if (x->def.kind == LIMB_LOOP_LOCK) read_locked(r, limb_yml_get(n, "locked"), &x->def);
  if (x->def.kind == LIMB_LOOP_POLYNOMIAL) read_coefficients(r, limb_yml_get(n, "coefficients"), &x->def);
  for (int i = 0; i < NLOOP_NUMBER; i++) {
    if (loop_has(loop_property(loop_numbers[i].key), x->def.kind))
      limb_yaml_properties(r, n, &loop_numbers[i], 1, limb_yaml_turns(r, x->joint), &x->def);
  }
  read_law(r, limb_yml_get(n, "law"), x);
}
