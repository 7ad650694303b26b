// The quantities of `limb eval`: derivatives of inverse and forward dynamics, linear models of the robot.
#include "eval.h"

static size_t squared(const eval_run* r) { return (size_t)r->dofs->nv * (size_t)r->dofs->nv; }

// ---- inverse dynamics ------------------------------------------------------------------------------

static limb_status inverse(eval_run* r, const limb_id_derivatives* out)
{
  const cli_states* s = r->states;
  return limb_inverse_dynamics_derivatives(r->robot->data, s->q, s->v, s->a, &r->robot->env, out);
}

static limb_status tau_by_q(eval_run* r, double* x) { return inverse(r, &(limb_id_derivatives){.dtau_dq = x}); }

static limb_status tau_by_v(eval_run* r, double* x) { return inverse(r, &(limb_id_derivatives){.dtau_dv = x}); }

static limb_status tau_by_gravity(eval_run* r, double* x)
{
  return limb_inverse_dynamics_by_gravity(r->robot->data, r->states->q, x);
}

static limb_status tau_by_wrench(eval_run* r, double* x)
{
  return limb_inverse_dynamics_by_wrench(r->robot->data, r->states->q, r->frame, r->ref, x);
}

// ---- forward dynamics ------------------------------------------------------------------------------

static double two_matrices(const eval_run* r) { return 2 * (double)squared(r); }

static limb_status forward(eval_run* r, const limb_fd_derivatives* out)
{
  const cli_states* s = r->states;
  return limb_forward_dynamics_derivatives(r->robot->data, s->q, s->v, s->tau, &r->robot->env, out);
}

static limb_status acc_by_q(eval_run* r, double* x)
{
  double *dv = r->work, *dtau = r->work + squared(r);
  return forward(r, &(limb_fd_derivatives){.dacc_dq = x, .dacc_dv = dv, .dacc_dtau = dtau});
}

static limb_status acc_by_v(eval_run* r, double* x)
{
  double *dq = r->work, *dtau = r->work + squared(r);
  return forward(r, &(limb_fd_derivatives){.dacc_dq = dq, .dacc_dv = x, .dacc_dtau = dtau});
}

static limb_status acc_by_tau(eval_run* r, double* x)
{
  return limb_mass_matrix_inverse(r->robot->data, r->states->q, x);
}

static limb_status acc_by_gravity(eval_run* r, double* x)
{
  return limb_forward_dynamics_by_gravity(r->robot->data, r->states->q, x);
}

static limb_status acc_by_wrench(eval_run* r, double* x)
{
  return limb_forward_dynamics_by_wrench(r->robot->data, r->states->q, r->frame, r->ref, x);
}

// ---- second derivatives ----------------------------------------------------------------------------

// The blocks of the record, one behind the other.
static limb_second_derivatives blocks(const eval_run* r, double* x)
{
  const size_t size = squared(r) * (size_t)r->dofs->nv;
  return (limb_second_derivatives){x, x + size, x + 2 * size, x + 3 * size};
}

static limb_status tau_twice(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  const limb_second_derivatives out = blocks(r, x);
  return limb_inverse_dynamics_second_derivatives(r->dual, s->q, s->v, s->a, &r->robot->env, &out);
}

static limb_status acc_twice(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  const limb_second_derivatives out = blocks(r, x);
  return limb_forward_dynamics_second_derivatives(r->dual, s->q, s->v, s->tau, &r->robot->env, &out);
}

static const char* const tau_fields[] = {"dqdq", "dqdv", "dvdv", "dqda", NULL};
static const char* const acc_fields[] = {"dqdq", "dqdv", "dvdv", "dqdtau", NULL};

// ---- linear models ---------------------------------------------------------------------------------

static limb_status linear(eval_run* r, double* A, double* B)
{
  const cli_states* s = r->states;
  return limb_linearise(r->robot->data, s->q, s->v, s->tau, &r->robot->env, A, B);
}

static double room_for_A(const eval_run* r) { return 2 * (double)squared(r); }
static double room_for_B(const eval_run* r) { return 4 * (double)squared(r); }

static limb_status state_matrix(eval_run* r, double* x) { return linear(r, x, r->work); }
static limb_status input_matrix(eval_run* r, double* x) { return linear(r, r->work, x); }

// A, B, the one of Ad and Bd that is not wanted, and scratch.
static double sampled_room(const eval_run* r)
{
  return 10 * (double)squared(r) + (double)limb_discretise_work(2 * r->dofs->nv, r->dofs->nv);
}

// NULL: not wanted.
static limb_status sampled(eval_run* r, double* Ad, double* Bd)
{
  const size_t nn = squared(r);
  double *A = r->work, *B = A + 4 * nn, *other = B + 2 * nn, *work = other + 4 * nn;
  limb_status s = linear(r, A, B);
  if (s != LIMB_OK) return s;
  s = limb_discretise(2 * r->dofs->nv, r->dofs->nv, A, B, r->dt, Ad ? Ad : other, Bd ? Bd : other, work);
  if (s != LIMB_OK) (void)snprintf(r->because, sizeof r->because, "--dt is too long for this A: choose a shorter one");
  return s;
}

static limb_status sampled_state_matrix(eval_run* r, double* x) { return sampled(r, x, NULL); }
static limb_status sampled_input_matrix(eval_run* r, double* x) { return sampled(r, NULL, x); }

const eval_quantity eval_derivatives[] = {
  {.name = "dtau_dq",
   .meaning = "derivative of tau with respect to q",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVA,
   .compute = tau_by_q},
  {.name = "dtau_dv",
   .meaning = "derivative of tau with respect to v; with respect to a it is M",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVA,
   .compute = tau_by_v},
  {.name = "dtau_dgravity",
   .meaning = "derivative of tau with respect to the acceleration of gravity",
   .axes = {AXIS_DOF, AXIS_VECTOR},
   .needs = EVAL_Q,
   .compute = tau_by_gravity},
  {.name = "dtau_dwrench",
   .meaning = "derivative of tau with respect to a wrench on the frame, in --ref",
   .axes = {AXIS_DOF, AXIS_FORCE},
   .needs = EVAL_Q,
   .of = OF_FRAME | OF_REF,
   .compute = tau_by_wrench},
  {.name = "dacc_dq",
   .meaning = "derivative of acc with respect to q",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVT,
   .compute = acc_by_q,
   .room = two_matrices},
  {.name = "dacc_dv",
   .meaning = "derivative of acc with respect to v",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVT,
   .compute = acc_by_v,
   .room = two_matrices},
  {.name = "dacc_dtau",
   .meaning = "derivative of acc with respect to tau: the inverse of M",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_Q,
   .compute = acc_by_tau},
  {.name = "dacc_dgravity",
   .meaning = "derivative of acc with respect to the acceleration of gravity",
   .axes = {AXIS_DOF, AXIS_VECTOR},
   .needs = EVAL_Q,
   .compute = acc_by_gravity},
  {.name = "dacc_dwrench",
   .meaning = "derivative of acc with respect to a wrench on the frame, in --ref",
   .axes = {AXIS_DOF, AXIS_FORCE},
   .needs = EVAL_Q,
   .of = OF_FRAME | OF_REF,
   .compute = acc_by_wrench},
  {.name = "d2tau",
   .meaning = "second derivatives of tau: (i, j, k) of dqdv is of tau_i by q_j and v_k",
   .axes = {AXIS_FIELD, AXIS_DOF, AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVA,
   .of = OF_DUAL,
   .fields = tau_fields,
   .compute = tau_twice},
  {.name = "d2acc",
   .meaning = "second derivatives of acc, the same",
   .axes = {AXIS_FIELD, AXIS_DOF, AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVT,
   .of = OF_DUAL,
   .fields = acc_fields,
   .compute = acc_twice},
  {.name = "A",
   .meaning = "x' = A x + B u with x = (dq; dv) and u = dtau, along the motion",
   .axes = {AXIS_STATE, AXIS_STATE},
   .needs = EVAL_QVT,
   .compute = state_matrix,
   .room = room_for_A},
  {.name = "B",
   .meaning = "of x' = A x + B u: zeros above the inverse of M",
   .axes = {AXIS_STATE, AXIS_DOF},
   .needs = EVAL_QVT,
   .compute = input_matrix,
   .room = room_for_B},
  {.name = "Ad",
   .meaning = "x after a time --dt under constant u, exactly: Ad x + Bd u",
   .axes = {AXIS_STATE, AXIS_STATE},
   .needs = EVAL_QVT,
   .of = OF_STEP,
   .compute = sampled_state_matrix,
   .room = sampled_room},
  {.name = "Bd",
   .meaning = "of Ad x + Bd u",
   .axes = {AXIS_STATE, AXIS_DOF},
   .needs = EVAL_QVT,
   .of = OF_STEP,
   .compute = sampled_input_matrix,
   .room = sampled_room},
  {0},
};
