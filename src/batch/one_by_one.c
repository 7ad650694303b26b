// Batch calls that go state by state, on the threads of the pool: matrices of large robots, whose lanes would not fit
// into caches, and robots with loops, whose kernels choose pivots by values. Double, and state after state, only.

#include "limb/derivatives.h"
#include "limb/regressor.h"

#include "batch/batch_impl.h"

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

static limb_status one_inverse_dynamics(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)
{
  return limb_inverse_dynamics(s->d, at->q, at->v, at->x, job->env, at->out[0]);
}

static limb_batch_failure inverse_dynamics(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                           ptrdiff_t end)
{
  return for_states(job, s, first, end, (widths){{job->m->nv}}, one_inverse_dynamics);
}

static limb_status one_forward_dynamics(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)
{
  return limb_forward_dynamics(s->d, at->q, at->v, at->x, job->env, at->out[0]);
}

static limb_batch_failure forward_dynamics(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                           ptrdiff_t end)
{
  return for_states(job, s, first, end, (widths){{job->m->nv}}, one_forward_dynamics);
}

static limb_status one_bias(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)
{
  if (at->v) return limb_bias_forces(s->d, at->q, at->v, job->env, at->out[0]);
  return limb_gravity_forces(s->d, at->q, job->env, at->out[0]);
}

static limb_batch_failure bias_forces(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                      ptrdiff_t end)
{
  return for_states(job, s, first, end, (widths){{job->m->nv}}, one_bias);
}

static limb_status one_frame_poses(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)
{
  limb_status status = limb_kinematics(s->d, at->q, NULL, NULL);
  sp_pose* X = (sp_pose*)(void*)at->out[0];
  for (int f = 0; f < job->nframe && status == LIMB_OK; f++) status = limb_frame_pose(s->d, job->frame[f], &X[f]);
  return status;
}

static limb_batch_failure frame_poses(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                      ptrdiff_t end)
{
  return for_states(job, s, first, end, (widths){{12 * (ptrdiff_t)job->nframe}}, one_frame_poses);
}

static limb_status one_frame_jacobian(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)
{
  const limb_status status = limb_kinematics(s->d, at->q, NULL, NULL);
  if (status != LIMB_OK) return status;
  return limb_frame_jacobian(s->d, job->frame[0], job->ref, (sp_motion*)(void*)at->out[0]);
}

static limb_batch_failure frame_jacobian(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                         ptrdiff_t end)
{
  return for_states(job, s, first, end, (widths){{6 * (ptrdiff_t)job->m->nv}}, one_frame_jacobian);
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
                                                  .inverse_dynamics = inverse_dynamics,
                                                  .forward_dynamics = forward_dynamics,
                                                  .bias_forces = bias_forces,
                                                  .frame_poses = frame_poses,
                                                  .frame_jacobian = frame_jacobian,
                                                  .mass_matrix = mass_matrix,
                                                  .mass_matrix_inverse = mass_matrix_inverse,
                                                  .id_derivatives = id_derivatives,
                                                  .fd_derivatives = fd_derivatives,
                                                  .regressor = regressor};
