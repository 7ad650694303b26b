// Checks a raw robot as a whole: names, the tree, the root, mimics, shafts, loops. Everything that is wrong is
// reported, not only the first fault; O(n).
#include "io/raw_robot.h"

#include "io/file_text.h"
#include "io/geometry.h"
#include "io/properties.h"

#include <math.h>
#include <string.h>

static const file_pos nowhere = {0, 0, 0};

// ---- names ----------------------------------------------------------------------------------------

// The things of a kind by name, each by its first occurrence.
typedef struct raw_tables {
  limb_names body, joint, frame, loop;
} raw_tables;

const char* limb_raw_body_name(const void* s, int i) { return ((const limb_raw_robot*)s)->body[i].name; }
const char* limb_raw_joint_name(const void* s, int i) { return ((const limb_raw_robot*)s)->joint[i].name; }
const char* limb_raw_frame_name(const void* s, int i) { return ((const limb_raw_robot*)s)->frame[i].name; }
static const char* loop_name(const void* s, int i) { return ((const limb_raw_robot*)s)->loop[i].name; }

static file_pos body_pos(const limb_raw_robot* s, int i) { return s->body[i].pos; }
static file_pos joint_pos(const limb_raw_robot* s, int i) { return s->joint[i].pos; }
static file_pos frame_pos(const limb_raw_robot* s, int i) { return s->frame[i].pos; }
static file_pos loop_pos(const limb_raw_robot* s, int i) { return s->loop[i].pos; }

int limb_raw_joint_names(const limb_raw_robot* s, limb_names* t)
{
  return limb_mempool_index_names(s->pool, t, s->njoint, limb_raw_joint_name, s);
}

// Enters the names of a kind; empty and repeated ones are reported. 0 when out of memory.
static int enter_names(const limb_raw_robot* s, limb_names* t, const char* kind, int count, limb_name_fn* get,
                       file_pos (*pos)(const limb_raw_robot*, int))
{
  if (!limb_mempool_new_names(s->pool, t, count)) return 0;
  for (int i = 0; i < count; i++) {
    const char* name = get(s, i);
    const limb_subject about = {kind, *name ? name : NULL};
    if (!*name) {
      limb_report(s->findings, RULE_NO_NAME, pos(s, i), about, "this %s has no name", kind);
      continue;
    }
    if (limb_has_control(name)) // names are printed, and appear in the headers of tables
      limb_report(s->findings, RULE_BAD_VALUE, pos(s, i), about,
                  "its name contains a control character, such as a line break");
    if (strlen(name) > LIMB_NAME_MAX)
      limb_report(s->findings, RULE_BAD_VALUE, pos(s, i), about, "its name has %zu bytes: at most %d are supported",
                  strlen(name), LIMB_NAME_MAX);
    const int first = limb_names_find(t, name, get, s);
    if (first < 0)
      limb_names_put(t, name, i);
    else
      limb_report(s->findings, RULE_DUPLICATE_NAME, pos(s, i), about, "the %s on %s has the same name", kind,
                  limb_show_line(s->findings, pos(s, first), pos(s, i)).text);
  }
  return 1;
}

static int enter_all_names(const limb_raw_robot* s, raw_tables* t)
{
  if (!enter_names(s, &t->body, s->words.body, s->nbody, limb_raw_body_name, body_pos) ||
      !enter_names(s, &t->joint, s->words.joint, s->njoint, limb_raw_joint_name, joint_pos) ||
      !enter_names(s, &t->loop, "loop", s->nloop, loop_name, loop_pos) ||
      !enter_names(s, &t->frame, s->words.frame, s->nframe, limb_raw_frame_name, frame_pos))
    return 0;
  for (int i = 0; i < s->nframe; i++) {
    const int body = limb_names_find(&t->body, s->frame[i].name, limb_raw_body_name, s);
    if (body >= 0)
      limb_report(s->findings, RULE_DUPLICATE_NAME, s->frame[i].pos, (limb_subject){s->words.frame, s->frame[i].name},
                  "the %s on %s has this name, and every %s is also a frame", s->words.body,
                  limb_show_line(s->findings, s->body[body].pos, s->frame[i].pos).text, s->words.body);
  }
  return 1;
}

// ---- joints -----------------------------------------------------------------------------

// A body by name; RAW_WORLD for the world, RAW_NONE after an error. role: of the body, for messages.
static int find_body(const limb_raw_robot* s, const raw_tables* t, const char* name, const char* role, file_pos at,
                     limb_subject about)
{
  if (name && !*name) return RAW_NONE; // reported by the reader
  const int body = name ? limb_names_find(&t->body, name, limb_raw_body_name, s) : -1;
  if (body >= 0) return body;
  if (!name || strcmp(name, "world") == 0) return RAW_WORLD;
  limb_report(s->findings, RULE_UNDEFINED_BODY, at, about, "its %s '%s' is not defined%s", role, name,
              limb_did_you_mean(s->findings, name, s->nbody, limb_raw_body_name, s).text);
  return RAW_NONE;
}

static void resolve_joint(const limb_raw_robot* s, const raw_tables* t, raw_links* l, int k)
{
  const raw_joint* j = &s->joint[k];
  const limb_subject about = {s->words.joint, j->name};
  l->parent[k] = find_body(s, t, j->parent, "parent", j->pos, about);
  l->child[k] = find_body(s, t, j->child, "child", j->pos, about);
  if (l->child[k] == RAW_WORLD) {
    limb_report(s->findings, RULE_BAD_JOINT, j->pos, about, "its child is the world, which no joint can carry");
    l->child[k] = RAW_NONE;
  }
  const int child = l->child[k];
  if (child < 0) return;
  if (child == l->parent[k]) {
    limb_report(s->findings, RULE_BAD_JOINT, j->pos, about, "its parent and its child are both '%s'",
                s->body[child].name);
    l->child[k] = RAW_NONE;
    l->joint[child] = k; // not a root: only the joint is reported
    return;
  }
  if (l->joint[child] == RAW_NONE) {
    l->joint[child] = k;
    return;
  }
  const raw_joint* first = &s->joint[l->joint[child]];
  limb_report(s->findings, RULE_TWO_PARENTS, j->pos, about, "its child '%s' is also the child of %s '%s' on %s",
              s->body[child].name, s->words.joint, first->name, limb_show_line(s->findings, first->pos, j->pos).text);
  limb_report_hint(s->findings,
                   "cut the loop at one of the two: make it a <loop_joint> in URDF, an entry of loops in limb YAML");
}

static void check_frames(const limb_raw_robot* s, const raw_tables* t)
{
  for (int i = 0; i < s->nframe; i++) {
    const raw_frame* f = &s->frame[i];
    (void)find_body(s, t, f->body, s->words.body, f->pos, (limb_subject){s->words.frame, f->name});
  }
}

// ---- the root ----------------------------------------------------------------------

// The type of the joint that --base or the file requests.
static limb_joint_type base_type(const limb_raw_robot* s, const limb_read_options* opt)
{
  switch (opt->base == LIMB_BASE_AS_FILE ? s->base : opt->base) {
  case LIMB_BASE_FLOATING: return LIMB_FREE;
  case LIMB_BASE_PLANAR: return LIMB_PLANAR;
  case LIMB_BASE_AS_FILE:
  case LIMB_BASE_FIXED: break;
  }
  return LIMB_FIXED;
}

// A root called "world" is the world if it has no mass and is not to move. Otherwise it gets another name, because
// this one belongs to the ground.
static void settle_world(const limb_raw_robot* s, const raw_tables* t, const limb_read_options* opt, raw_links* l)
{
  const int world = limb_names_find(&t->body, "world", limb_raw_body_name, s);
  l->world = l->renamed = RAW_NONE;
  if (world < 0) return;
  const limb_subject about = {s->words.body, "world"};
  const file_pos at = s->body[world].pos;
  const int carried = l->joint[world] != RAW_NONE;
  if (!s->own_world) {
    limb_report(s->findings, RULE_DUPLICATE_NAME, at, about, "'world' is the name of the ground: rename the %s",
                s->words.body);
    return;
  }
  if (carried || base_type(s, opt) != LIMB_FIXED || limb_has_inertia(&s->body[world].inertia)) {
    l->renamed = world;
    limb_report(s->findings, RULE_WORLD_ROOT, at, about,
                "it is called '%s' in the model: 'world' is the ground, which has no mass and does not move",
                RAW_WORLD_RENAMED);
    limb_report_as(s->findings, LIMB_WARNING);
    return;
  }
  l->world = world;
  for (int k = 0; k < s->njoint; k++) {
    if (l->parent[k] == world) l->parent[k] = RAW_WORLD;
  }
  limb_report(s->findings, RULE_WORLD_ROOT, at, about, "the root is read as the world");
}

// A body that no joint carries, and that has a name of its own.
static int is_root(const limb_raw_robot* s, const raw_tables* t, const raw_links* l, int i)
{
  return l->joint[i] == RAW_NONE && i != l->world && *s->body[i].name &&
         limb_names_find(&t->body, s->body[i].name, limb_raw_body_name, s) == i;
}

// Several roots; not reported when a joint has lost its child, which is the actual fault.
static void report_roots(const limb_raw_robot* s, const raw_tables* t, const raw_links* l, int count)
{
  for (int k = 0; k < s->njoint; k++) {
    if (l->child[k] == RAW_NONE) return;
  }
  for (int i = 0; i < s->nbody; i++) {
    if (!is_root(s, t, l, i)) continue;
    const limb_subject about = {s->words.body, s->body[i].name};
    if (l->world == RAW_NONE)
      limb_report(s->findings, RULE_SEVERAL_ROOTS, s->body[i].pos, about,
                  "no %s carries it; there are %d such roots, but only one is allowed", s->words.joint, count);
    else
      limb_report(s->findings, RULE_SEVERAL_ROOTS, s->body[i].pos, about, "no %s connects it to the root 'world'",
                  s->words.joint);
  }
}

// A base was requested, but every body has a joint. A fixed base is what the file has if all joints on the world are.
static void check_useless_base(const limb_raw_robot* s, const limb_read_options* opt, const raw_links* l)
{
  int fixed = 1;
  for (int k = 0; k < s->njoint; k++) fixed &= l->parent[k] != RAW_WORLD || s->joint[k].def.type == LIMB_FIXED;
  if (l->base == LIMB_FIXED && (opt->base == LIMB_BASE_AS_FILE || fixed)) return;
  const char* option = opt->base == LIMB_BASE_AS_FILE ? "base" : "--base";
  limb_report(s->findings, RULE_BAD_VALUE, nowhere, (limb_subject){"option", option},
              "the file already attaches the robot to the world: leave out the base, or remove that %s",
              s->words.joint);
}

static void settle_root(const limb_raw_robot* s, const raw_tables* t, const limb_read_options* opt, raw_links* l)
{
  int roots = 0;
  l->root = RAW_NONE;
  l->base = base_type(s, opt);
  for (int i = 0; i < s->nbody; i++) {
    if (is_root(s, t, l, i) && roots++ == 0) l->root = i;
  }
  if (roots > 1 || (roots == 1 && l->world != RAW_NONE)) {
    report_roots(s, t, l, roots);
    return;
  }
  if (roots == 0 && l->world == RAW_NONE) check_useless_base(s, opt, l);
  if (roots == 1 && opt->base == LIMB_BASE_AS_FILE && s->base == LIMB_BASE_AS_FILE)
    limb_report(s->findings, RULE_ASSUMED, s->body[l->root].pos, (limb_subject){s->words.body, s->body[l->root].name},
                "it is the root, and the file does not state whether it can move: it is read as fixed (--base floating "
                "or planar frees it)");
}

// Bodies that no path of joints connects to the world are on a cycle.
static limb_status check_reach(const limb_raw_robot* s, const raw_links* l)
{
  enum { NEW = 0, WALKING = 1, REACHED = 2 };
  unsigned char* state = limb_mempool_alloc(s->pool, (size_t)s->nbody + 1);
  if (!state) return LIMB_E_NOMEM;
  for (int i = 0; i < s->nbody; i++) {
    int b = i;
    while (b >= 0 && state[b] == NEW) { // up to a known body, the top or a cycle
      state[b] = WALKING;
      b = l->joint[b] == RAW_NONE ? RAW_WORLD : l->parent[l->joint[b]];
    }
    if (b >= 0 && state[b] == WALKING)
      limb_report(s->findings, RULE_CYCLE, s->body[b].pos, (limb_subject){s->words.body, s->body[b].name},
                  "its parents lead back to itself");
    for (int w = i; w >= 0 && state[w] == WALKING; w = l->joint[w] == RAW_NONE ? RAW_WORLD : l->parent[l->joint[w]])
      state[w] = REACHED;
  }
  return LIMB_OK;
}

// ---- mimics ------------------------------------------------------------------------------------

static void resolve_mimic(const limb_raw_robot* s, const raw_tables* t, const limb_read_options* opt, raw_links* l,
                          int k)
{
  const raw_joint* j = &s->joint[k];
  l->mimic[k] = RAW_NONE;
  if (!j->mimic) return;
  const limb_subject about = {s->words.joint, j->name};
  const int target = limb_names_find(&t->joint, j->mimic, limb_raw_joint_name, s);
  if (opt->no_mimic)
    limb_report(s->findings, RULE_MIMIC_FREED, j->mimic_pos, about,
                "it would follow '%s', but moves independently as requested", j->mimic);
  else if (target < 0)
    limb_report(s->findings, RULE_MIMIC_TARGET, j->mimic_pos, about, "it follows '%s', which is not defined%s",
                j->mimic, limb_did_you_mean(s->findings, j->mimic, s->njoint, limb_raw_joint_name, s).text);
  else if (target == k)
    limb_report(s->findings, RULE_MIMIC_TARGET, j->mimic_pos, about, "it follows itself");
  else if (!one_dof(j->def.type) || !(one_dof(s->joint[target].def.type) || s->joint[target].def.type == LIMB_FIXED))
    limb_report(s->findings, RULE_MIMIC_TARGET, j->mimic_pos, about,
                "it follows '%s': both must have one degree of freedom", j->mimic);
  else
    l->mimic[k] = target;
}

// The value of joint k when the joint that it follows cannot move: multiplier q + offset.
static void freeze(const limb_raw_robot* s, raw_links* l, int k)
{
  const raw_joint* j = &s->joint[k];
  const int leader = l->mimic[k];
  if (leader == RAW_NONE) return;
  const int still = s->joint[leader].def.type == LIMB_FIXED || !isnan(l->frozen[leader]);
  if (!still && j->def.multiplier != 0) return;
  const double q = isnan(l->frozen[leader]) ? 0 : l->frozen[leader];
  l->frozen[k] = j->def.multiplier * q + j->def.offset;
  l->mimic[k] = RAW_NONE;
  limb_report(s->findings, RULE_DROPPED, j->mimic_pos, (limb_subject){s->words.joint, j->name},
              "it follows '%s' %s: it never moves, and is read as a fixed joint", j->mimic,
              still ? "which is fixed" : "with a multiplier of zero");
}

// Follows each chain of mimics to its end, finds cycles, and freezes joints that follow one that cannot move.
static limb_status settle_mimics(const limb_raw_robot* s, raw_links* l)
{
  enum { NEW = 0, WALKING = 1, DONE = 2 };
  unsigned char* state = limb_mempool_alloc(s->pool, (size_t)s->njoint + 1);
  int* path = limb_mempool_alloc(s->pool, ((size_t)s->njoint + 1) * sizeof *path);
  if (!state || !path) return LIMB_E_NOMEM;
  for (int i = 0; i < s->njoint; i++) {
    int k = i, n = 0;
    for (; k >= 0 && state[k] == NEW; k = l->mimic[k]) {
      state[k] = WALKING;
      path[n++] = k;
    }
    if (k >= 0 && state[k] == WALKING)
      limb_report(s->findings, RULE_MIMIC_CYCLE, s->joint[k].mimic_pos,
                  (limb_subject){s->words.joint, s->joint[k].name}, "the joints that it follows lead back to itself");
    while (n > 0) { // leaders first
      state[path[--n]] = DONE;
      freeze(s, l, path[n]);
    }
  }
  return LIMB_OK;
}

// ---- shafts and motors ----------------------------------------------------------------------------

// A joint with one degree of freedom, of a shaft or loop; RAW_NONE after an error, which is reported by this rule.
static int find_joint(const limb_raw_robot* s, const raw_tables* t, const char* name, const char* role, limb_rule rule,
                      file_pos at, limb_subject about)
{
  if (!name || !*name) return RAW_NONE; // reported by the reader
  const int k = limb_names_find(&t->joint, name, limb_raw_joint_name, s);
  if (k < 0)
    limb_report(s->findings, rule, at, about, "its %s '%s' is not defined%s", role, name,
                limb_did_you_mean(s->findings, name, s->njoint, limb_raw_joint_name, s).text);
  else if (!one_dof(s->joint[k].def.type))
    limb_report(s->findings, rule, at, about, "its %s '%s' does not have exactly one degree of freedom", role, name);
  else
    return k;
  return RAW_NONE;
}

// A joint at the end of a shaft; RAW_NONE after an error.
static int find_shaft_end(const limb_raw_robot* s, const raw_tables* t, const raw_links* l, const raw_shaft* x,
                          const char* name, const char* role)
{
  const limb_subject about = {"shaft", x->joint};
  const int k = find_joint(s, t, name, role, RULE_SHAFT_TARGET, x->pos, about);
  if (k == RAW_NONE || (l->mimic[k] == RAW_NONE && isnan(l->frozen[k]))) return k;
  limb_report(s->findings, RULE_SHAFT_TARGET, x->pos, about, "its %s '%s' follows '%s' and does not move independently",
              role, name, s->joint[k].mimic);
  return RAW_NONE;
}

// Both ends of each shaft; a joint has at most one shaft.
static limb_status resolve_shafts(const limb_raw_robot* s, const raw_tables* t, raw_links* l)
{
  unsigned char* driven = limb_mempool_alloc(s->pool, (size_t)s->njoint + 1);
  if (!driven) return LIMB_E_NOMEM;
  for (int k = 0; k < s->njoint; k++) driven[k] = s->joint[k].motor != NULL;
  for (int i = 0; i < s->nshaft; i++) {
    const raw_shaft* x = &s->shaft[i];
    const limb_subject about = {"shaft", x->joint};
    const int joint = l->driven[i] = find_shaft_end(s, t, l, x, x->joint, "joint");
    l->motor[i] = find_shaft_end(s, t, l, x, x->motor, "motor");
    if (joint == RAW_NONE) continue;
    if (joint == l->motor[i])
      limb_report(s->findings, RULE_SHAFT_TARGET, x->pos, about, "its joint and its motor are both '%s'", x->joint);
    if (driven[joint])
      limb_report(s->findings, RULE_SHAFT_TARGET, x->pos, about, "another shaft already drives '%s'", x->joint);
    driven[joint] = 1;
  }
  return LIMB_OK;
}

// A motor adds a joint and a body, whose names must not be in use.
static limb_status check_motors(const limb_raw_robot* s, const raw_tables* t)
{
  for (int k = 0; k < s->njoint; k++) {
    const raw_joint* j = &s->joint[k];
    if (!j->motor) continue;
    const limb_subject about = {s->words.joint, j->name};
    const char* motor = limb_mempool_join(s->pool, j->name, "_motor", "");
    const char* rotor = limb_mempool_join(s->pool, j->name, "_rotor", "");
    if (!motor || !rotor) return LIMB_E_NOMEM;
    const int joint = limb_names_find(&t->joint, motor, limb_raw_joint_name, s);
    const int body = limb_names_find(&t->body, rotor, limb_raw_body_name, s);
    const int frame = limb_names_find(&t->frame, rotor, limb_raw_frame_name, s);
    if (joint >= 0)
      limb_report(s->findings, RULE_DUPLICATE_NAME, j->motor_pos, about,
                  "its motor would have the name of %s '%s' on %s", s->words.joint, motor,
                  limb_show_line(s->findings, s->joint[joint].pos, j->motor_pos).text);
    if (body >= 0 || frame >= 0)
      limb_report(s->findings, RULE_DUPLICATE_NAME, j->motor_pos, about,
                  "its rotor would have the name of %s '%s' on %s", body >= 0 ? s->words.body : s->words.frame, rotor,
                  limb_show_line(s->findings, body >= 0 ? s->body[body].pos : s->frame[frame].pos, j->motor_pos).text);
  }
  return LIMB_OK;
}

// ---- loops ----------------------------------------------------------------------------------------

// A body, by the name of its frame.
static int find_body_frame(const limb_raw_robot* s, const raw_tables* t, const raw_end* e, int end, limb_subject about)
{
  const int body = limb_names_find(&t->body, e->frame, limb_raw_body_name, s);
  if (body >= 0) return body;
  if (strcmp(e->frame, "world") == 0) return RAW_WORLD;
  limb_report(s->findings, RULE_UNDEFINED_BODY, e->pos, about, "its frame %c '%s' is not defined%s", "ab"[end],
              e -> frame, limb_did_you_mean(s->findings, e->frame, s->nframe, limb_raw_frame_name, s).text);
  return RAW_NONE;
}

// The body of an end, and the pose of the loop's frame in it.
static int find_loop_end(const limb_raw_robot* s, const raw_tables* t, const raw_loop* x, int end, sp_pose* pose)
{
  static const char* const role[] = {"body a", "body b"};
  const raw_end* e = &x->end[end];
  const limb_subject about = {"loop", x->name};
  *pose = e->pose;
  if (!e->frame) return find_body(s, t, e->body, role[end], e->pos, about);
  if (!*e->frame) return RAW_NONE; // reported by the reader
  const int i = limb_names_find(&t->frame, e->frame, limb_raw_frame_name, s);
  if (i < 0) return find_body_frame(s, t, e, end, about);
  const raw_frame* f = &s->frame[i];
  *pose = sp_compose(f->pose, e->pose);
  // a missing body of the frame was reported with the frame
  const int body = f->body ? limb_names_find(&t->body, f->body, limb_raw_body_name, s) : -1;
  return body >= 0 ? body : RAW_WORLD;
}

// A joint of a gear or polynomial; RAW_NONE after an error.
static int find_loop_joint(const limb_raw_robot* s, const raw_tables* t, const raw_links* l, const raw_loop* x,
                           const char* name, const char* role)
{
  const limb_subject about = {"loop", x->name};
  const int k = find_joint(s, t, name, role, RULE_BAD_LOOP, x->pos, about);
  if (k == RAW_NONE || isnan(l->frozen[k])) return k;
  limb_report(s->findings, RULE_BAD_LOOP, x->pos, about, "its %s '%s' follows '%s' and never moves", role, name,
              s->joint[k].mimic);
  return RAW_NONE;
}

static void resolve_loops(const limb_raw_robot* s, const raw_tables* t, raw_links* l)
{
  for (int i = 0; i < s->nloop; i++) {
    const raw_loop* x = &s->loop[i];
    raw_closure* c = &l->loop[i];
    *c = (raw_closure){.body = {RAW_NONE, RAW_NONE}, .joint = {RAW_NONE, RAW_NONE}};
    if (loop_of_joints(x->def.kind)) {
      c->joint[0] = find_loop_joint(s, t, l, x, x->joint, "joint");
      c->joint[1] = find_loop_joint(s, t, l, x, x->other, "other joint");
      continue;
    }
    for (int k = 0; k < 2; k++) c->body[k] = find_loop_end(s, t, x, k, &c->pose[k]);
  }
}

// ---- the robot ------------------------------------------------------------------------------------

static int alloc_links(const limb_raw_robot* s, raw_links* l)
{
  const size_t joints = (size_t)s->njoint + 1, bodies = (size_t)s->nbody + 1, shafts = (size_t)s->nshaft + 1;
  int* index = limb_mempool_alloc(s->pool, (3 * joints + bodies + 2 * shafts) * sizeof *index);
  l->frozen = limb_mempool_alloc(s->pool, joints * sizeof *l->frozen);
  l->loop = limb_mempool_alloc(s->pool, ((size_t)s->nloop + 1) * sizeof *l->loop);
  if (!index || !l->frozen || !l->loop) return 0;
  l->parent = index;
  l->child = l->parent + joints;
  l->mimic = l->child + joints;
  l->joint = l->mimic + joints;
  l->driven = l->joint + bodies;
  l->motor = l->driven + shafts;
  for (int k = 0; k < s->njoint; k++) l->frozen[k] = nan("");
  for (int i = 0; i < s->nbody; i++) l->joint[i] = RAW_NONE;
  return 1;
}

limb_status limb_raw_robot_check(const limb_raw_robot* s, const limb_read_options* opt, raw_links* l)
{
  raw_tables t;
  if (!alloc_links(s, l) || !enter_all_names(s, &t)) return LIMB_E_NOMEM;
  if (s->nbody == 0 && limb_findings_count_from(s->findings, LIMB_ERROR) == 0) {
    limb_report(s->findings, RULE_NO_BODY, nowhere, (limb_subject){NULL, NULL}, "the file contains no %s",
                s->words.body);
    limb_report_hint(s->findings, "it may be a part that another file includes: name that file");
    if (s->may_be_empty) limb_report_as(s->findings, LIMB_WARNING);
  }
  if (s->name && limb_has_control(s->name))
    limb_report(s->findings, RULE_BAD_VALUE, nowhere, (limb_subject){"robot", s->name},
                "its name contains a control character, such as a line break");
  for (int k = 0; k < s->njoint; k++) resolve_joint(s, &t, l, k);
  for (int k = 0; k < s->njoint; k++) resolve_mimic(s, &t, opt, l, k);
  settle_world(s, &t, opt, l);
  settle_root(s, &t, opt, l);
  if (l->root != RAW_NONE && limb_names_find(&t.joint, "base", limb_raw_joint_name, s) >= 0 && l->base != LIMB_FIXED)
    limb_report(s->findings, RULE_BASE_NAME, nowhere, (limb_subject){s->words.joint, "base"},
                "the joint that attaches the root to the world would have the same name");
  check_frames(s, &t);
  limb_status status = check_reach(s, l);
  if (!status) status = settle_mimics(s, l);
  if (!status) status = resolve_shafts(s, &t, l);
  if (!status) resolve_loops(s, &t, l);
  return status ? status : check_motors(s, &t);
}
