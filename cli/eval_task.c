// The quantities of `limb eval`: what the robot is like at a frame. The directions are those of
// --directions; an exactly or nearly singular task is an error that says how near.
#include "eval.h"

#include <math.h>

static int rows_of(const eval_run* r)
{
  const limb_task_stack tasks = {1, &r->task};
  return limb_task_rows(&tasks);
}

static double task_room(const eval_run* r) { return (double)limb_task_work(r->robot->model, rows_of(r)) + r->dofs->nv; }

// Says why there is no inverse.
static void explain(eval_run* r, const limb_task_space* t)
{
  const int most = r->dofs->nv;
  if (rows_of(r) > most) {
    (void)snprintf(r->because, sizeof r->because,
                   "%d directions are more than the robot has velocities, %d; choose fewer by "
                   "--directions, or give a --damping",
                   rows_of(r), most);
    return;
  }
  (void)snprintf(r->because, sizeof r->because,
                 "in this state '%.60s' cannot move in all of its %d directions: condition number "
                 "%.3g, the limit is %.0e; choose fewer by --directions, or give a --damping",
                 eval_frame_name(r), rows_of(r), t->condition, r->task_options.condition_limit);
}

static limb_status is_mass_regular(eval_run* r)
{
  return limb_mass_matrix_solve(r->robot->data, r->states->q, 1, r->zero, r->work);
}

// v NULL: what is wanted does not depend on it.
static limb_status task(eval_run* r, const double* v, limb_task_space* out)
{
  const limb_task_stack tasks = {1, &r->task};
  const limb_status s = limb_task_dynamics(r->robot->data, r->states->q, v ? v : r->zero, &r->robot->env, &tasks,
                                           &r->task_options, r->work, out);
  if (s == LIMB_E_SINGULAR && is_mass_regular(r) == LIMB_OK) explain(r, out);
  return s;
}

static limb_status Lambda(eval_run* r, double* x) { return task(r, NULL, &(limb_task_space){.Lambda = x}); }

static limb_status eta(eval_run* r, double* x) { return task(r, r->states->v, &(limb_task_space){.eta = x}); }

static limb_status mu(eval_run* r, double* x) { return task(r, r->states->v, &(limb_task_space){.mu = x}); }

static limb_status p(eval_run* r, double* x) { return task(r, NULL, &(limb_task_space){.p = x}); }

static limb_status Jbar(eval_run* r, double* x) { return task(r, NULL, &(limb_task_space){.Jbar = x}); }

static limb_status N(eval_run* r, double* x) { return task(r, NULL, &(limb_task_space){.N = x}); }

// A singular task has a condition number, too: infinite, or nearly so.
static limb_status condition(eval_run* r, double* x)
{
  limb_task_space t = {0};
  limb_status s = task(r, NULL, &t);
  if (s == LIMB_E_SINGULAR && *r->because) s = LIMB_OK;
  *r->because = '\0';
  *x = t.condition;
  return s;
}

const eval_quantity eval_task[] = {
  {.name = "Lambda",
   .meaning = "inertia at the frame: F = Lambda xddot + eta",
   .axes = {AXIS_TASK, AXIS_TASK},
   .needs = EVAL_Q,
   .of = OF_FRAME | OF_REF | OF_TASK,
   .compute = Lambda,
   .room = task_room},
  {.name = "eta",
   .meaning = "velocity and gravity forces at the frame, mu + p",
   .axes = {AXIS_TASK},
   .needs = EVAL_QV,
   .of = OF_FRAME | OF_REF | OF_TASK,
   .compute = eta,
   .room = task_room},
  {.name = "mu",
   .meaning = "velocity forces at the frame",
   .axes = {AXIS_TASK},
   .needs = EVAL_QV,
   .of = OF_FRAME | OF_REF | OF_TASK,
   .compute = mu,
   .room = task_room},
  {.name = "p",
   .meaning = "gravity forces at the frame",
   .axes = {AXIS_TASK},
   .needs = EVAL_Q,
   .of = OF_FRAME | OF_REF | OF_TASK,
   .compute = p,
   .room = task_room},
  {.name = "Jbar",
   .meaning = "dynamically consistent inverse of J",
   .axes = {AXIS_DOF, AXIS_TASK},
   .needs = EVAL_Q,
   .of = OF_FRAME | OF_REF | OF_TASK,
   .compute = Jbar,
   .room = task_room},
  {.name = "N",
   .meaning = "null-space projector 1 - Jbar J; its transpose is that of torques",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_Q,
   .of = OF_FRAME | OF_REF | OF_TASK,
   .compute = N,
   .room = task_room},
  {.name = "condition",
   .meaning = "condition number of the inverse of Lambda, not damped: how near singularity is",
   .axes = {AXIS_NONE},
   .needs = EVAL_Q,
   .of = OF_FRAME | OF_REF | OF_TASK,
   .compute = condition,
   .room = task_room},
  {0},
};
