// Joints that are held: they become fixed, and what refers to their coordinates follows.
//
//   mimic               q_k = multiplier q_j + offset: one coordinate holds both joints
//   gear, polynomial    q_joint = sum c_i q_other^i: q_other holds q_joint; for a gear also the other way round
//   shaft               T = k (q_m / n - q_j - r) + d (v_m / n - v_j)  at the joint, -T / n at the motor:
//                       q_m held: a spring k, d at the joint, relaxed at q_m / n - r
//                       q_j held: a spring k / n^2, d / n^2 at the motor, relaxed at n (q_j + r)
//   tendon              length - rest = sum of the others + (coefficient q - rest)
//   closure             between bodies that no joint moves against each other: it is closed, or there is no such robot
#include "model/edit_impl.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

// Joints in the order in which they are held. Joints with one coordinate, which others may refer to, have it in q.
typedef struct holding {
  edit* e;
  int* queue;
  int count;
  double* q;           // per joint
  unsigned char* held; // per joint
} holding;

// ---- one joint --------------------------------------------------------------------------------------------

// The pose of the child in the joint frame at q.
static sp_pose pose_at(const limb_joint_def* def, const double* q)
{
  const sp_vec3 n = def->axis, m = def->axis2;
  const sp_mat3 R0 = sp_identity3();
  switch (def->type) {
  case LIMB_FIXED: break;
  case LIMB_REVOLUTE: return sp_pose_make(sp_rot_axis(n, q[0]), sp_v3(0, 0, 0));
  case LIMB_PRISMATIC: return sp_pose_make(R0, sp_scale3(q[0], n));
  case LIMB_HELICAL: return sp_pose_make(sp_rot_axis(n, q[0]), sp_scale3(def->pitch * q[0], n));
  case LIMB_CYLINDRICAL: return sp_pose_make(sp_rot_axis(n, q[0]), sp_scale3(q[1], n));
  case LIMB_UNIVERSAL: return sp_pose_make(sp_mul3(sp_rot_axis(n, q[0]), sp_rot_axis(m, q[1])), sp_v3(0, 0, 0));
  case LIMB_PLANAR:
    return sp_pose_make(sp_rot_axis(n, q[2]), sp_add3(sp_scale3(q[0], m), sp_scale3(q[1], sp_cross3(n, m))));
  case LIMB_SPHERICAL: return sp_pose_make(sp_rot_quat((sp_quat){q[0], q[1], q[2], q[3]}), sp_v3(0, 0, 0));
  case LIMB_FREE: return sp_pose_make(sp_rot_quat((sp_quat){q[3], q[4], q[5], q[6]}), sp_v3(q[0], q[1], q[2]));
  }
  return sp_pose_identity();
}

static void fix(edit* e, int joint, sp_pose placement)
{
  const limb_joint_def def = e->joint[joint];
  e->joint[joint] = limb_default_joint_def(def.name, LIMB_FIXED, def.parent, def.child);
  e->joint[joint].placement = placement;
}

// Notes that a joint with one coordinate is held there. Held twice, at different places, is a contradiction.
static limb_status hold(holding* h, int joint, double q)
{
  const char* name = h->e->b->joint[joint].name;
  if (!isfinite(q))
    return limb_fail(h->e->err, LIMB_E_ARG, name, "the value at which it is to be locked is not finite");
  if (!h->held[joint]) {
    h->held[joint] = 1;
    h->q[joint] = q;
    h->queue[h->count++] = joint;
    return LIMB_OK;
  }
  if (fabs(h->q[joint] - q) <= fmax(1e-7, h->e->b->loop_tolerance) * fmax(1, fabs(q))) return LIMB_OK;
  return limb_fail(h->e->err, LIMB_E_MODEL, name, "joints that it depends on would hold it at %.9g and at %.9g",
                   h->q[joint], q);
}

// ---- what refers to it ------------------------------------------------------------------------------------

static limb_status hold_mimics(holding* h, int joint)
{
  const edit* e = h->e;
  const limb_joint_def* own = &e->b->joint[joint];
  limb_status s = LIMB_OK;
  if (own->mimic >= 0) s = hold(h, own->mimic, (h->q[joint] - own->offset) / own->multiplier);
  for (int k = 0; s == LIMB_OK && k < e->b->njoint; k++) {
    const limb_joint_def* def = &e->b->joint[k];
    if (def->mimic == joint) s = hold(h, k, def->multiplier * h->q[joint] + def->offset);
  }
  return s;
}

static double polynomial(const limb_loop_def* def, double x)
{
  double y = 0;
  for (int i = LIMB_LOOP_COEFFICIENTS - 1; i >= 0; i--) y = y * x + def->coefficient[i];
  return y;
}

static limb_status hold_gears(holding* h, int joint)
{
  edit* e = h->e;
  limb_status s = LIMB_OK;
  for (int l = 0; s == LIMB_OK && l < e->nloop; l++) {
    const limb_loop_def* def = &e->loop[l];
    const limb_prescribed_motion* law = &def->motion;
    if (!def->name || def->joint < 0 || (def->joint != joint && def->other != joint)) continue;
    if (law->fn || law->constant != 0 || law->rate != 0 || law->amplitude != 0)
      return limb_fail(e->err, LIMB_E_MODEL, def->name,
                       "this loop prescribes a motion, and one of its joints is to be locked: remove the motion first");
    const bool linear = def->kind == LIMB_LOOP_GEAR;
    if (def->other == joint)
      s = hold(h, def->joint, polynomial(def, h->q[joint]));
    else if (linear)
      s = hold(h, def->other, (h->q[joint] - def->coefficient[0]) / def->coefficient[1]);
    else if (!h->held[def->other])
      return limb_fail(e->err, LIMB_E_MODEL, def->name,
                       "where the other joint of this polynomial is cannot be told: lock '%.64s' instead",
                       e->b->joint[def->other].name);
    else
      continue; // when the other one's turn comes
    e->loop[l].name = NULL;
  }
  return s;
}

// A second spring beside that of a joint: k1 (q - r1) + k2 (q - r2) = (k1 + k2)(q - r).
static void add_spring(limb_joint_def* def, double stiffness, double rest, double damping)
{
  const double k = def->stiffness + stiffness;
  if (stiffness > 0) def->rest = (def->stiffness * def->rest + stiffness * rest) / k;
  def->stiffness = k;
  def->viscous += damping;
}

static void hold_shafts(const holding* h, int joint)
{
  edit* e = h->e;
  for (int i = 0; i < e->nshaft; i++) {
    limb_shaft_def* s = &e->shaft[i];
    const double n = s->ratio;
    if (s->joint < 0 || (s->joint != joint && s->motor != joint)) continue;
    limb_joint_def* other = &e->joint[s->joint == joint ? s->motor : s->joint];
    if (s->joint != joint && other->drive == LIMB_DRIVE_AUTO) other->drive = LIMB_DRIVE_PASSIVE; // as behind a shaft
    if (s->joint == joint)
      add_spring(other, s->stiffness / (n * n), n * (h->q[joint] + s->rest), s->damping / (n * n));
    else
      add_spring(other, s->stiffness, h->q[joint] / n - s->rest, s->damping);
    s->joint = s->motor = -1;
  }
}

// ---- tendons ----------------------------------------------------------------------------------------------

static void take_all(edit* e, const limb_builder* from, const edit_tendon* where)
{
  for (int i = 0; i < from->ntendon; i++) {
    e->tendon[e->ntendon] = *where;
    e->tendon[e->ntendon++].def = from->tendon[i];
  }
}

limb_status limb_edit_take_tendons(edit* e, const limb_builder* other)
{
  const edit_tendon own = {.ground = LIMB_WORLD_BODY};
  const edit_tendon behind = {.shift = e->b->njoint, .bodies = e->b->nbody - 1, .ground = -1};
  e->tendon_cap = (size_t)(e->b->ntendon + (other ? other->ntendon : 0) + 1) * sizeof *e->tendon;
  e->tendon = limb_alloc(&e->b->alloc, e->tendon_cap);
  if (!e->tendon) return limb_edit_no_memory(e);
  take_all(e, e->b, &own);
  if (other) take_all(e, other, &behind);
  return LIMB_OK;
}

void limb_edit_hold_tendons(edit* e, int joint, double q)
{
  for (int i = 0; i < e->ntendon; i++) {
    limb_tendon_def* def = &e->tendon[i].def;
    for (int k = 0; k < def->count; k++)
      if (def->joint[k] + e->tendon[i].shift == joint) def->rest -= def->coefficient[k] * q;
  }
}

// Where a point is now; its body is -1 if that is removed.
static limb_tendon_point moved_point(const edit* e, const edit_tendon* from, limb_tendon_point p)
{
  const bool world = p.body == LIMB_WORLD_BODY, attached = from->ground < 0;
  if (world && attached) p.at = sp_point(e->on_pose, p.at);
  p.body = e->body_at[!world ? p.body + from->bodies : attached ? e->on_body : from->ground];
  return p;
}

// One whose joints or bodies are removed goes with them, and one whose joints are all held has no effect. list: memory
// for its lists.
static limb_status add_tendon(const edit* e, const edit_tendon* from, limb_builder* to, void* list)
{
  limb_tendon_def def = from->def;
  limb_tendon_point* point = list;
  double* coefficient = (double*)(void*)(point + def.points);
  int* joint = (int*)(void*)(coefficient + def.count);
  def.joint = joint, def.coefficient = coefficient, def.point = point, def.count = 0;
  for (int k = 0; k < from->def.count; k++) {
    const int own = from->def.joint[k] + from->shift;
    if (e->joint_at[own] < 0) return LIMB_OK;
    if (e->joint[own].type == LIMB_FIXED) continue;
    joint[def.count] = e->joint_at[own];
    coefficient[def.count++] = from->def.coefficient[k];
  }
  for (int k = 0; k < def.points; k++) {
    point[k] = moved_point(e, from, from->def.point[k]);
    if (point[k].body < 0) return LIMB_OK;
  }
  return def.count + def.points > 0 ? limb_builder_add_tendon(to, &def, NULL, e->err) : LIMB_OK;
}

limb_status limb_edit_add_tendons(const edit* e, limb_builder* to)
{
  const limb_allocator* a = &e->b->alloc;
  limb_status s = LIMB_OK;
  for (int i = 0; s == LIMB_OK && i < e->ntendon; i++) {
    const limb_tendon_def* def = &e->tendon[i].def;
    const size_t size =
      (size_t)def->count * (sizeof(double) + sizeof(int)) + (size_t)def->points * sizeof(limb_tendon_point);
    void* list = limb_alloc(a, size);
    if (!list) return limb_edit_no_memory(e);
    s = add_tendon(e, &e->tendon[i], to, list);
    limb_free(a, list, size);
  }
  return s;
}

// ---- closures between rigid bodies ------------------------------------------------------------------------

// The body that fixed joints connect a body to, the last one towards the world, and its pose there.
static int rigid_root(const edit* e, int body, sp_pose* X)
{
  *X = sp_pose_identity();
  for (int k = 0; k < e->nbody; k++) {
    const int j = e->joint_of[body];
    if (j < 0 || e->joint[j].type != LIMB_FIXED) break;
    *X = sp_compose(e->joint[j].placement, *X);
    body = e->joint[j].parent;
  }
  return body;
}

// How far a closure is open whose frame b is at X in frame a: limb/builder.h has the constraints.
static double gap_of(const limb_loop_def* def, sp_pose X)
{
  const unsigned locked = def->kind == LIMB_LOOP_LOCK ? def->locked : limb_loop_kind_locked(def->kind);
  const double *R = X.R.m, p[3] = {X.p.x, X.p.y, X.p.z};
  const unsigned turns = locked & 7;
  double gap = def->kind == LIMB_LOOP_DISTANCE ? fabs(sp_norm3(X.p) - def->length) : 0;
  for (int c = 0; c < 3; c++) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    if (locked & (unsigned)LIMB_MOVE_X << c) gap = fmax(gap, fabs(p[c]));
    if (turns == 7) gap = fmax(gap, fmax(fabs(R[3 * b + a] - R[3 * a + b]) / 2, fabs(1 - R[4 * c])));
    if (turns == (7u & ~(1u << c))) gap = fmax(gap, fmax(fabs(R[3 * b + c]), fabs(R[3 * a + c])));
    if (turns == 1u << c) gap = fmax(gap, fabs(R[3 * a + b]));
  }
  return gap;
}

static limb_status check_closure(edit* e, int l)
{
  limb_loop_def* def = &e->loop[l];
  const limb_prescribed_motion* law = &def->motion;
  sp_pose A, B;
  if (!def->name || def->body_a < 0 || rigid_root(e, def->body_a, &A) != rigid_root(e, def->body_b, &B)) return LIMB_OK;
  if (law->fn || law->constant != 0 || law->rate != 0 || law->amplitude != 0)
    return limb_fail(e->err, LIMB_E_MODEL, def->name,
                     "this loop prescribes a motion between bodies that would be rigidly connected");
  A = sp_compose(A, def->pose_a), B = sp_compose(B, def->pose_b);
  const double gap = gap_of(def, sp_compose(sp_invert(A), B));
  if (!(gap <= fmax(1e-7, e->b->loop_tolerance)))
    return limb_fail(e->err, LIMB_E_MODEL, def->name,
                     "this loop would connect bodies that are rigidly connected, and would be open by %.3g: lock the "
                     "joints where it is closed (limb assemble finds such configurations)",
                     gap);
  def->name = NULL;
  return LIMB_OK;
}

// ---- holding ----------------------------------------------------------------------------------------------

// The joint that the call is about is fixed already if it has several coordinates, or one that is not known.
static limb_status hold_all(holding* h)
{
  edit* e = h->e;
  limb_status s = LIMB_OK;
  for (int i = 0; s == LIMB_OK && i < h->count; i++) {
    s = hold_mimics(h, h->queue[i]);
    if (s == LIMB_OK) s = hold_gears(h, h->queue[i]);
    if (s == LIMB_OK) hold_shafts(h, h->queue[i]);
    if (s == LIMB_OK) limb_edit_hold_tendons(e, h->queue[i], h->q[h->queue[i]]);
  }
  for (int i = 0; s == LIMB_OK && i < h->count; i++) {
    const int j = h->queue[i];
    fix(e, j, sp_compose(e->b->joint[j].placement, pose_at(&e->b->joint[j], &h->q[j])));
  }
  for (int l = 0; s == LIMB_OK && l < e->nloop; l++) s = check_closure(e, l);
  return s;
}

static limb_status begin_holding(holding* h, edit* e)
{
  const size_t n = (size_t)e->njoint + 1;
  *h = (holding){.e = e, .q = limb_alloc(&e->b->alloc, n * (sizeof(double) + sizeof(int) + 1))};
  if (!h->q) return limb_edit_no_memory(e);
  h->queue = (int*)(h->q + n);
  h->held = (unsigned char*)(h->queue + n);
  memset(h->held, 0, n);
  return LIMB_OK;
}

static limb_status end_holding(holding* h, limb_status s)
{
  const size_t n = (size_t)h->e->njoint + 1;
  if (h->q) limb_free(&h->e->b->alloc, h->q, n * (sizeof(double) + sizeof(int) + 1));
  return limb_edit_end(h->e, s);
}

static limb_status find(const limb_builder* b, int joint, limb_error* err)
{
  if (!b) return limb_fail(err, LIMB_E_ARG, "joint", "builder is NULL");
  if (joint >= 0 && joint < b->njoint) return LIMB_OK;
  return limb_fail(err, LIMB_E_ARG, "joint", "joint is %d: there are %d joints", joint, b->njoint);
}

static bool one_dof(limb_joint_type type)
{
  return type == LIMB_REVOLUTE || type == LIMB_PRISMATIC || type == LIMB_HELICAL;
}

// Where a joint starts, with a unit quaternion.
static limb_status take_q(const limb_builder* b, int joint, const double* given, double q[7], limb_error* err)
{
  const limb_joint_def* def = &b->joint[joint];
  const int nq = limb_type_nq(def->type), quaternion = def->type == LIMB_FREE        ? 3
                                                       : def->type == LIMB_SPHERICAL ? 0
                                                                                     : -1;
  for (int k = 0; k < 7; k++) q[k] = given && k < nq ? given[k] : 0;
  if (!given && one_dof(def->type)) q[0] = def->start;
  if (!limb_finite(7, q))
    return limb_fail(err, LIMB_E_ARG, def->name, "the value at which it is to be locked is not finite");
  if (quaternion < 0) return LIMB_OK;
  double* u = q + quaternion;
  if (!given) u[3] = 1;
  const double norm = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
  if (!(fabs(norm - 1) <= 1e-3))
    return limb_fail(err, LIMB_E_ARG, def->name, "the quaternion at which it is to be locked has norm %g instead of 1",
                     norm);
  for (int k = 0; k < 4; k++) u[k] /= norm;
  return LIMB_OK;
}

// A joint that mimics another one starts where that one is.
static double start_of(const limb_builder* b, int joint, int depth)
{
  const limb_joint_def* def = &b->joint[joint];
  if (def->mimic < 0 || depth > b->njoint) return def->start;
  double k = 1, c = 0; // q = k q_source + c
  while (def->mimic >= 0 && depth++ <= b->njoint) {
    c += k * def->offset, k *= def->multiplier;
    def = &b->joint[def->mimic];
  }
  return k * def->start + c;
}

limb_status limb_builder_lock(limb_builder* b, int joint, const double* q, limb_error* err)
{
  edit e;
  holding h;
  double at[7];
  limb_status s = find(b, joint, err);
  if (s == LIMB_OK) s = take_q(b, joint, q, at, err);
  if (s != LIMB_OK || b->joint[joint].type == LIMB_FIXED) return s;
  if (!q && one_dof(b->joint[joint].type)) at[0] = start_of(b, joint, 0);
  s = limb_edit_begin(&e, b, 0, NULL, err);
  if (s != LIMB_OK) return limb_edit_end(&e, s);
  s = begin_holding(&h, &e);
  if (s == LIMB_OK && one_dof(b->joint[joint].type))
    s = hold(&h, joint, at[0]);
  else if (s == LIMB_OK)
    fix(&e, joint, sp_compose(b->joint[joint].placement, pose_at(&b->joint[joint], at)));
  if (s == LIMB_OK) s = hold_all(&h);
  return end_holding(&h, s);
}

// What needs the coordinate of a joint; NULL: nothing.
static const char* who_needs(const limb_builder* b, int joint)
{
  for (int k = 0; k < b->njoint; k++)
    if (b->joint[k].mimic == joint) return "another joint mimics it";
  for (int l = 0; l < b->nloop; l++)
    if (b->loop[l].joint == joint || b->loop[l].other == joint) return "a gear or polynomial refers to it";
  for (int i = 0; i < b->nshaft; i++)
    if (b->shaft[i].joint == joint || b->shaft[i].motor == joint) return "a shaft ends there";
  for (int i = 0; i < b->ntendon; i++)
    for (int k = 0; k < b->tendon[i].count; k++)
      if (b->tendon[i].joint[k] == joint) return "a tendon pulls it";
  return b->joint[joint].mimic >= 0 ? "it mimics another joint" : NULL;
}

limb_status limb_builder_weld(limb_builder* b, int joint, sp_pose pose, limb_error* err)
{
  edit e;
  limb_status s = find(b, joint, err);
  if (s != LIMB_OK) return s;
  const char* why = who_needs(b, joint);
  if (why) return limb_fail(err, LIMB_E_MODEL, b->joint[joint].name, "it cannot be welded, as %s: lock it", why);
  s = limb_edit_begin(&e, b, 0, NULL, err);
  if (s == LIMB_OK) fix(&e, joint, pose);
  for (int l = 0; s == LIMB_OK && l < e.nloop; l++) s = check_closure(&e, l);
  return limb_edit_end(&e, s);
}
