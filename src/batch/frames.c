// Poses and Jacobians of frames for many states: entry points.

#include "batch/batch_impl.h"
#include "kinematics/kinematics_impl.h"

static bool frames_valid(const limb_model* m, int nframe, const int* frame)
{
  const int all = m->nbody + m->nframe;
  if (nframe < 0 || nframe > all || (nframe > 0 && !frame)) return false;
  for (int k = 0; k < nframe; k++)
    if (frame[k] < 0 || frame[k] >= all) return false;
  return true;
}

static limb_status frame_poses(const limb_batch_call* c, int nframe, const int* frame)
{
  limb_batch_job job;
  const limb_status s = c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s != LIMB_OK) return s;
  if (!frames_valid(c->b->m, nframe, frame)) return LIMB_E_ARG;
  job.nframe = nframe, job.frame = frame;
  return limb_batch_go(c->b, &job, limb_batch_kernels_of(c)->frame_poses);
}

limb_status limb_batch_frame_poses(limb_batch* b, size_t n, const double* q, int nframe, const int* frame, double* X,
                                   limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q};
  c.out[0] = X, c.status = status;
  return frame_poses(&c, nframe, frame);
}

limb_status limb_batch_frame_poses_f32(limb_batch* b, size_t n, const float* q, int nframe, const int* frame, float* X,
                                       limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q};
  c.out[0] = X, c.status = status;
  return frame_poses(&c, nframe, frame);
}

static limb_status frame_jacobian(const limb_batch_call* c, int frame, limb_ref ref)
{
  limb_batch_job job;
  const limb_status s = c->out[0] ? limb_batch_prepare(c, &job) : LIMB_E_ARG;
  if (s != LIMB_OK) return s;
  if (!frames_valid(c->b->m, 1, &frame) || !limb_ref_valid(ref)) return LIMB_E_ARG;
  job.nframe = 1, job.frame = &frame, job.ref = ref;
  return limb_batch_go(c->b, &job, limb_batch_kernels_of(c)->frame_jacobian);
}

limb_status limb_batch_frame_jacobian(limb_batch* b, size_t n, const double* q, int frame, limb_ref ref, double* J,
                                      limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F64, .n = n, .q = q};
  c.out[0] = J, c.status = status;
  return frame_jacobian(&c, frame, ref);
}

limb_status limb_batch_frame_jacobian_f32(limb_batch* b, size_t n, const float* q, int frame, limb_ref ref, float* J,
                                          limb_status* status)
{
  limb_batch_call c = {.b = b, .type = LIMB_BATCH_F32, .n = n, .q = q};
  c.out[0] = J, c.status = status;
  return frame_jacobian(&c, frame, ref);
}
