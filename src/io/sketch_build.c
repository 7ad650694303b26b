// From a sketch that is in order to a builder.
#include "io/sketch_impl.h"

#include "io/joints.h"
#include "io/loops.h"

#include <math.h>
#include <string.h>

typedef struct describe {
  const limb_sketch* s;
  const sketch_links* l;
  limb_builder* b;
  sketch_marks* marks;
  int* body;  // per body of the sketch: its index in the builder
  int* joint; // per joint of the sketch: its index in the builder
} describe;

static int has_errors(const limb_sketch* s) { return limb_findings_count_from(s->findings, LIMB_ERROR) > 0; }

static int is_identity(const sp_pose* X)
{
  const sp_pose one = sp_pose_identity();
  for (int i = 0; i < 9; i++) {
    if (X->R.m[i] != one.R.m[i]) return 0;
  }
  return X->p.x == 0 && X->p.y == 0 && X->p.z == 0;
}

// What the builder refuses is a finding with the builder's own words.
static limb_status refuse(const describe* d, limb_status status, limb_rule rule, limb_mark at, limb_subject about,
                          const limb_error* err)
{
  if (status == LIMB_OK || status == LIMB_E_NOMEM) return status;
  limb_report(d->s->findings, status == LIMB_E_NONFINITE ? RULE_BAD_NUMBER : rule, at, about, "%s", err->text);
  return LIMB_OK;
}

static limb_status add_body(const describe* d, const char* name, const sp_inertia* Y, limb_mark at, int* index)
{
  limb_error err;
  limb_body_def def = limb_default_body_def(name);
  if (Y) def.inertia = *Y;
  const limb_status status = limb_builder_add_body(d->b, &def, index, &err);
  if (status == LIMB_OK) d->marks->body[*index] = at;
  return refuse(d, status, RULE_DUPLICATE_NAME, at, (limb_subject){d->s->words.body, name}, &err);
}

static limb_status add_joint(const describe* d, const limb_joint_def* def, limb_mark at)
{
  limb_error err;
  int index = 0;
  const limb_status status = limb_builder_add_joint(d->b, def, &index, &err);
  if (status == LIMB_OK) d->marks->joint[index] = at;
  return refuse(d, status, RULE_BAD_JOINT, at, (limb_subject){d->s->words.joint, def->name}, &err);
}

// Bodies in the order of the sketch.
static limb_status describe_bodies(describe* d)
{
  const limb_sketch* s = d->s;
  for (int i = 0; i < s->nbody; i++) {
    if (i == d->l->world) {
      d->body[i] = LIMB_WORLD_BODY;
      continue;
    }
    const char* name = i == d->l->renamed ? SKETCH_RENAMED : s->body[i].name;
    const limb_status status = add_body(d, name, &s->body[i].inertia, s->body[i].mark, &d->body[i]);
    if (status) return status;
  }
  return LIMB_OK;
}

static limb_status describe_base(const describe* d)
{
  if (d->l->root == SKETCH_NONE) return LIMB_OK;
  const char* name = "base";
  for (int k = 0; k < d->s->njoint; k++) {
    if (strcmp(d->s->joint[k].name, name) == 0) name = "base.fixed"; // the check lets only this through
  }
  limb_joint_def def = limb_default_joint_def(name, d->l->base, LIMB_WORLD_BODY, d->body[d->l->root]);
  if (def.type == LIMB_PLANAR) def.drive = LIMB_DRIVE_PASSIVE; // as a free one is by itself
  return add_joint(d, &def, (limb_mark){0, 0});
}

static int moves(limb_joint_type type) { return type != LIMB_FIXED; }

// What can be said better than by the builder, which stops at the first fault. The definition is mended, so
// that its other faults are found, too.
static void check_joint(const describe* d, const sketch_joint* j, limb_joint_def* def)
{
  const limb_subject about = {d->s->words.joint, j->name};
  if (has_axis(def->type) && def->axis.x == 0 && def->axis.y == 0 && def->axis.z == 0) {
    limb_report(d->s->findings, RULE_BAD_AXIS, j->mark, about, "its axis is zero");
    def->axis = sp_v3(0, 0, 1);
  }
  if (def->q_min > def->q_max) {
    limb_report(d->s->findings, RULE_LIMIT_SWAPPED, j->mark, about, "its lower limit is above its upper limit");
    def->q_min = -HUGE_VAL;
    def->q_max = HUGE_VAL;
  }
}

// exp(axis q): where a joint with one degree of freedom stands.
static sp_pose stand_at(const limb_joint_def* def, double q)
{
  const double largest = fmax(fabs(def->axis.x), fmax(fabs(def->axis.y), fabs(def->axis.z))); // squares may overflow
  sp_vec3 a = sp_v3(def->axis.x / largest, def->axis.y / largest, def->axis.z / largest);
  a = sp_scale3(1 / sp_norm3(a), a);
  if (def->type == LIMB_PRISMATIC) return sp_pose_make(sp_identity3(), sp_scale3(q, a));
  return sp_pose_make(sp_rot_axis(a, q), sp_scale3(def->pitch * q, a));
}

// The fixed joint that one is which stands at q.
static void freeze(limb_joint_def* def, double q)
{
  const sp_pose placement = sp_compose(def->placement, stand_at(def, q));
  *def = limb_default_joint_def(def->name, LIMB_FIXED, def->parent, def->child);
  def->placement = placement;
}

static limb_status describe_joint(const describe* d, int k)
{
  const sketch_joint* j = &d->s->joint[k];
  limb_joint_def def = j->def;
  def.name = j->name;
  def.parent = d->l->parent[k] == SKETCH_WORLD ? LIMB_WORLD_BODY : d->body[d->l->parent[k]];
  def.child = d->body[d->l->child[k]];
  def.mimic = d->l->mimic[k] == SKETCH_NONE ? -1 : d->joint[d->l->mimic[k]];
  if (def.mimic < 0) {
    def.multiplier = 1;
    def.offset = 0;
  }
  check_joint(d, j, &def);
  if (!isnan(d->l->frozen[k])) freeze(&def, d->l->frozen[k]);
  if (is_identity(&j->offset)) return add_joint(d, &def, j->mark);

  if (!moves(def.type)) { // a fixed joint has no axis to stay on
    def.placement = sp_compose(def.placement, j->offset);
    return add_joint(d, &def, j->mark);
  }
  const char* between = limb_sketch_suffixed(d->s, j->child, ".axis");
  const char* weld = limb_sketch_suffixed(d->s, j->child, ".offset");
  if (!between || !weld) return LIMB_E_NOMEM;
  limb_joint_def fixed = limb_default_joint_def(weld, LIMB_FIXED, 0, def.child);
  fixed.placement = j->offset;
  limb_status status = add_body(d, between, NULL, j->mark, &def.child);
  fixed.parent = def.child;
  if (!status) status = add_joint(d, &def, j->mark);
  if (!status) status = add_joint(d, &fixed, j->mark);
  return status;
}

// Where each joint will stand in the builder: mimics may name a later one.
static int number_joints(const describe* d)
{
  int next = d->l->root == SKETCH_NONE ? 0 : 1;
  for (int k = 0; k < d->s->njoint; k++) {
    const sketch_joint* j = &d->s->joint[k];
    d->joint[k] = next++;
    if (!is_identity(&j->offset) && moves(j->def.type) && isnan(d->l->frozen[k])) next++;
  }
  return next;
}

// Motors in the order of their joints. What is added stands where the file says so.
static limb_status describe_motors(const describe* d)
{
  for (int k = 0; k < d->s->njoint; k++) {
    const sketch_joint* j = &d->s->joint[k];
    if (!j->motor) continue;
    limb_motor_def def = *j->motor;
    limb_error err;
    def.joint = d->joint[k];
    limb_status status = limb_builder_add_motor(d->b, &def, NULL, &err);
    if (status == LIMB_OK) {
      d->marks->body[limb_builder_body_count(d->b) - 1] = j->motor_mark;
      d->marks->joint[limb_builder_joint_count(d->b) - 1] = j->motor_mark;
    }
    status = refuse(d, status, RULE_BAD_JOINT, j->motor_mark, (limb_subject){d->s->words.joint, j->name}, &err);
    if (status) return status;
  }
  return LIMB_OK;
}

static limb_status describe_shafts(const describe* d)
{
  for (int i = 0; i < d->s->nshaft; i++) {
    const sketch_shaft* x = &d->s->shaft[i];
    limb_shaft_def def = x->def;
    limb_error err;
    def.joint = d->joint[d->l->driven[i]];
    def.motor = d->joint[d->l->motor[i]];
    limb_status status = limb_builder_add_shaft(d->b, &def, &err);
    status = refuse(d, status, RULE_SHAFT_TARGET, x->mark, (limb_subject){"shaft", x->joint}, &err);
    if (status) return status;
  }
  return LIMB_OK;
}

static limb_status describe_frames(const describe* d)
{
  const limb_sketch* s = d->s;
  for (int i = 0; i < s->nframe; i++) {
    const sketch_frame* f = &s->frame[i];
    const limb_subject about = {s->words.frame, f->name};
    const int body = strcmp(f->body, "world") == 0 ? 0 : limb_builder_find_body(d->b, f->body);
    limb_error err;
    limb_status status = limb_builder_add_frame(d->b, f->name, body, &f->pose, NULL, &err);
    status = refuse(d, status, RULE_BAD_VALUE, f->mark, about, &err);
    if (status) return status;
  }
  return LIMB_OK;
}

// Of a loop whose names are all there.
static limb_loop_def loop_def(const describe* d, int i)
{
  const sketch_closure* c = &d->l->loop[i];
  limb_loop_def def = d->s->loop[i].def;
  const limb_loop_def none = limb_default_loop_def(d->s->loop[i].name, def.kind, 0, 0);
  def.name = none.name;
  def.body_a = def.body_b = LIMB_WORLD_BODY;
  def.pose_a = def.pose_b = none.pose_a;
  def.joint = def.other = none.joint;
  if (loop_of_joints(def.kind)) {
    def.joint = d->joint[c->joint[0]];
    def.other = d->joint[c->joint[1]];
    return def;
  }
  if (c->body[0] >= 0) def.body_a = d->body[c->body[0]];
  if (c->body[1] >= 0) def.body_b = d->body[c->body[1]];
  def.pose_a = c->pose[0];
  def.pose_b = c->pose[1];
  return def;
}

static limb_status describe_loops(const describe* d)
{
  for (int i = 0; i < d->s->nloop; i++) {
    const sketch_loop* x = &d->s->loop[i];
    const limb_loop_def def = loop_def(d, i);
    limb_error err;
    limb_status status = limb_builder_add_loop(d->b, &def, NULL, &err);
    d->marks->loop[i] = x->mark;
    status = refuse(d, status, RULE_BAD_LOOP, x->mark, (limb_subject){"loop", x->name}, &err);
    if (status) return status;
  }
  return LIMB_OK;
}

static limb_status describe_robot(describe* d)
{
  const limb_sketch* s = d->s;
  limb_status status = describe_bodies(d);
  if (!status && has_errors(s)) status = LIMB_E_MODEL; // joints need all bodies
  if (!status) status = describe_base(d);
  for (int k = 0; !status && k < s->njoint; k++) status = describe_joint(d, k);
  if (!status) status = has_errors(s) ? LIMB_E_MODEL : describe_motors(d); // they need all joints
  if (!status) status = describe_shafts(d);
  if (!status) status = describe_frames(d);
  if (!status) status = describe_loops(d);
  if (!status && s->name && *s->name) status = limb_builder_set_name(d->b, s->name);
  if (!status && s->gravity) {
    status = limb_builder_set_gravity(d->b, *s->gravity);
    if (status == LIMB_E_NONFINITE) {
      limb_report(s->findings, RULE_BAD_NUMBER, (limb_mark){0, 0}, (limb_subject){"gravity", NULL}, "it is not finite");
      status = LIMB_OK;
    }
  }
  return status;
}

limb_status limb_sketch_build(const limb_sketch* s, const limb_read_options* opt, limb_builder** out,
                              sketch_marks* marks)
{
  *out = NULL;
  sketch_links l = {0};
  describe d = {.s = s, .l = &l, .marks = marks};
  limb_status status = limb_sketch_check(s, opt, &l);
  if (status) return status;
  if (has_errors(s)) return LIMB_E_MODEL;

  d.body = limb_store_take(s->pool, ((size_t)s->nbody + 1) * sizeof *d.body);
  d.joint = limb_store_take(s->pool, ((size_t)s->njoint + 1) * sizeof *d.joint);
  if (!d.body || !d.joint) return LIMB_E_NOMEM;
  marks->of_sketch = d.body;
  marks->njoint = number_joints(&d);
  for (int k = 0; k < s->njoint; k++) marks->njoint += s->joint[k].motor != NULL;
  marks->nbody = 1 + s->nbody + marks->njoint; // at most: the world, bodies, one more per joint
  marks->body = limb_store_take(s->pool, (size_t)marks->nbody * sizeof *marks->body);
  marks->joint = limb_store_take(s->pool, ((size_t)marks->njoint + 1) * sizeof *marks->joint);
  marks->nloop = s->nloop;
  marks->loop = limb_store_take(s->pool, ((size_t)s->nloop + 1) * sizeof *marks->loop);
  if (!marks->body || !marks->joint || !marks->loop) return LIMB_E_NOMEM;

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
