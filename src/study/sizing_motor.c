// Motors along a motion, by the equations of limb_sizing_motor; the power of all of them; limits and how much of them
// is used.
#include "study/sizing.h"

#include <math.h>
#include <stdlib.h>

// ---- motors ----------------------------------------------------------------------------------------

static double on_curve(const limb_torque_curve* c, double w)
{
  const double* p = c->point;
  if (w <= p[0]) return p[1];
  for (int k = 1; k < c->count; k++, p += 2)
    if (w <= p[2]) return p[1] + (w - p[0]) / (p[2] - p[0]) * (p[3] - p[1]);
  return 0;
}

double limb_gearmotor_torque(const limb_gearmotor* a, int peak, double speed)
{
  const double w = fabs(speed);
  if (!a) return 0;
  const limb_torque_curve* curve = peak ? &a->peak_curve : &a->rated_curve;
  const double torque = peak ? a->peak_torque : a->rated_torque;
  if (curve->count > 0) return on_curve(curve, w);
  return a->rated_speed > 0 && w > a->rated_speed ? torque * a->rated_speed / w : torque;
}

static int is_curve(const limb_torque_curve* c)
{
  if (c->count < 0 || (c->count > 0 && !c->point)) return 0;
  for (int k = 0; k < c->count; k++) {
    const double w = c->point[2 * k], torque = c->point[2 * k + 1];
    if (!(w >= 0 && isfinite(w) && torque >= 0 && isfinite(torque))) return 0;
    if (k > 0 && w <= c->point[2 * k - 2]) return 0;
  }
  return 1;
}

// What a curve says besides: its largest torque and its last speed, where they are not given.
static void take_curve(const limb_torque_curve* c, double given_speed, double* torque, double* speed)
{
  double highest = 0;
  for (int k = 0; k < c->count; k++) highest = fmax(highest, c->point[2 * k + 1]);
  if (*torque == 0) *torque = highest;
  if (c->count > 0 && given_speed == 0) *speed = fmax(*speed, c->point[2 * c->count - 2]);
}

static int is_valid(const limb_gearmotor* a)
{
  const double x[] = {a->rated_torque, a->peak_torque, a->rated_speed, a->max_speed,   a->inertia,
                      a->ratio,        a->efficiency,  a->output_mean, a->output_peak, a->input_speed};
  for (size_t k = 0; k < sizeof x / sizeof *x; k++)
    if (!(x[k] >= 0 && isfinite(x[k]))) return 0;
  return a->efficiency <= 1 && is_curve(&a->rated_curve) && is_curve(&a->peak_curve);
}

limb_status limb_sizing_set_gearmotor(limb_sizing* s, int k, const limb_gearmotor* a)
{
  limb_joint_info x;
  if (!s || !a || k < 0 || k >= s->nv || !is_valid(a)) return LIMB_E_ARG;
  if (s->rows > 0) return LIMB_E_ORDER;
  const limb_status status = limb_get_joint(s->model, s->dof[k].joint, &x);
  if (status != LIMB_OK) return status;
  if (x.nv != 1) return LIMB_E_UNSUPPORTED;
  sizing_motor* m = &s->motor[k];
  *m = (sizing_motor){.set = 1, .data = *a};
  if (m->data.ratio == 0) m->data.ratio = 1;
  if (m->data.efficiency == 0) m->data.efficiency = 1;
  take_curve(&a->rated_curve, a->max_speed, &m->data.rated_torque, &m->data.max_speed);
  take_curve(&a->peak_curve, a->max_speed, &m->data.peak_torque, &m->data.max_speed);
  m->model_rotor = x.def.gear_ratio * x.def.gear_ratio * x.def.rotor_inertia + x.def.armature[0];
  return LIMB_OK;
}

static double rotor_of(const sizing_motor* m)
{
  return m->data.inertia > 0 ? m->data.inertia : m->model_rotor / (m->data.ratio * m->data.ratio);
}

// A torque by the one that the motor has; out of its reach: very large, so that sums and crossings stay numbers.
static double share(double torque, double available)
{
  if (available > 0) return torque / available;
  return torque == 0 ? 0 : copysign(1e9, torque);
}

static void add_envelope(sizing_motor* m, int first, double time, double torque, double w)
{
  const double available = limb_gearmotor_torque(&m->data, 1, w);
  const double used = available > 0 ? fabs(torque) / available : torque != 0 ? HUGE_VAL : 0;
  if (!(m->data.peak_torque > 0)) return;
  if (first || used > m->envelope.value) m->envelope_torque = fabs(torque);
  sizing_keep_peak(&m->envelope, first, time, used, w);
}

// Torque of the motor from that of the joint; returns its power.
static double add_motor(sizing_motor* m, const limb_sizing_row* row, int k, int first, double dt)
{
  const limb_gearmotor* d = &m->data;
  const double v = row->v[k], a = row->a ? row->a[k] : 0, N = d->ratio, w = N * v;
  // tau_o = tau - I_a a;  tau_m = tau_o / (N eta) or tau_o eta / N, + J N a
  const double output = row->tau[k] - m->model_rotor * a;
  const double input = output * v >= 0 ? output / (N * d->efficiency) : output * d->efficiency / N;
  const double torque = input + rotor_of(m) * N * a, power = torque * w;
  const double load = share(torque, limb_gearmotor_torque(d, 0, w));
  sizing_keep_peak(&m->torque, first, row->time, torque, w);
  sizing_keep_peak(&m->speed, first, row->time, w, torque);
  sizing_keep_peak(&m->power, first, row->time, power, 0);
  sizing_keep_peak(&m->output, first, row->time, output, v);
  add_envelope(m, first, row->time, torque, w);
  if (!first) {
    const double last_power = m->last_torque * m->last_speed, w0 = fabs(m->last_speed), w1 = fabs(w);
    m->torque_square += sizing_square(dt, m->last_torque, torque);
    if (d->rated_torque > 0) m->overload += sizing_above(dt, m->last_load, load, 1);
    sizing_add_energy(dt, last_power, power, &m->delivered, &m->absorbed);
    m->travel += dt * (w0 + w1) / 2;
    m->cubes +=
      dt * (fabs(m->last_output * m->last_output * m->last_output) * w0 + fabs(output * output * output) * w1) / 2;
  }
  m->last_speed = w, m->last_torque = torque, m->last_output = output, m->last_load = load;
  return power;
}

void sizing_add_motors(limb_sizing* s, const limb_sizing_row* row, int first, double dt)
{
  limb_joint_info x;
  double sum = 0;
  for (int k = 0; k < s->nv; k++) {
    sizing_motor* m = &s->motor[k];
    if (m->set)
      sum += add_motor(m, row, k, first, dt);
    else if (limb_get_joint(s->model, s->dof[k].joint, &x) == LIMB_OK && !x.passive)
      sum += row->tau[k] * row->v[k];
  }
  limb_sizing_total* t = &s->total;
  if (sum > t->drive.value) t->drive = (limb_peak){sum, row->time, 0};
  if (sum < t->brake.value) t->brake = (limb_peak){sum, row->time, 0};
  if (!first) sizing_add_energy(dt, s->last_total, sum, &t->delivered, &t->absorbed);
  s->last_total = sum;
}

limb_sizing_total limb_sizing_get_total(const limb_sizing* s) { return s ? s->total : (limb_sizing_total){0}; }

limb_status limb_sizing_get_motor(const limb_sizing* s, int k, limb_sizing_motor* out)
{
  if (!s || !out || k < 0 || k >= s->nv) return LIMB_E_ARG;
  const sizing_motor* m = &s->motor[k];
  const double T = s->end - s->start;
  if (!m->set) return LIMB_E_UNSUPPORTED;
  *out = (limb_sizing_motor){.data = m->data,
                             .inertia = rotor_of(m),
                             .torque = m->torque,
                             .speed = m->speed,
                             .power = m->power,
                             .output = m->output,
                             .envelope = m->envelope,
                             .torque_rms = T > 0 ? sqrt(m->torque_square / T) : fabs(m->torque.value),
                             .mean_power = T > 0 ? (m->delivered + m->absorbed) / T : fabs(m->power.value),
                             .energy_delivered = m->delivered,
                             .energy_absorbed = m->absorbed,
                             .mean_speed = T > 0 ? m->travel / T : fabs(m->speed.value),
                             .output_mean = m->travel > 0 ? cbrt(m->cubes / m->travel) : fabs(m->output.value)};
  const int above = m->data.rated_torque > 0 && fabs(m->last_load) > 1;
  out->overload = T > 0 ? m->overload / T : above;
  return LIMB_OK;
}

limb_status limb_sizing_motor_now(const limb_sizing* s, int k, double* speed, double* torque)
{
  if (!s || !speed || !torque || k < 0 || k >= s->nv) return LIMB_E_ARG;
  if (!s->motor[k].set) return LIMB_E_UNSUPPORTED;
  *speed = s->motor[k].last_speed, *torque = s->motor[k].last_torque;
  return LIMB_OK;
}

// ---- limits ----------------------------------------------------------------------------------------

static const struct {
  const char* words;
  int kind;
} limits[] = {
#define LIMB_X(name, value, words, kind) [value] = {words, kind},
  LIMB_SIZING_LIMITS(LIMB_X)
#undef LIMB_X
};

enum { LIMITS = sizeof limits / sizeof *limits };

const char* limb_sizing_limit_words(limb_sizing_limit limit)
{
  return (unsigned)limit < LIMITS ? limits[limit].words : NULL;
}

int limb_sizing_limit_kind(limb_sizing_limit limit) { return (unsigned)limit < LIMITS ? limits[limit].kind : -1; }

limb_status limb_sizing_set_safety(limb_sizing* s, double factor)
{
  if (!s || !(factor >= 1 && isfinite(factor))) return LIMB_E_ARG;
  s->safety = factor;
  return LIMB_OK;
}

typedef struct check_list {
  const limb_sizing* s;
  limb_sizing_check* out;
  int max, count;
  int joint, dof;
} check_list;

static void add_check(check_list* l, limb_sizing_limit limit, double value, double bound, double time, double used)
{
  const int over = used > 1 + 1e-9;
  if (l->count < l->max)
    l->out[l->count] = (limb_sizing_check){limit, l->joint, l->dof, value, bound, time, used, over};
  l->count++;
}

// A bound of a magnitude: infinite or zero where it is not known, but zero may be a limit of a joint.
static void check_bound(check_list* l, limb_sizing_limit limit, double value, double bound, double time)
{
  const int kind = limits[limit].kind;
  const double load = (kind == 0 || kind == 3 ? l->s->safety : 1) * fabs(value);
  if (!isfinite(bound)) return;
  add_check(l, limit, value, bound, time, bound > 0 ? load / bound : load > 0 ? HUGE_VAL : 0);
}

static void check_known(check_list* l, limb_sizing_limit limit, double value, double bound, double time)
{
  if (bound > 0) check_bound(l, limit, value, bound, time);
}

// The end of the range that the motion comes nearest to.
static void check_position(check_list* l, const limb_sizing_dof* d)
{
  if (!d->has_position || (!isfinite(d->q_lower) && !isfinite(d->q_upper))) return;
  const int up = d->q_upper - d->q_max <= d->q_min - d->q_lower;
  const double value = up ? d->q_max : d->q_min, bound = up ? d->q_upper : d->q_lower;
  const double half = (d->q_upper - d->q_lower) / 2, margin = d->margin;
  // used = |q - middle| / half = 1 - margin / half
  const double used = isfinite(half) && half > 0 ? 1 - margin / half : margin < 0 ? HUGE_VAL : 0;
  add_check(l, LIMB_SIZING_POSITION, value, bound, up ? d->q_max_time : d->q_min_time, used);
}

static void check_motion(check_list* l, const limb_sizing_dof* d)
{
  check_bound(l, LIMB_SIZING_SPEED, d->speed.value, d->speed_limit, d->speed.time);
  check_bound(l, LIMB_SIZING_ACCELERATION, d->acceleration.value, d->acceleration_limit, d->acceleration.time);
  check_bound(l, LIMB_SIZING_DECELERATION, d->deceleration.value, d->deceleration_limit, d->deceleration.time);
  check_bound(l, LIMB_SIZING_JERK, d->jerk.value, d->jerk_limit, d->jerk.time);
  check_position(l, d);
}

static void check_motor(check_list* l, int k)
{
  limb_sizing_motor m;
  if (limb_sizing_get_motor(l->s, k, &m) != LIMB_OK) return;
  const limb_gearmotor* d = &m.data;
  const double none = nan("");
  check_known(l, LIMB_SIZING_MOTOR_PEAK, m.torque.value, d->peak_torque, m.torque.time);
  if (d->rated_torque > 0)
    check_bound(l, LIMB_SIZING_MOTOR_RMS, m.torque_rms, limb_gearmotor_torque(d, 0, m.mean_speed), none);
  check_known(l, LIMB_SIZING_MOTOR_SPEED, m.speed.value, d->max_speed, m.speed.time);
  if ((d->rated_speed > 0 || d->peak_curve.count > 0) && d->peak_torque > 0)
    check_bound(l, LIMB_SIZING_MOTOR_ENVELOPE, l->s->motor[k].envelope_torque,
                limb_gearmotor_torque(d, 1, m.envelope.other), m.envelope.time);
  check_known(l, LIMB_SIZING_GEARBOX_PEAK, m.output.value, d->output_peak, m.output.time);
  check_known(l, LIMB_SIZING_GEARBOX_MEAN, m.output_mean, d->output_mean, none);
  check_known(l, LIMB_SIZING_GEARBOX_SPEED, m.speed.value, d->input_speed, m.speed.time);
}

static int by_use(const void* a, const void* b)
{
  const limb_sizing_check *x = a, *y = b;
  if (x->used != y->used) return x->used > y->used ? -1 : 1;
  if (x->joint != y->joint) return x->joint - y->joint;
  return (int)x->limit - (int)y->limit;
}

limb_status limb_sizing_checks(const limb_sizing* s, int max, limb_sizing_check* out, int* count)
{
  if (!s || max < 0 || (max > 0 && !out) || !count) return LIMB_E_ARG;
  check_list l = {.s = s, .out = out, .max = max};
  limb_sizing_dof d;
  limb_sizing_follower f;
  for (int k = 0; s->rows > 0 && limb_sizing_get_dof(s, k, &d) == LIMB_OK; k++) {
    l.joint = d.joint, l.dof = k;
    check_bound(&l, LIMB_SIZING_TORQUE, d.torque.value, d.torque_limit, d.torque.time);
    check_motion(&l, &d);
    check_motor(&l, k);
  }
  for (int k = 0; s->rows > 0 && limb_sizing_get_follower(s, k, &f) == LIMB_OK; k++) {
    l.joint = f.motion.joint, l.dof = -1;
    check_motion(&l, &f.motion);
  }
  *count = l.count;
  if (out) qsort(out, (size_t)(l.count < max ? l.count : max), sizeof *out, by_use);
  return LIMB_OK;
}
