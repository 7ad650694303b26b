// The kernels of one call for many states: blocks of them are brought into lanes, go through the kernel for
// one state (kernel/kernel_set.h over kernel/scalar_states.h), and come back.
//
// Every state has its own status. Sums of the numbers that come in and go out show whether all are finite:
// only if they are not is it checked which.
#ifndef LIMB_KERNEL_BATCH_KERNEL_H
#define LIMB_KERNEL_BATCH_KERNEL_H

#include "kernel/scalar_states.h"

#include "kernel/batch_tables.h"

#ifndef LINK_CONST
#if LANE_BITS == 64
#define LINK_CONST limb_link_f64
#else
#define LINK_CONST limb_link_f32
#endif
#endif

LIMB_KERNEL_TYPES(kernels_of_states, real, LINK_CONST);
#define KERNEL_SET   kernels_of_states
#define STATE_SWEEPS 1 // derivatives in sweeps along the tree (kernel/state_sweep_kernel.h)
#define COLUMN_WALK  1 // vectors are long: columns of the mass matrix stay in registers
#include "kernel/kernel_set.h"
#include "kernel/transpose_kernel.h"

// States of a block on their way.
typedef struct block_of_states {
  const limb_batch_job* job;
  limb_ws ws;
  ptrdiff_t first;       // of them
  const real *q, *v, *x; // as the kernels read them
  const real* wrench;    // nlink forces; NULL: none
  // all ones in the lanes of states that failed: inputs that are not finite, quaternions, M, results that are
  // not finite; the first of them is the status
  state_bits nonfinite, bad, singular, overflow;
} block_of_states;

KERNEL state_bits failed_of(const block_of_states* b) { return b->nonfinite | b->bad | b->singular | b->overflow; }

// ---- in --------------------------------------------------------------------------------------------------

KERNEL state_block rows_at(const limb_batch_job* job, ptrdiff_t width, ptrdiff_t first)
{
  return (state_block){width, first, job->n};
}

// Not finite where some of n numbers is not; four sums, which need not wait for each other.
KERNEL real sum_of(ptrdiff_t n, const real* x, real sum)
{
  real more[4] = {sum, zero(), zero(), zero()};
  ptrdiff_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; k++) more[k] = add(more[k], x[i + k]);
  }
  for (; i < n; i++) more[0] = add(more[0], x[i]);
  return add(add(more[0], more[1]), add(more[2], more[3]));
}

// An array's numbers of the block, in lanes; without an array those in `scratch`. Adds what it finds to
// `sum`, in no particular lanes.
KERNEL const real* load_lanes(const limb_batch_job* job, const void* array, ptrdiff_t width, ptrdiff_t first,
                              real* scratch, real* sum)
{
  if (!array) return scratch;
  if (job->lanes) {
    const real* x = (const real*)array + first / STATES * width;
    *sum = sum_of(width, x, *sum);
    return x;
  }
  state_block rows = rows_at(job, width, first);
  // behind the block a step of another thread may be storing its states
  if (job->steps && rows.count > first + STATES) rows.count = first + STATES;
  states_to_lanes(&rows, array, scratch, sum);
  return scratch;
}

static __attribute__((noinline, cold)) state_bits nonfinite_of(ptrdiff_t n, const real* x)
{
  state_bits carry = {0};
  for (ptrdiff_t i = 0; i < n; i++) carry |= nonfinite_carry(x[i]);
  return nonfinite_lanes(carry);
}

// Norms of quaternions within 1e-3 of 1, as limb_unit_quaternions has it.
KERNEL state_bits bad_quaternions(const limb_model* m, const real* q)
{
  state_bits bad = {0};
  for (int x = 0; x < m->naux; x++) {
    const real* u = q + m->quaternion[x];
    const real norm2 = add(dot2(u[0], u[0], u[1], u[1]), dot2(u[2], u[2], u[3], u[3]));
    bad |= ~((state_bits)(norm2 > (lane_value)0.998001) & (state_bits)(norm2 < (lane_value)1.002001));
  }
  return bad;
}

// The states of the next block, checked.
KERNEL void load_block(const limb_batch_space* s, ptrdiff_t first, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  const limb_model* m = job->m;
  b->first = first;
  real sum = zero();
  b->q = load_lanes(job, job->q, m->nq, first, s->q, &sum);
  b->v = load_lanes(job, job->v, m->nv, first, job->v ? s->v : s->zeros, &sum);
  b->x = load_lanes(job, job->x, m->nv, first, job->x ? s->x : s->zeros, &sum);
  b->nonfinite = b->singular = b->overflow = (state_bits){0};
  if (__builtin_expect(any_nonfinite(1, &sum), 0)) {
    b->nonfinite = nonfinite_of(m->nq, b->q) | nonfinite_of(m->nv, b->v) | nonfinite_of(m->nv, b->x);
  }
  b->bad = bad_quaternions(m, b->q);
}

// Wrenches that vary, as the kernels for derivatives take them.
KERNEL void load_wrenches(const limb_batch_space* s, block_of_states* b)
{
  const limb_batch_job* job = b->job;
  load_in* to = s->loads;
  for (int k = 0; k < job->nvaried; k++) {
    const limb_batch_wrench* w = &job->varied[k];
    const void* numbers = LANE_BITS == 64 ? (const void*)w->f64 : w->f32;
    real sum = zero();
    const real* F = load_lanes(job, numbers, 6, b->first, (real*)s->load + (ptrdiff_t)8 * k, &sum);
    if (any_nonfinite(1, &sum)) b->nonfinite |= nonfinite_of(6, F);
    to[k] = (load_in){w->frame, w->ref, F};
  }
}

// All wrenches as forces on the links, for coordinates q; NULL when there are none.
KERNEL const real* forces_on_links(const limb_batch_space* s, const block_of_states* b, const real* q)
{
  const limb_batch_job* job = b->job;
  const limb_model* m = job->m;
  const load_in* varied = s->loads;
  force* on = s->wrench;
  if (job->nfixed + job->nvaried == 0) return NULL;
  set_link_motion(m, job->k, &b->ws, q, NULL, NULL, s->X, NULL, NULL, NULL);
  for (int i = 0; i < m->nlink; i++) on[i] = zerof();
  for (int k = 0; k < job->nfixed; k++) {
    const limb_wrench* w = &job->fixed[k];
    const force F = force_of_wrench(&w->wrench);
    set_add_wrench(m, s->X, w->frame, w->ref, &F.n.x, &on->n.x);
  }
  for (int k = 0; k < job->nvaried; k++) set_add_wrench(m, s->X, varied[k].frame, varied[k].ref, varied[k].F, &on->n.x);
  return &on->n.x;
}

// ---- out -------------------------------------------------------------------------------------------------

// Where the kernels write numbers of the block that go to an array.
KERNEL real* output_for(const block_of_states* b, void* array, ptrdiff_t width, real* scratch)
{
  return b->job->lanes ? (real*)array + b->first / STATES * width : scratch;
}

// Results that are not finite, of n numbers.
KERNEL void check_results(block_of_states* b, ptrdiff_t n, const real* y)
{
  const real sum = sum_of(n, y, zero());
  if (__builtin_expect(any_nonfinite(1, &sum), 0)) b->overflow |= nonfinite_of(n, y);
}

// What failed becomes NaN: a number whose bits are all ones is one.
KERNEL void store_lanes(const block_of_states* b, void* array, ptrdiff_t width, real* y)
{
  const state_bits failed = failed_of(b);
  if (__builtin_expect(any_bits(failed), 0)) {
    for (ptrdiff_t i = 0; i < width; i++) y[i] = (real)((state_bits)y[i] | failed);
  }
  if (b->job->lanes) return;
  const state_block rows = rows_at(b->job, width, b->first);
  lanes_to_states(&rows, y, array);
}

// Statuses of so many states, some of which failed; returns the first of these.
static __attribute__((noinline, cold)) limb_batch_failure failure_of(const block_of_states* b, ptrdiff_t count)
{
  limb_batch_failure first = {PTRDIFF_MAX, LIMB_OK};
  for (ptrdiff_t l = count - 1; l >= 0; l--) {
    const limb_status s = b->nonfinite[l]  ? LIMB_E_NONFINITE
                          : b->bad[l]      ? LIMB_E_ARG
                          : b->singular[l] ? LIMB_E_SINGULAR
                          : b->overflow[l] ? LIMB_E_NONFINITE
                                           : LIMB_OK;
    if (b->job->status) b->job->status[b->first + l] = s;
    if (s != LIMB_OK) first = (limb_batch_failure){b->first + l, s};
  }
  return first;
}

// Statuses of the block, and the first failure of this and earlier ones.
KERNEL limb_batch_failure finish_block(const block_of_states* b, limb_batch_failure before)
{
  const ptrdiff_t left = b->job->n - b->first, count = left < STATES ? left : STATES;
  if (__builtin_expect(any_bits(failed_of(b)), 0)) {
    const limb_batch_failure here = failure_of(b, count);
    return before.status == LIMB_OK ? here : before;
  }
  for (ptrdiff_t l = 0; l < count && b->job->status; l++) b->job->status[b->first + l] = LIMB_OK;
  return before;
}

// ---- blocks ----------------------------------------------------------------------------------------------

// What happens to every block of states.
typedef void block_step(const limb_batch_space* s, block_of_states* b);

KERNEL limb_batch_failure for_state_blocks(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                           ptrdiff_t end, block_step* step)
{
  limb_batch_failure failure = {PTRDIFF_MAX, LIMB_OK};
  block_of_states b = {.job = job, .ws = s->ws};
  if (job->base) b.ws.base = job->base, b.ws.base_turns = job->base_turns;
  for (ptrdiff_t at = first; at < end; at += STATES) {
    load_block(s, at, &b);
    if (job->nvaried > 0) load_wrenches(s, &b);
    step(s, &b);
    failure = finish_block(&b, failure);
  }
  return failure;
}

// batch_name: step_name for all blocks.
#define BATCH_KERNEL(name)                                                                                            \
  KERNEL_ENTRY limb_batch_failure batch_##name(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first, \
                                               ptrdiff_t end)                                                         \
  {                                                                                                                   \
    return for_state_blocks(job, s, first, end, step_##name);                                                         \
  }

#endif
