// The quantities of `limb eval`: frames, centre of mass, momentum, and how those of frames change with q.
#include "eval.h"

#include <string.h>

static void put3(sp_vec3 v, double* x) { x[0] = v.x, x[1] = v.y, x[2] = v.z; }

static limb_status put_motion(limb_status s, const sp_motion* m, double* x)
{
  put3(m->w, x), put3(m->v, x + 3);
  return s;
}

static limb_status put_force(limb_status s, const sp_force* f, double* x)
{
  put3(f->m, x), put3(f->f, x + 3);
  return s;
}

// Columns in memory, rows on paper: x is 6 x n.
limb_status eval_put_columns(limb_status s, const sp_motion* c, size_t n, double* x)
{
  for (size_t k = 0; s == LIMB_OK && k < n; k++) {
    double column[6];
    (void)put_motion(s, &c[k], column);
    for (size_t i = 0; i < 6; i++) x[i * n + k] = column[i];
  }
  return s;
}

static sp_motion* motions(const eval_run* r) { return (sp_motion*)(void*)r->work; }

static double nv_motions(const eval_run* r) { return 6.0 * r->dofs->nv; }

// ---- frames ----------------------------------------------------------------------------------------

static limb_status pose(eval_run* r, double* x)
{
  sp_pose X = sp_pose_identity();
  const limb_status s = limb_frame_pose(r->robot->data, r->frame, &X);
  const sp_quat q = sp_quat_rot(X.R);
  put3(X.p, x);
  x[3] = q.x, x[4] = q.y, x[5] = q.z, x[6] = q.w;
  memcpy(x + 7, X.R.m, sizeof X.R.m);
  return s;
}

static limb_status jacobian(eval_run* r, double* x)
{
  const limb_status s = limb_frame_jacobian(r->robot->data, r->frame, r->ref, motions(r));
  return eval_put_columns(s, motions(r), (size_t)r->dofs->nv, x);
}

static limb_status jacobian_rate_times_v(eval_run* r, double* x)
{
  sp_motion m = {{0, 0, 0}, {0, 0, 0}};
  const limb_status s = limb_frame_jacobian_rate_times_v(r->robot->data, r->frame, r->ref, &m);
  return put_motion(s, &m, x);
}

static limb_status velocity(eval_run* r, double* x)
{
  sp_motion m = {{0, 0, 0}, {0, 0, 0}};
  const limb_status s = limb_frame_velocity(r->robot->data, r->frame, r->ref, &m);
  return put_motion(s, &m, x);
}

// J a + Jdot v, whatever the reference: docs/conventions.md.
static limb_status acceleration(eval_run* r, double* x)
{
  sp_motion m = {{0, 0, 0}, {0, 0, 0}};
  const limb_status s = r->ref == LIMB_ALIGNED ? limb_frame_classical_acceleration(r->robot->data, r->frame, r->ref, &m)
                                               : limb_frame_acceleration(r->robot->data, r->frame, r->ref, &m);
  return put_motion(s, &m, x);
}

// ---- their derivatives -----------------------------------------------------------------------------

static double hessian_room(const eval_run* r) { return 6.0 * r->dofs->nv * r->dofs->nv; }

// (i, j, k): component i of dJ_j/dq_k.
static limb_status jacobian_by_q(eval_run* r, double* x)
{
  const size_t nv = (size_t)r->dofs->nv;
  const sp_motion* H = motions(r);
  const limb_status s = limb_frame_jacobian_derivative(r->robot->data, r->frame, r->ref, motions(r));
  for (size_t k = 0; s == LIMB_OK && k < nv; k++) {
    for (size_t j = 0; j < nv; j++) {
      double column[6];
      (void)put_motion(s, &H[k * nv + j], column);
      for (size_t i = 0; i < 6; i++) x[(i * nv + j) * nv + k] = column[i];
    }
  }
  return s;
}

static limb_status velocity_by_q(eval_run* r, double* x)
{
  const limb_status s = limb_frame_velocity_derivatives(r->robot->data, r->frame, r->ref, motions(r), NULL);
  return eval_put_columns(s, motions(r), (size_t)r->dofs->nv, x);
}

// By q and by v; one of them is NULL.
static limb_status acceleration_by(eval_run* r, sp_motion* dq, sp_motion* dv, double* x)
{
  const limb_data* d = r->robot->data;
  const limb_status s = r->ref == LIMB_ALIGNED
                          ? limb_frame_classical_acceleration_derivatives(d, r->frame, r->ref, dq, dv, NULL)
                          : limb_frame_acceleration_derivatives(d, r->frame, r->ref, dq, dv, NULL);
  return eval_put_columns(s, dq ? dq : dv, (size_t)r->dofs->nv, x);
}

static limb_status acceleration_by_q(eval_run* r, double* x) { return acceleration_by(r, motions(r), NULL, x); }

static limb_status acceleration_by_v(eval_run* r, double* x) { return acceleration_by(r, NULL, motions(r), x); }

// ---- the whole robot -------------------------------------------------------------------------------

static limb_status center(eval_run* r, double* x)
{
  sp_vec3 c = {0, 0, 0};
  const limb_status s = limb_center_of_mass(r->robot->data, &c, NULL, NULL);
  put3(c, x);
  return s;
}

static limb_status center_velocity(eval_run* r, double* x)
{
  sp_vec3 c = {0, 0, 0};
  const limb_status s = limb_center_of_mass(r->robot->data, NULL, &c, NULL);
  put3(c, x);
  return s;
}

static limb_status center_acceleration(eval_run* r, double* x)
{
  sp_vec3 c = {0, 0, 0};
  const limb_status s = limb_center_of_mass(r->robot->data, NULL, NULL, &c);
  put3(c, x);
  return s;
}

static limb_status momentum(eval_run* r, double* x)
{
  sp_force h = {{0, 0, 0}, {0, 0, 0}};
  return put_force(limb_momentum(r->robot->data, 1, &h), &h, x);
}

static limb_status momentum_rate(eval_run* r, double* x)
{
  sp_force h = {{0, 0, 0}, {0, 0, 0}};
  return put_force(limb_momentum_rate(r->robot->data, 1, &h), &h, x);
}

const eval_quantity eval_kinematics[] = {
  {.name = "pose",
   .meaning = "pose of the frame in the world",
   .axes = {AXIS_POSE},
   .needs = EVAL_Q,
   .level = 1,
   .of = OF_FRAME,
   .compute = pose},
  {.name = "velocity",
   .meaning = "velocity of the frame",
   .axes = {AXIS_MOTION},
   .needs = EVAL_QV,
   .level = 2,
   .of = OF_FRAME | OF_REF,
   .compute = velocity},
  {.name = "acceleration",
   .meaning = "J a + Jdot v of the frame: classical in aligned, spatial in body and world",
   .axes = {AXIS_MOTION},
   .needs = EVAL_QVA,
   .level = 3,
   .of = OF_FRAME | OF_REF,
   .compute = acceleration},
  {.name = "J",
   .meaning = "Jacobian of the frame",
   .axes = {AXIS_MOTION, AXIS_DOF},
   .needs = EVAL_Q,
   .level = 1,
   .of = OF_FRAME | OF_REF,
   .compute = jacobian,
   .room = nv_motions},
  {.name = "Jdotv",
   .meaning = "rate of J times v",
   .axes = {AXIS_MOTION},
   .needs = EVAL_QV,
   .level = 2,
   .of = OF_FRAME | OF_REF,
   .compute = jacobian_rate_times_v},
  {.name = "dJ_dq",
   .meaning = "derivative of J: (i, j, k) is of J_ij with respect to q_k",
   .axes = {AXIS_MOTION, AXIS_DOF, AXIS_DOF},
   .needs = EVAL_Q,
   .level = 1,
   .of = OF_FRAME | OF_REF,
   .compute = jacobian_by_q,
   .room = hessian_room},
  {.name = "dvelocity_dq",
   .meaning = "derivative of velocity with respect to q; with respect to v it is J",
   .axes = {AXIS_MOTION, AXIS_DOF},
   .needs = EVAL_QV,
   .level = 2,
   .of = OF_FRAME | OF_REF,
   .compute = velocity_by_q,
   .room = nv_motions},
  {.name = "dacceleration_dq",
   .meaning = "derivative of acceleration with respect to q; with respect to a it is J",
   .axes = {AXIS_MOTION, AXIS_DOF},
   .needs = EVAL_QVA,
   .level = 3,
   .of = OF_FRAME | OF_REF,
   .compute = acceleration_by_q,
   .room = nv_motions},
  {.name = "dacceleration_dv",
   .meaning = "derivative of acceleration with respect to v",
   .axes = {AXIS_MOTION, AXIS_DOF},
   .needs = EVAL_QVA,
   .level = 3,
   .of = OF_FRAME | OF_REF,
   .compute = acceleration_by_v,
   .room = nv_motions},
  {.name = "com",
   .meaning = "centre of mass",
   .axes = {AXIS_VECTOR},
   .needs = EVAL_Q,
   .level = 1,
   .unit = "m",
   .compute = center},
  {.name = "vcom",
   .meaning = "its velocity",
   .axes = {AXIS_VECTOR},
   .needs = EVAL_QV,
   .level = 2,
   .unit = "m/s",
   .compute = center_velocity},
  {.name = "acom",
   .meaning = "its acceleration",
   .axes = {AXIS_VECTOR},
   .needs = EVAL_QVA,
   .level = 3,
   .unit = "m/s^2",
   .compute = center_acceleration},
  {.name = "momentum",
   .meaning = "momentum, angular about the centre of mass, world axes",
   .axes = {AXIS_FORCE},
   .needs = EVAL_QV,
   .level = 2,
   .compute = momentum},
  {.name = "momentum_rate",
   .meaning = "its rate",
   .axes = {AXIS_FORCE},
   .needs = EVAL_QVA,
   .level = 3,
   .compute = momentum_rate},
  {0},
};
