// A job over all states, by one thread or several.
//
// Threads take runs of whole blocks from a counter, so that a slow one does not hold up the rest. What a
// state gets does not depend on who computes it.

#include "batch/batch_impl.h"

#include <stdatomic.h>
#include <stdint.h>

enum { RUNS_PER_THREAD = 8, LONGEST_RUN = 4096 };

typedef struct spread {
  const limb_batch* b;
  const limb_batch_job* job;
  limb_batch_run* kernel;
  ptrdiff_t length; // of a run
  _Atomic ptrdiff_t next;
} spread;

static limb_batch_failure earlier(limb_batch_failure a, limb_batch_failure b) { return b.state < a.state ? b : a; }

static void work(void* argument, int index)
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
  pool->run(pool->context, b->nspace, work, &x);
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
  const bool plain = c->type == LIMB_BATCH_F64 && c->b->options.layout == LIMB_BATCH_ROWS;
  return plain && !(c->env && c->env->nwrench > 0);
}

limb_status limb_batch_prepare(const limb_batch_call* c, limb_batch_job* out)
{
  const limb_batch* b = c->b;
  const size_t most = PTRDIFF_MAX / 2;
  if (!b || !c->q || c->n > most) return LIMB_E_ARG;
  const bool lanes = b->options.layout == LIMB_BATCH_LANES;
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

const limb_batch_kernels* limb_batch_matrix_kernels(const limb_batch_call* c, bool in_lanes)
{
  if (in_lanes) return limb_batch_kernels_of(c);
  return one_by_one(c) ? &limb_batch_one_by_one : NULL;
}
