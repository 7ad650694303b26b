// Sizing: peaks, root mean squares, energies and loads, gathered row by row.
#include "study/sizing.h"

#include <math.h>
#include <stdlib.h>

static const double MOVING = 1e-3; // rad/s, m/s

// As many coordinates as velocities: they belong to each other. Positions of a free joint are in other axes than its
// velocities, and a rotation has no range.
static void describe_joint(limb_sizing* s, int joint, const limb_joint_info* x)
{
  for (int k = 0; k < x->nv; k++)
    s->dof[x->v + k] = (sizing_dof){.joint = joint,
                                    .component = k,
                                    .q = x->q + k,
                                    .has_position = x->nq == x->nv,
                                    .q_min = HUGE_VAL,
                                    .q_max = -HUGE_VAL};
}

// The degree of freedom with this coordinate; -1: none.
static int dof_at(const limb_sizing* s, int q)
{
  for (int k = 0; k < s->nv; k++)
    if (s->dof[k].has_position && s->dof[k].q == q) return k;
  return -1;
}

static void describe_bearing(limb_sizing* s, int joint, const limb_joint_info* x)
{
  const limb_joint_type type = x->def.type;
  const int follows = x->def.mimic >= 0, leader = follows ? dof_at(s, x->q) : x->v;
  if ((type != LIMB_REVOLUTE && type != LIMB_HELICAL && type != LIMB_PRISMATIC) || leader < 0) return;
  s->bearing[joint] = (sizing_bearing){.kind = type == LIMB_PRISMATIC ? 2 : 1,
                                       .leader = leader,
                                       .rate = follows ? x->multiplier : 1,
                                       .axis = sp_scale3(1 / sp_norm3(x->def.axis), x->def.axis)};
}

limb_status limb_sizing_create(const limb_model* m, limb_sizing** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m) return LIMB_E_ARG;
  limb_sizing* s = calloc(1, sizeof *s);
  if (!s) return LIMB_E_NOMEM;
  *s = (limb_sizing){.model = m, .nv = limb_nv(m), .safety = 1};
  s->dof = calloc((size_t)s->nv + 1, sizeof *s->dof);
  s->load = calloc((size_t)limb_joint_count(m) + 1, sizeof *s->load);
  s->loop = calloc((size_t)limb_loop_count(m) + 1, sizeof *s->loop);
  s->bearing = calloc((size_t)limb_joint_count(m) + 1, sizeof *s->bearing);
  s->motor = calloc((size_t)s->nv + 1, sizeof *s->motor);
  if (!s->dof || !s->load || !s->loop || !s->bearing || !s->motor || sizing_open_base(s) != LIMB_OK) {
    limb_sizing_destroy(s);
    return LIMB_E_NOMEM;
  }
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    if (limb_get_joint(m, j, &x) == LIMB_OK) describe_joint(s, j, &x);
  }
  for (int j = 0; j < limb_joint_count(m); j++) { // leaders are known
    limb_joint_info x;
    if (limb_get_joint(m, j, &x) == LIMB_OK) describe_bearing(s, j, &x);
  }
  *out = s;
  return LIMB_OK;
}

void limb_sizing_destroy(limb_sizing* s)
{
  if (!s) return;
  free(s->dof);
  free(s->load);
  free(s->loop);
  free(s->bearing);
  free(s->motor);
  limb_data_destroy(s->base.data);
  free(s);
}

// ---- gathering -------------------------------------------------------------------------------------

void sizing_keep_peak(limb_peak* p, int first, double time, double value, double other)
{
  if (first || fabs(value) > fabs(p->value)) *p = (limb_peak){value, time, other};
}

void sizing_add_energy(double dt, double p0, double p1, double* delivered, double* absorbed)
{
  if (p0 >= 0 && p1 >= 0) {
    *delivered += dt * (p0 + p1) / 2;
  } else if (p0 <= 0 && p1 <= 0) {
    *absorbed -= dt * (p0 + p1) / 2;
  } else {
    const double cross = p0 / (p0 - p1); // part of the step before zero
    const double before = dt * cross * p0 / 2, after = dt * (1 - cross) * p1 / 2;
    *delivered += before > 0 ? before : after;
    *absorbed -= before > 0 ? after : before;
  }
}

double sizing_square(double dt, double x0, double x1) { return dt * (x0 * x0 + x1 * x1) / 2; }

// The part of [0, 1] in which x0 + s (x1 - x0) > bound.
static double part_above(double x0, double x1, double bound)
{
  if (x0 > bound && x1 > bound) return 1;
  if (x0 <= bound && x1 <= bound) return 0;
  const double cross = (bound - x0) / (x1 - x0);
  return x1 > bound ? 1 - cross : cross;
}

double sizing_above(double dt, double x0, double x1, double bound)
{
  return dt * (part_above(x0, x1, bound) + part_above(-x0, -x1, bound));
}

static void add_dof(limb_sizing* s, int k, double time, double q, double v, double tau)
{
  sizing_dof* d = &s->dof[k];
  const int first = s->rows == 0;
  const double power = tau * v;
  sizing_keep_peak(&d->torque, first, time, tau, v);
  sizing_keep_peak(&d->speed, first, time, v, tau);
  sizing_keep_peak(&d->power, first, time, power, 0);
  if (d->has_position && q < d->q_min) d->q_min = q, d->q_min_time = time;
  if (d->has_position && q > d->q_max) d->q_max = q, d->q_max_time = time;
  if (!first) {
    const double dt = time - s->end;
    d->torque_square += sizing_square(dt, d->last_torque, tau);
    d->moving += sizing_above(dt, d->last_speed, v, MOVING);
    sizing_add_energy(dt, d->last_power, power, &d->delivered, &d->absorbed);
  }
  d->last_torque = tau;
  d->last_power = power;
  d->last_speed = v;
}

// Acceleration while the joint becomes faster or slower, and its mean rate between two rows.
static void add_acceleration(limb_sizing* s, int k, double time, double v, double a)
{
  sizing_dof* d = &s->dof[k];
  const int first = s->rows == 0;
  const double dt = time - s->end;
  sizing_keep_peak(a * v < 0 ? &d->deceleration : &d->acceleration, 0, time, a, v);
  if (!first && dt > 0) sizing_keep_peak(&d->jerk, 0, time, (a - d->last_acceleration) / dt, v);
  d->last_acceleration = a;
}

void sizing_add_load(limb_sizing_load* l, int first, double time, const sp_force* w)
{
  const double force = sp_norm3(w->f), moment = sp_norm3(w->m);
  if (first || force > l->force) l->force = force, l->force_time = time, l->at_force = *w;
  if (first || moment > l->moment) l->moment = moment, l->moment_time = time, l->at_moment = *w;
}

// F along the axis and across it, by linear interpolation of speed and cubes between rows.
static void add_bearing(sizing_bearing* b, int first, double dt, double v, const sp_force* w)
{
  const double along = sp_dot3(b->axis, w->f), about = sp_dot3(b->axis, w->m), speed = fabs(b->rate * v);
  const double across = sp_norm3(sp_sub3(w->f, sp_scale3(along, b->axis)));
  const double tilting = b->kind == 2 ? sp_norm3(w->m) : sp_norm3(sp_sub3(w->m, sp_scale3(about, b->axis)));
  const double F[COMPONENTS] = {b->kind == 2 ? 0 : fabs(along), across, tilting};
  for (int k = 0; k < COMPONENTS; k++) {
    b->peak[k] = fmax(b->peak[k], F[k]);
    const double before = b->last[k] * b->last[k] * b->last[k] * b->last_speed, now = F[k] * F[k] * F[k] * speed;
    if (!first) b->cubes[k] += dt * (before + now) / 2;
    b->last[k] = F[k];
  }
  if (!first) b->travel += dt * (b->last_speed + speed) / 2;
  b->last_speed = speed;
}

void limb_sizing_add(limb_sizing* s, const limb_sizing_row* row)
{
  if (!s || !row) return;
  const int first = s->rows == 0;
  const double time = row->time;
  for (int k = 0; k < s->nv; k++) add_dof(s, k, time, row->q[s->dof[k].q], row->v[k], row->tau[k]);
  for (int k = 0; row->a && k < s->nv; k++) add_acceleration(s, k, time, row->v[k], row->a[k]);
  for (int j = 0; j < limb_joint_count(s->model); j++) sizing_add_load(&s->load[j], first, time, &row->load[j]);
  for (int j = 0; j < limb_joint_count(s->model); j++) {
    sizing_bearing* b = &s->bearing[j];
    if (b->kind) add_bearing(b, first, first ? 0 : time - s->end, row->v[b->leader], &row->load[j]);
  }
  for (int i = 0; row->loop && i < limb_loop_count(s->model); i++)
    sizing_add_load(&s->loop[i], first, time, &row->loop[i]);
  sizing_add_motors(s, row, first, first ? 0 : time - s->end);
  sizing_add_base(s, row, first);
  if (first) s->start = time;
  s->end = time;
  s->rows++;
}

// ---- results ---------------------------------------------------------------------------------------

limb_sizing_summary limb_sizing_get_summary(const limb_sizing* s)
{
  limb_sizing_summary sum = {0};
  if (!s) return sum;
  sum.rows = s->rows;
  sum.start = s->start, sum.duration = s->end - s->start;
  for (int k = 0; k < s->nv; k++)
    sum.energy_delivered += s->dof[k].delivered, sum.energy_absorbed += s->dof[k].absorbed;
  return sum;
}

static void set_limits(limb_sizing_dof* d, const limb_joint_def* def)
{
  d->q_lower = def->q_min, d->q_upper = def->q_max;
  d->speed_limit = def->v_max, d->torque_limit = def->effort_max;
  d->acceleration_limit = def->a_max, d->deceleration_limit = def->deceleration_max, d->jerk_limit = def->jerk_max;
  d->margin = d->has_position ? fmin(d->q_upper - d->q_max, d->q_min - d->q_lower) : HUGE_VAL;
}

static limb_joint_def no_limits(void) { return limb_default_joint_def("", LIMB_REVOLUTE, 0, 0); }

limb_status limb_sizing_get_dof(const limb_sizing* s, int k, limb_sizing_dof* out)
{
  if (!s || !out || k < 0 || k >= s->nv) return LIMB_E_ARG;
  const sizing_dof* d = &s->dof[k];
  const double T = s->end - s->start;
  const limb_joint_def none = no_limits();
  limb_joint_info x;
  *out = (limb_sizing_dof){.joint = d->joint,
                           .component = d->component,
                           .torque = d->torque,
                           .speed = d->speed,
                           .acceleration = d->acceleration,
                           .deceleration = d->deceleration,
                           .jerk = d->jerk,
                           .power = d->power,
                           .torque_rms = T > 0 ? sqrt(d->torque_square / T) : fabs(d->torque.value),
                           .mean_power = T > 0 ? (d->delivered + d->absorbed) / T : fabs(d->power.value),
                           .energy_delivered = d->delivered,
                           .energy_absorbed = d->absorbed,
                           .has_position = d->has_position,
                           .q_min = d->q_min,
                           .q_min_time = d->q_min_time,
                           .q_max = d->q_max,
                           .q_max_time = d->q_max_time,
                           .moving = T > 0 ? d->moving / T : fabs(d->speed.value) > MOVING};
  const limb_status status = limb_get_joint(s->model, d->joint, &x);
  if (status == LIMB_OK) set_limits(out, x.nv == 1 ? &x.def : &none);
  return status;
}

// Everything follows from the extremes of the leader: the rows are not needed again.
static void follow(const limb_sizing* s, int joint, const limb_joint_info* x, limb_sizing_follower* out)
{
  const sizing_dof* leader = &s->dof[out->leader];
  const double factor = x->multiplier, offset = x->offset;
  const int up = factor >= 0; // else the smallest of the leader gives the largest of the follower
  limb_sizing_dof* d = &out->motion;
  *d = (limb_sizing_dof){.joint = joint, .has_position = 1};
  d->speed.value = factor * leader->speed.value, d->speed.time = leader->speed.time;
  d->acceleration = (limb_peak){factor * leader->acceleration.value, leader->acceleration.time, 0};
  d->deceleration = (limb_peak){factor * leader->deceleration.value, leader->deceleration.time, 0};
  d->jerk = (limb_peak){factor * leader->jerk.value, leader->jerk.time, 0};
  d->q_min = factor * (up ? leader->q_min : leader->q_max) + offset;
  d->q_max = factor * (up ? leader->q_max : leader->q_min) + offset;
  d->q_min_time = up ? leader->q_min_time : leader->q_max_time;
  d->q_max_time = up ? leader->q_max_time : leader->q_min_time;
  set_limits(d, &x->def);
  d->torque_limit = HUGE_VAL;
}

limb_status limb_sizing_get_follower(const limb_sizing* s, int k, limb_sizing_follower* out)
{
  if (!s || !out || k < 0) return LIMB_E_ARG;
  for (int j = 0; j < limb_joint_count(s->model); j++) {
    limb_joint_info x;
    if (limb_get_joint(s->model, j, &x) != LIMB_OK || x.def.mimic < 0 || k-- > 0) continue;
    *out = (limb_sizing_follower){.leader = dof_at(s, x.q)};
    if (out->leader < 0) return LIMB_E_ARG;
    follow(s, j, &x, out);
    return LIMB_OK;
  }
  return LIMB_E_ARG;
}

limb_status limb_sizing_get_load(const limb_sizing* s, int joint, limb_sizing_load* out)
{
  if (!s || !out || joint < 0 || joint >= limb_joint_count(s->model)) return LIMB_E_ARG;
  *out = s->load[joint];
  return LIMB_OK;
}

limb_status limb_sizing_get_bearing(const limb_sizing* s, int joint, limb_sizing_bearing* out)
{
  if (!s || !out || joint < 0 || joint >= limb_joint_count(s->model)) return LIMB_E_ARG;
  const sizing_bearing* b = &s->bearing[joint];
  if (!b->kind) return LIMB_E_UNSUPPORTED;
  limb_sizing_wear w[COMPONENTS];
  for (int k = 0; k < COMPONENTS; k++)
    w[k] = (limb_sizing_wear){b->peak[k], b->travel > 0 ? cbrt(b->cubes[k] / b->travel) : b->peak[k]};
  *out = (limb_sizing_bearing){w[AXIAL], w[RADIAL], w[TILTING], b->travel};
  return LIMB_OK;
}

limb_status limb_sizing_get_loop_load(const limb_sizing* s, int loop, limb_sizing_load* out)
{
  limb_loop_info x;
  if (!s || !out || limb_get_loop(s->model, loop, &x) != LIMB_OK) return LIMB_E_ARG;
  if (x.def.kind == LIMB_LOOP_GEAR || x.def.kind == LIMB_LOOP_POLYNOMIAL) return LIMB_E_UNSUPPORTED;
  *out = s->loop[loop];
  return LIMB_OK;
}
