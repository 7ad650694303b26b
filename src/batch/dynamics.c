// Inverse and forward dynamics and their parts for many states: entry points.
//
// Calls over double and over float differ in types only: both make a limb_batch_call of their arguments,
// which one function answers.

#include "base/numeric.h"
#include "batch/batch_impl.h"

// ---- inverse dynamics -----------------------------------------------------------------------------------

static limb_status inverse_dynamics(const limb_batch_call* c)
{
  limb_batch_job job;
  limb_status s = c->v && c->x && c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s == LIMB_OK) s = limb_batch_surround(c, &job);
  return s == LIMB_OK ? limb_batch_go(c->b, &job, limb_batch_kernels_of(c)->inverse_dynamics) : s;
}

limb_status limb_batch_inverse_dynamics(limb_batch* b, size_t n, const double* q, const double* v, const double* a,
                                        const limb_batch_environment* env, double* tau, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q, .v = v, .x = a, .env = env};
  c.out[0] = tau, c.status = status;
  return inverse_dynamics(&c);
}

limb_status limb_batch_inverse_dynamics_f32(limb_batch* b, size_t n, const float* q, const float* v, const float* a,
                                            const limb_batch_environment* env, float* tau, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q, .v = v, .x = a, .env = env};
  c.out[0] = tau, c.status = status;
  return inverse_dynamics(&c);
}

// ---- its parts ------------------------------------------------------------------------------------------

// Inverse dynamics of the bodies alone, without accelerations: no actuators, no wrenches.
static limb_status of_bodies(const limb_batch_call* c, limb_batch_job* job)
{
  job->terms = (limb_terms){0};
  job->nfixed = job->nvaried = 0;
  const limb_batch_kernels* k = limb_batch_kernels_of(c);
  return limb_batch_go(c->b, job, k->bias_forces ? k->bias_forces : k->inverse_dynamics);
}

static limb_status bias_forces(const limb_batch_call* c)
{
  limb_batch_job job;
  limb_status s = c->v && c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s == LIMB_OK) s = limb_batch_surround(c, &job);
  return s == LIMB_OK ? of_bodies(c, &job) : s;
}

limb_status limb_batch_bias_forces(limb_batch* b, size_t n, const double* q, const double* v,
                                   const limb_batch_environment* env, double* tau, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q, .v = v, .env = env};
  c.out[0] = tau, c.status = status;
  return bias_forces(&c);
}

limb_status limb_batch_bias_forces_f32(limb_batch* b, size_t n, const float* q, const float* v,
                                       const limb_batch_environment* env, float* tau, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q, .v = v, .env = env};
  c.out[0] = tau, c.status = status;
  return bias_forces(&c);
}

static limb_status gravity_forces(const limb_batch_call* c)
{
  limb_batch_job job;
  limb_status s = c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s == LIMB_OK) s = limb_batch_surround_gravity(c, &job);
  return s == LIMB_OK ? of_bodies(c, &job) : s;
}

limb_status limb_batch_gravity_forces(limb_batch* b, size_t n, const double* q, const limb_batch_environment* env,
                                      double* tau, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q, .env = env};
  c.out[0] = tau, c.status = status;
  return gravity_forces(&c);
}

limb_status limb_batch_gravity_forces_f32(limb_batch* b, size_t n, const float* q, const limb_batch_environment* env,
                                          float* tau, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q, .env = env};
  c.out[0] = tau, c.status = status;
  return gravity_forces(&c);
}

// ---- forward dynamics -----------------------------------------------------------------------------------

static limb_status forward_dynamics(const limb_batch_call* c)
{
  limb_batch_job job;
  limb_status s = c->v && c->x && c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s == LIMB_OK) s = limb_batch_surround(c, &job);
  return s == LIMB_OK ? limb_batch_go(c->b, &job, limb_batch_kernels_of(c)->forward_dynamics) : s;
}

limb_status limb_batch_forward_dynamics(limb_batch* b, size_t n, const double* q, const double* v, const double* tau,
                                        const limb_batch_environment* env, double* a, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q, .v = v, .x = tau, .env = env};
  c.out[0] = a, c.status = status;
  return forward_dynamics(&c);
}

limb_status limb_batch_forward_dynamics_f32(limb_batch* b, size_t n, const float* q, const float* v, const float* tau,
                                            const limb_batch_environment* env, float* a, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q, .v = v, .x = tau, .env = env};
  c.out[0] = a, c.status = status;
  return forward_dynamics(&c);
}

// ---- steps in time --------------------------------------------------------------------------------------

static limb_status step(const limb_batch_call* c, const limb_batch_steps* steps)
{
  limb_batch_job job;
  if (!c->v || !steps || steps->count < 0 || !(steps->step > 0)) return LIMB_E_ARG;
  if (!limb_finite(1, &steps->step)) return LIMB_E_ARG;
  limb_status s = limb_batch_prepare(c, &job);
  if (s == LIMB_OK) s = limb_batch_surround(c, &job);
  job.steps = steps;
  return s == LIMB_OK ? limb_batch_go(c->b, &job, limb_batch_kernels_of(c)->steps) : s;
}

limb_status limb_batch_step(limb_batch* b, size_t n, double* q, double* v, const double* tau,
                            const limb_batch_environment* env, const limb_batch_steps* steps, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q, .v = v, .x = tau, .env = env};
  c.out[0] = q, c.out[1] = v, c.status = status;
  return step(&c, steps);
}

limb_status limb_batch_step_f32(limb_batch* b, size_t n, float* q, float* v, const float* tau,
                                const limb_batch_environment* env, const limb_batch_steps* steps, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q, .v = v, .x = tau, .env = env};
  c.out[0] = q, c.out[1] = v, c.status = status;
  return step(&c, steps);
}
