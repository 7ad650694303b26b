// Controllers of a simulation: the laws of limb/control.h, with gains and references of the run.
//
// The reference of a joint is a formula of time (and state), or a column of a table; what nobody gives is
// where the robot starts, at rest. With a table, columns v. and a. that are missing are derivatives of its
// spline.
#include "sim_control.h"
#include "cli.h"
#include "closure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- references ------------------------------------------------------------------------------------------

static void from_table(sim_control* c)
{
  const sim_table* t = &c->table;
  const int nq = c->job->dofs.nq, nv = c->job->dofs.nv;
  for (int k = 0; k < t->columns; k++) {
    const int to = t->to[k];
    if (to < nq) {
      c->q[to] = t->x[k];
      if (c->rate_of[k] >= 0) c->v[c->rate_of[k]] = t->x1[k], c->a[c->rate_of[k]] = t->x2[k];
    }
  }
  for (int k = 0; k < t->columns; k++) { // columns go before derivatives
    const int to = t->to[k] - nq;
    if (to >= 0 && to < nv) c->v[to] = t->x[k];
    if (to >= nv) c->a[to - nv] = t->x[k];
  }
}

// Quaternions of the reference are made units.
static void normalise(sim_control* c)
{
  const limb_model* m = c->job->robot.model;
  for (int j = 0; j < limb_joint_count(m) && c->job->dofs.nq != c->job->dofs.nv; j++) {
    limb_joint_info x;
    if (limb_get_joint(m, j, &x) != LIMB_OK || x.nq == x.nv) continue;
    double* q = c->q + x.q + x.nq - 4;
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4 && norm > 0; k++) q[k] /= norm;
  }
}

// Where everything should be at this time.
static limb_status refer(sim_control* c, const limb_sim_state* at)
{
  const cli_dofs* d = &c->job->dofs;
  limb_status s = LIMB_OK;
  memcpy(c->q, c->job->q, (size_t)d->nq * sizeof *c->q);
  memset(c->v, 0, (size_t)d->nv * sizeof *c->v);
  memset(c->a, 0, (size_t)d->nv * sizeof *c->a);
  if (c->table.signal) {
    s = limb_signal_at(c->table.signal, at->time, c->table.x, c->table.x1, c->table.x2);
    if (s == LIMB_OK) from_table(c);
  }
  if (s == LIMB_OK && c->formulas.count > 0) s = sim_formulas_read(&c->formulas, c->job, at);
  for (int k = 0; k < c->formulas.count && s == LIMB_OK; k++) *c->to[k] = c->formulas.value[k];
  normalise(c);
  return s;
}

// ---- laws ------------------------------------------------------------------------------------------------

static limb_status of_joints(sim_control* c, const double* q, const double* v, double t)
{
  const limb_control how = {.size = sizeof how, .kp = c->kp, .kd = c->kd, .env = &c->env, .saturate = c->saturate};
  const limb_goal goal = {c->q, c->v, c->a};
  if (c->loops) {
    limb_loop_options o = limb_default_loop_options();
    o.time = t;
    return c->type == SIM_COMPUTED_TORQUE
             ? limb_closed_computed_torque_control(c->loops, q, v, &goal, &how, &o, c->work, c->tau)
             : limb_closed_pd_gravity_control(c->loops, q, v, &goal, &how, &o, c->work, c->tau);
  }
  limb_data* d = c->job->robot.data;
  switch (c->type) {
  case SIM_COMPUTED_TORQUE: return limb_computed_torque_control(d, q, v, &goal, &how, c->work, c->tau);
  case SIM_FEEDFORWARD: return limb_pd_feedforward_control(d, q, v, &goal, &how, c->work, c->tau);
  case SIM_PD_GRAVITY:
  case SIM_IMPEDANCE: break;
  }
  return limb_pd_gravity_control(d, q, v, &goal, &how, c->work, c->tau);
}

static sp_motion motion_of(const double x[6])
{
  return sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
}

static limb_status of_frame(sim_control* c, const double* q, const double* v)
{
  limb_impedance how = limb_default_impedance(c->frame);
  how.task = (limb_task){c->frame, c->axes, c->directions};
  how.stiffness = c->stiffness, how.damping = c->resistance;
  how.inertia = c->shaped ? c->inertia : NULL;
  how.posture = c->posture ? c->q : NULL;
  how.posture_kp = c->kp, how.posture_kd = c->kd;
  how.env = &c->env;
  how.saturate = c->saturate;
  const double* o = c->orientation;
  const sp_quat turn = {o[0], o[1], o[2], o[3]};
  const limb_frame_goal goal = {{sp_rot_quat(turn), sp_v3(c->position[0], c->position[1], c->position[2])},
                                motion_of(c->velocity),
                                motion_of(c->acceleration)};
  return limb_impedance_control(c->job->robot.data, q, v, &goal, &how, c->work, c->tau);
}

static limb_status control(void* context, double t, const double* q, const double* v, double* tau)
{
  sim_control* c = context;
  const limb_sim_state at = {.time = t, .q = q, .v = v};
  limb_status s = refer(c, &at);
  if (s == LIMB_OK) s = c->type == SIM_IMPEDANCE ? of_frame(c, q, v) : of_joints(c, q, v, t);
  if (s != LIMB_OK && !*c->job->trouble)
    (void)snprintf(c->job->trouble, sizeof c->job->trouble, "controller %s at %.9g s: %s",
                   sim_controller_names[c->type], t, limb_status_text(s));
  for (int k = 0; k < c->job->dofs.nv && s == LIMB_OK; k++) tau[k] += c->tau[k];
  return s;
}

static double next_break(void* context, double t)
{
  const sim_control* c = context;
  return limb_signal_next_break(c->table.signal, t);
}

// ---- opening ---------------------------------------------------------------------------------------------

static int take_room(sim_job* job, sim_control* c)
{
  const int nq = job->dofs.nq, nv = job->dofs.nv;
  c->q = sim_zeros(nq), c->v = sim_zeros(nv), c->a = sim_zeros(nv);
  c->kp = sim_zeros(nv), c->kd = sim_zeros(nv), c->tau = sim_zeros(nv);
  c->work = sim_zeros((int)limb_control_work(job->robot.model));
  const size_t most = (size_t)nq + 2 * (size_t)nv + 32;
  c->to = calloc(most, sizeof *c->to);
  const int fine = c->q && c->v && c->a && c->kp && c->kd && c->tau && c->work && c->to;
  if (!fine) return sim_out_of_memory(&job->plan);
  if (limb_loop_count(job->robot.model) == 0) return EXIT_FINE;
  const limb_status s = limb_loops_create(job->robot.model, cli_loops_use(job->robot.model), NULL, &c->loops);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "controller");
}

static int refuse_loops(const sim_job* job, const sim_control* c)
{
  if (!c->loops || c->type == SIM_PD_GRAVITY || c->type == SIM_COMPUTED_TORQUE) return EXIT_FINE;
  return sim_wrong(&job->plan, &job->plan.run.controller.type,
                   "%s is for trees, and this robot has loops: pd_gravity and computed_torque know "
                   "them",
                   sim_controller_names[c->type]);
}

static int attach(sim_job* job, sim_control* c)
{
  const limb_run_controller* run = &job->plan.run.controller;
  limb_sim_force f = {.force = control, .context = c};
  double rate = 0;
  int code = sim_positive(&job->plan, &run->rate, &rate);
  if (code == EXIT_FINE) code = sim_not_negative(&job->plan, &run->delay, &f.delay);
  if (code != EXIT_FINE) return code;
  if (f.delay > 0 && rate == 0) return sim_wrong(&job->plan, &run->delay, "is of sampled controllers: rate is missing");
  if (rate > 0)
    f.period = 1 / rate;
  else if (c->table.signal)
    f.next_break = next_break;
  const limb_status s = limb_sim_add_force(job->sim, &f);
  if (s == LIMB_E_ARG)
    return sim_wrong(&job->plan, run->delay.text ? &run->delay : &run->rate, "the delay is too many samples long");
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "controller");
}

int sim_open_control(sim_job* job)
{
  const limb_run_controller* run = &job->plan.run.controller;
  int type = 0;
  if (!run->type.text) {
    if (!cli_has(job->plan.args, "controller")) return EXIT_FINE;
    return cli_usage(job->plan.args, "--controller begins with its type, such as pd_gravity");
  }
  sim_control* c = calloc(1, sizeof *c);
  job->control = c;
  if (!c) return sim_out_of_memory(&job->plan);
  c->job = job;
  c->env = job->options.env;
  sim_formulas_begin(&c->formulas, job, SIM_KNOWN_INPUT);
  int code = sim_word_of(&job->plan, &run->type, sim_controller_names, &type);
  c->type = (sim_controller)type;
  if (code == EXIT_FINE) code = take_room(job, c);
  if (code == EXIT_FINE) code = refuse_loops(job, c);
  if (code == EXIT_FINE) code = sim_read_gains(job, c);
  if (code == EXIT_FINE) code = sim_read_reference(job, c);
  return code == EXIT_FINE ? attach(job, c) : code;
}

void sim_close_control(sim_job* job)
{
  sim_control* c = job->control;
  if (!c) return;
  double* const all[] = {c->q, c->v, c->a, c->kp, c->kd, c->tau, c->work};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
  sim_formulas_free(&c->formulas);
  sim_table_free(&c->table);
  limb_loops_destroy(c->loops);
  free(c->rate_of);
  free(c->to);
  free(c);
  job->control = NULL;
}
