// Fixture robots with loops: random trees with closures of every kind, made to hold at a random
// configuration.
#include "support/closed_impl.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct scene {
  const limb_model* tree;
  limb_data* d;
  const double* q;
  rng r;
} scene;

static sp_pose place_of(const scene* s, int body)
{
  sp_pose X;
  fixture_ok(limb_frame_pose(s->d, body, &X), NULL);
  return X;
}

static limb_body_info body_of(const scene* s, int body)
{
  limb_body_info info;
  fixture_ok(limb_get_body(s->tree, body, &info), NULL);
  return info;
}

static int depth_of(const scene* s, int body)
{
  int depth = 0;
  for (; body > 0; body = body_of(s, body).parent) depth++;
  return depth;
}

// Velocities of the joints between two bodies.
static int freedom_between(const scene* s, int a, int b)
{
  int count = 0;
  while (a != b) {
    int* deeper = depth_of(s, a) >= depth_of(s, b) ? &a : &b;
    const limb_body_info info = body_of(s, *deeper);
    limb_joint_info joint;
    fixture_ok(limb_get_joint(s->tree, info.joint, &joint), NULL);
    count += joint.nv;
    *deeper = info.parent;
  }
  return count;
}

static sp_vec3 unit(int k) { return sp_v3(k == 0, k == 1, k == 2); }

// A random pose of b seen from a that the locked directions allow.
static sp_pose allowed(rng* r, unsigned locked)
{
  const double t = rng_uniform(r, -1, 1), u = rng_uniform(r, -1, 1);
  const sp_vec3 any = rng_vec3(r, 0.3);
  sp_pose X = sp_pose_identity();
  const unsigned turns = locked & 7U;
  if (turns == 0) X.R = rng_rotation(r);
  for (int c = 0; c < 3; c++) {
    const sp_vec3 x = unit((c + 1) % 3), y = unit((c + 2) % 3);
    if (turns == 1U << c) X.R = sp_mul3(sp_rot_axis(x, t), sp_rot_axis(y, u));
    if ((turns ^ 7U) == 1U << c) X.R = sp_rot_axis(unit(c), t);
  }
  if (!(locked & LIMB_MOVE_X)) X.p.x = any.x;
  if (!(locked & LIMB_MOVE_Y)) X.p.y = any.y;
  if (!(locked & LIMB_MOVE_Z)) X.p.z = any.z;
  return X;
}

static int row_count(const limb_loop_def* def)
{
  int rows = limb_loop_kind_constraints(def->kind);
  for (unsigned k = 0; k < 6 && def->kind == LIMB_LOOP_LOCK; k++) rows += (int)(def->locked >> k & 1U);
  return rows;
}

static void place(scene* s, limb_loop_def* def)
{
  const unsigned locked = def->kind == LIMB_LOOP_LOCK ? def->locked : limb_loop_kind_locked(def->kind);
  sp_pose X = allowed(&s->r, locked);
  if (def->kind == LIMB_LOOP_DISTANCE) def->length = sp_norm3(X.p);
  if (def->kind == LIMB_LOOP_WHEEL || def->kind == LIMB_LOOP_ROLLING_DISC) {
    def->radius = rng_uniform(&s->r, 0.1, 0.3);
    const double pitch = rng_uniform(&s->r, -3, 3);
    X.R = sp_rot_rpy(rng_uniform(&s->r, 0.8, 2), pitch, 0);
  }
  if (def->kind == LIMB_LOOP_ROLLING_DISC) X.p.z = def->radius * sp_norm3(sp_cross3(sp_mulv(X.R, unit(2)), unit(2)));
  def->pose_a = rng_pose(&s->r, 0.2);
  const sp_pose b = sp_compose(sp_compose(place_of(s, def->body_a), def->pose_a), X);
  def->pose_b = sp_compose(sp_invert(place_of(s, def->body_b)), b);
}

// Between two bodies that at least one joint more than rows moves against each other.
static int geometric(scene* s, const char* name, limb_loop_kind kind, limb_loop_def* def)
{
  const int bodies = limb_body_count(s->tree);
  for (int attempt = 0; attempt < 200; attempt++) {
    const int body_b = rng_below(&s->r, bodies);
    *def = limb_default_loop_def(name, kind, rng_below(&s->r, bodies), body_b);
    if (kind == LIMB_LOOP_LOCK) def->locked = 1U + (unsigned)rng_below(&s->r, 63);
    if (freedom_between(s, def->body_a, def->body_b) <= row_count(def)) continue;
    place(s, def);
    return 1;
  }
  return 0;
}

static int one_dof(const scene* s, int joint, limb_joint_info* info)
{
  fixture_ok(limb_get_joint(s->tree, joint, info), NULL);
  return info->nv == 1 || info->def.mimic >= 0;
}

// q_joint = p(q_other), of which the constant is chosen.
static int between_joints(scene* s, const char* name, limb_loop_kind kind, limb_loop_def* def)
{
  const int joints = limb_joint_count(s->tree);
  for (int attempt = 0; attempt < 200; attempt++) {
    *def = limb_default_loop_def(name, kind, -1, -1);
    def->joint = rng_below(&s->r, joints), def->other = rng_below(&s->r, joints);
    limb_joint_info x, y;
    if (!one_dof(s, def->joint, &x) || !one_dof(s, def->other, &y) || x.v == y.v) continue;
    const double other = y.multiplier * s->q[y.q] + y.offset;
    def->coefficient[1] = rng_uniform(&s->r, -2, 2);
    if (kind == LIMB_LOOP_POLYNOMIAL)
      def->coefficient[2] = rng_uniform(&s->r, -1, 1), def->coefficient[3] = rng_uniform(&s->r, -0.5, 0.5);
    double p = 0;
    for (int k = LIMB_LOOP_COEFFICIENTS - 1; k >= 0; k--) p = p * other + def->coefficient[k];
    def->coefficient[0] = x.multiplier * s->q[x.q] + x.offset - p;
    return 1;
  }
  return 0;
}

// Kinds in random order until a third of the velocities is tied.
static void add_loops(scene* s, limb_builder* b, unsigned flags)
{
  int order[16], rows = 0, count = 0;
  for (int k = 0; k < 16; k++) order[k] = k;
  for (int k = 15; k > 0; k--) {
    const int j = rng_below(&s->r, k + 1), t = order[k];
    order[k] = order[j], order[j] = t;
  }
  for (int k = 0; k < 16 && 3 * rows < limb_nv(s->tree); k++) {
    const limb_loop_kind kind = (limb_loop_kind)order[k];
    char name[24];
    snprintf(name, sizeof name, "loop%d", count);
    limb_loop_def def;
    const int joints = kind == LIMB_LOOP_GEAR || kind == LIMB_LOOP_POLYNOMIAL;
    if (!(joints ? between_joints : geometric)(s, name, kind, &def)) continue;
    closed_add_loop(b, &def);
    rows += row_count(&def), count++;
    if (!(flags & CLOSED_REDUNDANT) || count > 2) continue;
    snprintf(name, sizeof name, "again%d", count);
    def.name = name;
    closed_add_loop(b, &def);
  }
}

limb_model* closed_around(limb_model* tree, uint64_t seed, unsigned flags, double** q)
{
  *q = calloc((size_t)limb_nq(tree) + 1, sizeof **q);
  if (!*q) abort();
  scene s = {tree, NULL, *q, {seed ^ 0x10095}};
  uint64_t random = seed;
  fixture_ok(limb_random(tree, &random, *q), NULL);
  fixture_ok(limb_data_create(tree, NULL, &s.d), NULL);
  fixture_ok(limb_kinematics(s.d, *q, NULL, NULL), NULL);
  limb_builder* b = NULL;
  fixture_ok(limb_builder_from_model(tree, NULL, &b), NULL);
  add_loops(&s, b, flags);
  limb_data_destroy(s.d);
  limb_model_destroy(tree);
  return fixture_end(b);
}

limb_model* closed_random(uint64_t seed, int bodies, unsigned flags, double** q)
{
  return closed_around(robot_random_tree(seed, bodies, flags & CLOSED_MIMIC ? ROBOT_MIMIC : 0), seed, flags, q);
}
