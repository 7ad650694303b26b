// The six-axis wrench that every joint transmits, fixed joints included.
//
// Reference: recursive Newton-Euler in body coordinates, Lynch and Park 2017, (9.53)-(9.57); Khalil 2010, (29)-(30),
//            on the bodies as described: nothing merged or regrouped.
// Cost:      O(n + wrenches + force laws).
//
//   paper    code   meaning
//   V_i      v      velocity of a body against inertial space, body axes and origin
//   V'_i     a      its derivative, less gravity
//   G_i      Y      inertia of the body
//   F_i      f[i]   wrench on body i by its joint, here in world axes at the body's origin, so that
//                   handing it to the parent is a shift by the distance of the two origins
//
// The world body may move (environment.h).

#include "dynamics/dynamics_impl.h"

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "kinematics/kinematics_impl.h"
#include "model/loop_calls.h"

// Wrench that moves body b alone: G V' + V x* G V, world axes at its origin.
static sp_force newton_euler(const limb_model* m, const limb_link_motion* s, int b, const limb_environment* env)
{
  const limb_site site = limb_site_of(m, b);
  const sp_pose X = limb_site_pose(&site, s->X);
  sp_motion v = limb_site_motion(&site, s->X, s->v, LIMB_BODY);
  sp_motion a = limb_site_motion(&site, s->X, s->a, LIMB_BODY);
  limb_add_base_motion(X, env, &v, &a);
  const sp_inertia* Y = &m->body[b].inertia;
  const sp_force f = sp_addf(sp_inertia_times(Y, a), sp_crf(v, sp_inertia_times(Y, v)));
  return sp_force_make(sp_mulv(X.R, f.m), sp_mulv(X.R, f.f));
}

static sp_vec3 body_origin(const limb_model* m, const sp_pose* X, int b)
{
  const limb_body* body = &m->body[b];
  return body->link < 0 ? body->in_link.p : sp_point(X[body->link], body->in_link.p);
}

// Takes an external wrench off what the joint of its body must deliver.
static void subtract_wrench(const limb_model* m, const sp_pose* X, const limb_wrench* w, sp_force* f)
{
  const int b = w->frame < m->nbody ? w->frame : m->frame[w->frame - m->nbody].body;
  const limb_site site = limb_site_of(m, w->frame);
  const sp_pose Xf = limb_site_pose(&site, X);
  const sp_vec3 at = w->ref == LIMB_WORLD ? sp_v3(0, 0, 0) : Xf.p;
  sp_force on = w->wrench;
  if (w->ref == LIMB_BODY) on = sp_force_make(sp_mulv(Xf.R, on.m), sp_mulv(Xf.R, on.f));
  f[b] = sp_addf(f[b], sp_scalef(-1, limb_force_at(on, at, body_origin(m, X, b))));
}

static limb_status subtract_laws(const limb_model* m, const limb_link_motion* s, const limb_environment* env,
                                 sp_force* f)
{
  for (int k = 0; k < env->nlaw; k++) {
    const limb_frame_state at = limb_law_state(m, env, &env->law[k], s);
    limb_wrench w;
    const limb_status status = limb_ask_law(&env->law[k], &at, &w);
    if (status != LIMB_OK) return status;
    subtract_wrench(m, s->X, &w, f);
  }
  return LIMB_OK;
}

// A wrench in world axes at the origin of body b, in ref.
static sp_force in_ref(const limb_model* m, const sp_pose* X, int b, sp_force f, limb_ref ref)
{
  if (ref == LIMB_ALIGNED) return f;
  if (ref == LIMB_WORLD) return limb_force_at(f, body_origin(m, X, b), sp_v3(0, 0, 0));
  const limb_site site = limb_site_of(m, b);
  const sp_mat3 R = limb_site_pose(&site, X).R;
  return sp_force_make(sp_tmulv(R, f.m), sp_tmulv(R, f.f));
}

limb_status limb_reactions_under(limb_data* d, const double* q, const double* v, const double* a,
                                 const limb_environment* env, const limb_wrench_list* more, limb_ref ref, sp_force* f)
{
  if (!d || !q || !v || !a || !f || !limb_ref_valid(ref)) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_environment e;
  limb_status status = limb_environment_read(m, env, &e);
  if (status != LIMB_OK) return status;
  status = limb_link_kinematics(d, q, v, a, &d->own);
  if (status != LIMB_OK) return status;

  const sp_pose* X = d->own.X;
  sp_force* on = d->body_force;
  for (int b = 1; b < m->nbody; b++) on[b] = newton_euler(m, &d->own, b, &e);
  on[0] = (sp_force){{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < e.nwrench; k++) subtract_wrench(m, X, &e.wrench[k], on);
  for (int k = 0; k < more->count; k++) subtract_wrench(m, X, &more->wrench[k], on);
  status = subtract_laws(m, &d->own, &e, on);
  if (status != LIMB_OK) return status;

  bool finite = true;
  for (int k = m->nbody - 1; k > 0; k--) {
    const int b = m->body_order[k], p = m->body[b].parent;
    const sp_vec3 o = body_origin(m, X, b);
    // F_p += F_i, seen from the origin of p
    if (p > 0) on[p] = sp_addf(on[p], limb_force_at(on[b], o, body_origin(m, X, p)));
    const sp_force result = in_ref(m, X, b, on[b], ref);
    finite = finite && limb_finite3(result.m) && limb_finite3(result.f);
    f[m->body[b].joint] = result;
  }
  return finite ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_joint_reactions(limb_data* d, const double* q, const double* v, const double* a,
                                 const limb_environment* env, limb_ref ref, sp_force* f)
{
  const limb_wrench_list none = {0, NULL};
  if (d && d->loops && q && v && a && f && limb_ref_valid(ref))
    return d->m->loop_calls->joint_reactions(d->loops, q, v, a, env, ref, f);
  return limb_reactions_under(d, q, v, a, env, &none, ref, f);
}
