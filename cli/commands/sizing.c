// The sizing on paper: text, JSON and CSV.
#include "commands/sizing.h"

#include "limb/table.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(member)         offsetof(limb_sizing_dof, member)
#define NUMBER(record, at) (*(const double*)((const char*)(record) + (at)))

// One number of a degree of freedom: its column in CSV, its key in JSON.
typedef struct field {
  const char* csv;   // NULL: not in CSV
  const char* group; // object in JSON; NULL: none
  const char* key;
  size_t at;
  int follower; // 1: followers have it, too
} field;

static const field fields[] = {
  {"peak_torque", "peak_torque", "value", AT(torque.value), 0},
  {"peak_torque_time", "peak_torque", "time", AT(torque.time), 0},
  {"peak_torque_speed", "peak_torque", "speed", AT(torque.other), 0},
  {"rms_torque", NULL, "rms_torque", AT(torque_rms), 0},
  {"torque_limit", NULL, "torque_limit", AT(torque_limit), 0},
  {"peak_speed", "peak_speed", "value", AT(speed.value), 1},
  {"peak_speed_time", "peak_speed", "time", AT(speed.time), 1},
  {"peak_speed_torque", "peak_speed", "torque", AT(speed.other), 0},
  {"speed_limit", NULL, "speed_limit", AT(speed_limit), 1},
  {"peak_power", "peak_power", "value", AT(power.value), 0},
  {"peak_power_time", "peak_power", "time", AT(power.time), 0},
  {"mean_absolute_power", NULL, "mean_absolute_power", AT(mean_power), 0},
  {"energy_delivered", NULL, "energy_delivered", AT(energy_delivered), 0},
  {"energy_absorbed", NULL, "energy_absorbed", AT(energy_absorbed), 0},
  {"q_min", "position", "min", AT(q_min), 1},
  {NULL, "position", "min_time", AT(q_min_time), 1},
  {"q_max", "position", "max", AT(q_max), 1},
  {NULL, "position", "max_time", AT(q_max_time), 1},
  {"q_lower_limit", "position", "lower_limit", AT(q_lower), 1},
  {"q_upper_limit", "position", "upper_limit", AT(q_upper), 1},
  {"moving", NULL, "moving", AT(moving), 0},
  {NULL, "position", "margin", AT(margin), 1},
};

// The same of a motor.
#define MOTOR(member) offsetof(limb_sizing_motor, member)

static const field motor_fields[] = {
  {"motor_peak_torque", "peak_torque", "value", MOTOR(torque.value), 0},
  {NULL, "peak_torque", "time", MOTOR(torque.time), 0},
  {NULL, "peak_torque", "speed", MOTOR(torque.other), 0},
  {"motor_rms_torque", NULL, "rms_torque", MOTOR(torque_rms), 0},
  {"motor_peak_speed", "peak_speed", "value", MOTOR(speed.value), 0},
  {NULL, "peak_speed", "time", MOTOR(speed.time), 0},
  {"motor_mean_speed", NULL, "mean_speed", MOTOR(mean_speed), 0},
  {"motor_peak_power", "peak_power", "value", MOTOR(power.value), 0},
  {NULL, "peak_power", "time", MOTOR(power.time), 0},
  {NULL, NULL, "mean_absolute_power", MOTOR(mean_power), 0},
  {"motor_energy_delivered", NULL, "energy_delivered", MOTOR(energy_delivered), 0},
  {"motor_energy_absorbed", NULL, "energy_absorbed", MOTOR(energy_absorbed), 0},
  {"motor_overload", NULL, "overload", MOTOR(overload), 0},
  {"gearbox_peak_torque", NULL, "output_peak_torque", MOTOR(output.value), 0},
  {"gearbox_mean_torque", NULL, "output_mean_torque", MOTOR(output_mean), 0},
  {NULL, NULL, "envelope_used", MOTOR(envelope.value), 0},
  {NULL, NULL, "ratio", MOTOR(data.ratio), 0},
  {NULL, NULL, "efficiency", MOTOR(data.efficiency), 0},
  {NULL, NULL, "inertia", MOTOR(inertia), 0},
};

// ---- JSON ------------------------------------------------------------------------------------------

// What is left of a limit in percent, negative beyond it; null without one.
static json_t* json_margin(double x, double limit)
{
  return limit > 0 && isfinite(limit) ? cli_json_number(100 * (1 - fabs(x) / limit)) : json_null();
}

// Numbers of a record, in groups.
static void put_list(json_t* r, const field* list, int count, const void* record, int follower)
{
  for (int i = 0; i < count; i++) {
    const field* f = &list[i];
    if (follower && !f->follower) continue;
    json_t *group = f->group ? json_object_get(r, f->group) : r, *x = cli_json_number(NUMBER(record, f->at));
    if (!group) {
      group = json_object();
      (void)json_object_set_new(r, f->group, group);
    }
    (void)json_object_set_new(group, f->key, x);
  }
}

static json_t* json_motor(const cli_sizing* s, int k)
{
  limb_sizing_motor m;
  if (limb_sizing_get_motor(s->sizing, k, &m) != LIMB_OK) return json_null();
  json_t* r = cli_json_object("motor gearbox", cli_json_text(m.data.motor), cli_json_text(m.data.gearbox));
  put_list(r, motor_fields, COUNT_OF(motor_fields), &m, 0);
  return r;
}

static void put_fields(json_t* r, const limb_sizing_dof* d, int follower)
{
  put_list(r, fields, COUNT_OF(fields), d, follower);
  if (!d->has_position) (void)json_object_set_new(r, "position", json_null());
  if (!follower) cli_json_set(r, "torque_margin_percent", json_margin(d->torque.value, d->torque_limit));
  cli_json_set(r, "speed_margin_percent", json_margin(d->speed.value, d->speed_limit));
}

static json_t* json_dofs(const cli_sizing* s)
{
  json_t* list = json_array();
  limb_sizing_dof d;
  for (int k = 0; limb_sizing_get_dof(s->sizing, k, &d) == LIMB_OK; k++) {
    const cli_dof* dof = &s->robot->dofs.v[k];
    json_t* r = cli_json_object("name torque_unit speed_unit", cli_json_text(dof->name),
                                cli_json_text(limb_force_unit(dof)), cli_json_text(limb_velocity_unit(dof)));
    put_fields(r, &d, 0);
    cli_json_set(r, "motor", json_motor(s, k));
    (void)json_array_append_new(list, r);
  }
  return list;
}

// Joints that follow others: their motion against their own limits.
static json_t* json_followers(const cli_sizing* s)
{
  json_t* list = json_array();
  limb_sizing_follower f;
  for (int k = 0; limb_sizing_get_follower(s->sizing, k, &f) == LIMB_OK; k++) {
    const cli_dof dof = cli_follower_dof(s, &f);
    json_t* r =
      cli_json_object("joint follows speed_unit", cli_json_text(dof.name),
                      cli_json_text(s->robot->dofs.v[f.leader].name), cli_json_text(limb_velocity_unit(&dof)));
    put_fields(r, &f.motion, 1);
    (void)json_array_append_new(list, r);
  }
  return list;
}

static json_t* json_wrench(double value, double time, const sp_force* w)
{
  const double x[6] = {w->m.x, w->m.y, w->m.z, w->f.x, w->f.y, w->f.z};
  return cli_json_object("value time wrench", cli_json_number(value), cli_json_number(time), cli_json_numbers(6, x));
}

static json_t* json_wear(limb_sizing_wear w)
{
  return cli_json_object("peak mean", cli_json_number(w.peak), cli_json_number(w.mean));
}

static json_t* json_bearing(const cli_sizing* s, int joint)
{
  limb_sizing_bearing b;
  if (limb_sizing_get_bearing(s->sizing, joint, &b) != LIMB_OK) return json_null();
  return cli_json_object("axial radial tilting travel", json_wear(b.axial), json_wear(b.radial), json_wear(b.tilting),
                         cli_json_number(b.travel));
}

static json_t* add_load(json_t* list, const char* kind, const char* name, const limb_sizing_load* l)
{
  json_t* r = json_object();
  (void)json_object_set_new(r, kind, cli_json_text(name));
  cli_json_set(r, "peak_force peak_moment", json_wrench(l->force, l->force_time, &l->at_force),
               json_wrench(l->moment, l->moment_time, &l->at_moment));
  (void)json_array_append_new(list, r);
  return r;
}

// Limits, the most used first; of what has no limit there is none.
static json_t* json_limits(const cli_sizing* s)
{
  json_t* list = json_array();
  for (int k = 0; k < s->checks; k++) {
    const limb_sizing_check* c = &s->check[k];
    (void)json_array_append_new(
      list, cli_json_object("joint limit value bound unit used over time", cli_json_text(cli_check_name(s, c)),
                            cli_json_text(limb_sizing_limit_words(c->limit)), cli_json_number(c->value),
                            cli_json_number(c->bound), cli_json_text(cli_check_unit(s, c)), cli_json_number(c->used),
                            json_boolean(c->over), cli_json_number(c->time)));
  }
  return list;
}

static json_t* json_foundation(const cli_sizing* s)
{
  limb_sizing_base b;
  if (limb_sizing_get_base(s->sizing, &b) != LIMB_OK) return json_null();
  return cli_json_object("point min max force_across_z moment_across_z peak_force peak_moment", cli_json_vec3(b.point),
                         cli_json_numbers(6, b.min), cli_json_numbers(6, b.max), cli_json_number(b.across),
                         cli_json_number(b.tilting), json_wrench(b.load.force, b.load.force_time, &b.load.at_force),
                         json_wrench(b.load.moment, b.load.moment_time, &b.load.at_moment));
}

static json_t* json_peak(limb_peak p)
{
  return cli_json_object("value time", cli_json_number(p.value), cli_json_number(p.time));
}

static json_t* json_total(const cli_sizing* s)
{
  const limb_sizing_total x = limb_sizing_get_total(s->sizing);
  return cli_json_object("largest_power largest_braking energy_delivered energy_absorbed", json_peak(x.drive),
                         json_peak(x.brake), cli_json_number(x.delivered), cli_json_number(x.absorbed));
}

json_t* cli_sizing_json(const cli_sizing* s)
{
  const limb_sizing_summary sum = limb_sizing_get_summary(s->sizing);
  json_t *r = cli_json_answer(), *joints = json_array(), *loops = json_array();
  limb_loop_info loop;
  limb_sizing_load l;
  for (int j = 0; j < limb_joint_count(s->robot->model); j++)
    if (cli_sizing_load(s, j, &l))
      cli_json_set(add_load(joints, "joint", cli_joint_name(s->robot->model, j), &l), "bearing", json_bearing(s, j));
  for (int i = 0; limb_get_loop(s->robot->model, i, &loop) == LIMB_OK; i++)
    if (limb_sizing_get_loop_load(s->sizing, i, &l) == LIMB_OK) (void)add_load(loops, "loop", loop.def.name, &l);
  cli_json_set(r, "model trajectory gravity friction rows duration", cli_json_text(limb_model_name(s->robot->model)),
               cli_json_text(s->trajectory), cli_json_vec3(s->robot->env.gravity), json_boolean(s->robot->env.friction),
               json_integer((json_int_t)sum.rows), cli_json_number(sum.duration));
  cli_json_set(r, "limits dofs followers loads loop_loads foundation supply", json_limits(s), json_dofs(s),
               json_followers(s), joints, loops, json_foundation(s), json_total(s));
  return r;
}

// ---- CSV -------------------------------------------------------------------------------------------

// Numbers of a degree of freedom or of a follower; d NULL: none. What is not there is an empty field.
static limb_status csv_fields(limb_csv_writer* w, const limb_sizing_dof* d, int follower)
{
  limb_status status = LIMB_OK;
  for (int i = 0; i < COUNT_OF(fields) && status == LIMB_OK; i++) {
    if (!fields[i].csv) continue;
    const double x = d && (!follower || fields[i].follower) ? NUMBER(d, fields[i].at) : HUGE_VAL;
    status = isfinite(x) ? limb_csv_number(w, x) : limb_csv_text(w, "");
  }
  return status;
}

// Of the motor of a degree of freedom; k -1: none.
static limb_status csv_motor(limb_csv_writer* w, const cli_sizing* s, int k)
{
  limb_sizing_motor m;
  limb_status status = LIMB_OK;
  const int has = k >= 0 && limb_sizing_get_motor(s->sizing, k, &m) == LIMB_OK;
  for (int i = 0; i < COUNT_OF(motor_fields) && status == LIMB_OK; i++) {
    if (!motor_fields[i].csv) continue;
    status = has ? limb_csv_number(w, NUMBER(&m, motor_fields[i].at)) : limb_csv_text(w, "");
  }
  return status;
}

// What the bearing carries; NULL: there is none.
static limb_status csv_bearing(limb_csv_writer* w, const limb_sizing_bearing* b)
{
  limb_status status = LIMB_OK;
  if (b)
    return limb_csv_numbers(
      w,
      (const double[]){b->axial.peak, b->axial.mean, b->radial.peak, b->radial.mean, b->tilting.peak, b->tilting.mean},
      6);
  for (int k = 0; k < 6 && status == LIMB_OK; k++) status = limb_csv_text(w, "");
  return status;
}

// One row of a table.
typedef struct csv_line {
  const char* names[3]; // degree of freedom, joint, loop
  const limb_sizing_dof* d;
  int follower, motor; // motor: of the degree of freedom; -1: none
  const limb_sizing_load* l;
  const limb_sizing_bearing* b;
} csv_line;

// Names, numbers of the motion, the load, the bearing, the motor.
static limb_status csv_row(limb_csv_writer* w, const cli_sizing* s, const csv_line* x)
{
  const limb_sizing_load* l = x->l;
  const double load[] = {l->force, l->force_time, l->moment, l->moment_time};
  limb_status status = limb_csv_text(w, x->names[0]);
  if (status == LIMB_OK) status = limb_csv_text(w, x->names[1]);
  if (status == LIMB_OK) status = csv_fields(w, x->d, x->follower);
  if (status == LIMB_OK) status = limb_csv_numbers(w, load, 4);
  if (status == LIMB_OK) status = csv_bearing(w, x->b);
  if (status == LIMB_OK) status = limb_csv_text(w, x->names[2]);
  if (status == LIMB_OK) status = csv_motor(w, s, x->motor);
  return status == LIMB_OK ? limb_csv_end_row(w) : status;
}

static limb_status csv_head(limb_csv_writer* w)
{
  static const char* const load[] = {"peak_force",
                                     "peak_force_time",
                                     "peak_moment",
                                     "peak_moment_time",
                                     "peak_axial_force",
                                     "mean_axial_force",
                                     "peak_radial_force",
                                     "mean_radial_force",
                                     "peak_tilting_moment",
                                     "mean_tilting_moment",
                                     "loop"};
  limb_status status = limb_csv_text(w, "dof");
  if (status == LIMB_OK) status = limb_csv_text(w, "joint");
  for (int i = 0; i < COUNT_OF(fields) && status == LIMB_OK; i++)
    if (fields[i].csv) status = limb_csv_text(w, fields[i].csv);
  for (int i = 0; i < COUNT_OF(load) && status == LIMB_OK; i++) status = limb_csv_text(w, load[i]);
  for (int i = 0; i < COUNT_OF(motor_fields) && status == LIMB_OK; i++)
    if (motor_fields[i].csv) status = limb_csv_text(w, motor_fields[i].csv);
  return status == LIMB_OK ? limb_csv_end_row(w) : status;
}

// A joint without coordinate: it may follow another.
static limb_status csv_still(limb_csv_writer* w, const cli_sizing* s, int joint, const limb_sizing_load* l,
                             const limb_sizing_bearing* b)
{
  limb_sizing_follower f;
  int k = 0;
  while (limb_sizing_get_follower(s->sizing, k, &f) == LIMB_OK && f.motion.joint != joint) k++;
  const int follows = limb_sizing_get_follower(s->sizing, k, &f) == LIMB_OK;
  return csv_row(
    w, s, &(csv_line){{"", cli_joint_name(s->robot->model, joint), ""}, follows ? &f.motion : NULL, 1, -1, l, b});
}

// A row per degree of freedom; joints and closures without any have one for their load.
static limb_status csv_rows(limb_csv_writer* w, const void* sizing)
{
  const cli_sizing* s = sizing;
  limb_status status = csv_head(w);
  limb_sizing_load l;
  limb_loop_info loop;
  for (int j = 0; j < limb_joint_count(s->robot->model) && status == LIMB_OK; j++) {
    limb_joint_info x;
    limb_sizing_dof d;
    if (!cli_sizing_load(s, j, &l)) continue;
    limb_sizing_bearing bearing;
    const limb_sizing_bearing* b = limb_sizing_get_bearing(s->sizing, j, &bearing) == LIMB_OK ? &bearing : NULL;
    status = limb_get_joint(s->robot->model, j, &x);
    if (status == LIMB_OK && x.nv == 0) status = csv_still(w, s, j, &l, b);
    for (int k = x.v; k < x.v + x.nv && status == LIMB_OK; k++) {
      status = limb_sizing_get_dof(s->sizing, k, &d);
      if (status == LIMB_OK)
        status = csv_row(w, s, &(csv_line){{s->robot->dofs.v[k].name, x.def.name, ""}, &d, 0, k, &l, b});
    }
  }
  for (int i = 0; status == LIMB_OK && limb_get_loop(s->robot->model, i, &loop) == LIMB_OK; i++)
    if (limb_sizing_get_loop_load(s->sizing, i, &l) == LIMB_OK)
      status = csv_row(w, s, &(csv_line){{"", "", loop.def.name}, NULL, 0, -1, &l, NULL});
  return status;
}

// ---- text ------------------------------------------------------------------------------------------

static int print_text(const cli_sizing* s, FILE* out)
{
  const sp_vec3 g = s->robot->env.gravity;
  const limb_sizing_summary sum = limb_sizing_get_summary(s->sizing);
  cli_table t;
  const char* note;
  (void)fprintf(out, "%s along %s: %llu row%s, %.6g s\n", limb_model_name(s->robot->model), s->trajectory,
                (unsigned long long)sum.rows, sum.rows == 1 ? "" : "s", sum.duration);
  (void)fprintf(out, "gravity (%g, %g, %g) m/s^2, friction %s\n\n", g.x, g.y, g.z,
                s->robot->env.friction ? "as in the model" : "left out");
  if (s->over > 0)
    (void)fprintf(out, "%d of %d limits %s exceeded\n", s->over, s->checks, s->over == 1 ? "is" : "are");
  else if (s->checks > 0)
    (void)fprintf(out, "all %d limits are kept; nearest:\n", s->checks);
  t = cli_sizing_limits(s);
  if (t.count > 0) cli_table_print(&t, out, ""), (void)fputs("\n", out);
  cli_table_free(&t);
  for (int k = 0; cli_sizing_table(s, k, &t, &note); k++) {
    if (t.count > 0) cli_table_print(&t, out, ""), (void)fputs("\n", out);
    cli_table_free(&t);
  }
  (void)fputs(
    "Peaks are the largest magnitudes, with their signs. Energy is delivered by the actuator, or absorbed by "
    "it\n(braking). Loads are of the whole wrench through the joint, the driven axis included; bearings carry all but "
    "that.\nMeans of bearings are cubic over the travel of the joint (ISO 281).\n",
    out);
  return EXIT_FINE;
}

int cli_sizing_print(const cli_sizing* s, const char* format, FILE* out, const char* command)
{
  if (strcmp(format, "json") == 0) return cli_json_print(cli_sizing_json(s), out, command);
  if (strcmp(format, "csv") == 0) return cli_csv_print(out, command, csv_rows, s);
  return print_text(s, out);
}
