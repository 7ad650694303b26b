// The environment of one call: reading and checking it, the states of the base frames, and what wrenches
// and force laws do to the links.
//
// Cost: O(roots + wrenches); with wrenches or laws one more pass over the links, for poses and velocities.
//
// Forces on a link are collected in its own axes at its origin (d->link_force). Only the links that were
// touched are cleared again, so that a robot of a thousand links does not pay for one wrench.

#include "dynamics/environment.h"

#include "base/numeric.h"
#include "base/status.h"
#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"

#include <string.h>

limb_environment limb_default_environment(const limb_model* m)
{
  return (limb_environment){.size = sizeof(limb_environment), .gravity = limb_model_gravity(m), .friction = 1};
}

limb_wrench limb_wrench_by_tip(int frame, limb_ref ref, sp_force F_tip)
{
  return (limb_wrench){.frame = frame, .ref = ref, .wrench = sp_scalef(-1, F_tip)};
}

static bool frame_valid(const limb_model* m, int frame) { return frame >= 0 && frame < m->nbody + m->nframe; }

static limb_status check_wrenches(const limb_model* m, const limb_environment* env)
{
  if (env->nwrench < 0 || (env->nwrench > 0 && !env->wrench)) return LIMB_E_ARG;
  for (int k = 0; k < env->nwrench; k++) {
    const limb_wrench* w = &env->wrench[k];
    if (!frame_valid(m, w->frame) || !limb_ref_valid(w->ref)) return LIMB_E_ARG;
    if (!limb_finite3(w->wrench.m) || !limb_finite3(w->wrench.f)) return LIMB_E_NONFINITE;
  }
  return LIMB_OK;
}

static limb_status check_laws(const limb_model* m, const limb_environment* env)
{
  if (env->nlaw < 0 || (env->nlaw > 0 && !env->law)) return LIMB_E_ARG;
  for (int k = 0; k < env->nlaw; k++) {
    const limb_force_law* law = &env->law[k];
    if (!law->force || !frame_valid(m, law->frame) || !limb_ref_valid(law->ref)) return LIMB_E_ARG;
  }
  return LIMB_OK;
}

limb_status limb_environment_read(const limb_model* m, const limb_environment* env, limb_environment* out)
{
  limb_status s = LIMB_OK;
  if (env && env->size == sizeof *out) {
    *out = *env; // nothing to fill in: nearly all calls
  } else {
    *out = limb_default_environment(m);
    if (!env) return LIMB_OK;
    s = limb_sized_read(out, sizeof *out, env, offsetof(limb_environment, base_velocity));
    if (s != LIMB_OK) return s;
  }
  const sp_motion *v = &out->base_velocity, *a = &out->base_acceleration;
  if (!limb_finite3(out->gravity) || !limb_finite3(v->w) || !limb_finite3(v->v) || !limb_finite3(a->w) ||
      !limb_finite3(a->v) || !limb_finite(1, &out->coulomb_width) || !limb_finite(1, &out->time))
    return LIMB_E_NONFINITE;
  if (out->coulomb_width < 0) return LIMB_E_ARG;
  s = check_laws(m, out);
  return s == LIMB_OK ? check_wrenches(m, out) : s;
}

// States of the base frames; what is set now is remembered, because most calls use the default.
static void set_base(limb_data* d, const limb_environment* env)
{
  const limb_model* m = d->m;
  const sp_vec3 w = env->base_velocity.w, al = env->base_acceleration.w;
  const sp_vec3 a = sp_sub3(env->base_acceleration.v, env->gravity);
  for (int r = 0; r < m->nroot; r++) {
    const sp_pose* W = &m->base[r];
    // acceleration of the base at the root's base frame: a + al x p + w x (w x p)
    const sp_vec3 swing = sp_add3(sp_cross3(al, W->p), sp_cross3(w, sp_cross3(w, W->p)));
    const sp_vec3 x[3] = {sp_tmulv(W->R, w), sp_tmulv(W->R, al), sp_tmulv(W->R, sp_add3(a, swing))};
    double* out = d->ws.base + (ptrdiff_t)LIMB_WS_STATE * r;
    for (int k = 0; k < 3; k++) out[3 * k] = x[k].x, out[3 * k + 1] = x[k].y, out[3 * k + 2] = x[k].z;
  }
  d->ws.base_turns = w.x != 0 || w.y != 0 || w.z != 0 || al.x != 0 || al.y != 0 || al.z != 0;
  d->base_is_default = false;
}

void limb_enter_void(limb_data* d)
{
  memset(d->ws.base, 0, (size_t)d->m->nroot * LIMB_WS_STATE * sizeof(double));
  d->ws.base_turns = 0;
  d->base_is_default = false;
}

static void add_wrench(limb_data* d, const limb_wrench* w)
{
  const limb_kernels* k = limb_kernels_of(d);
  k->add_wrench(d->m, &d->own.X[0].R.m[0], w->frame, w->ref, &w->wrench.m.x, &d->link_force[0].m.x);
}

limb_frame_state limb_law_state(const limb_model* m, const limb_environment* env, const limb_force_law* law,
                                const limb_link_motion* s)
{
  const limb_site site = limb_site_of(m, law->frame);
  const sp_pose X = limb_site_pose(&site, s->X);
  const sp_motion v = limb_site_motion(&site, s->X, s->v, law->ref);
  const sp_motion base = limb_base_velocity_at(X, law->ref, env);
  return (limb_frame_state){law->frame, X, law->ref, sp_addm(base, v)};
}

limb_status limb_ask_law(const limb_force_law* law, const limb_frame_state* at, limb_wrench* out)
{
  const sp_vec3 x[3] = {at->pose.p, at->velocity.w, at->velocity.v};
  for (int k = 0; k < 3; k++)
    if (!limb_finite3(x[k])) return LIMB_E_NONFINITE;
  const sp_force F = law->force(law->context, at);
  *out = (limb_wrench){law->frame, law->ref, F};
  return limb_finite3(F.m) && limb_finite3(F.f) ? LIMB_OK : LIMB_E_NONFINITE;
}

// Poses of all links in d->own; with v also velocities.
static void move_links(limb_data* d, const double* q, const double* v)
{
  const limb_model* m = d->m;
  const limb_link_motion* s = &d->own;
  if (m->nlink == 0) return;
  limb_kernels_of(d)->link_motion(m, m->k64, &d->ws, q, v, NULL, &s->X[0].R.m[0], &s->v[0].w.x, NULL, &s->a_v[0].w.x);
}

static limb_status add_laws(limb_data* d, const limb_environment* env, limb_call_environment* out)
{
  for (int k = 0; k < env->nlaw; k++) {
    const limb_frame_state at = limb_law_state(d->m, env, &env->law[k], &d->own);
    limb_wrench w;
    const limb_status s = limb_ask_law(&env->law[k], &at, &w);
    if (s != LIMB_OK) return s;
    add_wrench(d, &w);
    out->law_power += sp_dot(at.velocity, w.wrench);
  }
  return LIMB_OK;
}

// Brings wrenches, and those of laws, to the links.
static limb_status set_wrenches(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                limb_call_environment* out)
{
  if (env->nwrench == 0 && env->nlaw == 0) return LIMB_OK;
  move_links(d, q, env->nlaw > 0 ? v : NULL);
  out->wrench = &d->link_force[0].m.x;
  out->nwrench = env->nwrench, out->list = env->wrench;
  out->nlaw = env->nlaw, out->law = env->law;
  for (int k = 0; k < env->nwrench; k++) add_wrench(d, &env->wrench[k]);
  const limb_status s = add_laws(d, env, out);
  if (s != LIMB_OK) limb_leave(d, out);
  return s;
}

static void set_default_base(limb_data* d)
{
  const limb_environment e = limb_default_environment(d->m);
  set_base(d, &e);
  d->base_is_default = true;
}

static limb_status enter_default(limb_data* d, limb_call_environment* out)
{
  *out = (limb_call_environment){.terms = {true, true, true, 0}};
  if (!d->base_is_default) set_default_base(d);
  return LIMB_OK;
}

// q NULL: without wrenches. lawless: LIMB_E_UNSUPPORTED with laws.
static limb_status enter(limb_data* d, const limb_environment* env, const double* q, const double* v, bool lawless,
                         limb_call_environment* out)
{
  limb_environment e;
  const limb_status s = limb_environment_read(d->m, env, &e);
  if (s != LIMB_OK) return s;
  if (lawless && e.nlaw > 0) return LIMB_E_UNSUPPORTED;
  *out = (limb_call_environment){
    .terms = {true, e.friction != 0, true, e.coulomb_width}, .ngiven = e.nwrench, .given = e.wrench};
  set_base(d, &e);
  return q ? set_wrenches(d, q, v, &e, out) : LIMB_OK;
}

limb_status limb_enter(limb_data* d, const limb_environment* env, const double* q, const double* v,
                       limb_call_environment* out)
{
  return env ? enter(d, env, q, v, false, out) : enter_default(d, out);
}

limb_status limb_enter_lawless(limb_data* d, const limb_environment* env, const double* q, limb_call_environment* out)
{
  return env ? enter(d, env, q, NULL, true, out) : enter_default(d, out);
}

static void clear_link(limb_data* d, int frame)
{
  const int link = limb_site_of(d->m, frame).link;
  if (link >= 0) d->link_force[link] = (sp_force){{0, 0, 0}, {0, 0, 0}};
}

void limb_leave(limb_data* d, const limb_call_environment* s)
{
  for (int k = 0; k < s->nwrench; k++) clear_link(d, s->list[k].frame);
  for (int k = 0; k < s->nlaw; k++) clear_link(d, s->law[k].frame);
}

limb_status limb_force_law_wrenches(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                    limb_wrench* out)
{
  if (!d || !q || !v || !out) return LIMB_E_ARG;
  limb_environment e;
  limb_status s = limb_environment_read(d->m, env, &e);
  if (s == LIMB_OK) s = limb_link_kinematics(d, q, v, NULL, &d->own);
  for (int k = 0; s == LIMB_OK && k < e.nlaw; k++) {
    const limb_frame_state at = limb_law_state(d->m, &e, &e.law[k], &d->own);
    s = limb_ask_law(&e.law[k], &at, &out[k]);
  }
  return s;
}
