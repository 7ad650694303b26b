// The sizing as tables for people: text and pages print the same ones.
#include "commands/sizing.h"

#include <math.h>
#include <stdlib.h>

static const double RPM = 9.549296585513721; // 1 rad/s

// ---- cells -----------------------------------------------------------------------------------------

double cli_sizing_noise(double size) { return fmax(1e-11, 1e-12 * size); }

// What rounding leaves of zero beside numbers of this size is zero.
static double clean(double x, double size) { return fabs(x) <= cli_sizing_noise(size) ? 0 : x; }

// "12.3 N m".
static void cell_unit(cli_table* t, double x, double size, const char* unit)
{
  if (isfinite(x))
    cli_cell(t, "%.4g%s%s", clean(x, size) == 0 ? 0.0 : x, *unit ? " " : "", unit);
  else
    cli_cell(t, "-");
}

// The same for what belongs to a peak: nothing if that is zero.
static void cell_then(cli_table* t, double peak, double peak_size, double x, double size, const char* unit)
{
  cell_unit(t, clean(peak, peak_size) == 0 ? HUGE_VAL : x, size, unit);
}

// How much of a limit is used: "37 %", "112 % OVER", "-" without one.
static void cell_used(cli_table* t, double used, int over)
{
  if (isfinite(used))
    cli_cell(t, "%.*f %%%s", over && used < 1.01 ? 2 : 0, 100 * used, over ? " OVER" : "");
  else
    cli_cell(t, "%s", over ? "OVER" : "-");
}

static void cell_share(cli_table* t, double x) { cli_cell(t, "%.0f %%", 100 * x); }

// The check of a limit of a degree of freedom; NULL: it is not known.
static const limb_sizing_check* check_of(const cli_sizing* s, limb_sizing_limit limit, int joint, int dof)
{
  for (int k = 0; k < s->checks; k++)
    if (s->check[k].limit == limit && s->check[k].joint == joint && s->check[k].dof == dof) return &s->check[k];
  return NULL;
}

// A limit and how much of it is used.
static void cell_limit(cli_table* t, const limb_sizing_check* c, double factor, const char* unit)
{
  cell_unit(t, c ? factor * c->bound : HUGE_VAL, 0, unit);
  cell_used(t, c ? c->used : HUGE_VAL, c && c->over);
}

// ---- limits ----------------------------------------------------------------------------------------

const char* cli_check_unit(const cli_sizing* s, const limb_sizing_check* c)
{
  limb_joint_info x;
  const int known = limb_get_joint(s->robot->model, c->joint, &x) == LIMB_OK;
  const cli_dof own = {.linear = known && x.def.type == LIMB_PRISMATIC};
  const cli_dof* dof = c->dof >= 0 ? &s->robot->dofs.v[c->dof] : &own;
  switch (limb_sizing_limit_kind(c->limit)) {
  case 0: return limb_force_unit(dof);
  case 1: return limb_velocity_unit(dof);
  case 2: return limb_position_unit(dof);
  case 4: return "rad/s";
  case 5: return dof->linear ? "m/s^2" : "rad/s^2";
  case 6: return dof->linear ? "m/s^3" : "rad/s^3";
  default: return "N m";
  }
}

const char* cli_check_name(const cli_sizing* s, const limb_sizing_check* c)
{
  return c->dof >= 0 ? s->robot->dofs.v[c->dof].name : cli_joint_name(s->robot->model, c->joint);
}

static void put_check(cli_table* t, const cli_sizing* s, const limb_sizing_check* c)
{
  const int motor = limb_sizing_limit_kind(c->limit) == 4;
  const double factor = motor ? RPM : 1;
  const char* unit = motor ? "rpm" : cli_check_unit(s, c);
  cli_cell(t, "%s", cli_check_name(s, c));
  cli_cell(t, "%s", limb_sizing_limit_words(c->limit));
  cell_unit(t, factor * c->value, 0, unit);
  cell_unit(t, factor * c->bound, 0, unit);
  cell_used(t, c->used, c->over);
  cell_unit(t, c->time, 0, "s");
}

// What is over a limit, or else what comes nearest to one.
cli_table cli_sizing_limits(const cli_sizing* s)
{
  enum { NEAREST = 5 };
  cli_table t = cli_table_make("<joint;<limit;>value;>limit;>used;>at");
  for (int k = 0; k < s->checks && (s->check[k].over || (s->over == 0 && k < NEAREST)); k++)
    put_check(&t, s, &s->check[k]);
  return t;
}

// ---- degrees of freedom ----------------------------------------------------------------------------

static void put_torque(cli_table* t, const cli_sizing* s, int k, const limb_sizing_dof* d, const cli_dof* dof)
{
  const char* unit = limb_force_unit(dof);
  cli_cell(t, "%s", dof->name);
  cell_unit(t, d->torque.value, s->size.torque, unit);
  cell_then(t, d->torque.value, s->size.torque, d->torque.time, 0, "s");
  cell_then(t, d->torque.value, s->size.torque, d->torque.other, s->size.speed, limb_velocity_unit(dof));
  cell_unit(t, d->torque_rms, s->size.torque, unit);
  cell_limit(t, check_of(s, LIMB_SIZING_TORQUE, d->joint, k), 1, unit);
}

static void put_speed(cli_table* t, const cli_sizing* s, int k, const limb_sizing_dof* d, const cli_dof* dof)
{
  const char* unit = limb_velocity_unit(dof);
  cli_cell(t, "%s", dof->name);
  cell_unit(t, d->speed.value, s->size.speed, unit);
  cell_then(t, d->speed.value, s->size.speed, d->speed.time, 0, "s");
  cell_then(t, d->speed.value, s->size.speed, k < 0 ? HUGE_VAL : d->speed.other, s->size.torque, limb_force_unit(dof));
  cell_limit(t, check_of(s, LIMB_SIZING_SPEED, d->joint, k), 1, unit);
  if (k < 0)
    cli_cell(t, "-");
  else
    cell_share(t, d->moving);
}

static void put_power(cli_table* t, const cli_sizing* s, int k, const limb_sizing_dof* d, const cli_dof* dof)
{
  (void)k;
  cli_cell(t, "%s", dof->name);
  cell_unit(t, d->power.value, s->size.power, "W");
  cell_then(t, d->power.value, s->size.power, d->power.time, 0, "s");
  cell_unit(t, d->mean_power, s->size.power, "W");
  cell_unit(t, d->energy_delivered, s->size.energy, "J");
  cell_unit(t, d->energy_absorbed, s->size.energy, "J");
}

static void put_position(cli_table* t, const cli_sizing* s, int k, const limb_sizing_dof* d, const cli_dof* dof)
{
  const char* unit = limb_position_unit(dof);
  const limb_sizing_check* c = check_of(s, LIMB_SIZING_POSITION, d->joint, k);
  if (!d->has_position) return;
  cli_cell(t, "%s", dof->name);
  cell_unit(t, d->q_min, 0, unit), cell_unit(t, d->q_min_time, 0, "s");
  cell_unit(t, d->q_max, 0, unit), cell_unit(t, d->q_max_time, 0, "s");
  if (isfinite(d->q_lower) || isfinite(d->q_upper))
    cli_cell(t, "%.4g ... %.4g %s", d->q_lower, d->q_upper, unit);
  else
    cli_cell(t, "-");
  if (isfinite(d->margin))
    cli_cell(t, "%.4g %s%s", clean(d->margin, 0) == 0 ? 0.0 : d->margin, unit, c && c->over ? " OVER" : "");
  else
    cli_cell(t, "-");
}

// Name and units of a follower.
cli_dof cli_follower_dof(const cli_sizing* s, const limb_sizing_follower* f)
{
  limb_joint_info x = {.def = {.name = "?"}};
  (void)!limb_get_joint(s->robot->model, f->motion.joint, &x);
  return (cli_dof){.name = x.def.name, .joint = f->motion.joint, .linear = x.def.type == LIMB_PRISMATIC};
}

typedef void put_dof_fn(cli_table* t, const cli_sizing* s, int k, const limb_sizing_dof* d, const cli_dof* dof);

// A joint without motor, and without torque, has nothing to be sized.
static int is_idle(const cli_sizing* s, int k, const limb_sizing_dof* d)
{
  return s->robot->dofs.v[k].passive && clean(d->torque.value, s->size.torque) == 0;
}

static cli_table dof_table(const cli_sizing* s, const char* form, put_dof_fn* put, int drives)
{
  cli_table t = cli_table_make(form);
  limb_sizing_dof d;
  limb_sizing_follower f;
  for (int k = 0; limb_sizing_get_dof(s->sizing, k, &d) == LIMB_OK; k++)
    if (!drives || !is_idle(s, k, &d)) put(&t, s, k, &d, &s->robot->dofs.v[k]);
  for (int k = 0; !drives && limb_sizing_get_follower(s->sizing, k, &f) == LIMB_OK; k++) {
    const cli_dof dof = cli_follower_dof(s, &f);
    put(&t, s, -1, &f.motion, &dof);
  }
  return t;
}

static cli_table torques(const cli_sizing* s)
{
  return dof_table(s, "<torque;>peak;>at;>speed then;>rms;>limit;<used", put_torque, 1);
}

static cli_table speeds(const cli_sizing* s)
{
  return dof_table(s, "<speed;>peak;>at;>torque then;>limit;<used;>moves", put_speed, 0);
}

static cli_table powers(const cli_sizing* s)
{
  cli_table t = dof_table(s, "<power;>peak;>at;>mean of |P|;>energy delivered;>energy absorbed", put_power, 1);
  const limb_sizing_summary sum = limb_sizing_get_summary(s->sizing);
  cli_cell(&t, "all together"), cli_cell(&t, "%s", ""), cli_cell(&t, "%s", ""), cli_cell(&t, "%s", "");
  cell_unit(&t, sum.energy_delivered, s->size.energy, "J"), cell_unit(&t, sum.energy_absorbed, s->size.energy, "J");
  return t;
}

static cli_table positions(const cli_sizing* s)
{
  return dof_table(s, "<position;>min;>at;>max;>at;>limits;<margin to the nearest limit", put_position, 0);
}

// One supply for all: what some absorb, others take.
static cli_table supply(const cli_sizing* s)
{
  cli_table t =
    cli_table_make("<one supply for all;>largest power;>at;>largest braking;>at;>energy delivered;>energy absorbed");
  const limb_sizing_total x = limb_sizing_get_total(s->sizing);
  cli_cell(&t, s->motors ? "at the motors" : "at the joints");
  cell_unit(&t, x.drive.value, s->size.power, "W");
  cell_then(&t, x.drive.value, s->size.power, x.drive.time, 0, "s");
  cell_unit(&t, x.brake.value, s->size.power, "W");
  cell_then(&t, x.brake.value, s->size.power, x.brake.time, 0, "s");
  cell_unit(&t, x.delivered, s->size.energy, "J"), cell_unit(&t, x.absorbed, s->size.energy, "J");
  return t;
}

// ---- motors ----------------------------------------------------------------------------------------

static cli_table motors(const cli_sizing* s)
{
  cli_table t = cli_table_make("<motor;<type;>peak torque;>limit;<used;>rms;>rated;<used;>overload");
  limb_sizing_motor m;
  for (int k = 0; k < s->robot->dofs.nv; k++) {
    const cli_dof* dof = &s->robot->dofs.v[k];
    if (limb_sizing_get_motor(s->sizing, k, &m) != LIMB_OK) continue;
    cli_cell(&t, "%s", dof->name);
    cli_cell(&t, "%s", m.data.motor ? m.data.motor : "-");
    cell_unit(&t, m.torque.value, s->size.torque, "N m");
    cell_limit(&t, check_of(s, LIMB_SIZING_MOTOR_PEAK, dof->joint, k), 1, "N m");
    cell_unit(&t, m.torque_rms, s->size.torque, "N m");
    cell_limit(&t, check_of(s, LIMB_SIZING_MOTOR_RMS, dof->joint, k), 1, "N m");
    if (m.data.rated_torque > 0)
      cell_share(&t, m.overload);
    else
      cli_cell(&t, "-");
  }
  return t;
}

static cli_table motor_powers(const cli_sizing* s)
{
  cli_table t = cli_table_make("<motor power;>peak;>at;>mean of |P|;>energy delivered;>energy absorbed");
  limb_sizing_motor m;
  for (int k = 0; k < s->robot->dofs.nv; k++) {
    if (limb_sizing_get_motor(s->sizing, k, &m) != LIMB_OK) continue;
    cli_cell(&t, "%s", s->robot->dofs.v[k].name);
    cell_unit(&t, m.power.value, s->size.power, "W");
    cell_then(&t, m.power.value, s->size.power, m.power.time, 0, "s");
    cell_unit(&t, m.mean_power, s->size.power, "W");
    cell_unit(&t, m.energy_delivered, s->size.energy, "J"), cell_unit(&t, m.energy_absorbed, s->size.energy, "J");
  }
  return t;
}

static cli_table motor_speeds(const cli_sizing* s)
{
  cli_table t =
    cli_table_make("<motor speed;>peak;>limit;<used;>limit of the gearbox;<used;>mean;<torque at its speed: used");
  limb_sizing_motor m;
  for (int k = 0; k < s->robot->dofs.nv; k++) {
    const cli_dof* dof = &s->robot->dofs.v[k];
    if (limb_sizing_get_motor(s->sizing, k, &m) != LIMB_OK) continue;
    const limb_sizing_check* c = check_of(s, LIMB_SIZING_MOTOR_ENVELOPE, dof->joint, k);
    cli_cell(&t, "%s", dof->name);
    cell_unit(&t, RPM * m.speed.value, RPM * s->size.speed, "rpm");
    cell_limit(&t, check_of(s, LIMB_SIZING_MOTOR_SPEED, dof->joint, k), RPM, "rpm");
    cell_limit(&t, check_of(s, LIMB_SIZING_GEARBOX_SPEED, dof->joint, k), RPM, "rpm");
    cell_unit(&t, RPM * m.mean_speed, RPM * s->size.speed, "rpm");
    cell_used(&t, c ? c->used : HUGE_VAL, c && c->over);
  }
  return t;
}

static cli_table gearboxes(const cli_sizing* s)
{
  cli_table t = cli_table_make("<gearbox;<type;>ratio;>efficiency;>peak at the output;>limit;<used;>mean;>limit;<used");
  limb_sizing_motor m;
  for (int k = 0; k < s->robot->dofs.nv; k++) {
    const cli_dof* dof = &s->robot->dofs.v[k];
    const char* unit = limb_force_unit(dof);
    if (limb_sizing_get_motor(s->sizing, k, &m) != LIMB_OK || !m.data.gearbox) continue;
    cli_cell(&t, "%s", dof->name);
    cli_cell(&t, "%s", m.data.gearbox);
    cli_cell(&t, "%.4g%s", m.data.ratio, m.data.slides ? " rad/m" : "");
    cell_share(&t, m.data.efficiency);
    cell_unit(&t, m.output.value, s->size.torque, unit);
    cell_limit(&t, check_of(s, LIMB_SIZING_GEARBOX_PEAK, dof->joint, k), 1, unit);
    cell_unit(&t, m.output_mean, s->size.torque, unit);
    cell_limit(&t, check_of(s, LIMB_SIZING_GEARBOX_MEAN, dof->joint, k), 1, unit);
  }
  return t;
}

// ---- loads -----------------------------------------------------------------------------------------

int cli_sizing_load(const cli_sizing* s, int joint, limb_sizing_load* out)
{
  return limb_sizing_get_load(s->sizing, joint, out) == LIMB_OK && !limb_joint_is_auxiliary(s->robot->model, joint);
}

static void put_load(cli_table* t, const cli_sizing* s, const char* name, const limb_sizing_load* l)
{
  cli_cell(t, "%s", name);
  cell_unit(t, l->force, s->size.force, "N"), cell_then(t, l->force, s->size.force, l->force_time, 0, "s");
  cell_unit(t, l->moment, s->size.moment, "N m"), cell_then(t, l->moment, s->size.moment, l->moment_time, 0, "s");
}

// Fixed joints that carry nothing are left out: only frames without mass are attached to them.
static cli_table loads(const cli_sizing* s)
{
  cli_table t = cli_table_make("<load on the joint;>peak force;>at;>peak moment;>at");
  limb_joint_info joint;
  limb_sizing_load l;
  for (int j = 0; limb_get_joint(s->robot->model, j, &joint) == LIMB_OK; j++)
    if (cli_sizing_load(s, j, &l) && (joint.nv > 0 || l.force > 0 || l.moment > 0)) put_load(&t, s, joint.def.name, &l);
  return t;
}

static cli_table closures(const cli_sizing* s)
{
  cli_table t = cli_table_make("<load on the closure;>peak force;>at;>peak moment;>at");
  limb_loop_info loop;
  limb_sizing_load l;
  for (int i = 0; limb_get_loop(s->robot->model, i, &loop) == LIMB_OK; i++)
    if (limb_sizing_get_loop_load(s->sizing, i, &l) == LIMB_OK) put_load(&t, s, loop.def.name, &l);
  return t;
}

static void cell_wear(cli_table* t, limb_sizing_wear w, double size, const char* unit)
{
  cell_unit(t, w.peak, size, unit), cell_unit(t, w.mean, size, unit);
}

static cli_table bearings(const cli_sizing* s)
{
  cli_table t = cli_table_make("<bearing;>axial: peak;>mean;>radial: peak;>mean;>tilting moment: peak;>mean");
  limb_joint_info joint;
  limb_sizing_load l;
  limb_sizing_bearing b;
  for (int j = 0; limb_get_joint(s->robot->model, j, &joint) == LIMB_OK; j++) {
    if (!cli_sizing_load(s, j, &l) || limb_sizing_get_bearing(s->sizing, j, &b) != LIMB_OK) continue;
    cli_cell(&t, "%s", joint.def.name);
    cell_wear(&t, b.axial, s->size.force, "N"), cell_wear(&t, b.radial, s->size.force, "N");
    cell_wear(&t, b.tilting, s->size.moment, "N m");
  }
  return t;
}

// Components 0 ... 5 are mx ... fz.
static void put_component(cli_table* t, const cli_sizing* s, const limb_sizing_base* b, int k, const char* name)
{
  const double size = k < 3 ? s->size.moment : s->size.force;
  const char* unit = k < 3 ? "N m" : "N";
  cli_cell(t, "%s", name);
  cell_unit(t, b->min[k], size, unit), cell_unit(t, b->max[k], size, unit);
  cell_unit(t, fmax(fabs(b->min[k]), fabs(b->max[k])), size, unit);
}

static cli_table foundation(const cli_sizing* s)
{
  static const char* const name[] = {"moment about x", "moment about y", "moment about z",
                                     "force along x",  "force along y",  "force along z"};
  cli_table t = cli_table_make("<load on the foundation;>min;>max;>largest magnitude");
  limb_sizing_base b;
  if (limb_sizing_get_base(s->sizing, &b) != LIMB_OK) return t;
  for (int k = 3; k < 6; k++) put_component(&t, s, &b, k, name[k]);
  cli_cell(&t, "force across z"), cli_cell(&t, "-"), cli_cell(&t, "-"), cell_unit(&t, b.across, s->size.force, "N");
  for (int k = 0; k < 3; k++) put_component(&t, s, &b, k, name[k]);
  cli_cell(&t, "moment across z"), cli_cell(&t, "-"), cli_cell(&t, "-");
  cell_unit(&t, b.tilting, s->size.moment, "N m");
  return t;
}

// ---- all of them -----------------------------------------------------------------------------------

static const struct {
  cli_table (*make)(const cli_sizing* s);
  const char* note;
} tables[] = {
  {torques, NULL},
  {speeds, "\"moves\" is the share of the time with a speed above 0.001 rad/s or m/s."},
  {powers, "Energy is delivered by the actuator, or absorbed by it (braking)."},
  {supply, "What some joints absorb, others take: the sum of all powers at each time."},
  {positions, NULL},
  {motors,
   "RMS torques stay below the rated torque if the motor is to stay cool; \"overload\" is the share of the time "
   "with more than the rated torque."},
  {motor_speeds, "Up to the rated speed a motor has its torque, beyond it its power there."},
  {motor_powers, NULL},
  {gearboxes, "Means are cubic over the travel of the joint. The motor delivers what the gearbox loses, and while the "
              "load drives it, receives that much less."},
  {foundation, "What the robot exerts on its foundation, in world axes, moments about the joint on the world, or about "
               "the origin if there are several: pull and shear of the bolts."},
  {loads, "The whole wrench through the joint, the driven axis included."},
  {closures, NULL},
  {bearings, "All but the driven axis. Means are cubic over the travel of the joint (ISO 281)."},
};

int cli_sizing_table(const cli_sizing* s, int index, cli_table* out, const char** note)
{
  if (index < 0 || index >= COUNT_OF(tables)) return 0;
  *out = tables[index].make(s);
  *note = tables[index].note;
  return 1;
}

// ---- opening ---------------------------------------------------------------------------------------

static void grow(double* size, double x)
{
  if (isfinite(x)) *size = fmax(*size, fabs(x));
}

static void find_sizes(cli_sizing* s)
{
  limb_sizing_dof d;
  limb_sizing_load l;
  for (int k = 0; limb_sizing_get_dof(s->sizing, k, &d) == LIMB_OK; k++) {
    grow(&s->size.torque, d.torque.value), grow(&s->size.speed, d.speed.value);
  }
  for (int j = 0; limb_sizing_get_load(s->sizing, j, &l) == LIMB_OK; j++)
    grow(&s->size.force, l.force), grow(&s->size.moment, l.moment);
  // torques and forces of motors are what is left of these sums
  grow(&s->size.torque, s->size.moment), grow(&s->size.torque, s->size.force);
  s->size.power = s->size.torque * s->size.speed;
  s->size.energy = s->size.power * limb_sizing_get_summary(s->sizing).duration;
}

int cli_sizing_open(cli_sizing* s, const cli_args* args)
{
  limb_sizing_motor m;
  (void)!limb_sizing_checks(s->sizing, 0, NULL, &s->checks);
  s->check = calloc((size_t)s->checks + 1, sizeof *s->check);
  if (!s->check) return cli_out_of_memory(args);
  (void)!limb_sizing_checks(s->sizing, s->checks, s->check, &s->checks);
  while (s->over < s->checks && s->check[s->over].over) s->over++;
  for (int k = 0; k < s->robot->dofs.nv; k++) s->motors += limb_sizing_get_motor(s->sizing, k, &m) == LIMB_OK;
  find_sizes(s);
  return EXIT_FINE;
}

void cli_sizing_close(cli_sizing* s) { free(s->check); }
