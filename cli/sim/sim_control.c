// Controllers of a simulation (limb/control.h), with gains and references of the run.
//
// The reference of a joint is a formula of time and state, or a column of a table; by default the joint stays where it
// starts. Missing columns v. and a. of a table are derivatives of its spline.
#include "base/command.h"
#include "robot/robot.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum sim_controller { SIM_PD_GRAVITY, SIM_COMPUTED_TORQUE, SIM_IMPEDANCE, SIM_FEEDFORWARD } sim_controller;

static const char* const controller_names[] = {"pd_gravity", "computed_torque", "impedance", "feedforward", NULL};

struct sim_control {
  sim_job* job;
  sim_controller type;
  limb_environment env; // what the controller knows of the world
  int saturate;
  double *kp, *kd; // nv; for impedance those of the posture

  // References, set by formulas and a table.
  double *q, *v, *a;
  double position[3], orientation[4], velocity[6], acceleration[6];
  sim_formulas formulas;
  double** to;     // destination of each formula
  sim_table table; // 0 ... nq - 1: q, then v, then a
  int* rate_of;    // of each column: the velocity that is its derivative; -1: none

  // For impedance.
  int frame;
  limb_ref axes;
  unsigned directions;
  double stiffness[6], resistance[6], inertia[6];
  int shaped, posture;

  limb_data* data; // of the robot, its loops closed
  double *work, *tau;
};

static const char* const directions[] = {"wx", "wy", "wz", "vx", "vy", "vz", NULL};

// ---- gains -----------------------------------------------------------------------------------------

// Gains by joint; an empty name sets all joints.
static int read_joint_gains(const sim_job* job, const limb_run_values* list, double* to)
{
  int code = EXIT_FINE;
  for (int i = 0; i < list->count && code == EXIT_FINE; i++) {
    const limb_run_value* v = &list->value[i];
    double x = 0;
    code = sim_not_negative(&job->plan, v, &x);
    if (code != EXIT_FINE) break;
    if (!*v->name) {
      for (int k = 0; k < job->dofs.nv; k++) to[k] = x;
      continue;
    }
    const int k = sim_find_dof(job, v, 0);
    if (k < 0) return EXIT_USAGE;
    to[k] = x;
  }
  return code;
}

static int read_frame_gains(const sim_job* job, const limb_run_values* list, double to[6])
{
  int code = EXIT_FINE;
  for (int i = 0; i < list->count && code == EXIT_FINE; i++) {
    const limb_run_value* v = &list->value[i];
    const int one = sim_index_of(v->name, directions);
    const int linear = strcmp(v->name, "linear") == 0, angular = strcmp(v->name, "angular") == 0;
    double x = 0;
    code = sim_not_negative(&job->plan, v, &x);
    if (code == EXIT_FINE && one < 0 && *v->name && !linear && !angular)
      code =
        sim_wrong(&job->plan, v, "'%s' is not a direction; these are wx, wy, wz, vx, vy, vz, angular, linear", v->name);
    for (int k = 0; k < 6 && code == EXIT_FINE; k++)
      if (k == one || !*v->name || (linear && k >= 3) || (angular && k < 3)) to[k] = x;
  }
  return code;
}

static int read_impedance(sim_job* job, sim_control* c)
{
  static const char* const words[] = {"aligned", "body", NULL};
  const limb_run_controller* run = &job->plan.run.controller;
  int axes = 0;
  if (!run->frame.text) return sim_wrong(&job->plan, &run->type, "impedance requires a frame");
  c->frame = sim_find_frame(job, &run->frame);
  if (c->frame < 0) return EXIT_USAGE;
  int code = sim_word_of(&job->plan, &run->axes, words, &axes);
  c->axes = axes ? LIMB_BODY : LIMB_ALIGNED;
  c->shaped = run->inertia.count > 0;
  c->posture = run->q.count > 0 || run->posture_kp.count > 0;
  if (code == EXIT_FINE) code = sim_directions(&job->plan, &run->directions, &c->directions);
  if (code == EXIT_FINE) code = read_frame_gains(job, &run->kp, c->stiffness);
  if (code == EXIT_FINE) code = read_frame_gains(job, &run->kd, c->resistance);
  if (code == EXIT_FINE) code = read_frame_gains(job, &run->inertia, c->inertia);
  if (code == EXIT_FINE) code = read_joint_gains(job, &run->posture_kp, c->kp);
  return code == EXIT_FINE ? read_joint_gains(job, &run->posture_kd, c->kd) : code;
}

// Settings of impedance are errors elsewhere.
static int refuse_frame(const sim_job* job)
{
  const limb_run_controller* run = &job->plan.run.controller;
  enum { LISTS = 8 };
  const limb_run_values* const list[LISTS] = {&run->inertia,  &run->posture_kp,  &run->posture_kd, &run->directions,
                                              &run->position, &run->orientation, &run->velocity,   &run->acceleration};
  if (run->frame.text) return sim_wrong(&job->plan, &run->frame, "is a setting of impedance only");
  if (run->axes.text) return sim_wrong(&job->plan, &run->axes, "is a setting of impedance only");
  for (int k = 0; k < LISTS; k++)
    if (list[k]->count > 0) return sim_wrong(&job->plan, list[k]->value, "is a setting of impedance only");
  return EXIT_FINE;
}

static int read_gains(sim_job* job, sim_control* c)
{
  const limb_run_controller* run = &job->plan.run.controller;
  int code = sim_truth(&job->plan, &run->saturate, &c->saturate);
  if (code != EXIT_FINE) return code;
  if (c->type == SIM_IMPEDANCE) return read_impedance(job, c);
  code = refuse_frame(job);
  if (code == EXIT_FINE) code = read_joint_gains(job, &run->kp, c->kp);
  return code == EXIT_FINE ? read_joint_gains(job, &run->kd, c->kd) : code;
}

// ---- references: reading ---------------------------------------------------------------------------

static int add_formula(sim_job* job, sim_control* c, const limb_run_value* v, double* to)
{
  c->to[c->formulas.count] = to;
  return sim_formulas_add(&c->formulas, job, v, NULL, NULL);
}

static int add_joints(sim_job* job, sim_control* c, const limb_run_values* list, int of_q, double* to)
{
  int code = EXIT_FINE;
  for (int i = 0; i < list->count && code == EXIT_FINE; i++) {
    const int k = sim_find_dof(job, &list->value[i], of_q);
    if (k < 0) return EXIT_USAGE;
    code = add_formula(job, c, &list->value[i], to + k);
  }
  return code;
}

static int add_parts(sim_job* job, sim_control* c, const limb_run_values* list, const char* const* names, double* to)
{
  int code = EXIT_FINE;
  for (int i = 0; i < list->count && code == EXIT_FINE; i++) {
    const int k = sim_index_of(list->value[i].name, names);
    if (k < 0) return sim_wrong(&job->plan, &list->value[i], "unknown component '%s'", list->value[i].name);
    code = add_formula(job, c, &list->value[i], to + k);
  }
  return code;
}

// The default reference: where the frame is at the start.
static int begin_frame(sim_job* job, sim_control* c)
{
  sp_pose X = sp_pose_identity();
  limb_status s = limb_kinematics(job->robot.data, job->q, NULL, NULL);
  if (s == LIMB_OK) s = limb_frame_pose(job->robot.data, c->frame, &X);
  const sp_quat o = sp_quat_rot(X.R);
  c->position[0] = X.p.x, c->position[1] = X.p.y, c->position[2] = X.p.z;
  c->orientation[0] = o.x, c->orientation[1] = o.y, c->orientation[2] = o.z, c->orientation[3] = o.w;
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "controller");
}

static int column_of(const void* context, const char* column)
{
  const cli_dofs* d = context;
  const char* const prefix[] = {"q.", "v.", "a."};
  int first = 0;
  for (int g = 0; g < 3; g++) {
    const cli_dof* dof = g == 0 ? d->q : d->v;
    const int n = g == 0 ? d->nq : d->nv;
    for (int k = 0; k < n && strncmp(column, prefix[g], 2) == 0; k++)
      if (strcmp(column + 2, dof[k].name) == 0) return first + k;
    first += n;
  }
  return -1;
}

// Velocities that are derivatives of columns of coordinates, except rotations.
static int find_rates(sim_job* job, sim_control* c)
{
  const cli_dofs* d = &job->dofs;
  c->rate_of = calloc((size_t)c->table.columns + 1, sizeof *c->rate_of);
  if (!c->rate_of) return sim_out_of_memory(&job->plan);
  for (int k = 0; k < c->table.columns; k++) {
    const int to = c->table.to[k];
    limb_joint_info x;
    c->rate_of[k] = -1;
    if (to >= d->nq || limb_get_joint(job->robot.model, d->q[to].joint, &x) != LIMB_OK) continue;
    if (x.nq == x.nv) c->rate_of[k] = x.v + d->q[to].index;
  }
  return EXIT_FINE;
}

static int read_reference(sim_job* job, sim_control* c)
{
  static const char *const xyz[] = {"x", "y", "z", NULL}, *const xyzw[] = {"x", "y", "z", "w", NULL};
  const limb_run_controller* run = &job->plan.run.controller;
  int code = EXIT_FINE;
  if (run->file.text) code = sim_table_open(&c->table, job, &run->file, LIMB_SIGNAL_SPLINE, column_of, &job->dofs);
  if (code == EXIT_FINE && run->file.text) code = find_rates(job, c);
  if (code == EXIT_FINE) code = add_joints(job, c, &run->q, 1, c->q);
  if (code == EXIT_FINE) code = add_joints(job, c, &run->v, 0, c->v);
  if (code == EXIT_FINE) code = add_joints(job, c, &run->a, 0, c->a);
  if (code == EXIT_FINE && c->type == SIM_IMPEDANCE) code = begin_frame(job, c);
  if (code == EXIT_FINE) code = add_parts(job, c, &run->position, xyz, c->position);
  if (code == EXIT_FINE) code = add_parts(job, c, &run->orientation, xyzw, c->orientation);
  if (code == EXIT_FINE) code = add_parts(job, c, &run->velocity, directions, c->velocity);
  if (code == EXIT_FINE) code = add_parts(job, c, &run->acceleration, directions, c->acceleration);
  return code == EXIT_FINE ? sim_formulas_ready(&c->formulas) : code;
}

// ---- references: evaluating ------------------------------------------------------------------------

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
  for (int k = 0; k < t->columns; k++) { // columns override derivatives
    const int to = t->to[k] - nq;
    if (to >= 0 && to < nv) c->v[to] = t->x[k];
    if (to >= nv) c->a[to - nv] = t->x[k];
  }
}

// Normalises the quaternions of the reference.
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

// Sets all references at this time.
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

// ---- controllers -----------------------------------------------------------------------------------

static limb_status of_joints(sim_control* c, const double* q, const double* v, double t)
{
  const limb_control how = {.size = sizeof how, .kp = c->kp, .kd = c->kd, .env = &c->env, .saturate = c->saturate};
  const limb_goal goal = {c->q, c->v, c->a};
  limb_data* d = c->data;
  c->env.time = t;
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
    (void)snprintf(c->job->trouble, sizeof c->job->trouble, "controller %s at %.9g s: %s", controller_names[c->type], t,
                   limb_status_text(s));
  for (int k = 0; k < c->job->dofs.nv && s == LIMB_OK; k++) tau[k] += c->tau[k];
  return s;
}

static double next_break(void* context, double t)
{
  const sim_control* c = context;
  return limb_signal_next_break(c->table.signal, t);
}

// ---- opening ---------------------------------------------------------------------------------------

static int allocate(sim_job* job, sim_control* c)
{
  const int nq = job->dofs.nq, nv = job->dofs.nv;
  c->q = sim_zeros(nq), c->v = sim_zeros(nv), c->a = sim_zeros(nv);
  c->kp = sim_zeros(nv), c->kd = sim_zeros(nv), c->tau = sim_zeros(nv);
  c->work = sim_zeros((int)limb_control_work(job->robot.model));
  const size_t max = (size_t)nq + 2 * (size_t)nv + 32;
  c->to = calloc(max, sizeof *c->to);
  const int fine = c->q && c->v && c->a && c->kp && c->kd && c->tau && c->work && c->to;
  if (!fine) return sim_out_of_memory(&job->plan);
  const limb_status s = limb_data_create(job->robot.model, NULL, &c->data);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "controller");
}

static int refuse_loops(const sim_job* job, const sim_control* c)
{
  if (limb_loop_count(job->robot.model) == 0 || c->type != SIM_IMPEDANCE) return EXIT_FINE;
  return sim_wrong(&job->plan, &job->plan.run.controller.type,
                   "impedance does not support robots with loops; the controllers of joints do");
}

static int attach(sim_job* job, sim_control* c)
{
  const limb_run_controller* run = &job->plan.run.controller;
  limb_sim_force f = {.force = control, .context = c};
  double rate = 0;
  int code = sim_positive(&job->plan, &run->rate, &rate);
  if (code == EXIT_FINE) code = sim_not_negative(&job->plan, &run->delay, &f.delay);
  if (code != EXIT_FINE) return code;
  if (f.delay > 0 && rate == 0)
    return sim_wrong(&job->plan, &run->delay, "requires a sampled controller: rate is missing");
  if (rate > 0)
    f.period = 1 / rate;
  else if (c->table.signal)
    f.next_break = next_break;
  const limb_status s = limb_sim_add_force(job->sim, &f);
  if (s == LIMB_E_ARG)
    return sim_wrong(&job->plan, run->delay.text ? &run->delay : &run->rate, "the delay spans too many samples");
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "controller");
}

int sim_open_control(sim_job* job)
{
  const limb_run_controller* run = &job->plan.run.controller;
  int type = 0;
  if (!run->type.text) {
    if (!cli_has(job->plan.args, "controller")) return EXIT_FINE;
    return cli_usage(job->plan.args, "--controller must begin with a type, such as pd_gravity");
  }
  sim_control* c = calloc(1, sizeof *c);
  job->control = c;
  if (!c) return sim_out_of_memory(&job->plan);
  c->job = job;
  c->env = job->options.env;
  sim_formulas_begin(&c->formulas, job, SIM_KNOWN_INPUT);
  int code = sim_word_of(&job->plan, &run->type, controller_names, &type);
  c->type = (sim_controller)type;
  if (code == EXIT_FINE) code = allocate(job, c);
  if (code == EXIT_FINE) code = refuse_loops(job, c);
  if (code == EXIT_FINE) code = read_gains(job, c);
  if (code == EXIT_FINE) code = read_reference(job, c);
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
  limb_data_destroy(c->data);
  free(c->rate_of);
  free(c->to);
  free(c);
  job->control = NULL;
}
