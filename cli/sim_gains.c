// Gains and references of controllers.
#include "cli.h"
#include "sim_control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char* const sim_controller_names[] = {"pd_gravity", "computed_torque", "impedance", "feedforward", NULL};

static const char* const directions[] = {"wx", "wy", "wz", "vx", "vy", "vz", NULL};

// ---- gains -----------------------------------------------------------------------------------------------

// Of all joints when the name is "", else of one.
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
      code = sim_wrong(&job->plan, v, "'%s' is no direction: wx, wy, wz, vx, vy, vz, angular, linear", v->name);
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
  if (!run->frame.text) return sim_wrong(&job->plan, &run->type, "impedance is of a frame: frame is missing");
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

// What only impedance has is an error elsewhere.
static int refuse_frame(const sim_job* job)
{
  const limb_run_controller* run = &job->plan.run.controller;
  enum { LISTS = 8 };
  const limb_run_values* const list[LISTS] = {&run->inertia,  &run->posture_kp,  &run->posture_kd, &run->directions,
                                              &run->position, &run->orientation, &run->velocity,   &run->acceleration};
  if (run->frame.text) return sim_wrong(&job->plan, &run->frame, "is of impedance only");
  if (run->axes.text) return sim_wrong(&job->plan, &run->axes, "is of impedance only");
  for (int k = 0; k < LISTS; k++)
    if (list[k]->count > 0) return sim_wrong(&job->plan, list[k]->value, "is of impedance only");
  return EXIT_FINE;
}

int sim_read_gains(sim_job* job, sim_control* c)
{
  const limb_run_controller* run = &job->plan.run.controller;
  int code = sim_truth(&job->plan, &run->saturate, &c->saturate);
  if (code != EXIT_FINE) return code;
  if (c->type == SIM_IMPEDANCE) return read_impedance(job, c);
  code = refuse_frame(job);
  if (code == EXIT_FINE) code = read_joint_gains(job, &run->kp, c->kp);
  return code == EXIT_FINE ? read_joint_gains(job, &run->kd, c->kd) : code;
}

// ---- references ------------------------------------------------------------------------------------------

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
    if (k < 0) return sim_wrong(&job->plan, &list->value[i], "there is no component '%s'", list->value[i].name);
    code = add_formula(job, c, &list->value[i], to + k);
  }
  return code;
}

// Where the frame is at the start: the reference of what is not given.
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

// Velocities that follow from columns of coordinates; not those of rotations.
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

int sim_read_reference(sim_job* job, sim_control* c)
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
