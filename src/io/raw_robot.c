// Filling a raw robot, and passing a checked one to a builder.
#include "io/raw_robot.h"

#include "io/file_text.h"
#include "io/geometry.h"
#include "io/mesh.h"
#include "io/properties.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const file_pos nowhere = {0, 0, 0};

// ---- filling --------------------------------------------------------------------------------------

limb_raw_robot limb_raw_robot_make(memory_pool* pool, limb_findings* f, raw_words words)
{
  return (limb_raw_robot){.pool = pool, .findings = f, .words = words, .base = LIMB_BASE_AS_FILE};
}

// An array with space for one more item; NULL when out of memory or when there are too many.
static void* one_more(limb_raw_robot* s, void* items, int* capacity, int count, size_t size)
{
  if (count < LIMB_RAW_MAX) return limb_mempool_grow(s->pool, items, capacity, count, size);
  limb_report(s->findings, RULE_TOO_MANY, nowhere, (limb_subject){NULL, NULL},
              "the robot has more than %d parts of a kind", LIMB_RAW_MAX);
  s->too_large = 1;
  return NULL;
}

// The next item of the array `kind`, declared as x; returns NULL from the function when there is none.
#define NEXT(type, kind)                                                     \
  type* all = one_more(s, s->kind, &s->kind##_cap, s->n##kind, sizeof *all); \
  if (!all) return NULL;                                                     \
  s->kind = all;                                                             \
  type* x = &all[s->n##kind++]

raw_body* limb_raw_add_body(limb_raw_robot* s, const char* name, file_pos at)
{
  NEXT(raw_body, body);
  *x = (raw_body){.name = name ? name : "", .pos = at};
  return x;
}

raw_joint* limb_raw_add_joint(limb_raw_robot* s, const char* name, file_pos at)
{
  NEXT(raw_joint, joint);
  *x = (raw_joint){.name = name ? name : "", .pos = at, .offset = sp_pose_identity()};
  x->def = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  return x;
}

raw_frame* limb_raw_add_frame(limb_raw_robot* s, const char* name, file_pos at)
{
  NEXT(raw_frame, frame);
  *x = (raw_frame){.name = name ? name : "", .pos = at, .pose = sp_pose_identity()};
  return x;
}

raw_shaft* limb_raw_add_shaft(limb_raw_robot* s, file_pos at)
{
  NEXT(raw_shaft, shaft);
  *x = (raw_shaft){.pos = at, .joint = "", .motor = "", .def = limb_default_shaft_def(0, 0)};
  return x;
}

raw_tendon* limb_raw_add_tendon(limb_raw_robot* s, const char* name, file_pos at)
{
  NEXT(raw_tendon, tendon);
  *x = (raw_tendon){.name = name ? name : "", .pos = at, .def = limb_default_tendon_def(NULL)};
  return x;
}

raw_loop* limb_raw_add_loop(limb_raw_robot* s, const char* name, limb_loop_kind kind, file_pos at)
{
  NEXT(raw_loop, loop);
  const raw_end end = {.pos = at, .body = "", .pose = sp_pose_identity()};
  *x = (raw_loop){.name = name ? name : "", .pos = at, .end = {end, end}, .joint = "", .other = ""};
  x->def = limb_default_loop_def(NULL, kind, 0, 0);
  return x;
}

static raw_shape* next_shape(limb_raw_robot* s, file_pos at)
{
  NEXT(raw_shape, shape);
  *x = (raw_shape){.pos = at};
  return x;
}

// A path that is relative to an included file or to a folder of meshes becomes one that is relative to the model.
static int name_from_model(const limb_files* files, limb_shape_def* def)
{
  const char* slash = files->source ? strrchr(files->source, '/') : NULL;
  const size_t length = slash ? (size_t)(slash - files->source) + 1 : 0;
  const int given = *def->mesh == '/' && !limb_mjcf_fragment(def->mesh); // as an absolute path, which stays one
  if (given || strstr(def->mesh, "://") || !files->source) return 1;
  if (*def->path == '/' && length == 0) return 1;
  if (strncmp(def->path, files->source, length) != 0) return 1;
  def->mesh = def->path + length;
  return 1;
}

int limb_raw_add_shape(limb_raw_robot* s, int body, const limb_shape_def* def, limb_files* files, const char* from,
                       file_pos at)
{
  raw_shape* x = next_shape(s, at);
  if (!x) return 0;
  x->body = body;
  x->def = *def;
  if (def->type != LIMB_SHAPE_MESH || !*def->mesh) return 1;
  if (*def->path) return name_from_model(files, &x->def);
  const char* path = limb_files_find_mesh(files, def->mesh, from, at);
  x->def.path = path ? path : "";
  if (path) return name_from_model(files, &x->def);
  if (s->nmissing++ == 0) {
    s->missing = def->mesh;
    s->missing_pos = at;
  }
  return 1;
}

int limb_raw_set_gravity(limb_raw_robot* s, sp_vec3 g)
{
  sp_vec3* gravity = limb_mempool_alloc(s->pool, sizeof *gravity);
  if (gravity) *gravity = g;
  s->gravity = gravity;
  return gravity != NULL;
}

// ---- building -------------------------------------------------------------------------------------

typedef struct describe {
  const limb_raw_robot* s;
  const raw_links* l;
  limb_builder* b;
  raw_positions* positions;
  int* body;  // per body of the raw robot: its index in the builder
  int* joint; // per joint of the raw robot: its index in the builder
} describe;

static int has_errors(const limb_raw_robot* s) { return limb_findings_count_from(s->findings, LIMB_ERROR) > 0; }

// What the builder refuses is reported in its own words.
static limb_status refuse(const describe* d, limb_status status, limb_rule rule, file_pos at, limb_subject about,
                          const limb_error* err)
{
  if (status == LIMB_OK || status == LIMB_E_NOMEM) return status;
  limb_report(d->s->findings, status == LIMB_E_NONFINITE ? RULE_BAD_NUMBER : rule, at, about, "%s", err->text);
  return LIMB_OK;
}

static limb_status add_body(const describe* d, const char* name, const sp_inertia* Y, file_pos at, int* index)
{
  limb_error err;
  limb_body_def def = limb_default_body_def(name);
  if (Y) def.inertia = *Y;
  const limb_status status = limb_builder_add_body(d->b, &def, index, &err);
  if (status == LIMB_OK) d->positions->body[*index] = at;
  return refuse(d, status, RULE_DUPLICATE_NAME, at, (limb_subject){d->s->words.body, name}, &err);
}

static limb_status add_joint(const describe* d, const limb_joint_def* def, file_pos at)
{
  limb_error err;
  int index = 0;
  const limb_status status = limb_builder_add_joint(d->b, def, &index, &err);
  if (status == LIMB_OK) d->positions->joint[index] = at;
  return refuse(d, status, RULE_BAD_JOINT, at, (limb_subject){d->s->words.joint, def->name}, &err);
}

static limb_status describe_bodies(describe* d)
{
  const limb_raw_robot* s = d->s;
  for (int i = 0; i < s->nbody; i++) {
    if (i == d->l->world) {
      d->body[i] = LIMB_WORLD_BODY;
      continue;
    }
    const char* name = i == d->l->renamed ? RAW_WORLD_RENAMED : s->body[i].name;
    const limb_status status = add_body(d, name, &s->body[i].inertia, s->body[i].pos, &d->body[i]);
    if (status) return status;
  }
  return LIMB_OK;
}

static limb_status describe_base(const describe* d)
{
  if (d->l->root == RAW_NONE) return LIMB_OK;
  const char* name = "base";
  for (int k = 0; k < d->s->njoint; k++) {
    if (strcmp(d->s->joint[k].name, name) == 0) name = "base.fixed"; // only a fixed base may have this conflict
  }
  limb_joint_def def = limb_default_joint_def(name, d->l->base, LIMB_WORLD_BODY, d->body[d->l->root]);
  if (def.type == LIMB_PLANAR) def.drive = LIMB_DRIVE_PASSIVE; // as a free joint is by default
  return add_joint(d, &def, nowhere);
}

void limb_raw_check_limits(limb_findings* f, file_pos at, limb_subject about, limb_joint_def* def)
{
  const double lower = def->q_min, upper = def->q_max;
  if (!(lower > upper || lower == HUGE_VAL || upper == -HUGE_VAL)) return;
  limb_report(f, RULE_LIMIT_SWAPPED, at, about,
              "no position lies between its limits, lower %s and upper %s: it is read without them",
              limb_show(lower).text, limb_show(upper).text);
  limb_report_as(f, LIMB_WARNING);
  def->q_min = -HUGE_VAL;
  def->q_max = HUGE_VAL;
}

// Faults that the builder would report less clearly. The definition is corrected, so that the builder, which stops
// at the first fault, finds the others.
static void check_joint(const describe* d, const raw_joint* j, limb_joint_def* def)
{
  const limb_subject about = {d->s->words.joint, j->name};
  if (has_axis(def->type) && limb_is_zero(def->axis)) {
    limb_report(d->s->findings, RULE_BAD_AXIS, j->pos, about, "its axis is zero");
    def->axis = sp_v3(0, 0, 1);
  }
  limb_raw_check_limits(d->s->findings, j->pos, about, def);
}

// exp(axis q): the pose of a joint with one degree of freedom.
static sp_pose pose_at(const limb_joint_def* def, double q)
{
  const sp_vec3 a = limb_unit(def->axis);
  if (def->type == LIMB_PRISMATIC) return sp_pose_make(sp_identity3(), sp_scale3(q, a));
  return sp_pose_make(sp_rot_axis(a, q), sp_scale3(def->pitch * q, a));
}

// Turns a joint into a fixed one at the value q.
static void freeze(limb_joint_def* def, double q)
{
  const sp_pose placement = sp_compose(def->placement, pose_at(def, q));
  *def = limb_default_joint_def(def->name, LIMB_FIXED, def->parent, def->child);
  def->placement = placement;
}

static limb_status describe_joint(const describe* d, int k)
{
  const raw_joint* j = &d->s->joint[k];
  limb_joint_def def = j->def;
  def.name = j->name;
  def.parent = d->l->parent[k] == RAW_WORLD ? LIMB_WORLD_BODY : d->body[d->l->parent[k]];
  def.child = d->body[d->l->child[k]];
  def.mimic = d->l->mimic[k] == RAW_NONE ? -1 : d->joint[d->l->mimic[k]];
  if (def.mimic < 0) {
    def.multiplier = 1;
    def.offset = 0;
  }
  check_joint(d, j, &def);
  if (!isnan(d->l->frozen[k])) freeze(&def, d->l->frozen[k]);
  if (limb_is_identity(&j->offset)) return add_joint(d, &def, j->pos);

  if (def.type == LIMB_FIXED) { // a fixed joint needs no axis
    def.placement = sp_compose(def.placement, j->offset);
    return add_joint(d, &def, j->pos);
  }
  const char* between = limb_mempool_join(d->s->pool, j->child, ".axis", "");
  const char* weld = limb_mempool_join(d->s->pool, j->child, ".offset", "");
  if (!between || !weld) return LIMB_E_NOMEM;
  limb_joint_def fixed = limb_default_joint_def(weld, LIMB_FIXED, 0, def.child);
  fixed.placement = j->offset;
  limb_status status = add_body(d, between, NULL, j->pos, &def.child);
  fixed.parent = def.child;
  if (!status) status = add_joint(d, &def, j->pos);
  if (!status) status = add_joint(d, &fixed, j->pos);
  return status;
}

// The index of each joint in the builder: a mimic may name a later joint. Returns the number of joints.
static int number_joints(const describe* d)
{
  int next = d->l->root == RAW_NONE ? 0 : 1;
  for (int k = 0; k < d->s->njoint; k++) {
    const raw_joint* j = &d->s->joint[k];
    d->joint[k] = next++;
    if (!limb_is_identity(&j->offset) && j->def.type != LIMB_FIXED && isnan(d->l->frozen[k])) next++;
  }
  return next;
}

// Motors in the order of their joints. Their bodies and joints have the position of the motor in the file.
static limb_status describe_motors(const describe* d)
{
  for (int k = 0; k < d->s->njoint; k++) {
    const raw_joint* j = &d->s->joint[k];
    if (!j->motor) continue;
    limb_motor_def def = *j->motor;
    limb_error err;
    def.joint = d->joint[k];
    limb_status status = limb_builder_add_motor(d->b, &def, NULL, &err);
    if (status == LIMB_OK) {
      d->positions->body[limb_builder_body_count(d->b) - 1] = j->motor_pos;
      d->positions->joint[limb_builder_joint_count(d->b) - 1] = j->motor_pos;
    }
    status = refuse(d, status, RULE_BAD_JOINT, j->motor_pos, (limb_subject){d->s->words.joint, j->name}, &err);
    if (status) return status;
  }
  return LIMB_OK;
}

static limb_status describe_shafts(const describe* d)
{
  for (int i = 0; i < d->s->nshaft; i++) {
    const raw_shaft* x = &d->s->shaft[i];
    limb_shaft_def def = x->def;
    limb_error err;
    def.joint = d->joint[d->l->driven[i]], def.motor = d->joint[d->l->motor[i]];
    limb_status status = limb_builder_add_shaft(d->b, &def, &err);
    status = refuse(d, status, RULE_SHAFT_TARGET, x->pos, (limb_subject){"shaft", x->joint}, &err);
    if (status) return status;
  }
  return LIMB_OK;
}

// What a tendon names and is not there.
static int report_end(const describe* d, file_pos pos, const raw_tendon* x, const char* what, const char* name,
                      int count, limb_name_fn* names)
{
  limb_report(d->s->findings, RULE_TENDON_TARGET, pos, (limb_subject){"tendon", x->name}, "there is no %s '%s'%s", what,
              name, limb_did_you_mean(d->s->findings, name, count, names, d->s).text);
  return 0;
}

// A point of a tendon, in its body; 0 after an error.
static int find_point(const describe* d, const raw_tendon* x, const raw_tendon_point* p, limb_tendon_point* out)
{
  const limb_raw_robot* s = d->s;
  const char* name = p->body;
  *out = (limb_tendon_point){LIMB_WORLD_BODY, p->at, p->pulley};
  for (int i = 0; i < s->nframe && p->frame && !name; i++) {
    if (strcmp(s->frame[i].name, p->frame) != 0) continue;
    name = s->frame[i].body;
    out->at = sp_point(s->frame[i].pose, p->at);
  }
  if (p->frame && !name) return report_end(d, p->pos, x, s->words.frame, p->frame, 0, NULL);
  if (name) out->body = strcmp(name, "world") == 0 ? LIMB_WORLD_BODY : limb_builder_find_body(d->b, name);
  return out->body >= 0 || report_end(d, p->pos, x, s->words.body, name, s->nbody, limb_raw_body_name);
}

static limb_status describe_tendon(const describe* d, const limb_names* joints, const raw_tendon* x)
{
  limb_tendon_def def = x->def;
  limb_error err;
  int* joint = limb_mempool_alloc(d->s->pool, ((size_t)def.count + 1) * sizeof *joint);
  limb_tendon_point* point = limb_mempool_alloc(d->s->pool, ((size_t)def.points + 1) * sizeof *point);
  if (!joint || !point) return LIMB_E_NOMEM;
  int good = 1;
  for (int k = 0; k < def.count && good; k++) {
    const int at = limb_names_find(joints, x->joint[k], limb_raw_joint_name, d->s);
    good = at >= 0 || report_end(d, x->pos, x, d->s->words.joint, x->joint[k], d->s->njoint, limb_raw_joint_name);
    if (good) joint[k] = d->joint[at];
  }
  for (int k = 0; k < def.points && good; k++) good = find_point(d, x, &x->point[k], &point[k]);
  if (!good) return LIMB_OK;
  def.name = x->name, def.joint = joint, def.point = point;
  return refuse(d, limb_builder_add_tendon(d->b, &def, NULL, &err), RULE_TENDON_TARGET, x->pos,
                (limb_subject){"tendon", x->name}, &err);
}

static limb_status describe_tendons(const describe* d)
{
  limb_names joints;
  limb_status status = LIMB_OK;
  if (d->s->ntendon == 0) return LIMB_OK;
  if (!limb_raw_joint_names(d->s, &joints)) return LIMB_E_NOMEM;
  for (int i = 0; !status && i < d->s->ntendon; i++) status = describe_tendon(d, &joints, &d->s->tendon[i]);
  return status;
}

static limb_status describe_frames(const describe* d)
{
  const limb_raw_robot* s = d->s;
  for (int i = 0; i < s->nframe; i++) {
    const raw_frame* f = &s->frame[i];
    const limb_subject about = {s->words.frame, f->name};
    const int body = strcmp(f->body, "world") == 0 ? 0 : limb_builder_find_body(d->b, f->body);
    limb_error err;
    limb_status status = limb_builder_add_frame(d->b, f->name, body, &f->pose, NULL, &err);
    status = refuse(d, status, RULE_BAD_VALUE, f->pos, about, &err);
    if (status) return status;
  }
  return LIMB_OK;
}

// The definition of a loop whose names were all found.
static limb_loop_def loop_def(const describe* d, int i)
{
  const raw_closure* c = &d->l->loop[i];
  limb_loop_def def = d->s->loop[i].def;
  const limb_loop_def none = limb_default_loop_def(d->s->loop[i].name, def.kind, 0, 0);
  def.name = none.name;
  def.body_a = def.body_b = LIMB_WORLD_BODY;
  def.pose_a = def.pose_b = none.pose_a;
  def.joint = def.other = none.joint;
  if (loop_of_joints(def.kind)) {
    def.joint = d->joint[c->joint[0]], def.other = d->joint[c->joint[1]];
    return def;
  }
  if (c->body[0] >= 0) def.body_a = d->body[c->body[0]];
  if (c->body[1] >= 0) def.body_b = d->body[c->body[1]];
  def.pose_a = c->pose[0], def.pose_b = c->pose[1];
  return def;
}

static limb_status describe_loops(const describe* d)
{
  for (int i = 0; i < d->s->nloop; i++) {
    const raw_loop* x = &d->s->loop[i];
    const limb_loop_def def = loop_def(d, i);
    limb_error err;
    limb_status status = limb_builder_add_loop(d->b, &def, NULL, &err);
    d->positions->loop[i] = x->pos;
    status = refuse(d, status, RULE_BAD_LOOP, x->pos, (limb_subject){"loop", x->name}, &err);
    if (status) return status;
  }
  return LIMB_OK;
}

// What the builder refuses is left out.
static limb_status describe_shapes(const describe* d)
{
  const limb_raw_robot* s = d->s;
  for (int i = 0; i < s->nshape; i++) {
    const raw_shape* x = &s->shape[i];
    limb_shape_def def = x->def;
    limb_error err;
    def.body = x->body < 0 ? LIMB_WORLD_BODY : d->body[x->body];
    const char* body = x->body < 0 ? "world" : s->body[x->body].name;
    const limb_status status = limb_builder_add_shape(d->b, &def, NULL, &err);
    if (status == LIMB_E_NOMEM) return status;
    if (status) limb_report(s->findings, RULE_BAD_SHAPE, x->pos, (limb_subject){s->words.body, body}, "%s", err.text);
  }
  if (s->nmissing == 0) return LIMB_OK;
  char others[40] = "";
  if (s->nmissing > 1) (void)snprintf(others, sizeof others, ", nor are %d others", s->nmissing - 1);
  limb_report(s->findings, RULE_MISSING_MESH, s->missing_pos, (limb_subject){NULL, NULL},
              "the mesh '%s' is not found%s", limb_excerpt(s->missing, NULL).text, others);
  return LIMB_OK;
}

static limb_status describe_robot(describe* d)
{
  const limb_raw_robot* s = d->s;
  limb_status status = describe_bodies(d);
  if (!status && has_errors(s)) status = LIMB_E_MODEL; // joints need all bodies
  if (!status) status = describe_base(d);
  for (int k = 0; !status && k < s->njoint; k++) status = describe_joint(d, k);
  if (!status) status = has_errors(s) ? LIMB_E_MODEL : describe_motors(d); // motors need all joints
  if (!status) status = describe_shafts(d);
  if (!status) status = describe_tendons(d);
  if (!status) status = describe_frames(d);
  if (!status) status = describe_loops(d);
  if (!status) status = describe_shapes(d);
  if (!status && s->name && *s->name) status = limb_builder_set_name(d->b, s->name);
  if (!status && s->gravity) {
    status = limb_builder_set_gravity(d->b, *s->gravity);
    if (status == LIMB_E_NONFINITE) {
      limb_report(s->findings, RULE_BAD_NUMBER, nowhere, (limb_subject){"gravity", NULL}, "it is not finite");
      status = LIMB_OK;
    }
  }
  return status;
}

limb_status limb_raw_robot_build(const limb_raw_robot* s, const limb_read_options* opt, limb_builder** out,
                                 raw_positions* positions)
{
  *out = NULL;
  raw_links l = {0};
  describe d = {.s = s, .l = &l, .positions = positions};
  limb_status status = limb_raw_robot_check(s, opt, &l);
  if (status) return status;
  if (has_errors(s)) return LIMB_E_MODEL;

  d.body = limb_mempool_alloc(s->pool, ((size_t)s->nbody + 1) * sizeof *d.body);
  d.joint = limb_mempool_alloc(s->pool, ((size_t)s->njoint + 1) * sizeof *d.joint);
  if (!d.body || !d.joint) return LIMB_E_NOMEM;
  positions->of_raw = d.body;
  positions->njoint = number_joints(&d);
  for (int k = 0; k < s->njoint; k++) positions->njoint += s->joint[k].motor != NULL;
  positions->nbody = 1 + s->nbody + positions->njoint; // at most: the world, bodies, one more per joint
  positions->body = limb_mempool_alloc(s->pool, (size_t)positions->nbody * sizeof *positions->body);
  positions->joint = limb_mempool_alloc(s->pool, ((size_t)positions->njoint + 1) * sizeof *positions->joint);
  positions->nloop = s->nloop;
  positions->loop = limb_mempool_alloc(s->pool, ((size_t)s->nloop + 1) * sizeof *positions->loop);
  if (!positions->body || !positions->joint || !positions->loop) return LIMB_E_NOMEM;

  status = limb_builder_create(opt->alloc, &d.b);
  if (!status) status = describe_robot(&d);
  if (!status && has_errors(s)) status = LIMB_E_MODEL;
  if (status) {
    limb_builder_destroy(d.b);
    return status;
  }
  *out = d.b;
  return LIMB_OK;
}
