// The doctor: prepares the robot for the rules, and runs them. O(n log n) in all.
#include "io/doctor.h"

#include "limb/check.h"
#include "limb/inertia.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

// ---- words and places -----------------------------------------------------------------------------

limb_mark limb_doctor_body_mark(const doctor* d, int body)
{
  const sketch_marks* m = &d->r->marks;
  return m->body && body < m->nbody ? m->body[body] : (limb_mark){0, 0};
}

limb_mark limb_doctor_joint_mark(const doctor* d, int joint)
{
  const sketch_marks* m = &d->r->marks;
  return m->joint && joint < m->njoint ? m->joint[joint] : (limb_mark){0, 0};
}

limb_subject limb_doctor_body(const doctor* d, int body)
{
  return (limb_subject){d->body_word, d->body[body].def.name};
}

limb_subject limb_doctor_joint(const doctor* d, int joint) { return (limb_subject){"joint", d->joint[joint].name}; }

int limb_doctor_grounded(const doctor* d, int body) { return d->body[body].head == LIMB_WORLD_BODY; }

int limb_doctor_slides(const doctor* d, int body) { return !d->body[d->body[body].head].turns; }

doctor_figure limb_show(double x)
{
  doctor_figure f;
  (void)limb_print_number(x, f.text);
  return f;
}

doctor_figure limb_show_short(double x)
{
  if (x == 0 || !isfinite(x)) return limb_show(x);
  const int place = 2 - (int)floor(log10(fabs(x))); // powers of ten up to 22 are exact
  if (place < -20 || place > 20) return limb_show(x);
  const double scale = pow(10, abs(place));
  return limb_show(place > 0 ? round(x * scale) / scale : round(x / scale) * scale);
}

// ---- the robot ------------------------------------------------------------------------------------

static int take_arrays(doctor* d)
{
  const size_t nbody = (size_t)d->nbody, njoint = (size_t)d->njoint;
  d->body = limb_store_take(&d->pool, nbody * sizeof *d->body);
  d->joint = limb_store_take(&d->pool, (njoint + 1) * sizeof *d->joint);
  d->order = limb_store_take(&d->pool, nbody * sizeof *d->order);
  return d->body && d->joint && d->order;
}

static limb_status copy_robot(doctor* d)
{
  for (int i = 0; i < d->nbody; i++) {
    d->body[i].joint = -1;
    d->body[i].head = i;
    d->body[i].in_head = d->body[i].in_world = sp_pose_identity();
    const limb_status status = limb_builder_get_body(d->r->builder, i, &d->body[i].def);
    if (status) return status;
  }
  for (int k = 0; k < d->njoint; k++) {
    const limb_status status = limb_builder_get_joint(d->r->builder, k, &d->joint[k]);
    if (status) return status;
  }
  const inertia_tag** tag = limb_store_take(&d->pool, (size_t)d->nbody * sizeof(inertia_tag*));
  if (!tag) return LIMB_E_NOMEM;
  limb_tags_by_body(d->r, d->nbody, tag);
  for (int i = 0; i < d->nbody; i++) d->body[i].tag = tag[i];
  return LIMB_OK;
}

// Bodies from the world outward, breadth first. A body that hangs on nothing is not among them.
static limb_status put_in_order(doctor* d)
{
  int* first = limb_store_take(&d->pool, (size_t)d->nbody * sizeof *first);
  int* next = limb_store_take(&d->pool, ((size_t)d->njoint + 1) * sizeof *next);
  if (!first || !next) return LIMB_E_NOMEM;
  for (int i = 0; i < d->nbody; i++) first[i] = -1;
  for (int k = d->njoint - 1; k >= 0; k--) {
    next[k] = first[d->joint[k].parent];
    first[d->joint[k].parent] = k;
  }
  d->order[d->norder++] = LIMB_WORLD_BODY;
  for (int n = 0; n < d->norder; n++) {
    for (int k = first[d->order[n]]; k >= 0; k = next[k]) {
      doctor_body* child = &d->body[d->joint[k].child];
      if (child->joint >= 0) continue;
      child->joint = k;
      d->order[d->norder++] = d->joint[k].child;
    }
  }
  return LIMB_OK;
}

// How far from the origins of their heads the frames of loops are, which are joints as well.
static void reach_loops(doctor* d)
{
  limb_loop_def x;
  for (int i = 0; limb_builder_get_loop(d->r->builder, i, &x) == LIMB_OK; i++) {
    if (x.body_a < 0) continue;
    const int body[] = {x.body_a, x.body_b};
    const sp_vec3 point[] = {x.pose_a.p, x.pose_b.p};
    for (int k = 0; k < 2; k++) {
      const doctor_body* b = &d->body[body[k]];
      doctor_body* head = &d->body[b->head];
      head->span = fmax(head->span, sp_norm3(sp_point(b->in_head, point[k])));
    }
  }
}

// Poses, groups, and how far from the head's origin their joints are.
static void weld(doctor* d)
{
  for (int n = 1; n < d->norder; n++) {
    doctor_body* b = &d->body[d->order[n]];
    const limb_joint_def* j = &d->joint[b->joint];
    const doctor_body* parent = &d->body[j->parent];
    doctor_body* head = &d->body[parent->head];
    const sp_pose X = sp_compose(parent->in_head, j->placement);
    b->in_world = sp_compose(parent->in_world, j->placement);
    head->span = fmax(head->span, sp_norm3(X.p));
    if (j->type != LIMB_FIXED) {
      head->carries = 1;
      b->turns = head->turns || j->type != LIMB_PRISMATIC;
      continue;
    }
    b->head = parent->head;
    b->in_head = X;
  }
  for (int n = 0; n < d->norder; n++) {
    const doctor_body* b = &d->body[d->order[n]];
    doctor_body* head = &d->body[b->head];
    head->group = limb_inertia_add(head->group, limb_inertia_move(b->in_head, b->def.inertia));
  }
}

// How far a prismatic joint goes.
static double stroke(const limb_joint_def* j)
{
  if (j->type != LIMB_PRISMATIC || !isfinite(j->q_min) || !isfinite(j->q_max)) return 0;
  return fmin(fmax(fabs(j->q_min), fabs(j->q_max)), 10);
}

// What a group carries, and how large things are around it.
static void measure(doctor* d)
{
  sp_vec3 low = sp_v3(0, 0, 0), high = low;
  for (int n = d->norder - 1; n > 0; n--) {
    doctor_body* b = &d->body[d->order[n]];
    const limb_joint_def* j = &d->joint[b->joint];
    const sp_vec3 p = b->in_world.p;
    if (n == d->norder - 1) low = high = p;
    low = sp_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = sp_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    doctor_body* parent = &d->body[j->parent];
    const double size = fabs(b->def.inertia.xx) + fabs(b->def.inertia.yy) + fabs(b->def.inertia.zz);
    b->behind += b->def.inertia.mass;
    b->bears |= size > 0;
    parent->behind += b->behind;
    parent->bears |= b->bears;
    if (!limb_doctor_grounded(d, d->order[n])) d->mass += fmax(b->def.inertia.mass, 0);
    if (j->type == LIMB_FIXED) continue;
    doctor_body* head = &d->body[parent->head];
    b->size = fmax(b->size, fmax(b->span, fmax(head->span, stroke(j))));
    head->size = fmax(head->size, fmax(b->span, fmax(head->span, stroke(j))));
  }
  d->extent = sp_norm3(sp_sub3(high, low));
}

// ---- the examination ------------------------------------------------------------------------------

static limb_status examine(doctor* d)
{
  if (!take_arrays(d)) return LIMB_E_NOMEM;
  limb_status status = copy_robot(d);
  if (!status) status = put_in_order(d);
  if (status) return status;
  weld(d);
  reach_loops(d);
  measure(d);
  limb_doctor_beyond(d);
  limb_doctor_inertia(d);
  if (!d->beyond) {
    status = limb_doctor_copies(d);
    limb_doctor_sizes(d);
  }
  if (!status) status = limb_doctor_joints(d);
  if (!status) status = limb_doctor_loops(d);
  if (!status) status = limb_doctor_names(d);
  return !status && limb_findings_lost(d->f) ? LIMB_E_NOMEM : status;
}

limb_status limb_check(limb_reading* r, limb_error* err)
{
  if (!r || !r->builder) return limb_fail(err, LIMB_E_ARG, "reading", "there is no robot to be examined");
  doctor d = {.r = r,
              .f = r->findings,
              .body_word = r->format == LIMB_FORMAT_URDF ? "link" : "body",
              .pool = limb_store_make(&r->alloc),
              .nbody = limb_builder_body_count(r->builder),
              .njoint = limb_builder_joint_count(r->builder)};
  const limb_status status = examine(&d);
  limb_store_free(&d.pool);
  if (status) return limb_fail(err, status, r->source.name, "the examination ran out of memory");
  return LIMB_OK;
}
