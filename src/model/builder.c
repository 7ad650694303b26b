// The builder: keeps bodies, joints and frames in the order of the calls (shafts and loops: builder_parts.c).
// Every call that adds something checks first, allocates next and commits last, so that a
// failure changes nothing.

#include "limb/builder.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"
#include "model/builder_impl.h"
#include "model/model_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHERE = sizeof((limb_error*)0)->where };

// ---- names --------------------------------------------------------------------------------------------------

static const char* body_name(const void* b, int i) { return ((const limb_builder*)b)->body[i].name; }

static const char* joint_name(const void* b, int i) { return ((const limb_builder*)b)->joint[i].name; }

static const char* frame_name(const void* b, int i) { return ((const limb_builder*)b)->frame[i].name; }

char* limb_copy_name(const limb_allocator* a, const char* name)
{
  const size_t size = strlen(name) + 1;
  char* copy = limb_alloc(a, size);
  if (copy) memcpy(copy, name, size);
  return copy;
}

// Names in definitions are const for their users; those in the builder are its own.
static void free_name(const limb_allocator* a, const char* name)
{
  if (name) limb_free(a, (void*)(uintptr_t)name, strlen(name) + 1);
}

// Builds the table again: for the first time, with more capacity, or with one name less.
static void put_names(const limb_builder* b, builder_names* names, int count, limb_name_fn* get)
{
  limb_names_clear(&names->table, names->table.slot, names->capacity);
  for (int i = 0; i < count; i++) limb_names_put(&names->table, get(b, i), i);
}

bool limb_reserve_name(limb_builder* b, builder_names* names, int count, limb_name_fn* get)
{
  const size_t capacity = limb_names_capacity((size_t)count + 1);
  if (capacity <= names->capacity) return true;
  int* slot = limb_alloc(&b->alloc, capacity * sizeof *slot);
  if (!slot) return false;
  limb_free(&b->alloc, names->table.slot, names->capacity * sizeof *slot);
  names->table.slot = slot;
  names->capacity = capacity;
  put_names(b, names, count, get);
  return true;
}

static limb_status out_of_memory(limb_error* err, const char* where)
{
  return limb_fail(err, LIMB_E_NOMEM, where, "out of memory");
}

// "joint 'elbow'", cut at the end of where. By hand: this is done for every body and joint, and formatting
// would be half of the work of adding one.
static void name_thing(const char* kind, const char* name, char where[WHERE])
{
  char* const end = where + WHERE - 2;
  char* p = where;
  for (; *kind && p < end; kind++) *p++ = *kind;
  if (p < end) *p++ = ' ';
  if (p < end) *p++ = '\'';
  for (; *name && p < end; name++) *p++ = *name;
  *p++ = '\'';
  *p = 0;
}

limb_status limb_check_name(const char* name, const char* kind, int index, char where[WHERE], limb_error* err)
{
  if (name && *name) {
    name_thing(kind, name, where);
    return LIMB_OK;
  }
  (void)snprintf(where, WHERE, "%s %d", kind, index);
  (void)limb_fail(err, LIMB_E_ARG, where, "the %s has no name: every %s needs one of its own", kind, kind);
  return LIMB_E_ARG;
}

// Bodies and added frames share one name space.
static limb_status check_frame_name(const limb_builder* b, const char* name, const char* where, limb_error* err)
{
  if (limb_builder_find_body(b, name) >= 0)
    return limb_fail(err, LIMB_E_ARG, where, "there is a body of this name already");
  if (limb_names_find(&b->frame_names.table, name, frame_name, b) >= 0)
    return limb_fail(err, LIMB_E_ARG, where, "there is a frame of this name already");
  return LIMB_OK;
}

// ---- defaults ------------------------------------------------------------------------------------------------

limb_body_def limb_default_body_def(const char* name)
{
  return (limb_body_def){.size = sizeof(limb_body_def), .name = name};
}

limb_joint_def limb_default_joint_def(const char* name, limb_joint_type type, int parent, int child)
{
  return (limb_joint_def){.size = sizeof(limb_joint_def),
                          .name = name,
                          .type = type,
                          .parent = parent,
                          .child = child,
                          .placement = sp_pose_identity(),
                          .axis = {0, 0, 1},
                          .q_min = -HUGE_VAL,
                          .q_max = HUGE_VAL,
                          .v_max = HUGE_VAL,
                          .effort_max = HUGE_VAL,
                          .a_max = HUGE_VAL,
                          .deceleration_max = HUGE_VAL,
                          .jerk_max = HUGE_VAL,
                          .gear_ratio = 1,
                          .mimic = -1,
                          .multiplier = 1};
}

// ---- life ---------------------------------------------------------------------------------------------------

// The world body, the name and empty tables; false when out of memory.
static bool begin(limb_builder* b)
{
  b->name = limb_copy_name(&b->alloc, "robot");
  if (!b->name || !limb_reserve_name(b, &b->body_names, 0, body_name) ||
      !limb_reserve_name(b, &b->joint_names, 0, joint_name) || !limb_reserve_name(b, &b->frame_names, 0, frame_name) ||
      !limb_reserve_name(b, &b->loop_names, 0, limb_builder_loop_name))
    return false;
  void* bodies = b->body;
  if (!limb_grow(&b->alloc, &bodies, &b->body_cap, 0, sizeof *b->body)) return false;
  b->body = bodies;
  const char* name = limb_copy_name(&b->alloc, "world");
  if (!name) return false;
  b->body[0] = limb_default_body_def(name);
  b->nbody = 1;
  limb_names_put(&b->body_names.table, name, 0);
  return true;
}

limb_status limb_builder_create(const limb_allocator* alloc, limb_builder** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (alloc && (!alloc->alloc || !alloc->free)) return LIMB_E_ARG;
  const limb_allocator a = alloc ? *alloc : limb_default_allocator();
  limb_builder* b = limb_alloc(&a, sizeof *b);
  if (!b) return LIMB_E_NOMEM;
  *b = (limb_builder){.alloc = a, .gravity = {0, 0, -9.81}, .loop_tolerance = 1e-7};
  if (!begin(b)) {
    limb_builder_destroy(b);
    return LIMB_E_NOMEM;
  }
  *out = b;
  return LIMB_OK;
}

void limb_builder_destroy(limb_builder* b)
{
  if (!b) return;
  const limb_allocator a = b->alloc;
  for (int i = 0; i < b->nbody; i++) free_name(&a, b->body[i].name);
  for (int i = 0; i < b->njoint; i++) free_name(&a, b->joint[i].name);
  for (int i = 0; i < b->nframe; i++) free_name(&a, b->frame[i].name);
  for (int i = 0; i < b->nloop; i++) free_name(&a, b->loop[i].name);
  free_name(&a, b->name);
  limb_free(&a, b->body, (size_t)b->body_cap * sizeof *b->body);
  limb_free(&a, b->joint, (size_t)b->joint_cap * sizeof *b->joint);
  limb_free(&a, b->frame, (size_t)b->frame_cap * sizeof *b->frame);
  limb_free(&a, b->shaft, (size_t)b->shaft_cap * sizeof *b->shaft);
  limb_free(&a, b->driven, (size_t)b->driven_cap);
  limb_free(&a, b->loop, (size_t)b->loop_cap * sizeof *b->loop);
  limb_free_tendons(b);
  limb_free_shapes(b);
  builder_names* const tables[] = {&b->body_names, &b->joint_names, &b->frame_names, &b->loop_names};
  for (int i = 0; i < 4; i++) limb_free(&a, tables[i]->table.slot, tables[i]->capacity * sizeof *tables[i]->table.slot);
  limb_free(&a, b, sizeof *b);
}

limb_status limb_builder_set_name(limb_builder* b, const char* name)
{
  if (!b || !name || !*name) return LIMB_E_ARG;
  char* copy = limb_copy_name(&b->alloc, name);
  if (!copy) return LIMB_E_NOMEM;
  free_name(&b->alloc, b->name);
  b->name = copy;
  return LIMB_OK;
}

limb_status limb_builder_set_gravity(limb_builder* b, sp_vec3 gravity)
{
  if (!b) return LIMB_E_ARG;
  if (!limb_finite3(gravity)) return LIMB_E_NONFINITE;
  b->gravity = gravity;
  return LIMB_OK;
}

limb_status limb_builder_set_loop_tolerance(limb_builder* b, double tolerance)
{
  if (!b) return LIMB_E_ARG;
  if (!limb_finite(1, &tolerance)) return LIMB_E_NONFINITE;
  if (!(tolerance > 0 && tolerance <= LIMB_LOOP_TOLERANCE_MAX)) return LIMB_E_ARG;
  b->loop_tolerance = tolerance;
  return LIMB_OK;
}

// ---- adding -------------------------------------------------------------------------------------------------

limb_status limb_read_def(void* own, const void* given, size_t size, size_t min_size, const char* kind, limb_error* err)
{
  size_t claimed;
  memcpy(&claimed, given, sizeof claimed);
  const limb_status s = limb_sized_read(own, size, given, min_size);
  if (s == LIMB_E_ARG)
    return limb_fail(err, s, kind, "the definition's size member is %zu: start from limb_default_%s_def()", claimed,
                     kind);
  if (s == LIMB_E_UNSUPPORTED)
    return limb_fail(err, s, kind,
                     "the definition has %zu bytes instead of %zu and sets some of the surplus: the "
                     "caller was built for a newer limb",
                     claimed, size);
  return s;
}

static limb_status check_inertia(const sp_inertia* Y, const char* where, limb_error* err)
{
  const double x[] = {Y->mass, Y->com.x, Y->com.y, Y->com.z, Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz};
  static const char* const name[] = {"mass",       "com.x",      "com.y",      "com.z",      "inertia.xx",
                                     "inertia.xy", "inertia.xz", "inertia.yy", "inertia.yz", "inertia.zz"};
  for (int i = 0; i < 10; i++) {
    if (!isfinite(x[i])) return limb_fail(err, LIMB_E_NONFINITE, where, "%s is not finite", name[i]);
  }
  return LIMB_OK;
}

limb_status limb_builder_add_body(limb_builder* b, const limb_body_def* def, int* body, limb_error* err)
{
  if (!b || !def) return limb_fail(err, LIMB_E_ARG, "body", "builder or definition is NULL");
  limb_body_def own = limb_default_body_def(NULL);
  char where[WHERE];
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_body_def, inertia), "body", err);
  if (!s) s = limb_check_name(own.name, "body", b->nbody, where, err);
  if (!s) s = check_frame_name(b, own.name, where, err);
  if (!s) s = check_inertia(&own.inertia, where, err);
  if (s) return s;

  void* items = b->body;
  const int grown = limb_grow(&b->alloc, &items, &b->body_cap, b->nbody, sizeof own);
  b->body = items;
  if (!grown || !limb_reserve_name(b, &b->body_names, b->nbody, body_name)) return out_of_memory(err, where);
  own.name = limb_copy_name(&b->alloc, own.name);
  if (!own.name) return out_of_memory(err, where);

  b->body[b->nbody] = own;
  limb_names_put(&b->body_names.table, own.name, b->nbody);
  if (body) *body = b->nbody;
  b->nbody++;
  return LIMB_OK;
}

limb_status limb_builder_add_joint(limb_builder* b, const limb_joint_def* def, int* joint, limb_error* err)
{
  if (!b || !def) return limb_fail(err, LIMB_E_ARG, "joint", "builder or definition is NULL");
  limb_joint_def own = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  char where[WHERE];
  limb_status s = limb_read_def(&own, def, sizeof own, offsetof(limb_joint_def, placement), "joint", err);
  if (!s) s = limb_check_name(own.name, "joint", b->njoint, where, err);
  if (s) return s;
  if (limb_builder_find_joint(b, own.name) >= 0)
    return limb_fail(err, LIMB_E_ARG, where, "there is a joint of this name already");
  s = limb_check_joint(b, b->njoint, &own, where, err);
  if (s) return s;

  void* items = b->joint;
  const int grown = limb_grow(&b->alloc, &items, &b->joint_cap, b->njoint, sizeof own);
  b->joint = items;
  if (!grown || !limb_reserve_name(b, &b->joint_names, b->njoint, joint_name)) return out_of_memory(err, where);
  own.name = limb_copy_name(&b->alloc, own.name);
  if (!own.name) return out_of_memory(err, where);

  b->joint[b->njoint] = own;
  limb_names_put(&b->joint_names.table, own.name, b->njoint);
  if (joint) *joint = b->njoint;
  b->njoint++;
  return LIMB_OK;
}

limb_status limb_builder_add_frame(limb_builder* b, const char* name, int body, const sp_pose* pose, int* frame,
                                   limb_error* err)
{
  if (!b || !pose) return limb_fail(err, LIMB_E_ARG, "frame", "builder or pose is NULL");
  limb_frame own = {.name = name, .body = body, .pose = *pose};
  char where[WHERE];
  limb_status s = limb_check_name(name, "frame", b->nframe, where, err);
  if (!s) s = check_frame_name(b, name, where, err);
  if (s) return s;
  if (body < 0 || body >= b->nbody)
    return limb_fail(err, LIMB_E_ARG, where, "body is %d: there are bodies 0 to %d", body, b->nbody - 1);
  s = limb_check_pose(&own.pose, where, err);
  if (s) return s;

  void* items = b->frame;
  const int grown = limb_grow(&b->alloc, &items, &b->frame_cap, b->nframe, sizeof own);
  b->frame = items;
  if (!grown || !limb_reserve_name(b, &b->frame_names, b->nframe, frame_name)) return out_of_memory(err, where);
  own.name = limb_copy_name(&b->alloc, name);
  if (!own.name) return out_of_memory(err, where);

  b->frame[b->nframe] = own;
  limb_names_put(&b->frame_names.table, own.name, b->nframe);
  if (frame) *frame = b->nframe;
  b->nframe++;
  return LIMB_OK;
}

// ---- taking back --------------------------------------------------------------------------------------------

void limb_drop_body(limb_builder* b)
{
  free_name(&b->alloc, b->body[--b->nbody].name);
  put_names(b, &b->body_names, b->nbody, body_name);
}

void limb_drop_joint(limb_builder* b)
{
  free_name(&b->alloc, b->joint[--b->njoint].name);
  put_names(b, &b->joint_names, b->njoint, joint_name);
}

// ---- asking -------------------------------------------------------------------------------------------------

int limb_builder_body_count(const limb_builder* b) { return b ? b->nbody : 0; }

int limb_builder_joint_count(const limb_builder* b) { return b ? b->njoint : 0; }

int limb_builder_frame_count(const limb_builder* b) { return b ? b->nframe : 0; }

int limb_builder_find_body(const limb_builder* b, const char* name)
{
  return b && name ? limb_names_find(&b->body_names.table, name, body_name, b) : -1;
}

int limb_builder_find_joint(const limb_builder* b, const char* name)
{
  return b && name ? limb_names_find(&b->joint_names.table, name, joint_name, b) : -1;
}

const char* limb_builder_name(const limb_builder* b) { return b ? b->name : NULL; }

sp_vec3 limb_builder_gravity(const limb_builder* b) { return b ? b->gravity : sp_v3(0, 0, 0); }

double limb_builder_loop_tolerance(const limb_builder* b) { return b ? b->loop_tolerance : 0; }

limb_status limb_builder_get_body(const limb_builder* b, int body, limb_body_def* out)
{
  if (!b || !out || body < 0 || body >= b->nbody) return LIMB_E_ARG;
  *out = b->body[body];
  return LIMB_OK;
}

limb_status limb_builder_get_joint(const limb_builder* b, int joint, limb_joint_def* out)
{
  if (!b || !out || joint < 0 || joint >= b->njoint) return LIMB_E_ARG;
  *out = b->joint[joint];
  return LIMB_OK;
}

limb_status limb_builder_get_frame(const limb_builder* b, int frame, limb_frame_info* out)
{
  if (!b || !out || frame < 0 || frame >= b->nframe) return LIMB_E_ARG;
  const limb_frame* f = &b->frame[frame];
  *out = (limb_frame_info){f->name, f->body, f->pose};
  return LIMB_OK;
}

limb_status limb_builder_set_inertia(limb_builder* b, int body, const sp_inertia* Y)
{
  if (!b || !Y || body <= LIMB_WORLD_BODY || body >= b->nbody) return LIMB_E_ARG;
  const limb_status s = check_inertia(Y, "body", NULL);
  if (!s) b->body[body].inertia = *Y;
  return s;
}

// ---- building -----------------------------------------------------------------------------------------------

limb_status limb_builder_build(const limb_builder* b, limb_model** out, limb_error* err)
{
  if (out) *out = NULL;
  if (!b || !out) return limb_fail(err, LIMB_E_ARG, "model", "builder or output is NULL");
  return limb_compile(b, out, err);
}

// ---- a builder from a model ---------------------------------------------------------------------------------

static limb_status describe_bodies(const limb_model* m, limb_builder* b)
{
  limb_status s = LIMB_OK;
  for (int i = 1; !s && i < m->nbody; i++) {
    limb_body_def def = limb_default_body_def(m->body[i].name);
    def.inertia = m->body[i].inertia;
    s = limb_builder_add_body(b, &def, NULL, NULL);
  }
  return s;
}

limb_status limb_builder_from_model(const limb_model* m, const limb_allocator* alloc, limb_builder** out)
{
  if (out) *out = NULL;
  if (!m || !out) return LIMB_E_ARG;
  limb_builder* b = NULL;
  limb_status s = limb_builder_create(alloc, &b);
  if (!s) s = limb_builder_set_name(b, m->name);
  if (!s) s = limb_builder_set_gravity(b, m->gravity);
  if (!s) s = limb_builder_set_loop_tolerance(b, m->loop_tolerance);
  if (!s) s = describe_bodies(m, b);
  for (int i = 0; !s && i < m->njoint; i++) s = limb_builder_add_joint(b, &m->joint[i].def, NULL, NULL);
  for (int i = 0; !s && i < m->nframe; i++)
    s = limb_builder_add_frame(b, m->frame[i].name, m->frame[i].body, &m->frame[i].pose, NULL, NULL);
  for (int i = 0; !s && i < m->nshaft; i++) s = limb_builder_add_shaft(b, &m->shaft[i].def, NULL);
  for (int i = 0; !s && i < limb_tendon_count(m); i++) s = limb_builder_add_tendon(b, &m->tendon[i], NULL, NULL);
  for (int i = 0; !s && i < m->nloop; i++) s = limb_builder_add_loop(b, &m->loop[i].def, NULL, NULL);
  if (s) {
    limb_builder_destroy(b);
    return s;
  }
  *out = b;
  return LIMB_OK;
}
