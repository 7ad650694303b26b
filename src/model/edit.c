// Changes of a builder: taking it apart and building it again; what changes single parts, removes, attaches.
// Locked joints: edit_lock.c; other roots: edit_root.c.
#include "model/edit_impl.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

// ---- names ------------------------------------------------------------------------------------------------

typedef struct edit_text {
  struct edit_text* next;
  size_t size;
  char text[];
} edit_text;

const char* limb_edit_text(edit* e, const char* a, const char* b, const char* c)
{
  const size_t size = sizeof(edit_text) + strlen(a) + strlen(b) + strlen(c) + 1;
  edit_text* t = limb_alloc(&e->b->alloc, size);
  if (!t) return NULL;
  *t = (edit_text){.next = e->text, .size = size};
  (void)snprintf(t->text, size - sizeof *t, "%s%s%s", a, b, c);
  e->text = t;
  return t->text;
}

static bool is_taken(const edit* e, const char* name)
{
  for (int i = 0; i < e->nbody; i++)
    if (e->body[i].name && strcmp(e->body[i].name, name) == 0) return true;
  for (int i = 0; i < e->nframe; i++)
    if (e->frame[i].name && strcmp(e->frame[i].name, name) == 0) return true;
  for (int i = 0; i < e->njoint; i++)
    if (e->joint[i].name && strcmp(e->joint[i].name, name) == 0) return true;
  return false;
}

const char* limb_edit_new_name(edit* e, const char* a, const char* b)
{
  const char* name = limb_edit_text(e, a, b, "");
  for (int i = 2; name && is_taken(e, name); i++) {
    char number[16];
    (void)snprintf(number, sizeof number, "%d", i);
    name = limb_edit_text(e, a, b, number);
  }
  return name;
}

// ---- taking apart -----------------------------------------------------------------------------------------

// A copy of an array with space for more entries; *capacity is 0 and the array NULL when out of memory.
static void* copy_of(const edit* e, const void* items, int count, int more, size_t size, size_t* capacity)
{
  *capacity = ((size_t)count + (size_t)more + 1) * size;
  void* copy = limb_alloc(&e->b->alloc, *capacity);
  if (copy && count > 0) memcpy(copy, items, (size_t)count * size);
  return copy;
}

limb_status limb_edit_begin(edit* e, limb_builder* b, int more, const limb_builder* other, limb_error* err)
{
  *e = (edit){.b = b, .err = err, .nbody = b->nbody, .njoint = b->njoint, .nframe = b->nframe};
  e->nshaft = b->nshaft, e->nloop = b->nloop;
  const int with = other != NULL;
  const int bodies = more + (with ? other->nbody : 0), joints = more + (with ? other->njoint : 0);
  e->body = copy_of(e, b->body, b->nbody, bodies, sizeof *e->body, &e->body_cap);
  e->joint = copy_of(e, b->joint, b->njoint, joints, sizeof *e->joint, &e->joint_cap);
  e->frame = copy_of(e, b->frame, b->nframe, with ? other->nframe : 0, sizeof *e->frame, &e->frame_cap);
  e->shaft = copy_of(e, b->shaft, b->nshaft, with ? other->nshaft : 0, sizeof *e->shaft, &e->shaft_cap);
  e->loop = copy_of(e, b->loop, b->nloop, with ? other->nloop : 0, sizeof *e->loop, &e->loop_cap);
  size_t size = ((size_t)(2 * (b->nbody + bodies) + b->njoint + joints) + 1) * sizeof(int);
  e->body_at = limb_alloc(&b->alloc, size);
  if (!e->body || !e->joint || !e->frame || !e->shaft || !e->loop || !e->body_at) return limb_edit_no_memory(e);
  e->joint_of = e->body_at + b->nbody + bodies;
  e->joint_at = e->joint_of + b->nbody + bodies;
  limb_edit_find_joints(e);
  return limb_edit_take_tendons(e, other);
}

void limb_edit_find_joints(edit* e)
{
  for (int i = 0; i < e->nbody; i++) e->joint_of[i] = -1;
  for (int j = 0; j < e->njoint; j++)
    if (e->joint[j].name) e->joint_of[e->joint[j].child] = j;
}

int limb_edit_add_body(edit* e, const char* name, const sp_inertia* Y)
{
  if (!name) return -1;
  e->body[e->nbody] = limb_default_body_def(name);
  if (Y) e->body[e->nbody].inertia = *Y;
  e->joint_of[e->nbody] = -1;
  return e->nbody++;
}

int limb_edit_add_joint(edit* e, const limb_joint_def* def)
{
  if (!def->name) return -1;
  e->joint[e->njoint] = *def;
  e->joint_of[def->child] = e->njoint;
  return e->njoint++;
}

limb_status limb_edit_find_frame(const edit* e, const char* name, int* body, sp_pose* pose)
{
  *body = limb_builder_find_body(e->b, name);
  *pose = sp_pose_identity();
  if (*body >= 0) return LIMB_OK;
  for (int i = 0; i < e->b->nframe; i++) {
    if (strcmp(e->b->frame[i].name, name) != 0) continue;
    *body = e->b->frame[i].body, *pose = e->b->frame[i].pose;
    return LIMB_OK;
  }
  return limb_fail(e->err, LIMB_E_ARG, "robot", "it has no body or frame '%.100s'", name);
}

// ---- building again ---------------------------------------------------------------------------------------

static limb_status add_bodies(const edit* e, limb_builder* to)
{
  limb_status s = LIMB_OK;
  e->body_at[LIMB_WORLD_BODY] = LIMB_WORLD_BODY;
  for (int i = 1; s == LIMB_OK && i < e->nbody; i++) {
    e->body_at[i] = -1;
    if (e->body[i].name) s = limb_builder_add_body(to, &e->body[i], &e->body_at[i], e->err);
  }
  return s;
}

static limb_status add_joints(const edit* e, limb_builder* to)
{
  limb_status s = LIMB_OK;
  int next = 0;
  for (int j = 0; j < e->njoint; j++) e->joint_at[j] = e->joint[j].name ? next++ : -1; // a mimic may name a later one
  for (int j = 0; s == LIMB_OK && j < e->njoint; j++) {
    limb_joint_def def = e->joint[j];
    if (!def.name) continue;
    if (def.mimic >= 0 && e->joint_at[def.mimic] < 0)
      return limb_fail(e->err, LIMB_E_MODEL, def.name, "this joint mimics '%.64s', which is removed: lock it first",
                       e->b->joint[def.mimic].name);
    if (def.mimic >= 0) def.mimic = e->joint_at[def.mimic];
    def.parent = e->body_at[def.parent], def.child = e->body_at[def.child];
    s = limb_builder_add_joint(to, &def, NULL, e->err);
  }
  return s;
}

static limb_status add_loop(const edit* e, limb_builder* to, limb_loop_def def)
{
  if (def.joint >= 0) { // a gear or polynomial
    def.joint = e->joint_at[def.joint], def.other = e->joint_at[def.other];
    if (def.joint < 0 || def.other < 0) return LIMB_OK;
  } else {
    def.body_a = e->body_at[def.body_a], def.body_b = e->body_at[def.body_b];
    if (def.body_a < 0 || def.body_b < 0) return LIMB_OK;
  }
  return limb_builder_add_loop(to, &def, NULL, e->err);
}

// Those of the other robot: its world is a body of this one, its other bodies come behind those of this one.
static limb_status add_shapes(const edit* e, limb_builder* to)
{
  limb_status s = limb_copy_shapes(to, e->b, e->body_at, sp_pose_identity());
  if (s == LIMB_OK && e->other) {
    int* const at = e->body_at + e->b->nbody - 1;
    *at = e->body_at[e->on_body]; // the last of this robot, whose shapes are copied
    s = limb_copy_shapes(to, e->other, at, e->on_pose);
  }
  return s == LIMB_OK ? s : limb_edit_no_memory(e);
}

static limb_status build_again(const edit* e, limb_builder* to)
{
  limb_status s = limb_builder_set_name(to, e->b->name);
  if (s == LIMB_OK) s = limb_builder_set_gravity(to, e->b->gravity);
  if (s == LIMB_OK) s = limb_builder_set_loop_tolerance(to, e->b->loop_tolerance);
  if (s != LIMB_OK) return limb_fail(e->err, s, "robot", "%s", limb_status_text(s));
  s = add_bodies(e, to);
  if (s == LIMB_OK) s = add_joints(e, to);
  for (int i = 0; s == LIMB_OK && i < e->nframe; i++) {
    const limb_frame* f = &e->frame[i];
    if (f->name && e->body_at[f->body] >= 0)
      s = limb_builder_add_frame(to, f->name, e->body_at[f->body], &f->pose, NULL, e->err);
  }
  for (int i = 0; s == LIMB_OK && i < e->nshaft; i++) {
    limb_shaft_def def = e->shaft[i];
    if (def.joint < 0 || e->joint_at[def.joint] < 0 || e->joint_at[def.motor] < 0) continue;
    def.joint = e->joint_at[def.joint], def.motor = e->joint_at[def.motor];
    s = limb_builder_add_shaft(to, &def, e->err);
  }
  if (s == LIMB_OK) s = limb_edit_add_tendons(e, to);
  for (int i = 0; s == LIMB_OK && i < e->nloop; i++)
    if (e->loop[i].name) s = add_loop(e, to, e->loop[i]);
  return s == LIMB_OK ? add_shapes(e, to) : s;
}

static void free_parts(edit* e)
{
  const limb_allocator* a = &e->b->alloc;
  const size_t ints = ((size_t)(2 * (e->body_cap / sizeof *e->body - 1) + e->joint_cap / sizeof *e->joint - 1) + 1);
  limb_free(a, e->body_at, ints * sizeof(int));
  limb_free(a, e->body, e->body_cap);
  limb_free(a, e->joint, e->joint_cap);
  limb_free(a, e->frame, e->frame_cap);
  limb_free(a, e->shaft, e->shaft_cap);
  limb_free(a, e->tendon, e->tendon_cap);
  limb_free(a, e->loop, e->loop_cap);
  while (e->text) {
    edit_text* t = e->text;
    e->text = t->next;
    limb_free(a, t, t->size);
  }
}

limb_status limb_edit_end(edit* e, limb_status s)
{
  limb_builder* to = NULL;
  if (s == LIMB_OK && limb_builder_create(&e->b->alloc, &to) != LIMB_OK) s = limb_edit_no_memory(e);
  if (s == LIMB_OK) s = build_again(e, to);
  free_parts(e);
  if (s == LIMB_OK) {
    const limb_builder before = *e->b;
    *e->b = *to, *to = before;
  }
  limb_builder_destroy(to);
  return s;
}

// ---- single parts -----------------------------------------------------------------------------------------

static limb_status null_argument(limb_error* err) { return limb_fail(err, LIMB_E_ARG, "robot", "an argument is NULL"); }

static limb_status no_such(limb_error* err, const char* kind, int index, int count)
{
  return limb_fail(err, LIMB_E_ARG, kind, "there is no %s %d: there are %d", kind, index, count);
}

// A definition of the caller's version, over that of the robot.
#define SET(kind, type, from)                                                                      \
  limb_status limb_builder_set_##kind(limb_builder* b, int kind, const type* def, limb_error* err) \
  {                                                                                                \
    edit e;                                                                                        \
    if (!b || !def) return null_argument(err);                                                     \
    if (kind < (from) || kind >= b->n##kind) return no_such(err, #kind, kind, b->n##kind);         \
    limb_status s = limb_edit_begin(&e, b, 0, NULL, err);                                          \
    if (s == LIMB_OK) s = set_##kind(&e, kind, def);                                               \
    return limb_edit_end(&e, s);                                                                   \
  }

static limb_status check_bodies(const edit* e, int a, int b)
{
  if (a >= 0 && a < e->nbody && b >= 0 && b < e->nbody) return LIMB_OK;
  return no_such(e->err, "body", a >= 0 && a < e->nbody ? b : a, e->nbody);
}

static limb_status check_joints(const edit* e, int a, int b)
{
  if (a >= 0 && a < e->njoint && b >= 0 && b < e->njoint) return LIMB_OK;
  return no_such(e->err, "joint", a >= 0 && a < e->njoint ? b : a, e->njoint);
}

static limb_status set_body(edit* e, int i, const limb_body_def* def)
{
  return limb_read_def(&e->body[i], def, sizeof *def, offsetof(limb_body_def, inertia), "body", e->err);
}

static limb_status set_joint(edit* e, int i, const limb_joint_def* def)
{
  limb_joint_def own = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_joint_def, placement), "joint", e->err);
  if (s == LIMB_OK) s = check_bodies(e, own.parent, own.child);
  if (s == LIMB_OK && own.mimic >= 0) s = check_joints(e, own.mimic, own.mimic);
  e->joint[i] = own;
  return s;
}

static limb_status set_frame(edit* e, int i, const limb_frame_info* def)
{
  e->frame[i] = (limb_frame){.name = def->name, .body = def->body, .pose = def->pose};
  return check_bodies(e, def->body, def->body);
}

static limb_status set_shaft(edit* e, int i, const limb_shaft_def* def)
{
  limb_shaft_def own = limb_default_shaft_def(-1, -1);
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_shaft_def, ratio), "shaft", e->err);
  if (s == LIMB_OK) s = check_joints(e, own.joint, own.motor);
  e->shaft[i] = own;
  return s;
}

static limb_status set_loop(edit* e, int i, const limb_loop_def* def)
{
  limb_loop_def own = limb_default_loop_def(NULL, LIMB_LOOP_LOCK, -1, -1);
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_loop_def, pose_a), "loop", e->err);
  const bool pair = own.kind == LIMB_LOOP_GEAR || own.kind == LIMB_LOOP_POLYNOMIAL;
  if (s == LIMB_OK) s = pair ? check_joints(e, own.joint, own.other) : check_bodies(e, own.body_a, own.body_b);
  e->loop[i] = own;
  return s;
}

SET(body, limb_body_def, 1)
SET(joint, limb_joint_def, 0)
SET(frame, limb_frame_info, 0)
SET(shaft, limb_shaft_def, 0)
SET(loop, limb_loop_def, 0)

limb_status limb_builder_rename(limb_builder* b, limb_part_kind part, int index, const char* name, limb_error* err)
{
  static const char* const kinds[] = {"body", "joint", "frame", "loop"};
  edit e;
  if (!b || !name) return null_argument(err);
  const int count[] = {b->nbody, b->njoint, b->nframe, b->nloop};
  if ((unsigned)part > LIMB_PART_LOOP) return limb_fail(err, LIMB_E_ARG, "part", "there is no such kind");
  if (index < (part == LIMB_PART_BODY) || index >= count[part]) return no_such(err, kinds[part], index, count[part]);
  const limb_status s = limb_edit_begin(&e, b, 0, NULL, err);
  if (s == LIMB_OK && part == LIMB_PART_BODY) e.body[index].name = name;
  if (s == LIMB_OK && part == LIMB_PART_JOINT) e.joint[index].name = name;
  if (s == LIMB_OK && part == LIMB_PART_FRAME) e.frame[index].name = name;
  if (s == LIMB_OK && part == LIMB_PART_LOOP) e.loop[index].name = name;
  return limb_edit_end(&e, s);
}

// ---- removing ---------------------------------------------------------------------------------------------

// Marks what a body carries: each body is followed towards the world until the answer is known.
static void remove_behind(edit* e, int body)
{
  enum { UNKNOWN = -1, STAYS = 0, GOES = 1 };
  int* const mark = e->body_at;
  for (int i = 0; i < e->nbody; i++) mark[i] = UNKNOWN;
  mark[LIMB_WORLD_BODY] = STAYS, mark[body] = GOES;
  for (int i = 1; i < e->nbody; i++) {
    int at = i, answer = STAYS;
    for (int k = 0; k < e->nbody && mark[at] == UNKNOWN && e->joint_of[at] >= 0; k++)
      at = e->joint[e->joint_of[at]].parent;
    if (mark[at] != UNKNOWN) answer = mark[at];
    for (at = i; mark[at] == UNKNOWN; at = e->joint[e->joint_of[at]].parent) {
      mark[at] = answer;
      if (e->joint_of[at] < 0) break;
    }
  }
  for (int i = 1; i < e->nbody; i++) {
    if (mark[i] != GOES) continue;
    e->body[i].name = NULL;
    if (e->joint_of[i] >= 0) e->joint[e->joint_of[i]].name = NULL;
  }
}

limb_status limb_builder_remove(limb_builder* b, int body, limb_error* err)
{
  edit e;
  if (!b) return null_argument(err);
  if (body <= LIMB_WORLD_BODY || body >= b->nbody) return no_such(err, "body", body, b->nbody);
  const limb_status s = limb_edit_begin(&e, b, 0, NULL, err);
  if (s == LIMB_OK) remove_behind(&e, body);
  return limb_edit_end(&e, s);
}

// ---- adding -----------------------------------------------------------------------------------------------

limb_status limb_builder_add_payload(limb_builder* b, const char* name, const char* frame, const sp_pose* pose,
                                     const sp_inertia* Y, limb_error* err)
{
  edit e;
  int body = 0;
  sp_pose X;
  if (!b || !name || !frame || !Y) return null_argument(err);
  limb_status s = limb_edit_begin(&e, b, 1, NULL, err);
  if (s == LIMB_OK) s = limb_edit_find_frame(&e, frame, &body, &X);
  if (s == LIMB_OK) {
    limb_joint_def joint =
      limb_default_joint_def(limb_edit_text(&e, name, "_joint", ""), LIMB_FIXED, body, limb_edit_add_body(&e, name, Y));
    joint.placement = pose ? sp_compose(X, *pose) : X;
    if (limb_edit_add_joint(&e, &joint) < 0) s = limb_edit_no_memory(&e);
  }
  return limb_edit_end(&e, s);
}

// A joint of the other robot, whose bodies and joints are behind those of this one. The world of the other is at X in a
// body of this one.
static limb_status attach_joint(edit* e, limb_joint_def def, const char* prefix, int body, sp_pose X)
{
  const limb_builder* b = e->b;
  const char* name = limb_edit_text(e, prefix, def.name, "");
  if (!name) return limb_edit_no_memory(e);
  def.child += b->nbody - 1;
  if (def.mimic >= 0) def.mimic += b->njoint;
  if (def.parent == LIMB_WORLD_BODY) {
    const sp_pose placement = sp_compose(X, def.placement);
    if (def.type == LIMB_FREE) def = limb_default_joint_def(NULL, LIMB_FIXED, 0, def.child);
    if (def.type == LIMB_FIXED && limb_builder_find_joint(b, name) >= 0)
      name = limb_edit_text(e, e->body[def.child].name, "_mount", "");
    def.parent = body, def.placement = placement;
  } else {
    def.parent += b->nbody - 1;
  }
  def.name = name;
  return limb_edit_add_joint(e, &def) < 0 ? limb_edit_no_memory(e) : LIMB_OK;
}

static limb_status attach_loop(edit* e, limb_loop_def def, const char* prefix, int body, sp_pose X)
{
  const limb_builder* b = e->b;
  def.name = limb_edit_text(e, prefix, def.name, "");
  if (!def.name) return limb_edit_no_memory(e);
  if (def.joint >= 0) {
    def.joint += b->njoint, def.other += b->njoint;
  } else {
    int* const ends[] = {&def.body_a, &def.body_b};
    sp_pose* const poses[] = {&def.pose_a, &def.pose_b};
    for (int k = 0; k < 2; k++) {
      if (*ends[k] == LIMB_WORLD_BODY) *poses[k] = sp_compose(X, *poses[k]);
      *ends[k] = *ends[k] == LIMB_WORLD_BODY ? body : *ends[k] + b->nbody - 1;
    }
  }
  e->loop[e->nloop++] = def;
  return LIMB_OK;
}

static limb_status attach_parts(edit* e, const limb_builder* other, const char* prefix, int body, sp_pose X)
{
  const limb_builder* b = e->b;
  limb_status s = LIMB_OK;
  for (int i = 1; s == LIMB_OK && i < other->nbody; i++)
    if (limb_edit_add_body(e, limb_edit_text(e, prefix, other->body[i].name, ""), &other->body[i].inertia) < 0)
      s = limb_edit_no_memory(e);
  for (int j = 0; s == LIMB_OK && j < other->njoint; j++) s = attach_joint(e, other->joint[j], prefix, body, X);
  for (int i = 0; s == LIMB_OK && i < other->nframe; i++) {
    limb_frame f = other->frame[i];
    if (f.body == LIMB_WORLD_BODY) f.pose = sp_compose(X, f.pose);
    f.body = f.body == LIMB_WORLD_BODY ? body : f.body + b->nbody - 1;
    f.name = limb_edit_text(e, prefix, f.name, "");
    if (!f.name) s = limb_edit_no_memory(e);
    e->frame[e->nframe++] = f;
  }
  for (int i = 0; i < other->nshaft; i++) {
    limb_shaft_def shaft = other->shaft[i];
    shaft.joint += b->njoint, shaft.motor += b->njoint;
    e->shaft[e->nshaft++] = shaft;
  }
  for (int i = 0; s == LIMB_OK && i < other->nloop; i++) s = attach_loop(e, other->loop[i], prefix, body, X);
  return s;
}

limb_status limb_builder_attach(limb_builder* b, const char* frame, const limb_builder* other, const char* prefix,
                                limb_error* err)
{
  edit e;
  int body = 0;
  sp_pose X = sp_pose_identity();
  if (!b || !frame || !other) return null_argument(err);
  limb_status s = limb_edit_begin(&e, b, 0, other, err);
  if (s == LIMB_OK) s = limb_edit_find_frame(&e, frame, &body, &X);
  e.other = other, e.on_body = body, e.on_pose = X;
  if (s == LIMB_OK) s = attach_parts(&e, other, prefix ? prefix : "", body, X);
  s = limb_edit_end(&e, s);
  if (s == LIMB_OK && other->loop_tolerance > b->loop_tolerance) b->loop_tolerance = other->loop_tolerance;
  return s;
}
