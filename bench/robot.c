// A model of limb in neutral form: moving links in depth-first order with the bodies that are fixed
// to them merged in, so that no peer pays for a body that need not move on its own.
#include "robot.h"

#include "closed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  STATES_MAX = 512,             // enough that branch predictors do not learn the states
  STATE_BYTES_MAX = 640 * 1024, // all of them stay in a second-level cache
};

// Where a body ended up: in which link, and where in it.
typedef struct place {
  int link;
  sp_pose pose;
} place;

// Lists of children by body, in the order of the body numbers.
typedef struct children {
  int *first, *next;
} children;

static void* take(size_t count, size_t size) { return calloc(count ? count : 1, size); }

static void list_children(const limb_model* m, children c)
{
  const int n = limb_body_count(m);
  for (int i = 0; i < n; i++) c.first[i] = c.next[i] = -1;
  for (int i = n - 1; i > 0; i--) {
    limb_body_info body;
    if (limb_get_body(m, i, &body) != LIMB_OK) continue;
    c.next[i] = c.first[body.parent];
    c.first[body.parent] = i;
  }
}

static int is_bare(const limb_joint_info* j)
{
  const limb_joint_def* d = &j->def;
  return d->mimic < 0 && d->rotor_inertia == 0 && d->coulomb == 0 && d->viscous == 0 && d->stiffness == 0;
}

// Adds one body: a new link, or, when its joint is fixed, a part of the link that carries it.
static void add_body(bench_robot* r, int i, place* at)
{
  limb_body_info body;
  limb_joint_info joint;
  if (limb_get_body(r->model, i, &body) != LIMB_OK) return;
  if (limb_get_joint(r->model, body.joint, &joint) != LIMB_OK) return;
  const place p = at[body.parent];
  const sp_pose pose = sp_compose(p.pose, joint.def.placement);

  if (joint.def.type == LIMB_FIXED) {
    at[i] = (place){p.link, pose};
    if (p.link < 0) return;
    bench_link* l = &r->link[p.link];
    l->inertia = limb_inertia_add(l->inertia, limb_inertia_move(pose, body.inertia));
    return;
  }
  const limb_joint_type t = joint.def.type;
  const bench_link l = {i, p.link, t, pose, joint.def.axis, body.inertia, joint.q, joint.v};
  if (joint.passive) r->npassive += joint.nv;
  if (!is_bare(&joint)) r->plain = 0;
  if (t != LIMB_REVOLUTE && t != LIMB_PRISMATIC && t != LIMB_FREE) r->plain = 0;
  if (t == LIMB_FREE || p.link != r->nlink - 1) r->serial = 0;
  at[i] = (place){r->nlink, sp_pose_identity()};
  r->link[r->nlink++] = l;
}

// Depth first without recursion: chains may have 100,000 links.
static void add_bodies(bench_robot* r, children c, place* at)
{
  int i = c.first[0];
  while (i > 0) {
    add_body(r, i, at);
    if (c.first[i] >= 0) {
      i = c.first[i];
      continue;
    }
    while (i > 0 && c.next[i] < 0) {
      limb_body_info body;
      i = limb_get_body(r->model, i, &body) == LIMB_OK ? body.parent : 0;
    }
    if (i > 0) i = c.next[i];
  }
}

static int find_tip(const bench_robot* r, int* depth)
{
  int tip = 0;
  for (int i = 0; i < r->nlink; i++) {
    const int p = r->link[i].parent;
    depth[i] = p < 0 ? 1 : depth[p] + 1;
    if (depth[i] >= depth[tip]) tip = i;
  }
  return tip;
}

// Closures as points of links. That is enough for balls, and for pins whose other three rows no joint moves.
static limb_status add_loops(bench_robot* r, const place* at)
{
  int spare = 0;
  for (int i = 0; i < r->nloop; i++) {
    limb_loop_info info;
    const limb_status s = limb_get_loop(r->model, i, &info);
    if (s != LIMB_OK) return s;
    const limb_loop_def* d = &info.def;
    r->points = r->points && (d->kind == LIMB_LOOP_BALL || d->kind == LIMB_LOOP_PIN);
    if (!r->points) return LIMB_OK; // gears have no frames
    if (d->kind == LIMB_LOOP_PIN) spare += 3;
    const place a = at[d->body_a], b = at[d->body_b];
    r->loop[i] = (bench_loop){a.link, b.link, sp_compose(a.pose, d->pose_a).p, sp_compose(b.pose, d->pose_b).p};
  }
  limb_mobility m;
  const limb_status s = bench_closed_mobility(r->model, &m);
  r->points = s == LIMB_OK && m.idle == spare;
  return s;
}

int bench_robot_init(bench_robot* robot, const char* name, const limb_model* model)
{
  const size_t n = (size_t)limb_body_count(model);
  bench_robot r = {.name = name, .model = model, .plain = 1, .serial = 1, .points = 1};
  r.nq = limb_nq(model);
  r.nv = limb_nv(model);
  r.gravity = limb_model_gravity(model);
  r.nloop = limb_loop_count(model);
  r.nrow = limb_constraint_count(model);
  r.link = take(n, sizeof *r.link);
  r.loop = take((size_t)r.nloop, sizeof *r.loop);
  children c = {take(n, sizeof *c.first), take(n, sizeof *c.next)};
  place* at = take(n, sizeof *at);
  int ok = r.link && r.loop && c.first && c.next && at;
  if (ok) {
    at[0] = (place){-1, sp_pose_identity()};
    list_children(model, c);
    add_bodies(&r, c, at);
    r.tip = find_tip(&r, c.first);
    r.serial = r.serial && r.plain;
    ok = !r.nrow || add_loops(&r, at) == LIMB_OK;
  }
  *robot = r;
  if (!ok) bench_robot_free(robot);
  free(at);
  free(c.first);
  free(c.next);
  return ok ? 0 : -1;
}

void bench_robot_free(bench_robot* robot)
{
  free(robot->link);
  free(robot->loop);
  memset(robot, 0, sizeof *robot);
}

static limb_status add_bare(limb_builder* to, const bench_robot* r, const int* order, double bend)
{
  limb_status s = limb_builder_set_gravity(to, r->gravity);
  for (int k = 0; k < r->nlink && s == LIMB_OK; k++) { // body k + 1
    char name[16];
    (void)snprintf(name, sizeof name, "l%d", order[k]);
    limb_body_def body = limb_default_body_def(name);
    body.inertia = r->link[order[k]].inertia;
    s = limb_builder_add_body(to, &body, NULL, NULL);
  }
  for (int k = 0; k < r->nlink && s == LIMB_OK; k++) {
    const bench_link* l = &r->link[order[k]];
    int parent = 0;
    while (l->parent >= 0 && order[parent] != l->parent) parent++;
    char name[16];
    (void)snprintf(name, sizeof name, "j%d", order[k]);
    limb_joint_def joint = limb_default_joint_def(name, l->type, l->parent < 0 ? LIMB_WORLD_BODY : parent + 1, k + 1);
    joint.placement = l->placement, joint.axis = l->axis;
    if (l->type == LIMB_REVOLUTE) joint.start = bend * (k % 2 ? -1 : 1); // straight legs are singular
    s = limb_builder_add_joint(to, &joint, NULL, NULL);
  }
  return s;
}

limb_model* bench_bare(const limb_model* model, double bend)
{
  bench_robot r;
  limb_builder* to = NULL;
  limb_model* bare = NULL;
  if (bench_robot_init(&r, "", model)) return NULL;
  int* order = take((size_t)r.nlink, sizeof *order);
  for (int k = 0; k < r.nlink && order; k++) { // in the order of their velocities
    int at = k;
    for (; at > 0 && r.link[order[at - 1]].v > r.link[k].v; at--) order[at] = order[at - 1];
    order[at] = k;
  }
  limb_status s = order ? limb_builder_create(NULL, &to) : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = add_bare(to, &r, order, bend);
  if (s == LIMB_OK) s = limb_builder_build(to, &bare, NULL);
  limb_builder_destroy(to);
  free(order);
  bench_robot_free(&r);
  return s == LIMB_OK ? bare : NULL;
}

// splitmix64
double bench_uniform(uint64_t* seed)
{
  uint64_t z = *seed += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1;
}

static int draw(bench_states* s, const bench_robot* r)
{
  const size_t nq = (size_t)r->nq, nv = (size_t)r->nv;
  uint64_t seed = 20;
  limb_data* d = NULL;
  if (limb_data_create(limb_spanning_tree(r->model), NULL, &d) != LIMB_OK) return -1;
  limb_status status = LIMB_OK;
  for (size_t k = 0; k < (size_t)s->count && status == LIMB_OK; k++) {
    double *v = s->v + k * nv, *a = s->a + k * nv;
    for (size_t i = 0; i < nv; i++) v[i] = bench_uniform(&seed), a[i] = bench_uniform(&seed);
    status = limb_random(r->model, &seed, s->q + k * nq);
    if (status != LIMB_OK) break;
    status = limb_inverse_dynamics(d, s->q + k * nq, v, a, NULL, s->tau + k * nv);
  }
  limb_data_destroy(d);
  return status == LIMB_OK ? 0 : -1;
}

int bench_states_init(bench_states* states, const bench_robot* robot)
{
  const size_t nq = (size_t)robot->nq, nv = (size_t)robot->nv;
  const size_t bytes = (nq + 3 * nv) * sizeof(double);
  bench_states s = {.count = STATES_MAX};
  while (s.count > 2 && (size_t)s.count * bytes > STATE_BYTES_MAX) s.count /= 2;
  const size_t n = (size_t)s.count;
  s.q = take(n * nq, sizeof(double));
  s.v = take(n * nv, sizeof(double));
  s.a = take(n * nv, sizeof(double));
  s.tau = take(n * nv, sizeof(double));
  *states = s;
  if (!s.q || !s.v || !s.a || !s.tau || (robot->nrow ? bench_closed_draw(states, robot) : draw(states, robot))) {
    bench_states_free(states);
    return -1;
  }
  return 0;
}

void bench_states_free(bench_states* states)
{
  free(states->q);
  free(states->v);
  free(states->a);
  free(states->tau);
  memset(states, 0, sizeof *states);
}
