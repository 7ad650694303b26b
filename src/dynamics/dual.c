// Workspaces of derivatives along directions: one layout function that measures and lays out.

#include "base/memory.h"
#include "dynamics/dual_impl.h"

#include <string.h>

static limb_dual_number* take(limb_arena* a, size_t n) { return limb_arena_take(a, n, sizeof(limb_dual_number)); }

static double* take_doubles(limb_arena* a, size_t n) { return limb_arena_take(a, n, sizeof(double)); }

static limb_dual* lay_out(limb_arena* a, const limb_model* m, limb_dual_use use, void** data)
{
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  limb_dual* w = limb_arena_take(a, 1, sizeof *w);
  limb_dual t = {.m = m};
  *data = limb_arena_take(a, limb_data_size(limb_spanning_tree(m)), 1);
  limb_ws_lay_out(a, m, sizeof(limb_dual_number), &t.ws);
  t.q = take(a, nq), t.v = take(a, nv), t.x = take(a, nv), t.y = take(a, nv), t.z = take(a, nv);
  t.wrench = take(a, (size_t)m->nlink * LIMB_WS_FORCE);
  t.rate = take_doubles(a, nq);
  if (use == LIMB_DUAL_MATRICES) {
    t.dq = take(a, nv * nv), t.dv = take(a, nv * nv), t.dx = take(a, nv * nv);
    t.acc = take_doubles(a, nv), t.mu = take_doubles(a, nv);
    for (int k = 0; k < LIMB_DUAL_SCRATCH; k++) t.rows[k] = take_doubles(a, LIMB_TANGENTS * nv);
  }
  if (w) *w = t;
  return w;
}

static bool use_is_known(limb_dual_use use) { return use == LIMB_DUAL_VECTORS || use == LIMB_DUAL_MATRICES; }

size_t limb_dual_size(const limb_model* m, limb_dual_use use)
{
  limb_arena a = {0};
  void* data;
  if (m && use_is_known(use)) (void)lay_out(&a, m, use, &data);
  return a.used;
}

limb_status limb_dual_init(const limb_model* m, limb_dual_use use, void* memory, size_t size, limb_dual** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m || !use_is_known(use) || !memory || (uintptr_t)memory % LIMB_DATA_ALIGN) return LIMB_E_ARG;
  if (size < limb_dual_size(m, use)) return LIMB_E_NOMEM;
  limb_arena a = limb_arena_over(memory, size);
  void* data;
  limb_dual* w = lay_out(&a, m, use, &data);
  const limb_status s = limb_data_init(limb_spanning_tree(m), data, limb_data_size(limb_spanning_tree(m)), &w->d);
  if (s != LIMB_OK) return s;
  limb_dof_table_clear(m, sizeof(limb_dual_number), &w->ws.table);
  memset(w->wrench, 0, (size_t)m->nlink * LIMB_WS_FORCE * sizeof *w->wrench);
  w->ws.base = w->d->ws.base;
  w->kernels = limb_kernels_dual_here();
  w->memory = (limb_memory){.block = memory, .size = size};
  *out = w;
  return LIMB_OK;
}

limb_status limb_dual_create(const limb_model* m, limb_dual_use use, const limb_allocator* alloc, limb_dual** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m || !use_is_known(use)) return LIMB_E_ARG;
  limb_memory memory;
  limb_status s = limb_memory_take(alloc, limb_dual_size(m, use), &memory);
  if (s != LIMB_OK) return s;
  s = limb_dual_init(m, use, memory.block, memory.size, out);
  if (s == LIMB_OK)
    (*out)->memory = memory;
  else
    limb_memory_end(memory);
  return s;
}

void limb_dual_destroy(limb_dual* w)
{
  if (w) limb_memory_end(w->memory);
}

const limb_model* limb_dual_model(const limb_dual* w) { return w ? w->m : NULL; }
