// The workspace of a split: one layout function that measures and lays out.

#include "base/memory.h"
#include "base/status.h"
#include "batch/pool_check.h"
#include "batch/split_impl.h"

static limb_split* lay_out(limb_arena* a, const limb_model* m, const limb_split_options* options, void** data)
{
  limb_split* s = limb_arena_take(a, 1, sizeof *s);
  limb_split t = {.m = m};
  *data = limb_arena_take(a, limb_data_size(m), 1);
  for (int way = LIMB_SPLIT_INVERSE; way <= LIMB_SPLIT_FORWARD; way++) {
    const limb_plan plan = limb_plan_cut(m, (limb_split_way)way, options);
    limb_cut_lay_out(a, m, &plan, (limb_split_way)way, &t.cut[way]);
  }
  if (s) *s = t;
  return s;
}

// Defaults for NULL. LIMB_E_ARG or LIMB_E_UNSUPPORTED for options that are none.
static limb_status read_options(const limb_split_options* given, limb_split_options* out)
{
  *out = limb_default_split_options();
  if (!given) return LIMB_OK;
  const limb_status s = limb_sized_read(out, sizeof *out, given, sizeof *out);
  if (s != LIMB_OK) return s;
  if (out->processors < 1 || out->processors > LIMB_SPLIT_PROCESSORS || out->least < 0) return LIMB_E_ARG;
  return LIMB_OK;
}

size_t limb_split_size(const limb_model* m, const limb_split_options* options)
{
  limb_split_options o;
  limb_arena a = {0};
  void* data;
  if (m && read_options(options, &o) == LIMB_OK) (void)lay_out(&a, m, &o, &data);
  return a.used;
}

limb_status limb_split_init(const limb_model* m, const limb_pool* pool, const limb_split_options* options, void* memory,
                            size_t size, limb_split** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  limb_split_options o;
  if (!m || !limb_pool_valid(pool) || !memory || (uintptr_t)memory % LIMB_DATA_ALIGN) return LIMB_E_ARG;
  if (read_options(options, &o) != LIMB_OK) return LIMB_E_ARG;
  if (m->nloop > 0) return LIMB_E_UNSUPPORTED;
  if (size < limb_split_size(m, &o)) return LIMB_E_NOMEM;
  limb_arena a = limb_arena_over(memory, size);
  void* data;
  limb_split* s = lay_out(&a, m, &o, &data);
  const limb_status status = limb_data_init(m, data, limb_data_size(m), &s->d);
  if (status != LIMB_OK) return status;
  s->pool = pool;
  s->kernels = limb_split_kernels_here();
  s->memory = (limb_memory){.block = memory, .size = size};
  *out = s;
  return LIMB_OK;
}

limb_status limb_split_create(const limb_model* m, const limb_pool* pool, const limb_split_options* options,
                              const limb_allocator* alloc, limb_split** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  const size_t size = limb_split_size(m, options);
  if (size == 0) return LIMB_E_ARG;
  limb_memory memory;
  limb_status s = limb_memory_take(alloc, size, &memory);
  if (s != LIMB_OK) return s;
  s = limb_split_init(m, pool, options, memory.block, memory.size, out);
  if (s == LIMB_OK)
    (*out)->memory = memory;
  else
    limb_memory_end(memory);
  return s;
}

void limb_split_destroy(limb_split* s)
{
  if (s) limb_memory_end(s->memory);
}

const limb_model* limb_split_model(const limb_split* s) { return s ? s->m : NULL; }

static int parts(const limb_split* s, limb_split_way way)
{
  if (!s) return 0;
  return s->cut[way].count > 0 ? s->cut[way].count : 1;
}

int limb_split_inverse_parts(const limb_split* s) { return parts(s, LIMB_SPLIT_INVERSE); }
int limb_split_forward_parts(const limb_split* s) { return parts(s, LIMB_SPLIT_FORWARD); }
