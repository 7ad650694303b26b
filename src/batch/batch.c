// Workspaces of batch calls: one layout function that measures and lays out; lanes.

#include "limb/regressor.h"

#include "base/memory.h"
#include "base/status.h"
#include "batch/batch_impl.h"
#include "batch/pool_check.h"
#include "kernel/batch_tables.h"

#include <string.h>

// ---- what a batch is for -------------------------------------------------------------------------------

// The options with defaults for what they do not have. False: they are none.
static bool read_options(const limb_batch_options* given, limb_batch_options* out)
{
  *out = limb_default_batch_options();
  if (given && limb_sized_read(out, sizeof *out, given, sizeof *out) != LIMB_OK) return false;
  const bool layout = out->layout == LIMB_BATCH_ROWS || out->layout == LIMB_BATCH_LANES;
  return layout && out->wrenches >= 0 && (!out->pool || limb_pool_valid(out->pool));
}

// Whether a workspace has room for a regressor in lanes.
static bool regressor_fits(const limb_model* m, size_t np)
{
  return np == 0 || (size_t)m->nv <= LIMB_BATCH_REGRESSOR_MOST / np;
}

// What every thread has besides its workspaces for one state.
static void lay_out_lanes(limb_arena* a, const limb_model* m, int wrenches, size_t np, limb_batch_space* out)
{
  const size_t more = 8; // transposing works on whole squares (kernel/transpose_kernel.h)
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nl = (size_t)m->nlink;
  const size_t frames = (size_t)m->nbody + (size_t)m->nframe, one = LIMB_BATCH_VECTOR;
  const bool matrices = m->nv <= LIMB_BATCH_MATRICES_MOST;
  limb_ws_lay_out(a, m, one, &out->ws);
  out->q = limb_arena_take(a, nq + more, one);
  out->v = limb_arena_take(a, nv + more, one);
  out->x = limb_arena_take(a, nv + more, one);
  out->y = limb_arena_take(a, nv + more, one);
  out->zeros = limb_arena_take(a, nv, one);
  out->other = limb_arena_take(a, nv, one);
  for (int k = 0; k < 3; k++) out->matrix[k] = matrices ? limb_arena_take(a, nv * nv + more, one) : NULL;
  out->regressor = regressor_fits(m, np) ? limb_arena_take(a, nv * np + more, one) : NULL;
  out->X = limb_arena_take(a, nl * 12, one);
  out->wrench = limb_arena_take(a, nl * LIMB_WS_FORCE, one);
  out->load = limb_arena_take(a, (size_t)wrenches * 8, one);
  out->loads = limb_arena_take(a, (size_t)wrenches, sizeof(limb_kernels_load));
  out->wide = limb_arena_take(a, (12 * frames > 6 * nv ? 12 * frames : 6 * nv) + more, one);
  out->stages = limb_arena_take(a, limb_step_scalars(m->nq, m->nv), one);
}

// Workspaces for one state are laid out later, in place.
static void lay_out_space(limb_arena* a, const limb_batch* b, limb_batch_space* out)
{
  const limb_model* m = b->m;
  lay_out_lanes(a, m, b->options.wrenches, (size_t)b->np, out);
  out->d = limb_arena_take(a, limb_data_size(m), 1);
}

static limb_batch* lay_out(limb_arena* a, const limb_model* m, const limb_batch_options* o)
{
  limb_batch* b = limb_arena_take(a, 1, sizeof *b);
  limb_batch t = {.m = m, .options = *o, .np = limb_parameter_count(m), .nspace = o->pool ? o->pool->threads : 1};
  t.k32 = limb_arena_take(a, (size_t)m->nlink, sizeof *t.k32);
  t.space = limb_arena_take(a, (size_t)t.nspace, sizeof *t.space);
  for (int k = 0; k < t.nspace; k++) {
    limb_batch_space s;
    lay_out_space(a, &t, &s);
    if (t.space) t.space[k] = s;
  }
  if (b) *b = t;
  return b;
}

size_t limb_batch_size(const limb_model* m, const limb_batch_options* options)
{
  limb_arena a = {0};
  limb_batch_options o;
  if (m && read_options(options, &o)) (void)lay_out(&a, m, &o);
  return a.used;
}

// Readies what lay_out_space has measured.
static limb_status begin_space(limb_batch* b, limb_batch_space* s)
{
  const limb_model* m = b->m;
  memset(s->zeros, 0, (size_t)m->nv * LIMB_BATCH_VECTOR);
  limb_dof_table_clear(m, LIMB_BATCH_VECTOR, &s->ws.table);
  const limb_status status = limb_data_init(m, s->d, limb_data_size(m), &s->d);
  return status == LIMB_OK ? limb_set_loops(s->d, b->options.loops) : status;
}

// The constants of all links in float.
static void round_constants(const limb_model* m, limb_link_f32* out)
{
  const int members = sizeof(limb_link_f64) / sizeof(double);
  for (int i = 0; i < m->nlink; i++) {
    const double* from = &m->k64[i].ca;
    float* to = &out[i].ca;
    for (int k = 0; k < members; k++) to[k] = (float)from[k];
  }
}

limb_status limb_batch_init(const limb_model* m, const limb_batch_options* options, void* memory, size_t size,
                            limb_batch** out)
{
  limb_batch_options o;
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m || !read_options(options, &o) || !memory || (uintptr_t)memory % LIMB_DATA_ALIGN) return LIMB_E_ARG;
  if (size < limb_batch_size(m, options)) return LIMB_E_NOMEM;
  limb_arena a = limb_arena_over(memory, size);
  limb_batch* b = lay_out(&a, m, &o);
  limb_status s = LIMB_OK;
  for (int k = 0; k < b->nspace && s == LIMB_OK; k++) s = begin_space(b, &b->space[k]);
  if (s != LIMB_OK) return s;
  round_constants(m, b->k32);
  b->f64 = limb_batch_kernels_f64_here();
  b->f32 = limb_batch_kernels_f32_here();
  b->memory = (limb_memory){.block = memory, .size = size};
  *out = b;
  return LIMB_OK;
}

limb_status limb_batch_create(const limb_model* m, const limb_batch_options* options, const limb_allocator* alloc,
                              limb_batch** out)
{
  limb_batch_options o;
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m || !read_options(options, &o)) return LIMB_E_ARG;
  limb_memory memory;
  limb_status s = limb_memory_take(alloc, limb_batch_size(m, options), &memory);
  if (s != LIMB_OK) return s;
  s = limb_batch_init(m, options, memory.block, memory.size, out);
  if (s == LIMB_OK)
    (*out)->memory = memory;
  else
    limb_memory_end(memory);
  return s;
}

void limb_batch_destroy(limb_batch* b)
{
  if (b) limb_memory_end(b->memory);
}

const limb_model* limb_batch_model(const limb_batch* b) { return b ? b->m : NULL; }

// ---- lanes ---------------------------------------------------------------------------------------------

int limb_batch_lanes(const limb_batch* b) { return b ? b->f64->lanes : 0; }
int limb_batch_lanes_f32(const limb_batch* b) { return b ? b->f32->lanes : 0; }

// n rounded up to whole blocks, times width; 0: more than a size_t holds.
static size_t room(size_t lanes, size_t n, size_t width)
{
  const size_t blocks = n / lanes + (n % lanes != 0);
  if (width && blocks > SIZE_MAX / lanes / width) return 0;
  return blocks * lanes * width;
}

size_t limb_batch_room(const limb_batch* b, size_t n, size_t width)
{
  return b ? room((size_t)b->f64->lanes, n, width) : 0;
}

size_t limb_batch_room_f32(const limb_batch* b, size_t n, size_t width)
{
  return b ? room((size_t)b->f32->lanes, n, width) : 0;
}

static limb_status turn(limb_batch_turn* how, size_t n, size_t width, const void* from, void* to)
{
  const size_t most = PTRDIFF_MAX;
  if (!from || !to || n > most || width > most) return LIMB_E_ARG;
  how((ptrdiff_t)n, (ptrdiff_t)width, from, to);
  return LIMB_OK;
}

limb_status limb_batch_to_lanes(const limb_batch* b, size_t n, size_t width, const double* rows, double* lanes)
{
  return b ? turn(b->f64->to_lanes, n, width, rows, lanes) : LIMB_E_ARG;
}

limb_status limb_batch_to_rows(const limb_batch* b, size_t n, size_t width, const double* lanes, double* rows)
{
  return b ? turn(b->f64->to_rows, n, width, lanes, rows) : LIMB_E_ARG;
}

limb_status limb_batch_to_lanes_f32(const limb_batch* b, size_t n, size_t width, const float* rows, float* lanes)
{
  return b ? turn(b->f32->to_lanes, n, width, rows, lanes) : LIMB_E_ARG;
}

limb_status limb_batch_to_rows_f32(const limb_batch* b, size_t n, size_t width, const float* lanes, float* rows)
{
  return b ? turn(b->f32->to_rows, n, width, lanes, rows) : LIMB_E_ARG;
}
