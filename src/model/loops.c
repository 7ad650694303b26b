// A step of compiling: the loops on the compiled links.
//
// A closure between bodies a and b becomes one between their links: with X_a the pose of body a in its link,
//   pose of the cut frame in the link = X_a pose_a
// A relation between joints becomes one between the user's coordinates, mimic chains resolved. O(loops).
#include "base/status.h"
#include "model/compile_impl.h"

#include <stdio.h>

static const char* loop_where(char buffer[96], const limb_loop* loop)
{
  (void)snprintf(buffer, 96, "loop '%.88s'", loop->def.name);
  return buffer;
}

// How many rows, the first ones, hold places rather than velocities.
static int holonomic_rows(limb_loop_kind kind, int rows)
{
  switch (kind) {
  case LIMB_LOOP_KNIFE_EDGE:
  case LIMB_LOOP_WHEEL: return 0;
  case LIMB_LOOP_ROLLING_DISC: return 1;
  default: return rows;
  }
}

static limb_status place_frames(const limb_model* m, limb_loop* loop, limb_error* err)
{
  const limb_body *a = &m->body[loop->def.body_a], *b = &m->body[loop->def.body_b];
  char where[96];
  if (a->carrier == b->carrier)
    return limb_fail(err, LIMB_E_MODEL, loop_where(where, loop),
                     "bodies '%.60s' and '%.60s' are rigidly connected: no joint can move the closure", a->name,
                     b->name);
  loop->link_a = a->link;
  loop->link_b = b->link;
  loop->in_a = sp_compose(a->in_link, loop->def.pose_a);
  loop->in_b = sp_compose(b->in_link, loop->def.pose_b);
  return LIMB_OK;
}

static limb_status place_joints(const limb_model* m, limb_loop* loop, limb_error* err)
{
  const limb_joint* const end[2] = {&m->joint[loop->def.joint], &m->joint[loop->def.other]};
  char where[96];
  if (end[0]->q == end[1]->q)
    return limb_fail(err, LIMB_E_MODEL, loop_where(where, loop),
                     "joints '%.60s' and '%.60s' have the same coordinate, one by mimicking: nothing is "
                     "left to hold",
                     end[0]->def.name, end[1]->def.name);
  for (int k = 0; k < 2; k++) {
    loop->q[k] = end[k]->q;
    loop->v[k] = end[k]->v;
    loop->mult[k] = end[k]->multiplier;
    loop->off[k] = end[k]->offset;
  }
  return LIMB_OK;
}

limb_status limb_place_loops(limb_model* m, limb_error* err)
{
  for (int i = 0; i < m->nloop; i++) {
    limb_loop* loop = &m->loop[i];
    const limb_loop_kind kind = loop->def.kind;
    loop->locked = kind == LIMB_LOOP_LOCK ? loop->def.locked : limb_loop_kind_locked(kind);
    loop->row = m->nrow;
    loop->nrow = limb_loop_rows(&loop->def);
    loop->holonomic = holonomic_rows(kind, loop->nrow);
    loop->link_a = loop->link_b = -1;
    loop->in_a = loop->in_b = sp_pose_identity();
    loop->q[0] = loop->q[1] = loop->v[0] = loop->v[1] = -1;
    const bool relation = kind == LIMB_LOOP_GEAR || kind == LIMB_LOOP_POLYNOMIAL;
    const limb_status s = relation ? place_joints(m, loop, err) : place_frames(m, loop, err);
    if (s) return s;
    m->nrow += loop->nrow;
  }
  return LIMB_OK;
}
