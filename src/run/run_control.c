// Controllers of a simulation (limb/control.h), with gains and references of the run.
//
// The reference of a joint is a formula of time and state, or a column of a table; by default the joint stays where it
// starts. Missing columns v. and a. of a table are derivatives of its spline.
#include "run/run_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum run_controller { RUN_PD_GRAVITY, RUN_COMPUTED_TORQUE, RUN_IMPEDANCE, RUN_FEEDFORWARD } run_controller;

static const char* const controller_names[] = {"pd_gravity", "computed_torque", "impedance", "feedforward", NULL};

struct run_control {
  limb_runner* r;
  run_controller type;
  limb_environment env; // what the controller knows of the world
  int saturate;
  double *kp, *kd; // nv; for impedance those of the posture

  // References, set by formulas and a table.
  double *q, *v, *a;
  double position[3], orientation[4], velocity[6], acceleration[6];
  run_formulas formulas;
  double** to;     // destination of each formula
  run_table table; // 0 ... nq - 1: q, then v, then a
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
static limb_status read_joint_gains(const limb_runner* r, const limb_run_values* list, double* to)
{
  limb_status code = LIMB_OK;
  for (int i = 0; i < list->count && code == LIMB_OK; i++) {
    const limb_run_value* v = &list->value[i];
    double x = 0;
    code = limb_run_number(v, LIMB_RUN_NOT_NEGATIVE, &x, r->err);
    if (code != LIMB_OK) break;
    if (!*v->name) {
      for (int k = 0; k < r->nv; k++) to[k] = x;
      continue;
    }
    const int k = limb_run_find_dof(r, v, 0);
    if (k < 0) return LIMB_E_ARG;
    to[k] = x;
  }
  return code;
}

static limb_status read_frame_gains(const limb_runner* r, const limb_run_values* list, double to[6])
{
  limb_status code = LIMB_OK;
  for (int i = 0; i < list->count && code == LIMB_OK; i++) {
    const limb_run_value* v = &list->value[i];
    const int one = limb_run_index_of(v->name, directions);
    const int linear = strcmp(v->name, "linear") == 0, angular = strcmp(v->name, "angular") == 0;
    double x = 0;
    code = limb_run_number(v, LIMB_RUN_NOT_NEGATIVE, &x, r->err);
    if (code == LIMB_OK && one < 0 && *v->name && !linear && !angular)
      code = limb_run_wrong(r->err, v, "'%s' is not a direction; these are wx, wy, wz, vx, vy, vz, angular, linear",
                            v->name);
    for (int k = 0; k < 6 && code == LIMB_OK; k++)
      if (k == one || !*v->name || (linear && k >= 3) || (angular && k < 3)) to[k] = x;
  }
  return code;
}

static limb_status read_impedance(limb_runner* r, run_control* c)
{
  static const char* const words[] = {"aligned", "body", NULL};
  const limb_run_controller* run = &r->run.controller;
  int axes = 0;
  if (!run->frame.text) return limb_run_wrong(r->err, &run->type, "impedance requires a frame");
  c->frame = limb_run_find_frame(r, &run->frame);
  if (c->frame < 0) return LIMB_E_ARG;
  limb_status code = limb_run_word(&run->axes, words, &axes, r->err);
  c->axes = axes ? LIMB_BODY : LIMB_ALIGNED;
  c->shaped = run->inertia.count > 0;
  c->posture = run->q.count > 0 || run->posture_kp.count > 0;
  if (code == LIMB_OK) code = limb_run_directions(&run->directions, &c->directions, r->err);
  if (code == LIMB_OK) code = read_frame_gains(r, &run->kp, c->stiffness);
  if (code == LIMB_OK) code = read_frame_gains(r, &run->kd, c->resistance);
  if (code == LIMB_OK) code = read_frame_gains(r, &run->inertia, c->inertia);
  if (code == LIMB_OK) code = read_joint_gains(r, &run->posture_kp, c->kp);
  return code == LIMB_OK ? read_joint_gains(r, &run->posture_kd, c->kd) : code;
}

// Settings of impedance are errors elsewhere.
static limb_status refuse_frame(const limb_runner* r)
{
  const limb_run_controller* run = &r->run.controller;
  enum { LISTS = 8 };
  const limb_run_values* const list[LISTS] = {&run->inertia,  &run->posture_kp,  &run->posture_kd, &run->directions,
                                              &run->position, &run->orientation, &run->velocity,   &run->acceleration};
  if (run->frame.text) return limb_run_wrong(r->err, &run->frame, "is a setting of impedance only");
  if (run->axes.text) return limb_run_wrong(r->err, &run->axes, "is a setting of impedance only");
  for (int k = 0; k < LISTS; k++)
    if (list[k]->count > 0) return limb_run_wrong(r->err, list[k]->value, "is a setting of impedance only");
  return LIMB_OK;
}

static limb_status read_gains(limb_runner* r, run_control* c)
{
  const limb_run_controller* run = &r->run.controller;
  limb_status code = limb_run_truth(&run->saturate, &c->saturate, r->err);
  if (code != LIMB_OK) return code;
  if (c->type == RUN_IMPEDANCE) return read_impedance(r, c);
  code = refuse_frame(r);
  if (code == LIMB_OK) code = read_joint_gains(r, &run->kp, c->kp);
  return code == LIMB_OK ? read_joint_gains(r, &run->kd, c->kd) : code;
}

// ---- references: reading ---------------------------------------------------------------------------

static limb_status add_formula(limb_runner* r, run_control* c, const limb_run_value* v, double* to)
{
  c->to[c->formulas.count] = to;
  return limb_run_formulas_add(&c->formulas, r, RUN_KNOWN_INPUT, v, NULL, NULL);
}

static limb_status add_joints(limb_runner* r, run_control* c, const limb_run_values* list, int of_q, double* to)
{
  limb_status code = LIMB_OK;
  for (int i = 0; i < list->count && code == LIMB_OK; i++) {
    const int k = limb_run_find_dof(r, &list->value[i], of_q);
    if (k < 0) return LIMB_E_ARG;
    code = add_formula(r, c, &list->value[i], to + k);
  }
  return code;
}

static limb_status add_parts(limb_runner* r, run_control* c, const limb_run_values* list, const char* const* names,
                             double* to)
{
  limb_status code = LIMB_OK;
  for (int i = 0; i < list->count && code == LIMB_OK; i++) {
    const int k = limb_run_index_of(list->value[i].name, names);
    if (k < 0) return limb_run_wrong(r->err, &list->value[i], "unknown component '%s'", list->value[i].name);
    code = add_formula(r, c, &list->value[i], to + k);
  }
  return code;
}

// The default reference: where the frame is at the start.
static limb_status begin_frame(limb_runner* r, run_control* c)
{
  sp_pose X = sp_pose_identity();
  limb_status s = limb_kinematics(r->data, r->q, NULL, NULL);
  if (s == LIMB_OK) s = limb_frame_pose(r->data, c->frame, &X);
  const sp_quat o = sp_quat_rot(X.R);
  c->position[0] = X.p.x, c->position[1] = X.p.y, c->position[2] = X.p.z;
  c->orientation[0] = o.x, c->orientation[1] = o.y, c->orientation[2] = o.z, c->orientation[3] = o.w;
  return s == LIMB_OK ? LIMB_OK : limb_run_failed(r, s, "controller");
}

static int column_of(const void* context, const char* column)
{
  const limb_runner* r = context;
  const char* const prefix[] = {"q.", "v.", "a."};
  int first = 0;
  for (int g = 0; g < 3; g++) {
    const limb_dof_info* dof = g == 0 ? r->dq : r->dv;
    const int n = g == 0 ? r->nq : r->nv;
    for (int k = 0; k < n && strncmp(column, prefix[g], 2) == 0; k++)
      if (strcmp(column + 2, dof[k].name) == 0) return first + k;
    first += n;
  }
  return -1;
}

// Velocities that are derivatives of columns of coordinates, except rotations.
static limb_status find_rates(limb_runner* r, run_control* c)
{
  c->rate_of = calloc((size_t)c->table.columns + 1, sizeof *c->rate_of);
  if (!c->rate_of) return limb_run_no_memory(r);
  for (int k = 0; k < c->table.columns; k++) {
    const int to = c->table.to[k];
    limb_joint_info x;
    c->rate_of[k] = -1;
    if (to >= r->nq || limb_get_joint(r->model, r->dq[to].joint, &x) != LIMB_OK) continue;
    if (x.nq == x.nv) c->rate_of[k] = x.v + r->dq[to].index;
  }
  return LIMB_OK;
}

static limb_status read_reference(limb_runner* r, run_control* c)
{
  static const char *const xyz[] = {"x", "y", "z", NULL}, *const xyzw[] = {"x", "y", "z", "w", NULL};
  const limb_run_controller* run = &r->run.controller;
  limb_status code = LIMB_OK;
  if (run->file.text) code = limb_run_table_open(&c->table, r, &run->file, LIMB_SIGNAL_SPLINE, column_of, r);
  if (code == LIMB_OK && run->file.text) code = find_rates(r, c);
  if (code == LIMB_OK) code = add_joints(r, c, &run->q, 1, c->q);
  if (code == LIMB_OK) code = add_joints(r, c, &run->v, 0, c->v);
  if (code == LIMB_OK) code = add_joints(r, c, &run->a, 0, c->a);
  if (code == LIMB_OK && c->type == RUN_IMPEDANCE) code = begin_frame(r, c);
  if (code == LIMB_OK) code = add_parts(r, c, &run->position, xyz, c->position);
  if (code == LIMB_OK) code = add_parts(r, c, &run->orientation, xyzw, c->orientation);
  if (code == LIMB_OK) code = add_parts(r, c, &run->velocity, directions, c->velocity);
  if (code == LIMB_OK) code = add_parts(r, c, &run->acceleration, directions, c->acceleration);
  return code == LIMB_OK ? limb_run_formulas_ready(&c->formulas, r) : code;
}

// ---- references: evaluating ------------------------------------------------------------------------

static void from_table(run_control* c)
{
  const run_table* t = &c->table;
  const int nq = c->r->nq, nv = c->r->nv;
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
static void normalise(run_control* c)
{
  const limb_model* m = c->r->model;
  for (int j = 0; j < limb_joint_count(m) && c->r->nq != c->r->nv; j++) {
    limb_joint_info x;
    if (limb_get_joint(m, j, &x) != LIMB_OK || x.nq == x.nv) continue;
    double* q = c->q + x.q + x.nq - 4;
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4 && norm > 0; k++) q[k] /= norm;
  }
}

// Sets all references at this time.
static limb_status refer(run_control* c, const limb_sim_state* at)
{
  const limb_runner* r = c->r;
  limb_status s = LIMB_OK;
  memcpy(c->q, r->q, (size_t)r->nq * sizeof *c->q);
  memset(c->v, 0, (size_t)r->nv * sizeof *c->v);
  memset(c->a, 0, (size_t)r->nv * sizeof *c->a);
  if (c->table.signal) {
    s = limb_signal_at(c->table.signal, at->time, c->table.x, c->table.x1, c->table.x2);
    if (s == LIMB_OK) from_table(c);
  }
  if (s == LIMB_OK && c->formulas.count > 0) s = limb_run_formulas_read(&c->formulas, c->r, at);
  for (int k = 0; k < c->formulas.count && s == LIMB_OK; k++) *c->to[k] = c->formulas.value[k];
  normalise(c);
  return s;
}

// ---- controllers -----------------------------------------------------------------------------------

static limb_status of_joints(run_control* c, const double* q, const double* v, double t)
{
  const limb_control how = {.size = sizeof how, .kp = c->kp, .kd = c->kd, .env = &c->env, .saturate = c->saturate};
  const limb_goal goal = {c->q, c->v, c->a};
  limb_data* d = c->data;
  c->env.time = t;
  switch (c->type) {
  case RUN_COMPUTED_TORQUE: return limb_computed_torque_control(d, q, v, &goal, &how, c->work, c->tau);
  case RUN_FEEDFORWARD: return limb_pd_feedforward_control(d, q, v, &goal, &how, c->work, c->tau);
  case RUN_PD_GRAVITY:
  case RUN_IMPEDANCE: break;
  }
  return limb_pd_gravity_control(d, q, v, &goal, &how, c->work, c->tau);
}

static sp_motion motion_of(const double x[6])
{
  return sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
}

static limb_status of_frame(run_control* c, const double* q, const double* v)
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
  return limb_impedance_control(c->r->data, q, v, &goal, &how, c->work, c->tau);
}

static limb_status control(void* context, double t, const double* q, const double* v, double* tau)
{
  run_control* c = context;
  const limb_sim_state at = {.time = t, .q = q, .v = v};
  limb_status s = refer(c, &at);
  if (s == LIMB_OK) s = c->type == RUN_IMPEDANCE ? of_frame(c, q, v) : of_joints(c, q, v, t);
  if (s != LIMB_OK && !*c->r->trouble)
    (void)snprintf(c->r->trouble, sizeof c->r->trouble, "controller %s at %.9g s: %s", controller_names[c->type], t,
                   limb_status_text(s));
  for (int k = 0; k < c->r->nv && s == LIMB_OK; k++) tau[k] += c->tau[k];
  return s;
}

static double next_break(void* context, double t)
{
  const run_control* c = context;
  return limb_signal_next_break(c->table.signal, t);
}

// ---- opening ---------------------------------------------------------------------------------------

static limb_status allocate(limb_runner* r, run_control* c)
{
  const int nq = r->nq, nv = r->nv;
  c->q = limb_run_zeros(nq), c->v = limb_run_zeros(nv), c->a = limb_run_zeros(nv);
  c->kp = limb_run_zeros(nv), c->kd = limb_run_zeros(nv), c->tau = limb_run_zeros(nv);
  c->work = limb_run_zeros((int)limb_control_work(r->model));
  const size_t max = (size_t)nq + 2 * (size_t)nv + 32;
  c->to = calloc(max, sizeof *c->to);
  const int fine = c->q && c->v && c->a && c->kp && c->kd && c->tau && c->work && c->to;
  if (!fine) return limb_run_no_memory(r);
  const limb_status s = limb_data_create(r->model, NULL, &c->data);
  return s == LIMB_OK ? LIMB_OK : limb_run_failed(r, s, "controller");
}

static limb_status refuse_loops(const limb_runner* r, const run_control* c)
{
  if (limb_loop_count(r->model) == 0 || c->type != RUN_IMPEDANCE) return LIMB_OK;
  return limb_run_wrong(r->err, &r->run.controller.type,
                        "impedance does not support robots with loops; the controllers of joints do");
}

static limb_status attach(limb_runner* r, run_control* c)
{
  const limb_run_controller* run = &r->run.controller;
  limb_sim_force f = {.force = control, .context = c};
  double rate = 0;
  limb_status code = limb_run_quantity(&run->rate, LIMB_RUN_POSITIVE, "Hz", &rate, r->err);
  if (code == LIMB_OK) code = limb_run_quantity(&run->delay, LIMB_RUN_NOT_NEGATIVE, "s", &f.delay, r->err);
  if (code != LIMB_OK) return code;
  if (f.delay > 0 && rate == 0)
    return limb_run_wrong(r->err, &run->delay, "requires a sampled controller: rate is missing");
  if (rate > 0)
    f.period = 1 / rate;
  else if (c->table.signal)
    f.next_break = next_break;
  r->setup.period = f.period, r->setup.delay = f.delay;
  const limb_status s = limb_sim_add_force(r->sim, &f);
  if (s == LIMB_E_ARG)
    return limb_run_wrong(r->err, run->delay.text ? &run->delay : &run->rate, "the delay spans too many samples");
  return s == LIMB_OK ? LIMB_OK : limb_run_failed(r, s, "controller");
}

limb_status limb_run_open_control(limb_runner* r)
{
  const limb_run_controller* run = &r->run.controller;
  int type = 0;
  if (!run->type.text) return LIMB_OK;
  run_control* c = calloc(1, sizeof *c);
  r->control = c;
  if (!c) return limb_run_no_memory(r);
  c->r = r;
  c->env = r->setup.sim.env;
  limb_status code = limb_run_word(&run->type, controller_names, &type, r->err);
  c->type = (run_controller)type;
  if (code == LIMB_OK) code = allocate(r, c);
  if (code == LIMB_OK) code = refuse_loops(r, c);
  if (code == LIMB_OK) code = read_gains(r, c);
  if (code == LIMB_OK) code = read_reference(r, c);
  return code == LIMB_OK ? attach(r, c) : code;
}

void limb_run_close_control(limb_runner* r)
{
  run_control* c = r->control;
  if (!c) return;
  double* const all[] = {c->q, c->v, c->a, c->kp, c->kd, c->tau, c->work};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
  limb_run_formulas_free(&c->formulas);
  limb_run_table_free(&c->table);
  limb_data_destroy(c->data);
  free(c->rate_of);
  free(c->to);
  free(c);
  r->control = NULL;
}
