// Batches: workspaces (one layout function that measures and lays out), the environment of a call, a job over all
// states.

#include "limb/derivatives.h"
#include "limb/regressor.h"

#include "base/memory.h"
#include "base/status.h"
#include "batch/batch_impl.h"

#include "dynamics/dynamics_impl.h"
#include "dynamics/environment.h"
#include "kernel/batch_tables.h"
#include "kinematics/kinematics_impl.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

// ---- workspace ----------------------------------------------------------------------------------------------

limb_batch_options limb_default_batch_options(void)
{
  return (limb_batch_options){.size = sizeof(limb_batch_options), .wrenches = 8};
}

// The options, with defaults for what they do not have. False when they are not valid.
static bool read_options(const limb_batch_options* given, limb_batch_options* out)
{
  *out = limb_default_batch_options();
  if (given && limb_sized_read(out, sizeof *out, given, sizeof *out) != LIMB_OK) return false;
  const bool layout = out->layout == LIMB_BATCH_BY_STATE || out->layout == LIMB_BATCH_BY_LANE;
  const bool numbers = out->wrenches >= 0 && (out->second == 0 || out->second == 1);
  return layout && numbers && (!out->pool || limb_pool_valid(out->pool));
}

// What every thread has besides its workspaces for one state.
static void lay_out_lanes(limb_arena* a, const limb_model* m, int wrenches, int np, limb_batch_space* out)
{
  const size_t more = 8; // transposing works on whole squares (kernel/transpose_kernel.h)
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nl = (size_t)m->nlink;
  const size_t frames = (size_t)m->nbody + (size_t)m->nframe, one = LIMB_BATCH_VECTOR;
  const bool matrices = m->nv <= LIMB_BATCH_MATRICES_MAX;
  limb_ws_lay_out(a, m, one, &out->ws);
  out->q = limb_arena_take(a, nq + more, one);
  out->v = limb_arena_take(a, nv + more, one);
  out->x = limb_arena_take(a, nv + more, one);
  out->y = limb_arena_take(a, nv + more, one);
  out->zeros = limb_arena_take(a, nv, one);
  out->lane = limb_arena_take(a, nq + 3 * nv + nl * LIMB_WS_FORCE, sizeof(double));
  out->other = limb_arena_take(a, nv, one);
  for (int k = 0; k < 3; k++) out->matrix[k] = matrices ? limb_arena_take(a, nv * nv + more, one) : NULL;
  out->regressor = limb_batch_regressor_fits(m, np) ? limb_arena_take(a, nv * (size_t)np + more, one) : NULL;
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
  const int bodies = limb_inertial_parameter_count(m);
  lay_out_lanes(a, m, b->options.wrenches, limb_batch_regressor_fits(m, b->np) ? b->np : bodies, out);
  out->d = limb_arena_take(a, limb_data_size(m), 1);
  out->w = b->options.second ? limb_arena_take(a, limb_dual_size(m, LIMB_DUAL_MATRICES), 1) : NULL;
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
  s->is_regular = limb_is_regular, s->accelerate = limb_accelerate_links;
  limb_dof_table_clear(m, LIMB_BATCH_VECTOR, &s->ws.table);
  limb_status status = limb_data_init(m, s->d, limb_data_size(m), &s->d);
  if (status == LIMB_OK && s->w)
    status = limb_dual_init(m, LIMB_DUAL_MATRICES, s->w, limb_dual_size(m, LIMB_DUAL_MATRICES), &s->w);
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

// ---- environment --------------------------------------------------------------------------------------------

// The part that is the same in all states, and wrenches that vary.

static bool frame_valid(const limb_model* m, int frame) { return frame >= 0 && frame < m->nbody + m->nframe; }

static limb_status check_wrenches(const limb_batch_call* c, const limb_batch_environment* env)
{
  const limb_batch* b = c->b;
  if (env->nwrench < 0 || env->nwrench > b->options.wrenches) return LIMB_E_ARG;
  if (env->nwrench > 0 && !env->wrench) return LIMB_E_ARG;
  for (int k = 0; k < env->nwrench; k++) {
    const limb_batch_wrench* w = &env->wrench[k];
    const void* numbers = c->type == LIMB_BATCH_F32 ? (const void*)w->f32 : w->f64;
    if (!numbers || !frame_valid(b->m, w->frame) || !limb_ref_valid(w->ref)) return LIMB_E_ARG;
    const bool lanes = b->options.layout == LIMB_BATCH_BY_LANE;
    if (lanes && (uintptr_t)numbers % LIMB_DATA_ALIGN) return LIMB_E_ARG;
  }
  return LIMB_OK;
}

limb_batch_environment limb_default_batch_environment(void)
{
  return (limb_batch_environment){.size = sizeof(limb_batch_environment)};
}

// Reads the environment of a call, and checks its wrenches.
static limb_status read_request(const limb_batch_call* c, limb_batch_environment* out)
{
  *out = limb_default_batch_environment();
  const limb_status s = c->env ? limb_sized_read(out, sizeof *out, c->env, sizeof *out) : LIMB_OK;
  return s == LIMB_OK ? check_wrenches(c, out) : s;
}

// Sets the states of the bases from `all`, and what else the kernels need of it.
static limb_status enter_environment(const limb_batch_call* c, const limb_environment* all, limb_batch_job* job)
{
  limb_data* d = c->b->space[0].d;
  limb_call_environment x;
  const limb_status s = limb_enter_lawless(d, all, NULL, &x);
  if (s != LIMB_OK) return limb_batch_refusal(s);
  job->terms = x.terms;
  job->base = d->ws.base, job->base_turns = d->ws.base_turns;
  job->fixed = x.given, job->nfixed = x.ngiven;
  return LIMB_OK;
}

limb_status limb_batch_read_environment(const limb_batch_call* c, limb_batch_job* job)
{
  limb_batch_environment env;
  limb_status s = read_request(c, &env);
  if (s == LIMB_OK) s = enter_environment(c, env.all, job);
  job->env = env.all;
  job->varied = env.wrench, job->nvaried = env.nwrench;
  return s;
}

limb_status limb_batch_read_gravity(const limb_batch_call* c, limb_batch_job* job)
{
  limb_batch_environment env;
  limb_environment e, only = limb_default_environment(c->b->m);
  limb_status s = read_request(c, &env);
  if (s == LIMB_OK) s = limb_environment_read(c->b->m, env.all, &e);
  if (s != LIMB_OK) return limb_batch_refusal(s);
  only.gravity = e.gravity;
  job->env = env.all;
  return enter_environment(c, env.all ? &only : NULL, job);
}

// ---- a job over all states ----------------------------------------------------------------------------------

// By one thread or several. Threads take runs of whole blocks from a counter, so that a slow one does not hold up the
// rest. The results of a state do not depend on the thread that computes it.

enum { RUNS_PER_THREAD = 8, LONGEST_RUN = 4096 };

typedef struct spread {
  const limb_batch* b;
  const limb_batch_job* job;
  limb_batch_run* kernel;
  ptrdiff_t length; // of a run
  _Atomic ptrdiff_t next;
} spread;

static limb_batch_failure earlier(limb_batch_failure a, limb_batch_failure b) { return b.state < a.state ? b : a; }

static void work_on_runs(void* argument, int index)
{
  spread* x = argument;
  limb_batch_space* s = &x->b->space[index];
  s->failure = (limb_batch_failure){PTRDIFF_MAX, LIMB_OK};
  for (;;) {
    const ptrdiff_t first = atomic_fetch_add_explicit(&x->next, x->length, memory_order_relaxed);
    if (first >= x->job->n) return;
    const ptrdiff_t left = x->job->n - first, count = left < x->length ? left : x->length;
    s->failure = earlier(s->failure, x->kernel(x->job, s, first, first + count));
  }
}

// States of a run: whole blocks.
static ptrdiff_t run_length(const limb_batch* b, const limb_batch_job* job)
{
  ptrdiff_t length = job->n / ((ptrdiff_t)b->nspace * RUNS_PER_THREAD);
  if (length > LONGEST_RUN) length = LONGEST_RUN;
  return (length / job->block + 1) * job->block;
}

limb_status limb_batch_go(limb_batch* b, const limb_batch_job* job, limb_batch_run* kernel)
{
  const limb_pool* pool = b->options.pool;
  if (!kernel) return LIMB_E_UNSUPPORTED;
  if (!pool || job->n <= job->block) return kernel(job, &b->space[0], 0, job->n).status;
  spread x = {b, job, kernel, run_length(b, job), 0};
  pool->run(pool->context, b->nspace, work_on_runs, &x);
  limb_batch_failure first = {PTRDIFF_MAX, LIMB_OK};
  for (int k = 0; k < b->nspace; k++) first = earlier(first, b->space[k].failure);
  return first.status;
}

// Arrays in lanes are read and written as vectors.
static bool aligned(const limb_batch_call* c)
{
  const void* const all[] = {c->q, c->v, c->x, c->out[0], c->out[1], c->out[2], c->out[3]};
  uintptr_t bits = 0;
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) bits |= (uintptr_t)all[k];
  return bits % LIMB_DATA_ALIGN == 0;
}

// Whether a call can go state by state.
static bool one_by_one(const limb_batch_call* c)
{
  const bool plain = c->type == LIMB_BATCH_F64 && c->b->options.layout == LIMB_BATCH_BY_STATE;
  return plain && !(c->env && c->env->nwrench > 0);
}

limb_status limb_batch_prepare(const limb_batch_call* c, limb_batch_job* out)
{
  const limb_batch* b = c->b;
  const size_t max = PTRDIFF_MAX / 2;
  if (!b || !c->q || c->n > max) return LIMB_E_ARG;
  const bool lanes = b->options.layout == LIMB_BATCH_BY_LANE;
  if (lanes && !aligned(c)) return LIMB_E_ARG;
  if (b->m->nloop > 0 && !one_by_one(c)) return LIMB_E_UNSUPPORTED;
  *out = (limb_batch_job){.m = b->m,
                          .block = limb_batch_kernels_of(c)->lanes,
                          .k = c->type == LIMB_BATCH_F32 ? (const void*)b->k32 : b->m->k64,
                          .lanes = lanes,
                          .n = (ptrdiff_t)c->n,
                          .q = c->q,
                          .v = c->v,
                          .x = c->x,
                          .out = {c->out[0], c->out[1], c->out[2], c->out[3]},
                          .status = c->status};
  return LIMB_OK;
}

const limb_batch_kernels* limb_batch_matrix_kernels(const limb_batch_call* c, bool in_lanes, int singly_from)
{
  const bool singly = c->b->m->nv >= singly_from && one_by_one(c);
  if (in_lanes && !singly) return limb_batch_kernels_of(c);
  return one_by_one(c) ? &limb_batch_one_by_one : NULL;
}
