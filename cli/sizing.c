// Sizing: peaks, root mean squares, work and loads, gathered row by row.
#include "sizing.h"

#include <stdlib.h>

static void describe_dof(cli_sizing* s, int k)
{
  sizing_dof* d = &s->dof[k];
  limb_joint_info info;
  d->q_min = -HUGE_VAL, d->q_max = d->v_max = d->effort_max = HUGE_VAL;
  d->q_least = HUGE_VAL, d->q_most = -HUGE_VAL;
  if (limb_get_joint(s->model, s->dofs->v[k].joint, &info) != LIMB_OK) return;
  // As many coordinates as velocities: they belong to each other. Of a free joint the positions are in
  // other axes than the velocities, and a rotation has no range at all.
  d->has_q = info.nq == info.nv;
  s->q_index[k] = info.q + s->dofs->v[k].index;
  if (info.nv == 1) {
    d->q_min = info.def.q_min, d->q_max = info.def.q_max;
    d->v_max = info.def.v_max, d->effort_max = info.def.effort_max;
  }
}

int cli_sizing_make(cli_sizing* s, const limb_model* model, const cli_dofs* dofs)
{
  *s = (cli_sizing){.model = model, .dofs = dofs};
  s->dof = calloc((size_t)dofs->nv + 1, sizeof *s->dof);
  s->q_index = calloc((size_t)dofs->nv + 1, sizeof *s->q_index);
  s->load = calloc((size_t)limb_joint_count(model) + 1, sizeof *s->load);
  s->loop = calloc((size_t)limb_loop_count(model) + 1, sizeof *s->loop);
  if (!s->dof || !s->q_index || !s->load || !s->loop) {
    cli_sizing_free(s);
    return 0;
  }
  for (int k = 0; k < dofs->nv; k++) describe_dof(s, k);
  return 1;
}

void cli_sizing_free(cli_sizing* s)
{
  free(s->dof);
  free(s->q_index);
  free(s->load);
  free(s->loop);
  *s = (cli_sizing){0};
}

static void keep_peak(sizing_peak* p, int first, double time, double value, double other)
{
  if (first || fabs(value) > fabs(p->value)) *p = (sizing_peak){value, time, other};
}

// Work while the power goes in a straight line from p0 to p1: what is above zero, what is below.
static void add_work(sizing_dof* d, double dt, double p0, double p1)
{
  if (p0 >= 0 && p1 >= 0) {
    d->done += dt * (p0 + p1) / 2;
  } else if (p0 <= 0 && p1 <= 0) {
    d->taken -= dt * (p0 + p1) / 2;
  } else {
    const double cross = p0 / (p0 - p1); // part of the step before zero
    const double before = dt * cross * p0 / 2, after = dt * (1 - cross) * p1 / 2;
    d->done += before > 0 ? before : after;
    d->taken -= before > 0 ? after : before;
  }
}

static void add_dof(cli_sizing* s, int k, double time, double q, double v, double tau)
{
  sizing_dof* d = &s->dof[k];
  const int first = s->rows == 0;
  const double power = tau * v;
  keep_peak(&d->torque, first, time, tau, v);
  keep_peak(&d->speed, first, time, v, tau);
  keep_peak(&d->power, first, time, power, 0);
  if (d->has_q && q < d->q_least) d->q_least = q, d->q_least_time = time;
  if (d->has_q && q > d->q_most) d->q_most = q, d->q_most_time = time;
  if (!first) {
    const double dt = time - s->end;
    d->torque_square += dt * (d->last_torque * d->last_torque + tau * tau) / 2;
    add_work(d, dt, d->last_power, power);
  }
  d->last_torque = tau;
  d->last_power = power;
}

static void add_load(sizing_load* l, int first, double time, const sp_force* w)
{
  const double force = sp_norm3(w->f), moment = sp_norm3(w->m);
  if (first || force > l->force) l->force = force, l->force_time = time, l->at_force = *w;
  if (first || moment > l->moment) l->moment = moment, l->moment_time = time, l->at_moment = *w;
}

void cli_sizing_add(cli_sizing* s, const sizing_row* row)
{
  const int first = s->rows == 0;
  const double time = row->time;
  for (int k = 0; k < s->dofs->nv; k++) add_dof(s, k, time, row->q[s->q_index[k]], row->v[k], row->tau[k]);
  for (int j = 0; j < limb_joint_count(s->model); j++) add_load(&s->load[j], first, time, &row->load[j]);
  for (int i = 0; row->loop && i < limb_loop_count(s->model); i++) add_load(&s->loop[i], first, time, &row->loop[i]);
  if (first) s->start = time;
  s->end = time;
  s->rows++;
}

int cli_sizing_has_wrench(const cli_sizing* s, int loop, limb_loop_info* out)
{
  return limb_get_loop(s->model, loop, out) == LIMB_OK && out->def.kind != LIMB_LOOP_GEAR &&
         out->def.kind != LIMB_LOOP_POLYNOMIAL;
}

double cli_sizing_duration(const cli_sizing* s) { return s->end - s->start; }

// Of a single row, which lasts no time, the magnitude itself.
double cli_sizing_rms(const cli_sizing* s, int k)
{
  const double T = cli_sizing_duration(s);
  return T > 0 ? sqrt(s->dof[k].torque_square / T) : fabs(s->dof[k].torque.value);
}

double cli_sizing_mean_power(const cli_sizing* s, int k)
{
  const double T = cli_sizing_duration(s);
  return T > 0 ? (s->dof[k].done + s->dof[k].taken) / T : fabs(s->dof[k].power.value);
}

// The degree of freedom whose coordinate is at this place in q; -1 when there is none.
static int dof_at(const cli_sizing* s, int q)
{
  for (int k = 0; k < s->dofs->nv; k++)
    if (s->dof[k].has_q && s->q_index[k] == q) return k;
  return -1;
}

// Everything follows from the extremes of the leader: the rows need not be looked at again.
static void follow(const cli_sizing* s, const limb_joint_info* info, sizing_follower* out)
{
  const sizing_dof* leader = &s->dof[out->leader];
  const double factor = info->multiplier, offset = info->offset;
  const int up = factor >= 0; // else the least of the leader gives the most of the follower
  sizing_dof* d = &out->motion;
  *d = (sizing_dof){.has_q = 1, .effort_max = HUGE_VAL};
  d->speed.value = factor * leader->speed.value, d->speed.time = leader->speed.time;
  d->q_least = factor * (up ? leader->q_least : leader->q_most) + offset;
  d->q_most = factor * (up ? leader->q_most : leader->q_least) + offset;
  d->q_least_time = up ? leader->q_least_time : leader->q_most_time;
  d->q_most_time = up ? leader->q_most_time : leader->q_least_time;
  d->q_min = info->def.q_min, d->q_max = info->def.q_max, d->v_max = info->def.v_max;
}

int cli_sizing_follower(const cli_sizing* s, int k, sizing_follower* out)
{
  for (int j = 0; j < limb_joint_count(s->model); j++) {
    limb_joint_info info;
    if (limb_get_joint(s->model, j, &info) != LIMB_OK || info.def.mimic < 0 || k-- > 0) continue;
    *out = (sizing_follower){.leader = dof_at(s, info.q)};
    out->dof = (cli_dof){.name = info.def.name, .joint = j, .linear = info.def.type == LIMB_PRISMATIC};
    if (out->leader < 0) return 0;
    follow(s, &info, out);
    return 1;
  }
  return 0;
}

double cli_sizing_room(const sizing_dof* d)
{
  return d->has_q ? fmin(d->q_max - d->q_most, d->q_least - d->q_min) : HUGE_VAL;
}
