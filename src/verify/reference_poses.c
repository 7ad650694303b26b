// Reference forward kinematics: the product of exponentials; the joints for the other
// reference formulations.
//
// Reference: Lynch and Park 2017, (9.35)-(9.40); Park, Bobrow, Ploen 1995, (15)-(17).
// Cost:      O(nbody).
//
// A joint is a product of exponentials of twists B_k that are constant in the joint frame:
//
//   joint        T_{p,i} = M_{p,i} times
//   revolute     e^{(axis; 0) q}
//   prismatic    e^{(0; axis) q}
//   helical      e^{(axis; pitch axis) q}
//   cylindrical  e^{(axis; 0) q1} e^{(0; axis) q2}
//   universal    e^{(axis; 0) q1} e^{(axis2; 0) q2}
//   planar       e^{(0; axis2) q1} e^{(0; axis x axis2) q2} e^{(axis; 0) q3}
//   spherical    R(quaternion)
//   free         (position, R(quaternion))
//
//   paper        code       meaning
//   M_{i-1,i}    placement  home pose of a body in its parent
//   M_i          M[i]       home pose of a body in the world
//   A_i          B          twist of a joint in the frame of its body, at home
//   S_i          S          the same twist in the world, at home

#include "base/memory.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "verify/reference_impl.h"

#include <math.h>
#include <string.h>

// ---- exponentials -------------------------------------------------------------------------------

sp_pose limb_reference_exp(sp_motion A, double theta)
{
  const sp_vec3 w = A.w, v = A.v;
  if (sp_dot3(w, w) == 0) return sp_pose_make(sp_identity3(), sp_scale3(theta, v));

  // b = (theta I + (1 - cos) [w] + (theta - sin) [w]^2) v, with [w]^2 v = w (w.v) - v
  const sp_vec3 wv = sp_cross3(w, v), along = sp_scale3(sp_dot3(w, v), w);
  const sp_vec3 b =
    sp_add3(sp_add3(sp_scale3(sin(theta), v), sp_scale3(1 - cos(theta), wv)), sp_scale3(theta - sin(theta), along));
  return sp_pose_make(sp_rot_axis(w, theta), b);
}

// The constant twists B_k of a joint in order, and how many; none for spherical and free joints.
static int twists(const limb_joint_def* def, sp_motion B[3])
{
  const sp_vec3 none = sp_v3(0, 0, 0), n = def->axis;
  switch (def->type) {
  case LIMB_REVOLUTE: B[0] = sp_motion_make(n, none); return 1;
  case LIMB_PRISMATIC: B[0] = sp_motion_make(none, n); return 1;
  case LIMB_HELICAL: B[0] = sp_motion_make(n, sp_scale3(def->pitch, n)); return 1;
  case LIMB_CYLINDRICAL:
    B[0] = sp_motion_make(n, none);
    B[1] = sp_motion_make(none, n);
    return 2;
  case LIMB_UNIVERSAL:
    B[0] = sp_motion_make(n, none);
    B[1] = sp_motion_make(def->axis2, none);
    return 2;
  case LIMB_PLANAR:
    B[0] = sp_motion_make(none, def->axis2);
    B[1] = sp_motion_make(none, sp_cross3(n, def->axis2));
    B[2] = sp_motion_make(n, none);
    return 3;
  case LIMB_FIXED:
  case LIMB_SPHERICAL:
  case LIMB_FREE: break;
  }
  return 0;
}

static bool has_quaternion(limb_joint_type type) { return type == LIMB_SPHERICAL || type == LIMB_FREE; }

// Pose of a ball or free joint from its coordinates; the identity for every other type.
static sp_pose chart(limb_joint_type type, const double* x)
{
  if (type == LIMB_SPHERICAL) return sp_pose_make(sp_rot_quat((sp_quat){x[0], x[1], x[2], x[3]}), sp_v3(0, 0, 0));
  if (type == LIMB_FREE) return sp_pose_make(sp_rot_quat((sp_quat){x[3], x[4], x[5], x[6]}), sp_v3(x[0], x[1], x[2]));
  return sp_pose_identity();
}

// The joint's own coordinates: a mimic joint's follow its source.
static void coordinates(const limb_joint* joint, const double* q, double x[7])
{
  const int nq = limb_type_nq(joint->def.type);
  for (int k = 0; k < nq; k++) x[k] = q[joint->q + k];
  if (nq == 1) x[0] = joint->multiplier * x[0] + joint->offset;
}

// ---- joints -------------------------------------------------------------------------------------

sp_motion limb_reference_unit(int k)
{
  const double e[6] = {k == 0, k == 1, k == 2, k == 3, k == 4, k == 5};
  return sp_motion_make(sp_v3(e[0], e[1], e[2]), sp_v3(e[3], e[4], e[5]));
}

limb_reference_joint limb_reference_joint_at(const limb_joint* joint, const double* q)
{
  const limb_joint_def* def = &joint->def;
  limb_reference_joint J = {.n = limb_type_nv(def->type), .v = joint->v, .multiplier = 1};
  if (J.n == 1) J.multiplier = joint->multiplier;
  double x[7] = {0};
  coordinates(joint, q, x);

  sp_motion B[3];
  const int count = twists(def, B);
  sp_pose rest = chart(def->type, x); // the factors to the right of the k-th
  for (int k = count - 1; k >= 0; k--) {
    J.A[k] = sp_motion_in(rest, B[k]); // A_k = Ad^-1 of the factors behind it
    rest = sp_compose(limb_reference_exp(B[k], x[k]), rest);
  }
  J.T = sp_compose(def->placement, rest);

  // velocities of ball and free joints are the body twist itself
  J.constant = count == 0;
  for (int k = count; k < J.n; k++) J.A[k] = limb_reference_unit(k);
  return J;
}

int limb_reference_screws(const limb_joint* joint, sp_pose M, sp_motion S[6])
{
  sp_motion B[3];
  const int count = twists(&joint->def, B), n = limb_type_nv(joint->def.type);
  // S = Ad_M B                                                                                  (9.40)
  for (int k = 0; k < n; k++) S[k] = sp_motion_out(M, k < count ? B[k] : limb_reference_unit(k));
  return n;
}

sp_motion limb_reference_joint_times(const limb_reference_joint* J, const double* x)
{
  sp_motion r = {{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < J->n; k++) r = sp_addm(r, sp_scalem(J->multiplier * x[J->v + k], J->A[k]));
  return r;
}

sp_motion limb_reference_joint_drift(const limb_reference_joint* J, const double* v)
{
  // A_k = Ad_E^-1 B_k with E the factors behind it, whose body twist is W = sum_{l>k} A_l v_l:
  // dA_k/dt = -[W, A_k] = [A_k, W]. The columns of ball and free joints are constant.
  sp_motion r = {{0, 0, 0}, {0, 0, 0}}, W = r;
  if (J->constant) return r;
  for (int k = J->n - 1; k >= 0; k--) {
    const sp_motion Av = sp_scalem(J->multiplier * v[J->v + k], J->A[k]);
    r = sp_addm(r, sp_crm(Av, W));
    W = sp_addm(W, Av);
  }
  return r;
}

// ---- forward kinematics -------------------------------------------------------------------------

// What a joint adds to the product of exponentials: e^{[S_1] q_1} e^{[S_2] q_2} ..., S = Ad_M B.
static sp_pose space_factor(const limb_joint* joint, const double* q, sp_pose M)
{
  double x[7] = {0};
  coordinates(joint, q, x);
  sp_motion B[3];
  const int count = twists(&joint->def, B);
  sp_pose E = sp_pose_identity();
  if (has_quaternion(joint->def.type)) // no exponential coordinates: M e M^-1 all the same
    E = sp_compose(sp_compose(M, chart(joint->def.type, x)), sp_invert(M));
  for (int k = count - 1; k >= 0; k--) {
    const sp_motion S = sp_motion_out(M, B[k]); // (9.40)
    E = sp_compose(limb_reference_exp(S, x[k]), E);
  }
  return E;
}

limb_status limb_reference_poses(const limb_model* m, const double* q, sp_pose* poses)
{
  if (!m || !q || !poses) return LIMB_E_ARG;
  limb_status status = limb_check_q(m, q);
  if (status) return status;

  const size_t size = (size_t)m->nbody * sizeof(sp_pose);
  sp_pose* M = limb_alloc(&m->alloc, size);
  if (!M) return LIMB_E_NOMEM;

  // poses[i] first holds P_i, the product of the exponentials from the world to body i
  poses[0] = M[0] = sp_pose_identity();
  for (int s = 1; s < m->nbody; s++) {
    const int i = m->body_order[s], p = m->body[i].parent;
    const limb_joint* joint = &m->joint[m->body[i].joint];
    M[i] = sp_compose(M[p], joint->def.placement);                 // (9.38)
    poses[i] = sp_compose(poses[p], space_factor(joint, q, M[i])); // (9.36)
  }
  for (int i = 0; i < m->nbody; i++) {
    poses[i] = sp_compose(poses[i], M[i]); // (9.37): T_0i = e^{[S_1] q_1} ... e^{[S_i] q_i} M_i
    if (!limb_finite(9, poses[i].R.m) || !limb_finite3(poses[i].p)) status = LIMB_E_NONFINITE;
  }
  limb_free(&m->alloc, M, size);
  return status;
}

// ---- beginning ----------------------------------------------------------------------------------

limb_status limb_reference_check(const limb_model* m, const double* q, const double* v, const double* a,
                                 const limb_environment* env, limb_environment* e)
{
  const limb_status s = limb_check_q(m, q);
  if (s != LIMB_OK) return s;
  if ((v && !limb_finite(m->nv, v)) || (a && !limb_finite(m->nv, a))) return LIMB_E_NONFINITE;
  return limb_environment_read(m, env, e);
}

limb_status limb_reference_open(const limb_model* m, const double* q, const double* v, const double* a,
                                const limb_environment* env, size_t size, limb_environment* e, limb_memory* memory)
{
  limb_status s = limb_reference_check(m, q, v, a, env, e);
  if (s == LIMB_OK) s = limb_memory_take(&m->alloc, size, memory);
  if (s == LIMB_OK) memset(memory->block, 0, size);
  return s;
}
