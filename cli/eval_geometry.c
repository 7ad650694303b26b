// The quantities of `limb eval`: derivatives of the mass matrix, Christoffel symbols, curvature.
#include "eval.h"

static limb_status mass_rate(eval_run* r, double* x)
{
  return limb_mass_matrix_rate(r->robot->data, r->states->q, r->states->v, x);
}

static limb_status mass_by_q(eval_run* r, double* x)
{
  return limb_mass_matrix_derivative(r->robot->data, r->states->q, x);
}

static limb_status christoffel(eval_run* r, double* x) { return limb_christoffel(r->robot->data, r->states->q, x); }

// ---- what needs scratch ----------------------------------------------------------------------------

// nv^power, which may be more than a size_t holds.
static double tensor(const eval_run* r, int power)
{
  double n = 1;
  for (int k = 0; k < power; k++) n *= r->dofs->nv;
  return n;
}

static double second_room(const eval_run* r) { return tensor(r, 3); }
static double curvature_room(const eval_run* r) { return 2 * tensor(r, 3); }
static double ricci_room(const eval_run* r) { return tensor(r, 4) + 2 * tensor(r, 3); }
static double scalar_room(const eval_run* r) { return ricci_room(r) + tensor(r, 2); }

static limb_status christoffel_second(eval_run* r, double* x)
{
  return limb_christoffel_second(r->robot->data, r->states->q, r->work, x);
}

static limb_status curvature(eval_run* r, double* x)
{
  return limb_curvature(r->robot->data, r->states->q, r->work, x);
}

static limb_status ricci(eval_run* r, double* x)
{
  return limb_ricci_curvature(r->robot->data, r->states->q, r->work, x);
}

static limb_status scalar_curvature(eval_run* r, double* x)
{
  return limb_scalar_curvature(r->robot->data, r->states->q, r->work, x);
}

const eval_quantity eval_geometry[] = {
  {.name = "Mdot",
   .meaning = "rate of M along v: C and its transpose",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QV,
   .compute = mass_rate},
  {.name = "dM_dq",
   .meaning = "derivative of M: (i, j, k) is of M_ij with respect to q_k",
   .axes = {AXIS_DOF, AXIS_DOF, AXIS_DOF},
   .needs = EVAL_Q,
   .compute = mass_by_q},
  {.name = "christoffel",
   .meaning = "symbols of the first kind, symmetric in j and k: (C v)_i = sum G_ijk v_j v_k",
   .axes = {AXIS_DOF, AXIS_DOF, AXIS_DOF},
   .needs = EVAL_Q,
   .compute = christoffel},
  {.name = "christoffel2",
   .meaning = "symbols of the second kind: the inverse of M times christoffel",
   .axes = {AXIS_DOF, AXIS_DOF, AXIS_DOF},
   .needs = EVAL_Q,
   .compute = christoffel_second,
   .room = second_room},
  {.name = "curvature",
   .meaning = "Riemann's tensor R_ijkl of the metric M, all indices lowered",
   .axes = {AXIS_DOF, AXIS_DOF, AXIS_DOF, AXIS_DOF},
   .needs = EVAL_Q,
   .compute = curvature,
   .room = curvature_room},
  {.name = "ricci",
   .meaning = "Ricci's tensor: the trace of curvature over its first and third index",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_Q,
   .compute = ricci,
   .room = ricci_room},
  {.name = "scalar_curvature",
   .meaning = "the trace of ricci",
   .axes = {AXIS_NONE},
   .needs = EVAL_Q,
   .compute = scalar_curvature,
   .room = scalar_room},
  {0},
};
