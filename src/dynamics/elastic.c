// Workspace of the inverse dynamics of robots with shafts: one layout function that measures and lays out.

#include "base/memory.h"
#include "dynamics/elastic_impl.h"

static limb_series_number* take(limb_arena* a, size_t n) { return limb_arena_take(a, n, sizeof(limb_series_number)); }

static limb_series* lay_out(limb_arena* a, const limb_model* m, void** data)
{
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nl = (size_t)m->nlink;
  limb_series* w = limb_arena_take(a, 1, sizeof *w);
  limb_series t = {.m = m};
  *data = limb_arena_take(a, limb_data_size(m), 1);
  limb_levels_lay_out(a, m, &t.levels);
  limb_ws_lay_out_recursion(a, m, sizeof(limb_series_number), &t.ws);
  t.q = take(a, nq), t.v = take(a, nv), t.a = take(a, nv), t.tau = take(a, nv);
  t.torque = take(a, (size_t)m->nshaft);
  t.X = take(a, nl * LIMB_WS_TURN), t.wrench = take(a, nl * LIMB_WS_FORCE);
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
  if (!limb_levels_find(m, &w->levels)) return LIMB_E_UNSUPPORTED;
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
  if (m->nloop > 0) return LIMB_E_UNSUPPORTED;
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
  limb_levels_lay_out(&measure, m, &l);
  void* block = limb_alloc(&m->alloc, measure.used);
  if (!block) return -1;
  limb_arena a = limb_arena_over(block, measure.used);
  limb_levels_lay_out(&a, m, &l);
  const int order = limb_levels_find(m, &l) ? l.order[1] : -1;
  limb_arena_release(block, measure.used);
  limb_free(&m->alloc, block, measure.used);
  return order;
}
