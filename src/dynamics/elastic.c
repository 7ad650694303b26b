// Robots with shafts: the order in which shafts can be solved for their motors, how many derivatives that takes, and
// the workspace of the inverse dynamics: one layout function that measures and lays out.
//
// Reference: A. De Luca, W. Book, Robots with flexible elements, Springer Handbook of Robotics, 2nd edition,
//            section 11.1.
// Cost:      O(n depth) for each level.
//
// The equation of a driven joint gives the force T of its shaft, and T its motor's angle. T has the
// accelerations of all that its equation contains: two derivatives fewer than the one known to the fewest. The
// angle has as many as T, or, when a damper turns T into a rate, one more.
//
// The equation of one joint contains the motion of another if one of the two carries the other and the outer
// one moves some inertia. A rotor that is a number only (rotor_inertia) is in no equation but its own.

#include "base/memory.h"
#include "dynamics/elastic_impl.h"

// ---- levels -------------------------------------------------------------------------------------------------

static int greater(int a, int b) { return a > b ? a : b; }

static bool damped(const limb_model* m, int shaft) { return m->shaft[shaft].def.damping > 0; }

static int velocity_of(const limb_model* m, int joint) { return m->joint[joint].v; }

static void lay_out_levels(limb_arena* a, const limb_model* m, limb_levels* out)
{
  const size_t nv = (size_t)m->nv;
  out->shaft = limb_arena_take(a, (size_t)m->nshaft, sizeof *out->shaft);
  out->driven = limb_arena_take(a, nv, sizeof *out->driven);
  out->driving = limb_arena_take(a, nv, sizeof *out->driving);
}

// As if no shaft needed another. False when a motor drives two joints: their motion is no longer free.
static bool begin(const limb_model* m, limb_levels* l)
{
  for (int k = 0; k < m->nv; k++) l->driven[k] = l->driving[k] = -1;
  for (int s = 0; s < m->nshaft; s++) {
    const limb_shaft_def* def = &m->shaft[s].def;
    const int motor = velocity_of(m, def->motor);
    if (l->driving[motor] >= 0) return false;
    l->driven[velocity_of(m, def->joint)] = s;
    l->driving[motor] = s;
    l->shaft[s] = (limb_shaft_level){1, {2, damped(m, s) ? 1 : 2}, -1};
  }
  for (int s = 0; s < m->nshaft; s++) l->shaft[s].behind = l->driving[velocity_of(m, m->shaft[s].def.joint)];
  return true;
}

// Shaft s comes after shaft r. True when that is news.
static bool comes_after(const limb_model* m, limb_levels* l, int s, int r)
{
  if (s < 0 || r < 0 || l->shaft[s].pass > LIMB_ELASTIC_ORDER_MAX) return false;
  limb_shaft_level* x = &l->shaft[s];
  const limb_shaft_level *y = &l->shaft[r], old = *x;
  x->pass = greater(x->pass, y->pass + 1);
  x->cost[0] = greater(x->cost[0], y->cost[0] + 2);
  x->cost[1] = greater(x->cost[1], y->cost[1] + (damped(m, s) ? 1 : 2));
  return x->pass != old.pass || x->cost[0] != old.cost[0] || x->cost[1] != old.cost[1];
}

// The user's velocity of a link with one degree of freedom, which alone can have a shaft; else -1.
static int velocity_of_link(const limb_model* m, int i) { return m->link[i].ndof == 1 ? m->dof[m->link[i].dof].v : -1; }

static bool has_inertia(const limb_link_f64* k)
{
  return k->m != 0 || k->hx != 0 || k->hy != 0 || k->hz != 0 || k->xx != 0 || k->xy != 0 || k->xz != 0 || k->yy != 0 ||
         k->yz != 0 || k->zz != 0;
}

// Whether anything feels the motion of link i: what it and its subtree have that shows through the joint.
static bool moves_inertia(const limb_model* m, int i)
{
  for (int l = i; l < m->link[i].end; l++) {
    if (has_inertia(&m->k64[l])) return true;
  }
  return false;
}

// Everything that carries link i.
static bool along_path(const limb_model* m, limb_levels* l, int i)
{
  const int v = velocity_of_link(m, i);
  bool news = false;
  if (v < 0 || (l->driven[v] < 0 && l->driving[v] < 0) || !moves_inertia(m, i)) return false;
  for (int p = m->link[i].parent; p >= 0; p = m->link[p].parent) {
    const int u = velocity_of_link(m, p);
    if (u < 0) continue;
    news |= comes_after(m, l, l->driven[v], l->driving[u]);
    news |= comes_after(m, l, l->driven[u], l->driving[v]);
  }
  return news;
}

// Fills what out points at. False when there is no such order of the shafts, or it takes more than
// LIMB_ELASTIC_ORDER_MAX derivatives whatever the friction.
static bool find_levels(const limb_model* m, limb_levels* out)
{
  out->passes = 0;
  out->order[0] = out->order[1] = 2;
  if (m->nshaft == 0) return true;
  if (!begin(m, out)) return false;
  for (bool news = true; news;) {
    news = false;
    for (int i = 0; i < m->nlink; i++) news |= along_path(m, out, i);
    for (int s = 0; s < m->nshaft; s++) news |= comes_after(m, out, s, out->shaft[s].behind);
  }
  for (int s = 0; s < m->nshaft; s++) {
    const limb_shaft_level* x = &out->shaft[s];
    out->passes = greater(out->passes, x->pass);
    for (int f = 0; f < 2; f++) out->order[f] = greater(out->order[f], x->cost[f] + 2);
  }
  // shafts that need each other never come to an end
  return out->passes <= LIMB_ELASTIC_ORDER_MAX && out->order[1] <= LIMB_ELASTIC_ORDER_MAX;
}

// ---- workspace ----------------------------------------------------------------------------------------------

static limb_series_number* take(limb_arena* a, size_t n) { return limb_arena_take(a, n, sizeof(limb_series_number)); }

static limb_series* lay_out(limb_arena* a, const limb_model* m, void** data)
{
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nl = (size_t)m->nlink;
  limb_series* w = limb_arena_take(a, 1, sizeof *w);
  limb_series t = {.m = m};
  *data = limb_arena_take(a, limb_data_size(m), 1);
  lay_out_levels(a, m, &t.levels);
  limb_ws_lay_out_recursion(a, m, sizeof(limb_series_number), &t.ws);
  t.q = take(a, nq), t.v = take(a, nv), t.a = take(a, nv), t.tau = take(a, nv);
  t.torque = take(a, (size_t)m->nshaft);
  t.X = take(a, nl * LIMB_WS_POSE), t.wrench = take(a, nl * LIMB_WS_FORCE);
  t.at = limb_arena_take(a, nq, sizeof *t.at);
  if (w) *w = t;
  return w;
}

static limb_status fill(const limb_model* m, const limb_memory* memory, limb_series** out)
{
  limb_arena a = limb_arena_over(memory->block, memory->size);
  void* data;
  limb_series* w = lay_out(&a, m, &data);
  const limb_status s = limb_data_init(m, data, limb_data_size(m), &w->d);
  if (s != LIMB_OK) return s;
  if (!find_levels(m, &w->levels)) return LIMB_E_UNSUPPORTED;
  w->ws.base = w->d->ws.base;
  w->memory = *memory;
  *out = w;
  return LIMB_OK;
}

limb_status limb_series_create(const limb_model* m, const limb_allocator* alloc, limb_series** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m) return LIMB_E_ARG;
  if (m->nloop > 0 || m->ncoupling > m->nshaft) return LIMB_E_UNSUPPORTED;
  limb_arena measure = {0};
  void* data;
  (void)lay_out(&measure, m, &data);
  limb_memory memory;
  limb_status s = limb_memory_take(alloc, measure.used, &memory);
  if (s != LIMB_OK) return s;
  s = fill(m, &memory, out);
  if (s != LIMB_OK) limb_memory_end(memory);
  return s;
}

void limb_series_destroy(limb_series* w)
{
  if (w) limb_memory_end(w->memory);
}

int limb_elastic_order(const limb_model* m)
{
  if (!m) return -1;
  if (m->nshaft == 0) return 2;
  limb_arena measure = {0};
  limb_levels l = {0};
  lay_out_levels(&measure, m, &l);
  void* block = limb_alloc(&m->alloc, measure.used);
  if (!block) return -1;
  limb_arena a = limb_arena_over(block, measure.used);
  lay_out_levels(&a, m, &l);
  const int order = find_levels(m, &l) ? l.order[1] : -1;
  limb_arena_release(block, measure.used);
  limb_free(&m->alloc, block, measure.used);
  return order;
}
