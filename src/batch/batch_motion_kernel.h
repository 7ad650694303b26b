// Poses, Jacobians, regressors and steps in time for a block of states (batch/batch_kernel.h).

// Poses of all links.
KERNEL void place_all(const limb_batch_space* s, const group* b)
{
  set_link_motion(b->job->m, b->job->k, &b->ws, b->q, NULL, NULL, s->X, NULL, NULL, NULL);
}

KERNEL void step_frame_poses(const limb_batch_space* s, group* b)
{
  const limb_batch_job* job = b->job;
  const ptrdiff_t width = 12 * (ptrdiff_t)job->nframe;
  real* X = room_for(b, job->out[0], width, s->wide);
  place_all(s, b);
  for (int f = 0; f < job->nframe; f++) {
    const limb_site site = limb_site_of(job->m, job->frame[f]);
    set_frame_pose(s->X, site.link, &site.in_link, X + 12 * (ptrdiff_t)f);
  }
  check_results(b, width, X);
  send(b, job->out[0], width, X);
}
BATCH_KERNEL(frame_poses)

KERNEL void step_frame_jacobian(const limb_batch_space* s, group* b)
{
  const limb_batch_job* job = b->job;
  const ptrdiff_t width = 6 * (ptrdiff_t)job->m->nv;
  real* J = room_for(b, job->out[0], width, s->wide);
  const limb_site site = limb_site_of(job->m, job->frame[0]);
  place_all(s, b);
  set_frame_jacobian(job->m, job->k, s->X, site.link, &site.in_link, job->ref, J);
  check_results(b, width, J);
  send(b, job->out[0], width, J);
}
BATCH_KERNEL(frame_jacobian)

KERNEL void step_regressor(const limb_batch_space* s, group* b)
{
  const limb_batch_job* job = b->job;
  const ptrdiff_t width = (ptrdiff_t)job->m->nv * job->np;
  real* Y = room_for(b, job->out[0], width, s->regressor);
  const motion_in in = {b->q, b->v, b->x, &job->terms, NULL, 0, NULL, 0};
  if (!set_regressor(job->m, job->k, &b->ws, &in, job->np, Y)) b->overflow |= nonfinite_of(width, Y);
  send(b, job->out[0], width, Y);
}
BATCH_KERNEL(regressor)

// ---- steps in time ---------------------------------------------------------------------------------------

// Who asks for accelerations in the stages of a step.
typedef struct asker {
  const limb_batch_space* s;
  group* b;
} asker;

KERNEL void stage_accelerations(void* context, const real* q, const real* v, real* a)
{
  const asker* x = context;
  x->b->singular |= accelerations_of(x->s, x->b, q, v, a);
}

KERNEL void step_steps(const limb_batch_space* s, group* b)
{
  const limb_batch_job* job = b->job;
  const limb_model* m = job->m;
  asker x = {s, b};
  real *q = room_for(b, job->out[0], m->nq, s->q), *v = room_for(b, job->out[1], m->nv, s->v);
  for (int k = 0; k < job->steps->count; k++) rk4_step(m, job->steps->step, stage_accelerations, &x, q, v, s->stages);
  check_results(b, m->nq, q), check_results(b, m->nv, v);
  send(b, job->out[0], m->nq, q), send(b, job->out[1], m->nv, v);
}
BATCH_KERNEL(steps)
