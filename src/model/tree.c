// First step of compiling: the tree of bodies.
//
// Every body but the world must be the child of exactly one joint and reachable from the world. A body
// behind fixed joints only is carried by the body whose moving joint moves it.

#include "base/status.h"
#include "model/compile_impl.h"

#include <stdio.h>

enum { WHERE = 96 };

static const char* body_where(char buffer[WHERE], const char* name)
{
  (void)snprintf(buffer, WHERE, "body '%s'", name);
  return buffer;
}

static const char* joint_where(char buffer[WHERE], const char* name)
{
  (void)snprintf(buffer, WHERE, "joint '%s'", name);
  return buffer;
}

int limb_type_nq(limb_joint_type type)
{
  switch (type) {
#define LIMB_X(name, value, text, nq, nv) \
  case LIMB_##name: return nq;
    LIMB_JOINT_LIST(LIMB_X)
#undef LIMB_X
  }
  return 0;
}

int limb_type_nv(limb_joint_type type)
{
  switch (type) {
#define LIMB_X(name, value, text, nq, nv) \
  case LIMB_##name: return nv;
    LIMB_JOINT_LIST(LIMB_X)
#undef LIMB_X
  }
  return 0;
}

// The joint of each body; two joints on one body close a loop.
static limb_status find_body_joints(limb_draft* t, limb_error* err)
{
  const limb_builder* b = t->b;
  char where[WHERE];
  for (int i = 0; i < b->nbody; i++) t->body_joint[i] = -1;
  for (int j = 0; j < b->njoint; j++) {
    const int child = b->joint[j].child;
    if (t->body_joint[child] >= 0) {
      return limb_fail(err, LIMB_E_MODEL, body_where(where, b->body[child].name),
                       "it is the child of joint '%s' and of joint '%s'; a tree allows one",
                       b->joint[t->body_joint[child]].name, b->joint[j].name);
    }
    t->body_joint[child] = j;
  }
  for (int i = 1; i < b->nbody; i++) {
    if (t->body_joint[i] < 0) {
      return limb_fail(err, LIMB_E_MODEL, body_where(where, b->body[i].name),
                       "no joint moves it; add one (fixed to the world, or free, if it is a base)");
    }
  }
  return LIMB_OK;
}

// Counting sort of the joints by parent body: the joints that leave body p are
// child[child_start[p]] ... child[child_start[p + 1] - 1], in the order of the joints.
static void joints_by(limb_draft* t, const int* key)
{
  const limb_builder* b = t->b;
  for (int i = 0; i <= b->nbody; i++) t->child_start[i] = 0;
  for (int j = 0; j < b->njoint; j++) {
    if (key[j] >= 0) t->child_start[key[j] + 1]++;
  }
  for (int i = 0; i < b->nbody; i++) t->child_start[i + 1] += t->child_start[i];
  for (int j = b->njoint - 1; j >= 0; j--) {
    if (key[j] >= 0) t->child[--t->child_start[key[j] + 1]] = j;
  }
  // every start has moved down by its own count: shift back into place
  for (int i = 0; i < b->nbody; i++) t->child_start[i] = t->child_start[i + 1];
  t->child_start[b->nbody] = 0;
  for (int j = 0; j < b->njoint; j++) t->child_start[b->nbody] += key[j] >= 0;
}

// Bodies parents first, by a stack.
static limb_status order_bodies(limb_draft* t, limb_error* err)
{
  const limb_builder* b = t->b;
  int* parent = t->key;
  for (int j = 0; j < b->njoint; j++) parent[j] = b->joint[j].parent;
  joints_by(t, parent);

  int count = 0, top = 0;
  t->stack[top++] = LIMB_WORLD_BODY;
  while (top > 0) {
    const int body = t->stack[--top];
    t->body_order[count++] = body;
    for (int k = t->child_start[body + 1] - 1; k >= t->child_start[body]; k--) {
      t->stack[top++] = b->joint[t->child[k]].child;
    }
  }
  if (count == b->nbody) return LIMB_OK;

  for (int k = 0; k < count; k++) t->body_joint[t->body_order[k]] = -2; // reached
  int lost = 1;
  while (t->body_joint[lost] == -2) lost++;
  char where[WHERE];
  return limb_fail(err, LIMB_E_MODEL, body_where(where, b->body[lost].name),
                   "its chain of parents runs in a circle and never reaches the world");
}

// Fixed bodies join their carriers.
static void find_carriers(limb_draft* t)
{
  const limb_builder* b = t->b;
  t->carrier[LIMB_WORLD_BODY] = LIMB_WORLD_BODY;
  t->in_carrier[LIMB_WORLD_BODY] = sp_pose_identity();
  for (int k = 1; k < b->nbody; k++) {
    const int body = t->body_order[k];
    const limb_joint_def* def = &b->joint[t->body_joint[body]];
    const bool moves = def->type != LIMB_FIXED;
    t->carrier[body] = moves ? body : t->carrier[def->parent];
    t->in_carrier[body] = moves ? sp_pose_identity() : sp_compose(t->in_carrier[def->parent], def->placement);
  }
}

// Moving joints by carrier, in the order of the joints: a robot described depth first keeps its order.
static void order_children(limb_draft* t)
{
  const limb_builder* b = t->b;
  int* key = t->key;
  for (int j = 0; j < b->njoint; j++) {
    key[j] = b->joint[j].type == LIMB_FIXED ? -1 : t->carrier[b->joint[j].parent];
  }
  joints_by(t, key);
}

static void count_all(limb_draft* t)
{
  const limb_builder* b = t->b;
  for (int j = 0; j < b->njoint; j++) {
    const limb_joint_def* def = &b->joint[j];
    limb_step steps[MAX_STEPS];
    const int n = limb_joint_steps(def, steps);
    const bool follows = def->mimic >= 0;
    t->nlink += n;
    t->ncdof += limb_type_nv(def->type);
    t->naux += def->type == LIMB_SPHERICAL || def->type == LIMB_FREE;
    t->nroot += n > 0 && t->carrier[def->parent] == LIMB_WORLD_BODY;
    t->nq += follows ? 0 : limb_type_nq(def->type);
    t->nv += follows ? 0 : limb_type_nv(def->type);
  }
}

limb_status limb_draft_tree(limb_draft* t, limb_error* err)
{
  limb_status s = find_body_joints(t, err);
  if (s == LIMB_OK) s = order_bodies(t, err);
  if (s != LIMB_OK) return s;
  find_carriers(t);
  order_children(t);
  count_all(t);
  return LIMB_OK;
}

static limb_status bad_leader(const limb_model* m, int k, limb_error* err)
{
  char buffer[WHERE];
  const char* where = joint_where(buffer, m->joint[k].def.name);
  const int leader = m->joint[k].def.mimic;
  if (leader >= m->njoint) {
    return limb_fail(err, LIMB_E_MODEL, where, "it follows joint %d, but there are only %d", leader, m->njoint);
  }
  const limb_joint_def* def = &m->joint[leader].def;
  return limb_fail(err, LIMB_E_MODEL, where, "it follows joint '%s', which has %d degrees of freedom instead of one",
                   def->name, limb_type_nv(def->type));
}

// Follows joint j's chain of mimic joints to its end or to one that is resolved, then resolves all on
// the way, last first: each joint is walked once.
static limb_status follow_chain(const limb_draft* t, limb_model* m, int j, limb_error* err)
{
  const limb_builder* b = t->b;
  int *chain = t->stack, *resolved = t->key, length = 0;
  for (int k = j; !resolved[k]; k = b->joint[k].mimic) {
    if (b->joint[k].mimic >= m->njoint) return bad_leader(m, k, err);
    if (length == m->njoint) {
      char where[WHERE];
      return limb_fail(err, LIMB_E_MODEL, joint_where(where, m->joint[k].def.name),
                       "its chain of mimic joints runs in a circle");
    }
    chain[length++] = k;
  }
  while (length > 0) {
    const int k = chain[--length];
    const limb_joint_def* def = &b->joint[k];
    const limb_joint* leader = &m->joint[def->mimic];
    if (limb_type_nv(leader->def.type) != 1) return bad_leader(m, k, err);
    m->joint[k].multiplier = def->multiplier * leader->multiplier;
    m->joint[k].offset = def->multiplier * leader->offset + def->offset;
    m->joint[k].q = leader->q, m->joint[k].v = leader->v;
    resolved[k] = 1;
  }
  return LIMB_OK;
}

// Gives each joint its index in q and v, and each follower its source's with the chain's numbers
// multiplied out: q = m1 (m2 (... q_source ...) + o2) + o1.
limb_status limb_resolve_mimic(const limb_draft* t, limb_model* m, limb_error* err)
{
  const limb_builder* b = t->b;
  int q = 0, v = 0;
  for (int j = 0; j < m->njoint; j++) {
    limb_joint* joint = &m->joint[j];
    const bool follows = b->joint[j].mimic >= 0;
    joint->multiplier = 1;
    joint->q = q, joint->v = v;
    joint->nq = follows ? 0 : limb_type_nq(joint->def.type);
    joint->nv = follows ? 0 : limb_type_nv(joint->def.type);
    q += joint->nq, v += joint->nv;
    t->key[j] = !follows; // resolved: see follow_chain
  }
  for (int j = 0; j < m->njoint; j++) {
    const limb_status s = follow_chain(t, m, j, err);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}
