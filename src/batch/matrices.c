// Mass matrix, its inverse, derivatives and regressor for many states: entry points.

#include "batch/batch_impl.h"

// The kernels of a call with matrices of nv x nv.
static const limb_batch_kernels* kernels_for(const limb_batch_call* c)
{
  return limb_batch_matrix_kernels(c, c->b->m->nv <= LIMB_BATCH_MATRICES_MOST);
}

// Whether there is room for matrices made from others: not for robots with very many mimic joints.
static bool has_sheet(const limb_batch_call* c) { return c->b->space[0].ws.table.cell != NULL; }

// ---- mass matrix ----------------------------------------------------------------------------------------

static limb_status mass_matrix(const limb_batch_call* c)
{
  limb_batch_job job;
  const limb_status s = c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s != LIMB_OK) return s;
  const limb_batch_kernels* k = kernels_for(c);
  return k ? limb_batch_go(c->b, &job, k->mass_matrix) : LIMB_E_UNSUPPORTED;
}

limb_status limb_batch_mass_matrix(limb_batch* b, size_t n, const double* q, double* M, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q};
  c.out[0] = M, c.status = status;
  return mass_matrix(&c);
}

limb_status limb_batch_mass_matrix_f32(limb_batch* b, size_t n, const float* q, float* M, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q};
  c.out[0] = M, c.status = status;
  return mass_matrix(&c);
}

static limb_status mass_matrix_inverse(const limb_batch_call* c)
{
  limb_batch_job job;
  const limb_status s = c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s != LIMB_OK) return s;
  const bool lanes = c->b->m->nv <= LIMB_BATCH_MATRICES_MOST && has_sheet(c);
  const limb_batch_kernels* k = limb_batch_matrix_kernels(c, lanes);
  return k ? limb_batch_go(c->b, &job, k->mass_matrix_inverse) : LIMB_E_UNSUPPORTED;
}

limb_status limb_batch_mass_matrix_inverse(limb_batch* b, size_t n, const double* q, double* Minv, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q};
  c.out[0] = Minv, c.status = status;
  return mass_matrix_inverse(&c);
}

limb_status limb_batch_mass_matrix_inverse_f32(limb_batch* b, size_t n, const float* q, float* Minv,
                                               limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q};
  c.out[0] = Minv, c.status = status;
  return mass_matrix_inverse(&c);
}

// ---- derivatives ----------------------------------------------------------------------------------------

// A call with derivatives, up to its kernels.
static limb_status prepare_slopes(const limb_batch_call* c, limb_batch_job* job)
{
  limb_status s = c->v && c->x ? limb_batch_prepare(c, job) : LIMB_E_ARG;
  if (s == LIMB_OK) s = limb_batch_surround(c, job);
  return s == LIMB_OK && (!kernels_for(c) || !has_sheet(c)) ? LIMB_E_UNSUPPORTED : s;
}

static limb_status id_derivatives(const limb_batch_call* c)
{
  limb_batch_job job;
  const limb_status s = prepare_slopes(c, &job);
  return s == LIMB_OK ? limb_batch_go(c->b, &job, kernels_for(c)->id_derivatives) : s;
}

limb_status limb_batch_inverse_dynamics_derivatives(limb_batch* b, size_t n, const double* q, const double* v,
                                                    const double* a, const limb_batch_environment* env,
                                                    const limb_id_derivatives* out, limb_status* status)
{
  if (!out) return LIMB_E_ARG;
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q, .v = v, .x = a, .env = env};
  c.out[0] = out->tau, c.out[1] = out->dtau_dq, c.out[2] = out->dtau_dv, c.out[3] = out->M, c.status = status;
  return id_derivatives(&c);
}

limb_status limb_batch_inverse_dynamics_derivatives_f32(limb_batch* b, size_t n, const float* q, const float* v,
                                                        const float* a, const limb_batch_environment* env,
                                                        const limb_id_derivatives_f32* out, limb_status* status)
{
  if (!out) return LIMB_E_ARG;
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q, .v = v, .x = a, .env = env};
  c.out[0] = out->tau, c.out[1] = out->dtau_dq, c.out[2] = out->dtau_dv, c.out[3] = out->M, c.status = status;
  return id_derivatives(&c);
}

static limb_status fd_derivatives(const limb_batch_call* c)
{
  limb_batch_job job;
  if (!c->out[1] || !c->out[2] || !c->out[3]) return LIMB_E_ARG;
  const limb_status s = prepare_slopes(c, &job);
  return s == LIMB_OK ? limb_batch_go(c->b, &job, kernels_for(c)->fd_derivatives) : s;
}

limb_status limb_batch_forward_dynamics_derivatives(limb_batch* b, size_t n, const double* q, const double* v,
                                                    const double* tau, const limb_batch_environment* env,
                                                    const limb_fd_derivatives* out, limb_status* status)
{
  if (!out) return LIMB_E_ARG;
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q, .v = v, .x = tau, .env = env};
  c.out[0] = out->acc, c.out[1] = out->dacc_dq, c.out[2] = out->dacc_dv, c.out[3] = out->dacc_dtau, c.status = status;
  return fd_derivatives(&c);
}

limb_status limb_batch_forward_dynamics_derivatives_f32(limb_batch* b, size_t n, const float* q, const float* v,
                                                        const float* tau, const limb_batch_environment* env,
                                                        const limb_fd_derivatives_f32* out, limb_status* status)
{
  if (!out) return LIMB_E_ARG;
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q, .v = v, .x = tau, .env = env};
  c.out[0] = out->acc, c.out[1] = out->dacc_dq, c.out[2] = out->dacc_dv, c.out[3] = out->dacc_dtau, c.status = status;
  return fd_derivatives(&c);
}

// ---- regressor ------------------------------------------------------------------------------------------

static limb_status regressor(const limb_batch_call* c)
{
  limb_batch_job job;
  limb_status s = c->v && c->x && c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s == LIMB_OK) s = limb_batch_surround(c, &job);
  if (s != LIMB_OK) return s;
  job.np = c->b->np;
  job.nfixed = job.nvaried = 0; // wrenches do not enter
  limb_batch_call unloaded = *c;
  unloaded.env = NULL;
  const limb_batch_kernels* k = limb_batch_matrix_kernels(&unloaded, c->b->space[0].regressor);
  return k ? limb_batch_go(c->b, &job, k->regressor) : LIMB_E_UNSUPPORTED;
}

limb_status limb_batch_regressor(limb_batch* b, size_t n, const double* q, const double* v, const double* a,
                                 const limb_batch_environment* env, double* Y, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q, .v = v, .x = a, .env = env};
  c.out[0] = Y, c.status = status;
  return regressor(&c);
}

limb_status limb_batch_regressor_f32(limb_batch* b, size_t n, const float* q, const float* v, const float* a,
                                     const limb_batch_environment* env, float* Y, limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q, .v = v, .x = a, .env = env};
  c.out[0] = Y, c.status = status;
  return regressor(&c);
}
