// The surroundings of a batch call: what is the same in all states, and wrenches that vary.

#include "batch/batch_impl.h"

#include "base/status.h"
#include "dynamics/environment.h"
#include "kinematics/kinematics_impl.h"

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
    const bool lanes = b->options.layout == LIMB_BATCH_LANES;
    if (lanes && (uintptr_t)numbers % LIMB_DATA_ALIGN) return LIMB_E_ARG;
  }
  return LIMB_OK;
}

// Reads what is said of this call, and checks its wrenches.
static limb_status read_environment(const limb_batch_call* c, limb_batch_environment* out)
{
  *out = limb_default_batch_environment();
  const limb_status s = c->env ? limb_sized_read(out, sizeof *out, c->env, sizeof *out) : LIMB_OK;
  return s == LIMB_OK ? check_wrenches(c, out) : s;
}

// Sets the states of the bases from `all`, and what else the kernels need of it.
static limb_status enter(const limb_batch_call* c, const limb_environment* all, limb_batch_job* job)
{
  limb_data* d = c->b->space[0].d;
  limb_surroundings x;
  const limb_status s = limb_enter_lawless(d, all, NULL, &x);
  if (s != LIMB_OK) return limb_batch_refusal(s);
  job->terms = x.terms;
  job->base = d->ws.base, job->base_turns = d->ws.base_turns;
  job->fixed = x.given, job->nfixed = x.ngiven;
  return LIMB_OK;
}

limb_status limb_batch_surround(const limb_batch_call* c, limb_batch_job* job)
{
  limb_batch_environment env;
  limb_status s = read_environment(c, &env);
  if (s == LIMB_OK) s = enter(c, env.all, job);
  job->env = env.all;
  job->varied = env.wrench, job->nvaried = env.nwrench;
  return s;
}

limb_status limb_batch_surround_gravity(const limb_batch_call* c, limb_batch_job* job)
{
  limb_batch_environment env;
  limb_environment e, only = limb_default_environment(c->b->m);
  limb_status s = read_environment(c, &env);
  if (s == LIMB_OK) s = limb_environment_read(c->b->m, env.all, &e);
  if (s != LIMB_OK) return limb_batch_refusal(s);
  only.gravity = e.gravity;
  job->env = env.all;
  return enter(c, env.all ? &only : NULL, job);
}
