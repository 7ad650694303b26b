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

#include "limb/kinematics.h"

#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"
#include "model/loop_calls.h"

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
