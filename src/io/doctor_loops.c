// The doctor on loops: ends that nothing moves, motors at every joint, and, in limb_check_loops, whether loops can be
// closed, what they leave to move, and which of them are redundant.
#include "io/doctor.h"

#include "limb/assemble.h"
#include "limb/read.h"

#include "base/status.h"
#include "io/properties.h"

#include <stdio.h>
#include <string.h>

// ---- paths ----------------------------------------------------------------------------------------
//
// Joints on the path between two bodies are counted by differences of counts up to the world. Their common ancestor is
// found with jumps: O(n + l log n) for l loops, whatever the tree looks like.

// From a body up to the world.
typedef struct upward {
  int depth, parent;
  int jump;     // a distant ancestor
  int moving;   // joints that move independently
  int passive;  // of them, those without a motor
  int unstated; // of them, those whose drive is not stated
  int loops;    // loops whose path to the other end begins here, less twice those whose paths meet here
} upward;

// Joints between the ends of a loop.
typedef struct path_count {
  int moving, passive, unstated;
} path_count;

static int is_driven(const doctor* d, const unsigned char* shaft, int k)
{
  const limb_joint_def* j = &d->joint[k];
  if (j->drive != LIMB_DRIVE_AUTO) return j->drive == LIMB_DRIVE_ACTIVE;
  return j->type != LIMB_FREE && !shaft[k];
}

// Counts for every body, from the world outward. shaft: 1 for joints that a shaft drives.
static void count_upward(const doctor* d, const unsigned char* shaft, upward* up)
{
  up[LIMB_WORLD_BODY] = (upward){.parent = LIMB_WORLD_BODY, .jump = LIMB_WORLD_BODY};
  for (int n = 1; n < d->norder; n++) {
    const int b = d->order[n], k = d->body[b].joint, p = d->joint[k].parent;
    const limb_joint_def* j = &d->joint[k];
    const int far = up[p].jump, alone = j->type != LIMB_FIXED && j->mimic < 0;
    const int even = up[p].depth - up[far].depth == up[far].depth - up[up[far].jump].depth;
    up[b] = up[p];
    up[b].depth++;
    up[b].parent = p;
    up[b].jump = even ? up[far].jump : p;
    up[b].moving += alone;
    up[b].passive += alone && !is_driven(d, shaft, k);
    up[b].unstated += alone && j->drive == LIMB_DRIVE_AUTO;
  }
}

static int common_ancestor(const upward* up, int a, int b)
{
  if (up[a].depth < up[b].depth) {
    const int c = a;
    a = b;
    b = c;
  }
  while (up[a].depth > up[b].depth) a = up[up[a].jump].depth >= up[b].depth ? up[a].jump : up[a].parent;
  while (a != b) {
    const int far = up[a].jump != up[b].jump;
    a = far ? up[a].jump : up[a].parent;
    b = far ? up[b].jump : up[b].parent;
  }
  return a;
}

static path_count count_path(upward* up, int a, int b)
{
  upward *x = &up[a], *y = &up[b], *z = &up[common_ancestor(up, a, b)];
  x->loops++;
  y->loops++;
  z->loops -= 2;
  return (path_count){x->moving + y->moving - 2 * z->moving, x->passive + y->passive - 2 * z->passive,
                      x->unstated + y->unstated - 2 * z->unstated};
}

// The two joints of a gear or polynomial.
static path_count count_pair(doctor* d, const unsigned char* shaft, const limb_loop_def* x)
{
  const int joint[] = {x->joint, x->other};
  path_count c = {0};
  for (int i = 0; i < 2; i++) {
    const limb_joint_def* j = &d->joint[joint[i]];
    d->in_loop[joint[i]] = 1;
    if (j->mimic >= 0) continue;
    c.moving++;
    c.passive += !is_driven(d, shaft, joint[i]);
    c.unstated += j->drive == LIMB_DRIVE_AUTO;
  }
  return c;
}

// Constrains positions, not velocities only.
static int is_holonomic(limb_loop_kind kind) { return kind != LIMB_LOOP_KNIFE_EDGE && kind != LIMB_LOOP_WHEEL; }

// All independent joints have a motor, although the file does not state it.
static int is_overdriven(const path_count* c) { return c->moving > 0 && c->passive == 0 && c->unstated > 0; }

static void check_loops(doctor* d, const unsigned char* shaft, upward* up)
{
  limb_loop_def x;
  file_pos at_first = {0, 0, 0};
  const char* first = NULL;
  int joints = 0, loops = 0;
  for (int i = 0; limb_builder_get_loop(d->r->builder, i, &x) == LIMB_OK; i++) {
    const file_pos at = limb_doctor_loop_pos(d->r, i);
    const int pair = loop_of_joints(x.kind);
    if (!pair && d->body[x.body_a].head == d->body[x.body_b].head) {
      limb_report(d->f, RULE_LOOP_RIGID, at, (limb_subject){"loop", x.name}, "'%s' and '%s' are fixed to each other",
                  d->body[x.body_a].def.name, d->body[x.body_b].def.name);
      continue;
    }
    const path_count c = pair ? count_pair(d, shaft, &x) : count_path(up, x.body_a, x.body_b);
    if (!is_holonomic(x.kind) || !is_overdriven(&c) || loops++ > 0) continue;
    first = x.name;
    at_first = at;
    joints = c.moving;
  }
  if (!first) return;
  char others[48] = "";
  if (loops > 1) (void)snprintf(others, sizeof others, "; so for %d more", loops - 1);
  limb_report(d->f, RULE_LOOP_DRIVE, at_first, (limb_subject){"loop", first},
              "it has %d joint%s, and all are assumed to be driven%s", joints, joints == 1 ? "" : "s", others);
}

limb_status limb_doctor_loops(doctor* d)
{
  if (limb_builder_loop_count(d->r->builder) == 0) return LIMB_OK;
  upward* up = limb_mempool_alloc(&d->pool, (size_t)d->nbody * sizeof *up);
  unsigned char* shaft = limb_mempool_alloc(&d->pool, (size_t)d->njoint + 1);
  if (!up || !shaft) return LIMB_E_NOMEM;
  limb_shaft_def x;
  for (int i = 0; limb_builder_get_shaft(d->r->builder, i, &x) == LIMB_OK; i++) shaft[x.joint] = 1;
  count_upward(d, shaft, up);
  check_loops(d, shaft, up);
  for (int n = d->norder - 1; n > 0; n--) { // joints on the paths between the ends of loops
    const upward* b = &up[d->order[n]];
    d->in_loop[d->body[d->order[n]].joint] |= b->loops > 0;
    up[b->parent].loops += b->loops;
  }
  return LIMB_OK;
}

// ---- closed loops ---------------------------------------------------------------------------------
//
// The model is compiled, which may fail. The robot is assembled from its start, then from random configurations; cost
// as limb_assemble. Ranks are those of the configuration that was found.

enum { RESTARTS = 20 };

#define ROUNDED 1e-10 // [m, rad]: less is rounding

// A robot and its loops.
typedef struct closure {
  limb_reading* r;
  limb_model* m;
  limb_data* d;
  double* q;                // nq: closed
  unsigned char* redundant; // per constraint: 1 when others imply it
} closure;

static int has_law(const limb_loop_def* x)
{
  return x->motion.rate != 0 || x->motion.amplitude != 0 || x->motion.fn != NULL;
}

// The body of its group that a moving joint carries, or the world.
static int head_of(const limb_model* m, int body)
{
  limb_joint_info x;
  for (int j = limb_joint_count(m) - 1; j >= 0; j--) {
    if (limb_get_joint(m, j, &x) != LIMB_OK || x.def.child != body) continue;
    if (x.def.type != LIMB_FIXED) return body;
    body = x.def.parent;
    j = limb_joint_count(m);
  }
  return body;
}

// Constraints of a loop that others do not imply.
static int own_constraints(const closure* c, const limb_loop_info* x)
{
  int n = 0;
  for (int r = 0; r < x->nconstraint; r++) n += !c->redundant[x->constraint + r];
  return n;
}

// Redundant loops, except those whose ends are fixed to each other, which limb_check reports; then whether all together
// leave nothing to move.
static void check_redundancy(const closure* c, const limb_mobility* x)
{
  limb_loop_info loop;
  int last = -1, laws = 0;
  for (int i = 0; limb_get_loop(c->m, i, &loop) == LIMB_OK; i++) {
    const limb_loop_def* def = &loop.def;
    laws |= has_law(def);
    if (own_constraints(c, &loop) > 0) last = i;
    if (last == i || head_of(c->m, def->body_a) == head_of(c->m, def->body_b)) continue;
    limb_report(c->r->findings, RULE_LOOP_REPEATED, limb_doctor_loop_pos(c->r, i), (limb_subject){"loop", def->name},
                "its %d constraint%s from those of the others", loop.nconstraint,
                loop.nconstraint == 1 ? " follows" : "s follow");
  }
  if (x->mobility > 0 || x->nv == 0 || laws || limb_get_loop(c->m, last, &loop) != LIMB_OK) return;
  limb_report(c->r->findings, RULE_LOOP_LOCKED, limb_doctor_loop_pos(c->r, last), (limb_subject){"loop", loop.def.name},
              "it is the last of the loops that leave none of %d velocities free", x->nv);
}

// A joint without mass behind it is fine if its loops hold what it carries: forward dynamics with the loops closed
// decides.
static limb_status check_massless(const closure* c, memory_pool* pool)
{
  const size_t n = (size_t)limb_nv(c->m) + 1;
  const double* zero = limb_mempool_alloc(pool, n * sizeof *zero);
  double* a = limb_mempool_alloc(pool, n * sizeof *a);
  limb_joint_def joint;
  const limb_status s = zero && a ? limb_forward_dynamics(c->d, c->q, zero, zero, NULL, a) : LIMB_E_NOMEM;
  if (s != LIMB_E_SINGULAR || limb_builder_get_joint(c->r->builder, c->r->massless, &joint) != LIMB_OK) return s;
  limb_report(c->r->findings, RULE_MASSLESS_SUBTREE, c->r->positions.joint[c->r->massless],
              (limb_subject){"joint", joint.name},
              "nothing behind it has mass, and with the loops closed some motion still has no inertia");
  return LIMB_OK;
}

static limb_status check_closure(const closure* c, memory_pool* pool)
{
  limb_assembly how = limb_default_assembly();
  limb_assembly_report report = {0};
  limb_mobility x;
  limb_loop_info loop;
  how.restarts = RESTARTS;
  limb_status s = limb_start(c->m, c->q);
  if (s == LIMB_OK) s = limb_assemble(c->d, &how, c->q, &report);
  const file_pos at = limb_doctor_loop_pos(c->r, report.loop);
  if (s == LIMB_E_NOCONV && limb_get_loop(c->m, report.loop, &loop) == LIMB_OK)
    limb_report(c->r->findings, RULE_LOOP_OPEN, at, (limb_subject){"loop", loop.def.name},
                "it remains open by %.3g in the best of %d starts; %.3g is allowed", report.residual, report.starts,
                limb_model_loop_tolerance(c->m));
  if (s == LIMB_OK && report.residual > ROUNDED && limb_get_loop(c->m, report.loop, &loop) == LIMB_OK)
    limb_report(c->r->findings, RULE_LOOP_ROUNDED, at, (limb_subject){"loop", loop.def.name},
                "it stays open by %.3g, the most of all loops; %.3g is allowed", report.residual,
                limb_model_loop_tolerance(c->m));
  if (s == LIMB_OK) s = limb_mobility_at(c->d, c->q, NULL, &x);
  if (s == LIMB_OK) s = limb_redundant_constraints(c->d, c->q, NULL, c->redundant);
  if (s == LIMB_OK) check_redundancy(c, &x);
  if (s == LIMB_OK && c->r->massless >= 0 && x.mobility > 0) s = check_massless(c, pool);
  return s;
}

// Joints that move inertia each, but none together, as the compiler found by the rank of M.
static void check_rank(const closure* c)
{
  limb_findings* f = c->r->findings;
  limb_finding known;
  limb_note x;
  for (int i = 0; limb_findings_get(f, i, &known) == LIMB_OK; i++)
    if (strcmp(known.rule, "massless-subtree") == 0 || strcmp(known.rule, "joint-without-inertia") == 0) return;
  for (int i = 0; limb_model_note(c->m, i, &x) == LIMB_OK; i++) {
    const int k = x.kind == LIMB_NOTE_MASSLESS ? limb_find_joint(c->m, x.subject) : -1;
    if (k < 0) continue;
    limb_report(f, RULE_MASSLESS_SUBTREE, c->r->positions.joint[k], (limb_subject){"joint", x.subject}, "%s", x.text);
  }
}

static limb_status assemble(closure* c, memory_pool* pool)
{
  limb_error why = {0};
  limb_status s = limb_builder_build(c->r->builder, &c->m, &why);
  if (s == LIMB_E_MODEL)
    limb_report(c->r->findings, RULE_NO_MODEL, (file_pos){0}, (limb_subject){*why.where ? why.where : NULL, NULL}, "%s",
                why.text);
  if (s != LIMB_OK) return s;
  if (limb_builder_loop_count(c->r->builder) == 0) {
    check_rank(c);
    return s;
  }
  if (s == LIMB_OK) s = limb_data_create(c->m, &c->r->alloc, &c->d);
  if (s != LIMB_OK) return s;
  c->q = limb_mempool_alloc(pool, ((size_t)limb_nq(c->m) + 1) * sizeof *c->q);
  c->redundant = limb_mempool_alloc(pool, (size_t)limb_constraint_count(c->m) + 1);
  s = c->q && c->redundant ? check_closure(c, pool) : LIMB_E_NOMEM;
  check_rank(c);
  return s;
}

limb_status limb_check_loops(limb_reading* r, limb_error* err)
{
  if (!r || !r->builder) return limb_fail(err, LIMB_E_ARG, "reading", "there is no robot to check");
  closure c = {.r = r};
  memory_pool pool = limb_mempool_make(&r->alloc);
  const limb_status s = assemble(&c, &pool); // an unknown rank is not a finding
  limb_data_destroy(c.d);
  limb_model_destroy(c.m);
  limb_mempool_free(&pool);
  if (s == LIMB_E_NOMEM || limb_findings_lost(r->findings))
    return limb_fail(err, LIMB_E_NOMEM, r->source.name, "out of memory during the check");
  return LIMB_OK;
}
