// The robot as a whole: names, the tree, what hangs on the world, who follows whom. Everything wrong is
// reported, not only the first; O(n).
#include "io/sketch_impl.h"

#include "base/names.h"
#include "io/joints.h"
#include "io/utf8.h"

#include <math.h>
#include <string.h>

typedef const char* name_fn(const void* context, int i);

const char* limb_sketch_body_name(const void* s, int i) { return ((const limb_sketch*)s)->body[i].name; }

const char* limb_sketch_frame_name(const void* s, int i) { return ((const limb_sketch*)s)->frame[i].name; }

static const char* loop_name(const void* s, int i) { return ((const limb_sketch*)s)->loop[i].name; }

static int new_table(const limb_sketch* s, limb_names* t, int count)
{
  const size_t capacity = limb_names_capacity((size_t)count);
  int* slot = limb_store_take(s->pool, capacity * sizeof *slot);
  if (!slot) return 0;
  limb_names_clear(t, slot, capacity);
  return 1;
}

// Enters one name; an empty or repeated one is reported instead. first: mark of the i-th.
static void enter_name(const limb_sketch* s, limb_names* t, const char* kind, name_fn* get, int i, limb_mark at,
                       limb_mark (*mark)(const limb_sketch*, int))
{
  const char* name = get(s, i);
  if (!*name) {
    limb_report(s->findings, RULE_NO_NAME, at, (limb_subject){kind, NULL}, "this %s has no name", kind);
    return;
  }
  if (limb_has_control(name)) // names are printed, and stand in the headers of tables
    limb_report(s->findings, RULE_BAD_VALUE, at, (limb_subject){kind, name},
                "its name contains a control character, such as a line break");
  const int first = limb_names_find(t, name, get, s);
  if (first < 0)
    limb_names_put(t, name, i);
  else
    limb_report(s->findings, RULE_DUPLICATE_NAME, at, (limb_subject){kind, name},
                "there is a %s of this name already, on line %d", kind, mark(s, first).line);
}

static limb_mark body_mark(const limb_sketch* s, int i) { return s->body[i].mark; }
static limb_mark joint_mark(const limb_sketch* s, int i) { return s->joint[i].mark; }
static limb_mark frame_mark(const limb_sketch* s, int i) { return s->frame[i].mark; }
static limb_mark loop_mark(const limb_sketch* s, int i) { return s->loop[i].mark; }

static int enter_names(const limb_sketch* s, sketch_tables* t)
{
  if (!new_table(s, &t->body, s->nbody) || !new_table(s, &t->joint, s->njoint) || !new_table(s, &t->frame, s->nframe) ||
      !new_table(s, &t->loop, s->nloop))
    return 0;
  for (int i = 0; i < s->nbody; i++)
    enter_name(s, &t->body, s->words.body, limb_sketch_body_name, i, s->body[i].mark, body_mark);
  for (int i = 0; i < s->njoint; i++)
    enter_name(s, &t->joint, s->words.joint, limb_sketch_joint_name, i, s->joint[i].mark, joint_mark);
  for (int i = 0; i < s->nloop; i++) enter_name(s, &t->loop, "loop", loop_name, i, s->loop[i].mark, loop_mark);
  for (int i = 0; i < s->nframe; i++) {
    enter_name(s, &t->frame, s->words.frame, limb_sketch_frame_name, i, s->frame[i].mark, frame_mark);
    const int body = limb_names_find(&t->body, s->frame[i].name, limb_sketch_body_name, s);
    if (body >= 0)
      limb_report(s->findings, RULE_DUPLICATE_NAME, s->frame[i].mark, (limb_subject){s->words.frame, s->frame[i].name},
                  "the %s on line %d has this name, and every %s is a frame", s->words.body, s->body[body].mark.line,
                  s->words.body);
  }
  return 1;
}

// ---- joints to bodies -----------------------------------------------------------------------------

int limb_sketch_find_body(const limb_sketch* s, const sketch_tables* t, const char* name, const char* role,
                          limb_mark at, limb_subject about)
{
  if (name && !*name) return SKETCH_NONE; // the reader has told why
  const int body = name ? limb_names_find(&t->body, name, limb_sketch_body_name, s) : -1;
  if (body >= 0) return body;
  if (!name || strcmp(name, "world") == 0) return SKETCH_WORLD;
  char mean[LIMB_WHERE_SPACE];
  limb_report(s->findings, RULE_UNDEFINED_BODY, at, about, "its %s '%s' is not defined%s", role, name,
              limb_did_you_mean(s->findings, name, s->nbody, limb_sketch_body_name, s, mean));
  return SKETCH_NONE;
}

static void resolve_joint(const limb_sketch* s, const sketch_tables* t, sketch_links* l, int k)
{
  const sketch_joint* j = &s->joint[k];
  const limb_subject about = {s->words.joint, j->name};
  l->parent[k] = limb_sketch_find_body(s, t, j->parent, "parent", j->mark, about);
  l->child[k] = limb_sketch_find_body(s, t, j->child, "child", j->mark, about);
  if (l->child[k] == SKETCH_WORLD) {
    limb_report(s->findings, RULE_BAD_JOINT, j->mark, about, "its child is the world, which nothing can carry");
    l->child[k] = SKETCH_NONE;
  }
  const int child = l->child[k];
  if (child < 0) return;
  if (child == l->parent[k]) {
    limb_report(s->findings, RULE_BAD_JOINT, j->mark, about, "its parent and its child are both '%s'",
                s->body[child].name);
    l->child[k] = SKETCH_NONE;
    l->joint[child] = k; // not a root: the joint is what must be mended
    return;
  }
  if (l->joint[child] == SKETCH_NONE) {
    l->joint[child] = k;
    return;
  }
  const sketch_joint* first = &s->joint[l->joint[child]];
  limb_report(s->findings, RULE_TWO_PARENTS, j->mark, about, "its child '%s' is already carried by %s '%s' of line %d",
              s->body[child].name, s->words.joint, first->name, first->mark.line);
  limb_report_hint(s->findings, "cut the loop at one of the two: in URDF make it a <loop_joint>, in "
                                "limb YAML an entry of loops");
}

static void check_frames(const limb_sketch* s, const sketch_tables* t)
{
  for (int i = 0; i < s->nframe; i++) {
    const sketch_frame* f = &s->frame[i];
    (void)limb_sketch_find_body(s, t, f->body, s->words.body, f->mark, (limb_subject){s->words.frame, f->name});
  }
}

// ---- what hangs on the world ----------------------------------------------------------------------

static int has_inertia(const sp_inertia* Y)
{
  return Y->mass != 0 || Y->xx != 0 || Y->yy != 0 || Y->zz != 0 || Y->xy != 0 || Y->xz != 0 || Y->yz != 0;
}

// The type of the joint that --base or the file asks for.
static limb_joint_type base_type(const limb_sketch* s, const limb_read_options* opt)
{
  switch (opt->base == LIMB_BASE_AS_FILE ? s->base : opt->base) {
  case LIMB_BASE_FLOATING: return LIMB_FREE;
  case LIMB_BASE_PLANAR: return LIMB_PLANAR;
  case LIMB_BASE_AS_FILE:
  case LIMB_BASE_FIXED: break;
  }
  return LIMB_FIXED;
}

// A root called "world" is the world, if it can be: without mass, and not asked to move. Otherwise it goes by
// another name, because that one is taken by the ground.
static void settle_world(const limb_sketch* s, const sketch_tables* t, const limb_read_options* opt, sketch_links* l)
{
  const int world = limb_names_find(&t->body, "world", limb_sketch_body_name, s);
  l->world = l->renamed = SKETCH_NONE;
  if (world < 0) return;
  const limb_subject about = {s->words.body, "world"};
  const limb_mark at = s->body[world].mark;
  const int carried = l->joint[world] != SKETCH_NONE;
  if (!s->own_world) {
    limb_report(s->findings, RULE_DUPLICATE_NAME, at, about, "'world' is the name of the ground: rename this %s",
                s->words.body);
    return;
  }
  if (carried || base_type(s, opt) != LIMB_FIXED || has_inertia(&s->body[world].inertia)) {
    l->renamed = world;
    limb_report(s->findings, RULE_WORLD_ROOT, at, about,
                "it is called '%s' in the model: 'world' is the ground, which has no mass and never "
                "moves",
                SKETCH_RENAMED);
    limb_report_as(s->findings, LIMB_WARNING);
    return;
  }
  l->world = world;
  for (int k = 0; k < s->njoint; k++) {
    if (l->parent[k] == world) l->parent[k] = SKETCH_WORLD;
  }
  limb_report(s->findings, RULE_WORLD_ROOT, at, about, "the root is taken as the world");
}

// A body that no joint carries, and not the copy of another.
static int is_root(const limb_sketch* s, const sketch_tables* t, const sketch_links* l, int i)
{
  return l->joint[i] == SKETCH_NONE && i != l->world && *s->body[i].name &&
         limb_names_find(&t->body, s->body[i].name, limb_sketch_body_name, s) == i;
}

// The roots that are too many, unless a joint lost its child: that is what must be mended then.
static void report_roots(const limb_sketch* s, const sketch_tables* t, const sketch_links* l, int count)
{
  for (int k = 0; k < s->njoint; k++) {
    if (l->child[k] == SKETCH_NONE) return;
  }
  for (int i = 0; i < s->nbody; i++) {
    if (!is_root(s, t, l, i)) continue;
    const limb_subject about = {s->words.body, s->body[i].name};
    if (l->world == SKETCH_NONE)
      limb_report(s->findings, RULE_SEVERAL_ROOTS, s->body[i].mark, about,
                  "no %s carries it; there are %d such roots, and one is allowed", s->words.joint, count);
    else
      limb_report(s->findings, RULE_SEVERAL_ROOTS, s->body[i].mark, about, "no %s connects it to the root 'world'",
                  s->words.joint);
  }
}

// Every joint on the world is fixed: what --base fixed asks for.
static int all_fixed(const limb_sketch* s, const sketch_links* l)
{
  for (int k = 0; k < s->njoint; k++) {
    if (l->parent[k] == SKETCH_WORLD && s->joint[k].def.type != LIMB_FIXED) return 0;
  }
  return 1;
}

// The base that was asked for, when no body is left to hang on it.
static void check_useless_base(const limb_sketch* s, const limb_read_options* opt, const sketch_links* l)
{
  if (l->base == LIMB_FIXED && (opt->base == LIMB_BASE_AS_FILE || all_fixed(s, l))) return;
  const char* option = opt->base == LIMB_BASE_AS_FILE ? "base" : "--base";
  limb_report(s->findings, RULE_BAD_VALUE, (limb_mark){0, 0}, (limb_subject){"option", option},
              "the file itself says how the robot is joined to the world: leave the base out, or "
              "remove that %s",
              s->words.joint);
}

static void settle_root(const limb_sketch* s, const sketch_tables* t, const limb_read_options* opt, sketch_links* l)
{
  int roots = 0;
  l->root = SKETCH_NONE;
  l->base = base_type(s, opt);
  for (int i = 0; i < s->nbody; i++) {
    if (is_root(s, t, l, i) && roots++ == 0) l->root = i;
  }
  if (roots > 1 || (roots == 1 && l->world != SKETCH_NONE)) {
    report_roots(s, t, l, roots);
    return;
  }
  if (roots == 0 && l->world == SKETCH_NONE) check_useless_base(s, opt, l);
  if (roots == 1 && opt->base == LIMB_BASE_AS_FILE && s->base == LIMB_BASE_AS_FILE)
    limb_report(s->findings, RULE_ASSUMED, s->body[l->root].mark, (limb_subject){s->words.body, s->body[l->root].name},
                "it is the root, and the file does not say whether it can move: it is taken as fixed "
                "to the world (--base floating or planar frees it)");
}

// Bodies that no path of joints connects to the world run in circles.
static limb_status check_reach(const limb_sketch* s, const sketch_links* l)
{
  enum { NEW = 0, WALKING = 1, REACHED = 2 };
  unsigned char* state = limb_store_take(s->pool, (size_t)s->nbody + 1);
  if (!state) return LIMB_E_NOMEM;
  for (int i = 0; i < s->nbody; i++) {
    int b = i;
    while (b >= 0 && state[b] == NEW) { // up to something known, the top or a circle
      state[b] = WALKING;
      b = l->joint[b] == SKETCH_NONE ? SKETCH_WORLD : l->parent[l->joint[b]];
    }
    if (b >= 0 && state[b] == WALKING)
      limb_report(s->findings, RULE_CYCLE, s->body[b].mark, (limb_subject){s->words.body, s->body[b].name},
                  "following its %ss upwards leads back to it", s->words.joint);
    for (int w = i; w >= 0 && state[w] == WALKING;
         w = l->joint[w] == SKETCH_NONE ? SKETCH_WORLD : l->parent[l->joint[w]])
      state[w] = REACHED;
  }
  return LIMB_OK;
}

// ---- followers ------------------------------------------------------------------------------------

static void resolve_mimic(const limb_sketch* s, const sketch_tables* t, const limb_read_options* opt, sketch_links* l,
                          int k)
{
  const sketch_joint* j = &s->joint[k];
  l->mimic[k] = SKETCH_NONE;
  if (!j->mimic) return;
  const limb_subject about = {s->words.joint, j->name};
  const int target = limb_names_find(&t->joint, j->mimic, limb_sketch_joint_name, s);
  char mean[LIMB_WHERE_SPACE];
  if (opt->no_mimic)
    limb_report(s->findings, RULE_MIMIC_FREED, j->mimic_mark, about,
                "it would follow '%s', and moves on its own as asked for", j->mimic);
  else if (target < 0)
    limb_report(s->findings, RULE_MIMIC_TARGET, j->mimic_mark, about, "it follows '%s', which is not defined%s",
                j->mimic, limb_did_you_mean(s->findings, j->mimic, s->njoint, limb_sketch_joint_name, s, mean));
  else if (target == k)
    limb_report(s->findings, RULE_MIMIC_TARGET, j->mimic_mark, about, "it follows itself");
  else if (!one_dof(j->def.type) || !(one_dof(s->joint[target].def.type) || s->joint[target].def.type == LIMB_FIXED))
    limb_report(s->findings, RULE_MIMIC_TARGET, j->mimic_mark, about,
                "it follows '%s': both must have one degree of freedom", j->mimic);
  else
    l->mimic[k] = target;
}

// Where joint k stands when what it follows cannot move: multiplier q + offset.
static void freeze(const limb_sketch* s, sketch_links* l, int k)
{
  const sketch_joint* j = &s->joint[k];
  const int leader = l->mimic[k];
  if (leader == SKETCH_NONE) return;
  const int stands = s->joint[leader].def.type == LIMB_FIXED || !isnan(l->frozen[leader]);
  if (!stands && j->def.multiplier != 0) return;
  const double q = isnan(l->frozen[leader]) ? 0 : l->frozen[leader];
  l->frozen[k] = j->def.multiplier * q + j->def.offset;
  l->mimic[k] = SKETCH_NONE;
  limb_report(s->findings, RULE_DROPPED, j->mimic_mark, (limb_subject){s->words.joint, j->name},
              "it follows '%s' %s: it never moves, and is read as a fixed joint", j->mimic,
              stands ? "which is fixed" : "with a multiplier of zero");
}

// Follows each chain of mimics to its end, finds circles, and freezes what follows a joint that stands.
static limb_status settle_mimics(const limb_sketch* s, sketch_links* l)
{
  enum { NEW = 0, WALKING = 1, DONE = 2 };
  unsigned char* state = limb_store_take(s->pool, (size_t)s->njoint + 1);
  int* path = limb_store_take(s->pool, ((size_t)s->njoint + 1) * sizeof *path);
  if (!state || !path) return LIMB_E_NOMEM;
  for (int i = 0; i < s->njoint; i++) {
    int k = i, n = 0;
    for (; k >= 0 && state[k] == NEW; k = l->mimic[k]) {
      state[k] = WALKING;
      path[n++] = k;
    }
    if (k >= 0 && state[k] == WALKING)
      limb_report(s->findings, RULE_MIMIC_CYCLE, s->joint[k].mimic_mark,
                  (limb_subject){s->words.joint, s->joint[k].name}, "following what it follows leads back to it");
    while (n > 0) { // leaders first
      state[path[--n]] = DONE;
      freeze(s, l, path[n]);
    }
  }
  return LIMB_OK;
}

// ---- shafts and motors ----------------------------------------------------------------------------

// A joint at the end of a shaft; SKETCH_NONE and a finding when it cannot be one.
static int find_end(const limb_sketch* s, const sketch_tables* t, const sketch_links* l, const sketch_shaft* x,
                    const char* name, const char* role)
{
  if (!*name) return SKETCH_NONE; // the reader has told why
  const limb_subject about = {"shaft", x->joint};
  const int k = limb_names_find(&t->joint, name, limb_sketch_joint_name, s);
  char mean[LIMB_WHERE_SPACE];
  if (k < 0)
    limb_report(s->findings, RULE_SHAFT_TARGET, x->mark, about, "its %s '%s' is not defined%s", role, name,
                limb_did_you_mean(s->findings, name, s->njoint, limb_sketch_joint_name, s, mean));
  else if (!one_dof(s->joint[k].def.type))
    limb_report(s->findings, RULE_SHAFT_TARGET, x->mark, about, "its %s '%s' has not exactly one degree of freedom",
                role, name);
  else if (l->mimic[k] != SKETCH_NONE || !isnan(l->frozen[k]))
    limb_report(s->findings, RULE_SHAFT_TARGET, x->mark, about,
                "its %s '%s' follows '%s', and has no motion of its own", role, name, s->joint[k].mimic);
  else
    return k;
  return SKETCH_NONE;
}

// Both ends of each shaft; a joint is driven once.
static limb_status resolve_shafts(const limb_sketch* s, const sketch_tables* t, sketch_links* l)
{
  unsigned char* driven = limb_store_take(s->pool, (size_t)s->njoint + 1);
  if (!driven) return LIMB_E_NOMEM;
  for (int k = 0; k < s->njoint; k++) driven[k] = s->joint[k].motor != NULL;
  for (int i = 0; i < s->nshaft; i++) {
    const sketch_shaft* x = &s->shaft[i];
    const limb_subject about = {"shaft", x->joint};
    const int joint = l->driven[i] = find_end(s, t, l, x, x->joint, "joint");
    l->motor[i] = find_end(s, t, l, x, x->motor, "motor");
    if (joint == SKETCH_NONE) continue;
    if (joint == l->motor[i])
      limb_report(s->findings, RULE_SHAFT_TARGET, x->mark, about, "its joint and its motor are both '%s'", x->joint);
    if (driven[joint])
      limb_report(s->findings, RULE_SHAFT_TARGET, x->mark, about, "another shaft drives '%s' already", x->joint);
    driven[joint] = 1;
  }
  return LIMB_OK;
}

// The names of what a motor adds must be free.
static limb_status check_motors(const limb_sketch* s, const sketch_tables* t)
{
  for (int k = 0; k < s->njoint; k++) {
    const sketch_joint* j = &s->joint[k];
    if (!j->motor) continue;
    const limb_subject about = {s->words.joint, j->name};
    const char* motor = limb_sketch_suffixed(s, j->name, "_motor");
    const char* rotor = limb_sketch_suffixed(s, j->name, "_rotor");
    if (!motor || !rotor) return LIMB_E_NOMEM;
    const int joint = limb_names_find(&t->joint, motor, limb_sketch_joint_name, s);
    const int body = limb_names_find(&t->body, rotor, limb_sketch_body_name, s);
    const int frame = limb_names_find(&t->frame, rotor, limb_sketch_frame_name, s);
    if (joint >= 0)
      limb_report(s->findings, RULE_DUPLICATE_NAME, j->motor_mark, about,
                  "its motor would be called like %s '%s' of line %d", s->words.joint, motor,
                  s->joint[joint].mark.line);
    if (body >= 0 || frame >= 0)
      limb_report(s->findings, RULE_DUPLICATE_NAME, j->motor_mark, about,
                  "its rotor would be called like %s '%s' of line %d", body >= 0 ? s->words.body : s->words.frame,
                  rotor, body >= 0 ? s->body[body].mark.line : s->frame[frame].mark.line);
  }
  return LIMB_OK;
}

// ---- all of it ------------------------------------------------------------------------------------

static int take_links(const limb_sketch* s, sketch_links* l)
{
  const size_t joints = (size_t)s->njoint + 1, bodies = (size_t)s->nbody + 1;
  l->parent = limb_store_take(s->pool, joints * sizeof *l->parent);
  l->child = limb_store_take(s->pool, joints * sizeof *l->child);
  l->mimic = limb_store_take(s->pool, joints * sizeof *l->mimic);
  l->joint = limb_store_take(s->pool, bodies * sizeof *l->joint);
  l->frozen = limb_store_take(s->pool, joints * sizeof *l->frozen);
  l->driven = limb_store_take(s->pool, ((size_t)s->nshaft + 1) * sizeof *l->driven);
  l->motor = limb_store_take(s->pool, ((size_t)s->nshaft + 1) * sizeof *l->motor);
  l->loop = limb_store_take(s->pool, ((size_t)s->nloop + 1) * sizeof *l->loop);
  if (!l->driven || !l->motor || !l->loop) return 0;
  if (!l->parent || !l->child || !l->mimic || !l->joint || !l->frozen) return 0;
  for (int k = 0; k < s->njoint; k++) l->frozen[k] = nan("");
  for (int i = 0; i < s->nbody; i++) l->joint[i] = SKETCH_NONE;
  return 1;
}

limb_status limb_sketch_check(const limb_sketch* s, const limb_read_options* opt, sketch_links* l)
{
  sketch_tables t;
  if (!take_links(s, l) || !enter_names(s, &t)) return LIMB_E_NOMEM;
  if (s->nbody == 0 && limb_findings_count_from(s->findings, LIMB_ERROR) == 0)
    limb_report(s->findings, RULE_NO_BODY, (limb_mark){0, 0}, (limb_subject){NULL, NULL}, "the file describes no %s",
                s->words.body);
  if (s->name && limb_has_control(s->name))
    limb_report(s->findings, RULE_BAD_VALUE, (limb_mark){0, 0}, (limb_subject){"robot", s->name},
                "its name contains a control character, such as a line break");
  for (int k = 0; k < s->njoint; k++) resolve_joint(s, &t, l, k);
  for (int k = 0; k < s->njoint; k++) resolve_mimic(s, &t, opt, l, k);
  settle_world(s, &t, opt, l);
  settle_root(s, &t, opt, l);
  if (l->root != SKETCH_NONE && limb_names_find(&t.joint, "base", limb_sketch_joint_name, s) >= 0 &&
      l->base != LIMB_FIXED)
    limb_report(s->findings, RULE_BASE_NAME, (limb_mark){0, 0}, (limb_subject){s->words.joint, "base"},
                "the joint that frees the root would have the same name");
  check_frames(s, &t);
  limb_status status = check_reach(s, l);
  if (!status) status = settle_mimics(s, l);
  if (!status) status = resolve_shafts(s, &t, l);
  if (!status) limb_sketch_resolve_loops(s, &t, l);
  return status ? status : check_motors(s, &t);
}
