// Kinematics of links and frames, as the files of this layer and of dynamics share them: motion of all links, joint
// axes as columns, sites of frames, references.
#ifndef LIMB_KINEMATICS_IMPL_H
#define LIMB_KINEMATICS_IMPL_H

#include "limb/kinematics.h"
#include "limb/spatial.h"

#include "base/numeric.h"
#include "model/data_impl.h"
#include "model/model_impl.h"

#include <math.h>
#include <stdbool.h>

// ---- links --------------------------------------------------------------------------------------------------

// Motion of all links: fills out (poses; with v also velocities and a_v; with a also accelerations), after checking
// q, v and a for NaN, infinity and quaternion norms. v and a may be NULL, a only with v.
limb_status limb_link_kinematics(limb_data* d, const double* q, const double* v, const double* a,
                                 const limb_link_motion* out);

// Takes the positions of the links relative to the root of their tree, in world axes, so that a robot far
// from the world's origin keeps its digits; X are the poses at q.
void limb_measure_from_root(const limb_model* m, const double* q, sp_pose* X);

// Column k of a matrix.
static inline sp_vec3 limb_column3(sp_mat3 A, int k) { return sp_v3(A.m[k], A.m[3 + k], A.m[6 + k]); }

// A joint axis as a column: the motion of link i, whose pose is X, per unit of its velocity k; world axes, at the point
// `at`.
//   turning about e through the link origin   (e; (p - at) x e)     screw: + pitch e
//   sliding along e                           (0; e)
static inline sp_motion limb_link_axis(const limb_model* m, int i, int k, const sp_pose* X, sp_vec3 at)
{
  const int joint_class = m->link[i].joint_class;
  const sp_vec3 e = limb_column3(X->R, m->link[i].ndof == 1 ? 2 : k % 3);
  if (joint_class == CLASS_TRANS || k >= 3) return sp_motion_make(sp_v3(0, 0, 0), e);
  sp_vec3 v = sp_cross3(sp_sub3(X->p, at), e);
  if (joint_class == CLASS_SCREW) v = sp_add3(v, sp_scale3(m->k64[i].pitch, e));
  return sp_motion_make(e, v);
}

// ---- sites --------------------------------------------------------------------------------------------------

// Bodies and added frames are constant offsets of compiled link frames; those that cannot move are
// offsets of the world. Only the joints between a site's link and the world move it.

static inline bool limb_ref_valid(limb_ref ref) { return (unsigned)ref <= (unsigned)LIMB_ALIGNED; }

// Largest component of a vector: its size where the square may overflow.
static inline double limb_largest3(sp_vec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

// Checks what the calls on one frame have in common: d, the index, ref, and that limb_kinematics
// left the parts named by need.
limb_status limb_site_find(const limb_data* d, int frame, limb_ref ref, unsigned need, limb_site* out);

// Pose in the world; X are the poses of the links.
sp_pose limb_site_pose(const limb_site* s, const sp_pose* X);

// A motion of the site's link, one of the arrays of link motions, taken at the site in ref. Zero when
// the site cannot move.
sp_motion limb_site_motion(const limb_site* s, const sp_pose* X, const sp_motion* of_link, limb_ref ref);

// A reference of a site: its axes and its origin in the world. Vectors are formed in world axes at that
// origin, which loses nothing when the robot is far from the world's, and turned at the end.
typedef struct limb_reference {
  limb_ref ref;
  sp_pose T;
} limb_reference;

limb_reference limb_reference_of(const limb_site* s, const sp_pose* X, limb_ref ref);

// A motion in world axes, in those of the reference.
static inline sp_motion limb_in_reference(const limb_reference* r, sp_motion v)
{
  if (r->ref != LIMB_BODY) return v;
  return sp_motion_make(sp_tmulv(r->T.R, v.w), sp_tmulv(r->T.R, v.v));
}

// A motion of a link, one of the arrays of link motions: world axes, at the point `at`. Zero for link -1.
static inline sp_motion limb_link_motion_at(const sp_pose* X, const sp_motion* of_link, int link, sp_vec3 at)
{
  if (link < 0) return (sp_motion){{0, 0, 0}, {0, 0, 0}};
  const sp_vec3 w = sp_mulv(X[link].R, of_link[link].w), v = sp_mulv(X[link].R, of_link[link].v);
  return sp_motion_make(w, sp_add3(v, sp_cross3(sp_sub3(X[link].p, at), w)));
}

// Jacobian of a site: nv columns. X are the poses of the links, made by a kernel of the same workspace.
void limb_site_jacobian(const limb_data* d, const limb_site* s, const sp_pose* X, limb_ref ref, sp_motion* J);

// ---- columns along the path from a frame to the world -------------------------------------------------------

// For Jacobians and derivatives; frame_derivatives.c explains the letters.

static inline sp_motion limb_subm(sp_motion a, sp_motion b)
{
  return sp_motion_make(sp_sub3(a.w, b.w), sp_sub3(a.v, b.v));
}

static inline void limb_columns_clear(const limb_model* m, sp_motion* x)
{
  for (int k = 0; k < m->nv; k++) x[k] = (sp_motion){{0, 0, 0}, {0, 0, 0}};
}

// A joint that others mimic collects their columns.
static inline void limb_columns_add(const limb_dof* dof, sp_motion S, sp_motion* x)
{
  x[dof->v] = sp_addm(x[dof->v], sp_scalem(dof->mult, S));
}

// How the reference moves when the frame moves by S, world axes, at its origin: as the frame, not at all,
// or with the frame's origin only.
static inline sp_motion limb_reference_step(const limb_reference* r, sp_motion S)
{
  if (r->ref == LIMB_BODY) return S;
  return sp_motion_make(sp_v3(0, 0, 0), r->ref == LIMB_WORLD ? sp_v3(0, 0, 0) : S.v);
}

// Change of the frame's velocity V in the reference, per unit of an axis S of which the reference makes U;
// beyond: V - V_p, what the joint of S and those after it add.
static inline sp_motion limb_velocity_step(sp_motion S, sp_motion U, sp_motion V, sp_motion beyond)
{
  return limb_subm(sp_crm(S, beyond), sp_crm(U, V));
}

// ---- the whole robot ----------------------------------------------------------------------------------------

// Sums over all links: moments of mass, momentum, composite bodies.
//
// Inertias are limb_moments: mass m, first moments h = sum m x, second moments S = sum m x x'. They
// turn and shift without products of large numbers, and m, h, S of joined bodies simply add.

static inline sp_vec3 limb_moments_first(const limb_moments* Y) { return sp_v3(Y->hx, Y->hy, Y->hz); }

// Inertia times motion, both at the point and in the axes the moments are taken in:
//   f = m v + w x h,   moment = (tr S - S) w + h x v
static inline sp_force limb_moments_times(const limb_moments* Y, sp_motion v)
{
  const sp_vec3 h = limb_moments_first(Y);
  const sp_vec3 f = sp_add3(sp_scale3(Y->m, v.v), sp_cross3(v.w, h));
  const sp_vec3 L = sp_v3((Y->yy + Y->zz) * v.w.x - Y->xy * v.w.y - Y->xz * v.w.z,
                          (Y->xx + Y->zz) * v.w.y - Y->xy * v.w.x - Y->yz * v.w.z,
                          (Y->xx + Y->yy) * v.w.z - Y->xz * v.w.x - Y->yz * v.w.y);
  return sp_force_make(sp_add3(L, sp_cross3(h, v.v)), f);
}

// Rate of a link's momentum I v, in its axes at its origin: I a + v x* I v
static inline sp_force limb_momentum_rate_of(const limb_moments* Y, sp_motion v, sp_motion a)
{
  return sp_addf(limb_moments_times(Y, a), sp_crf(v, limb_moments_times(Y, v)));
}

// A force taken at the point p, taken at the point `at` instead.
static inline sp_force limb_force_at(sp_force f, sp_vec3 p, sp_vec3 at)
{
  return sp_force_make(sp_add3(f.m, sp_cross3(sp_sub3(p, at), f.f)), f.f);
}

// First moment of mass of all bodies, fixed ones included, about the world's origin.
sp_vec3 limb_first_moment(const limb_model* m, const sp_pose* X);

// Its Jacobian, nv columns: what joint k carries, m_k v_k + w_k x h_k. composite: scratch, nlink.
void limb_first_moment_jacobian(const limb_model* m, const sp_pose* X, limb_moments* composite, sp_vec3* J);

// Momentum of all bodies and its rate: world axes, about a point (at rest for this purpose).
sp_force limb_momentum_about(const limb_model* m, const limb_link_motion* s, sp_vec3 at);
sp_force limb_momentum_rate_about(const limb_model* m, const limb_link_motion* s, sp_vec3 at);

// The point momentum is taken about: the world's origin, or the centre of mass.
limb_status limb_momentum_point(const limb_data* d, int centroidal, sp_vec3* at);

// Inertia of link i with everything it carries, world axes, about the link's origin.
void limb_composites(const limb_model* m, const sp_pose* X, limb_moments* composite);

#endif
