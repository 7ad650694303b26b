// Batch calls that go state by state, on the threads of the pool: matrices of large robots, whose lanes would not fit
// into caches, second derivatives, and robots with loops, whose kernels choose pivots by values. Double, and state
// after state, only.

#include "limb/derivatives.h"
#include "limb/regressor.h"

#include "batch/batch_impl.h"

#include <math.h>

// One state of a job, and where its results go.
typedef struct state_at {
  const double *q, *v, *x, *lambda;
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
    state_at at = {
      row(job->q, m->nq, k), row(job->v, m->nv, k), row(job->x, m->nv, k), row(job->lambda, m->nv, k), {0}};
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

// ---- the calls ------------------------------------------------------------------------------------------

static limb_status bias_forces(const limb_batch_job* job, limb_data* d, const state_at* at)
{
  if (at->v) return limb_bias_forces(d, at->q, at->v, job->env, at->out[0]);
  return limb_gravity_forces(d, at->q, job->env, at->out[0]);
}

static limb_status frame_poses(const limb_batch_job* job, limb_data* d, const state_at* at)
{
  limb_status status = limb_kinematics(d, at->q, NULL, NULL);
  sp_pose* X = (sp_pose*)(void*)at->out[0];
  for (int f = 0; f < job->nframe && status == LIMB_OK; f++) status = limb_frame_pose(d, job->frame[f], &X[f]);
  return status;
}

static limb_status frame_jacobian(const limb_batch_job* job, limb_data* d, const state_at* at)
{
  const limb_status status = limb_kinematics(d, at->q, NULL, NULL);
  if (status != LIMB_OK) return status;
  return limb_frame_jacobian(d, job->frame[0], job->ref, (sp_motion*)(void*)at->out[0]);
}

static limb_status id_derivatives(const limb_batch_job* job, limb_data* d, const state_at* at)
{
  const limb_id_derivatives out = {at->out[0], at->out[1], at->out[2], at->out[3]};
  return limb_inverse_dynamics_derivatives(d, at->q, at->v, at->x, job->env, &out);
}

static limb_status fd_derivatives(const limb_batch_job* job, limb_data* d, const state_at* at)
{
  const limb_fd_derivatives out = {at->out[0], at->out[1], at->out[2], at->out[3]};
  return limb_forward_dynamics_derivatives(d, at->q, at->v, at->x, job->env, &out);
}

static limb_status regressor(const limb_batch_job* job, limb_data* d, const state_at* at)
{
  const bool inertial = job->np == limb_inertial_parameter_count(job->m);
  return (inertial ? limb_inertial_regressor : limb_regressor)(d, at->q, at->v, at->x, job->env, at->out[0]);
}

static limb_second_derivatives second_of(const state_at* at)
{
  return (limb_second_derivatives){at->out[0], at->out[1], at->out[2], at->out[3]};
}

static limb_status id_second(const limb_batch_job* job, limb_dual* w, const state_at* at)
{
  const limb_second_derivatives out = second_of(at);
  if (at->lambda) return limb_inverse_dynamics_hessian(w, at->q, at->v, at->x, job->env, at->lambda, &out);
  return limb_inverse_dynamics_second_derivatives(w, at->q, at->v, at->x, job->env, &out);
}

static limb_status fd_second(const limb_batch_job* job, limb_dual* w, const state_at* at)
{
  const limb_second_derivatives out = second_of(at);
  if (at->lambda) return limb_forward_dynamics_hessian(w, at->q, at->v, at->x, job->env, at->lambda, &out);
  return limb_forward_dynamics_second_derivatives(w, at->q, at->v, at->x, job->env, &out);
}

// X(kernel, numbers of the first result, and of each other one, the answer for one state)
// clang-format off
#define KERNEL_LIST(X)                                                                                  \
  X(inverse_dynamics, nv, 0, limb_inverse_dynamics(d, at->q, at->v, at->x, job->env, at->out[0]))       \
  X(forward_dynamics, nv, 0, limb_forward_dynamics(d, at->q, at->v, at->x, job->env, at->out[0]))       \
  X(bias_forces, nv, 0, bias_forces(job, d, at))                                                        \
  X(frame_poses, 12 * (ptrdiff_t)job->nframe, 0, frame_poses(job, d, at))                               \
  X(frame_jacobian, 6 * nv, 0, frame_jacobian(job, d, at))                                              \
  X(mass_matrix, nv * nv, 0, limb_mass_matrix(d, at->q, at->out[0]))                                    \
  X(mass_matrix_inverse, nv * nv, 0, limb_mass_matrix_inverse(d, at->q, at->out[0]))                    \
  X(coriolis_matrix, nv * nv, 0, limb_coriolis_matrix(d, at->q, at->v, at->out[0]))                     \
  X(id_derivatives, nv, nv * nv, id_derivatives(job, d, at))                                            \
  X(fd_derivatives, nv, nv * nv, fd_derivatives(job, d, at))                                            \
  X(regressor, nv * job->np, 0, regressor(job, d, at))                                                  \
  X(id_second, nv * nv * (job->lambda ? 1 : nv), first, id_second(job, s->w, at))                       \
  X(fd_second, nv * nv * (job->lambda ? 1 : nv), first, fd_second(job, s->w, at))
// clang-format on

#define LIMB_X(name, width, others, answer)                                                                  \
  static limb_status one_##name(const limb_batch_job* job, const limb_batch_space* s, const state_at* at)    \
  {                                                                                                          \
    limb_data* d = s->d;                                                                                     \
    (void)job, (void)d;                                                                                      \
    return answer;                                                                                           \
  }                                                                                                          \
  static limb_batch_failure all_##name(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t from, \
                                       ptrdiff_t end)                                                        \
  {                                                                                                          \
    const ptrdiff_t nv = job->m->nv, first = (width), other = (others);                                      \
    (void)nv;                                                                                                \
    return for_states(job, s, from, end, (widths){{first, other, other, other}}, one_##name);                \
  }
KERNEL_LIST(LIMB_X)
#undef LIMB_X

#define LIMB_X(name, width, others, answer) .name = all_##name,
const limb_batch_kernels limb_batch_one_by_one = {.lanes = 1, KERNEL_LIST(LIMB_X)};
#undef LIMB_X
