// The doctor on loops: ends that nothing moves, motors at every joint.
//
// Along the path between two bodies up to their nearest common ancestor, joints are counted by differences of
// counts up to the world; the ancestor is found over jumps. O(n + l log n), whatever the tree looks like.
#include "io/doctor.h"
#include "io/loops.h"

#include <stdio.h>

// From a body up to the world.
typedef struct upward {
  int depth, parent;
  int jump;    // an ancestor far away
  int moving;  // joints that move on their own
  int passive; // of them, those without a motor
  int silent;  // of them, those about which nothing is said
} upward;

// Joints between two ends of a loop.
typedef struct path_count {
  int moving, passive, silent;
} path_count;

static int is_driven(const doctor* d, const unsigned char* shaft, int k)
{
  const limb_joint_def* j = &d->joint[k];
  if (j->drive != LIMB_DRIVE_AUTO) return j->drive == LIMB_DRIVE_ACTIVE;
  return j->type != LIMB_FREE && !shaft[k];
}

// Counts of every body, from the world outward. shaft: 1 for joints that one drives.
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
    up[b].silent += alone && j->drive == LIMB_DRIVE_AUTO;
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

static path_count count_path(const upward* up, int a, int b)
{
  const upward *x = &up[a], *y = &up[b], *z = &up[common_ancestor(up, a, b)];
  return (path_count){x->moving + y->moving - 2 * z->moving, x->passive + y->passive - 2 * z->passive,
                      x->silent + y->silent - 2 * z->silent};
}

// Of a gear or polynomial: its two joints.
static path_count count_pair(const doctor* d, const unsigned char* shaft, const limb_loop_def* x)
{
  const int joint[] = {x->joint, x->other};
  path_count c = {0};
  for (int i = 0; i < 2; i++) {
    const limb_joint_def* j = &d->joint[joint[i]];
    if (j->mimic >= 0) continue;
    c.moving++;
    c.passive += !is_driven(d, shaft, joint[i]);
    c.silent += j->drive == LIMB_DRIVE_AUTO;
  }
  return c;
}

// Holds places, and not velocities alone.
static int is_holonomic(limb_loop_kind kind) { return kind != LIMB_LOOP_KNIFE_EDGE && kind != LIMB_LOOP_WHEEL; }

// All that move on their own have a motor, and not because the file says so.
static int is_overdriven(const path_count* c) { return c->moving > 0 && c->passive == 0 && c->silent > 0; }

static void check_loops(doctor* d, const unsigned char* shaft, const upward* up)
{
  limb_loop_def x;
  limb_mark at_first = {0, 0};
  const char* first = NULL;
  int joints = 0, loops = 0;
  for (int i = 0; limb_builder_get_loop(d->r->builder, i, &x) == LIMB_OK; i++) {
    const sketch_marks* m = &d->r->marks;
    const limb_mark at = m->loop && i < m->nloop ? m->loop[i] : (limb_mark){0, 0};
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
  if (loops > 1) (void)snprintf(others, sizeof others, "; so it is with %d more", loops - 1);
  limb_report(d->f, RULE_LOOP_DRIVE, at_first, (limb_subject){"loop", first},
              "it has %d joint%s, and all are taken as driven%s", joints, joints == 1 ? "" : "s", others);
}

limb_status limb_doctor_loops(doctor* d)
{
  if (limb_builder_loop_count(d->r->builder) == 0) return LIMB_OK;
  upward* up = limb_store_take(&d->pool, (size_t)d->nbody * sizeof *up);
  unsigned char* shaft = limb_store_take(&d->pool, (size_t)d->njoint + 1);
  if (!up || !shaft) return LIMB_E_NOMEM;
  limb_shaft_def x;
  for (int i = 0; limb_builder_get_shaft(d->r->builder, i, &x) == LIMB_OK; i++) shaft[x.joint] = 1;
  count_upward(d, shaft, up);
  check_loops(d, shaft, up);
  return LIMB_OK;
}
