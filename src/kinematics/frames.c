// Forward kinematics: the motion of all links; poses, velocities and accelerations of bodies and frames; Jacobians.
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
#include "model/loop_calls.h"

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

// ---- Jacobians ----------------------------------------------------------------------------------------------

// Frame Jacobians, their time derivatives, and the derivative times v.
//
// Reference: K. Lynch, F. Park, Modern Robotics, chapter 5 (body and space Jacobians); R. Featherstone,
//            Rigid Body Dynamics Algorithms, chapter 2 (derivatives in moving coordinates).
// Cost:      O(nv + depth); Jdot v alone O(1) after limb_kinematics.
//
// The reference r is a frame with pose T and velocity V_r: the frame itself (BODY), the world at rest
// (WORLD), or world axes carried along by the frame's origin (ALIGNED). Only the joints between the
// frame and the world have columns. All of them are formed in world axes at the origin of r, which
// loses nothing when the robot is far from the world's origin:
//
//   J_k    = R_T' S_k                          S_k axis of link i
//   Jdot_k = R_T' ((V_i - V_r) x S_k)          since S_k is constant in the axes of link i

limb_reference limb_reference_of(const limb_site* s, const sp_pose* X, limb_ref ref)
{
  limb_reference r = {ref, sp_pose_identity()};
  if (ref == LIMB_WORLD) return r;
  const sp_pose T = limb_site_pose(s, X);
  r.T.p = T.p;
  if (ref == LIMB_BODY) r.T.R = T.R;
  return r;
}

// V_r: world axes, at the origin of the reference.
static sp_motion reference_velocity(const limb_data* d, const limb_site* s, const limb_reference* r)
{
  sp_motion V = {{0, 0, 0}, {0, 0, 0}};
  if (r->ref == LIMB_WORLD) return V;
  V = limb_site_motion(s, d->motion.X, d->motion.v, LIMB_ALIGNED);
  if (r->ref == LIMB_ALIGNED) V.w = sp_v3(0, 0, 0);
  return V;
}

void limb_site_jacobian(const limb_data* d, const limb_site* s, const sp_pose* X, limb_ref ref, sp_motion* J)
{
  const limb_model* m = d->m;
  if (m->nv == 0) return; // nothing moves: there are no poses and perhaps no kernels
  d->kernels->frame_jacobian(m, m->k64, &X[0].R.m[0], s->link, &s->in_link, ref, &J[0].w.x);
}

limb_status limb_frame_jacobian(const limb_data* d, int frame, limb_ref ref, sp_motion* J)
{
  limb_site s;
  if (!J) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_POSES, &s);
  if (status != LIMB_OK) return status;
  limb_site_jacobian(d, &s, d->motion.X, ref, J);
  return d->loops ? d->m->loop_calls->reduce(d->loops, d->q, 6, &J[0].w.x) : LIMB_OK;
}

limb_status limb_frame_jacobian_at(limb_data* d, const double* q, int frame, limb_ref ref, sp_motion* J)
{
  limb_site s;
  if (!q || !J) return LIMB_E_ARG;
  limb_status status = limb_site_find(d, frame, ref, 0, &s);
  if (status == LIMB_OK) status = limb_check_state(d, q, NULL, NULL);
  if (status != LIMB_OK) return status;
  const limb_model* m = d->m;
  if (s.link >= 0) limb_kernels_of(d)->way_poses(m, m->k64, &d->ws, q, s.link, &d->own.X[0].R.m[0]);
  limb_site_jacobian(d, &s, d->own.X, ref, J);
  return d->loops ? m->loop_calls->reduce(d->loops, q, 6, &J[0].w.x) : LIMB_OK;
}

// With loops: the rate of J Ghat. J takes part as the tree has it.
static limb_status close_rate(const limb_data* d, const limb_site* s, limb_ref ref, sp_motion* Jdot)
{
  sp_motion* J = d->m->loop_calls->columns(d->loops);
  if (!J) return LIMB_E_UNSUPPORTED;
  limb_site_jacobian(d, s, d->motion.X, ref, J);
  return d->m->loop_calls->reduce_rate(d->loops, d->q, d->v, 6, &J[0].w.x, &Jdot[0].w.x);
}

// With loops: J g, for the accelerations g that remain when the independent ones are zero.
static limb_status add_bias(const limb_data* d, const limb_site* s, limb_ref ref, sp_motion* out)
{
  const double* g = NULL;
  sp_motion* J = d->m->loop_calls->columns(d->loops);
  if (!J) return LIMB_E_UNSUPPORTED;
  const limb_status status = d->m->loop_calls->bias_accelerations(d->loops, d->q, d->v, &g);
  if (status != LIMB_OK) return status;
  limb_site_jacobian(d, s, d->motion.X, ref, J);
  for (int k = 0; k < d->m->nv; k++) *out = sp_addm(*out, sp_scalem(g[k], J[k]));
  return LIMB_OK;
}

limb_status limb_frame_jacobian_rate(const limb_data* d, int frame, limb_ref ref, sp_motion* Jdot)
{
  limb_site s;
  if (!Jdot) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_VELOCITIES, &s);
  if (status != LIMB_OK) return status;
  const limb_model* m = d->m;
  const sp_pose* X = d->motion.X;
  const limb_reference r = limb_reference_of(&s, X, ref);
  const sp_motion V_r = reference_velocity(d, &s, &r);
  limb_columns_clear(m, Jdot);
  for (int i = s.link; i >= 0; i = m->link[i].parent) {
    const sp_motion V_i = limb_link_motion_at(X, d->motion.v, i, r.T.p);
    const sp_motion V = limb_subm(V_i, V_r);
    for (int k = 0; k < m->link[i].ndof; k++) {
      const sp_motion S = limb_link_axis(m, i, k, &X[i], r.T.p);
      limb_columns_add(&m->dof[m->link[i].dof + k], limb_in_reference(&r, sp_crm(V, S)), Jdot);
    }
  }
  return d->loops ? close_rate(d, &s, ref, Jdot) : LIMB_OK;
}

// J a + Jdot v is the derivative of the velocity's components; without a it is the acceleration that
// the links have at a = 0. The components of the ALIGNED velocity are those of the origin's, so its
// derivative is the classical one.
limb_status limb_frame_jacobian_rate_times_v(const limb_data* d, int frame, limb_ref ref, sp_motion* out)
{
  limb_site s;
  if (!out) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_VELOCITIES, &s);
  if (status != LIMB_OK) return status;
  *out = limb_site_motion(&s, d->motion.X, d->motion.a_v, ref);
  if (ref == LIMB_ALIGNED) {
    const sp_motion v = limb_site_motion(&s, d->motion.X, d->motion.v, ref);
    out->v = sp_add3(out->v, sp_cross3(v.w, v.v));
  }
  return d->loops ? add_bias(d, &s, ref, out) : LIMB_OK;
}
