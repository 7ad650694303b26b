// The quantities of `limb eval`: the linear parameter form.
#include "eval.h"

static limb_status theta(eval_run* r, double* x) { return limb_parameters(r->robot->model, x); }

static limb_status Y(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  return limb_regressor(r->robot->data, s->q, s->v, s->a, &r->robot->env, x);
}

static limb_status theta_base(eval_run* r, double* x) { return limb_base_values(r->base, NULL, x); }

static limb_status Y_base(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  return limb_base_regressor(r->base, r->robot->data, s->q, s->v, s->a, r->work, x);
}

static double base_room(const eval_run* r) { return (double)limb_base_work(r->base); }

const eval_quantity eval_parameters[] = {
  {.name = "Y",
   .meaning = "regressor: tau = Y theta, without wrenches",
   .axes = {AXIS_DOF, AXIS_PARAMETER},
   .needs = EVAL_QVA,
   .of = OF_PARAMETER,
   .compute = Y},
  {.name = "theta",
   .meaning = "parameters of the model, the same in all states",
   .axes = {AXIS_PARAMETER},
   .of = OF_PARAMETER,
   .compute = theta},
  {.name = "Y_base",
   .meaning = "regressor of the base parameters: tau = Y_base theta_base",
   .axes = {AXIS_DOF, AXIS_BASE},
   .needs = EVAL_QVA,
   .of = OF_BASE,
   .compute = Y_base,
   .room = base_room},
  {.name = "theta_base",
   .meaning = "base parameters of the model; limb base tells their formulas",
   .axes = {AXIS_BASE},
   .of = OF_BASE,
   .compute = theta_base},
  {0},
};
