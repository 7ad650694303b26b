// Forward kinematics: the motion of all links; poses, velocities and accelerations of bodies and frames.
//
// Cost: limb_kinematics O(n), every other call O(1). The link motions are in link axes at the link
// origin; a frame f sits on link i with a constant pose Y in it:
//
//   X_f = X_i Y          pose in the world
//   BODY     Ad_Y^-1 v   axes and origin of the frame
//   WORLD    Ad_Xi v     axes and origin of the world
//   ALIGNED  R_i (w, v + w x p_Y)
//
// All bodies at once: the same calls, and with the inertia I of a body, in its axes at its origin (Lynch and Park 2017,
// (9.34); Khalil 2010, (9), (10))
//
//   net wrench   F = I a + v x* I v
//
// A spatial acceleration maps like a velocity. The classical one has w x v besides, for whichever
// point the vector is taken at.

#include "limb/kinematics.h"

#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"

#include <string.h>

// ---- links --------------------------------------------------------------------------------------------------

limb_status limb_link_kinematics(limb_data* d, const double* q, const double* v, const double* a,
                                 const limb_link_motion* out)
{
  const limb_model* m = d->m;
  const limb_status s = limb_check_state(d, q, v, a);
  if (s != LIMB_OK) return s;
  if (m->nlink == 0) return LIMB_OK;
  limb_kernels_of(d)->link_motion(m, m->k64, &d->ws, q, v, a, &out->X[0].R.m[0], &out->v[0].w.x, &out->a[0].w.x,
                                  &out->a_v[0].w.x);
  return LIMB_OK;
}

// Where link i is in its parent, in the parent's axes: a joint that slides adds to the constant offset.
static sp_vec3 step_of(const limb_model* m, int i, const double* q, const sp_mat3* R, sp_vec3 z)
{
  const limb_link* link = &m->link[i];
  const limb_link_f64* k = &m->k64[i];
  const double* x = q + link->q;
  if (link->aux >= 0) {
    const sp_pose* at = &m->aux_pose[link->aux];
    const sp_vec3 p = link->joint_class == CLASS_FREE ? sp_v3(x[0], x[1], x[2]) : sp_v3(0, 0, 0);
    return sp_mulv(*R, sp_point(*at, p));
  }
  const double joint = k->mult * x[0] + k->off;
  const double slide = link->joint_class == CLASS_TRANS   ? joint
                       : link->joint_class == CLASS_SCREW ? k->pitch * joint
                                                          : 0;
  return sp_add3(sp_mulv(*R, sp_v3(k->px, k->py, k->pz)), sp_scale3(slide, z));
}

void limb_measure_from_root(const limb_model* m, const double* q, sp_pose* X)
{
  for (int i = 0; i < m->nlink; i++) {
    const int p = m->link[i].parent;
    if (p < 0) {
      X[i].p = sp_v3(0, 0, 0);
    } else {
      X[i].p = sp_add3(X[p].p, step_of(m, i, q, &X[p].R, limb_column3(X[i].R, 2)));
    }
  }
}

// ---- sites --------------------------------------------------------------------------------------------------

limb_status limb_site_find(const limb_data* d, int frame, limb_ref ref, unsigned need, limb_site* out)
{
  if (!d || frame < 0 || frame >= d->m->nbody + d->m->nframe) return LIMB_E_ARG;
  if (!limb_ref_valid(ref)) return LIMB_E_ARG;
  if ((d->have & need) != need) return LIMB_E_ORDER;
  *out = limb_site_of(d->m, frame);
  return LIMB_OK;
}

sp_pose limb_site_pose(const limb_site* s, const sp_pose* X)
{
  return s->link < 0 ? s->in_link : sp_compose(X[s->link], s->in_link);
}

sp_motion limb_site_motion(const limb_site* s, const sp_pose* X, const sp_motion* of_link, limb_ref ref)
{
  if (s->link < 0) return (sp_motion){{0, 0, 0}, {0, 0, 0}};
  const sp_motion v = of_link[s->link];
  if (ref == LIMB_BODY) return sp_motion_in(s->in_link, v);
  if (ref == LIMB_WORLD) return sp_motion_out(X[s->link], v);
  const sp_mat3 R = X[s->link].R;
  const sp_vec3 at_origin = sp_add3(v.v, sp_cross3(v.w, s->in_link.p));
  return sp_motion_make(sp_mulv(R, v.w), sp_mulv(R, at_origin));
}

// ---- entry points -------------------------------------------------------------------------------------------

limb_status limb_kinematics(limb_data* d, const double* q, const double* v, const double* a)
{
  if (!d) return LIMB_E_ARG;
  d->have = 0; // also when the input is refused
  if (!q || (a && !v)) return LIMB_E_ARG;
  const limb_status status = limb_link_kinematics(d, q, v, a, &d->motion);
  if (status != LIMB_OK) return status;
  if (d->loops) memcpy(d->own_q, q, (size_t)d->m->nq * sizeof *q);
  if (d->loops && v) memcpy(d->own_v, v, (size_t)d->m->nv * sizeof *v);
  d->have = LIMB_HAS_POSES;
  if (v) d->have |= LIMB_HAS_VELOCITIES;
  if (a) d->have |= LIMB_HAS_ACCELERATIONS;
  return LIMB_OK;
}

limb_status limb_frame_pose(const limb_data* d, int frame, sp_pose* out)
{
  limb_site s;
  if (!out) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, LIMB_BODY, LIMB_HAS_POSES, &s);
  if (status == LIMB_OK) *out = limb_site_pose(&s, d->motion.X);
  return status;
}

limb_status limb_frame_velocity(const limb_data* d, int frame, limb_ref ref, sp_motion* out)
{
  limb_site s;
  if (!out) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_VELOCITIES, &s);
  if (status == LIMB_OK) *out = limb_site_motion(&s, d->motion.X, d->motion.v, ref);
  return status;
}

limb_status limb_frame_acceleration(const limb_data* d, int frame, limb_ref ref, sp_motion* out)
{
  limb_site s;
  if (!out) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_ACCELERATIONS, &s);
  if (status == LIMB_OK) *out = limb_site_motion(&s, d->motion.X, d->motion.a, ref);
  return status;
}

limb_status limb_frame_classical_acceleration(const limb_data* d, int frame, limb_ref ref, sp_motion* out)
{
  limb_site s;
  if (!out) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_ACCELERATIONS, &s);
  if (status != LIMB_OK) return status;
  const sp_motion v = limb_site_motion(&s, d->motion.X, d->motion.v, ref);
  *out = limb_site_motion(&s, d->motion.X, d->motion.a, ref);
  out->v = sp_add3(out->v, sp_cross3(v.w, v.v));
  return LIMB_OK;
}

// ---- all bodies ---------------------------------------------------------------------------------------------

// A wrench in the axes and at the origin of a body with the pose X, in the reference.
static sp_force in_reference(sp_pose X, limb_ref ref, sp_force F)
{
  if (ref == LIMB_BODY) return F;
  if (ref == LIMB_WORLD) return sp_force_out(X, F);
  return sp_force_make(sp_mulv(X.R, F.m), sp_mulv(X.R, F.f));
}

static limb_status net_wrench(const limb_data* d, int body, limb_ref ref, sp_force* out)
{
  const sp_inertia* Y = &d->m->body[body].inertia;
  sp_motion v, a;
  sp_pose X;
  limb_status s = limb_frame_pose(d, body, &X);
  if (s == LIMB_OK) s = limb_frame_velocity(d, body, LIMB_BODY, &v);
  if (s == LIMB_OK) s = limb_frame_acceleration(d, body, LIMB_BODY, &a);
  if (s != LIMB_OK) return s;
  // F = I a + v x* I v
  const sp_force F = sp_addf(sp_inertia_times(Y, a), sp_crf(v, sp_inertia_times(Y, v)));
  *out = in_reference(X, ref, F);
  return limb_finite3(out->m) && limb_finite3(out->f) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_get_body_motions(const limb_data* d, limb_ref ref, const limb_body_motions* out)
{
  if (!d || !out || !limb_ref_valid(ref)) return LIMB_E_ARG;
  limb_status s = LIMB_OK;
  for (int i = 0; i < d->m->nbody && s == LIMB_OK; i++) {
    if (out->pose) s = limb_frame_pose(d, i, &out->pose[i]);
    if (s == LIMB_OK && out->velocity) s = limb_frame_velocity(d, i, ref, &out->velocity[i]);
    if (s == LIMB_OK && out->acceleration)
      s = ref == LIMB_ALIGNED ? limb_frame_classical_acceleration(d, i, ref, &out->acceleration[i])
                              : limb_frame_acceleration(d, i, ref, &out->acceleration[i]);
    if (s == LIMB_OK && out->net_wrench) s = net_wrench(d, i, ref, &out->net_wrench[i]);
    if (s == LIMB_OK && out->J) s = limb_frame_jacobian(d, i, ref, out->J + (ptrdiff_t)i * d->m->nv);
  }
  return s;
}
