#include "dynamics/environment.h"

#include "base/finite.h"
#include "base/sized.h"
#include "kinematics/site.h"
#include "model/kernels.h"

#include <string.h>

static limb_status check_wrenches(const limb_model* m, const limb_environment* env)
{
  if (env->nwrench < 0 || (env->nwrench > 0 && !env->wrench)) return LIMB_E_ARG;
  for (int k = 0; k < env->nwrench; k++) {
    const limb_wrench* w = &env->wrench[k];
    if (w->frame < 0 || w->frame >= m->nbody + m->nframe || !limb_ref_valid(w->ref))
      return LIMB_E_ARG;
    if (!limb_finite3(w->wrench.m) || !limb_finite3(w->wrench.f)) return LIMB_E_NONFINITE;
  }
  return LIMB_OK;
}

limb_status limb_environment_read(const limb_model* m, const limb_environment* env,
                                  limb_environment* out)
{
  *out = limb_default_environment(m);
  if (!env) return LIMB_OK;
  const limb_status s =
    limb_sized_read(out, sizeof *out, env, offsetof(limb_environment, base_velocity));
  if (s != LIMB_OK) return s;
  const sp_motion *v = &out->base_velocity, *a = &out->base_acceleration;
  if (!limb_finite3(out->gravity) || !limb_finite3(v->w) || !limb_finite3(v->v) ||
      !limb_finite3(a->w) || !limb_finite3(a->v) || !limb_finite(1, &out->coulomb_width))
    return LIMB_E_NONFINITE;
  if (out->coulomb_width < 0) return LIMB_E_ARG;
  return check_wrenches(m, out);
}

// States of the base frames; what is set now is remembered, because most calls want the default.
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
    for (int k = 0; k < 3; k++)
      out[3 * k] = x[k].x, out[3 * k + 1] = x[k].y, out[3 * k + 2] = x[k].z;
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

// A wrench on a frame as a force on its link, in link axes at the link's origin.
static sp_force on_link(const sp_pose* X, const limb_site* site, const limb_wrench* w)
{
  if (w->ref == LIMB_BODY) return sp_force_out(site->in_link, w->wrench);
  if (w->ref == LIMB_WORLD) return sp_force_in(*X, w->wrench);
  // ALIGNED: world axes at the frame's origin
  const sp_vec3 f = sp_tmulv(X->R, w->wrench.f), n = sp_tmulv(X->R, w->wrench.m);
  return sp_force_make(sp_add3(n, sp_cross3(site->in_link.p, f)), f);
}

static const double* set_wrenches(limb_data* d, const double* q, const limb_environment* env)
{
  if (env->nwrench == 0) return NULL;
  const limb_model* m = d->m;
  limb_kernels_of(d)->link_motion(m, m->k64, &d->ws, q, NULL, NULL, &d->own.X[0].R.m[0], NULL, NULL,
                                  NULL);
  for (int k = 0; k < env->nwrench; k++) {
    const limb_site site = limb_site_of(m, env->wrench[k].frame);
    if (site.link < 0) continue; // on a body that cannot move
    sp_force* sum = &d->link_force[site.link];
    *sum = sp_addf(*sum, on_link(&d->own.X[site.link], &site, &env->wrench[k]));
  }
  return &d->link_force[0].m.x;
}

static void enter_default(limb_data* d, limb_surroundings* out)
{
  *out = (limb_surroundings){.terms = {true, true, true, 0}};
  if (d->base_is_default) return;
  const limb_environment e = limb_default_environment(d->m);
  set_base(d, &e);
  d->base_is_default = true;
}

limb_status limb_enter(limb_data* d, const limb_environment* env, const double* q,
                       limb_surroundings* out)
{
  if (!env) {
    enter_default(d, out);
    return LIMB_OK;
  }
  limb_environment e;
  const limb_status s = limb_environment_read(d->m, env, &e);
  if (s != LIMB_OK) return s;
  *out = (limb_surroundings){.terms = {true, e.friction != 0, true, e.coulomb_width},
                             .ngiven = e.nwrench,
                             .given = e.wrench};
  set_base(d, &e);
  if (!q) return LIMB_OK;
  out->wrench = set_wrenches(d, q, &e);
  out->nwrench = e.nwrench;
  out->list = e.wrench;
  return LIMB_OK;
}

void limb_leave(limb_data* d, const limb_surroundings* s)
{
  const sp_force none = {{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < s->nwrench; k++) {
    const int link = limb_site_of(d->m, s->list[k].frame).link;
    if (link >= 0) d->link_force[link] = none;
  }
}
