// The quantities of a simulation that `limb eval` has not, or means otherwise: there tau is what a motion
// asks for, here it is what acts.
#include "sim_probe.h"

#include <string.h>

static limb_status copy(const double* from, int n, double* x)
{
  memcpy(x, from, (size_t)n * sizeof *x);
  return LIMB_OK;
}

static limb_status time_now(eval_run* r, double* x)
{
  *x = r->states->time;
  return LIMB_OK;
}

static limb_status q(eval_run* r, double* x) { return copy(r->states->q, r->dofs->nq, x); }

static limb_status v(eval_run* r, double* x) { return copy(r->states->v, r->dofs->nv, x); }

static limb_status a(eval_run* r, double* x) { return copy(r->states->a, r->dofs->nv, x); }

static limb_status tau(eval_run* r, double* x) { return copy(r->states->tau, r->dofs->nv, x); }

static limb_status lambda(eval_run* r, double* x) { return copy(r->lambda, limb_row_count(r->robot->model), x); }

static limb_status total_energy(eval_run* r, double* x)
{
  limb_energy e = {0, 0, 0};
  const limb_status s = limb_energies(r->robot->data, r->states->q, r->states->v, &r->robot->env, &e);
  *x = e.kinetic + e.gravity + e.springs;
  return s;
}

static limb_status position(eval_run* r, double* x)
{
  sp_pose X = sp_pose_identity();
  const limb_status s = limb_frame_pose(r->robot->data, r->frame, &X);
  x[0] = X.p.x, x[1] = X.p.y, x[2] = X.p.z;
  return s;
}

static limb_status velocity_in(eval_run* r, limb_ref ref, double* x)
{
  sp_motion m = {{0, 0, 0}, {0, 0, 0}};
  const limb_status s = limb_frame_velocity(r->robot->data, r->frame, ref, &m);
  x[0] = m.w.x, x[1] = m.w.y, x[2] = m.w.z, x[3] = m.v.x, x[4] = m.v.y, x[5] = m.v.z;
  return s;
}

static limb_status velocity(eval_run* r, double* x) { return velocity_in(r, LIMB_ALIGNED, x); }

static limb_status body(eval_run* r, double* x) { return velocity_in(r, LIMB_BODY, x); }

const eval_quantity sim_quantities[] = {
  {.name = "time", .needs = STATES_TIME, .unit = "s", .compute = time_now},
  {.name = "q", .axes = {AXIS_Q}, .needs = EVAL_Q, .compute = q},
  {.name = "v", .axes = {AXIS_DOF}, .needs = STATES_V, .compute = v},
  {.name = "a", .axes = {AXIS_DOF}, .needs = STATES_A, .compute = a},
  {.name = "tau", .axes = {AXIS_DOF}, .needs = STATES_TAU, .compute = tau},
  {.name = "lambda", .axes = {AXIS_ROW}, .needs = STATES_A | STATES_TAU, .of = OF_LOOPS, .compute = lambda},
  {.name = "total_energy", .needs = EVAL_QV, .unit = "J", .compute = total_energy},
  {.name = "pos", .axes = {AXIS_VECTOR}, .needs = EVAL_Q, .level = 1, .of = OF_FRAME, .unit = "m", .compute = position},
  {.name = "vel", .axes = {AXIS_MOTION}, .needs = EVAL_QV, .level = 2, .of = OF_FRAME, .compute = velocity},
  {.name = "body", .axes = {AXIS_MOTION}, .needs = EVAL_QV, .level = 2, .of = OF_FRAME, .compute = body},
  {0},
};
