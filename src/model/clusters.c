// Loops on the compiled robot: their cut frames on the links, and clusters, loops that share joints and must be solved
// together.
//
// A closure between bodies a and b becomes one between their links: with X_a the pose of body a in its link,
//   pose of the cut frame in the link = X_a pose_a
// A relation between joints becomes one between the user's coordinates, mimic chains resolved. Cost: O(loops).
//
// A loop ties the joints between its two frames: those on the ways from both to the first link that carries
// both, the base. A gear or polynomial ties its two joints, and all between them. Loops with a joint in
// common make one cluster; then the parent of every link in it is in it, too, or is its base. Velocities of
// mimic joints are those of the joints they follow: whoever shares one is in the same cluster.
// Cost: O(sum of the lengths of all ways).

#include "model/model_impl.h"

#include "base/memory.h"
#include "base/status.h"
#include "model/compile_impl.h"

#include <stdio.h>

// ---- loops on the compiled links ----------------------------------------------------------------------------

static const char* loop_where(char buffer[96], const limb_loop* loop)
{
  (void)snprintf(buffer, 96, "loop '%.88s'", loop->def.name);
  return buffer;
}

// How many constraints, the first ones, hold positions rather than velocities.
static int holonomic_count(limb_loop_kind kind, int count)
{
  switch (kind) {
  case LIMB_LOOP_KNIFE_EDGE:
  case LIMB_LOOP_WHEEL: return 0;
  case LIMB_LOOP_ROLLING_DISC: return 1;
  default: return count;
  }
}

static bool is_prescribed(const limb_prescribed_motion* law)
{
  return law->fn || law->constant != 0 || law->rate != 0 || law->amplitude != 0;
}

// The axis of the constraint of a prescribed motion, if that is a rotation; else -1. Rotations come first.
static int prescribed_axis(const limb_loop* loop)
{
  int row = loop->prescribed ? loop->def.motion.constraint : -1;
  for (int k = 0; k < 3 && row >= 0; k++) {
    if ((loop->locked >> k & 1U) && row-- == 0) return k;
  }
  return -1;
}

static limb_status attach_frames(const limb_model* m, limb_loop* loop, limb_error* err)
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

static limb_status attach_joints(const limb_model* m, limb_loop* loop, limb_error* err)
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

limb_status limb_attach_loops(limb_model* m, limb_error* err)
{
  for (int i = 0; i < m->nloop; i++) {
    limb_loop* loop = &m->loop[i];
    const limb_loop_kind kind = loop->def.kind;
    loop->locked = kind == LIMB_LOOP_LOCK ? loop->def.locked : limb_loop_kind_locked(kind);
    loop->row = m->nrow;
    loop->nrow = limb_loop_rows(&loop->def);
    loop->holonomic = holonomic_count(kind, loop->nrow);
    loop->prescribed = is_prescribed(&loop->def.motion);
    loop->angle = prescribed_axis(loop);
    loop->link_a = loop->link_b = -1;
    loop->in_a = loop->in_b = sp_pose_identity();
    loop->q[0] = loop->q[1] = loop->v[0] = loop->v[1] = -1;
    const bool relation = kind == LIMB_LOOP_GEAR || kind == LIMB_LOOP_POLYNOMIAL;
    const limb_status s = relation ? attach_joints(m, loop, err) : attach_frames(m, loop, err);
    if (s) return s;
    m->nrow += loop->nrow;
  }
  return LIMB_OK;
}

// ---- ways ---------------------------------------------------------------------------------------------------

// First link that carries both; -1: the world. A parent's number is below that of its children.
static int common_carrier(const limb_model* m, int a, int b)
{
  while (a != b) {
    if (a > b)
      a = m->link[a].parent;
    else
      b = m->link[b].parent;
  }
  return a;
}

typedef struct ways {
  int end[2]; // links where the two ways begin
  int base;   // and where they meet; not on them
} ways;

static ways ways_of(const limb_model* m, const limb_loop* loop)
{
  if (!limb_between_joints(loop)) {
    const int a = loop->link_a, b = loop->link_b;
    return (ways){{a, b}, common_carrier(m, a, b)};
  }
  const int a = m->joint[loop->def.joint].link, b = m->joint[loop->def.other].link;
  return (ways){{a, b}, common_carrier(m, m->link[a].parent, m->link[b].parent)};
}

// ---- sets of links ------------------------------------------------------------------------------------------

typedef struct scratch {
  int* set;   // nlink
  int* tied;  // nlink: some loop goes through its joint
  int* first; // nv: link that has this velocity; -1: not seen
  ways* way;  // nloop
} scratch;

static void tie_way(const limb_model* m, const scratch* x, int link, int base, int to)
{
  for (; link != base && link >= 0; link = m->link[link].parent) {
    x->tied[link] = 1;
    limb_set_join(x->set, link, to);
  }
}

static void tie_links(const limb_model* m, const scratch* x)
{
  for (int i = 0; i < m->nlink; i++) x->set[i] = i, x->tied[i] = 0;
  for (int k = 0; k < m->nloop; k++) {
    const ways* w = &x->way[k];
    const int some = w->end[0] == w->base ? w->end[1] : w->end[0]; // on a way: not both end at the base
    for (int e = 0; e < 2; e++) tie_way(m, x, w->end[e], w->base, some);
  }
  for (int v = 0; v < m->nv; v++) x->first[v] = -1;
  for (int i = 0; m->has_mimic && i < m->nlink; i++) {
    const int v = m->dof[m->link[i].dof].v;
    if (x->first[v] < 0) x->first[v] = i;
    limb_set_join(x->set, i, x->first[v]);
  }
  // whoever shares a set with a tied link is tied
  for (int i = 0; i < m->nlink; i++) x->tied[limb_set_leader(x->set, i)] |= x->tied[i];
}

// ---- the lists ----------------------------------------------------------------------------------------------

typedef struct pools {
  int *link, *v, *loop;
  limb_loop_axis* axis;
} pools;

static int axes_between(const limb_model* m, const limb_loop* loop, const ways* w)
{
  int count = 0;
  for (int e = 0; e < 2 && !limb_between_joints(loop); e++) {
    for (int i = w->end[e]; i != w->base; i = m->link[i].parent) count += m->link[i].ndof;
  }
  return count;
}

static pools lay_out(limb_arena* a, const limb_model* m, int count, const ways* way, limb_clusters* out)
{
  size_t axes = 0;
  for (int k = 0; k < m->nloop; k++) axes += (size_t)axes_between(m, &m->loop[k], &way[k]);
  out->cluster = limb_arena_take(a, (size_t)count, sizeof *out->cluster);
  out->of_link = limb_arena_take(a, (size_t)m->nlink, sizeof(int));
  out->of_v = limb_arena_take(a, (size_t)m->nv, sizeof(int));
  return (pools){.link = limb_arena_take(a, (size_t)m->nlink, sizeof(int)),
                 .v = limb_arena_take(a, (size_t)m->nv, sizeof(int)),
                 .loop = limb_arena_take(a, (size_t)m->nloop, sizeof(int)),
                 .axis = limb_arena_take(a, axes, sizeof(limb_loop_axis))};
}

// Numbers clusters by their first links; who belongs to which.
static void number_clusters(const limb_model* m, const scratch* x, limb_clusters* c)
{
  c->count = 0;
  for (int v = 0; v < m->nv; v++) c->of_v[v] = -1;
  for (int i = 0; i < m->nlink; i++) {
    const int first = limb_set_leader(x->set, i);
    if (first == i && x->tied[i]) c->cluster[c->count] = (limb_cluster){.base = m->link[i].parent};
    c->of_link[i] = !x->tied[first] ? -1 : first == i ? c->count++ : c->of_link[first];
    for (int k = 0; k < m->link[i].ndof; k++) c->of_v[m->dof[m->link[i].dof + k].v] = c->of_link[i];
  }
}

// Counts, then hands out the pools, then fills in order.
static void fill_lists(limb_model* m, const scratch* x, pools pool, limb_clusters* c)
{
  for (int i = 0; i < m->nlink; i++) {
    if (c->of_link[i] >= 0) c->cluster[c->of_link[i]].nlink++;
  }
  for (int v = 0; v < m->nv; v++) {
    if (c->of_v[v] >= 0) c->cluster[c->of_v[v]].nv++;
  }
  for (int k = 0; k < m->nloop; k++) {
    const ways* w = &x->way[k];
    m->loop[k].cluster = c->of_link[w->end[0] == w->base ? w->end[1] : w->end[0]];
    c->cluster[m->loop[k].cluster].nloop++;
  }
  for (int i = 0; i < c->count; i++) {
    limb_cluster* s = &c->cluster[i];
    s->link = pool.link, pool.link += s->nlink, s->nlink = 0;
    s->v = pool.v, pool.v += s->nv, s->nv = 0;
    s->loop = pool.loop, pool.loop += s->nloop, s->nloop = 0;
  }
  for (int i = 0; i < m->nlink; i++) {
    limb_cluster* s = c->of_link[i] < 0 ? NULL : &c->cluster[c->of_link[i]];
    if (s) s->link[s->nlink++] = i;
  }
  for (int v = 0; v < m->nv; v++) {
    limb_cluster* s = c->of_v[v] < 0 ? NULL : &c->cluster[c->of_v[v]];
    if (s) s->v[s->nv++] = v;
  }
  for (int k = 0; k < m->nloop; k++) {
    limb_cluster* s = &c->cluster[m->loop[k].cluster];
    s->loop[s->nloop++] = k;
    m->loop[k].local = s->nrow;
    s->nrow += m->loop[k].nrow;
  }
}

static void fill_loop(const limb_model* m, const limb_cluster* s, const ways* w, limb_loop* loop, limb_loop_axis* axis)
{
  loop->axis = axis;
  loop->naxis = 0;
  if (limb_between_joints(loop)) {
    for (int e = 0; e < 2; e++) loop->column[e] = limb_cluster_column(s, loop->v[e]);
    return;
  }
  for (int e = 0; e < 2; e++) {
    for (int i = w->end[e]; i != w->base; i = m->link[i].parent) {
      for (int k = 0; k < m->link[i].ndof; k++) {
        const limb_dof* dof = &m->dof[m->link[i].dof + k];
        const double mult = e == 0 ? -dof->mult : dof->mult;
        axis[loop->naxis++] = (limb_loop_axis){i, k, limb_cluster_column(s, dof->v), mult};
      }
    }
  }
}

static void measure(limb_clusters* c)
{
  int row = 0;
  for (int i = 0; i < c->count; i++) {
    limb_cluster* s = &c->cluster[i];
    s->row = row, row += s->nrow;
    s->block = c->entries, c->entries += (ptrdiff_t)s->nrow * s->nv;
    if (s->nv > c->max_nv) c->max_nv = s->nv;
    if (s->nrow > c->max_nrow) c->max_nrow = s->nrow;
  }
}

static limb_status find(limb_model* m, const scratch* x)
{
  for (int k = 0; k < m->nloop; k++) x->way[k] = ways_of(m, &m->loop[k]);
  tie_links(m, x);
  int count = 0;
  for (int i = 0; i < m->nlink; i++) count += x->set[i] == i && x->tied[i];
  limb_clusters c = {0};
  limb_arena measured = {0};
  (void)lay_out(&measured, m, count, x->way, &c);
  c.size = measured.used;
  c.memory = limb_alloc(&m->alloc, c.size);
  if (!c.memory) return LIMB_E_NOMEM;
  limb_arena arena = limb_arena_over(c.memory, c.size);
  pools pool = lay_out(&arena, m, count, x->way, &c);
  number_clusters(m, x, &c);
  fill_lists(m, x, pool, &c);
  for (int k = 0; k < m->nloop; k++) {
    limb_loop* loop = &m->loop[k];
    fill_loop(m, &c.cluster[loop->cluster], &x->way[k], loop, pool.axis);
    pool.axis += loop->naxis;
  }
  measure(&c);
  m->clusters = c;
  return LIMB_OK;
}

static scratch lay_out_scratch(limb_arena* a, const limb_model* m)
{
  const size_t nl = (size_t)m->nlink;
  return (scratch){.set = limb_arena_take(a, nl, sizeof(int)),
                   .tied = limb_arena_take(a, nl, sizeof(int)),
                   .first = limb_arena_take(a, (size_t)m->nv, sizeof(int)),
                   .way = limb_arena_take(a, (size_t)m->nloop, sizeof(ways))};
}

limb_status limb_find_clusters(limb_model* m)
{
  if (m->nloop == 0) return LIMB_OK;
  limb_arena measured = {0};
  (void)lay_out_scratch(&measured, m);
  void* memory = limb_alloc(&m->alloc, measured.used);
  if (!memory) return LIMB_E_NOMEM;
  limb_arena arena = limb_arena_over(memory, measured.used);
  const scratch x = lay_out_scratch(&arena, m);
  const limb_status s = find(m, &x);
  limb_arena_release(memory, measured.used);
  limb_free(&m->alloc, memory, measured.used);
  return s;
}

void limb_free_clusters(limb_model* m)
{
  if (!m->clusters.memory) return;
  limb_arena_release(m->clusters.memory, m->clusters.size);
  limb_free(&m->alloc, m->clusters.memory, m->clusters.size);
}
