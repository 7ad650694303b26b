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

#include "kinematics/link_axis.h"
#include "kinematics/site.h"

typedef struct reference {
  sp_pose T;
  sp_motion v; // world axes, at the origin of T
  bool turned; // T.R is not the identity
} reference;

static reference reference_of(const limb_data* d, const limb_site* s, limb_ref ref)
{
  reference r = {sp_pose_identity(), {{0, 0, 0}, {0, 0, 0}}, ref == LIMB_BODY};
  if (ref == LIMB_WORLD) return r;
  const sp_pose X = limb_site_pose(s, d->motion.X);
  r.T.p = X.p;
  if (r.turned) r.T.R = X.R;
  if (!(d->have & LIMB_HAS_VELOCITIES)) return r;
  r.v = limb_site_motion(s, d->motion.X, d->motion.v, LIMB_ALIGNED);
  if (!r.turned) r.v.w = sp_v3(0, 0, 0);
  return r;
}

// Velocity of link i against the reference, world axes, at the reference's origin.
static sp_motion relative_velocity(const limb_data* d, int i, const reference* r)
{
  const sp_pose* X = &d->motion.X[i];
  const sp_vec3 w = sp_mulv(X->R, d->motion.v[i].w), v = sp_mulv(X->R, d->motion.v[i].v);
  const sp_vec3 at_r = sp_add3(v, sp_cross3(sp_sub3(X->p, r->T.p), w));
  return sp_motion_make(sp_sub3(w, r->v.w), sp_sub3(at_r, r->v.v));
}

// The columns of J, or of Jdot, on the path from the site's link to the world; all others are zero.
// A joint that others mimic collects their columns.
static void path_columns(const limb_data* d, const limb_site* s, const reference* r, bool rate,
                         sp_motion* J)
{
  const limb_model* m = d->m;
  for (int k = 0; k < m->nv; k++) J[k] = (sp_motion){{0, 0, 0}, {0, 0, 0}};
  for (int i = s->link; i >= 0; i = m->link[i].parent) {
    const sp_motion u = rate ? relative_velocity(d, i, r) : (sp_motion){{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + k];
      sp_motion S = limb_link_axis(m, i, k, &d->motion.X[i], r->T.p);
      if (rate) S = sp_crm(u, S);
      if (r->turned) S = sp_motion_make(sp_tmulv(r->T.R, S.w), sp_tmulv(r->T.R, S.v));
      J[dof->v] = sp_addm(J[dof->v], sp_scalem(dof->mult, S));
    }
  }
}

limb_status limb_frame_jacobian(const limb_data* d, int frame, limb_ref ref, sp_motion* J)
{
  limb_site s;
  if (!J) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_POSES, &s);
  if (status != LIMB_OK) return status;
  const reference r = reference_of(d, &s, ref);
  path_columns(d, &s, &r, false, J);
  return LIMB_OK;
}

limb_status limb_frame_jacobian_rate(const limb_data* d, int frame, limb_ref ref, sp_motion* Jdot)
{
  limb_site s;
  if (!Jdot) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_VELOCITIES, &s);
  if (status != LIMB_OK) return status;
  const reference r = reference_of(d, &s, ref);
  path_columns(d, &s, &r, true, Jdot);
  return LIMB_OK;
}

// J a + Jdot v is the derivative of the velocity's components; without a it is the acceleration that
// the links have at a = 0. The components of the ALIGNED velocity are those of the origin's, so its
// derivative is the classical one.
limb_status limb_frame_jacobian_rate_times_v(const limb_data* d, int frame, limb_ref ref,
                                             sp_motion* out)
{
  limb_site s;
  if (!out) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_VELOCITIES, &s);
  if (status != LIMB_OK) return status;
  *out = limb_site_motion(&s, d->motion.X, d->motion.a_v, ref);
  if (ref != LIMB_ALIGNED) return LIMB_OK;
  const sp_motion v = limb_site_motion(&s, d->motion.X, d->motion.v, ref);
  out->v = sp_add3(out->v, sp_cross3(v.w, v.v));
  return LIMB_OK;
}
