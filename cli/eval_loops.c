// The quantities of `limb eval` of robots with loops (limb/loops.h, limb/closed.h): equations of the
// closures, what follows from what, dynamics with the loops closed, loads. Rows of the table are closed
// already, or completed, when a quantity asks for it (eval_closed.c).
#include "closure.h"
#include "eval.h"

#include <string.h>

static double nv_numbers(const eval_run* r) { return r->dofs->nv; }

static limb_loop_options options_of(const eval_run* r)
{
  limb_loop_options o = limb_default_loop_options();
  o.time = r->states->has_time ? r->states->time : 0;
  return o;
}

// ---- the equations ---------------------------------------------------------------------------------

static limb_status equations(eval_run* r, const double* v, limb_loop_equations out)
{
  const limb_loop_options o = options_of(r);
  return limb_loop_equations_at(r->loops, r->states->q, v, &o, &out);
}

static limb_status psi(eval_run* r, double* x) { return equations(r, NULL, (limb_loop_equations){.Psi = x}); }

static limb_status gamma_rows(eval_run* r, double* x)
{
  return equations(r, r->states->v, (limb_loop_equations){.gamma = x});
}

static limb_status residual(eval_run* r, double* x) { return equations(r, NULL, (limb_loop_equations){.residual = x}); }

static double rate_room(const eval_run* r)
{
  const double rows = limb_row_count(r->robot->model);
  return rows * (r->dofs->nv + 1);
}

// Psi v - s'
static limb_status residual_rate(eval_run* r, double* x)
{
  const size_t rows = (size_t)limb_row_count(r->robot->model), nv = (size_t)r->dofs->nv;
  double *rate = r->work, *Psi = rate + rows;
  const limb_status s = equations(r, NULL, (limb_loop_equations){.Psi = Psi, .rate = rate});
  for (size_t i = 0; i < rows && s == LIMB_OK; i++) {
    x[i] = -rate[i];
    for (size_t k = 0; k < nv; k++) x[i] += Psi[i * nv + k] * r->states->v[k];
  }
  return s;
}

static limb_status mobility(eval_run* r, double* x)
{
  const limb_loop_options o = options_of(r);
  limb_mobility m = {0};
  const limb_status s = limb_mobility_at(r->loops, r->states->q, &o, &m);
  const double all[] = {m.nv,         m.rows,       m.rank,      m.gruebler,          m.mobility,
                        m.redundant,  m.idle,       m.active,    m.passive,           m.driven,
                        m.undriven,   m.overdriven, m.condition, m.condition_passive, m.condition_active,
                        m.singularity};
  memcpy(x, all, sizeof all);
  return s;
}

static const char* const mobility_fields[] = {
  "nv",          "rows",       "rank",      "gruebler",          "mobility",
  "redundant",   "idle",       "active",    "passive",           "driven",
  "undriven",    "overdriven", "condition", "condition_passive", "condition_active",
  "singularity", NULL};

// ---- what follows from what ------------------------------------------------------------------------

static limb_status q_closed(eval_run* r, double* x)
{
  memcpy(x, r->states->q, (size_t)r->dofs->nq * sizeof *x);
  return LIMB_OK;
}

// v and a: the independent ones of the row, and what follows from them.
static limb_status passive(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  const limb_loop_options o = options_of(r);
  const size_t nv = (size_t)r->dofs->nv;
  double *v = x, *a = x + nv;
  memcpy(v, s->v, nv * sizeof *v);
  memcpy(a, s->a, nv * sizeof *a);
  limb_status status = limb_complete_velocities(r->loops, s->q, NULL, &o, v);
  if (status == LIMB_OK) status = limb_complete_accelerations(r->loops, s->q, v, NULL, &o, a);
  if (status == LIMB_E_SINGULAR)
    (void)snprintf(r->because, sizeof r->because, "the loops contradict each other here: limb eval --what mobility");
  return status;
}

static const char* const passive_fields[] = {"v", "a", NULL};

// ---- dynamics --------------------------------------------------------------------------------------

static limb_closed_motion motion_of(const eval_run* r)
{
  const cli_states* s = r->states;
  return (limb_closed_motion){s->q, s->v, s->a, &r->robot->env};
}

// Motions without motor that the robot has anywhere are told once, at the end; others are a singularity.
static limb_status inverse(eval_run* r, limb_closed_forces* f)
{
  const limb_loop_options o = options_of(r);
  const limb_closed_motion in = motion_of(r);
  cli_closing* c = &r->closing;
  const limb_status s = limb_closed_inverse_dynamics(r->loops, &in, NULL, &o, f);
  if (f->overdriven > c->overdriven) c->overdriven = f->overdriven;
  if (s != LIMB_E_SINGULAR) return s;
  if (f->undriven > 0 && f->undriven <= c->undriven) {
    c->unbalanced = fmax(c->unbalanced, f->unbalanced);
    return LIMB_OK;
  }
  (void)snprintf(r->because, sizeof r->because,
                 "%d of the motions here have no motor; %.3g of the forces is left without balance", f->undriven,
                 f->unbalanced);
  return s;
}

static limb_status forward(eval_run* r, double* a, double* lambda)
{
  const limb_closed_motion in = motion_of(r);
  limb_closed_options o = limb_default_closed_options();
  limb_closed_report report = {.loop = -1};
  o.loops = options_of(r);
  const limb_status status = limb_closed_forward_dynamics(r->loops, &in, r->states->tau, &o, a, lambda, &report);
  if (report.redundant > r->closing.redundant) r->closing.redundant = report.redundant;
  if (status != LIMB_OK && report.loop >= 0 && report.residual > 0)
    (void)snprintf(r->because, sizeof r->because, "%.3g is left of the accelerations of loop '%.64s'", report.residual,
                   cli_loop_name(r->robot->model, report.loop));
  return status;
}

static limb_status tau_active(eval_run* r, double* x)
{
  const cli_dofs* d = r->dofs;
  limb_closed_forces f = {.tau = r->work};
  const limb_status s = inverse(r, &f);
  for (int k = 0, n = 0; k < d->nv; k++)
    if (!d->v[k].passive) x[n++] = r->work[k];
  return s;
}

static limb_status closed_acc(eval_run* r, double* x) { return forward(r, x, NULL); }

// Multipliers of the row's motion, or of the one that its forces cause: a of that goes to r->work. *in is
// that motion.
static limb_status multipliers(eval_run* r, double* x, limb_closed_motion* in)
{
  limb_closed_forces f = {.lambda = x};
  *in = motion_of(r);
  if (r->lambda) {
    memcpy(x, r->lambda, (size_t)limb_row_count(r->robot->model) * sizeof *x);
    return LIMB_OK;
  }
  if (r->by_motion) return inverse(r, &f);
  in->a = r->work;
  return forward(r, r->work, x);
}

static limb_status lambda(eval_run* r, double* x)
{
  limb_closed_motion in;
  return multipliers(r, x, &in);
}

static double loads_room(const eval_run* r)
{
  const limb_model* m = r->robot->model;
  const int most = limb_joint_count(m) > limb_loop_count(m) ? limb_joint_count(m) : limb_loop_count(m);
  return r->dofs->nv + limb_row_count(m) + 6.0 * most;
}

// Of the joints, or of the loops: count of them.
static limb_status loads(eval_run* r, int of_joints, int count, double* x)
{
  const limb_loop_options o = options_of(r);
  double* rows = r->work + r->dofs->nv;
  sp_force* f = (sp_force*)(void*)(rows + limb_row_count(r->robot->model));
  limb_closed_motion in;
  limb_status s = multipliers(r, rows, &in);
  if (s == LIMB_OK) s = limb_closed_loads(r->loops, &in, rows, r->ref, &o, of_joints ? f : NULL, of_joints ? NULL : f);
  eval_put_forces(s, f, count, x);
  return s;
}

static limb_status joint_loads(eval_run* r, double* x) { return loads(r, 1, limb_joint_count(r->robot->model), x); }

static limb_status loop_loads(eval_run* r, double* x) { return loads(r, 0, limb_loop_count(r->robot->model), x); }

// ---- derivatives -----------------------------------------------------------------------------------

static limb_status derivatives(eval_run* r, limb_closed_derivatives out)
{
  const limb_closed_motion in = {r->states->q, r->states->v, NULL, &r->robot->env};
  limb_closed_options o = limb_default_closed_options();
  o.loops = options_of(r);
  const limb_status s = limb_closed_forward_dynamics_derivatives(r->loops, r->dual, &in, r->states->tau, &o, &out);
  if (s == LIMB_E_SINGULAR)
    (void)snprintf(r->because, sizeof r->because,
                   "multipliers of rows that follow from others, or nothing has mass along a motion: "
                   "there are no derivatives; limb eval --what mobility");
  return s;
}

static limb_status acc_by_q(eval_run* r, double* x) { return derivatives(r, (limb_closed_derivatives){.da_dq = x}); }

static limb_status acc_by_v(eval_run* r, double* x) { return derivatives(r, (limb_closed_derivatives){.da_dv = x}); }

static limb_status acc_by_tau(eval_run* r, double* x)
{
  return derivatives(r, (limb_closed_derivatives){.da_dtau = x});
}

enum { IN_LOOPS = OF_LOOPS | OF_CLOSED, EVAL_QVTI = EVAL_QVT | STATES_IDLE };

const eval_quantity eval_loops[] = {
  {.name = "psi",
   .meaning = "Jacobian of the equations of the loops: psi v is their rate",
   .axes = {AXIS_ROW, AXIS_DOF},
   .needs = EVAL_Q,
   .of = OF_LOOPS,
   .compute = psi},
  {.name = "gamma",
   .meaning = "what psi a must be for the loops to stay closed",
   .axes = {AXIS_ROW},
   .needs = EVAL_QV,
   .of = OF_LOOPS,
   .compute = gamma_rows},
  {.name = "loop_residual",
   .meaning = "how far the loops are apart, row by row [m, rad]",
   .axes = {AXIS_ROW},
   .needs = EVAL_Q,
   .of = OF_LOOPS,
   .compute = residual},
  {.name = "loop_rate",
   .meaning = "how fast they come apart: psi v, less what laws of time ask for",
   .axes = {AXIS_ROW},
   .needs = EVAL_QV,
   .of = OF_LOOPS,
   .compute = residual_rate,
   .room = rate_room},
  {.name = "mobility",
   .meaning = "what moves with the loops closed, and how far from a singularity; singularity: 0 none, "
              "1 of the drives, 2 of the platform, 3 both, 4 of the closures",
   .axes = {AXIS_FIELD},
   .needs = EVAL_Q,
   .of = IN_LOOPS,
   .fields = mobility_fields,
   .compute = mobility},
  {.name = "q_closed",
   .meaning = "all coordinates: those of the row, and what follows from them",
   .axes = {AXIS_Q},
   .needs = EVAL_Q,
   .of = IN_LOOPS,
   .compute = q_closed},
  {.name = "passive",
   .meaning = "velocities and accelerations of all joints, from those of the independent ones",
   .axes = {AXIS_FIELD, AXIS_DOF},
   .needs = EVAL_QVA,
   .of = IN_LOOPS,
   .fields = passive_fields,
   .compute = passive},
  {.name = "tau_active",
   .meaning = "torques and forces of the actuators with the loops closed; of least norm with more "
              "actuators than motions",
   .axes = {AXIS_ACTIVE},
   .needs = EVAL_QVA,
   .of = IN_LOOPS,
   .compute = tau_active,
   .room = nv_numbers},
  {.name = "closed_acc",
   .meaning = "accelerations under tau with the loops closed",
   .axes = {AXIS_DOF},
   .needs = EVAL_QVTI,
   .of = IN_LOOPS,
   .compute = closed_acc},
  {.name = "lambda",
   .meaning = "forces of the closures along their rows, on frame b; of least norm where rows are "
              "redundant",
   .axes = {AXIS_ROW},
   .needs = EVAL_QVG,
   .of = IN_LOOPS,
   .compute = lambda,
   .room = nv_numbers},
  {.name = "loop_loads",
   .meaning = "wrench of each closure on its frame b, in the axes of frame a",
   .axes = {AXIS_LOOP, AXIS_FORCE},
   .needs = EVAL_QVG,
   .of = IN_LOOPS,
   .compute = loop_loads,
   .room = loads_room},
  {.name = "joint_loads",
   .meaning = "wrench that each joint transmits to its child with the loops closed, as reactions",
   .axes = {AXIS_JOINT, AXIS_FORCE},
   .needs = EVAL_QVG,
   .of = IN_LOOPS | OF_REF,
   .compute = joint_loads,
   .room = loads_room},
  {.name = "dacc_closed_dq",
   .meaning = "derivative of closed_acc with respect to q, of all joints of the tree",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVTI,
   .of = IN_LOOPS | OF_DUAL,
   .compute = acc_by_q},
  {.name = "dacc_closed_dv",
   .meaning = "the same with respect to v",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVTI,
   .of = IN_LOOPS | OF_DUAL,
   .compute = acc_by_v},
  {.name = "dacc_closed_dtau",
   .meaning = "the same with respect to tau",
   .axes = {AXIS_DOF, AXIS_DOF},
   .needs = EVAL_QVTI,
   .of = IN_LOOPS | OF_DUAL,
   .compute = acc_by_tau},
  {0},
};
