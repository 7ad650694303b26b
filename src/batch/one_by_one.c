// Batch calls that go state by state, on the threads of the pool: matrices of large robots, whose lanes would
// find no room in caches, and robots with loops, whose kernels choose pivots by values. Double and rows only.

#include "limb/derivatives.h"
#include "limb/regressor.h"

#include "batch/batch_impl.h"
#include "dynamics/environment.h"
#include "loops/forward_impl.h"

#include <math.h>

// One state of a job, and where its results go.
typedef struct state_at {
  const double *q, *v, *x;
  double* out[4];
} state_at;

// Answers for one state.
typedef limb_status answer_one(const limb_batch_job* job, const limb_batch_space* s, const state_at* at);

// Numbers of every result of a state.
typedef struct widths {
  ptrdiff_t out[4];
} widths;

static const double* row(const void* x, ptrdiff_t width, ptrdiff_t k)
{
  return x ? (const double*)x + k * width : NULL;
}

static limb_batch_failure for_states(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                     ptrdiff_t end, widths w, answer_one* answer)
{
  const limb_model* m = job->m;
  limb_batch_failure failure = {PTRDIFF_MAX, LIMB_OK};
  for (ptrdiff_t k = first; k < end; k++) {
    state_at at = {row(job->q, m->nq, k), row(job->v, m->nv, k), row(job->x, m->nv, k), {0}};
    for (int r = 0; r < 4; r++)
      if (job->out[r]) at.out[r] = (double*)job->out[r] + k * w.out[r];
    const limb_status status = answer(job, s, &at);
    if (job->status) job->status[k] = status;
    if (status == LIMB_OK) continue;
    if (failure.status == LIMB_OK) failure = (limb_batch_failure){k, status};
    for (int r = 0; r < 4; r++)
      for (ptrdiff_t i = 0; at.out[r] && i < w.out[r]; i++) at.out[r][i] = nan("");
  }
  return failure;
}

static ptrdiff_t entries(const limb_batch_job* job) { return (ptrdiff_t)job->m->nv * job->m->nv; }

static limb_status one_mass_matrix(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)
{
  (void)job;
  return limb_mass_matrix(s->d, at->q, at->out[0]);
}

static limb_batch_failure mass_matrix(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                      ptrdiff_t end)
{
  return for_states(job, s, first, end, (widths){{entries(job)}}, one_mass_matrix);
}

static limb_status one_inverse(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)
{
  (void)job;
  return limb_mass_matrix_inverse(s->d, at->q, at->out[0]);
}

static limb_batch_failure mass_matrix_inverse(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                              ptrdiff_t end)
{
  return for_states(job, s, first, end, (widths){{entries(job)}}, one_inverse);
}

static widths widths_of_slopes(const limb_batch_job* job)
{
  return (widths){{job->m->nv, entries(job), entries(job), entries(job)}};
}

static limb_status one_id_derivatives(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)
{
  const limb_id_derivatives out = {at->out[0], at->out[1], at->out[2], at->out[3]};
  return limb_inverse_dynamics_derivatives(s->d, at->q, at->v, at->x, job->env, &out);
}

static limb_batch_failure id_derivatives(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                         ptrdiff_t end)
{
  return for_states(job, s, first, end, widths_of_slopes(job), one_id_derivatives);
}

static limb_status one_fd_derivatives(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)
{
  const limb_fd_derivatives out = {at->out[0], at->out[1], at->out[2], at->out[3]};
  return limb_forward_dynamics_derivatives(s->d, at->q, at->v, at->x, job->env, &out);
}

static limb_batch_failure fd_derivatives(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                         ptrdiff_t end)
{
  return for_states(job, s, first, end, widths_of_slopes(job), one_fd_derivatives);
}

static limb_status one_regressor(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)
{
  return limb_regressor(s->d, at->q, at->v, at->x, job->env, at->out[0]);
}

static limb_batch_failure regressor(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                    ptrdiff_t end)
{
  return for_states(job, s, first, end, (widths){{(ptrdiff_t)job->m->nv * job->np}}, one_regressor);
}

const limb_batch_kernels limb_batch_one_by_one = {.lanes = 1,
                                                  .mass_matrix = mass_matrix,
                                                  .mass_matrix_inverse = mass_matrix_inverse,
                                                  .id_derivatives = id_derivatives,
                                                  .fd_derivatives = fd_derivatives,
                                                  .regressor = regressor};

// ---- robots with loops ----------------------------------------------------------------------------------

static limb_status one_closed(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)
{
  const limb_closed_motion in = {at->q, at->v, NULL, job->env};
  return limb_closed_forward_dynamics(s->loops, &in, at->x, job->closed, at->out[0], NULL, NULL);
}

static limb_batch_failure closed(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first, ptrdiff_t end)
{
  return for_states(job, s, first, end, (widths){{job->m->nv}}, one_closed);
}

// Laws are for one caller, and states may be on several threads.
static limb_status check_closed(const limb_batch* b, const limb_batch_closed* how)
{
  limb_environment env;
  limb_closed_options options;
  limb_status s = limb_environment_read(b->m, how->env, &env);
  if (s == LIMB_OK && env.nlaw > 0) s = LIMB_E_UNSUPPORTED;
  if (s == LIMB_OK) s = limb_closed_options_read(how->options, &options);
  return limb_batch_refusal(s);
}

limb_status limb_batch_closed_forward_dynamics(limb_batch* b, size_t n, const double* q, const double* v,
                                               const double* tau, const limb_batch_closed* how, double* a,
                                               limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q, .v = v, .x = tau};
  c.out[0] = a, c.status = status;
  limb_batch_job job;
  limb_status s = v && tau && a ? limb_batch_prepare(&c, &job) : LIMB_E_ARG;
  if (s == LIMB_OK && b->options.layout != LIMB_BATCH_ROWS) s = LIMB_E_UNSUPPORTED;
  if (s == LIMB_OK && b->m->nloop == 0) s = LIMB_E_ARG;
  if (s == LIMB_OK) s = b->loops;
  if (s == LIMB_OK && how) s = check_closed(b, how);
  if (s != LIMB_OK) return s;
  if (how) job.env = how->env, job.closed = how->options;
  job.block = 1;
  return limb_batch_go(b, &job, closed);
}
